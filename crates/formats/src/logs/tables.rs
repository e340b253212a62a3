//! Logs as tables of items, of the judge's answers and of human labels.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use super::LogFormat;
use super::record::{Log, LogFile, LogRecord, LoggedAnswer};
use super::tokens::{class_starts, label_of};
use crate::error::{Error, Place, Problem, Result, excerpt};
use crate::items::names as names_of;
use crate::spelling::{class_of, number};
use crate::table::{DataTable, Rows, check_absent};
use judge_uncertainty_system::limits::RECORDS;

/// Logs of one format that are read as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Logs {
    files: Vec<PathBuf>,
    logs: Vec<Log>,
    /// Whether ids hold the criterion: where the logs have several, an answer to one is never one to another.
    several: bool,
}

/// Which rows of logs a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogRows<'c> {
    /// One per item: `id`, `item`, `criterion`, `rubric` (what the criterion asks), the fields.
    Items,
    /// One per answer of the judge: `id`, `variant`, `swapped` (`1` or `0`, of pairs), `said` (what it wrote in addition
    /// to its answer), `label`, `mean` (a label that is a number), and `p_CLASS` for the classes, the fields.
    Judge(&'c [String]),
    /// One per human label: `id`, `annotator`, `label`, `score` (the same), the fields.
    Labels,
}

