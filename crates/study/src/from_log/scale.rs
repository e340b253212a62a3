//! What labels of a study can be, as the judge of a log answers.

use std::collections::BTreeMap;

use judge_uncertainty_formats::error::{Error, Result};
use judge_uncertainty_formats::logs::{Logs, tokens};

use super::{is_hidden, no_answer, unfit};
use crate::input::scale::{Places, Scale};
use crate::input::spelling::number;

/// With more different answers than this, labels are not classes.
const MOST_CLASSES: usize = 20;
/// Upper ends of the scales that are in use.
const ENDS: [f64; 3] = [5.0, 10.0, 100.0];
/// Verdicts that come in pairs: a judge that gave one could have given the other.
const PAIRS: [[&str; 2]; 6] =
    [["C", "I"], ["yes", "no"], ["true", "false"], ["pass", "fail"], ["correct", "incorrect"], ["A", "B"]];

impl Scale {
    /// What labels can be, as answers and human labels are: whole numbers are places of the smallest usual scale that
    /// holds them (0 or 1 to 5 or 10), other numbers scores, a few words classes.
    ///
    /// # Errors
    /// No answer, or answers that are too many different texts.
    pub(super) fn of_answers(logs: &Logs) -> Result<Self> {
        let given = logs.labels_given();
        if given.is_empty() {
            return Err(no_answer());
        }
        let people = logs.records().flat_map(|record| &record.labels).map(|label| tokens::label_of(&label.value));
        let people: BTreeMap<String, ()> = people.map(|label| (label, ())).collect();
        if let Some(numbers) = numbers(given.keys()) {
            // What people said in other words says nothing about where numbers end.
            let people = people.keys().filter_map(|label| number(label));
            return Ok(Self::of_numbers(&numbers.into_iter().chain(people).collect::<Vec<_>>()));
        }
        let mut names: Vec<String> = vec![];
        for label in given.keys().chain(people.keys()) {
            // Case and dress alone make no class.
            if tokens::class_of(label, &names).is_none() {
                names.push(label.clone());
            }
        }
        // A reference answer may be one that the judge never gave; those of another vocabulary say nothing of classes.
        let right = logs.told(is_hidden);
        if right.len() <= MOST_CLASSES && right.iter().any(|label| tokens::class_of(label, &names).is_some()) {
            let further = right.into_iter().filter(|label| tokens::class_of(label, &names).is_none());
            let further: Vec<String> = further.collect();
            names.extend(further);
        }
        if let [only] = names.as_slice()
            && let Some(pair) = PAIRS.iter().find(|pair| pair.iter().any(|name| name.eq_ignore_ascii_case(only)))
        {
            let other = if pair[0].eq_ignore_ascii_case(only) { pair[1] } else { pair[0] };
            names.push(other.to_owned());
        }
        match names.len() {
            2..=MOST_CLASSES => Ok(Self::Classes(names)),
            number => Err(too_many(&names, number)),
        }
    }

    fn of_numbers(numbers: &[f64]) -> Self {
        let (lowest, highest) = numbers.iter().fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
        let whole = numbers.iter().all(|n| n.fract() == 0.0);
        if lowest >= 0.0 && highest <= 1.0 {
            return if whole { Self::Classes(["0", "1"].map(str::to_owned).to_vec()) } else { Self::Scores(0.0, 1.0) };
        }
        let end = ENDS.into_iter().find(|end| highest <= *end).filter(|_| lowest >= 0.0);
        let (low, high) = match end {
            Some(end) => (if lowest < 1.0 { 0.0 } else { 1.0 }, end),
            None if lowest < highest => (lowest, highest),
            None => (lowest.min(0.0), highest.max(0.0)),
        };
        match whole && high - low < MOST_CLASSES as f64 {
            true => Self::Places(Places::whole(low, high)),
            false => Self::Scores(low, high),
        }
    }

    /// A label as this scale spells it; `None` for a label outside the scale.
    pub(super) fn label(&self, text: &str) -> Option<String> {
        let text = tokens::label_of(text);
        match self {
            Self::Classes(names) => tokens::class_of(&text, names).map(|class| names[class].clone()),
            Self::Places(Places { names, .. }) => names.iter().find(|name| number(name) == number(&text)).cloned(),
            Self::Scores(low, high) => number(&text).filter(|n| (low..=high).contains(&n)).map(|n| n.to_string()),
        }
    }

    /// The columns that hold an answer of the judge.
    pub(super) fn columns(&self, shares: bool) -> Vec<String> {
        match self {
            Self::Scores(..) => vec!["mean".to_owned()],
            _ if shares => self.classes().iter().map(|name| format!("p_{name}")).collect(),
            _ => vec!["label".to_owned()],
        }
    }
}

/// Texts as numbers, if all are.
fn numbers<'t>(texts: impl Iterator<Item = &'t String>) -> Option<Vec<f64>> {
    texts.map(|text| number(text)).collect()
}

fn too_many(names: &[String], number: usize) -> Error {
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("{name:?}")).collect();
    let shown = shown.join(", ");
    let reason = match number {
        1 => format!("every answer of the judge is {shown}"),
        _ => format!("{number} different answers of the judge are not classes: {shown}"),
    };
    unfit(reason, "give a log with a few different answers, or say in a study.toml what answers can be (`study init`)")
}
