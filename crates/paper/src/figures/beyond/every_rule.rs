//! Every rule against fewest labels first, at every budget, under two beliefs.

use super::look::{FOR_NEW_ITEMS, forest_rows, look_of};
use crate::experiments::extended::exploration::Exploration;
use crate::experiments::extended::stage::BeliefName;
use crate::rules::{Contender, contender_in_figures};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Series, Shape, Width};
use judge_uncertainty_page::figures::say;
use judge_uncertainty_page::look::{self, Look};

/// How far the two beliefs' rows stand from the middle of their place.
const APART: f64 = 0.2;

pub(super) fn figure(exploration: &Exploration) -> Figure {
    let under = |belief: BeliefName| &exploration.beliefs[&belief].minus_fewest;
    let (published, ours) = (under(BeliefName::Published), under(BeliefName::Recalibrated));
    let headline = |rule: Contender| ours[&rule][&Budget::HEADLINE].redraws.mean;
    // The oracle's advantage would hide all others.
    let mut rules: Vec<Contender> = ours.keys().copied().filter(|c| *c != Contender::Oracle).collect();
    rules.sort_by(|a, b| headline(*b).total_cmp(&headline(*a)));
    let panel = |budget: Budget| {
        let rows = rules.iter().enumerate().flat_map(|(k, &rule)| {
            let elsewhere = match rule {
                Contender::Rule(rule) => look::of_rule_elsewhere(rule),
                other => look_of(other),
            };
            let row = |belief: &str, look: Look, found, shift: f64| {
                let label = format!("{}, {belief} belief", contender_in_figures(rule));
                forest_rows(&label, look, &[(k as f64, found)], shift, false)
            };
            let published = row("published", elsewhere, &published[&rule][&budget], -APART);
            published.into_iter().chain(row("recalibrated", look_of(rule), &ours[&rule][&budget], APART))
        });
        let nothing = Series::unlisted("no difference", look::NOTHING, Shape::Upright(0.0));
        Panel {
            title: Some(format!("budget {}%", budget.in_percent())),
            x: Axis::numbers("difference", &[]),
            y: Axis::names("", rules.iter().map(|rule| contender_in_figures(*rule))),
            series: std::iter::once(nothing).chain(rows).collect(),
        }
    };
    let clear = |belief: BeliefName| {
        let all = rules.iter().flat_map(|rule| Budget::PAPER.map(|budget| (*rule, budget)));
        let clear: Vec<String> = all
            .filter(|(rule, budget)| under(belief)[rule][budget].simultaneous_lo > 0.0)
            .map(|(rule, budget)| format!("{} at {}%", contender_in_figures(rule), budget.in_percent()))
            .collect();
        if clear.is_empty() { "none".to_owned() } else { clear.join(", ") }
    };
    let rows = rules.iter().map(|rule| format!("{} {}", contender_in_figures(*rule), say(headline(*rule), 1)));
    Figure {
        name: "every-rule".to_owned(),
        title: "Exploratory: every rule against fewest labels first, all items".to_owned(),
        alt: format!(
            "Forest plot of {} rules at four budgets under two beliefs. Differences at 10% under the recalibrated \
             belief: {}. Simultaneous intervals wholly above 0 under it: {}; under the published belief: {}.",
            rules.len(),
            rows.collect::<Vec<_>>().join(", "),
            clear(BeliefName::Recalibrated),
            clear(BeliefName::Published),
        ),
        note: format!(
            "Error removed by a rule minus error removed by fewest labels first, in Manhattan units. In each row the \
             upper line, with a wide circle, is the published belief, the lower one the \
             recalibrated belief. {FOR_NEW_ITEMS}: three beliefs, all rules (the oracle, far to the right, is not \
             drawn) and four budgets. Panels have scales of their own."
        )
        .replace("all comparisons of a panel's set of items", "all these comparisons"),
        width: Width::Full,
        height: 300.0,
        panels: Budget::PAPER.into_iter().map(panel).collect(),
    }
}
