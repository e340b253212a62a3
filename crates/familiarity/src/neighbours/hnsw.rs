//! Neighbours from a hierarchical navigable small-world graph (Malkov and Yashunin 2018, arXiv 1603.09320), which the
//! hnsw_rs package builds and searches.
//!
//! Only the indexed items are in the graph: for familiarity the labelled ones. Neighbours of any item can be searched.
//! One thread inserts the items in their order, and hnsw_rs draws levels from a fixed seed, so each run builds the same
//! graph. A graph is approximate, and a search may be unable to reach some of its points. So a built index is checked
//! and repaired:
//!
//! 1. Items with equal rows share one point of the graph. Zero vectors, which have no direction, stay outside it.
//! 2. Every point is searched for. Items at points that are not found stay outside the graph too; each search compares
//!    the items outside the graph directly.
//! 3. Lists are compared with exact ones, of a sample of the items. As long as recall is low, or missed neighbours
//!    change the features made from the lists by more than 0.03 of their spread, the search effort is doubled.
//! 4. In sets of at most 4,096 items the exact lists of all items are kept, since they cost less than a search; in
//!    larger ones those of the sample.
//!
//! `cargo bench --bench index_size` compares the time of both engines.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hnsw_rs::anndists::dist::distances::Distance;
use judge_uncertainty_system::progress::Progress;
use multiversion::multiversion;
use rayon::prelude::*;

use super::exact::nearest_of_items;
use super::rows::{Neighbour, UnitRows};
use super::search::{IndexedItems, Neighbours};

/// Up to this many items, the exact lists of all are kept.
const KEEP_ALL: usize = 4_096;
/// In larger sets, those of a sample: one item for so many that are indexed, ...
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
/// The search effort is raised at most to this multiple of the one at the start.
const MOST_EFFORT: usize = 16;
/// Layers of a graph; hnsw_rs has no more.
const LAYERS: usize = 16;

/// How a graph is built and searched.
#[derive(Debug, Clone, Copy)]
struct Effort {
    /// Links of a point in each layer (M in the paper; double that number in the lowest layer), 2..=255.
    links: usize,
    /// Candidates kept while a point is inserted.
    construction: usize,
    /// Candidates kept while neighbours are searched, before the check raises it.
    search: usize,
}

const DEFAULT: Effort = Effort { links: 16, construction: 100, search: 64 };

/// What the check of a built index found, before the repairs that follow it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchQuality {
    /// Items whose neighbours can be asked for.
    pub items: usize,
    /// Items in the index.
    pub indexed: usize,
    /// Items at points that a search for them did not find; every search compares them directly.
    pub unreachable: usize,
    /// Items whose exact lists are kept.
    pub compared: usize,
    /// Those of them that were searched as well.
    pub searched: usize,
    /// Length of the lists compared.
    pub width: usize,
    /// Share of the exact neighbours of those searched that the search found; `None` if there was no neighbour to find.
    pub recall: Option<f64>,
    /// Root mean square by which the distance to the nearest found, or the mean distance to those found, exceeds the
    /// exact one, in standard deviations of the exact distance over the items; the larger of the two.
    pub error: f64,
    /// The search effort at which this was measured, and at which the index searches.
    pub effort: usize,
}

impl fmt::Display for SearchQuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.recall {
            Some(recall) => write!(f, "recall@{} {recall:.5}", self.width)?,
            None => write!(f, "no neighbours")?,
        }
        write!(f, " on {} of {} items at search effort {}", self.searched, self.items, self.effort)?;
        if self.indexed < self.items {
            write!(f, ", {} items indexed", self.indexed)?;
        }
        write!(
            f,
            "; searched distances are too large by {:.2}% of their spread; the lists of {} items are exact; {} \
             unreachable items are compared directly",
            100.0 * self.error,
            self.compared,
            self.unreachable
        )
    }
}

