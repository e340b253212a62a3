//! The figures of the authors' output files, with three and four digits, next to the figures computed here.

use std::collections::BTreeMap;
use std::path::Path;

use judge_uncertainty_system::numbers::rounded;
use serde::Serialize;

use super::verdict::{experiment_of, number_at};
use super::{ClaimsError, ResultValues, beside};

/// The file in the folder of the claims: quantity, recorded figure, group.
const FILE: &str = "record.csv";
/// How near counts as near.
const NEAR: f64 = 0.001;

/// A figure of the record.
#[derive(Debug, Clone, PartialEq)]
struct Figure {
    quantity: String,
    recorded: f64,
    decimals: i8,
    group: String,
}

/// The figures of the authors' record, typed by hand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record(Vec<Figure>);

/// How many figures of a group agree with the recorded ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RecordTally {
    /// Figures compared.
    pub figures: usize,
    /// Those that print the recorded digits, all of them.
    pub to_the_digit: usize,
    /// Further ones at most 0.001 off.
    pub near: usize,
    /// The others.
    pub farther: usize,
    /// The largest distance.
    pub largest: f64,
    /// Where it is.
    pub at: String,
}

impl Record {
    /// The record in the folder of a claims file; empty if that folder has no record.
    pub(super) fn beside(claims: &Path) -> Result<Self, ClaimsError> {
        let (path, text) = beside(claims, FILE)?;
        let figure = |(k, line): (usize, &str)| {
            let fault = || ClaimsError::File {
                path: path.clone(),
                problem: format!("line {}, `{line}`, is not a figure of the record", k + 1),
                remedy: "give a quantity, a number and a group, joined by commas",
            };
            let [quantity, recorded, group] = line.split(',').collect::<Vec<_>>()[..] else { return Err(fault()) };
            let decimals = recorded.split_once('.').map_or(0, |(_, digits)| digits.len() as i8);
            let recorded = recorded.parse().map_err(|_| fault())?;
            Ok(Figure { quantity: quantity.to_owned(), recorded, decimals, group: group.to_owned() })
        };
        Ok(Self(text.lines().enumerate().skip(1).map(figure).collect::<Result<_, _>>()?))
    }

    /// The comparison by group, of the figures whose experiments have results.
    ///
    /// # Errors
    /// A quantity that the results lack.
    pub fn compare(&self, results: &ResultValues) -> Result<BTreeMap<String, RecordTally>, ClaimsError> {
        let mut tallies = BTreeMap::<String, RecordTally>::new();
        for Figure { quantity, recorded, decimals, group } in &self.0 {
            let Some(experiment) = experiment_of(quantity) else { continue };
            let Some(values) = results.get(&experiment) else { continue };
            let value = number_at("record", experiment, quantity, values)?;
            let off = (value - recorded).abs();
            let tally = tallies.entry(group.clone()).or_default();
            tally.figures += 1;
            match rounded(value, *decimals) == *recorded {
                true => tally.to_the_digit += 1,
                false if off <= NEAR => tally.near += 1,
                false => tally.farther += 1,
            }
            if off > tally.largest {
                (tally.largest, tally.at) = (off, quantity.clone());
            }
        }
        Ok(tallies)
    }
}
