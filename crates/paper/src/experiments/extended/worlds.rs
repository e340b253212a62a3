//! Where the recalibration helps and what it costs: worlds whose truth is known.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::experiments::Error;
use crate::experiments::dice::{DiceExperiment, FeatureSet, Tier};
use crate::experiments::simulations::calibrated::{CalibratedWorld, WorldSpec};
use crate::experiments::simulations::misspecified::MisspecifiedWorld;
use crate::experiments::steps::Published;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::recalibration::RecalibrationOptions;
use judge_uncertainty_core::belief::{
    Belief, BeliefModel, BeliefTable, Beliefs, Design, Feature, FeatureColumn, FittedBelief, JudgedItems,
    Recalibration, TrustError, TrustPrior,
};
use judge_uncertainty_core::escalation::{Budget, regret};
use judge_uncertainty_core::stats::beta::beta_cdf;
use judge_uncertainty_core::stats::{Summary, mean, population_sd, sample_sd};
use judge_uncertainty_evaluation::protocol::log_labels;
use judge_uncertainty_evaluation::replicate;
use judge_uncertainty_system::progress::Progress;

/// Seed of the first world.
pub const SEED: u64 = 5_000_000;
const ITEMS: usize = 2000;
/// Trusts from 1 to 64 labels: every class then has evidence of at least 0.05, where the simulation's floor would start
/// to bend the truth.
const TRUST_RATIO: u32 = 64;
const PIT_BINS: usize = 10;
/// Levels of the credible intervals, in percent.
const LEVELS: [u32; 3] = [50, 80, 95];

/// A belief against the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorldAgreement {
    /// Mean Manhattan error of the posterior mean.
    pub error: Summary,
    /// Regret of Delta at 10%, as a share.
    pub delta_regret: Summary,
    /// Share of class probabilities inside their central credible interval, by level in percent.
    pub coverage: BTreeMap<u32, f64>,
    /// Shares of the probability integral transforms F(p_j) in ten equal bins; 0.1 each where the belief is calibrated.
    pub pit: Vec<f64>,
}

/// A parameter over worlds in which it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecoveredParameter {
    /// Name.
    pub name: String,
    /// Mean true value (it differs between worlds by the scale of the standardised feature).
    pub truth: f64,
    /// Mean deviation of the estimate from the truth.
    pub bias: f64,
    /// Standard deviation of that deviation over worlds.
    pub sd: f64,
    /// Mean stated standard error.
    pub stated_se: f64,
    /// Share of worlds whose 95% interval holds the truth.
    pub coverage: f64,
}

/// One kind of world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownWorlds {
    /// Worlds or re-draws.
    pub replicates: usize,
    /// Parameters, where the recalibration is the true one.
    pub recovered: Vec<RecoveredParameter>,
    /// How well beliefs agree with the truth: `published`, `recalibrated` and, in simulations, `true`.
    pub agreement: BTreeMap<String, WorldAgreement>,
    /// Error of the recalibrated belief minus that of the published one, paired.
    pub error_difference: Summary,
    /// Regret of Delta likewise.
    pub regret_difference: Summary,
}

/// What one belief shows in one world.
struct Seen {
    error: f64,
    delta_regret: f64,
    pit: Vec<f64>,
}

impl Seen {
    /// `values` is what a label on each item is truly worth.
    fn new(beliefs: &Beliefs, p: ArrayView2<f64>, values: &[f64]) -> Result<Self, Error> {
        let scores = beliefs.map(|b| b.label_value());
        let delta_regret = regret(values, &scores, &[], Budget::HEADLINE.of(values.len()))
            .ok_or(Error::Undefined { experiment: "extended", quantity: "regret in a known world" })?;
        let errors: Vec<f64> = beliefs.iter().zip(p.rows()).map(|(b, p)| b.manhattan(row(p))).collect();
        let transform = |(b, p): (judge_uncertainty_core::belief::Mixture, ndarray::ArrayView1<f64>)| -> Vec<f64> {
            let s = b.evidence();
            b.evidence_by_class().iter().zip(p).map(|(&a, &p)| beta_cdf(p, a, s - a)).collect()
        };
        Ok(Self { error: mean(&errors), delta_regret, pit: beliefs.iter().zip(p.rows()).flat_map(transform).collect() })
    }
}

/// One world seen by several beliefs, with the estimates of known parameters: (name, truth, estimate, standard error).
struct WorldReplicate {
    seen: BTreeMap<&'static str, Seen>,
    estimates: Vec<(String, f64, f64, f64)>,
}

