//! Text files that are part of the program, and that files of a folder may stand in for.

use std::borrow::Cow;
use std::path::Path;

use crate::{FileError, read};

/// Names with their texts at the time of the build. The files are below `templates/` at the root of the repository, in
/// the folder that is named first; the crate that names them lies in `crates/`.
#[macro_export]
macro_rules! built_in {
    ($folder:literal: $($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../templates/", $folder, $name)))),*]
    };
}

/// Each file with its text: from `folder`; without one, from `here` if the working directory has that, else as built
/// in.
///
/// # Errors
/// A file of the folder that can't be read.
pub fn texts<'f>(
    folder: Option<&Path>,
    here: &str,
    files: impl IntoIterator<Item = &'f (&'static str, &'static str)>,
) -> Result<Vec<(&'static str, Cow<'static, str>)>, FileError> {
    let here = Path::new(here);
    let folder = folder.or_else(|| here.is_dir().then_some(here));
    let text = |&(name, built_in): &(&'static str, &'static str)| match folder {
        Some(folder) => {
            let path = folder.join(name);
            let text = read::text(&path).map_err(FileError::at(&path, "reading"))?;
            Ok((name, Cow::Owned(text)))
        }
        None => Ok((name, Cow::Borrowed(built_in))),
    };
    files.into_iter().map(text).collect()
}
