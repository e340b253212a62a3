//! A study's results as words.

use super::figures::shared::headline;
use super::followup::{describe_movement, describe_registered};
use super::numbers::{NumberStyle, three};
use crate::escalation::Rule;
use crate::study::decompose::FORGONE;
use crate::study::diagnostics::JudgeDiagnostics;
use crate::study::evaluation::{Evaluation, Outcome};
use crate::study::output::describe;
use crate::study::{InputReport, StudyResults};

/// The rules of an evaluation, highest value first.
pub(super) fn rules(evaluation: &Evaluation) -> Vec<Rule> {
    let value = |rule: &Rule| evaluation.full.value[rule][&headline(&evaluation.full)].mean;
    let mut rules: Vec<Rule> = evaluation.full.value.keys().copied().collect();
    rules.sort_by(|a, b| value(b).total_cmp(&value(a)));
    rules
}

fn percent(share: f64) -> String {
    format!("{}%", NumberStyle::plain(0).format(100.0 * share))
}

/// A measure of the judge; without a value where it is undefined.
pub(super) struct JudgeRow {
    pub(super) name: &'static str,
    pub(super) value: Option<String>,
}

/// The judge against the labels.
pub(super) fn judge_rows(judge: &JudgeDiagnostics) -> Vec<JudgeRow> {
    let three = |value: f64| Some(NumberStyle::plain(3).format(value));
    let rows = [
        ("items with enough labels", Some(judge.items.to_string())),
        ("mean Manhattan error (0 to 2)", three(judge.mean_error)),
        ("noise ceiling of that error", three(judge.noise_ceiling)),
        ("mean squared error", three(judge.mean_squared_error)),
        ("mean stated confidence (0 to 100)", judge.mean_confidence.map(|c| NumberStyle::plain(1).format(c))),
        ("calibration error of stated confidence", judge.calibration_error.and_then(three)),
        ("Spearman, confidence and error", judge.spearman_confidence_error.and_then(three)),
        ("Spearman, entropy and error", judge.spearman_entropy_error.and_then(three)),
        ("Spearman, spread and error", judge.spearman_spread_error.and_then(three)),
        ("agreement with the most frequent label", three(judge.agreement.observed)),
        ("base rate of the commonest label", three(judge.agreement.base_rate)),
        ("Cohen's kappa", judge.agreement.kappa.and_then(three)),
    ];
    rows.into_iter().map(|(name, value)| JudgeRow { name, value }).collect()
}

