//! The decomposition of a study: trust fitted to all labels, the belief about every item, and every rule's ranking.

use std::collections::BTreeSet;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::config::FamiliarityConfig;
use super::{Error, Study};
use crate::belief::design::FeatureScale;
use crate::belief::recalibration::{RecalibratedFit, Recalibration};
use crate::belief::{
    Belief, BeliefModel, BeliefTable, Beliefs, Design, FeatureColumn, FittedBelief, JudgedItems, Standardizer,
};
use crate::escalation::{Rule, RuleInputs, top};
use crate::experiments::half_split::{list_width, seeded};
use crate::experiments::world::uniforms;
use crate::familiarity::features::{SelfNeighbour, familiarity_once};
use crate::familiarity::neighbours::{Neighbours, UnitRows};
use crate::progress::Progress;
use crate::stats::normal::normal_quantile;
use crate::stats::quantile::percentiles;
use crate::stats::{mean, population_sd, spearman};

/// Number of the stream that breaks ties and draws the random ranking; replicates count from 0.
pub(super) const RANKING_STREAM: u64 = u64::MAX;

/// The belief about every item of a study, given all labels.
#[derive(Debug, Clone)]
pub struct Decomposition {
    /// Features of the trust regression.
    pub features: Vec<FeatureColumn>,
    /// How labelled neighbours were found, in words; `None` without embeddings.
    pub neighbours: Option<String>,
    /// Their scales.
    pub scales: Vec<FeatureScale>,
    /// The fitted belief.
    pub fit: FittedBelief,
    /// Trust lambda of every item, in labels.
    pub trust: Vec<f64>,
    /// Posterior beliefs.
    pub beliefs: Beliefs,
    /// Labels of every item.
    pub numbers: Vec<u32>,
    /// Uniform draws that break ties.
    pub jitter: Vec<f64>,
    /// Uniform draws of the random rule.
    pub random: Vec<f64>,
}

impl Decomposition {
    /// Finds labelled neighbours, fits the trust to all labels, and updates the belief about every item.
    ///
    /// # Errors
    /// Embeddings that are not finite, or features that can't be used.
    pub fn of(study: &Study, progress: &dyn Progress) -> Result<Self, Error> {
        let all: Vec<usize> = (0..study.len()).collect();
        let numbers = study.numbers();
        let labelled: Vec<bool> = numbers.iter().map(|&n| n > 0).collect();
        let near = engine(study, &all, progress)?.map(|engine| {
            let (neighbours, mode) = neighbourhood(study);
            (familiarity_once(engine.as_ref(), &labelled, neighbours, mode), engine.describe())
        });
        let (near, neighbours) = near.unzip();
        let features = study.feature_columns(&all, &numbers, near.as_ref());
        let standardizer = Standardizer::fit(&features)?;
        let design = if features.is_empty() { Design::constant(study.len()) } else { standardizer.apply(&features)? };
        let counts = study.labels.counts.counts().view();
        let groups = study.group_numbers();
        let judged = JudgedItems { design: &design, q: study.predictions.q.view(), groups: &groups };
        let fit = study.file.config.trust.belief.fit(&judged, counts)?;
        let trust = fit.log_trust(&judged).into_iter().map(f64::exp).collect();
        let beliefs = fit.posterior(&judged, counts);
        let mut stream = seeded(study.file.config.seed, RANKING_STREAM);
        let jitter = uniforms(&mut stream, study.len());
        let random = uniforms(&mut stream, study.len());
        let scales = standardizer.scales().to_vec();
        Ok(Self { features, neighbours, scales, fit, trust, beliefs, numbers, jitter, random })
    }

    /// What rules score by.
    pub fn rule_inputs<'a>(&'a self, study: &'a Study) -> RuleInputs<'a> {
        RuleInputs {
            beliefs: &self.beliefs,
            q: &study.predictions.q,
            confidence: &study.predictions.confidence,
            labels: &self.numbers,
            jitter: &self.jitter,
            random: &self.random,
        }
    }

