//! What the paper's reproduction shows: tables, the LaTeX bundle and the page.

pub mod bundle;
pub mod claims_table;
pub mod page;
pub(crate) mod tables;

use crate::artifact::{Manifest, Results, results_file};
use crate::experiments::Experiment;
use crate::figures;
use crate::verdicts::{self, Verdicts};
use judge_uncertainty_page::bundle::Error;
use judge_uncertainty_page::latex::Templates;
use judge_uncertainty_page::{FILE, PageTemplates};
use judge_uncertainty_system::{Staged, to_json};

/// The files of an artifact folder except its manifest, from results, where they come from and the paper's claims judged
/// by them; what has no results is left out.
///
/// # Errors
/// A template that asks for something its view does not have; a figure with a character that the font lacks.
pub fn stage(
    results: &Results,
    manifest: &Manifest,
    verdicts: &Verdicts,
    (latex, html): (&Templates, &PageTemplates),
) -> Result<Staged, Error> {
    let mut staged = Staged::default();
    for experiment in Experiment::ALL {
        if let Some(text) = results.to_json(experiment) {
            staged.put(results_file(experiment), text);
        }
    }
    staged.put(verdicts::FILE, to_json(&verdicts.to_json()));
    bundle::render(latex, results, verdicts, &figures::all(results, html)?, &mut staged)?;
    staged.put(FILE, html.html(&page::page(results, verdicts, manifest, html)?)?);
    Ok(staged)
}
