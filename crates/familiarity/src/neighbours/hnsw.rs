//! Neighbours from a hierarchical navigable small-world graph (Malkov and Yashunin 2018, arXiv 1603.09320).
//!
//! Only the items that the engine holds are in the graph: for familiarity the labelled ones. Neighbours of any item can
//! be searched. The graph is approximate, and points of it may be impossible to reach. So a built index is checked and
//! repaired:
//!
//! 1. Items with equal rows share one point of the graph. Zero vectors, which have no place in it, stay beside it.
//! 2. The graph does not depend on the number of threads: points are inserted in batches of a fixed size.
//! 3. Every point is searched for. Items at points that are not found stay beside the graph too; whatever stays
//!    beside is compared directly in every search.
//! 4. Lists are compared with exact ones, of a sample of the items. As long as recall is low, or what the search misses
//!    changes the features made from the lists by more than 0.03 of their spread, the search effort is doubled.
//! 5. In small sets the exact lists of all items are kept, since they cost less than a search; in large ones those of
//!    the sample.
//!
//! # Whose graph
//!
//! [`Insertion::Own`] is the default; `Insertion::HnswRs` (feature `hnsw_rs`) has the hnsw_rs package insert the
//! points, one after the other on one thread, and is there to compare with. REPRODUCE.md has what that costs, and from
//! which size an index pays.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

#[cfg(feature = "hnsw_rs")]
use super::by_hnsw_rs;
use super::directions::{Directions, distance_of, point_of};
use super::exact::nearest_of_items;
use super::graph::{Graph, Searches};
use super::held::IndexedItems;
use super::neighbour::Neighbour;
use super::rows::UnitRows;
use super::search::Neighbours;
use super::settings::{HnswSettings, Insertion, SettingOutOfRange};
use super::{insertion, insertion::mixed};
use judge_uncertainty_system::progress::Progress;

/// Up to this many items, the exact lists of all are kept.
const KEEP_ALL: usize = 4_096;
/// In larger sets, those of a sample: one item for so many that are held, ...
const SAMPLED: usize = 40;
/// ... but so many at least ...
const LEAST_SAMPLE: usize = 100;
/// ... and at most. As many are searched in small sets too, to measure recall.
const MOST_SAMPLE: usize = 1_000;
/// Recall under which the search effort is raised.
const RECALL_WANTED: f64 = 0.99;
/// Error of a feature, in its spread, over which the search effort is raised: independent errors of 0.03 of the spread
/// shrink a coefficient by 1 in 1,000.
const ERROR_ALLOWED: f64 = 0.03;
/// The search effort is raised at most to this multiple of the one asked for.
const MOST_EFFORT: usize = 16;
/// Effort with which a point is searched for at first; nearly all are found.
const FIRST_EFFORT: usize = 4;

/// Stands for a point where there is none.
const NO_POINT: u32 = u32::MAX;

/// What the check of a built index found, before the repairs that follow it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchQuality {
    /// Items whose neighbours can be asked for.
    pub items: usize,
    /// Items in the index.
    pub held: usize,
    /// Items at points that a search for them did not find; they are compared directly ever after.
    pub unreachable: usize,
    /// Items whose exact lists are kept.
    pub compared: usize,
    /// Those of them that were searched as well.
    pub searched: usize,
    /// Length of the lists compared.
    pub width: usize,
    /// Share of the exact neighbours of those searched that the search found; `None` if there was no neighbour to find.
    pub recall: Option<f64>,
    /// Lists of them that missed a neighbour.
    pub completed: usize,
    /// By how much the distances to the nearest that was found exceed the exact ones, on average.
    pub nearest_excess: f64,
    /// By how much the mean distances to those found exceed the exact ones, on average.
    pub mean_excess: f64,
    /// The larger of both excesses as a root mean square, in standard deviations of the exact distance over the items.
    pub error: f64,
    /// The search effort at which this was measured, and at which the index searches.
    pub ef_search: usize,
}

impl fmt::Display for SearchQuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.recall {
            Some(recall) => write!(f, "recall@{} {recall:.5}", self.width)?,
            None => write!(f, "no neighbours")?,
        }
        write!(f, " on {} of {} items at search effort {}", self.searched, self.items, self.ef_search)?;
        if self.held < self.items {
            write!(f, ", {} items indexed", self.held)?;
        }
        let Self { nearest_excess, mean_excess, error, .. } = self;
        match *error {
            0.0 => write!(f, "; distances to the nearest and mean distances as exact lists have them")?,
            _ => write!(
                f,
                "; distances to the nearest are too large by {nearest_excess:.1e} on average, mean distances by \
                 {mean_excess:.1e}, {:.2}% of their spread at most",
                100.0 * error
            )?,
        }
        write!(f, "; the lists of {} items are exact; ", self.compared)?;
        write!(f, "{} unreachable items are compared directly", self.unreachable)
    }
}

