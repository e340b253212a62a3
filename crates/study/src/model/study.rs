//! The study and its decomposition, and what of them depends on whether labels are classes or numbers.
//!
//! Everything else is written once; what is said of either is in a folder of its own below [`crate::kinds`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ndarray::ArcArray2;
use serde::{Deserialize, Serialize};

use crate::audit::columns::ReadColumn;
use crate::belief_file::{BeliefFile, InputColumns, belief_of};
use crate::error::Error;
use crate::findings::ratings::Ratings;
use crate::input::config::{StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::judge::{JudgeFiles, StudyJudge};
use crate::input::labels::Labels;
use crate::input::scale::Scale;
use crate::input::source::Source;
use crate::input::texts::EmbeddingSource;
use crate::kinds::classes::kind::{ClassFindings, ClassFit};
use crate::kinds::scores::{ScoreFindings, ScoreFit};
use crate::kinds::{classes, scores};
use crate::model::chosen::AnsweredQueue;
use judge_uncertainty_core::belief::design::FeatureScale;
use judge_uncertainty_core::belief::maps::Map;
use judge_uncertainty_core::belief::{
    BeliefModel, Design, Feature, FeatureColumn, GaussianFit, ItemBelief, Repeats, Standardizer, Unfit,
};
use judge_uncertainty_core::escalation::{Rule, top};
use judge_uncertainty_evaluation::protocol::{log_labels, seeded};
use judge_uncertainty_evaluation::{ByLabels, Fit, Fitted, LabelPool, Luck};
use judge_uncertainty_familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity_once};
use judge_uncertainty_familiarity::neighbours::{IndexedItems, Neighbours, UnitRows};
use judge_uncertainty_formats::error::{Error as DataError, Place, Result};
use judge_uncertainty_system::progress::Progress;

/// How another study reads the judge, from which this one starts: a map of classes; or the fit to ratings with the
/// names of its groups.
pub type CarriedReading = ByLabels<CarriedMap, (GaussianFit, Vec<String>)>;
/// What else of the fit's items the beliefs depend on: the map from which the fit starts; or the variance of repeated
/// ratings.
pub type Kept = ByLabels<Option<CarriedMap>, Option<Repeats>>;
/// What the fit says besides the trust regression.
pub type OwnFit = ByLabels<ClassFit, ScoreFit>;
/// What the decomposition says besides the parts of every item.
pub type OwnFindings = ByLabels<ClassFindings, ScoreFindings>;

/// How the belief of another study, read from `path`, recalibrates the judge; `None` where it does not.
///
/// # Errors
/// One that reads what this study does not have.
pub fn carried_reading(study: &Study, path: &Path, belief: BeliefFile) -> Result<Option<CarriedReading>> {
    Ok(match belief.fit {
        Fit::Classes(_) => classes::kind::carried_map(study, path, belief)?.map(CarriedReading::Classes),
        Fit::Ratings(fit) => (!scores::is_as_stated(&fit)).then_some(CarriedReading::Ratings((fit, belief.groups))),
    })
}

impl Study {
    /// Its items with what judge and people say of them.
    pub fn relation(&self) -> Relation<'_> {
        let Self { items, judge, labels, features, .. } = self;
        Relation { config: &self.file.config, items, judge, labels, features, start: self.carried_map.as_ref() }
    }

    /// What labels can be.
    pub fn scale(&self) -> &Scale {
        &self.file.config.scale
    }

    /// `labels` of the items at positions `kept` with what the judge says of them, under the belief of the study.
    pub fn pool(&self, labels: &Labels, kept: &[usize]) -> LabelPool {
        let belief = (self.file.config.trust.belief, self.items.groups_of(kept));
        self.relation().pool_under(labels, kept, belief, None)
    }

    /// The rules that rank the items, in the order in which they are evaluated (it is part of the random stream).
    ///
    /// Stated confidence ranks only where some item has one.
    pub fn rules(&self) -> Vec<Rule> {
        let confidence = self.judge.confidence.iter().any(Option::is_some);
        let mut rules = self.scale().rules();
        rules.retain(|rule| confidence || *rule != Rule::LowConfidence);
        rules
    }

    /// What the judge predicts of an item, as a label is written.
    pub fn prediction(&self, item: usize) -> String {
        match &self.judge.answers {
            Some(answers) => answers.classes()[self.likeliest(item)].clone(),
            None => self.judge.predictions[[item, 0]].to_string(),
        }
    }

    /// The class that the judge finds likeliest; ties go to the class named first.
    pub(crate) fn likeliest(&self, item: usize) -> usize {
        largest(self.judge.predictions.row(item).iter().copied())
    }
}

