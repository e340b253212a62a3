//! A run held against its registration.

use serde::{Deserialize, Serialize};

use super::Study;
use super::evaluation::Outcome;
use super::hypothesis::{Hypothesis, JudgedHypothesis, Measure};
use super::registration::{Deviation, Registration};
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

impl Registered {
    /// Judges the hypotheses by a run's evaluation.
    pub fn of(registration: &Registration, study: &Study, evaluation: &Outcome) -> Self {
        let measured = match evaluation {
            Outcome::Evaluated(evaluation) => evaluation.measured.as_slice(),
            Outcome::NotEvaluated(_) => &[],
        };
        let plan = &registration.plan;
        Self {
            digest: registration.digest().to_owned(),
            registered: registration.registered.clone(),
            level: plan.level,
            family: plan.hypotheses.len(),
            exclusions: plan.exclusions.clone(),
            seen: plan.seen.clone(),
            hypotheses: registration.judge(|hypothesis| differences(hypothesis, measured)),
            deviations: registration.deviations(&study.settings(), &study.relative_inputs()),
            comparisons: comparisons(registration, measured),
        }
    }
}

/// Paired differences, one per replicate; `None` where a rule or budget was not evaluated.
fn differences(hypothesis: &Hypothesis, measured: &[Measured]) -> Option<Vec<f64>> {
    let budget = hypothesis.budget()?;
    let at = |replicate: &Measured, rule: Rule| {
        let selective = || replicate.selective.get(&rule).and_then(|by| by.get(&budget));
        // Errors are better when they are lower.
        match hypothesis.measure {
            Measure::Value => replicate.value.get(&rule).and_then(|by| by.get(&budget)).copied(),
            Measure::SelectiveError => selective().map(|errors| -errors[0]),
            Measure::SelectiveSquaredError => selective().map(|errors| -errors[1]),
        }
    };
    measured.iter().map(|r| Some(at(r, hypothesis.better)? - at(r, hypothesis.than)?)).collect()
}

/// The comparisons that every evaluation reports, and the registered ones among others.
fn comparisons(registration: &Registration, measured: &[Measured]) -> Vec<Marked> {
    let Some(first) = measured.first() else { return vec![] };
    let mut marked = vec![];
    for than in [Rule::JudgeEntropy, Rule::FewestLabels] {
        for (&rule, by_budget) in first.value.iter().filter(|(rule, _)| **rule != than) {
            for &budget in by_budget.keys() {
                let measure = Measure::Value;
                let registered = registration.covers(rule, than, budget, measure);
                marked.push(Marked { rule, than, budget, measure, registered });
            }
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
