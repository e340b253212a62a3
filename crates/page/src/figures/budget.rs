//! Error removed against the budget, for every rule.

use super::{
    EvaluationView, OVER_REPLICATES, capital, counted, headline, listed, other_budgets, over_replicates, say,
    shown_budgets,
};
use crate::look;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_figures::{Axis, Figure, Panel, Series, Shape, Width};

/// Share of a place that the rules stand on, side by side.
const SPREAD: f64 = 0.72;
/// Rules for which the height of the figure is enough, and what four more need for the legend.
const RULES: usize = 8;
const LEGEND_LINE: f64 = 11.0;

/// Mean error removed with its spread over replicates, by rule and budget.
pub fn figure(evaluated: &EvaluationView) -> Figure {
    let EvaluationView { items, full, name: rule_name, error, units, markers, .. } = *evaluated;
    let mean = |rule: Rule, budget: Budget| full.value[&rule][&budget].mean;
    let (rules, budgets, headline) = (evaluated.ranked_rules(mean), shown_budgets(full), headline(full));
    let series = rules.iter().enumerate().map(|(k, &rule)| {
        let points =
            budgets.iter().enumerate().map(|(b, budget)| over_replicates(b as f64, &full.value[&rule][budget]));
        let shift = SPREAD * (k as f64 / (rules.len() - 1).max(1) as f64 - 0.5);
        Series::new(rule_name(rule), look::of_rule(rule), Shape::Columns { points: points.collect(), shift })
    });
    let ranking: Vec<String> =
        rules.iter().map(|&rule| format!("{} {}", rule_name(rule), say(mean(rule, headline), 1))).collect();
    let largest = budgets.last().copied().unwrap_or(headline);
    let best = rules.iter().max_by(|a, b| mean(**a, largest).total_cmp(&mean(**b, largest)));
    let places = budgets.iter().map(|b| format!("{}% ({} labels)", b.in_percent(), b.of(items)));
    let percents: Vec<String> = budgets.iter().map(|budget| budget.in_percent().to_string()).collect();
    Figure {
        name: "budget".to_owned(),
        title: format!(
            "Error removed by {} at {}",
            counted(rules.len(), "escalation rule"),
            counted(budgets.len(), "budget")
        ),
        alt: format!(
            "{} side by side at {} of {} percent of {items} items. Mean error removed at {}%: {}. The highest mean at \
             {}% is that of {}.",
            capital(&counted(rules.len(), "rule")),
            if budgets.len() == 1 { "a budget" } else { "budgets" },
            listed(&percents),
            headline.in_percent(),
            ranking.join(", "),
            largest.in_percent(),
            best.map_or("", |rule| rule_name(*rule)),
        ),
        note: format!(
            "One expert label is bought for each escalated item; the height is the {error} \
             that these labels remove, summed over the escalated items. Markers are means, bars {OVER_REPLICATES}. \
             Rules stand in the order of their means at {}%{markers}.{}",
            headline.in_percent(),
            other_budgets(full),
        ),
        width: Width::Full,
        height: 200.0 + LEGEND_LINE * rules.len().saturating_sub(RULES).div_ceil(4) as f64,
        panels: vec![Panel {
            title: None,
            x: Axis::names("budget, share of items escalated", places),
            y: Axis::numbers(format!("error removed ({units})"), &[0.0]),
            series: series.collect(),
        }],
    }
}
