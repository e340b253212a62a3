//! The human labels of a study: counts per item, or one row per label.

use std::collections::HashMap;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::config::{ClassKind, LabelsForm};
use crate::input::config::{Format, StudyFile, Unmatched};
use crate::input::items::Items;
use crate::input::log::{Batch, LabelLog};
use crate::input::source::{Source, format_of, read_joined, read_table};
use crate::intake::Known;
use crate::read::{self, LabelSet, Listed};
use judge_uncertainty_core::escalation::Observed;
use judge_uncertainty_formats::error::{Error, Problem, Result};
use judge_uncertainty_formats::items::LabelCounts;
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::logs::Rows;
use judge_uncertainty_formats::table::{Column, Row, Table};

/// One label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotation {
    /// Position of the item.
    pub item: usize,
    /// Position of the annotator in [`Labels::annotators`].
    pub annotator: usize,
    /// Position of the class.
    pub class: usize,
    /// Line of the file, from 1.
    pub line: u64,
}

/// The labels of all items.
#[derive(Debug, Clone)]
pub struct Labels {
    /// Counts, items x classes.
    pub counts: LabelCounts,
    /// The labels one by one, in the order of the file and then of the log; none of the file's where it has counts only.
    pub annotations: Vec<Annotation>,
    /// Who gave them, in the order of first appearance.
    pub annotators: Vec<String>,
    /// What was found in the file.
    pub report: LabelsReport,
    /// The labels that were added since, which `counts` and `annotations` hold too.
    pub added: Added,
}

/// Labels that came back from a queue.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Added {
    /// Item, class and batch of each, in the order of the log.
    pub labels: Vec<AddedAt>,
    /// What was added together, in order.
    pub batches: Vec<Batch>,
}

/// One added label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddedAt {
    /// Position of the item.
    pub item: usize,
    /// Position of the class.
    pub class: usize,
    /// Position in [`Added::batches`].
    pub batch: usize,
}

/// An item has no more labels than this: fits take time by the label, and sums stay far from the end of their range.
pub const MOST_LABELS: f64 = 1e6;

/// What is wrong with the counts of an item that has more than [`MOST_LABELS`], and in which class, if its labels alone are too many.
pub fn too_many(counts: impl Iterator<Item = u32> + Clone) -> Option<(Option<usize>, Problem)> {
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

/// What was found in the file of labels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LabelsReport {
    /// Rows of the file.
    pub rows: usize,
    /// Labels, added ones included.
    pub labels: u64,
    /// Labels from the log of added labels.
    pub added: usize,
    /// Items with at least one label.
    pub labelled_items: usize,
    /// Most labels of an item.
    pub most_labels: u32,
    /// Annotators; `None` where the file has counts only.
    pub annotators: Option<usize>,
    /// Blank labels (or rows of blank counts): missing, no label.
    pub blank: usize,
    /// Rows of ids that the items don't have, left out.
    pub unknown_rows: usize,
    /// Items whose most frequent label is not unique.
    pub tied_items: usize,
    /// Labels per class.
    pub per_class: Vec<u64>,
}

impl Labels {
    /// Shares of the classes among the labels of all added batches but the first `before`, per class and item; `None` for
    /// items without any.
    pub fn added_shares(&self, before: usize) -> Vec<Vec<Option<Observed>>> {
        let counts = self.counts_since(before);
        let share = |item: usize, class: usize| {
            let n: u32 = counts.row(item).sum();
            let own = f64::from(counts[[item, class]]);
            let share = own / f64::from(n);
            (n > 0).then(|| Observed::of(n, share, own * (1.0 - share)))
        };
        let (items, classes) = counts.dim();
        (0..classes).map(|class| (0..items).map(|item| share(item, class)).collect()).collect()
    }

    /// Counts of the added labels, items x classes.
    pub fn added_counts(&self) -> Array2<u32> {
        self.counts_since(0)
    }

