//! Inserting points into a graph (Malkov and Yashunin 2018, algorithms 1 and 4), the same graph whatever the threads.
//!
//! Points come in batches of a fixed size. Those of a batch search the graph as it was before, all at once, and are
//! compared with the points of their batch that stand before them; then they and those they link to are linked. So no
//! point depends on when a thread came to it.

use multiversion::multiversion;
use rayon::prelude::*;

use super::directions::{Directions, Near, distance, distance_of, near, point_of};
use super::graph::{Graph, MOST_LAYERS, SearchState, Searches, search_layer};
use super::settings::HnswSettings;
use judge_uncertainty_system::progress::Progress;

/// Points that are inserted at once. Each is compared with half as many of its batch, which is little beside a search.
const BATCH: usize = 256;

/// The graph of all points.
pub(super) fn insert_all(directions: &Directions, settings: &HnswSettings, progress: &dyn Progress) -> Graph {
    let points = directions.len();
    let levels = (0..points as u64).map(|point| level(point, settings.links as u64)).collect();
    let mut insertion = GraphBuilder::new(directions, levels, settings);
    for start in (0..points).step_by(BATCH) {
        let batch = start as u32..(start + BATCH).min(points) as u32;
        progress.advance(batch.len() as u64);
        insertion.insert(batch);
    }
    insertion.graph
}

