//! Embeddings as directions, and the cosine distance between them.

use multiversion::multiversion;
use ndarray::{ArcArray2, Array2, ArrayView1, ArrayView2};

/// A neighbour of some item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Index of the neighbour.
    pub item: usize,
    /// Cosine distance to it, in 0..=2.
    pub distance: f64,
}

/// A value that an embedding cannot hold.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "embedding of item {item} (counted from 0) holds {value} in column {column}: every value must be a finite \
     number; embed the item again or remove it"
)]
pub struct NotFinite {
    /// Index of the item.
    pub item: usize,
    /// Index of the column.
    pub column: usize,
    /// The offending value.
    pub value: f32,
}

/// Embeddings, one row per item, ready for cosine distances.
///
/// For products in 32 bits, rows are scaled by powers of two to a length in [1, 2), a block at a time: that guards them
/// against overflow and rounds nothing. The remaining normalisation is part of [`distance`](Self::distance), in 64
/// bits, so distances are those of the given values and not of values rounded a second time. (Rows normalised in 32
/// bits move distances by 5e-9, enough to reorder nearly equal items.)
#[derive(Debug, Clone, PartialEq)]
pub struct UnitRows {
    given: ArcArray2<f32>,
    /// The power of two that scales each row.
    scales: Vec<f64>,
    /// Squared length of each scaled row.
    squares: Vec<f64>,
}

impl UnitRows {
    /// Takes a copy of embeddings of shape items x dimensions.
    ///
    /// # Errors
    /// The first value that is infinite or not a number.
    pub fn new(embeddings: ArrayView2<f32>) -> Result<Self, NotFinite> {
        Self::from_shared(embeddings.as_standard_layout().into_owned().into_shared())
    }

    /// Takes embeddings of shape items x dimensions that others hold as well; in row-major order they are not copied.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn from_shared(given: ArcArray2<f32>) -> Result<Self, NotFinite> {
        if let Some(((item, column), &value)) = given.indexed_iter().find(|(_, value)| !value.is_finite()) {
            return Err(NotFinite { item, column, value });
        }
        if !given.is_standard_layout() {
            return Self::new(given.view());
        }
        let length = |row: ArrayView1<f32>| row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        let scales: Vec<f64> = given.rows().into_iter().map(|row| inverse_power_of_two(length(row))).collect();
        let square = |(row, scale): (ArrayView1<f32>, &f64)| dot(slice(row), slice(row)) * scale * scale;
        let squares = given.rows().into_iter().zip(&scales).map(square).collect();
        Ok(Self { given, scales, squares })
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.given.nrows()
    }

    /// Whether there are zero rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.given.ncols()
    }

    /// Cosine distance of two items, 1 - a.b / (|a| |b|), in 0..=2.
    ///
    /// Exactly 0 between an item and itself and between equal rows; 1 if either is a zero vector and the two are
    /// not the same item. Rounding cannot carry it out of its range.
    pub fn distance(&self, a: usize, b: usize) -> f64 {
        if a == b { 0.0 } else { self.distance_to(a, self, b) }
    }

    /// Cosine distance of an item to one of other rows, as [`Self::distance`] has it of two different items.
    pub(super) fn distance_to(&self, item: usize, others: &Self, other: usize) -> f64 {
        let squares = self.squares[item] * others.squares[other];
        if squares == 0.0 {
            return 1.0;
        }
        // sqrt(s * s) is s, so equal rows divide to exactly 1.
        (1.0 - self.product(item, others, other) / squares.sqrt()).clamp(0.0, 2.0)
    }

    /// Inner product of scaled rows in 64 bits, which powers of two do not round.
    fn product(&self, item: usize, others: &Self, other: usize) -> f64 {
        dot(slice(self.given.row(item)), slice(others.given.row(other))) * self.scales[item] * others.scales[other]
    }

    /// Whether the item is a zero vector.
    pub fn is_zero(&self, item: usize) -> bool {
        self.squares[item] == 0.0
    }

    /// The row of an item, of length in [1, 2), or 0 for a zero vector.
    pub(super) fn row(&self, item: usize) -> impl Iterator<Item = f32> {
        let scale = self.scales[item];
        slice(self.given.row(item)).iter().map(move |&x| (f64::from(x) * scale) as f32)
    }

    /// 1 / length of the scaled row of an item; 0 for a zero vector.
    pub(super) fn inverse_length(&self, item: usize) -> f64 {
        if self.is_zero(item) { 0.0 } else { self.squares[item].sqrt().recip() }
    }

    /// The rows of some items, each of length in [1, 2), or 0 for a zero vector.
    pub(super) fn scaled(&self, items: &[usize]) -> Array2<f32> {
        let mut values = Vec::with_capacity(items.len() * self.dimensions());
        items.iter().for_each(|&item| values.extend(self.row(item)));
        Array2::from_shape_vec((items.len(), self.dimensions()), values).expect("a row for each item")
    }

    /// The `width` nearest of the `candidates`, which must not contain `item`.
    pub(super) fn nearest_of(
        &self,
        item: usize,
        candidates: impl IntoIterator<Item = usize>,
        width: usize,
    ) -> Vec<Neighbour> {
        self.nearest_across(item, self, candidates, width)
    }

    /// [`Self::nearest_of`] among other rows.
    pub(super) fn nearest_across(
        &self,
        item: usize,
        others: &Self,
        candidates: impl IntoIterator<Item = usize>,
        width: usize,
    ) -> Vec<Neighbour> {
        let distance = |other| Neighbour { item: other, distance: self.distance_to(item, others, other) };
        let mut found: Vec<Neighbour> = candidates.into_iter().map(distance).collect();
        let order = |a: &Neighbour, b: &Neighbour| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item));
        if width < found.len() {
            found.select_nth_unstable_by(width, order);
            found.truncate(width);
        }
        // Lists of all items are kept; the room of those that were dropped would be many times theirs.
        found.shrink_to_fit();
        found.sort_unstable_by(order);
        found
    }
}

