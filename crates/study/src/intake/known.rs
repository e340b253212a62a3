//! The labels that a study has already.

use std::collections::HashMap;

use judge_uncertainty_formats::error::{Place, Problem, excerpt};

/// A label that is there already.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KnownLabel {
    pub value: String,
    pub given: String,
    place: String,
}

impl KnownLabel {
    pub(super) fn again(&self, annotator: &str) -> Problem {
        let [annotator, value] = [annotator, &self.value].map(excerpt);
        let reason = format!("{annotator:?} has given this item the label {value:?} already ({})", self.place);
        Problem::unfit(reason, "remove the row, or leave out what is there already with --skip-known")
    }
}

/// The labels that are there already, by item and annotator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known(HashMap<(usize, String), Vec<KnownLabel>>);

impl Known {
    pub(super) fn given_by(&self, item: usize, annotator: &str) -> &[KnownLabel] {
        self.0.get(&(item, annotator.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// What is wrong with one more label of an annotator who may give an item only one.
    pub fn clash(&self, item: usize, annotator: &str, value: &str) -> Option<Problem> {
        let there = self.given_by(item, annotator);
        let same = there.iter().find(|k| k.value == value).map(|k| k.again(annotator));
        same.or_else(|| {
            there.first().map(|k| {
                let [annotator, value, other] = [annotator, value, &k.value].map(excerpt);
                let reason = format!(
                    "{annotator:?} gives this item the label {value:?}, but gave it {other:?} before ({})",
                    k.place
                );
                Problem::unfit(reason, "keep the label that holds and remove the other; nothing was added")
            })
        })
    }

    /// Notes a label, its time (empty if unknown) and its place.
    pub fn add(&mut self, item: usize, annotator: &str, value: &str, given: &str, place: &Place) {
        let label = KnownLabel { value: value.to_owned(), given: given.to_owned(), place: place.to_string() };
        self.0.entry((item, annotator.to_owned())).or_default().push(label);
    }
}
