//! A run held against its registration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::hypothesis::{Hypothesis, JudgedHypothesis, Measure};
use super::registration::{Deviation, Registration};
use crate::dataset::items::ItemIds;
use crate::escalation::{Budget, Rule};
use crate::experiments::half_split::Measured;

/// The registered family with its results, and what else was compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registered {
    /// Digest of the registration.
    pub digest: String,
    /// When it was made, in UTC.
    pub registered: String,
    /// Level of the family's intervals together.
    pub level: f64,
    /// Number of hypotheses registered together.
    pub family: usize,
    /// What was to be left out, in words.
    pub exclusions: Vec<String>,
    /// The items that were left out of the evaluation by an `[[exclude]]` of the plan.
    #[serde(default)]
    pub excluded: Vec<ExcludedItem>,
    /// What had been seen of the data, in words.
    pub seen: Vec<String>,
    /// Every hypothesis and how it fared.
    pub hypotheses: Vec<JudgedHypothesis>,
    /// What the run does otherwise than registered; with any, the hypotheses were not tested as they were frozen.
    pub deviations: Vec<Deviation>,
    /// Every comparison that the results report, registered or exploratory.
    pub comparisons: Vec<Marked>,
}

/// A comparison of the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Marked {
    /// The rule.
    pub rule: Rule,
    /// The rule that it is compared with.
    pub than: Rule,
    /// The budget.
    pub budget: Budget,
    /// What is compared.
    pub measure: Measure,
    /// Whether it was registered; otherwise it is exploratory.
    pub registered: bool,
}

/// An item that the evaluation leaves out as registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcludedItem {
    /// Its id.
    pub id: String,
    /// Why, in the words of the plan.
    pub reason: String,
}

/// What a replicate measured, as hypotheses ask for it.
pub trait Compared {
    /// The rules that results compare every other rule with.
    const AGAINST: &'static [Rule];

    /// A measure, signed so that more is better; `None` where it was not evaluated.
    fn at(&self, measure: Measure, rule: Rule, budget: Budget) -> Option<f64>;

    /// What results report differences of.
    fn evaluated(&self) -> Vec<(Rule, Budget, Measure)>;
}

impl Compared for Measured {
    const AGAINST: &'static [Rule] = &[Rule::JudgeEntropy, Rule::FewestLabels];

    fn at(&self, measure: Measure, rule: Rule, budget: Budget) -> Option<f64> {
        let selective = || self.selective.get(&rule)?.get(&budget);
        match measure {
            Measure::Value => self.value.get(&rule)?.get(&budget).copied(),
            Measure::SquaredValue => None,
            Measure::SelectiveError => selective().map(|errors| -errors[0]),
            Measure::SelectiveSquaredError => selective().map(|errors| -errors[1]),
        }
    }

    fn evaluated(&self) -> Vec<(Rule, Budget, Measure)> {
        let of = |(&rule, by): (&Rule, &BTreeMap<Budget, f64>)| {
            by.keys().map(|&budget| (rule, budget, Measure::Value)).collect::<Vec<_>>()
        };
        self.value.iter().flat_map(of).collect()
    }
}

impl Registered {
    /// Judges the hypotheses by what the replicates of a run measured, none where nothing was evaluated; `excluded` are
    /// the items that were left out.
    pub fn of<M: Compared>(
        registration: &Registration,
        run: (&BTreeMap<String, String>, &BTreeMap<String, String>),
        excluded: Vec<ExcludedItem>,
        measured: &[M],
    ) -> Self {
        let plan = &registration.plan;
        let (settings, inputs) = run;
        Self {
            digest: registration.digest().to_owned(),
            registered: registration.registered.clone(),
            level: plan.level,
            family: plan.hypotheses.len(),
            exclusions: plan.exclusions.clone(),
            excluded,
            seen: plan.seen.clone(),
            hypotheses: registration.judge(|hypothesis| differences(hypothesis, measured)),
            deviations: registration.deviations(settings, inputs),
            comparisons: comparisons(registration, measured),
        }
    }
}

/// Items left out, by id.
pub fn excluded_items(excluded: &BTreeMap<usize, String>, ids: &ItemIds) -> Vec<ExcludedItem> {
    excluded.iter().map(|(&i, reason)| ExcludedItem { id: ids[i].to_owned(), reason: reason.clone() }).collect()
}

/// Paired differences, one per replicate; `None` where a rule or budget was not evaluated.
fn differences<M: Compared>(h: &Hypothesis, measured: &[M]) -> Option<Vec<f64>> {
    let budget = h.budget()?;
    let difference = |m: &M| Some(m.at(h.measure, h.better, budget)? - m.at(h.measure, h.than, budget)?);
    measured.iter().map(difference).collect()
}

/// The comparisons that every evaluation reports, and the registered ones among others.
fn comparisons<M: Compared>(registration: &Registration, measured: &[M]) -> Vec<Marked> {
    let Some(first) = measured.first() else { return vec![] };
    let mut marked = vec![];
    for &than in M::AGAINST {
        for (rule, budget, measure) in first.evaluated().into_iter().filter(|(rule, ..)| *rule != than) {
            let registered = registration.covers(rule, than, budget, measure);
            marked.push(Marked { rule, than, budget, measure, registered });
        }
    }
    for h in &registration.plan.hypotheses {
        let Some(budget) = h.budget() else { continue };
        let own = Marked { rule: h.better, than: h.than, budget, measure: h.measure, registered: true };
        if !marked.contains(&own) {
            marked.push(own);
        }
    }
    marked
}
