//! The command line of judge-uncertainty; everything is in the library's `cli` module.

use std::process::ExitCode;

fn main() -> ExitCode {
    judge_uncertainty::cli::main()
}
