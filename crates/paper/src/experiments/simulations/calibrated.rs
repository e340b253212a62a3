//! The calibrated simulation: worlds drawn from the model itself, so that every label's value is known exactly.

use ndarray::Array2;

use crate::experiments::isolation::{Correlations, correlations};
use crate::experiments::steps::{Published, Steps};
use crate::experiments::world::{grouped_counts, normals, peaked_distributions, revealed_numbers};
use crate::experiments::{Error, priority};
use judge_uncertainty_core::belief::{
    Belief, BeliefTable, Beliefs, Design, FeatureColumn, dirichlet::row, entropy, fit_trust,
};
use judge_uncertainty_core::escalation::{Budget, Rule, RuleInputs, regret::regrets_of_picks, top};
use judge_uncertainty_core::random::{Stream, bivariate_normal};
use judge_uncertainty_core::stats::{normal::normal_cdf, spearman};
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
    /// Seed of the world's stream.
    pub seed: u64,
}

/// What the rules know about the trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// The true belief.
    Oracle,
    /// A trust fitted to a familiarity signal of the given informativeness in percent (0 noise, 100 exact).
    Estimated(u32),
}

/// A drawn world.
#[derive(Debug, Clone)]
pub struct World {
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

impl World {
    /// Draws a world (protocol, section 5).
    ///
    /// # Errors
    /// A correlation for which the random streams are not specified.
    pub fn draw(spec: &WorldSpec) -> Result<Self, Error> {
        Self::draw_by(spec, &Published)
    }

    /// Draws a world by `steps` in the place of the published ones.
    ///
    /// # Errors
    /// As [`Self::draw`].
    pub fn draw_by(spec: &WorldSpec, steps: &dyn Steps) -> Result<Self, Error> {
        let mut stream = Stream::new(spec.seed);
        let scores = bivariate_normal(&mut stream, f64::from(spec.correlation) / 100.0, spec.items)?;
        let contentiousness: Vec<f64> = scores.iter().map(|z| normal_cdf(z[0])).collect();
        let familiarity_score: Vec<f64> = scores.iter().map(|z| -z[1]).collect();
        let width = f64::from(spec.width) / 100.0;
        let familiarity: Vec<f64> = familiarity_score.iter().map(|z| 0.5 + width * (normal_cdf(*z) - 0.5)).collect();
        let q = peaked_distributions(&mut stream, &contentiousness, steps);
        let ratio = f64::from(spec.trust_ratio);
        let trust: Vec<f64> = familiarity.iter().map(|f| MIDDLE_TRUST * ratio.powf(f - 0.5)).collect();
        let evidence = Array2::from_shape_fn(q.dim(), |(i, j)| (trust[i] * q[[i, j]]).max(LEAST_EVIDENCE));
        let p = dirichlet_draws(&mut stream, &evidence);
        let numbers = match spec.fixed_labels {
            Some(n) => vec![n; spec.items],
            None => revealed_numbers(&mut stream, spec.items),
        };
        let counts = grouped_counts(&mut stream, &numbers, p.view());
        Ok(Self { familiarity_score, familiarity, q, evidence, p, numbers, counts })
    }