/// An index; see the [module documentation](self) for its check and its repairs.
pub struct Hnsw {
    rows: UnitRows,
    indexed: IndexedItems,
    graph: hnsw_rs::hnsw::Hnsw<'static, f32, Cosine>,
    effort: Effort,
    /// The items at each point of the graph: all that share one row.
    points: Vec<Vec<usize>>,
    /// Indexed items whose rows are zero vectors.
    zero_vectors: Vec<usize>,
    /// Items at points that a search for them did not find.
    unreachable: Vec<usize>,
    /// Exact lists, by item.
    compared: BTreeMap<usize, Vec<Neighbour>>,
    quality: SearchQuality,
}

impl Hnsw {
    /// Builds, checks and repairs an index of the indexed items; its check compares lists of `width` neighbours.
    pub fn new(rows: UnitRows, indexed: IndexedItems, width: usize, progress: &dyn Progress) -> Self {
        Self::with_effort(rows, indexed, width, DEFAULT, progress)
    }

    fn with_effort(
        rows: UnitRows,
        indexed: IndexedItems,
        width: usize,
        effort: Effort,
        progress: &dyn Progress,
    ) -> Self {
        let points = distinct(&rows, &indexed);
        let graph = hnsw_rs::hnsw::Hnsw::new(effort.links, points.len(), LAYERS, effort.construction, Cosine);
        progress.start("neighbour index", points.len() as u64);
        for (point, items) in points.iter().enumerate() {
            graph.insert((&direction(&rows, items[0]), point));
            progress.advance(1);
        }
        progress.finish();
        let quality = SearchQuality {
            items: rows.len(),
            indexed: indexed.len(),
            width: width.min(indexed.len().saturating_sub(1)),
            effort: effort.search,
            ..SearchQuality::default()
        };
        let zero_vectors = indexed.items().iter().copied().filter(|&item| rows.is_zero(item)).collect();
        let (unreachable, compared) = (Vec::new(), BTreeMap::new());
        let mut index = Self { rows, indexed, graph, effort, points, zero_vectors, unreachable, compared, quality };
        index.unreachable = index.lost(progress);
        index.quality.unreachable = index.unreachable.len();
        index.compare_with_exact(progress);
        index
    }

    /// The result of the check after building.
    pub fn quality(&self) -> &SearchQuality {
        &self.quality
    }

    /// Items at points that a search for them does not find, in ascending order.
    fn lost(&self, progress: &dyn Progress) -> Vec<usize> {
        // Nearly all are found with little effort.
        let efforts = [4, self.effort.links, self.effort.search].map(|effort| effort.min(self.effort.search));
        let lost = |&(point, items): &(usize, &Vec<usize>)| {
            progress.advance(1);
            let row = direction(&self.rows, items[0]);
            let found = |&effort: &usize| self.graph.search(&row, effort, effort).iter().any(|near| near.d_id == point);
            !efforts.iter().any(found)
        };
        progress.start("reachable points", self.points.len() as u64);
        let lost = self.points.par_iter().enumerate().filter(lost);
        let mut items: Vec<usize> = lost.flat_map_iter(|(_, items)| items.iter().copied()).collect();
        progress.finish();
        items.sort_unstable();
        items
    }

    /// Keeps exact lists, measures how many neighbours searches miss, and raises the search effort where that is many.
    fn compare_with_exact(&mut self, progress: &dyn Progress) {
        let (items, width) = (self.rows.len(), self.quality.width);
        let sample = (self.indexed.len() / SAMPLED).clamp(LEAST_SAMPLE, MOST_SAMPLE).min(items);
        let [kept, searched] = [if items <= KEEP_ALL { items } else { sample }, sample].map(|n| spread(n, items));
        self.quality.compared = kept.len();
        self.quality.searched = searched.len();
        if width == 0 {
            return;
        }
        let exact = nearest_of_items(&self.rows, &kept, self.indexed.items(), width);
        let exact: BTreeMap<usize, Vec<Neighbour>> = kept.into_iter().zip(exact).collect();
        loop {
            progress.start(&format!("recall at effort {}", self.quality.effort), searched.len() as u64);
            let found = |&item: &usize| {
                progress.advance(1);
                (self.searched(item, exact[&item].len()), &exact[&item])
            };
            let lists: Vec<(Vec<Neighbour>, &Vec<Neighbour>)> = searched.par_iter().map(found).collect();
            progress.finish();
            self.quality.measure(&lists);
            let good = self.quality.recall.is_none_or(|recall| recall >= RECALL_WANTED);
            let raised = 2 * self.quality.effort;
            if good && self.quality.error <= ERROR_ALLOWED || raised > MOST_EFFORT * self.effort.search {
                self.compared = exact;
                return;
            }
            self.quality.effort = raised;
        }
    }

