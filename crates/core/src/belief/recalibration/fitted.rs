//! A fit of the recalibrated belief, and what it says about any items.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::items::{JudgedItems, group_of};
use super::options::Recalibration;
use crate::belief::dirichlet_multinomial::softmax;
use crate::belief::regression::Regression;
use crate::belief::table::Beliefs;

/// A fitted recalibration with its trust.
///
/// For items of a group without labels in the fit, tau is 1 and all biases are 0: the prediction is taken as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecalibratedFit {
    /// The trust, and how the search ended. `names` and `coefficients` are those of beta; `covariance` goes on with (ln tau, b of
    /// the second to the last class) for each group and is the inverse of minus the Hessian of log-likelihood plus log prior;
    /// `log_likelihood` leaves out multinomial coefficients and penalty. The priors keep the trust within the
    /// reals: no item is at a limit. `unidentified` names coefficients that the labels tell less about than the prior does.
    #[serde(flatten)]
    pub regression: Regression,
    /// Which items share a recalibration.
    pub recalibration: Recalibration,
    /// tau of each group (one entry if shared, none if off): below 1 the judge is overconfident.
    pub tau: Vec<f64>,
    /// b of each group and class; the first class has 0. Positive: the judge gives that class too little.
    pub bias: Vec<Vec<f64>>,
}

impl RecalibratedFit {
    /// The recalibrated predictions q' of any items, items x classes.
    ///
    /// # Panics
    /// If the items have another number of classes than those of the fit, or there is not one group per item.
    pub fn predictions(&self, items: &JudgedItems) -> Array2<f64> {
        let mut recalibrated = items.q.as_standard_layout().into_owned();
        for (i, mut q) in recalibrated.rows_mut().into_iter().enumerate() {
            let group = match self.recalibration {
                Recalibration::Off => break,
                Recalibration::Shared => 0,
                Recalibration::ByGroup => group_of(items.groups, i),
            };
            if let (Some(tau), Some(bias)) = (self.tau.get(group), self.bias.get(group)) {
                assert_eq!(bias.len(), q.len(), "the items must have the classes of the fit");
                q.iter_mut().zip(bias).for_each(|(q, b)| *q = tau * q.ln() + b);
                softmax(q.as_slice_mut().expect("rows are contiguous"));
            }
        }
        recalibrated
    }

    /// Log trust ln lambda of any items, kept within +-50.
    ///
    /// # Panics
    /// If the items' design has another number of features.
    pub fn log_trust(&self, items: &JudgedItems) -> Vec<f64> {
        let features = items.design.features();
        let coefficients = self.regression.coefficients.len();
        assert_eq!(features + 1, coefficients, "the items must have the features of the fit");
        (0..items.q.nrows()).map(|i| self.regression.log_trust(items.features(i))).collect()
    }

    /// Trust lambda of any items, in labels.
    ///
    /// # Panics
    /// As [`Self::log_trust`].
    pub fn trust(&self, items: &JudgedItems) -> Vec<f64> {
        self.log_trust(items).into_iter().map(f64::exp).collect()
    }

    /// Posterior beliefs Dir(lambda q' + c) of any items given their label counts.
    ///
    /// # Panics
    /// As [`Self::predictions`] and [`Self::log_trust`], or if predictions and counts differ in shape.
    pub fn posterior(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> Beliefs {
        Beliefs::posterior(&self.trust(items), self.predictions(items).view(), counts)
    }
}
