//! What fit and decomposition say of a study of scores, and the table of its items.

use serde::Serialize;

use super::judge::ScoreJudge;
use super::pool::RatingPool;
use super::ratings::Ratings;
use crate::belief::{Belief, Gaussian, Scores as Labels};
use crate::evaluation::{Coverage, Places, Pool};
use crate::stats::mean;
use crate::study::kind::{CameBack, Decomposition, Foresight, Kind, Study};
use crate::study::output::{OutputColumn, Values};
use crate::study::parts::PartAverages;

/// What the fit says besides the trust regression.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreFit {
    /// nu: what the judge's variance is worth, in degrees of freedom.
    pub freedom: f64,
    /// The fitted variance of items whose judge states none; `None` if all do.
    pub common_variance: Option<f64>,
}

/// What the decomposition says besides the parts of every item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreFindings {
    /// Averages over all items.
    pub decomposition: PartAverages,
    /// Held-out ratings against their intervals, one for each item with two labels or more; none without such items.
    pub calibration: Vec<Coverage>,
    /// Where these ratings lie in their predicted distributions (probability integral transform).
    pub places: Places,
}

impl ScoreFindings {
    /// Reads a decomposition.
    pub fn of<K: Kind<Pool = RatingPool>>(decomposition: &Decomposition<K>) -> Self {
        let places = held_out(decomposition);
        Self {
            decomposition: PartAverages::of(decomposition, decomposition.pool.repeats()),
            calibration: Coverage::of(&places),
            places,
        }
    }
}

/// Where held-out ratings lie in their predicted distributions, 0 to 1: each item's first annotator is held out, and one
/// of their ratings compared with the belief from the others. The fitted trust has seen the rating, among all others.
fn held_out<K: Kind<Pool = RatingPool>>(d: &Decomposition<K>) -> Places {
    let within = d.pool.repeats().map(|repeats| repeats.variance);
    let priors = d.pool.priors(&d.fitted.fit, &d.fitted.design);
    let of = |(prior, groups): (&Gaussian, &Vec<Vec<f64>>)| {
        let (first, others) = groups.split_first().filter(|(_, others)| !others.is_empty())?;
        let others = Labels::by_annotator(others.iter().map(Vec::as_slice), within);
        Some(prior.updated(&others).label_cdf(first[0]))
    };
    Places::of(priors.iter().zip(d.pool.ratings()).filter_map(of))
}

/// Compares the added ratings of every item with the belief before them, in squared error of the mean.
pub fn came_back(before: &[Gaussian], ratings: &Ratings) -> Vec<Option<CameBack>> {
    let mut added: Vec<Vec<f64>> = vec![vec![]; before.len()];
    ratings.added().for_each(|rating| added[rating.item].push(rating.score));
    let of = |(labels, belief): (&Vec<f64>, &Gaussian)| {
        let error = |belief: &Gaussian, y: f64| (y - belief.mean).powi(2);
        let realised = mean(&labels.iter().map(|&y| error(belief, y)).collect::<Vec<_>>());
        let gain = |k: usize| {
            let others: Vec<f64> =
                labels.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, y)| *y).collect();
            error(belief, labels[k]) - error(&belief.updated(&Labels::of(&others)), labels[k])
        };
        let removed = (labels.len() > 1).then(|| {
            let others = labels.len() as f64 - 1.0;
            Foresight {
                foreseen: belief.epistemic() * others / (belief.evidence() + others),
                realised: mean(&(0..labels.len()).map(gain).collect::<Vec<_>>()),
            }
        });
        let first = Foresight { foreseen: belief.total(), realised };
        (!labels.is_empty()).then_some(CameBack { first, removed })
    };
    added.iter().zip(before).map(of).collect()
}

/// Everything known about every item of a study of scores.
pub fn columns<K: Kind<Pool = RatingPool, Judge = ScoreJudge>>(
    study: &Study<K>,
    d: &Decomposition<K>,
) -> Vec<OutputColumn> {
    const SCORE: &str = "units of the score";
    const SQUARE: &str = "squared units of the score";
    let beliefs = &d.fitted.beliefs;
    let labels = d.pool.all();
    let judge = &study.judge.scores;
    let belief = |name: &str, unit: &'static str, meaning: &str, f: &dyn Fn(&Gaussian) -> f64| {
        OutputColumn::numbers(name, unit, meaning, beliefs.iter().map(f))
    };
    let interval = |upper: bool| {
        move |b: &Gaussian| {
            let interval = b.mean_interval(0.95);
            if upper { interval.hi } else { interval.lo }
        }
    };
    let numbers = Values::Count(RatingPool::numbers(&labels));
    let label_means = labels.iter().map(|labels| (labels.n > 0).then_some(labels.mean));
    let sds = judge.variance.iter().map(|variance| variance.map(f64::sqrt));
    let mut columns = vec![
        OutputColumn::new("labels", "labels", "Human labels in hand, one for each annotator", numbers),
        OutputColumn::partial("label_mean", SCORE, "Mean of the labels; blank without any", label_means),
        OutputColumn::numbers(
            "judge_mean",
            SCORE,
            "The judge's expected mean of the annotators' scores",
            judge.mean.iter().copied(),
        ),
        OutputColumn::partial(
            "judge_sd",
            SCORE,
            "The judge's expected standard deviation; blank where none is stated",
            sds,
        ),
        OutputColumn::numbers(
            "trust",
            "labels",
            "Trust lambda: how many labels the judge's mean is worth",
            d.trust.iter().copied(),
        ),
        belief("total_evidence", "labels", "Total evidence about the mean, lambda' = trust + labels", &|b| b.evidence),
        belief("freedom", "degrees", "Evidence about the variance, nu' = nu + labels", &|b| b.freedom),
        belief("mean", SCORE, "Posterior mean of the pool's scores", &|b| b.mean),
        belief("mean_low", SCORE, "Lower end of the mean's central 95% interval", &interval(false)),
        belief("mean_high", SCORE, "Upper end of it", &interval(true)),
        belief("total", SQUARE, "Variance of a fresh label = aleatoric + epistemic", &Gaussian::total),
        belief("aleatoric", SQUARE, "Disagreement that labels cannot reduce, E[s^2]", &Gaussian::aleatoric),
    ];
    if let Some(repeats) = d.pool.repeats() {
        columns.extend([
            belief("within_annotators", SQUARE, "Aleatoric part: noise of an annotator who rates again", &|b| {
                repeats.split(b.aleatoric()).0
            }),
            belief("between_annotators", SQUARE, "Aleatoric part: disagreement between annotators", &|b| {
                repeats.split(b.aleatoric()).1
            }),
        ]);
    }
    columns.extend([
        belief("epistemic", SQUARE, "Var(m), the expected squared error of the mean; also v", &Gaussian::epistemic),
        belief("delta", SQUARE, "One-label value: how much one label is expected to lower it", &Gaussian::label_value),
    ]);
    columns
}
