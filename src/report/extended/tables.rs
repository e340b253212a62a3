//! The LaTeX tables of what goes beyond the paper.

use serde::Serialize;

use super::{ONE, SIGNED_ONE, SIGNED_THREE, THREE, TWO, value};
use crate::belief::Recalibration;
use crate::escalation::Budget;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::confirmation::{Outcome, Quantity};
use crate::experiments::extended::contest::Contender;
use crate::experiments::extended::stage::BeliefName;
use crate::report::numbers::NumberStyle;
use crate::report::tables::rule_names;
use crate::stats::inference::Inference;

/// A table as rows of finished strings.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Table {
    /// The registered comparisons.
    Confirmation {
        /// Rows.
        rows: Vec<ConfirmationRow>,
    },
    /// Every rule.
    Rules {
        /// Rows.
        rows: Vec<RuleRow>,
    },
    /// Recalibration and trust features.
    Parts {
        /// Rows.
        rows: Vec<PartRow>,
    },
}

/// A registered quantity with its result on three sets of items.
#[derive(Debug, Serialize)]
pub struct ConfirmationRow {
    belief: &'static str,
    quantity: String,
    cells: Vec<Cell>,
}

#[derive(Debug, Serialize)]
struct Cell {
    mean: String,
    lo: String,
    hi: String,
    confirmed: bool,
}

impl Cell {
    fn of(x: &Inference, style: NumberStyle, confirmed: bool) -> Self {
        Self {
            mean: style.format(x.redraws.mean),
            lo: style.format(x.simultaneous_lo),
            hi: style.format(x.simultaneous_hi),
            confirmed,
        }
    }
}

/// A rule under the published and the recalibrated belief.
#[derive(Debug, Serialize)]
pub struct RuleRow {
    rule: String,
    cells: Vec<RuleCell>,
}

#[derive(Debug, Serialize)]
struct RuleCell {
    value: String,
    minus: Option<Cell>,
}

/// One combination of recalibration and trust features.
#[derive(Debug, Serialize)]
pub struct PartRow {
    recalibration: &'static str,
    features: &'static str,
    error: String,
    sd_log_trust: String,
    advantage: Cell,
}

/// The tables by file name.
pub fn tables(results: &ExtendedResults) -> [(&'static str, Table); 3] {
    [
        ("extended-confirmation.tex", Table::Confirmation { rows: confirmation_rows(results) }),
        ("extended-parts.tex", Table::Parts { rows: part_rows(results) }),
        ("extended-rules.tex", Table::Rules { rows: rule_rows(results) }),
    ]
}

/// Name of a belief in tables.
pub(in crate::report) fn belief_name(belief: BeliefName) -> &'static str {
    match belief {
        BeliefName::Published => "published",
        BeliefName::Recalibrated => "recalibrated",
        BeliefName::Planned => "as planned",
    }
}

fn latex_name(contender: Contender) -> String {
    match contender {
        Contender::Rule(rule) => {
            rule_names(rule).0.trim_start_matches("ours: ").replace(r" \emph{(planned headline)}", "")
        }
        Contender::ActiveLab => "ActiveLab-style".to_owned(),
        Contender::Oracle => "oracle".to_owned(),
    }
}

fn confirmation_rows(results: &ExtendedResults) -> Vec<ConfirmationRow> {
    let all = [Some(&results.confirmation), results.transfer.get("snli_to_mnli"), results.transfer.get("mnli_to_snli")];
    let rows = results.confirmation.verdicts.iter().enumerate().map(|(k, verdict)| {
        let (belief, quantity, style) = match verdict.quantity {
            Quantity::Error { belief } => (belief, "error, against published".to_owned(), SIGNED_THREE),
            Quantity::ErrorUnlabelled { belief } => {
                (belief, "error of unlabelled items, against published".to_owned(), SIGNED_THREE)
            }
            Quantity::Advantage { belief, rule, over, budget } => {
                let percent = String::from(budget).replace('b', "");
                (belief, format!(r"{} vs.\ {} at {percent}\%", latex_name(rule), latex_name(over)), SIGNED_ONE)
            }
        };
        ConfirmationRow {
            belief: belief_name(belief),
            quantity,
            cells: all
                .iter()
                .flatten()
                .map(|c| &c.verdicts[k])
                .map(|v| Cell::of(&v.found, style, v.outcome == Outcome::Confirmed))
                .collect(),
        }
    });
    rows.collect()
}

fn rule_rows(results: &ExtendedResults) -> Vec<RuleRow> {
    let beliefs = [BeliefName::Published, BeliefName::Recalibrated].map(|b| &results.exploration.beliefs[&b]);
    let mut contenders = Contender::all();
    contenders.sort_by(|a, b| value(beliefs[1], *b).total_cmp(&value(beliefs[1], *a)));
    let rows = contenders.into_iter().map(|contender| RuleRow {
        rule: latex_name(contender),
        cells: beliefs
            .iter()
            .map(|explored| RuleCell {
                value: ONE.format(value(explored, contender)),
                minus: explored
                    .minus_fewest
                    .get(&contender)
                    .map(|by_budget| Cell::of(&by_budget[&Budget::HEADLINE], SIGNED_ONE, false)),
            })
            .collect(),
    });
    rows.collect()
}

fn part_rows(results: &ExtendedResults) -> Vec<PartRow> {
    let rows = results.exploration.parts.iter().map(|part| PartRow {
        recalibration: match part.recalibration {
            Recalibration::Off => "none",
            Recalibration::Shared => "one",
            Recalibration::ByGroup => "by source",
        },
        features: if part.trust_features { "those planned" } else { "none" },
        error: THREE.format(part.error.mean),
        sd_log_trust: TWO.format(part.sd_log_trust.mean),
        advantage: Cell {
            mean: SIGNED_ONE.format(part.spread_minus_fewest.mean),
            lo: SIGNED_ONE.format(part.spread_minus_fewest.lo),
            hi: SIGNED_ONE.format(part.spread_minus_fewest.hi),
            confirmed: false,
        },
    });
    rows.collect()
}
