//! The figures of the paper, and what it lacks, from the results of its experiments.

mod calibration;
mod coefficients;
mod convergence;
mod overlap;
mod simulations;

use crate::artifact::Results;
use crate::experiments::chaosnli::ChaosNliResults;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::components::{self, ComponentsView, RULES};
use judge_uncertainty_page::figures::{EvaluationView, advantage, budget, say};

/// The figures of the experiments that have results: those of the paper in its order, then the others.
pub fn all(results: &Results) -> Vec<Figure> {
    let (dice, simulations) = (results.dice.as_ref(), results.simulations.as_ref());
    let chaosnli = results.chaosnli.as_ref();
    let figures = [
        dice.map(convergence::figure),
        simulations.map(simulations::trust_spread),
        simulations.map(simulations::corruption),
        chaosnli.map(|c| budget::figure(&EvaluationView::of_classes(c.items, &c.full))),
        chaosnli.map(|c| advantage::figure(&EvaluationView::of_classes(c.items, &c.full))),
        chaosnli.map(item_components),
        coefficients::figure(dice, chaosnli),
        calibration::figure(dice, chaosnli),
        simulations.map(simulations::phase),
        results.authors.as_ref().map(overlap::figure),
    ];
    figures.into_iter().flatten().collect()
}

/// The items of Experiment 2 in its first replicate.
fn item_components(chaosnli: &ChaosNliResults) -> Figure {
    components::figure(&ComponentsView {
        items: &chaosnli.components,
        unit: "nats",
        names: RULES.map(|rule| rule.row().figure),
        said: ["I", "the judge's entropy"],
        setting: "in one draw of labels",
        reading: "Each dot is an item under its posterior belief in the first replicate. Labels help at the top and \
                  change nothing at the bottom, wherever the dot stands across. The horizontal layers are numbers of \
                  labels in hand: with equal trust, an item with more labels lies lower.",
        number: |value| say(value, 2),
    })
}
