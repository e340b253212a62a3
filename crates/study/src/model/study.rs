//! The study and its decomposition, and what of them depends on whether labels are classes or numbers.
//!
//! Everything else is written once; what is said of either is in a folder of its own below [`crate::kinds`].

use std::path::Path;
use std::sync::OnceLock;

use ndarray::ArcArray2;

use crate::audit::columns::ReadColumn;
use crate::belief_file::file::BeliefFile;
use crate::belief_file::kind::InputColumns;
use crate::findings::ratings::Ratings;
use crate::input::config::{StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::judge::StudyJudge;
use crate::input::judge_files::JudgeFiles;
use crate::input::labels::Labels;
use crate::input::scale::Scale;
use crate::input::source::Source;
use crate::input::texts::EmbeddingSource;
use crate::kinds::classes::reports::{ClassFindings, ClassFit};
use crate::kinds::scores::findings::ScoreFindings;
use crate::kinds::scores::findings::ScoreFit;
use crate::kinds::{classes, scores};
use crate::model::carried::{Carried, CarriedMap};
use crate::model::chosen::AnsweredQueue;
use crate::model::relation::Relation;
use judge_uncertainty_core::belief::design::FeatureScale;
use judge_uncertainty_core::belief::{Feature, FeatureColumn, GaussianFit, Repeats};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_evaluation::{ByLabels, Fit, Fitted, LabelPool, Luck};
use judge_uncertainty_formats::error::Result;

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
        Fit::Classes(_) => classes::carried::read(study, path, belief)?.map(CarriedReading::Classes),
        Fit::Ratings(fit) => {
            (!scores::kind::is_as_stated(&fit)).then_some(CarriedReading::Ratings((fit, belief.groups)))
        }
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
        Fit::Ratings(fit) => scores::kind::is_as_stated(fit),
    }
}

/// How the columns of further items are called, where the judge has these `variants`.
pub fn names(config: &StudyConfig, variants: &[String]) -> InputColumns {
    match &config.scale {
        Scale::Scores(..) => scores::kind::names(config, variants),
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
