//! What a run answers, in few lines: is the judge worth anything, what to label next, what to look out for.

use super::advice::{advice_sentences, map_sentence};
use super::audit::words::Unit;
use super::blocks::number;
use super::lines::{Line, MOST_LINES, within};
use super::queue::{drawn_of, ranked_by};
use super::sentences::{trust_sentence, typical_worth};
use super::shown::{Shown, said};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_evaluation::held_out::Given;
use judge_uncertainty_page::{KeyNumber, Tone};
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::evaluate::held_out::{HeldOutReport, SHARED_NOISE};
use judge_uncertainty_study::queue::{Amount, Order};
use judge_uncertainty_study::results::cards::Cards;
use judge_uncertainty_study::{EvaluationOutcome, StudyResults};

fn side(found: &Estimable) -> Option<i8> {
    found.estimate().map(|found| i8::from(found.lo > 0.0) - i8::from(found.hi < 0.0))
}

/// By how much one prediction beats another, of predictions that know no label of the item.
fn advantage<'r>(report: &'r HeldOutReport, first: &str, second: &str) -> Option<&'r Estimable> {
    let of = |prediction: &str, than: &str| {
        report.comparisons.iter().find(|one| {
            one.prediction == prediction
                && one.than == than
                && (one.given, one.than_given) == (Given::NoLabel, Given::NoLabel)
        })
    };
    of(first, second).map(|one| &one.advantage)
}

/// Whether the judge tells more than the commonest answer: no more than intervals leave without doubt.
pub(super) fn judge_verdict<K: Shown>(results: &StudyResults<K>) -> String {
    let report = match &results.held_out {
        OrReason::Found(report) => report,
        OrReason::NotEstimable { not_estimable } => {
            return format!("Whether the judge tells anything is not known: {not_estimable}.");
        }
    };
    let agrees = report.agreement.beyond_base_rate.as_ref().and_then(side);
    let judge = agrees.or_else(|| advantage(report, "judge", "base_rate").and_then(side));
    let belief = advantage(report, &report.own, "base_rate").and_then(side);
    let text = match (judge, belief) {
        (Some(1), _) if agrees.is_some() => "Yes: it agrees with people more often than the commonest answer does.",
        (Some(1), _) => "Yes: it predicts labels better than their mean does.",
        (_, Some(1)) => "In part: only read through the belief does it predict labels better than the base rate.",
        (Some(-1), _) => "No: the base rate does better.",
        _ => "Not shown: the labels leave open whether it does better than the base rate.",
    };
    text.to_owned()
}

/// How often the judge agrees with a label, beside the base rate, in a sentence.
pub(super) fn agreement(report: &HeldOutReport) -> Option<String> {
    let found = &report.agreement;
    let beyond =
        found.beyond_chance.estimate().map(|beyond| format!("; beyond chance {}", Unit::Number.estimate(beyond)));
    match (found.observed.as_ref().and_then(Estimable::estimate), found.base_rate) {
        (Some(observed), Some(base)) => Some(format!(
            "It agrees with a person on {} of items; always the commonest answer: {}{}.",
            Unit::Share.estimate(observed),
            Unit::Share.plain(base),
            beyond.unwrap_or_default()
        )),
        _ => found
            .beyond_chance
            .estimate()
            .map(|beyond| format!("Its agreement with people beyond chance is {}.", Unit::Number.estimate(beyond))),
    }
}

/// The three figures that come first on the page.
pub(super) fn tiles<K: Shown>(results: &StudyResults<K>) -> Vec<KeyNumber> {
    let report = results.held_out.found();
    let judge = report.and_then(|report| advantage(report, "judge", "base_rate")).and_then(side);
    let tone = match judge {
        Some(1) => Tone::Good,
        Some(-1) => Tone::Bad,
        _ => Tone::Neutral,
    };
    let found = report.map(|report| &report.agreement);
    let observed = found.and_then(|found| found.observed.as_ref()?.estimate());
    let beyond = found.and_then(|found| found.beyond_chance.estimate());
    let mut tiles: Vec<KeyNumber> = vec![];
    tiles.extend(observed.map(|found| number(Unit::Share.estimate(found), "agreement with a person", tone)));
    tiles.extend(
        beyond.map(|found| number(Unit::Number.estimate(found), "agreement beyond chance (kappa)", Tone::Neutral)),
    );
    let worth = format!("labels that a typical {} is worth", K::WORDS.prediction);
    tiles.push(number(typical_worth(&results.fit), &worth, Tone::Neutral));
    let labelled = format!("{} of {}", results.fit.labelled_items, results.input.items);
    tiles.push(number(labelled, "items labelled", Tone::Neutral));
    tiles.truncate(3);
    tiles
}

