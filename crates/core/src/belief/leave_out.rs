//! What a fit would have been without the labels of some items, from the fit to all of them.

use nalgebra::{DMatrix, DVector};

use super::newton::add_times;

/// One item as a fit sees it about its maximum: numbers x = A w that are linear in the parameters w, its *coordinates*,
/// and the log-likelihood of its labels as a function of them.
pub(super) struct Local {
    /// The rows of A: positions and weights of the parameters that move each coordinate.
    pub(super) rows: Vec<Vec<(usize, f64)>>,
    /// First derivatives s of the item's log-likelihood in its coordinates.
    pub(super) slope: Vec<f64>,
    /// Second derivatives B, row by row.
    pub(super) bend: Vec<f64>,
}

/// By how much the coordinates of some items fall when the labels of all of them are left out of the fit: one Newton
/// step from the maximum of everything to that without them.
///
/// With S the inverse of minus the Hessian of the log posterior at its maximum, which counts the labels of the items:
///
/// ```text
/// x - x_without = A (S^-1 + A^T B A)^-1 A^T s = (1 + C B)^-1 C s,   C = A S A^T
/// ```
///
/// Variances of priors stay as they are. Source: Rad and Maleki (2020), "A scalable estimate of the out-of-sample
/// prediction error via approximate leave-one-out cross-validation", Journal of the Royal Statistical Society B 82.
pub(super) fn fall(covariance: &[Vec<f64>], items: &[Local]) -> Vec<f64> {
    let rows: Vec<&[(usize, f64)]> = items.iter().flat_map(|item| &item.rows).map(Vec::as_slice).collect();
    let slope = DVector::from_iterator(rows.len(), items.iter().flat_map(|item| item.slope.iter().copied()));
    if rows.len() <= covariance.len() {
        by_coordinates(covariance, &rows, items, &slope)
    } else {
        by_parameters(covariance, &rows, items, &slope)
    }
}

/// S r for a sparse r.
fn spread(covariance: &[Vec<f64>], row: &[(usize, f64)]) -> Vec<f64> {
    let mut out = vec![0.0; covariance.len()];
    row.iter().for_each(|&(k, weight)| add_times(&mut out, weight, &covariance[k]));
    out
}

fn along(row: &[(usize, f64)], x: &[f64]) -> f64 {
    row.iter().map(|&(k, weight)| weight * x[k]).sum()
}

/// Each item's B with the position of its first coordinate.
fn blocks(items: &[Local]) -> impl Iterator<Item = (usize, DMatrix<f64>)> {
    items.iter().scan(0, |next, item| {
        let (first, size) = (*next, item.slope.len());
        *next += size;
        Some((first, DMatrix::from_row_slice(size, size, &item.bend)))
    })
}

fn by_coordinates(
    covariance: &[Vec<f64>],
    rows: &[&[(usize, f64)]],
    items: &[Local],
    slope: &DVector<f64>,
) -> Vec<f64> {
    let m = rows.len();
    let mut c = DMatrix::zeros(m, m);
    for (a, row) in rows.iter().enumerate() {
        let spread = spread(covariance, row);
        rows.iter().enumerate().for_each(|(b, other)| c[(b, a)] = along(other, &spread));
    }
    let mut system = DMatrix::identity(m, m);
    for (first, bend) in blocks(items) {
        let size = bend.nrows();
        let product = c.columns(first, size) * bend;
        let mut block = system.columns_mut(first, size);
        block += product;
    }
    let moved = c * slope;
    // Where what is left determines nothing, the step of first order.
    system.lu().solve(&moved).unwrap_or(moved).iter().copied().collect()
}

/// What leaving labels out changes, where there are fewer parameters than coordinates: A (1 + S A^T B A)^-1 S A^T s.
fn by_parameters(covariance: &[Vec<f64>], rows: &[&[(usize, f64)]], items: &[Local], slope: &DVector<f64>) -> Vec<f64> {
    let p = covariance.len();
    let (mut pull, mut curved) = (DVector::zeros(p), DMatrix::<f64>::zeros(p, p));
    for (row, s) in rows.iter().zip(slope.iter()) {
        row.iter().for_each(|&(k, weight)| pull[k] += weight * s);
    }
    for (first, bend) in blocks(items) {
        let own = &rows[first..first + bend.nrows()];
        for (a, row) in own.iter().enumerate() {
            for (b, other) in own.iter().enumerate() {
                for &(k, x) in *row {
                    other.iter().for_each(|&(l, y)| curved[(k, l)] += x * bend[(a, b)] * y);
                }
            }
        }
    }
    let s = DMatrix::from_fn(p, p, |a, b| covariance[a][b]);
    let system = DMatrix::identity(p, p) + &s * curved;
    let moved = s * pull;
    let solved = system.lu().solve(&moved).unwrap_or(moved);
    rows.iter().map(|row| along(row, solved.as_slice())).collect()
}
