//! What a study reads, as each kind of label brings it: the judge's answers and the human labels.

use std::fmt::Debug;

use ndarray::ArrayView2;
use serde::Serialize;

use crate::input::config::{Configured, StudyFile};
use crate::input::items::Items;
use crate::input::log::{Batch, LabelLog};
use crate::input::source::Source;
use crate::intake::Known;
use judge_uncertainty_formats::error::Result;

/// A part of a study's results.
pub trait Reported: Clone + Debug + PartialEq + Serialize + Send + Sync + 'static {}

impl<T: Clone + Debug + PartialEq + Serialize + Send + Sync + 'static> Reported for T {}

/// What the judge says of the items of a study configured by `C`.
pub trait Judge<C: Configured>: Clone + Debug + Send + Sync {
    /// Its answers as they were read, for all items.
    type Answers;
    /// What was found in its file.
    type Report: Reported;

    /// Reads the answers to all items; an item may have none.
    ///
    /// # Errors
    /// An answer that can't be used.
    fn read(file: &StudyFile<C>, items: &Items, source: &mut Source) -> Result<Self::Answers>;

    /// Whether an item has any answer.
    fn is_answered(answers: &Self::Answers, item: usize) -> bool;

    /// The judge of the items at positions `kept` of all, which are `items`, each with an answer.
    ///
    /// # Errors
    /// Answers that can't be put together.
    fn of(file: &StudyFile<C>, items: &Items, answers: Self::Answers, kept: &[usize]) -> Result<Self>;

    /// What was found in its file.
    fn report(&self) -> Self::Report;

    /// Rows of ids that the items don't have, left out.
    fn unknown_rows(&self) -> usize;

    /// Blank answers: they are counted and never become labels.
    fn failed_answers(&self) -> usize;

    /// Names of its variants, as results list them.
    fn variants(&self) -> &[String];

    /// How far its variants are apart, per item; `None` for items with fewer than two.
    fn spread(&self) -> &[Option<f64>];

    /// Its stated confidence per item, 0 to 100; empty where such judges state none.
    fn confidence(&self) -> &[Option<f64>] {
        &[]
    }
}

/// The human labels of a study configured by `C`.
pub trait LabelSet<C: Configured>: Clone + Debug + Send + Sync {
    /// What was found in their file.
    type Report: Reported;

    /// Reads the labels of the user's file and joins those of the log.
    ///
    /// # Errors
    /// A label that can't be used.
    fn read(file: &StudyFile<C>, items: &Items, log: &LabelLog, source: &mut Source) -> Result<Self>;

    /// What was found in the file of labels of so many items.
    fn report(&self, items: usize) -> Self::Report;

    /// Rows of ids that the items don't have, left out.
    fn unknown_rows(&self) -> usize;

    /// Number of labels of each of so many items.
    fn numbers(&self, items: usize) -> Vec<u32>;

    /// The labels without those of the log.
    fn own(&self) -> Self;

    /// The labels that came from the log.
    fn added(&self) -> Added<'_>;

    /// Counts of the labels, items x classes; `None` where labels are no classes.
    fn counts(&self) -> Option<ArrayView2<'_, u32>> {
        None
    }

    /// The labels one by one, those of the user's file first, as far as it has them one by one.
    fn listed(&self) -> Vec<Listed>;

    /// The labels of the user's file that name their annotator, by item and annotator, with their places.
    fn known(&self, file: &StudyFile<C>) -> Known;
}

/// Labels from the log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added<'a> {
    /// How many they are.
    pub labels: usize,
    /// What was added together, in order.
    pub batches: &'a [Batch],
}

/// A label as a table lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Position of the item.
    pub item: usize,
    /// Who gave it.
    pub annotator: String,
    /// What it says.
    pub value: String,
    /// Position of the batch that brought it, from 0; `None` for labels of the user's own file.
    pub batch: Option<usize>,
}
