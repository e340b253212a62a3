//! `study init`: a commented configuration and tiny example files that run as they are.

use std::fs;
use std::io::{IsTerminal, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::Error;
use crate::cli::terminal::stdout;
use crate::study::Error as StudyError;
use crate::system::faults::step;
use crate::system::{FileError, read, shell_path, write_new_file};

const CONFIG: &str = "study.toml";

/// The starter study, file by file.
const STARTER: [(&str, &str); 4] = [
    ("items.csv", include_str!("../../../examples/starter/items.csv")),
    ("judge.csv", include_str!("../../../examples/starter/judge.csv")),
    ("labels.csv", include_str!("../../../examples/starter/labels.csv")),
    (CONFIG, include_str!("../../../examples/starter/study.toml")),
];

/// Start a study from an example.
///
/// Writes a commented study.toml and its tables. On a terminal, without arguments, it asks. No file is overwritten.
/// `audit` makes a study of a table or of a judge's log.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty study init my-study")]
pub(crate) struct Args {
    /// Folder to write to, which is created if necessary.
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Folder to write to, as the argument DIR.
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// One of the files exists, or can't be written; a log that can't be used.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let folder = args.out.as_ref().unwrap_or(&args.folder);
    if args.out.is_none() && *folder == Path::new(".") && stdin().is_terminal() {
        let table = asked("Table with a row per item and the judge's answer (Enter for a small example): ")?;
        let name = asked("Folder to make (Enter for my-study): ")?;
        let folder = PathBuf::from(if name.is_empty() { "my-study" } else { &name });
        return match table.is_empty() {
            true => example(&folder),
            false => crate::cli::audit::run(&crate::cli::audit::Args::new(table.into(), folder)),
        };
    }
    example(folder)
}

/// Writes the starter study.
fn example(folder: &Path) -> Result<ExitCode, Error> {
    write(folder, &STARTER)?;
    writeln!(
        stdout(),
        "Wrote {} with its example files.\nNext: judge-uncertainty study check {}",
        folder.join(CONFIG).display(),
        shell_path(folder)
    )?;
    Ok(ExitCode::SUCCESS)
}

/// What a user types in answer to a question.
fn asked(question: &str) -> Result<String, Error> {
    let mut stdout = stdout();
    write!(stdout, "{question}")?;
    stdout.flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

/// Writes files that are not there yet; the configuration is written last: a study without it was interrupted and is
/// completed.
fn write(folder: &Path, files: &[(&str, &str)]) -> Result<(), Error> {
    let mut lacking = vec![];
    for (name, text) in files {
        let file = folder.join(name);
        match fs::symlink_metadata(&file) {
            Err(_) => lacking.push((file, text)),
            Ok(found) => {
                let begun = *name != CONFIG && found.is_file();
                if !begun || read::bytes(&file).map_err(FileError::at(&file, "reading"))? != text.as_bytes() {
                    return Err(StudyError::FileExists { file }.into());
                }
            }
        }
    }
    step().and_then(|()| fs::create_dir_all(folder)).map_err(FileError::at(folder, "creating"))?;
    for (file, text) in lacking {
        if !write_new_file(&file, text.as_bytes())? {
            return Err(StudyError::FileExists { file }.into());
        }
    }
    Ok(())
}
