//! The results of a study of scores, in sentences.

use super::followup::{describe_movement, describe_registered};
use super::numbers::{NumberStyle, three};
use super::score_evaluation::describe_evaluation;
use crate::study::scores::{ScoreInputs, ScoreResults, ScoreStudy};

/// What a study of scores read, before anything is computed or after.
pub struct Read<'a> {
    title: &'a str,
    scale: (f64, f64),
    input: &'a ScoreInputs,
    features: Vec<&'a str>,
    left_out: usize,
}

impl<'a> From<&'a ScoreStudy> for Read<'a> {
    fn from(study: &'a ScoreStudy) -> Self {
        Self {
            title: &study.file.config.title,
            scale: study.file.config.scale,
            input: &study.report,
            features: study.features.iter().map(String::as_str).collect(),
            left_out: study.left_out.len(),
        }
    }
}

impl<'a> From<&'a ScoreResults> for Read<'a> {
    fn from(results: &'a ScoreResults) -> Self {
        Self {
            title: &results.title,
            scale: results.scale,
            input: &results.input,
            features: results.fit.coefficients.iter().map(|c| c.feature.as_str()).collect(),
            left_out: results.left_out.len(),
        }
    }
}

/// What was read, line by line.
pub fn describe_input<'a>(read: impl Into<Read<'a>>) -> Vec<String> {
    let Read { title, scale: (low, high), input, features, left_out } = read.into();
    let mut lines = vec![title.to_owned(), String::new()];
    let mut line = |name: &str, text: String| lines.push(format!("{name:<12}{text}"));
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
    if let Some(texts) = input.to_embed {
        line("embeddings", format!("{texts} different texts are still to be embedded, by the next run"));
    }
    line("trust from", features.join(", "));
    if left_out > 0 {
        lines.push(format!("warning: {left_out} items have no score of the judge and are left out"));
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
    lines.extend(describe_evaluation(&results.evaluation));
    lines.extend(results.registered.iter().flat_map(describe_registered));
    lines.extend(results.movement.iter().flat_map(describe_movement));
    lines
}
