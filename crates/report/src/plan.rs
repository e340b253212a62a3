//! How many labels a figure needs, in lines.

use super::answer::queue_command;
use super::lines::Line;
use judge_uncertainty_study::findings::plan::{LabelPlan, PlannedFigure};
use judge_uncertainty_study::findings::{ASSUMED, REPLACED};

/// What a plan answers; `study` is its folder, as the user names it.
pub fn plan_answer(plan: &LabelPlan, study: &str) -> Vec<Line> {
    let LabelPlan { items, labelled, .. } = plan;
    let mut lines = vec![Line::Lead(format!(
        "How narrow do further labels make the figures? {items} items, {labelled} of them labelled; items drawn like these."
    ))];
    lines.extend(plan.figures.iter().map(|figure| Line::Row(figure_line(figure))));
    lines.extend(plan.sentence().map(Line::Lead));
    if plan.is_assumed {
        lines.push(Line::Lead(format!("{ASSUMED} {REPLACED}")));
    }
    if plan.target.is_none() {
        let hint = "Name what you want to know it to: --target 3 says how many labels ±3 points take.";
        lines.push(Line::Lead(hint.to_owned()));
    }
    let budget = plan.figures.first().and_then(|rate| rate.needed).filter(|needed| *needed > 0);
    lines.push(Line::Lead(format!("Next: {}", queue_command(study, budget))));
    lines
}

fn figure_line(figure: &PlannedFigure) -> String {
    let Some(now) = figure.now else {
        let reason = figure.not_estimable.as_deref().unwrap_or("the labels do not tell");
        return format!("{}: not estimable ({reason})", figure.what);
    };
    let after: Vec<String> =
        figure.after.iter().map(|width| format!("{} with {} more", figure.text(width.half), width.labels)).collect();
    let after = if after.is_empty() { String::new() } else { format!("; {}", after.join(", ")) };
    format!("{}: {} now{after}.", figure.what, figure.text(now))
}
