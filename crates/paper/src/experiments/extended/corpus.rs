//! The ChaosNLI items, any selection of them, and the features that the extended belief may use.

use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use crate::experiments::Error;
use crate::experiments::chaosnli::{FLOOR, NEIGHBOURS};
use judge_uncertainty_core::belief::design::DesignError;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::{
    self, BeliefModel, Beliefs, Design, FeatureColumn, FittedBelief, JudgedItems, TrustPrior, entropy,
};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::population_sd;
use judge_uncertainty_evaluation::CountLabels;
use judge_uncertainty_evaluation::protocol::{log_labels, uniforms};
use judge_uncertainty_familiarity::features::{SelfNeighbour, familiarity_of};
use judge_uncertainty_familiarity::neighbours::{NeighbourLists, Neighbours};
use judge_uncertainty_formats::{ChaosNliData, Predictions};

/// Seed of the stream that splits the items in a development and a confirmation half.
pub const SPLIT_SEED: u64 = 7;
/// Length of the neighbour lists. Two in five of all items are labelled in a half of them, so ten labelled ones are
/// nearly always among so many.
pub const LIST_WIDTH: usize = 96;

/// A feature of the trust, by its name in the registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustFeature {
    /// Spread of the judge's prompt variants.
    Spread,
    /// Stated confidence.
    Confidence,
    /// ln(1 + number of labels).
    LogLabels,
    /// Entropy of the judge's prediction.
    JudgeEntropy,
    /// Largest probability of the judge's prediction.
    TopProbability,
    /// The judge's probability of the second class, neutral.
    NeutralProbability,
    /// The judge's probability of the third class, contradiction.
    ContradictionProbability,
    /// 1 for MNLI, 0 for SNLI.
    Source,
    /// The judge's entropy for MNLI items, 0 for SNLI items.
    EntropyBySource,
    /// Log length of the premise in characters.
    LogPremiseLength,
    /// Log length of the hypothesis in characters.
    LogHypothesisLength,
    /// Cosine distance to the nearest labelled item.
    NearestLabelled,
    /// Mean cosine distance to the ten nearest labelled items.
    MeanNearestLabelled,
}

impl TrustFeature {
    /// Whether the feature says from which source an item is, so that it has no meaning where there is only one.
    pub fn needs_sources(self) -> bool {
        matches!(self, Self::Source | Self::EntropyBySource)
    }

    fn needs_neighbours(self) -> bool {
        matches!(self, Self::NearestLabelled | Self::MeanNearestLabelled)
    }
}

/// A belief with the features of its trust.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefSpec {
    /// Features, in the order of the coefficients.
    pub features: Vec<TrustFeature>,
    /// Whether a labelled item counts among its own neighbours.
    pub familiarity: SelfNeighbour,
    /// The model.
    pub model: BeliefModel,
}

impl BeliefSpec {
    /// The belief of the paper's Experiment 2.
    pub fn published() -> Self {
        Self {
            features: vec![
                TrustFeature::Spread,
                TrustFeature::LogLabels,
                TrustFeature::Confidence,
                TrustFeature::NearestLabelled,
                TrustFeature::MeanNearestLabelled,
            ],
            familiarity: SelfNeighbour::Published,
            model: BeliefModel::Published,
        }
    }
}

/// All items with the judge's predictions, their pools of labels and the familiarity channel.
pub struct Corpus<'a> {
    pool: Array2<u32>,
    judge: Predictions,
    /// The judge's predictions by prompt variant.
    variants: Vec<Array2<f64>>,
    sources: Vec<usize>,
    log_lengths: [Vec<f64>; 2],
    engine: &'a dyn Neighbours,
    lists: NeighbourLists,
}