impl Logs {
    /// Reads files as one log.
    ///
    /// # Errors
    /// As the reader of the format.
    pub fn read<'f>(format: &LogFormat, files: impl Iterator<Item = (PathBuf, &'f [u8])>) -> Result<Self> {
        let mut all = Self { files: vec![], logs: vec![], several: false };
        let mut size = 0;
        for (file, bytes) in files {
            all.logs.push(format.read(&file, bytes)?);
            all.files.push(file);
            size += bytes.len() as u64;
        }
        all = all.complete();
        // Answers may have got the fields of other records.
        let held = all.records().map(LogRecord::bytes).sum();
        RECORDS.for_file(size).check(held).map_err(Error::too_much(Place::file(&all.files[0])))?;
        Ok(all)
    }

    /// What a table in a file says, as a log.
    pub fn from_log(file: PathBuf, log: Log) -> Self {
        Self { files: vec![file], logs: vec![log], several: false }.complete()
    }

    /// With the fields of a record without an answer in the answers about the same item, which may be in another file.
    fn complete(mut self) -> Self {
        self.several = self.criteria().len() > 1;
        if self.criteria().is_empty() {
            return self;
        }
        let mut told = HashMap::new();
        for log in &mut self.logs {
            let (answers, others): (Vec<LogRecord>, Vec<LogRecord>) = std::mem::take(&mut log.records)
                .into_iter()
                .partition(|r| r.criterion.is_some() || r.prediction.is_some() || !r.labels.is_empty());
            log.records = answers;
            told.extend(others.into_iter().map(|record| ((record.item, record.part), record.fields)));
        }
        for record in self.logs.iter_mut().flat_map(|log| &mut log.records).filter(|record| record.fields.is_empty()) {
            let fields = told.get(&(record.item.clone(), record.part.clone()));
            record.fields = fields.cloned().unwrap_or_default();
        }
        self
    }

    /// What the logs say of themselves, by file.
    pub fn provenance(&self) -> impl Iterator<Item = (&PathBuf, &LogFile)> {
        self.files.iter().zip(self.logs.iter().map(|log| &log.provenance))
    }

    /// Everything the logs say.
    pub fn records(&self) -> impl Iterator<Item = &LogRecord> {
        self.logs.iter().flat_map(|log| &log.records)
    }

    /// The records under one criterion, or under none, with the same ids.
    pub fn under(&self, criterion: &str) -> Self {
        let of_one = |log: &Log| {
            let own =
                log.records.iter().filter(|record| record.criterion.as_deref().is_none_or(|name| name == criterion));
            let named = |record: &LogRecord| LogRecord { criterion: Some(criterion.to_owned()), ..record.clone() };
            Log { records: own.map(named).collect(), provenance: log.provenance.clone() }
        };
        Self { files: self.files.clone(), logs: self.logs.iter().map(of_one).collect(), several: self.several }
    }

    /// Keeps the records of one criterion and leaves ids unchanged.
    ///
    /// # Errors
    /// The logs have no such criterion.
    pub fn only(&mut self, criterion: &str) -> Result<()> {
        let found: Vec<String> = self.criteria().into_iter().map(str::to_owned).collect();
        if !found.iter().any(|name| name == criterion) {
            let problem = Problem::NotOneOf { value: criterion.to_owned(), allowed: found };
            return Err(Error::refused(Place::file(&self.files[0]), problem));
        }
        *self = self.under(criterion);
        Ok(())
    }

    /// The criteria; items are judged under each on its own where there are several.
    pub fn criteria(&self) -> BTreeSet<&str> {
        self.records().filter_map(|record| record.criterion.as_deref()).collect()
    }

    /// The names of the variants.
    pub fn variants(&self) -> BTreeSet<&str> {
        let answers = self.records().filter(|record| record.prediction.is_some());
        answers.filter_map(|record| record.variant.as_deref()).collect()
    }

    /// What fields of this kind say, such as reference answers; `is` knows them by the last part of their names.
    pub fn told(&self, is: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let fields = self.records().flat_map(|record| record.fields.iter());
        let own = fields.filter(|(name, value)| !value.is_empty() && is(name.rsplit('.').next().unwrap_or(name)));
        own.map(|(_, value)| label_of(value)).collect()
    }

    /// The labels that the judge gave, with their numbers; of texts with log-probabilities, those of the text.
    pub fn labels_given(&self) -> BTreeMap<String, usize> {
        let mut given = BTreeMap::new();
        for record in self.records() {
            let mut note = |label: String| *given.entry(label).or_default() += 1;
            match &record.prediction {
                Some(LoggedAnswer::Label(label)) => note(label_of(label)),
                Some(LoggedAnswer::Tokens(answer)) => note(label_of(&answer.text)),
                Some(LoggedAnswer::Shares(shares)) => shares.iter().for_each(|(label, _)| note(label.clone())),
                Some(LoggedAnswer::Failed) | None => {}
            }
        }
        given
    }

    /// The logs as a table; ids are those of the log, or the field `id` of each record.
    ///
    /// Where a log has several outputs of an item, or several criteria, ids are `ITEM/PART` and `ITEM/CRITERION`.
    ///
    /// # Errors
    /// A field that a record lacks; for items, a field on which two records of an item disagree; answers of which not
    /// one is a class.
    pub fn table(&self, rows: LogRows<'_>, id: Option<&str>) -> Result<DataTable> {
        // In the order of their first appearance.
        let mut known = HashSet::new();
        let names = self.records().flat_map(|record| record.fields.iter().map(|(name, _)| name));
        let names: Vec<String> = names.filter(|name| known.insert(*name)).cloned().collect();
        let lacking = |record: &LogRecord| names.len().saturating_sub(record.fields.len()) as u64;
        let cells = self.records().map(lacking).sum();
        let text = self.records().flat_map(|record| record.fields.iter()).map(|(_, value)| value.len() as u64).sum();
        check_absent(&self.files[0], cells, text)?;
        let classes = if let LogRows::Judge(classes) = rows { classes } else { &[] };
        let answers = self.records().filter_map(|record| match &record.prediction {
            Some(LoggedAnswer::Tokens(answer)) => Some(answer),
            _ => None,
        });
        let starts = class_starts(answers, classes);
        let starts = starts.map_err(|problem| Error::refused(Place::file(&self.files[0]), problem))?;
        let variants = self.variants();
        let unnamed = variants.first().filter(|_| variants.len() == 1).map_or("judge", |only| only).to_owned();
        let mut table = Building {
            several: self.several,
            id,
            names: &names,
            starts,
            unnamed,
            rows: Rows::default(),
            items: HashMap::new(),
        };
        for (file, log) in self.logs.iter().enumerate() {
            for record in &log.records {
                match rows {
                    LogRows::Items => table.item(file, record)?,
                    LogRows::Judge(_) => table.answer(file, record, classes)?,
                    LogRows::Labels => table.labels(file, record)?,
                }
            }
        }
        self.refuse_other_labels(classes)?;
        let mut header: Vec<String> = match rows {
            LogRows::Items => names_of(&["id", "item", "criterion", "rubric"]),
            LogRows::Judge(_) => names_of(&["id", "variant", "swapped", "said", "label", "mean"]),
            LogRows::Labels => names_of(&["id", "annotator", "label", "score"]),
        };
        header.extend(classes.iter().map(|class| format!("p_{class}")));
        let own: HashSet<String> = header.iter().cloned().collect();
        header.extend(names.iter().map(|name| if own.contains(name) { format!("field_{name}") } else { name.clone() }));
        DataTable::new(self.files.clone(), None, header, table.rows).with_ids("id")
    }

    /// Refuses answers of which not one is a class: the labels belong to another scale, and the judge has not failed.
    fn refuse_other_labels(&self, classes: &[String]) -> Result<()> {
        let given = self.labels_given();
        if classes.is_empty() || given.is_empty() || given.keys().any(|label| class_of(label, classes).is_some()) {
            return Ok(());
        }
        let shown: Vec<String> = given.keys().take(5).map(|label| format!("{:?}", excerpt(label))).collect();
        let reason = format!("no answer of the judge is one of {}; there are {}", classes.join(", "), shown.join(", "));
        Err(Error::unfit(Place::file(&self.files[0]), reason, "name the classes as the judge writes them"))
    }
}

/// Rows on their way to a table.
struct Building<'l> {
    several: bool,
    id: Option<&'l str>,
    names: &'l [String],
    /// The tokens with which classes begin.
    starts: BTreeMap<String, usize>,
    /// The variant of answers that name none, such as failed ones: the only one there is.
    unnamed: String,
    rows: Rows,
    /// The first record of each item.
    items: HashMap<String, &'l LogRecord>,
}

