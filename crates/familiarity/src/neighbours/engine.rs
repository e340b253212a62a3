//! The engines by name.

use judge_uncertainty_system::progress::Progress;
use serde::{Deserialize, Serialize};

use super::exact::Exact;
use super::held::IndexedItems;
use super::hnsw::Hnsw;
use super::rows::UnitRows;
use super::search::Neighbours;
use super::settings::{HnswSettings, Insertion, SettingOutOfRange};

/// The engines by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// A graph index, checked and repaired.
    #[default]
    Hnsw,
    /// A graph that the hnsw_rs package builds, searched and checked as our own is. Only with the feature of that name.
    #[cfg(feature = "hnsw_rs")]
    #[serde(rename = "hnsw_rs")]
    HnswRs,
    /// All pairs are compared.
    Exact,
}

impl Engine {
    /// This engine over the rows, which finds those that are held; an index is checked by lists of `width`.
    ///
    /// # Errors
    /// A width of 0.
    pub fn over(
        self,
        rows: UnitRows,
        held: IndexedItems,
        width: usize,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Neighbours>, SettingOutOfRange> {
        let insertion = match self {
            Self::Hnsw => Insertion::Own,
            #[cfg(feature = "hnsw_rs")]
            Self::HnswRs => Insertion::HnswRs,
            Self::Exact => return Ok(Box::new(Exact::among(rows, held))),
        };
        let settings = HnswSettings { checked_width: width, insertion, ..HnswSettings::default() };
        Ok(Box::new(Hnsw::build_among(rows, held, settings, progress)?))
    }
}
