//! Neighbours by comparing all pairs.

use multiversion::multiversion;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, CowArray, s};
use rayon::prelude::*;

use super::rows::{Neighbour, UnitRows};
use super::search::{IndexedItems, Neighbours};

/// Items whose products one thread computes at once. A product copies the candidates into the order in which it reads
/// them; so many items make that copy cheap.
const BLOCK_ITEMS: usize = 512;
/// Candidates that they are multiplied with at once: 4 MiB of products.
const BLOCK_CANDIDATES: usize = 2048;

/// Compares every item with every other.
#[derive(Debug, Clone)]
pub struct Exact {
    rows: UnitRows,
    indexed: IndexedItems,
}

impl Exact {
    /// An engine that finds all of the given rows.
    pub fn new(rows: UnitRows) -> Self {
        let indexed = IndexedItems::all(rows.len());
        Self { rows, indexed }
    }

    /// An engine that finds those of the given rows that are indexed.
    pub fn among(rows: UnitRows, indexed: IndexedItems) -> Self {
        Self { rows, indexed }
    }
}

impl Neighbours for Exact {
    fn rows(&self) -> &UnitRows {
        &self.rows
    }

    fn indexed(&self) -> &IndexedItems {
        &self.indexed
    }

    fn describe(&self) -> String {
        "all pairs are compared, so recall is 1".to_owned()
    }

    fn nearest(&self, items: &[usize], width: usize, wanted: Option<&[bool]>) -> Vec<Vec<Neighbour>> {
        let is_wanted = |item: &usize| wanted.is_none_or(|wanted| wanted[*item]);
        let among: Vec<usize> = self.indexed.items().iter().copied().filter(is_wanted).collect();
        nearest_of_items(&self.rows, items, &among, width)
    }
}

/// For each of the given items the `width` nearest of those `among`, itself excepted.
pub(super) fn nearest_of_items(rows: &UnitRows, items: &[usize], among: &[usize], width: usize) -> Vec<Vec<Neighbour>> {
    nearest_across((rows, items), (rows, among), Some, width)
}

/// For each of the given items of some rows the `width` nearest of the rows `among` others, by products of whole blocks
/// of rows; `own` is the position there of an item that is one of them, which is left out.
fn nearest_across(
    (of, items): (&UnitRows, &[usize]),
    (others, among): (&UnitRows, &[usize]),
    own: impl Fn(usize) -> Option<usize> + Sync,
    width: usize,
) -> Vec<Vec<Neighbour>> {
    if width == 0 || among.is_empty() {
        return vec![vec![]; items.len()];
    }
    // Of all rows those of a block of candidates are scaled for each block of items, which takes no time beside
    // products.
    let selected = (among.len() < others.len()).then(|| others.scaled(among));
    let inverse: Vec<f32> = among.iter().map(|&other| others.inverse_length(other) as f32).collect();
    let of_block = |block: &[usize]| {
        let block_rows = of.scaled(block);
        let mut shortlists: Vec<_> = block.iter().map(|&item| shortlist(of, item, own(item), width)).collect();
        let mut products = Array2::zeros((block.len(), among.len().min(BLOCK_CANDIDATES)));
        for start in (0..among.len()).step_by(BLOCK_CANDIDATES) {
            let candidates = start..(start + BLOCK_CANDIDATES).min(among.len());
            let mut products = products.slice_mut(s![.., ..candidates.len()]);
            let columns = match &selected {
                Some(selected) => CowArray::from(selected.slice(s![candidates.clone(), ..])),
                None => CowArray::from(others.scaled(&among[candidates.clone()])),
            };
            general_mat_mul(1.0, &block_rows, &columns.t(), 0.0, &mut products);
            for ((shortlist, products), &item) in shortlists.iter_mut().zip(products.rows()).zip(block) {
                let products = products.to_slice().expect("rows of a matrix are contiguous");
                let scale = of.inverse_length(item) as f32;
                shortlist.offer_all(products, &inverse[candidates.clone()], scale, &among[candidates.clone()]);
            }
        }
        let settle = |(&item, shortlist)| settle((of, item), (others, among), shortlist, width);
        block.iter().zip(shortlists).map(settle).collect::<Vec<_>>()
    };
    items.par_chunks(BLOCK_ITEMS).flat_map_iter(of_block).collect()
}

/// The shortlist of an item, which is `own` among the others. All lie at distance 1 from a zero vector, so there is
/// nothing to choose by similarity.
fn shortlist(rows: &UnitRows, item: usize, own: Option<usize>, width: usize) -> Shortlist {
    let shortlist = Shortlist::new(own, width, rows.dimensions());
    if rows.is_zero(item) { shortlist.closed() } else { shortlist }
}

/// The nearest of those that are left, by their distances.
fn settle(
    (of, item): (&UnitRows, usize),
    (others, among): (&UnitRows, &[usize]),
    shortlist: Shortlist,
    width: usize,
) -> Vec<Neighbour> {
    if of.is_zero(item) {
        let all = among.iter().copied().filter(|&other| Some(other) != shortlist.own);
        return of.nearest_across(item, others, all, width);
    }
    of.nearest_across(item, others, shortlist.others(), width)
}

