//! The human labels of a study: those of the user's own files and those that were added.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use ndarray::{Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::config::{FileFormat, Files, StudyFile, Unmatched};
use super::items::{ItemRows, Items};
use super::label_store::{LabelBatch, LabelStore, NewLabel};
use super::question::Remark;
use super::scale::Scale;
use super::source::{Source, read_joined, read_table};
use crate::intake::Known;
use judge_uncertainty_core::stats::estimator::LEAST_ANNOTATORS;
use judge_uncertainty_formats::error::{Error, Place, Problem, Result, excerpt};
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};

/// An item has no more labels than this: fits take time by the label, and sums stay far from the end of their range.
pub const MOST_LABELS: f64 = 1e6;

/// Where the labels of a study stand: the files of its table `[labels]` and their columns.
#[derive(Debug, Clone, Copy)]
pub struct LabelColumns<'a> {
    /// The files.
    pub files: &'a Files,
    /// Their layout, if it is declared.
    pub format: Option<FileFormat>,
    /// Column with the ids, if it is named.
    pub id: Option<&'a str>,
    /// Column with the annotator, where a row is a label.
    pub annotator: &'a str,
    /// Column with the class or the score, where a row is a label.
    pub label: &'a str,
    /// Whether a row is an item with a count for each class.
    pub is_counted: bool,
    /// How the columns of counts are called, with `{class}` for the class.
    pub counts: Option<&'a str>,
}

/// One label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    /// Position of the item.
    pub item: usize,
    /// Position of the annotator in [`Labels::annotators`].
    pub annotator: usize,
    /// What it says: the position of a class, or a score.
    pub value: f64,
    /// Position in [`Labels::batches`] of an added label; `None` for those of the user's file.
    pub batch: Option<usize>,
    /// Line of the file or log, from 1.
    pub line: u64,
}

/// An answer of the log other than a label: the reason why an annotator skipped an item, or a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remarked {
    /// Position of the item.
    pub item: usize,
    /// Who.
    pub annotator: String,
    /// Position in [`Labels::batches`].
    pub batch: usize,
    /// What it is.
    pub remark: Remark,
    /// Its words.
    pub words: String,
}

/// The labels of all items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels {
    /// The labels one by one, those of the user's file first; none of the file's where it has counts only.
    pub rows: Vec<Label>,
    /// Who gave them, in the order of first appearance.
    pub annotators: Vec<String>,
    /// What was added together, in order.
    pub batches: Vec<LabelBatch>,
    /// Counts of all labels, items x classes; scores have no classes, so no columns.
    pub counts: Array2<u32>,
    rows_of_file: usize,
    has_counts_only: bool,
    blank: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
    /// Added labels that were there already, and count once.
    pub repeated: usize,
    /// What annotators skipped, which are missing answers, and their comments.
    pub remarks: Vec<Remarked>,
}

/// What was found in the file of labels. Which fields there are depends on what labels are, classes or scores.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LabelsReport {
    /// Rows of the file; `None` for scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// Labels, added ones included; `None` for scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<u64>,
    /// Ratings, added ones included; `None` for classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<u64>,
    /// Added labels.
    pub added: usize,
    /// Ratings beyond the first of an annotator for an item; `None` for classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
    /// Items with at least one label.
    pub labelled_items: usize,
    /// Most labels of an item; of scores, most annotators.
    pub most_labels: u32,
    /// Annotators; `None` where the file has counts only.
    pub annotators: Option<usize>,
    /// Blank labels (or rows of blank counts): missing, no label.
    pub blank: usize,
    /// Answers with which annotators skipped an item: missing, no label.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: usize,
    /// Why, with how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skip_reasons: BTreeMap<String, usize>,
    /// Comments of annotators.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub comments: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
    /// Items whose most frequent label is not unique; `None` for scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tied_items: Option<usize>,
    /// Labels per class; none for scores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_class: Vec<u64>,
}

pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl LabelsReport {
    /// Labels or ratings in all.
    pub fn number(&self) -> u64 {
        self.labels.or(self.ratings).unwrap_or_default()
    }
}

