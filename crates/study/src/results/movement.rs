//! What moved when labels came back from experts: epistemic uncertainty drained, aleatoric left, error against promise.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::input::label_store::LabelBatch;
use crate::kinds::{classes, scores};
use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::belief::{ItemBelief, ItemBeliefs};
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_system::progress::Progress;

/// The study with the added labels against the study without them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// What was added, in order.
    pub batches: Vec<LabelBatch>,
    /// Labels added.
    pub labels: usize,
    /// Items that got some.
    pub touched: Shift,
    /// Items that got none; they move with the fitted trust only.
    pub untouched: Option<Shift>,
    /// The labels against what the belief before them expected.
    pub first: MeanForesight,
    /// Error removed by the labels, measured on labels held out; `None` if no item got two.
    pub removed: Option<MeanForesight>,
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
    /// With them, the fit being as it was.
    pub by_labels: f64,
    /// With them, everything fitted anew.
    pub after: f64,
}

/// A quantity that the belief had foreseen, and what came of it, averaged over items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanForesight {
    /// Items.
    pub items: usize,
    /// As foreseen before the labels.
    pub predicted: f64,
    /// As it came.
    pub realised: f64,
    /// Standard error of the latter over items; `None` for one item.
    pub se: Option<f64>,
}

impl MeanForesight {
    /// Averages over items, each as foreseen and as it came; `None` without any.
    fn new(items: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let (predicted, realised): (Vec<f64>, Vec<f64>) = items.into_iter().unzip();
        let items = realised.len();
        (items > 0).then(|| Self {
            items,
            predicted: mean(&predicted),
            realised: mean(&realised),
            se: (items > 1).then(|| sample_sd(&realised) / (items as f64).sqrt()),
        })
    }
}

impl Shift {
    /// Means over the items at positions `items` of the beliefs at the three stages; `None` without any.
    fn new(beliefs: [&ItemBeliefs; 3], items: &[usize]) -> Option<Self> {
        let stages = |part: &dyn Fn(ItemBelief<'_>) -> f64| {
            let over = |beliefs: &ItemBeliefs| {
                items.iter().fold(0.0, |sum, &i| sum + part(beliefs.get(i))) / items.len() as f64
            };
            let [before, by_labels, after] = beliefs.map(over);
            Stages { before, by_labels, after }
        };
        (!items.is_empty()).then(|| Self {
            items: items.len(),
            epistemic: stages(&|belief| belief.epistemic()),
            aleatoric: stages(&|belief| belief.aleatoric()),
            spread: stages(&|belief| belief.spread()),
        })
    }
}

impl Movement {
    /// Compares a study's decomposition with that of the study without its added labels; `None` if none were added,
    /// or if there were no others.
    ///
    /// Squared errors are those of the belief's mean. How far labels lowered the error is measured by holding one label
    /// of an item out at a time and comparing the errors with and without the item's other new labels (`removed`); it
    /// is foreseen to be the fall of the spread by that many labels.
    ///
    /// # Errors
    /// As [`Decomposition::new`].
    pub fn new(study: &Study, after: &Decomposition, progress: &dyn Progress) -> Result<Option<Self>, Error> {
        let labels = study.labels.added().count();
        if labels == 0 {
            return Ok(None);
        }
        let own = study.labels.without_added();
        if own.numbers().iter().all(|&n| n == 0) {
            return Ok(None);
        }
        let before = Decomposition::over(study, &own, &(0..study.len()).collect::<Vec<_>>(), progress)?;
        let came = match &before.fitted.beliefs {
            ItemBeliefs::Ratings(beliefs) => scores::came_back(beliefs, &study.labels),
            _ => classes::kind::came_back(study, &before),
        };
        let (touched, untouched): (Vec<usize>, Vec<usize>) = (0..study.len()).partition(|&i| came[i].is_some());
        let by_labels = before.pool.beliefs(&before.fitted.fit, &before.fitted.design, &after.pool.all());
        let shift = |items: &[usize]| Shift::new([&before.fitted.beliefs, &by_labels, &after.fitted.beliefs], items);
        let (first, removed): (Vec<_>, Vec<_>) = came.into_iter().flatten().unzip();
        let (Some(touched), Some(first)) = (shift(&touched), MeanForesight::new(first)) else {
            return Ok(None);
        };
        Ok(Some(Self {
            batches: study.labels.batches.clone(),
            labels,
            touched,
            untouched: shift(&untouched),
            first,
            removed: MeanForesight::new(removed.into_iter().flatten()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_by_hand() {
        let one = MeanForesight::new([(1.0, 2.0)]).unwrap();
        assert_eq!((one.items, one.predicted, one.realised, one.se), (1, 1.0, 2.0, None));
        // Of 2 and 4: standard deviation sqrt 2, over sqrt 2.
        assert_eq!(MeanForesight::new([(1.0, 2.0), (3.0, 4.0)]).unwrap().se, Some(1.0));
        assert_eq!(MeanForesight::new([]), None);
    }
}
