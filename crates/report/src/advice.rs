//! What a study's own evidence says to do next, in a short sentence each: run, queue, plan and report say the same.

use super::shown::Shown;
use judge_uncertainty_core::belief::maps::{Candidate, MapName};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_study::evaluate::held_out::LabelGain;
use judge_uncertainty_study::queue::Order;
use judge_uncertainty_study::results::advice::{Advice, BeliefAdvice, Lead, RulesCompared};
use judge_uncertainty_system::numbers::{three, two};

/// Which belief, which rule, whether to go on labelling the same items; each is left out where no label tells.
pub fn advice_sentences(advice: &Advice) -> Vec<String> {
    let Advice { belief: held, rules, further_labels: gain, .. } = advice;
    let rule = (held.is_some() || rules.is_some()).then(|| rule(rules.as_ref()));
    held.as_ref().map(belief).into_iter().chain(rule).chain(gain.as_ref().map(further_labels)).collect()
}

/// That a queue goes by values that labels found too small, and whether Delta is `held` to what they show; `None` where
/// they did not, or where it goes by no value.
pub fn too_small(advice: &Advice, order: Order, held: bool) -> Option<String> {
    let by_value = matches!(order, Order::By(Rule::Info | Rule::Delta | Rule::Spread));
    let times = advice.times_foreseen.filter(|_| by_value)?;
    let then = match order {
        Order::By(Rule::Delta) if held => "the ranking goes by what labels show, and items.csv by the belief's own",
        _ => "items of which it is wrongly sure come last",
    };
    Some(format!(
        "This rule ranks by the error that the belief foresees, and labels show {} times as much: {then}. Fewest \
         labels first does not rest on it.",
        two(times)
    ))
}

/// Which map reads the judge, in a sentence, and why the labels chose it; `None` for beliefs without a map.
pub fn map_sentence<K: Shown>(fit: &K::FitReport) -> Option<String> {
    let (map, choice) = K::map(fit)?;
    let Some(choice) = choice else {
        return Some(format!("The judge is read by the map `{map}`, which the study names."));
    };
    let of = |map: MapName| choice.candidates.iter().find(|candidate| candidate.map == map);
    let ahead = |best: &Candidate, than: &Candidate| {
        format!(
            "{} nats per labelled item ahead of {} on held-out labels (standard error {})",
            three(than.below_best - best.below_best),
            than.map,
            three(than.se)
        )
    };
    let stated = "The judge's predictions are taken as they are";
    Some(match (choice.best.and_then(of), of(map), of(MapName::Identity)) {
        (None, ..) => format!("{stated}: {} labelled items are too few to choose a map.", choice.labelled_items),
        (Some(best), Some(chosen), _) if map == MapName::Identity && best.map != map => {
            format!("{stated}: the best map, {}, is {}, too little to be sure.", best.map, ahead(best, chosen))
        }
        (Some(_), Some(chosen), Some(identity)) if map != MapName::Identity => {
            let part = if choice.strength < 1.0 {
                format!(" at {} of its strength", three(choice.strength))
            } else {
                String::new()
            };
            format!("The labels chose the map `{map}`{part}: it is {}.", ahead(chosen, identity))
        }
        _ => format!("{stated}: on held-out labels no map is ahead of them."),
    })
}

/// Whether another belief predicts labels better than that of the study.
fn belief(advice: &BeliefAdvice) -> String {
    let BeliefAdvice { take, own, lead } = advice;
    let Some(Lead { than, by, interval, squared_errors }) = lead else {
        return format!("Keep the belief {own}: no other is shown to predict unseen labels better.");
    };
    let errors = squared_errors.map(|[of, than]| format!(", squared error {} for {}", three(of), three(than)));
    let why = format!(
        "on held-out labels it is better than {than} by {} nats a label [{}, {}]{}",
        three(*by),
        three(interval.lo),
        three(interval.hi),
        errors.unwrap_or_default()
    );
    match take == own {
        true => format!("Keep the belief {own}: {why}."),
        false => format!("Take belief = \"{take}\" in [trust]: {why}."),
    }
}

/// The rule that trials advise, and what half splits of these items removed by it and by the epistemic part.
fn rule(rules: Option<&RulesCompared>) -> String {
    let here = rules.map(|RulesCompared { percent, epistemic, fewest_labels }| {
        format!(
            " Half splits of these items at {percent}% removed {} of error by it and {} by the epistemic part; that is \
             no verdict: study simulate plays the loop.",
            three(*fewest_labels),
            three(*epistemic)
        )
    });
    let advised = "Queue by fewest labels first: in trials no rule was better everywhere.";
    format!("{advised}{}", here.unwrap_or_default())
}

/// What further labels of an item did for its prediction.
pub(crate) fn further_labels(gain: &LabelGain) -> String {
    let LabelGain { without, fall, interval } = gain;
    // Without bias it may come out below 0, which is no error to tell.
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
