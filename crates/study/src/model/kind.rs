//! What a study says of its belief in a way that depends on its labels, and the study and the decomposition themselves.
//!
//! A kind of label is a folder below [`crate::kinds`], where the kinds are listed. Everything else of a study is
//! written once, for all kinds.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

use ndarray::ArcArray2;

use crate::input::annotators::Annotators;
use crate::input::check::Check;
use crate::input::config::{Setting, StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::judge_files::JudgeFiles;
use crate::input::labels::Labels;
use crate::input::question::LabelValue;
use crate::input::read::{Read, Reported, StudyJudge};
use crate::input::source::Source;
use crate::input::texts::EmbeddingSource;
use crate::model::carried::Carried;
use crate::model::carried::CarriedMap;
use crate::model::chosen::AnsweredQueue;
use crate::registration::hypothesis::Measure;
use crate::results::cards::Profile;
use judge_uncertainty_core::belief::design::FeatureScale;
use judge_uncertainty_core::belief::{BeliefModel, BeliefTable, Feature, FeatureColumn};
use judge_uncertainty_core::escalation::{Observed, Rule, RuleRow};
use judge_uncertainty_evaluation::{Contrast, Fitted, Luck, Pool, Scored};
use judge_uncertainty_formats::error::{Error, Place, Result};
use judge_uncertainty_formats::output::OutputColumn;

/// The belief of a kind of label about one item.
pub type BeliefOf<'a, K> = <<<K as Kind>::Pool as Pool>::Beliefs as BeliefTable>::Belief<'a>;

/// What is the same in every study of a kind of label.
#[derive(Debug, Clone, Copy)]
pub struct KindFacts {
    /// Whether labels stand on a scale.
    pub on_scale: bool,
    /// Name in results.
    pub name: &'static str,
    /// What labels of this kind are called in messages, such as `scores`.
    pub labels: &'static str,
    /// Whether a rule can rank them.
    pub ranked_by: fn(&RuleRow) -> bool,
    /// Whether the likelihood stops at limits of the trust; the table of items flags what lies beyond them.
    pub limits_trust: bool,
    /// The rule that evaluations compare every other rule with: total uncertainty.
    pub reference: Rule,
    /// What evaluations measure.
    pub measures: &'static [Measure],
    /// What agreement beyond chance is called in results, see
    /// [`AgreementReport`](crate::evaluate::held_out::AgreementReport).
    pub agreement: &'static str,
}

/// A quantity that can be estimated about all items from labels that came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimand {
    /// Its name in results, such as `mean_yes` or `mean_place`.
    pub name: String,
    /// The ends between which it lies.
    pub range: (f64, f64),
}

/// The third seam of a kind of label, after reading ([`Read`]) and the pool of its labels ([`Pool`]): what a study says
/// of its belief. The fourth, what readers are shown, stands with the reports.
pub trait Kind: Read {
    /// What is the same in every study of this kind.
    const FACTS: KindFacts;

    /// The labels as decompositions and half splits see them.
    type Pool: Scored<Fit: Setting> + Clone + Debug;
    /// What a fit says besides the trust regression.
    type FitReport: Reported;
    /// What a decomposition says besides the parts of every item.
    type Findings: Reported;
    /// The judge against the labels, where these suffice.
    type Diagnostics: Reported;

    /// Checks the settings that only this kind has.
    ///
    /// # Errors
    /// A value outside its range.
    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()>;

    /// Fills in defaults that depend on other settings, as a manifest states them.
    fn fill(_config: &mut StudyConfig<Self>) {}

    /// The map of another study as its `belief.json` has it, read from `path`; `None` where it takes the prediction as
    /// it is.
    ///
    /// # Errors
    /// No belief, or one that reads what this study does not have; a kind whose maps are not carried.
    fn carried_map(_study: &Study<Self>, path: &Path, _bytes: &[u8]) -> Result<Option<CarriedMap>> {
        let reason =
            format!("that study's trust goes with its map, and maps to {} are not carried", Self::FACTS.labels);
        Err(Error::unfit(Place::file(path), reason, "leave out trust.carry_from"))
    }

    /// `labels` of the items at positions `kept` with what the judge says of them.
    fn pool(study: &Study<Self>, labels: &Labels, kept: &[usize]) -> Self::Pool;

    /// A pool under another belief; `groups` is the group of each item, for beliefs that are fitted by group.
    fn with_belief(pool: Self::Pool, model: BeliefModel, groups: Vec<usize>) -> Self::Pool;

    /// The rules that rank the items of a study, in the order in which they are evaluated (it is part of the random
    /// stream).
    fn rules(study: &Study<Self>) -> Vec<Rule>;

    /// What should be looked at before the results are used, besides what holds for all kinds.
    fn warnings(_study: &Study<Self>) -> Vec<String> {
        vec![]
    }

    /// What the fit says besides the trust regression.
    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Self::FitReport;

    /// What the decomposition says besides the parts of every item.
    fn findings(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Self::Findings;

    /// The judge against the labels of the items at positions `kept`; `noise_ceiling` is the error of the pool
    /// itself against these labels.
    fn diagnostics(study: &Study<Self>, kept: &[usize], noise_ceiling: f64) -> Self::Diagnostics;

    /// What is known of every item, besides its id, group, ranks and features.
    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn>;

    /// The labels of each item that came from the log, against the belief without them; `None` for items without any.
    fn came_back(study: &Study<Self>, before: &Decomposition<Self>) -> Vec<Option<CameBack>>;

    /// What the judge predicts of an item, as a label is written.
    fn prediction(study: &Study<Self>, item: usize) -> String;

    /// A label of an item against the judge: 1 for its likeliest class and 0 for another; on a scale how far the label
    /// lies above the judge's mean.
    fn against_judge(study: &Study<Self>, item: usize, label: LabelValue) -> f64;

    /// The judge's prediction of an item beside the belief and the labels held.
    fn profile(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize) -> Profile;

    /// A label of an item as the belief expects it, at the place `u`, 0 to 1, of its distribution, in the terms of
    /// [`Self::quantities`].
    fn fresh_label(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize, u: f64) -> Vec<f64>;

    /// What can be estimated about all items from labels that came back, in the order of [`Scored::believed`].
    fn quantities(scale: &Self::Scale) -> Vec<Estimand>;

    /// The quantities as labels have them, per quantity and item; `None` for items without any.
    fn observed(study: &Study<Self>, labels: &Labels) -> Vec<Vec<Option<Observed>>>;
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
    /// What is known of those who gave them, if the study says where.
    pub annotators: Option<Annotators>,
    /// Embeddings of the items, items x dimensions; they are there after [`Self::embed`].
    pub embeddings: Option<ArcArray2<f32>>,
    /// Where they come from; `None` where the study uses none.
    pub embedding_source: Option<EmbeddingSource>,
    /// Features of the trust regression, in order.
    pub features: Vec<Feature<usize>>,
    /// Ids of items left out because the judge has no answer for them, in the order of the file.
    pub left_out: Vec<String>,
    /// Items that a registration leaves out of the evaluation, by position, and why.
    pub excluded: BTreeMap<usize, String>,
    /// What reading found that is no reason to refuse the study, but must be told, such as a log that was cut off.
    pub warnings: Vec<String>,
    /// Comparisons of rules that a registration tests, for which the evaluation keeps what each item contributes.
    pub contrasts: Vec<Contrast>,
    /// Trust carried over from another study, if that is asked.
    pub carried: Option<Carried>,
    /// The map that goes with it, where that study's belief has one.
    pub carried_map: Option<CarriedMap>,
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
