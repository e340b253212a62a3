//! A study's results as words.

use super::lines::Line;
use super::movement::describe_movement;
use super::registered::describe_registered;
use super::shown::{Shown, said, shown_rules};
use crate::report::figures::shared::headline;
use crate::report::numbers::three;
use crate::study::{Evaluated, Evaluation, StudyResults};

/// What was found, in sentences.
pub fn describe<K: Shown>(results: &StudyResults<K>) -> Vec<Line> {
    let (fit, words) = (&results.fit, K::WORDS);
    let trust = &fit.typical_trust;
    let mut lines = vec![Line::sentence(format!(
        "A typical {} of the judge is worth about {} labels (95% interval {} to {}); nine in ten items lie between {} and \
         {}.",
        words.prediction,
        three(trust.value),
        three(trust.lo),
        three(trust.hi),
        three(fit.trust_percentiles.low),
        three(fit.trust_percentiles.high)
    ))];
    lines.extend(said(K::fit_sentences(fit)));
    if !fit.converged {
        lines.push(Line::sentence(format!(
            "The fit of the trust did NOT converge ({} steps, gradient {:e}); use the numbers with care.",
            fit.iterations, fit.gradient_norm
        )));
    }
    lines.extend(fit.neighbours.iter().map(|how| Line::sentence(format!("Labelled neighbours: {how}."))));
    let unidentified = K::unidentified(fit);
    if !unidentified.is_empty() {
        lines.push(Line::sentence(format!("The {} do not tell apart: {}.", words.labels, unidentified.join(", "))));
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
    lines.extend(said(K::findings_sentences(results)));
    match &results.evaluation {
        Evaluated::NotEvaluated(reason) => lines.push(Line::sentence(format!("Not evaluated: {reason}."))),
        Evaluated::Evaluated(evaluation) => lines.extend(describe_evaluation(evaluation)),
    }
    lines.extend(said(K::metric_sentences(results)));
    lines.extend(results.registered.iter().flat_map(describe_registered));
    lines.extend(results.movement.iter().flat_map(describe_movement));
    lines
}

fn describe_evaluation<K: Shown>(evaluation: &Evaluation<K>) -> Vec<Line> {
    let (full, words) = (&evaluation.full, K::WORDS);
    let budget = headline(full);
    let mut lines = vec![Line::sentence(K::judge_sentence(evaluation))];
    let neighbours = evaluation.neighbours.iter();
    lines.extend(neighbours.map(|how| Line::sentence(format!("Labelled neighbours among these items: {how}."))));
    lines.push(Line::Lead(format!(
        "{} removed by one label for each of {} items ({} replicates, mean and standard error; oracle {}):",
        words.removed,
        budget.of(evaluation.items),
        evaluation.replicates,
        three(evaluation.oracle[&budget].mean)
    )));
    for rule in shown_rules(evaluation) {
        let (value, minus) = (&full.value[&rule][&budget], &evaluation.differences()[&rule][&budget]);
        let against = if rule == K::REFERENCE {
            String::new()
        } else {
            let [mean, lo, hi] = [minus.mean, minus.lo, minus.hi].map(three);
            format!("  vs. {} {mean} [{lo}, {hi}]", words.short_reference)
        };
        let width = words.rule_width;
        lines.push(Line::Row(format!(
            "  {:<width$}{:>8} ({}){against}",
            K::rule_words(rule),
            three(value.mean),
            three(value.se)
        )));
    }
    lines.extend(said(K::evaluation_sentences(evaluation)));
    lines.extend(evaluation.not_estimable.iter().map(|what| Line::sentence(format!("Not estimable: {what}."))));
    lines
}
