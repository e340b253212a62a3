//! The calibrated simulation: worlds drawn from the model itself, so that every label's value is known exactly.

use std::collections::BTreeMap;

use ndarray::Array2;

use crate::experiments::isolation::correlations;
use crate::experiments::steps::Steps;
use crate::experiments::world::{CLASSES, grouped_counts, normals, peaked_distributions, revealed_numbers};
use crate::experiments::{Error, priority};
use judge_uncertainty_core::belief::{
    Beliefs, Design, FeatureColumn, ItemBeliefs, Quantity, dirichlet::row, entropy, fit_trust,
};
use judge_uncertainty_core::escalation::value::regrets_of_picks;
use judge_uncertainty_core::escalation::{Budget, Rule, RuleInputs, top};
use judge_uncertainty_core::random::{Stream, bivariate_normal};
use judge_uncertainty_core::stats::{correlation_of_ranks, normal::normal_cdf, ranks, spearman};
use judge_uncertainty_evaluation::protocol::uniforms;

/// Least evidence per class in a world's true belief; below it gamma draws underflow.
const LEAST_EVIDENCE: f64 = 0.05;
/// Trust of an item of middling familiarity, in labels.
const MIDDLE_TRUST: f64 = 8.0;

/// A world of the calibrated simulation; percentages keep the grid exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldSpec {
    /// Items.
    pub items: usize,
    /// Width of the familiarity range in percent of the unit interval: 0 makes all trusts equal, 100 is the widest.
    pub width: u32,
    /// Correlation of contentiousness and unfamiliarity in percent.
    pub correlation: i32,
    /// Ratio of the largest to the smallest trust at full width.
    pub trust_ratio: u32,
    /// A fixed number of revealed labels; `None` draws 0, 1, 2, 5 or 10 per item.
    pub fixed_labels: Option<u32>,
    /// Number of the world, which is added to [`Seeds::worlds`](crate::experiments::seeds::Seeds::worlds).
    pub seed: u64,
}

/// What the rules know about the trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrustKnowledge {
    /// The true belief.
    Oracle,
    /// A trust fitted to a familiarity signal of the given informativeness in percent (0 noise, 100 exact).
    Estimated(u32),
}

/// A drawn world.
#[derive(Debug, Clone)]
pub struct CalibratedWorld {
    /// Standard normal familiarity score per item.
    pub familiarity_score: Vec<f64>,
    /// Familiarity in 0..1 per item.
    pub familiarity: Vec<f64>,
    /// The judge's predictions, items x classes.
    pub q: Array2<f64>,
    /// True evidence alpha behind each prediction.
    pub evidence: Array2<f64>,
    /// True label distributions, p ~ Dir(alpha).
    pub p: Array2<f64>,
    /// Labels revealed per item.
    pub numbers: Vec<u32>,
    /// The revealed labels.
    pub counts: Array2<u32>,
}

impl CalibratedWorld {
    /// Draws a world by `steps` (protocol, section 5).
    ///
    /// # Errors
    /// A correlation for which the random streams are not specified.
    pub fn draw(spec: &WorldSpec, steps: &dyn Steps) -> Result<Self, Error> {
        Ok(Ground::draw(spec, steps)?.world(spec))
    }

    /// Posterior beliefs under the true evidence.
    pub fn true_posterior(&self) -> Beliefs {
        Beliefs::new(&self.evidence + &self.counts.mapv(f64::from))
    }

    /// Posterior beliefs under a trust fitted to one raw feature.
    ///
    /// # Errors
    /// A fit that is impossible.
    pub fn fitted_posterior(&self, familiarity: &[f64], steps: &dyn Steps) -> Result<Beliefs, Error> {
        let feature = FeatureColumn::complete("familiarity", familiarity.iter().copied());
        let design = Design::raw(&steps.features(vec![feature]))?;
        let counts = steps.labels(&self.counts);
        let fit = fit_trust(&design, self.q.view(), counts.view())?;
        Ok(Beliefs::posterior(&steps.trust(fit.trust(&design)), self.q.view(), counts.view()))
    }

