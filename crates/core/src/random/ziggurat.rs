//! Standard normal and exponential draws by the ziggurat of 256 layers (Marsaglia and Tsang 2000).
//!
//! One word picks a layer and a place in it. Nearly always that place lies wholly under the curve and is the result;
//! otherwise it lies in the wedge at the layer's edge or in the tail, and further draws decide.

use super::Stream;

/// Where the tail of the normal ziggurat begins.
const NORMAL_TAIL: f64 = 3.654152885361009;
/// The double nearest to the exact 1 / [`NORMAL_TAIL`], not the quotient of doubles.
const NORMAL_TAIL_INVERSE: f64 = 0.2736612373297583;
/// Where the tail of the exponential ziggurat begins.
const EXPONENTIAL_TAIL: f64 = 7.69711747013105;

impl Stream {
    /// A draw from the normal distribution with mean 0 and variance 1.
    #[inline]
    pub fn standard_normal(&mut self) -> f64 {
        loop {
            let word = self.word();
            let layer = (word & 0xff) as usize;
            let magnitude = word >> 9 & ((1 << 52) - 1);
            let x = magnitude as i64 as f64 * NORMAL_SCALE[layer];
            // Bit 8 is the sign.
            let x = f64::from_bits(x.to_bits() | (word >> 8 & 1) << 63);
            if magnitude < NORMAL_LIMIT[layer] {
                return x;
            }
            if let Some(x) = self.normal_at_edge(layer, magnitude, x) {
                return x;
            }
        }
    }

    #[cold]
    fn normal_at_edge(&mut self, layer: usize, magnitude: u64, x: f64) -> Option<f64> {
        if layer == 0 {
            let tail = self.normal_tail();
            // The tail takes its sign from a bit of the magnitude, not from the layer's.
            return Some(if magnitude >> 8 & 1 == 1 { -tail } else { tail });
        }
        let (above, here) = (NORMAL_DENSITY[layer - 1], NORMAL_DENSITY[layer]);
        ((above - here) * self.random() + here < (-0.5 * x * x).exp()).then_some(x)
    }

    /// Marsaglia's rejection for a normal draw beyond [`NORMAL_TAIL`].
    fn normal_tail(&mut self) -> f64 {
        loop {
            let x = -NORMAL_TAIL_INVERSE * (-self.random()).ln_1p();
            let y = -(-self.random()).ln_1p();
            if y + y > x * x {
                return NORMAL_TAIL + x;
            }
        }
    }

    /// A draw from the exponential distribution with mean 1.
    #[inline]
    pub fn standard_exponential(&mut self) -> f64 {
        loop {
            let word = self.word();
            let layer = (word >> 3 & 0xff) as usize;
            let magnitude = word >> 11;
            let x = magnitude as i64 as f64 * EXPONENTIAL_SCALE[layer];
            if magnitude < EXPONENTIAL_LIMIT[layer] {
                return x;
            }
            if let Some(x) = self.exponential_at_edge(layer, x) {
                return x;
            }
        }
    }

    #[cold]
    fn exponential_at_edge(&mut self, layer: usize, x: f64) -> Option<f64> {
        if layer == 0 {
            return Some(EXPONENTIAL_TAIL - (-self.random()).ln_1p());
        }
        let (above, here) = (EXPONENTIAL_DENSITY[layer - 1], EXPONENTIAL_DENSITY[layer]);
        ((above - here) * self.random() + here < (-x).exp()).then_some(x)
    }
}

/// Patterns in sixteen hexadecimal digits, with one blank or line end behind each.
const HEX: &[u8] = include_bytes!("tables.hex");

/// The patterns from the one at place `first` on, at compile time.
const fn words<const N: usize>(first: usize) -> [u64; N] {
    let mut words = [0; N];
    let mut k = 0;
    while k < 16 * N {
        let digit = HEX[17 * (first + k / 16) + k % 16];
        words[k / 16] = 16 * words[k / 16] + (if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 }) as u64;
        k += 1;
    }
    words
}

