//! What a study says of its belief in a way that depends on its labels, and the study and the decomposition themselves.
//!
//! A kind of label is a folder below [`crate::kinds`], where the kinds are listed. Everything else of a study is
//! written once, for all kinds.

use std::fmt::Debug;
use std::path::Path;

use ndarray::{ArcArray2, ArrayView1};

use crate::belief_file::file::BeliefFile;
use crate::belief_file::kind::{InputColumns, RowAnswer, Wrong};
use crate::input::check::Check;
use crate::input::config::{Setting, StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::judge_files::JudgeFiles;
use crate::input::labels::Labels;
use crate::input::question::{LabelValue, Question};
use crate::input::read::{Read, Reported, StudyJudge};
use crate::input::source::Source;
use crate::input::texts::EmbeddingSource;
use crate::model::carried::Carried;
use crate::model::chosen::AnsweredQueue;
use judge_uncertainty_core::belief::design::FeatureScale;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::{BeliefModel, BeliefTable, Feature, FeatureColumn, Ratings, Unfit, mean_place};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_evaluation::{Fitted, Luck, Pool, Scored};
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::judge::JudgeAnswers;
use judge_uncertainty_formats::output::OutputColumn;

/// The belief of a kind of label about one item.
pub type BeliefOf<'a, K> = <<<K as Kind>::Pool as Pool>::Beliefs as BeliefTable>::Belief<'a>;

/// The fit of a kind of label.
pub type FitOf<K> = <<K as Kind>::Pool as Pool>::Fit;

/// A quantity that can be estimated about all items from labels that came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimand {
    /// Its name in results, such as `mean_yes` or `mean_place`.
    pub name: String,
    /// The ends between which it lies.
    pub range: (f64, f64),
}

/// The third seam of a kind of label, after reading ([`Read`]) and the pool of its labels ([`Pool`]): what a study says
/// of its belief, and how that belief is applied to further items. The fourth, what readers are shown, stands with the
/// reports.
pub trait Kind: Read {
    /// The labels as decompositions and half splits see them.
    type Pool: Scored<Fit: Setting> + Clone + Debug;
    /// What a fit says besides the trust regression.
    type FitReport: Reported;
    /// What a decomposition says besides the parts of every item.
    type Findings: Reported;
    /// What else of the fit's items the beliefs depend on.
    type Kept: Setting;
    /// A recalibration of the judge by another study, from which this one starts.
    type CarriedMap: Clone + Debug + Send + Sync;

    /// Checks the settings that only this kind has.
    ///
    /// # Errors
    /// A value outside its range.
    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()>;

    /// Fills in defaults that depend on other settings, as a manifest states them.
    fn fill(_config: &mut StudyConfig<Self>) {}

    /// Whether a fit takes what the judge says as it is.
    fn is_as_stated(fit: &FitOf<Self>) -> bool;

    /// How the belief of another study, read from `path`, recalibrates the judge; `None` where it does not.
    ///
    /// # Errors
    /// One that reads what this study does not have.
    fn carried_map(study: &Study<Self>, path: &Path, belief: BeliefFile<Self>) -> Result<Option<Self::CarriedMap>>;

    /// `labels` of the items at positions `kept` with what the judge says of them, under a belief, which comes with the
    /// group of each item, for beliefs that are fitted by group. `of_fit` is what was kept of the items of a fit that
    /// is applied to these.
    fn pool_under(
        study: &Study<Self>,
        labels: &Labels,
        kept: &[usize],
        belief: (BeliefModel, Vec<usize>),
        of_fit: Option<&Self::Kept>,
    ) -> Self::Pool;

    /// `labels` of the items at positions `kept` with what the judge says of them, under the belief of the study.
    fn pool(study: &Study<Self>, labels: &Labels, kept: &[usize]) -> Self::Pool {
        let belief = (study.file.config.trust.belief, study.items.groups_of(kept));
        Self::pool_under(study, labels, kept, belief, None)
    }

