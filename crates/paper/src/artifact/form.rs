//! What results hold beyond the types of their fields: the names and lengths that everything made of them relies on.
//!
//! The sum of a results file tells an accident, not an edit with a new sum. What no run writes is refused when it is
//! read, with the field, so that nothing made of the results meets it.

use crate::rules::{CONTENDERS, Contender, PAPER};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::Value;

use super::Experiment;
use crate::experiments::simulations::{calibrated, misspecified};
use judge_uncertainty_core::escalation::Rule;

/// Beyond any quantity of the experiments; larger ones leave figures no room for the spacing of their axes.
const LARGEST: f64 = 1e12;
/// Names in results are short and plain.
const LONGEST_TEXT: usize = 200;
/// Fields that may be any number: a seed, and a number of items that grows without bound as a difference comes near 0.
const UNBOUNDED: [&str; 2] = ["split_seed", "items_needed"];

/// What a field of results holds. Places are names and positions joined by `/`, where `*` stands for every name or
/// position.
enum Demand {
    /// These names, no others.
    Names(Vec<&'static str>),
    /// The first names, and perhaps the second ones, no others.
    SomeNames(Vec<&'static str>, Vec<&'static str>),
    /// A list of so many elements.
    Length(RangeInclusive<usize>),
    /// A list as long as the one at another place, in which every `*` stands for what it does here.
    AsLongAs(&'static str),
    /// As many elements as the number at another place.
    AsManyAs(&'static str),
    /// Positions in the list at another place.
    PositionsIn(&'static str),
    /// Elements with each pair of these values under the two names, once.
    Pairs([&'static str; 2], Vec<[&'static str; 2]>),
}

use Demand::{AsLongAs, AsManyAs, Length, Names, Pairs, PositionsIn, SomeNames};

type Demands = Vec<(String, Demand)>;

fn owned<const N: usize>(demands: [(&str, Demand); N]) -> Demands {
    demands.map(|(place, demand)| (place.to_owned(), demand)).into()
}

/// A field that holds what no run writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Names and positions, joined by `/`.
    pub field: String,
    /// What it holds, and what a run writes there.
    pub problem: String,
}

/// The first of some flaws, and how many follow.
pub(super) fn told(flaws: &[Flaw]) -> String {
    let first = flaws.first().map(|flaw| format!("`{}` {}", flaw.field, flaw.problem)).unwrap_or_default();
    match flaws.len() {
        0 | 1 => first,
        2 => first + " (and 1 further field)",
        n => format!("{first} (and {} further fields)", n - 1),
    }
}

/// Holds the results of an experiment against what a run writes; every field that holds something else.
pub(super) fn flaws(experiment: Experiment, results: &Value) -> Vec<Flaw> {
    let demands = match experiment {
        Experiment::Simulations => simulations(),
        Experiment::Dice => dice(),
        Experiment::ChaosNli => chaosnli(),
        Experiment::Extended => extended(),
    };
    let mut flaws = vec![];
    for (place, demand) in &demands {
        for (stars, value) in places(results, place) {
            let told = |problem| Flaw { field: filled(place, &stars), problem };
            flaws.extend(meet(results, &stars, value, demand).map_err(told).err());
        }
    }
    plain(results, &mut String::new(), &mut flaws);
    flaws
}

fn rules(rules: &[Rule]) -> Vec<&'static str> {
    rules.iter().map(|rule| rule.key()).collect()
}

fn contenders() -> Vec<&'static str> {
    CONTENDERS.into_iter().map(Contender::key).collect()
}

fn budgets() -> Demand {
    Names(vec!["b1", "b5", "b10", "b20"])
}

fn simulations() -> Demands {
    let cell = || Names(rules(&calibrated::RULES));
    let gammas = vec!["gamma_0", "gamma_0_25", "gamma_0_5", "gamma_0_75", "gamma_1", "gamma_1_5"];
    let sweeps = vec![
        "trust_spread",
        "correlation",
        "informativeness",
        "tracking",
        "dose_response_oracle",
        "dose_response_estimated",
        "everywhere",
    ];
    owned([
        ("trust_spread", Length(11..=11)),
        ("trust_spread/*/regret_pp", cell()),
        ("trust_spread/*/log_loss_regret_pp", cell()),
        ("correlation", Names(vec!["rho_minus_0_8", "rho_minus_0_4", "rho_0", "rho_0_4", "rho_0_8"])),
        ("correlation/*", Length(11..=11)),
        ("correlation/*/*/regret_pp", cell()),
        ("correlation/*/*/log_loss_regret_pp", cell()),
        ("informativeness", Names(vec!["width_quarter", "width_half", "width_full"])),
        ("informativeness/*", Length(11..=11)),
        ("informativeness/*/*/regret_pp", cell()),
        ("informativeness/*/*/log_loss_regret_pp", cell()),
        ("criterion", Names(vec!["oracle", "estimated"])),
        ("tracking/points", Length(11..=11)),
        ("tracking/points/*/regret_pp", cell()),
        ("tracking/points/*/log_loss_regret_pp", cell()),
        ("dose_response", Length(5..=5)),
        ("dose_response/*/oracle/regret_pp", cell()),
        ("dose_response/*/oracle/log_loss_regret_pp", cell()),
        ("dose_response/*/estimated/regret_pp", cell()),
        ("dose_response/*/estimated/log_loss_regret_pp", cell()),
        ("misspecified", Names(vec!["plain", "familiarity"])),
        ("misspecified/*", Names(gammas)),
        ("misspecified/*/*/regret_pp", Names(rules(&misspecified::RULES))),
        ("derived/spread_minus_delta_pp", Names(sweeps)),
    ])
}

fn dice() -> Demands {
    let sets = || Names(vec!["base", "tier"]);
    owned([
        ("tiers", Names(vec!["none", "weak", "directional", "strong"])),
        ("regret_pp", sets()),
        ("regret_pp/*", Names(rules(&PAPER))),
        ("regret_pp/*/*", budgets()),
        ("convergence/*", Length(11..=11)),
        ("coefficients", sets()),
        ("coefficients/*", Length(1..=20)),
    ])
}

fn chaosnli() -> Demands {
    let measures =
        ["value", "minus_judge_entropy", "minus_fewest_labels", "selective_error", "selective_squared_error"];
    let mut demands = Demands::new();
    for run in ["full", "counts_only"] {
        for measure in measures {
            demands.push((format!("{run}/{measure}"), Names(rules(&PAPER))));
            demands.push((format!("{run}/{measure}/*"), budgets()));
        }
        demands.push((format!("{run}/coefficients"), Length(1..=20)));
    }
    demands.extend(owned([
        ("components/aleatoric", AsManyAs("items")),
        ("components/epistemic", AsManyAs("items")),
        ("components/escalated", Names(vec!["info", "judge_entropy"])),
        ("components/escalated/*", PositionsIn("components/aleatoric")),
        ("counts_only_delta_minus_full_judge_entropy", budgets()),
    ]));
    demands
}

fn extended() -> Demands {
    let beliefs = || Names(vec!["published", "recalibrated", "planned"]);
    let others = contenders().into_iter().filter(|key| *key != Rule::FewestLabels.key()).collect();
    let both = ["published", "recalibrated"];
    let paths = both.into_iter().flat_map(|belief| contenders().into_iter().map(move |rule| [belief, rule])).collect();
    let worlds = vec![
        "nothing_miscalibrated",
        "overconfident",
        "misspecified_honest",
        "misspecified_uninformative",
        "dice",
        "dice_by_tier",
    ];
    owned([
        ("confirmation/errors", beliefs()),
        ("confirmation/verdicts", Length(12..=12)),
        ("transfer", Names(vec!["snli_to_mnli", "mnli_to_snli"])),
        ("transfer/*/errors", beliefs()),
        ("transfer/*/verdicts", AsLongAs("confirmation/verdicts")),
        ("chosen/errors", Names(vec!["published", "recalibrated", "chosen"])),
        ("chosen/comparisons", Length(13..=13)),
        ("exploration/beliefs", beliefs()),
        ("exploration/beliefs/published/tau", Length(0..=0)),
        ("exploration/beliefs/recalibrated/tau", Length(1..=2)),
        ("exploration/beliefs/planned/tau", Length(1..=2)),
        ("exploration/beliefs/*/bias", AsLongAs("exploration/beliefs/*/tau")),
        ("exploration/beliefs/*/bias/*", Length(3..=3)),
        ("exploration/beliefs/*/value", Names(contenders())),
        ("exploration/beliefs/*/value/*", budgets()),
        ("exploration/beliefs/*/minus_fewest", Names(others)),
        ("exploration/beliefs/*/minus_fewest/*", budgets()),
        ("sequential/labels_per_item", Length(16..=16)),
        ("sequential/paths", Pairs(["belief", "rule"], paths)),
        ("sequential/paths/*/error", AsLongAs("sequential/labels_per_item")),
        ("sequential/paths/*/minus_fewest", AsLongAs("sequential/labels_per_item")),
        ("worlds", Names(worlds)),
        ("worlds/*/agreement", SomeNames(both.into(), vec!["true"])),
        ("worlds/*/agreement/*/coverage", Names(vec!["50", "80", "95"])),
        ("worlds/*/agreement/*/pit", Length(10..=10)),
    ])
}

/// Every place that a pattern names, by what its stars stand for.
fn places<'v>(root: &'v Value, pattern: &str) -> Vec<(Vec<String>, &'v Value)> {
    let step = |found: Vec<(Vec<String>, &'v Value)>, name: &str| {
        let inner = |(stars, value): (Vec<String>, &'v Value)| -> Vec<(Vec<String>, &'v Value)> {
            if name != "*" {
                return value.get(name).map(|inner| (stars, inner)).into_iter().collect();
            }
            let with = |star: String| [stars.as_slice(), &[star]].concat();
            match value {
                Value::Object(members) => members.iter().map(|(name, inner)| (with(name.clone()), inner)).collect(),
                Value::Array(list) => list.iter().enumerate().map(|(k, inner)| (with(k.to_string()), inner)).collect(),
                _ => vec![],
            }
        };
        found.into_iter().flat_map(inner).collect()
    };
    pattern.split('/').fold(vec![(vec![], root)], step)
}