/// Searches a graph; see the [module documentation](self) for what makes up for its gaps.
pub struct Hnsw {
    pub(super) rows: UnitRows,
    held: IndexedItems,
    pub(super) settings: HnswSettings,
    directions: Directions,
    pub(super) graph: Graph,
    /// The items at each point of the graph: all that share one row.
    pub(super) points: Vec<Vec<usize>>,
    /// The point of each item; [`NO_POINT`] of those that are not in the graph.
    point: Vec<u32>,
    zero_vectors: Vec<usize>,
    /// Items at points that a search for them did not find.
    pub(super) unreachable: Vec<usize>,
    /// Exact lists, by item.
    pub(super) compared: BTreeMap<usize, Vec<Neighbour>>,
    pub(super) quality: SearchQuality,
    searches: Searches,
}

impl Hnsw {
    /// Builds, checks and repairs an index of all rows.
    ///
    /// # Errors
    /// A setting outside its range.
    pub fn build(rows: UnitRows, settings: HnswSettings, progress: &dyn Progress) -> Result<Self, SettingOutOfRange> {
        let held = IndexedItems::all(rows.len());
        Self::build_among(rows, held, settings, progress)
    }

    /// Builds, checks and repairs an index of the items held.
    ///
    /// # Errors
    /// A setting outside its range.
    pub fn build_among(
        rows: UnitRows,
        held: IndexedItems,
        settings: HnswSettings,
        progress: &dyn Progress,
    ) -> Result<Self, SettingOutOfRange> {
        settings.check()?;
        let points = distinct(&rows, &held);
        let directions = directions(&rows, &points);
        progress.start("neighbour index", points.len() as u64);
        let graph = match settings.insertion {
            Insertion::Own => insertion::insert_all(&directions, &settings, progress),
            #[cfg(feature = "hnsw_rs")]
            Insertion::HnswRs => by_hnsw_rs::insert_all(&directions, &settings, progress),
        };
        progress.finish();
        let quality = SearchQuality {
            items: rows.len(),
            held: held.len(),
            width: settings.checked_width.min(held.len().saturating_sub(1)),
            ef_search: settings.ef_search,
            ..SearchQuality::default()
        };
        let mut index = Self::assemble(rows, held, settings, directions, graph, points, quality);
        index.unreachable = index.unreachable(progress);
        index.quality.unreachable = index.unreachable.len();
        index.compare_with_exact(progress);
        Ok(index)
    }

    /// An index from its parts; `points` are the [`distinct`] rows, in [`directions`].
    pub(super) fn assemble(
        rows: UnitRows,
        held: IndexedItems,
        settings: HnswSettings,
        directions: Directions,
        graph: Graph,
        points: Vec<Vec<usize>>,
        quality: SearchQuality,
    ) -> Self {
        let zero_vectors = held.items().iter().copied().filter(|&item| rows.is_zero(item)).collect();
        let searches = Searches::new(points.len());
        let mut point = vec![NO_POINT; rows.len()];
        for (number, items) in (0..).zip(&points) {
            items.iter().for_each(|&item| point[item] = number);
        }
        let (unreachable, compared) = (Vec::new(), BTreeMap::new());
        Self {
            rows,
            held,
            settings,
            directions,
            graph,
            points,
            point,
            zero_vectors,
            unreachable,
            compared,
            quality,
            searches,
        }
    }

    /// What the check after building found.
    pub fn quality(&self) -> &SearchQuality {
        &self.quality
    }

