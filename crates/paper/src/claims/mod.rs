//! The paper's published numbers as claims, and the verdict on each against recomputed results.
//!
//! A claim is one number at one place of the paper, typed by hand in `data/paper/claims.toml`. It names the computed
//! quantity that it is compared with, and how close the two must be:
//!
//! - an *exact* claim agrees when the reproduced number prints the published digits;
//! - an *approximate* claim, a word or a number with `~`, may instead lie within a tenth of what it states;
//! - a claim with a second rounding may instead print them when it is rounded as the paper rounded, which is said;
//! - a *monte-carlo* claim may instead lie within a tolerance that follows from how much runs differ, never from the
//!   published number, and on the same side of zero as it;
//! - a claim with a relation ("above 90") agrees when the reproduced number, unrounded, lies beyond the threshold.

mod conclusions;
mod file;
mod record;
mod runs;
mod verdict;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use judge_uncertainty_system::read;
use serde::Deserialize;

pub use crate::experiments::Experiment;

pub use conclusions::{Conclusion, ConclusionOutcome, JudgedConclusion};
pub use record::{Record, RecordTally};
pub use runs::Runs;
pub use verdict::{
    Beside, Judged, JudgedBy, LITERALLY, ReadingTally, ResultValues, Verdict, VerdictTally, judge, misprinted,
    smallest_misprint, tally,
};

/// How a claim's threshold relates to the reproduced number; the threshold itself satisfies neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The reproduced number is larger than the threshold.
    Above,
    /// The reproduced number is smaller than the threshold.
    Below,
}

impl Relation {
    /// The word before the number in the published text.
    const fn word(self) -> &'static str {
        match self {
            Self::Above => "above ",
            Self::Below => "below ",
        }
    }
}

/// The word before a number that is approached from below.
const NEARLY: &str = "nearly ";

/// How closely a recomputation can be asked to meet a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The printed digits must agree.
    Exact,
    /// A word (`triple`), or a number with `~`: it states a number to within a tenth.
    Approximate,
    /// The printed digits cannot be reproduced bit by bit.
    MonteCarlo,
}

/// What a published text is, since digits and words agree in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// A printed number.
    Digits,
    /// A word (`triple`), a number with `~`, or a threshold (`above 90`).
    Words,
}

/// One number that the paper states from a computation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Name of the claim: lower-case words joined by hyphens, unique.
    pub id: String,
    /// Where it was computed.
    pub experiment: Experiment,
    /// Section, table and cell, or caption.
    pub place: String,
    /// What the number says.
    pub statement: String,
    /// The text as printed, without its unit: a number (`+6.8`, `.76`, `~50`), or words (`triple`).
    pub published: String,
    /// The number that the text states.
    pub value: f64,
    /// Digits after the point of `value`; `-1` if it counts tens.
    pub decimals: i8,
    /// Decimals of an intermediate figure from which the paper rounded a second time, where that shows.
    pub rounded_through: Option<i8>,
    /// Unit of the number, if it has one.
    pub unit: Option<String>,
    /// Path of the computed number: the experiment, then keys and array positions of its results, joined by `/`.
    pub quantity: String,
    /// Set when the claim states a threshold and not a number.
    pub relation: Option<Relation>,
    /// How closely it must be met.
    pub class: Class,
    /// Of a Monte-Carlo claim, the standard deviation from run to run; it is measured on runs, and does not know the
    /// published number.
    pub sd: Option<f64>,
    /// Or a bound: no two runs lie further apart.
    pub bound: Option<f64>,
    /// And why the printed digits may be missed, a key in [`Claims::reasons`].
    pub reason: Option<String>,
    /// Of a word for zero, the number that the paper compares it with.
    pub beside: Option<f64>,
    /// For a literal reading, the id of the claim that it belongs to.
    #[serde(skip)]
    pub of: Option<String>,
}

impl Claim {
    /// The section, table or figure, and where in it: `Table 2 (tab:esc)` and `entropy row, value`.
    pub fn location(&self) -> (&str, Option<&str>) {
        match self.place.split_once(", ") {
            Some((place, within)) => (place, Some(within)),
            None => (&self.place, None),
        }
    }

    /// Whether it says how far runs lie apart, or why.
    fn has_spread(&self) -> bool {
        self.sd.is_some() || self.bound.is_some() || self.reason.is_some()
    }

    /// Largest distance from the published value, in the unit of the claim, at which a claim is met whose digits may be
    /// others; `None` for an exact one.
    ///
    /// Of an approximate claim it is a tenth of the value or, of a zero, of the number that it is compared with. Of a
    /// Monte-Carlo claim what is compared is the difference of two runs, ours and the authors', so its standard
    /// deviation is sqrt(2) times that of one run; three of these are allowed, or the bound, and half a unit of the
    /// printed digit for the rounding.
    pub fn tolerance(&self) -> Option<f64> {
        match self.class {
            Class::Exact => None,
            Class::Approximate => Some(self.beside.unwrap_or(self.value).abs() / 10.0),
            Class::MonteCarlo => {
                let apart = self.sd.map(|sd| 3.0 * std::f64::consts::SQRT_2 * sd).or(self.bound);
                apart.map(|apart| apart + self.half_unit())
            }
        }
    }

