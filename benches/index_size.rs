//! From which size a graph index pays: time, recall and peak memory of both engines on random unit vectors.
//!
//! `cargo bench --bench index_size -- hnsw 30000` (or `exact`) measures one engine at one size in a process of its own,
//! because peak memory is that of the process. CPU times and memory are read from /proc, so this runs on Linux only.
//! Random directions are the hardest case: no set of texts is as far from having neighbourhoods.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use judge_uncertainty::familiarity::neighbours::{Exact, Hnsw, HnswSettings, NeighbourLists, Neighbours, UnitRows};
use judge_uncertainty::progress::Silent;
use ndarray::Array2;

const DIMENSIONS: usize = 384;
/// Length of the lists that are searched.
const WIDTH: usize = 64;

fn main() -> ExitCode {
    // cargo bench adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [engine, source] = arguments.as_slice() else {
        eprintln!("usage: cargo bench --bench index_size -- exact|hnsw ITEMS|FILE.f32");
        return ExitCode::from(2);
    };
    let rows = UnitRows::new(embeddings(source).view()).expect("finite");
    let before = cpu_seconds();
    match engine.as_str() {
        "exact" => report(&Exact::new(rows), before, before),
        _ => {
            let index = Hnsw::build(rows, HnswSettings::default(), &Silent).expect("default settings are valid");
            println!("{}", index.quality());
            report(&index, before, cpu_seconds());
        }
    }
    ExitCode::SUCCESS
}

/// Searches the lists of all items; `before` and `built` are CPU seconds at either end of building.
fn report(engine: &dyn Neighbours, before: f64, built: f64) {
    let lists = NeighbourLists::build(engine, WIDTH);
    let memory = proc("status", |line| line.strip_prefix("VmHWM:")).replace(" kB", "").trim().parse::<f64>();
    println!(
        "{} items: build {:.2} s, lists of {} {:.2} s (CPU), peak memory {:.0} MiB",
        lists.items(),
        built - before,
        lists.width(),
        cpu_seconds() - built,
        memory.expect("kilobytes") / 1024.0,
    );
}

/// Random directions, or the 32-bit little-endian numbers of a file.
fn embeddings(source: &str) -> Array2<f32> {
    if Path::new(source).is_file() {
        let bytes = fs::read(source).expect("a readable file");
        let values: Vec<f32> = bytes.as_chunks().0.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect();
        return Array2::from_shape_vec((values.len() / DIMENSIONS, DIMENSIONS), values).expect("whole rows");
    }
    let mut state = 7u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    // Sums of four uniform numbers are near enough to normal ones for directions without preference.
    let items = source.parse().expect("a number of items or a file");
    Array2::from_shape_fn((items, DIMENSIONS), |_| uniform() + uniform() + uniform() + uniform())
}

/// CPU time of all threads so far.
fn cpu_seconds() -> f64 {
    let stat = proc("stat", |line| line.rsplit_once(')').map(|(_, rest)| rest));
    let ticks: f64 = stat.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<f64>().expect("ticks")).sum();
    ticks / 100.0
}

/// What `find` sees in a line of a file of this process in /proc.
fn proc(file: &str, find: impl Fn(&str) -> Option<&str>) -> String {
    let text = fs::read_to_string(Path::new("/proc/self").join(file)).expect("Linux");
    text.lines().find_map(find).expect("a known line").to_owned()
}
