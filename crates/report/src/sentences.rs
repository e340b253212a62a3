//! A study's results as words.

use tera::context;

use super::held_out::describe_held_out;
use super::lines::Line;
use super::movement::describe_movement;
use super::prose::lines;
use super::ratings::beyond_chance;
use super::reading;
use super::registered::describe_registered;
use super::shown::{Vocabulary, shown_rules};
use judge_uncertainty_core::belief::maps::{BIAS_AND_SLOPE, Variance};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_page::figures::headline;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::results::own::{OwnFit, WithinItems};
use judge_uncertainty_study::{Evaluation, EvaluationOutcome, FitReport, Scale, StudyResults};
use serde_json::json;

/// What was found, in sentences.
///
/// # Errors
/// A template that does not fit.
pub fn describe(results: &StudyResults) -> Result<Vec<Line>, Error> {
    let scale = &results.input.scale;
    let mut found = describe_fit(&results.fit, Vocabulary::of(scale))?;
    found.extend(describe_findings(results)?);
    found.extend(describe_held_out(&results.held_out)?);
    match &results.evaluation {
        EvaluationOutcome::NotEvaluated(reason) => found.push(Line::sentence(format!("Not evaluated: {reason}."))),
        EvaluationOutcome::Evaluated(evaluation) => found.extend(describe_evaluation(evaluation, scale)?),
    }
    if let Some(registered) = &results.registered {
        found.extend(describe_registered(registered)?);
    }
    if let Some(movement) = &results.movement {
        found.extend(describe_movement(movement)?);
    }
    Ok(found)
}

/// How far the judge is trusted, and how its predictions are read.
pub(super) fn describe_fit(fit: &FitReport, words: &Vocabulary) -> Result<Vec<Line>, Error> {
    let mut view = context! { fit => fit, words => words, own => &fit.own };
    match &fit.own {
        OwnFit::Classes(own) => {
            let unidentified = fit.coefficients.iter().filter(|c| !c.identified && c.feature != "intercept");
            view.insert("unidentified", &unidentified.map(|c| &c.feature).collect::<Vec<_>>());
            view.insert("reading", &own.map.as_ref().and_then(|map| map.name.words_of_classes()));
            let has_line = |block: &Variance| block.block == BIAS_AND_SLOPE && block.variance > 0.0;
            view.insert("has_line", &own.map.iter().flat_map(|map| &map.variances).any(has_line));
        }
        OwnFit::Ratings(own) => {
            view.insert("unidentified", &reading::unidentified(fit));
            view.insert("reading", &own.map.as_ref().and_then(|map| map.name.words_of_ratings()));
            view.insert("apart", &own.map.as_ref().map(|map| reading::apart(&map.variances)));
            view.insert("curve", &reading::ends_of_curve(&own.curve));
        }
    }
    lines("fit.txt", &view)
}

fn describe_evaluation(evaluation: &Evaluation, scale: &Scale) -> Result<Vec<Line>, Error> {
    let (full, words) = (&evaluation.full, Vocabulary::of(scale));
    let (budget, compared) = (headline(full), &evaluation.for_new_items);
    let rule = |rule: Rule| {
        let name = words.rule_words(rule);
        json!({"name": name, "value": full.value[&rule][&budget], "against": compared.value.get(&rule)})
    };
    let squared = compared.squared_value.as_ref().and_then(|squared| squared.get(&Rule::Info));
    let coverage = evaluation.held_out.as_ref().map(|held_out| &held_out.coverage);
    let view = context! {
        words => words,
        neighbours => &evaluation.neighbours,
        escalated => &budget.of(evaluation.items),
        replicates => &evaluation.replicates,
        oracle => &evaluation.oracle[&budget].mean,
        rules => &shown_rules(evaluation, words).into_iter().map(rule).collect::<Vec<_>>(),
        unconverged => &full.unconverged_fits,
        at_limit => &evaluation.fits_at_limit,
        squared => &squared.filter(|_| scale.has_order()),
        coverage => &coverage.filter(|_| scale.is_numbers()),
        not_estimable => &evaluation.not_estimable,
    };
    lines("evaluation.txt", &view)
}

/// What the decomposition says.
fn describe_findings(results: &StudyResults) -> Result<Vec<Line>, Error> {
    let evaluation = match &results.evaluation {
        EvaluationOutcome::Evaluated(evaluation) => Some(evaluation.as_ref()),
        EvaluationOutcome::NotEvaluated(_) => None,
    };
    let findings = &results.findings;
    let view = match &findings.evidence {
        Some(evidence) => {
            let called = if findings.decomposition.is_some() { "total uncertainty" } else { "entropy" };
            let removed = evaluation.and_then(|evaluation| removed(evidence.entropy_goes_wrong, evaluation));
            context! { parts => &findings.decomposition, evidence => evidence, called => called, removed => &removed }
        }
        None => {
            let calibration = findings.calibration.as_deref().unwrap_or_default();
            // Ratings are of different items, so those inside are binomial but for the fit they share.
            let ratings = calibration.first().map_or(0.0, |first| first.ratings as f64);
            // An item's ratings, and its replicates, share what the belief got wrong of its mean: each item counts once.
            let halves =
                evaluation.and_then(|evaluation| Some((evaluation.held_out.as_ref()?, evaluation.items as f64)));
            context! {
                parts => &findings.decomposition,
                calibration => calibration,
                misfit => &beyond_chance(calibration, ratings),
                misfit_of_halves => &halves.and_then(|(halves, items)| beyond_chance(&halves.coverage, items)),
                within => &findings.within_items.filter(WithinItems::contradicted),
                own => &results.fit.own,
                grouped => &(results.groups.len() > 1),
            }
        }
    };
    lines("findings.txt", &view)
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

/// Whether the evaluation, at its labels, found of the rankings by the epistemic part and by total uncertainty what the
/// belief implies, and the errors that they removed.
fn removed(goes_wrong: bool, evaluation: &Evaluation) -> Option<(&'static str, f64, f64)> {
    let budget = headline(&evaluation.full);
    let removed = |rule: Rule| Some(evaluation.full.value.get(&rule)?.get(&budget)?.mean);
    let (epistemic, total) = (removed(Rule::Info)?, removed(Rule::PosteriorEntropy)?);
    Some((compared(goes_wrong, epistemic, total), epistemic, total))
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