    /// The rules that rank the items of a study, in the order in which they are evaluated (it is part of the random
    /// stream).
    ///
    /// Stated confidence ranks only where some item has one, and of classes without a scale the rules beyond the paper
    /// come with the belief beyond it.
    fn rules(study: &Study<Self>) -> Vec<Rule> {
        let confidence = study.judge.confidence.iter().any(Option::is_some);
        let beyond = Self::FACTS.on_scale || study.file.config.trust.belief.is_beyond_the_paper();
        let mut rules = Rule::those(Self::FACTS.ranked_by);
        rules.retain(|rule| (confidence || *rule != Rule::LowConfidence) && (beyond || rule.row().published));
        rules
    }

    /// The ends between which the judge states its confidence, where the configuration says so.
    fn confidence_range(_config: &StudyConfig<Self>) -> Option<(f64, f64)> {
        None
    }

    /// What should be looked at before the results are used, besides what holds for all kinds.
    fn warnings(_study: &Study<Self>) -> Vec<String> {
        vec![]
    }

    /// What the fit says besides the trust regression.
    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Self::FitReport;

    /// What the decomposition says besides the parts of every item.
    fn findings(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Self::Findings;

    /// What is known of every item, besides its id, group, ranks and features.
    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn>;

    /// The labels of each item that came from the log, against the belief without them; `None` for items without any.
    fn came_back(study: &Study<Self>, before: &Decomposition<Self>) -> Vec<Option<CameBack>>;

    /// What the judge predicts of an item, as a label is written.
    fn prediction(study: &Study<Self>, item: usize) -> String {
        match &study.judge.answers {
            Some(answers) => answers.classes()[likeliest(study, item)].clone(),
            None => study.judge.predictions[[item, 0]].to_string(),
        }
    }

    /// A label of an item against the judge: 1 for its likeliest class and 0 for another; on a scale how far the label
    /// lies above the judge's mean.
    fn against_judge(study: &Study<Self>, item: usize, label: LabelValue) -> f64 {
        let q = study.judge.predictions.row(item);
        match (label, Self::places(&study.file.config.scale)) {
            (LabelValue::Score(score), None) => score - q[0],
            (LabelValue::Class(class), None) => f64::from(u8::from(class == likeliest(study, item))),
            (LabelValue::Class(class), Some(places)) => places[class] - mean_place(row(q), places),
            (LabelValue::Score(_), Some(_)) => f64::NAN,
        }
    }

    /// What can be estimated about all items from labels that came back: the mean on a scale, and the shares of the
    /// classes.
    fn quantities(scale: &Self::Scale) -> Vec<Estimand> {
        let classes = match Self::question(scale) {
            Question::Score { low, high } => {
                return vec![Estimand { name: "mean_score".to_owned(), range: (low, high) }];
            }
            Question::Classes(classes) => classes,
        };
        let ends = Self::places(scale).and_then(|places| Some((*places.first()?, *places.last()?)));
        let place =
            ends.map(|(low, high)| Estimand { name: "mean_place".to_owned(), range: (low, low + (high - low)) });
        let share = |class: &String| Estimand { name: format!("mean_{class}"), range: (0.0, 1.0) };
        place.into_iter().chain(classes.iter().map(share)).collect()
    }

    /// The quantities ([`Self::quantities`]) as labels have them, per quantity and item; `None` for items without any.
    fn observed(study: &Study<Self>, labels: &Labels) -> Vec<Vec<Option<f64>>> {
        let counts = &labels.counts;
        if counts.ncols() == 0 {
            let observed = |s: Ratings| (s.n > 0).then_some(s.mean);
            return vec![labels.ratings().into_iter().map(observed).collect()];
        }
        let of_places = Self::places(&study.file.config.scale).map(|places| {
            let place = |counts: ArrayView1<u32>| {
                let n: u32 = counts.sum();
                let sum = counts.iter().zip(places).map(|(&c, s)| f64::from(c) * s).sum::<f64>();
                (n > 0).then(|| sum / f64::from(n))
            };
            counts.rows().into_iter().map(place).collect()
        });
        let share = |item: usize, class: usize| {
            let n: u32 = counts.row(item).sum();
            (n > 0).then(|| f64::from(counts[[item, class]]) / f64::from(n))
        };
        let (items, classes) = counts.dim();
        let shares = (0..classes).map(|class| (0..items).map(|item| share(item, class)).collect());
        of_places.into_iter().chain(shares).collect()
    }

    /// What else the beliefs depend on.
    fn kept(study: &Study<Self>, pool: &Self::Pool, fit: &FitOf<Self>) -> Self::Kept;

    /// Whether settings and a fit with these features and so many groups belong together; `Ok(true)` for a fit with
    /// parameters for every group of its own.
    ///
    /// # Errors
    /// What does not.
    fn check_fit(
        config: &StudyConfig<Self>,
        fit: &FitOf<Self>,
        kept: &Self::Kept,
        shape: (&[&str], usize),
    ) -> std::result::Result<bool, Unfit>;

    /// How the columns of further items are called, where the judge has these `variants`.
    fn names(config: &StudyConfig<Self>, variants: &[String]) -> InputColumns;

    /// The judge's answer in a row of further items.
    ///
    /// # Errors
    /// What is wrong with it.
    fn answer(
        config: &StudyConfig<Self>,
        fit: &FitOf<Self>,
        row: &RowAnswer<'_>,
    ) -> std::result::Result<JudgeAnswers, Wrong>;
}

/// Position of the first largest value.
pub fn largest<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> usize {
    let better = |best: (usize, T), next: (usize, T)| if next.1 > best.1 { next } else { best };
    values.enumerate().reduce(better).map_or(0, |(k, _)| k)
}

/// The class that the judge finds likeliest; ties go to the class named first.
fn likeliest<K: Kind>(study: &Study<K>, item: usize) -> usize {
    largest(study.judge.predictions.row(item).iter().copied())
}

/// Labels that came back for an item, against the belief without them. Errors are squared errors of the belief's mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameBack {
    /// Error against a single label: as foreseen, and its mean over the labels.
    pub first: Foresight,
    /// Error removed by all of the labels but one, measured on that one and averaged over which it is; `None` for one
    /// label.
    pub removed: Option<Foresight>,
}

