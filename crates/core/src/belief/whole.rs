//! Whether a fit that was read from a file is one that can be applied: shapes that belong together, numbers within
//! their ranges.

use super::model::FittedBelief;
use super::regression::Regression;
use super::unfit::{Unfit, that};

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
            Self::Published(fit) => fit.regression.check(features, features.len() + 1, 0),
            Self::Mapped(mapped) => mapped.map.check(features, classes, groups),
        }
    }
}
