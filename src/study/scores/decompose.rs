//! The decomposition of a study of scores.

use std::collections::BTreeMap;

use super::{Ratings, ScoreConfig, ScoreStudy};
use crate::belief::design::FeatureScale;
use crate::belief::{Design, FeatureColumn, Gaussian, GaussianFit, Repeats, Scores, Standardizer, fit_gaussian};
use crate::dataset::error::Result as DataResult;
use crate::escalation::{Rule, top};
use crate::experiments::half_split::seeded;
use crate::experiments::world::{log_labels, uniforms};
use crate::familiarity::features::familiarity_once;
use crate::familiarity::neighbours::UnitRows;
use crate::progress::Progress;
use crate::study::Error;
use crate::study::config::StudyFile;
use crate::study::decompose::{RANKING_STREAM, engine_over, neighbourhood_of};
use crate::study::items::Items;
use crate::study::queue::{Question, Ranked, Task};

/// The features that are no columns of the items.
const OWN_FEATURES: [&str; 4] = ["spread", "log_labels", "nearest_labelled", "mean_nearest_labelled"];

/// The configured features, or all there are.
pub(super) fn choose(
    file: &StudyFile<ScoreConfig>,
    items: &Items,
    spread: bool,
    embeddings: bool,
) -> DataResult<Vec<String>> {
    let lacks = |name: &str| match name {
        "spread" if !spread => Some("no item has scores under two variants"),
        "nearest_labelled" | "mean_nearest_labelled" if !embeddings => {
            Some("there is no [familiarity] table with embeddings")
        }
        name if OWN_FEATURES.contains(&name) || items.columns.iter().any(|c| c.source == name) => None,
        _ => Some("is no feature: a column of the items must be listed under numbers or categories"),
    };
    let Some(names) = &file.config.trust.features else {
        let own = OWN_FEATURES.into_iter().filter(|name| lacks(name).is_none());
        let mut names: Vec<String> = own.map(str::to_owned).collect();
        names.extend(items.columns.iter().map(|c| c.source.clone()));
        names.dedup();
        return Ok(names);
    };
    for (k, name) in names.iter().enumerate() {
        let reason = if names[..k].contains(name) { Some("stands there twice") } else { lacks(name) };
        if let Some(reason) = reason {
            let mut known: Vec<&str> = OWN_FEATURES.to_vec();
            known.extend(items.columns.iter().map(|c| c.source.as_str()));
            known.dedup();
            let remedy = format!("name each feature once, out of {}", known.join(", "));
            return Err(file.refuse("trust.features", &format!("{name:?}"), reason, &remedy));
        }
    }
    Ok(names.clone())
}

/// The belief about every item of a study of scores, given all ratings.
#[derive(Debug, Clone)]
pub struct ScoreDecomposition {
    /// Features of the trust regression.
    pub features: Vec<FeatureColumn>,
    /// How labelled neighbours were found, in words; `None` without embeddings.
    pub neighbours: Option<String>,
    /// Their scales.
    pub scales: Vec<FeatureScale>,
    /// The trust regression.
    pub fit: GaussianFit,
    /// The belief about every item before its ratings; its `evidence` is the trust.
    pub priors: Vec<Gaussian>,
    /// The belief with them.
    pub beliefs: Vec<Gaussian>,
    /// What the ratings of every item come to.
    pub labels: Vec<Scores>,
    /// Variance of repeated ratings; `None` if nobody rated an item twice, and then noise within annotators and
    /// disagreement between them are not told apart.
    pub repeats: Option<Repeats>,
    /// Uniform draws that break ties.
    pub jitter: Vec<f64>,
    /// Uniform draws of the random rule.
    pub random: Vec<f64>,
}

impl ScoreDecomposition {
    /// Fits the trust to ratings (all of the study's, or some) and updates the belief about every item.
    ///
    /// # Errors
    /// Embeddings that are not finite, features that can't be used, no rating at all.
    pub fn of(study: &ScoreStudy, ratings: &Ratings, progress: &dyn Progress) -> Result<Self, Error> {
        let items = study.len();
        let (labels, repeats) = ratings.scores(items);
        let (features, neighbours) = feature_columns(study, &labels, progress)?;
        let standardizer = Standardizer::fit(&features)?;
        let design = if features.is_empty() { Design::constant(items) } else { standardizer.apply(&features)? };
        let fit = fit_gaussian(&design, &study.judge, &labels)?;
        let priors = fit.priors(&design, &study.judge);
        let beliefs = priors.iter().zip(&labels).map(|(prior, labels)| prior.updated(labels)).collect();
        let mut stream = seeded(study.file.config.seed, RANKING_STREAM);
        let (jitter, random) = (uniforms(&mut stream, items), uniforms(&mut stream, items));
        let scales = standardizer.scales().to_vec();
        Ok(Self { features, neighbours, scales, fit, priors, beliefs, labels, repeats, jitter, random })
    }

