//! Neighbours by comparing all pairs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, CowArray, s};
use rayon::prelude::*;

use super::held::IndexedItems;
use super::neighbour::Neighbour;
use super::rows::UnitRows;
use super::search::Neighbours;
use super::shortlist::{CHUNK, Shortlist, any_reaches};

/// Items whose products one thread computes at once. A product copies the candidates into the order in which it reads
/// them; so many items make that copy cheap.
const BLOCK_ITEMS: usize = 512;
/// Candidates that they are multiplied with at once: 4 MiB of products.
const BLOCK_CANDIDATES: usize = 2048;
/// Where all items are compared with all others, each product serves both of its items: blocks of so many on either
/// side.
const SQUARE: usize = 1024;
/// Those blocks need the shortlists of all items at once; past so many bytes of them each item has products of its own.
const MOST_SHORTLISTS: usize = 1 << 28;

/// Compares every item with every other.
#[derive(Debug, Clone)]
pub struct Exact {
    rows: UnitRows,
    held: IndexedItems,
}

impl Exact {
    /// An engine that finds all of the given rows.
    pub fn new(rows: UnitRows) -> Self {
        let held = IndexedItems::all(rows.len());
        Self { rows, held }
    }

    /// An engine that finds those of the given rows that are held.
    pub fn among(rows: UnitRows, held: IndexedItems) -> Self {
        Self { rows, held }
    }
}

impl Neighbours for Exact {
    fn rows(&self) -> &UnitRows {
        &self.rows
    }

    fn held(&self) -> &IndexedItems {
        &self.held
    }

    fn describe(&self) -> String {
        "all pairs are compared, so recall is 1".to_owned()
    }

    fn nearest(&self, item: usize, width: usize) -> Vec<Neighbour> {
        self.rows.nearest_of(item, self.held.others(item), width)
    }

    fn nearest_of_items(&self, items: &[usize], width: usize) -> Vec<Neighbour> {
        nearest_of_items(&self.rows, items, self.held.items(), width).concat()
    }

    fn nearest_among(&self, item: usize, width: usize, wanted: &[bool]) -> Vec<Neighbour> {
        let candidates = self.held.others(item).filter(|&other| wanted[other]);
        self.rows.nearest_of(item, candidates, width)
    }

    fn nearest_of_all_among(&self, width: usize, wanted: &[bool]) -> Vec<Vec<Neighbour>> {
        let items: Vec<usize> = (0..self.rows.len()).collect();
        let among: Vec<usize> = self.held.items().iter().copied().filter(|&item| wanted[item]).collect();
        nearest_of_items(&self.rows, &items, &among, width)
    }
}

/// For each of the given items the `width` nearest of those `among`, itself excepted, by products of whole blocks of
/// rows.
pub(super) fn nearest_of_items(rows: &UnitRows, items: &[usize], among: &[usize], width: usize) -> Vec<Vec<Neighbour>> {
    if width == 0 || among.is_empty() {
        return vec![Vec::new(); items.len()];
    }
    let all = |some: &[usize]| some.len() == rows.len() && some.iter().copied().eq(0..rows.len());
    let shortlists = rows.len().saturating_mul(width).saturating_mul(4 * size_of::<(u32, f32)>());
    if shortlists <= MOST_SHORTLISTS && all(items) && all(among) {
        return nearest_of_all(rows, width);
    }
    // Of all rows those of a block of candidates are scaled for each block of items, which takes no time beside
    // products.
    let selected = (among.len() < rows.len()).then(|| rows.scaled(among));
    let inverse: Vec<f32> = among.iter().map(|&other| rows.inverse_length(other) as f32).collect();
    let blocks: Vec<Vec<Vec<Neighbour>>> = items
        .par_chunks(BLOCK_ITEMS)
        .map(|block| {
            let block_rows = rows.scaled(block);
            let mut shortlists: Vec<_> = block.iter().map(|&item| shortlist(rows, item, width)).collect();
            let mut products = Array2::zeros((block.len(), among.len().min(BLOCK_CANDIDATES)));
            for start in (0..among.len()).step_by(BLOCK_CANDIDATES) {
                let candidates = start..(start + BLOCK_CANDIDATES).min(among.len());
                let mut products = products.slice_mut(s![.., ..candidates.len()]);
                let columns = match &selected {
                    Some(selected) => CowArray::from(selected.slice(s![candidates.clone(), ..])),
                    None => CowArray::from(rows.scaled(&among[candidates.clone()])),
                };
                general_mat_mul(1.0, &block_rows, &columns.t(), 0.0, &mut products);
                for ((shortlist, products), &item) in shortlists.iter_mut().zip(products.rows()).zip(block) {
                    let products = products.to_slice().expect("rows of a matrix are contiguous");
                    let scale = rows.inverse_length(item) as f32;
                    shortlist.offer_all(products, &inverse[candidates.clone()], scale, &among[candidates.clone()]);
                }
            }
            block.iter().zip(shortlists).map(|(&item, shortlist)| settle(rows, item, shortlist, among, width)).collect()
        })
        .collect();
    blocks.into_iter().flatten().collect()
}

