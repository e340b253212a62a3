//! The generator and the draws that need no distribution theory: words, uniforms, indices.

/// Multiplier of the generator's recurrence (O'Neill 2014).
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// Where a stream stands: two streams at the same position draw the same values for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// State of the recurrence state ← state·multiplier + increment mod 2^128.
    pub state: u128,
    /// The odd constant that tells apart the 2^127 sequences of the generator; drawing never changes it.
    pub increment: u128,
    /// High half of a word whose low half has been used: the next [`Stream::half_word`].
    pub pending: Option<u32>,
}

/// One random stream: NumPy's `default_rng(seed)`.
///
/// Equal seeds and equal calls give equal draws, on any thread. A clone continues from the same position on its own.
///
/// ```
/// use judge_uncertainty_core::random::Stream;
///
/// let mut stream = Stream::new(12345);
/// assert_eq!(stream.random(), 0.22733602246716966);
/// assert_eq!(stream.random(), 0.31675833970975287);
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    /// Where the stream stands; the increment of every stream is odd.
    pub position: Position,
}

impl Stream {
    /// The stream of an integer seed.
    pub fn new(seed: u64) -> Self {
        // A seed below 2^32 has one entropy word, but absent words count as zero.
        Self::from_entropy(&[seed as u32, (seed >> 32) as u32])
    }

    /// The stream of a list of 32-bit entropy words.
    ///
    /// An integer of any size is its words, least significant first, without zero words at the top; a list of
    /// integers is the words of its members one after the other, where a member 0 is the single word 0.
    pub fn from_entropy(words: &[u32]) -> Self {
        let (initial, stream) = expand(words);
        let increment = stream << 1 | 1;
        let state = increment.wrapping_add(initial).wrapping_mul(MULTIPLIER).wrapping_add(increment);
        Self { position: Position { state, increment, pending: None } }
    }

    /// 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        let Position { state, increment, .. } = &mut self.position;
        *state = state.wrapping_mul(MULTIPLIER).wrapping_add(*increment);
        let (high, low) = ((*state >> 64) as u64, *state as u64);
        (high ^ low).rotate_right((high >> 58) as u32)
    }

    /// 32 random bits: the low half of a word, then, at the next call, its high half.
    ///
    /// The pending high half waits for the next caller of this method, whatever other draws come between.
    #[inline]
    pub fn half_word(&mut self) -> u32 {
        if let Some(half) = self.position.pending.take() {
            return half;
        }
        let word = self.word();
        self.position.pending = Some((word >> 32) as u32);
        word as u32
    }

    /// A uniform draw from [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn random(&mut self) -> f64 {
        // Signed conversion is one instruction, and 53 bits leave the sign clear.
        (self.word() >> 11) as i64 as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Fills `out` with [`random`](Self::random) draws, first to last.
    #[inline]
    pub fn fill_random(&mut self, out: &mut [f64]) {
        for value in out {
            *value = self.random();
        }
    }

    /// An index drawn uniformly from 0..m, without bias (Lemire 2019).
    ///
    /// Takes one half-word, rarely more; m = 1 takes nothing.
    ///
    /// # Panics
    ///
    /// If m is 0: there is nothing to choose from.
    #[inline]
    pub fn choice(&mut self, m: u32) -> u32 {
        assert!(m > 0, "a choice needs at least one item");
        if m == 1 {
            return 0;
        }
        let mut product = u64::from(self.half_word()) * u64::from(m);
        // The threshold 2^32 mod m is below m: its slow division can mostly be skipped.
        if (product as u32) < m {
            let threshold = m.wrapping_neg() % m;
            while (product as u32) < threshold {
                product = u64::from(self.half_word()) * u64::from(m);
            }
        }
        (product >> 32) as u32
    }
}

/// Hash whose multiplier advances with every word, so that equal words at different places hash differently.
struct Hash {
    multiplier: u32,
    factor: u32,
}