/// What was read, line by line.
pub fn describe_input(input: &InputReport) -> Vec<String> {
    let mut lines = vec![input.title.clone(), String::new()];
    let mut line = |name: &str, text: String| lines.push(format!("{name:<12}{text}"));
    let (judge, labels) = (&input.judge, &input.labels);
    line("items", format!("{} in {} groups", input.items, input.groups.len()).replace(" in 0 groups", ""));
    line("classes", input.classes.iter().take(20).cloned().collect::<Vec<_>>().join(", "));
    let variants =
        if input.variants.len() == 1 { "1 variant".to_owned() } else { format!("{} variants", input.variants.len()) };
    line("judge", format!("{} answers under {variants}, {} failed", judge.answers, judge.failed_answers));
    if let Some(mass) = judge.mass {
        line("", format!("mass on the classes: mean {}, least {}", three(mass.mean), three(mass.least)));
    }
    if let Some(without) = judge.without_confidence {
        line("", format!("{without} items without a stated confidence"));
    }
    line(
        "",
        format!(
            "{} items have a class under the floor of {}, and {} a tie for the likeliest class",
            judge.floored_items, judge.floor, judge.tied_items
        ),
    );
    let by = labels.annotators.map_or(String::new(), |n| format!(" by {n} annotators"));
    line(
        "labels",
        format!(
            "{}{by} for {} items, at most {} per item, {} blank",
            labels.labels, labels.labelled_items, labels.most_labels, labels.blank
        ),
    );
    let per_class = input.classes.iter().zip(&labels.per_class).take(20).map(|(class, n)| format!("{class} {n}"));
    line("", format!("{}; {} items with a tie", per_class.collect::<Vec<_>>().join(", "), labels.tied_items));
    if let Some(dimensions) = input.dimensions {
        line("embeddings", format!("{dimensions} dimensions"));
    }
    if let Some(texts) = input.to_embed {
        line("embeddings", format!("{texts} different texts are still to be embedded, by the next run"));
    }
    let features = input.features.iter().map(|feature| match feature.missing {
        Some(missing) if missing > 0 => format!("{} ({missing} missing)", feature.feature),
        _ => feature.feature.clone(),
    });
    line("trust from", features.collect::<Vec<_>>().join(", "));
    line(
        "evaluation",
        match input.evaluated_items {
            Some(items) => format!("{items} items have labels enough for half splits"),
            None => "none: too few items have labels enough, or it is switched off".to_owned(),
        },
    );
    lines.extend(input.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines
}

/// What was found, in sentences.
pub fn describe_results(results: &StudyResults) -> Vec<String> {
    let mut lines = Vec::new();
    let (fit, evidence) = (&results.fit, &results.evidence);
    let trust = &fit.typical_trust;
    lines.push(format!(
        "A typical prediction of the judge is worth about {} labels (95% interval {} to {}); nine in ten items lie \
         between {} and {}.",
        three(trust.value),
        three(trust.lo),
        three(trust.hi),
        three(fit.trust_percentiles[0]),
        three(fit.trust_percentiles[2])
    ));
    for recalibrated in fit.recalibration.iter().flatten() {
        let tau = &recalibrated.tau;
        lines.push(format!(
            "The prediction{} is read with temperature exponent tau {} ({} to {}): {}.",
            recalibrated.group.as_ref().map(|group| format!(" for {group:?}")).unwrap_or_default(),
            three(tau.value),
            three(tau.lo),
            three(tau.hi),
            match () {
                () if tau.hi < 1.0 => "the judge is overconfident",
                () if tau.lo > 1.0 => "the judge is underconfident",
                () => "whether it is over- or underconfident can't be told",
            }
        ));
    }
    if !fit.converged {
        lines.push(format!(
            "The fit of the trust did NOT converge ({} steps, gradient {:e}); use the numbers with care.",
            fit.iterations, fit.gradient_norm
        ));
    }
    lines.extend(fit.neighbours.iter().map(|how| format!("Labelled neighbours: {how}.")));
    let unidentified: Vec<&str> =
        fit.coefficients.iter().filter(|c| !c.identified).map(|c| c.feature.as_str()).collect();
    if !unidentified.is_empty() {
        lines.push(format!("The labels do not tell apart: {}.", unidentified.join(", ")));
    }
    let clear = fit.coefficients.iter().filter(|c| c.identified && (c.per_sd.lo > 0.0 || c.per_sd.hi < 0.0));
    for c in clear {
        let factor = c.per_sd.value.exp();
        lines.push(format!(
            "One standard deviation ({}) more {} multiplies the trust by {} ({} to {}).",
            three(c.sd),
            c.feature,
            three(factor),
            three(c.per_sd.lo.exp()),
            three(c.per_sd.hi.exp())
        ));
    }
    let [low, middle, high] = evidence.evidence_percentiles.map(three);
    lines.push(format!(
        "Total evidence varies: {low}, {middle} and {high} labels at the 5, 50 and 95 percentiles (sd of ln(1 + evidence) {}).",
        three(evidence.sd_log_evidence)
    ));
    let (kept, shared) = (percent(evidence.information_kept), percent(evidence.shared_picks));
    lines.push(if evidence.entropy_goes_wrong {
        format!(
            "Ranking by entropy would go wrong here: its tenth of the items holds {kept} of the epistemic uncertainty \
             that the best tenth holds ({shared} of the picks are the same)."
        )
    } else {
        format!(
            "Ranking by entropy does about as well here: its tenth of the items holds {kept} of the epistemic \
             uncertainty that the best tenth holds (less than {} forgone).",
            percent(FORGONE)
        )
    });
    match &results.evaluation {
        Outcome::NotEvaluated(reason) => lines.push(format!("Not evaluated: {reason}.")),
        Outcome::Evaluated(evaluation) => describe_evaluation(evaluation, &mut lines),
    }
    lines.extend(results.soft_scores.iter().map(|soft| {
        format!(
            "LeWiDi-2025 soft scores of the judge over {} labelled items: mean Manhattan distance {}, mean Wasserstein \
             distance {} (classes in the order of the study).",
            soft.items,
            three(soft.manhattan),
            three(soft.wasserstein)
        )
    }));
    lines.extend(results.registered.iter().flat_map(describe_registered));
    lines.extend(results.movement.iter().flat_map(describe_movement));
    lines
}

fn describe_evaluation(evaluation: &Evaluation, lines: &mut Vec<String>) {
    let budget = headline(&evaluation.full);
    let full = &evaluation.full;
    let judge = &evaluation.judge;
    lines.push(format!(
        "The judge errs by {} on {} items with {} labels or more, where halves of the labels differ by {}.",
        three(judge.mean_error),
        evaluation.items,
        evaluation.least_labels,
        three(judge.noise_ceiling)
    ));
    lines.extend(evaluation.neighbours.iter().map(|how| format!("Labelled neighbours among these items: {how}.")));
    lines.push(format!(
        "Error removed by one label for each of {} items ({} replicates, mean and standard error; oracle {}):",
        budget.of(evaluation.items),
        evaluation.replicates,
        three(evaluation.oracle[&budget].mean)
    ));
    for rule in rules(evaluation) {
        let value = &full.value[&rule][&budget];
        let minus = &full.minus_judge_entropy[&rule][&budget];
        let against = if rule == Rule::JudgeEntropy {
            String::new()
        } else {
            format!("  vs. judge entropy {} [{}, {}]", three(minus.mean), three(minus.lo), three(minus.hi))
        };
        lines.push(format!("  {:<36}{:>8} ({}){against}", describe(rule), three(value.mean), three(value.se)));
    }
}
