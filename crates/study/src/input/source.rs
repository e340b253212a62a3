//! Input files of a study as tables, whatever their layout, with the sums of what was read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::config::Format;
use judge_uncertainty_data::dataset::checksum::{read_file, sha256_hex};
use judge_uncertainty_data::dataset::error::{Error, Place, Problem, Result};
use judge_uncertainty_data::dataset::jsonl;
use judge_uncertainty_data::dataset::table::Table;

/// SHA-256 sums of the files read, by path as they were named.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source(BTreeMap<String, String>);

impl Source {
    /// Reads a file and notes its sum.
    ///
    /// # Errors
    /// It can't be read.
    pub fn read(&mut self, path: &Path) -> Result<Vec<u8>> {
        let bytes = read_file(path)?;
        self.0.insert(path.display().to_string(), sha256_hex(&bytes));
        Ok(bytes)
    }

    /// Notes the sum of something that was read elsewhere.
    pub(crate) fn note(&mut self, name: &str, sum: &str) {
        self.0.insert(name.to_owned(), sum.to_owned());
    }

    /// The sums, by path as seen from a folder; files elsewhere keep their names.
    pub fn relative(&self, folder: &Path) -> BTreeMap<String, String> {
        let seen = |name: &String| {
            let path = Path::new(name);
            let below = path.strip_prefix(folder).unwrap_or(path);
            below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
        };
        self.0.iter().map(|(name, sum)| (seen(name), sum.clone())).collect()
    }

    /// The sums.
    pub fn sums(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

/// Layout of a file: the declared one, or that of its extension.
///
/// # Errors
/// An extension that says nothing.
pub fn format_of(path: &Path, declared: Option<Format>) -> Result<Format> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let by_extension = match extension.as_deref() {
        // Of the latter the reader of tables knows what they are, and says what to do.
        Some("csv" | "tsv" | "tab" | "xlsx" | "xls" | "parquet" | "gz") => Some(Format::Csv),
        Some("jsonl" | "ndjson") => Some(Format::Jsonl),
        _ => None,
    };
    declared.or(by_extension).ok_or_else(|| {
        let problem = Problem::Setting {
            setting: "format".to_owned(),
            value: "none".to_owned(),
            reason: "the extension of the file does not say how it is laid out".to_owned(),
            remedy: "add format = \"csv\", \"jsonl\", \"chaosnli\" or \"lewidi\" beside the file".to_owned(),
        };
        Error::refused(Place::file(path), problem)
    })
}

/// Reads files as one table, each by `read`.
///
/// # Errors
/// As `read`; files of different columns.
pub fn read_joined(paths: &[PathBuf], mut read: impl FnMut(&Path) -> Result<Table>) -> Result<Table> {
    let (first, rest) = paths.split_first().expect("a configuration names a file");
    let mut table = read(first)?;
    for path in rest {
        table.append(read(path)?)?;
    }
    Ok(table)
}

/// Reads tables with one row per item or answer, whose ids stand in the column `id`, by default `id` (`uid` in ChaosNLI).
///
/// # Errors
/// As the reader of the layout.
pub fn read_table(paths: &[PathBuf], declared: Option<Format>, id: Option<&str>, source: &mut Source) -> Result<Table> {
    read_joined(paths, |path| read_one(path, declared, id, source))
}

fn read_one(path: &Path, declared: Option<Format>, id: Option<&str>, source: &mut Source) -> Result<Table> {
    let format = format_of(path, declared)?;
    let bytes = source.read(path)?;
    match format {
        Format::Csv => Table::parse(path, &bytes, id.unwrap_or("id")),
        Format::Jsonl => jsonl::read_lines(path, &bytes, id.unwrap_or("id")),
        Format::ChaosNli => jsonl::read_lines(path, &bytes, id.unwrap_or("uid")),
        Format::LeWiDi => jsonl::read_lewidi(path, &bytes, &[]),
    }
}
