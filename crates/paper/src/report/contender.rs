//! Names of what competes in the contests beyond the paper: rules, and the oracle.

use crate::experiments::extended::contest::Contender;

/// A rule, or what competes with rules, in figures.
pub(crate) fn contender_in_figures(contender: Contender) -> &'static str {
    match contender {
        Contender::Rule(rule) => rule.row().figure,
        Contender::Oracle => "oracle",
    }
}

/// A rule, or what competes with rules, in running text.
pub(crate) fn contender_in_text(contender: Contender) -> &'static str {
    match contender {
        Contender::Rule(rule) => rule.row().text,
        Contender::Oracle => "the oracle",
    }
}
