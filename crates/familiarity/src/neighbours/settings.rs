//! How a graph is built and searched.

use serde::{Deserialize, Serialize};

/// Who inserts the points into the graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Insertion {
    /// This program, in batches, on all threads.
    #[default]
    Own,
    /// The hnsw_rs package, point by point, on one thread. Only with the feature of that name.
    #[cfg(feature = "hnsw_rs")]
    HnswRs,
}

/// How a graph is built and searched.
///
/// | parameter | default | range |
/// |---|---|---|
/// | `links` | 16 | 2..=255 |
/// | `ef_construction` | 100 | at least 1 |
/// | `ef_search` | 64 | at least 1 |
/// | `checked_width` | 64 | at least 1 |
/// | `insertion` | own | own or hnsw_rs |
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HnswSettings {
    /// Links of a point in each layer (M; twice as many in the lowest layer).
    pub links: usize,
    /// Candidates kept while a point is inserted.
    pub ef_construction: usize,
    /// Candidates kept while neighbours are searched; raised where recall is low.
    pub ef_search: usize,
    /// Length of the lists that are compared with exact ones after building.
    pub checked_width: usize,
    /// Who inserts the points.
    pub insertion: Insertion,
}

impl Default for HnswSettings {
    fn default() -> Self {
        Self { links: 16, ef_construction: 100, ef_search: 64, checked_width: 64, insertion: Insertion::Own }
    }
}

/// A setting outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} = {value} is outside {range}; choose a value inside, or leave it at the default")]
pub struct SettingOutOfRange {
    /// Name of the setting.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// The values that are possible.
    pub range: &'static str,
}

impl HnswSettings {
    pub(super) fn check(&self) -> Result<(), SettingOutOfRange> {
        let refuse = |name, value, range| Err(SettingOutOfRange { name, value, range });
        // hnsw_rs keeps the number in 8 bits, and both insertions divide by it or its logarithm.
        if !(2..=255).contains(&self.links) {
            return refuse("links", self.links, "2..=255");
        }
        let others = [
            ("ef_construction", self.ef_construction),
            ("ef_search", self.ef_search),
            ("checked_width", self.checked_width),
        ];
        match others.into_iter().find(|&(_, value)| value == 0) {
            Some((name, value)) => refuse(name, value, "1.."),
            None => Ok(()),
        }
    }
}
