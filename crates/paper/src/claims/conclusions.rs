//! What the paper concludes, as conditions on computed quantities.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use judge_uncertainty_system::numbers::three;

use super::verdict::{experiment_of, number_at};
use super::{ClaimsError, Experiment, JudgedBy, ResultValues, Runs};

/// A sentence of the paper that follows from its numbers if they are right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// Name: lower-case words joined by hyphens, unique.
    pub id: String,
    /// Whose results it rests on.
    pub experiment: Experiment,
    /// Section, table or figure.
    pub place: String,
    /// What is concluded.
    pub says: String,
    /// Conditions as typed; the sentence needs all of them.
    pub when: Vec<String>,
    /// Whether this is a sentence's literal reading, next to another reading that the authors meant.
    #[serde(default)]
    pub literal: bool,
    /// Why the outcome is what it is, if that needs an explanation.
    pub note: Option<String>,
}

/// Whether two numbers satisfy a comparator; `None` for a word that is not a comparator.
fn compare(word: &str, a: f64, b: f64) -> Option<bool> {
    Some(match word {
        "<" | "rises" => a < b,
        "<=" => a <= b,
        ">" | "falls" => a > b,
        ">=" => a >= b,
        _ => return None,
    })
}

/// Checks a condition on quantities of an experiment: a chain such as `0 < a/lo <= b/mean`, or `rises a/*/mean`.
fn check_condition(text: &str, experiment: Experiment) -> Result<(), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if let ["rises" | "falls", quantity] = words[..] {
        return match quantity.matches('*').count() {
            1 => Ok(()),
            _ => Err(format!("`{text}` has no `*` for the position, or several")),
        };
    }
    let is_side = |word: &&str| word.parse::<f64>().is_ok() || word.split('/').next() == Some(experiment.name());
    if let Some(word) = words.iter().step_by(2).find(|word| !is_side(word)) {
        return Err(format!("`{word}` in `{text}` is neither a number nor a quantity of {experiment}"));
    }
    if let Some(word) = words.iter().skip(1).step_by(2).find(|word| compare(word, 0.0, 0.0).is_none()) {
        return Err(format!("`{word}` in `{text}` is not <, <=, > or >="));
    }
    // A chain begins and ends with a side.
    if words.len() < 3 || words.len().is_multiple_of(2) {
        return Err(format!("`{text}` does not compare anything"));
    }
    Ok(())
}

/// The quantities that a condition asks for in results.
fn quantities_of(condition: &str, results: &Value) -> Vec<String> {
    let words: Vec<&str> = condition.split_whitespace().collect();
    if let ["rises" | "falls", quantity] = words[..] {
        let list = quantity.split("/*").next().unwrap_or_default();
        return (0..elements(results, list)).map(|k| quantity.replacen('*', &k.to_string(), 1)).collect();
    }
    words.into_iter().step_by(2).filter(|word| word.parse::<f64>().is_err()).map(str::to_owned).collect()
}

/// Whether a condition on these quantities holds where `at` gives them.
fn holds<E>(condition: &str, quantities: &[String], at: impl Fn(&str) -> Result<f64, E>) -> Result<bool, E> {
    let words: Vec<&str> = condition.split_whitespace().collect();
    if let [order @ ("rises" | "falls"), _] = words[..] {
        let values = quantities.iter().map(|quantity| at(quantity)).collect::<Result<Vec<f64>, E>>()?;
        return Ok(values.windows(2).all(|pair| compare(order, pair[0], pair[1]) == Some(true)));
    }
    let value = |word: &&str| word.parse().map_or_else(|_| at(word), Ok);
    let values = words.iter().step_by(2).map(value).collect::<Result<Vec<f64>, E>>()?;
    let mut steps = values.windows(2).zip(words.iter().skip(1).step_by(2));
    Ok(steps.all(|(pair, order)| compare(order, pair[0], pair[1]) == Some(true)))
}

/// Whether a conclusion follows from the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConclusionOutcome {
    /// Here, and in every run that the authors could plausibly have had.
    Holds,
    /// In some of these runs, ours among them, and not in others.
    Undetermined,
    /// Neither here nor in any of these runs.
    Flips,
    /// The experiment has no results, or none of the paper's size.
    NotJudged,
}

impl ConclusionOutcome {
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
    pub outcome: ConclusionOutcome,
    /// Whether it holds in the results at hand.
    pub here: bool,
    /// In how many of how many other runs it holds; `None` where these have none of its quantities.
    pub runs: Option<(usize, usize)>,
    /// Whether it holds by the other procedure, where there are two.
    pub beside: Option<bool>,
    /// The quantities with their values here.
    pub values: Vec<(String, f64)>,
}

