//! Whether the labels here bear out a map that was fitted elsewhere.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::choice::lead_over_things;
use super::fitted::Map;
use super::fitting::{fit_as_carried, fit_stated};
use crate::belief::judged::JudgedItems;
use crate::belief::trust::TrustError;

/// What the labels here say of a carried map before anything relies on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Labelled items here.
    pub labelled_items: usize,
    /// By how much their labels are likelier under the map as it was carried than under the prediction as it is, in
    /// nats per labelled item; the trust is fitted to them under either. `None` without labels.
    pub advantage: Option<f64>,
    /// Its standard error over labelled things; `None` for fewer than two.
    pub se: Option<f64>,
    /// What follows.
    pub verdict: TransferVerdict,
}

/// Whether a carried map fits the labels here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransferVerdict {
    /// Labels are likelier under it by more than one standard error.
    Supported,
    /// They differ by less, or there are too few to tell.
    Open,
    /// They are less likely under it by more than one standard error.
    Contradicted,
}

/// Holds a carried map against the prediction as it is, by the likelihood of the labels here; `None` where none is
/// carried.
///
/// Neither has a parameter of its own that these labels fit: under both the trust alone is fitted to them, so neither
/// is ahead by being fitted to what it is judged by.
///
/// # Errors
/// As [`super::fit`].
pub fn transfer(items: &JudgedItems, counts: ArrayView2<u32>) -> Result<Option<Transfer>, TrustError> {
    if items.carried.is_none() {
        return Ok(None);
    }
    let labelled: Vec<bool> = counts.rows().into_iter().map(|labels| labels.sum() > 0).collect();
    let labelled_items = labelled.iter().filter(|labelled| **labelled).count();
    let none = Transfer { labelled_items, advantage: None, se: None, verdict: TransferVerdict::Open };
    if labelled_items == 0 {
        return Ok(Some(none));
    }
    let plain = JudgedItems { carried: None, ..*items };
    let stated = fit_stated(&plain, counts)?;
    let carried = fit_as_carried(items, counts)?;
    let log_likelihoods = |map: &Map, items: &JudgedItems| -> Vec<f64> {
        (0..items.len()).map(|i| if labelled[i] { map.log_likelihood(items, counts, i) } else { 0.0 }).collect()
    };
    let (advantage, se) =
        lead_over_things(items, &labelled, &log_likelihoods(&carried, items), &log_likelihoods(&stated, &plain));
    let verdict = match se {
        Some(se) if advantage > se => TransferVerdict::Supported,
        Some(se) if advantage < -se => TransferVerdict::Contradicted,
        _ => TransferVerdict::Open,
    };
    Ok(Some(Transfer { advantage: Some(advantage), se, verdict, ..none }))
}