/// A pattern with its stars filled in.
fn filled(pattern: &str, stars: &[String]) -> String {
    let mut stars = stars.iter();
    let name = |part: &str| if part == "*" { stars.next().cloned().unwrap_or_default() } else { part.to_owned() };
    pattern.split('/').map(name).collect::<Vec<_>>().join("/")
}

/// What stands at another place, with the same stars.
fn other<'v>(root: &'v Value, pattern: &str, stars: &[String]) -> Option<&'v Value> {
    root.pointer(&format!("/{}", filled(pattern, stars)))
}

fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

fn meet(root: &Value, stars: &[String], value: &Value, demand: &Demand) -> Result<(), String> {
    match demand {
        Names(names) => has_names(value, names, &[]),
        SomeNames(names, more) => has_names(value, names, more),
        Length(range) => has_length(value, range),
        AsLongAs(place) => {
            let wanted = other(root, place, stars).map_or(0, length);
            has_length(value, &(wanted..=wanted))
        }
        AsManyAs(place) => {
            let wanted = other(root, place, stars).and_then(Value::as_u64).unwrap_or(0) as usize;
            has_length(value, &(wanted..=wanted))
        }
        PositionsIn(place) => {
            let below = other(root, place, stars).map_or(0, length);
            let outside = value.as_array().into_iter().flatten().find(|k| k.as_u64().is_none_or(|k| k >= below as u64));
            outside.map_or(Ok(()), |k| Err(format!("holds the position {k}, and there are {below} items")))
        }
        Pairs(keys, wanted) => {
            let found = value.as_array().into_iter().flatten().map(|element| keys.map(|key| element[key].as_str()));
            let found: Vec<_> = found.collect();
            let lacking = wanted.iter().find(|pair| !found.contains(&pair.map(Some)));
            match lacking {
                Some([first, second]) => Err(format!("has no entry for {first} and {second}")),
                None => has_length(value, &(wanted.len()..=wanted.len())),
            }
        }
    }
}

