//! The labels of items, be they classes or numbers.

use std::ops::Deref;

use super::counts::CountPool;
use super::held_out::Scored;
use super::pool::{ByLabels, Pool};
use super::ratings::RatingPool;

/// The labels of items with what the judge says of them.
pub type LabelPool = ByLabels<CountPool, RatingPool>;

impl LabelPool {
    /// For a half split.
    pub fn boxed(self) -> Box<dyn Pool> {
        match self {
            Self::Classes(pool) => Box::new(pool),
            Self::Ratings(pool) => Box::new(pool),
        }
    }
}

impl Deref for LabelPool {
    type Target = dyn Scored;

    fn deref(&self) -> &(dyn Scored + 'static) {
        match self {
            Self::Classes(pool) => pool,
            Self::Ratings(pool) => pool,
        }
    }
}
