//! Whether a study's labels determine how far the judge is to be trusted, and if not, what they do say and why not
//! more.

use crate::input::labels::Labels;
use crate::model::study::Decomposition;
use judge_uncertainty_core::belief::{Regression, TrustProfile};
use judge_uncertainty_core::stats::estimator::LEAST_ANNOTATORS;
use judge_uncertainty_core::stats::{Estimate, Interval};
use serde::{Deserialize, Serialize};

/// Without a prior, trust is not estimable if more than this share of the labelled items lie at a limit of it.
const MOST_AT_LIMIT: f64 = 0.1;

/// What labels say that do not determine the trust: bounds of the 95% interval, where they give one, in labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The lower end; `None` where the labels do not rule out that a prediction is worth nothing.
    pub at_least: Option<f64>,
    /// The upper end; `None` where they do not rule out that it is worth any number of labels.
    pub at_most: Option<f64>,
}

/// What a prediction is worth for an item with average features, in labels; or why the labels do not tell, and what
/// they say all the same. Fits without a prior have no profile.
///
/// The likelihood takes an item's labels for draws from everybody's answers. If the same few people gave them all, they
/// vary by less (a lenient and a strict annotator cancel) or by more than such draws, whatever the judge is worth: of 100
/// simulated studies with one lenient and one strict annotator, 85 had the interval above the true trust. With fewer
/// than [`LEAST_ANNOTATORS`] people whose items overlap there is none.
pub(crate) fn typical_trust(
    labels: &Labels,
    decomposition: &Decomposition,
    profile: Option<&TrustProfile>,
) -> Result<Estimate, (String, Option<Bounds>)> {
    if let Some(few) = labels.overlapping_annotators().filter(|n| (1..LEAST_ANNOTATORS).contains(n)) {
        let why = format!(
            "all labels of items with two or more labels come from {few} annotators, who may differ from each other by \
             more or less than people do in general; let at least {LEAST_ANNOTATORS} people label items that others \
             label, too"
        );
        return Err((why, None));
    }
    let fit = decomposition.fitted.fit.regression();
    let log_trust = Estimate::new(fit.coefficients[0], fit.standard_errors()[0]);
    let interval = profile.and_then(TrustProfile::interval);
    match (profile, interval) {
        (_, Some(Interval { lo, hi })) => Ok(Estimate { lo, hi, ..log_trust }.exp()),
        (None, _) if identified(fit) => Ok(log_trust.exp()),
        _ => Err((why(fit, &decomposition.numbers, profile), profile.and_then(bounds))),
    }
}

fn bounds(profile: &TrustProfile) -> Option<Bounds> {
    let of = |end: Option<f64>| end.map(f64::exp);
    let bounds = Bounds { at_least: of(profile.at_least), at_most: of(profile.at_most) };
    (bounds != Bounds { at_least: None, at_most: None }).then_some(bounds)
}

fn identified(fit: &Regression) -> bool {
    let at_limit = fit.at_limit as f64 > MOST_AT_LIMIT * fit.labelled_items as f64;
    fit.converged && !at_limit && fit.unidentified.iter().all(|name| name != "intercept")
}

fn why(fit: &Regression, numbers: &[u32], profile: Option<&TrustProfile>) -> String {
    let labelled = fit.labelled_items;
    if labelled == 0 {
        return "no item has a label yet; send a first queue (`study queue`) and have its items labelled twice or more"
            .to_owned();
    }
    if numbers.iter().all(|n| *n < 2) {
        "no item has two labels, and single labels do not tell a judge that is ignorant from experts who disagree; \
         have some items labelled twice or more"
            .to_owned()
    } else if fit.at_limit > 0 {
        format!(
            "{} of {labelled} labelled items are at a limit of the trust; take a prior (`prior = \"weak\"` in \
             [trust]), fewer features or more items with two labels",
            fit.at_limit
        )
    } else if !fit.converged {
        format!("the search did not converge in {} steps; take fewer features, or a prior", fit.iterations)
    } else {
        let twice = numbers.iter().filter(|n| **n > 1).count();
        let items = if labelled == 1 { "item" } else { "items" };
        format!(
            "the labels ({labelled} labelled {items}, {twice} of them with two labels or more) {}; have more items \
             labelled twice or more",
            profile.map_or("do not bound it", missing)
        )
    }
}

/// What the labels of a fit under a prior leave open.
fn missing(profile: &TrustProfile) -> &'static str {
    match (profile.at_least, profile.at_most) {
        (Some(_), None) => "do not bound it above, for they vary about the predictions hardly more than by chance",
        (None, Some(_)) => "do not bound it below, for those of an item hardly ever differ",
        (None, None) => "bound it neither below nor above",
        (Some(_), Some(_)) => "contradict the prior",
    }
}
