//! Two studies compared, in lines.

use super::answer::next_command;
use super::held_out::INTERVALS;
use super::lines::{Line, MOST_LINES, within};
use super::prose::{lines, ranked};
use judge_uncertainty_core::stats::ItemEstimate;
use judge_uncertainty_evaluation::held_out::{Given, Score};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::evaluate::compare::{PairedScore, StudyComparison};
use judge_uncertainty_study::findings::words::{Unit, side};
use serde_json::json;
use tera::context;

/// By how much one of two predictions is better, by the log score (the squared error of scores).
fn advantage<'c>(compared: &'c StudyComparison, prediction: &str) -> Option<(Score, &'c ItemEstimate)> {
    let main = |one: &&PairedScore| {
        one.prediction == prediction
            && one.given == Given::NoLabel
            && matches!(one.score, Score::Log | Score::Crps | Score::Squared)
    };
    let one = compared.scores.iter().find(main)?;
    Some((one.score, one.advantage.estimate()?))
}

/// What a comparison answers, in few lines; `folders` are those of the two studies, as the user names them, and `waiting` the
/// queues in them that wait for labels.
///
/// # Errors
/// A template that does not fit.
pub fn comparison_answer(
    compared: &StudyComparison,
    folders: [String; 2],
    waiting: [Option<String>; 2],
) -> Result<Vec<Line>, Error> {
    let [judge, belief] = ["judge", "belief"].map(|prediction| advantage(compared, prediction));
    let better = usize::from(judge.or(belief).is_some_and(|(_, found)| found.hi < 0.0));
    let verdict = |(score, found): (Score, &ItemEstimate)| {
        let (size, estimate) = (Unit::Number.size(found), Unit::Number.estimate(found));
        json!({"score": score, "advantage": found, "size": size, "estimate": estimate})
    };
    let classes = compared.kind == "classes";
    let agreement = compared.agreement.judges.each_ref().map(|one| Unit::of_answers(classes).estimable(one));
    let unit = Unit::of_differences(classes);
    let agrees_more = compared.agreement.advantage.estimate().map(|found| {
        json!({"side": side(&compared.agreement.advantage), "is_more": found.value > 0.0, "size": unit.size(found)})
    });
    let view = context! {
        part => "answer",
        of => compared,
        classes => &classes,
        agreement => &agreement,
        agrees_more => &agrees_more,
        judge => &judge.map(verdict),
        belief => &belief.map(verdict),
        alike => &compared.ranks.spearman_epistemic.estimate().map(|found| Unit::Number.estimate(found)),
        next_command => &next_command(&folders[better], waiting[better].as_deref(), Some("10%")),
    };
    Ok(within(MOST_LINES, ranked("compare.txt", &view)?))
}

/// Two studies compared.
///
/// # Errors
/// A template that does not fit.
pub fn describe_comparison(compared: &StudyComparison) -> Result<Vec<Line>, Error> {
    let drift: Vec<_> = compared.drift.iter().collect();
    lines(
        "compare.txt",
        &context! { part => "all", of => compared, classes => &(compared.kind == "classes"), intervals => INTERVALS, drift => &drift },
    )
}
