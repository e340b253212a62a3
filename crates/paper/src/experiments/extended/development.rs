//! Choices made on the development half: recalibration, features, penalty, and the rule for the headline.

use serde::{Deserialize, Serialize};

use super::contest::Contest;
use super::corpus::{BeliefSpec, Deployment, TrustFeature};
use crate::experiments::Error;
use crate::rules::Contender;
use judge_uncertainty_core::belief::recalibration::{self, RecalibrationOptions, held_out_log_likelihoods};
use judge_uncertainty_core::belief::{BeliefModel, JudgedItems, Recalibration};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Summary, mean, sample_sd};
use judge_uncertainty_evaluation::{CountLabels, Luck, counts::split_counts, protocol::REVEALED, replicate};
use judge_uncertainty_familiarity::features::SelfNeighbour;
use judge_uncertainty_system::progress::{Progress, Silent};

/// Folds of the cross-validation, by item.
const FOLDS: usize = 5;
/// Penalties to choose from.
pub const RIDGES: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];
/// Penalty while features are chosen.
const RIDGE_OF_SELECTION: f64 = 1.0;
/// A penalty that leaves the likelihood as good as free, for likelihood ratios.
const NO_RIDGE: f64 = 1e-6;
/// Rules that the headline may rest on: those that follow from the belief alone.
const CANDIDATE_RULES: [Rule; 5] = [Rule::Info, Rule::Delta, Rule::Spread, Rule::Manhattan, Rule::ManhattanTen];

/// Features that are chosen or left together.
const BLOCKS: [(&str, &[TrustFeature]); 8] = [
    ("judge's statements", &[TrustFeature::Spread, TrustFeature::Confidence]),
    ("judge's prediction", &[TrustFeature::JudgeEntropy, TrustFeature::TopProbability]),
    ("predicted class", &[TrustFeature::NeutralProbability, TrustFeature::ContradictionProbability]),
    ("source", &[TrustFeature::Source]),
    ("entropy by source", &[TrustFeature::EntropyBySource]),
    ("text lengths", &[TrustFeature::LogPremiseLength, TrustFeature::LogHypothesisLength]),
    ("familiarity", &[TrustFeature::NearestLabelled, TrustFeature::MeanNearestLabelled]),
    ("number of labels", &[TrustFeature::LogLabels]),
];

/// What is frozen before the confirmation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DevelopedChoice {
    /// Which items share a recalibration.
    pub recalibration: Recalibration,
    /// Features of the trust, in the order in which they earned their place.
    pub features: Vec<TrustFeature>,
    /// Penalty on their coefficients.
    pub ridge: f64,
    /// The rule of the headline.
    pub rule: Rule,
}

impl DevelopedChoice {
    /// The belief with these choices.
    pub fn belief(&self) -> BeliefSpec {
        spec(&self.features, self.recalibration, self.ridge)
    }

    /// The comparison without features and groups that tell sources apart, for items of a source that the fit has not
    /// seen.
    pub fn belief_across_sources(&self) -> BeliefSpec {
        let features: Vec<TrustFeature> = self.features.iter().copied().filter(|f| !f.needs_sources()).collect();
        let recalibration = match self.recalibration {
            Recalibration::ByGroup => Recalibration::Shared,
            other => other,
        };
        spec(&features, recalibration, self.ridge)
    }
}

fn options(recalibration: Recalibration, ridge: f64) -> RecalibrationOptions {
    RecalibrationOptions { recalibration, ridge, ..RecalibrationOptions::default() }
}

fn spec(features: &[TrustFeature], recalibration: Recalibration, ridge: f64) -> BeliefSpec {
    BeliefSpec {
        features: features.to_vec(),
        familiarity: SelfNeighbour::LeaveOneOut,
        model: BeliefModel::Recalibrated(options(recalibration, ridge)),
    }
}

/// Cross-validated gain in log-likelihood, in nats per labelled item.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeldOutGain {
    /// Mean over items.
    pub nats: f64,
    /// Standard error over items.
    pub se: f64,
}

impl HeldOutGain {
    /// Whether a change earns its place: its gain exceeds its standard error.
    pub fn earns(&self) -> bool {
        self.nats > self.se
    }
}

