//! Functions with the last bits that NumPy and SciPy give them on a processor with AVX-512: where the authors' search ends
//! depends on them.

/// exp of a number between -700 and 700: 2^N times an entry of a table times a polynomial, N a multiple of 1/16.
///
/// Source: Intel, SVML (`exp8_ha`), as in NumPy 2.4.6.
pub(super) fn exp(x: f64) -> f64 {
    /// What the entries 2^(j/16) lose by rounding, as a share of them.
    const LOST: [f64; 16] = [
        0.0,
        8.189317638195515e-17,
        -2.7939114859515733e-17,
        7.826573258636076e-17,
        3.3484623336251524e-17,
        3.750854201303127e-17,
        1.9572585293112036e-17,
        5.68648095791174e-17,
        -6.835808657661922e-17,
        -2.3591094770850053e-17,
        5.1548301170786783e-17,
        1.5341410053603723e-17,
        4.875160526227062e-17,
        1.685487290628973e-17,
        1.790126907604513e-17,
        -5.545065618639427e-17,
    ];
    const REST_OF_LN_2: f64 = 2.3190468138462996e-17;
    const POLYNOMIAL: [f64; 6] = [
        0.0014193283516881214,
        0.008331512908898442,
        0.0416667205488057,
        0.1666666658485894,
        0.5000000000059126,
        0.999999999999984,
    ];
    let sixteenths = (x * std::f64::consts::LOG2_E * 16.0).floor();
    let n = sixteenths / 16.0;
    let r = (-n).mul_add(REST_OF_LN_2, (-n).mul_add(std::f64::consts::LN_2, x));
    let pair = |k: usize| r.mul_add(POLYNOMIAL[k], POLYNOMIAL[k + 1]);
    let square = r * r;
    let p = square.mul_add(square.mul_add(pair(0), pair(2)), pair(4));
    let j = sixteenths.rem_euclid(16.0);
    let entry = (j / 16.0).exp2();
    entry.mul_add(p.mul_add(r, LOST[j as usize]), entry) * n.floor().exp2()
}

/// ln(1 + n) of a number of labels.
pub(super) fn ln_1p(n: f64) -> f64 {
    // Theirs is off by a bit there; of the numbers of labels that are revealed it is so of no other.
    if n == 2.0 { n.ln_1p().next_up() } else { n.ln_1p() }
}

/// A feature minus its mean, divided by its standard deviation or by 1e-9, whichever is larger.
pub(super) fn standardised(x: &[f64]) -> Vec<f64> {
    let items = x.len() as f64;
    let mean = sum(x) / items;
    let off: Vec<f64> = x.iter().map(|x| x - mean).collect();
    let squares: Vec<f64> = off.iter().map(|off| off * off).collect();
    let sd = (sum(&squares) / items).sqrt().max(1e-9);
    off.into_iter().map(|off| off / sd).collect()
}

/// A sum in the order in which NumPy adds numbers that lie side by side: eight sums at a time, of halves beyond 128.
pub(super) fn sum(terms: &[f64]) -> f64 {
    if terms.len() < 8 {
        return terms.iter().sum();
    }
    if terms.len() > 128 {
        let half = terms.len() / 2;
        let (left, right) = terms.split_at(half - half % 8);
        return sum(left) + sum(right);
    }
    let (rows, rest) = terms.as_chunks::<8>();
    let mut r = rows[0];
    rows[1..].iter().for_each(|row| r.iter_mut().zip(row).for_each(|(r, x)| *r += x));
    rest.iter().fold(((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])), |sum, x| sum + x)
}

/// Numerator and denominator of lnG(x + 2) / x from 0 to 1.
const ABOVE: [f64; 6] = [
    -1378.2515256912086,
    -38801.631513463784,
    -331612.9927388712,
    -1162370.974927623,
    -1721737.0082083966,
    -853555.6642457654,
];
const BELOW: [f64; 7] = [
    1.0,
    -351.81570143652345,
    -17064.210665188115,
    -220528.59055385445,
    -1139334.4436798252,
    -2532523.0717758294,
    -2018891.4143353277,
];

fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}

/// ln of the gamma function of a positive number, as SciPy computes it.
///
/// Source: Moshier, Cephes Mathematical Library, `lgam`; relative error below 3e-16.
pub(super) fn ln_gamma(x: f64) -> f64 {
    const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;
    const SERIES: [f64; 5] = [
        0.0008116141674705085,
        -0.0005950619042843014,
        0.0007936503404577169,
        -0.002777777777300997,
        0.08333333333333319,
    ];
    if x >= 13.0 {
        let inverse = 1.0 / (x * x);
        return (x - 0.5) * x.ln() - x + HALF_LN_TAU + polynomial(inverse, &SERIES) / x;
    }
    // Towards 2 to 3, where a ratio of polynomials takes over.
    let (mut product, mut shift, mut u) = (1.0, 0.0, x);
    while u >= 3.0 {
        shift -= 1.0;
        u = x + shift;
        product *= u;
    }
    while u < 2.0 {
        product /= u;
        shift += 1.0;
        u = x + shift;
    }
    if u == 2.0 {
        return product.ln();
    }
    let x = x + (shift - 2.0);
    product.ln() + x * polynomial(x, &ABOVE) / polynomial(x, &BELOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_have_the_last_bits_of_numpy() {
        // By NumPy 2.4.6 with AVX-512; `f64::exp` differs in the last bit at all but the last.
        let known = [
            (-4.6, 0.010051835744633584),
            (-3.3, 0.03688316740124001),
            (-1.2, 0.3011942119122021),
            (2.1, 8.16616991256765),
            (5.2, 181.2722418751512),
            (0.4, 1.4918246976412703),
        ];
        for (x, want) in known {
            assert_eq!(exp(x), want, "{x}");
        }
        for k in -690..1380 {
            let x = f64::from(k) / 100.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 3e-16, "{x}");
        }
    }

    #[test]
    fn log_gamma_functions_and_sums_are_right() {
        for k in 0..4000 {
            let x = 1e-5 * (1.0 + f64::from(k) * 0.007).exp2();
            let want = statrs::function::gamma::ln_gamma(x);
            // That one is off by 1e-14 near 2.
            assert!((ln_gamma(x) - want).abs() <= 4e-14 * want.abs().max(0.5), "{x}: {} {want}", ln_gamma(x));
        }
        // Factorials.
        let mut ln = 0.0;
        for n in 1..40 {
            assert!((ln_gamma(f64::from(n)) - ln).abs() <= 1e-14 * ln.max(1.0), "{n}");
            ln += f64::from(n).ln();
        }
        for n in [0, 7, 8, 100, 129, 1000] {
            let terms: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(sum(&terms), f64::from(n * (n - 1) / 2));
        }
    }
}
