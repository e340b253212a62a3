//! Distances to labelled items, for evaluations that label other items in each replicate.

use judge_uncertainty_familiarity::features::{FamiliarityFeatures, SelfNeighbour, familiarity};
use judge_uncertainty_familiarity::neighbours::{NeighbourLists, Neighbours};

/// Distances to labelled items, searched once and filtered in each replicate.
pub struct FamiliaritySearch<'a> {
    engine: &'a dyn Neighbours,
    lists: NeighbourLists,
    neighbours: usize,
    mode: SelfNeighbour,
}

impl<'a> FamiliaritySearch<'a> {
    /// `neighbours` labelled neighbours make the mean distance; `mode` says whether a labelled item is one of its own.
    pub fn new(engine: &'a dyn Neighbours, neighbours: usize, mode: SelfNeighbour) -> Self {
        Self { engine, lists: NeighbourLists::build(engine, list_width(neighbours)), neighbours, mode }
    }

    /// Distances of every item to those that hold labels; `numbers` are the labels in hand.
    pub fn features(&self, numbers: &[u32]) -> FamiliarityFeatures {
        let labelled: Vec<bool> = numbers.iter().map(|&n| n > 0).collect();
        familiarity(&self.lists, self.engine, &labelled, self.neighbours, self.mode)
    }
}

/// How many neighbours are searched for each item when `neighbours` labelled ones are wanted.
///
/// Four in five items are labelled by default, so ten labelled neighbours are nearly always among the nearest 32.
pub fn list_width(neighbours: usize) -> usize {
    3 * neighbours + 2
}