/// A block of features on the development half.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureBlock {
    /// Its name.
    pub name: String,
    /// Its features.
    pub features: Vec<TrustFeature>,
    /// Gain over a trust without features.
    pub alone: HeldOutGain,
    /// Twice the rise of the maximised log-likelihood over a trust without features, mean over re-draws.
    pub likelihood_ratio: f64,
    /// Gain when it was chosen, or in the last step, in which it was not.
    pub beside_the_others: HeldOutGain,
    /// Whether it was chosen.
    pub chosen: bool,
}

/// The development half's findings, all exploratory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Development {
    /// Items.
    pub items: usize,
    /// Re-draws of labels in the cross-validations.
    pub redraws: usize,
    /// Gain of one recalibration for all items over none, in a trust without features.
    pub shared_over_off: HeldOutGain,
    /// Gain of one per source over one for all.
    pub by_source_over_shared: HeldOutGain,
    /// Blocks of features, in the order of the trial.
    pub blocks: Vec<FeatureBlock>,
    /// Held-out log-likelihood by penalty, nats per labelled item.
    pub ridges: Vec<(f64, f64)>,
    /// Value at 10% minus fewest labels', by candidate rule, under the chosen belief.
    pub rules: Vec<(Rule, Summary)>,
    /// What follows.
    pub choice: DevelopedChoice,
}

/// Held-out log-likelihood of each item, averaged over the re-draws in which it has labels.
fn held_out_of(
    deployment: &Deployment,
    redrawn: &[CountLabels],
    features: &[TrustFeature],
    recalibration: Recalibration,
    ridge: f64,
) -> Result<Vec<Option<f64>>, Error> {
    let (spec, options) = (spec(features, recalibration, ridge), options(recalibration, ridge));
    let all = replicate("development", redrawn, &Silent, |labels| {
        let design = deployment.design(&labels.numbers, &spec)?;
        let items = JudgedItems::new(&design, deployment.q.view(), &deployment.sources);
        Ok::<_, Error>(held_out_log_likelihoods(&items, labels.revealed.view(), &options, FOLDS)?)
    })?;
    let of = |i: usize| {
        let present: Vec<f64> = all.iter().filter_map(|values| values[i]).collect();
        (!present.is_empty()).then(|| mean(&present))
    };
    Ok((0..deployment.len()).map(of).collect())
}

/// Maximised log-likelihood, averaged over the re-draws.
fn maximised(
    deployment: &Deployment,
    redrawn: &[CountLabels],
    features: &[TrustFeature],
    recalibration: Recalibration,
) -> Result<f64, Error> {
    let (spec, options) = (spec(features, recalibration, NO_RIDGE), options(recalibration, NO_RIDGE));
    let values = replicate("development", redrawn, &Silent, |labels| {
        let design = deployment.design(&labels.numbers, &spec)?;
        let items = JudgedItems::new(&design, deployment.q.view(), &deployment.sources);
        Ok::<_, Error>(recalibration::fit(&items, labels.revealed.view(), &options)?.regression.log_likelihood)
    })?;
    Ok(mean(&values))
}

fn gain(of: &[Option<f64>], over: &[Option<f64>]) -> HeldOutGain {
    let differences: Vec<f64> = of.iter().zip(over).filter_map(|(a, b)| Some(a.as_ref()? - b.as_ref()?)).collect();
    HeldOutGain { nats: mean(&differences), se: sample_sd(&differences) / (differences.len() as f64).sqrt() }
}

