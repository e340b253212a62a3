//! What moved when labels came back from experts: epistemic uncertainty drained, aleatoric left, error against promise.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::intake::log::Batch;
use super::{Decomposition, Error, Study};
use crate::belief::{Belief, BeliefTable, Beliefs, TrustError};
use crate::dataset::LabelCounts;
use crate::progress::Progress;
use crate::stats::{mean, sample_sd};

/// The study with the added labels against the study without them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// What was added, in order.
    pub batches: Vec<Batch>,
    /// Labels added.
    pub labels: usize,
    /// Items that got some.
    pub touched: Shift,
    /// Items that got none; they move with the fitted trust only.
    pub untouched: Option<Shift>,
    /// The labels against what the belief before them expected.
    pub first: Comparison,
    /// Error removed by the labels, measured on labels held out; `None` if no item got two.
    pub removed: Option<Comparison>,
}

/// Means over a group of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Items.
    pub items: usize,
    /// Epistemic part, in the unit of the study's decomposition.
    pub epistemic: Stages,
    /// Aleatoric part, in the same unit.
    pub aleatoric: Stages,
    /// Expected squared error of the mean.
    pub spread: Stages,
}

/// One quantity at three stages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Without the added labels.
    pub before: f64,
    /// With them, the trust being as it was.
    pub by_labels: f64,
    /// With them, the trust fitted anew.
    pub after: f64,
}

/// A quantity that the belief had foreseen, and what came of it, averaged over items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Items.
    pub items: usize,
    /// As foreseen before the labels.
    pub predicted: f64,
    /// As it came.
    pub realised: f64,
    /// Standard error of the latter over items; `None` for one item.
    pub se: Option<f64>,
}

impl Comparison {
    /// Averages one pair (predicted, realised) per item; `None` without items.
    pub(super) fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let (predicted, realised): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let items = pairs.len();
        (items > 0).then(|| Self {
            items,
            predicted: mean(&predicted),
            realised: mean(&realised),
            se: (items > 1).then(|| sample_sd(&realised) / (items as f64).sqrt()),
        })
    }
}

impl Shift {
    /// Averages over the items at positions `items`; `parts` gives epistemic part, aleatoric part and squared error of an
    /// item at a stage, 0 to 2. `None` without items.
    pub(super) fn of(items: &[usize], parts: impl Fn(usize, usize) -> [f64; 3]) -> Option<Self> {
        let mut sums = [[0.0; 3]; 3];
        for &i in items {
            for (stage, sums) in sums.iter_mut().enumerate() {
                sums.iter_mut().zip(parts(stage, i)).for_each(|(sum, part)| *sum += part);
            }
        }
        let n = items.len() as f64;
        let stages =
            |part: usize| Stages { before: sums[0][part] / n, by_labels: sums[1][part] / n, after: sums[2][part] / n };
        (!items.is_empty()).then(|| Self {
            items: items.len(),
            epistemic: stages(0),
            aleatoric: stages(1),
            spread: stages(2),
        })
    }
}