impl Labels {
    /// Reads the labels of the user's files and joins those of the log.
    ///
    /// # Errors
    /// A file that can't be read, an unknown id (unless they are left out), an unknown class, a count or score that is
    /// none, a second row of an item's counts, a second class by an annotator for an item.
    pub fn read(file: &StudyFile, items: &Items, log: &LabelStore, source: &mut Source) -> Result<Self> {
        let scale = &file.config.scale;
        let labels = Self { counts: Array2::zeros((items.len(), scale.classes().len())), ..Self::default() };
        let unmatched = file.config.unmatched;
        let mut rows = ItemRows::about(items, unmatched);
        let mut reader = LabelReader { scale, labels, positions: HashMap::new() };
        if let Some(columns) = file.config.tables().1 {
            let paths = file.resolve_all(columns.files);
            let multilabel = &file.config.items.multilabel;
            let table = match columns.format {
                Some(FileFormat::LeWiDi) => {
                    read_joined(&paths, |path| lewidi::read_labels(path, &source.read(path)?, multilabel))?
                }
                _ => read_table(&paths, columns.format, columns.id, LogRows::Labels, source)?,
            };
            reader.labels.rows_of_file = table.rows().len();
            reader.labels.has_counts_only = columns.is_counted;
            match columns.is_counted {
                true => reader.counted(&table, &columns, &mut rows)?,
                false => reader.listed(&table, &columns, &mut rows)?,
            }
            reader.labels.unknown_rows = rows.unknown;
        }
        if !log.batches.is_empty() {
            let known = reader.labels.known(file);
            reader.added(log, (items, unmatched), known)?;
        }
        reader.labels.rows.shrink_to_fit();
        Ok(reader.labels)
    }

    /// Reads a table in which every row is an item: a count for each class, blank for none, or a list of scores, as
    /// [`scores_in`] has it. No `columns`, no labels.
    ///
    /// # Errors
    /// A column that the table lacks; faults of single rows are noted there.
    pub(crate) fn read_rows(
        scale: &Scale,
        (table, columns): (&DataTable, &[String]),
        rows: &mut ItemRows<'_>,
    ) -> Result<Self> {
        let labels = Self { counts: Array2::zeros((rows.items(), scale.classes().len())), ..Self::default() };
        let mut reader = LabelReader { scale, labels, positions: HashMap::new() };
        let columns: Vec<ColumnIndex> = columns.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
        match (scale, columns.first()) {
            (_, None) => {}
            (Scale::Classes(_) | Scale::Places(_), _) => {
                let columns: Vec<Option<ColumnIndex>> = columns.into_iter().map(Some).collect();
                rows.read(table, |row, item| reader.counts(row, item, (&columns, true)))?;
            }
            (Scale::Scores(low, high), Some(&column)) => rows.read(table, |row, item| {
                let scores = scores_in(row.cell(column)).map_err(|problem| row.refuse(column, problem))?;
                for (annotator, own) in scores.into_iter().enumerate() {
                    for score in own {
                        let value = within(score, (*low, *high)).map_err(|problem| row.refuse(column, problem))?;
                        reader.add(Label { item, annotator, value, batch: None, line: row.line() });
                    }
                }
                Ok(())
            })?,
        }
        Ok(reader.labels)
    }

    /// The labels of the items at the positions `kept`, which ascend.
    pub(crate) fn select(&self, kept: &[usize]) -> Self {
        let of_kept = |label: &Label| Some(Label { item: kept.binary_search(&label.item).ok()?, ..*label });
        Self {
            rows: self.rows.iter().filter_map(of_kept).collect(),
            annotators: self.annotators.clone(),
            counts: self.counts.select(Axis(0), kept),
            ..Self::default()
        }
    }

    /// The labels that came from the log.
    pub fn added(&self) -> impl Iterator<Item = &Label> {
        self.rows.iter().filter(|label| label.batch.is_some())
    }

    /// The labels without those of the log.
    pub fn without_added(&self) -> Self {
        self.without_batches_from(0)
    }

    /// The labels without those of the log's batches from this position on.
    pub(crate) fn without_batches_from(&self, first: usize) -> Self {
        let is_kept = |batch: Option<usize>| batch.is_none_or(|batch| batch < first);
        Self {
            batches: self.batches.iter().take(first).cloned().collect(),
            remarks: self.remarks.iter().filter(|remark| is_kept(Some(remark.batch))).cloned().collect(),
            ..self.without(|label| !is_kept(label.batch))
        }
    }