/// Patterns as floats.
const fn floats<const N: usize>(first: usize) -> [f64; N] {
    let (words, mut values, mut i) = (words::<N>(first), [0.0; N], 0);
    while i < N {
        values[i] = f64::from_bits(words[i]);
        i += 1;
    }
    values
}

/// Normal layers: magnitudes below this 52-bit integer lie wholly under the curve (`ki`).
pub(super) static NORMAL_LIMIT: [u64; 256] = words(0);
/// Normal layers: width of the layer per unit of magnitude (`wi`).
pub(super) static NORMAL_SCALE: [f64; 256] = floats(256);
/// Normal layers: exp(-x²/2) at the layer's edge x (`fi`).
pub(super) static NORMAL_DENSITY: [f64; 256] = floats(512);
/// Exponential layers: magnitudes below this 53-bit integer lie wholly under the curve (`ke`).
pub(super) static EXPONENTIAL_LIMIT: [u64; 256] = words(768);
/// Exponential layers: width of the layer per unit of magnitude (`we`).
pub(super) static EXPONENTIAL_SCALE: [f64; 256] = floats(1024);
/// Exponential layers: exp(-x) at the layer's edge x (`fe`).
pub(super) static EXPONENTIAL_DENSITY: [f64; 256] = floats(1280);
/// ln(j!) for j = 0..=125, correctly rounded.
pub(super) static LN_FACTORIAL: [f64; 126] = floats(1536);

// Two correlated normals.

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

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// SHA-256 in hex of a table as 8-byte little-endian values.
    fn sha256(bits: impl Iterator<Item = u64>) -> String {
        let mut hasher = Sha256::new();
        for word in bits {
            hasher.update(word.to_le_bytes());
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn bits(table: &[f64]) -> impl Iterator<Item = u64> {
        table.iter().map(|value| value.to_bits())
    }

    /// Sums of the tables of NumPy 2.4.6, stated with the stream specification and not computed from this file.
    #[test]
    fn tables_are_those_of_numpy() {
        let tables = [
            (
                "NORMAL_LIMIT",
                sha256(NORMAL_LIMIT.iter().copied()),
                "565295797825931547a1036f5b012a247be54abbe077c39fe06c8ed1e9d0a5a9",
            ),
            (
                "NORMAL_SCALE",
                sha256(bits(&NORMAL_SCALE)),
                "33c6472209e1d09ea3548f0291e5e1ad67fb4f1d0305e9f1086689584b7bb7fa",
            ),
            (
                "NORMAL_DENSITY",
                sha256(bits(&NORMAL_DENSITY)),
                "acd898d9d87e212f657755ba43b21e40958090a7ff2103c9e79f4ea1b0fe2bc5",
            ),
            (
                "EXPONENTIAL_LIMIT",
                sha256(EXPONENTIAL_LIMIT.iter().copied()),
                "785bcf5a662793cf25870d33474a750da43f0e903fa734292e1eeefb38e8efce",
            ),
            (
                "EXPONENTIAL_SCALE",
                sha256(bits(&EXPONENTIAL_SCALE)),
                "12751415cc5c2d3a76783f682d265bbfdd63c8775b4d3ded9926d3bb673871a1",
            ),
            (
                "EXPONENTIAL_DENSITY",
                sha256(bits(&EXPONENTIAL_DENSITY)),
                "1f4b2a07fcf8396e73fc378ce2199c83cf46da21f0d6469f43375c29cb2d8635",
            ),
            (
                "LN_FACTORIAL",
                sha256(bits(&LN_FACTORIAL)),
                "701d2129400310ed9ed9ed0bca00d8a9cd90426df89f5e978e4da8adeb50da02",
            ),
        ];
        for (name, found, expected) in tables {
            assert_eq!(found, expected, "{name}");
        }
    }
}
