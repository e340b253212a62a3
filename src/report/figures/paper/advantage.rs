//! Paired differences to ranking by the judge's entropy, as a forest plot.

use super::{OVER_REPLICATES, say};
use crate::escalation::{Budget, Rule};
use crate::experiments::chaosnli::ChaosNliResults;
use crate::report::figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use crate::report::figures::look::{Look, rule_name};

pub fn figure(chaosnli: &ChaosNliResults) -> Figure {
    let differences = &chaosnli.full.minus_judge_entropy;
    let mut rules: Vec<Rule> = Rule::PAPER.into_iter().filter(|rule| *rule != Rule::JudgeEntropy).collect();
    let headline = |rule: Rule| &differences[&rule][&Budget::HEADLINE];
    rules.sort_by(|a, b| headline(*b).mean.total_cmp(&headline(*a).mean));
    let names = Axis::names("", rules.iter().map(|rule| rule_name(*rule)));
    let panel = |budget: Budget| {
        let rows = rules.iter().enumerate().map(|(k, &rule)| {
            let point = Point::of(k as f64, &differences[&rule][&budget]);
            Series::unlisted(rule_name(rule), Look::of_rule(rule), Shape::Rows { points: vec![point], shift: 0.0 })
        });
        let nothing = Series::unlisted("no difference", Look::NOTHING, Shape::Upright(0.0));
        Panel {
            title: Some(format!("budget {}%", budget.in_percent())),
            x: Axis::numbers("difference", &[]),
            y: names.clone(),
            series: std::iter::once(nothing).chain(rows).collect(),
        }
    };
    let clear: Vec<String> = Budget::PAPER
        .iter()
        .flat_map(|budget| rules.iter().map(move |rule| (*budget, *rule)))
        .filter(|(budget, rule)| differences[rule][budget].lo > 0.0)
        .map(|(budget, rule)| format!("{} at {}%", rule_name(rule), budget.in_percent()))
        .collect();
    let rows: Vec<String> = rules
        .iter()
        .map(|&rule| {
            let s = headline(rule);
            format!("{} {} [{}, {}]", rule_name(rule), say(s.mean, 1), say(s.lo, 1), say(s.hi, 1))
        })
        .collect();
    Figure {
        name: "advantage".to_owned(),
        title: "Paired differences to ranking by the judge's entropy".to_owned(),
        alt: format!(
            "Forest plot of seven rules at four budgets. Differences at 10%: {}. Intervals wholly above 0: {}.",
            rows.join("; "),
            if clear.is_empty() { "none".to_owned() } else { clear.join(", ") },
        ),
        note: format!(
            "Error removed by a rule minus error removed by ranking on the judge's entropy, in the same draw of labels, \
             in Manhattan units. Right of the dashed line the rule removes more. Bars {OVER_REPLICATES}. Four budgets \
             and seven rules are compared, so no single interval stands alone. Panels have scales of their own."
        ),
        width: Width::Full,
        height: 140.0,
        panels: Budget::PAPER.into_iter().map(panel).collect(),
    }
}
