//! The paper's experiments at their published sizes.

/// Defines how many replicates of each part an experiment runs: the parts with their names in the manifest, and their
/// numbers in the full run.
macro_rules! sizes {
    ($(#[$doc:meta])* $name:ident { $($(#[$part:meta])+ $field:ident: $said:literal = $full:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name {
            $($(#[$part])+ pub $field: usize,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $full,)+ }
            }
        }

        impl $name {
            /// At most so many of everything.
            pub fn capped(most: usize) -> Self {
                Self { $($field: most.min($full),)+ }
            }

            /// The sizes by name of the part.
            pub fn named(&self) -> std::collections::BTreeMap<String, usize> {
                [$(($said.to_owned(), self.$field),)+].into()
            }
        }
    };
}

pub mod authors;
pub mod bfgs;
pub mod calibration;
pub mod chaosnli;
pub mod dice;
pub mod isolation;
mod numpy_math;
mod numpy_sort;
pub mod seeds;
pub mod simulations;
pub mod steps;
pub mod world;

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

use judge_uncertainty_core::belief::{FitError, design::DesignError};
use judge_uncertainty_core::escalation::{Rule, RuleInputs};

/// A part with results of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Experiment {
    /// The simulations of the paper's Appendix A.
    Simulations,
    /// Experiment 1: a real judge on dice with known truth.
    Dice,
    /// Experiment 2: escalation on real human disagreement, at the optimum of the likelihood.
    ChaosNli,
    /// Experiment 2 by the authors' own procedure.
    Authors,
}

impl Experiment {
    /// All, in the order of the paper.
    pub const ALL: [Self; 4] = [Self::Simulations, Self::Dice, Self::ChaosNli, Self::Authors];

    /// The name in files, claims, quantity paths and arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulations => "simulations",
            Self::Dice => "dice",
            Self::ChaosNli => "chaosnli",
            Self::Authors => "authors",
        }
    }
}

impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Smallest and largest of some values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
}

impl Extremes {
    fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let wider = |range: Self, x: f64| Self { min: range.min.min(x), max: range.max.max(x) };
        values.into_iter().fold(Self { min: f64::INFINITY, max: f64::NEG_INFINITY }, wider)
    }
}

/// Why an experiment can't be run.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    /// Input data that can't be used.
    #[error(transparent)]
    Data(#[from] judge_uncertainty_formats::Error),
    /// Features that can't be used.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A fit that is impossible.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Draws that the random streams do not define.
    #[error(transparent)]
    Stream(#[from] judge_uncertainty_core::random::UnsupportedCorrelation),
    #[error("experiment {experiment}: {detail}; check that the data folder belongs to this version")]
    Shape { experiment: &'static str, detail: String },
    #[error("experiment {experiment}: {quantity} is not defined for these data (no variation, or nothing to gain)")]
    Undefined { experiment: &'static str, quantity: &'static str },
}

/// The priority of every item under a rule of the paper's part, whose items have all that their rules ask for.
fn priority(rule: Rule, items: &RuleInputs) -> Vec<f64> {
    rule.priority(items).expect("the rules of an experiment ask for what it has")
}
