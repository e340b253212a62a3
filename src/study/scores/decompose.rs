//! The decomposition of a study of scores.

use std::collections::BTreeMap;

use super::{Ratings, ScoreConfig, ScoreStudy};
use crate::belief::design::FeatureScale;
use crate::belief::{
    Belief, Design, FeatureColumn, Gaussian, GaussianFit, Repeats, Scores, Standardizer, fit_gaussian,
};
use crate::dataset::error::Result as DataResult;
use crate::escalation::{Rule, ScoreRuleInputs, top};
use crate::experiments::half_split::seeded;
use crate::experiments::world::{log_labels, uniforms};
use crate::familiarity::features::{FamiliarityFeatures, familiarity_once};
use crate::familiarity::neighbours::Neighbours;
use crate::progress::Progress;
use crate::study::Error;
use crate::study::config::StudyFile;
use crate::study::decompose::{RANKING_STREAM, engine_of, neighbourhood_of};
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
        "nearest_labelled" | "mean_nearest_labelled" if !embeddings => Some("there is no [familiarity] table"),
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
        let all: Vec<usize> = (0..items).collect();
        let numbers: Vec<u32> = labels.iter().map(|labels| labels.n).collect();
        let near = study.engine(&all, progress)?.map(|engine| {
            let labelled: Vec<bool> = numbers.iter().map(|&n| n > 0).collect();
            let (neighbours, mode) = neighbourhood_of(study.file.config.familiarity.as_ref());
            (familiarity_once(engine.as_ref(), &labelled, neighbours, mode), engine.describe())
        });
        let (near, neighbours) = near.unzip();
        let features = study.feature_columns(&all, &numbers, near.as_ref());
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

    /// Scores of every item under a rule; `None` for a rule that does not rank scores ([`Rule::of_scores`]).
    pub fn scores(&self, rule: Rule) -> Option<Vec<f64>> {
        let labels: Vec<u32> = self.labels.iter().map(|labels| labels.n).collect();
        rule.of_scores(&ScoreRuleInputs {
            priors: &self.priors,
            beliefs: &self.beliefs,
            labels: &labels,
            random: &self.random,
        })
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

impl ScoreStudy {
    /// The features of the items at positions `kept`, which hold `numbers` labels and are `near` to the labelled ones.
    pub fn feature_columns(
        &self,
        kept: &[usize],
        numbers: &[u32],
        near: Option<&FamiliarityFeatures>,
    ) -> Vec<FeatureColumn> {
        let some = |values: &[Option<f64>]| kept.iter().map(|&i| values[i]).collect();
        let mut columns = vec![];
        for name in &self.features {
            let mut put = |values| columns.push(FeatureColumn { name: name.clone(), values });
            match (name.as_str(), near) {
                ("spread", _) => put(some(&self.spread)),
                ("log_labels", _) => columns.push(FeatureColumn::complete("log_labels", log_labels(numbers))),
                ("nearest_labelled", Some(near)) => put(near.nearest.clone()),
                ("mean_nearest_labelled", Some(near)) => put(near.mean_nearest.clone()),
                _ => {
                    let own = self.items.columns.iter().filter(|column| column.source == *name);
                    columns.extend(own.map(|column| FeatureColumn {
                        name: column.feature.name.clone(),
                        values: some(&column.feature.values),
                    }));
                }
            }
        }
        columns
    }

    /// The configured engine over the embeddings of the items at positions `kept`; `None` without familiarity.
    pub(super) fn engine(&self, kept: &[usize], progress: &dyn Progress) -> Result<Option<Box<dyn Neighbours>>, Error> {
        engine_of(self.embeddings.as_ref(), self.file.config.familiarity.as_ref(), kept, progress)
    }
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
