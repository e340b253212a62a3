//! Two correlated normals.

use super::Stream;

/// A correlation for which no factor of the covariance is on record.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "correlated normals with rho = {rho} are not available: the published stream depends on the last digits of a \
     matrix factor recorded only for rho = -0.8, -0.4, 0, 0.4 and 0.8; use one of these"
)]
pub struct UnsupportedCorrelation {
    /// The correlation that was asked for.
    pub rho: f64,
}

/// Draws `n` pairs of normals with means 0, variances 1 and correlation `rho`.
///
/// A pair is z·T, where z holds two [`standard_normal`](Stream::standard_normal) draws and T'T is the covariance. T is
/// the factor that NumPy obtains from a singular value decomposition, for rho in {-0.8, -0.4, 0, 0.4, 0.8} and with its
/// signs and last digits; it cannot be derived from a closed formula.
///
/// # Errors
///
/// [`UnsupportedCorrelation`] for any other `rho`; nothing is drawn.
pub fn bivariate_normal(stream: &mut Stream, rho: f64, n: usize) -> Result<Vec<[f64; 2]>, UnsupportedCorrelation> {
    let [first, second] = factor(rho).ok_or(UnsupportedCorrelation { rho })?;
    // The matrix product fuses the second multiplication into the sum; for a single row it fuses the first. Adding the
    // mean 0 turns -0 into 0.
    let pairs = (0..n).map(|_| {
        let (a, b) = (stream.standard_normal(), stream.standard_normal());
        let column = |j: usize| {
            0.0 + if n == 1 { a.mul_add(first[j], b * second[j]) } else { b.mul_add(second[j], a * first[j]) }
        };
        [column(0), column(1)]
    });
    Ok(pairs.collect())
}

/// The rows of T, as computed by NumPy 2.4.6 with its own OpenBLAS 0.3.31 (five x86-64 kernels agree).
fn factor(rho: f64) -> Option<[[f64; 2]; 2]> {
    // The columns differ in the last digits.
    const STRONG: [f64; 2] = [0.9486832980505135, 0.9486832980505138];
    const STRONG_REST: f64 = 0.31622776601683783;
    const WEAK: [f64; 2] = [0.8366600265340752, 0.8366600265340755];
    const WEAK_REST: [f64; 2] = [0.547722557505166, 0.5477225575051662];
    match rho {
        -0.8 => Some([[-STRONG[0], STRONG[1]], [STRONG_REST, STRONG_REST]]),
        -0.4 => Some([[-WEAK[0], WEAK[1]], [WEAK_REST[0], WEAK_REST[1]]]),
        0.0 => Some([[1.0, 0.0], [0.0, 1.0]]),
        0.4 => Some([[-WEAK[0], -WEAK[1]], [-WEAK_REST[0], WEAK_REST[1]]]),
        0.8 => Some([[-STRONG[0], -STRONG[1]], [-STRONG_REST, STRONG_REST]]),
        _ => None,
    }
}
