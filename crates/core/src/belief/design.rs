//! Item features as the trust regression sees them: missing values filled, columns standardised.

use std::sync::Arc;

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::trust::START_TRUST;
use crate::stats::{mean, population_sd};

/// Standard deviations below this are raised to it, so that a constant feature becomes zeros instead of NaN.
const SD_FLOOR: f64 = 1e-9;
/// And below this share of the largest value, where differences are rounding.
const RELATIVE_SD_FLOOR: f64 = 1e-12;

/// What a feature measures. What is done with a feature follows from this, never from its name: a user's column may
/// have any name.
///
/// `C` identifies a column: its name, its position, or where in a table it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature<C = String> {
    /// How far the judge's answers under several variants of its prompt are apart.
    Spread,
    /// ln(1 + number of the item's labels).
    LogLabels,
    /// The judge's stated confidence.
    Confidence,
    /// Cosine distance to the nearest labelled item.
    NearestLabelled,
    /// Mean cosine distance to the nearest labelled items.
    MeanNearestLabelled,
    /// A column that the user gives.
    #[serde(untagged)]
    Column(C),
}

impl<C> Feature<C> {
    /// The features that are computed, with the names by which users ask for them.
    pub const COMPUTED: [(&str, Self); 5] = [
        ("spread", Self::Spread),
        ("log_labels", Self::LogLabels),
        ("confidence", Self::Confidence),
        ("nearest_labelled", Self::NearestLabelled),
        ("mean_nearest_labelled", Self::MeanNearestLabelled),
    ];

    /// This feature with its column, where it has one, identified as `column` says.
    pub fn map<D>(&self, column: impl FnOnce(&C) -> D) -> Feature<D> {
        match self {
            Self::Spread => Feature::Spread,
            Self::LogLabels => Feature::LogLabels,
            Self::Confidence => Feature::Confidence,
            Self::NearestLabelled => Feature::NearestLabelled,
            Self::MeanNearestLabelled => Feature::MeanNearestLabelled,
            Self::Column(own) => Feature::Column(column(own)),
        }
    }

    /// Whether it is a distance to labelled items, which needs embeddings and at least one label.
    pub fn is_distance(&self) -> bool {
        matches!(self, Self::NearestLabelled | Self::MeanNearestLabelled)
    }

    /// Whether it says how labels were collected rather than what the item is.
    pub fn is_about_labels(&self) -> bool {
        self.is_distance() || matches!(self, Self::LogLabels)
    }
}

impl Feature {
    /// Name, as it appears in reports.
    pub fn name(&self) -> &str {
        match self {
            Self::Column(name) => name,
            computed => Self::COMPUTED.iter().find(|(_, own)| own == computed).expect("the table has every one").0,
        }
    }
}

impl From<&str> for Feature {
    /// The user's column of that name, whatever the name is.
    fn from(name: &str) -> Self {
        Self::Column(name.to_owned())
    }
}

impl From<String> for Feature {
    /// The user's column of that name, whatever the name is.
    fn from(name: String) -> Self {
        Self::Column(name)
    }
}

/// One feature of all items, `None` where it is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureColumn {
    /// What it measures.
    pub feature: Feature,
    /// One value per item, in the feature's own unit; copies of a column share them.
    pub values: Arc<[Option<f64>]>,
}

impl FeatureColumn {
    /// A feature with a value for every item.
    pub fn complete(feature: impl Into<Feature>, values: impl IntoIterator<Item = f64>) -> Self {
        Self::partial(feature, values.into_iter().map(Some))
    }

    /// A feature that some items lack.
    pub fn partial(feature: impl Into<Feature>, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        Self { feature: feature.into(), values: values.into_iter().collect() }
    }

    /// Its name, as it appears in reports.
    pub fn name(&self) -> &str {
        self.feature.name()
    }

    /// This feature of some of the items, by position.
    pub fn select(&self, items: &[usize]) -> Self {
        let are_all = items.len() == self.values.len() && items.iter().enumerate().all(|(k, item)| k == *item);
        let values = if are_all { self.values.clone() } else { items.iter().map(|&i| self.values[i]).collect() };
        Self { feature: self.feature.clone(), values }
    }
}