    /// The labels without some of the log.
    pub(crate) fn without(&self, is_out: impl Fn(&Label) -> bool) -> Self {
        let (out, rows): (Vec<Label>, Vec<Label>) = self.rows.iter().copied().partition(is_out);
        Self { rows, counts: &self.counts - &self.counts_of(&out), ..self.clone() }
    }

    /// The labels of the annotators who labelled all of so many items, or else of the one who labelled most, where these are
    /// nine tenths or more; and those of the items without one of these.
    pub(crate) fn of_main_annotators(&self, items: usize) -> Option<Self> {
        let mut given = vec![BTreeSet::new(); self.annotators.len()];
        for label in &self.rows {
            given[label.annotator].insert(label.item);
        }
        let (first, own) = given.iter().enumerate().max_by_key(|(k, own)| (own.len(), Reverse(*k)))?;
        let is_main = |annotator: usize| annotator == first || given[annotator].len() == items;
        (10 * own.len() >= 9 * items)
            .then(|| self.without(|label| !is_main(label.annotator) && own.contains(&label.item)))
    }

    /// Counts of some of the labels, items x classes.
    pub(crate) fn counts_of(&self, labels: &[Label]) -> Array2<u32> {
        let mut counts = Array2::zeros(self.counts.dim());
        for label in labels.iter().filter(|_| self.counts.ncols() > 0) {
            counts[[label.item, label.value as usize]] += 1;
        }
        counts
    }

    /// Scores by item and annotator, in the order in which they were given.
    pub fn scores(&self) -> Vec<Vec<Vec<f64>>> {
        let mut scores = vec![vec![]; self.counts.nrows()];
        self.by_annotator(|item, own| scores[item].push(own));
        scores
    }

    /// Takes each item with the scores of each annotator (of classes their positions), one after another, in the order
    /// in which they were given.
    pub(crate) fn by_annotator(&self, mut take: impl FnMut(usize, Vec<f64>)) {
        let mut all: Vec<_> = self.rows.iter().map(|label| (label.item, label.annotator, label.value)).collect();
        all.sort_by_key(|(item, annotator, _)| (*item, *annotator));
        all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .for_each(|own| take(own[0].0, own.iter().map(|(.., score)| *score).collect()));
    }

    /// The labels of each item as numbers, which are equal for equal labels in whatever order: counts of the classes,
    /// or the scores.
    pub fn as_numbers(&self) -> Vec<Vec<f64>> {
        if self.counts.ncols() > 0 {
            return self.counts.rows().into_iter().map(|row| row.iter().map(|&n| f64::from(n)).collect()).collect();
        }
        let mut numbers: Vec<Vec<f64>> = self.scores().iter().map(|scores| scores.concat()).collect();
        numbers.iter_mut().for_each(|of_item| of_item.sort_by(f64::total_cmp));
        numbers
    }

    /// Number of labels of each item; the scores of an annotator for an item count as one.
    pub fn numbers(&self) -> Vec<u32> {
        match self.counts.ncols() {
            0 => {
                let mut numbers = vec![0; self.counts.nrows()];
                self.by_annotator(|item, _| numbers[item] += 1);
                numbers
            }
            _ => self.counts.rows().into_iter().map(|row| row.iter().sum()).collect(),
        }
    }

    /// Whether every label is known one by one, with its annotator.
    pub fn are_listed(&self) -> bool {
        self.counts.ncols() == 0 || self.counts.iter().map(|&count| count as usize).sum::<usize>() == self.rows.len()
    }

    /// Whether fewer annotators gave the labels than tell how annotators differ.
    pub(crate) fn few_annotators(&self) -> bool {
        let known: BTreeSet<usize> = self.rows.iter().map(|label| label.annotator).collect();
        self.are_listed() && known.len() < LEAST_ANNOTATORS
    }

