//! Intervals of an estimate from how its linear part varies.

use crate::stats::over_items::{Estimable, ItemEstimate, LEAST_ITEMS, share_interval, too_few};
use crate::stats::student::student_quantile;

/// Upper end of a central 95% interval.
const UPPER: f64 = 0.975;

/// What an estimate is and how its linear part varies.
pub(super) struct Linear {
    pub(super) value: f64,
    pub(super) variance: f64,
    /// Skewness of the estimate.
    pub(super) skewness: f64,
    pub(super) freedom: f64,
    /// Things with values.
    pub(super) things: usize,
    pub(super) items: usize,
    /// Independent things of equal weight that would tell as much.
    pub(super) effective: f64,
}

impl Linear {
    /// Why there is too little for an interval; `None` where there is enough.
    pub(super) fn lacking(&self) -> Option<Estimable> {
        if self.things < LEAST_ITEMS {
            return Some(too_few(self.things, self.items));
        }
        // Rounding of weights that are alike is no lack.
        (self.effective < LEAST_ITEMS as f64 - 1e-6).then(|| {
            Estimable::not(format!(
                "{} items have what it takes, but so few of them were drawn at random that they tell as much of new \
                 items as {:.0} random ones, and an interval needs {LEAST_ITEMS}: raise --explore of the next queue",
                self.items, self.effective
            ))
        })
    }

    /// Hall's interval, the squared standard error raised by a share.
    pub(super) fn interval(&self, raised: f64) -> ItemEstimate {
        self.around(self.skewness, raised)
    }

    /// The wider of Hall's interval and Student's on either side.
    pub(super) fn wider(&self, raised: f64) -> ItemEstimate {
        let (hall, plain) = (self.around(self.skewness, raised), self.around(0.0, raised));
        ItemEstimate { lo: hall.lo.min(plain.lo), hi: hall.hi.max(plain.hi), ..hall }
    }

    fn around(&self, skewness: f64, raised: f64) -> ItemEstimate {
        let t = student_quantile(UPPER, self.freedom);
        let standard_error = (self.variance * (1.0 + raised)).sqrt();
        let back = |x: f64| match skewness.abs() < 1e-6 {
            true => x,
            false => 3.0 / skewness * ((1.0 + skewness * (x - skewness / 6.0)).cbrt() - 1.0),
        };
        let (lo, hi) = (self.value - standard_error * back(t), self.value - standard_error * back(-t));
        ItemEstimate { value: self.value, standard_error, lo, hi, items: self.items }
    }

    /// Wilson's interval of `values` from 0 to 1, `spread` being the mean squared distance of things from the mean.
    pub(super) fn wilson(&self, values: impl Iterator<Item = f64>, spread: f64) -> ItemEstimate {
        let value = self.value.clamp(0.0, 1.0);
        let freedom = if self.variance > 0.0 { self.freedom } else { self.effective - 1.0 };
        let t = student_quantile(UPPER, freedom);
        let answers = |alike: f64| match alike.is_finite() && alike > 0.0 {
            true => alike.min(self.things as f64 * self.variance * alike / spread).max(self.effective),
            false => self.effective,
        };
        let [lo, hi] = share_interval((value, self.variance), values, t, answers);
        ItemEstimate { value, standard_error: self.variance.sqrt(), lo, hi, items: self.items }
    }
}