impl JudgedConclusion<'_> {
    /// `here: no; holds in 9 of 26 runs that the authors could have had`.
    pub fn evidence(&self) -> String {
        if self.outcome == ConclusionOutcome::NotJudged {
            return "not judged".to_owned();
        }
        let conditions = self.conclusion.when.iter().map(|condition| self.with_numbers(condition));
        let mut text =
            format!("{}: {}", if self.here { "yes" } else { "no" }, conditions.collect::<Vec<_>>().join("; "));
        if let Some((held, of)) = self.runs {
            text.push_str(&format!(". Holds in {held} of {of} runs that the authors could have had"));
        }
        if let Some(other) = self.beside.filter(|other| *other != self.here) {
            let holds = if other { "holds" } else { "does not hold" };
            text.push_str(&format!(". By the other procedure it {holds}"));
        }
        text
    }

    /// A condition with numbers in the place of quantities: `lower bound 1.95 > 0`.
    fn with_numbers(&self, condition: &str) -> String {
        let value = |quantity: &str| self.values.iter().find(|(name, _)| name == quantity).map(|(_, value)| *value);
        let words: Vec<&str> = condition.split_whitespace().collect();
        let three = |value: f64| three(value).replace('-', "−");
        if let [order @ ("rises" | "falls"), pattern] = words[..] {
            let (start, end) = pattern.split_once('*').unwrap_or((pattern, ""));
            let of = self.values.iter().filter(|(name, _)| name.starts_with(start) && name.ends_with(end));
            return format!("{order} {}", of.map(|(_, value)| three(*value)).collect::<Vec<_>>().join(", "));
        }
        let word = |word: &&str| match (value(word), word.rsplit('/').next()) {
            (Some(value), Some("lo" | "ci_lo_pp")) => format!("lower bound {}", three(value)),
            (Some(value), Some("hi" | "ci_hi_pp")) => format!("upper bound {}", three(value)),
            (Some(value), _) => three(value),
            (None, _) => word.replace("<=", "≤").replace(">=", "≥").replace('-', "−"),
        };
        words.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

impl Conclusion {
    /// Refuses a condition that compares nothing, or asks for quantities of another experiment.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.when.is_empty() {
            return Err("it has no condition".to_owned());
        }
        self.when.iter().try_for_each(|text| check_condition(text, self.experiment))
    }

    /// The quantities that it rests on, each once, in results of its experiment.
    pub fn quantities(&self, results: &Value) -> Vec<String> {
        let mut all: Vec<String> = vec![];
        for quantity in self.when.iter().flat_map(|condition| quantities_of(condition, results)) {
            if !all.contains(&quantity) {
                all.push(quantity);
            }
        }
        all
    }

    /// Holds it against results, and against the runs that the authors could have had.
    pub(super) fn judge(
        &self,
        all: &ResultValues,
        runs: &Runs,
        judged_by: &JudgedBy,
    ) -> Result<JudgedConclusion<'_>, ClaimsError> {
        let Some(results) = all.get(&self.experiment) else {
            let outcome = ConclusionOutcome::NotJudged;
            return Ok(JudgedConclusion {
                conclusion: self,
                outcome,
                here: false,
                runs: None,
                beside: None,
                values: vec![],
            });
        };
        let at = |quantity: &str| {
            let experiment = experiment_of(quantity).unwrap_or(self.experiment);
            number_at(&self.id, experiment, quantity, all.get(&experiment).unwrap_or(results))
        };
        let look_up = |quantity: &str| at(&judged_by.quantities(quantity).0);
        // What the other procedure does not compute is the same in both.
        let other = |quantity: &str| match judged_by.quantities(quantity).1.map(|other| at(&other)) {
            Some(Ok(value)) => Ok(value),
            _ => look_up(quantity),
        };
        // No run differs in what the authors' procedure alone decides.
        let runs_of = |quantity: &str| {
            let judges = judged_by.quantities(quantity).0 == quantity;
            runs.of(quantity).filter(|_| judges)
        };
        let quantities = self.quantities(results);
        let values =
            quantities.iter().map(|q| Ok((q.clone(), look_up(q)?))).collect::<Result<Vec<_>, ClaimsError>>()?;
        let hold = |at: &dyn Fn(&str) -> Result<f64, ClaimsError>| {
            let one = |all, condition: &String| Ok(all & holds(condition, &quantities_of(condition, results), at)?);
            self.when.iter().try_fold(true, one)
        };
        let here = hold(&look_up)?;
        let is_twofold = quantities.iter().any(|q| judged_by.quantities(q).1.is_some_and(|other| at(&other).is_ok()));
        let beside = is_twofold.then(|| hold(&other)).transpose()?;
        // Where nothing varies there is this run alone.
        let varied = quantities.iter().any(|quantity| runs_of(quantity).is_some());
        let number = if varied { runs.number() } else { 0 };
        // A quantity that no run moves is as it is here.
        let in_run = |run: usize| {
            hold(&|quantity| match runs_of(quantity).and_then(|values| values.get(run)) {
                Some(value) => Ok(*value),
                None => look_up(quantity),
            })
        };
        let mut held = 0;
        for run in 0..number {
            held += usize::from(in_run(run)?);
        }
        let outcome = match (here, held) {
            (true, held) if held == number => ConclusionOutcome::Holds,
            (false, 0) => ConclusionOutcome::Flips,
            _ => ConclusionOutcome::Undetermined,
        };
        let runs = varied.then_some((held, number));
        Ok(JudgedConclusion { conclusion: self, outcome, here, runs, beside, values })
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
        check_condition(text, Experiment::Dice).unwrap();
        let at = |quantity: &str| number_at("c", Experiment::Dice, quantity, results);
        super::holds(text, &quantities_of(text, results), at).unwrap()
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
            let found = check_condition(text, Experiment::Dice).unwrap_err();
            assert!(found.contains(problem), "{found}");
        }
    }
}