fn has_names(value: &Value, names: &[&str], more: &[&str]) -> Result<(), String> {
    let found: BTreeSet<&str> = value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if let Some(lacking) = names.iter().find(|name| !found.contains(**name)) {
        return Err(format!("lacks `{lacking}`"));
    }
    let known = |name: &&str| names.contains(name) || more.contains(name);
    found
        .into_iter()
        .find(|name| !known(name))
        .map_or(Ok(()), |name| Err(format!("has `{name}`, which no run writes there")))
}

fn has_length(value: &Value, wanted: &RangeInclusive<usize>) -> Result<(), String> {
    let found = length(value);
    if wanted.contains(&found) {
        return Ok(());
    }
    let (least, most) = (wanted.start(), wanted.end());
    let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
    Err(format!("has {found} elements, and a run writes {wanted}"))
}

/// Numbers of a size that occurs, and short plain texts; `field` is where the value stands.
fn plain(value: &Value, field: &mut String, flaws: &mut Vec<Flaw>) {
    let mut inner = |name: &str, value: &Value| {
        let length = field.len();
        if length > 0 {
            field.push('/');
        }
        field.push_str(name);
        plain(value, field, flaws);
        field.truncate(length);
    };
    let problem = match value {
        Value::Object(members) => return members.iter().for_each(|(name, value)| inner(name, value)),
        Value::Array(list) => {
            return list.iter().enumerate().for_each(|(k, value)| inner(&k.to_string(), value));
        }
        Value::Number(number) => {
            let name = field.rsplit('/').next().unwrap_or_default();
            let fits = UNBOUNDED.contains(&name) || number.as_f64().is_some_and(|x| x.abs() <= LARGEST);
            (!fits).then(|| format!("is {number}, beyond what a run computes"))
        }
        Value::String(text) => {
            let fits = text.len() <= LONGEST_TEXT && text.bytes().all(|c| (b' '..=b'~').contains(&c));
            (!fits).then(|| "is not a short text of plain characters".to_owned())
        }
        Value::Null | Value::Bool(_) => None,
    };
    flaws.extend(problem.map(|problem| Flaw { field: field.clone(), problem }));
}
