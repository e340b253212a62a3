//! What every fit of the trust reports, whatever else it fits beside it.

use serde::{Deserialize, Serialize};

use super::design::Design;
use super::model::FittedBelief;
use super::trust::UNDETERMINED;

/// Newton steps are shortened so that no item's log trust moves by more than this at once.
pub(super) const LARGEST_MOVE: f64 = 4.0;
/// Fitted log trust is kept within this distance of 0.
const LARGEST_LOG_TRUST: f64 = 50.0;

/// A fitted regression log lambda = beta_0 + beta^T z of the trust lambda, in labels, on an item's features z.
///
/// Beside the fit's own parameters it says how the search ended and what the labels could not tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// "intercept", then the features, then any further coefficients of the fit.
    pub names: Vec<String>,
    /// The coefficients, in the order of `names`.
    pub coefficients: Vec<f64>,
    /// Covariance of the coefficients and of any further parameters behind them: the (pseudo-)inverse of minus the
    /// Hessian of what was maximised, row by row.
    pub covariance: Vec<Vec<f64>>,
    /// Log-likelihood of the labels, in nats, without terms that no parameter enters.
    pub log_likelihood: f64,
    /// Newton steps taken.
    pub iterations: usize,
    /// Largest absolute component of the gradient, along the directions in which a maximum has none.
    pub gradient_norm: f64,
    /// Whether it vanished to working precision.
    pub converged: bool,
    /// Items with at least one label, the only ones that enter.
    pub labelled_items: usize,
    /// How many combinations of coefficients the labels (and priors, where there are any) identify.
    pub rank: usize,
    /// Coefficients that lie (partly) in directions the labels do not identify; they keep their start. Under a prior,
    /// those whose posterior variance is above half the prior's.
    pub unidentified: Vec<String>,
    /// Labelled items whose trust lies beyond the limits of the likelihood, where it has some.
    pub at_limit: usize,
}

impl Regression {
    /// Standard errors of the coefficients and of any further parameters behind them: square roots of the covariance's
    /// diagonal.
    pub fn standard_errors(&self) -> Vec<f64> {
        self.covariance.iter().enumerate().map(|(j, row)| row[j].max(0.0).sqrt()).collect()
    }

    /// The covariance at the strength s between another fit (0) and this one (1), whose parameters lie `off` from those
    /// of the other: s times the own covariance, 1 - s times the other's, and s (1 - s) off off^T, because which of the
    /// two is right counts as unknown. `at` says where the other fit has each parameter, `None` for one that it keeps
    /// where it is.
    pub(super) fn draw_back_covariance(&mut self, s: f64, off: &[f64], (other, at): (&Self, &[Option<usize>])) {
        let open = s * (1.0 - s);
        for (k, row) in self.covariance.iter_mut().enumerate() {
            for (l, value) in row.iter_mut().enumerate() {
                let of_other = at[k].zip(at[l]).map_or(0.0, |(k, l)| other.covariance[k][l]);
                *value = s * *value + (1.0 - s) * of_other + open * off[k] * off[l];
            }
        }
    }

    /// Log trust ln lambda of every item of a design, kept within +-50 so that it stays finite as a number of labels.
    ///
    /// # Panics
    /// If the design has another number of features.
    pub fn log_trust(&self, design: &Design) -> Vec<f64> {
        assert_eq!(design.features() + 1, self.coefficients.len(), "the design must have the features of the fit");
        (0..design.items()).map(|i| self.log_trust_of(design.row(i))).collect()
    }

    /// Trust lambda of every item of a design, in labels.
    ///
    /// # Panics
    /// As [`Self::log_trust`].
    pub fn trust(&self, design: &Design) -> Vec<f64> {
        self.log_trust(design).into_iter().map(f64::exp).collect()
    }

    /// Log trust of an item with features `z`.
    pub(super) fn log_trust_of(&self, z: &[f64]) -> f64 {
        linear(&self.coefficients, z).clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST)
    }
}

/// Which of the coefficients, the first of the parameters, the labels tell less about than the prior does, from the
/// posterior's covariance and the prior's precisions.
pub(super) fn undetermined(names: &[String], covariance: &[Vec<f64>], precision: &[f64]) -> Vec<String> {
    let loose = |k: &usize| covariance[*k][*k] * precision[*k] > UNDETERMINED || covariance[*k][*k] <= 0.0;
    (0..names.len()).filter(loose).map(|k| names[k].clone()).collect()
}

/// Names of the coefficients of a design: "intercept", then its features.
pub(super) fn coefficient_names(design: &Design) -> Vec<String> {
    std::iter::once("intercept".to_owned()).chain(design.names().map(str::to_owned)).collect()
}

/// The intercept plus the features of an item weighted by their coefficients; further coefficients don't count.
pub(super) fn linear(beta: &[f64], z: &[f64]) -> f64 {
    beta[0] + beta[1..].iter().zip(z).map(|(b, z)| b * z).sum::<f64>()
}

/// r^T S r for sparse r, by the positions of its entries.
pub(super) fn quadratic(r: &[(usize, f64)], covariance: &[Vec<f64>]) -> f64 {
    let of = |(at, (k, x)): (usize, &(usize, f64))| {
        let below: f64 = r[..at].iter().map(|(l, y)| covariance[*k][*l] * y).sum();
        x * (covariance[*k][*k] * x + 2.0 * below)
    };
    r.iter().enumerate().map(of).sum()
}

/// What of a fit contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct Unfit {
    /// The field, such as `covariance`.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

/// Returns an error that names `field` and describes the problem, unless `holds`.
pub(super) fn that(holds: bool, field: &'static str, problem: impl FnOnce() -> String) -> Result<(), Unfit> {
    if holds { Ok(()) } else { Err(Unfit { field, problem: problem() }) }
}

impl Regression {
    /// Whether it is a regression on these `features` with `further` parameters behind its coefficients.
    pub(super) fn check(&self, features: &[&str], coefficients: usize, further: usize) -> Result<(), Unfit> {
        let (found, expected) = (self.coefficients.len(), coefficients);
        that(found == expected, "coefficients", || format!("are {found} and must be {expected}"))?;
        that(self.coefficients.iter().all(|x| x.is_finite()), "coefficients", || "are not all finite".to_owned())?;
        let named = std::iter::once("intercept").chain(features.iter().copied());
        let same = self.names.len() == expected && named.zip(&self.names).all(|(a, b)| a == b);
        that(same, "names", || format!("are {:?}, which are not those of the features", self.names))?;
        let size = expected + further;
        let square = self.covariance.len() == size && self.covariance.iter().all(|row| row.len() == size);
        that(square, "covariance", || format!("is not {size} by {size}"))?;
        let finite = self.covariance.iter().flatten().all(|x| x.is_finite());
        that(finite, "covariance", || "is not finite throughout".to_owned())?;
        let scalars = self.log_likelihood.is_finite() && self.gradient_norm.is_finite();
        that(scalars, "log_likelihood", || "or gradient_norm is not finite".to_owned())
    }
}

impl FittedBelief {
    /// Whether this fit can be applied to items with these features, in order, and so many classes and groups.
    ///
    /// # Errors
    /// The first field that contradicts them, or is not finite.
    pub fn check(&self, features: &[&str], classes: usize, groups: usize) -> Result<(), Unfit> {
        match self {
            Self::Published(fit) => fit.check(features, features.len() + 1, 0),
            Self::Mapped(mapped) => mapped.map.check(features, classes, groups),
        }
    }
}