/// The power of two that brings a length into [1, 2); 1 for the length 0.
fn inverse_power_of_two(length: f64) -> f64 {
    // Lengths of 32-bit rows lie far inside the 64-bit range, so both the exponent and its negation are normal.
    let exponent = (length.to_bits() >> 52) as i32 - 1023;
    if length == 0.0 { 1.0 } else { 2f64.powi(-exponent) }
}

/// A row as a slice.
fn slice(row: ArrayView1<'_, f32>) -> &[f32] {
    row.to_slice().expect("a matrix in row-major order has contiguous rows")
}

/// Inner product in 64 bits, summed in the same order in the lanes of every processor.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn dot(a: &[f32], b: &[f32]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 =
        a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += f64::from(x[lane]) * f64::from(y[lane]);
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn distance_is_the_cosine_distance_of_directions_at_any_scale() {
        let rows = UnitRows::new(array![[3.0, 4.0], [3e-40, 4e-40], [3.2e38, 2.4e38], [-3.0, -4.0]].view()).unwrap();
        assert!(rows.distance(0, 1) < 1e-9, "subnormal values keep the digits they have");
        assert!((rows.distance(0, 2) - (1.0 - 24.0 / 25.0)).abs() < 1e-7);
        assert_eq!(rows.distance(0, 3), 2.0);
    }

    #[test]
    fn equal_rows_are_at_distance_zero_and_zero_rows_at_one() {
        let row: Vec<f32> = (0..383).map(|i| (i as f32 * 0.37).sin()).collect();
        let mut matrix = Array2::zeros((4, 383));
        matrix.row_mut(0).assign(&ArrayView1::from(&row));
        matrix.row_mut(2).assign(&ArrayView1::from(&row));
        let rows = UnitRows::new(matrix.view()).unwrap();
        assert_eq!(rows.distance(0, 2), 0.0);
        assert_eq!((rows.distance(0, 1), rows.distance(1, 3), rows.distance(1, 1)), (1.0, 1.0, 0.0));
    }

    #[test]
    fn every_number_of_lanes_gives_the_same_product_to_the_last_bit() {
        let values = |seed: usize| (0..383).map(|i| ((i * seed) as f32 * 0.77).sin()).collect::<Vec<_>>();
        let (a, b) = (values(3), values(7));
        let products: Vec<f64> = a.iter().zip(&b).map(|(&x, &y)| f64::from(x) * f64::from(y)).collect();
        let (whole, rest) = products.split_at(376);
        let lane = |lane: usize| whole.iter().skip(lane).step_by(8).fold(0.0, |sum, x| sum + x);
        let expected = (0..8).map(lane).sum::<f64>() + rest.iter().sum::<f64>();
        assert_eq!(dot(&a, &b).to_bits(), expected.to_bits());
    }

    #[test]
    fn a_value_that_is_no_number_is_refused_with_its_place() {
        let error = UnitRows::new(array![[0.0, 1.0], [0.5, f32::NAN]].view()).unwrap_err();
        assert_eq!((error.item, error.column), (1, 1));
    }
}
