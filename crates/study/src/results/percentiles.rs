//! How a quantity is spread over items.

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::stats::quantile::percentiles;

/// Percentiles over items; written as `[low, median, high]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "[f64; 3]", from = "[f64; 3]")]
pub struct OverItems {
    /// 5 percentile.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// 95 percentile.
    pub high: f64,
}

impl OverItems {
    /// The percentiles of one value per item.
    pub fn new(values: &[f64]) -> Self {
        percentiles(values, [5.0, 50.0, 95.0]).into()
    }
}

impl From<[f64; 3]> for OverItems {
    fn from([low, median, high]: [f64; 3]) -> Self {
        Self { low, median, high }
    }
}

impl From<OverItems> for [f64; 3] {
    fn from(over: OverItems) -> Self {
        [over.low, over.median, over.high]
    }
}
