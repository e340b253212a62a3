//! A map that was fitted to other items, as the start of maps here.

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::choice::lead_over_things;
use super::fitted::Map;
use super::fitting::{ENOUGH, fit_as_carried, fit_where};
use super::guesses::Shares;
use super::readings::Readings;
use super::rung::Rung;
use crate::belief::trust::TrustError;

/// Standard deviation of the weight of a carried map about 1 before any label here: at 0 the map says nothing.
const SD_OF_WEIGHT: f64 = 0.5;
/// What that counts for beside the labels here, in parameters that they determine.
const DEGREES: f64 = 1.0;

/// The variance of the weight about 1 before any label.
pub(super) const FIRST_VARIANCE: f64 = SD_OF_WEIGHT * SD_OF_WEIGHT;

/// The variance of the weight about 1, from its squared distance to 1 and how far the labels determine it, 0 to 1.
pub(super) fn variance_of_weight(square: f64, determined: f64) -> f64 {
    (square + DEGREES * FIRST_VARIANCE) / (determined + DEGREES)
}

/// What a map that was fitted elsewhere adds to the log predictions of some items.
///
/// ```text
/// u = ln r + w a + what the map here adds,   w ~ N(1, s^2),   a = u' - ln q
/// ```
///
/// with u' the logits of the map that is carried, q the prediction and r the same with the share of guesses found here. The weight w is fitted with
/// the map here, and s^2 by the labels' marginal likelihood with a prior that counts for one label-determined weight of variance 0.25
/// (a scaled inverse chi-squared one of one degree): 0.25 before any label, when w is 1 and the map stands as it was carried, and
/// larger where labels contradict it, so that w is free to go to 0. What was unknown of the map where it was fitted counts w^2 times.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried {
    added: Array2<f64>,
    unknown: Vec<f64>,
}

impl Carried {
    pub(super) fn new(added: Array2<f64>, unknown: Vec<f64>) -> Self {
        Self { added, unknown }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.unknown.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.unknown.is_empty()
    }

    /// That of the items at these positions.
    pub fn select(&self, kept: &[usize]) -> Self {
        Self { added: self.added.select(Axis(0), kept), unknown: kept.iter().map(|&i| self.unknown[i]).collect() }
    }

    /// What it adds to the log prediction of item `i`, of mean 0 over the classes.
    pub(super) fn added(&self, i: usize) -> ndarray::ArrayView1<'_, f64> {
        self.added.row(i)
    }

    /// Expected squared error of the carried map's mean that comes from what was unknown of its parameters.
    pub(super) fn unknown(&self, i: usize) -> f64 {
        self.unknown[i]
    }
}

/// What the labels here say of a carried map before anything relies on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Labelled items here.
    pub labelled_items: usize,
    /// By how much their labels are likelier under the map as it was carried than under the prediction as it is, in nats per labelled item;
    /// the trust is fitted to them under either. `None` without labels.
    pub advantage: Option<f64>,
    /// Its standard error over labelled things; `None` for fewer than two.
    pub se: Option<f64>,
    /// What follows.
    pub verdict: Fits,
}

/// Whether a carried map fits the labels here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fits {
    /// Labels are likelier under it by more than one standard error.
    Supported,
    /// They differ by less, or there are too few to tell.
    Open,
    /// They are less likely under it by more than one standard error.
    Contradicted,
}

/// Holds a carried map against the prediction as it is, by the likelihood of the labels here; `None` where none is carried.
///
/// Neither has a parameter of its own that these labels fit: under both the trust alone is fitted to them, so neither is ahead by
/// being fitted to what it is judged by.
///
/// # Errors
/// As [`super::fit`].
pub fn transfer<'a>(
    readings: impl Into<Readings<'a>>,
    counts: ArrayView2<u32>,
) -> Result<Option<Transfer>, TrustError> {
    let readings = readings.into();
    if readings.carried.is_none() {
        return Ok(None);
    }
    let labelled: Vec<usize> = (0..readings.len()).filter(|&i| counts.row(i).sum() > 0).collect();
    let none = Transfer { labelled_items: labelled.len(), advantage: None, se: None, verdict: Fits::Open };
    if labelled.is_empty() {
        return Ok(Some(none));
    }
    let plain = Readings { carried: None, ..readings };
    let stated = fit_where(Rung::Identity, &plain, counts, ENOUGH, |_| true, &mut Shares::default())?;
    let stated = stated.expect("the prediction as it is can always be taken");
    let carried = fit_as_carried(&readings, counts)?;
    let of = |map: &Map, readings: &Readings| -> Vec<f64> {
        let of = |i: usize| if counts.row(i).sum() > 0 { map.log_likelihood(readings, counts, i) } else { 0.0 };
        (0..readings.len()).map(of).collect()
    };
    let (advantage, se) = lead_over_things(&readings, &labelled, &of(&carried, &readings), &of(&stated, &plain));
    let verdict = match se {
        Some(se) if advantage > se => Fits::Supported,
        Some(se) if advantage < -se => Fits::Contradicted,
        _ => Fits::Open,
    };
    Ok(Some(Transfer { advantage: Some(advantage), se, verdict, ..none }))
}
