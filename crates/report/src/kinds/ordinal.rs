//! Ordinal ratings as readers see them.

use super::classes::{judge_rows, label_rows, recalibration_sentences};
use super::tables::{evidence_sentences, parts_sentence, parts_table, squared_sentence};
use crate::figures::parts;
use crate::shown::{Shown, Vocabulary};
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::Block;
use judge_uncertainty_study::kinds::Ordinal;
use judge_uncertainty_study::kinds::classes::reports::ClassFindings;
use judge_uncertainty_study::results::parts::PartAverages;
use judge_uncertainty_study::results::{FitReport, InputReport};
use judge_uncertainty_study::{Evaluation, StudyResults};

impl Shown for Ordinal {
    const WORDS: Vocabulary = Vocabulary {
        lead: "How much of the variance of a rating is disagreement among annotators, how much is the judge's \
               ignorance, which labels cure, and which items to send to annotators first.",
        rule_words: |rule| rule.row().words_on_scale(),
        rule_name: |rule| rule.row().words_on_scale(),
        labels: "ratings",
        prediction: "prediction",
        unit: "squared units of the scale",
        decomposition: "decomposition",
        reference: "the judge's variance",
        short_reference: "judge's variance",
        error: "Wasserstein error on the places",
        units: "units of the scale",
        removed: "Wasserstein error",
        difference: "minus the judge's variance, other draws [95%, new items]",
        oracle: "Half of an item's labels are its truth; the error is the Wasserstein distance of belief and truth on \
                 the places, in units of the scale. The oracle, which knows the truth, would remove {oracle} on \
                 average ({squared} of the squared error of the mean place). results/study.json holds every budget, \
                 the differences to other rules, and the same with the number of labels as the only feature.",
        rule_width: 52,
    };

    fn input_rows(input: &InputReport<Self>) -> Vec<(&'static str, String)> {
        let scale = &input.scale;
        let of = |(name, &place): (&String, &f64)| match *name == place.to_string() {
            true => name.clone(),
            false => format!("{name} ({place})"),
        };
        let places: Vec<String> = scale.names.iter().zip(&scale.places).map(of).collect();
        let mut rows = vec![("places", places.join(", "))];
        rows.extend(judge_rows(&input.judge, input.variants.len()));
        rows.extend(label_rows(&input.labels, &scale.names));
        rows
    }

    fn fit_sentences(fit: &FitReport<Self>) -> Vec<String> {
        recalibration_sentences(&fit.own)
    }

    fn map(fit: &Self::FitReport) -> Option<MapName> {
        fit.map.as_ref().map(|map| map.name)
    }

    fn findings_sentences(results: &StudyResults<Self>) -> Vec<String> {
        let findings = &results.findings;
        let mut sentences = vec![parts_sentence(parts_of(findings))];
        sentences.extend(evidence_sentences(&findings.evidence, &results.evaluation, "total uncertainty"));
        sentences
    }

    fn evaluation_sentences(evaluation: &Evaluation) -> Vec<String> {
        squared_sentence(evaluation, "squared error of the mean place", "the judge's variance does")
            .into_iter()
            .collect()
    }

    fn decomposition_blocks(results: &StudyResults<Self>) -> Vec<Block> {
        vec![Block::Table(parts_table(parts_of(&results.findings), Self::WORDS.unit))]
    }

    fn decomposition_figures(results: &StudyResults<Self>) -> Vec<Figure> {
        vec![parts::figure(parts_of(&results.findings), Self::WORDS.unit, "")]
    }
}

/// The parts of the uncertainty about places.
fn parts_of(findings: &ClassFindings) -> &PartAverages {
    findings.decomposition.as_ref().expect("findings about places have their parts")
}