    /// Positions of all items, most urgent first under the rule.
    pub fn ranking(&self, study: &Study, rule: Rule) -> Vec<usize> {
        top(&rule.priority(&self.rule_inputs(study)), &self.jitter, self.beliefs.len())
    }
}

impl Study {
    /// The rules that these inputs allow: stated confidence ranks only where some item has one, and the rules beyond the
    /// paper come with the belief beyond it.
    pub fn rules(&self) -> Vec<Rule> {
        let confidence = self.predictions.confidence.iter().any(Option::is_some);
        let published = Rule::PAPER.into_iter().filter(|rule| confidence || *rule != Rule::LowConfidence);
        match self.file.config.trust.belief {
            BeliefModel::Published => published.collect(),
            BeliefModel::Recalibrated(_) => published.chain(Rule::BEYOND).collect(),
        }
    }

    /// The names of the groups, in order; none without groups.
    pub fn group_names(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.items.groups.iter().flatten().map(String::as_str).collect();
        names.into_iter().collect()
    }

    /// The group of each item by its place in [`Self::group_names`]; empty without groups.
    pub fn group_numbers(&self) -> Vec<usize> {
        let names = self.group_names();
        let number = |group: &String| names.partition_point(|name| *name < group.as_str());
        self.items.groups.iter().flatten().map(number).collect()
    }
}

/// The configured engine over the embeddings of the items at positions `kept`; `None` without familiarity.
///
/// # Errors
/// Texts that are not embedded yet, a value of an embedding that is not finite.
pub(super) fn engine(
    study: &Study,
    kept: &[usize],
    progress: &dyn Progress,
) -> Result<Option<Box<dyn Neighbours>>, Error> {
    engine_of(study.embeddings.as_ref(), study.file.config.familiarity.as_ref(), kept, progress)
}

/// The same from embeddings and configuration.
pub(super) fn engine_of(
    embeddings: Option<&Array2<f32>>,
    config: Option<&FamiliarityConfig>,
    kept: &[usize],
    progress: &dyn Progress,
) -> Result<Option<Box<dyn Neighbours>>, Error> {
    let Some(config) = config else { return Ok(None) };
    let embeddings = embeddings.ok_or(Error::NotEmbedded)?;
    let rows = if kept.len() == embeddings.nrows() {
        UnitRows::new(embeddings.view())?
    } else {
        UnitRows::new(embeddings.select(ndarray::Axis(0), kept).view())?
    };
    Ok(Some(config.engine.over(rows, list_width(config.neighbours), progress)?))
}

/// How many labelled neighbours count, and whether a labelled item is one of its own.
pub(super) fn neighbourhood(study: &Study) -> (usize, SelfNeighbour) {
    neighbourhood_of(study.file.config.familiarity.as_ref())
}

/// The same from the configuration.
pub(super) fn neighbourhood_of(config: Option<&FamiliarityConfig>) -> (usize, SelfNeighbour) {
    let count_itself = config.is_some_and(|config| config.count_itself);
    let mode = if count_itself { SelfNeighbour::Published } else { SelfNeighbour::LeaveOneOut };
    (config.map_or(1, |config| config.neighbours), mode)
}

/// An estimate with its uncertainty: standard error and central 95% interval by the normal approximation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Estimate {
    pub(super) fn new(value: f64, standard_error: f64) -> Self {
        let reach = normal_quantile(0.975) * standard_error;
        Self { value, standard_error, lo: value - reach, hi: value + reach }
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            standard_error: self.standard_error * factor,
            lo: self.lo * factor,
            hi: self.hi * factor,
        }
    }

    /// The estimate of exp(x), by the delta method; its interval is that of x, transformed.
    pub(super) fn exp(self) -> Self {
        let value = self.value.exp();
        Self { value, standard_error: value * self.standard_error, lo: self.lo.exp(), hi: self.hi.exp() }
    }
}

