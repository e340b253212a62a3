//! What a registration in `data/registration` says, and verdicts by it.

use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::stats::{mean, sample_sd};
use sha2::{Digest, Sha256};

/// The text of a registration.
pub(crate) struct Registration(&'static str);

impl Registration {
    /// A registration whose file has the SHA-256 sum that was written beside it.
    pub(crate) fn checked(name: &str, text: &'static str, sums: &str) -> Self {
        let sum: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(sums.starts_with(&sum), "{name} is not the file that was registered: its SHA-256 is {sum}");
        Self(text)
    }

    /// A number by its name.
    pub(crate) fn number(&self, name: &str) -> f64 {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_prefix('='));
        let value = line.and_then(|value| value.trim().replace('_', "").parse().ok());
        value.unwrap_or_else(|| panic!("{name} is registered"))
    }

    /// How many worlds of so many items are drawn, and the seed of the first.
    pub(crate) fn worlds(&self, items: usize) -> (u64, u64) {
        (self.number(&format!("worlds_{items}")) as u64, self.number("first_seed") as u64)
    }

    /// Whether a difference is no larger than the margin.
    pub(crate) fn harm(&self, difference: Difference) -> &'static str {
        let (reach, margin) = (self.number("z") * difference.se, self.number("margin"));
        match () {
            () if difference.mean + reach <= margin => "shown",
            () if difference.mean - reach > margin => "failed",
            () => "open",
        }
    }

    /// Whether a difference is below 0, where that is expected.
    pub(crate) fn gain(&self, expected: bool, difference: Difference) -> &'static str {
        match (expected, difference.mean + self.number("z") * difference.se < 0.0) {
            (false, _) => "",
            (true, true) => "yes",
            (true, false) => "no",
        }
    }

    /// A share of intervals that hold, and whether it is outside what is meant.
    pub(crate) fn coverage(&self, share: f64) -> String {
        let met = (self.number("coverage_from")..=self.number("coverage_to")).contains(&share);
        format!("{share:.3}{}", if met { "" } else { " (missed)" })
    }
}

/// The mean over worlds of how far one error is above another, and its standard error.
#[derive(Clone, Copy)]
pub(crate) struct Difference {
    mean: f64,
    se: f64,
}

impl Difference {
    pub(crate) fn new(errors: &[f64], others: &[f64]) -> Self {
        let apart: Vec<f64> = errors.iter().zip(others).map(|(error, other)| error - other).collect();
        Self { mean: mean(&apart), se: sample_sd(&apart) / (apart.len() as f64).sqrt() }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:+.4} (se {:.4})", self.mean, self.se)
    }
}

/// How often each map was chosen, the simplest first.
pub(crate) fn how_often(maps: impl Iterator<Item = MapName>, chosen: &[MapName]) -> String {
    let times = |map| (map, chosen.iter().filter(|one| **one == map).count());
    let named = maps.map(times).filter(|(_, n)| *n > 0).map(|(map, n)| format!("{map} {n}"));
    named.collect::<Vec<_>>().join(", ")
}
