//! Names of what competes in the contests beyond the paper: rules, and the oracle.

use crate::experiments::extended::contest::Contender;
use judge_uncertainty_page::rules;

/// A rule, or what competes with rules, in figures.
pub(crate) fn contender_in_figures(contender: Contender) -> &'static str {
    match contender {
        Contender::Rule(rule) => rules::in_figures(rule),
        Contender::Oracle => "oracle",
    }
}

/// A rule, or what competes with rules, in running text.
pub(crate) fn contender_in_text(contender: Contender) -> &'static str {
    match contender {
        Contender::Rule(rule) => rules::in_text(rule),
        Contender::Oracle => "the oracle",
    }
}
