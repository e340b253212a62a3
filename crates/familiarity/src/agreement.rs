//! How far two embeddings of the same items agree.

use std::collections::BTreeSet;
use std::fmt;

use ndarray::{ArrayView2, Zip};

use super::neighbours::{Exact, NeighbourLists, NotFinite, UnitRows};

/// Agreement of two matrices of embeddings, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingAgreement {
    /// Items.
    pub items: usize,
    /// Least cosine of the two embeddings of an item, -1 to 1.
    pub least_cosine: f64,
    /// Mean of those cosines.
    pub mean_cosine: f64,
    /// Largest absolute difference of two entries.
    pub largest_difference: f64,
    /// Neighbours per item that were compared.
    pub neighbours: usize,
    /// Items whose nearest neighbours are not the same items, in whatever order.
    pub items_with_other_neighbours: usize,
}

impl EmbeddingAgreement {
    /// Compares two matrices of the same shape, and the `neighbours` nearest others of every item in each.
    ///
    /// # Errors
    /// A value that is infinite or not a number.
    ///
    /// # Panics
    /// If the matrices have different shapes, or no rows.
    pub fn new(one: ArrayView2<f32>, two: ArrayView2<f32>, neighbours: usize) -> Result<Self, NotFinite> {
        assert_eq!(one.dim(), two.dim(), "matrices of the same items by the same model");
        assert!(one.nrows() > 0, "there is something to compare");
        let lists = |matrix| Ok(NeighbourLists::build(&Exact::new(UnitRows::new(matrix)?), neighbours));
        let (lists_one, lists_two) = (lists(one)?, lists(two)?);
        let near = |lists: &NeighbourLists, i| lists.of(i).iter().map(|n| n.item).collect::<BTreeSet<_>>();
        let cosines: Vec<f64> = one
            .rows()
            .into_iter()
            .zip(two.rows())
            .map(|(a, b)| {
                let sum = |f: fn(f64, f64) -> f64| -> f64 {
                    a.iter().zip(b).map(|(&x, &y)| f(f64::from(x), f64::from(y))).sum()
                };
                sum(|x, y| x * y) / (sum(|x, _| x * x) * sum(|_, y| y * y)).sqrt()
            })
            .collect();
        let largest_difference =
            Zip::from(one).and(two).fold(0.0, |most: f64, &x, &y| most.max((f64::from(x) - f64::from(y)).abs()));
        Ok(Self {
            items: cosines.len(),
            least_cosine: cosines.iter().copied().fold(f64::INFINITY, least),
            mean_cosine: cosines.iter().sum::<f64>() / cosines.len() as f64,
            largest_difference,
            neighbours,
            items_with_other_neighbours: (0..cosines.len())
                .filter(|&i| near(&lists_one, i) != near(&lists_two, i))
                .count(),
        })
    }
}

/// The smaller one; "not a number", the cosine with a zero vector, if either is: `f64::min` would leave it out.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() || a <= b { a } else { b }
}

impl fmt::Display for EmbeddingAgreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { items, least_cosine, mean_cosine, largest_difference, neighbours, .. } = self;
        write!(f, "cosine at least {least_cosine:.8}, mean {mean_cosine:.8}; ")?;
        write!(f, "entries differ by at most {largest_difference:.1e}; ")?;
        write!(f, "{} of {items} items have other {neighbours} nearest neighbours", self.items_with_other_neighbours)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::arr2;

    use super::*;

    #[test]
    fn agreement_by_hand() {
        let one = arr2(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]]);
        let same = EmbeddingAgreement::new(one.view(), one.view(), 1).unwrap();
        assert_eq!((same.least_cosine, same.largest_difference, same.items_with_other_neighbours), (1.0, 0.0, 0));

        // The first row turns to the last: cosine -0.28 with what it was.
        let mut two = one.clone();
        two.row_mut(0).assign(&ndarray::arr1(&[-7.0, 24.0]));
        let moved = EmbeddingAgreement::new(one.view(), two.view(), 1).unwrap();
        assert!((moved.least_cosine + 0.28).abs() < 1e-7, "{moved}");
        assert!((moved.mean_cosine - (3.0 - 0.28) / 4.0).abs() < 1e-7);
        assert!((moved.largest_difference - 24.0).abs() < 1e-12);
        // Items 0 and 2 now have each other, item 3 has the first; item 1 keeps the third.
        assert_eq!(moved.items_with_other_neighbours, 3);
        let expected = "cosine at least -0.28000000, mean 0.68000000; entries differ by at most 2.4e1; 3 of 4 items \
                        have other 1 nearest neighbours";
        assert_eq!(moved.to_string(), expected);
        let nothing =
            EmbeddingAgreement::new(one.view(), arr2(&[[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]).view(), 1)
                .unwrap();
        assert!(nothing.least_cosine.is_nan(), "{nothing}");
    }
}
