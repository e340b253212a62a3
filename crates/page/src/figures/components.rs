//! Aleatoric against epistemic uncertainty, item by item, with what two rules escalate.

use std::collections::BTreeSet;

use crate::look;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_evaluation::ItemComponents;
use judge_uncertainty_figures::{Axis, Figure, Panel, Series, Shape, Width};

/// The rules whose escalated items are marked, one panel each.
pub const RULES: [Rule; 2] = [Rule::Info, Rule::JudgeEntropy];

/// The items that the figure draws, with the words that it uses for them.
pub struct ComponentsView<'a> {
    /// The items drawn.
    pub items: &'a ItemComponents,
    /// Unit of both parts.
    pub unit: &'a str,
    /// Names of the two rules in legend and headings.
    pub names: [&'a str; 2],
    /// Names of the two rules within a sentence.
    pub said: [&'a str; 2],
    /// Which items, under which labels.
    pub setting: &'a str,
    /// How to read the dots.
    pub reading: &'a str,
    /// A part as text.
    pub number: fn(f64) -> String,
}

/// One dot per item in each panel.
pub fn figure(view: &ComponentsView) -> Figure {
    let items = view.items;
    let place = |i: usize| [items.aleatoric[i], items.epistemic[i]];
    let marked = |rule: Rule| items.escalated.get(&rule).map_or(&[][..], Vec::as_slice);
    let panel = |(rule, name): (Rule, &str)| Panel {
        title: Some(name.to_owned()),
        x: Axis::numbers(format!("aleatoric ({})", view.unit), &[0.0]),
        y: Axis::numbers(format!("epistemic ({})", view.unit), &[0.0]),
        series: vec![
            Series::new("all items", look::REST, Shape::Cloud((0..items.aleatoric.len()).map(place).collect())),
            Series::new(
                format!("escalated by {name}"),
                look::of_rule(rule),
                Shape::Cloud(marked(rule).iter().map(|&i| place(i)).collect()),
            ),
        ],
    };
    let mean = |rule: Rule, values: &[f64]| {
        let picked = marked(rule);
        (view.number)(picked.iter().map(|&i| values[i]).sum::<f64>() / picked.len().max(1) as f64)
    };
    let by_first: BTreeSet<usize> = marked(RULES[0]).iter().copied().collect();
    let shared = marked(RULES[1]).iter().filter(|i| by_first.contains(i)).count();
    Figure {
        name: "components".to_owned(),
        title: "The two parts of uncertainty, item by item, and what two rules escalate".to_owned(),
        alt: format!(
            "Two scatter plots of {} items, aleatoric part across and epistemic part up, {}. The {} items that {} \
             escalates, the uppermost, have a mean epistemic part of {} {} and a mean aleatoric part of {}; those of \
             {} have {} and {}. {shared} items are escalated by both.",
            items.aleatoric.len(),
            view.setting,
            marked(RULES[0]).len(),
            view.said[0],
            mean(RULES[0], &items.epistemic),
            view.unit,
            mean(RULES[0], &items.aleatoric),
            view.said[1],
            mean(RULES[1], &items.epistemic),
            mean(RULES[1], &items.aleatoric),
        ),
        note: format!(
            "{} Marked are the {}% of items that each rule escalates.",
            view.reading,
            items.budget.in_percent()
        ),
        width: Width::Full,
        height: 190.0,
        panels: RULES.into_iter().zip(view.names).map(panel).collect(),
    }
}
