//! Which features the trust regression of a study has, and their values.

use crate::input::config::StudyFile;
use crate::input::items::Items;
use crate::input::read::{Read, StudyJudge};
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::belief::{Feature, FeatureColumn};
use judge_uncertainty_evaluation::protocol::log_labels;
use judge_uncertainty_familiarity::features::FamiliarityFeatures;
use judge_uncertainty_formats::error::Result;

/// The configured features, or all there are but the number of labels: a queue is for items without labels, and what
/// trust goes with having many says nothing about them.
pub(crate) fn choose<K: Read>(
    file: &StudyFile<K>,
    items: &Items,
    judge: &StudyJudge<K>,
) -> Result<Vec<Feature<usize>>> {
    let of_column = |name: &str| -> Vec<Feature<usize>> {
        let columns = items.columns.iter().enumerate().filter(|(_, column)| column.source == name);
        columns.map(|(i, _)| Feature::Column(i)).collect()
    };
    let lacks = |feature: &Feature<usize>| match feature {
        Feature::Spread if judge.spread.iter().all(Option::is_none) => Some("no item has answers under two variants"),
        Feature::Confidence if judge.confidence.iter().all(Option::is_none) => {
            Some("the judge's file has no confidence, or it is always blank")
        }
        distance if distance.is_distance() && file.config.familiarity.is_none() => {
            Some("there is no [familiarity] table")
        }
        _ => None,
    };
    if let Some(blank) = items.columns.iter().find(|column| column.feature.values.iter().all(Option::is_none)) {
        let setting = if blank.categories.is_empty() { "items.numbers" } else { "items.categories" };
        let value = format!("{:?}", blank.source);
        return Err(file.refuse(setting, &value, "is blank for every item", "remove it, or fill it in"));
    }
    let Some(names) = &file.config.trust.features else {
        let computed = Feature::COMPUTED.into_iter().map(|(_, feature)| feature);
        let own = computed.filter(|feature| *feature != Feature::LogLabels && lacks(feature).is_none());
        return Ok(own.chain((0..items.columns.len()).map(Feature::Column)).collect());
    };
    let mut features = Vec::new();
    for name in names {
        let refuse = |reason: &str| {
            let mut known = Feature::<usize>::COMPUTED.map(|(name, _)| name).to_vec();
            known.extend(items.columns.iter().map(|column| column.source.as_str()));
            known.dedup();
            let remedy = format!("remove it, or choose among {}", known.join(", "));
            file.refuse("trust.features", &format!("{name:?}"), reason, &remedy)
        };
        match Feature::COMPUTED.into_iter().find(|(own, _)| own == name) {
            Some((_, feature)) => match lacks(&feature) {
                Some(reason) => return Err(refuse(reason)),
                None => features.push(feature),
            },
            None => match of_column(name) {
                columns if columns.is_empty() => {
                    return Err(refuse(
                        "is not a feature: a column of the items must be listed under numbers or categories",
                    ));
                }
                columns => features.extend(columns),
            },
        }
    }
    Ok(features)
}

impl<K: Kind> Study<K> {
    /// The features of the items at positions `kept`, which hold `numbers` labels and are `near` to the labelled ones.
    pub fn feature_columns(
        &self,
        kept: &[usize],
        numbers: &[u32],
        near: Option<&FamiliarityFeatures>,
    ) -> Vec<FeatureColumn> {
        let some = |values: &[Option<f64>]| kept.iter().map(|&i| values[i]).collect();
        let distances = |read: fn(&FamiliarityFeatures) -> &Vec<Option<f64>>| {
            near.map_or_else(|| vec![None; kept.len()], |near| read(near).clone())
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
