//! A study's results as words.

use super::held_out::describe_held_out;
use super::lines::Line;
use super::movement::describe_movement;
use super::registered::describe_registered;
use super::shown::{
    Vocabulary, evaluation_sentences, findings_sentences, fit_sentences, said, shown_rules, unidentified,
};
use judge_uncertainty_core::belief::TrustPrior;
use judge_uncertainty_page::figures::headline;
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::model::carried::Carried;
use judge_uncertainty_study::model::identification::Bounds;
use judge_uncertainty_study::{Evaluation, EvaluationOutcome, FitReport, Scale, StudyResults};
use judge_uncertainty_system::numbers::three;

/// What was found, in sentences.
pub fn describe(results: &StudyResults) -> Vec<Line> {
    let (fit, scale) = (&results.fit, &results.input.scale);
    let words = Vocabulary::of(scale);
    let mut lines = vec![Line::sentence(trust_sentence(fit, words))];
    lines.extend(fit.carried.as_ref().map(|carried| Line::sentence(carried_sentence(carried))));
    lines.extend(said(fit_sentences(fit)));
    if !fit.converged {
        lines.push(Line::sentence(format!(
            "The fit of the trust did NOT converge ({} steps, gradient {:e}); use the numbers with care.",
            fit.iterations, fit.gradient_norm
        )));
    }
    if fit.at_limit > 0 {
        lines.push(Line::sentence(format!(
            "The trust of {} of {} labelled items is at a limit of the likelihood, which is not an estimate; use the \
             weak prior.",
            fit.at_limit, fit.labelled_items
        )));
    }
    lines.extend(fit.neighbours.iter().map(|how| Line::sentence(format!("Labelled neighbours: {how}."))));
    let mut unidentified = unidentified(fit);
    unidentified.retain(|name| name != "intercept");
    if !unidentified.is_empty() {
        let (labels, names) = (words.labels, unidentified.join(", "));
        lines.push(Line::sentence(match fit.prior {
            TrustPrior::Weak => format!("The {labels} say less than the prior about: {names}."),
            TrustPrior::None => format!("The {labels} cannot separate: {names}."),
        }));
    }
    for c in fit.coefficients.iter().filter(|c| c.identified && (c.per_sd.lo > 0.0 || c.per_sd.hi < 0.0)) {
        lines.push(Line::sentence(format!(
            "One standard deviation ({}) more {} multiplies the trust by {} ({} to {}).",
            three(c.sd),
            c.feature,
            three(c.per_sd.value.exp()),
            three(c.per_sd.lo.exp()),
            three(c.per_sd.hi.exp())
        )));
    }
    lines.extend(said(findings_sentences(results)));
    lines.extend(describe_held_out(&results.held_out));
    match &results.evaluation {
        EvaluationOutcome::NotEvaluated(reason) => lines.push(Line::sentence(format!("Not evaluated: {reason}."))),
        EvaluationOutcome::Evaluated(evaluation) => lines.extend(describe_evaluation(evaluation, scale)),
    }
    lines.extend(results.registered.iter().flat_map(describe_registered));
    lines.extend(results.movement.iter().flat_map(describe_movement));
    lines
}

/// The sentence on the trust of a typical item. The interval, with one end or both, is the estimate; the number in
/// parentheses is the one that the belief uses.
pub(super) fn trust_sentence(fit: &FitReport, words: &Vocabulary) -> String {
    let prediction = words.prediction;
    let taken = three(fit.assumed_trust);
    if let Some(trust) = &fit.typical_trust {
        let interval = labels_between(Some(trust.lo), Some(trust.hi));
        let worth = format!("A typical {prediction} of the judge is worth {interval} (95% interval; we use {taken})");
        let [least, _, most] = fit.trust_percentiles.map(three);
        return if least == most {
            format!("{worth}, the same for all items.")
        } else {
            format!("{worth}; nine in ten items lie between {least} and {most}.")
        };
    }
    let why = fit.undetermined.as_deref().unwrap_or("it is not determined");
    let source = match fit.prior {
        TrustPrior::Weak if fit.carried.is_some() => "partly the trust of the other study",
        TrustPrior::Weak => "partly the prior",
        TrustPrior::None => "where the search ended",
    };
    match fit.bounds {
        Some(Bounds { at_least, at_most }) => format!(
            "A typical {prediction} of the judge is worth {} (95% interval); more is not estimable, because {why}. \
             We use {taken} labels, which is {source} and not an estimate.",
            labels_between(at_least, at_most)
        ),
        None => format!(
            "How many labels a typical {prediction} of the judge is worth is not estimable, because {why}. We use \
             {taken} labels, which is {source} and not an estimate."
        ),
    }
}

