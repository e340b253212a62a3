//! Which belief a study holds: one switch between the paper's, the recalibrated one, and the maps of the ladder.

use std::fmt;

use ndarray::{Array2, ArrayView2};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::judged::JudgedItems;
use super::maps::{self, Map, MapChoice, MapName};
use super::prior::TrustPrior;
use super::profile::TrustProfile;
use super::recalibration::{self, RecalibratedFit, Recalibration, RecalibrationOptions, RecalibrationPrior};
use super::regression::Regression;
use super::table::Beliefs;
use super::trust::{TrustError, TrustFit, fit_trust};

/// The belief about labels, as a configuration names it: `"published"`, `"recalibrated"` (with default options) or
/// `{ recalibrated = { ... } }`, a map of the ladder by its name (`"temperature"`, ..., [`MapName`]), or `"auto"`
/// for the map that the labels choose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum BeliefModel {
    /// The paper's: the judge's prediction as it is, its trust by maximum likelihood ([`fit_trust`]) or with a
    /// [`TrustPrior`].
    Published,
    /// The recalibrated one: prediction and trust fitted together under weak priors ([`recalibration::fit`], or
    /// [`super::fit_ratings`] for ratings, which take from the options only which items share a recalibration).
    Recalibrated(RecalibrationOptions),
    /// A map ([`maps::fit`]; for ratings [`super::fit_rating_map`]).
    Map(MapName),
    /// The map that the labels choose ([`maps::choose`]; for ratings [`super::choose_rating_map`]).
    #[default]
    Auto,
}

/// A [`BeliefModel`] that is more than a name.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ModelTable {
    Published,
    Recalibrated(RecalibrationOptions),
    Map(MapName),
    Auto,
}

impl Serialize for BeliefModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Published => ModelTable::Published.serialize(serializer),
            Self::Recalibrated(options) => ModelTable::Recalibrated(options).serialize(serializer),
            Self::Map(map) => ModelTable::Map(map).serialize(serializer),
            Self::Auto => serializer.serialize_str("auto"),
        }
    }
}

impl<'de> Deserialize<'de> for BeliefModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ModelVisitor)
    }
}

/// Reads a [`BeliefModel`]: a name alone, or a table of one name with options.
struct ModelVisitor;

