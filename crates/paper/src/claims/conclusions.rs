//! What the paper concludes, as conditions on computed quantities.

use serde::Serialize;
use serde_json::Value;

use super::verdict::number_at;
use super::{ClaimsError, Experiment, ResultValues, Runs};

/// A sentence of the paper that its numbers are to bear out.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// Name: lower-case words joined by hyphens, unique.
    pub id: String,
    /// Whose results it rests on.
    pub experiment: Experiment,
    /// Section, table or figure.
    pub place: String,
    /// What is concluded.
    pub says: String,
    /// Conditions as typed, all of which the sentence asks for.
    pub when: Vec<String>,
    /// Whether this is what a sentence says word for word, beside another reading that is meant.
    pub literal: bool,
    /// Why it comes out as it does, where that needs saying.
    pub note: Option<String>,
    conditions: Vec<Condition>,
}

/// A chain such as `0 < a/lo <= b/mean`, or `rises a/*/mean`.
#[derive(Debug, Clone, PartialEq)]
enum Condition {
    Chain(Vec<Operand>, Vec<Comparator>),
    Steps(Comparator, String),
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Number(f64),
    Quantity(String),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Comparator {
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparator {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "<" | "rises" => Self::Less,
            "<=" => Self::AtMost,
            ">" | "falls" => Self::More,
            ">=" => Self::AtLeast,
            _ => return None,
        })
    }

    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::More => a > b,
            Self::AtLeast => a >= b,
        }
    }
}

impl Condition {
    /// Reads a condition on quantities of an experiment.
    fn read(text: &str, experiment: Experiment) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if let [first @ ("rises" | "falls"), quantity] = words[..] {
            let order = Comparator::read(first).ok_or("no order")?;
            return match quantity.matches('*').count() {
                1 => Ok(Self::Steps(order, quantity.to_owned())),
                _ => Err(format!("`{text}` has no `*` for the position, or several")),
            };
        }
        let side = |word: &&str| match word.parse() {
            Ok(number) => Ok(Operand::Number(number)),
            Err(_) if word.split('/').next() == Some(experiment.name()) => Ok(Operand::Quantity((*word).to_owned())),
            Err(_) => Err(format!("`{word}` in `{text}` is neither a number nor a quantity of {experiment}")),
        };
        let sides: Vec<Operand> = words.iter().step_by(2).map(side).collect::<Result<_, _>>()?;
        let order =
            |word: &&str| Comparator::read(word).ok_or_else(|| format!("`{word}` in `{text}` is not <, <=, > or >="));
        let orders: Vec<Comparator> = words.iter().skip(1).step_by(2).map(order).collect::<Result<_, _>>()?;
        if sides.len() < 2 || sides.len() != orders.len() + 1 {
            return Err(format!("`{text}` does not compare anything"));
        }
        Ok(Self::Chain(sides, orders))
    }

    /// The quantities that it asks for; `elements` says how many elements a list at a path has.
    fn quantities(&self, elements: impl Fn(&str) -> usize) -> Vec<String> {
        match self {
            Self::Steps(_, quantity) => {
                let list = quantity.split("/*").next().unwrap_or_default();
                (0..elements(list)).map(|k| quantity.replacen('*', &k.to_string(), 1)).collect()
            }
            Self::Chain(sides, _) => {
                let quantity = |side: &Operand| match side {
                    Operand::Quantity(quantity) => Some(quantity.clone()),
                    Operand::Number(_) => None,
                };
                sides.iter().filter_map(quantity).collect()
            }
        }
    }

    /// Whether it holds where `at` gives the quantities, of which there are `steps` in a list.
    fn holds<E>(&self, quantities: &[String], mut at: impl FnMut(&str) -> Result<f64, E>) -> Result<bool, E> {
        match self {
            Self::Steps(order, _) => {
                let values = quantities.iter().map(|quantity| at(quantity)).collect::<Result<Vec<f64>, E>>()?;
                Ok(values.windows(2).all(|pair| order.holds(pair[0], pair[1])))
            }
            Self::Chain(sides, orders) => {
                let value = |side: &Operand| match side {
                    Operand::Number(number) => Ok(*number),
                    Operand::Quantity(quantity) => at(quantity),
                };
                let values = sides.iter().map(value).collect::<Result<Vec<f64>, E>>()?;
                Ok(values.windows(2).zip(orders).all(|(pair, order)| order.holds(pair[0], pair[1])))
            }
        }
    }
}

/// Whether a conclusion comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Here, and in every run that the authors could plausibly have had.
    Holds,
    /// In some of these runs, ours among them, and not in others.
    Undetermined,
    /// Neither here nor in any of these runs.
    Flips,
    /// The experiment has no results, or none of the paper's size.
    NotJudged,
}

impl Outcome {
    /// The word for readers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Undetermined => "undetermined",
            Self::Flips => "flips",
            Self::NotJudged => "not judged",
        }
    }
}

/// A conclusion with what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedConclusion<'c> {
    /// The conclusion.
    pub conclusion: &'c Conclusion,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether it holds in the results at hand.
    pub here: bool,
    /// In how many of how many other runs it holds; `None` where nothing unknown of a run could move it.
    pub runs: Option<(usize, usize)>,
    /// The quantities with their values here.
    pub values: Vec<(String, f64)>,
}