    /// The items whose exact lists are kept, in ascending order.
    pub fn compared(&self) -> impl Iterator<Item = usize> + '_ {
        self.compared.keys().copied()
    }

    /// Items at points that a search for them does not find, in ascending order.
    fn unreachable(&self, progress: &dyn Progress) -> Vec<usize> {
        let most = self.quality.ef_search;
        let efforts = [FIRST_EFFORT, self.settings.links, most].map(|effort| effort.min(most));
        let lost = |&(point, _): &(usize, &Vec<usize>)| {
            let row = self.directions.row(point as u32);
            progress.advance(1);
            let found = |&effort: &usize| {
                self.searches.with(|state| {
                    let found = self.graph.search(&self.directions, row, effort, state);
                    found.iter().any(|&near| point_of(near) as usize == point)
                })
            };
            !efforts.iter().any(found)
        };
        progress.start("reachable points", self.points.len() as u64);
        let lost = self.points.par_iter().enumerate().filter(lost);
        let mut items: Vec<usize> = lost.flat_map_iter(|(_, items)| items.iter().copied()).collect();
        progress.finish();
        items.sort_unstable();
        items
    }

    /// Keeps exact lists, measures what searches miss of them, and raises the search effort where that is much.
    fn compare_with_exact(&mut self, progress: &dyn Progress) {
        let (items, width) = (self.rows.len(), self.quality.width);
        let sample = (self.held.len() / SAMPLED).clamp(LEAST_SAMPLE, MOST_SAMPLE).min(items);
        // One of each stretch of items: evenly spaced ones could all be labelled, or none of them.
        let drawn = |count: usize| {
            let one = |i: usize| {
                let (start, end) = (i * items / count, (i + 1) * items / count);
                start + (mixed(i as u64) % (end - start) as u64) as usize
            };
            (0..count).map(one).collect::<Vec<_>>()
        };
        let [kept, searched] = [if items <= KEEP_ALL { items } else { sample }, sample].map(drawn);
        self.quality.compared = kept.len();
        self.quality.searched = searched.len();
        if width == 0 {
            return;
        }
        let exact = nearest_of_items(&self.rows, &kept, self.held.items(), width);
        let exact: BTreeMap<usize, Vec<Neighbour>> = kept.into_iter().zip(exact).collect();
        loop {
            progress.start(&format!("recall at effort {}", self.quality.ef_search), searched.len() as u64);
            let found = |&item: &usize| {
                progress.advance(1);
                let exact = &exact[&item];
                (self.searched(item, exact.len()), exact)
            };
            let lists: Vec<(Vec<Neighbour>, &Vec<Neighbour>)> = searched.par_iter().map(found).collect();
            progress.finish();
            self.quality.note(&lists);
            let good = self.quality.recall.is_none_or(|recall| recall >= RECALL_WANTED);
            let raised = 2 * self.quality.ef_search;
            if good && self.quality.error <= ERROR_ALLOWED || raised > MOST_EFFORT * self.settings.ef_search {
                self.compared = exact;
                return;
            }
            self.quality.ef_search = raised;
        }
    }

    /// The list that a search finds, with what stays beside the graph.
    fn searched(&self, item: usize, width: usize) -> Vec<Neighbour> {
        let effort = self.quality.ef_search.max(2 * width + 1);
        let mut candidates = self.reached(item, effort, width);
        candidates.extend(first(&self.zero_vectors, width));
        candidates.extend(&self.unreachable);
        candidates.extend(self.compared.get(&item).into_iter().flatten().map(|near| near.item));
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&other| other != item);
        if candidates.len() < width {
            return self.rows.nearest_of(item, self.held.others(item), width);
        }
        self.rows.nearest_of(item, candidates, width)
    }

    /// The items that can be among the `width` nearest of `item`, itself not counted, of the `effort` points that the
    /// graph finds.
    fn reached(&self, item: usize, effort: usize, width: usize) -> Vec<usize> {
        let mut items = Vec::new();
        if self.rows.is_zero(item) {
            return items;
        }
        self.searches.with(|state| {
            let found = match self.point[item] {
                NO_POINT => {
                    let query = self.directions.query(&self.rows, item);
                    self.graph.search(&self.directions, &query, effort, state)
                }
                own => self.graph.search_around(&self.directions, own, effort, state),
            };
            let mut last = u32::MAX;
            for &near in found {
                if distance_of(near) > last {
                    break;
                }
                items.extend(first(&self.points[point_of(near) as usize], width));
                // One of them may be the item itself.
                if items.len() > width && last == u32::MAX {
                    last = distance_of(near).saturating_add(self.directions.error());
                }
            }
        });
        items
    }
}

impl SearchQuality {
    /// Measures what the first of each two lists lacks of the second.
    fn note(&mut self, lists: &[(Vec<Neighbour>, &Vec<Neighbour>)]) {
        let misses = lists.iter().map(|(found, exact)| missing(exact, found));
        let neighbours: usize = lists.iter().map(|(_, exact)| exact.len()).sum();
        self.completed = misses.clone().filter(|&missing| missing > 0).count();
        self.recall = (neighbours > 0).then(|| 1.0 - misses.sum::<usize>() as f64 / neighbours as f64);
        let excess = |feature: fn(&[Neighbour]) -> f64| {
            let pairs = lists.iter().map(|(found, exact)| (feature(found), feature(exact)));
            excess(&pairs.collect::<Vec<_>>())
        };
        let nearest = excess(|list| list[0].distance);
        let mean = excess(|list| list.iter().map(|near| near.distance).sum::<f64>() / list.len() as f64);
        (self.nearest_excess, self.mean_excess) = (nearest.0, mean.0);
        self.error = nearest.1.max(mean.1);
    }
}

/// By how much the first number of a pair exceeds the second on average, and the root mean square in standard
/// deviations of the second; 1 if there is an excess but no spread.
fn excess(pairs: &[(f64, f64)]) -> (f64, f64) {
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let centre = mean(&|pair| pair.1);
    let spread = mean(&|pair| (pair.1 - centre).powi(2)).sqrt();
    let error = mean(&|pair| (pair.0 - pair.1).powi(2)).sqrt();
    let share = if error == 0.0 { 0.0 } else { (error / spread).min(1.0) };
    (mean(&|pair| pair.0 - pair.1), share)
}

