//! Items as the judge left them, with all that a map may read of them.

use ndarray::{Array2, ArrayView2};

use super::carried::Carried;
use super::line::ascend;
use crate::belief::recalibration::JudgedItems;
use crate::belief::recalibration::items::check;
use crate::belief::trust::TrustError;

/// Items as the judge left them, with every variant's prediction.
///
/// Made from [`JudgedItems`] alone there is one variant, the prediction itself, and every item stands for itself.
#[derive(Debug, Clone, Copy)]
pub struct Readings<'a> {
    /// Features of the trust, the prediction and the group of each item.
    pub items: JudgedItems<'a>,
    /// What the judge predicts under each of its variants, items x classes, every entry positive; empty where there is one.
    pub variants: &'a [Array2<f64>],
    /// Items with the same number are one thing (copies, criteria of one text): folds keep them together. Empty where every item
    /// stands for itself.
    pub twins: &'a [usize],
    /// Where the classes stand on a scale, ascending; empty where they are mere names.
    pub places: &'a [f64],
    /// What a map that was fitted elsewhere adds to the log predictions, where one is carried over.
    pub carried: Option<&'a Carried>,
}

impl<'a> From<&JudgedItems<'a>> for Readings<'a> {
    fn from(items: &JudgedItems<'a>) -> Self {
        Self { items: *items, variants: &[], twins: &[], places: &[], carried: None }
    }
}

impl<'a> From<&Readings<'a>> for Readings<'a> {
    fn from(readings: &Readings<'a>) -> Self {
        *readings
    }
}

impl Readings<'_> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.q.nrows()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses tables that do not describe the same items, and predictions that the likelihood has no use for.
    pub(super) fn check(&self, counts: ArrayView2<u32>) -> Result<(), TrustError> {
        check(&self.items, counts)?;
        let twins = self.twins.is_empty() || self.twins.len() == self.len();
        if !twins {
            let detail = format!("{} items, {} numbers of twins", self.len(), self.twins.len());
            return Err(TrustError::Shape { detail });
        }
        let (places, classes) = (self.places, self.items.q.ncols());
        let on_scale = places.len() == classes && ascend(places);
        if !(places.is_empty() || on_scale) {
            return Err(TrustError::Shape { detail: format!("{classes} classes at the places {places:?}") });
        }
        if let Some(carried) = self.carried.filter(|carried| carried.len() != self.len()) {
            let detail = format!("{} items, a map carried over for {}", self.len(), carried.len());
            return Err(TrustError::Shape { detail });
        }
        self.variants.iter().try_for_each(|q| check(&JudgedItems { q: q.view(), ..self.items }, counts))
    }
}
