//! What there is of labels that are classes, or of labels that are numbers.

use serde::Serialize;

/// Something that is one for labels that are classes, and another for ratings; written as what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ByLabels<C, R> {
    /// For classes, with or without places on a scale.
    Classes(C),
    /// For ratings.
    Ratings(R),
}

impl<C, R> ByLabels<C, R> {
    /// What is for classes.
    ///
    /// # Panics
    /// If labels are ratings.
    pub fn of_classes(&self) -> &C {
        match self {
            Self::Classes(found) => found,
            Self::Ratings(_) => panic!("these labels are ratings"),
        }
    }

    /// What is for ratings.
    ///
    /// # Panics
    /// If labels are classes.
    pub fn of_ratings(&self) -> &R {
        match self {
            Self::Ratings(found) => found,
            Self::Classes(_) => panic!("these labels are classes"),
        }
    }
}
