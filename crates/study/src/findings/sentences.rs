//! What is found, in sentences.

use judge_uncertainty_core::stats::{Estimable, ItemEstimate};
use judge_uncertainty_system::numbers::three;

use super::Answer;
use super::condition::Holds;
use super::contests::Ranking;
use super::trust::{Confidence, GroupTrust, OfGroup, Rate, TrustVerdict};
use super::words::{Unit, side};

/// Shares that one line names.
const MOST_NAMED: usize = 4;

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
            1 => "One labelled item is too little to tell.".to_owned(),
            n => format!("{n} labelled items are too few to tell."),
        },
        TrustVerdict::Unlike => {
            let reason = trust.agreement.reason().unwrap_or("how the labelled items were chosen is not known");
            format!("The labels cannot tell: {}.", reason.trim_end_matches('.'))
        }
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
            format!(
                "In part: it does better than {base}; there is no person to compare it with, as no item has two labels."
            )
        }
    }
}

/// Whether the judge reaches the study's target; `None` without a target or without labels.
fn asked(answer: &Answer) -> Option<String> {
    let (worst, holds) = answer.at_least.iter().filter(|_| answer.labelled > 0).max_by_key(|(_, holds)| *holds)?;
    let says = answer.findings.iter().find(|finding| finding.id == worst.finding).map(|finding| finding.says.as_str());
    let says = says.unwrap_or("the study has no such finding");
    let claim = format!("{} is at least {}", worst.finding, worst.number);
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
    let rate = rate_or_mean(answer);
    let enough = match (asked, answer.plan.narrowing) {
        (Some(0), _) => format!(", or stop: the {rate} is as narrow as you ask"),
        (Some(1), _) => format!("; one more label makes the {rate} as narrow as you ask"),
        (Some(labels), _) => format!("; {labels} more labels make the {rate} as narrow as you ask"),
        (None, Some([now, _])) => {
            format!(", or stop if ±{} for the {rate} is precise enough", half(answer, now.half, now.half))
        }
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
        TrustVerdict::Constant => "Do not rely on it, and ask for no labels to find out more about it.".to_owned(),
        TrustVerdict::WorseThanConstant => "Do not rely on it.".to_owned(),
        _ if open == 0 => {
            let further = answer.next.as_ref().map_or("", |_| "; the queue is for second labels, if you want them");
            format!("Stop: every item is labelled, and the labels are the answer{further}.")
        }
        _ if answer.next.is_none() => format!("Label more of them, once a queue can be made{enough}."),
        _ => format!("Label these{enough}."),
    }
}

/// What is estimated over all items: the rate of an answer, or the mean of numbers.
fn rate_or_mean(answer: &Answer) -> &'static str {
    if answer.classes { "rate" } else { "mean" }
}

/// Half the width of the rate's interval, to a precision that something so wide needs.
fn half(answer: &Answer, width: f64, of: f64) -> String {
    let text = Unit::of_answers(answer.classes).rounded(width, 0.4 * of);
    if answer.classes { format!("{text} points") } else { text }
}

/// The figures behind the verdict.
pub(super) fn trust_lines(answer: &Answer) -> Vec<String> {
    let trust = &answer.trust;
    let mut lines: Vec<String> = vec![];
    lines.extend(position(answer).or_else(|| consistency(answer)));
    if answer.labelled == 0 {
        return lines;
    }
    let unit = Unit::of_answers(answer.classes);
    if let Some(found) = trust.agreement.estimate() {
        let mut text = match answer.classes {
            true => format!("It agrees with a person on {} of items", unit.estimate(found)),
            false => format!("It is {} from a person's answer on average", unit.estimate(found)),
        };
        if let Some(before) = answer.before.as_ref().and_then(|before| before.agreement.estimate()) {
            text += &format!(" (was {} before the added labels)", unit.estimate(before));
        }
        if let Some(base) = trust.base.1.estimate() {
            text += &format!("; always {:?}: {}", trust.base.0, unit.estimate(base));
        }
        if let Some(people) = trust.between_people.estimate() {
            text += &format!("; two people with each other: {}", unit.estimate(people));
        }
        if let Some(kappa) = trust.kappa.estimate() {
            text += &format!("; kappa {}", Unit::Number.estimate(kappa));
        }
        lines.push(text + ".");
    }
    lines.extend(bias(answer));
    lines.extend(trust.confidence.as_ref().and_then(|confidence| honesty(answer, confidence)));
    lines.extend(weakest(answer));
    lines.extend(covariates(answer));
    lines
}

