//! The engines by name.

use judge_uncertainty_system::progress::Progress;
use serde::{Deserialize, Serialize};

use super::exact::Exact;
use super::hnsw::Hnsw;
use super::rows::UnitRows;
use super::search::{IndexedItems, Neighbours};

/// The engines by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// A graph index, checked and repaired.
    Hnsw,
    /// All pairs are compared.
    #[default]
    Exact,
}

impl Engine {
    /// This engine over the rows, which finds those that are indexed; an index is checked by lists of `width`.
    pub fn over(
        self,
        rows: UnitRows,
        indexed: IndexedItems,
        width: usize,
        progress: &dyn Progress,
    ) -> Box<dyn Neighbours> {
        match self {
            Self::Hnsw => Box::new(Hnsw::new(rows, indexed, width, progress)),
            Self::Exact => Box::new(Exact::among(rows, indexed)),
        }
    }
}
