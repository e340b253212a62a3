//! How many labels a figure needs, in lines.

use super::answer::next_command;
use super::lines::Line;
use super::prose::lines;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::findings::plan::{LabelPlan, PlannedFigure};
use judge_uncertainty_study::findings::{ASSUMED, REPLACED};
use serde_json::json;
use tera::context;

/// What a plan answers; `study` is its folder, as the user names it.
///
/// # Errors
/// A template that does not fit.
pub fn plan_answer(plan: &LabelPlan, study: &str, waiting: Option<&str>) -> Result<Vec<Line>, Error> {
    let figure = |figure: &PlannedFigure| {
        let after = figure.after.iter().map(|width| (width.labels, figure.text(width.half)));
        let now = figure.now.map(|now| figure.text(now));
        json!({"what": figure.what, "now": now, "after": after.collect::<Vec<_>>(), "reason": figure.not_estimable})
    };
    let budget = plan.figures.first().and_then(|rate| rate.needed).filter(|needed| *needed > 0);
    let view = context! {
        of => plan,
        missing => &plan.missing,
        figures => &plan.figures.iter().map(figure).collect::<Vec<_>>(),
        sentence => &plan.sentence(),
        assumed => &format!("{ASSUMED} {REPLACED}"),
        command => &next_command(study, waiting, budget.map(|needed| needed.to_string()).as_deref()),
    };
    lines("plan.txt", &view)
}