/// Whether a fit takes what the judge says as it is.
pub(crate) fn is_as_stated(fit: &Fit) -> bool {
    match fit {
        Fit::Classes(fit) => fit.mapped().is_none_or(|mapped| mapped.map.is_as_stated()),
        Fit::Ratings(fit) => scores::is_as_stated(fit),
    }
}

/// How the columns of further items are called, where the judge has these `variants`.
pub fn names(config: &StudyConfig, variants: &[String]) -> InputColumns {
    match &config.scale {
        Scale::Scores(..) => scores::names(config, variants),
        _ => classes::kind::names(config, variants),
    }
}

/// Position of the first largest value.
pub fn largest<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> usize {
    let better = |best: (usize, T), next: (usize, T)| if next.1 > best.1 { next } else { best };
    values.enumerate().reduce(better).map_or(0, |(k, _)| k)
}

/// Labels that came back for an item, against the belief without them: squared errors of the belief's mean, each as
/// foreseen before the labels and as it came. The first is the error against a single label, the mean over the labels; the
/// second is the error removed by all of the labels but one, measured on that one and averaged over which it is, `None`
/// for one label.
pub type CameBack = ((f64, f64), Option<(f64, f64)>);

/// Everything that a study reads, checked and in one order, that of its items.
#[derive(Debug, Clone)]
pub struct Study {
    /// The configuration and the file it comes from.
    pub file: StudyFile,
    /// The items.
    pub items: Items,
    /// What the judge predicts.
    pub judge: StudyJudge,
    /// The human labels.
    pub labels: Labels,
    /// Embeddings of the items, items x dimensions; they are there after [`Self::embed`].
    pub embeddings: Option<ArcArray2<f32>>,
    /// Where they come from; `None` where the study uses none.
    pub embedding_source: Option<EmbeddingSource>,
    /// Features of the trust regression, in order.
    pub features: Vec<Feature<usize>>,
    /// Ids of items left out because the judge has no answer for them, in the order of the file.
    pub left_out: Vec<String>,
    /// Notices about the files that do not refuse the study, such as a log that was cut off.
    pub warnings: Vec<String>,
    /// The trust of another study from which this one starts, if it names one.
    pub carried: Option<Carried>,
    /// The map that goes with it, where that study's belief has one.
    pub carried_map: Option<CarriedReading>,
    /// The queues that added labels answer.
    pub queues: Vec<AnsweredQueue>,
    /// Sums of all files read.
    pub inputs: Source,
    /// Which judge its trust belongs to.
    pub judge_files: JudgeFiles,
    /// The columns of the table that `audit` made it of.
    pub columns: Vec<ReadColumn>,
    /// Every answer with its item and rater, once it was asked for.
    pub(crate) ratings: OnceLock<Ratings>,
}

/// The belief about every item of a study, given all labels.
#[derive(Debug, Clone)]
pub struct Decomposition {
    /// The labels and what the judge says of the items.
    pub pool: LabelPool,
    /// Features of the trust regression.
    pub features: Vec<FeatureColumn>,
    /// How labelled neighbours were found, in words; `None` without embeddings.
    pub neighbours: Option<String>,
    /// The scales of the features.
    pub scales: Vec<FeatureScale>,
    /// The fitted trust and the beliefs about all items.
    pub fitted: Fitted,
    /// Trust lambda of every item, in labels.
    pub trust: Vec<f64>,
    /// Labels of every item.
    pub numbers: Vec<u32>,
    /// Uniform draws that break ties and rank at random.
    pub luck: Luck,
}

// Items with what judge and people say of them, whether a study holds them or a belief is applied to them.

/// Items with what judge and people say of them: all that beliefs about them depend on.
#[derive(Debug, Clone, Copy)]
pub struct Relation<'r> {
    /// What labels can be, and how judge and labels are read.
    pub config: &'r StudyConfig,
    /// The items.
    pub items: &'r Items,
    /// What the judge predicts.
    pub judge: &'r StudyJudge,
    /// The human labels.
    pub labels: &'r Labels,
    /// Features of the trust regression, in order.
    pub features: &'r [Feature<usize>],
    /// How the study from which a fit starts reads the judge, if there is one.
    pub start: Option<&'r CarriedReading>,
}