impl JudgedConclusion<'_> {
    /// `here: no; holds in 9 of 26 runs that the authors could have had`.
    pub fn evidence(&self) -> String {
        let here = if self.here { "here: yes" } else { "here: no" };
        match (self.outcome, self.runs) {
            (Outcome::NotJudged, _) => "not judged".to_owned(),
            (_, Some((held, of))) => format!("{here}; holds in {held} of {of} runs that the authors could have had"),
            (_, None) => here.to_owned(),
        }
    }
}

impl Conclusion {
    /// Makes a conclusion of its typed parts.
    ///
    /// # Errors
    /// A condition that compares nothing, or asks for quantities of another experiment.
    pub(super) fn try_new(typed: super::file::TypedConclusion) -> Result<Self, String> {
        let super::file::TypedConclusion { id, experiment, place, says, when, literal, note } = typed;
        if when.is_empty() {
            return Err("it has no condition".to_owned());
        }
        let conditions = when.iter().map(|text| Condition::read(text, experiment)).collect::<Result<_, _>>()?;
        Ok(Self { id: id.into_inner(), experiment, place, says, when, literal, note, conditions })
    }

    /// The quantities that it rests on, in results of its experiment.
    pub fn quantities(&self, results: &Value) -> Vec<String> {
        self.conditions.iter().flat_map(|condition| condition.quantities(|list| elements(results, list))).collect()
    }

    /// Holds it against results, and against the runs that the authors could have had.
    ///
    /// # Errors
    /// A quantity that the results lack.
    pub(super) fn judge(&self, results: &ResultValues, runs: &Runs) -> Result<JudgedConclusion<'_>, ClaimsError> {
        let judged = |outcome, here, runs, values| JudgedConclusion { conclusion: self, outcome, here, runs, values };
        let Some(results) = results.get(&self.experiment) else {
            return Ok(judged(Outcome::NotJudged, false, None, vec![]));
        };
        let look_up = |quantity: &str| number_at(&self.id, self.experiment, quantity, results);
        let quantities = self.quantities(results);
        let values =
            quantities.iter().map(|q| Ok((q.clone(), look_up(q)?))).collect::<Result<Vec<_>, ClaimsError>>()?;
        let of = |condition: &Condition| condition.quantities(|list| elements(results, list));
        let mut here = true;
        for condition in &self.conditions {
            here &= condition.holds(&of(condition), look_up)?;
        }
        let varied = quantities.iter().any(|quantity| runs.of(quantity).is_some());
        if !varied {
            return Ok(judged(if here { Outcome::Holds } else { Outcome::Flips }, here, None, values));
        }
        // A quantity that no run moves is as it is here.
        let in_run = |run: usize| {
            let at = |quantity: &str| match runs.of(quantity).and_then(|values| values.get(run)) {
                Some(value) => Ok(*value),
                None => look_up(quantity),
            };
            self.conditions
                .iter()
                .try_fold(true, |all, condition| Ok::<_, ClaimsError>(all & condition.holds(&of(condition), at)?))
        };
        let mut held = 0;
        for run in 0..runs.number() {
            held += usize::from(in_run(run)?);
        }
        let outcome = match (here, held) {
            (true, held) if held == runs.number() => Outcome::Holds,
            (false, 0) => Outcome::Flips,
            _ => Outcome::Undetermined,
        };
        Ok(judged(outcome, here, Some((held, runs.number())), values))
    }
}

fn elements(results: &Value, path: &str) -> usize {
    let pointer = path.split_once('/').map_or(String::new(), |(_, rest)| format!("/{rest}"));
    results.pointer(&pointer).and_then(Value::as_array).map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(text: &str, results: &Value) -> bool {
        let condition = Condition::read(text, Experiment::Dice).unwrap();
        let quantities = condition.quantities(|list| elements(results, list));
        condition.holds(&quantities, |quantity| number_at("c", Experiment::Dice, quantity, results)).unwrap()
    }

    #[test]
    fn conditions_compare_numbers_and_quantities() {
        let results = json!({"a": {"lo": -0.5, "hi": 2.0}, "steps": [{"x": 1.0}, {"x": 2.0}, {"x": 2.5}]});
        for (text, expected) in [
            ("dice/a/lo <= 0 <= dice/a/hi", true),
            ("dice/a/lo > 0", false),
            ("3 > dice/a/hi > dice/a/lo", true),
            ("2 < dice/a/hi", false),
            ("2 <= dice/a/hi", true),
            ("rises dice/steps/*/x", true),
            ("falls dice/steps/*/x", false),
        ] {
            assert_eq!(holds(text, &results), expected, "{text}");
        }
        for (text, problem) in [
            ("dice/a/lo", "does not compare"),
            ("dice/a/lo = 0", "is not <"),
            ("chaosnli/a > 0", "neither a number nor a quantity of dice"),
            ("rises dice/a/lo", "no `*`"),
            ("dice/a > 0 <", "does not compare"),
        ] {
            let found = Condition::read(text, Experiment::Dice).unwrap_err();
            assert!(found.contains(problem), "{found}");
        }
    }
}
