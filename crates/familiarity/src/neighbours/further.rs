//! Neighbours of items that are not among those that are searched.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Axis, s};
use rayon::prelude::*;

use super::neighbour::Neighbour;
use super::rows::UnitRows;
use super::shortlist::Shortlist;

/// Items whose products are computed at once, and rows that they are multiplied with at once: 2 MiB of products.
const BLOCK: (usize, usize) = (128, 4096);

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
    if reference.is_empty() || further.is_empty() || width == 0 {
        return vec![vec![]; further.len()];
    }
    assert_eq!(further.dimensions(), reference.dimensions(), "embeddings of one model");
    let (inverse, of_further) = (reference.inverse_lengths(), further.inverse_lengths());
    let items: Vec<usize> = (0..further.len()).collect();
    let others: Vec<usize> = (0..reference.len()).collect();
    let scaled = reference.scaled(&others);
    let of_block = |block: &[usize]| {
        let rows = further.scaled(block);
        let scales = &of_further[block[0]..];
        let mut shortlists: Vec<_> =
            block.iter().map(|&item| Shortlist::new(own[item], width, further.dimensions())).collect();
        let mut products = Array2::zeros((block.len(), reference.len().min(BLOCK.1)));
        for (start, part) in (0..reference.len()).step_by(BLOCK.1).zip(scaled.axis_chunks_iter(Axis(0), BLOCK.1)) {
            let mut products = products.slice_mut(s![.., ..part.nrows()]);
            general_mat_mul(1.0, &rows, &part.reversed_axes(), 0.0, &mut products);
            let columns = start..start + part.nrows();
            for ((shortlist, products), &scale) in shortlists.iter_mut().zip(products.rows()).zip(scales) {
                let products = products.to_slice().expect("rows of a matrix are contiguous");
                shortlist.offer_all(products, &inverse[columns.clone()], scale, &others[columns.clone()]);
            }
        }
        let settle = |(shortlist, &item): (Shortlist, &usize)| settle(further, reference, item, shortlist, width);
        shortlists.into_iter().zip(block).map(settle).collect::<Vec<_>>()
    };
    items.par_chunks(BLOCK.0).flat_map_iter(of_block).collect()
}

/// The nearest of some rows, by distances in 64 bits.
fn settle(further: &UnitRows, reference: &UnitRows, item: usize, shortlist: Shortlist, width: usize) -> Vec<Neighbour> {
    let distance = |other| Neighbour { item: other, distance: further.distance_to(item, reference, other) };
    let mut found: Vec<Neighbour> = shortlist.others().map(distance).collect();
    found.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item)));
    found.truncate(width);
    found
}

#[cfg(test)]
mod tests {
    use super::super::{Exact, Neighbours};
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
        let together = Exact::new(UnitRows::new(all.view()).unwrap()).nearest_of_all_among(6, &labelled);
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
