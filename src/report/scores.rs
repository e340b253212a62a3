//! The results of a study of scores, in sentences.

use super::followup::describe_movement;
use super::numbers::{NumberStyle, three};
use crate::study::scores::{ScoreResults, ScoreStudy};

/// What was read, line by line.
pub fn describe_input(study: &ScoreStudy) -> Vec<String> {
    let input = &study.report;
    let mut lines = vec![study.file.config.title.clone(), String::new()];
    let mut line = |name: &str, text: String| lines.push(format!("{name:<12}{text}"));
    let (low, high) = study.file.config.scale;
    line("items", input.items.to_string());
    line("scale", format!("{low} to {high}"));
    let variants = input.variants.len().max(1);
    line("judge", format!("{} rows under {variants} variants, {} failed", input.judge_rows, input.failed_answers));
    line("", format!("{} items without a stated standard deviation", input.without_sd));
    line(
        "labels",
        format!(
            "{} ratings by {} annotators for {} items, at most {} annotators per item, {} blank",
            input.ratings, input.annotators, input.labelled_items, input.most_labels, input.blank
        ),
    );
    line("", format!("{} of them repeat an earlier rating, {} were added", input.repeats, input.added));
    line("trust from", study.features.join(", "));
    if !study.left_out.is_empty() {
        lines.push(format!("warning: {} items have no score of the judge and are left out", study.left_out.len()));
    }
    if input.unknown_rows > 0 {
        lines.push(format!("warning: {} rows belong to no item and are left out", input.unknown_rows));
    }
    lines
}

/// What was found, in sentences.
pub fn describe_results(results: &ScoreResults) -> Vec<String> {
    let (fit, parts) = (&results.fit, &results.decomposition);
    let trust = &fit.typical_trust;
    let mut lines = vec![format!(
        "A typical mean score of the judge is worth about {} labels (95% interval {} to {}); nine in ten items lie between \
         {} and {}.",
        three(trust.value),
        three(trust.lo),
        three(trust.hi),
        three(fit.trust_percentiles[0]),
        three(fit.trust_percentiles[2])
    )];
    lines.push(match fit.common_variance {
        Some(variance) => format!(
            "Variances are known as from {} labels; where the judge states none it is about {}.",
            three(fit.freedom),
            three(variance)
        ),
        None => format!("The judge's variances are worth about {} labels.", three(fit.freedom)),
    });
    if !fit.converged {
        lines.push(format!(
            "The fit of the trust did NOT converge ({} steps, gradient {:e}); use the numbers with care.",
            fit.iterations, fit.gradient_norm
        ));
    }
    lines.extend(fit.neighbours.iter().map(|how| format!("Labelled neighbours: {how}.")));
    if !fit.unidentified.is_empty() {
        lines.push(format!("The ratings do not tell apart: {}.", fit.unidentified.join(", ")));
    }
    for c in fit.coefficients.iter().filter(|c| c.identified && (c.per_sd.lo > 0.0 || c.per_sd.hi < 0.0)) {
        lines.push(format!(
            "One standard deviation ({}) more {} multiplies the trust by {} ({} to {}).",
            three(c.sd),
            c.feature,
            three(c.per_sd.value.exp()),
            three(c.per_sd.lo.exp()),
            three(c.per_sd.hi.exp())
        ));
    }
    lines.push(format!(
        "Variance of a fresh label, averaged over items: {} = {} aleatoric + {} epistemic.",
        three(parts.total),
        three(parts.aleatoric),
        three(parts.epistemic)
    ));
    lines.push(match (parts.within_annotators, parts.between_annotators) {
        (Some(within), Some(between)) => format!(
            "The aleatoric part is {} noise within annotators ({} repeats) and {} disagreement between them.",
            three(within),
            parts.repeats,
            three(between)
        ),
        _ => "No annotator rated an item twice, so noise within annotators and disagreement between them are not \
              identified; only their sum is."
            .to_owned(),
    });
    let percent = |share: f64| NumberStyle::plain(0).format(100.0 * share);
    if let Some(first) = results.calibration.first() {
        let inside = results.calibration.iter().map(|c| format!("{}% in the {}%", percent(c.inside), percent(c.level)));
        lines.push(format!(
            "Of {} held-out ratings, {} interval.",
            first.ratings,
            inside.collect::<Vec<_>>().join(", ")
        ));
    }
    lines.push(format!("Not evaluated: {}.", results.evaluation));
    lines.extend(results.movement.iter().flat_map(describe_movement));
    lines
}