/// What should be looked at before the results are used.
pub(super) fn warnings<K: Shown>(results: &StudyResults<K>) -> Vec<String> {
    let fit = &results.fit;
    let mut found = vec![];
    if !fit.converged {
        found.push(format!("The fit did NOT converge ({} steps); use the numbers with care.", fit.iterations));
    }
    if fit.at_limit > 0 {
        found.push(format!("The trust of {} items is at a limit, which is no estimate.", fit.at_limit));
    }
    if let Some(report) = results.held_out.found() {
        let judge = advantage(report, "judge", "base_rate").and_then(side);
        if judge == Some(-1) {
            let text =
                "As probabilities, the judge's answers are WORSE than the base rate: it is too sure. Use the belief's.";
            found.push(text.to_owned());
        }
        let judged = report.squared_errors.iter().find(|one| one.prediction == "judge");
        if judged.and_then(|one| one.mean.reason()).is_some_and(|reason| reason.starts_with(SHARED_NOISE)) {
            let text = "The judge is nearer to these labels than independent labels are to each other: it shares their \
                        noise, as if made from the same annotators, or they have habits of their own. Others would \
                        agree with it less.";
            found.push(text.to_owned());
        }
        if advantage(report, &report.own, "base_rate").and_then(side) == Some(-1) {
            found.push("The belief is WORSE than the base rate: do not act on its ranking yet.".to_owned());
        }
    }
    found
}

/// The first items of the queue, by position among the cards, each with the reason why it is there and what else
/// stands out.
pub(super) fn first_items(cards: &Cards) -> Vec<(usize, String, String)> {
    let of = |&(place, drawn): &(usize, bool)| {
        let card = &cards.cards[place];
        let why = match (cards.queue.rule, card.labels) {
            (Order::By(Rule::Random), _) => "drawn at random".to_owned(),
            _ if drawn => "drawn at random".to_owned(),
            (_, 0) => "no label yet".to_owned(),
            (_, 1) => "one label, as few as any".to_owned(),
            (_, labels) => format!("{labels} labels, as few as any"),
        };
        let of_labels = |why: &&String| why.starts_with("no label") || why.starts_with("few labels");
        let more = card.why.iter().find(|why| !of_labels(why)).map_or_else(String::new, |more| format!("; {more}"));
        (place, card.id.clone(), why + &more)
    };
    cards.next.iter().map(of).collect()
}

/// What orders these items, in words.
pub(super) fn order_of_next(cards: &Cards) -> String {
    let drawn = cards.queue.explore.map_or_else(String::new, drawn_of);
    format!("the first of the queue. {}{drawn}", ranked_by(cards.queue.rule))
}

/// What a run answers; `study` and `run` are its folders, as the user names them.
pub fn answer<K: Shown>(results: &StudyResults<K>, cards: &Cards, study: &str, run: &str) -> Vec<Line> {
    let input = &results.input;
    let labelled = format!("{}: {} items, {} {}.", input.title, input.items, input.labels.number(), K::WORDS.labels);
    let verdict = judge_verdict(results);
    let mut lines = vec![(0, Line::Lead(labelled)), (0, Line::Lead(format!("Can I trust the judge? {verdict}")))];
    if let Some(report) = results.held_out.found() {
        lines.extend(agreement(report).map(|text| (1, Line::Row(text))));
        let gain = advantage(report, &report.own, "judge").and_then(Estimable::estimate);
        lines.extend(gain.map(|found| {
            let text = format!("Read through the belief, its log score is better by {}.", Unit::Number.estimate(found));
            (3, Line::Row(text))
        }));
    }
    lines.push((2, Line::Row(trust_sentence::<K>(&results.fit))));
    lines.extend(map_sentence::<K>(&results.fit.own).map(|text| (2, Line::Row(text))));
    lines.extend(said(K::findings_sentences(results)).take(2).map(|line| (4, Line::Row(line.text().to_owned()))));
    if let EvaluationOutcome::NotEvaluated(reason) = &results.evaluation {
        // The reason's first sentence; the others are among the details.
        let why = reason.split(". ").next().unwrap_or(reason);
        lines.push((5, Line::Row(format!("Not evaluated: {}.", why.trim_end_matches('.')))));
    }
    lines.extend(warnings(results).into_iter().map(|text| (0, Line::Row(format!("Warning: {text}")))));
    lines.extend(advice_sentences(&results.advice).into_iter().map(|text| (1, Line::Lead(text))));
    lines.push((0, Line::Lead(format!("Label next: {}.", order_of_next(cards)))));
    lines.extend(first_items(cards).into_iter().map(|(_, id, why)| (1, Line::Row(format!("{id}: {why}")))));
    lines.push((0, Line::Lead(format!("Report: {run}/report/index.html (all sentences here: --details)"))));
    lines.push((0, Line::Lead(format!("Next: {}", queue_command(study, Amount::DEFAULT)))));
    within(MOST_LINES, lines)
}
/// The command that queues items of a study. Where a queue stands already, the next has a folder of its own: the record of
/// the first says how its labels were chosen.
pub(crate) fn queue_command(study: &str, budget: impl std::fmt::Display) -> String {
    let path = std::path::Path::new(study);
    let folder = if path.is_file() { path.with_file_name("") } else { path.to_owned() };
    let mut command = format!("judge-uncertainty study queue {study} --budget {budget}");
    if folder.join("queue").exists() {
        let free = (2..).map(|number| folder.join(format!("queue-{number}"))).find(|place| !place.exists());
        command.extend(free.map(|place| format!(" --out {}", place.display())));
    }
    command
}
