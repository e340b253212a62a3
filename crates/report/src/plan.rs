//! A plan of further labels, in lines.

use super::advice::further_labels;
use super::answer::queue_command;
use super::lines::{Line, MOST_LINES, within};
use judge_uncertainty_study::queue::plan::{LabelPlan, PlannedWidth, Step};
use judge_uncertainty_system::numbers::{three, two};

fn widths(widths: &[PlannedWidth]) -> String {
    let of = |one: &PlannedWidth| {
        let width = one.width.map_or_else(|| "not estimable".to_owned(), three);
        format!("{} items {width}", one.items)
    };
    widths.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// What a plan answers, in few lines; `study` is its folder, as the user names it.
pub fn plan_answer(plan: &LabelPlan, study: &str) -> Vec<Line> {
    let source = match plan.not_checked {
        None => "as the labels show it",
        Some(_) => "by the belief's own forecast; labels do not say yet whether it is right",
    };
    let mut lines = vec![(
        0,
        Line::Lead(format!(
            "What would further labels bring? An item's expected squared error is {} now, {source}.",
            two(plan.error)
        )),
    )];
    let shown = |(k, _): &(usize, &Step)| [0, 1, 2, 4, plan.steps.len().saturating_sub(1)].contains(k);
    for (_, step) in plan.steps.iter().enumerate().filter(shown) {
        let cost = if plan.with_costs { format!(", cost {}", two(step.cost)) } else { String::new() };
        let less = (100.0 * (1.0 - step.error / plan.error)).clamp(0.0, 100.0);
        lines.push((
            1,
            Line::Row(format!(
                "{} labels on {} items{cost}: {}, {less:.0}% less",
                step.labels,
                step.on_items,
                two(step.error)
            )),
        ));
    }
    lines.extend(plan.held_out.as_ref().map(|gain| (0, Line::Lead(further_labels(gain)))));
    let per = if plan.with_costs { "unit of cost" } else { "label" };
    let worth = |step: Option<&Step>| step.map_or_else(String::new, |step| two(step.value_per_cost));
    lines.push((
        0,
        Line::Lead(match plan.stop {
            None => format!(
                "Where to stop: the first tenth of these labels removes {} of summed error per {per}, the last {}. \
                 Give --price, the least that is worth a {per}, to be told where to stop.",
                worth(plan.steps.first()),
                worth(plan.steps.last())
            ),
            Some(_) => stop_sentence(plan),
        }),
    ));
    if let Some(share) = plan.shares.last() {
        let half = |one: &PlannedWidth| Some(format!("±{} with {}", two(0.5 * one.width?), one.items));
        let last = share.widths.len().saturating_sub(1);
        let some = share.widths.iter().enumerate().filter(|(k, _)| [0, 2, last].contains(k));
        let halves: Vec<String> = some.filter_map(|(_, one)| half(one)).collect();
        if !halves.is_empty() {
            let quantity = match share.quantity.strip_prefix("mean_") {
                Some("score" | "place") | None => share.quantity.replace('_', " "),
                Some(class) => format!("share of {class:?}"),
            };
            let tell = format!(
                "Items labelled at random (--explore 1) tell the {quantity} that annotators see in all items to"
            );
            lines.push((3, Line::Row(format!("{tell} {}.", halves.join(", ")))));
        }
    }
    let budget = plan.stop.filter(|stop| stop.labels > 0).map(|stop| stop.labels);
    lines.push((0, Line::Lead("All steps, and the widths of intervals: --details".to_owned())));
    lines.push((0, Line::Lead(format!("Next: {}", queue_command(study, budget)))));
    within(MOST_LINES, lines)
}

/// What the errors of a plan rest on.
fn source(plan: &LabelPlan) -> &'static str {
    match plan.not_checked {
        None => "By the error that held-out labels show",
        Some(_) => "No held-out labels say where to stop; if the belief were right",
    }
}

/// Where a price says to stop.
fn stop_sentence(plan: &LabelPlan) -> String {
    match plan.stop {
        None => "Where to stop depends on what an error costs: give --price, the least error that a unit of cost has \
                 to remove."
            .to_owned(),
        Some(stop) if stop.all_worth_it => {
            format!("{}, at a price of {} all of these labels are worth it.", source(plan), three(stop.price))
        }
        Some(stop) if stop.labels == 0 => format!(
            "{}, at a price of {} stop here: the next tenth of labels removes less.",
            source(plan),
            three(stop.price)
        ),
        Some(stop) => format!(
            "{}, at a price of {} stop after {} labels: the tenth that follows removes less.",
            source(plan),
            three(stop.price),
            stop.labels
        ),
    }
}

/// A plan of further labels.
pub fn describe_plan(plan: &LabelPlan) -> Vec<Line> {
    let per = if plan.with_costs { "per unit of cost" } else { "per label" };
    let source = match &plan.not_checked {
        None => format!("as labels show it (the belief itself foresees {})", three(plan.foreseen)),
        Some(why) => format!("as the belief foresees it, which is not held against labels: {why}"),
    };
    let mut lines = vec![Line::Lead(format!(
        "Expected squared error of the belief's means, averaged over {} items: {}, {source}. Further labels, each to \
         the item where it is worth most {per}, leave:",
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
    lines.push(Line::sentence(plan.held_out.as_ref().map_or_else(
        || {
            "Whether further labels help is not known from labels held out: that takes items with two labels or more."
                .to_owned()
        },
        further_labels,
    )));
    lines.push(Line::sentence(stop_sentence(plan)));
    lines.push(Line::Lead(
        "Width of the 95% interval of a mean over all items, if items drawn at random get one label each (study queue \
         --explore 1), for what their annotators would say of all:"
            .to_owned(),
    ));
    lines.extend(plan.shares.iter().map(|one| Line::Row(format!("  {}: {}", one.quantity, widths(&one.widths)))));
    lines.push(Line::Lead(
        "Width of the 95% interval for new items, if so many items had as many labels as the labelled ones have now:"
            .to_owned(),
    ));
    let mut told: Option<&String> = None;
    for one in &plan.comparisons {
        let text = match &one.not_estimable {
            None => widths(&one.widths),
            Some(why) if told == Some(why) => "not estimable, for the same reason".to_owned(),
            Some(why) => format!("not estimable: {why}"),
        };
        told = one.not_estimable.as_ref();
        lines.push(Line::Row(format!("  {}: {text}", one.what)));
    }
    lines
}
