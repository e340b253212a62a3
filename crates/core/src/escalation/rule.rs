//! The rules that rank items for escalation, one row of a table each.
//!
//! A new rule is a variant of [`Rule`] and a row of the table below: its names, the kinds of labels that it ranks, and
//! the function that gives priorities. Lists, messages, options of the command line and reports are made from the
//! table.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::belief::dirichlet::row;
use crate::belief::{ItemBeliefs, Quantity};

/// A rule that ranks items; those with the highest priority are escalated first. [`Rule::row`] says what each ranks by.
///
/// Where the classes stand on a scale ([`crate::belief::ItemBeliefs::Places`]) or labels are numbers
/// ([`crate::belief::Gaussian`]), I and v are the epistemic part of the mean, Delta its expected fall by one label, and
/// entropy is the variance of a label.
///
/// The jitter, 1e-9 times a uniform draw, breaks ties at random. Priorities of beliefs about classes are kept to 12
/// digits, so that items with the same evidence tie; they are ranked then by the same draws in studies, by the order of
/// the items in the paper's experiments (see [`super::top`]). Missing confidence counts as the mean of the present
/// ones. (The oracle ranks by the true values and needs no rule: see [`super::regret()`].)
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The epistemic part, the mutual information I of a label and the item's true distribution: the paper's rule under
    /// log loss.
    #[serde(alias = "epistemic")]
    Info,
    /// One-label value Delta: the paper's rule under squared error.
    Delta,
    /// Posterior spread v: the paper's rule for withholding a prediction.
    #[serde(rename = "v")]
    Spread,
    /// Entropy of the posterior mean: total uncertainty with the labels folded in. A baseline.
    PosteriorEntropy,
    /// Entropy of the judge's prediction: total uncertainty of the judge's output. A baseline.
    JudgeEntropy,
    /// Lowest stated confidence first. A baseline.
    LowConfidence,
    /// Fewest labels first. A baseline.
    FewestLabels,
    /// Random order. A baseline.
    Random,
}

/// What there is to say of a rule.
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// Key in results and claims, e.g. `judge_entropy`.
    pub key: &'static str,
    /// Its name in options and in files of studies, where that is another than the key.
    name: Option<&'static str>,
    /// What it ranks by, in words.
    pub words: &'static str,
    /// Name in the paper's figures and tables.
    pub figure: &'static str,
    /// Name in figures and tables of studies, where that is another.
    in_studies: Option<&'static str>,
    /// What it ranks numbers and places on a scale by, where that is something else than `words`.
    on_scale: Option<&'static str>,
    /// Whether it ranks classes on a scale.
    pub ordinal: bool,
    /// Whether it ranks numbers.
    pub ratings: bool,
    /// Whether it looks at the beliefs; if not, it ranks the same under all of them.
    pub reads_beliefs: bool,
    /// The priority of every item; `None` where something that it asks for is not there.
    priority: fn(&RuleInputs) -> Option<Vec<f64>>,
}

impl RuleRow {
    /// What it ranks numbers and places on a scale by, in words.
    pub fn words_on_scale(&self) -> &'static str {
        self.on_scale.unwrap_or(self.words)
    }

    /// Name in figures and tables of studies.
    pub fn in_studies(&self) -> &'static str {
        self.in_studies.unwrap_or(self.figure)
    }
}

/// A row that leaves out what few rules have.
const USUAL: RuleRow = RuleRow {
    rule: Rule::Random,
    key: "",
    name: None,
    words: "",
    figure: "",
    in_studies: None,
    on_scale: None,
    ordinal: false,
    ratings: false,
    reads_beliefs: true,
    priority: |_| None,
};

