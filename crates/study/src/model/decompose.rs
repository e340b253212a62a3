//! The decomposition of a study: trust fitted to all labels, the belief about every item, and every rule's ranking.

use crate::error::Error;
use crate::input::labels::Labels;
use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::belief::{BeliefModel, Design, ItemBelief, Standardizer};
use judge_uncertainty_core::escalation::{Rule, top};
use judge_uncertainty_evaluation::protocol::seeded;
use judge_uncertainty_evaluation::{Fit, Fitted, LabelPool, Luck};
use judge_uncertainty_familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity_once};
use judge_uncertainty_familiarity::neighbours::{IndexedItems, Neighbours, UnitRows};
use judge_uncertainty_system::progress::Progress;

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
        self.pool.priority(rule, &self.fitted.ranking(&self.numbers, luck))
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
