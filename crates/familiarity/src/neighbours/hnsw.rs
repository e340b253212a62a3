//! Neighbours from a hierarchical navigable small-world graph (Malkov and Yashunin 2018, arXiv 1603.09320).
//!
//! The graph is approximate, and points of it may be impossible to reach. So a built index is checked and repaired:
//!
//! 1. Items with equal rows share one point of the graph. Zero vectors, which have no place in it, stay beside it.
//! 2. Points are inserted in item order by one thread, so the same rows give the same graph.
//! 3. Every point is searched for. Items at points that are not found stay beside the graph too; whatever stays
//!    beside is compared directly in every search.
//! 4. Lists are compared with exact ones, those of all items of small sets and of a sample of large ones. As long as
//!    recall is low the search effort is doubled; neighbours still missed are noted for their item. The lists so
//!    completed are kept, since each costs a search.
//!
//! # When it pays
//!
//! Comparing all pairs is one matrix product and hard to beat. Measured in processor time for lists of 32 in 384
//! dimensions (`benches/index_size.rs`; the table is in REPRODUCE.md), inserting, checking and searching cost 31 times
//! as much as [`Exact`](super::Exact) on the 3,113 ChaosNLI items, and 55, 60 and 13 to 23 times on 3,000, 30,000 and
//! 300,000 random directions, which have no neighbourhoods to follow. A single list costs 10, 18, 46 and 11 to 19 times
//! as much. Carried on, these times draw level at about a million items for searches with the least effort.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use hnsw_rs::anndists::dist::distances::Distance;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::exact::nearest_of_items;
use super::neighbour::Neighbour;
use super::rows::UnitRows;
use super::search::Neighbours;
use judge_uncertainty_data::progress::Progress;

/// Layers that a graph may have; it can only be saved with this many.
pub(super) const LAYERS: usize = 16;
/// Up to this many items, the lists of all are compared with exact ones.
const COMPARE_ALL: usize = 10_000;
/// In larger sets, the lists of this many are compared.
const COMPARE_SAMPLE: usize = 1_000;
/// Recall under which the search effort is raised.
const RECALL_WANTED: f64 = 0.999;
/// The search effort is raised at most to this multiple of the one asked for.
const MOST_EFFORT: usize = 8;

pub(super) type Graph = hnsw_rs::hnsw::Hnsw<'static, f32, Cosine>;

/// How a graph is built and searched.
///
/// | parameter | default | range |
/// |---|---|---|
/// | `links` | 24 | 2..=255 |
/// | `ef_construction` | 200 | at least 1 |
/// | `ef_search` | 200 | at least 1 |
/// | `checked_width` | 64 | at least 1 |
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
}

impl Default for HnswSettings {
    fn default() -> Self {
        Self { links: 24, ef_construction: 200, ef_search: 200, checked_width: 64 }
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
    fn check(&self) -> Result<(), SettingOutOfRange> {
        let refuse = |name, value, range| Err(SettingOutOfRange { name, value, range });
        // hnsw_rs keeps the number in 8 bits and divides by its logarithm.
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

/// What the check of a built index found, before the repairs that follow it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchQuality {
    /// Items in the index.
    pub items: usize,
    /// Items at points that a search for them did not find; they are compared directly ever after.
    pub unreachable: usize,
    /// Items whose lists were compared with exact ones.
    pub compared: usize,
    /// Length of the lists compared.
    pub width: usize,
    /// Share of the exact neighbours in them that the search found; `None` if there was no neighbour to find.
    pub recall: Option<f64>,
    /// Lists that missed a neighbour; it was added to them.
    pub completed: usize,
    /// The search effort at which this was measured, and at which the index searches.
    pub ef_search: usize,
}

impl fmt::Display for SearchQuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.recall {
            Some(recall) => write!(f, "recall@{} {recall:.5}", self.width)?,
            None => write!(f, "no neighbours")?,
        }
        write!(f, " on {} of {} items at search effort {}", self.compared, self.items, self.ef_search)?;
        match self.completed {
            0 => write!(f, "; ")?,
            lists => write!(f, " before {lists} lists were completed; ")?,
        }
        write!(f, "{} unreachable items are compared directly", self.unreachable)
    }
}

/// What a search must consider besides the points it reaches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repairs {
    /// Items at points that a search for them did not find.
    pub(super) unreachable: Vec<usize>,
    /// Neighbours that the search for an item missed.
    pub(super) missed: BTreeMap<usize, Vec<usize>>,
}

/// Searches a graph; see the [module documentation](self) for what makes up for its gaps.
pub struct Hnsw {
    pub(super) rows: UnitRows,
    pub(super) settings: HnswSettings,
    pub(super) graph: Graph,
    /// The items at each point of the graph: all that share one row.
    pub(super) points: Vec<Vec<usize>>,
    zero_vectors: Vec<usize>,
    pub(super) repairs: Repairs,
    /// Lists that the check completed, by item. A loaded index has none and searches.
    compared: BTreeMap<usize, Vec<Neighbour>>,
    pub(super) quality: SearchQuality,
}

