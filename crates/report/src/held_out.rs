//! Judge and beliefs on labels that they have not seen, in lines and as a section of the page.

use super::belief_check;
use super::blocks::{section, show, with_interval};
use super::lines::Line;
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::stats::{Estimable, ItemEstimate};
use judge_uncertainty_evaluation::held_out::{Given, Score};
use judge_uncertainty_page::{Block, Section, Table, Text};
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::evaluate::held_out::{HeldOutReport, LabelGain, ScoreComparison};
use judge_uncertainty_system::numbers::three;

/// What all intervals here are.
pub(super) const INTERVALS: &str = "Intervals are 95% ones for new items, each on its own: they cover the choice of \
                                    items and their labels, not that a fit to other items would be another one.";

/// What a score is called.
pub(super) fn score_name(score: Score) -> &'static str {
    match score {
        Score::Log => "log score",
        Score::Brier => "Brier score",
        Score::Crps => "ranked probability score",
        Score::Squared => "squared error",
        Score::Coverage => "coverage of 90% intervals",
    }
}

/// What a prediction is called.
pub(super) fn prediction_name(name: &str, given: Given) -> String {
    let called = match name {
        "judge" => return "judge".to_owned(),
        "base_rate" => return "base rate, without a judge".to_owned(),
        "published" => "published belief",
        "auto" => "belief with the chosen map",
        map if MapName::try_from(map).is_ok() => &format!("belief by the map {map}"),
        other => other,
    };
    match given {
        Given::NoLabel => format!("{called}, no label of the item"),
        Given::OtherLabels => format!("{called}, the item's other labels"),
    }
}

fn interval(estimate: &ItemEstimate) -> String {
    format!("{} [{}, {}]", three(estimate.value), three(estimate.lo), three(estimate.hi))
}

pub(super) fn text(estimable: &Estimable) -> String {
    estimable.estimate().map_or_else(|| without_interval(estimable), interval)
}

/// The text for an estimate without an interval: the value for these items, if that is known.
fn without_interval(estimable: &Estimable) -> String {
    let of_these = |value: f64| format!("{} of these items", three(value));
    estimable.described().map_or_else(|| "not estimable".to_owned(), of_these)
}

pub(super) fn cell(estimable: &Estimable) -> String {
    let shown =
        |e: &ItemEstimate| with_interval(e.value, judge_uncertainty_core::stats::Interval { lo: e.lo, hi: e.hi });
    estimable.estimate().map_or_else(|| without_interval(estimable), shown)
}

/// What is not estimable, and why; each reason once.
fn reasons(report: &HeldOutReport) -> Vec<String> {
    let mut found: Vec<(String, String)> = vec![];
    let mut note = |what: String, estimable: &Estimable| {
        if let Some(reason) = estimable.reason() {
            match found.iter_mut().find(|(_, known)| known == reason) {
                Some((named, _)) if named.contains(&what) => {}
                Some((named, _)) => *named += &format!(", {what}"),
                None => found.push((what, reason.to_owned())),
            }
        }
    };
    for one in &report.scores {
        note(format!("{} of the {}", score_name(one.score), prediction_name(&one.prediction, one.given)), &one.mean);
    }
    for one in &report.comparisons {
        note(format!("what tells the {} of two predictions apart", score_name(one.score)), &one.advantage);
    }
    // One reason stands for all predictions, whose figures differ.
    let unknown = report.squared_errors.iter().find(|one| one.mean.reason().is_some());
    unknown.iter().for_each(|one| note("the squared error against the pool".to_owned(), &one.mean));
    note("how much labels of an item disagree".to_owned(), &report.disagreement);
    report.calibration.iter().for_each(|one| note("points of the calibration curve".to_owned(), &one.observed));
    note("calibration in the large".to_owned(), &report.calibration_in_the_large);
    found.into_iter().map(|(what, reason)| format!("Not estimable: {what}: {reason}.")).collect()
}

fn compared(one: &ScoreComparison) -> Option<String> {
    let advantage = one.advantage.estimate()?;
    let [first, second] =
        [(&one.prediction, one.given), (&one.than, one.than_given)].map(|(name, given)| prediction_name(name, given));
    let verdict = if advantage.lo > 0.0 {
        "is better than"
    } else if advantage.hi < 0.0 {
        "is WORSE than"
    } else {
        "is not clearly better or worse than"
    };
    let by = interval(advantage);
    Some(format!("  {first} {verdict} {second}: {} lower by {by}", score_name(one.score)))
}