/// Why features can't be used.
#[derive(Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum DesignError {
    #[error("feature `{feature}` is missing for every item: remove it from the features or supply values")]
    AllMissing { feature: String },
    #[error("feature `{feature}` of item {item} (counted from 0) is {value}: give a finite number or leave it blank")]
    NotFinite { feature: String, item: usize, value: f64 },
    #[error(
        "feature `{feature}` has values as large as {value:e}, too large to be standardised: give it in a larger unit"
    )]
    TooLarge { feature: String, value: f64 },
    #[error("features do not fit together: {detail}")]
    Shape { detail: String },
}

/// The scale of one feature, recorded so that new items can be scored like the fitted ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureScale {
    /// The feature.
    pub name: String,
    /// Mean of the present values; also what a missing value is replaced by.
    pub mean: f64,
    /// Population standard deviation after filling, floored at 1e-9 and at 1e-12 of the largest value.
    pub sd: f64,
    /// How many items lacked the feature.
    pub missing: usize,
}

impl FeatureScale {
    fn new(column: &FeatureColumn) -> Result<Self, DesignError> {
        let present: Vec<f64> = column.values.iter().flatten().copied().collect();
        // The mean of equal numbers may be off by rounding, which would then count as a spread.
        let constant = present.iter().all(|x| *x == present[0]);
        let mean = if constant { present[0] } else { mean(&present) };
        let filled: Vec<f64> = column.values.iter().map(|x| x.unwrap_or(mean)).collect();
        let sd = if constant { 0.0 } else { population_sd(&filled) };
        let largest = present.iter().copied().fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
        if !(mean.is_finite() && sd.is_finite()) {
            return Err(DesignError::TooLarge { feature: column.name().to_owned(), value: largest });
        }
        let floor = SD_FLOOR.max(RELATIVE_SD_FLOOR * largest.abs());
        Ok(Self {
            name: column.name().to_owned(),
            mean,
            sd: sd.max(floor),
            missing: column.values.len() - present.len(),
        })
    }
}

/// Standardisation z = (x - mean) / sd of every feature, learned from all items of a run.
///
/// The population standard deviation is taken over all items after missing values have been filled by the mean of the
/// present ones (protocol, section 2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standardizer {
    scales: Vec<FeatureScale>,
}

impl Standardizer {
    /// Learns the scale of each feature.
    ///
    /// # Errors
    /// A feature without any value, a value that is not finite, or columns of different lengths.
    pub fn fit(columns: &[FeatureColumn]) -> Result<Self, DesignError> {
        check(columns)?;
        Ok(Self { scales: columns.iter().map(FeatureScale::new).collect::<Result<_, _>>()? })
    }

    /// That of scales which were learned elsewhere.
    pub fn of_scales(scales: Vec<FeatureScale>) -> Self {
        Self { scales }
    }

    /// The features' scales, in order.
    pub fn scales(&self) -> &[FeatureScale] {
        &self.scales
    }

    /// Puts features of any items (those of the fit, or new ones) on the learned scale.
    ///
    /// # Errors
    /// Columns whose names, number or lengths don't match, or a value that is not finite.
    pub fn apply(&self, columns: &[FeatureColumn]) -> Result<Design, DesignError> {
        let items = check_finite(columns)?;
        let names: Vec<&str> = columns.iter().map(FeatureColumn::name).collect();
        let fitted: Vec<&str> = self.scales.iter().map(|s| s.name.as_str()).collect();
        if names != fitted {
            return Err(DesignError::Shape {
                detail: format!(
                    "the fit has {fitted:?}, these items have {names:?}; give the same features in the same order"
                ),
            });
        }
        let mut z = Array2::zeros((items, columns.len()));
        for (j, (column, scale)) in columns.iter().zip(&self.scales).enumerate() {
            for (i, x) in column.values.iter().enumerate() {
                z[[i, j]] = x.map_or(0.0, |x| (x - scale.mean) / scale.sd);
            }
        }
        Ok(Design { features: columns.iter().map(|c| c.feature.clone()).collect(), z, centre: None })
    }
}

/// Features of items on the scale of the regression: items x features, without the intercept.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    features: Vec<Feature>,
    z: Array2<f64>,
    /// Where a prior on the coefficients is centred, intercept first; `None` for its own centre.
    centre: Option<Vec<f64>>,
}

impl Design {
    /// Learns the scale of `columns` and applies it to them.
    ///
    /// # Errors
    /// As [`Standardizer::fit`].
    pub fn standardized(columns: &[FeatureColumn]) -> Result<Self, DesignError> {
        Standardizer::fit(columns)?.apply(columns)
    }

