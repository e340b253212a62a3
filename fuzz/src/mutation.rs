//! Changes of inputs, without a look at what they reach.

/// The longest input.
const LONGEST: usize = 2_000_000;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// The input with a part of it repeated until it is up to [`LONGEST`] bytes long: what takes much memory for each
    /// of its bytes shows only then.
    pub fn grown(&mut self, input: &[u8]) -> Vec<u8> {
        let at = self.below(input.len());
        let part = &input[at..at + self.below((input.len() - at).min(256)) + 1];
        let room = LONGEST.saturating_sub(input.len()) >> self.below(12);
        [&input[..at], &part.repeat(room / part.len()), &input[at..]].concat()
    }

    /// One of the inputs with one to four changes: bytes flipped, removed, repeated, or taken from another input.
    pub fn mutated(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut input = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(4) {
            let (at, other) = (self.below(input.len() + 1), &inputs[self.below(inputs.len())]);
            let end = at + self.below((input.len() - at).min(64) + 1);
            match self.below(6) {
                0 if at < input.len() => input[at] ^= 1 << self.below(8),
                1 if at < input.len() => input[at] = self.next() as u8,
                2 => drop(input.drain(at..end)),
                3 => {
                    let part = input[at..end].to_vec();
                    input.splice(at..at, part);
                }
                4 => {
                    let from = self.below(other.len() + 1);
                    let to = from + self.below((other.len() - from).min(64) + 1);
                    input.splice(at..end, other[from..to].iter().copied());
                }
                _ => {
                    const WORDS: [&str; 10] =
                        ["-1", "0", "1e308", "NaN", "18446744073709551616", "\"", "{", "\n", ",", "\0"];
                    let word = WORDS[self.below(WORDS.len())];
                    input.splice(at..end, word.bytes());
                }
            }
        }
        input
    }
}