impl Hnsw {
    /// Builds, checks and repairs an index.
    ///
    /// # Errors
    /// A setting outside its range.
    pub fn build(rows: UnitRows, settings: HnswSettings, progress: &dyn Progress) -> Result<Self, SettingOutOfRange> {
        settings.check()?;
        let points = distinct(&rows);
        let graph = Graph::new(settings.links, points.len(), LAYERS, settings.ef_construction, Cosine);
        progress.start("neighbour index", points.len() as u64);
        for (point, items) in points.iter().enumerate() {
            graph.insert((&rows.unit(items[0]), point));
            progress.advance(1);
        }
        progress.finish();
        let quality = SearchQuality {
            items: rows.len(),
            unreachable: 0,
            compared: 0,
            width: settings.checked_width.min(rows.len().saturating_sub(1)),
            recall: None,
            completed: 0,
            ef_search: settings.ef_search,
        };
        let mut index = Self::assemble(rows, settings, graph, points, Repairs::default(), quality);
        index.repairs.unreachable = index.unreachable(progress);
        index.quality.unreachable = index.repairs.unreachable.len();
        index.compare_with_exact(progress);
        Ok(index)
    }

    /// An index from its parts; `points` are the [`distinct`] rows.
    pub(super) fn assemble(
        rows: UnitRows,
        settings: HnswSettings,
        graph: Graph,
        points: Vec<Vec<usize>>,
        repairs: Repairs,
        quality: SearchQuality,
    ) -> Self {
        let zero_vectors = rows.zero_vectors();
        Self { rows, settings, graph, points, zero_vectors, repairs, compared: BTreeMap::new(), quality }
    }

    /// What the check after building found.
    pub fn quality(&self) -> &SearchQuality {
        &self.quality
    }

    /// Items at points that a search for them does not find, in ascending order.
    fn unreachable(&self, progress: &dyn Progress) -> Vec<usize> {
        // Nearly every point is found with little effort; the others get the full effort.
        let effort = [self.settings.links.min(self.quality.ef_search), self.quality.ef_search];
        let lost = |items: &&Vec<usize>| {
            progress.advance(1);
            effort.iter().all(|&ef| !self.reached(items[0], ef, 1).contains(&items[0]))
        };
        progress.start("reachable points", self.points.len() as u64);
        let mut items: Vec<usize> = self.points.par_iter().filter(lost).flatten_iter().copied().collect();
        progress.finish();
        items.sort_unstable();
        items
    }

    /// Measures recall, raises the search effort where it is low, and notes the neighbours still missed.
    fn compare_with_exact(&mut self, progress: &dyn Progress) {
        let (items, width) = (self.rows.len(), self.quality.width);
        let sample: Vec<usize> = match items {
            0..=COMPARE_ALL => (0..items).collect(),
            _ => (0..COMPARE_SAMPLE).map(|i| i * items / COMPARE_SAMPLE).collect(),
        };
        self.quality.compared = sample.len();
        if width == 0 {
            return;
        }
        let exact = nearest_of_items(&self.rows, &sample, width);
        loop {
            progress.start(&format!("recall at effort {}", self.quality.ef_search), sample.len() as u64);
            let missed: BTreeMap<usize, Vec<usize>> = sample
                .par_iter()
                .zip(exact.par_chunks(width))
                .map(|(&item, exact)| {
                    let missing = missing(exact, &self.nearest(item, width));
                    progress.advance(1);
                    (item, missing)
                })
                .filter(|(_, missing)| !missing.is_empty())
                .collect();
            progress.finish();
            let misses: usize = missed.values().map(Vec::len).sum();
            let recall = 1.0 - misses as f64 / exact.len() as f64;
            let raised = 2 * self.quality.ef_search;
            if recall >= RECALL_WANTED || raised > MOST_EFFORT * self.settings.ef_search {
                self.quality.recall = Some(recall);
                self.quality.completed = missed.len();
                self.repairs.missed = missed;
                self.compared = sample.into_iter().zip(exact.chunks(width).map(<[Neighbour]>::to_vec)).collect();
                return;
            }
            self.quality.ef_search = raised;
        }
    }

    /// The items at the `effort` points that the graph finds nearest to `item`, itself included, as far as they can
    /// be among its `width` nearest.
    fn reached(&self, item: usize, effort: usize, width: usize) -> Vec<usize> {
        if self.rows.is_zero(item) {
            return Vec::new();
        }
        let found = self.graph.search(&self.rows.unit(item), effort, effort);
        found.iter().flat_map(|near| first(&self.points[near.d_id], width)).copied().collect()
    }
}

impl Neighbours for Hnsw {
    fn rows(&self) -> &UnitRows {
        &self.rows
    }

    fn describe(&self) -> String {
        format!("HNSW index, {}", self.quality)
    }