    /// How many annotators labelled an item that somebody else labelled, too; `None` where the labels do not say who
    /// gave them.
    pub(crate) fn overlapping_annotators(&self) -> Option<usize> {
        let mut by_item: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for label in &self.rows {
            by_item.entry(label.item).or_default().insert(label.annotator);
        }
        let shared = by_item.into_values().filter(|of_item| of_item.len() > 1).flatten();
        self.are_listed().then(|| shared.collect::<BTreeSet<usize>>().len())
    }

    /// The labels of the user's file that name their annotator, by item and annotator, with their places.
    pub fn known(&self, file: &StudyFile) -> Known {
        let mut known = Known::default();
        let only = file.config.tables().1.and_then(|labels| labels.files.only()).map(|only| file.resolve(only));
        for label in self.rows.iter().filter(|label| label.batch.is_none()) {
            let (annotator, value) = (self.annotators[label.annotator].clone(), file.config.scale.written(label.value));
            let place = only.as_ref().map_or_else(Place::default, |file| Place::file(file).at_line(label.line));
            let (id, given) = (String::new(), String::new());
            known.add(label.item, NewLabel { id, annotator, value, given, place });
        }
        known
    }

    /// What was found in the file of labels.
    pub fn report(&self) -> LabelsReport {
        let numbers = self.numbers();
        let all: usize = numbers.iter().map(|&n| n as usize).sum();
        let of_classes = self.counts.ncols() > 0;
        let remarks = |kind| self.remarks.iter().filter(move |one| one.remark == kind);
        let mut skip_reasons = BTreeMap::new();
        remarks(Remark::Skip).for_each(|skip| *skip_reasons.entry(skip.words.clone()).or_default() += 1);
        let is_tied = |row: &ArrayView1<u32>| row.sum() > 0 && has_tie(row.iter().copied());
        LabelsReport {
            rows: of_classes.then_some(self.rows_of_file),
            labels: of_classes.then_some(all as u64),
            ratings: (!of_classes).then_some(self.rows.len() as u64),
            added: self.added().count(),
            repeats: (!of_classes).then(|| self.rows.len() - all),
            labelled_items: numbers.iter().filter(|n| **n > 0).count(),
            most_labels: numbers.iter().copied().max().unwrap_or(0),
            annotators: (!self.has_counts_only).then_some(self.annotators.len()),
            blank: self.blank,
            skipped: remarks(Remark::Skip).count(),
            skip_reasons,
            comments: remarks(Remark::Comment).count(),
            unknown_rows: self.unknown_rows,
            tied_items: of_classes.then(|| self.counts.rows().into_iter().filter(is_tied).count()),
            per_class: self
                .counts
                .columns()
                .into_iter()
                .map(|column| column.iter().map(|&n| u64::from(n)).sum())
                .collect(),
        }
    }
}

/// What is wrong with the counts of an item that has more than [`MOST_LABELS`], and in which class, if its labels alone
/// are too many.
fn too_many(counts: impl Iterator<Item = u32> + Clone) -> Option<(Option<usize>, Problem)> {
    let mut numbers = counts.clone().map(f64::from).enumerate();
    if let Some((class, value)) = numbers.find(|(_, count)| *count > MOST_LABELS) {
        return Some((Some(class), Problem::OutOfRange { value, low: 0.0, high: MOST_LABELS }));
    }
    let all: f64 = counts.map(f64::from).sum();
    (all > MOST_LABELS).then(|| {
        let reason = format!("its counts are {all} labels in all, and an item may have {MOST_LABELS}");
        (None, Problem::Unfit { reason, remedy: "correct them; counts that are weights belong to a judge".to_owned() })
    })
}

/// Whether the largest value appears more than once.
pub fn has_tie<T: PartialOrd + Copy>(values: impl Iterator<Item = T> + Clone) -> bool {
    let largest = values.clone().reduce(|a, b| if b > a { b } else { a });
    largest.is_some_and(|largest| values.filter(|value| *value == largest).count() > 1)
}

/// A number between the ends of a scale in a cell; `None` if it is blank.
///
/// # Errors
/// No number, or one outside the scale.
pub fn score(row: &Row<'_>, column: ColumnIndex, ends: (f64, f64)) -> Result<Option<f64>> {
    let number = row.optional_number(column)?;
    number.map(|value| within(value, ends).map_err(|problem| row.refuse(column, problem))).transpose()
}