/// An interval in a unit that follows a number; `None` where both ends are missing.
fn between(ends: [Option<f64>; 2], unit: &str) -> Option<String> {
    Some(match ends.map(|end| end.map(three)) {
        [Some(least), Some(most)] => format!("{least} to {most}{unit}"),
        [Some(least), None] => format!("{least}{unit} or more"),
        [None, Some(most)] => format!("{most}{unit} or fewer"),
        [None, None] => return None,
    })
}

fn labels_between(at_least: Option<f64>, at_most: Option<f64>) -> String {
    between([at_least, at_most], " labels").unwrap_or_else(|| "any number of labels".to_owned())
}

fn carried_sentence(carried: &Carried) -> String {
    let listed = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let left = match carried.left.len() {
        0 => String::new(),
        _ => format!("; left out, because this study lacks them: {}", carried.left.join(", ")),
    };
    format!(
        "The prior on the trust is centred on what {:?} found ({}): {} labels, with the features: {}{left}. Half \
         splits of an evaluation do not use it.",
        carried.study,
        carried.from,
        three(carried.trust),
        listed(carried.features.iter().map(|f| f.feature.as_str()).collect())
    )
}

fn describe_evaluation(evaluation: &Evaluation, scale: &Scale) -> Vec<Line> {
    let (full, words) = (&evaluation.full, Vocabulary::of(scale));
    let budget = headline(full);
    let neighbours = evaluation.neighbours.iter();
    let mut lines: Vec<Line> =
        neighbours.map(|how| Line::sentence(format!("Labelled neighbours among these items: {how}."))).collect();
    lines.push(Line::Lead(format!(
        "{} removed by one label for each of {} items ({} replicates on these items, mean and standard error; oracle \
         {}), and the difference to {} with 95% intervals for new items, all rules together:",
        words.removed,
        budget.of(evaluation.items),
        evaluation.replicates,
        three(evaluation.oracle[&budget].mean),
        words.short_reference
    )));
    for rule in shown_rules(evaluation, words) {
        let value = &full.value[&rule][&budget];
        let against = match evaluation.for_new_items.value.get(&rule) {
            None => String::new(),
            Some(OrReason::Found(found)) => {
                let ends = found.simultaneous;
                let [difference, lo, hi] = [found.difference, ends.lo, ends.hi].map(three);
                format!("  vs. {} {difference} [{lo}, {hi}]", words.short_reference)
            }
            Some(OrReason::NotEstimable { not_estimable }) => format!("  not estimable: {not_estimable}"),
        };
        let width = words.rule_width;
        lines.push(Line::Row(format!(
            "  {:<width$}{:>8} ({}){against}",
            (words.rule_words)(rule),
            three(value.mean),
            three(value.se)
        )));
    }
    if full.unconverged_fits > 0 {
        lines.push(Line::sentence(format!(
            "In {} of {} replicates the fit of the trust did NOT converge; use fewer features or the weak prior \
             before you rely on this.",
            full.unconverged_fits, evaluation.replicates
        )));
    }
    if evaluation.fits_at_limit > 0 {
        lines.push(Line::sentence(format!(
            "In {} of {} replicates the fit left items at a limit of the trust; use the weak prior before you rely on \
             this.",
            evaluation.fits_at_limit, evaluation.replicates
        )));
    }
    lines.extend(said(evaluation_sentences(evaluation, scale)));
    lines.extend(evaluation.not_estimable.iter().map(|what| Line::sentence(format!("Not estimable: {what}."))));
    lines
}
