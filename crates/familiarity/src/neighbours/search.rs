//! What every engine does, and its lists for all items.

use rayon::prelude::*;

use super::neighbour::Neighbour;
use super::rows::UnitRows;

/// An engine that finds the nearest neighbours of the items it holds.
pub trait Neighbours: Sync {
    /// The rows that the engine searches.
    fn rows(&self) -> &UnitRows;

    /// How neighbours are found and what share of them is, in words.
    fn describe(&self) -> String;

    /// The `width` items nearest to `item` (all others if there are fewer), without `item` itself.
    fn nearest(&self, item: usize, width: usize) -> Vec<Neighbour>;

    /// [`nearest`](Self::nearest) for each of the `items`, one list after the other; uses all threads.
    fn nearest_of_items(&self, items: &[usize], width: usize) -> Vec<Neighbour>;

    /// The `width` items nearest to `item` among those `wanted` (all of them if there are fewer), without `item`
    /// itself. `wanted` has one entry per item.
    fn nearest_among(&self, item: usize, width: usize, wanted: &[bool]) -> Vec<Neighbour>;

    /// [`nearest_among`](Self::nearest_among) for every item; uses all threads.
    fn nearest_of_all_among(&self, width: usize, wanted: &[bool]) -> Vec<Vec<Neighbour>> {
        (0..self.rows().len()).into_par_iter().map(|item| self.nearest_among(item, width, wanted)).collect()
    }
}

/// For each item its nearest others, searched once and filtered many times.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourLists {
    items: usize,
    /// Length of every list.
    width: usize,
    neighbours: Vec<Neighbour>,
}

impl NeighbourLists {
    /// Searches the `width` nearest others of every item (all others if there are fewer).
    pub fn build(engine: &dyn Neighbours, width: usize) -> Self {
        let items = engine.rows().len();
        let width = width.min(items.saturating_sub(1));
        let neighbours = engine.nearest_of_items(&Vec::from_iter(0..items), width);
        assert_eq!(neighbours.len(), items * width, "an engine returns full lists");
        Self { items, width, neighbours }
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Length of every list.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The nearest others of `item`, in ascending order of (distance, index).
    pub fn of(&self, item: usize) -> &[Neighbour] {
        &self.neighbours[item * self.width..(item + 1) * self.width]
    }
}
