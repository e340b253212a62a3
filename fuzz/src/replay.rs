//! The corpus through every target, and then blind mutations of it for some seconds: what is left of fuzzing where
//! there is no C++ compiler for the engine.
//!
//! `replay CORPUS SECONDS [TARGET...]`; an input that panics is left in `artifacts/TARGET-failing`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use judge_uncertainty_fuzz::TARGETS;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (corpus, seconds) = match arguments.as_slice() {
        [corpus, seconds, ..] => (PathBuf::from(corpus), seconds.parse().expect("SECONDS is a number")),
        _ => panic!("replay CORPUS SECONDS [TARGET...]"),
    };
    let named = |name: &str| arguments.len() == 2 || arguments[2..].iter().any(|wanted| wanted == name);
    let chosen: Vec<_> = TARGETS.iter().filter(|(name, _)| named(name)).collect();
    let each = Duration::from_secs_f64(seconds) / chosen.len().max(1) as u32;
    for (name, run) in chosen {
        let inputs = inputs(&corpus.join(name));
        let failing = Path::new("artifacts").join(format!("{name}-failing"));
        fs::create_dir_all("artifacts").expect("artifacts/ can be made");
        let try_one = |input: &[u8]| {
            // Written before, so that an abort leaves it too.
            fs::write(&failing, input).expect("artifacts/ can be written");
            run(input);
        };
        inputs.iter().for_each(|input| try_one(input));
        let (start, mut random, mut runs) = (Instant::now(), Random(0x9e37_79b9_7f4a_7c15), inputs.len());
        while start.elapsed() < each {
            try_one(&random.mutated(&inputs));
            runs += 1;
        }
        fs::remove_file(&failing).expect("artifacts/ can be written");
        println!("{name}: {} inputs, {runs} runs", inputs.len());
    }
}

fn inputs(folder: &Path) -> Vec<Vec<u8>> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}; every target has a corpus", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the corpus can be listed").path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).expect("the corpus can be read")).collect()
}

/// SplitMix64.
struct Random(u64);

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

    /// One of the inputs with one to four changes: bytes flipped, removed, repeated, or taken from another input.
    fn mutated(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
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