    /// Counts of the labels of all added batches but the first `before`, items x classes.
    pub fn counts_since(&self, before: usize) -> Array2<u32> {
        let mut counts = Array2::zeros(self.counts.counts().dim());
        let since = self.added.labels.iter().filter(|label| label.batch >= before);
        since.for_each(|label| counts[[label.item, label.class]] += 1);
        counts
    }
}

impl<K: ClassKind> LabelSet<K> for Labels {
    type Report = LabelsReport;

    fn read(file: &StudyFile<K>, items: &Items, log: &LabelLog, source: &mut Source) -> Result<Self> {
        read(file, items, log, source)
    }

    fn report(&self, _items: usize) -> LabelsReport {
        self.report.clone()
    }

    fn unknown_rows(&self) -> usize {
        self.report.unknown_rows
    }

    fn numbers(&self, _items: usize) -> Vec<u32> {
        self.counts.counts().rows().into_iter().map(|row| row.sum()).collect()
    }

    fn own(&self) -> Self {
        let counts = self.counts.counts() - &self.added_counts();
        let classes = self.counts.classes().to_vec();
        Self {
            counts: LabelCounts::new(classes, counts).expect("these are the classes that were read"),
            annotations: self.annotations[..self.annotations.len() - self.added.labels.len()].to_vec(),
            added: Added::default(),
            ..self.clone()
        }
    }

    fn added(&self) -> read::Added<'_> {
        read::Added { labels: self.added.labels.len(), batches: &self.added.batches }
    }

    fn counts(&self) -> Option<ArrayView2<'_, u32>> {
        Some(self.counts.counts().view())
    }

    fn listed(&self) -> Vec<Listed> {
        let classes = self.counts.classes();
        let own = self.annotations.len() - self.added.labels.len();
        let of = |(i, a): (usize, &Annotation)| Listed {
            item: a.item,
            annotator: self.annotators[a.annotator].clone(),
            value: classes[a.class].clone(),
            batch: i.checked_sub(own).map(|added| self.added.labels[added].batch),
        };
        self.annotations.iter().enumerate().map(of).collect()
    }

    fn known(&self, file: &StudyFile<K>) -> Known {
        known_of_file(file, &self.annotations[..self.annotations.len() - self.added.labels.len()], &self.annotators)
    }
}

fn known_of_file<K: ClassKind>(file: &StudyFile<K>, annotations: &[Annotation], annotators: &[String]) -> Known {
    let mut known = Known::default();
    for a in annotations {
        let place = file.line_of_labels(a.line);
        known.add(a.item, &annotators[a.annotator], &K::classes(&file.config.scale)[a.class], "", &place);
    }
    known
}

/// Reads the labels of the user's file and joins those of the log.
///
/// # Errors
/// A file that can't be read, an unknown id (unless they are left out), an unknown class, a count that is none, a second
/// row of an item, a second label of an annotator for an item.
fn read<K: ClassKind>(file: &StudyFile<K>, items: &Items, log: &LabelLog, source: &mut Source) -> Result<Labels> {
    let mut reader = Reader {
        file,
        items,
        classes: K::classes(&file.config.scale),
        counts: Array2::zeros((items.len(), K::classes(&file.config.scale).len())),
        annotations: Vec::new(),
        annotators: Vec::new(),
        blank: 0,
        unknown_rows: 0,
    };
    let Some(config) = &file.config.labels else {
        let added = reader.added(log)?;
        let annotators = Some(reader.annotators.len());
        return reader.finish(0, annotators, added);
    };
    let paths = file.resolve_all(&config.file);
    let format = format_of(&paths[0], config.format)?;
    let table = match format {
        Format::LeWiDi => {
            read_joined(&paths, |path| lewidi::read_labels(path, &source.read(path)?, &file.config.items.multilabel))?
        }
        _ => read_table(&paths, config.format, config.id.as_deref(), Rows::Labels, source)?,
    };
    let form = match format {
        Format::LeWiDi | Format::Log(_) => Some(LabelsForm::Long),
        Format::ChaosNli => Some(LabelsForm::Counts),
        _ => config.form,
    };
    match form {
        Some(LabelsForm::Long) => {
            let own = format == Format::LeWiDi;
            let name =
                |configured: &'static str, given: &str| if own { configured.to_owned() } else { given.to_owned() };
            reader.long(&table, &name("annotator", &config.annotator), &name("label", &config.label), own)?;
        }
        _ => reader.wide(&table, format)?,
    }
    let added = reader.added(log)?;
    let annotators = matches!(form, Some(LabelsForm::Long)).then_some(reader.annotators.len());
    reader.finish(table.rows().len(), annotators, added)
}