    /// The list that a search finds, completed from the items outside the graph and from the item's exact list.
    fn searched(&self, item: usize, width: usize) -> Vec<Neighbour> {
        let effort = self.quality.effort.max(2 * width + 1);
        let mut candidates = Vec::new();
        if !self.rows.is_zero(item) {
            for near in self.graph.search(&direction(&self.rows, item), effort, effort) {
                candidates.extend(first(&self.points[near.d_id], width));
            }
        }
        candidates.extend(first(&self.zero_vectors, width));
        candidates.extend(&self.unreachable);
        candidates.extend(self.compared.get(&item).into_iter().flatten().map(|near| near.item));
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&other| other != item);
        if candidates.len() < width {
            return self.rows.nearest_of(item, self.indexed.others(item), width);
        }
        self.rows.nearest_of(item, candidates, width)
    }

    /// The `width` nearest of the indexed items.
    fn nearest_of(&self, item: usize, width: usize) -> Vec<Neighbour> {
        let width = width.min(self.indexed.others_of(item));
        if width == 0 {
            return Vec::new();
        }
        match self.compared.get(&item).and_then(|list| list.get(..width)) {
            Some(list) => list.to_vec(),
            None => self.searched(item, width),
        }
    }

    /// The `width` nearest of the `among` items that are indexed and wanted.
    fn nearest_of_some(&self, item: usize, width: usize, wanted: &[bool], among: usize) -> Vec<Neighbour> {
        if among == self.indexed.len() {
            return self.nearest_of(item, width);
        }
        // About this many of all that are indexed hold twice as many wanted ones as are asked for.
        let mut reach = 2 * width * self.indexed.len() / among.max(1);
        // A search compares with the links of every point that it reaches; past that, comparing directly costs less.
        while reach * self.effort.links < among {
            let mut found = self.nearest_of(item, reach);
            found.retain(|near| wanted[near.item]);
            if found.len() >= width {
                found.truncate(width);
                return found;
            }
            reach *= 2;
        }
        self.rows.nearest_of(item, self.indexed.others(item).filter(|&other| wanted[other]), width)
    }
}

impl SearchQuality {
    /// Compares the first of each two lists with the second, the exact one.
    fn measure(&mut self, lists: &[(Vec<Neighbour>, &Vec<Neighbour>)]) {
        let missing = |(found, exact): &(Vec<Neighbour>, &Vec<Neighbour>)| {
            let found: BTreeSet<usize> = found.iter().map(|near| near.item).collect();
            exact.iter().filter(|near| !found.contains(&near.item)).count()
        };
        let missing: usize = lists.iter().map(missing).sum();
        let neighbours: usize = lists.iter().map(|(_, exact)| exact.len()).sum();
        self.recall = (neighbours > 0).then(|| 1.0 - missing as f64 / neighbours as f64);
        let error = |feature: fn(&[Neighbour]) -> f64| {
            let pairs = lists.iter().map(|(found, exact)| (feature(found), feature(exact)));
            relative_error(&pairs.collect::<Vec<_>>())
        };
        let mean = |list: &[Neighbour]| list.iter().map(|near| near.distance).sum::<f64>() / list.len() as f64;
        self.error = error(|list| list[0].distance).max(error(mean));
    }
}