impl<'a> Corpus<'a> {
    /// Takes over the data; neighbour lists are made once.
    ///
    /// # Errors
    /// An item without any prediction.
    pub fn new(data: &'a ChaosNliData, engine: &'a dyn Neighbours) -> Result<Self, Error> {
        let log = |lengths: &[u32]| lengths.iter().map(|&n| f64::from(n.max(1)).ln()).collect();
        Ok(Self {
            pool: data.labels.clone(),
            judge: data.judge.aggregate(Some(FLOOR))?,
            variants: data.judge.by_variant(FLOOR)?,
            sources: data.sources.iter().map(|s| usize::from(s != "snli")).collect(),
            log_lengths: [log(&data.premise_chars), log(&data.hypothesis_chars)],
            lists: NeighbourLists::build(engine, LIST_WIDTH),
            engine,
        })
    }

    /// All items, in order.
    pub fn all(&self) -> Vec<usize> {
        (0..self.pool.nrows()).collect()
    }

    /// The items of a source (0 SNLI, 1 MNLI), in order.
    pub fn of_source(&self, source: usize) -> Vec<usize> {
        (0..self.pool.nrows()).filter(|&i| self.sources[i] == source).collect()
    }

    /// The development half and the confirmation half: within each source, the half of the items with the smaller
    /// uniform draws develops. Stream of seed 7, one draw per item in item order.
    pub fn halves(&self) -> [Vec<usize>; 2] {
        let draws = uniforms(&mut Stream::new(SPLIT_SEED), self.pool.nrows());
        let mut develops = vec![false; self.pool.nrows()];
        for source in 0..2 {
            let mut items = self.of_source(source);
            items.sort_by(|&a, &b| draws[a].total_cmp(&draws[b]));
            items[..items.len() / 2].iter().for_each(|&i| develops[i] = true);
        }
        let half = |wanted: bool| (0..develops.len()).filter(|&i| develops[i] == wanted).collect();
        [half(true), half(false)]
    }

    /// A deployment on the given items, which may stand there more than once: each copy is an item of its own, with
    /// labels of its own, but never its twin's neighbour.
    pub fn deploy(&self, items: Vec<usize>) -> Deployment<'_> {
        Deployment {
            pool: self.pool.select(Axis(0), &items),
            q: self.judge.q.select(Axis(0), &items),
            variants: self.variants.iter().map(|q| q.select(Axis(0), &items)).collect(),
            confidence: items.iter().map(|&i| self.judge.confidence[i]).collect(),
            sources: items.iter().map(|&i| self.sources[i]).collect(),
            items,
            corpus: self,
        }
    }
}

/// Items that are labelled and escalated together.
pub struct Deployment<'a> {
    corpus: &'a Corpus<'a>,
    items: Vec<usize>,
    /// All 100 labels per item.
    pub pool: Array2<u32>,
    /// The judge's predictions.
    pub q: Array2<f64>,
    /// The judge's predictions by prompt variant.
    pub variants: Vec<Array2<f64>>,
    /// Stated confidence.
    pub confidence: Vec<Option<f64>>,
    /// Source of each item, 0 SNLI, 1 MNLI.
    pub sources: Vec<usize>,
}

/// A belief fitted to the labels of a deployment.
pub struct Believed {
    /// The fit.
    pub fit: FittedBelief,
    /// Posterior beliefs.
    pub beliefs: Beliefs,
    /// Standard deviation over items of ln lambda.
    pub sd_log_trust: f64,
}