/// The shortlist of an item among all. All lie at distance 1 from a zero vector, so there is nothing to choose by
/// similarity.
fn shortlist(rows: &UnitRows, item: usize, width: usize) -> Shortlist {
    let shortlist = Shortlist::new(Some(item), width, rows.dimensions());
    if rows.is_zero(item) { shortlist.closed() } else { shortlist }
}

/// The nearest of those that are left, by their distances.
fn settle(rows: &UnitRows, item: usize, shortlist: Shortlist, among: &[usize], width: usize) -> Vec<Neighbour> {
    if rows.is_zero(item) {
        let others = among.iter().copied().filter(|&other| other != item);
        return rows.nearest_of(item, others, width);
    }
    rows.nearest_of(item, shortlist.others(), width)
}

/// The shortlists of items that stand one after the other.
struct Square {
    first: usize,
    shortlists: Vec<Shortlist>,
    /// What a similarity must reach to be of use to each of them.
    floors: Vec<f32>,
}

/// For each item the nearest others; each product is computed once for both of its items.
fn nearest_of_all(rows: &UnitRows, width: usize) -> Vec<Vec<Neighbour>> {
    let items: Vec<usize> = (0..rows.len()).collect();
    let inverse = rows.inverse_lengths();
    let square = |block: &[usize]| {
        let shortlists: Vec<_> = block.iter().map(|&item| shortlist(rows, item, width)).collect();
        let floors = shortlists.iter().map(|list| list.floor()).collect();
        Mutex::new(Square { first: block[0], shortlists, floors })
    };
    let squares: Vec<Mutex<Square>> = items.chunks(SQUARE).map(square).collect();
    let count = squares.len();
    // Of two blocks each pair once. Far apart in this order, pairs seldom share a block, so threads seldom wait.
    let pairs: Vec<(usize, usize)> = (0..=count / 2)
        .flat_map(|apart| (0..count).map(move |one| (one, apart)))
        .filter(|&(one, apart)| 2 * apart != count || one < apart)
        .map(|(one, apart)| (one, (one + apart) % count))
        .collect();
    let range = |block: usize| block * SQUARE..((block + 1) * SQUARE).min(items.len());
    pairs.into_par_iter().for_each(|(one, other)| {
        let [above, left] = [one, other].map(range);
        let scaled = |range: &std::ops::Range<usize>| rows.scaled(&items[range.clone()]);
        let mut products = Array2::zeros((above.len(), left.len()));
        general_mat_mul(1.0, &scaled(&above), &scaled(&left).t(), 0.0, &mut products);
        // Always the lower block first, so that no two threads wait for each other.
        let mut low = lock(&squares[one.min(other)]);
        let mut high = (one != other).then(|| lock(&squares[one.max(other)]));
        let (across, down) = match &mut high {
            Some(high) if one < other => (&mut *low, Some(&mut **high)),
            Some(high) => (&mut **high, Some(&mut *low)),
            None => (&mut *low, None),
        };
        across.offer_rows(&products, &inverse, &items[left]);
        if let Some(down) = down {
            down.offer_columns(&products, &inverse, above.start);
        }
    });
    let lists = |square: Mutex<Square>| square.into_inner().unwrap_or_else(PoisonError::into_inner).shortlists;
    let shortlists: Vec<Shortlist> = squares.into_iter().flat_map(lists).collect();
    items.par_iter().zip(shortlists).map(|(&item, shortlist)| settle(rows, item, shortlist, &items, width)).collect()
}

fn lock(square: &Mutex<Square>) -> MutexGuard<'_, Square> {
    square.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Square {
    /// Each of these items is offered all others, whose products with it are a row.
    fn offer_rows(&mut self, products: &Array2<f32>, inverse: &[f32], others: &[usize]) {
        let first = others[0];
        for (place, products) in products.rows().into_iter().enumerate() {
            let products = products.to_slice().expect("rows of a matrix are contiguous");
            let scale = inverse[self.first + place];
            self.shortlists[place].offer_all(products, &inverse[first..first + others.len()], scale, others);
            self.floors[place] = self.shortlists[place].floor();
        }
    }

    /// Each of these items is offered all others, whose products with it are a column. `first` is the first of the
    /// others.
    fn offer_columns(&mut self, products: &Array2<f32>, inverse: &[f32], first: usize) {
        let Self { first: own, shortlists, floors } = self;
        let own = &inverse[*own..*own + shortlists.len()];
        for (other, products) in (first..).zip(products.rows()) {
            let products = products.to_slice().expect("rows of a matrix are contiguous");
            for start in (0..products.len()).step_by(CHUNK) {
                let chunk = start..(start + CHUNK).min(products.len());
                if !any_reaches(&products[chunk.clone()], &own[chunk.clone()], inverse[other], &floors[chunk.clone()]) {
                    continue;
                }
                for place in chunk {
                    let similarity = products[place] * own[place] * inverse[other];
                    if similarity >= floors[place] {
                        shortlists[place].offer(other, similarity);
                        floors[place] = shortlists[place].floor();
                    }
                }
            }
        }
    }
}
