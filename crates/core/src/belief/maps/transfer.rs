//! Whether the labels here agree with a recalibration that was fitted on another study.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::choice::lead_over_things;
use super::fitted::Map;
use super::fitting::{fit_as_carried, fit_stated};
use crate::belief::judged::JudgedItems;
use crate::belief::trust::TrustError;

/// The evidence of the labels here for or against a recalibration from another study, computed before it is used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Labelled items here.
    pub labelled_items: usize,
    /// By how much these labels are likelier under that recalibration than under the plain prediction, in nats per
    /// labelled item, with the trust fitted to them under either. `None` without labels.
    pub advantage: Option<f64>,
    /// Standard error of the advantage over labelled clusters; `None` for fewer than two.
    pub se: Option<f64>,
    /// What follows.
    pub verdict: TransferVerdict,
}

/// Whether a recalibration from another study fits the labels here.
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

/// Compares a recalibration from another study with the plain prediction, by the likelihood of the labels here; `None`
/// without such a recalibration.
///
/// The comparison is fair because these labels fit the trust alone, under either; the recalibration has no parameter
/// that is fitted to the labels that judge it.
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