impl<'de> Visitor<'de> for ModelVisitor {
    type Value = BeliefModel;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(
            "\"published\", \"recalibrated\", { recalibrated = { ... } }, \"auto\" or the name of a \
             map",
        )
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<BeliefModel, E> {
        match name {
            "published" => Ok(BeliefModel::Published),
            "recalibrated" => Ok(BeliefModel::Recalibrated(RecalibrationOptions::default())),
            "auto" => Ok(BeliefModel::Auto),
            other => MapName::try_from(other).map(BeliefModel::Map).map_err(|why| {
                E::custom(format!("{why}; beside these there are \"published\", \"recalibrated\" and \"auto\""))
            }),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<BeliefModel, A::Error> {
        Ok(match ModelTable::deserialize(MapAccessDeserializer::new(table))? {
            ModelTable::Published => BeliefModel::Published,
            ModelTable::Recalibrated(options) => BeliefModel::Recalibrated(options),
            ModelTable::Map(rung) => BeliefModel::Map(rung),
            ModelTable::Auto => BeliefModel::Auto,
        })
    }
}

/// A fitted belief of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FittedBelief {
    /// The paper's.
    Published(TrustFit),
    /// The recalibrated one.
    Recalibrated(RecalibratedFit),
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

/// The recalibrated fit that is the paper's with this prior on the trust: the prediction is taken as it is. `None`
/// without a prior.
fn unrecalibrated(prior: TrustPrior) -> Option<RecalibrationOptions> {
    (prior == TrustPrior::Weak).then(|| RecalibrationOptions {
        recalibration: Recalibration::Off,
        ridge: TrustPrior::SLOPE_SD.powi(-2),
        prior: RecalibrationPrior { log_trust_sd: TrustPrior::LOG_TRUST_SD, ..RecalibrationPrior::default() },
    })
}

impl BeliefModel {
    /// Whether rules beyond the paper's rank under this belief.
    pub fn is_beyond_the_paper(&self) -> bool {
        *self != Self::Published
    }

    /// Whether each variant's prediction matters, and which items are about one thing.
    pub fn reads_variants(&self) -> bool {
        matches!(self, Self::Map(_) | Self::Auto)
    }

    /// Which items share a recalibration; off for the paper's belief and the maps.
    pub fn recalibration(&self) -> Recalibration {
        match self {
            Self::Published | Self::Map(_) | Self::Auto => Recalibration::Off,
            Self::Recalibrated(options) => options.recalibration,
        }
    }

    /// Fits the belief to the labels in hand; the recalibrated one has priors of its own in its options. Where there is
    /// no label, a belief with a prior is the prior: nothing about it is determined.
    ///
    /// # Errors
    /// As [`fit_trust`], [`recalibration::fit`] and [`maps::choose`]; a map that these items have no use for.
    pub fn fit(
        &self,
        items: &JudgedItems,
        counts: ArrayView2<u32>,
        prior: TrustPrior,
    ) -> Result<FittedBelief, TrustError> {
        Ok(match (self, unrecalibrated(prior)) {
            (Self::Published, None) => FittedBelief::Published(fit_trust(items.design, items.q, counts)?),
            (Self::Published, Some(options)) => {
                let regression = recalibration::fit_or_prior(items, counts, &options)?.regression;
                FittedBelief::Published(TrustFit { regression })
            }
            (Self::Recalibrated(options), _) => {
                FittedBelief::Recalibrated(recalibration::fit_or_prior(items, counts, options)?)
            }
            (Self::Map(rung), _) => {
                let map = maps::fit(*rung, items, counts)?;
                let map = map.map_err(|why| TrustError::Map { map: rung.key(), why: why.to_string() })?;
                FittedBelief::Mapped(Box::new(Mapped { map, choice: None }))
            }
            (Self::Auto, _) => {
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
    ) -> Result<Option<TrustProfile>, TrustError> {
        let (options, fit) = match (self, fit, unrecalibrated(prior)) {
            (_, FittedBelief::Mapped(mapped), _) => {
                let strength = mapped.choice.as_ref().map_or(1.0, |choice| choice.strength);
                return maps::typical_log_trust(items, counts, &mapped.map, strength).map(Some);
            }
            (Self::Recalibrated(options), FittedBelief::Recalibrated(fit), _) => (*options, fit.clone()),
            (_, FittedBelief::Published(fit), Some(options)) => {
                let (regression, recalibration) = (fit.regression.clone(), Recalibration::Off);
                (options, RecalibratedFit { regression, recalibration, tau: vec![], bias: vec![] })
            }
            _ => return Ok(None),
        };
        recalibration::typical_log_trust(items, counts, &options, &fit).map(Some)
    }
}

impl FittedBelief {
    /// The predictions that the belief is centred on, items x classes.
    pub fn predictions(&self, items: &JudgedItems) -> Array2<f64> {
        match self {
            Self::Published(_) => items.q.to_owned(),
            Self::Recalibrated(fit) => fit.predictions(items),
            Self::Mapped(mapped) => mapped.map.predictions(items),
        }
    }

    /// Log trust ln lambda of any items.
    pub fn log_trust(&self, items: &JudgedItems) -> Vec<f64> {
        match self {
            Self::Published(fit) => fit.log_trust(items.design),
            Self::Recalibrated(fit) => fit.log_trust(items),
            Self::Mapped(mapped) => mapped.map.log_trust(items),
        }
    }

    /// Posterior beliefs of any items given their label counts.
    pub fn posterior(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> Beliefs {
        match self {
            Self::Published(fit) => Beliefs::posterior(&fit.trust(items.design), items.q, counts),
            Self::Recalibrated(fit) => fit.posterior(items, counts),
            Self::Mapped(mapped) => mapped.map.posterior(items, counts),
        }
    }

    /// The trust regression within the fit.
    pub fn regression(&self) -> &Regression {
        match self {
            Self::Published(fit) => &fit.regression,
            Self::Recalibrated(fit) => &fit.regression,
            Self::Mapped(mapped) => &mapped.map.regression,
        }
    }

    /// The recalibrated fit, if it is one.
    pub fn recalibrated(&self) -> Option<&RecalibratedFit> {
        match self {
            Self::Recalibrated(fit) => Some(fit),
            Self::Published(_) | Self::Mapped(_) => None,
        }
    }

    /// The map with its choice, if it is one.
    pub fn mapped(&self) -> Option<&Mapped> {
        match self {
            Self::Mapped(mapped) => Some(mapped),
            Self::Published(_) | Self::Recalibrated(_) => None,
        }
    }
}