/// Root mean square difference of the numbers of a pair in standard deviations of the second, at most 1; 1 if there is
/// a difference but no spread.
fn relative_error(pairs: &[(f64, f64)]) -> f64 {
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let centre = mean(&|pair| pair.1);
    let spread = mean(&|pair| (pair.1 - centre).powi(2)).sqrt();
    let error = mean(&|pair| (pair.0 - pair.1).powi(2)).sqrt();
    if error == 0.0 { 0.0 } else { (error / spread).min(1.0) }
}

impl Neighbours for Hnsw {
    fn rows(&self) -> &UnitRows {
        &self.rows
    }

    fn indexed(&self) -> &IndexedItems {
        &self.indexed
    }

    fn describe(&self) -> String {
        format!("HNSW index (hnsw_rs), {}", self.quality)
    }

    fn nearest(&self, items: &[usize], width: usize, wanted: Option<&[bool]>) -> Vec<Vec<Neighbour>> {
        let Some(wanted) = wanted else { return items.par_iter().map(|&item| self.nearest_of(item, width)).collect() };
        let among = self.indexed.items().iter().filter(|&&item| wanted[item]).count();
        items.par_iter().map(|&item| self.nearest_of_some(item, width, wanted, among)).collect()
    }
}

/// Cosine distance of directions, 0..=2.
#[derive(Debug, Clone, Copy)]
struct Cosine;

impl Distance<f32> for Cosine {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        // Rounding can bring a product of equal directions above 1.
        (1.0 - product(a, b)).max(0.0)
    }
}

/// Values that are summed apart. The sum has the same order in the lanes of every processor, so the graph is the same.
const LANES: usize = 32;

/// Inner product of vectors whose length is a multiple of [`LANES`].
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    for (x, y) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum()
}

/// The row of an item at length 1, filled up with zeros to a multiple of [`LANES`].
fn direction(rows: &UnitRows, item: usize) -> Vec<f32> {
    let scale = rows.inverse_length(item) as f32;
    let mut values: Vec<f32> = rows.row(item).map(|value| value * scale).collect();
    values.resize(values.len().next_multiple_of(LANES), 0.0);
    values
}

/// Of items at one distance those that can be among the `width` nearest of some item, which may be one of them.
fn first(items: &[usize], width: usize) -> &[usize] {
    &items[..items.len().min(width + 1)]
}

/// So many of the items, one of each stretch of them: evenly spaced ones could all be labelled, or none of them.
fn spread(count: usize, items: usize) -> Vec<usize> {
    let one = |i: usize| {
        let (start, end) = (i * items / count, (i + 1) * items / count);
        // Fractional parts of multiples of the golden ratio, which have no period.
        start + ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % (end - start)
    };
    (0..count).map(one).collect()
}

