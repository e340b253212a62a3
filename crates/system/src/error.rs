//! What went wrong with a file or folder that is written, and places in texts.

use std::io;
use std::path::{Path, PathBuf};

/// The file system refused something.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {action} failed: {source}", path = path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// What was tried, such as `writing`.
    pub action: &'static str,
    /// The system's reason.
    pub source: io::Error,
}

impl FileError {
    /// For `map_err` on doing `action` to `path`.
    pub fn at(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { path, action, source }
    }
}

/// Why an output folder can't be written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "{folder}: holds `{file}`, which this command did not write; nothing was changed. Choose another folder with \
         --out, or move that file away"
    )]
    Foreign { folder: PathBuf, file: String },
    #[error("{0}: is a file, but a folder is needed; choose another with --out")]
    NotAFolder(PathBuf),
    #[error("{folder}: {problem}; choose another folder with --out")]
    Unusable { folder: PathBuf, problem: &'static str },
    #[error(
        "{place}: {holder} writes to it at this moment; wait for its end, or choose another place with --out ({lock} \
         is the lock)"
    )]
    Locked { place: PathBuf, holder: String, lock: PathBuf },
    #[error(
        "{folder}: was left by an interrupted run, but holds `{file}`, which no run wrote; nothing was changed. Move \
         that file away"
    )]
    Leftover { folder: PathBuf, file: String },
    #[error("{folder}: can't be written: {source}; create it or make it writable, or choose another folder with --out")]
    NotWritable { folder: PathBuf, source: io::Error },
}

impl Error {
    /// Whether the machine failed, rather than that the folder was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::NotWritable { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }
}

/// Line and column of a byte as an editor counts them, from 1 and in characters: of the start of a TOML span, for instance;
/// of the end for bytes behind it.
pub fn text_position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..byte.min(text.len())];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (1 + before.matches('\n').count(), 1 + before[start..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_from_one() {
        let text = "α = 1\n\n  β = 2\n";
        let of = |pattern| text_position(text, text.find(pattern).unwrap());
        assert_eq!([of("α"), of("="), of("β"), of("2")], [(1, 1), (1, 3), (3, 3), (3, 7)]);
        assert_eq!(text_position(text, 1000), (4, 1));
    }
}
