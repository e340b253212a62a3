//! Which map of the ladder of ratings a fit is.

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::options::Recalibration;
use super::pooling::Pooled;
use crate::belief::maps::{MapChoice, MapName, Variance};
use crate::belief::unfit::{Unfit, that};

/// Which map of the ladder a fit of ratings is, and how it came to be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatingMap {
    /// The map.
    pub name: MapName,
    /// The variances that the ratings' marginal likelihood chose: of what tells the groups' readings apart, and of the
    /// curve. Those of biases and of the curve are in squared units of the rating.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variances: Vec<Variance>,
    /// The choice with its evidence; `None` where the map was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<MapChoice>,
}

impl RatingMap {
    /// Whether a fit of this layout can be this map.
    pub(super) fn check(&self, layout: &Layout) -> Result<(), Unfit> {
        let of_map: &[Recalibration] = match self.name {
            MapName::Identity => &[Recalibration::Off],
            MapName::Line => &[Recalibration::Shared],
            MapName::Groups => &[Recalibration::ByGroup],
            MapName::Recalibrated => &[Recalibration::Shared, Recalibration::ByGroup],
            _ => &[],
        };
        let own = of_map.contains(&layout.recalibration) && (self.name == MapName::Recalibrated) == (layout.waves > 0);
        that(own, "map", || format!("{} does not belong to the layout", self.name))?;
        let blocks: Vec<&str> = self.variances.iter().map(|variance| variance.block.as_str()).collect();
        let wanted =
            if matches!(self.name, MapName::Groups | MapName::Recalibrated) { Pooled::names(layout) } else { vec![] };
        that(blocks == wanted, "map.variances", || format!("are of {blocks:?} and must be of {wanted:?}"))?;
        let possible = |v: &Variance| v.variance.is_finite() && v.variance >= 0.0 && v.determined.is_finite();
        that(self.variances.iter().all(possible), "map.variances", || "are not finite, or below 0".to_owned())
    }
}