/// What the order of two answers does to the verdict.
fn position(answer: &Answer) -> Option<String> {
    let found = answer.position.as_ref()?;
    let items = found.items;
    let Some(flips) = found.flips.estimate() else {
        return Some(format!("{items} items judged in both orders are too few to tell what the order does."));
    };
    let lean = match (side(&found.to_first), found.to_first.estimate()) {
        (0, _) | (_, None) => "to no side in particular".to_owned(),
        (side, Some(lean)) => {
            let place = if side > 0 { "first" } else { "second" };
            format!("mostly to the answer shown {place} ({} more often)", Unit::Points.size(lean))
        }
    };
    let flips = Unit::Share.estimate(flips);
    Some(format!("Its verdict changes with the order of the two answers in {flips} of {items} items, {lean}."))
}

fn consistency(answer: &Answer) -> Option<String> {
    let found = answer.consistency.estimate()?;
    let text = Unit::of_answers(answer.classes).estimate(found);
    Some(match answer.classes {
        true => format!("Two of its answers to the same item agree in {text} of cases."),
        false => format!("Two of its answers to the same item are {text} apart on average."),
    })
}

fn bias(answer: &Answer) -> Option<String> {
    let unit = Unit::of_differences(answer.classes);
    let all = &answer.trust.bias;
    let beyond = all.iter().filter(|(_, found)| side(found) != 0);
    let size = |found: &Estimable| found.estimate().map_or(0.0, |found| found.value.abs());
    let largest = beyond.max_by(|a, b| size(&a.1).total_cmp(&size(&b.1)));
    match (largest, all.as_slice()) {
        (Some((said, found)), _) => {
            let estimate = found.estimate()?;
            let size = unit.size(estimate);
            Some(match (answer.classes, estimate.value > 0.0) {
                (true, true) => format!("Bias: it says {said:?} {size} too often."),
                (true, false) => format!("Bias: it says {said:?} {size} too seldom."),
                (false, true) => format!("Bias: it is {size} too high."),
                (false, false) => format!("Bias: it is {size} too low."),
            })
        }
        (None, [(said, found)]) => {
            let estimate = found.estimate()?;
            let size = unit.size(estimate);
            let [more, higher] = if estimate.value < 0.0 { ["less", "lower"] } else { ["more", "higher"] };
            Some(match answer.classes {
                true => format!("No clear bias: it says {said:?} {size} {more} often than people."),
                false => format!("No clear bias: its answers are {size} {higher} than people's."),
            })
        }
        (None, several) if several.iter().any(|(_, found)| found.estimate().is_some()) => {
            Some("No clear bias: it gives no answer clearly too often or too seldom.".to_owned())
        }
        _ => None,
    }
}

fn honesty(answer: &Answer, confidence: &Confidence) -> Option<String> {
    let unit = Unit::of_differences(answer.classes);
    let stated = match &confidence.excess {
        Some(excess) => {
            let found = excess.estimate()?;
            match side(excess) {
                1 => format!("it is too high by {}", unit.size(found)),
                -1 => format!("it is too low by {}", unit.size(found)),
                _ => format!("on average it is neither clearly too high nor too low ({} points)", unit.estimate(found)),
            }
        }
        None => "it is not a probability".to_owned(),
    };
    let informs = confidence.informs.estimate().map(|found| {
        let above = format!("above {}", three(confidence.median));
        let size = unit.size(found);
        match (side(&confidence.informs), answer.classes) {
            (1, true) => format!("{above} the judge agrees {size} more often"),
            (-1, true) => format!("{above} the judge agrees {size} less often"),
            (1, false) => format!("{above} the judge is {size} nearer"),
            (-1, false) => format!("{above} the judge is {size} farther off"),
            _ => format!("{above} the judge is not clearly right more often ({size})"),
        }
    });
    Some(format!("Confidence: {stated}{}.", informs.map_or_else(String::new, |text| format!("; {text}"))))
}

fn weakest(answer: &Answer) -> Option<String> {
    let trust = &answer.trust;
    let unit = Unit::of_answers(answer.classes);
    if let Some(group) = trust.weakest() {
        let found = group.agreement.estimate()?;
        return Some(format!(
            "Weakest group: {}, {} on {} labelled items.",
            group.name,
            unit.estimate(found),
            group.labelled
        ));
    }
    let worse = |group: &&GroupTrust| group.over_others.estimate().is_some();
    let value = |g: &GroupTrust| g.over_others.estimate().map_or(0.0, |f| f.value);
    let lowest = trust.groups.iter().filter(worse).min_by(|a, b| value(a).total_cmp(&value(b)))?;
    let found = lowest.agreement.estimate()?;
    Some(format!(
        "Weakest group: none is clearly worse than the others; the lowest is {}, {}.",
        lowest.name,
        unit.estimate(found)
    ))
}

