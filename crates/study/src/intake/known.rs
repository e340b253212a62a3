//! The labels that a study has already.

use std::collections::HashMap;

use judge_uncertainty_formats::error::{Place, Problem};

/// A label that is there already.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KnownLabel {
    pub value: String,
    pub given: String,
    place: String,
}

impl KnownLabel {
    pub(super) fn again(&self, annotator: &str) -> Problem {
        Problem::LabelThere { annotator: annotator.to_owned(), value: self.value.clone(), place: self.place.clone() }
    }
}

/// The labels that are there already, by item and annotator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known(HashMap<(usize, String), Vec<KnownLabel>>);

impl Known {
    pub(super) fn of(&self, item: usize, annotator: &str) -> &[KnownLabel] {
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
