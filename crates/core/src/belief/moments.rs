//! Sums over items of their features and the products of these, as the derivatives of a regression are made of.

use multiversion::multiversion;
use ndarray::Array2;

use super::newton::mirror;

/// The gradient sum s_x (1, z_x) and the Hessian sum b_x (1, z_x) (1, z_x)^T over items, intercept first, from their
/// features z (items x features) and the slope s and bend b of each.
///
/// Every entry is summed item by item, whatever the processor.
pub(super) fn moments(features: usize, z: &[f64], of_items: &[[f64; 2]]) -> (Vec<f64>, Array2<f64>) {
    let (gradient, hessian) = sums(features, z, of_items);
    let mut hessian = Array2::from_shape_vec((features + 1, features + 1), hessian).expect("a square of entries");
    mirror(hessian.view_mut());
    (gradient, hessian)
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn sums(features: usize, z: &[f64], of_items: &[[f64; 2]]) -> (Vec<f64>, Vec<f64>) {
    match features {
        1 => few::<1>(z, of_items),
        2 => few::<2>(z, of_items),
        3 => few::<3>(z, of_items),
        4 => few::<4>(z, of_items),
        5 => few::<5>(z, of_items),
        6 => few::<6>(z, of_items),
        _ => many(features, z, of_items),
    }
}

/// Sums over so few features that they stay in registers.
#[inline(always)]
fn few<const D: usize>(z: &[f64], of_items: &[[f64; 2]]) -> (Vec<f64>, Vec<f64>) {
    let (mut slopes, mut bends) = (0.0, 0.0);
    let (mut by_slope, mut by_bend, mut products) = ([0.0; D], [0.0; D], [[0.0; D]; D]);
    for (z, [slope, bend]) in z.as_chunks::<D>().0.iter().zip(of_items) {
        slopes += slope;
        bends += bend;
        for a in 0..D {
            by_slope[a] += slope * z[a];
            let weighted = bend * z[a];
            by_bend[a] += weighted;
            for b in 0..D {
                products[a][b] += weighted * z[b];
            }
        }
    }
    let first = std::iter::once(bends).chain(by_bend);
    let others = products.iter().flat_map(|row| std::iter::once(0.0).chain(*row));
    (std::iter::once(slopes).chain(by_slope).collect(), first.chain(others).collect())
}

fn many(features: usize, z: &[f64], of_items: &[[f64; 2]]) -> (Vec<f64>, Vec<f64>) {
    let p = features + 1;
    let (mut gradient, mut hessian) = (vec![0.0; p], vec![0.0; p * p]);
    for (i, [slope, bend]) in of_items.iter().enumerate() {
        let z = &z[i * features..(i + 1) * features];
        gradient[0] += slope;
        hessian[0] += bend;
        for (a, za) in z.iter().enumerate() {
            gradient[a + 1] += slope * za;
            let weighted = bend * za;
            hessian[a + 1] += weighted;
            let row = &mut hessian[(a + 1) * p + a + 1..(a + 2) * p];
            row.iter_mut().zip(&z[a..]).for_each(|(sum, zb)| *sum += weighted * zb);
        }
    }
    (gradient, hessian)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of features on both sides of those that are summed in registers, to the last bit.
    #[test]
    fn sums_are_those_of_one_item_after_another() {
        for features in [0, 1, 5, 6, 7, 9] {
            let z: Vec<f64> = (0..30 * features).map(|k| (1.7 * k as f64).sin()).collect();
            let of_items: Vec<[f64; 2]> =
                (0..30).map(|i| [(0.3 * f64::from(i)).cos(), -(0.7 * f64::from(i)).sin()]).collect();
            let (gradient, hessian) = moments(features, &z, &of_items);
            let with_one = |i: usize, a: usize| if a == 0 { 1.0 } else { z[i * features + a - 1] };
            for a in 0..=features {
                let slope = (0..30).fold(0.0, |sum, i| sum + of_items[i][0] * with_one(i, a));
                assert_eq!(gradient[a], slope, "{features} {a}");
                for b in a..=features {
                    let bend = (0..30).fold(0.0, |sum, i| sum + of_items[i][1] * with_one(i, a) * with_one(i, b));
                    assert_eq!((hessian[[a, b]], hessian[[b, a]]), (bend, bend), "{features} {a} {b}");
                }
            }
        }
    }
}
