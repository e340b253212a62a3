//! Aleatoric against epistemic uncertainty, item by item, with what two rules escalate.

use std::collections::BTreeSet;

use crate::escalation::Rule;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::report::figures::description::{Axis, Figure, Panel, Series, Shape, Width};
use crate::report::figures::look::{Look, rule_name};

pub fn figure(chaosnli: &ChaosNliResults) -> Figure {
    let items = &chaosnli.components;
    let place = |i: usize| [items.aleatoric[i], items.epistemic[i]];
    let all = || Shape::Cloud((0..items.aleatoric.len()).map(place).collect());
    let marked = |rule: Rule| items.escalated.get(&rule).map_or(&[][..], Vec::as_slice);
    let axes = |rule: Rule| Panel {
        title: Some(rule_name(rule).to_owned()),
        x: Axis::numbers("aleatoric (nats)", &[0.0]),
        y: Axis::numbers("epistemic (nats)", &[0.0]),
        series: vec![
            Series::new("all items", Look::REST, all()),
            Series::new(
                format!("escalated by {}", rule_name(rule)),
                Look::of_rule(rule),
                Shape::Cloud(marked(rule).iter().map(|&i| place(i)).collect()),
            ),
        ],
    };
    let mean = |rule: Rule, values: &[f64]| {
        let picked = marked(rule);
        super::say(picked.iter().map(|&i| values[i]).sum::<f64>() / picked.len().max(1) as f64, 2)
    };
    let by_info: BTreeSet<usize> = marked(Rule::Info).iter().copied().collect();
    let shared = marked(Rule::JudgeEntropy).iter().filter(|i| by_info.contains(i)).count();
    Figure {
        name: "components".to_owned(),
        title: "The two parts of uncertainty, item by item, and what two rules escalate".to_owned(),
        alt: format!(
            "Two scatter plots of {} items, aleatoric part across and epistemic part up, in one draw of labels. The {} \
             items that I escalates, the uppermost, have a mean epistemic part of {} nats and a mean aleatoric part of {}; \
             those of the judge's entropy have {} and {}. {} items are escalated by both.",
            items.aleatoric.len(),
            marked(Rule::Info).len(),
            mean(Rule::Info, &items.epistemic),
            mean(Rule::Info, &items.aleatoric),
            mean(Rule::JudgeEntropy, &items.epistemic),
            mean(Rule::JudgeEntropy, &items.aleatoric),
            shared,
        ),
        note: format!(
            "Each dot is an item under its posterior belief in the first replicate. Labels help at the top and change \
             nothing at the bottom, wherever the dot stands across. The horizontal layers are numbers of labels in \
             hand: with equal trust, an item with more labels lies lower. Marked are the {}% of items that each rule \
             escalates.",
            items.budget.in_percent()
        ),
        width: Width::Full,
        height: 190.0,
        panels: [Rule::Info, Rule::JudgeEntropy].map(axes).into(),
    }
}