/// A number without any pattern that a count could have (the mixing function of SplitMix64, Steele, Lea and Flood
/// 2014).
pub(super) fn mixed(count: u64) -> u64 {
    let mut bits = (count + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The highest layer of a point: each is reached from the one below with probability 1 / `links`. Drawn from the
/// point's number alone, in whole numbers.
fn level(point: u64, links: u64) -> u8 {
    let mut bits = mixed(point);
    let mut level = 0;
    while bits.is_multiple_of(links) && level < MOST_LAYERS && bits > 0 {
        bits /= links;
        level += 1;
    }
    level
}

struct GraphBuilder<'a> {
    directions: &'a Directions,
    settings: &'a HnswSettings,
    graph: Graph,
    /// The distance of each link: those of the lowest layer, of the upper layers.
    distances: Graph,
    searches: Searches,
}

/// New links of one point in one layer.
struct Relinked {
    layer: usize,
    point: u32,
    links: Vec<Near>,
}

impl<'a> GraphBuilder<'a> {
    fn new(directions: &'a Directions, levels: Vec<u8>, settings: &'a HnswSettings) -> Self {
        let graph = Graph::unlinked(levels, [2 * settings.links, settings.links]);
        let searches = Searches::new(directions.len());
        Self { directions, settings, distances: graph.clone(), graph, searches }
    }

    fn insert(&mut self, batch: std::ops::Range<u32>) {
        let first = batch.start;
        let chosen: Vec<Vec<Vec<Near>>> = batch
            .clone()
            .into_par_iter()
            .map(|point| self.searches.with(|state| self.chosen(point, first, state)))
            .collect();
        let mut back: Vec<(usize, u32, Near)> = Vec::new();
        for (point, layers) in batch.clone().zip(chosen) {
            for (layer, links) in layers.into_iter().enumerate() {
                back.extend(links.iter().map(|&link| (layer, point_of(link), near(distance_of(link), point))));
                self.link(Relinked { layer, point, links });
            }
        }
        back.sort_unstable();
        let relinked: Vec<Relinked> = back
            .par_chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .map(|links| self.linked_back(links[0].0, links[0].1, links.iter().map(|link| link.2)))
            .collect();
        relinked.into_iter().for_each(|relinked| self.link(relinked));
        // Of the points of the highest layer the first.
        let level = |point: u32| self.graph.levels[point as usize];
        let before = (first > 0).then_some(self.graph.entry);
        let highest = before.into_iter().chain(batch).rev().max_by_key(|&point| level(point));
        self.graph.entry = highest.unwrap_or(0);
    }

    /// The points that a new point links to, in each of its layers.
    fn chosen(&self, point: u32, first: u32, state: &mut SearchState) -> Vec<Vec<Near>> {
        let Self { directions, settings, graph, .. } = self;
        let row = directions.row(point);
        let level = |point: u32| usize::from(graph.levels[point as usize]);
        let mut layers = vec![Vec::new(); level(point) + 1];
        if first > 0 {
            graph.descend(directions, row, level(point), state);
            for layer in (0..=level(point).min(graph.top())).rev() {
                search_layer(graph, directions, row, layer, settings.ef_construction, state);
                layers[layer].extend(state.found.iter().map(|near| near & !1));
                state.found.truncate(1);
            }
        }
        let mut distances = Vec::new();
        distances_to(directions, row, first..point, &mut distances);
        for (mate, distance) in (first..point).zip(distances) {
            layers.iter_mut().take(level(mate) + 1).for_each(|layer| layer.push(near(distance, mate)));
        }
        for layer in &mut layers {
            layer.sort_unstable();
            layer.truncate(settings.ef_construction);
            *layer = spread(directions, layer, settings.links);
        }
        layers
    }

    /// A point's links with more of them, reduced where they are too many.
    fn linked_back(&self, layer: usize, point: u32, more: impl Iterator<Item = Near>) -> Relinked {
        let distances = self.distances.links(point, layer);
        let mut links: Vec<Near> = self
            .graph
            .links(point, layer)
            .iter()
            .zip(distances)
            .map(|(&point, &distance)| near(distance, point))
            .collect();
        links.extend(more);
        let most = self.graph.most(layer);
        if links.len() > most {
            links.sort_unstable();
            links = spread(self.directions, &links, most);
        }
        Relinked { layer, point, links }
    }

    fn link(&mut self, Relinked { layer, point, links }: Relinked) {
        self.graph.set(point, layer, links.iter().map(|&link| point_of(link)));
        self.distances.set(point, layer, links.iter().map(|&link| distance_of(link)));
    }
}

/// Of points, nearest first, those that lie nearer to the origin of the distances than to any chosen before: at most
/// `most`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
fn spread(directions: &Directions, points: &[Near], most: usize) -> Vec<Near> {
    if points.len() <= most {
        return points.to_vec();
    }
    let mut chosen: Vec<Near> = Vec::with_capacity(most);
    for &point in points {
        let row = directions.row(point_of(point));
        let own = distance_of(point);
        let mut nearer = false;
        for &other in &chosen {
            if distance(row, directions.row(point_of(other))) < own {
                nearer = true;
                break;
            }
        }
        if !nearer {
            chosen.push(point);
            if chosen.len() == most {
                break;
            }
        }
    }
    chosen
}

/// Distances to points that stand one after the other.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
fn distances_to(directions: &Directions, row: &[i16], points: std::ops::Range<u32>, distances: &mut Vec<u32>) {
    for point in points {
        distances.push(distance(row, directions.row(point)));
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbours::UnitRows;
    use judge_uncertainty_system::progress::Silent;

    #[test]
    fn the_graph_does_not_depend_on_the_number_of_threads() {
        let matrix = Array2::from_shape_fn((1500, 24), |(i, j)| ((i * i % 977 + j * 31) as f32 * 0.77).sin());
        let rows = UnitRows::new(matrix.view()).unwrap();
        let directions = Directions::new(&rows, 0..1500);
        let graph = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| insert_all(&directions, &HnswSettings::default(), &Silent))
        };
        assert!(graph(1) == graph(5), "the same links, bit for bit");
    }

    #[test]
    fn every_layer_holds_one_in_links_of_the_points_of_the_one_below() {
        let levels: Vec<u8> = (0..100_000).map(|point| level(point, 10)).collect();
        for layer in 1..=3 {
            let points = levels.iter().filter(|&&level| level >= layer).count() as f64;
            let expected = 1e5 / 10f64.powi(i32::from(layer));
            assert!((points - expected).abs() < 4.0 * expected.sqrt(), "{points} points in layer {layer}");
        }
    }

    #[test]
    fn links_go_to_points_in_different_directions() {
        // Two points lie together on one side, a third on the other.
        let rows = UnitRows::new(ndarray::array![[1.0, 0.0], [1.0, 0.5], [1.0, 0.52], [1.0, -0.9]].view()).unwrap();
        let directions = Directions::new(&rows, 0..4);
        let to =
            |point| near(super::super::directions::distance_at_once(directions.row(0), directions.row(point)), point);
        let chosen = spread(&directions, &[to(1), to(2), to(3)], 2);
        assert_eq!(chosen, [to(1), to(3)]);
    }
}
