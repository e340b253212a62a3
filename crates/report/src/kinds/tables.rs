//! Tables and sentences that several kinds have.

use crate::blocks::{percent, show};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_page::Table;
use judge_uncertainty_page::figures::headline;
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::results::parts::{EvidenceReport, PartAverages, UncertaintyPart};
use judge_uncertainty_study::{Evaluation, EvaluationOutcome};
use judge_uncertainty_system::numbers::three;

/// Name of a part in a table.
fn name(part: UncertaintyPart) -> &'static str {
    match part {
        UncertaintyPart::Total => "total: a fresh label",
        UncertaintyPart::Epistemic => "epistemic",
        UncertaintyPart::Aleatoric => "aleatoric",
        UncertaintyPart::WithinAnnotators => "aleatoric, within annotators",
        UncertaintyPart::BetweenAnnotators => "aleatoric, between annotators",
    }
}

/// The parts of the variance over items, in `unit`.
pub(crate) fn parts_table(parts: &PartAverages, unit: &str) -> Table {
    let rows = parts.parts().into_iter().map(|(part, mean)| {
        let over = parts.over_items.get(&part);
        let percentiles = over.map_or_else(|| ["—"; 3].map(str::to_owned), |over| over.map(show));
        [name(part).to_owned(), show(mean)].into_iter().chain(percentiles).collect::<Vec<_>>()
    });
    Table::new(
        "table-parts",
        format!("Parts of the variance over items, in {unit}"),
        "lrrrr",
        &["part", "mean", "5%", "median", "95%"],
        rows,
    )
    .with_note("Labels lower the epistemic part; the aleatoric part is disagreement and stays.")
}

/// The parts of the variance in a sentence.
pub(crate) fn parts_sentence(parts: &PartAverages) -> String {
    format!(
        "Variance of a fresh label, averaged over items: {} = {} aleatoric + {} epistemic.",
        three(parts.total),
        three(parts.aleatoric),
        three(parts.epistemic)
    )
}

/// How much the evidence varies, and what that means for rankings by total uncertainty, which are `called` so.
///
/// The share of the epistemic uncertainty in a ranking's choice is the belief's own estimate from the labels in hand. If
/// an evaluation measured the two rankings, the sentence says whether it agrees.
pub(crate) fn evidence_sentences(
    evidence: &EvidenceReport,
    evaluation: &EvaluationOutcome,
    called: &str,
) -> Vec<String> {
    let over = evidence.evidence_percentiles;
    let [low, middle, high] = over.map(three);
    let (kept, shared) = (percent(evidence.information_kept), percent(evidence.shared_picks));
    let varies = if low == high {
        format!("Judge and labels together count as {middle} labels for nearly every item.")
    } else {
        format!(
            "Judge and labels together count as {middle} labels for the middle item, {low} to {high} for nine in ten."
        )
    };
    let implied = if evidence.entropy_goes_wrong {
        format!(
            "If the belief is right, {called} would pick worse: {kept} of the epistemic uncertainty of the best tenth \
             of items ({shared} of them the same)."
        )
    } else {
        format!("If the belief is right, {called} would pick nearly as well ({kept}).")
    };
    [varies, implied].into_iter().chain(borne_out(evidence, evaluation, called)).collect()
}

/// How an evaluation compares with the belief's statement that total uncertainty would go wrong; `epistemic` and `total`
/// are the errors that the two rankings removed.
fn compared(goes_wrong: bool, epistemic: f64, total: f64) -> &'static str {
    match (goes_wrong, epistemic > total) {
        (true, false) => "disagrees",
        (true, true) => "agrees",
        (false, _) => "measured both",
    }
}

/// Whether the evaluation, at its labels, found of the two rankings what the belief implies; `None` without an
/// evaluation.
fn borne_out(evidence: &EvidenceReport, evaluation: &EvaluationOutcome, called: &str) -> Option<String> {
    let EvaluationOutcome::Evaluated(evaluation) = evaluation else { return None };
    let budget = headline(&evaluation.full);
    let removed = |rule: Rule| Some(evaluation.full.value.get(&rule)?.get(&budget)?.mean);
    let (epistemic, entropy) = (removed(Rule::Info)?, removed(Rule::PosteriorEntropy)?);
    let found = compared(evidence.entropy_goes_wrong, epistemic, entropy);
    Some(format!(
        "The evaluation below {found}: with its labels the epistemic ranking removed {} and {called} {} on average \
         over half splits of these items.",
        three(epistemic),
        three(entropy)
    ))
}

/// How much more the epistemic part removes in `error` than `reference`, which the evaluation compares it with, for new
/// items; `None` where that error is not evaluated.
pub(crate) fn squared_sentence(evaluation: &Evaluation, error: &str, reference: &str) -> Option<String> {
    let found = evaluation.for_new_items.squared_value.as_ref()?.get(&Rule::Info)?;
    Some(match found {
        OrReason::Found(found) => format!(
            "In {error} the epistemic part removes {} more than {reference} (95% interval for new items, all rules \
             together: {} to {}).",
            three(found.difference),
            three(found.simultaneous.lo),
            three(found.simultaneous.hi)
        ),
        OrReason::NotEstimable { not_estimable } => {
            format!(
                "How much more the epistemic part removes in {error} than {reference} is not estimable: \
                 {not_estimable}."
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The belief's word is never said to agree with an evaluation in which the other ranking did as well or
    /// better.
    #[test]
    fn the_evaluation_has_the_last_word() {
        assert_eq!(compared(true, 2.0, 1.0), "agrees");
        assert_eq!(compared(true, 1.0, 2.0), "disagrees");
        assert_eq!(compared(true, 1.0, 1.0), "disagrees");
        assert_eq!(compared(true, f64::NAN, 1.0), "disagrees");
        assert_eq!([compared(false, 2.0, 1.0), compared(false, 1.0, 2.0)], ["measured both"; 2]);
    }
}
