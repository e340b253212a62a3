//! From entropy words to the first state of the generator.

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

    /// The intermediate values NumPy 2.4.6 shows for seed 12345.
    #[test]
    fn worked_example() {
        assert_eq!(pool(&[12345]), [0xf293_d734, 0xfd66_8225, 0xf94f_f895, 0x8720_90a0]);
        let (state, stream) = expand(&[12345]);
        assert_eq!(state, 0xb5ae_6482_a03d_837c_bbe2_996f_fa1f_7a2f);
        assert_eq!(stream, 0x64e3_9a9f_3715_8f94_3ebb_0f96_a013_fd73);
    }
}