impl<'l> Building<'l> {
    /// The item with its part, under whatever criterion; and its id, which names the criterion where there are several.
    fn ids(&self, record: &LogRecord) -> Result<[String; 2]> {
        let mut item = match self.id {
            None => record.item.clone(),
            Some(name) => {
                let found = record.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone());
                found.filter(|value| !value.is_empty()).ok_or_else(|| {
                    let (name, found) = (name.to_owned(), self.names.to_vec());
                    let problem = Problem::MissingColumn { expected: vec![name.clone()], name, found };
                    Error::refused(record.place.clone(), problem)
                })?
            }
        };
        item.extend(record.part.iter().flat_map(|part| ["/", part]));
        let mut id = item.clone();
        id.extend(record.criterion.iter().filter(|_| self.several).flat_map(|criterion| ["/", criterion]));
        Ok([item, id])
    }

    fn push(&mut self, file: usize, record: &LogRecord, own: &[&str]) {
        let values = values(record);
        let value = |name: &String| values.get(name.as_str()).copied().unwrap_or_default();
        let cells = own.iter().copied().chain(self.names.iter().map(value));
        self.rows.push(file, record.place.line.unwrap_or(1), cells);
    }

    fn item(&mut self, file: usize, record: &'l LogRecord) -> Result<()> {
        let [item, id] = self.ids(record)?;
        if let Some(first) = self.items.get(&id) {
            return agree(&id, first, record);
        }
        let [criterion, rubric] = [&record.criterion, &record.rubric].map(|text| text.as_deref().unwrap_or_default());
        self.push(file, record, &[&id, &item, criterion, rubric]);
        self.items.insert(id, record);
        Ok(())
    }

    fn answer(&mut self, file: usize, record: &LogRecord, classes: &[String]) -> Result<()> {
        let Some(prediction) = &record.prediction else { return Ok(()) };
        let [_, id] = self.ids(record)?;
        // Without classes labels are taken as they are.
        let labelled = |text: &str| {
            let label = label_of(text);
            if classes.is_empty() {
                return label;
            }
            class_of(&label, classes).map(|class| classes[class].clone()).unwrap_or_default()
        };
        let most = |shares: &[f64]| {
            let top = shares.iter().copied().fold(0.0, f64::max);
            let mut at = (0..shares.len()).filter(|&k| shares[k] == top);
            at.next().filter(|_| at.next().is_none()).map(|k| classes[k].clone()).unwrap_or_default()
        };
        let (label, shares, reply) = match prediction {
            LoggedAnswer::Failed => (String::new(), None, ""),
            LoggedAnswer::Label(text) => (labelled(text), None, text.trim()),
            LoggedAnswer::Tokens(answer) => {
                (labelled(&answer.text), answer.shares(&self.starts, classes), answer.text.trim())
            }
            LoggedAnswer::Shares(found) => {
                let mut shares = vec![0.0; classes.len()];
                for (name, share) in found {
                    if let Some(class) = class_of(name, classes) {
                        shares[class] += share;
                    }
                }
                let some = shares.iter().sum::<f64>() > 0.0;
                (most(&shares), some.then_some(shares), "")
            }
        };
        let mean =
            number(&label).map(|mean| if label.parse::<f64>().is_ok() { label.clone() } else { mean.to_string() });
        let shares: Vec<String> = match shares {
            Some(shares) => shares.iter().map(f64::to_string).collect(),
            None => vec![String::new(); classes.len()],
        };
        let variant = record.variant.clone().unwrap_or_else(|| self.unnamed.clone());
        let mean = mean.unwrap_or_default();
        let swapped = record.swapped.map_or(String::new(), |swapped| u8::from(swapped).to_string());
        let said = record.said.as_deref().unwrap_or(reply).trim();
        // A reply that is the label says nothing more.
        let said = if label_of(said) == label { String::new() } else { said.to_owned() };
        let own = [&id, &variant, &swapped, &said, &label, &mean];
        let own: Vec<&str> = own.into_iter().chain(&shares).map(String::as_str).collect();
        self.push(file, record, &own);
        Ok(())
    }

    fn labels(&mut self, file: usize, record: &LogRecord) -> Result<()> {
        for label in &record.labels {
            let [_, id] = self.ids(record)?;
            self.push(file, record, &[&id, &label.annotator, &label.value, &label.value]);
        }
        Ok(())
    }
}

/// What the fields of a record say, by name; of several with one name the first.
fn values(record: &LogRecord) -> HashMap<&str, &str> {
    record.fields.iter().rev().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

/// Refuses an item if a second record of it has another value of a field.
fn agree(id: &str, first: &LogRecord, record: &LogRecord) -> Result<()> {
    let known = values(first);
    for (name, value) in record.fields.iter() {
        let Some(&other) = known.get(name.as_str()) else { continue };
        if other != value {
            let [value, other] = [value, other].map(excerpt);
            let reason = format!("this is {value:?}, but {} says {other:?} of the same item", first.place);
            let remedy = "give logs of the same items, or name the field that tells them apart as their id";
            return Err(Error::unfit(record.place.clone().of_item(id).in_field(name), reason, remedy));
        }
    }
    Ok(())
}
