//! The study and its decomposition.

use std::sync::OnceLock;

use ndarray::{ArcArray2, Axis};

use crate::audit::columns::ReadColumn;
use crate::error::Error;
use crate::findings::ratings::Ratings;
use crate::input::config::{StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::judge::{JudgeFiles, StudyJudge};
use crate::input::labels::Labels;
use crate::input::scale::Scale;
use crate::input::source::Source;
use crate::input::texts::EmbeddingSource;
use crate::model::carried::{Carried, CarriedReading, Kept};
use crate::model::chosen::AnsweredQueue;
use judge_uncertainty_core::belief::design::FeatureScale;
use judge_uncertainty_core::belief::{
    BeliefModel, Design, Feature, FeatureColumn, ItemBelief, JudgeScores, Standardizer,
};
use judge_uncertainty_core::escalation::{Rule, top};
use judge_uncertainty_evaluation::protocol::{log_labels, seeded};
use judge_uncertainty_evaluation::{CountPool, Fit, Fitted, LabelPool, RatingPool, RuleDraws};
use judge_uncertainty_familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity_once};
use judge_uncertainty_familiarity::neighbours::{IndexedItems, Neighbours, UnitRows};
use judge_uncertainty_formats::judge::Predictions;
use judge_uncertainty_system::progress::Progress;

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
        let belief = (self.file.config.trust.belief(), self.items.groups_of(kept));
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

/// Position of the first largest value.
pub fn largest<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> usize {
    let better = |best: (usize, T), next: (usize, T)| if next.1 > best.1 { next } else { best };
    values.enumerate().reduce(better).map_or(0, |(k, _)| k)
}

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
    /// What `audit` said of how it read that table.
    pub notices: Vec<String>,
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
    pub draws: RuleDraws,
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
        let Relation { config, items, judge, start, .. } = *self;
        let (model, groups) = belief;
        if config.scale.is_numbers() {
            let mut grouped = labels.scores();
            let ratings = kept.iter().map(|&i| std::mem::take(&mut grouped[i])).collect();
            let scores = JudgeScores {
                mean: kept.iter().map(|&i| judge.predictions[[i, 0]]).collect(),
                variance: kept.iter().map(|&i| judge.variances[i]).collect(),
            };
            let mut pool = RatingPool::new(ratings, scores);
            (pool.model, pool.groups, pool.prior, pool.clusters) =
                (model, groups, config.trust.prior, items.clusters(kept));
            if let Some(CarriedReading::Ratings((fit, names))) = start {
                let known = |group: &str| names.iter().position(|name| name == group);
                pool.start = Some((fit.clone(), items.group_names().into_iter().map(known).collect()));
            }
            if let Some(Kept::Ratings(repeats)) = of_fit {
                pool.repeats = Some(*repeats);
            }
            return LabelPool::Ratings(pool);
        }
        let counts = labels.counts.select(Axis(0), kept);
        let some =
            |values: &[Option<f64>]| if values.is_empty() { vec![] } else { kept.iter().map(|&i| values[i]).collect() };
        let (q, confidence) = (judge.predictions.select(Axis(0), kept), some(&judge.confidence));
        let mut pool = CountPool::new(counts.view(), Predictions { q, spread: vec![], confidence });
        (pool.model, pool.groups, pool.prior) = (model, groups, config.trust.prior);
        pool.places = config.scale.places().map(<[f64]>::to_vec);
        if config.trust.belief().recalibrates() {
            if judge.variants.len() > 1 {
                let variants = judge.distributions().by_variant(kept, config.floor());
                pool.variants = variants.expect("the answers were aggregated with this floor before");
            }
            pool.clusters = items.clusters(kept);
            let carried = match (of_fit, start) {
                (Some(Kept::Classes(carried)), _) => carried.as_ref(),
                (None, Some(CarriedReading::Classes(carried))) => Some(carried),
                _ => None,
            };
            pool.carried = carried.map(|carried| carried.added(self, kept));
        }
        LabelPool::Classes(pool)
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
pub(crate) fn draws_of(seed: u64, batches: usize, items: usize) -> RuleDraws {
    let number = if batches == 0 { RANKING_STREAM } else { LATER_RANKINGS + batches as u64 };
    RuleDraws::draw(&mut seeded(seed, number), items)
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
        let draws = draws_of(study.file.config.seed, 0, items);
        let scales = standardizer.scales().to_vec();
        Ok(Self { pool, features, neighbours: None, scales, fitted, trust, numbers, draws })
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
        self.priority_with(rule, &self.draws)
    }

    /// As [`Self::priority`], with other draws for ties and for the random rule.
    pub fn priority_with(&self, rule: Rule, draws: &RuleDraws) -> Option<Vec<f64>> {
        self.pool.priority(rule, &self.fitted, &self.numbers, draws)
    }

    /// Positions of all items, most urgent first under the rule; `None` as [`Self::priority`].
    pub fn ranking(&self, rule: Rule) -> Option<Vec<usize>> {
        self.priority(rule).map(|priority| top(&priority, &self.draws.jitter, self.len()))
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
            UnitRows::from_shared(embeddings.select(Axis(0), kept).into_shared())?
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
    let (configured, mut models) = (study.file.config.trust.belief(), vec![BeliefModel::Published, BeliefModel::Auto]);
    if !models.contains(&configured) {
        models.push(configured);
    }
    let pool = |model| study.relation().pool_under(&study.labels, kept, (model, study.items.groups_of(kept)), None);
    models.into_iter().map(|model| (model.key().to_owned(), pool(model))).collect()
}

/// What the belief that a study holds is called.
pub fn name_of_own(study: &Study) -> &'static str {
    study.file.config.trust.belief().key()
}
