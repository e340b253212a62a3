//! From which size an index of neighbours pays: processor time, recall and peak memory of both engines.
//!
//! `cargo bench -p judge-uncertainty-familiarity --bench index_size -- 5000 20000 100000 300000 300000@30000`
//!
//! Each engine lists the 32 nearest of every item in a process of its own, because peak memory is that of a process.
//! The items are directions of 384 dimensions with neighbourhoods: points of 24 dimensions about 1,000 centres.
//! `ITEMS@INDEXED` indexes so many of the items, spaced evenly, and lists the nearest of them for every item. Where all
//! pairs are too many, the time of all exact lists is extrapolated from 3,000 of them. Times are read from /proc, so
//! this runs on Linux only.

use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::{fs, path::Path};

use judge_uncertainty_familiarity::neighbours::{Engine, Exact, IndexedItems, Neighbours, UnitRows};
use judge_uncertainty_system::progress::Progress;
use ndarray::Array2;

const DIMENSIONS: usize = 384;
/// Dimensions of the points, and centres that they lie about.
const LATENT: usize = 24;
const CENTRES: usize = 1_000;
/// Length of the lists, as in Experiment 2.
const WIDTH: usize = 32;
/// Lists whose neighbours are compared with exact ones.
const COMPARED: usize = 1_000;
/// Up to so many distances the exact lists of all items are made, past that those of so many items.
const ALL_LISTS: usize = 11_000_000_000;
const SOME_LISTS: usize = 3_000;

fn main() -> ExitCode {
    // cargo bench adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            eprintln!("usage: cargo bench -p judge-uncertainty-familiarity --bench index_size -- ITEMS[@INDEXED] ...");
            return ExitCode::from(2);
        }
        ["--child", "exact", source] => measure(Engine::Exact, source),
        ["--child", "hnsw", source] => measure(Engine::Hnsw, source),
        ref sources => {
            println!("items,indexed,engine,build_s,check_s,lists_s,all_s,to_exact,recall,peak_mib");
            sources.iter().for_each(|source| compare(source));
        }
    }
    ExitCode::SUCCESS
}

/// Measures each engine in a process of its own; prints a row for each.
fn compare(source: &str) {
    let mut exact = None;
    for engine in ["exact", "hnsw"] {
        let itself = std::env::current_exe().expect("this program");
        let child = Command::new(itself).args(["--child", engine, source]).stderr(Stdio::inherit()).output();
        let child = child.expect("it starts");
        assert!(child.status.success(), "{engine} {source} failed");
        let line = String::from_utf8(child.stdout).expect("numbers");
        let numbers: Vec<f64> = line.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let [build, check, lists, recall, memory] = numbers[..] else { panic!("five numbers, not {line:?}") };
        let all = build + check + lists;
        let ratio = all / *exact.get_or_insert(all);
        let (items, indexed) = sizes(source);
        println!(
            "{items},{indexed},{engine},{build:.2},{check:.2},{lists:.2},{all:.2},{ratio:.2},{recall:.5},{memory:.0}"
        );
    }
}

/// The number of items of a source, and how many of them are indexed.
fn sizes(source: &str) -> (usize, usize) {
    let number = |text: &str| text.parse().expect("a number of items");
    match source.split_once('@') {
        None => (number(source), number(source)),
        Some((items, indexed)) => (number(items), number(indexed)),
    }
}

/// Prints seconds of processor time for insertion, check and all lists, the recall of the lists, and the peak memory
/// in MiB.
fn measure(engine: Engine, source: &str) {
    let (items, indexed) = sizes(source);
    let rows = UnitRows::new(embeddings(items).view()).expect("finite");
    let mut is = vec![false; items];
    (0..indexed).for_each(|i| is[i * items / indexed] = true);
    let those = IndexedItems::those(&is);
    let all = engine != Engine::Exact || items * indexed <= ALL_LISTS;
    let count = if all { items } else { SOME_LISTS };
    let queries: Vec<usize> = (0..count).map(|i| i * items / count + items / count / 2).collect();
    // From here on the peak is that of the work.
    fs::write("/proc/self/clear_refs", "5").expect("Linux");
    let start = cpu_seconds();
    let clock = Clock::default();
    // The check keeps the lists that it compares. These are shorter than those asked for, which are searched.
    let engine = engine.over(rows, those.clone(), WIDTH - 1, &clock);
    let ready = cpu_seconds();
    // The first task is the insertion; an engine without one is ready at once.
    let built = clock.finished.into_inner().expect("no panic").first().copied().unwrap_or(ready);
    let found = engine.nearest(&queries, WIDTH, None);
    let lists = (cpu_seconds() - ready) / count as f64 * items as f64;
    let memory = proc("status", |line| line.strip_prefix("VmHWM:")).replace(" kB", "").trim().parse::<f64>();
    let compared: Vec<usize> = (0..COMPARED).map(|i| (2 * i + 1) * count / (2 * COMPARED)).collect();
    let of: Vec<usize> = compared.iter().map(|&query| queries[query]).collect();
    let expected = Exact::among(engine.rows().clone(), those).nearest(&of, WIDTH, None);
    let pairs = compared.iter().map(|query| &found[*query]).zip(&expected);
    let hits: usize = pairs.map(|(list, exact)| exact.iter().filter(|near| list.contains(near)).count()).sum();
    let recall = hits as f64 / expected.concat().len() as f64;
    println!("{} {} {lists} {recall} {}", built - start, ready - built, memory.expect("kilobytes") / 1024.0);
}

/// Keeps the times at which tasks ended.
#[derive(Default)]
struct Clock {
    finished: Mutex<Vec<f64>>,
}

impl Progress for Clock {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {
        self.finished.lock().expect("no panic").push(cpu_seconds());
    }
}

fn embeddings(items: usize) -> Array2<f32> {
    let mut state = 7u64;
    let mut uniform = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    // Sums of four uniform numbers are near enough to normal ones for directions without preference.
    let mut normal = move || uniform() + uniform() + uniform() + uniform();
    let centres = Array2::from_shape_simple_fn((CENTRES, LATENT), &mut normal);
    let plane = Array2::from_shape_simple_fn((LATENT, DIMENSIONS), &mut normal);
    // A step of the golden ratio in 2^32: centres in an order that has nothing to do with which items are indexed.
    let centre = |item: usize| ((item as u32).wrapping_mul(0x9e37_79b9) >> 8) as usize % CENTRES;
    let latent = Array2::from_shape_fn((items, LATENT), |(item, k)| 1.5 * centres[[centre(item), k]] + normal());
    latent.dot(&plane)
}

/// CPU time of all threads so far.
fn cpu_seconds() -> f64 {
    let stat = proc("stat", |line| line.rsplit_once(')').map(|(_, rest)| rest));
    let ticks: f64 = stat.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<f64>().expect("ticks")).sum();
    ticks / 100.0
}

/// The part of a line of a file of this process in /proc that `find` returns.
fn proc(file: &str, find: impl Fn(&str) -> Option<&str>) -> String {
    let text = fs::read_to_string(Path::new("/proc/self").join(file)).expect("Linux");
    text.lines().find_map(find).expect("a known line").to_owned()
}