impl KnownWorlds {
    fn over(replicates: &[WorldReplicate]) -> Self {
        let agreement = replicates[0].seen.keys().map(|&name| {
            let all: Vec<f64> = replicates.iter().flat_map(|r| r.seen[name].pit.iter().copied()).collect();
            let n = all.len() as f64;
            let mut pit = vec![0.0; PIT_BINS];
            for u in &all {
                pit[((u * PIT_BINS as f64) as usize).min(PIT_BINS - 1)] += 1.0 / n;
            }
            let inside = |level: u32| {
                let tail = 0.5 - f64::from(level) / 200.0;
                all.iter().filter(|u| (tail..=1.0 - tail).contains(*u)).count() as f64 / n
            };
            let agreement = WorldAgreement {
                error: Summary::over(replicates, |r| r.seen[name].error),
                delta_regret: Summary::over(replicates, |r| r.seen[name].delta_regret),
                coverage: LEVELS.map(|level| (level, inside(level))).into(),
                pit,
            };
            (name.to_owned(), agreement)
        });
        let difference = |of: fn(&Seen) -> f64| {
            Summary::over(replicates, |r| of(&r.seen["recalibrated"]) - of(&r.seen["published"]))
        };
        let recovered = replicates[0].estimates.iter().enumerate().map(|(k, (name, ..))| {
            let of = |f: fn(&(String, f64, f64, f64)) -> f64| -> Vec<f64> {
                replicates.iter().map(|r| f(&r.estimates[k])).collect()
            };
            let deviations = of(|e| e.2 - e.1);
            RecoveredParameter {
                name: name.clone(),
                truth: mean(&of(|e| e.1)),
                bias: mean(&deviations),
                sd: if deviations.len() > 1 { sample_sd(&deviations) } else { 0.0 },
                stated_se: mean(&of(|e| e.3)),
                coverage: mean(&of(|e| f64::from(u8::from((e.2 - e.1).abs() <= 1.96 * e.3)))),
            }
        });
        Self {
            replicates: replicates.len(),
            recovered: recovered.collect(),
            agreement: agreement.collect(),
            error_difference: difference(|s| s.error),
            regret_difference: difference(|s| s.delta_regret),
        }
    }
}

fn fit_both(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    recalibration: Recalibration,
) -> Result<[FittedBelief; 2], TrustError> {
    let options = RecalibrationOptions { recalibration, ..RecalibrationOptions::default() };
    let models = [BeliefModel::Published, BeliefModel::Recalibrated(options)];
    let [published, recalibrated] = models.map(|model| model.fit(items, counts, TrustPrior::None));
    Ok([published?, recalibrated?])
}

/// Calibrated worlds of the paper whose judge states a distorted prediction: q' = softmax(tau ln q + b) is the true
/// prior mean.
///
/// # Errors
/// A fit that is impossible.
pub fn calibrated(tau: f64, bias: [f64; 3], worlds: usize, progress: &dyn Progress) -> Result<KnownWorlds, Error> {
    let seeds: Vec<u64> = (0..worlds as u64).map(|s| SEED + s).collect();
    let all = replicate("known worlds", &seeds, progress, |&seed| {
        let spec =
            WorldSpec { items: ITEMS, width: 100, correlation: 0, trust_ratio: TRUST_RATIO, fixed_labels: None, seed };
        let world = CalibratedWorld::draw(&spec, &Published)?;
        let stated = distorted(&world.q, tau, bias);
        let design =
            Design::standardized(&[FeatureColumn::complete("familiarity", world.familiarity.iter().copied())])?;
        let items = JudgedItems::new(&design, stated.view(), &[]);
        let [published, recalibrated] = fit_both(&items, world.counts.view(), Recalibration::Shared)?;
        let truth = world.true_posterior();
        let values = truth.map(|b| b.label_value());
        let seen = |beliefs: &Beliefs| Seen::new(beliefs, world.p.view(), &values);

        let fit = recalibrated.recalibrated().expect("the second fit is the recalibrated one");
        let slope = f64::from(TRUST_RATIO).ln();
        let centre = 8.0_f64.ln() + slope * (mean(&world.familiarity) - 0.5);
        let truths = [centre, slope * population_sd(&world.familiarity), tau.ln(), bias[1], bias[2]];
        let names = ["intercept", "familiarity", "ln tau", "bias of class 2", "bias of class 3"];
        let beta = &fit.regression.coefficients;
        let estimates = [beta[0], beta[1], fit.tau[0].ln(), fit.bias[0][1], fit.bias[0][2]];
        let errors = fit.regression.standard_errors();
        Ok::<_, Error>(WorldReplicate {
            estimates: (0..5).map(|k| (names[k].to_owned(), truths[k], estimates[k], errors[k])).collect(),
            seen: BTreeMap::from([
                ("published", seen(&published.posterior(&items, world.counts.view()))?),
                ("recalibrated", seen(&recalibrated.posterior(&items, world.counts.view()))?),
                ("true", seen(&truth)?),
            ]),
        })
    })?;
    Ok(KnownWorlds::over(&all))
}