    /// A noisy copy Phi(r zf + sqrt(1 - r^2) eps) of the familiarity signal, r = `informativeness` percent.
    pub fn observed_familiarity(&self, informativeness: u32, stream: &mut Stream) -> Vec<f64> {
        let r = f64::from(informativeness) / 100.0;
        let noise = (1.0 - r * r).sqrt();
        let eps = normals(stream, self.familiarity_score.len());
        self.familiarity_score.iter().zip(eps).map(|(zf, eps)| normal_cdf(r * zf + noise * eps)).collect()
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

/// Regrets at 10% as shares, in the order of [`RULES`].
pub type Regrets = [f64; RULES.len()];

/// Outcome of one condition in one world.
#[derive(Debug, Clone, Copy)]
pub struct CellOutcome {
    /// Regrets when labels are valued by the true I (log loss).
    pub log_loss: Regrets,
    /// Regrets when labels are valued by the true Delta (squared error): the paper's numbers.
    pub squared_error: Regrets,
    /// Spearman of the observed with the true familiarity; `None` for the oracle condition or equal familiarities.
    pub signal: Option<f64>,
}

/// Evaluates conditions in one world; each has a second stream of its own with seed `second_seed`.
///
/// # Errors
/// An impossible fit, or a world in which no label has any value.
pub fn evaluate(
    world: &World,
    conditions: &[Condition],
    second_seed: u64,
    steps: &dyn Steps,
) -> Result<Vec<CellOutcome>, Error> {
    let truth = world.true_posterior();
    let (information, label_value) = (truth.map(|b| b.epistemic()), truth.map(|b| b.label_value()));
    let prior_mean = world.prior_mean();
    let budget = Budget::HEADLINE.of(world.numbers.len());
    conditions
        .iter()
        .map(|&condition| {
            let mut stream = Stream::new(second_seed);
            let (fitted, signal) = match condition {
                Condition::Oracle => (None, None),
                Condition::Estimated(informativeness) => {
                    let observed = world.observed_familiarity(informativeness, &mut stream);
                    (Some(world.fitted_posterior(&observed, steps)?), spearman(&observed, &world.familiarity))
                }
            };
            let (beliefs, q) = match &fitted {
                Some(beliefs) => (beliefs, &world.q),
                None => (&truth, &prior_mean),
            };
            let undrawn = RuleInputs { q: Some(q), labels: Some(&world.numbers), ..RuleInputs::new(beliefs) };
            // These rules need no draws and serve both objectives.
            let fixed = [RULES[0], RULES[1], RULES[2], RULES[3]].map(|r| top(&priority(r, &undrawn), &[], budget));
            let fixed = fixed.each_ref().map(Vec::as_slice);
            let log_loss = cell_regrets(&information, fixed, undrawn, &mut stream)?;
            let squared_error = cell_regrets(&label_value, fixed, undrawn, &mut stream)?;
            Ok(CellOutcome { log_loss, squared_error, signal })
        })
        .collect()
}

/// Stream: one uniform draw per item that breaks ties of the rules which add it, then one per item for the random rule.
fn cell_regrets(
    values: &[f64],
    [info, delta, spread, entropy]: [&[usize]; 4],
    undrawn: RuleInputs,
    stream: &mut Stream,
) -> Result<Regrets, Error> {
    let (jitter, random) = (uniforms(stream, values.len()), uniforms(stream, values.len()));
    let inputs = RuleInputs { jitter: Some(&jitter), random: Some(&random), ..undrawn };
    let best = |priorities: &[f64]| top(priorities, &[], Budget::HEADLINE.of(values.len()));
    let [judge, fewest, random] = [RULES[4], RULES[5], RULES[6]].map(|r| best(&priority(r, &inputs)));
    regrets_of_picks(values, &best(values), [info, delta, spread, entropy, &judge, &fewest, &random])
        .ok_or(Error::Undefined { experiment: "simulations", quantity: "regret" })
}

/// Isolation of the components in one world whose trust is estimated from a signal of the given informativeness
/// (percent).
///
/// # Errors
/// An impossible fit or an undefined correlation.
pub fn isolation(spec: &WorldSpec, informativeness: u32, steps: &dyn Steps) -> Result<Correlations, Error> {
    let world = World::draw_by(spec, steps)?;
    // The noise of the signal comes from a fresh stream with the world's own seed.
    let observed = world.observed_familiarity(informativeness, &mut Stream::new(spec.seed));
    let beliefs = world.fitted_posterior(&observed, steps)?;
    let disagreement: Vec<f64> = world.p.rows().into_iter().map(|p| entropy(row(p))).collect();
    let errors: Vec<f64> = beliefs.iter().zip(world.p.rows()).map(|(b, p)| b.manhattan(row(p))).collect();
    correlations(&beliefs, &disagreement, &errors)
        .ok_or(Error::Undefined { experiment: "simulations", quantity: "isolation" })
}
