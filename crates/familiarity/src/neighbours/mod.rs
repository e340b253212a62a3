//! Nearest neighbours of every item by cosine distance.
//!
//! Two engines stand behind one trait, [`Neighbours`]: [`Hnsw`] (the default of all commands) searches a graph,
//! [`Exact`] compares all pairs. Engines use 32-bit arithmetic to *find* neighbours and [`UnitRows::distance`]
//! (64-bit, one order of summation) to *report* them, so a distance is the same number whichever engine found it, on
//! any processor and with any number of threads.
//!
//! Conventions, the same for every engine:
//!
//! * neighbours come in ascending order of (distance, index), so ties go to the item that stands first;
//! * an item is not in its own list; it is known to lie at distance 0 from itself;
//! * a zero vector has no direction: it lies at distance 1 from everything else, other zero vectors included.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use judge_uncertainty_data::progress::Progress;

mod exact;
pub mod hnsw;
mod rows;
pub mod saved;

pub use exact::Exact;
use hnsw::SettingOutOfRange;
pub use hnsw::{Hnsw, HnswSettings};
pub use rows::{NotFinite, UnitRows};

/// A neighbour of some item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Index of the neighbour.
    pub item: usize,
    /// Cosine distance to it, in 0..=2.
    pub distance: f64,
}

/// The engines by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// A graph index, checked and repaired.
    #[default]
    Hnsw,
    /// All pairs are compared.
    Exact,
}

impl Engine {
    /// This engine over the rows; an index is checked by lists of `width`.
    ///
    /// # Errors
    /// A width of 0.
    pub fn over(
        self,
        rows: UnitRows,
        width: usize,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Neighbours>, SettingOutOfRange> {
        Ok(match self {
            Self::Hnsw => {
                let settings = HnswSettings { checked_width: width, ..HnswSettings::default() };
                Box::new(Hnsw::build(rows, settings, progress)?)
            }
            Self::Exact => Box::new(Exact::new(rows)),
        })
    }
}

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