    /// Half a unit of the printed digit.
    fn half_unit(&self) -> f64 {
        0.5 * 10f64.powi(-i32::from(self.decimals))
    }

    /// Largest distance from the published value at which the claim is met: half a printed unit, or its tolerance.
    pub fn allowed(&self) -> f64 {
        self.tolerance().unwrap_or_else(|| self.half_unit())
    }

    /// Whether the paper prints a sign and a number has the other one, be it that of a zero: an interval that excluded
    /// zero would include it, or the other way round.
    pub fn has_other_sign(&self, reproduced: f64) -> bool {
        let is_signed = self.relation.is_none() && self.published.starts_with(['+', '-']);
        is_signed && reproduced != 0.0 && reproduced.is_sign_negative() != self.published.starts_with('-')
    }

    /// Digits or words.
    pub fn kind(&self) -> Notation {
        let number = judge_uncertainty_system::numbers::PrintedNumber::read(&self.published);
        if self.relation.is_none() && number.is_some_and(|n| !n.approximate) {
            Notation::Digits
        } else {
            Notation::Words
        }
    }

    /// Whether the published word says that the number is not quite reached: `nearly twice`.
    pub fn nearly(&self) -> bool {
        self.published.starts_with(NEARLY)
    }

    /// Name of the LaTeX macro that holds the reproduced number, without its backslash: `esc-info-value` gives
    /// `JUEscInfoValue`.
    ///
    /// Ids hold letters and hyphens only, so every id gives a valid name and different ids give different names.
    pub fn macro_name(&self) -> String {
        let words = self.id.split('-').map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_ascii_uppercase() + rest
        });
        "JU".to_owned() + &words.collect::<String>()
    }
}

/// All claims of the paper, checked, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    /// Why a recomputation may miss the printed digits, by key.
    pub reasons: BTreeMap<String, String>,
    /// What computes quantities: beginnings of their paths, with `FILE#FUNCTION` below the experiments' code. The
    /// longest that fits a quantity counts.
    pub code: BTreeMap<String, String>,
    /// The claims.
    pub claims: Vec<Claim>,
    /// Literal readings, for sentences whose number rests on another reading or is contradicted by the paper's own
    /// numbers. The claim has the reading that gives the number; the literal one is computed and judged too, shown
    /// below the claim, and counted separately, because the program is not at fault.
    pub readings: Vec<Claim>,
    /// What the paper concludes.
    pub conclusions: Vec<Conclusion>,
    /// Why claims differ, by their ids: evidence for readers, which moves no verdict.
    pub deviations: BTreeMap<String, String>,
    /// Runs that the authors could plausibly have had, over which conclusions are judged.
    pub runs: Runs,
    /// What the authors' procedure judges.
    pub judged_by: JudgedBy,
    /// The figures of the authors' record.
    pub record: Record,
}

impl Claims {
    /// Holds every conclusion against results, and against runs that the authors could have had.
    ///
    /// # Errors
    /// As [`judge`].
    pub fn judge_conclusions<'c>(&'c self, results: &ResultValues) -> Result<Vec<JudgedConclusion<'c>>, ClaimsError> {
        self.conclusions.iter().map(|conclusion| conclusion.judge(results, &self.runs, &self.judged_by)).collect()
    }

    /// File and function that compute a quantity, the file below `crates/paper/src/experiments`; `None` for quantities
    /// of other programs.
    pub fn code_of(&self, quantity: &str) -> Option<(&str, &str)> {
        let fits =
            |path: &str| quantity.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let longest = self.code.iter().filter(|(path, _)| fits(path)).max_by_key(|(path, _)| path.len());
        longest.and_then(|(_, code)| code.split_once('#'))
    }
}

/// The text of a file in the folder of a claims file; empty if that folder has no such file.
fn beside(claims: &Path, file: &str) -> Result<(PathBuf, String), ClaimsError> {
    let path = claims.with_file_name(file);
    match read::text(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((path, String::new())),
        Err(source) => Err(ClaimsError::Read { path, source }),
        Ok(text) => Ok((path, text)),
    }
}

/// A fault of a claims file, or of the results that it is compared with.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum ClaimsError {
    #[error("cannot read the claims file {}; it is part of the repository as data/paper/claims.toml", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} is not a claims file; data/paper/README.md lists the fields of a claim", path.display())]
    Parse { path: PathBuf, source: Box<toml::de::Error> },
    /// A claim contradicts itself or the rest of the file.
    #[error("{}, line {line}, claim `{id}`: {problem}; {remedy}", path.display())]
    Claim { path: PathBuf, line: usize, id: String, problem: String, remedy: &'static str },
    /// The file as a whole is incomplete or holds something that no claim uses.
    #[error("{}: {problem}; {remedy}", path.display())]
    File { path: PathBuf, problem: String, remedy: &'static str },
    /// The experiment has results, but not the number that a claim asks for.
    #[error(
        "claim `{id}`: the {experiment} results (results/{experiment}.json) {found} at `{at}` (wanted: `{quantity}`); \
         correct the claim's quantity, or compute the results again with this version of the program"
    )]
    Quantity { id: String, experiment: Experiment, quantity: String, at: String, found: String },
}
