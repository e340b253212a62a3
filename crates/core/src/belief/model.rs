//! Which belief a study holds: the paper's, a map that is named, or the map that the labels choose.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::judged::JudgedItems;
use super::maps::{self, Map, MapChoice, MapName};
use super::profile::TrustProfile;
use super::regression::Regression;
use super::table::Beliefs;
use super::trust::TrustPrior;
use super::trust::{FitError, fit_trust};

/// The belief about labels, as a configuration names it: `"published"`, the name of a map ([`MapName`], such as
/// `"recalibrated"`), or `"auto"` for the map that the labels choose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum BeliefModel {
    /// The paper's: the judge's prediction as it is, its trust by maximum likelihood ([`fit_trust`]) or with a
    /// [`TrustPrior`].
    Published,
    /// A map ([`maps::fit`]; for ratings [`super::fit_rating_map`]).
    Map(MapName),
    /// The map that the labels choose ([`maps::choose`]; for ratings [`super::choose_rating_map`]).
    #[default]
    Auto,
}

impl BeliefModel {
    /// Name in configurations and results.
    pub fn key(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Map(map) => map.key(),
            Self::Auto => "auto",
        }
    }
}

impl TryFrom<String> for BeliefModel {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match name.as_str() {
            "published" => Ok(Self::Published),
            "auto" => Ok(Self::Auto),
            other => MapName::try_from(other)
                .map(Self::Map)
                .map_err(|why| format!("{why}; beside these there are \"published\" and \"auto\"")),
        }
    }
}

impl From<BeliefModel> for &'static str {
    fn from(model: BeliefModel) -> Self {
        model.key()
    }
}

/// A fitted belief of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FittedBelief {
    /// The paper's.
    Published(Regression),
    /// A map.
    Mapped(Box<Mapped>),
}

/// A fitted map, and how it came to be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mapped {
    /// The map.
    pub map: Map,
    /// The choice with its evidence; `None` where the map was named.
    pub choice: Option<MapChoice>,
}

impl BeliefModel {
    /// Whether it recalibrates the judge's prediction, by all that is known of it (each variant, which items form a
    /// cluster): every belief but the paper's.
    pub fn recalibrates(&self) -> bool {
        *self != Self::Published
    }

    /// Fits the belief to the labels in hand; recalibrations always have the weak prior. Without labels, a belief with
    /// a prior equals the prior.
    ///
    /// # Errors
    /// As [`fit_trust`], [`maps::fit`] and [`maps::choose`]; a recalibration that does not apply to these items.
    pub fn fit(
        &self,
        items: &JudgedItems,
        counts: ArrayView2<u32>,
        prior: TrustPrior,
    ) -> Result<FittedBelief, FitError> {
        Ok(match self {
            Self::Published if prior == TrustPrior::None => {
                FittedBelief::Published(fit_trust(items.design, items.q, counts)?)
            }
            Self::Published => FittedBelief::Published(stated(items, counts)?.regression),
            Self::Map(name) => {
                let map = maps::fit(*name, items, counts)?;
                let map = map.map_err(|why| FitError::Map { map: name.key(), why: why.to_string() })?;
                FittedBelief::Mapped(Box::new(Mapped { map, choice: None }))
            }
            Self::Auto => {
                let (map, choice) = maps::choose(items, counts)?;
                FittedBelief::Mapped(Box::new(Mapped { map, choice: Some(choice) }))
            }
        })
    }

    /// What the labels say about ln lambda of an item with average features, under a fit to the same labels; `None`
    /// without a prior.
    ///
    /// # Errors
    /// As [`Self::fit`].
    pub fn typical_log_trust(
        &self,
        items: &JudgedItems,
        counts: ArrayView2<u32>,
        prior: TrustPrior,
        fit: &FittedBelief,
    ) -> Result<Option<TrustProfile>, FitError> {
        let (map, strength) = match fit {
            FittedBelief::Mapped(mapped) => {
                (Cow::Borrowed(&mapped.map), mapped.choice.as_ref().map_or(1.0, |choice| choice.strength))
            }
            FittedBelief::Published(_) if prior == TrustPrior::Weak => (Cow::Owned(stated(items, counts)?), 1.0),
            FittedBelief::Published(_) => return Ok(None),
        };
        maps::typical_log_trust(items, counts, &map, strength).map(Some)
    }
}

/// The prediction as it is, its trust under the weak prior.
fn stated(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<Map, FitError> {
    maps::fit_stated(&JudgedItems { carried: None, ..*items }, counts)
}

impl FittedBelief {
    /// The predictions that the belief is centred on, items x classes.
    pub fn predictions(&self, items: &JudgedItems) -> Array2<f64> {
        match self {
            Self::Published(_) => items.q.to_owned(),
            Self::Mapped(mapped) => mapped.map.predictions(items),
        }
    }

    /// Log trust ln lambda of any items.
    pub fn log_trust(&self, items: &JudgedItems) -> Vec<f64> {
        match self {
            Self::Published(fit) => fit.log_trust(items.design),
            Self::Mapped(mapped) => mapped.map.log_trust(items),
        }
    }

    /// Posterior beliefs of any items given their label counts, with [`Self::log_trust`]; each item is read once.
    pub fn posterior(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> (Beliefs, Vec<f64>) {
        match self {
            Self::Published(fit) => {
                let log_trust = fit.log_trust(items.design);
                let trust: Vec<f64> = log_trust.iter().map(|log| log.exp()).collect();
                (Beliefs::posterior(&trust, items.q, counts), log_trust)
            }
            Self::Mapped(mapped) => mapped.map.posterior(items, counts),
        }
    }

    /// The trust regression within the fit.
    pub fn regression(&self) -> &Regression {
        match self {
            Self::Published(fit) => fit,
            Self::Mapped(mapped) => &mapped.map.regression,
        }
    }

    /// The map with its choice, if it is one.
    pub fn mapped(&self) -> Option<&Mapped> {
        match self {
            Self::Mapped(mapped) => Some(mapped),
            Self::Published(_) => None,
        }
    }
}
