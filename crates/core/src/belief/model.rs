//! Which belief a study holds: one switch between the paper's and the recalibrated one.

use std::fmt;

use ndarray::{Array2, ArrayView2};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::dirichlet::Beliefs;
use super::prior::TrustPrior;
use super::profile::Profile;
use super::recalibration::{self, JudgedItems, Options, Prior, RecalibratedFit, Recalibration};
use super::regression::Regression;
use super::trust::{TrustError, TrustFit, fit_trust};

/// The belief about labels, as a configuration names it: `"published"`, `"recalibrated"` (with default options) or
/// `{ recalibrated = { ... } }`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BeliefModel {
    /// The paper's: the judge's prediction as it is, its trust by maximum likelihood ([`fit_trust`]) or with a [`TrustPrior`].
    #[default]
    Published,
    /// The recalibrated one: prediction and trust fitted together under weak priors ([`recalibration::fit`], or
    /// [`super::fit_ratings`] for ratings, which take from the options only which items share a recalibration).
    Recalibrated(Options),
}

impl<'de> Deserialize<'de> for BeliefModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Named)
    }
}

/// Reads a [`BeliefModel`]: a name alone, or a table of one name with options.
struct Named;

impl<'de> Visitor<'de> for Named {
    type Value = BeliefModel;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("\"published\", \"recalibrated\" or { recalibrated = { ... } }")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<BeliefModel, E> {
        match name {
            "published" => Ok(BeliefModel::Published),
            "recalibrated" => Ok(BeliefModel::Recalibrated(Options::default())),
            other => Err(E::unknown_variant(other, &["published", "recalibrated"])),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<BeliefModel, A::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Table {
            Published,
            Recalibrated(Options),
        }
        Ok(match Table::deserialize(MapAccessDeserializer::new(table))? {
            Table::Published => BeliefModel::Published,
            Table::Recalibrated(options) => BeliefModel::Recalibrated(options),
        })
    }
}

/// A fitted belief of either kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FittedBelief {
    /// The paper's.
    Published(TrustFit),
    /// The recalibrated one.
    Recalibrated(RecalibratedFit),
}

/// The recalibrated fit that is the paper's with this prior on the trust: the prediction is taken as it is. `None` without a
/// prior.
fn unrecalibrated(prior: TrustPrior) -> Option<Options> {
    (prior == TrustPrior::Weak).then(|| Options {
        recalibration: Recalibration::Off,
        ridge: TrustPrior::SLOPE_SD.powi(-2),
        prior: Prior { log_trust_sd: TrustPrior::LOG_TRUST_SD, ..Prior::default() },
    })
}

impl BeliefModel {
    /// Which items share a recalibration; off for the paper's belief.
    pub fn recalibration(&self) -> Recalibration {
        match self {
            Self::Published => Recalibration::Off,
            Self::Recalibrated(options) => options.recalibration,
        }
    }

    /// Fits the belief to the labels in hand; the recalibrated one has priors of its own in its options. Where there is no label,
    /// a belief with a prior is the prior: nothing about it is determined.
    ///
    /// # Errors
    /// As [`fit_trust`] and [`recalibration::fit`].
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
        })
    }

    /// What the labels say about ln lambda of an item with average features, under a fit to the same labels; `None` without a
    /// prior.
    ///
    /// # Errors
    /// As [`Self::fit`].
    pub fn typical_log_trust(
        &self,
        items: &JudgedItems,
        counts: ArrayView2<u32>,
        prior: TrustPrior,
        fit: &FittedBelief,
    ) -> Result<Option<Profile>, TrustError> {
        let plain = |fit: &TrustFit| RecalibratedFit {
            regression: fit.regression.clone(),
            recalibration: Recalibration::Off,
            tau: vec![],
            bias: vec![],
        };
        let (options, fit) = match (self, fit, unrecalibrated(prior)) {
            (Self::Recalibrated(options), FittedBelief::Recalibrated(fit), _) => (*options, fit.clone()),
            (_, FittedBelief::Published(fit), Some(options)) => (options, plain(fit)),
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
        }
    }

    /// Log trust ln lambda of any items.
    pub fn log_trust(&self, items: &JudgedItems) -> Vec<f64> {
        match self {
            Self::Published(fit) => fit.log_trust(items.design),
            Self::Recalibrated(fit) => fit.log_trust(items),
        }
    }

    /// Posterior beliefs of any items given their label counts.
    pub fn posterior(&self, items: &JudgedItems, counts: ArrayView2<u32>) -> Beliefs {
        match self {
            Self::Published(fit) => Beliefs::posterior(&fit.trust(items.design), items.q, counts),
            Self::Recalibrated(fit) => fit.posterior(items, counts),
        }
    }

    /// The trust regression within the fit.
    pub fn regression(&self) -> &Regression {
        match self {
            Self::Published(fit) => &fit.regression,
            Self::Recalibrated(fit) => &fit.regression,
        }
    }

    /// The recalibrated fit, if it is one.
    pub fn recalibrated(&self) -> Option<&RecalibratedFit> {
        match self {
            Self::Published(_) => None,
            Self::Recalibrated(fit) => Some(fit),
        }
    }
}
