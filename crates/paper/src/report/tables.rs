//! The paper's tables and number macros, as views of strings for the LaTeX templates.

use std::collections::BTreeSet;

use crate::rules;
use serde_json::{Value, json};

use crate::artifact::Results;
use crate::experiments::dice::{DiceResults, Tier, TierRow};
use crate::experiments::isolation::Isolation;
use crate::verdicts::Verdicts;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_evaluation::Escalation;
use judge_uncertainty_page::latex::{Error, Templates};
use judge_uncertainty_system::numbers::NumberStyle;

/// The name of the dice's judge in tables that also have the simulated worlds.
const REAL_JUDGE: &str = "real LLM judge";

/// Renders every table whose results are present, and the number macros: paths within the bundle with their texts.
pub(crate) fn render(
    templates: &Templates,
    results: &Results,
    verdicts: &Verdicts,
) -> Result<Vec<(String, String)>, Error> {
    let differing = verdicts.rows.iter().filter(|row| row.either_differs());
    let marks: Marks = differing.map(|row| row.claim.quantity.as_str()).collect();
    let mut files = vec![];
    let mut put = |name: &str, text: String| files.push((format!("tables/{name}"), text));
    if let Some(dice) = &results.dice {
        let isolation = json!({"dice": isolation_row(REAL_JUDGE, &dice.isolation.components, &marks, "dice")});
        put("iso.tex", templates.render("iso.tex", &isolation)?);
        let tiers = json!({"rows": tier_rows(dice)});
        put("conf.tex", templates.render("conf.tex", &tiers)?);
        put("confidence.tex", templates.render("confidence.tex", &tiers)?);
    }
    if let (Some(dice), Some(simulations)) = (&results.dice, &results.simulations) {
        let rows = [
            isolation_row("calibrated simulation", &simulations.isolation, &marks, "simulations"),
            isolation_row(REAL_JUDGE, &dice.isolation.components, &marks, "dice"),
        ];
        put("isolation.tex", templates.render("isolation.tex", &json!({"rows": rows}))?);
    }
    if let Some(chaosnli) = &results.chaosnli {
        let rules = json!({"rows": rule_rows(&chaosnli.full, Budget::HEADLINE, &marks)});
        put("esc.tex", templates.render("esc.tex", &rules)?);
        put("escalation.tex", templates.render("escalation.tex", &rules)?);
    }
    files.push(("numbers.tex".to_owned(), templates.render("numbers.tex", &json!({"claims": macros(verdicts)}))?));
    Ok(files)
}

/// The quantities whose claims differ by one of the procedures: their cells have an asterisk.
type Marks<'v> = BTreeSet<&'v str>;

/// A quantity with its interval, as printed.
fn interval(summary: &Summary, mean: NumberStyle, bounds: NumberStyle, marks: &Marks, at: &str) -> Value {
    let marked =
        |text: String, part: &str| text + if marks.contains(format!("{at}/{part}").as_str()) { "*" } else { "" };
    json!({
        "mean": marked(mean.format(summary.mean), "mean"),
        "lo": marked(bounds.format(summary.lo), "lo"),
        "hi": marked(bounds.format(summary.hi), "hi"),
        "above_zero": summary.lo > 0.0,
    })
}

/// Rank correlations in one world, and whether each part correlates more strongly with its own truth than with the other.
fn isolation_row(world: &str, isolation: &Isolation, marks: &Marks, at: &str) -> Value {
    // Correlations have two decimals, and their bounds no zero before the point.
    let (style, bounds) = (NumberStyle::plain(2), NumberStyle { leading_zero: false, ..NumberStyle::plain(2) });
    let correlation = |summary, part: &str| interval(summary, style, bounds, marks, &format!("{at}/isolation/{part}"));
    let Isolation { aleatoric_disagreement, aleatoric_error, epistemic_disagreement, epistemic_error, truth_truth } =
        isolation;
    json!({
        "world": world,
        "aleatoric_disagreement": correlation(aleatoric_disagreement, "aleatoric_disagreement"),
        "aleatoric_error": correlation(aleatoric_error, "aleatoric_error"),
        "epistemic_disagreement": correlation(epistemic_disagreement, "epistemic_disagreement"),
        "epistemic_error": correlation(epistemic_error, "epistemic_error"),
        "truth_truth": correlation(truth_truth, "truth_truth"),
        "aleatoric_isolates": aleatoric_disagreement.mean.abs() > aleatoric_error.mean.abs(),
        "epistemic_isolates": epistemic_error.mean.abs() > epistemic_disagreement.mean.abs(),
    })
}

/// The judge on the dice by tier; `extreme` marks the highest and the lowest stated confidence of all tiers.
fn tier_rows(dice: &DiceResults) -> Vec<Value> {
    let confidences = || dice.tiers.values().map(|row| row.stated_confidence);
    let (lowest, highest) = (confidences().fold(f64::INFINITY, f64::min), confidences().fold(f64::MIN, f64::max));
    let row = |(tier, row): (&Tier, &TierRow)| {
        json!({
            "tier": tier,
            // Two decimals, and a third where they would show nothing but zeros.
            "error": NumberStyle::plain(if row.judge_error < 0.01 { 3 } else { 2 }).format(row.judge_error),
            "confidence": NumberStyle::plain(1).format(row.stated_confidence),
            "extreme": ([lowest, highest].contains(&row.stated_confidence)),
            "spread": NumberStyle::plain(4).format(row.variant_spread),
        })
    };
    dice.tiers.iter().map(row).collect()
}

/// Rules at a budget with what they achieve, highest value first. `short` is the name in the short table, which leaves
/// out rules without one; the rule that others are compared with has no `advantage`.
fn rule_rows(escalation: &Escalation, budget: Budget, marks: &Marks) -> Vec<Value> {
    let value = |rule: Rule| &escalation.value[&rule][&budget];
    let mut rules: Vec<Rule> = escalation.value.keys().copied().collect();
    rules.sort_by(|a, b| value(*b).mean.total_cmp(&value(*a).mean));
    let one = NumberStyle::plain(1);
    let signed = NumberStyle { plus: true, ..one };
    let advantage = |rule: Rule| {
        let at = format!("chaosnli/full/minus_judge_entropy/{}/b10", rule.key());
        interval(&escalation.minus_judge_entropy[&rule][&budget], signed, signed, marks, &at)
    };
    let row = |(place, &rule): (usize, &Rule)| {
        let (name, short) = rules::in_latex(rule);
        json!({
            "name": name,
            "short": short,
            "value": one.format(value(rule).mean),
            "se": one.format(value(rule).se),
            "best": place == 0,
            "advantage": (rule != Rule::JudgeEntropy).then(|| advantage(rule)),
        })
    };
    rules.iter().enumerate().map(row).collect()
}

/// A LaTeX macro for each claim and literal reading whose number was computed.
fn macros(verdicts: &Verdicts) -> Vec<Value> {
    let claims = verdicts.rows.iter().chain(&verdicts.readings).filter_map(|row| {
        // A number in math mode needs no escaping, but its thousands separator must not get a space.
        let text = row.text()?.replace(',', "{,}");
        Some(json!({"macro": row.claim.macro_name(), "text": text, "id": row.claim.id, "place": row.claim.place}))
    });
    claims.collect()
}
