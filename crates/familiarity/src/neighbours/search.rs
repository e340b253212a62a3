//! What every engine does, and its lists for all items.

use super::held::IndexedItems;
use super::neighbour::Neighbour;
use super::rows::UnitRows;

/// An engine that finds the nearest neighbours of items among those that it holds.
pub trait Neighbours: Sync {
    /// The rows of all items, those whose neighbours can be asked for.
    fn rows(&self) -> &UnitRows;

    /// The items that are found.
    fn held(&self) -> &IndexedItems;

    /// How neighbours are found and what share of them is, in words.
    fn describe(&self) -> String;

    /// The `width` held items nearest to `item` (all others if there are fewer), without `item` itself.
    fn nearest(&self, item: usize, width: usize) -> Vec<Neighbour>;

    /// [`nearest`](Self::nearest) for each of the `items`, one list after the other; uses all threads.
    fn nearest_of_items(&self, items: &[usize], width: usize) -> Vec<Neighbour>;

    /// The `width` held items nearest to `item` among those `wanted` (all of them if there are fewer), without `item`
    /// itself. `wanted` has one entry per item.
    fn nearest_among(&self, item: usize, width: usize, wanted: &[bool]) -> Vec<Neighbour>;

    /// [`nearest_among`](Self::nearest_among) for every item; uses all threads.
    fn nearest_of_all_among(&self, width: usize, wanted: &[bool]) -> Vec<Vec<Neighbour>>;
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
    /// Searches the `width` nearest others of every item. Where the engine holds fewer, lists have one less than it
    /// holds: every item has so many others.
    pub fn build(engine: &dyn Neighbours, width: usize) -> Self {
        let items = engine.rows().len();
        let width = width.min(engine.held().len().saturating_sub(1));
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
