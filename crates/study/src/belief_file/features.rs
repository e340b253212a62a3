//! What the trust of a fitted belief depends on.

use serde::{Deserialize, Serialize};

use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::belief::design::DesignError;
use judge_uncertainty_core::belief::{Design, Feature, FeatureColumn, FeatureScale, Standardizer};

/// Where the values of a feature come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FeatureSource {
    /// How far the judge's variants are apart.
    Spread,
    /// ln(1 + labels of the item).
    LogLabels,
    /// The judge's stated confidence.
    Confidence,
    /// Cosine distance to the nearest labelled item.
    NearestLabelled,
    /// Mean cosine distance to the nearest labelled items.
    MeanNearestLabelled,
    /// A column of numbers.
    Number {
        /// Its name.
        column: String,
    },
    /// 1 for items of a category and 0 for the others.
    Category {
        /// Name of the column.
        column: String,
        /// The category.
        value: String,
        /// All categories that the fit knows; another one is refused.
        known: Vec<String>,
    },
}

impl FeatureSource {
    /// The column that its values are read from; `None` where they are computed.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Number { column } | Self::Category { column, .. } => Some(column),
            _ => None,
        }
    }
}

/// A feature with all that it takes to bring further items on the scale of the fit:
///
/// ```text
/// z = clamp((x - mean) / sd, low, high)        0 where x is missing
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureDefinition {
    /// Its name, as in results.
    pub name: String,
    /// Where its values come from.
    pub source: FeatureSource,
    /// Mean over the items of the fit, in its own unit.
    pub mean: f64,
    /// Standard deviation over them, above 0.
    pub sd: f64,
    /// Items of the fit that lacked it.
    pub missing: usize,
    /// Lowest value of a labelled item, in standard deviations from the mean, below which nothing is extrapolated;
    /// `None` where the fit extrapolates.
    pub low: Option<f64>,
    /// Highest value of a labelled item.
    pub high: Option<f64>,
}

/// The design of items with the features `columns`, on the scales of another fit and within its limits, if there are any.
///
/// # Errors
/// Columns that are not the features of that fit, or have a value that is not finite.
pub(crate) fn design_on(
    scales: Vec<FeatureScale>,
    limits: &[Option<(f64, f64)>],
    (columns, items): (&[FeatureColumn], usize),
) -> Result<Design, DesignError> {
    let design = match columns.is_empty() {
        true => Design::constant(items),
        false => Standardizer::of_scales(scales).apply(columns)?,
    };
    Ok(design.kept_within(limits))
}

impl FeatureDefinition {
    /// The features of a decomposition, in order.
    pub fn of_all(study: &Study, decomposition: &Decomposition, extrapolates: bool) -> Vec<Self> {
        let design = &decomposition.fitted.design;
        let labelled: Vec<usize> = (0..decomposition.len()).filter(|&i| decomposition.numbers[i] > 0).collect();
        let limits = |k: usize| {
            let known = || labelled.iter().map(|&i| design.row(i)[k]);
            let ends = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
            (!extrapolates && ends.0 <= ends.1).then_some(ends)
        };
        let of = |(k, scale): (usize, &FeatureScale)| Self {
            name: scale.name.clone(),
            source: source_of(study, &decomposition.features[k].feature),
            mean: scale.mean,
            sd: scale.sd,
            missing: scale.missing,
            low: limits(k).map(|ends| ends.0),
            high: limits(k).map(|ends| ends.1),
        };
        decomposition.scales.iter().enumerate().map(of).collect()
    }
}

fn source_of(study: &Study, feature: &Feature) -> FeatureSource {
    match feature {
        Feature::Spread => FeatureSource::Spread,
        Feature::LogLabels => FeatureSource::LogLabels,
        Feature::Confidence => FeatureSource::Confidence,
        Feature::NearestLabelled => FeatureSource::NearestLabelled,
        Feature::MeanNearestLabelled => FeatureSource::MeanNearestLabelled,
        Feature::Column(name) => {
            let columns = &study.items.columns;
            let column =
                columns.iter().find(|column| column.feature.feature == *feature).expect("a column of the items");
            let source = column.source.clone();
            match column.categories.is_empty() {
                true => FeatureSource::Number { column: source },
                false => FeatureSource::Category {
                    value: name[source.len() + 1..].to_owned(),
                    known: column.categories.clone(),
                    column: source,
                },
            }
        }
    }
}
