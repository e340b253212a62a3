//! Any table in a file, or a judge's log, as rows of named cells.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::split::files_of;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, NO_IDS};
use judge_uncertainty_formats::{jsonl, logs, parquet, xlsx};

use super::columns::{Correction, Role, names_answers};
use crate::from_log::{self, Made, StudyFiles};
use crate::input::source::{Source, read_joined};

/// Cells that stand for no answer.
const BLANK: [&str; 8] = ["", "nan", "na", "n/a", "null", "none", "-", "?"];

/// Rows of cells under named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct CellTable {
    /// Names of the columns, in order.
    pub names: Vec<String>,
    /// The rows, each with a cell per column.
    pub rows: Vec<Vec<String>>,
    /// What the file is, in words, such as `CSV`.
    pub format: String,
    /// The study that a criterion of a log becomes; `None` of a table.
    pub study: Option<StudyFiles>,
    /// Which column of a log holds what.
    pub roles: Vec<(Role, String)>,
    /// What is to be said of how a log was read.
    pub notices: Vec<String>,
    /// Bytes of its files; `None` where rows were handed over.
    pub bytes: Option<u64>,
}

impl CellTable {
    /// Reads CSV, tab-separated text, JSON Lines, Parquet, an Excel workbook; or the files of a judge's log, which is a
    /// table for each of its criteria. Of a log, the user's word is taken for ids, groups and labels of people.
    ///
    /// # Errors
    /// A file that can't be read or is none of these; as its reader.
    pub fn read(paths: &[PathBuf], corrections: &[Correction]) -> Result<Vec<Self>> {
        let files = paths.iter().map(|path| files_of(path)).collect::<Result<Vec<_>>>()?.concat();
        let bytes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
        let tables = Self::read_each(paths, corrections)?;
        Ok(tables.into_iter().map(|table| Self { bytes: Some(bytes), ..table }).collect())
    }

    fn read_each(paths: &[PathBuf], corrections: &[Correction]) -> Result<Vec<Self>> {
        let mut source = Source::default();
        let [path, others @ ..] = paths else { return Ok(vec![]) };
        if !path.is_dir()
            && let bytes = source.read(path)?
            && let Ok(format) = logs::detect(path, &bytes)
            // ragas' tables are told by one column; those to which people added theirs are read as tables.
            && !(format.name == "ragas" && DataTable::header_of(path, &bytes).is_ok_and(|names| names_answers(&names)))
        {
            let logs = source.read_logs(paths, format)?;
            let Made { studies, left_out } = from_log::studies(logs, &source, &of_corrections(path, corrections)?)?;
            let left_out = left_out.iter().map(|(criterion, reason)| format!("{criterion} is left out: {reason}."));
            let mut left_out: Vec<String> = left_out.collect();
            let table = |study| Self::of_criterion(study, format.title, std::mem::take(&mut left_out));
            return studies.into_iter().map(table).collect();
        }
        match others.first() {
            None => Ok(vec![Self::read_table(path, &mut source)?]),
            Some(other) => Err(Error::unfit(
                Place::file(other),
                format!("{} is no log, and of tables one is read at a time", path.display()),
                "put the rows into one file",
            )),
        }
    }