/// All rules in the order of [`Rule`], which is also the order in which studies evaluate them. It is part of the random
/// stream: new rules go to the end.
static RULES: [RuleRow; 8] = [
    RuleRow {
        rule: Rule::Info,
        key: "info",
        name: Some("epistemic"),
        words: "epistemic part",
        figure: "mutual information I",
        in_studies: Some("epistemic part"),
        ordinal: true,
        ratings: true,
        priority: |items| Some(items.beliefs(Quantity::Epistemic)),
        ..USUAL
    },
    RuleRow {
        rule: Rule::Delta,
        key: "delta",
        words: "one-label value Delta",
        figure: "label value Δ",
        ordinal: true,
        ratings: true,
        priority: |items| Some(items.beliefs(Quantity::LabelValue)),
        ..USUAL
    },
    RuleRow {
        rule: Rule::Spread,
        key: "v",
        words: "posterior spread v",
        figure: "posterior spread v",
        on_scale: Some("epistemic part"),
        // On a scale of classes it is the same as `Info`.
        ratings: true,
        priority: |items| Some(items.beliefs(Quantity::Spread)),
        ..USUAL
    },
    RuleRow {
        rule: Rule::PosteriorEntropy,
        key: "posterior_entropy",
        words: "entropy of the posterior mean",
        figure: "entropy, posterior",
        on_scale: Some("total uncertainty, variance of a label"),
        ordinal: true,
        ratings: true,
        priority: |items| Some(items.beliefs(Quantity::Total)),
        ..USUAL
    },
    RuleRow {
        rule: Rule::JudgeEntropy,
        key: "judge_entropy",
        words: "entropy of the judge's prediction",
        figure: "entropy, judge",
        on_scale: Some("the judge's variance"),
        ordinal: true,
        ratings: true,
        reads_beliefs: false,
        priority: |items| Some(items.jittered(items.judged()?)),
        ..USUAL
    },
    RuleRow {
        rule: Rule::LowConfidence,
        key: "low_confidence",
        words: "lowest stated confidence",
        figure: "low stated confidence",
        ordinal: true,
        reads_beliefs: false,
        priority: |items| {
            let present: Vec<f64> = items.confidence?.iter().flatten().copied().collect();
            let fill = if present.is_empty() { 0.0 } else { crate::stats::mean(&present) };
            Some(items.jittered(items.confidence?.iter().map(|stated| -stated.unwrap_or(fill)).collect()))
        },
        ..USUAL
    },
    RuleRow {
        rule: Rule::FewestLabels,
        key: "fewest_labels",
        words: "fewest labels",
        figure: "fewest labels first",
        ordinal: true,
        ratings: true,
        reads_beliefs: false,
        priority: |items| Some(items.jittered(items.labels?.iter().map(|&n| -f64::from(n)).collect())),
        ..USUAL
    },
    RuleRow {
        rule: Rule::Random,
        key: "random",
        words: "random",
        figure: "random",
        ordinal: true,
        ratings: true,
        reads_beliefs: false,
        priority: |items| items.random.map(<[f64]>::to_vec),
        ..USUAL
    },
];

impl Rule {
    /// The rules whose rows are as asked for, in the order in which they are evaluated (it is part of the random
    /// stream).
    ///
    /// # Examples
    ///
    /// ```
    /// use judge_uncertainty_core::escalation::Rule;
    ///
    /// assert!(Rule::those(|row| row.ratings).contains(&Rule::Info));
    /// assert!(!Rule::those(|row| row.ratings).contains(&Rule::LowConfidence));
    /// ```
    pub fn those(asked: fn(&RuleRow) -> bool) -> Vec<Rule> {
        RULES.iter().filter(|row| asked(row)).map(|row| row.rule).collect()
    }

    /// What there is to say of the rule.
    pub fn row(self) -> &'static RuleRow {
        &RULES[self as usize]
    }

    /// Key in results and claims, e.g. `judge_entropy`.
    pub fn key(self) -> &'static str {
        self.row().key
    }

    /// Its name in options and in files of studies.
    pub fn name(self) -> &'static str {
        self.row().name.unwrap_or(self.row().key)
    }

    /// What the rule ranks by, in words.
    pub fn words(self) -> &'static str {
        self.row().words
    }

    /// The priority of every item, higher first; `None` where the rule asks for something that the items do not have.
    ///
    /// # Examples
    ///
    /// ```
    /// use judge_uncertainty_core::belief::{Beliefs, ItemBeliefs};
    /// use judge_uncertainty_core::escalation::{Rule, RuleInputs};
    /// use ndarray::array;
    ///
    /// let beliefs = ItemBeliefs::Classes(Beliefs::new(array![[9.0, 1.0], [1.0, 1.0]]));
    /// let priority = Rule::Info.priority(&RuleInputs::new(&beliefs)).expect("it asks for beliefs alone");
    /// assert!(priority[1] > priority[0]);
    /// assert_eq!(Rule::LowConfidence.priority(&RuleInputs::new(&beliefs)), None);
    /// ```
    pub fn priority(self, items: &RuleInputs) -> Option<Vec<f64>> {
        (self.row().priority)(items)
    }
}

