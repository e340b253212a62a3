//! libFuzzer on the target that the environment variable `FUZZ_TARGET` names.

#![no_main]

use std::sync::OnceLock;

use judge_uncertainty_fuzz::{Random, Target, held_against_memory, target};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

static CHOSEN: OnceLock<Target> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let run = CHOSEN.get_or_init(|| target(&std::env::var("FUZZ_TARGET").unwrap_or_default()));
    held_against_memory(*run, data);
});

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    if size == 0 || seed % 256 != 0 {
        return fuzzer_mutate(data, size, most);
    }
    let grown = Random(seed.into()).grown(&data[..size]);
    let size = grown.len().min(most);
    data[..size].copy_from_slice(&grown[..size]);
    size
});
