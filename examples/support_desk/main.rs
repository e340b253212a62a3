//! Writes the data of the example: `cargo run --example support_desk -- DIR`.

mod generator;

use std::io::Error;
use std::path::PathBuf;

fn main() -> Result<(), Error> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "examples/support_desk".to_owned()));
    for (name, text) in generator::files() {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
