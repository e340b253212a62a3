//! The LaTeX bundle, `paper/` of an artifact folder: tables, number macros, figures, and a document that shows them
//! all.
//!
//! ```text
//! paper/tables/*.tex       the paper's tables
//! paper/numbers.tex        one macro per claim
//! paper/figures/NAME.*     pdf for LaTeX, svg for a page and for editing, csv the data
//! paper/reproduction.tex   includes all of the above; compiles with pdflatex
//! ```

use serde_json::{Value, json};

use super::claims_table::groups;
use super::page::verdict::{self, conclusion};
use super::tables;
use crate::artifact::Results;
use crate::experiments::Experiment;
use crate::verdicts::Verdicts;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::bundle::{Error, put_figure};
use judge_uncertainty_page::latex::Templates;
use judge_uncertainty_system::Staged;

/// Folder of the bundle within an artifact folder.
pub const FOLDER: &str = "paper";

/// Renders the bundle from results; what has no results is left out.
///
/// # Errors
/// A template that asks for something its view does not have; a figure with a character that the font lacks.
pub fn render(
    templates: &Templates,
    results: &Results,
    verdicts: &Verdicts,
    figures: &[Figure],
    staged: &mut Staged,
) -> Result<(), Error> {
    for (name, text) in tables::render(templates, results, verdicts)? {
        staged.put(format!("{FOLDER}/{name}"), text);
    }
    for figure in figures {
        put_figure(&format!("{FOLDER}/figures"), figure, staged)?;
    }
    let document = templates.render("reproduction.tex", &document(results, verdicts, figures))?;
    staged.put(format!("{FOLDER}/reproduction.tex"), document);
    Ok(())
}

/// The values for the document: the page's view of the verdicts, which experiments have results, figures, claims by place.
fn document(results: &Results, verdicts: &Verdicts, figures: &[Figure]) -> Value {
    let mut view = verdict::view(verdicts);
    for experiment in [Experiment::Simulations, Experiment::Dice, Experiment::ChaosNli] {
        view[experiment.name()] = results.has(experiment).into();
    }
    let caption = |f: &Figure| json!({"name": f.name, "title": f.title, "note": f.note});
    view["figures"] = figures.iter().map(caption).collect();
    view["conclusions"] = verdicts.conclusions.iter().map(conclusion).collect();
    view["places"] = groups(verdicts).into();
    view
}
