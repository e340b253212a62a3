//! Ordinal ratings as readers see them.

use super::classes::{judge_rows, label_rows, recalibration_sentences, soft_scores_sentence};
use super::tables::{evidence_sentences, parts_sentence, parts_table, squared_sentence};
use crate::blocks::{measures, show, show_some, some_figures};
use crate::figures::{means, parts};
use crate::shown::{Shown, Vocabulary};
use judge_uncertainty_core::belief::maps::{MapChoice, MapName};
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::{Block, Table};
use judge_uncertainty_study::kinds::Ordinal;
use judge_uncertainty_study::kinds::classes::reports::ClassFindings;
use judge_uncertainty_study::kinds::ordinal::diagnostics::{MeanBin, OrdinalDiagnostics};
use judge_uncertainty_study::results::parts::PartAverages;
use judge_uncertainty_study::results::{FitReport, InputReport};
use judge_uncertainty_study::{Evaluation, StudyResults};
use judge_uncertainty_system::numbers::three;

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

    fn map(fit: &Self::FitReport) -> Option<(MapName, Option<&MapChoice>)> {
        fit.map.as_ref().map(|map| (map.name, map.choice.as_ref()))
    }

    fn findings_sentences(results: &StudyResults<Self>) -> Vec<String> {
        let findings = &results.findings;
        let mut sentences = vec![parts_sentence(parts_of(findings))];
        sentences.extend(evidence_sentences(&findings.evidence, &results.evaluation, "total uncertainty"));
        sentences
    }

    fn judge_sentence(evaluation: &Evaluation<Self>) -> String {
        let judge = &evaluation.judge;
        format!(
            "The judge errs by {} on {} items with {} labels or more (bias of its mean {}), where a judge that knew \
             the pool would err by {}.",
            three(judge.mean_error),
            evaluation.items,
            evaluation.least_labels,
            three(judge.bias),
            three(judge.noise_ceiling)
        )
    }

    fn evaluation_sentences(evaluation: &Evaluation<Self>) -> Vec<String> {
        squared_sentence(evaluation, "squared error of the mean place", "the judge's variance does")
            .into_iter()
            .collect()
    }

    fn metric_sentences(results: &StudyResults<Self>) -> Vec<String> {
        results.findings.soft_scores.iter().map(soft_scores_sentence).collect()
    }

    fn decomposition_blocks(results: &StudyResults<Self>) -> Vec<Block> {
        vec![Block::Table(parts_table(parts_of(&results.findings), Self::WORDS.unit))]
    }

    fn judge_blocks(evaluation: &Evaluation<Self>, figures: &[Figure]) -> Vec<Block> {
        let judge = &evaluation.judge;
        let mut blocks = vec![
            measures("The judge against the labels", diagnostics_rows(judge)),
            Block::Table(calibration_table(&judge.calibration)),
        ];
        blocks.extend(some_figures(figures, &["means"]));
        blocks
    }

    fn decomposition_figures(results: &StudyResults<Self>) -> Vec<Figure> {
        vec![parts::figure(parts_of(&results.findings), Self::WORDS.unit, "")]
    }

    fn judge_figures(evaluation: &Evaluation<Self>) -> Vec<Figure> {
        means(&evaluation.judge).into_iter().collect()
    }
}

/// The judge against the labels, measure by measure; a dash where one is undefined.
fn diagnostics_rows(judge: &OrdinalDiagnostics) -> [(&'static str, String); 15] {
    [
        ("items with enough labels", Some(judge.items as f64)),
        ("mean Wasserstein error", Some(judge.mean_error)),
        ("noise ceiling of that error", Some(judge.noise_ceiling)),
        ("mean squared error of the mean place, less the labels' noise", Some(judge.mean_squared_error)),
        ("bias of the mean place, judge minus labels", Some(judge.bias)),
        ("calibration error of the mean place", Some(judge.calibration_error)),
        ("Spearman, mean places of judge and labels", judge.spearman_mean),
        ("mean stated confidence (0 to 100)", judge.mean_confidence),
        ("Spearman, confidence and error", judge.spearman_confidence_error),
        ("Spearman, variance and error", judge.spearman_variance_error),
        ("Spearman, spread and error", judge.spearman_spread_error),
        ("agreement with the most frequent label", Some(judge.agreement.observed)),
        ("base rate of the commonest label", Some(judge.agreement.base_rate)),
        ("Cohen's kappa", judge.agreement.kappa),
        ("Cohen's kappa, quadratic weights", judge.quadratic_kappa),
    ]
    .map(|(name, value)| (name, show_some(value)))
}

/// The judge's mean place against that of the labels.
fn calibration_table(bins: &[MeanBin]) -> Table {
    let rows = bins.iter().map(|bin| {
        [
            format!("{} to {}", show(bin.from), show(bin.to)),
            bin.items.to_string(),
            show(bin.judge),
            show(bin.labels),
            show_some(bin.labels_se),
        ]
    });
    Table::new(
        "table-means",
        "The judge's mean place against that of the labels",
        "lrrrr",
        &["judge's mean place", "items", "judge", "labels", "standard error"],
        rows,
    )
}

/// The parts of the uncertainty about places.
fn parts_of(findings: &ClassFindings) -> &PartAverages {
    findings.decomposition.as_ref().expect("findings about places have their parts")
}
