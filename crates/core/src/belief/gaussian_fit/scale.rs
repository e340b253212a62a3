//! How a judge's scale is read: a line through its scores and the ratings.

use crate::belief::gaussian::Ratings;

/// A rated item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rated {
    /// The judge's score.
    pub(super) judge: f64,
    /// The annotators' labels.
    pub(super) labels: Ratings,
}

/// mu' = centre - bias + slope (mu - centre).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoreLine {
    pub(super) centre: f64,
    pub(super) bias: f64,
    pub(super) slope: f64,
}

impl ScoreLine {
    /// The judge's scores as they are.
    pub(super) const AS_GIVEN: Self = Self { centre: 0.0, bias: 0.0, slope: 1.0 };

    pub(super) fn read(&self, judge: f64) -> f64 {
        self.centre - self.bias + self.slope * (judge - self.centre)
    }

    /// This line with its bias told at another centre.
    pub(super) fn about(&self, centre: f64) -> Self {
        Self { centre, bias: centre - self.read(centre), slope: self.slope }
    }

    /// Sum of the squared differences of an item's labels from the judge's score as it is read.
    pub(super) fn squares(&self, rated: &Rated) -> f64 {
        let off = rated.labels.mean - self.read(rated.judge);
        rated.labels.squares + f64::from(rated.labels.n) * off * off
    }

    /// Least squares through the means of the labels of at least one item, each of which counts once; where the judge
    /// gives all items the same score, or there are two items only, with slope 1.
    pub(super) fn through(rated: &[Rated]) -> Self {
        let n = rated.len() as f64;
        let mean = |f: &dyn Fn(&Rated) -> f64| rated.iter().map(f).sum::<f64>() / n;
        let (centre, labels) = (mean(&|r| r.judge), mean(&|r| r.labels.mean));
        let sxx = mean(&|r| (r.judge - centre).powi(2));
        let sxy = mean(&|r| (r.judge - centre) * (r.labels.mean - labels));
        let varies = rated.len() > 2 && sxx > 1e-12 * (centre * centre + sxx);
        Self { centre, bias: centre - labels, slope: if varies { sxy / sxx } else { 1.0 } }
    }
}
