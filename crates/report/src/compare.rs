//! Two studies compared, in lines.

use super::held_out::{INTERVALS, score_name, text};
use super::lines::{Line, MOST_LINES, within};
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_evaluation::held_out::{Given, Score};
use judge_uncertainty_study::evaluate::compare::{PairedScore, StudyComparison};
use judge_uncertainty_study::findings::words::Unit;
use judge_uncertainty_system::numbers::three;
use judge_uncertainty_system::shell_word;

fn ordinal(which: usize) -> &'static str {
    ["first", "second"][which]
}

fn score_line(one: &PairedScore) -> String {
    let known = match (one.prediction, one.given) {
        ("judge", _) => "",
        (_, Given::NoLabel) => ", no label of the item",
        (_, Given::OtherLabels) => ", the item's other labels",
    };
    let verdict = match one.advantage.estimate() {
        Some(advantage) if advantage.lo > 0.0 => "the FIRST is better",
        Some(advantage) if advantage.hi < 0.0 => "the SECOND is better",
        Some(_) => "there is no clear difference",
        None => one.advantage.reason().unwrap_or_default(),
    };
    format!("  {}{known}, {}: {} ({verdict})", one.prediction, score_name(one.score), text(&one.advantage))
}

/// Which of two predictions is better, in a sentence, by the log score (the squared error of scores).
fn verdict(compared: &StudyComparison, prediction: &str) -> Option<(i8, String)> {
    let main = |one: &&PairedScore| {
        one.prediction == prediction
            && one.given == Given::NoLabel
            && matches!(one.score, Score::Log | Score::Crps | Score::Squared)
    };
    let one = compared.scores.iter().find(main)?;
    let found = one.advantage.estimate()?;
    let side = i8::from(found.lo > 0.0) - i8::from(found.hi < 0.0);
    let who = |which: usize| format!("the {} ({})", ordinal(which), compared.studies[which].title);
    let by = format!("{} is lower by {}", score_name(one.score), Unit::Number.size(found));
    Some((
        side,
        match side {
            1 => format!("{}: its {by}.", who(0)),
            -1 => format!("{}: its {by}.", who(1)),
            _ => format!(
                "there is no clear difference: the first's {} is lower by {}.",
                score_name(one.score),
                Unit::Number.estimate(found)
            ),
        },
    ))
}

/// What a comparison answers, in few lines; `folders` are those of the two studies, as the user names them.
pub fn comparison_answer(compared: &StudyComparison, folders: [String; 2]) -> Vec<Line> {
    let judge = verdict(compared, "judge");
    let belief = verdict(compared, "belief");
    let why = || compared.not_estimable.clone().unwrap_or_else(|| "the two predict the same".to_owned());
    let first = match (&judge, &belief) {
        (Some((_, text)), _) => format!("Which judge predicts labels better? {}", capital(text)),
        (None, _) if compared.judges_differ.is_none() => "Both studies have the same judge.".to_owned(),
        (None, _) => format!("Which judge predicts labels better? Not known: {}.", why()),
    };
    let mut lines = vec![(0, Line::Lead(first))];
    lines.push((
        0,
        Line::Row(match &belief {
            Some((_, text)) => format!("Read through the belief, with no label of the item: {text}"),
            None => format!("Read through the belief: not known, as {}.", why()),
        }),
    ));
    if compared.not_estimable.is_none() {
        let text = "log scores and errors on held-out labels";
        lines.push((2, Line::Row(format!("These are {text} of {} items; lower is better.", compared.scored_items))));
    }
    let ranks = &compared.ranks;
    let alike = ranks.spearman_epistemic.estimate().map_or_else(String::new, |found| {
        format!("rank correlation of the epistemic part {}; ", Unit::Number.estimate(found))
    });
    let tenth = 100.0 * ranks.shared_tenth;
    lines.push((
        1,
        Line::Row(format!("Do they queue the same items? {alike}their first tenths share {tenth:.0}% of their items.")),
    ));
    if let Some(what) = &compared.judges_differ {
        lines.push((
            3,
            Line::Row(format!("The judges differ ({what}), so a trust fitted to one does not apply to the other.")),
        ));
    }
    if !compared.apart.is_empty() {
        lines.push((1, Line::Lead("They disagree most on:".to_owned())));
    }
    for item in compared.apart.iter().take(3) {
        lines.push((2, Line::Row(format!("{}: first {}, second {}", item.id, item.first, item.second))));
    }
    lines.push((0, Line::Lead("All scores, and how the judge moved: --details".to_owned())));
    let side = judge.or(belief).map_or(0, |(side, _)| side);
    let better = shell_word(&folders[usize::from(side < 0)]);
    lines.push((0, Line::Lead(format!("Next: judge-uncertainty study queue {better} --budget 10%"))));
    within(MOST_LINES, lines)
}

/// A text with its first letter as a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Two studies compared.
pub fn describe_comparison(compared: &StudyComparison) -> Vec<Line> {
    let mut lines = vec![];
    for (which, one) in compared.studies.iter().enumerate() {
        let trust = three(one.assumed_trust);
        lines.push(Line::sentence(format!(
            "The {} study: {}, {} belief, a typical prediction counts for {trust} labels.",
            ordinal(which),
            one.title,
            one.belief.replace('_', " ")
        )));
    }
    lines.push(Line::sentence(match &compared.judges_differ {
        Some(what) => format!(
            "The judges differ ({what}). Trust is fitted for each judge: what one is worth says nothing about the \
             other."
        ),
        None => "The judge is the same.".to_owned(),
    }));
    match &compared.not_estimable {
        Some(reason) => lines.push(Line::sentence(format!("Not estimable: which predicts labels better: {reason}."))),
        None => {
            lines.push(Line::Lead(format!(
                "How much lower the first study scores on held-out labels of {} items (above 0 the first is better):",
                compared.scored_items
            )));
            lines.extend(compared.scores.iter().map(score_line).map(Line::Row));
            lines.extend(compared.chosen.clone().map(Line::Sentence));
            lines.push(Line::sentence(INTERVALS));
        }
    }
    let known = |of: &Estimable| of.reason().map_or_else(|| text(of), |reason| format!("not estimable ({reason})"));
    let ranks = &compared.ranks;
    let tenth = three(100.0 * ranks.shared_tenth);
    let tenth = match ranks.shared_tenth_of_new_items.estimate() {
        Some(share) => format!("{tenth} [{}, {}]", three(100.0 * share.lo), three(100.0 * share.hi)),
        None => tenth,
    };
    lines.push(Line::sentence(format!(
        "Rank agreement over {} items (Spearman): {} of the epistemic part, {} of the total; the tenths with most \
         epistemic uncertainty share {tenth}% of their items.",
        compared.items,
        known(&ranks.spearman_epistemic),
        known(&ranks.spearman_total),
    )));
    for (quantity, moved) in &compared.drift {
        let moved = moved.reason().map_or_else(|| text(moved), str::to_owned);
        lines.push(Line::Row(format!("  drift of the judge's {quantity} from first to second: {moved}")));
    }
    if !compared.apart.is_empty() {
        lines.push(Line::Lead("The items on which the judges part most:".to_owned()));
    }
    for item in &compared.apart {
        lines.push(Line::Row(format!(
            "  {}: {} and {}, {} apart",
            item.id,
            item.first,
            item.second,
            three(item.distance)
        )));
    }
    lines
}
