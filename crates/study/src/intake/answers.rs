//! The answers in a file of labels.

use std::collections::{BTreeMap, BTreeSet};

use crate::input::log::NewLabel;

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReturnedLabels {
    /// How it was read, such as "Label Studio JSON".
    pub form: &'static str,
    /// The labels, in the order of the file.
    pub labels: Vec<NewLabel>,
    /// Answers that are no labels (cancelled, rejected, blank), counted by kind.
    pub skipped: BTreeMap<&'static str, usize>,
    /// What is to be said of how the file was read.
    pub notices: BTreeSet<String>,
    /// Who gave the labels of which the file names nobody.
    pub(super) by: Option<String>,
}

impl ReturnedLabels {
    /// Answers that are still to be read; `by` gave those of which the file names nobody.
    pub(super) fn new(form: &'static str, by: Option<&str>) -> Self {
        Self { form, by: by.map(str::to_owned), ..Self::default() }
    }

    /// Who gave an answer: the one that the file names, or the one that the user named.
    pub(super) fn annotator(&self, named: Option<String>) -> Option<String> {
        // A blank name that nobody makes up for is refused with its place.
        match named {
            Some(name) if !name.trim().is_empty() => Some(name),
            other => self.by.clone().or(other),
        }
    }

    /// Counts an answer that is no label.
    pub(super) fn skip(&mut self, kind: &'static str) {
        *self.skipped.entry(kind).or_default() += 1;
    }
}
