//! Seeds of the paper's random streams, defined only here: the streams and the manifest use these constants.

/// A seed of each random stream; the paper's by [`Default`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// The dice: their biases, predictions and numbers of labels.
    pub dice: u64,
    /// Label re-draw 0 of the dice; the others follow.
    pub dice_draws: u64,
    /// Simulated world 0 with calibrated predictions; the others follow.
    pub worlds: u64,
    /// The rules in calibrated world 0.
    pub world_rules: u64,
    /// The rules in null world 0.
    pub null_rules: u64,
    /// How many worlds behind world 0 the first isolation world lies.
    pub isolation: u64,
    /// The bootstrap of the criterion cell.
    pub bootstrap: u64,
    /// Misspecified world 0.
    pub misspecified: u64,
    /// The rules in misspecified world 0.
    pub misspecified_rules: u64,
    /// Half splits of ChaosNLI; 0 gives half split r the stream of seed r.
    pub half_splits: u64,
}

impl Default for Seeds {
    fn default() -> Self {
        Self {
            dice: 0,
            dice_draws: 10_000,
            worlds: 0,
            world_rules: 1_000_000,
            null_rules: 500,
            isolation: 42,
            bootstrap: 0,
            misspecified: 0,
            misspecified_rules: 2_000_000,
            half_splits: 0,
        }
    }
}

/// A seed that numbers from 0 are added to.
fn first(seed: u64, number: &str) -> String {
    if seed == 0 { number.to_owned() } else { format!("{seed} + {number}") }
}

impl Seeds {
    /// Those of the dice, in words; `r` counts re-draws from 0.
    pub fn of_dice(&self) -> Vec<(&'static str, String)> {
        vec![("world", self.dice.to_string()), ("label re-draw r", first(self.dice_draws, "r"))]
    }

    /// Those of the simulations, in words; `s` counts worlds from 0.
    pub fn of_simulations(&self) -> Vec<(&'static str, String)> {
        let world = first(self.worlds, "s");
        let rules = |world: &str, rules| format!("{world}, its rules {}", first(rules, "s"));
        vec![
            ("calibrated world s", rules(&world, self.world_rules)),
            ("null world s", rules(&world, self.null_rules)),
            ("isolation world s", first(self.worlds + self.isolation, "s")),
            ("bootstrap", self.bootstrap.to_string()),
            ("misspecified world s", rules(&first(self.misspecified, "s"), self.misspecified_rules)),
        ]
    }

    /// Those of ChaosNLI, in words; `r` counts half splits from 0.
    pub fn of_chaosnli(&self) -> Vec<(&'static str, String)> {
        let split = if self.half_splits == 0 { "r".to_owned() } else { format!("{} x 2^64 + r", self.half_splits) };
        vec![("half split r", split), ("noise ceiling", self.half_splits.to_string())]
    }
}
