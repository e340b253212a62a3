//! Which features the trust regression of a study has, and their values.

use crate::input::config::{Configured, OWN_FEATURES, StudyFile};
use crate::input::items::Items;
use judge_uncertainty_core::belief::FeatureColumn;
use judge_uncertainty_evaluation::protocol::log_labels;
use judge_uncertainty_familiarity::features::FamiliarityFeatures;
use judge_uncertainty_formats::error::Result;

/// A feature of the trust regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// How far the judge's variants are apart.
    Spread,
    /// ln(1 + number of labels).
    LogLabels,
    /// The judge's stated confidence.
    Confidence,
    /// Cosine distance to the nearest labelled item.
    NearestLabelled,
    /// Mean cosine distance to the nearest labelled items.
    MeanNearestLabelled,
    /// A column of the items.
    Column(usize),
}

/// The features of [`OWN_FEATURES`], in its order.
const OWN: [Feature; 5] =
    [Feature::Spread, Feature::LogLabels, Feature::Confidence, Feature::NearestLabelled, Feature::MeanNearestLabelled];

/// What there is to make features from.
pub(crate) struct Available {
    pub spread: bool,
    pub confidence: bool,
    pub familiarity: bool,
}

/// The configured features, or all there are but the number of labels: a queue is for items without labels, and what trust
/// goes with having many says nothing about them.
pub(crate) fn choose<C: Configured>(file: &StudyFile<C>, items: &Items, available: &Available) -> Result<Vec<Feature>> {
    let of_column = |name: &str| -> Vec<Feature> {
        let columns = items.columns.iter().enumerate().filter(|(_, column)| column.source == name);
        columns.map(|(i, _)| Feature::Column(i)).collect()
    };
    let lacks = |feature: Feature| match feature {
        Feature::Spread if !available.spread => Some("no item has answers under two variants"),
        Feature::Confidence if !available.confidence => {
            Some("the judge's file has no confidence, or it is always blank")
        }
        Feature::NearestLabelled | Feature::MeanNearestLabelled if !available.familiarity => {
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
        let own = OWN.into_iter().filter(|feature| *feature != Feature::LogLabels && lacks(*feature).is_none());
        return Ok(own.chain((0..items.columns.len()).map(Feature::Column)).collect());
    };
    let mut features = Vec::new();
    for name in names {
        let refuse = |reason: &str| {
            let mut known: Vec<&str> = OWN_FEATURES.to_vec();
            known.extend(items.columns.iter().map(|column| column.source.as_str()));
            known.dedup();
            let remedy = format!("remove it, or choose among {}", known.join(", "));
            file.refuse("trust.features", &format!("{name:?}"), reason, &remedy)
        };
        match OWN_FEATURES.iter().position(|own| own == name) {
            Some(k) => match lacks(OWN[k]) {
                Some(reason) => return Err(refuse(reason)),
                None => features.push(OWN[k]),
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

/// What the values of features are taken from, over all items of a study.
pub(crate) struct Sources<'a> {
    pub items: &'a Items,
    pub spread: &'a [Option<f64>],
    pub confidence: &'a [Option<f64>],
}

impl Sources<'_> {
    /// `features` of the items at positions `kept`, which hold `numbers` labels and are `near` to the labelled ones.
    pub(crate) fn columns(
        &self,
        features: &[Feature],
        kept: &[usize],
        numbers: &[u32],
        near: Option<&FamiliarityFeatures>,
    ) -> Vec<FeatureColumn> {
        let some = |name: &str, values: &[Option<f64>]| FeatureColumn {
            name: name.to_owned(),
            values: kept.iter().map(|&i| values[i]).collect(),
        };
        let distances = |name: &str, of: fn(&FamiliarityFeatures) -> &Vec<Option<f64>>| FeatureColumn {
            name: name.to_owned(),
            values: near.map_or_else(|| vec![None; kept.len()], |near| of(near).clone()),
        };
        let column = |feature: &Feature| match feature {
            Feature::Spread => some("spread", self.spread),
            Feature::LogLabels => FeatureColumn::complete("log_labels", log_labels(numbers)),
            Feature::Confidence => some("confidence", self.confidence),
            Feature::NearestLabelled => distances("nearest_labelled", |near| &near.nearest),
            Feature::MeanNearestLabelled => distances("mean_nearest_labelled", |near| &near.mean_nearest),
            Feature::Column(k) => {
                let feature = &self.items.columns[*k].feature;
                some(&feature.name, &feature.values)
            }
        };
        features.iter().map(column).collect()
    }
}
