//! What an application of a belief answers, in lines.

use super::lines::Line;
use super::prose::lines;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::apply::stream::ApplySummary;
use judge_uncertainty_study::apply::stream::{DICTIONARY, QUEUE};
use judge_uncertainty_study::belief_file::drift::Drift;
use tera::context;

/// What an application answers; `out` and `set_aside` are its folder and the file of the rows that it could not use, as the
/// user names them, and `again` is the command without what a queue needs.
///
/// # Errors
/// A template that does not fit.
pub fn apply_answer(
    summary: &ApplySummary,
    out: &str,
    set_aside: Option<&str>,
    again: &str,
) -> Result<Vec<Line>, Error> {
    let moved = |drift: &&Drift| drift.is_shifted(summary.drift.len());
    let view = context! {
        part => "answer",
        of => summary,
        out => out,
        set_aside => &set_aside,
        shifted => &summary.drift.iter().filter(moved).collect::<Vec<_>>(),
        known => &summary.drift.iter().any(|drift| drift.psi.is_some()),
        rule => &summary.queue.as_ref().map(|queue| queue.wanted.rule.name()),
        dictionary => DICTIONARY,
        queue => QUEUE,
        again => again,
    };
    lines("apply.txt", &view)
}

/// How far the items drift from those of the fit.
///
/// # Errors
/// A template that does not fit.
pub fn describe_application(summary: &ApplySummary) -> Result<Vec<Line>, Error> {
    lines("apply.txt", &context! { part => "all", of => summary })
}
