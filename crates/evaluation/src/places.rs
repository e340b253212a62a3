//! Where held-out labels lie in their predictive distributions.

use serde::{Deserialize, Serialize};

/// Levels of the intervals that held-out labels are compared with.
pub const LEVELS: [f64; 3] = [0.5, 0.8, 0.95];
/// Equal parts of 0 to 1 into which the places of held-out labels are counted.
const PARTS: usize = 10;

/// Places of labels in their predictive distributions (probability integral transform): uniform on 0 to 1 where the
/// belief is calibrated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PitHistogram {
    /// Labels by tenth of 0 to 1.
    pub tenths: [u64; PARTS],
    /// Labels within the central interval of each of [`LEVELS`].
    pub inside: [u64; 3],
}

impl PitHistogram {
    /// Counts labels by their places.
    pub fn new(places: impl IntoIterator<Item = f64>) -> Self {
        let mut counted = Self::default();
        for u in places {
            counted.tenths[((u * PARTS as f64) as usize).min(PARTS - 1)] += 1;
            for (inside, level) in counted.inside.iter_mut().zip(LEVELS) {
                *inside += u64::from((u - 0.5).abs() <= 0.5 * level);
            }
        }
        counted
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.tenths.iter_mut().zip(other.tenths).for_each(|(sum, n)| *sum += n);
        self.inside.iter_mut().zip(other.inside).for_each(|(sum, n)| *sum += n);
    }

    /// Number of labels.
    pub fn ratings(&self) -> u64 {
        self.tenths.iter().sum()
    }
}

/// How many held-out labels fell into their central intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Probability that the intervals are to have.
    pub level: f64,
    /// Share of labels inside.
    pub inside: f64,
    /// Labels held out.
    pub ratings: u64,
}

impl Coverage {
    /// The coverage at each of [`LEVELS`]; none without labels.
    pub fn at_levels(places: &PitHistogram) -> Vec<Self> {
        let ratings = places.ratings();
        if ratings == 0 {
            return vec![];
        }
        let at = |(level, n): (f64, u64)| Self { level, inside: n as f64 / ratings as f64, ratings };
        LEVELS.into_iter().zip(places.inside).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_and_coverage_by_hand() {
        let places = [0.0, 0.05, 0.3, 0.5, 0.7, 0.99, 1.0];
        let places = PitHistogram::new(places);
        assert_eq!(places.tenths, [2, 0, 0, 1, 0, 1, 0, 1, 0, 2]);
        // Within 0.25 to 0.75: three of seven; within 0.1 to 0.9 the same; within 0.025 to 0.975: four.
        let inside: Vec<f64> = Coverage::at_levels(&places).iter().map(|c| 7.0 * c.inside).collect();
        assert!(inside.iter().zip([3.0, 3.0, 4.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{inside:?}");
        assert_eq!(Coverage::at_levels(&PitHistogram::new([])), []);
    }
}
