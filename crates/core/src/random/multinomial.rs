//! Label counts drawn from a distribution over classes.

use super::Stream;

/// Largest expected count that inversion serves; NumPy turns to a rejection method (BTPE) above it.
const INVERSION_LIMIT: f64 = 30.0;

/// How far the probabilities of all classes but the last may exceed 1 in sum.
const SUM_TOLERANCE: f64 = 1e-12;

impl Stream {
    /// Draws how many of `n` labels fall into each class, into `out`.
    ///
    /// `p` holds the probability of each class, in [0, 1]. The last one is not used: what the other classes leave
    /// falls to it. Class by class, the count is binomial among the labels left, with the class's share of the
    /// probability left; once no label is left, nothing more is drawn.
    ///
    /// # Panics
    ///
    /// Before any draw, if `p` is empty or its length differs from that of `out`, if a probability lies outside
    /// [0, 1], or if all but the last sum to more than 1 + 1e-12. During the draw, if a binomial expects more than 30
    /// labels on both sides (impossible for n <= 60): NumPy uses another method there, which is not implemented.
    pub fn multinomial(&mut self, n: u32, p: &[f64], out: &mut [u32]) {
        assert!(p.len() == out.len(), "{} probabilities for the counts of {} classes", p.len(), out.len());
        let Some((last, others)) = p.split_last() else {
            panic!("a multinomial needs at least one class");
        };
        // Kahan's compensated sum.
        let (mut sum, mut lost) = (0.0, 0.0);
        for (class, &share) in others.iter().enumerate() {
            assert_probability(class, share);
            let corrected = share - lost;
            let total = sum + corrected;
            lost = (total - sum) - corrected;
            sum = total;
        }
        assert_probability(others.len(), *last);
        assert!(sum <= 1.0 + SUM_TOLERANCE, "the probabilities sum to {sum}, more than 1: {p:?}");

        out.fill(0);
        let mut left = n;
        let mut remaining = 1.0;
        for (count, share) in out.iter_mut().zip(others) {
            *count = self.binomial(left, share / remaining);
            left -= *count;
            if left == 0 {
                return;
            }
            remaining -= share;
        }
        out[others.len()] = left;
    }

    /// How many of `n` trials succeed. A p slightly above 1, by rounding, counts as 1.
    fn binomial(&mut self, n: u32, p: f64) -> u32 {
        if n == 0 || p == 0.0 {
            0
        } else if p <= 0.5 {
            self.successes(n, p)
        } else {
            n - self.successes(n, 1.0 - p)
        }
    }

    /// Binomial draw for p <= 0.5 by inversion: walks up the probabilities until they exceed a uniform draw.
    fn successes(&mut self, n: u32, p: f64) -> u32 {
        let trials = f64::from(n);
        assert!(
            p * trials <= INVERSION_LIMIT,
            "a binomial of {n} trials with probability {p} expects more than {INVERSION_LIMIT} successes, \
             where NumPy's stream follows a method that is not implemented"
        );
        let q = 1.0 - p;
        let none = (trials * (-p).ln_1p()).exp();
        // A walk this far up comes from rounding in the sum of probabilities: start over.
        // Up to ten trials it lies beyond them.
        let bound = if n <= 10 { n } else { trials.min(trials * p + 10.0 * (trials * p * q + 1.0).sqrt()) as u32 };
        let (mut count, mut probability, mut uniform) = (0, none, self.random());
        while uniform > probability {
            count += 1;
            if count > bound {
                (count, probability, uniform) = (0, none, self.random());
            } else {
                uniform -= probability;
                probability = f64::from(n - count + 1) * p * probability / (f64::from(count) * q);
            }
        }
        count
    }
}

fn assert_probability(class: usize, share: f64) {
    assert!((0.0..=1.0).contains(&share), "the probability of class {class} is {share}, not in [0, 1]");
}
