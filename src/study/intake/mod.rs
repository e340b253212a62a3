//! Labels on their way back: read from a table or an annotation tool's export, checked, and appended to the study's log.
//!
//! | module | holds |
//! |---|---|
//! | [`tools`] | the exports of Label Studio, Argilla and Prodigy |
//! | [`log`] | the append-only log of added labels |
//!
//! A file is taken whole or not at all. The files that the user wrote are never changed.

pub mod log;
pub mod tools;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::dataset::checksum::{read_file, sha256_hex};
use crate::dataset::error::{Error, Place, Problem, Result};
use crate::dataset::items::ItemIds;
use crate::dataset::table::Table;

pub use log::{AddedLabel, LabelLog};

/// A label as it came in.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLabel {
    /// The item's id.
    pub id: String,
    /// Who gave it.
    pub annotator: String,
    /// The class, or a score as text.
    pub value: String,
    /// When it was given, as the tool says it; empty where it doesn't.
    pub given: String,
    /// Where it stands.
    pub place: Place,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Intake {
    /// The file.
    pub file: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How it was read, such as "Label Studio JSON".
    pub form: &'static str,
    /// The labels, in the order of the file.
    pub labels: Vec<NewLabel>,
    /// Answers that are no labels (cancelled, rejected, blank), counted by kind.
    pub skipped: BTreeMap<&'static str, usize>,
}

impl Intake {
    /// Reads a file: a table `id,annotator,label` or a tool's export, told apart by extension and content.
    ///
    /// # Errors
    /// A file that can't be read or is of no known form, or a label without an item, an annotator or one clear value.
    pub fn read(file: &Path) -> Result<Self> {
        let bytes = read_file(file)?;
        let mut intake = Self {
            file: file.to_owned(),
            sha256: sha256_hex(&bytes),
            form: "table",
            labels: vec![],
            skipped: BTreeMap::new(),
        };
        if file.extension().is_some_and(|extension| extension == "csv") {
            intake.table(&Table::parse(file, &bytes, "id")?)?;
        } else {
            tools::read(&mut intake, &bytes)?;
        }
        Ok(intake)
    }

    fn table(&mut self, table: &Table) -> Result<()> {
        let [annotator, label] = [table.column("annotator")?, table.column("label")?];
        for row in table.rows() {
            if row.cell(label).is_empty() {
                self.skip("blank");
                continue;
            }
            self.labels.push(NewLabel {
                id: row.id().to_owned(),
                annotator: row.text(annotator)?.to_owned(),
                value: row.cell(label).to_owned(),
                given: String::new(),
                place: Place::file(&self.file).at_line(row.line()).of_item(row.id()),
            });
        }
        Ok(())
    }

    fn skip(&mut self, kind: &'static str) {
        *self.skipped.entry(kind).or_default() += 1;
    }

    /// Checks labels against a study and returns those to be appended.
    ///
    /// `canonical` turns a value into the text that the study knows it by, or refuses it. `known` has the labels that are
    /// there already, by item and annotator, as text and place. With `skip_known`, labels that are there letter by letter
    /// are left out and counted; otherwise they are refused. Where `repeats` are allowed (scores), a label by the same
    /// annotator is a further rating, unless it says the same and was given at the same time.
    ///
    /// # Errors
    /// An unknown item or value, a label that is there already, or one that contradicts what is there.
    pub fn check(
        &mut self,
        ids: &ItemIds,
        items: &Path,
        canonical: impl Fn(&NewLabel) -> Result<String>,
        known: &Known,
        rules: &Rules,
    ) -> Result<Vec<NewLabel>> {
        let mut known = known.clone();
        let mut fresh = vec![];
        let mut skipped = 0;
        for label in &self.labels {
            let refuse = |problem| Err(Error::refused(label.place.clone(), problem));
            let Some(item) = ids.position(&label.id) else {
                let reference = items.display().to_string();
                return refuse(Problem::UnknownId { id: label.id.clone(), reference });
            };
            let value = canonical(label)?;
            let there =
                |k: &KnownLabel| k.value == value && (!rules.repeats || k.given == label.given && !k.given.is_empty());
            if rules.skip_known && known.of(item, &label.annotator).iter().any(there) {
                skipped += 1;
                continue;
            }
            let same = known.of(item, &label.annotator).iter().find(|k| there(k));
            let clash = match (rules.repeats, same) {
                (true, Some(same)) => Some(same.again(&label.annotator)),
                (true, None) => None,
                (false, _) => known.clash(item, &label.annotator, &value),
            };
            if let Some(problem) = clash {
                return refuse(problem);
            }
            known.add(item, &label.annotator, &value, &label.given, &label.place);
            fresh.push(NewLabel { value, ..label.clone() });
        }
        if skipped > 0 {
            self.skipped.insert("already there", skipped);
        }
        Ok(fresh)
    }
}

/// How strict [`Intake::check`] is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rules {
    /// One annotator may rate an item several times.
    pub repeats: bool,
    /// Labels that are there already are left out instead of refused.
    pub skip_known: bool,
}

/// A label that is there already.
#[derive(Debug, Clone, PartialEq)]
struct KnownLabel {
    value: String,
    given: String,
    place: String,
}

impl KnownLabel {
    fn again(&self, annotator: &str) -> Problem {
        Problem::LabelThere { annotator: annotator.to_owned(), value: self.value.clone(), place: self.place.clone() }
    }
}

/// The labels that are there already, by item and annotator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known(HashMap<(usize, String), Vec<KnownLabel>>);

impl Known {
    fn of(&self, item: usize, annotator: &str) -> &[KnownLabel] {
        self.0.get(&(item, annotator.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// What is wrong with one more label of an annotator who may give an item only one.
    pub fn clash(&self, item: usize, annotator: &str, value: &str) -> Option<Problem> {
        let there = self.of(item, annotator);
        let same = there.iter().find(|k| k.value == value).map(|k| k.again(annotator));
        same.or_else(|| {
            there.first().map(|k| Problem::LabelConflict {
                annotator: annotator.to_owned(),
                value: value.to_owned(),
                other: k.value.clone(),
                place: k.place.clone(),
            })
        })
    }

    /// Notes a label, its time (empty if unknown) and its place.
    pub fn add(&mut self, item: usize, annotator: &str, value: &str, given: &str, place: &Place) {
        let label = KnownLabel { value: value.to_owned(), given: given.to_owned(), place: place.to_string() };
        self.0.entry((item, annotator.to_owned())).or_default().push(label);
    }
}
