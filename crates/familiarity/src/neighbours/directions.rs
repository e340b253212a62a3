//! Directions in 16-bit fixed point, in one block of memory: what a graph is built and searched with.
//!
//! A product of whole numbers is exact in any order, so each processor may use the lanes it has (SSE2, AVX2, AVX-512,
//! NEON) and all get the same bytes. A row takes half the memory of one in 32 bits, and memory is what a search waits
//! for.

use multiversion::multiversion;

use super::rows::UnitRows;

/// The whole number that stands for 1. Products of directions are at most its square in 32 bits, by Cauchy and Schwarz.
const ONE: f64 = 32_767.0;
/// Rows are filled up with zeros to a multiple of so many values: no processor has more lanes.
const LANES: usize = 32;
/// Distances of 0..=2 are counted in steps of 1 / UNIT.
const UNIT: u32 = 32_767 * 32_767;

/// A distance and the point that lies there, in one number: sorted by distance, then by point. The last bit is a mark.
pub(super) type Near = u64;

/// A point at a distance, without the mark.
pub(super) fn near(distance: u32, point: u32) -> Near {
    u64::from(distance) << 32 | u64::from(point) << 1
}

/// Where it lies.
pub(super) fn distance_of(near: Near) -> u32 {
    (near >> 32) as u32
}

/// What lies there.
pub(super) fn point_of(near: Near) -> u32 {
    near as u32 >> 1
}

/// Rows of length 1, each value rounded to a multiple of 1 / 32,767.
#[derive(Debug, Clone)]
pub(super) struct Directions {
    /// Values of a row, zeros at its end included.
    width: usize,
    values: Vec<i16>,
    points: usize,
}

impl Directions {
    /// The directions of the given items, none of which is a zero vector.
    pub(super) fn new(rows: &UnitRows, items: impl ExactSizeIterator<Item = usize>) -> Self {
        let width = rows.dimensions().next_multiple_of(LANES);
        let points = items.len();
        let mut values = Vec::with_capacity(points * width);
        for item in items {
            push(rows, item, &mut values);
            values.resize(values.len().next_multiple_of(width.max(1)), 0);
        }
        Self { width, values, points }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.points
    }

    /// One of them.
    #[inline(always)]
    pub(super) fn row(&self, point: u32) -> &[i16] {
        &self.values[point as usize * self.width..][..self.width]
    }

    /// The direction of any item, as these are kept.
    pub(super) fn query(&self, rows: &UnitRows, item: usize) -> Vec<i16> {
        let mut values = Vec::with_capacity(self.width);
        push(rows, item, &mut values);
        values.resize(self.width, 0);
        values
    }

    /// By how much one distance can seem larger than another that it is not larger than.
    ///
    /// Each value is off by at most half a step, so a product of rows of d values is off by at most sqrt(d) ONE + d /
    /// 4.
    pub(super) fn error(&self) -> u32 {
        (2.0 * ((self.width as f64).sqrt() * (ONE + 1.0) + self.width as f64 / 4.0)) as u32
    }
}

fn push(rows: &UnitRows, item: usize, values: &mut Vec<i16>) {
    let scale = rows.inverse_length(item) * ONE;
    // Half a step away from zero and cut off: a rounding that needs no function of the system.
    let rounded = |x: f64| (x + 0.5f64.copysign(x)) as i16;
    values.extend(rows.row(item).map(|x| rounded(f64::from(x) * scale)));
}

/// Cosine distance of two directions; never negative, where rounding makes a product more than 1.
#[inline(always)]
pub(super) fn distance(a: &[i16], b: &[i16]) -> u32 {
    let product = a.iter().zip(b).fold(0i32, |sum, (&x, &y)| sum.wrapping_add(i32::from(x) * i32::from(y)));
    (i64::from(UNIT) - i64::from(product)).max(0) as u32
}

/// The distance of two directions, in the lanes of this processor.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
pub(super) fn distance_at_once(a: &[i16], b: &[i16]) -> u32 {
    distance(a, b)
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    #[test]
    fn distances_are_those_of_the_rows_within_the_error_and_never_negative() {
        let matrix = Array2::from_shape_fn((40, 75), |(i, j)| ((i * 31 + j * 7) as f32 * 0.77).sin());
        let rows = UnitRows::new(matrix.view()).unwrap();
        let directions = Directions::new(&rows, 0..40);
        for (a, b) in (0..40).flat_map(|a| (0..40).map(move |b| (a, b))) {
            let found = distance_at_once(directions.row(a), directions.row(b));
            let expected = rows.distance(a as usize, b as usize) * f64::from(UNIT);
            assert!((f64::from(found) - expected).abs() <= f64::from(directions.error() / 2), "{a} {b}");
        }
        let opposite = UnitRows::new(ndarray::array![[1.0, 0.0], [-1.0, 0.0]].view()).unwrap();
        let opposite = Directions::new(&opposite, 0..2);
        assert_eq!(distance_at_once(opposite.row(0), opposite.row(1)), 2 * UNIT);
        assert_eq!(distance_at_once(opposite.row(0), opposite.row(0)), 0);
    }

    #[test]
    fn every_number_of_lanes_gives_the_same_distance() {
        let matrix = Array2::from_shape_fn((2, 384), |(i, j)| ((i * 31 + j * 7) as f32 * 0.77).sin());
        let rows = UnitRows::new(matrix.view()).unwrap();
        let directions = Directions::new(&rows, 0..2);
        let (a, b) = (directions.row(0), directions.row(1));
        let plain: i64 = a.iter().zip(b).map(|(&x, &y)| i64::from(x) * i64::from(y)).sum();
        assert_eq!(i64::from(distance_at_once(a, b)), i64::from(UNIT) - plain);
        assert_eq!(distance(a, b), distance_at_once(a, b));
    }

    #[test]
    fn a_point_at_a_distance_is_sorted_by_distance_then_point() {
        let sorted = [near(0, 9), near(1, 3), near(1, 4), near(2 * UNIT, 0), near(u32::MAX, (1 << 31) - 1)];
        assert!(sorted.is_sorted());
        assert_eq!(sorted.map(point_of), [9, 3, 4, 0, (1 << 31) - 1]);
        assert_eq!(sorted.map(distance_of), [0, 1, 1, 2 * UNIT, u32::MAX]);
    }
}
