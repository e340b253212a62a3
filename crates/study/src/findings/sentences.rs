//! What is found, in sentences.

use super::Answer;
use super::condition::Holds;
use super::trust::{LEAST_IN_GROUP, TrustVerdict};
use super::words::Unit;

/// The verdict, in a sentence; it says no more than intervals leave without doubt.
pub(super) fn verdict(answer: &Answer) -> String {
    let trust = &answer.trust;
    let base = format!("always answering {:?}", trust.base.0);
    let differences = Unit::of_differences(answer.classes);
    let points = if answer.classes { " points" } else { "" };
    if let Some(said) = asked(answer) {
        return said;
    }
    match trust.verdict {
        TrustVerdict::NoLabels => "Nobody can tell yet: no item has a label.".to_owned(),
        TrustVerdict::TooFew => match answer.labelled {
            1 => format!("One labelled item is too little to tell; it takes {LEAST_IN_GROUP}."),
            n if n < LEAST_IN_GROUP => format!("{n} labelled items are too few to tell; it takes {LEAST_IN_GROUP}."),
            n => format!("{n} labelled items are too few to tell."),
        },
        TrustVerdict::Unlike => {
            let reason = trust.agreement.reason().unwrap_or("how the labelled items were chosen is not known");
            format!("The labels cannot tell: {}.", reason.trim_end_matches('.'))
        }
        TrustVerdict::Constant if answer.by_score => format!(
            "No: each of its scores counts as {:?}, as all are on one side of the middle of their scale.",
            trust.base.0
        ),
        TrustVerdict::Constant => format!("No: it gives the same answer, {:?}, to every item.", trust.base.0),
        TrustVerdict::WorseThanConstant => format!("No: {base} agrees with people better."),
        TrustVerdict::LikeConstant => format!("Not shown: the labels leave open whether it does better than {base}."),
        TrustVerdict::WorseThanPerson => {
            format!("In part: it does better than {base}, and worse than another person would.")
        }
        TrustVerdict::OpenToPerson => format!(
            "In part: it does better than {base}; whether it does as well as a person is open ({}{points}).",
            differences.estimable(&trust.over_people)
        ),
        TrustVerdict::LikePerson => {
            "Yes: it agrees with people as well as they do with each other, to within a twentieth of the scale."
                .to_owned()
        }
        TrustVerdict::BetterThanPerson => "Yes: it agrees with people better than they do with each other.".to_owned(),
        TrustVerdict::BetterThanConstant => {
            let why = match trust.over_people.reason() {
                Some(reason) if !reason.starts_with("there ") => format!(": {reason}"),
                _ if answer.most_labels > 1 => ", as too few items have two labels".to_owned(),
                _ => ", as no item has two labels".to_owned(),
            };
            format!("In part: it does better than {base}; there is no person to compare it with{why}.")
        }
    }
}

/// Whether the judge reaches the study's target; `None` without a target or without labels.
fn asked(answer: &Answer) -> Option<String> {
    let (worst, holds) = answer.at_least.iter().filter(|_| answer.labelled > 0).max_by_key(|(_, holds)| *holds)?;
    let says = answer.finding(&worst.finding).map_or("the study has no such finding", |finding| &finding.says);
    let claim = format!("{} is {} {}", worst.finding, if worst.below { "below" } else { "at least" }, worst.number);
    Some(match holds {
        Holds::Yes => format!("Yes: it reaches what the study asks, {claim} ({says})."),
        Holds::Open => format!("Not shown: the labels leave open whether {claim} ({says})."),
        Holds::No => format!("No: it falls short of what the study asks, {claim} ({says})."),
    })
}

/// What to do: rely on the judge, label, or stop.
pub(super) fn step(answer: &Answer) -> String {
    let open = answer.items - answer.labelled;
    let asked = answer.plan.target.and(answer.plan.figures.first()).and_then(|rate| rate.needed);
    let rate = match (answer.classes, answer.rates.len()) {
        (true, 1) => "rate",
        (true, _) => "widest rate",
        (false, _) => "mean",
    };
    let now = answer.plan.narrowing.zip(answer.plan.figures.first()).map(|([now, _], rate)| rate.text(now.half));
    let enough = match (asked, now) {
        (Some(0), _) => format!(", or stop: the {rate} is as narrow as you ask"),
        (Some(1), _) => format!("; one more label makes the {rate} as narrow as you ask"),
        (Some(labels), _) => format!("; {labels} more labels make the {rate} as narrow as you ask"),
        (None, Some(now)) => format!(", or stop if {now} for the {rate} is precise enough"),
        (None, None) => String::new(),
    };
    let reaches = answer.at_least.iter().map(|(_, holds)| *holds).max();
    match answer.trust.verdict {
        _ if reaches == Some(Holds::No) => "Do not rely on it.".to_owned(),
        _ if reaches == Some(Holds::Yes) => "Rely on it for items like these.".to_owned(),
        TrustVerdict::LikePerson | TrustVerdict::BetterThanPerson if reaches.is_none() => {
            format!(
                "Rely on it for items like these{}.",
                if open == 0 { "" } else { "; further labels only narrow the figures" }
            )
        }
        TrustVerdict::Constant if answer.by_score => {
            "Audit it with the threshold of its scores (--columns 'verdict=SCORE>=NUMBER'), or do not rely on it."
                .to_owned()
        }
        TrustVerdict::Constant => "Do not rely on it; labels can tell the rate alone.".to_owned(),
        TrustVerdict::WorseThanConstant => "Do not rely on it.".to_owned(),
        _ if open == 0 => {
            let further = answer.next.as_ref().map_or("", |_| "; the queue is for second labels, if you want them");
            format!("Stop: every item is labelled, and the labels are the answer{further}.")
        }
        _ if answer.next.is_none() => format!("Label more of them, once a queue can be made{enough}."),
        _ => format!("Label these{enough}."),
    }
}

/// The condition of intervals about all items if the study does not state how the labelled ones were chosen.
pub const ASSUMED: &str =
    "Condition: the labelled items were drawn at random (--labelled random, or drawn in study.toml).";

/// What follows where nobody states it, for plans.
pub const REPLACED: &str = "Nobody has stated that. Until somebody does, labels from a queue replace this assumption, so the widths \
     with more labels are those without it.";
