//! The files of a folder before they are written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::place::folder_of;
use super::to_json;

/// Bytes from which a file waits on the disk.
const LARGE: usize = 1 << 16;

/// Files of a new output folder, by path relative to it.
#[derive(Debug, Default)]
pub struct Staged {
    files: BTreeMap<String, Content>,
    /// The folder on whose disk large files wait; `None` for in memory.
    room: Option<PathBuf>,
}

/// What a file will hold.
#[derive(Debug)]
enum Content {
    Bytes(Vec<u8>),
    /// In a file without a name, which is gone when this is.
    Waiting(File),
}

/// What a folder says of itself, a list of all its files among it: by that list its files are known as ours later.
pub trait Record: Serialize {
    /// Name of the record within the folder; JSON with the list under the key `files`.
    const FILE: &'static str;
    /// A key of the record that those of other commands lack, so that their output is not taken for this one's.
    const KEY: &'static str;
    /// Folders within, each with the record of the command that writes to it, too: its name, that of its record, and the
    /// record's key.
    const WITHIN: &'static [[&'static str; 3]] = &[];
    /// Files that other commands leave there and that this one may replace, each with a text that it has if it is theirs.
    const LEFT: &'static [[&'static str; 2]] = &[];

    /// Takes the list, in order.
    fn set_files(&mut self, files: Vec<String>);
}

impl Staged {
    /// All its files; large ones wait from now on, in files without names, on the disk on which the output folder will
    /// be, as far as it lets them, and take no memory.
    #[must_use]
    pub fn waiting_beside(self, output: &Path) -> Self {
        let mut waiting = Self { room: Some(folder_of(output).to_owned()), ..Self::default() };
        for (name, content) in self.files {
            match content {
                Content::Bytes(bytes) => waiting.put(name, bytes),
                content @ Content::Waiting(_) => drop(waiting.files.insert(name, content)),
            }
        }
        waiting
    }

    /// Adds or replaces a file.
    pub fn put(&mut self, file: impl Into<String>, content: impl Into<Vec<u8>>) {
        let bytes: Vec<u8> = content.into();
        let waiting = if bytes.len() < LARGE { None } else { self.wait(|to| to.write_all(&bytes)) };
        self.files.insert(file.into(), waiting.map_or(Content::Bytes(bytes), Content::Waiting));
    }

    /// Adds or replaces a file as it is written; its beginning is not kept in memory.
    ///
    /// # Errors
    /// As `write`. A full disk is not an error: the file is then kept in memory.
    pub fn write<E>(
        &mut self,
        file: impl Into<String>,
        write: impl Fn(&mut (dyn Write + Send)) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut bytes = vec![];
        let waiting = self.wait(|to| write(to).map_err(|_| io::ErrorKind::Other.into()));
        if waiting.is_none() {
            write(&mut bytes)?;
        }
        self.files.insert(file.into(), waiting.map_or(Content::Bytes(bytes), Content::Waiting));
        Ok(())
    }

    /// The file without a name to which `write` wrote; `None` if the disk is full.
    fn wait(&self, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Option<File> {
        let mut to = BufWriter::new(tempfile::tempfile_in(self.room.as_ref()?).ok()?);
        write(&mut to).ok()?;
        to.into_inner().ok()
    }

    /// Adds the files of another folder, in a folder of this name.
    pub fn put_within(&mut self, folder: &str, other: Self) {
        self.files.extend(other.files.into_iter().map(|(name, content)| (format!("{folder}/{name}"), content)));
    }

    /// Adds the folder's record, which lists every file that is staged and itself; nothing is to be added after it.
    pub fn seal<R: Record>(&mut self, record: &mut R) {
        self.put(R::FILE, "");
        record.set_files(self.names());
        self.put(R::FILE, to_json(record));
    }

    /// Text of a file, if it is staged in memory and is text.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.iter().find(|(name, _)| *name == file).and_then(|(_, content)| std::str::from_utf8(content).ok())
    }

    /// Paths of all files, in order.
    pub fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// The files in memory with their contents, in order: all, unless large ones wait on a disk ([`Self::waiting_beside`]).
    pub fn iter(&self) -> impl Iterator<Item = (&String, &[u8])> {
        self.files.iter().filter_map(|(name, content)| match content {
            Content::Bytes(bytes) => Some((name, bytes.as_slice())),
            Content::Waiting(_) => None,
        })
    }

    /// Writes a file's content.
    pub(crate) fn write_to(&self, file: &str, to: &mut impl Write) -> io::Result<()> {
        match self.files.get(file) {
            Some(Content::Bytes(bytes)) => to.write_all(bytes),
            Some(Content::Waiting(waiting)) => {
                let mut from: &File = waiting;
                from.rewind()?;
                io::copy(&mut from, to).map(drop)
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(staged: &Staged, file: &str) -> Vec<u8> {
        let mut bytes = vec![];
        staged.write_to(file, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn large_files_wait_on_the_disk_and_come_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let large: Vec<u8> = (0..3 * LARGE).map(|k| (k % 251) as u8).collect();
        for output in [folder.path().join("out"), folder.path().join("nowhere/out")] {
            let mut staged = Staged::default();
            staged.put("early", large.clone());
            let mut staged = staged.waiting_beside(&output);
            staged.put("large", large.clone());
            staged.put("small", "text");
            staged.write("written", |to| to.write_all(&large)).unwrap();
            assert_eq!(staged.write("failed", |_| Err("no")), Err("no"));
            let in_memory = staged.iter().count();
            assert_eq!(in_memory, if output.parent().unwrap().is_dir() { 1 } else { 4 });
            assert_eq!(staged.names(), ["early", "large", "small", "written"]);
            // As often as they are asked for.
            for file in ["early", "large", "written", "large"] {
                assert!(content(&staged, file) == large, "{file}");
            }
            assert_eq!((content(&staged, "small"), staged.text("small")), (b"text".to_vec(), Some("text")));
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
