//! Holding claims against results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Claim, ClaimsError, Class, Experiment, Relation};
use judge_uncertainty_system::numbers::{NumberStyle, PrintedNumber, rounded, rounded_twice};

/// Results by experiment; an experiment that has not been run has no entry.
pub type ResultValues = BTreeMap<Experiment, Value>;

/// What holding a claim against results has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The reproduced number prints the published digits, or lies beyond the published threshold.
    Agrees,
    /// Rounded once the number prints other digits; rounded through the claim's intermediate figure, as the paper did,
    /// it prints the published ones.
    PapersRounding,
    /// The digits differ, by no more than the claim's tolerance.
    WithinTolerance,
    /// The digits differ by more than the claim allows.
    Differs,
    /// The experiment has no results.
    NotRun,
    /// The results are of another size than the paper's, so the claim can't be judged by them.
    NotJudged,
}

impl Verdict {
    /// All, from the best to what says nothing.
    pub const ALL: [Self; 6] =
        [Self::Agrees, Self::PapersRounding, Self::WithinTolerance, Self::Differs, Self::NotRun, Self::NotJudged];

    /// The word in tables for readers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::PapersRounding => "the paper's rounding",
            Self::WithinTolerance => "tolerance",
            Self::Differs => "DIFFERS",
            Self::NotRun => "not run",
            Self::NotJudged => "not judged",
        }
    }
}

/// A claim with what became of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged<'c> {
    /// The claim.
    pub claim: &'c Claim,
    /// The reproduced number in full precision; `None` exactly when the experiment was not run.
    pub reproduced: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// What the other procedure gives.
    pub beside: Option<Beside>,
}

/// A claim under the procedure that does not judge it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Beside {
    /// The procedure that gives the number: [`Experiment::Authors`] for the authors' procedure. Ours is the optimum of
    /// the likelihood in [`Experiment::ChaosNli`], and equal items in the order of the dice in [`Experiment::Dice`].
    pub reading: Experiment,
    /// The number in full precision.
    pub reproduced: f64,
    /// The verdict that it would have.
    pub verdict: Verdict,
}

impl Beside {
    /// How the number that judges was computed, and this one, in words.
    pub const fn procedures(&self) -> (&'static str, &'static str) {
        const AUTHORS: &str = "by the authors' procedure";
        match self.reading {
            Experiment::Authors => ("at the optimum", AUTHORS),
            Experiment::Dice => (AUTHORS, "in the order of the dice"),
            _ => (AUTHORS, "at the optimum"),
        }
    }
}

/// What the authors' procedure judges: beginnings of quantities, with the beginnings of its own in their place.
///
/// A claim names the quantity by our procedure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgedBy(pub(super) BTreeMap<String, String>);

impl JudgedBy {
    /// The quantity that judges, and the one of the other procedure where there are two.
    pub fn quantities(&self, quantity: &str) -> (String, Option<String>) {
        let authors =
            self.0.iter().find_map(|(ours, theirs)| Some(format!("{theirs}{}", quantity.strip_prefix(ours)?)));
        match (authors, quantity.split_once('/')) {
            (Some(authors), _) => (authors, Some(quantity.to_owned())),
            (None, Some((first, rest))) if first == Experiment::ChaosNli.name() => {
                (quantity.to_owned(), Some(format!("{}/{rest}", Experiment::Authors)))
            }
            _ => (quantity.to_owned(), None),
        }
    }

    /// The experiment whose results a quantity is judged by.
    pub fn experiment(&self, quantity: &str) -> Option<Experiment> {
        experiment_of(&self.quantities(quantity).0)
    }
}

/// The experiment that computes a quantity.
pub(super) fn experiment_of(quantity: &str) -> Option<Experiment> {
    let first = quantity.split('/').next();
    Experiment::ALL.into_iter().find(|experiment| Some(experiment.name()) == first)
}

