//! The paper's tables and number macros, as views of strings for the LaTeX templates.

use serde::Serialize;

use super::extended_tables::tables;
use crate::artifact::Results;
use crate::experiments::dice::{DiceResults, Tier};
use crate::experiments::isolation::Isolation;
use crate::verdicts::Verdicts;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_evaluation::Escalation;
use judge_uncertainty_page::latex::{Error, Templates};
use judge_uncertainty_page::rules;
use judge_uncertainty_system::numbers::NumberStyle;

/// How the dice's judge is called beside the simulated worlds.
const REAL_JUDGE: &str = "real LLM judge";

/// Renders every table whose results are present, and the number macros: paths within the bundle with their texts.
///
/// # Errors
/// A template that asks for something its table does not have.
pub(crate) fn render(
    templates: &Templates,
    results: &Results,
    verdicts: &Verdicts,
) -> Result<Vec<(String, String)>, Error> {
    let mut files = vec![];
    let mut put = |name: &str, text: String| files.push((format!("tables/{name}"), text));
    if let Some(dice) = &results.dice {
        put(
            "iso.tex",
            templates.render("iso.tex", &Iso { dice: IsolationRow::of(REAL_JUDGE, &dice.isolation.components) })?,
        );
        let tiers = Rows { rows: tier_rows(dice) };
        put("conf.tex", templates.render("conf.tex", &tiers)?);
        put("confidence.tex", templates.render("confidence.tex", &tiers)?);
    }
    if let (Some(dice), Some(simulations)) = (&results.dice, &results.simulations) {
        let rows = vec![
            IsolationRow::of("calibrated simulation", &simulations.isolation),
            IsolationRow::of(REAL_JUDGE, &dice.isolation.components),
        ];
        put("isolation.tex", templates.render("isolation.tex", &Rows { rows })?);
    }
    if let Some(chaosnli) = &results.chaosnli {
        let rules = Rows { rows: rule_rows(&chaosnli.full, Budget::HEADLINE) };
        put("esc.tex", templates.render("esc.tex", &rules)?);
        put("escalation.tex", templates.render("escalation.tex", &rules)?);
    }
    if let Some(extended) = &results.extended {
        for table in tables(extended) {
            put(&format!("{}.tex", table.name), templates.render("extended.tex", &table)?);
        }
    }
    files.push(("numbers.tex".to_owned(), templates.render("numbers.tex", &Macros::of(verdicts))?));
    Ok(files)
}

/// The rows of a table.
#[derive(Serialize)]
struct Rows<R> {
    rows: Vec<R>,
}

#[derive(Serialize)]
struct Iso {
    dice: IsolationRow,
}

/// A quantity with its interval, as printed.
#[derive(Serialize)]
struct Interval {
    mean: String,
    lo: String,
    hi: String,
    above_zero: bool,
}

impl Interval {
    fn of(summary: &Summary, mean: NumberStyle, bounds: NumberStyle) -> Self {
        Self {
            mean: mean.format(summary.mean),
            lo: bounds.format(summary.lo),
            hi: bounds.format(summary.hi),
            above_zero: summary.lo > 0.0,
        }
    }
}

#[derive(Serialize)]
struct IsolationRow {
    world: &'static str,
    aleatoric_disagreement: Interval,
    aleatoric_error: Interval,
    epistemic_disagreement: Interval,
    epistemic_error: Interval,
    truth_truth: Interval,
    /// Whether each part correlates more strongly with its own truth than with the other.
    aleatoric_isolates: bool,
    epistemic_isolates: bool,
}

impl IsolationRow {
    fn of(world: &'static str, isolation: &Isolation) -> Self {
        Self {
            world,
            aleatoric_disagreement: correlation(&isolation.aleatoric_disagreement),
            aleatoric_error: correlation(&isolation.aleatoric_error),
            epistemic_disagreement: correlation(&isolation.epistemic_disagreement),
            epistemic_error: correlation(&isolation.epistemic_error),
            truth_truth: correlation(&isolation.truth_truth),
            aleatoric_isolates: stronger(&isolation.aleatoric_disagreement, &isolation.aleatoric_error),
            epistemic_isolates: stronger(&isolation.epistemic_error, &isolation.epistemic_disagreement),
        }
    }
}

