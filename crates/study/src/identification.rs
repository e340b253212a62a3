//! Whether a study's labels determine how far the judge is to be trusted, and if not, why not.

use super::kind::{Decomposition, Kind};
use judge_uncertainty_core::belief::{Profile, Regression};
use judge_uncertainty_core::stats::Estimate;
use judge_uncertainty_evaluation::Pool;

/// Without a prior, an estimate is none where more than this share of the labelled items lie at a limit of the trust.
const MOST_AT_LIMIT: f64 = 0.1;

/// What a prediction is worth for an item with average features, in labels; or why the labels do not tell.
pub(super) fn typical_trust<K: Kind>(
    decomposition: &Decomposition<K>,
    profile: Option<&Profile>,
) -> Result<Estimate, String> {
    let fit = K::Pool::regression(&decomposition.fitted.fit);
    let log_trust = Estimate::new(fit.coefficients[0], fit.standard_errors()[0]);
    match profile {
        Some(profile) if profile.determined() => Ok(Estimate {
            value: log_trust.value,
            standard_error: profile.sd,
            lo: profile.interval.lo,
            hi: profile.interval.hi,
        }
        .exp()),
        None if identified(fit) => Ok(log_trust.exp()),
        _ => Err(why(fit, &decomposition.numbers)),
    }
}

fn identified(fit: &Regression) -> bool {
    let at_limit = fit.at_limit as f64 > MOST_AT_LIMIT * fit.labelled_items as f64;
    fit.converged && !at_limit && fit.unidentified.iter().all(|name| name != "intercept")
}

fn why(fit: &Regression, numbers: &[u32]) -> String {
    let labelled = fit.labelled_items;
    if labelled == 0 {
        return "no item has a label yet; send a first queue (`study queue`) and have its items labelled twice or more"
            .to_owned();
    }
    if numbers.iter().all(|n| *n < 2) {
        "no item has two labels, and single labels do not tell a judge that is ignorant from experts who disagree; have some \
         items labelled twice or more"
            .to_owned()
    } else if fit.at_limit > 0 {
        format!(
            "{} of {labelled} labelled items are at a limit of the trust; take a prior (`prior = \"weak\"` in [trust]), fewer \
             features or more items with two labels",
            fit.at_limit
        )
    } else if !fit.converged {
        format!("the search did not converge in {} steps; take fewer features, or a prior", fit.iterations)
    } else {
        let twice = numbers.iter().filter(|n| **n > 1).count();
        format!(
            "the labels ({labelled} labelled items, {twice} of them with two labels or more) say less about it than the prior \
             does; have more items labelled twice or more"
        )
    }
}