fn covariates(answer: &Answer) -> Option<String> {
    let unit = Unit::of_differences(answer.classes);
    let all = &answer.trust.covariates;
    // Of several classes, agreement is compared.
    let is_directed = answer.trust.bias.len() == 1;
    let [shown_of, none_of] = if is_directed { ["Bias", "bias"] } else { ["Agreement", "agreement with people"] };
    let shown: Vec<String> = all
        .iter()
        .filter(|covariate| side(&covariate.difference) != 0)
        .filter_map(|covariate| {
            let found = covariate.difference.estimate()?;
            let (above, size) = (format!("above {} {}", covariate.name, three(covariate.median)), unit.size(found));
            let is_more = found.value > 0.0;
            Some(match is_directed {
                true => format!("{above} its bias is {size} {}", if is_more { "higher" } else { "lower" }),
                false => {
                    format!("{above} it agrees with people {size} {} often", if is_more { "more" } else { "less" })
                }
            })
        })
        .take(2)
        .collect();
    let names: Vec<&str> = all.iter().map(|covariate| covariate.name.as_str()).collect();
    match (shown.is_empty(), names.is_empty()) {
        (false, _) => Some(format!("{shown_of} by item: {}.", shown.join("; "))),
        (true, false) => Some(format!("No clear link between its {none_of} and {}.", names.join(", "))),
        _ => None,
    }
}

/// The condition of intervals about all items if the study does not state how the labelled ones were chosen.
pub const ASSUMED: &str =
    "Condition: the labelled items were drawn at random (--labelled random, or drawn in study.toml).";

/// What follows where nobody states it, for plans.
pub const REPLACED: &str = "Nobody has stated that. Until somebody does, labels from a queue replace this assumption, so the widths \
     with more labels are those without it.";

/// The assumption behind intervals about all items if the study does not state how the labelled ones were chosen.
fn condition(answer: &Answer) -> Option<String> {
    if !answer.is_assumed && answer.before.as_ref().is_some_and(|before| before.is_assumed) {
        return Some(
            "Your own labelled items are no longer assumed to be a random sample. If they were one, drawn = \"random\" in \
             study.toml narrows the interval."
                .to_owned(),
        );
    }
    let assumed = answer.is_assumed && answer.labelled > 0 && answer.trust.verdict != TrustVerdict::Unlike;
    assumed.then(|| match answer.are_first {
        true => format!(
            "{ASSUMED} They are the first {} of {}, as random ones hardly are: if the rows have an order, such as that of \
             time, nothing is known of the later ones.",
            answer.labelled, answer.items
        ),
        false => ASSUMED.to_owned(),
    })
}

/// The rate in one line; groups, systems and what it rests on in further ones.
pub(super) fn rate_lines(answer: &Answer) -> Vec<String> {
    let unit = Unit::of_answers(answer.classes);
    let mut lines = win_lines(answer);
    match answer.rates.as_slice() {
        [only] => lines.push(one_rate(answer, only)),
        several => {
            let of = |rate: &Rate| match answer.labelled {
                0 => format!("{} {}", rate.of, unit.plain(rate.by_judge)),
                _ => format!("{} {}", rate.of, unit.estimable(&rate.corrected)),
            };
            let all: Vec<String> = several.iter().take(MOST_NAMED).map(of).collect();
            let more = if several.len() > MOST_NAMED { ", ... (report)" } else { "" };
            let what = if answer.labelled == 0 { "by the judge alone" } else { "corrected for the judge's errors" };
            lines.push(format!("Shares over all {} items, {what}: {}{more}.", answer.items, all.join(", ")));
        }
    }
    if let Some(rate) = answer.rates.first().filter(|_| answer.labelled > 0 && answer.rates.len() == 1) {
        lines.extend(groups(unit, &rate.groups, "By group"));
        lines.extend(groups(unit, &rate.systems, "By system"));
        if let Some(found) = rate.difference.as_ref().and_then(|difference| difference.estimate()) {
            let [first, second] = [&rate.systems[0].name, &rate.systems[1].name];
            let size = Unit::of_differences(answer.classes).size(found);
            lines.push(match side(rate.difference.as_ref().unwrap_or(&rate.corrected)) {
                1 => format!("{first} is higher than {second} by {size}."),
                -1 => format!("{second} is higher than {first} by {size}."),
                _ => format!("{first} and {second} are not told apart: they differ by {size}."),
            });
        }
    }
    lines.extend(condition(answer));
    if answer.missing > 0.0 {
        lines.extend(answer.chosen.iter().map(|text| format!("{text} Intervals allow them any answer.")));
    }
    lines
}