/// What further labels of an item did for its prediction.
fn further_labels(gain: &LabelGain) -> String {
    let LabelGain { without, fall, interval } = gain;
    // The unbiased estimate may be below 0; it is then not shown.
    let error = if *without > 0.0 { format!(", {},", three(*without)) } else { String::new() };
    let (does, by, [lo, hi]) = match *fall < 0.0 {
        true => ("raise", -fall, [-interval.hi, -interval.lo]),
        false => ("lower", *fall, [interval.lo, interval.hi]),
    };
    let said = format!(
        "on labels held out an item's other labels {does} the squared error of its prediction{error} by {} [{}, {}].",
        three(by),
        three(lo),
        three(hi)
    );
    if gain.hardly_helps() {
        format!("Further labels of the same items hardly help, so stop or label others: {said}")
    } else if gain.helps() {
        format!("Further labels help: {said}")
    } else {
        format!("Whether further labels of the same items help is open: {said}")
    }
}

/// What was scored.
fn scored(report: &HeldOutReport) -> String {
    let sample = match report.labelled_items > report.items {
        true => format!(", a random sample of {} labelled ones", report.labelled_items),
        false => String::new(),
    };
    format!(
        "{} labels of {} items{sample} ({} with two labels or more) scored by predictions that had not seen them; \
         lower is better",
        report.labels, report.items, report.twice_labelled
    )
}

fn errors(report: &HeldOutReport) -> Vec<String> {
    let mut sentences = vec![];
    if let Some(disagreement) = report.disagreement.estimate() {
        let judged = report.squared_errors.iter().find(|one| one.prediction == "judge");
        sentences.push(format!(
            "Squared error against the pool: judge {}; the noise floor, by which two labels \
             of an item disagree, is {}.",
            judged.map_or_else(|| "not estimable".to_owned(), |judged| text(&judged.mean)),
            interval(disagreement)
        ));
    }
    sentences
}

/// Judge and beliefs on held-out labels.
pub fn describe_held_out(scores: &OrReason<HeldOutReport>) -> Vec<Line> {
    let report = match scores {
        OrReason::Found(report) => report,
        OrReason::NotEstimable { not_estimable } => {
            return vec![Line::sentence(format!("Not estimable: scores on held-out labels: {not_estimable}."))];
        }
    };
    let mut lines = vec![Line::Lead(format!("{}:", scored(report)))];
    let row = |one: &judge_uncertainty_study::evaluate::held_out::MeanScore| {
        let name = prediction_name(&one.prediction, one.given);
        Line::Row(format!("  {name:<53} {:<25} {}", score_name(one.score), text(&one.mean)))
    };
    lines.extend(report.scores.iter().map(row));
    lines.extend(report.comparisons.iter().filter_map(compared).map(Line::Row));
    lines.extend(errors(report).into_iter().map(Line::Sentence));
    lines.extend(report.label_gain.iter().map(further_labels).map(Line::Sentence));
    lines.extend(report.belief_check.iter().flat_map(belief_check::sentences).map(Line::Sentence));
    lines.extend(reasons(report).into_iter().map(Line::Sentence));
    lines.extend(report.chosen.clone().map(Line::Sentence));
    lines.push(Line::sentence(INTERVALS));
    lines
}

fn scores_table(report: &HeldOutReport) -> Table {
    let mut shown: Vec<Score> = report.scores.iter().map(|one| one.score).collect();
    shown.sort();
    shown.dedup();
    let mut predictions: Vec<(String, Given)> = vec![];
    for one in &report.scores {
        let prediction = (one.prediction.clone(), one.given);
        if !predictions.contains(&prediction) {
            predictions.push(prediction);
        }
    }
    let rows = predictions.iter().map(|(name, given)| {
        let of = |score: &Score| {
            let one =
                report.scores.iter().find(|one| one.prediction == *name && one.given == *given && one.score == *score);
            one.map_or_else(|| "not estimable".to_owned(), |one| cell(&one.mean))
        };
        let squared = report.squared_errors.iter().find(|one| one.prediction == *name && one.given == *given);
        let squared = squared.map_or_else(|| "not estimable".to_owned(), |one| cell(&one.mean));
        let cells = std::iter::once(prediction_name(name, *given)).chain(shown.iter().map(of));
        cells.chain([squared]).collect::<Vec<_>>()
    });
    let scores = shown.iter().map(|score| score_name(*score));
    let heads: Vec<&str> =
        std::iter::once("prediction").chain(scores).chain(["squared error against the pool"]).collect();
    let caption = "Mean scores on labels that the prediction has not seen, with 95% intervals for new items";
    Table::new("table-held-out", caption, "lr", &heads, rows).with_note(
        "The squared error is the score less what two labels of one item disagree by, over items with two labels or \
         more; without bias, so it may come out below 0. A belief that is not listed is the same prediction as the \
         judge's.",
    )
}

