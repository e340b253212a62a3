//! A plan of further labels, in lines.

use super::lines::Line;
use judge_uncertainty_study::queue::plan::{Plan, Width};
use judge_uncertainty_system::numbers::three;

fn widths(widths: &[Width]) -> String {
    let of = |one: &Width| {
        let width = one.width.map_or_else(|| "not estimable".to_owned(), three);
        format!("{} items {width}", one.items)
    };
    widths.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// A plan of further labels.
pub fn describe_plan(plan: &Plan) -> Vec<Line> {
    let per = if plan.with_costs { "per unit of cost" } else { "per label" };
    let mut lines = vec![Line::Lead(format!(
        "Expected squared error of the belief's means, averaged over {} items: {}. If the belief is right, further \
         labels, each to the item where it is worth most {per}, leave:",
        plan.items,
        three(plan.error)
    ))];
    for step in &plan.steps {
        lines.push(Line::Row(format!(
            "  {:>7} labels on {:>7} items, cost {:>8}: error {}; the last tenth removed {} {per}, summed over items",
            step.labels,
            step.on_items,
            three(step.cost),
            three(step.error),
            three(step.value_per_cost)
        )));
    }
    lines.push(Line::sentence(match plan.stop {
        None => "Where to stop depends on what an error costs: give --price, the least error that a unit of cost has \
                 to remove."
            .to_owned(),
        Some(stop) if stop.all_worth_it => {
            format!("At a price of {} all of these labels are worth it.", three(stop.price))
        }
        Some(stop) if stop.labels == 0 => {
            format!("At a price of {} stop here: the next tenth of labels removes less.", three(stop.price))
        }
        Some(stop) => format!(
            "At a price of {} stop after {} labels: the tenth that follows removes less.",
            three(stop.price),
            stop.labels
        ),
    }));
    lines.push(Line::Lead(
        "Width of the 95% interval of a mean over all items, if items drawn at random get one label each (study queue \
         --explore 1):"
            .to_owned(),
    ));
    lines.extend(plan.shares.iter().map(|one| Line::Row(format!("  {}: {}", one.quantity, widths(&one.widths)))));
    lines.push(Line::Lead(
        "Width of the 95% interval for new items, if so many items had as many labels as the labelled ones have now:"
            .to_owned(),
    ));
    for one in &plan.comparisons {
        let text =
            one.not_estimable.as_ref().map_or_else(|| widths(&one.widths), |why| format!("not estimable: {why}"));
        lines.push(Line::Row(format!("  {}: {text}", one.what)));
    }
    lines
}
