//! Paired differences to one of the rules, as a forest plot.

use super::{
    EvaluationView, OVER_REPLICATES, capital, counted, headline, other_budgets, over_replicates, say, shown_budgets,
};
use crate::look;
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_figures::{Axis, Figure, Panel, Series, Shape, Width};

/// Rules for which the height of the figure is enough, and what one more needs.
const RULES: usize = 7;
const ROW: f64 = 13.0;

/// What every other rule removes beyond the one they are compared with, by budget, with its spread over replicates.
pub fn figure(evaluated: &EvaluationView) -> Figure {
    let EvaluationView { full, differences, reference, reference_name, name: rule_name, units, .. } = *evaluated;
    let mut rules = evaluated.ranked_rules(|rule, budget| differences[&rule][&budget].mean);
    rules.retain(|rule| *rule != reference);
    let (budgets, headline) = (shown_budgets(full), headline(full));
    let names = Axis::names("", rules.iter().map(|rule| rule_name(*rule)));
    let panel = |budget: Budget| {
        let rows = rules.iter().enumerate().map(|(k, &rule)| {
            let point = over_replicates(k as f64, &differences[&rule][&budget]);
            Series::unlisted(rule_name(rule), look::of_rule(rule), Shape::Rows { points: vec![point], shift: 0.0 })
        });
        let nothing = Series::unlisted("no difference", look::NOTHING, Shape::Upright(0.0));
        Panel {
            title: Some(format!("budget {}%", budget.in_percent())),
            x: Axis::numbers("difference", &[]),
            y: names.clone(),
            series: std::iter::once(nothing).chain(rows).collect(),
        }
    };
    let clear: Vec<String> = budgets
        .iter()
        .flat_map(|budget| rules.iter().map(move |rule| (*budget, *rule)))
        .filter(|(budget, rule)| differences[rule][budget].lo > 0.0)
        .map(|(budget, rule)| format!("{} at {}%", rule_name(rule), budget.in_percent()))
        .collect();
    let rows: Vec<String> = rules
        .iter()
        .map(|&rule| {
            let s = &differences[&rule][&headline];
            format!("{} {} [{}, {}]", rule_name(rule), say(s.mean, 1), say(s.lo, 1), say(s.hi, 1))
        })
        .collect();
    let (compared, at) = (counted(rules.len(), "rule"), counted(budgets.len(), "budget"));
    Figure {
        name: "advantage".to_owned(),
        title: format!("Paired differences to ranking by {reference_name}"),
        alt: format!(
            "Forest plot of {compared} at {at}. Differences at {}%: {}. Intervals wholly above 0: {}.",
            headline.in_percent(),
            rows.join("; "),
            if clear.is_empty() { "none".to_owned() } else { clear.join(", ") },
        ),
        note: format!(
            "Error removed by a rule minus error removed by ranking on {reference_name}, in the same draw of labels, \
             in {units}. Right of the dashed line the rule removes more. Bars {OVER_REPLICATES}. {} and \
             {compared} are compared, so no single interval stands alone.{}{}",
            capital(&at),
            if budgets.len() > 1 { " Panels have scales of their own." } else { "" },
            other_budgets(full),
        ),
        width: Width::Full,
        height: 140.0 + ROW * rules.len().saturating_sub(RULES) as f64,
        panels: budgets.into_iter().map(panel).collect(),
    }
}
