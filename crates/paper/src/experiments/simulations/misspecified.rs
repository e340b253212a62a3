//! The misspecified simulation: worlds drawn truth first, with stated confidence corrupted by a knob gamma.

use ndarray::Array2;

use super::calibrated::dirichlet_draws;
use crate::experiments::steps::Steps;
use crate::experiments::world::{grouped_counts, normals, peaked_distributions, revealed_numbers};
use crate::experiments::{Error, priority};
use judge_uncertainty_core::belief::{Beliefs, Feature, FeatureColumn, ItemBeliefs, fit_trust};
use judge_uncertainty_core::escalation::value::{prophet_values, regrets_of_picks};
use judge_uncertainty_core::escalation::{Budget, Rule, RuleInputs, top};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::normal::{normal_cdf, normal_quantile};
use judge_uncertainty_evaluation::protocol::{log_labels, uniforms};

const ITEMS: usize = 2000;
const PROPHET_ROUNDS: usize = 20;
/// How well the familiarity signal tracks the true fidelity, as a correlation of normal scores.
const SIGNAL: f64 = 0.5;

/// Rules of the misspecified simulation.
pub const RULES: [Rule; 6] =
    [Rule::Delta, Rule::Spread, Rule::PosteriorEntropy, Rule::JudgeEntropy, Rule::FewestLabels, Rule::Random];

/// Draws and evaluates one world (protocol, section 6): regrets at 10% as shares, in the order of [`RULES`], and the
/// fitted coefficient of the stated (standardised) spread.
///
/// `gamma_percent` corrupts stated confidence: 0 honest, 100 information-free, 150 inverted. `familiarity` adds a
/// judge-independent familiarity signal of middling quality to the features.
///
/// # Errors
/// An impossible fit, or a world in which no label has any value.
pub fn world_outcome(
    gamma_percent: u32,
    familiarity: bool,
    seed: u64,
    steps: &dyn Steps,
) -> Result<([f64; RULES.len()], f64), Error> {
    let gamma = f64::from(gamma_percent) / 100.0;
    let mut stream = Stream::new(steps.seeds().misspecified + seed);
    let contentiousness = uniforms(&mut stream, ITEMS);
    let p = peaked_distributions(&mut stream, &contentiousness, steps);
    // How close the prediction lies to the truth.
    let f = uniforms(&mut stream, ITEMS);
    let concentration: Vec<f64> = f.iter().map(|f| 8.0 * 256.0_f64.powf(f - 0.5)).collect();
    let evidence = Array2::from_shape_fn(p.dim(), |(i, j)| (concentration[i] * p[[i, j]]).max(0.05));
    let q = dirichlet_draws(&mut stream, &evidence);
    let noise = normals(&mut stream, ITEMS);
    let stated_spread =
        f.iter().zip(noise).map(|(f, eps)| 1.0 / (8.0 * 256.0_f64.powf((1.0 - gamma) * (f - 0.5))).sqrt() + 0.02 * eps);
    let stated_spread = FeatureColumn::complete("stated_spread", stated_spread);
    let numbers = revealed_numbers(&mut stream, ITEMS);
    let counts = steps.labels(&grouped_counts(&mut stream, &numbers, p.view()));

    let mut second = Stream::new(steps.seeds().misspecified_rules + seed);
    let mut features = vec![stated_spread, FeatureColumn::complete(Feature::LogLabels, log_labels(&numbers))];
    if familiarity {
        let noise = (1.0 - SIGNAL * SIGNAL).sqrt();
        let eps = normals(&mut second, ITEMS);
        let signal = f
            .iter()
            .zip(eps)
            .map(|(f, eps)| normal_cdf(SIGNAL * normal_quantile(f.clamp(1e-6, 1.0 - 1e-6)) + noise * eps));
        features.push(FeatureColumn::complete("familiarity", signal));
    }
    let design = steps.standardised(&steps.features(features))?;
    let fit = fit_trust(&design, q.view(), counts.view())?;
    let beliefs = Beliefs::posterior(&steps.trust(fit.trust(&design)), q.view(), counts.view());
    let values = prophet_values(&beliefs, p.view(), PROPHET_ROUNDS, &mut second);
    let beliefs = ItemBeliefs::Classes(beliefs);
    let (jitter, random) = (uniforms(&mut second, ITEMS), uniforms(&mut second, ITEMS));
    let inputs = RuleInputs {
        q: Some(&q),
        labels: Some(&numbers),
        jitter: Some(&jitter),
        random: Some(&random),
        ..RuleInputs::new(&beliefs)
    };
    let picked = |priorities: &[f64]| top(priorities, &[], Budget::HEADLINE.of(ITEMS));
    let picks = RULES.map(|rule| picked(&priority(rule, &inputs)));
    let regret = regrets_of_picks(&values, &picked(&values), picks.each_ref().map(Vec::as_slice))
        .ok_or(Error::Undefined { experiment: "simulations", quantity: "regret" })?;
    Ok((regret, fit.coefficients[1]))
}
