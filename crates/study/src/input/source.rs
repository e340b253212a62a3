//! Input files of a study as tables, whatever their layout, with the sums of what was read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::config::FileFormat;
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::logs::{self, Log, LogFile, LogRows, Logs};
use judge_uncertainty_formats::split::files_of;
use judge_uncertainty_formats::table::DataTable;
use judge_uncertainty_formats::{lewidi, parquet, records, xlsx};
use judge_uncertainty_system::read::bytes_if_there;

/// SHA-256 sums of the files read, by path as they were named, and what logs among them say of themselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    sums: BTreeMap<String, String>,
    logs: BTreeMap<String, LogFile>,
    /// Files that are in memory, by path.
    held: BTreeMap<PathBuf, Vec<u8>>,
    /// The criterion of the study, whose answers are read of logs that have several.
    pub(crate) criterion: Option<String>,
}

impl Source {
    /// With some files in memory, which are read as if they stood at their paths.
    pub(crate) fn holding(files: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> Self {
        Self { held: files.into_iter().collect(), ..Self::default() }
    }

    /// Reads a file and notes its sum.
    ///
    /// # Errors
    /// It can't be read.
    pub fn read(&mut self, path: &Path) -> Result<Vec<u8>> {
        let bytes = match self.held.get(path) {
            Some(bytes) => bytes.clone(),
            None => read_file(path)?,
        };
        self.sums.insert(path.display().to_string(), sha256_hex(&bytes));
        Ok(bytes)
    }

    /// Notes the sum of something that was read elsewhere.
    pub(crate) fn note(&mut self, name: &str, sum: &str) {
        self.sums.insert(name.to_owned(), sum.to_owned());
    }

    /// Bytes of the files that were read.
    pub(crate) fn bytes(&self) -> u64 {
        self.sums.keys().filter_map(|name| Some(std::fs::metadata(name).ok()?.len())).sum()
    }

    /// The sums, by path as seen from a folder; files elsewhere keep their names.
    pub fn relative(&self, folder: &Path) -> BTreeMap<String, String> {
        self.sums.iter().map(|(name, sum)| (seen(name, folder), sum.clone())).collect()
    }

    /// The name of a file as [`Self::relative`] has it.
    pub fn name(&self, path: &Path, folder: &Path) -> String {
        seen(&path.display().to_string(), folder)
    }

    /// What the logs that were read say of themselves, by path as seen from a folder.
    pub fn logs(&self, folder: &Path) -> BTreeMap<String, LogFile> {
        // A log elsewhere is named as it was.
        let elsewhere = |name: &String| Path::new(name).is_absolute() && Path::new(name).strip_prefix(folder).is_err();
        let name = |name: &String| if elsewhere(name) { name.clone() } else { seen(name, folder) };
        self.logs.iter().map(|(path, log)| (name(path), log.clone())).collect()
    }

    /// Reads logs as one.
    ///
    /// # Errors
    /// As the reader of their format.
    pub fn read_logs(&mut self, paths: &[PathBuf], format: &'static logs::LogFormat) -> Result<Logs> {
        let bytes: Vec<Vec<u8>> = paths.iter().map(|path| self.read(path)).collect::<Result<_>>()?;
        let files = paths.iter().cloned().zip(bytes.iter().map(Vec::as_slice));
        let logs = Logs::read(format, files)?;
        self.note_logs(&logs);
        Ok(logs)
    }

    fn note_logs(&mut self, logs: &Logs) {
        for (file, provenance) in logs.provenance() {
            let name = file.display().to_string();
            let sha256 = self.sums.get(&name).cloned().unwrap_or_default();
            self.logs.insert(name, LogFile { sha256, ..provenance.clone() });
        }
    }

    /// Takes what a table says as a log.
    ///
    /// # Errors
    /// The table's file can't be read.
    pub(crate) fn take_log(&mut self, path: &Path, log: Log) -> Result<Logs> {
        if path.is_file() {
            self.read(path)?;
        }
        let logs = Logs::from_log(path.to_owned(), log);
        self.note_logs(&logs);
        Ok(logs)
    }

    /// Reads logs as a table of what they say under one criterion.
    ///
    /// # Errors
    /// As [`Self::read_logs`]; several criteria if the study names none of them.
    fn read_criterion(
        &mut self,
        paths: &[PathBuf],
        format: &'static logs::LogFormat,
        rows: LogRows<'_>,
        id: Option<&str>,
    ) -> Result<DataTable> {
        let mut logs = self.read_logs(paths, format)?;
        let found: Vec<&str> = logs.criteria().into_iter().collect();
        if let [_, _, ..] = found.as_slice() {
            let Some(criterion) = &self.criterion else {
                let reason =
                    format!("the log has several criteria, each with a scale of its own: {}", found.join(", "));
                let remedy = "name one: [criterion] name = \"NAME\"; or `audit` the log, which makes a study of each";
                return Err(Error::unfit(Place::file(&paths[0]), reason, remedy));
            };
            logs.only(criterion)?;
        }
        logs.table(rows, id)
    }

    /// Reads what `audit` noted of the logs that a study was made from.
    ///
    /// # Errors
    /// The file can't be read, or is not such a note.
    pub fn read_made_from(&mut self, path: &Path) -> Result<()> {
        let bytes = self.read(path)?;
        let noted: BTreeMap<String, LogFile> = serde_json::from_slice(&bytes).map_err(|error| {
            let reason = format!("this is not a note of the logs that a study was made from: {error}");
            let place = Place::file(path).at_line(error.line().max(1) as u64);
            Error::unfit(place, reason, "restore it, or remove made_from from the study.toml")
        })?;
        self.logs.extend(noted);
        Ok(())
    }

    /// The sums.
    pub fn sums(&self) -> &BTreeMap<String, String> {
        &self.sums
    }
}

/// The bytes of a file; `None` where there is none.
pub(crate) fn read_if_there(file: &Path) -> Result<Option<Vec<u8>>> {
    bytes_if_there(file).map_err(Error::unreadable(file))
}

fn seen(name: &str, folder: &Path) -> String {
    let path = Path::new(name);
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Layout of a file: the declared one, or that of its extension.
fn format_of(path: &Path, declared: Option<FileFormat>) -> Result<FileFormat> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let by_extension = match extension.as_deref() {
        // A data set in Hugging Face's layout.
        _ if path.is_dir() => Some(FileFormat::Parquet),
        // Of the latter two the reader of tables knows what they are, and says what to do.
        Some("csv" | "tsv" | "tab" | "xls" | "gz") => Some(FileFormat::Csv),
        Some("parquet") => Some(FileFormat::Parquet),
        Some("xlsx" | "xlsm") => Some(FileFormat::Xlsx),
        Some("jsonl" | "ndjson" | "json") => Some(FileFormat::Jsonl),
        _ => None,
    };
    declared.or(by_extension).ok_or_else(|| {
        let reason = "format = none: the extension of the file does not say how it is laid out";
        let remedy = format!("add format = \"FORMAT\" beside the file, one of {}", FileFormat::names().join(", "));
        Error::unfit(Place::file(path), reason, remedy)
    })
}

/// Reads files as one table, each by `read`.
///
/// # Errors
/// As `read`; files of different columns.
pub fn read_joined(paths: &[PathBuf], mut read: impl FnMut(&Path) -> Result<DataTable>) -> Result<DataTable> {
    let (first, rest) = paths.split_first().expect("a configuration names a file");
    let mut table = read(first)?;
    for path in rest {
        table.append(read(path)?)?;
    }
    Ok(table)
}

/// Reads tables with one row per item, answer or label, whose ids stand in the column `id`, by default `id` (`uid` in
/// ChaosNLI); of logs, the `rows` that are meant.
///
/// # Errors
/// As the reader of the layout.
pub fn read_table(
    paths: &[PathBuf],
    declared: Option<FileFormat>,
    id: Option<&str>,
    rows: LogRows<'_>,
    source: &mut Source,
) -> Result<DataTable> {
    if let Some(FileFormat::Log(format)) = declared {
        return source.read_criterion(paths, format, rows, id.filter(|name| *name != "id"));
    }
    let paths: Vec<Vec<PathBuf>> = paths.iter().map(|path| files_of(path)).collect::<Result<_>>()?;
    let paths: Vec<PathBuf> = paths.into_iter().flatten().collect();
    read_joined(&paths, |path| {
        let (format, bytes) = (format_of(path, declared)?, source.read(path)?);
        let id = id.unwrap_or(if format == FileFormat::ChaosNli { "uid" } else { "id" });
        match format {
            // A study may have no label yet.
            FileFormat::Csv if rows == LogRows::Labels => DataTable::parse_any(path, &bytes, id),
            FileFormat::Jsonl | FileFormat::ChaosNli => records::read(path, &bytes, id, None),
            FileFormat::Parquet => parquet::read(path, &bytes, id),
            FileFormat::Xlsx => xlsx::read(path, &bytes, id),
            FileFormat::LeWiDi => lewidi::read_items(path, &bytes, &[]),
            // Logs of several files are read as one, above.
            FileFormat::Csv | FileFormat::Log(_) => DataTable::parse(path, &bytes, id),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_part_stands_for_all() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/parquet/data");
        let first = data.join("train-00000-of-00002.parquet");
        let table = read_table(&[first], None, None, LogRows::Items, &mut Source::default()).unwrap();
        let ids: Vec<&str> = table.rows().map(|row| row.id()).collect();
        assert_eq!(ids, ["7", "9007199254740993", "8"]);
        // A part that is named is that part, and one that is missing is refused by its name.
        let second = read_table(
            &[data.join("train-00001-of-00002.parquet")],
            None,
            None,
            LogRows::Items,
            &mut Source::default(),
        )
        .unwrap();
        assert_eq!(second.rows().len(), 1);
        let folder = tempfile::tempdir().unwrap();
        let alone = folder.path().join("train-00000-of-00002.parquet");
        std::fs::copy(data.join("train-00000-of-00002.parquet"), &alone).unwrap();
        let error = read_table(&[alone], None, None, LogRows::Items, &mut Source::default()).unwrap_err().to_string();
        assert!(error.contains("train-00001-of-00002.parquet"), "{error}");
    }
}
