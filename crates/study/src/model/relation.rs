//! Items with what judge and people say of them, whether a study holds them or a belief is applied to them.

use crate::input::config::StudyConfig;
use crate::input::items::Items;
use crate::input::judge::StudyJudge;
use crate::input::labels::Labels;
use crate::input::scale::Scale;
use crate::kinds::{classes, scores};
use crate::model::study::{CarriedReading, Kept};
use judge_uncertainty_core::belief::{BeliefModel, Feature, FeatureColumn};
use judge_uncertainty_evaluation::LabelPool;
use judge_uncertainty_evaluation::protocol::log_labels;
use judge_uncertainty_familiarity::features::FamiliarityFeatures;

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
            Scale::Scores(..) => LabelPool::Ratings(scores::kind::pool(self, labels, kept, belief, of_fit)),
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
