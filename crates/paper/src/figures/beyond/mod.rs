//! The figures of what goes beyond the paper.

mod every_rule;
mod held_out;
mod known_worlds;
mod labels_spent;
mod look;
mod recalibration;

use crate::experiments::extended::ExtendedResults;
use judge_uncertainty_figures::description::Figure;

/// All of them: what was registered first, then the worlds whose truth is known, then what is exploratory; in this
/// order they fill the pages of the document.
pub(super) fn all(extended: &ExtendedResults) -> Vec<Figure> {
    vec![
        recalibration::figure(extended),
        held_out::errors(extended),
        held_out::rules(extended),
        known_worlds::transforms(&extended.worlds),
        known_worlds::coverage(&extended.worlds),
        every_rule::figure(&extended.exploration),
        labels_spent::levels(&extended.sequential),
        labels_spent::differences(&extended.sequential),
    ]
}
