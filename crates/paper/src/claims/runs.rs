//! Runs that the authors could plausibly have had.
//!
//! What is not known of their run (the last bits of the embeddings, where the search for the trust stopped, the order
//! in which the sort left equal scores) was chosen anew in each, by `cargo bench --bench tolerances`. The published
//! numbers enter nowhere.

use std::collections::BTreeMap;
use std::path::Path;

use super::{ClaimsError, beside};

/// The file in the folder of the claims: quantities with their values, a column for each run.
const FILE: &str = "runs.csv";

/// Values of quantities over the runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Runs {
    values: BTreeMap<String, Vec<f64>>,
    number: usize,
}

impl Runs {
    /// The runs in the folder of a claims file; empty if that folder has no such file.
    pub(super) fn beside(claims: &Path) -> Result<Self, ClaimsError> {
        Ok(Self::parse(&beside(claims, FILE)?.1))
    }

    /// Reads runs: a line with the names of the columns, then a quantity and its values on each line.
    fn parse(text: &str) -> Self {
        let row = |line: &str| {
            let mut cells = line.split(',');
            let quantity = cells.next().unwrap_or_default().to_owned();
            (quantity, cells.filter_map(|cell| cell.parse().ok()).collect::<Vec<f64>>())
        };
        let values: BTreeMap<_, _> = text.lines().skip(1).map(row).collect();
        let number = values.values().map(Vec::len).min().unwrap_or(0);
        Self { values, number }
    }

    /// How many runs there are.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// A quantity in every run; `None` if every input of the quantity is known.
    pub fn of(&self, quantity: &str) -> Option<&[f64]> {
        self.values.get(quantity).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_by_quantity() {
        let runs = Runs::parse("quantity,run_0,run_1,run_2\na/b,1,2,3\na/c,5,5,5\n");
        assert_eq!(runs.number(), 3);
        assert_eq!(runs.of("a/b"), Some([1.0, 2.0, 3.0].as_slice()));
        assert_eq!(runs.of("a"), None);
    }

    #[test]
    fn the_runs_of_the_data_folder_are_whole() {
        let claims = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/paper/claims.toml"));
        let runs = Runs::beside(claims).unwrap();
        assert!(runs.number() >= 5);
        let whole = |values: &Vec<f64>| values.len() == runs.number() && values.iter().all(|x| x.is_finite());
        assert!(runs.values.values().all(whole));
    }
}
