//! One neighbour.

/// A neighbour of some item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Index of the neighbour.
    pub item: usize,
    /// Cosine distance to it, in 0..=2.
    pub distance: f64,
}
