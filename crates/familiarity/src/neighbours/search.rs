//! The interface of every engine, the items that it finds, and its lists for all items.

use super::rows::{Neighbour, UnitRows};

/// Some of the items, or all: those that an engine finds as neighbours. Neighbours *of* any item can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedItems {
    items: Vec<usize>,
    is: Vec<bool>,
}

impl IndexedItems {
    /// All of so many items.
    pub fn all(items: usize) -> Self {
        Self { items: (0..items).collect(), is: vec![true; items] }
    }

    /// The rows that `is` marks.
    pub fn those(is: &[bool]) -> Self {
        Self { items: (0..is.len()).filter(|&item| is[item]).collect(), is: is.to_vec() }
    }

    /// How many are indexed.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Those that are indexed, in ascending order.
    pub fn items(&self) -> &[usize] {
        &self.items
    }

    /// Those that are indexed, but `item`.
    pub(super) fn others(&self, item: usize) -> impl Iterator<Item = usize> + Clone {
        self.items.iter().copied().filter(move |&other| other != item)
    }

    /// How many are indexed besides `item`.
    pub(super) fn others_of(&self, item: usize) -> usize {
        self.len() - usize::from(self.is[item])
    }
}

/// An engine that finds the nearest neighbours of items among those that it indexes.
pub trait Neighbours: Sync {
    /// The rows of all items, those whose neighbours can be asked for.
    fn rows(&self) -> &UnitRows;

    /// The items that are found.
    fn indexed(&self) -> &IndexedItems;

    /// How neighbours are found and what share of them is, in words.
    fn describe(&self) -> String;

    /// For each of the `items` the `width` nearest indexed items among those `wanted` (all of them if there are fewer),
    /// without the item itself; uses all threads. `wanted` has one entry per item of the rows; without it all are.
    fn nearest(&self, items: &[usize], width: usize, wanted: Option<&[bool]>) -> Vec<Vec<Neighbour>>;
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
    /// Searches the `width` nearest others of every item. Where the engine indexes fewer, lists have one less than it
    /// holds: every item has so many others.
    pub fn build(engine: &dyn Neighbours, width: usize) -> Self {
        let items = engine.rows().len();
        let width = width.min(engine.indexed().len().saturating_sub(1));
        let neighbours = engine.nearest(&Vec::from_iter(0..items), width, None).concat();
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
