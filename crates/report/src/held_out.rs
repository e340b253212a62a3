//! Judge and beliefs on labels that they have not seen, in lines and as a section of the page.

use super::blocks::{prediction_name, score_name, section, sentences, with_interval, without_interval};
use super::lines::Line;
use super::prose::{lines, table};
use judge_uncertainty_core::stats::{Estimable, ItemEstimate};
use judge_uncertainty_evaluation::held_out::{Given, Score};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Section, Table};
use judge_uncertainty_study::evaluate::OrReason;
use judge_uncertainty_study::evaluate::belief_check::BeliefCheck;
use judge_uncertainty_study::evaluate::held_out::HeldOutReport;
use tera::context;

/// What all intervals here are.
pub(super) const INTERVALS: &str = "Intervals are 95% ones for new items, each on its own: they cover the choice of \
                                    items and their labels, not that a fit to other items would be another one.";

fn cell(estimable: &Estimable) -> String {
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

/// Judge and beliefs on held-out labels.
///
/// # Errors
/// A template that does not fit.
pub fn describe_held_out(scores: &OrReason<HeldOutReport>) -> Result<Vec<Line>, Error> {
    let report = match scores {
        OrReason::Found(report) => report,
        OrReason::NotEstimable { not_estimable } => {
            return Ok(vec![Line::sentence(format!("Not estimable: scores on held-out labels: {not_estimable}."))]);
        }
    };
    let check = report.belief_check.as_ref();
    let off = check.map(|check| check.groups.iter().filter(|one| one.contradicted() != 0).collect::<Vec<_>>());
    let view = context! {
        report => report,
        judged => &report.squared_errors.iter().find(|one| one.prediction == "judge"),
        hardly_helps => &report.label_gain.is_some_and(|gain| gain.hardly_helps()),
        helps => &report.label_gain.is_some_and(|gain| gain.helps()),
        times => &check.and_then(times_foreseen),
        off => &off,
    };
    let mut lines = lines("held_out.txt", &view)?;
    lines.extend(reasons(report).into_iter().map(Line::Sentence));
    lines.extend(report.chosen.clone().map(Line::Sentence));
    lines.push(Line::sentence(INTERVALS));
    Ok(lines)
}

/// How many times what it foresees a belief errs that labels contradict, at most.
fn times_foreseen(check: &BeliefCheck) -> Option<f64> {
    let contradicted = [&check.before_labels, &check.after_labels].into_iter().filter(|one| one.contradicted() != 0);
    contradicted.filter_map(|one| Some(one.found.estimate()?.value / one.foreseen?)).reduce(f64::max)
}

fn scores_table(report: &HeldOutReport) -> Result<Table, Error> {
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
    Ok(table("held-out", context! { scores => &shown })?.with_rows(rows))
}

/// The section on held-out labels.
pub(super) fn held_out_section(scores: &OrReason<HeldOutReport>) -> Result<Section, Error> {
    let blocks = match scores {
        OrReason::NotEstimable { not_estimable } => {
            vec![Block::Prose(format!("Not estimable: {not_estimable}.").into())]
        }
        OrReason::Found(report) => {
            // The first line says what was scored, the last what the intervals are.
            let mut lines = describe_held_out(scores)?;
            lines.pop();
            let scored = lines[0].text().trim_end_matches(':');
            let prose = Block::Prose(format!("{scored}. {INTERVALS}").into());
            let classes = report.scores.iter().any(|one| one.score == Score::Brier);
            let mut blocks = vec![
                prose,
                Block::Table(scores_table(report)?),
                Block::Table(table("held-out-comparisons", context! { of => report })?),
                sentences(lines),
                Block::Table(table("held-out-calibration", context! { of => report, classes => &classes })?),
            ];
            if let Some(check) = &report.belief_check {
                blocks.push(Block::Table(table("belief-check", context! { of => check })?));
            }
            blocks
        }
    };
    Ok(section("held-out", "On labels that were held out", blocks))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// What is said of a report that holds these fields besides those that every one has.
    fn said(further: Value) -> Vec<String> {
        let unknown = json!({"not_estimable": "too few"});
        let mut report = json!({
            "items": 10, "labelled_items": 12, "twice_labelled": 5, "labels": 20, "own": "auto", "scores": [],
            "comparisons": [], "squared_errors": [], "disagreement": unknown, "calibration": [],
            "calibration_in_the_large": unknown,
        });
        report.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
        let report = OrReason::Found(serde_json::from_value(report).unwrap());
        describe_held_out(&report).unwrap().iter().map(|line| line.text().to_owned()).collect()
    }

    #[test]
    fn further_labels_are_a_verdict_only_where_the_interval_leaves_no_other() {
        let gain = |without: f64, fall: f64, lo: f64, hi: f64| {
            let gain = json!({"without": without, "fall": fall, "interval": [lo, hi]});
            said(json!({"label_gain": gain}))[1].clone()
        };
        let found = gain(1.0, 0.5, 0.1, 0.9);
        assert!(found.starts_with("Further labels help: "), "{found}");
        assert!(gain(1.0, 0.03, -0.01, 0.07).starts_with("Further labels of the same items hardly help"));
        assert!(gain(1.0, 0.03, 0.01, 0.07).starts_with("Further labels of the same items hardly help"));
        // An error that comes out below 0 is not told, and labels that do harm do not help.
        let harm = gain(-0.07, -0.01, -0.02, -0.001);
        assert!(harm.starts_with("Further labels of the same items hardly help") && !harm.contains("-0.07"), "{harm}");
        assert!(harm.contains("raise the squared error of its prediction by 0.0100 [0.00100, 0.0200]"), "{harm}");
        assert!(found.contains("lower the squared error of its prediction, 1.00, by 0.500 [0.100, 0.900]"), "{found}");
        for open in [gain(1.0, 0.5, -0.1, 1.1), gain(1.0, 0.05, -0.2, 0.3)] {
            assert!(open.starts_with("Whether further labels of the same items help is open: "), "{open}");
        }
    }

    #[test]
    fn a_belief_that_labels_contradict_is_warned_of() {
        let found = |value: f64, lo: f64, hi: f64| json!({"value": value, "standard_error": 0.1, "lo": lo, "hi": hi, "items": 9});
        let unknown = json!({"not_estimable": "too few", "of_these_items": 0.25});
        let error = |group: Option<&str>, error: Value, beyond: Value| {
            let mut error = json!({"items": 9, "foreseen": 0.2, "found": error, "beyond": beyond});
            if let Some(group) = group {
                error["group"] = json!(group);
            }
            error
        };
        let check = |verdict: &str, before: Value, groups: Value, instead: Option<Value>| {
            let within = json!([{"level": 0.5, "share": unknown}, {"level": 0.95, "share": found(0.9, 0.8, 1.0)}]);
            let mut check = json!({
                "belief": "published", "verdict": verdict, "before_labels": before, "groups": groups, "within": within,
                "after_labels": error(None, unknown.clone(), unknown.clone()), "groups_left_out": 0,
            });
            if let Some(instead) = instead {
                check["instead"] = instead;
            }
            said(json!({"belief_check": check}))
        };
        let beyond = error(None, found(0.4, 0.3, 0.5), found(0.2, 0.1, 0.3));
        let group = error(Some("a \"b\""), found(0.1, 0.0, 0.2), found(-0.1, -0.2, -0.01));
        let instead = json!({"belief": "auto", "foreseen": 0.1, "found": 0.11});
        let sure = check("too_sure", beyond.clone(), json!([group, beyond]), Some(instead));
        assert_eq!(
            sure[1],
            "Is the published belief true here? Its squared error before an item's labels: foreseen 0.200, found in labels \
             0.400 [0.300, 0.500]; after the item's other labels: foreseen 0.200, found in labels 0.250 of these items. \
             Share of items with their labels 0.250 of these items in its 50% interval, 0.900 [0.800, 1.00] in its 95% \
             interval."
        );
        assert_eq!(
            sure[2],
            "WARNING: the belief is TOO SURE here: its squared error is 2.00 times what it foresees, so epistemic parts, \
             credible intervals and label values are too small. Take the belief with the chosen map ([trust] belief): it \
             foresees 0.100, labels show 0.110, and nothing contradicts it."
        );
        assert_eq!(
            sure[3],
            "In 2 of 2 groups its error clearly differs from what it foresees (one in 20 by chance): \"a \\\"b\\\"\" \
             (foreseen 0.200, found in labels 0.100 [0.00, 0.200]), \"\" (foreseen 0.200, found in labels 0.400 [0.300, \
             0.500])."
        );
        let none = check("too_sure", error(None, found(-0.1, -0.2, 0.0), found(0.2, 0.1, 0.3)), json!([]), None);
        assert_eq!(
            none[2],
            "WARNING: the belief is TOO SURE here: labels show none of the squared error that it foresees, so epistemic \
             parts, credible intervals and label values are too small. No belief that was scored is free of it: try belief \
             = \"auto\" in [trust], or name features and groups that tell where the judge errs."
        );
        let unsure = error(None, found(0.1, 0.0, 0.2), found(-0.1, -0.2, -0.01));
        assert_eq!(
            check("too_unsure", unsure, json!([]), None)[2],
            "WARNING: the belief is less sure than it could be here: its squared error is 0.500 times what it foresees, so \
             epistemic parts and credible intervals are too large."
        );
        let unknown = check("not_estimable", error(None, unknown.clone(), unknown.clone()), json!([]), None);
        assert_eq!(unknown[1], "Not estimable: whether the published belief is as sure as labels allow: too few.");
    }
}