/// For each of the `further` items the `width` nearest rows of `reference`, in ascending order of (distance, row).
/// `own` is the row that an item is itself, if it is one, and that one is left out.
///
/// As everywhere, products in 32 bits preselect and distances in 64 bits decide, so that a distance is the same number
/// whoever is compared beside it.
///
/// # Panics
/// If there is not one entry of `own` per further item, or the dimensions differ.
pub fn nearest_of_further(
    further: &UnitRows,
    reference: &UnitRows,
    own: &[Option<usize>],
    width: usize,
) -> Vec<Vec<Neighbour>> {
    assert_eq!(own.len(), further.len(), "one entry for each further item");
    let are_of_one_model = further.dimensions() == reference.dimensions();
    assert!(are_of_one_model || further.is_empty() || reference.is_empty(), "embeddings of one model");
    let [items, others] = [further, reference].map(|rows| Vec::from_iter(0..rows.len()));
    nearest_across((further, &items), (reference, &others), |item| own[item], width)
}

/// Products that are compared with a floor at once.
const CHUNK: usize = 32;

/// The others that can be among the `width` nearest of one item, by similarities in 32 bits.
///
/// The similarities only preselect: every other within their rounding error of the last place stays, to be compared in
/// 64 bits, so the list does not depend on how the products were summed, nor on the order in which others came.
struct Shortlist {
    /// Which of the others the item is itself, if it is one of them.
    own: Option<usize>,
    width: usize,
    /// How far two similarities may be off, together.
    error: f32,
    /// What lies below cannot be among the nearest.
    floor: f32,
    near: Vec<(u32, f32)>,
    /// Length at which `near` is pruned.
    limit: usize,
}

impl Shortlist {
    /// An empty list of an item that is `own` among the others, for vectors of so many dimensions.
    fn new(own: Option<usize>, width: usize, dimensions: usize) -> Self {
        // A sum of d products is off by less than d/2 epsilon of the lengths, its scaling by less than 4.
        let error = 2.0 * (dimensions + 8) as f32 * f32::EPSILON;
        Self { own, width, error, floor: f32::NEG_INFINITY, near: Vec::new(), limit: 4 * width }
    }

    /// The list that no similarity enters.
    fn closed(self) -> Self {
        Self { floor: f32::INFINITY, ..self }
    }

    /// Offers all others, by their products with the item.
    fn offer_all(&mut self, products: &[f32], inverse: &[f32], scale: f32, others: &[usize]) {
        let chunks = products.chunks(CHUNK).zip(inverse.chunks(CHUNK)).zip(others.chunks(CHUNK));
        for ((products, inverse), others) in chunks {
            if !any_reaches(products, inverse, scale, self.floor) {
                continue;
            }
            for ((product, inverse), &other) in products.iter().zip(inverse).zip(others) {
                let similarity = product * inverse * scale;
                if similarity >= self.floor && Some(other) != self.own {
                    self.near.push((other as u32, similarity));
                    if self.near.len() == self.limit {
                        self.prune();
                    }
                }
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

    /// Those that are left.
    fn others(mut self) -> impl Iterator<Item = usize> {
        self.prune();
        self.near.into_iter().map(|(other, _)| other as usize)
    }
}

/// Whether a product, scaled twice, reaches the floor.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn any_reaches(products: &[f32], scales: &[f32], scale: f32, floor: f32) -> bool {
    let mut reaches = false;
    for (&product, &own) in products.iter().zip(scales) {
        reaches |= product * own * scale >= floor;
    }
    reaches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the bits of a search among all items together, for further items, for labelled ones that are left out of
    /// their own lists, for equal rows and for zero vectors.
    #[test]
    fn neighbours_are_those_of_all_items_together() {
        let mut all = Array2::from_shape_fn((300, 19), |(i, j)| ((i * 37 + j * 101) as f32 * 0.73).sin());
        all.row_mut(4).fill(0.0);
        all.row_mut(250).fill(0.0);
        let twin = all.row(7).to_owned();
        all.row_mut(260).assign(&twin);
        all.row_mut(8).assign(&twin);
        let labelled: Vec<bool> = (0..300).map(|i| i < 150).collect();
        let together =
            Exact::new(UnitRows::new(all.view()).unwrap()).nearest(&Vec::from_iter(0..300), 6, Some(&labelled));
        let reference = UnitRows::new(all.slice(s![..150, ..])).unwrap();
        let further = UnitRows::new(all.view()).unwrap();
        let own: Vec<Option<usize>> = (0..300).map(|i| (i < 150).then_some(i)).collect();
        let apart = nearest_of_further(&further, &reference, &own, 6);
        for (item, (a, b)) in together.iter().zip(&apart).enumerate() {
            let bits = |list: &[Neighbour]| list.iter().map(|n| (n.item, n.distance.to_bits())).collect::<Vec<_>>();
            assert_eq!(bits(a), bits(b), "item {item}");
        }
        assert_eq!(nearest_of_further(&further, &reference, &own, 400)[200].len(), 150);
    }
}
