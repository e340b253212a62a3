//! `study init`: a commented configuration and tiny example files that run as they are.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::Error;
use crate::output::FileError;
use crate::study::Error as StudyError;

/// The starter study, file by file.
const STARTER: [(&str, &str); 4] = [
    ("study.toml", include_str!("../../../examples/starter/study.toml")),
    ("items.csv", include_str!("../../../examples/starter/items.csv")),
    ("judge.csv", include_str!("../../../examples/starter/judge.csv")),
    ("labels.csv", include_str!("../../../examples/starter/labels.csv")),
];

/// Write a commented study.toml and tiny example files; no file is overwritten.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder to write to; it is made if there is none.
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// One of the files exists, or can't be written.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let folder = &args.folder;
    let existing = STARTER.iter().map(|(name, _)| folder.join(name)).find(|file| file.exists());
    if let Some(file) = existing {
        return Err(StudyError::FileExists { file }.into());
    }
    fs::create_dir_all(folder).map_err(FileError::at(folder, "creating"))?;
    for (name, text) in STARTER {
        let file = folder.join(name);
        fs::write(&file, text).map_err(FileError::at(&file, "writing"))?;
    }
    writeln!(
        anstream::stdout(),
        "Wrote {} with its example files.\nNext: judge-uncertainty study check {}",
        folder.join("study.toml").display(),
        folder.display()
    )?;
    Ok(ExitCode::SUCCESS)
}
