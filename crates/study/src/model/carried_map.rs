//! A map that another study fitted, with all that it takes to read items of this one.

use serde::{Deserialize, Serialize};

use judge_uncertainty_core::belief::Unfit;
use judge_uncertainty_core::belief::maps::Map;

/// A map of another study: what it adds to the log predictions is the start of the map here
/// ([`judge_uncertainty_core::belief::maps::Carried`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedMap {
    /// What that study is called.
    pub study: String,
    /// The map.
    pub map: Map,
    /// Names of the judge's variants there, in the order in which the map reads them.
    pub variants: Vec<String>,
    /// Names of the groups there, in order; items of other groups are read as those of no group.
    pub groups: Vec<String>,
    /// The features of the trust there, in order, on the scale on which the map reads them.
    pub features: Vec<CarriedScale>,
    /// What the judge of that study differs in, in words; `None` where nothing tells another one.
    pub another_judge: Option<String>,
}

/// A feature on the scale of another study: z = clamp((x - mean) / sd, low, high), 0 where x is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedScale {
    /// The feature.
    pub name: String,
    /// Its mean there.
    pub mean: f64,
    /// Its standard deviation there, above 0.
    pub sd: f64,
    /// The values of its labelled items, in standard deviations from the mean; `None` where the map extrapolates.
    pub limits: Option<(f64, f64)>,
}

impl CarriedMap {
    /// Whether it is a map of so many classes that can be computed with.
    ///
    /// # Errors
    /// What contradicts itself.
    pub fn check(&self, classes: usize) -> Result<(), Unfit> {
        let names: Vec<&str> = self.features.iter().map(|feature| feature.name.as_str()).collect();
        let kept = |problem: &str| Unfit { field: "kept", problem: problem.to_owned() };
        if self.map.is_on_a_carried_map() {
            return Err(kept("starts from another map"));
        }
        let possible = |f: &CarriedScale| {
            let (low, high) = f.limits.unwrap_or((0.0, 0.0));
            f.mean.is_finite() && f.sd.is_finite() && f.sd > 0.0 && low.is_finite() && high.is_finite() && low <= high
        };
        if !self.features.iter().all(possible) || self.map.reads().variants > self.variants.len() {
            return Err(kept("has a scale or variants that no fit has"));
        }
        self.map.check(&names, classes, self.groups.len())
    }
}