/// A coefficient of the trust regression on both scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// The feature.
    pub feature: String,
    /// Change of ln lambda per standard deviation of the feature.
    pub per_sd: Estimate,
    /// Change of ln lambda per unit of the feature.
    pub per_unit: Estimate,
    /// Mean of the feature over the items that have it; others count as average.
    pub mean: f64,
    /// Its standard deviation over all items.
    pub sd: f64,
    /// Items without it.
    pub missing: usize,
    /// Whether the labels tell this coefficient from the others; without that it stays near 0 by convention.
    pub identified: bool,
}

/// The fitted trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// What a prediction is worth for an item with average features, in labels.
    pub typical_trust: Estimate,
    /// exp of ln lambda averaged over all items, in labels.
    pub labels_worth: f64,
    /// 5, 50 and 95 percentiles of lambda over items, in labels.
    pub trust_percentiles: [f64; 3],
    /// Standard deviation of ln lambda over items: how much trust varies.
    pub sd_log_trust: f64,
    /// The coefficients of the features.
    pub coefficients: Vec<Coefficient>,
    /// How labelled neighbours were found, in words; `None` without embeddings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<String>,
    /// Whether the fit converged.
    pub converged: bool,
    /// Newton steps.
    pub iterations: usize,
    /// Largest component of the gradient at the end.
    pub gradient_norm: f64,
    /// Log-likelihood, in nats.
    pub log_likelihood: f64,
    /// Items with labels.
    pub labelled_items: usize,
    /// Coefficients that the labels identify, intercept included.
    pub rank: usize,
    /// Labelled items whose trust lies beyond the limits of the likelihood, 1e-3 and 1e6 labels.
    pub at_limit: usize,
    /// How the prediction is read, for each group; `None` where it is taken as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalibration: Option<Vec<Recalibrated>>,
}

/// How the judge's prediction q is read: q' proportional to q^tau exp(b), with b of the first class 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recalibrated {
    /// The group, where each has its own.
    pub group: Option<String>,
    /// tau: below 1 the judge is overconfident.
    pub tau: Estimate,
    /// b of the second to the last class: positive where the judge gives the class too little.
    pub bias: Vec<(String, Estimate)>,
}

impl Recalibrated {
    fn of(study: &Study, fit: &RecalibratedFit) -> Vec<Self> {
        let errors = fit.standard_errors();
        let classes = &study.file.config.classes;
        let names = study.group_names();
        let at = |group: usize| fit.names.len() + group * classes.len();
        let bias = |group: usize| {
            let one = |j: usize| (classes[j].clone(), Estimate::new(fit.bias[group][j], errors[at(group) + j]));
            (1..classes.len()).map(one).collect()
        };
        (0..fit.tau.len())
            .map(|group| Self {
                group: (fit.recalibration == Recalibration::ByGroup).then(|| names[group].to_owned()),
                tau: Estimate::new(fit.tau[group].ln(), errors[at(group)]).exp(),
                bias: bias(group),
            })
            .collect()
    }
}

