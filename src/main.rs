//! The command line of judge-uncertainty; everything is in the library's `cli` module.

use std::process::ExitCode;

use judge_uncertainty::system::memory::Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

fn main() -> ExitCode {
    judge_uncertainty::cli::main()
}
