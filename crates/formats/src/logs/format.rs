//! What a format of logs is.

use std::path::Path;

use super::record::Log;
use crate::error::Result;

/// A format of logs.
#[derive(Debug)]
pub struct LogFormat {
    /// Its name in `study.toml`.
    pub name: &'static str,
    /// The tool and the file that are meant, in words.
    pub title: &'static str,
    /// Whether a file of this name is one of this format, by its first bytes and by its fields.
    pub is: fn(&Path, &[u8]) -> bool,
    /// Reads a file.
    pub read: fn(&Path, &[u8]) -> Result<Log>,
}

impl PartialEq for LogFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for LogFormat {}
