//! The rate, or mean, of people's answers over all rows of a file, corrected for the judge's errors.

use serde::Serialize;

use judge_uncertainty_core::stats::{Estimable, mean};

use super::estimate::Sample;
use super::rows::{Grouping, Statistic};

/// A rate over all rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rate {
    /// The answer whose share it is; `mean` of numbers.
    pub of: String,
    /// As the judge alone has it.
    pub by_judge: f64,
    /// As the labels alone have it.
    pub by_labels: Estimable,
    /// As labels and judge have it together.
    pub corrected: Estimable,
    /// The corrected rate in each group.
    pub groups: Vec<OfGroup>,
    /// The corrected rate of each system.
    pub systems: Vec<OfGroup>,
    /// The first system's less the second's, where there are two.
    pub difference: Option<Estimable>,
}

/// A rate in a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfGroup {
    /// The group.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// As the judge alone has it.
    pub by_judge: f64,
    /// Corrected.
    pub corrected: Estimable,
}

/// The rates of every quantity.
pub fn rates(sample: &Sample<'_>) -> Vec<Rate> {
    let rows = sample.rows;
    let every: Vec<usize> = (0..rows.len()).collect();
    let of = |(k, quantity): (usize, &Statistic)| {
        let range = match quantity {
            Statistic::Share(_) => (0.0, 1.0),
            Statistic::Mean => rows.answers.range(),
        };
        let estimate = |domain: &[usize], helped: bool| {
            let baseline: Vec<f64> = domain.iter().map(|&row| rows.predicted[row][k]).collect();
            let baseline = helped.then_some(baseline.as_slice());
            sample.mean(domain, |row| rows.observed(row, *quantity), baseline, range, 1)
        };
        let by_judge =
            |domain: &[usize]| mean(&domain.iter().map(|&row| quantity.of(rows.verdict[row])).collect::<Vec<_>>());
        let by = |grouping: &Grouping| -> Vec<OfGroup> {
            let of = |(g, name): (usize, &String)| {
                let domain = grouping.rows(g);
                OfGroup {
                    name: name.clone(),
                    rows: domain.len(),
                    by_judge: by_judge(&domain),
                    corrected: estimate(&domain, true),
                }
            };
            grouping.names.iter().enumerate().map(of).collect()
        };
        let two = rows.system.as_ref().filter(|system| system.names.len() == 2);
        Rate {
            of: match quantity {
                Statistic::Share(class) => rows.answers.text(*class as f64),
                Statistic::Mean => "mean".to_owned(),
            },
            by_judge: by_judge(&every),
            by_labels: estimate(&every, false),
            corrected: estimate(&every, true),
            groups: rows.group.as_ref().map(by).unwrap_or_default(),
            systems: rows.system.as_ref().map(by).unwrap_or_default(),
            difference: two.map(|system| {
                let value = |row: usize| rows.observed(row, *quantity).map(|seen| seen.mean);
                sample.between(value, |row| rows.predicted[row][k], |row| system.of[row] == 0)
            }),
        }
    };
    rows.quantities().iter().enumerate().map(of).collect()
}
