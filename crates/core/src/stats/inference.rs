//! Intervals that speak about new items, one comparison at a time and all compared ones at once.

use serde::{Deserialize, Serialize};

use super::new_items::NewItems;
use super::summary::Summary;

/// One compared quantity with what is known of its chance variation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inference {
    /// Over label re-draws of the items at hand, as the paper summarises: mean, Monte-Carlo standard error, 2.5 and
    /// 97.5 percentiles. Says nothing about other items.
    pub redraws: Summary,
    /// Standard error of the mean when the items are a sample of all items there could be, and the re-draws of all
    /// re-draws ([`super::new_items::new_items`]); it ignores the uncertainty of the fit.
    pub se: f64,
    /// Lower bound of the plain 95% interval.
    pub lo: f64,
    /// Upper bound.
    pub hi: f64,
    /// Lower bound of the simultaneous 95% interval over all quantities compared together.
    pub simultaneous_lo: f64,
    /// Upper bound.
    pub simultaneous_hi: f64,
    /// Standard deviation of the quantity in one deployment: new items, one draw of labels.
    pub deployment_sd: f64,
}

impl Inference {
    /// Of a quantity with these values in the re-draws and this interval; without one, because it is the same whatever
    /// the items, it has no width.
    ///
    /// One deployment varies as new items do, and as one re-draw does: variance se^2 - v/R + v, with v the variance
    /// over the R re-draws.
    ///
    /// # Panics
    /// If `of_redraws` is empty.
    pub fn new(of_redraws: &[f64], found: Option<&NewItems>) -> Self {
        let redraws = Summary::new(of_redraws);
        let point = NewItems::certain(redraws.mean);
        let found = found.unwrap_or(&point);
        let of_all = redraws.se * redraws.se;
        let (of_items, of_one) = ((found.se * found.se - of_all).max(0.0), of_all * of_redraws.len() as f64);
        Self {
            redraws,
            se: found.se,
            lo: found.plain.lo,
            hi: found.plain.hi,
            simultaneous_lo: found.simultaneous.lo,
            simultaneous_hi: found.simultaneous.hi,
            deployment_sd: (of_items + of_one).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::new_items::{Contribution, Gathered, new_items};
    use super::super::summary::sample_sd;
    use super::*;
    use crate::random::Stream;

    /// Values of items in a sum, and noise of the re-draw: known variances.
    #[test]
    fn variance_components_are_those_of_items_and_redraws() {
        let (items, redraws) = (400, 300);
        let mut stream = Stream::new(17);
        let values: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
        let mut gathered = Gathered::over(items);
        for _ in 0..redraws {
            // The noise is spread over all items, as one amount each.
            let noise = 25.0 * stream.standard_normal() / items as f64;
            let of = |(item, value): (usize, &f64)| Contribution { item, share: 1.0, worth: value + noise };
            gathered.add(values.iter().enumerate().map(of));
        }
        let own = gathered.contributions().unwrap();
        let found = new_items(std::slice::from_ref(&own), 0.95, &mut Stream::new(0));
        let got = Inference::new(&own.of_redraws, found[0].as_ref());
        let of_items = sample_sd(&values).powi(2) * items as f64;
        let of_redraws = sample_sd(&own.of_redraws).powi(2);
        assert!((of_redraws / 625.0 - 1.0).abs() < 0.2, "{of_redraws}");
        assert!((got.se.powi(2) / (of_items + of_redraws / f64::from(redraws)) - 1.0).abs() < 0.01, "{got:?}");
        assert!((got.deployment_sd.powi(2) / (of_items + of_redraws) - 1.0).abs() < 0.01, "{got:?}");
        // One quantity: both intervals are one.
        assert_eq!((got.lo, got.hi), (got.simultaneous_lo, got.simultaneous_hi));
        assert!(got.lo < got.redraws.mean && got.redraws.mean < got.hi);
    }

    #[test]
    fn what_never_varies_has_no_width() {
        let got = Inference::new(&[1.0, 1.0], None);
        assert_eq!((got.se, got.lo, got.simultaneous_hi, got.deployment_sd), (0.0, 1.0, 1.0, 0.0));
    }
}