    /// The rules that rank scores. Info and v are the same here: both rank by Var(m).
    pub const RULES: [Rule; 7] = [
        Rule::Info,
        Rule::Delta,
        Rule::Spread,
        Rule::PosteriorEntropy,
        Rule::JudgeEntropy,
        Rule::FewestLabels,
        Rule::Random,
    ];

    /// Scores of every item under a rule: its epistemic part (info, v), the value of a label (delta), the variance of a
    /// fresh label (posterior_entropy), the judge's variance (judge_entropy), fewest labels or a random draw; `None` for
    /// the other rules, which need classes or a stated confidence.
    pub fn scores(&self, rule: Rule) -> Option<Vec<f64>> {
        let of = |f: fn(&Gaussian) -> f64| Some(self.beliefs.iter().map(f).collect());
        match rule {
            Rule::Info | Rule::Spread => of(Gaussian::epistemic),
            Rule::Delta => of(Gaussian::label_value),
            Rule::PosteriorEntropy => of(Gaussian::total),
            Rule::JudgeEntropy => Some(self.priors.iter().map(|prior| prior.scale).collect()),
            Rule::FewestLabels => Some(self.labels.iter().map(|labels| -f64::from(labels.n)).collect()),
            Rule::Random => Some(self.random.clone()),
            _ => None,
        }
    }

    /// Positions of all items, most urgent first under the rule; `None` as [`Self::scores`].
    pub fn ranking(&self, rule: Rule) -> Option<Vec<usize>> {
        self.scores(rule).map(|scores| top(&scores, &self.jitter, self.beliefs.len()))
    }

    /// Noise within annotators and disagreement between them of item `i`; `None` without repeats.
    pub fn split(&self, i: usize) -> Option<(f64, f64)> {
        self.repeats.map(|repeats| repeats.split(self.beliefs[i].aleatoric()))
    }
}

/// The features of all items, which hold `labels`, and how neighbours were found.
fn feature_columns(
    study: &ScoreStudy,
    labels: &[Scores],
    progress: &dyn Progress,
) -> Result<(Vec<FeatureColumn>, Option<String>), Error> {
    let numbers: Vec<u32> = labels.iter().map(|labels| labels.n).collect();
    let near = match (&study.embeddings, &study.file.config.familiarity) {
        (Some(embeddings), Some(config)) => {
            let engine = engine_over(config, UnitRows::new(embeddings.view())?, progress)?;
            let labelled: Vec<bool> = numbers.iter().map(|&n| n > 0).collect();
            let (neighbours, mode) = neighbourhood_of(Some(config));
            Some((familiarity_once(engine.as_ref(), &labelled, neighbours, mode), engine.describe()))
        }
        _ => None,
    };
    let (near, neighbours) = near.unzip();
    let mut columns = vec![];
    for name in &study.features {
        match (name.as_str(), &near) {
            ("spread", _) => columns.push(FeatureColumn::partial("spread", study.spread.iter().copied())),
            ("log_labels", _) => columns.push(FeatureColumn::complete("log_labels", log_labels(&numbers))),
            ("nearest_labelled", Some(near)) => {
                columns.push(FeatureColumn::partial("nearest_labelled", near.nearest.iter().copied()));
            }
            ("mean_nearest_labelled", Some(near)) => {
                columns.push(FeatureColumn::partial("mean_nearest_labelled", near.mean_nearest.iter().copied()));
            }
            _ => columns.extend(study.items.columns.iter().filter(|c| c.source == *name).map(|c| c.feature.clone())),
        }
    }
    Ok((columns, neighbours))
}

impl Ranked<Gaussian> {
    /// Scores the items of a study of scores.
    ///
    /// # Errors
    /// A rule that does not rank scores.
    pub fn of_scores(study: &ScoreStudy, decomposition: &ScoreDecomposition, rule: Rule) -> Result<Self, Error> {
        let scores = decomposition.scores(rule).ok_or(Error::NotForScores { rule: rule.key() })?;
        let (low, high) = study.file.config.scale;
        let task = |(i, score): (usize, f64)| {
            let belief = &decomposition.beliefs[i];
            let record: BTreeMap<String, f64> = [
                ("aleatoric", belief.aleatoric()),
                ("epistemic", belief.epistemic()),
                ("total", belief.total()),
                ("trust", decomposition.priors[i].evidence),
                ("mean_score", belief.mean),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
            Task {
                id: study.items.ids[i].to_owned(),
                text: study.items.texts.as_ref().map(|texts| texts[i].clone()),
                score,
                prediction: study.judge.mean[i].to_string(),
                record,
            }
        };
        Ok(Self {
            title: study.file.config.title.clone(),
            tasks: scores.into_iter().enumerate().map(task).collect(),
            beliefs: decomposition.beliefs.clone(),
            labels: decomposition.labels.iter().map(|labels| labels.n).collect(),
            tie_break: decomposition.jitter.clone(),
            question: Question::Score { low, high },
            inputs: study.relative_inputs(),
        })
    }
}