impl std::str::FromStr for Rule {
    type Err = String;

    /// Reads a rule's name or key.
    fn from_str(name: &str) -> Result<Self, String> {
        let known = RULES.iter().find(|row| row.key == name || row.rule.name() == name).map(|row| row.rule);
        let names = || RULES.each_ref().map(|row| row.rule.name()).join(", ");
        known.ok_or_else(|| format!("{name:?} is none of the rules {}", names()))
    }
}

/// What rules may ask of the items that they rank; a rule that asks for what is not there does not rank them.
///
/// Give what there is: `RuleInputs { labels: Some(&numbers), ..RuleInputs::new(&beliefs) }`.
#[derive(Clone, Copy)]
pub struct RuleInputs<'a> {
    /// Posterior beliefs.
    pub beliefs: &'a ItemBeliefs,
    /// The judge's predictions of classes, items x classes.
    pub q: Option<&'a Array2<f64>>,
    /// How uncertain the judge's prediction of every item is, where that does not follow from `q`, as the variance of a
    /// label that is a number, or is known; computed when a rule asks.
    pub judged: Option<&'a dyn Fn() -> Vec<f64>>,
    /// Stated confidence, 0 to 100, per item.
    pub confidence: Option<&'a [Option<f64>]>,
    /// Number of labels in hand, per item.
    pub labels: Option<&'a [u32]>,
    /// Uniform draws in [0, 1), one per item, times 1e-9: they break ties of priorities that have no closed form.
    pub jitter: Option<&'a [f64]>,
    /// Uniform draws, per item, that the random rule ranks by.
    pub random: Option<&'a [f64]>,
}

/// Scale of the jitter that breaks ties.
const JITTER: f64 = 1e-9;

impl<'a> RuleInputs<'a> {
    /// Beliefs and nothing else.
    pub fn new(beliefs: &'a ItemBeliefs) -> Self {
        Self { beliefs, q: None, judged: None, confidence: None, labels: None, jitter: None, random: None }
    }

    /// A quantity of every belief, settled.
    pub(super) fn beliefs(&self, quantity: Quantity) -> Vec<f64> {
        self.settled(self.beliefs.all(quantity))
    }

    /// Total uncertainty of the judge's prediction of every item.
    pub(super) fn judged(&self) -> Option<Vec<f64>> {
        match (self.judged, self.q) {
            (Some(judged), _) => Some(judged()),
            (None, Some(q)) => q.rows().into_iter().map(|q| self.beliefs.total_of_prediction(row(q))).collect(),
            (None, None) => None,
        }
    }

    pub(super) fn settled(&self, priority: Vec<f64>) -> Vec<f64> {
        priority.into_iter().map(|priority| self.beliefs.settle(priority)).collect()
    }

    pub(super) fn jittered(&self, mut priority: Vec<f64>) -> Vec<f64> {
        if let Some(jitter) = self.jitter {
            priority.iter_mut().zip(jitter).for_each(|(priority, u)| *priority += u * JITTER);
        }
        priority
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_one_row_and_names_of_its_own() {
        for (k, row) in RULES.iter().enumerate() {
            assert_eq!((row.rule as usize, row.rule.row().key, row.key.parse()), (k, row.key, Ok(row.rule)));
            assert_eq!(serde_json::to_value(row.rule).unwrap(), row.key);
        }
        for name in [|r: &RuleRow| r.key, |r: &RuleRow| r.words, |r: &RuleRow| r.figure] {
            assert_eq!(RULES.iter().map(name).collect::<BTreeSet<_>>().len(), RULES.len());
        }
    }
}