    /// The standardised `columns` of so many `items`; without columns, one trust for all items.
    ///
    /// # Errors
    /// As [`Standardizer::fit`].
    pub fn over(items: usize, columns: &[FeatureColumn]) -> Result<Self, DesignError> {
        if columns.is_empty() { Ok(Self::constant(items)) } else { Self::standardized(columns) }
    }

    /// No features: one trust for all items.
    pub fn constant(items: usize) -> Self {
        Self { features: vec![], z: Array2::zeros((items, 0)), centre: None }
    }

    /// Features taken as they are.
    ///
    /// # Errors
    /// A missing or not finite value, or columns of different lengths.
    pub fn raw(columns: &[FeatureColumn]) -> Result<Self, DesignError> {
        check_finite(columns)?;
        let missing = columns.iter().find_map(|column| Some((column.values.iter().position(Option::is_none)?, column)));
        if let Some((i, column)) = missing {
            let name = column.name();
            let detail = format!("feature `{name}` of item {i} is missing, and raw features can't be filled");
            return Err(DesignError::Shape { detail });
        }
        let as_it_is = |c: &FeatureColumn| FeatureScale { name: c.name().to_owned(), mean: 0.0, sd: 1.0, missing: 0 };
        Standardizer { scales: columns.iter().map(as_it_is).collect() }.apply(columns)
    }

    /// This design with every feature kept within what it is over the `labelled` items, so that nothing is extrapolated
    /// to items unlike all that have labels; without a labelled item, as it is.
    ///
    /// # Panics
    /// If there is not one entry of `labelled` per item and there are features.
    pub fn within(self, labelled: &[bool]) -> Self {
        let limits: Vec<Option<(f64, f64)>> = self
            .z
            .columns()
            .into_iter()
            .map(|column| {
                assert_eq!(column.len(), labelled.len(), "labelled or not, of every item");
                let known = || column.iter().zip(labelled).filter(|(_, l)| **l).map(|(z, _)| *z);
                let (lo, hi) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
                (lo <= hi).then_some((lo, hi))
            })
            .collect();
        self.kept_within(&limits)
    }

    /// This design with every feature kept within limits that were found elsewhere, as [`Self::within`] finds them;
    /// `None` for none.
    ///
    /// # Panics
    /// If there is not one entry per feature.
    pub fn kept_within(mut self, limits: &[Option<(f64, f64)>]) -> Self {
        assert_eq!(limits.len(), self.features(), "limits, or none, of every feature");
        for (mut column, limits) in self.z.columns_mut().into_iter().zip(limits) {
            if let Some((lo, hi)) = limits {
                column.mapv_inplace(|z| z.clamp(*lo, *hi));
            }
        }
        self
    }

    /// This design with the prior on its coefficients (log trust of an average item, then one per feature) centred
    /// elsewhere than at 8 labels for every item: on another fit, as a rule. Fits without a prior are not changed by
    /// it.
    ///
    /// # Panics
    /// If there is not one coefficient per feature and one for the intercept.
    pub fn centred(self, coefficients: Vec<f64>) -> Self {
        assert_eq!(coefficients.len(), self.features() + 1, "one coefficient per feature and one for the intercept");
        Self { centre: Some(coefficients), ..self }
    }

    /// Where a prior on the coefficients is centred, intercept first.
    pub(super) fn centre(&self) -> Vec<f64> {
        self.centre.clone().unwrap_or_else(|| {
            let mut centre = vec![0.0; self.features() + 1];
            centre[0] = START_TRUST.ln();
            centre
        })
    }

    /// What each column measures, in order.
    pub fn measures(&self) -> &[Feature] {
        &self.features
    }

    /// Feature names, in column order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(Feature::name)
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.z.nrows()
    }

    /// Number of features, the intercept not counted.
    pub fn features(&self) -> usize {
        self.features.len()
    }

    /// The features of item `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        let d = self.z.ncols();
        let all = self.z.as_slice().expect("designs are stored row by row");
        &all[i * d..(i + 1) * d]
    }
}

fn check(columns: &[FeatureColumn]) -> Result<(), DesignError> {
    check_finite(columns)?;
    match columns.iter().find(|c| c.values.iter().all(Option::is_none)) {
        Some(column) => Err(DesignError::AllMissing { feature: column.name().to_owned() }),
        None => Ok(()),
    }
}