impl Deployment<'_> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Features of the items when `numbers` labels are in hand.
    pub fn columns(&self, numbers: &[u32], features: &[TrustFeature], mode: SelfNeighbour) -> Vec<FeatureColumn> {
        let near = features.iter().any(|f| f.needs_neighbours()).then(|| {
            let mut labelled = vec![false; self.corpus.pool.nrows()];
            self.items.iter().zip(numbers).for_each(|(&i, &n)| labelled[i] |= n > 0);
            familiarity_of(&self.items, &self.corpus.lists, self.corpus.engine, &labelled, NEIGHBOURS, mode)
        });
        let complete = |name: &str, of: &dyn Fn(usize) -> f64| FeatureColumn::complete(name, (0..self.len()).map(of));
        let by_item = |values: &[Option<f64>]| self.items.iter().map(|&i| values[i]).collect::<Vec<_>>();
        let entropy_of = |k: usize| entropy(row(self.q.row(k)));
        let is_mnli = |k: usize| f64::from(u8::from(self.sources[k] == 1));
        let column = |feature: &TrustFeature| match feature {
            TrustFeature::Spread => FeatureColumn::partial(belief::Feature::Spread, by_item(&self.corpus.judge.spread)),
            TrustFeature::Confidence => {
                FeatureColumn::partial(belief::Feature::Confidence, self.confidence.iter().copied())
            }
            TrustFeature::LogLabels => FeatureColumn::complete(belief::Feature::LogLabels, log_labels(numbers)),
            TrustFeature::JudgeEntropy => complete("judge_entropy", &entropy_of),
            TrustFeature::TopProbability => {
                complete("top_probability", &|k| self.q.row(k).iter().copied().fold(0.0, f64::max))
            }
            TrustFeature::NeutralProbability => complete("neutral_probability", &|k| self.q[[k, 1]]),
            TrustFeature::ContradictionProbability => complete("contradiction_probability", &|k| self.q[[k, 2]]),
            TrustFeature::Source => complete("source", &is_mnli),
            TrustFeature::EntropyBySource => complete("entropy_by_source", &|k| is_mnli(k) * entropy_of(k)),
            TrustFeature::LogPremiseLength => {
                complete("log_premise_length", &|k| self.corpus.log_lengths[0][self.items[k]])
            }
            TrustFeature::LogHypothesisLength => {
                complete("log_hypothesis_length", &|k| self.corpus.log_lengths[1][self.items[k]])
            }
            TrustFeature::NearestLabelled => {
                let nearest = near.iter().flat_map(|near| near.nearest.iter().copied());
                FeatureColumn::partial(belief::Feature::NearestLabelled, nearest)
            }
            TrustFeature::MeanNearestLabelled => {
                let nearest = near.iter().flat_map(|near| near.mean_nearest.iter().copied());
                FeatureColumn::partial(belief::Feature::MeanNearestLabelled, nearest)
            }
        };
        features.iter().map(column).collect()
    }

    /// The design of a belief's features, standardised over the items.
    ///
    /// # Errors
    /// A feature that no item has.
    pub fn design(&self, numbers: &[u32], spec: &BeliefSpec) -> Result<Design, DesignError> {
        Design::standardized(&self.columns(numbers, &spec.features, spec.familiarity))
    }

    /// Fits a belief to the labels of the items in `fitted` and gives the posterior of all items under all labels in
    /// hand.
    ///
    /// # Errors
    /// Features that can't be used, or a fit that is impossible.
    pub fn believe(
        &self,
        spec: &BeliefSpec,
        labels: &CountLabels,
        fitted: std::ops::Range<usize>,
    ) -> Result<Believed, Error> {
        let design = self.design(&labels.numbers, spec)?;
        let items = JudgedItems::new(&design, self.q.view(), &self.sources);
        let readings = JudgedItems { variants: &self.variants, twins: &self.items, ..items };
        // A map's penalties lean on the weak prior that the trust of studies has.
        let prior = match spec.model {
            BeliefModel::Auto(_) | BeliefModel::Map(_) => TrustPrior::Weak,
            BeliefModel::Published | BeliefModel::Recalibrated(_) => TrustPrior::None,
        };
        let fit = if fitted.len() == self.len() {
            spec.model.fit(&readings, labels.revealed.view(), prior)?
        } else {
            // Items without labels do not enter a fit.
            let mut counts = Array2::zeros(labels.revealed.dim());
            let rows = ndarray::s![fitted, ..];
            counts.slice_mut(rows).assign(&labels.revealed.slice(rows));
            spec.model.fit(&readings, counts.view(), prior)?
        };
        Ok(Believed {
            beliefs: fit.posterior(&readings, labels.revealed.view()),
            sd_log_trust: population_sd(&fit.log_trust(&readings)),
            fit,
        })
    }
}
