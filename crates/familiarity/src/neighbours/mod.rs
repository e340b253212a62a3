//! Nearest neighbours of every item by cosine distance.
//!
//! Two engines stand behind one trait, [`Neighbours`]: [`Hnsw`] (the default of all commands) searches a graph,
//! [`Exact`] compares all pairs. Both find neighbours among the items that they hold ([`IndexedItems`]), of any item:
//! familiarity asks for labelled neighbours, so only labelled items need be in an index. Engines use 16- and 32-bit
//! arithmetic to *find* neighbours and [`UnitRows::distance`] (64-bit, one order of summation) to *report* them, so a
//! distance is the same number whichever engine found it, on any processor and with any number of threads.
//!
//! Conventions, the same for every engine:
//!
//! * neighbours come in ascending order of (distance, index), so ties go to the item that stands first;
//! * an item is not in its own list; it is known to lie at distance 0 from itself;
//! * a zero vector has no direction: it lies at distance 1 from everything else, other zero vectors included.

#[cfg(feature = "hnsw_rs")]
mod by_hnsw_rs;
mod cover;
mod directions;
mod engine;
mod exact;
mod further;
mod graph;
mod held;
pub mod hnsw;
mod insertion;
mod neighbour;
mod packed;
mod rows;
pub mod saved;
mod search;
mod settings;
mod shortlist;

pub use cover::cover;
pub use engine::Engine;
pub use exact::Exact;
pub use further::nearest_of_further;
pub use held::IndexedItems;
pub use hnsw::Hnsw;
pub use neighbour::Neighbour;
pub use rows::{NotFinite, UnitRows};
pub use search::{NeighbourLists, Neighbours};
pub use settings::{HnswSettings, Insertion, SettingOutOfRange};
