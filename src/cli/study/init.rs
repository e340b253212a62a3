//! `study init`: a commented configuration and tiny example files that run as they are.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::Error;
use crate::output::faults::step;
use crate::output::{FileError, write_new_file};
use crate::study::Error as StudyError;

const CONFIG: &str = "study.toml";

/// The starter study, file by file.
const STARTER: [(&str, &str); 4] = [
    ("items.csv", include_str!("../../../examples/starter/items.csv")),
    ("judge.csv", include_str!("../../../examples/starter/judge.csv")),
    ("labels.csv", include_str!("../../../examples/starter/labels.csv")),
    (CONFIG, include_str!("../../../examples/starter/study.toml")),
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
    // The configuration comes last: a starter without it was interrupted and is completed.
    let begun = |(name, text): &(&str, &str)| {
        *name != CONFIG && fs::read(folder.join(name)).is_ok_and(|t| t == text.as_bytes())
    };
    let mut existing = STARTER.iter().filter(|file| fs::symlink_metadata(folder.join(file.0)).is_ok());
    if let Some((name, _)) = existing.find(|file| !begun(file)) {
        return Err(StudyError::FileExists { file: folder.join(name) }.into());
    }
    step().and_then(|()| fs::create_dir_all(folder)).map_err(FileError::at(folder, "creating"))?;
    for (name, text) in STARTER.iter().filter(|file| !begun(file)) {
        let file = folder.join(name);
        if !write_new_file(&file, text.as_bytes())? {
            return Err(StudyError::FileExists { file }.into());
        }
    }
    writeln!(
        anstream::stdout(),
        "Wrote {} with its example files.\nNext: judge-uncertainty study check {}",
        folder.join("study.toml").display(),
        folder.display()
    )?;
    Ok(ExitCode::SUCCESS)
}
