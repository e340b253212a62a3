//! libFuzzer on the target that the environment variable `FUZZ_TARGET` names.

#![no_main]

use std::sync::OnceLock;

use judge_uncertainty_fuzz::{Target, target};
use libfuzzer_sys::fuzz_target;

static CHOSEN: OnceLock<Target> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let run = CHOSEN.get_or_init(|| target(&std::env::var("FUZZ_TARGET").unwrap_or_default()));
    run(data);
});