    fn read_table(path: &Path, source: &mut Source) -> Result<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let extension = extension.as_deref().unwrap_or_default();
        if matches!(extension, "csv" | "tsv" | "tab" | "txt") {
            let table = DataTable::parse(path, &source.read(path)?, NO_IDS)?;
            return Ok(Self::of_table(&table, if extension == "csv" { "CSV" } else { "tab-separated text" }));
        }
        if extension == "parquet" || path.is_dir() {
            let table = read_joined(&files_of(path)?, |path| parquet::read(path, &source.read(path)?, NO_IDS))?;
            return Ok(Self::of_table(&table, "Parquet"));
        }
        let bytes = source.read(path)?;
        if parquet::is(&bytes) {
            return Ok(Self::of_table(&parquet::read(path, &bytes, NO_IDS)?, "Parquet"));
        }
        if xlsx::is(&bytes) {
            return Ok(Self::of_table(&xlsx::read(path, &bytes, NO_IDS)?, "an Excel workbook"));
        }
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => Ok(Self::of_table(&jsonl::read_lines(path, &bytes, NO_IDS)?, "JSON Lines")),
            _ => Err(Error::unfit(
                Place::file(path),
                "this is no table or log that is known here",
                "give CSV, TSV, JSON Lines, Parquet, XLSX, or a log of a judge",
            )),
        }
    }

    /// Rows that a program hands over, such as a data frame.
    pub fn new(names: Vec<String>, rows: Vec<Vec<String>>, format: &str) -> Self {
        let format = format.to_owned();
        Self { names, rows, format, study: None, roles: vec![], notices: vec![], bytes: None }
    }

    fn of_table(table: &DataTable, format: &str) -> Self {
        let rows = table.rows().map(|row| row.cells().map(str::to_owned).collect()).collect();
        Self::new(table.header().to_vec(), rows, format)
    }

    /// The items of a log's criterion, the judge's answers side by side, and a column for each person.
    fn of_criterion(study: StudyFiles, title: &str, mut notices: Vec<String>) -> Result<Self> {
        let parsed = |name: &str| DataTable::parse_any(Path::new(name), study.content(name).as_bytes(), "id");
        let (items, judge, labels) = (parsed("items.csv")?, parsed("judge.csv")?, parsed("labels.csv")?);
        let format = study.criterion.as_ref().map_or(title.to_owned(), |name| format!("{title}; criterion {name}"));
        let mut wide = Self::of_table(&items, &format);
        let place: HashMap<&str, usize> = items.rows().zip(0..).map(|(row, k)| (row.id(), k)).collect();
        let is_text = |name: &str| study.text.as_ref().is_some_and(|text| text.contains(&format!("{{{name}}}")));
        let role = |name: &str| match name {
            "id" => Some(Role::Id),
            name if study.group.as_deref() == Some(name) => Some(Role::Group),
            from_log::TRANSCRIPT => Some(Role::Transcript),
            name => is_text(name).then_some(Role::Text),
        };
        let own = wide.names.iter().filter_map(|name| Some((role(name)?, name.clone())));
        let mut roles: Vec<(Role, String)> = own.collect();
        let mut put = |role: Role, id: &str, name: String, value: &str| {
            let Some(&row) = place.get(id) else { return };
            wide.set(row, &name, value.to_owned());
            if !roles.contains(&(role, name.clone())) {
                roles.push((role, name));
            }
        };
        let shares: Vec<(&str, ColumnIndex)> = judge
            .header()
            .iter()
            .filter_map(|name| Some((name.strip_prefix("p_")?, judge.column(name).ok()?)))
            .collect();
        let plain = ["label", "mean"].iter().find_map(|name| judge.column(name).ok());
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for row in judge.rows() {
            let number = seen.entry(row.id()).or_insert(0);
            *number += 1;
            let of = |column: ColumnIndex| row.cell(column).parse::<f64>().ok();
            let likeliest = shares
                .iter()
                .filter_map(|(class, column)| Some((of(*column)?, *class)))
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let answer = plain.map_or(likeliest.map_or("", |(_, class)| class), |column| row.cell(column));
            put(Role::Verdict, row.id(), format!("judge_verdict_{number}"), answer);
        }
        // Of two classes the judge's probability is that of the second, which rates are about.
        if let [_, (_, second)] = shares[..]
            && seen.values().all(|number| *number == 1)
        {
            judge.rows().for_each(|row| put(Role::Probability, row.id(), "judge_probability".into(), row.cell(second)));
        }
        if labels.rows().len() > 0 {
            let [who, what] = [labels.column("annotator")?, labels.column("label")?];
            labels
                .rows()
                .for_each(|row| put(Role::Human, row.id(), format!("human_{}", row.cell(who)), row.cell(what)));
        }
        let found = study.found;
        let told = [
            (found.failed, "answers of the judge that failed"),
            (found.alike, "items that look like another one to an annotator"),
            (found.other_labels, "labels of people that are not on the scale, or given twice"),
        ];
        notices.extend(told.iter().filter(|(n, _)| *n > 0).map(|(n, text)| format!("Left out: {text} ({n}).")));
        Ok(Self { study: Some(study), roles, notices, ..wide })
    }

    fn set(&mut self, row: usize, name: &str, value: String) {
        let column = match self.names.iter().position(|known| known == name) {
            Some(column) => column,
            None => {
                self.names.push(name.to_owned());
                self.rows.iter_mut().for_each(|row| row.push(String::new()));
                self.names.len() - 1
            }
        };
        self.rows[row][column] = value;
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The cells of a column that are not blank, as they stand there.
    pub fn filled(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |row| present(&row[column]))
    }
}

/// What a user says of a log's columns.
fn of_corrections(path: &Path, corrections: &[Correction]) -> Result<from_log::LogOptions> {
    let mut options = from_log::LogOptions::default();
    for Correction { role, column } in corrections {
        match role {
            Role::Id => options.id.clone_from(column),
            Role::Group => options.group_from.clone_from(column),
            Role::Human => options.labels_from.clone_from(column),
            _ => {
                let remedy =
                    "say of a log only what its ids, groups and labels of people are: --map human=metadata.human";
                return Err(Error::unfit(Place::file(path), format!("its format says what the {role} is"), remedy));
            }
        }
    }
    Ok(options)
}

/// A cell without white space around it; `None` where it stands for no answer (`nan`, `null`, `n/a`, ...).
pub fn present(cell: &str) -> Option<&str> {
    let trimmed = cell.trim();
    (!BLANK.contains(&trimmed.to_lowercase().as_str())).then_some(trimmed)
}