impl Hash {
    fn word(&mut self, word: u32) -> u32 {
        let keyed = word ^ self.multiplier;
        self.multiplier = self.multiplier.wrapping_mul(self.factor);
        fold(keyed.wrapping_mul(self.multiplier))
    }
}

fn fold(word: u32) -> u32 {
    word ^ (word >> 16)
}

fn mix(x: u32, y: u32) -> u32 {
    fold(0xca01_f9dd_u32.wrapping_mul(x).wrapping_sub(0x4973_f715_u32.wrapping_mul(y)))
}

/// Initial state and stream number of the generator for a list of entropy words.
///
/// Every word of the result depends on every word of the entropy. Fewer than four words are filled up with zeros.
pub(super) fn expand(entropy: &[u32]) -> (u128, u128) {
    let pool = pool(entropy);
    let mut hash = Hash { multiplier: 0x8b51_f9dd, factor: 0x58f3_8ded };
    let words: [u32; 8] = std::array::from_fn(|i| hash.word(pool[i % 4]));
    (wide(&words[..4]), wide(&words[4..]))
}

/// Four 32-bit words to one of 128 bits: low half first within a pair, high pair first.
fn wide(words: &[u32]) -> u128 {
    [words[1], words[0], words[3], words[2]].into_iter().fold(0, |high, word| high << 32 | u128::from(word))
}

fn pool(entropy: &[u32]) -> [u32; 4] {
    let mut hash = Hash { multiplier: 0x43b0_d7e5, factor: 0x931e_8875 };
    let mut pool = [0; 4];
    for (i, slot) in pool.iter_mut().enumerate() {
        *slot = hash.word(entropy.get(i).copied().unwrap_or(0));
    }
    for source in 0..4 {
        for target in (0..4).filter(|&target| target != source) {
            pool[target] = mix(pool[target], hash.word(pool[source]));
        }
    }
    for &word in entropy.iter().skip(4) {
        for slot in &mut pool {
            *slot = mix(*slot, hash.word(word));
        }
    }
    pool
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;
    use rand_pcg::Pcg64;

    /// Another implementation of the generator, started from the same seed material.
    #[test]
    fn words_are_those_of_rand_pcg() {
        for seed in [0, 7, 12345, u64::MAX] {
            let (initial, number) = expand(&[seed as u32, (seed >> 32) as u32]);
            let mut other = Pcg64::new(initial, number);
            let mut stream = Stream::new(seed);
            for _ in 0..1000 {
                assert_eq!(stream.word(), other.next_u64());
            }
        }
    }

    #[test]
    fn the_high_half_waits_while_whole_words_pass() {
        let mut words = Stream::new(7);
        let expected: Vec<u64> = (0..3).map(|_| words.word()).collect();
        let mut stream = Stream::new(7);
        assert_eq!(stream.half_word(), expected[0] as u32);
        assert_eq!(stream.word(), expected[1]);
        assert_eq!(stream.half_word(), (expected[0] >> 32) as u32);
        assert_eq!(stream.half_word(), expected[2] as u32);
    }

    #[test]
    fn a_choice_among_one_takes_nothing() {
        let mut stream = Stream::new(1);
        let before = stream.position;
        assert_eq!(stream.choice(1), 0);
        assert_eq!(stream.position, before);
    }

    #[test]
    #[should_panic(expected = "at least one item")]
    fn a_choice_among_none_is_refused() {
        Stream::new(1).choice(0);
    }
}

#[cfg(test)]
mod seed_tests {
    use super::*;

    /// The intermediate values NumPy 2.4.6 shows for seed 12345.
    #[test]
    fn worked_example() {
        assert_eq!(pool(&[12345]), [0xf293_d734, 0xfd66_8225, 0xf94f_f895, 0x8720_90a0]);
        let (state, stream) = expand(&[12345]);
        assert_eq!(state, 0xb5ae_6482_a03d_837c_bbe2_996f_fa1f_7a2f);
        assert_eq!(stream, 0x64e3_9a9f_3715_8f94_3ebb_0f96_a013_fd73);
    }
}
