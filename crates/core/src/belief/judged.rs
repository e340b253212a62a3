//! Items as the judge left them: what is known of them before any label.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::design::Design;
use super::maps::CarriedOffsets;
use super::trust::FitError;

/// Items as the judge left them: everything that a belief about classes may read of them.
///
/// From [`Self::new`] there is one variant, the prediction itself, every item stands for itself, and classes are mere
/// names.
#[derive(Debug, Clone, Copy)]
pub struct JudgedItems<'a> {
    /// Features of the trust.
    pub design: &'a Design,
    /// The judge's predictions, items x classes, every entry positive.
    pub q: ArrayView2<'a, f64>,
    /// The group of each item, counted from 0; empty if items have no groups.
    pub groups: &'a [usize],
    /// What the judge predicts under each of its variants, items x classes, every entry positive; empty where there is
    /// one.
    pub variants: &'a [Array2<f64>],
    /// The cluster of each item (copies of one text, criteria of one text): folds keep a cluster together. Empty if
    /// every item is a cluster of its own.
    pub clusters: &'a [usize],
    /// Where the classes stand on a scale, ascending; empty where they are mere names.
    pub places: &'a [f64],
    /// The logits that a recalibration from another study adds to the log predictions; `None` if the fit starts from
    /// the judge's predictions.
    pub carried: Option<&'a CarriedOffsets>,
}

impl<'a> JudgedItems<'a> {
    /// Items with features, predictions (items x classes) and groups (empty if there are none), and nothing else.
    pub fn new(design: &'a Design, q: ArrayView2<'a, f64>, groups: &'a [usize]) -> Self {
        Self { design, q, groups, variants: &[], clusters: &[], places: &[], carried: None }
    }
}

impl JudgedItems<'_> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.q.nrows()
    }

    /// Whether there are zero items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The features of item `i`; a design without features has no items either.
    pub(super) fn features(&self, i: usize) -> &[f64] {
        if self.design.features() > 0 { self.design.row(i) } else { &[] }
    }

    /// Puts all that a fit reads of an item with these labels into `all`, bit by bit: equal for items that nothing tells
    /// apart.
    pub(super) fn all_of(&self, i: usize, labels: ArrayView1<u32>, all: &mut Vec<u64>) {
        let numbers = self
            .features(i)
            .iter()
            .chain(self.q.row(i))
            .chain(self.variants.iter().flat_map(|variant| variant.row(i).into_iter()));
        let carried =
            self.carried.iter().flat_map(|carried| carried.added(i).into_iter().copied().chain([carried.unknown(i)]));
        let labels = labels.into_iter().map(|n| u64::from(*n));
        let group = self.groups.get(i).map(|group| *group as u64);
        all.clear();
        all.extend(numbers.copied().chain(carried).map(f64::to_bits).chain(labels).chain(group));
    }

    /// Refuses tables that do not describe the same items, and predictions that the likelihood has no use for.
    pub(super) fn check(&self, counts: ArrayView2<u32>) -> Result<(), FitError> {
        let refuse = |detail| Err(FitError::Shape { detail });
        let (design, items, classes) = (self.design, self.len(), self.q.ncols());
        let fits = |length: usize| length == 0 || length == items;
        let same = self.q.dim() == counts.dim() && (design.features() == 0 || items == design.items());
        if !(same && fits(self.groups.len())) {
            return refuse(format!(
                "{} items with features, {:?} predictions, {:?} labels (items, classes), {} groups",
                design.items(),
                self.q.dim(),
                counts.dim(),
                self.groups.len()
            ));
        }
        check_predictions(self.q)?;
        if !fits(self.clusters.len()) {
            return refuse(format!("{items} items, {} numbers of clusters", self.clusters.len()));
        }
        let places = self.places;
        if !(places.is_empty() || places.len() == classes && ascend(places)) {
            return refuse(format!("{classes} classes at the places {places:?}"));
        }
        if let Some(carried) = self.carried.filter(|carried| carried.len() != items) {
            return refuse(format!("{items} items, a map carried over for {}", carried.len()));
        }
        if let Some(variant) = self.variants.iter().find(|variant| variant.dim() != self.q.dim()) {
            return refuse(format!("{:?} predictions, {:?} of a variant", self.q.dim(), variant.dim()));
        }
        self.variants.iter().try_for_each(|variant| check_predictions(variant.view()))
    }
}

/// Whether places are finite, each above the one before.
pub(super) fn ascend(places: &[f64]) -> bool {
    places.iter().all(|x| x.is_finite()) && places.windows(2).all(|pair| pair[0] < pair[1])
}

/// Refuses predictions that are not strictly positive distributions.
pub(super) fn check_predictions(q: ArrayView2<f64>) -> Result<(), FitError> {
    for (item, q) in q.rows().into_iter().enumerate() {
        if let Some((class, &value)) = q.iter().enumerate().find(|(_, q)| !(**q > 0.0 && **q <= 1.0)) {
            return Err(FitError::Prediction { item, class, value });
        }
        if (q.sum() - 1.0).abs() > 1e-6 {
            return Err(FitError::Prediction { item, class: 0, value: q[0] });
        }
    }
    Ok(())
}
