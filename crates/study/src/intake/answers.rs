//! The answers in a file of labels.

use std::collections::BTreeMap;

use crate::input::log::NewLabel;

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// How it was read, such as "Label Studio JSON".
    pub form: &'static str,
    /// The labels, in the order of the file.
    pub labels: Vec<NewLabel>,
    /// Answers that are no labels (cancelled, rejected, blank), counted by kind.
    pub skipped: BTreeMap<&'static str, usize>,
}

impl Answers {
    /// Counts an answer that is no label.
    pub(super) fn skip(&mut self, kind: &'static str) {
        *self.skipped.entry(kind).or_default() += 1;
    }
}