/// A number, if it is between two ends.
fn within(value: f64, (low, high): (f64, f64)) -> Result<f64, Problem> {
    if (low..=high).contains(&value) { Ok(value) } else { Err(Problem::OutOfRange { value, low, high }) }
}

/// The scores of an item in one cell by annotator, where a list within the list has several by one: `[7, [8, 8.5]]`. None for a
/// blank cell.
///
/// # Errors
/// Anything else.
fn scores_in(cell: &str) -> Result<Vec<Vec<f64>>, Problem> {
    let by_one = |own: &Value| -> Option<Vec<f64>> {
        let scores = own.as_array().map_or(std::slice::from_ref(own), Vec::as_slice);
        scores.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>().filter(|scores| !scores.is_empty())
    };
    let all = if cell.is_empty() { Some(vec![]) } else { serde_json::from_str::<Vec<Value>>(cell).ok() };
    all.and_then(|all| all.iter().map(by_one).collect()).ok_or_else(|| {
        let remedy =
            "write the ratings of an item as a list, and several of one annotator as a list in it: [7, [8, 8.5]]";
        Problem::unfit(format!("{} is not a list of ratings", excerpt(cell)), remedy)
    })
}

struct LabelReader<'a> {
    scale: &'a Scale,
    labels: Labels,
    /// Positions of the annotators by name.
    positions: HashMap<String, usize>,
}