    /// Mean of the true prior belief. The floor under the evidence makes it differ a little from `q`.
    fn prior_mean(&self) -> Array2<f64> {
        let mut mean = self.evidence.clone();
        for mut row in mean.rows_mut() {
            let sum = row.sum();
            row.mapv_inplace(|a| a / sum);
        }
        mean
    }
}

/// A noisy copy Phi(r zf + sqrt(1 - r^2) eps) of familiarity scores zf, r = `informativeness` percent, with standard
/// normal `eps`.
fn observed(scores: &[f64], informativeness: u32, eps: &[f64]) -> Vec<f64> {
    let r = f64::from(informativeness) / 100.0;
    let noise = (1.0 - r * r).sqrt();
    scores.iter().zip(eps).map(|(zf, eps)| normal_cdf(r * zf + noise * eps)).collect()
}

/// What is drawn before the trust enters: the worlds of one seed, size and correlation share it.
#[derive(Debug, Clone)]
pub struct Ground {
    familiarity_score: Vec<f64>,
    /// Phi of the scores.
    familiarity: Vec<f64>,
    q: Array2<f64>,
    /// The stream after these draws.
    stream: Stream,
}

impl Ground {
    /// Draws that of a world, by `steps`.
    ///
    /// # Errors
    /// A correlation for which the random streams are not specified.
    pub fn draw(spec: &WorldSpec, steps: &dyn Steps) -> Result<Self, Error> {
        let mut stream = Stream::new(steps.seeds().worlds + spec.seed);
        let scores = bivariate_normal(&mut stream, f64::from(spec.correlation) / 100.0, spec.items)?;
        let contentiousness: Vec<f64> = scores.iter().map(|z| normal_cdf(z[0])).collect();
        let familiarity_score: Vec<f64> = scores.iter().map(|z| -z[1]).collect();
        let familiarity = familiarity_score.iter().map(|z| normal_cdf(*z)).collect();
        let q = peaked_distributions(&mut stream, &contentiousness, steps);
        Ok(Self { familiarity_score, familiarity, q, stream })
    }

    /// The world of a specification with the seed, size and correlation of this ground.
    pub fn world(&self, spec: &WorldSpec) -> CalibratedWorld {
        let mut stream = self.stream.clone();
        let width = f64::from(spec.width) / 100.0;
        let familiarity: Vec<f64> = self.familiarity.iter().map(|phi| 0.5 + width * (phi - 0.5)).collect();
        let ratio = f64::from(spec.trust_ratio);
        let trust: Vec<f64> = familiarity.iter().map(|f| MIDDLE_TRUST * ratio.powf(f - 0.5)).collect();
        let q = self.q.clone();
        let evidence = Array2::from_shape_fn(q.dim(), |(i, j)| (trust[i] * q[[i, j]]).max(LEAST_EVIDENCE));
        let p = dirichlet_draws(&mut stream, &evidence);
        let numbers = match spec.fixed_labels {
            Some(n) => vec![n; spec.items],
            None => revealed_numbers(&mut stream, spec.items),
        };
        let counts = grouped_counts(&mut stream, &numbers, p.view());
        CalibratedWorld {
            familiarity_score: self.familiarity_score.clone(),
            familiarity,
            q,
            evidence,
            p,
            numbers,
            counts,
        }
    }
}

/// Draws p ~ Dir(alpha) row by row, as normalised gammas.
pub fn dirichlet_draws(stream: &mut Stream, alpha: &Array2<f64>) -> Array2<f64> {
    let mut p = alpha.mapv(|a| stream.gamma(a));
    for mut row in p.rows_mut() {
        let sum = row.sum();
        row.mapv_inplace(|g| g / sum);
    }
    p
}

/// Rules of the calibrated simulation; the oracle's regret is 0 by definition.
pub const RULES: [Rule; 7] = [
    Rule::Info,
    Rule::Delta,
    Rule::Spread,
    Rule::PosteriorEntropy,
    Rule::JudgeEntropy,
    Rule::FewestLabels,
    Rule::Random,
];

/// Outcome of one condition in one world: regrets at 10% as shares, in the order of [`RULES`].
#[derive(Debug, Clone, Copy)]
pub struct CellOutcome {
    /// Regrets when labels are valued by the true I (log loss).
    pub log_loss: [f64; RULES.len()],
    /// Regrets when labels are valued by the true Delta (squared error): the paper's numbers.
    pub squared_error: [f64; RULES.len()],
    /// Spearman of the observed with the true familiarity; `None` for the oracle condition or equal familiarities.
    pub signal: Option<f64>,
}