/// Develops the belief and the rule on the development half.
///
/// Forward selection by five-fold cross-validated likelihood over items: whatever raises it by more than its standard
/// error is taken, the best block first; then the penalty with the highest held-out likelihood; then the rule with the
/// highest value at 10%. `redraws` label re-draws (seeds 0, 1, ...) for the likelihoods, `rule_redraws` for the rule.
///
/// # Errors
/// A fit that is impossible.
pub fn develop(
    deployment: &Deployment,
    redraws: usize,
    rule_redraws: usize,
    progress: &dyn Progress,
) -> Result<Development, Error> {
    let draw = |seed: usize| split_counts(deployment.pool.view(), &REVEALED, &mut Stream::new(seed as u64));
    let redrawn: Vec<CountLabels> = (0..redraws).map(draw).collect();
    let held_out = |features: &[TrustFeature], recalibration, ridge| {
        held_out_of(deployment, &redrawn, features, recalibration, ridge)
    };
    progress.start("development", (BLOCKS.len() + 4) as u64);

    let recalibrations = [Recalibration::Off, Recalibration::Shared, Recalibration::ByGroup];
    let [off, shared, by_source] = recalibrations.map(|r| held_out(&[], r, RIDGE_OF_SELECTION));
    let (off, shared, by_source) = (off?, shared?, by_source?);
    let (shared_over_off, by_source_over_shared) = (gain(&shared, &off), gain(&by_source, &shared));
    let recalibration = match (shared_over_off.earns(), by_source_over_shared.earns()) {
        (true, true) => Recalibration::ByGroup,
        (true, false) => Recalibration::Shared,
        (false, _) => Recalibration::Off,
    };
    let without = match recalibration {
        Recalibration::Off => off,
        Recalibration::Shared => shared,
        Recalibration::ByGroup => by_source,
    };
    progress.advance(1);

    let base = maximised(deployment, &redrawn, &[], recalibration)?;
    let mut blocks = Vec::with_capacity(BLOCKS.len());
    for (name, features) in BLOCKS {
        let alone = gain(&held_out(features, recalibration, RIDGE_OF_SELECTION)?, &without);
        let likelihood_ratio = 2.0 * (maximised(deployment, &redrawn, features, recalibration)? - base);
        blocks.push(FeatureBlock {
            name: name.to_owned(),
            features: features.to_vec(),
            alone,
            likelihood_ratio,
            beside_the_others: alone,
            chosen: false,
        });
        progress.advance(1);
    }

    let (mut features, mut here): (Vec<TrustFeature>, _) = (vec![], without);
    loop {
        let mut best: Option<(usize, Vec<Option<f64>>)> = None;
        for k in (0..blocks.len()).filter(|&k| !blocks[k].chosen).collect::<Vec<_>>() {
            let with = [&features[..], &blocks[k].features].concat();
            let there = held_out(&with, recalibration, RIDGE_OF_SELECTION)?;
            blocks[k].beside_the_others = gain(&there, &here);
            if best.as_ref().is_none_or(|(b, _)| blocks[k].beside_the_others.nats > blocks[*b].beside_the_others.nats) {
                best = Some((k, there));
            }
        }
        match best {
            Some((k, there)) if blocks[k].beside_the_others.earns() => {
                blocks[k].chosen = true;
                features.extend(&blocks[k].features);
                here = there;
            }
            _ => break,
        }
    }
    progress.advance(1);

    let mut ridges = Vec::with_capacity(RIDGES.len());
    for ridge in RIDGES {
        let values = held_out(&features, recalibration, ridge)?;
        ridges.push((ridge, mean(&values.into_iter().flatten().collect::<Vec<_>>())));
    }
    let best = ridges.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0);
    // Without features there is nothing to penalise.
    let ridge = best.filter(|_| !features.is_empty()).unwrap_or(RIDGE_OF_SELECTION);
    progress.advance(1);

    let rules = compare_rules(deployment, &spec(&features, recalibration, ridge), rule_redraws)?;
    let rule = rules.iter().max_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).map_or(Rule::Spread, |best| best.0);
    progress.finish();
    Ok(Development {
        items: deployment.len(),
        redraws,
        shared_over_off,
        by_source_over_shared,
        blocks,
        ridges,
        rules,
        choice: DevelopedChoice { recalibration, features, ridge, rule },
    })
}

/// Value at 10% minus that of fewest labels, of each candidate rule.
fn compare_rules(deployment: &Deployment, belief: &BeliefSpec, redraws: usize) -> Result<Vec<(Rule, Summary)>, Error> {
    let seeds: Vec<u64> = (0..redraws as u64).collect();
    let fewest = Contender::Rule(Rule::FewestLabels);
    let contenders: Vec<Contender> = CANDIDATE_RULES.map(Contender::Rule).into_iter().chain([fewest]).collect();
    let contests = replicate("development", &seeds, &Silent, |&seed| {
        let mut stream = Stream::new(seed);
        let labels = split_counts(deployment.pool.view(), &REVEALED, &mut stream);
        let luck = Luck::draw(&mut stream, deployment.len());
        let all = 0..deployment.len();
        let believed = deployment.believe(belief, &labels, all.clone())?;
        Ok::<_, Error>(Contest::hold(deployment, &labels, &believed, &luck, &contenders, all).contest)
    })?;
    let b = Budget::HEADLINE;
    let advantage = |rule: Rule| Summary::over(&contests, |c| c.value(Contender::Rule(rule), b) - c.value(fewest, b));
    Ok(CANDIDATE_RULES.map(|rule| (rule, advantage(rule))).to_vec())
}