impl Relation<'_> {
    /// `labels` of the items at positions `kept` with what the judge says of them, under a belief, which comes with the
    /// group of each item, for beliefs that are fitted by group. `of_fit` is what was kept of the items of a fit that
    /// is applied to these.
    pub fn pool_under(
        &self,
        labels: &Labels,
        kept: &[usize],
        belief: (BeliefModel, Vec<usize>),
        of_fit: Option<&Kept>,
    ) -> LabelPool {
        match self.config.scale {
            Scale::Scores(..) => LabelPool::Ratings(scores::pool(self, labels, kept, belief, of_fit)),
            _ => LabelPool::Classes(classes::kind::pool(self, labels, kept, belief, of_fit)),
        }
    }

    /// The features of the items at positions `kept`, which hold `numbers` labels and are `near` to the labelled ones.
    pub fn feature_columns(
        &self,
        kept: &[usize],
        numbers: &[u32],
        near: Option<&FamiliarityFeatures>,
    ) -> Vec<FeatureColumn> {
        let some = |values: &[Option<f64>]| kept.iter().map(|&i| values.get(i).copied().flatten()).collect();
        let distances = |read: fn(&FamiliarityFeatures) -> &Vec<Option<f64>>| {
            near.map_or_else(|| vec![None; kept.len()].into(), |near| read(near).as_slice().into())
        };
        let column = |feature: &Feature<usize>| {
            let (feature, values) = match feature {
                Feature::Spread => (Feature::Spread, some(&self.judge.spread)),
                Feature::LogLabels => (Feature::LogLabels, log_labels(numbers).map(Some).collect()),
                Feature::Confidence => (Feature::Confidence, some(&self.judge.confidence)),
                Feature::NearestLabelled => (Feature::NearestLabelled, distances(|near| &near.nearest)),
                Feature::MeanNearestLabelled => (Feature::MeanNearestLabelled, distances(|near| &near.mean_nearest)),
                Feature::Column(k) => return self.items.columns[*k].feature.select(kept),
            };
            FeatureColumn { feature, values }
        };
        self.features.iter().map(column).collect()
    }
}

// The decomposition of a study: trust fitted to all labels, the belief about every item, and every rule's ranking.

/// Number of the stream that breaks ties and draws the random ranking; replicates count from 0.
const RANKING_STREAM: u64 = u64::MAX;
/// The number of each such stream after labels were added: this plus the number of batches of added labels, which is
/// smaller.
const LATER_RANKINGS: u64 = 1 << 63;

/// The draws that break ties of a queue and rank it at random, under a seed and after so many batches of added labels.
pub(crate) fn luck_of(seed: u64, batches: usize, items: usize) -> Luck {
    let number = if batches == 0 { RANKING_STREAM } else { LATER_RANKINGS + batches as u64 };
    Luck::draw(&mut seeded(seed, number), items)
}

impl Decomposition {
    /// Finds labelled neighbours, fits the trust to all labels, and updates the belief about every item.
    ///
    /// # Errors
    /// Embeddings that are not finite, or features that can't be used.
    pub fn new(study: &Study, progress: &dyn Progress) -> Result<Self, Error> {
        Self::over(study, &study.labels, &(0..study.len()).collect::<Vec<_>>(), progress)
    }