/// Uniform draws for the rules that ask for some, one of each per item, and what the random rule picks by them.
struct WorldDraws {
    jitter: Vec<f64>,
    random: Vec<usize>,
}

impl WorldDraws {
    /// One for each objective. Stream: for each, one draw per item that breaks ties of the rules which add it, then one
    /// per item for the random rule.
    fn both(stream: &mut Stream, items: usize) -> [Self; 2] {
        [0, 1].map(|_| Self { jitter: uniforms(stream, items), random: picked(&uniforms(stream, items)) })
    }
}

/// The items picked at 10%, best first.
fn picked(priorities: &[f64]) -> Vec<usize> {
    top(priorities, &[], Budget::HEADLINE.of(priorities.len()))
}

/// What the evaluations of the worlds of one ground share: each condition has a second stream of its own, always of the
/// same seed.
pub struct Shared {
    oracle: [WorldDraws; 2],
    /// Where the trust is estimated, the stream starts with the noise of the signal.
    estimated: [WorldDraws; 2],
    /// What the judge's entropy picks there.
    judge: [Vec<usize>; 2],
    /// The signals by informativeness, with their ranks.
    signals: BTreeMap<u32, (Vec<f64>, Vec<f64>)>,
}

impl Shared {
    /// For these conditions, with second streams of this seed.
    pub fn new<'a>(
        ground: &Ground,
        conditions: impl IntoIterator<Item = &'a TrustKnowledge>,
        second_seed: u64,
    ) -> Self {
        let items = ground.q.nrows();
        let mut stream = Stream::new(second_seed);
        let eps = normals(&mut stream, items);
        let estimated = WorldDraws::both(&mut stream, items);
        let signal = |informativeness: u32| {
            let observed = observed(&ground.familiarity_score, informativeness, &eps);
            let ranks = ranks(&observed);
            (informativeness, (observed, ranks))
        };
        let estimates = |condition: &TrustKnowledge| match condition {
            TrustKnowledge::Oracle => None,
            TrustKnowledge::Estimated(informativeness) => Some(*informativeness),
        };
        Self {
            oracle: WorldDraws::both(&mut Stream::new(second_seed), items),
            judge: by_entropy(&ground.q, &estimated),
            estimated,
            signals: conditions.into_iter().filter_map(estimates).map(signal).collect(),
        }
    }
}

/// What the entropy of predictions picks.
fn by_entropy(q: &Array2<f64>, draws: &[WorldDraws; 2]) -> [Vec<usize>; 2] {
    // No belief enters.
    let none = ItemBeliefs::Classes(Beliefs::new(Array2::zeros((0, q.ncols()))));
    let entropies: Vec<f64> = q.rows().into_iter().map(|q| entropy(row(q))).collect();
    let judged = || entropies.clone();
    draws.each_ref().map(|draws| {
        let inputs = RuleInputs { judged: Some(&judged), jitter: Some(&draws.jitter), ..RuleInputs::new(&none) };
        picked(&priority(Rule::JudgeEntropy, &inputs))
    })
}

/// What fewest labels picks.
fn by_numbers(numbers: &[u32], draws: &[WorldDraws; 2]) -> [Vec<usize>; 2] {
    let none = ItemBeliefs::Classes(Beliefs::new(Array2::zeros((0, CLASSES))));
    draws.each_ref().map(|draws| {
        let inputs = RuleInputs { labels: Some(numbers), jitter: Some(&draws.jitter), ..RuleInputs::new(&none) };
        picked(&priority(Rule::FewestLabels, &inputs))
    })
}

