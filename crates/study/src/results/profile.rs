//! The judge's prediction of an item beside the belief and the labels held.

/// Judge and belief are apart where so much probability lies elsewhere, or so many standard deviations of the judge's.
const APART: f64 = 0.25;

/// What the judge predicts of an item, beside what is believed once its labels are in.
#[derive(Debug, Clone, PartialEq)]
pub enum Profile {
    /// Shares of the classes.
    Shares {
        /// The judge's prediction.
        judge: Vec<f64>,
        /// The mean of the belief.
        belief: Vec<f64>,
        /// Labels held, by class.
        counts: Vec<u32>,
    },
    /// Places on a scale.
    Scores {
        /// The judge's score, and its standard deviation if one is stated.
        judge: (f64, Option<f64>),
        /// Mean of the belief, and standard deviation of a fresh label.
        belief: (f64, f64),
        /// Labels held, one per annotator.
        labels: Vec<f64>,
    },
}

impl Profile {
    /// Whether the labels have moved the belief far from the judge's prediction.
    pub fn is_apart(&self) -> bool {
        match self {
            Self::Shares { judge, belief, .. } => {
                0.5 * judge.iter().zip(belief).map(|(q, m)| (q - m).abs()).sum::<f64>() > APART
            }
            Self::Scores { judge, belief, .. } => (judge.0 - belief.0).abs() > judge.1.unwrap_or(belief.1),
        }
    }
}