/// A quantity as a belief foresaw it, and as it came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foresight {
    /// As foreseen before the labels.
    pub foreseen: f64,
    /// As it came.
    pub realised: f64,
}

/// Everything that a study reads, checked and in one order, that of its items.
#[derive(Debug, Clone)]
pub struct Study<K: Kind> {
    /// The configuration and the file it comes from.
    pub file: StudyFile<K>,
    /// The items.
    pub items: Items,
    /// What the judge predicts.
    pub judge: StudyJudge<K>,
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
    /// What reading found that is no reason to refuse the study, but must be told, such as a log that was cut off.
    pub warnings: Vec<String>,
    /// Trust carried over from another study, if that is asked.
    pub carried: Option<Carried>,
    /// The map that goes with it, where that study's belief has one.
    pub carried_map: Option<K::CarriedMap>,
    /// The queues that added labels answer.
    pub queues: Vec<AnsweredQueue>,
    /// Sums of all files read.
    pub inputs: Source,
    /// Which judge its trust belongs to.
    pub judge_files: JudgeFiles,
}

/// The belief about every item of a study, given all labels.
#[derive(Debug, Clone)]
pub struct Decomposition<K: Kind> {
    /// The labels and what the judge says of the items.
    pub pool: K::Pool,
    /// Features of the trust regression.
    pub features: Vec<FeatureColumn>,
    /// How labelled neighbours were found, in words; `None` without embeddings.
    pub neighbours: Option<String>,
    /// The scales of the features.
    pub scales: Vec<FeatureScale>,
    /// The fitted trust and the beliefs about all items.
    pub fitted: Fitted<K::Pool>,
    /// Trust lambda of every item, in labels.
    pub trust: Vec<f64>,
    /// Labels of every item.
    pub numbers: Vec<u32>,
    /// Uniform draws that break ties and rank at random.
    pub luck: Luck,
}
