//! Further items as people have them: any table or log that `audit` reads, in the vocabulary of the belief.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::applier::Applier;
use crate::audit::folder::MadeStudy;
use crate::audit::table::CellTable;
use crate::audit::{self, Audited, Labelled};
use crate::error::Error;
use crate::input::config::{ItemsConfig, JudgeConfig, StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::judge::JudgeFile;
use crate::input::label_store::LabelStore;
use crate::input::labels::Labels;
use crate::input::source::Source;
use judge_uncertainty_formats::batches::source::WholeRows;
use judge_uncertainty_formats::batches::{Bad, Batch, BatchReader, Header};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::error::{Error as DataError, Place};
use judge_uncertainty_formats::judge::JudgeAnswers;
use judge_uncertainty_formats::table::DataTable;

/// Further items that were read as `audit` reads a table or a log.
#[derive(Debug)]
pub struct AuditedItems {
    /// How they were read.
    pub audited: Audited,
    /// The columns of the items, without the answers.
    items: WholeRows,
    /// How many of them were handed over.
    next: usize,
    answered: Answered,
    /// Rows that can't be used.
    bad: Vec<Bad>,
    /// SHA-256 of all that was read.
    sum: String,
}

/// What judge and people say of some items.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The judge's answers.
    pub judge: JudgeAnswers,
    /// The labels of people.
    pub labels: Labels,
}

impl Applier {
    /// Reads a table, or the files of a log, as `audit` reads it, but with the scale of the belief, and with the columns as
    /// its study had them unless the user names others.
    ///
    /// # Errors
    /// A file that can't be read; no answers of a judge; several criteria without that of the belief; answers
    /// under variants that the belief does not know.
    pub fn audited(&self, paths: &[PathBuf]) -> Result<AuditedItems, Error> {
        let name = paths.first().map_or(Path::new(""), PathBuf::as_path);
        self.answered(name, audit::read(paths, &self.corrections, (&Labelled::Unknown, Some(&self.file.settings)))?)
    }

    /// Rows that a program hands over, read as [`Self::audited`] reads a file.
    ///
    /// # Errors
    /// As there.
    pub fn audited_rows(&self, cells: CellTable) -> Result<AuditedItems, Error> {
        let name = Path::new("");
        let known = (&Labelled::Unknown, Some(&self.file.settings));
        self.answered(name, audit::from_cells(cells, name, &self.corrections, known)?)
    }

    /// The study of several that is about the criterion of the belief.
    fn criterion(&self, name: &Path, mut inputs: Vec<MadeStudy>) -> Result<MadeStudy, DataError> {
        let own = self.file.settings.criterion.as_ref().map(|criterion| criterion.name.as_str());
        let is_other =
            |input: &MadeStudy| own.is_some() && input.criterion.is_some() && input.criterion.as_deref() != own;
        if inputs.len() == 1 && !is_other(&inputs[0]) {
            return Ok(inputs.remove(0));
        }
        let found: Vec<String> = inputs.iter().filter_map(|input| input.criterion.clone()).collect();
        inputs.into_iter().find(|input| own.is_some() && input.criterion.as_deref() == own).ok_or_else(|| {
            let own = own.unwrap_or("no criterion");
            let reason = format!("it is about {}, and the belief about {own}", found.join(", "));
            DataError::unfit(Place::file(name), reason, "apply the belief of a study of that")
        })
    }