    /// The decomposition of the items at positions `kept` under some of their labels.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn over(study: &Study, labels: &Labels, kept: &[usize], progress: &dyn Progress) -> Result<Self, Error> {
        let pool = study.pool(labels, kept);
        let labelled: Vec<bool> = pool.all().numbers().iter().map(|&n| n > 0).collect();
        let (neighbours, mode) = study.neighbourhood();
        let engine = study.engine(kept, IndexedItems::those(&labelled), neighbours, progress)?;
        let near =
            engine.map(|engine| (familiarity_once(engine.as_ref(), &labelled, neighbours, mode), engine.describe()));
        let (near, neighbours) = near.unzip();
        let found = Self::near(study, kept, pool, near.as_ref(), None)?;
        Ok(Self { neighbours, ..found })
    }

    /// The decomposition of the items of a pool, at positions `kept`, that are so `near` to the labelled ones; under a
    /// `fit` to these labels that was made before, if there is one.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn near(
        study: &Study,
        kept: &[usize],
        pool: LabelPool,
        near: Option<&FamiliarityFeatures>,
        fit: Option<Fit>,
    ) -> Result<Self, Error> {
        let items = kept.len();
        let in_hand = pool.all();
        let numbers = in_hand.numbers();
        let mut features = study.relation().feature_columns(kept, &numbers, near);
        if numbers.iter().all(|n| *n == 0) {
            // Nothing is labelled, so nothing is near to what is.
            features.retain(|column| !column.feature.is_distance());
        }
        let standardizer = Standardizer::fit(&features)?;
        let design = if features.is_empty() { Design::constant(items) } else { standardizer.apply(&features)? };
        let design = match &study.carried {
            Some(carried) => design.centred(carried.centre(standardizer.scales())),
            None => design,
        };
        let (fitted, trust) = Fitted::with_trust(&*pool, design, &in_hand, fit)?;
        let luck = luck_of(study.file.config.seed, 0, items);
        let scales = standardizer.scales().to_vec();
        Ok(Self { pool, features, neighbours: None, scales, fitted, trust, numbers, luck })
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// What a prediction of an item with average features counts for, in labels.
    pub fn assumed_trust(&self) -> f64 {
        self.fitted.fit.regression().coefficients[0].exp()
    }

    /// The belief about the item at a position.
    pub fn belief(&self, item: usize) -> ItemBelief<'_> {
        self.fitted.beliefs.get(item)
    }

    /// One number per item, from its belief.
    pub fn map(&self, f: impl Fn(ItemBelief<'_>) -> f64) -> Vec<f64> {
        self.fitted.beliefs.map(f)
    }

    /// The priority of every item under a rule; `None` for a rule that does not rank such labels.
    pub fn priority(&self, rule: Rule) -> Option<Vec<f64>> {
        self.priority_with(rule, &self.luck)
    }

    /// As [`Self::priority`], with other draws for ties and for the random rule.
    pub fn priority_with(&self, rule: Rule, luck: &Luck) -> Option<Vec<f64>> {
        self.pool.priority(rule, &self.fitted, &self.numbers, luck)
    }

    /// Positions of all items, most urgent first under the rule; `None` as [`Self::priority`].
    pub fn ranking(&self, rule: Rule) -> Option<Vec<usize>> {
        self.priority(rule).map(|priority| top(&priority, &self.luck.jitter, self.len()))
    }
}

impl Study {
    /// The configured engine over the embeddings of the items at positions `kept`, which finds those `held` of them; an
    /// index is checked by lists of `width`. `None` without familiarity.
    ///
    /// # Errors
    /// Texts that are not embedded yet, a value of an embedding that is not finite.
    pub(crate) fn engine(
        &self,
        kept: &[usize],
        held: IndexedItems,
        width: usize,
        progress: &dyn Progress,
    ) -> Result<Option<Box<dyn Neighbours>>, Error> {
        let Some(config) = &self.file.config.familiarity else { return Ok(None) };
        let embeddings = self.embeddings.as_ref().ok_or(Error::NotEmbedded)?;
        let rows = if kept.len() == embeddings.nrows() {
            UnitRows::from_shared(embeddings.clone())?
        } else {
            UnitRows::from_shared(embeddings.select(ndarray::Axis(0), kept).into_shared())?
        };
        Ok(Some(config.engine.over(rows, held, width, progress)))
    }

    /// How many labelled neighbours count, and whether a labelled item is one of its own.
    pub(crate) fn neighbourhood(&self) -> (usize, SelfNeighbour) {
        let config = self.file.config.familiarity.as_ref();
        let count_itself = config.is_some_and(|config| config.count_itself);
        let mode = if count_itself { SelfNeighbour::Published } else { SelfNeighbour::LeaveOneOut };
        (config.map_or(1, |config| config.neighbours), mode)
    }
}

// The beliefs that held-out labels are scored under.

