//! Neighbours by comparing all pairs.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Axis, s};
use rayon::prelude::*;

use super::neighbour::Neighbour;
use super::rows::UnitRows;
use super::search::Neighbours;

/// Items whose products one thread computes at once. A product copies the candidates into the order in which it reads
/// them; so many items make that copy cheap.
const BLOCK_ITEMS: usize = 128;
/// Candidates that they are multiplied with at once: 2 MiB of products.
const BLOCK_CANDIDATES: usize = 4096;

/// Compares every item with every other.
#[derive(Debug, Clone)]
pub struct Exact {
    rows: UnitRows,
}

impl Exact {
    /// An engine over the given rows.
    pub fn new(rows: UnitRows) -> Self {
        Self { rows }
    }
}

impl Neighbours for Exact {
    fn rows(&self) -> &UnitRows {
        &self.rows
    }

    fn describe(&self) -> String {
        "all pairs are compared, so recall is 1".to_owned()
    }

    fn nearest(&self, item: usize, width: usize) -> Vec<Neighbour> {
        self.rows.nearest_of(item, self.rows.others(item), width)
    }

    fn nearest_of_items(&self, items: &[usize], width: usize) -> Vec<Neighbour> {
        nearest_of_items(&self.rows, items, width.min(self.rows.len().saturating_sub(1)))
    }

    fn nearest_among(&self, item: usize, width: usize, wanted: &[bool]) -> Vec<Neighbour> {
        let candidates = self.rows.others(item).filter(|&other| wanted[other]);
        self.rows.nearest_of(item, candidates, width)
    }

    fn nearest_of_all_among(&self, width: usize, wanted: &[bool]) -> Vec<Vec<Neighbour>> {
        let items: Vec<usize> = (0..self.rows.len()).collect();
        let among: Vec<usize> = items.iter().copied().filter(|&item| wanted[item]).collect();
        nearest_of_items_among(&self.rows, &items, &among, width)
    }
}

/// The lists of the given items, one after the other, by products of whole blocks of rows.
pub(super) fn nearest_of_items(rows: &UnitRows, items: &[usize], width: usize) -> Vec<Neighbour> {
    let all: Vec<usize> = (0..rows.len()).collect();
    nearest_of_items_among(rows, items, &all, width).concat()
}

/// For each of the given items the nearest of those `among`, itself excepted.
fn nearest_of_items_among(rows: &UnitRows, items: &[usize], among: &[usize], width: usize) -> Vec<Vec<Neighbour>> {
    if width == 0 || among.is_empty() {
        return vec![Vec::new(); items.len()];
    }
    let inverse = rows.inverse_lengths();
    let selected = (among.len() < rows.len()).then(|| rows.scaled().select(Axis(0), among));
    let scaled = selected.as_ref().map_or(rows.scaled(), |selected| selected.view());
    let blocks: Vec<Vec<Vec<Neighbour>>> = items
        .par_chunks(BLOCK_ITEMS)
        .map(|block| {
            let block_rows = rows.scaled().select(Axis(0), block);
            let shortlist = |&item| Shortlist::new(item, width, rows.dimensions());
            let mut shortlists: Vec<_> = block.iter().map(shortlist).collect();
            let mut products = Array2::zeros((block.len(), among.len().min(BLOCK_CANDIDATES)));
            let chunks = among.chunks(BLOCK_CANDIDATES).zip(scaled.axis_chunks_iter(Axis(0), BLOCK_CANDIDATES));
            for (among, scaled) in chunks {
                let mut products = products.slice_mut(s![.., ..among.len()]);
                general_mat_mul(1.0, &block_rows, &scaled.reversed_axes(), 0.0, &mut products);
                let directed = shortlists.iter_mut().zip(products.rows()).filter(|(list, _)| !rows.is_zero(list.item));
                for (shortlist, products) in directed {
                    let scale = inverse[shortlist.item];
                    for (&other, product) in among.iter().zip(products) {
                        shortlist.offer(other, product * inverse[other] * scale);
                    }
                }
            }
            let settle = |shortlist: Shortlist| match shortlist.item {
                // All lie at distance 1 from a zero vector; a block of such lists at once could fill the memory.
                item if rows.is_zero(item) => {
                    rows.nearest_of(item, among.iter().copied().filter(|&other| other != item), width)
                }
                item => rows.nearest_of(item, shortlist.others(), width),
            };
            shortlists.into_iter().map(settle).collect()
        })
        .collect();
    blocks.into_iter().flatten().collect()
}

/// The others that can be among the `width` nearest of one item, by similarities in 32 bits.
///
/// The similarities only preselect: every other within their rounding error of the last place stays, to be compared in
/// 64 bits, so the list does not depend on how the products were summed.
struct Shortlist {
    item: usize,
    width: usize,
    /// How far two similarities may be off, together.
    error: f32,
    /// What lies below cannot be among the nearest.
    floor: f32,
    near: Vec<(usize, f32)>,
    /// Length at which `near` is pruned.
    limit: usize,
}

impl Shortlist {
    fn new(item: usize, width: usize, dimensions: usize) -> Self {
        // A sum of d products is off by less than d/2 epsilon of the lengths, its scaling by less than 4.
        let error = 2.0 * (dimensions + 8) as f32 * f32::EPSILON;
        Self { item, width, error, floor: f32::NEG_INFINITY, near: Vec::new(), limit: 4 * width }
    }

    fn offer(&mut self, other: usize, similarity: f32) {
        if similarity >= self.floor && other != self.item {
            self.near.push((other, similarity));
            if self.near.len() == self.limit {
                self.prune();
            }
        }
    }

    fn prune(&mut self) {
        if self.width < self.near.len() {
            let (_, &mut (_, last), _) = self.near.select_nth_unstable_by(self.width - 1, |a, b| b.1.total_cmp(&a.1));
            self.floor = last - self.error;
            self.near.retain(|&(_, similarity)| similarity >= self.floor);
        }
        // Items as near as the last are all kept, however many they are.
        self.limit = self.limit.max(2 * self.near.len());
    }

    /// What is left.
    fn others(mut self) -> impl ExactSizeIterator<Item = usize> {
        self.prune();
        self.near.into_iter().map(|(other, _)| other)
    }
}