/// Indexed items grouped by equal rows, in the order of the first of each group; zero vectors are left out.
fn distinct(rows: &UnitRows, indexed: &IndexedItems) -> Vec<Vec<usize>> {
    let bits = |item: usize| rows.row(item).map(f32::to_bits);
    let by_row = |a: usize, b: usize| bits(a).cmp(bits(b));
    let mut items: Vec<usize> = indexed.items().iter().copied().filter(|&item| !rows.is_zero(item)).collect();
    items.sort_by(|&a, &b| by_row(a, b));
    let mut groups: Vec<Vec<usize>> =
        items.chunk_by(|&a, &b| by_row(a, b) == Ordering::Equal).map(<[usize]>::to_vec).collect();
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

#[cfg(test)]
mod tests {
    use judge_uncertainty_system::progress::Silent;
    use ndarray::Array2;

    use super::super::{Exact, NeighbourLists};
    use super::*;

    /// A graph with too few links, in which points get lost.
    const STARVED: Effort = Effort { links: 2, construction: 3, search: 2 };

    /// Directions without structure, from a plain linear congruence.
    fn directions(items: usize, dimensions: usize) -> UnitRows {
        let mut state = 12345u64;
        let matrix = Array2::from_shape_fn((items, dimensions), |_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
        });
        UnitRows::new(matrix.view()).unwrap()
    }

    fn starved(rows: &UnitRows, width: usize, effort: Effort) -> Hnsw {
        Hnsw::with_effort(rows.clone(), IndexedItems::all(rows.len()), width, effort, &Silent)
    }

    /// For each point its layers and links with their distances.
    fn links(index: &Hnsw) -> BTreeMap<usize, Vec<Vec<(usize, u32)>>> {
        let link = |near: &hnsw_rs::hnsw::Neighbour| (near.d_id, near.distance.to_bits());
        let all = index.graph.get_point_indexation().into_iter();
        let lists = |lists: Vec<Vec<hnsw_rs::hnsw::Neighbour>>| {
            lists.iter().map(|list| list.iter().map(link).collect()).collect()
        };
        all.map(|point| (point.get_origin_id(), lists(point.get_neighborhood_id()))).collect()
    }

    #[test]
    fn every_build_makes_the_same_graph() {
        let rows = directions(3_000, 48);
        let build = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Hnsw::new(rows.clone(), IndexedItems::all(3_000), 10, &Silent))
        };
        let (one, other) = (build(1), build(5));
        assert_eq!(links(&one).len(), 3_000);
        assert!(links(&one).values().any(|layers| layers[1..].iter().any(|list| !list.is_empty())), "several layers");
        assert!(links(&one) == links(&other) && one.quality == other.quality);
    }

    #[test]
    fn a_graph_that_loses_points_is_repaired() {
        let rows = directions(600, 16);
        let index = starved(&rows, 30, STARVED);
        let quality = index.quality();
        assert!(quality.unreachable > 0 && quality.recall.unwrap() < 1.0, "{quality}");
        assert_eq!((quality.items, quality.compared, quality.width), (600, 600, 30));
        assert!(quality.effort > STARVED.search, "low recall raises the effort: {quality}");
        assert!(NeighbourLists::build(&index, 30) == NeighbourLists::build(&Exact::new(rows), 30));
    }

    #[test]
    fn items_that_the_graph_lost_are_found_where_nothing_was_compared() {
        let rows = directions(600, 16);
        let index = starved(&rows, 1, STARVED);
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

    #[test]
    fn a_large_set_is_compared_by_a_sample() {
        let rows = directions(10_300, 12);
        let index = starved(&rows, 30, Effort { links: 4, construction: 8, search: 2 });
        let quality = index.quality();
        assert_eq!((quality.items, quality.compared, quality.searched), (10_300, 257, 257), "{quality}");
        assert!(quality.recall.unwrap() < 1.0 && quality.error > 0.0, "{quality}");
        let exact = Exact::new(rows);
        let some: Vec<usize> = index.compared.keys().copied().step_by(64).collect();
        assert_eq!(index.nearest(&some, 30, None), exact.nearest(&some, 30, None));
        assert_eq!(index.nearest(&[10_299], 30, None)[0].len(), 30);
    }

    /// Every tenth item is labelled: recall measured on labelled items alone would not speak for the others.
    #[test]
    fn recall_is_measured_on_items_of_every_kind() {
        let labelled: Vec<bool> = (0..20_000).map(|item| item % 10 == 0).collect();
        let index = Hnsw::new(directions(20_000, 12), IndexedItems::those(&labelled), 10, &Silent);
        let others = index.compared.keys().filter(|&item| item % 10 > 0).count();
        assert_eq!(index.quality().indexed, 2_000);
        assert!((80..100).contains(&others), "{others} of {} are not labelled", index.quality().compared);
    }

    #[test]
    fn distances_are_those_of_the_rows_within_32_bits() {
        let rows = directions(40, 75);
        for (a, b) in (0..40).flat_map(|a| (0..40).map(move |b| (a, b))) {
            let found = Cosine.eval(&direction(&rows, a), &direction(&rows, b));
            assert!((f64::from(found) - rows.distance(a, b)).abs() < 1e-6 && found >= 0.0, "{a} {b}: {found}");
        }
    }
}