impl LabelReader<'_> {
    fn annotator(&mut self, name: &str) -> usize {
        let next = self.positions.len();
        let annotator = *self.positions.entry(name.to_owned()).or_insert(next);
        if annotator == next {
            self.labels.annotators.push(name.to_owned());
        }
        annotator
    }

    fn add(&mut self, label: Label) {
        if !self.scale.is_numbers() {
            self.labels.counts[[label.item, label.value as usize]] += 1;
        }
        self.labels.rows.push(label);
    }

    /// Reads a table with a row per item and a count per class.
    fn counted(&mut self, table: &DataTable, columns: &LabelColumns<'_>, rows: &mut ItemRows<'_>) -> Result<()> {
        // ChaosNLI leaves classes out that nobody chose, and files of few items may so lack a column.
        let chaosnli = columns.format == Some(FileFormat::ChaosNli);
        let default = if chaosnli { "label_counter_{class}" } else { "n_{class}" };
        let pattern = columns.counts.unwrap_or(default);
        let classes = self.scale.classes();
        let columns: Vec<Option<ColumnIndex>> = classes
            .iter()
            .map(|class| match table.column(&pattern.replace("{class}", class)) {
                Err(_) if chaosnli => Ok(None),
                found => found.map(Some),
            })
            .collect::<Result<_>>()?;
        if chaosnli {
            refuse_other_classes(table, classes, &columns)?;
        }
        let mut lines = vec![0; rows.items()];
        rows.read(table, |row, item| {
            if lines[item] > 0 {
                let what = "a row of counts".to_owned();
                return Err(row.refuse_id(Problem::Repeated { what, first_line: lines[item] }));
            }
            lines[item] = row.line();
            self.counts(row, item, (&columns, chaosnli))
        })
    }

    /// Reads the counts of a row, where single ones may be blank only if that means 0.
    fn counts(
        &mut self,
        row: &Row<'_>,
        item: usize,
        (columns, may_be_blank): (&[Option<ColumnIndex>], bool),
    ) -> Result<()> {
        let blank = |column: &Option<ColumnIndex>| column.is_none_or(|column| row.cell(column).is_empty());
        if columns.iter().all(blank) {
            self.labels.blank += 1;
            return Ok(());
        }
        for (class, column) in columns.iter().enumerate() {
            self.labels.counts[[item, class]] = match column {
                Some(column) if !(may_be_blank && row.cell(*column).is_empty()) => row.count(*column)?,
                _ => 0,
            };
        }
        match too_many(self.labels.counts.row(item).iter().copied()) {
            None => Ok(()),
            Some((class, problem)) => Err(match class.and_then(|class| columns[class]) {
                Some(column) => row.refuse(column, problem),
                None => row.refuse_row(problem),
            }),
        }
    }

    /// Reads a table with a row per label.
    fn listed(&mut self, table: &DataTable, columns: &LabelColumns<'_>, rows: &mut ItemRows<'_>) -> Result<()> {
        // LeWiDi's files name their own columns, and may hold several labels in a cell.
        let lewidi = columns.format == Some(FileFormat::LeWiDi);
        let names = if lewidi { ["annotator", lewidi::LABEL] } else { [columns.annotator, columns.label] };
        let [annotator, label] = [table.column(names[0])?, table.column(names[1])?];
        let mut lines: HashMap<(usize, usize), u64> = HashMap::new();
        rows.read(table, |row, item| {
            let value = match self.scale {
                Scale::Classes(_) | Scale::Places(_) => {
                    let (value, classes) = (row.cell(label), self.scale.classes());
                    if lewidi && value.contains([',', '[']) && !classes.iter().any(|class| class == value) {
                        let reason = format!("{:?} is several labels", excerpt(value));
                        let remedy = "name all labels of the file under items.multilabel, which makes each of them a \
                                      question of its own";
                        return Err(row.refuse(label, Problem::unfit(reason, remedy)));
                    }
                    row.optional_word(label, classes)?.map(|class| class as f64)
                }
                Scale::Scores(low, high) => score(row, label, (*low, *high))?,
            };
            let Some(value) = value else {
                self.labels.blank += 1;
                return Ok(());
            };
            let name = row.text(annotator)?;
            let by = self.annotator(name);
            if !self.scale.allows_repeats()
                && let Some(first_line) = lines.insert((item, by), row.line())
            {
                let what = format!("a label by {name:?}");
                return Err(row.refuse_id(Problem::Repeated { what, first_line }));
            }
            self.add(Label { item, annotator: by, value, batch: None, line: row.line() });
            Ok(())
        })
    }

    /// Adds the labels of the log to those of the file, under the same rules.
    fn added(&mut self, log: &LabelStore, (items, unmatched): (&Items, Unmatched), mut known: Known) -> Result<()> {
        self.labels.batches.clone_from(&log.batches);
        for (batch, row) in &log.rows {
            let refuse = |problem| Error::refused(row.place.clone(), problem);
            let Some(item) = items.ids.position(&row.id) else {
                if unmatched == Unmatched::Refuse {
                    return Err(refuse(items.unknown(&row.id)));
                }
                self.labels.unknown_rows += usize::from(!items.left_out.contains(&row.id));
                continue;
            };
            if let Some((remark, words)) = self.scale.remark(&row.value) {
                let [annotator, words] = [&row.annotator, words].map(str::to_owned);
                self.labels.remarks.push(Remarked { item, annotator, batch: *batch, remark, words });
                continue;
            }
            let value = self.scale.parse(&row.value).map_err(refuse)?;
            if !self.scale.allows_repeats() {
                // As two branches of a study that were merged may have it.
                if known.has(item, &row.annotator, &row.value) {
                    self.labels.repeated += 1;
                    continue;
                }
                if let Some(problem) = known.clash(item, &row.annotator, &row.value) {
                    let remedy =
                        "keep the label that is right, and take the other one's batch back with `study labels remove`";
                    let reason = problem.to_string().split("; ").next().unwrap_or_default().to_owned();
                    return Err(refuse(Problem::unfit(reason, remedy)));
                }
                known.add(item, row.clone());
            }
            let annotator = self.annotator(&row.annotator);
            self.add(Label { item, annotator, value, batch: Some(*batch), line: row.place.line.unwrap_or(0) });
        }
        Ok(())
    }
}

/// ChaosNLI's items name their classes themselves, so a class that the study does not name would be lost in silence.
fn refuse_other_classes(table: &DataTable, classes: &[String], columns: &[Option<ColumnIndex>]) -> Result<()> {
    let named: Vec<ColumnIndex> = columns.iter().flatten().copied().collect();
    for name in table.header().iter().filter(|name| name.starts_with("label_counter_")) {
        let column = table.column(name)?;
        if !named.contains(&column)
            && let Some(row) = table.rows().find(|row| !row.cell(column).is_empty())
        {
            let value = name.trim_start_matches("label_counter_").to_owned();
            return Err(row.refuse(column, Problem::NotOneOf { value, allowed: classes.to_vec() }));
        }
    }
    Ok(())
}
