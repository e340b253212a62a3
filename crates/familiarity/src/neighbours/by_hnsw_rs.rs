//! The graph of the hnsw_rs package, flattened: to compare with our own insertion.

use hnsw_rs::anndists::dist::distances::Distance;
use hnsw_rs::hnsw::{Hnsw, Point};

use super::directions::{Directions, distance_at_once};
use super::graph::{Graph, MOST_LAYERS};
use super::settings::HnswSettings;
use judge_uncertainty_system::progress::Progress;

/// The graph of all points, which one thread inserts in order: several would make another graph in each run.
pub(super) fn insert_all(directions: &Directions, settings: &HnswSettings, progress: &dyn Progress) -> Graph {
    let points = directions.len();
    let theirs = Hnsw::new(settings.links, points, usize::from(MOST_LAYERS) + 1, settings.ef_construction, OneProduct);
    for point in 0..points {
        theirs.insert((directions.row(point as u32), point));
        progress.advance(1);
    }
    flattened(&theirs, points)
}

fn flattened(theirs: &Hnsw<'_, i16, OneProduct>, points: usize) -> Graph {
    let index = theirs.get_point_indexation();
    let mut levels = vec![0; points];
    let mut most = [0, 0];
    // Without points there is no first one to begin with.
    let all = || (points > 0).then(|| index.into_iter()).into_iter().flatten();
    for point in all() {
        levels[point.get_origin_id()] = point.get_point_id().0;
        for (layer, links) in lists(&point).enumerate() {
            let most = &mut most[layer.min(1)];
            *most = links.len().max(*most);
        }
    }
    let mut graph = Graph::unlinked(levels, most);
    for point in all() {
        for (layer, links) in lists(&point).enumerate() {
            // Some links lead to points that are not in their layer, where a search could not go on.
            let links: Vec<u32> =
                links.into_iter().filter(|&to| usize::from(graph.levels[to as usize]) >= layer).collect();
            graph.set(point.get_origin_id() as u32, layer, links.into_iter());
        }
    }
    // The entry is the first point of the highest layer.
    let entry = (points > 0).then(|| index.get_layer_iterator(theirs.get_max_level_observed().into()).next()).flatten();
    graph.entry = entry.map_or(0, |point| point.get_origin_id() as u32);
    graph
}

/// The links of a point in each of its layers. hnsw_rs has room for more layers than a point is in.
fn lists<'p>(point: &'p Point<'_, i16>) -> impl Iterator<Item = Vec<u32>> + 'p {
    let own = usize::from(point.get_point_id().0) + 1;
    let links = point.get_neighborhood_id().into_iter().take(own);
    links.map(|links| links.iter().map(|link| link.d_id as u32).collect())
}

/// The distances of our own index in the numbers that hnsw_rs takes.
#[derive(Debug, Clone, Copy, Default)]
struct OneProduct;

impl Distance<i16> for OneProduct {
    fn eval(&self, a: &[i16], b: &[i16]) -> f32 {
        distance_at_once(a, b) as f32
    }
}