impl Movement {
    /// Compares a study's decomposition with that of the same study without its added labels; `None` if none were added,
    /// or if there were no others.
    ///
    /// Squared errors are those of the mean m as a distribution over classes. The error against a single label y,
    /// |e_y - m|^2, is foreseen to be 1 - sum m_j^2 (`first`). How far labels lowered the error is measured by holding one
    /// label of an item out at a time and comparing the errors with and without the item's other new labels (`removed`);
    /// it is foreseen to be the fall of the spread by that many labels.
    ///
    /// # Errors
    /// As [`Decomposition::of`].
    pub fn of(study: &Study, after: &Decomposition, progress: &dyn Progress) -> Result<Option<Self>, Error> {
        let added = &study.labels.added;
        if added.labels.is_empty() {
            return Ok(None);
        }
        let union = study.labels.counts.counts();
        let mut new = Array2::<u32>::zeros(union.dim());
        added.labels.iter().for_each(|label| new[[label.item, label.class]] += 1);
        let mut earlier = study.clone();
        earlier.labels.counts = LabelCounts::new(study.labels.counts.classes().to_vec(), union - &new)?;
        let before = match Decomposition::of(&earlier, progress) {
            Err(Error::Trust(TrustError::NoLabels)) => return Ok(None),
            before => before?,
        };
        let by_labels = Beliefs::posterior(&before.trust, study.predictions.q.view(), union.view());
        let (touched, untouched): (Vec<usize>, Vec<usize>) =
            (0..study.len()).partition(|&i| new.row(i).iter().any(|&c| c > 0));
        let parts = |stage: usize, i: usize| {
            let belief = [&before.beliefs, &by_labels, &after.beliefs][stage].get(i);
            [belief.epistemic(), belief.aleatoric(), belief.spread()]
        };

        let (mut first, mut removed) = (vec![], vec![]);
        for &i in &touched {
            let belief = before.beliefs.get(i);
            let labels: Vec<u32> = new.row(i).to_vec();
            let n: u32 = labels.iter().sum();
            first.push((belief.gini(), over_labels(&labels, |y| squared_error(belief.alpha(), y))));
            if n > 1 {
                let fall = belief.spread() - belief.spread_after(n - 1);
                let gain = |y: usize| {
                    let with_others: Vec<f64> = belief
                        .alpha()
                        .iter()
                        .zip(&labels)
                        .enumerate()
                        .map(|(j, (a, &c))| a + f64::from(c) - if j == y { 1.0 } else { 0.0 })
                        .collect();
                    squared_error(belief.alpha(), y) - squared_error(&with_others, y)
                };
                removed.push((fall, over_labels(&labels, gain)));
            }
        }
        let (Some(touched), Some(first)) = (Shift::of(&touched, parts), Comparison::of(&first)) else {
            return Ok(None);
        };
        Ok(Some(Self {
            batches: added.batches.clone(),
            labels: added.labels.len(),
            touched,
            untouched: Shift::of(&untouched, parts),
            first,
            removed: Comparison::of(&removed),
        }))
    }
}

/// Mean of `f` over the labels of an item.
fn over_labels(labels: &[u32], f: impl Fn(usize) -> f64) -> f64 {
    let n: u32 = labels.iter().sum();
    labels.iter().enumerate().filter(|(_, c)| **c > 0).map(|(y, &c)| f64::from(c) * f(y)).sum::<f64>() / f64::from(n)
}

/// |e_y - m|^2 of the mean of a belief with evidence `alpha`.
fn squared_error(alpha: &[f64], y: usize) -> f64 {
    let total: f64 = alpha.iter().sum();
    alpha.iter().enumerate().map(|(j, a)| (a / total - if j == y { 1.0 } else { 0.0 }).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::Dirichlet;
    use crate::random::Stream;

    #[test]
    fn squared_errors_by_hand() {
        assert!((squared_error(&[1.0, 3.0], 1) - (0.25_f64.powi(2) * 2.0)).abs() < 1e-15);
        assert_eq!(over_labels(&[3, 0, 1], |y| y as f64), 0.5);
        let one = Comparison::of(&[(1.0, 2.0)]).unwrap();
        assert_eq!((one.items, one.predicted, one.realised, one.se), (1, 1.0, 2.0, None));
        assert_eq!(Comparison::of(&[]), None);
    }

    /// Labels that come from the belief itself: both comparisons hold on average, which is what makes them tests of it.
    #[test]
    fn what_is_foreseen_comes_true_for_a_right_belief() {
        let mut stream = Stream::new(9);
        let alpha = [0.8, 2.0, 1.1];
        let belief = Dirichlet::new(&alpha);
        let (mut first, mut removed) = (vec![], vec![]);
        for _ in 0..20_000 {
            let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a)).collect();
            let sum: f64 = g.iter().sum();
            let p: Vec<f64> = g.iter().map(|g| g / sum).collect();
            let mut labels = [0; 3];
            stream.multinomial(4, &p, &mut labels);
            first.push((belief.gini(), over_labels(&labels, |y| squared_error(&alpha, y))));
            let gain = |y: usize| {
                let mut others: Vec<f64> = alpha.iter().zip(&labels).map(|(a, &c)| a + f64::from(c)).collect();
                others[y] -= 1.0;
                squared_error(&alpha, y) - squared_error(&others, y)
            };
            removed.push((belief.spread() - belief.spread_after(3), over_labels(&labels, gain)));
        }
        for pairs in [first, removed] {
            let c = Comparison::of(&pairs).unwrap();
            assert!((c.realised - c.predicted).abs() < 4.0 * c.se.unwrap() && c.se.unwrap() < 0.01, "{c:?}");
            assert!(c.predicted > 0.05);
        }
    }
}