/// The items of a study at positions `kept` under each of the beliefs that can be held about them, by name: the paper's, the
/// one that the labels choose, and the configured one.
pub fn beliefs(study: &Study, kept: &[usize]) -> Vec<(String, LabelPool)> {
    let (configured, mut models) = (study.file.config.trust.belief, vec![BeliefModel::Published, BeliefModel::Auto]);
    if !models.contains(&configured) {
        models.push(configured);
    }
    let pool = |model| study.relation().pool_under(&study.labels, kept, (model, study.items.groups_of(kept)), None);
    models.into_iter().map(|model| (model.key().to_owned(), pool(model))).collect()
}

/// What the belief that a study holds is called.
pub fn name_of_own(study: &Study) -> &'static str {
    study.file.config.trust.belief.key()
}

// What starts from another study: where the prior on the trust of this one is centred, and what goes with it.

/// The trust that another study found.
///
/// ```text
/// ln lambda = ln trust + sum over features of per_unit (x - mean)
/// ```
///
/// It is the centre of the prior on the trust here, whose width stays that of the weak prior: labels of this study
/// outweigh it as they do that one. Features that only one of the studies has do not enter. Half splits of an
/// evaluation do not use it.
///
/// The trust belongs to the recalibration that was fitted along with it, so a study starts from both or from neither.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// The run that it comes from, as the configuration names it.
    pub from: String,
    /// What that study is called.
    pub study: String,
    /// What a prediction is worth there for an item with average features, in labels.
    pub trust: f64,
    /// The features on which it depends there, as far as that study's labels tell and this one has them.
    pub features: Vec<CarriedFeature>,
    /// Features of that fit that this study does not have.
    pub left: Vec<String>,
}

/// What trust depends on there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CarriedFeature {
    /// The feature.
    pub feature: String,
    /// Change of ln lambda per unit of it.
    pub per_unit: f64,
    /// Its mean over the items of that study.
    pub mean: f64,
}

impl Carried {
    /// Reads what a study's `trust.carry_from` names, the run folder of another study or the `belief.json` in it; gives
    /// back that belief with its path as well.
    ///
    /// # Errors
    /// No belief, one about other labels, or a trust that the labels there tell no more about than the prior.
    pub fn read(file: &StudyFile, source: &mut Source) -> Result<Option<(Self, PathBuf, BeliefFile)>> {
        let Some(named) = &file.config.trust.carry_from else { return Ok(None) };
        let path = belief_of(&file.resolve(named));
        let belief = BeliefFile::parse(&path, &source.read(&path)?)?;
        let refuse = |reason: &str, remedy: &str| DataError::unfit(Place::file(&path), reason, remedy);
        let labels = |scale: &Scale| (scale.is_numbers(), scale.classes().iter().cloned().collect::<BTreeSet<_>>());
        if labels(&file.config.scale) != labels(&belief.settings.scale) {
            let remedy = "name a study of the same classes, or of numbers too, or leave out trust.carry_from";
            return Err(refuse(
                "that study is about other labels, for which a prediction is worth something else",
                remedy,
            ));
        }
        if file.config.trust.belief == BeliefModel::Published && !is_as_stated(&belief.fit) {
            let reason = "that study's trust goes with its map, and this study takes the prediction as it is";
            let remedy = "write belief = \"auto\" under [trust] here, which carries the map as well";
            return Err(refuse(reason, remedy));
        }
        let fit = belief.fit.regression();
        let told = |name: &str| fit.unidentified.iter().all(|unidentified| unidentified != name);
        if !(fit.converged && told("intercept")) {
            let remedy = "collect more labels there, or leave out trust.carry_from: the weak prior says as much";
            return Err(refuse("that study's labels do not determine its trust", remedy));
        }
        let features = belief.features.iter().zip(&fit.coefficients[1..]).filter(|(of, _)| told(&of.name));
        let features = features.map(|(of, coefficient)| CarriedFeature {
            feature: of.name.clone(),
            per_unit: coefficient / of.sd,
            mean: of.mean,
        });
        let carried = Self {
            from: named.display().to_string(),
            study: belief.settings.title.clone(),
            trust: fit.coefficients[0].exp(),
            features: features.collect(),
            left: vec![],
        };
        Ok(Some((carried, path, belief)))
    }

