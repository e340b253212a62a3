//! The files of a folder before they are written.

use std::collections::BTreeMap;

use serde::Serialize;

use super::to_json;

/// Files of a new output folder, by path relative to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Staged {
    files: BTreeMap<String, Vec<u8>>,
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

    /// Takes the list, in order.
    fn set_files(&mut self, files: Vec<String>);
}

impl Staged {
    /// Adds or replaces a file.
    pub fn put(&mut self, file: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.insert(file.into(), content.into());
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

    /// Text of a file, if it is staged and is text.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.files.get(file).and_then(|content| std::str::from_utf8(content).ok())
    }

    /// Paths of all files, in order.
    pub fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// All files with their contents, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        self.files.iter()
    }
}