/// Checks lengths and values; returns the number of items.
fn check_finite(columns: &[FeatureColumn]) -> Result<usize, DesignError> {
    let items = columns.first().map_or(0, |c| c.values.len());
    for column in columns {
        if column.values.len() != items {
            return Err(DesignError::Shape {
                detail: format!(
                    "`{}` has {} items but `{}` has {items}",
                    column.name(),
                    column.values.len(),
                    columns[0].name()
                ),
            });
        }
        for (item, x) in column.values.iter().enumerate() {
            if let Some(value) = *x
                && !value.is_finite()
            {
                return Err(DesignError::NotFinite { feature: column.name().to_owned(), item, value });
            }
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_takes_the_mean_and_new_items_the_old_scale() {
        let old = [FeatureColumn::partial("x", [Some(1.0), None, Some(3.0)])];
        let scale = Standardizer::fit(&old).unwrap();
        let sd = (2.0_f64 / 3.0).sqrt();
        assert_eq!(scale.scales()[0].mean, 2.0);
        assert!((scale.scales()[0].sd - sd).abs() < 1e-15);
        assert_eq!(scale.scales()[0].missing, 1);
        let z = scale.apply(&old).unwrap();
        assert_eq!((z.row(1)[0], z.row(2)[0]), (0.0, 1.0 / sd));
        let new = scale.apply(&[FeatureColumn::complete("x", [5.0])]).unwrap();
        assert_eq!(new.row(0)[0], 3.0 / sd);
    }

    #[test]
    fn nothing_is_extrapolated_beyond_labelled_items() {
        let z = Design::raw(&[FeatureColumn::complete("x", [-5.0, 1.0, 2.0, 9.0, 1.5])]).unwrap();
        let labelled = [false, true, true, false, false];
        let within = z.clone().within(&labelled);
        assert_eq!((0..5).map(|i| within.row(i)[0]).collect::<Vec<_>>(), [1.0, 1.0, 2.0, 2.0, 1.5]);
        assert_eq!(z.clone().within(&[false; 5]), z);
    }

    /// 1e6 + 0.1 has rounding errors of 1e-10 that look like a spread of their own, at 1e300 of 1e284.
    #[test]
    fn a_constant_feature_is_constant_at_any_magnitude() {
        for value in [0.1, 1e6 + 0.1, -3.3e12, 1.1e300] {
            let z = Design::standardized(&[FeatureColumn::complete("c", [value; 50])]).unwrap();
            assert!((0..50).all(|i| z.row(i)[0].abs() < 1e-3), "{value}: {}", z.row(0)[0]);
        }
    }

    #[test]
    fn a_feature_too_large_to_be_standardised_is_refused() {
        let wide = FeatureColumn::complete("wide", [1.7e308, -1.7e308, 0.0]);
        let message = Standardizer::fit(&[wide]).unwrap_err().to_string();
        assert!(message.contains("`wide`") && message.contains("e308"), "{message}");
    }

    #[test]
    fn a_constant_feature_becomes_zeros() {
        let z = Design::standardized(&[FeatureColumn::complete("c", [0.1; 7])]).unwrap();
        assert!((0..7).all(|i| z.row(i)[0].abs() < 1e-6));
    }

    #[test]
    fn every_computed_feature_has_a_name_and_columns_may_have_any() {
        for (name, feature) in Feature::COMPUTED {
            assert_eq!(feature.name(), name);
            let column = Feature::from(name);
            assert_eq!(column.name(), name);
            assert!(column != feature && !column.is_about_labels());
        }
    }

    #[test]
    fn unusable_features_are_refused_by_name() {
        let fit = |c: FeatureColumn| Standardizer::fit(&[c]).unwrap_err().to_string();
        assert!(fit(FeatureColumn::partial("gap", [None, None])).contains("`gap` is missing for every item"));
        assert!(fit(FeatureColumn::complete("bad", [1.0, f64::NAN])).contains("`bad` of item 1"));
        let scale = Standardizer::fit(&[FeatureColumn::complete("a", [1.0])]).unwrap();
        assert!(scale.apply(&[FeatureColumn::complete("b", [1.0])]).unwrap_err().to_string().contains("\"b\""));
        assert!(Design::raw(&[FeatureColumn::partial("r", [None])]).is_err());
    }
}