    fn answered(&self, name: &Path, inputs: Vec<MadeStudy>) -> Result<AuditedItems, Error> {
        let mut study = self.criterion(name, inputs)?;
        let (lines, bad) = (std::mem::take(&mut study.lines), std::mem::take(&mut study.bad));
        if let Some(first) = bad.first().filter(|_| lines.is_empty()) {
            return Err(first.refusal(name).into());
        }
        let (mut audited, staged) = study.staged(&[]);
        let text = staged.text("study.toml").unwrap_or_default();
        let config = StudyConfig::from_toml(text).map_err(|error| {
            DataError::unfit(
                Place::file(name),
                format!("it makes no study: {error}"),
                "correct its columns with --columns",
            )
        })?;
        if self.file.settings.stated_confidence().is_some()
            && matches!(&config.judge, JudgeConfig::Classes(judge) if judge.confidence.is_none())
        {
            let note = "No column has the judge's confidence, to which the belief was fitted: judge it as before, or name the \
                        column with --columns confidence=COLUMN.";
            audited.notices.insert(0, note.to_owned());
        }
        // Only ids, answers and labels are read by it; features, groups and texts are read as the belief has them.
        let config = StudyConfig {
            items: ItemsConfig::default(),
            judge: self.of_judge(config.judge.clone()),
            made_from: None,
            ..config
        };
        let labels_file = config.labels.is_some() && staged.text("labels.csv").is_some();
        let config = StudyConfig { labels: config.labels.filter(|_| labels_file), ..config };
        let file = StudyFile::checked(&name.join("study.toml"), text, config)?;
        let held = ["items.csv", "judge.csv", "labels.csv"]
            .map(|part| Some((file.resolve(Path::new(part)), staged.text(part)?)));
        let mut sum = Sha256::new();
        held.iter().flatten().for_each(|(_, text)| sum.update(text));
        let mut source =
            Source::holding(held.into_iter().flatten().map(|(path, text)| (path, text.as_bytes().to_vec())));
        let path = file.resolve(Path::new("items.csv"));
        let table = DataTable::parse(name, &source.read(&path)?, "id")?;
        let of_items = Items { ids: table.ids()?, file: path, ..Items::default() };
        let judge = JudgeFile::read(&file, &of_items, &mut source)?;
        let labels = Labels::read(&file, &of_items, &LabelStore::default(), &mut source)?;
        let places = self.places(name, &judge.variants)?;
        let all: Vec<usize> = (0..of_items.ids.len()).collect();
        let answered = Answered { judge: judge.answers.select(&all, &places), labels };
        let id = table.column("id")?;
        let items = WholeRows::new(table.renamed(id, &self.file.columns.id).at_lines(lines), 0);
        Ok(AuditedItems { audited, items, next: 0, answered, bad, sum: sha256_hex(&sum.finalize()) })
    }

    /// How answers are read: confidence on the belief's scale, and not at all if its study had none.
    fn of_judge(&self, judge: JudgeConfig) -> JudgeConfig {
        match (judge, &self.file.settings.judge) {
            (JudgeConfig::Classes(mut judge), JudgeConfig::Classes(own)) => {
                judge.confidence = judge.confidence.filter(|_| own.confidence.is_some());
                judge.confidence_range = own.confidence_range;
                JudgeConfig::Classes(judge)
            }
            (judge, _) => judge,
        }
    }

    /// For each of the belief's variants the position of the one that was found; the only one of a table stands for the
    /// only one of the belief, whatever they are called.
    ///
    /// # Errors
    /// A variant that the belief does not know.
    fn places(&self, name: &Path, found: &[String]) -> Result<Vec<Option<usize>>, DataError> {
        let own = &self.file.variants;
        if own.len() <= 1 && found.len() <= 1 {
            return Ok(vec![Some(0)]);
        }
        match found.iter().find(|variant| !own.contains(variant)) {
            None => Ok(own.iter().map(|variant| found.iter().position(|other| other == variant)).collect()),
            Some(other) => {
                let own = if own.is_empty() { "one for each item".to_owned() } else { own.join(", ") };
                let reason = format!("it has answers of the judge under {other:?}, and the belief was fitted to {own}");
                let remedy = "name the columns that it was fitted to: --columns verdict=COLUMN";
                Err(DataError::unfit(Place::file(name), reason, remedy))
            }
        }
    }
}

impl Answered {
    /// What is said of the items at these positions.
    pub(super) fn select(&self, items: &[usize]) -> Self {
        Self { judge: self.judge.select(items, &self.judge.all()), labels: self.labels.select(items) }
    }
}

impl AuditedItems {
    /// The columns of the items, without the answers.
    pub fn header(&self) -> &Header {
        self.items.header()
    }

    /// SHA-256 of all that was read.
    pub(super) fn sum(&self) -> &str {
        &self.sum
    }

    /// At most so many further items, with the columns that are `wanted`; with the first, the rows that can't be used.
    /// `None` at the end.
    ///
    /// # Errors
    /// As the reader of rows.
    pub fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<(Batch, Answered)>, DataError> {
        let batch = self.items.next(wanted, most)?;
        let mut batch = batch.unwrap_or_else(|| Batch::new(&self.header().file, vec![]));
        batch.broken = std::mem::take(&mut self.bad);
        let rows: Vec<usize> = (self.next..self.next + batch.len()).collect();
        self.next += batch.len();
        let answered = self.answered.select(&rows);
        Ok(batch.if_any().map(|batch| (batch, answered)))
    }
}
