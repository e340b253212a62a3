//! What escalation achieves in a study of scores, in sentences.

use super::figures::shared::headline;
use super::numbers::{NumberStyle, three};
use super::rules::of_ratings as rule_name;
use crate::escalation::Rule;
use crate::study::evaluation::Outcome;
use crate::study::scores::ScoreEvaluation;

/// The evaluation, or why there is none.
pub fn describe_evaluation(outcome: &Outcome<ScoreEvaluation>) -> Vec<String> {
    match outcome {
        Outcome::NotEvaluated(reason) => vec![format!("Not evaluated: {reason}.")],
        Outcome::Evaluated(evaluation) => describe(evaluation),
    }
}

/// The rules of an evaluation, highest value first; of I and v, which rank scores alike, only the first.
pub(super) fn ranked(evaluation: &ScoreEvaluation) -> Vec<Rule> {
    let value = &evaluation.full.value;
    let budget = headline(&evaluation.full);
    let mut rules: Vec<Rule> = value.keys().copied().filter(|rule| *rule != Rule::Spread).collect();
    rules.sort_by(|a, b| value[b][&budget].mean.total_cmp(&value[a][&budget].mean));
    rules
}

fn describe(evaluation: &ScoreEvaluation) -> Vec<String> {
    let (full, judge) = (&evaluation.full, &evaluation.judge);
    let budget = headline(full);
    let mut lines = vec![format!(
        "The judge errs by {} on {} items with {} labels or more (bias {}), where the means of halves of the labels \
         differ by {}.",
        three(judge.mean_error),
        evaluation.items,
        evaluation.least_labels,
        three(judge.bias),
        three(judge.noise_ceiling)
    )];
    lines.extend(evaluation.neighbours.iter().map(|how| format!("Labelled neighbours among these items: {how}.")));
    lines.push(format!(
        "Absolute error removed by one label for each of {} items ({} replicates, mean and standard error; oracle {}):",
        budget.of(evaluation.items),
        evaluation.replicates,
        three(evaluation.oracle[&budget].mean)
    ));
    for rule in ranked(evaluation) {
        let (value, minus) = (&full.value[&rule][&budget], &evaluation.minus_total[&rule][&budget]);
        let against = match rule {
            Rule::PosteriorEntropy => String::new(),
            _ => format!("  vs. total {} [{}, {}]", three(minus.mean), three(minus.lo), three(minus.hi)),
        };
        lines.push(format!("  {:<40}{:>8} ({}){against}", rule_name(rule), three(value.mean), three(value.se)));
    }
    let minus = &evaluation.squared.minus_total[&Rule::Info][&budget];
    lines.push(format!(
        "In squared error the epistemic part removes {} more than total uncertainty does [{}, {}].",
        three(minus.mean),
        three(minus.lo),
        three(minus.hi)
    ));
    let percent = |share: f64| NumberStyle::plain(0).format(100.0 * share);
    let inside = evaluation.held_out.coverage.iter();
    let inside = inside.map(|c| format!("{}% in the {}%", percent(c.inside), percent(c.level)));
    lines.push(format!(
        "Of the ratings in held-out halves, which the fits have not seen, {} interval.",
        inside.collect::<Vec<_>>().join(", ")
    ));
    lines
}
