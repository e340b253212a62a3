//! The figures of the paper, and what it lacks, from the results of its experiments.

mod advantage;
mod beyond;
mod budget;
mod calibration;
mod coefficients;
mod components;
mod convergence;
mod corruption;
mod phase;
mod trust_spread;

use super::axis::signed;
use super::description::Figure;
use crate::artifact::Results;
use crate::report::numbers::NumberStyle;

/// The figures whose experiment has results: [`reproduced()`], then those [`beyond()`] the paper.
pub fn all(results: &Results) -> Vec<Figure> {
    [reproduced(results), beyond(results)].concat()
}

/// The figures of what goes beyond the paper, if that has results.
pub fn beyond(results: &Results) -> Vec<Figure> {
    results.extended.as_ref().map_or_else(Vec::new, beyond::all)
}

/// The figures of the three experiments: those of the paper in its order, then the others.
pub fn reproduced(results: &Results) -> Vec<Figure> {
    let (dice, simulations) = (results.dice.as_ref(), results.simulations.as_ref());
    let chaosnli = results.chaosnli.as_ref();
    let figures = [
        dice.map(convergence::figure),
        simulations.map(trust_spread::figure),
        simulations.map(corruption::figure),
        chaosnli.map(budget::figure),
        chaosnli.map(advantage::figure),
        chaosnli.map(components::figure),
        coefficients::figure(dice, chaosnli),
        calibration::figure(dice, chaosnli),
        simulations.map(phase::figure),
    ];
    figures.into_iter().flatten().collect()
}

/// A number in a sentence.
fn say(value: f64, decimals: i8) -> String {
    signed(&NumberStyle::plain(decimals).format(value))
}

/// How intervals over replicates are to be read, the same words for every figure.
const OVER_REPLICATES: &str = "run from the 2.5 to the 97.5 percentile over replicates: the spread from one draw of \
                               labels to the next, not the precision of the mean, which is far finer";
