//! Labels drawn without replacement from a finite pool.

use super::Stream;
use super::ziggurat::LN_FACTORIAL;

impl Stream {
    /// Draws how many of `sample` labels taken from a pool without replacement are good.
    ///
    /// The pool holds `good` labels of the kind that counts and `bad` others.
    ///
    /// # Panics
    ///
    /// If the sample is larger than the pool or the pool larger than 2^32 - 1.
    pub fn hypergeometric(&mut self, good: u32, bad: u32, sample: u32) -> u32 {
        if by_rejection(good, bad, sample) {
            self.ratio_of_uniforms(good, bad, sample, Mountain::new(good, bad, sample))
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

    /// Uniform on 0..=max, max >= 1, by rejection among numbers with the bit length of max.
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
    #[inline]
    fn ratio_of_uniforms(&mut self, good: u32, bad: u32, sample: u32, under: Mountain) -> u32 {
        let draws = sample.min(good + bad - sample);
        let (rare, common) = (good.min(bad), good.max(bad));
        // Minus the log of the probability of `count` rare labels, up to a constant.
        let surprisal = |count: u32| {
            ln_factorial(count)
                + ln_factorial(rare - count)
                + ln_factorial(draws - count)
                + ln_factorial(common - draws + count)
        };
        let least = if rare > 0 { surprisal(under.mode as u32) } else { 0.0 };
        // Whole numbers by conversion, which is an instruction where rounding down is a call.
        let end = f64::from(draws.min(rare) + 1).min(under.far as i64 as f64);

        // Beyond these times u an offset is out of range, with room for rounding: that is known before the division.
        let room = 1e-12 * (under.centre + end);
        let (least_offset, most_offset) = (-under.centre - room, end - under.centre + room);

        let count = loop {
            let (u, v) = (self.random(), self.random());
            let offset = under.width * (v - 0.5);
            if offset < least_offset * u || offset > most_offset * u {
                continue;
            }
            let x = under.centre + offset / u;
            if !(0.0..end).contains(&x) {
                continue;
            }
            let count = x as u32;
            // All labels are alike: there is one count.
            if rare == 0 {
                break count;
            }
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

/// Whether a draw is made by rejection.
#[inline]
fn by_rejection(good: u32, bad: u32, sample: u32) -> bool {
    let Some(pool) = good.checked_add(bad) else {
        panic!("a pool of {good} + {bad} labels is too large");
    };
    assert!(sample <= pool, "cannot draw {sample} labels from a pool of {pool}");
    sample >= 10 && pool - sample >= 10
}

/// The table mountain that covers the chances of every count of rare labels.
struct Mountain {
    centre: f64,
    width: f64,
    /// No count beyond it is looked at.
    far: f64,
    /// The likeliest count, before it is rounded down.
    mode: f64,
}

impl Mountain {
    #[inline]
    fn new(good: u32, bad: u32, sample: u32) -> Self {
        /// 2·sqrt(2/e) and 3 - 2·sqrt(3/e): width of the covering table mountain.
        const D1: f64 = 1.7155277699214135;
        const D2: f64 = 0.8989161620588988;

        let [rare, common, sample] = [good.min(bad), good.max(bad), sample].map(f64::from);
        let size = rare + common;
        let rest = size - sample;
        let draws = if sample < rest { sample } else { rest };
        let (p, q) = (rare / size, common / size);
        let centre = draws * p + 0.5;
        let variance = (size - draws) * draws * p * q / (size - 1.0);
        let spread = (variance + 0.5).sqrt();
        let mode = (draws + 1.0) * (rare + 1.0) / (size + 2.0);
        Self { centre, width: D1 * spread + D2, far: centre + 16.0 * spread, mode }
    }
}

/// ln(j!): the table up to 125, then Stirling's series to the term in 1/j^3, in NumPy's order of operations.
#[inline]
fn ln_factorial(j: u32) -> f64 {
    match LN_FACTORIAL.get(j as usize) {
        Some(known) => *known,
        None => ln_factorial_by_series(j),
    }
}

#[cold]
fn ln_factorial_by_series(j: u32) -> f64 {
    /// ln(2 pi) / 2.
    const HALF_LN_2PI: f64 = 0.9189385332046728;
    let k = f64::from(j);
    (k + 0.5) * k.ln() - k + (HALF_LN_2PI + (1.0 / k) * (1.0 / 12.0 - 1.0 / (360.0 * k * k)))
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
