//! Labels drawn without replacement from a finite pool.

use super::Stream;
use super::tables::LN_FACTORIAL;

impl Stream {
    /// Draws how many of `sample` labels taken from a pool without replacement are good.
    ///
    /// The pool holds `good` labels of the kind that counts and `bad` others.
    ///
    /// # Panics
    ///
    /// If the sample is larger than the pool or the pool larger than 2^32 - 1.
    pub fn hypergeometric(&mut self, good: u32, bad: u32, sample: u32) -> u32 {
        let Some(pool) = good.checked_add(bad) else {
            panic!("a pool of {good} + {bad} labels is too large");
        };
        assert!(sample <= pool, "cannot draw {sample} labels from a pool of {pool}");
        if sample >= 10 && pool - sample >= 10 {
            self.ratio_of_uniforms(good, bad, sample)
        } else {
            self.urn(good, bad, sample)
        }
    }

    /// Draws label by label, either the sample or, if that is smaller, what stays behind.
    fn urn(&mut self, good: u32, bad: u32, sample: u32) -> u32 {
        let pool = good + bad;
        let complement = sample > pool / 2;
        let mut draws = if complement { pool - sample } else { sample };
        let mut rest = pool;
        let mut rest_good = good;
        while draws > 0 && rest_good > 0 && rest > rest_good {
            rest -= 1;
            if self.at_most(rest) < rest_good {
                rest_good -= 1;
            }
            draws -= 1;
        }
        // Only good labels are left: the remaining draws take them.
        if rest == rest_good {
            rest_good -= draws;
        }
        if complement { rest_good } else { good - rest_good }
    }

    /// Uniform on 0..=max, max >= 1, by rejection among as many bits as max has.
    fn at_most(&mut self, max: u32) -> u32 {
        let mask = u32::MAX >> max.leading_zeros();
        loop {
            let draw = self.half_word() & mask;
            if draw <= max {
                return draw;
            }
        }
    }

    /// Rejection from a ratio of two uniforms (Stadlober's HRUA), for samples and remainders of at least 10.
    ///
    /// Works on the smaller of the sample and its complement and the rarer of the two kinds, then reflects.
    fn ratio_of_uniforms(&mut self, good: u32, bad: u32, sample: u32) -> u32 {
        /// 2·sqrt(2/e) and 3 - 2·sqrt(3/e): width of the covering table mountain.
        const D1: f64 = 1.7155277699214135;
        const D2: f64 = 0.8989161620588988;

        let pool = good + bad;
        let draws = sample.min(pool - sample);
        let (rare, common) = (good.min(bad), good.max(bad));
        // Minus the log of the probability of `count` rare labels, up to a constant.
        let surprisal = |count: u32| {
            ln_factorial(count)
                + ln_factorial(rare - count)
                + ln_factorial(draws - count)
                + ln_factorial(common - draws + count)
        };

        let size = f64::from(pool);
        let (p, q) = (f64::from(rare) / size, f64::from(common) / size);
        let centre = f64::from(draws) * p + 0.5;
        let variance = f64::from(pool - draws) * f64::from(draws) * p * q / f64::from(pool - 1);
        let spread = (variance + 0.5).sqrt();
        let width = D1 * spread + D2;
        let mode = (f64::from(draws + 1) * f64::from(rare + 1) / f64::from(pool + 2)) as u32;
        let least = surprisal(mode);
        // Whole numbers by conversion, which is an instruction where rounding down is a call.
        let end = f64::from(draws.min(rare) + 1).min((centre + 16.0 * spread) as i64 as f64);

        let count = loop {
            let (u, v) = (self.random(), self.random());
            let x = centre + width * (v - 0.5) / u;
            if !(0.0..end).contains(&x) {
                continue;
            }
            let count = x as u32;
            let log_ratio = least - surprisal(count);
            // Two quick bounds of ln(u) spare most logarithms.
            if u * (4.0 - u) - 3.0 <= log_ratio {
                break count;
            }
            if u * (u - log_ratio) >= 1.0 {
                continue;
            }
            if 2.0 * u.ln() <= log_ratio {
                break count;
            }
        };
        let drawn_good = if good > bad { draws - count } else { count };
        if draws < sample { good - drawn_good } else { drawn_good }
    }
}

/// ln(j!): the table up to 125, then Stirling's series to the term in 1/j^3, in NumPy's order of operations.
fn ln_factorial(j: u32) -> f64 {
    /// ln(2 pi) / 2.
    const HALF_LN_2PI: f64 = 0.9189385332046728;
    LN_FACTORIAL.get(j as usize).copied().unwrap_or_else(|| {
        let k = f64::from(j);
        (k + 0.5) * k.ln() - k + (HALF_LN_2PI + (1.0 / k) * (1.0 / 12.0 - 1.0 / (360.0 * k * k)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath at 40 digits: log(factorial(j)).
    #[test]
    fn the_series_continues_the_table() {
        for (j, expected) in LN_FACTORIALS {
            let error = (ln_factorial(j) - expected).abs();
            assert!(error <= 4e-16 * expected, "{j}: off by {error:e}");
        }
    }
    const LN_FACTORIALS: [(u32, f64); 5] = [
        (125, 481.87297922988796),
        (126, 486.7092611368394),
        (200, 863.2319871924054),
        (5000, 37591.14350887677),
        (7000000, 103329953.74878602),
    ];
}
