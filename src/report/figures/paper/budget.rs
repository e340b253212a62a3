//! Error removed against the budget, for every rule.

use super::{OVER_REPLICATES, say};
use crate::escalation::{Budget, Rule};
use crate::experiments::chaosnli::ChaosNliResults;
use crate::report::figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use crate::report::figures::look::{Look, rule_name};

/// Share of a place that the eight rules stand on, side by side.
const SPREAD: f64 = 0.72;

pub fn figure(chaosnli: &ChaosNliResults) -> Figure {
    let value = &chaosnli.full.value;
    let mean = |rule: Rule, budget: Budget| value[&rule][&budget].mean;
    let mut rules = Rule::PAPER;
    rules.sort_by(|a, b| mean(*b, Budget::HEADLINE).total_cmp(&mean(*a, Budget::HEADLINE)));
    let series = rules.iter().enumerate().map(|(k, &rule)| {
        let points = Budget::PAPER.iter().enumerate().map(|(b, budget)| Point::of(b as f64, &value[&rule][budget]));
        let shift = SPREAD * (k as f64 / (rules.len() - 1) as f64 - 0.5);
        Series::new(rule_name(rule), Look::of_rule(rule), Shape::Columns { points: points.collect(), shift })
    });
    let ranking: Vec<String> =
        rules.iter().map(|&rule| format!("{} {}", rule_name(rule), say(mean(rule, Budget::HEADLINE), 1))).collect();
    let best = |budget: Budget| {
        let first = Rule::PAPER.into_iter().max_by(|a, b| mean(*a, budget).total_cmp(&mean(*b, budget)));
        first.map_or("", rule_name)
    };
    let places = Budget::PAPER.map(|b| format!("{}% ({} labels)", b.in_percent(), b.of(chaosnli.items)));
    Figure {
        name: "budget".to_owned(),
        title: "Error removed by eight escalation rules at four budgets".to_owned(),
        alt: format!(
            "Eight rules side by side at budgets of 1, 5, 10 and 20 percent of {} items. Mean error removed at 10%: {}. \
             The highest mean at 20% is that of {}.",
            chaosnli.items,
            ranking.join(", "),
            best(Budget::PAPER[3]),
        ),
        note: format!(
            "One expert label is bought for each escalated item; the height is the Manhattan error (0 to 2 per item) \
             that these labels remove, summed over the escalated items. Markers are means, bars {OVER_REPLICATES}. \
             Rules stand in the order of their means at 10%; filled markers are the paper's rules."
        ),
        width: Width::Full,
        height: 200.0,
        panels: vec![Panel {
            title: None,
            x: Axis::names("budget, share of items escalated", places),
            y: Axis::numbers("error removed (Manhattan units)", &[0.0]),
            series: series.collect(),
        }],
    }
}