impl Neighbours for Hnsw {
    fn rows(&self) -> &UnitRows {
        &self.rows
    }

    fn held(&self) -> &IndexedItems {
        &self.held
    }

    fn describe(&self) -> String {
        let by = match self.settings.insertion {
            Insertion::Own => "",
            #[cfg(feature = "hnsw_rs")]
            Insertion::HnswRs => " built by hnsw_rs",
        };
        format!("HNSW index{by}, {}", self.quality)
    }

    fn nearest(&self, item: usize, width: usize) -> Vec<Neighbour> {
        let width = width.min(self.held.others_of(item));
        if width == 0 {
            return Vec::new();
        }
        match self.compared.get(&item).and_then(|list| list.get(..width)) {
            Some(list) => list.to_vec(),
            None => self.searched(item, width),
        }
    }

    fn nearest_of_items(&self, items: &[usize], width: usize) -> Vec<Neighbour> {
        items.par_iter().flat_map_iter(|&item| self.nearest(item, width)).collect()
    }

    fn nearest_among(&self, item: usize, width: usize, wanted: &[bool]) -> Vec<Neighbour> {
        self.nearest_of_some(item, width, wanted, self.wanted(wanted))
    }

    fn nearest_of_all_among(&self, width: usize, wanted: &[bool]) -> Vec<Vec<Neighbour>> {
        let among = self.wanted(wanted);
        let items = (0..self.rows.len()).into_par_iter();
        items.map(|item| self.nearest_of_some(item, width, wanted, among)).collect()
    }
}

impl Hnsw {
    /// How many of the items held are wanted.
    fn wanted(&self, wanted: &[bool]) -> usize {
        self.held.items().iter().filter(|&&item| wanted[item]).count()
    }

    /// The `width` nearest of the `among` items that are held and wanted.
    fn nearest_of_some(&self, item: usize, width: usize, wanted: &[bool], among: usize) -> Vec<Neighbour> {
        if among == self.held.len() {
            return self.nearest(item, width);
        }
        // About this many of all held hold twice as many wanted ones as are asked for.
        let mut reach = 2 * width * self.held.len() / among.max(1);
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
        self.rows.nearest_of(item, self.held.others(item).filter(|&other| wanted[other]), width)
    }
}

impl fmt::Debug for Hnsw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Hnsw");
        debug.field("settings", &self.settings).field("quality", &self.quality).finish_non_exhaustive()
    }
}

/// Of items at one distance those that can be among the `width` nearest of some item, which may be one of them.
fn first(items: &[usize], width: usize) -> &[usize] {
    &items[..items.len().min(width + 1)]
}

/// Held items grouped by equal rows, in the order of the first of each group; zero vectors are left out.
pub(super) fn distinct(rows: &UnitRows, held: &IndexedItems) -> Vec<Vec<usize>> {
    let bits = |item: usize| rows.row(item).map(f32::to_bits);
    let by_row = |a: usize, b: usize| bits(a).cmp(bits(b));
    let mut items: Vec<usize> = held.items().iter().copied().filter(|&item| !rows.is_zero(item)).collect();
    items.sort_by(|&a, &b| by_row(a, b));
    let mut groups: Vec<Vec<usize>> =
        items.chunk_by(|&a, &b| by_row(a, b) == Ordering::Equal).map(<[usize]>::to_vec).collect();
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

/// The direction of each group of items.
pub(super) fn directions(rows: &UnitRows, points: &[Vec<usize>]) -> Directions {
    Directions::new(rows, points.iter().map(|items| items[0]))
}

/// How many items of `exact` are not in `found`.
fn missing(exact: &[Neighbour], found: &[Neighbour]) -> usize {
    let found: std::collections::BTreeSet<usize> = found.iter().map(|near| near.item).collect();
    exact.iter().filter(|near| !found.contains(&near.item)).count()
}

// The other insertion loses items.
#[cfg(all(test, feature = "hnsw_rs"))]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbours::{Exact, NeighbourLists};
    use judge_uncertainty_system::progress::Silent;

    #[test]
    fn items_that_the_graph_lost_are_found_where_nothing_was_compared() {
        let rows =
            UnitRows::new(Array2::from_shape_fn((600, 16), |(i, j)| ((i * 17 + j) as f32).sin()).view()).unwrap();
        let settings =
            HnswSettings { links: 2, ef_construction: 3, ef_search: 2, checked_width: 1, insertion: Insertion::HnswRs };
        let index = Hnsw::build(rows.clone(), settings, &Silent).unwrap();
        let lost = &index.unreachable;
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
}
