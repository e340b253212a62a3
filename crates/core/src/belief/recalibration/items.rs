//! Items as the judge left them.

use ndarray::ArrayView2;

use crate::belief::design::Design;
use crate::belief::trust::TrustError;

/// Items as the judge left them: everything that is known of them before their labels.
#[derive(Debug, Clone, Copy)]
pub struct JudgedItems<'a> {
    /// Features of the trust.
    pub design: &'a Design,
    /// The judge's predictions, items x classes, every entry positive.
    pub q: ArrayView2<'a, f64>,
    /// The group of each item, counted from 0, for [`super::Recalibration::ByGroup`]; empty otherwise.
    pub groups: &'a [usize],
}

impl JudgedItems<'_> {
    /// The features of item `i`; a design without features has no items either.
    pub(in crate::belief) fn features(&self, i: usize) -> &[f64] {
        if self.design.features() > 0 { self.design.row(i) } else { &[] }
    }
}

pub(super) fn group_of(groups: &[usize], i: usize) -> usize {
    groups.get(i).copied().expect("one group per item")
}

/// Refuses tables that do not describe the same items, and predictions that the likelihood has no use for.
pub(in crate::belief) fn check(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<(), TrustError> {
    let (design, q) = (items.design, items.q);
    let shapes = q.dim() == counts.dim()
        && (design.features() == 0 || q.nrows() == design.items())
        && (items.groups.is_empty() || items.groups.len() == q.nrows());
    if !shapes {
        return Err(TrustError::Shape {
            detail: format!(
                "{} items with features, {:?} predictions, {:?} labels (items, classes), {} groups",
                design.items(),
                q.dim(),
                counts.dim(),
                items.groups.len()
            ),
        });
    }
    for (i, q) in q.rows().into_iter().enumerate() {
        if let Some((class, &value)) = q.iter().enumerate().find(|(_, q)| !(**q > 0.0 && **q <= 1.0)) {
            return Err(TrustError::Prediction { item: i, class, value });
        }
        if (q.sum() - 1.0).abs() > 1e-6 {
            return Err(TrustError::Prediction { item: i, class: 0, value: q[0] });
        }
    }
    Ok(())
}
