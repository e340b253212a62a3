//! Helmert's orthonormal contrasts of K classes, which treat all classes alike under independent equal priors.
//!
//! Column m of the K x (K - 1) matrix C holds 1/s in its rows 0 to m and -(m + 1)/s in row m + 1, s^2 = (m + 1)(m + 2).
//! Then C^T C = 1, and every column sums to 0, so that C v runs over all logits with mean 0.

use std::sync::LazyLock;

/// 1/s of the first columns: roots and quotients take longer than all else that is done with them.
static UNITS: LazyLock<Vec<f64>> = LazyLock::new(|| (0..64).map(unit_of).collect());

fn unit_of(m: usize) -> f64 {
    1.0 / ((m + 1) as f64 * (m + 2) as f64).sqrt()
}

/// 1/s of column `m`.
fn unit(m: usize) -> f64 {
    UNITS.get(m).copied().unwrap_or_else(|| unit_of(m))
}

/// C^T x.
pub(super) fn project(x: &[f64], out: &mut [f64]) {
    let mut before = 0.0;
    for m in 0..out.len() {
        before += x[m];
        out[m] = unit(m) * (before - (m + 1) as f64 * x[m + 1]);
    }
}

/// Adds C v to `x`.
pub(super) fn add(v: &[f64], x: &mut [f64]) {
    let mut later = 0.0;
    for m in (0..v.len()).rev() {
        let scaled = unit(m) * v[m];
        x[m + 1] += later - (m + 1) as f64 * scaled;
        later += scaled;
    }
    x[0] += later;
}

/// C^T diag(d) C, row by row, from d and C^T d.
pub(super) fn around(d: &[f64], contrasts: &[f64], out: &mut [f64]) {
    let size = contrasts.len();
    let mut before = 0.0;
    for m in 0..size {
        before += d[m];
        let (u, step) = (unit(m), (m + 1) as f64);
        out[m * size + m] = u * u * (before + step * step * d[m + 1]);
        for n in m + 1..size {
            let value = unit(n) * contrasts[m];
            out[m * size + n] = value;
            out[n * size + m] = value;
        }
    }
}

/// Numbers less their mean.
pub(super) fn centred(mut x: Vec<f64>) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter_mut().for_each(|x| *x -= mean);
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(classes: usize) -> Vec<Vec<f64>> {
        let column = |m: usize| {
            let mut unit = vec![0.0; classes - 1];
            unit[m] = 1.0;
            let mut x = vec![0.0; classes];
            add(&unit, &mut x);
            x
        };
        (0..classes - 1).map(column).collect()
    }

    #[test]
    fn contrasts_are_orthonormal_and_sum_to_nothing() {
        for classes in [2, 3, 6] {
            let c = matrix(classes);
            for (m, a) in c.iter().enumerate() {
                assert!(a.iter().sum::<f64>().abs() < 1e-15);
                for (n, b) in c.iter().enumerate() {
                    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    assert!((product - f64::from(u8::from(m == n))).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn products_are_those_of_the_matrix() {
        let (x, c) = ([0.3, -1.2, 2.0, 0.7], matrix(4));
        let mut contrasts = [0.0; 3];
        project(&x, &mut contrasts);
        let mut around_x = [0.0; 9];
        around(&x, &contrasts, &mut around_x);
        for m in 0..3 {
            let dot: f64 = c[m].iter().zip(&x).map(|(c, x)| c * x).sum();
            assert!((contrasts[m] - dot).abs() < 1e-14);
            for n in 0..3 {
                let want: f64 = (0..4).map(|j| c[m][j] * x[j] * c[n][j]).sum();
                assert!((around_x[m * 3 + n] - want).abs() < 1e-14, "{m} {n}");
            }
        }
    }
}
