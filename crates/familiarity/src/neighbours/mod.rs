//! Nearest neighbours of every item by cosine distance.
//!
//! Two engines implement one trait, [`Neighbours`]: [`Exact`] compares all pairs, [`Hnsw`] searches a graph. Both find
//! neighbours of any item among the [`IndexedItems`]: familiarity asks for labelled neighbours, so only labelled items
//! need be indexed. Engines use 32-bit arithmetic to *find* neighbours and [`UnitRows::distance`] (64-bit, one order of
//! summation) to *report* them, so a distance is the same number whichever engine found it, on any processor and with
//! any number of threads.
//!
//! Conventions, the same for every engine:
//!
//! * neighbours come in ascending order of (distance, index), so ties go to the item that stands first;
//! * an item is not in its own list; it is known to lie at distance 0 from itself;
//! * a zero vector has no direction: it lies at distance 1 from everything else, other zero vectors included.

mod engine;
mod exact;
pub mod hnsw;
mod rows;
mod search;

pub use engine::Engine;
pub use exact::{Exact, nearest_of_further};
pub use hnsw::Hnsw;
pub use rows::{Neighbour, NotFinite, UnitRows};
pub use search::{IndexedItems, NeighbourLists, Neighbours};
