//! Where each parameter of a fit of ratings stands.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::options::Recalibration;
use crate::belief::design::Design;
use crate::belief::regression::coefficient_names;

/// The names of the weights of a curve begin so; which of them the ratings tell says nothing by itself.
pub(super) const CURVE: &str = "curve ";

/// Positions of the parameters: beta with the intercept first, ln(nu - 2), and then for each group, as far as it has
/// them, the bias, the slope, ln of the factor on stated deviations, and ln s0^2 of items whose judge states none; last
/// the weights of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Layout {
    pub(super) features: usize,
    /// Groups with parameters of their own; one where all items share them.
    pub(super) groups: usize,
    pub(super) recalibration: Recalibration,
    /// Whether some item of the study, rated or not, has a variance that its judge states.
    pub(super) stated: bool,
    /// Whether some item needs a common variance.
    pub(super) common: bool,
    /// Waves of a curve for all items, behind all groups.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) waves: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Layout {
    fn reads(&self) -> bool {
        self.recalibration != Recalibration::Off
    }

    fn factors(&self) -> bool {
        self.reads() && self.stated
    }

    fn width(&self) -> usize {
        2 * usize::from(self.reads()) + usize::from(self.factors()) + usize::from(self.common)
    }

    pub(super) fn len(&self) -> usize {
        self.block(self.groups) + self.waves
    }

    /// Position of ln(nu - 2).
    pub(super) fn freedom(&self) -> usize {
        self.features + 1
    }

    fn block(&self, group: usize) -> usize {
        self.features + 2 + group * self.width()
    }

    pub(super) fn bias(&self, group: usize) -> Option<usize> {
        self.reads().then(|| self.block(group))
    }

    pub(super) fn slope(&self, group: usize) -> Option<usize> {
        self.reads().then(|| self.block(group) + 1)
    }

    pub(super) fn factor(&self, group: usize) -> Option<usize> {
        self.factors().then(|| self.block(group) + 2)
    }

    /// Position of ln s0^2.
    pub(super) fn variance(&self, group: usize) -> Option<usize> {
        self.common.then(|| self.block(group) + self.width() - 1)
    }

    /// Positions of the weights of the curve.
    pub(super) fn curve(&self) -> Range<usize> {
        self.block(self.groups)..self.len()
    }

    /// The group whose parameters item `i` has.
    pub(super) fn group(&self, groups: &[usize], i: usize) -> usize {
        match self.recalibration {
            Recalibration::ByGroup => groups.get(i).copied().expect("one group per item"),
            Recalibration::Off | Recalibration::Shared => 0,
        }
    }

    pub(super) fn names(&self, design: &Design) -> Vec<String> {
        let mut names = coefficient_names(design);
        names.push("ln(nu - 2)".to_owned());
        for group in 0..self.groups {
            let of =
                if self.recalibration == Recalibration::ByGroup { format!(" of group {group}") } else { String::new() };
            let own = [
                ("bias", self.bias(group)),
                ("slope", self.slope(group)),
                ("ln factor", self.factor(group)),
                ("ln s0^2", self.variance(group)),
            ];
            names.extend(own.into_iter().filter(|(_, at)| at.is_some()).map(|(name, _)| format!("{name}{of}")));
        }
        names.extend((1..=self.waves).map(|k| format!("{CURVE}{k}")));
        names
    }
}
