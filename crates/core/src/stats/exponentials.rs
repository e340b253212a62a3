//! The exponential function of many numbers at once.

use std::sync::LazyLock;

use multiversion::multiversion;

/// The largest size of a number that is computed here.
const MOST: f64 = 500.0;
/// Parts into which [`to_exponentials`] divides a power of two.
const PARTS: usize = 128;

/// 2^(k/128), k = 0..127.
struct Roots {
    /// Bits of the rounded number, less k 2^45: with k/128 + N in units of 2^45 added, those of 2^(N + k/128).
    bits: [u64; PARTS],
    /// What it lost by rounding, as a share of it.
    lost: [f64; PARTS],
}

static ROOTS: LazyLock<Roots> = LazyLock::new(|| {
    // In pairs of a number and what it lost.
    let sum = |a: f64, b: f64| (a + b, b - ((a + b) - a));
    let times = |a: (f64, f64), b: (f64, f64)| {
        let product = a.0 * b.0;
        sum(product, a.0.mul_add(b.0, -product) + (a.0 * b.1 + a.1 * b.0))
    };
    let root = |a: (f64, f64)| {
        let root = a.0.sqrt();
        sum(root, ((-root).mul_add(root, a.0) + a.1) / (2.0 * root))
    };
    let first = (0..PARTS.ilog2()).fold((2.0, 0.0), |power, _| root(power));
    let mut powers: Vec<(f64, f64)> = vec![(1.0, 0.0)];
    for k in 1..PARTS {
        let half = powers[k / 2];
        let even = times(half, half);
        powers.push(if k % 2 == 0 { even } else { times(even, first) });
    }
    Roots {
        bits: std::array::from_fn(|k| powers[k].0.to_bits() - ((k as u64) << 45)),
        lost: std::array::from_fn(|k| powers[k].1 / powers[k].0),
    }
});

/// Puts exp in the place of several numbers: from -500 to 500 bit by bit what the GNU C library has on a processor with
/// fused products, on any processor and several times as fast. Where one number lies beyond, all are [`f64::exp`].
///
/// ```text
/// exp(x) = 2^(k/128) exp(r),   k = round(128 x / ln 2),   |r| <= ln 2 / 256
/// ```
///
/// with powers of two from a table and a polynomial of degree 5 in r; error below 0.511 units in the last place.
///
/// Source: Arm, Optimized Routines (`exp.c`), as in the GNU C library from 2.28 on.
///
/// # Examples
///
/// ```
/// let mut x = [0.0, 1.0, -2.5];
/// judge_uncertainty_core::stats::to_exponentials(&mut x);
/// assert_eq!(x[0], 1.0);
/// assert!((x[2] - (-2.5_f64).exp()).abs() < 1e-16);
/// ```
pub fn to_exponentials(numbers: &mut [f64]) {
    if numbers.iter().all(|x| x.abs() <= MOST) {
        fill_exponentials(numbers, &ROOTS);
    } else {
        numbers.iter_mut().for_each(|x| *x = x.exp());
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma"))]
fn fill_exponentials(numbers: &mut [f64], roots: &Roots) {
    /// 1.5 x 2^52: a number of ordinary size that is added to it is rounded to a whole one, in the last bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const PER_LN_2: f64 = std::f64::consts::LOG2_E * PARTS as f64;
    /// -ln 2 / 128 in two parts.
    const LN_2: [f64; 2] = [-0.005415212348111709, -1.2864023111638344e-14];
    const POLYNOMIAL: [f64; 4] = [0.49999999999996786, 0.16666666666665886, 0.0416666808410674, 0.008333335853059549];
    for x in numbers {
        let shifted = x.mul_add(PER_LN_2, ROUND);
        let whole = shifted - ROUND;
        let r = whole.mul_add(LN_2[1], whole.mul_add(LN_2[0], *x));
        let k = (shifted.to_bits() % PARTS as u64) as usize;
        let [low, high] = [0, 2].map(|i| r.mul_add(POLYNOMIAL[i + 1], POLYNOMIAL[i]));
        let square = r * r;
        let rest = (square * square).mul_add(high, square.mul_add(low, roots.lost[k] + r));
        let power = f64::from_bits(roots.bits[k].wrapping_add(shifted.to_bits() << 45));
        *x = power.mul_add(rest, power);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_together_have_the_last_bits_of_the_c_library() {
        let mut x: Vec<f64> = (0..200_001).map(|k| -500.0 + f64::from(k) * 0.005).collect();
        x.extend((0..200_000).map(|k| -7.0 + f64::from(k) * 1.05e-4));
        let mut found = x.clone();
        to_exponentials(&mut found);
        let outside = [1.0, -745.0, 710.0, f64::NAN];
        let mut found_outside = outside;
        to_exponentials(&mut found_outside);
        assert_eq!(found_outside.map(f64::to_bits), outside.map(|x| x.exp().to_bits()));
        for (x, found) in x.into_iter().zip(found) {
            assert!((found / x.exp() - 1.0).abs() < 3e-16, "{x}");
            if cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) && has_fused_products() {
                assert_eq!(found, x.exp(), "{x}");
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn has_fused_products() -> bool {
        std::arch::is_x86_feature_detected!("fma")
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn has_fused_products() -> bool {
        false
    }
}