struct Reader<'a, K: ClassKind> {
    file: &'a StudyFile<K>,
    items: &'a Items,
    classes: &'a [String],
    counts: Array2<u32>,
    annotations: Vec<Annotation>,
    annotators: Vec<String>,
    blank: usize,
    unknown_rows: usize,
}

impl<K: ClassKind> Reader<'_, K> {
    /// The item of a row; `None` if it is unknown and may be left out.
    fn item(&mut self, row: &Row<'_>) -> Result<Option<usize>> {
        self.items.of_row(row, self.file.config.unmatched, &mut self.unknown_rows)
    }

    fn wide(&mut self, table: &Table, format: Format) -> Result<()> {
        // ChaosNLI leaves classes out that nobody chose, and files of few items may so lack a column.
        let chaosnli = format == Format::ChaosNli;
        let default = if chaosnli { "label_counter_{class}" } else { "n_{class}" };
        let pattern = self.file.config.labels.as_ref().and_then(|labels| labels.columns.as_deref()).unwrap_or(default);
        let classes = self.classes;
        let columns: Vec<Option<Column>> = classes
            .iter()
            .map(|class| match table.column(&pattern.replace("{class}", class)) {
                Err(_) if chaosnli => Ok(None),
                found => found.map(Some),
            })
            .collect::<Result<_>>()?;
        if chaosnli {
            refuse_other_classes(table, classes, &columns)?;
        }
        let mut lines = vec![0; self.items.len()];
        for row in table.rows() {
            let Some(item) = self.item(&row)? else { continue };
            if lines[item] > 0 {
                let what = "a row of counts".to_owned();
                return Err(row.refuse_id(Problem::Repeated { what, first_line: lines[item] }));
            }
            lines[item] = row.line();
            let blank = |column: &Option<Column>| column.is_none_or(|column| row.cell(column).is_empty());
            if columns.iter().all(blank) {
                self.blank += 1;
                continue;
            }
            for (class, column) in columns.iter().enumerate() {
                self.counts[[item, class]] = match column {
                    Some(column) if !(chaosnli && row.cell(*column).is_empty()) => row.count(*column)?,
                    _ => 0,
                };
            }
            if let Some((class, problem)) = too_many(self.counts.row(item).iter().copied()) {
                return Err(match class.and_then(|class| columns[class]) {
                    Some(column) => row.refuse(column, problem),
                    None => row.refuse_row(problem),
                });
            }
        }
        Ok(())
    }

    /// `lewidi` files may hold several labels in a cell.
    fn long(&mut self, table: &Table, annotator: &str, label: &str, lewidi: bool) -> Result<()> {
        let [annotator, label] = [table.column(annotator)?, table.column(label)?];
        let mut positions: HashMap<&str, usize> = HashMap::new();
        let mut lines: HashMap<(usize, usize), u64> = HashMap::new();
        for row in table.rows() {
            let Some(item) = self.item(&row)? else { continue };
            let classes = self.classes;
            let value = row.cell(label);
            if lewidi && value.contains([',', '[']) && !classes.iter().any(|class| class == value) {
                return Err(row.refuse(label, Problem::SeveralLabels { value: value.to_owned() }));
            }
            let Some(class) = row.optional_word(label, classes)? else {
                self.blank += 1;
                continue;
            };
            let name = row.text(annotator)?;
            let next = positions.len();
            let by = *positions.entry(name).or_insert(next);
            if by == next {
                self.annotators.push(name.to_owned());
            }
            if let Some(first_line) = lines.insert((item, by), row.line()) {
                let what = format!("a label by {name:?}");
                return Err(row.refuse_id(Problem::Repeated { what, first_line }));
            }
            self.counts[[item, class]] += 1;
            self.annotations.push(Annotation { item, annotator: by, class, line: row.line() });
        }
        Ok(())
    }

    /// Adds the labels of the log to those of the file, under the same rules.
    fn added(&mut self, log: &LabelLog) -> Result<Added> {
        let mut added = Added { labels: vec![], batches: log.batches.clone() };
        let mut positions: HashMap<String, usize> = self.annotators.iter().cloned().zip(0..).collect();
        let mut known = known_of_file(self.file, &self.annotations, &self.annotators);
        for row in &log.rows {
            let refuse = |problem| Err(Error::refused(log.place(row), problem));
            let Some(item) = self.items.ids.position(&row.id) else {
                if self.file.config.unmatched == Unmatched::Refuse {
                    return refuse(self.items.unknown(&row.id));
                }
                self.unknown_rows += usize::from(!self.items.left_out.contains(&row.id));
                continue;
            };
            let classes = self.classes;
            let Some(class) = classes.iter().position(|class| *class == row.value) else {
                return refuse(Problem::NotOneOf { value: row.value.clone(), allowed: classes.to_vec() });
            };
            if let Some(problem) = known.clash(item, &row.annotator, &row.value) {
                return refuse(problem);
            }
            known.add(item, &row.annotator, &row.value, &row.given, &log.place(row));
            let next = positions.len();
            let annotator = *positions.entry(row.annotator.clone()).or_insert(next);
            if annotator == next {
                self.annotators.push(row.annotator.clone());
            }
            self.counts[[item, class]] += 1;
            self.annotations.push(Annotation { item, annotator, class, line: row.line });
            added.labels.push(AddedAt { item, class, batch: row.batch });
        }
        Ok(added)
    }

    fn finish(self, rows: usize, annotators: Option<usize>, added: Added) -> Result<Labels> {
        let mut report = LabelsReport {
            rows,
            labels: 0,
            added: added.labels.len(),
            labelled_items: 0,
            most_labels: 0,
            annotators,
            blank: self.blank,
            unknown_rows: self.unknown_rows,
            tied_items: 0,
            per_class: vec![0; self.counts.ncols()],
        };
        for row in self.counts.rows() {
            let n: u32 = row.sum();
            report.labels += u64::from(n);
            report.labelled_items += usize::from(n > 0);
            report.most_labels = report.most_labels.max(n);
            report.tied_items += usize::from(n > 0 && tied(row.iter().copied()));
            report.per_class.iter_mut().zip(row).for_each(|(sum, c)| *sum += u64::from(*c));
        }
        Ok(Labels {
            counts: LabelCounts::new(self.classes.to_vec(), self.counts)?,
            annotations: self.annotations,
            annotators: self.annotators,
            report,
            added,
        })
    }
}

/// Whether the largest value stands there more than once.
pub(super) fn tied<T: PartialOrd + Copy>(values: impl Iterator<Item = T> + Clone) -> bool {
    let largest = values.clone().reduce(|a, b| if b > a { b } else { a });
    largest.is_some_and(|largest| values.filter(|value| *value == largest).count() > 1)
}

/// ChaosNLI's items name their classes themselves, so a class that the study does not name would be lost in silence.
fn refuse_other_classes(table: &Table, classes: &[String], columns: &[Option<Column>]) -> Result<()> {
    let named: Vec<Column> = columns.iter().flatten().copied().collect();
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