/// Evaluates conditions in one world.
///
/// # Errors
/// An impossible fit, or a world in which no label has any value.
pub fn evaluate(
    world: &CalibratedWorld,
    conditions: &[TrustKnowledge],
    shared: &Shared,
    steps: &dyn Steps,
) -> Result<Vec<CellOutcome>, Error> {
    let truth = ItemBeliefs::Classes(world.true_posterior());
    let values = [truth.all(Quantity::Epistemic), truth.all(Quantity::LabelValue)];
    let best = values.each_ref().map(|values| picked(values));
    let (ranks_of_familiarity, fewest_estimated) = if conditions.iter().any(|c| *c != TrustKnowledge::Oracle) {
        (ranks(&world.familiarity), by_numbers(&world.numbers, &shared.estimated))
    } else {
        Default::default()
    };
    conditions
        .iter()
        .map(|&condition| {
            // Items picked under both objectives by the rules that look at nothing but the judge's prediction or the
            // number of labels.
            let oracle;
            let (fixed, [judge, fewest], draws, signal) = match condition {
                TrustKnowledge::Oracle => {
                    let settled = |values: &[f64]| -> Vec<f64> { values.iter().map(|x| truth.settle(*x)).collect() };
                    let others = [Quantity::Spread, Quantity::Total].map(|quantity| truth.all(quantity));
                    let fixed = [&values[0], &values[1], &others[0], &others[1]].map(|x| picked(&settled(x)));
                    let judge = by_entropy(&world.prior_mean(), &shared.oracle);
                    oracle = [judge, by_numbers(&world.numbers, &shared.oracle)];
                    (fixed, oracle.each_ref(), &shared.oracle, None)
                }
                TrustKnowledge::Estimated(informativeness) => {
                    let (observed, ranks) = &shared.signals[&informativeness];
                    let beliefs = ItemBeliefs::Classes(world.fitted_posterior(observed, steps)?);
                    // These rules need no draws and serve both objectives.
                    let inputs = RuleInputs::new(&beliefs);
                    let fixed = [RULES[0], RULES[1], RULES[2], RULES[3]].map(|rule| picked(&priority(rule, &inputs)));
                    let signal = correlation_of_ranks(ranks, &ranks_of_familiarity);
                    (fixed, [&shared.judge, &fewest_estimated], &shared.estimated, signal)
                }
            };
            let regrets = |objective: usize| -> Result<[f64; RULES.len()], Error> {
                let [info, delta, spread, entropy] = fixed.each_ref().map(Vec::as_slice);
                let (judge, fewest) = (&judge[objective], &fewest[objective]);
                let picks = [info, delta, spread, entropy, judge, fewest, &draws[objective].random];
                regrets_of_picks(&values[objective], &best[objective], picks)
                    .ok_or(Error::Undefined { experiment: "simulations", quantity: "regret" })
            };
            Ok(CellOutcome { log_loss: regrets(0)?, squared_error: regrets(1)?, signal })
        })
        .collect()
}

/// Spearman correlations of the entropy of the judge's prediction, then of that of the true posterior's mean, with the true
/// value Delta of one more label; `None` where one of them does not vary.
pub fn entropy_with_value(world: &CalibratedWorld) -> Option<[f64; 2]> {
    let truth = world.true_posterior();
    let value = truth.all(Quantity::LabelValue);
    let judge: Vec<f64> = world.prior_mean().rows().into_iter().map(|q| entropy(row(q))).collect();
    Some([spearman(&judge, &value)?, spearman(&truth.all(Quantity::Total), &value)?])
}

/// Isolation of the components in one world whose trust is estimated from a signal of the given informativeness
/// (percent).
///
/// # Errors
/// An impossible fit or an undefined correlation.
pub fn isolation(spec: &WorldSpec, informativeness: u32, steps: &dyn Steps) -> Result<[f64; 5], Error> {
    let world = CalibratedWorld::draw(spec, steps)?;
    // The noise of the signal comes from a fresh stream with the world's own seed.
    let noise = normals(&mut Stream::new(steps.seeds().worlds + spec.seed), spec.items);
    let observed = observed(&world.familiarity_score, informativeness, &noise);
    let beliefs = world.fitted_posterior(&observed, steps)?;
    let disagreement: Vec<f64> = world.p.rows().into_iter().map(|p| entropy(row(p))).collect();
    let errors: Vec<f64> = beliefs.iter().zip(world.p.rows()).map(|(b, p)| b.manhattan(row(p))).collect();
    correlations(&beliefs, &disagreement, &errors)
        .ok_or(Error::Undefined { experiment: "simulations", quantity: "isolation" })
}
