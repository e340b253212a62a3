//! Neighbours by comparing all pairs.

use ndarray::{ArrayView1, Axis};
use rayon::prelude::*;

use super::{Neighbour, Neighbours, UnitRows};

/// Similarities that one thread holds at once: 16 MiB.
const BLOCK_CELLS: usize = 4 << 20;

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
    let candidates = selected.as_ref().map_or(rows.scaled(), |selected| selected.view()).reversed_axes();
    let height = (BLOCK_CELLS / among.len()).clamp(1, 128);
    let blocks: Vec<Vec<Vec<Neighbour>>> = items
        .par_chunks(height)
        .map(|block| {
            let products = rows.scaled().select(Axis(0), block).dot(&candidates);
            let lists = block.iter().zip(products.rows());
            lists.map(|(&item, products)| settle(rows, item, among, products, &inverse, width)).collect()
        })
        .collect();
    blocks.concat()
}

/// The neighbours of `item`, given its 32-bit products with the scaled rows of those `among`.
///
/// The products only preselect: every item within the rounding error of the last place is compared again in 64
/// bits, so the list does not depend on how the products were summed.
fn settle(
    rows: &UnitRows,
    item: usize,
    among: &[usize],
    products: ArrayView1<f32>,
    inverse: &[f32],
    width: usize,
) -> Vec<Neighbour> {
    let others = || among.iter().copied().filter(|&other| other != item);
    if width + 1 >= among.len() {
        return rows.nearest_of(item, others(), width);
    }
    let similarities = || {
        let all = among.iter().zip(products).map(|(&other, product)| (other, product * inverse[other] * inverse[item]));
        all.filter(|&(other, _)| other != item)
    };
    // The `width` largest, without a copy of all: whatever is not above the smallest of them so far can't be among them.
    let (mut largest, mut least) = (Vec::with_capacity(4 * width), f32::NEG_INFINITY);
    for (_, similarity) in similarities() {
        if similarity > least || largest.len() < width {
            largest.push(similarity);
            if largest.len() == 4 * width {
                least = keep_largest(&mut largest, width);
            }
        }
    }
    let last = keep_largest(&mut largest, width);
    // A sum of d products is off by less than d/2 epsilon of the lengths, its scaling by less than 4.
    let error = (rows.dimensions() + 8) as f32 * f32::EPSILON;
    let near = similarities().filter(|&(_, similarity)| similarity >= last - 2.0 * error).map(|(other, _)| other);
    rows.nearest_of(item, near, width)
}

/// Drops all but the `width` largest values, of which there are that many, and returns the smallest of those.
fn keep_largest(values: &mut Vec<f32>, width: usize) -> f32 {
    let (_, &mut last, _) = values.select_nth_unstable_by(width - 1, |a, b| b.total_cmp(a));
    values.truncate(width);
    last
}