    /// Keeps the features that this study has, by their names.
    pub(crate) fn among(mut self, names: &[String]) -> Self {
        let (kept, left): (Vec<_>, Vec<_>) = self.features.into_iter().partition(|f| names.contains(&f.feature));
        self.features = kept;
        self.left = left.into_iter().map(|f| f.feature).collect();
        self
    }

    /// This trust as coefficients of features on these scales, intercept first.
    pub(crate) fn centre(&self, scales: &[FeatureScale]) -> Vec<f64> {
        let of = |scale: &FeatureScale| self.features.iter().find(|f| f.feature == scale.name);
        let shift = |scale: &FeatureScale| of(scale).map_or(0.0, |f| f.per_unit * (scale.mean - f.mean));
        let intercept = self.trust.ln() + scales.iter().map(shift).sum::<f64>();
        let slope = |scale: &FeatureScale| of(scale).map_or(0.0, |f| f.per_unit * scale.sd);
        std::iter::once(intercept).chain(scales.iter().map(slope)).collect()
    }
}

/// A map of another study: what it adds to the log predictions is the start of the map here
/// ([`judge_uncertainty_core::belief::maps::CarriedOffsets`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedMap {
    /// What that study is called.
    pub study: String,
    /// The map.
    pub map: Map,
    /// Names of the judge's variants there, in the order in which the map reads them.
    pub variants: Vec<String>,
    /// Names of the groups there, in order; items of other groups are read as those of no group.
    pub groups: Vec<String>,
    /// The features of the trust there, in order, on the scale on which the map reads them.
    pub features: Vec<CarriedScale>,
    /// What the judge of that study differs in, in words; `None` where nothing tells another one.
    pub another_judge: Option<String>,
}

/// A feature on the scale of another study: z = clamp((x - mean) / sd, low, high), 0 where x is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedScale {
    /// The feature.
    pub name: String,
    /// Its mean there.
    pub mean: f64,
    /// Its standard deviation there, above 0.
    pub sd: f64,
    /// The values of its labelled items, in standard deviations from the mean; `None` where the map extrapolates.
    pub limits: Option<(f64, f64)>,
}

impl CarriedMap {
    /// Whether it is a map of so many classes that can be computed with.
    ///
    /// # Errors
    /// What contradicts itself.
    pub fn check(&self, classes: usize) -> Result<(), Unfit> {
        let names: Vec<&str> = self.features.iter().map(|feature| feature.name.as_str()).collect();
        let kept = |problem: &str| Unfit { field: "kept", problem: problem.to_owned() };
        if self.map.is_on_a_carried_map() {
            return Err(kept("starts from another map"));
        }
        let possible = |f: &CarriedScale| {
            let (low, high) = f.limits.unwrap_or((0.0, 0.0));
            f.mean.is_finite() && f.sd.is_finite() && f.sd > 0.0 && low.is_finite() && high.is_finite() && low <= high
        };
        if !self.features.iter().all(possible) || self.map.reads().variants > self.variants.len() {
            return Err(kept("has a scale or variants that no fit has"));
        }
        self.map.check(&names, classes, self.groups.len())
    }
}

#[cfg(test)]
mod tests_of_carried {
    use super::*;

    /// On another scale the centre is the same function of the feature: 10 labels at x = 2, doubling per unit.
    #[test]
    fn the_centre_is_the_same_function_on_other_scales() {
        let feature = CarriedFeature { feature: "length".to_owned(), per_unit: 2f64.ln(), mean: 2.0 };
        let other = CarriedFeature { feature: "spread".to_owned(), per_unit: 1.0, mean: 0.0 };
        let carried = Carried {
            from: "run".to_owned(),
            study: "first".to_owned(),
            trust: 10.0,
            features: vec![feature, other],
            left: vec![],
        }
        .among(&["length".to_owned(), "own".to_owned()]);
        assert_eq!(carried.left, ["spread"]);
        let scale = |name: &str, mean: f64, sd: f64| FeatureScale { name: name.to_owned(), mean, sd, missing: 0 };
        let centre = carried.centre(&[scale("own", 7.0, 3.0), scale("length", 4.0, 0.5)]);
        let at = |length: f64| (centre[0] + centre[2] * (length - 4.0) / 0.5).exp();
        assert_eq!(centre[1], 0.0);
        assert!((at(2.0) - 10.0).abs() < 1e-9 && (at(3.0) - 20.0).abs() < 1e-9);
    }
}