impl Judged<'_> {
    /// The reproduced number as text, in the style of the published one.
    ///
    /// Its precision is the published one, except where that would hide what was compared: a threshold shows one
    /// decimal more, a number rounded twice shows the digits before the second rounding, and one that is stated
    /// roughly shows one decimal more.
    pub fn text(&self) -> Option<String> {
        let claim = self.claim;
        let style = PrintedNumber::read(&claim.published).map_or(NumberStyle::plain(0), |printed| printed.style);
        let more = i8::from(claim.relation.is_some() || claim.class == Class::Approximate);
        let decimals = claim.rounded_through.unwrap_or(claim.decimals.max(0) + more);
        self.reproduced.map(|value| NumberStyle { decimals, ..style }.format(value))
    }

    /// Whether the claim differs, by the procedure that judges it or by the other one.
    pub fn either_differs(&self) -> bool {
        let differs = |verdict| verdict == Verdict::Differs;
        differs(self.verdict) || self.beside.is_some_and(|beside| differs(beside.verdict))
    }

    /// Of a literal reading `agrees`, `differs`, `not run` or `not judged`: a tolerance or the paper's rounding count
    /// as agreement.
    pub const fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Agrees | Verdict::PapersRounding | Verdict::WithinTolerance => "agrees",
            Verdict::Differs => "differs",
            other => other.word(),
        }
    }

    /// The status of a literal reading in words: `as literally stated: differs`.
    pub fn status(&self) -> String {
        format!("{LITERALLY}: {}", self.word())
    }
}

/// Holds claims, or literal readings, against the results of their experiments, in their order.
///
/// A printed sign counts, also that of a zero: a result that prints `-0.0` agrees with a published `0.0`, not with
/// `+0.0`.
///
/// # Errors
///
/// When an experiment has results but no number where a claim looks for one. That is a fault of the claim or of the
/// program, never a claim that was not run.
pub fn judge<'c>(
    claims: &'c [Claim],
    results: &ResultValues,
    judged_by: &JudgedBy,
) -> Result<Vec<Judged<'c>>, ClaimsError> {
    let one = |claim: &'c Claim| {
        let (judging, other) = judged_by.quantities(&claim.quantity);
        let of = |quantity: &str| Some((experiment_of(quantity)?, results.get(&experiment_of(quantity)?)?));
        let Some((experiment, own)) = of(&judging) else {
            return Ok(Judged { claim, reproduced: None, verdict: Verdict::NotRun, beside: None });
        };
        let reproduced = number_at(&claim.id, experiment, &judging, own)?;
        // What the other procedure does not compute is the same in both.
        let beside = other.and_then(|quantity| {
            let (reading, values) = of(&quantity)?;
            let reproduced = number_at(&claim.id, reading, &quantity, values).ok()?;
            Some(Beside { reading, reproduced, verdict: verdict(claim, reproduced) })
        });
        Ok(Judged { claim, reproduced: Some(reproduced), verdict: verdict(claim, reproduced), beside })
    };
    claims.iter().map(one).collect()
}

/// The words that mark a row as a sentence's literal reading.
pub const LITERALLY: &str = "as literally stated";

/// How many literal readings agree and differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReadingTally {
    /// Literal readings.
    pub readings: usize,
    /// Those that meet what the paper prints.
    pub agree: usize,
    /// Those that don't.
    pub differ: usize,
}