/// How often each system wins, and which systems differ clearly.
fn win_lines(answer: &Answer) -> Vec<String> {
    let Ranking { systems, differences } = &answer.ranking;
    if systems.len() < 2 {
        return vec![];
    }
    let (unit, points) = (Unit::of_answers(true), Unit::of_differences(true));
    let of = |wins: &OfGroup| match wins.corrected.estimate() {
        Some(found) => format!("{} {} (judge {})", wins.name, unit.estimate(found), unit.plain(wins.by_judge)),
        None => format!("{} {}", wins.name, unit.plain(wins.by_judge)),
    };
    let all: Vec<String> = systems.iter().take(MOST_NAMED).map(of).collect();
    let more = if systems.len() > MOST_NAMED { ", ... (report)" } else { "" };
    let is_corrected = systems.iter().any(|wins| wins.corrected.estimate().is_some());
    let how = if is_corrected { "corrected for the judge's errors" } else { "by the judge alone" };
    let mut lines = vec![format!("Wins, a tie as half, {how}: {}{more}.", all.join(", "))];
    if !is_corrected {
        return lines;
    }
    let name = |k: usize| &systems[k].name;
    let open: Vec<String> = differences
        .iter()
        .filter(|difference| difference.better().is_none())
        .map(|difference| format!("{} and {}", name(difference.of[0]), name(difference.of[1])))
        .collect();
    let named = open.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join("; ");
    let rest = if open.len() > MOST_NAMED { format!("; {} more", open.len() - MOST_NAMED) } else { String::new() };
    lines.push(match open.len() {
        0 => "The labels tell all of them apart, in this order.".to_owned(),
        _ => format!("Not told apart: {named}{rest}."),
    });
    lines.extend(differences.iter().filter(|difference| difference.is_wrong_by_judge()).map(|difference| {
        let place = difference.better().unwrap_or(0);
        let [better, worse] = [difference.of[place], difference.of[1 - place]].map(name);
        let size = difference.corrected.estimate().map_or_else(String::new, |found| points.size(found));
        format!("The judge has {worse} above {better}; people have {better} above {worse} by {size}.")
    }));
    lines
}

fn one_rate(answer: &Answer, rate: &Rate) -> String {
    let unit = Unit::of_answers(answer.classes);
    let what = if answer.classes { format!("Rate of {:?}", rate.of) } else { "Mean".to_owned() };
    let (judge, items) = (unit.plain(rate.by_judge), answer.items);
    let before = answer.before.as_ref().and_then(|before| before.rate.estimate());
    let was =
        before.map_or_else(String::new, |before| format!(" (was {} before the added labels)", unit.estimate(before)));
    match rate.corrected.estimate() {
        Some(found) => format!(
            "{what} over all {items} items: {}{was}, corrected for the judge's errors; the judge alone says {judge}.",
            unit.estimate(found)
        ),
        None => format!("{what} over all {items} items by the judge alone: {judge}. The labels cannot correct it."),
    }
}

/// A rate in the groups with the lowest and with the highest, where there are two groups and more.
fn groups(unit: Unit, of: &[OfGroup], what: &str) -> Option<String> {
    let mut all: Vec<(&OfGroup, &ItemEstimate)> =
        of.iter().filter_map(|group| Some((group, group.corrected.estimate()?))).collect();
    all.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let text = |(group, found): &(&OfGroup, &ItemEstimate)| format!("{} {}", group.name, unit.estimate(found));
    let between = all.len().checked_sub(2)?;
    let rest = if between > 0 { format!(" ({between} in between)") } else { String::new() };
    Some(format!("{what}: from {} to {}{rest}.", text(&all[0]), text(&all[between + 1])))
}

/// What the labels of the queue would bring.
pub(super) fn worth(answer: &Answer) -> Option<String> {
    let next = answer.next.as_ref()?;
    let mut text = vec![];
    if let (Some(wrong), Some(random)) = (next.expected_wrong, next.expected_wrong_at_random) {
        let queued = next.queued;
        text.push(format!(
            "Expect the judge to be wrong on {wrong:.0} of these {queued} items ({random:.0} of {queued} random ones)."
        ));
    }
    if let Some([now, then]) = answer.plan.narrowing {
        let without = if answer.is_assumed { " without the condition" } else { "" };
        text.push(format!(
            "The {} is known to within ±{}; {} more random labels would make that ±{}{without}.",
            rate_or_mean(answer),
            half(answer, now.half, now.half),
            then.labels,
            half(answer, then.half, now.half)
        ));
    }
    if answer.labelled == 0 {
        text.push(
            "These items are drawn at random, so their labels will tell how good the judge is. Have two people label \
             each."
                .to_owned(),
        );
    }
    (!text.is_empty()).then(|| text.join(" "))
}
