//! Files that a table names, and their layouts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use judge_uncertainty_formats::logs::{self, LOGS, LogFormat};

/// One file or several, which are read as one table: `"a.csv"` or `["a.csv", "b.csv"]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "FileNames", into = "FileNames")]
pub struct Files(Vec<PathBuf>);

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a file, or a list of files, is needed here")]
enum FileNames {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl TryFrom<FileNames> for Files {
    type Error = &'static str;

    fn try_from(names: FileNames) -> std::result::Result<Self, &'static str> {
        match names {
            FileNames::One(file) => Ok(Self(vec![file])),
            FileNames::Several(files) if files.is_empty() => Err("the list of files is empty: name one or more"),
            FileNames::Several(files) => Ok(Self(files)),
        }
    }
}

impl From<Files> for FileNames {
    fn from(Files(mut files): Files) -> Self {
        if files.len() == 1 { Self::One(files.remove(0)) } else { Self::Several(files) }
    }
}

impl Files {
    /// The first file.
    pub fn first(&self) -> &Path {
        &self.0[0]
    }

    /// The only file; `None` of several.
    pub fn only(&self) -> Option<&Path> {
        (self.0.len() == 1).then(|| self.first())
    }

    /// All files, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }
}

/// Layout of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FileFormat {
    /// A table with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// ChaosNLI's JSON Lines: ids in `uid`, counts in `label_counter`.
    ChaosNli,
    /// A Parquet file ([`judge_uncertainty_formats::parquet`]).
    Parquet,
    /// A sheet of an Excel workbook ([`judge_uncertainty_formats::xlsx`]).
    Xlsx,
    /// A LeWiDi file: one JSON object with a member per item.
    LeWiDi,
    /// A judge's log, as another program wrote it.
    Log(&'static LogFormat),
}

impl FileFormat {
    /// The layouts other than logs, by their names.
    const TABLES: [(&'static str, Self); 6] = [
        ("csv", Self::Csv),
        ("jsonl", Self::Jsonl),
        ("parquet", Self::Parquet),
        ("xlsx", Self::Xlsx),
        ("chaosnli", Self::ChaosNli),
        ("lewidi", Self::LeWiDi),
    ];

    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Log(log) => log.name,
            table => Self::TABLES.iter().find(|(_, format)| *format == table).map_or("", |(name, _)| *name),
        }
    }

    /// Whether it is a judge's log.
    pub fn is_log(self) -> bool {
        matches!(self, Self::Log(_))
    }

    /// The names of all layouts.
    pub fn names() -> Vec<&'static str> {
        Self::TABLES.iter().map(|(name, _)| *name).chain(LOGS.iter().map(|log| log.name)).collect()
    }
}

impl From<FileFormat> for String {
    fn from(format: FileFormat) -> Self {
        format.name().to_owned()
    }
}

impl TryFrom<String> for FileFormat {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        let table = Self::TABLES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format);
        let unknown = || format!("unknown format {name:?}, expected one of {}", Self::names().join(", "));
        table.or_else(|| logs::named(&name).map(Self::Log)).ok_or_else(unknown)
    }
}
