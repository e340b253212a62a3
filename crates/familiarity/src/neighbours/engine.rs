//! The engines by name.

use judge_uncertainty_data::progress::Progress;
use serde::{Deserialize, Serialize};

use super::exact::Exact;
use super::hnsw::{Hnsw, HnswSettings, SettingOutOfRange};
use super::rows::UnitRows;
use super::search::Neighbours;

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