impl ReadingTally {
    /// Counts readings; those that were not run or not judged neither agree nor differ.
    pub fn new(judged: &[Judged<'_>]) -> Self {
        let count = |word: &str| judged.iter().filter(|reading| reading.word() == word).count();
        Self { readings: judged.len(), agree: count("agrees"), differ: count("differs") }
    }
}

fn verdict(claim: &Claim, reproduced: f64) -> Verdict {
    let agrees = match claim.relation {
        Some(Relation::Above) => reproduced > claim.value,
        Some(Relation::Below) => reproduced < claim.value,
        None => rounded(reproduced, claim.decimals) == claim.value && !claim.has_other_sign(reproduced),
    };
    let twice = |through| rounded_twice(reproduced, through, claim.decimals) == claim.value;
    let near = claim.tolerance().is_some_and(|tolerance| (reproduced - claim.value).abs() <= tolerance);
    match claim.class {
        Class::Approximate if !near || claim.nearly() && reproduced >= claim.value => Verdict::Differs,
        _ if agrees => Verdict::Agrees,
        _ if claim.rounded_through.is_some_and(twice) => Verdict::PapersRounding,
        Class::Approximate => Verdict::WithinTolerance,
        Class::MonteCarlo if near && !claim.has_other_sign(reproduced) => Verdict::WithinTolerance,
        _ => Verdict::Differs,
    }
}

/// The smallest number of units of the last printed digit by which the published number could be misprinted so that the
/// claim would differ from what was reproduced; negative where the misprint is lower. Of a threshold, how far it would
/// have to be moved. `None` for a claim that differs as it is printed.
pub fn smallest_misprint(claim: &Claim, reproduced: f64) -> Option<i64> {
    /// Beyond any claim of the paper; a claim that nothing can make differ would be none.
    const MOST: i64 = 1_000_000;
    if verdict(claim, reproduced) == Verdict::Differs {
        return None;
    }
    (1..=MOST)
        .flat_map(|units| [-units, units])
        .find(|units| verdict(&misprinted(claim, *units), reproduced) == Verdict::Differs)
}

/// A claim whose published number is off by so many units of its last digit.
pub fn misprinted(claim: &Claim, units: i64) -> Claim {
    let value = rounded(claim.value + units as f64 * 10f64.powi(-i32::from(claim.decimals)), claim.decimals);
    let published = match PrintedNumber::read(&claim.published) {
        Some(printed) => printed.style.format(value),
        None => format!("{} ({})", claim.published, NumberStyle::plain(claim.decimals).format(value)),
    };
    Claim { value, published, ..claim.clone() }
}

/// The last word of a path that asks for the number of entries at that path.
const COUNT: &str = "#";

/// Follows a path through the results of an experiment to its number; `id` names who asks, in errors.
pub(super) fn number_at(id: &str, experiment: Experiment, quantity: &str, results: &Value) -> Result<f64, ClaimsError> {
    let error = |at: &str, found: &str| ClaimsError::Quantity {
        id: id.to_owned(),
        experiment,
        quantity: quantity.to_owned(),
        at: at.to_owned(),
        found: found.to_owned(),
    };
    let mut node = results;
    let mut at = experiment.name().to_owned();
    for key in quantity.split('/').skip(1) {
        at = format!("{at}/{key}");
        if let (COUNT, Value::Object(entries)) = (key, node) {
            return Ok(entries.len() as f64);
        }
        let child = match node {
            Value::Array(items) => key.parse().ok().and_then(|i: usize| items.get(i)),
            _ => node.get(key),
        };
        node = child.ok_or_else(|| error(&at, "have nothing"))?;
    }
    match node {
        Value::Number(number) => number.as_f64().ok_or_else(|| error(&at, "have a number beyond 64 bits")),
        Value::Null => Err(error(&at, "have a missing value")),
        Value::Object(_) | Value::Array(_) => Err(error(&at, "go on")),
        Value::Bool(_) | Value::String(_) => Err(error(&at, "have no number")),
    }
}

/// How many claims met each verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct VerdictTally {
    /// Claims that agree to the printed digit.
    pub agrees: usize,
    /// Claims that agree only when the number is rounded twice, as the paper rounded it.
    pub papers_rounding: usize,
    /// Claims within tolerance only.
    pub within_tolerance: usize,
    /// Claims that differ.
    pub differs: usize,
    /// Claims whose experiment was not run.
    pub not_run: usize,
    /// Claims whose experiment was run at another size than the paper's.
    pub not_judged: usize,
}

impl VerdictTally {
    /// Counts verdicts.
    pub fn new<'j, 'c: 'j>(judged: impl IntoIterator<Item = &'j Judged<'c>>) -> Self {
        let mut tally = Self::default();
        judged.into_iter().for_each(|judged| tally.count(judged.verdict));
        tally
    }

    fn count(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Agrees => &mut self.agrees,
            Verdict::PapersRounding => &mut self.papers_rounding,
            Verdict::WithinTolerance => &mut self.within_tolerance,
            Verdict::Differs => &mut self.differs,
            Verdict::NotRun => &mut self.not_run,
            Verdict::NotJudged => &mut self.not_judged,
        } += 1;
    }

    /// All claims counted.
    pub const fn total(&self) -> usize {
        self.agrees + self.papers_rounding + self.within_tolerance + self.differs + self.not_run + self.not_judged
    }
}

/// Counts the verdicts of each experiment.
pub fn tally(judged: &[Judged<'_>]) -> BTreeMap<Experiment, VerdictTally> {
    let mut tallies = BTreeMap::<Experiment, VerdictTally>::new();
    judged.iter().for_each(|judged| tallies.entry(judged.claim.experiment).or_default().count(judged.verdict));
    tallies
}
