//! What is found of a judge, in sentences: `judge.txt` has them.

use super::prose::lines;
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::findings::contests::WinDifference;
use judge_uncertainty_study::findings::trust::{Covariate, GroupTrust, OfGroup, Trust};
use judge_uncertainty_study::findings::words::{Unit, side};
use judge_uncertainty_study::findings::{ASSUMED, Answer};
use serde_json::{Value, json};
use tera::{Context, context};

/// Shares that one line names.
const MOST_NAMED: usize = 4;

fn said(template: Context) -> Result<Vec<String>, Error> {
    Ok(lines("judge.txt", &template)?.into_iter().map(|line| line.text().to_owned()).collect())
}

fn view(answer: &Answer, part: &str) -> Context {
    context! {
        part => part,
        classes => &answer.classes,
        unit => &Unit::of_answers(answer.classes),
        differences => &Unit::of_differences(answer.classes),
        items => &answer.items,
        labelled => &answer.labelled,
        is_assumed => &answer.is_assumed,
        before => &answer.before.as_ref().map(|before| [&before.agreement, &before.rate]),
        is_latest => &answer.before.as_ref().is_some_and(|before| before.batches > 0),
        most_named => &MOST_NAMED,
    }
}

/// What is said of the judge, the most important first.
pub(super) fn trust(answer: &Answer) -> Result<Vec<String>, Error> {
    let mut view = view(answer, "trust");
    view.insert("position", &answer.position);
    view.insert("consistency", &answer.consistency);
    if answer.labelled > 0 {
        let trust = &answer.trust;
        let (weakest, is_worse) = weakest(trust);
        let linked = |covariate: &&Covariate| side(&covariate.difference) != 0;
        let confidence = trust.confidence.as_ref();
        view.extend(context! {
            agreement => &trust.agreement,
            constant => &trust.base,
            people => &trust.between_people,
            kappa => &trust.kappa,
            bias => &bias(trust),
            is_unbiased => &trust.bias.iter().any(|(_, found)| found.estimate().is_some()),
            confidence => &confidence.filter(|of| of.excess.as_ref().is_none_or(|excess| excess.estimate().is_some())),
            weakest => &weakest,
            is_worse => &is_worse,
            // Of several classes, agreement is compared.
            is_directed => &(trust.bias.len() == 1),
            linked => &trust.covariates.iter().filter(linked).take(2).collect::<Vec<_>>(),
            covariates => &trust.covariates.iter().filter(|one| one.difference.estimate().is_some()).collect::<Vec<_>>(),
        });
    }
    said(view)
}

/// The largest bias that is beyond doubt, or else the only one; none where neither is known.
fn bias(trust: &Trust) -> Option<&(String, Estimable)> {
    let size = |found: &Estimable| found.estimate().map_or(0.0, |found| found.value.abs());
    let beyond = trust.bias.iter().filter(|(_, found)| side(found) != 0);
    let only = trust.bias.first().filter(|(_, found)| trust.bias.len() == 1 && found.estimate().is_some());
    beyond.max_by(|a, b| size(&a.1).total_cmp(&size(&b.1))).or(only)
}

/// The group in which the judge does worst, and whether that is beyond doubt.
fn weakest(trust: &Trust) -> (Option<&GroupTrust>, bool) {
    let value = |group: &GroupTrust| group.over_others.estimate().map(|found| found.value);
    let known = trust.groups.iter().filter(|group| value(group).is_some());
    let lowest = known.min_by(|a, b| value(a).unwrap_or(0.0).total_cmp(&value(b).unwrap_or(0.0)));
    let worse = trust.weakest();
    (worse.or(lowest).filter(|group| group.agreement.estimate().is_some()), worse.is_some())
}

/// What is said of the rate: first over all items, then by group and system, then on which condition.
pub(super) fn rates(answer: &Answer) -> Result<Vec<String>, Error> {
    let (wins, differences) = (&answer.ranking.systems, &answer.ranking.differences);
    let names = |one: &WinDifference| one.of.map(|k| &wins[k].name);
    let wrong = |one: &WinDifference| {
        let (better, names) = (one.better()?, names(one));
        Some(json!({"better": names[better], "worse": names[1 - better], "by": one.corrected}))
    };
    let mut view = view(answer, "rates");
    let first = answer.rates.first().filter(|_| answer.labelled > 0);
    let ends_of = [("group", first.map(|rate| &rate.groups)), ("system", first.map(|rate| &rate.systems))];
    view.extend(context! {
        verdict => &answer.verdict,
        wins => &wins.iter().take(MOST_NAMED + 1).collect::<Vec<_>>(),
        are_corrected => &wins.iter().any(|one| one.corrected.estimate().is_some()),
        open => &differences.iter().filter(|one| one.better().is_none()).map(names).collect::<Vec<_>>(),
        wrong => &differences.iter().filter(|one| one.is_wrong_by_judge()).filter_map(wrong).collect::<Vec<_>>(),
        rates => &answer.rates.iter().take(MOST_NAMED + 1).collect::<Vec<_>>(),
        ends => &ends_of.into_iter().filter_map(|(what, of)| ends(what, of?)).collect::<Vec<_>>(),
        was_assumed => &answer.before.as_ref().is_some_and(|before| before.is_assumed),
        assumed => ASSUMED,
        are_first => &answer.are_first,
        chosen => &answer.chosen.as_ref().filter(|_| answer.missing > 0.0),
        uncounted => &answer.uncounted,
    });
    said(view)
}

/// The groups with the lowest and with the highest rate, where there are two groups and more.
fn ends(what: &str, of: &[OfGroup]) -> Option<Value> {
    let value = |group: &OfGroup| group.corrected.estimate().map_or(0.0, |found| found.value);
    let mut all: Vec<&OfGroup> = of.iter().filter(|group| group.corrected.estimate().is_some()).collect();
    all.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let between = all.len().checked_sub(2)?;
    Some(json!({"what": what, "low": all[0], "high": all[between + 1], "between": between}))
}

/// What the labels of the queue would bring.
pub(super) fn worth(answer: &Answer) -> Result<Option<String>, Error> {
    let Some(next) = &answer.next else { return Ok(None) };
    let plan = &answer.plan;
    let narrowing = plan
        .narrowing
        .zip(plan.figures.first())
        .map(|([now, then], rate)| [rate.text(now.half), then.labels.to_string(), rate.text(then.half)]);
    let wrong = next.expected_wrong.zip(next.expected_wrong_at_random);
    let mut view = view(answer, "worth");
    view.insert("queued", &next.queued);
    view.insert("narrowing", &narrowing);
    view.insert("missing", &answer.missing);
    view.insert("rates", &answer.rates.len());
    view.insert("wrong_of_queue", &wrong.map(|(wrong, random)| [wrong, random].map(|items| format!("{items:.0}"))));
    Ok(said(view)?.pop())
}