fn comparisons_table(report: &HeldOutReport) -> Table {
    let rows = report.comparisons.iter().map(|one| {
        [
            prediction_name(&one.prediction, one.given),
            prediction_name(&one.than, one.than_given),
            score_name(one.score).to_owned(),
            cell(&one.advantage),
        ]
    });
    Table::new(
        "table-held-out-comparisons",
        "Predictions against each other on the same labels, with 95% intervals for new items",
        "lllr",
        &["prediction", "than", "score", "lower by"],
        rows,
    )
    .with_note("Above 0 the first prediction is better; an interval with 0 in it does not tell.")
}

fn calibration_table(report: &HeldOutReport) -> Table {
    let rows = report.calibration.iter();
    let rows = rows.map(|one| [one.items.to_string(), show(one.predicted), cell(&one.observed)]);
    let what = match report.scores.iter().any(|one| one.score == Score::Brier) {
        true => "Probability of the judge's likeliest class, and the share of labels that are of it",
        false => "The judge's mean, and the mean of the labels",
    };
    Table::new(
        "table-held-out-calibration",
        format!("{what}, by groups of items with similar predictions, with 95% intervals for new items"),
        "rrr",
        &["items", "predicted", "labels"],
        rows,
    )
    .with_note(format!("Over all items labels lie above predictions by {}.", cell(&report.calibration_in_the_large)))
}

/// The section on held-out labels.
pub(super) fn held_out_section(scores: &OrReason<HeldOutReport>) -> Section {
    let blocks = match scores {
        OrReason::NotEstimable { not_estimable } => {
            vec![Block::Prose(format!("Not estimable: {not_estimable}.").into())]
        }
        OrReason::Found(report) => {
            let told = errors(report)
                .into_iter()
                .chain(report.label_gain.iter().map(further_labels))
                .chain(report.belief_check.iter().flat_map(belief_check::sentences))
                .chain(reasons(report))
                .chain(report.chosen.clone());
            let mut blocks = vec![
                Block::Prose(format!("{}. {INTERVALS}", scored(report)).into()),
                Block::Table(scores_table(report)),
                Block::Table(comparisons_table(report)),
                Block::List(told.map(Text::plain).collect()),
                Block::Table(calibration_table(report)),
            ];
            blocks.extend(report.belief_check.iter().map(belief_check::table));
            blocks
        }
    };
    section("held-out", "On labels that were held out", blocks)
}

#[cfg(test)]
mod tests {
    use judge_uncertainty_core::stats::Interval;

    use super::*;

    #[test]
    fn further_labels_are_a_verdict_only_where_the_interval_leaves_no_other() {
        let said = |fall: f64, lo: f64, hi: f64| {
            further_labels(&LabelGain { without: 1.0, fall, interval: Interval { lo, hi } })
        };
        assert!(said(0.5, 0.1, 0.9).starts_with("Further labels help: "), "{}", said(0.5, 0.1, 0.9));
        assert!(said(0.03, -0.01, 0.07).starts_with("Further labels of the same items hardly help"));
        assert!(said(0.03, 0.01, 0.07).starts_with("Further labels of the same items hardly help"));
        // An error that comes out below 0 is not told, and labels that do harm do not help.
        let harm =
            further_labels(&LabelGain { without: -0.07, fall: -0.01, interval: Interval { lo: -0.02, hi: -0.001 } });
        assert!(harm.starts_with("Further labels of the same items hardly help") && !harm.contains("-0.07"), "{harm}");
        assert!(harm.contains("raise the squared error of its prediction by 0.0100 [0.00100, 0.0200]"), "{harm}");
        assert!(
            said(0.5, 0.1, 0.9).contains("lower the squared error of its prediction, 1.00, by 0.500 [0.100, 0.900]")
        );
        for open in [said(0.5, -0.1, 1.1), said(0.05, -0.2, 0.3)] {
            assert!(open.starts_with("Whether further labels of the same items help is open: "), "{open}");
        }
    }
}
