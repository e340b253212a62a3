//! The corpus through every target, and then blind mutations of it for some seconds: what is left of fuzzing where
//! there is no C++ compiler for the engine.
//!
//! `replay CORPUS SECONDS [TARGET...]`; an input that panics is left in `artifacts/TARGET-failing`. A fast machine
//! comes no further than [`MOST_A_SECOND`] lets it, and a slow one through the same mutations less far: what passes on
//! one machine with
//! `FUZZ_ALL` set, which takes them all, passes on every other. `FUZZ_SEED` is where the mutations start.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use judge_uncertainty_fuzz::{Random, TARGETS, held_against_memory};

/// Mutations of a target for each of its seconds.
const MOST_A_SECOND: f64 = 300.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (corpus, seconds) = match arguments.as_slice() {
        [corpus, seconds, ..] => (PathBuf::from(corpus), seconds.parse().expect("SECONDS is a number")),
        _ => panic!("replay CORPUS SECONDS [TARGET...]"),
    };
    let named = |name: &str| arguments.len() == 2 || arguments[2..].iter().any(|wanted| wanted == name);
    let chosen: Vec<_> = TARGETS.iter().filter(|(name, _)| named(name)).collect();
    let each = Duration::from_secs_f64(seconds) / chosen.len().max(1) as u32;
    let most = (each.as_secs_f64() * MOST_A_SECOND).ceil() as usize;
    let all = std::env::var_os("FUZZ_ALL").is_some();
    let seed =
        std::env::var("FUZZ_SEED").map_or(0x9e37_79b9_7f4a_7c15, |seed| seed.parse().expect("FUZZ_SEED is a number"));
    for (name, run) in chosen {
        let inputs = inputs(&corpus.join(name));
        let failing = Path::new("artifacts").join(format!("{name}-failing"));
        fs::create_dir_all("artifacts").expect("artifacts/ can be made");
        let try_one = |input: &[u8]| {
            // Written before, so that an abort leaves it too.
            fs::write(&failing, input).expect("artifacts/ can be written");
            held_against_memory(*run, input);
        };
        inputs.iter().for_each(|input| try_one(input));
        let (start, mut random, mut runs) = (Instant::now(), Random(seed), 0);
        while runs < most && (all || start.elapsed() < each) {
            try_one(&random.mutated(&inputs));
            runs += 1;
        }
        fs::remove_file(&failing).expect("artifacts/ can be written");
        println!("{name}: {} inputs, {runs} of {most} mutations", inputs.len());
    }
}

fn inputs(folder: &Path) -> Vec<Vec<u8>> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}; every target has a corpus", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the corpus can be listed").path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).expect("the corpus can be read")).collect()
}