/// The prediction of which `softmax(tau ln . + b)` is `q`.
fn distorted(q: &Array2<f64>, tau: f64, bias: [f64; 3]) -> Array2<f64> {
    let mut stated = q.clone();
    for mut row in stated.rows_mut() {
        row.iter_mut().zip(bias).for_each(|(q, b)| *q = ((q.ln() - b) / tau).exp());
        let sum = row.sum();
        row.mapv_inplace(|q| q / sum);
    }
    stated
}

/// The paper's misspecified worlds, in which the prediction scatters about the truth and no recalibration is right.
///
/// # Errors
/// A fit that is impossible.
pub fn misspecified(gamma_percent: u32, worlds: usize, progress: &dyn Progress) -> Result<KnownWorlds, Error> {
    let seeds: Vec<u64> = (0..worlds as u64).map(|s| SEED + s).collect();
    let all = replicate("misspecified worlds", &seeds, progress, |&seed| {
        let world = MisspecifiedWorld::draw(gamma_percent, seed, &Published);
        let design = Design::standardized(&[
            FeatureColumn::complete("stated_spread", world.stated_spread.iter().copied()),
            FeatureColumn::complete(Feature::LogLabels, log_labels(&world.numbers)),
        ])?;
        let items = JudgedItems::new(&design, world.q.view(), &[]);
        known(&items, world.counts.view(), world.p.view(), Recalibration::Shared)
    })?;
    Ok(KnownWorlds::over(&all))
}

/// The dice with the real judge and their tiers as features; `by_tier` recalibrates each tier by itself.
///
/// # Errors
/// A fit that is impossible.
pub fn dice(
    experiment: &DiceExperiment,
    by_tier: bool,
    redraws: usize,
    progress: &dyn Progress,
) -> Result<KnownWorlds, Error> {
    let draws: Vec<u64> = (0..redraws as u64).collect();
    let tiers: Vec<usize> = (0..experiment.world().p.nrows()).map(|i| Tier::from_die(i) as usize).collect();
    let recalibration = if by_tier { Recalibration::ByGroup } else { Recalibration::Shared };
    let all = replicate("dice, recalibrated", &draws, progress, |&r| {
        let counts = experiment.redraw(r);
        let items = JudgedItems { groups: &tiers, ..experiment.judged(FeatureSet::Tier) };
        known(&items, counts.view(), experiment.world().p.view(), recalibration)
    })?;
    Ok(KnownWorlds::over(&all))
}

/// Both beliefs against known distributions; a label is worth what it removes on average under its belief.
fn known(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    p: ArrayView2<f64>,
    recalibration: Recalibration,
) -> Result<WorldReplicate, Error> {
    let [published, recalibrated] = fit_both(items, counts, recalibration)?;
    let seen = |fit: &FittedBelief| {
        let beliefs = fit.posterior(items, counts);
        let value = |(b, p): (judge_uncertainty_core::belief::Mixture, ndarray::ArrayView1<f64>)| {
            let p = row(p);
            b.manhattan(p) - p.iter().enumerate().map(|(j, w)| w * b.manhattan_after(j, p)).sum::<f64>()
        };
        let values: Vec<f64> = beliefs.iter().zip(p.rows()).map(value).collect();
        Seen::new(&beliefs, p, &values)
    };
    Ok(WorldReplicate {
        seen: BTreeMap::from([("published", seen(&published)?), ("recalibrated", seen(&recalibrated)?)]),
        estimates: vec![],
    })
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_distorted_prediction_is_undone_by_its_recalibration() {
        let q = array![[0.7, 0.2, 0.1], [0.05, 0.9, 0.05]];
        let (tau, bias) = (0.4, [0.0, 0.3, -0.5]);
        let stated = distorted(&q, tau, bias);
        for (s, q) in stated.rows().into_iter().zip(q.rows()) {
            let weights: Vec<f64> = s.iter().zip(bias).map(|(s, b)| s.powf(tau) * f64::exp(b)).collect();
            let sum: f64 = weights.iter().sum();
            assert!(weights.iter().zip(q).all(|(w, q)| (w / sum - q).abs() < 1e-12));
        }
    }
}
