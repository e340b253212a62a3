//! The figures of the paper, and what it lacks, from the results of its experiments.

mod judged;
mod simulations;

use std::collections::BTreeMap;

use serde_json::json;

use crate::artifact::Results;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::dice::FeatureSet;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::coefficients::{Effect, READING, sentence};
use judge_uncertainty_page::figures::components::{self, ComponentsView, RULES};
use judge_uncertainty_page::figures::{EvaluationView, OVER_REPLICATES, advantage, budget, say};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, PageTemplates};

const DICE: &str = "Experiment 1: dice";
const CHAOSNLI: &str = "Experiment 2: ChaosNLI";

/// The figures of the experiments that have results: those of the paper in its order, then the others. What is said of
/// those that are the paper's alone stands in the template `report/figures.txt`.
///
/// # Errors
/// The template asks for something that the results do not have.
pub fn all(results: &Results, templates: &PageTemplates) -> Result<Vec<Figure>, Error> {
    let (dice, simulations) = (results.dice.as_ref(), results.simulations.as_ref());
    let chaosnli = results.chaosnli.as_ref();
    let calibrations = [
        dice.map(|d| (DICE, d.calibration.as_slice(), d.spearman_confidence_error)),
        chaosnli.map(|c| (CHAOSNLI, c.judge.calibration.as_slice(), c.judge.spearman_confidence_error)),
    ];
    let calibrations: Vec<judged::Part> = calibrations.into_iter().flatten().collect();
    let fits = [
        dice.and_then(|d| Some((DICE, judged::effects(d.coefficients.get(&FeatureSet::Tier)?)))),
        chaosnli.map(|c| (CHAOSNLI, judged::effects(&c.full.coefficients))),
    ];
    let fits: Vec<(&str, Vec<Effect>)> = fits.into_iter().flatten().collect();
    let said = |(title, groups, correlation): &judged::Part| json!({"title": title, "groups": groups, "correlation": correlation});
    let view = json!({
        "simulations": simulations,
        "dice": dice,
        "phase": simulations.map(simulations::ends),
        "effects": fits.iter().map(|(title, effects)| (*title, sentence(effects))).collect::<Vec<_>>(),
        "calibration": calibrations.iter().map(said).collect::<Vec<_>>(),
        "overlap": results.authors.as_ref().map(|authors| &authors.overlap),
        "reading": READING,
        "over_replicates": OVER_REPLICATES,
    });
    let figures = [
        dice.map(judged::convergence),
        simulations.map(simulations::trust_spread),
        simulations.map(simulations::corruption),
        chaosnli.map(|c| budget::figure(&EvaluationView::of_classes(c.items, &c.full))),
        chaosnli.map(|c| advantage::figure(&EvaluationView::of_classes(c.items, &c.full))),
        chaosnli.map(item_components),
        judged::coefficients(&fits),
        judged::calibration(&calibrations),
        simulations.map(simulations::phase),
        results.authors.as_ref().map(judged::overlap),
    ];
    let mut figures: Vec<Figure> = figures.into_iter().flatten().collect();
    let blocks = templates.blocks("report/figures.txt", &view, &mut BTreeMap::new())?;
    for said in blocks.chunk_by(|_, next| !matches!(next, Block::Heading(_))) {
        let [Block::Heading(name), Block::Prose(title), Block::Prose(alt), Block::Prose(note)] = said else { continue };
        for figure in figures.iter_mut().filter(|figure| figure.name == *name) {
            [figure.title, figure.alt, figure.note] = [title, alt, note].map(ToString::to_string);
        }
    }
    Ok(figures)
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