/// Whether one correlation is stronger than another, whatever their signs.
fn stronger(own: &Summary, other: &Summary) -> bool {
    own.mean.abs() > other.mean.abs()
}

/// Correlations have two decimals, and their bounds no zero before the point.
fn correlation(summary: &Summary) -> Interval {
    let style = NumberStyle::plain(2);
    Interval::of(summary, style, NumberStyle { leading_zero: false, ..style })
}

#[derive(Serialize)]
struct TierView {
    tier: &'static str,
    error: String,
    confidence: String,
    /// Whether the stated confidence is the highest or the lowest of all tiers.
    extreme: bool,
    spread: String,
}

fn tier_rows(dice: &DiceResults) -> Vec<TierView> {
    let name = |tier: Tier| match tier {
        Tier::None => "none",
        Tier::Weak => "weak",
        Tier::Directional => "directional",
        Tier::Strong => "strong",
    };
    let confidences = || dice.tiers.values().map(|row| row.stated_confidence);
    let (lowest, highest) = (confidences().fold(f64::INFINITY, f64::min), confidences().fold(f64::MIN, f64::max));
    let rows = dice.tiers.iter().map(|(tier, row)| TierView {
        extreme: [lowest, highest].contains(&row.stated_confidence),
        tier: name(*tier),
        // Two decimals, and a third where they would show nothing but zeros.
        error: NumberStyle::plain(if row.judge_error < 0.01 { 3 } else { 2 }).format(row.judge_error),
        confidence: NumberStyle::plain(1).format(row.stated_confidence),
        spread: NumberStyle::plain(4).format(row.variant_spread),
    });
    rows.collect()
}

/// A rule and what it achieves.
#[derive(Serialize)]
struct RuleView {
    /// Name in the full table.
    name: &'static str,
    /// Name in the short table; rules without one are left out there.
    short: Option<&'static str>,
    value: String,
    se: String,
    /// Whether it has the highest value.
    best: bool,
    /// Difference from the judge's entropy; none for that rule itself.
    advantage: Option<Interval>,
}

/// Rules at a budget, highest value first.
fn rule_rows(escalation: &Escalation, budget: Budget) -> Vec<RuleView> {
    let value = |rule: Rule| &escalation.value[&rule][&budget];
    let mut rules: Vec<Rule> = escalation.value.keys().copied().collect();
    rules.sort_by(|a, b| value(*b).mean.total_cmp(&value(*a).mean));
    let one = NumberStyle::plain(1);
    let signed = NumberStyle { plus: true, ..one };
    let rows = rules.iter().enumerate().map(|(place, &rule)| {
        let (name, short) = rules::in_latex(rule);
        RuleView {
            name,
            short,
            value: one.format(value(rule).mean),
            se: one.format(value(rule).se),
            best: place == 0,
            advantage: (rule != Rule::JudgeEntropy)
                .then(|| Interval::of(&escalation.minus_judge_entropy[&rule][&budget], signed, signed)),
        }
    });
    rows.collect()
}

#[derive(Serialize)]
struct Macros {
    claims: Vec<Macro>,
}

#[derive(Serialize)]
struct Macro {
    #[serde(rename = "macro")]
    name: String,
    text: String,
    id: String,
    place: String,
}

impl Macros {
    fn of(verdicts: &Verdicts) -> Self {
        let readings = verdicts.readings().iter().map(|reading| &reading.judged);
        let claims = verdicts.rows().iter().chain(readings).filter_map(|row| {
            Some(Macro {
                name: row.claim.macro_name(),
                // A number in math mode needs no escaping, but its thousands separator must not get a space.
                text: row.text()?.replace(',', "{,}"),
                id: row.claim.id.clone(),
                place: row.claim.place.clone(),
            })
        });
        Self { claims: claims.collect() }
    }
}
