//! Tables of the ziggurats and of ln(j!), as the 64-bit patterns of the very numbers in NumPy 2.4.6.
//!
//! Embedded rather than computed: the normal tables carry the rounding of a double-precision recurrence, so a more
//! exact computation, or another C library's `exp`, would give other last digits and in time another stream.
//! `tables.hex` has them one after the other, in the order below. The tests hold every table to its SHA-256 sum.

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