impl FitReport {
    /// Reads the fit of a decomposition.
    pub fn of(study: &Study, decomposition: &Decomposition) -> Self {
        let fit = decomposition.fit.regression();
        let estimate = |k: usize| Estimate::new(fit.coefficients[k], fit.standard_errors[k]);
        let identified = |name: &String| !fit.unidentified.contains(name);
        let coefficients = decomposition.scales.iter().enumerate().map(|(k, scale)| Coefficient {
            feature: scale.name.clone(),
            per_sd: estimate(k + 1),
            per_unit: estimate(k + 1).scaled(1.0 / scale.sd),
            mean: scale.mean,
            sd: scale.sd,
            missing: scale.missing,
            identified: identified(&scale.name),
        });
        let log_trust: Vec<f64> = decomposition.trust.iter().map(|trust| trust.ln()).collect();
        Self {
            typical_trust: estimate(0).exp(),
            labels_worth: mean(&log_trust).exp(),
            trust_percentiles: percentiles(&decomposition.trust, [5.0, 50.0, 95.0]),
            sd_log_trust: population_sd(&log_trust),
            coefficients: coefficients.collect(),
            neighbours: decomposition.neighbours.clone(),
            converged: fit.converged,
            iterations: fit.iterations,
            gradient_norm: fit.gradient_norm,
            log_likelihood: fit.log_likelihood,
            labelled_items: fit.labelled_items,
            rank: fit.rank,
            at_limit: fit.at_limit,
            recalibration: decomposition.fit.recalibrated().map(|fit| Recalibrated::of(study, fit)),
        }
    }
}

/// Whether ranking by entropy would go wrong: with equal total evidence alpha_0 it ranks items nearly as the epistemic
/// part does, and the more the evidence varies, the more the two come apart (the paper, App. B, "When entropy-ranking is
/// safe").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceReport {
    /// 5, 50 and 95 percentiles of alpha_0 = trust + labels over items, in labels.
    pub evidence_percentiles: [f64; 3],
    /// Standard deviation over items of ln(alpha_0 + 1), on whose scale the value of a label falls.
    pub sd_log_evidence: f64,
    /// Spearman correlation of the epistemic part with the entropy of the posterior mean; `None` where one is constant.
    pub spearman_entropy_info: Option<f64>,
    /// The same with the entropy of the judge's prediction.
    pub spearman_judge_entropy_info: Option<f64>,
    /// Share of the tenth of the items with most epistemic uncertainty that entropy (of the posterior mean) finds too.
    pub shared_picks: f64,
    /// Epistemic uncertainty of entropy's tenth as a share of that of the best tenth.
    pub information_kept: f64,
    /// Whether entropy forgoes more than [`FORGONE`] of it.
    pub entropy_goes_wrong: bool,
}

/// Share of the epistemic uncertainty within the budget that a ranking may forgo and still count as agreeing.
pub const FORGONE: f64 = 0.1;

impl EvidenceReport {
    /// Compares the rankings of a decomposition at a tenth of the items.
    pub fn of(study: &Study, decomposition: &Decomposition) -> Self {
        let beliefs = &decomposition.beliefs;
        let evidence = beliefs.map(|b| b.evidence());
        let log: Vec<f64> = evidence.iter().map(|a| (a + 1.0).ln()).collect();
        let info = beliefs.map(|b| b.epistemic());
        let inputs = decomposition.rule_inputs(study);
        let k = crate::escalation::Budget::HEADLINE.of(beliefs.len());
        let picks = |rule: Rule| top(&rule.priority(&inputs), &decomposition.jitter, k);
        let (best, entropy) = (picks(Rule::Info), picks(Rule::PosteriorEntropy));
        let mut chosen = vec![false; beliefs.len()];
        best.iter().for_each(|&i| chosen[i] = true);
        let shared = entropy.iter().filter(|&&i| chosen[i]).count();
        let sum = |items: &[usize]| items.iter().map(|&i| info[i]).sum::<f64>();
        let most = sum(&best);
        let information_kept = if most > 0.0 { sum(&entropy) / most } else { 1.0 };
        let correlation = |rule: Rule| spearman(&rule.priority(&inputs), &info);
        Self {
            evidence_percentiles: percentiles(&evidence, [5.0, 50.0, 95.0]),
            sd_log_evidence: population_sd(&log),
            spearman_entropy_info: correlation(Rule::PosteriorEntropy),
            spearman_judge_entropy_info: correlation(Rule::JudgeEntropy),
            shared_picks: shared as f64 / k as f64,
            information_kept,
            entropy_goes_wrong: 1.0 - information_kept > FORGONE,
        }
    }
}