    fn nearest(&self, item: usize, width: usize) -> Vec<Neighbour> {
        let width = width.min(self.rows.len().saturating_sub(1));
        if let Some(list) = self.compared.get(&item).and_then(|list| list.get(..width)) {
            return list.to_vec();
        }
        // What is noted as missed is missed by searches for lists as long as those checked; shorter ones are their heads.
        let reach = width.max(self.quality.width);
        // Twice the width, so that rounding in 32 bits cannot push a neighbour out of what is compared in 64.
        let mut candidates = self.reached(item, self.quality.ef_search.max(2 * reach + 1), reach);
        candidates.extend(first(&self.zero_vectors, width));
        candidates.extend(&self.repairs.unreachable);
        candidates.extend(self.repairs.missed.get(&item).into_iter().flatten());
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&other| other != item);
        if candidates.len() < width {
            return self.rows.nearest_of(item, self.rows.others(item), width);
        }
        self.rows.nearest_of(item, candidates, width)
    }

    fn nearest_of_items(&self, items: &[usize], width: usize) -> Vec<Neighbour> {
        items.par_iter().flat_map_iter(|&item| self.nearest(item, width)).collect()
    }

    fn nearest_among(&self, item: usize, width: usize, wanted: &[bool]) -> Vec<Neighbour> {
        let among = wanted.iter().filter(|&&is| is).count();
        // About this many of all items hold twice as many wanted ones as are asked for.
        let mut reach = 2 * width * self.rows.len() / among.max(1);
        // The graph compares with the links of every point that it reaches; past that, comparing directly costs less.
        while reach * self.settings.links < among {
            let mut found = self.nearest(item, reach);
            found.retain(|near| wanted[near.item]);
            if found.len() >= width {
                found.truncate(width);
                return found;
            }
            reach *= 2;
        }
        self.rows.nearest_of(item, self.rows.others(item).filter(|&other| wanted[other]), width)
    }
}

impl fmt::Debug for Hnsw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Hnsw");
        debug.field("settings", &self.settings).field("quality", &self.quality).finish_non_exhaustive()
    }
}

/// Cosine distance of rows of length 1 in 32 bits, always summed in the same order.
///
/// hnsw_rs brings a distance of its own, but it panics where rounding makes 1 - a.b negative.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cosine;

impl Distance<f32> for Cosine {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        const LANES: usize = 16;
        let mut sums = [0f32; LANES];
        let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
        let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
        for (x, y) in a_chunks.zip(b_chunks) {
            for lane in 0..LANES {
                sums[lane] += x[lane] * y[lane];
            }
        }
        (1.0 - (sums.iter().sum::<f32>() + rest)).max(0.0)
    }
}

/// Of items at one distance those that can be among the `width` nearest of some item, which may be one of them.
fn first(items: &[usize], width: usize) -> &[usize] {
    &items[..items.len().min(width + 1)]
}

/// Items grouped by equal rows, in the order of the first of each group; zero vectors are left out.
pub(super) fn distinct(rows: &UnitRows) -> Vec<Vec<usize>> {
    let bits = |item: usize| rows.row(item).iter().map(|x| x.to_bits());
    let by_row = |a: usize, b: usize| bits(a).cmp(bits(b));
    let mut items: Vec<usize> = (0..rows.len()).filter(|&item| !rows.is_zero(item)).collect();
    items.sort_by(|&a, &b| by_row(a, b));
    let mut groups: Vec<Vec<usize>> =
        items.chunk_by(|&a, &b| by_row(a, b) == Ordering::Equal).map(<[usize]>::to_vec).collect();
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

/// The items of `exact` that are not in `found`.
fn missing(exact: &[Neighbour], found: &[Neighbour]) -> Vec<usize> {
    let found: std::collections::BTreeSet<usize> = found.iter().map(|near| near.item).collect();
    exact.iter().map(|near| near.item).filter(|item| !found.contains(item)).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbours::{Exact, NeighbourLists};
    use judge_uncertainty_data::progress::Silent;

    #[test]
    fn items_that_the_graph_lost_are_found_where_nothing_was_compared() {
        let rows =
            UnitRows::new(Array2::from_shape_fn((600, 16), |(i, j)| ((i * 17 + j) as f32).sin()).view()).unwrap();
        let settings = HnswSettings { links: 2, ef_construction: 3, ef_search: 2, checked_width: 1 };
        let index = Hnsw::build(rows.clone(), settings, &Silent).unwrap();
        let lost = &index.repairs.unreachable;
        assert!(!lost.is_empty());
        let (found, exact) = (NeighbourLists::build(&index, 30), NeighbourLists::build(&Exact::new(rows), 30));
        let mut beyond = 0;
        for item in 0..600 {
            for near in exact.of(item)[1..].iter().filter(|near| lost.contains(&near.item)) {
                assert!(found.of(item).contains(near), "the list of item {item} lacks {near:?}");
                beyond += 1;
            }
        }
        assert!(beyond > 0);
    }

    #[test]
    fn distances_of_unit_rows_are_never_negative() {
        let row: Vec<f32> = vec![0.577_350_3; 3];
        assert!(row.iter().map(|x| x * x).sum::<f32>() > 1.0, "rounding carries this product over 1");
        assert_eq!(Cosine.eval(&row, &row), 0.0);
    }
}
