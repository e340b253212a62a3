//! Reading files: the one way by which bytes come in.
//!
//! A path may come from somebody else's `study.toml`. So only plain files are read: a pipe would block for ever, and a
//! device may have no end. Tests let any single read fail ([`crate::faults`]).

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::faults::read_step;

/// A plain file that is open for reading.
#[derive(Debug)]
pub struct InputFile(File);

impl InputFile {
    /// Opens a file.
    ///
    /// # Errors
    /// It can't be opened, or is a folder, a pipe or a device.
    pub fn open(path: &Path) -> io::Result<Self> {
        read_step()?;
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // Opening a pipe to which nobody writes would wait.
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        let file = options.open(path)?;
        let found = file.metadata()?;
        match found.is_file() {
            true => Ok(Self(file)),
            false if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            false => {
                Err(io::Error::other("it is a pipe or a device, and only plain files are read; copy it to a file"))
            }
        }
    }

    /// What the system knows of the file.
    ///
    /// # Errors
    /// The system's.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// The file itself, for readers of packages.
    pub fn into_file(self) -> File {
        self.0
    }
}

impl Read for InputFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        read_step()?;
        self.0.read(into)
    }
}

impl Seek for InputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Reads a whole file.
///
/// # Errors
/// As [`InputFile::open`]; it can't be read.
pub fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = InputFile::open(path)?;
    read_step()?;
    let mut bytes = vec![];
    // Room for more than there is memory is an error here, and no end of the program.
    file.into_file().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole file as text.
///
/// # Errors
/// As [`bytes`]; bytes that are not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let not_text = || io::Error::new(io::ErrorKind::InvalidData, "its bytes are not text in UTF-8");
    String::from_utf8(bytes(path)?).map_err(|_| not_text())
}

/// Reads a whole file if there is one.
///
/// # Errors
/// As [`bytes`], unless nothing is there.
pub fn bytes_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match bytes(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        other => other.map(Some),
    }
}

/// The names in a folder, in order; none without the folder.
///
/// # Errors
/// The folder can't be listed.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        entries => entries?.collect::<io::Result<Vec<_>>>()?,
    };
    let mut names: Vec<String> = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_plain_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, plain) = (folder.path().join("items.csv"), folder.path().join("plain.csv"));
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        std::fs::write(&plain, "id\n").unwrap();
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            let told = bytes(path).unwrap_err().to_string();
            assert!(told.contains("only plain files are read"), "{}: {told}", path.display());
        }
        assert_eq!(bytes(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(text(&plain).unwrap(), "id\n");
        assert_eq!(bytes_if_there(&folder.path().join("none")).unwrap(), None);
        assert_eq!(names(&folder.path().join("none")).unwrap(), Vec::<String>::new());
        assert_eq!(names(folder.path()).unwrap(), ["items.csv", "plain.csv"]);
    }
}
