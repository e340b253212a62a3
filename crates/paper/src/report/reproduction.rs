//! What readers are shown of a reproduction, and the folder that shows it.

use super::findings::{self, Finding};
use super::{bundle, page};
use crate::artifact::{Manifest, Results, results_file};
use crate::experiments::Experiment;
use crate::verdicts::{self, Verdicts};
use judge_uncertainty_page::bundle::Error;
use judge_uncertainty_page::latex::Templates;
use judge_uncertainty_page::{FILE, PageTemplates};
use judge_uncertainty_system::{Staged, to_json};

/// Results with what is made of them.
#[derive(Debug, Clone)]
pub struct Reproduction<'a> {
    /// The results.
    pub results: &'a Results,
    /// Where they come from.
    pub manifest: &'a Manifest,
    /// The paper's claims, judged by them.
    pub verdicts: &'a Verdicts<'a>,
    /// What goes beyond the paper.
    pub findings: &'a [Finding],
}

impl Reproduction<'_> {
    /// The files of an artifact folder except its manifest; what has no results is left out.
    ///
    /// # Errors
    /// A template that asks for something its view does not have; a figure with a character that the font lacks.
    pub fn stage(&self, latex: &Templates, html: &PageTemplates) -> Result<Staged, Error> {
        let mut staged = Staged::default();
        for experiment in Experiment::ALL {
            if let Some(text) = self.results.to_json(experiment) {
                staged.put(results_file(experiment), text);
            }
        }
        staged.put(verdicts::FILE, to_json(&self.verdicts.to_json()));
        if self.results.has(Experiment::Extended) {
            staged.put(findings::FILE, to_json(&self.findings));
        }
        bundle::render(latex, self.results, self.verdicts, self.findings, &mut staged)?;
        staged.put(FILE, html.html(&page::page(self.results, self.verdicts, self.findings, self.manifest))?);
        Ok(staged)
    }
}
