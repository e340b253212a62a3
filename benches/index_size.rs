//! From which size a graph index pays: time, recall and peak memory of both engines on random unit vectors.
//!
//! `cargo bench --bench index_size -- 3000 30000` measures each engine at each size in a process of its own, because peak
//! memory is that of a process. In the place of a size, a file of 32-bit little-endian numbers gives other embeddings.
//! CPU times and memory are read from /proc, so this runs on Linux only. Random directions are the hardest case: no set
//! of texts is as far from having neighbourhoods.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;

use judge_uncertainty::familiarity::neighbours::{Exact, Hnsw, HnswSettings, Neighbour, Neighbours, UnitRows};
use judge_uncertainty::progress::Progress;
use ndarray::Array2;

const DIMENSIONS: usize = 384;
/// Length of the lists that are searched, as in Experiment 2.
const WIDTH: usize = 32;
/// Most lists that are searched; the time of all is extrapolated from theirs.
const QUERIES: usize = 3_000;

/// What one process measured. Times are seconds of processor time.
struct Measured {
    items: f64,
    /// Inserting the items into a graph.
    build: f64,
    /// Checking and repairing the graph.
    check: f64,
    /// Searching one list.
    list: f64,
    /// Share of the exact neighbours in the lists.
    recall: f64,
    /// The most memory that the process held at once, its embeddings included, in MiB.
    memory: f64,
}

fn main() -> ExitCode {
    // cargo bench adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            eprintln!("usage: cargo bench --bench index_size -- ITEMS|FILE.f32 ...");
            return ExitCode::from(2);
        }
        [engine @ ("exact" | "hnsw"), source] => println!("{}", measure(engine, source).to_line()),
        sources => sources.iter().for_each(|source| compare(source)),
    }
    ExitCode::SUCCESS
}

/// Measures both engines and prints what came out.
fn compare(source: &str) {
    println!("{source}");
    let [exact, hnsw] = ["exact", "hnsw"].map(|engine| {
        let itself = std::env::current_exe().expect("this program");
        let child = Command::new(itself).args([engine, source]).stderr(Stdio::inherit()).output().expect("it starts");
        assert!(child.status.success(), "{engine} {source} failed");
        let found = Measured::from_line(&String::from_utf8(child.stdout).expect("numbers"));
        let Measured { build, check, list, recall, memory, .. } = found;
        print!("  {engine:<5} build {build:.2} s, check {check:.2} s, one list {:.3} ms, ", list * 1e3);
        println!("all lists {:.1} s, recall@{WIDTH} {recall:.5}, peak {memory:.0} MiB", found.lists());
        found
    });
    let everything = |found: &Measured| found.build + found.check + found.lists();
    let (list, all) = (hnsw.list / exact.list, everything(&hnsw) / everything(&exact));
    println!("  hnsw / exact: one list {list:.2}, everything {all:.2}, peak {:.2}", hnsw.memory / exact.memory);
}

fn measure(engine: &str, source: &str) -> Measured {
    let rows = UnitRows::new(embeddings(source).view()).expect("finite");
    let items = rows.len();
    let queries = QUERIES.min(items);
    // In large sets these are others than the check compares, and completes.
    let queries: Vec<usize> = (0..queries).map(|i| i * items / queries + items / queries / 2).collect();
    // From here on the peak is that of the work.
    fs::write("/proc/self/clear_refs", "5").expect("Linux");
    let start = cpu_seconds();
    let clock = Clock::default();
    let engine: Box<dyn Neighbours> = match engine {
        "exact" => Box::new(Exact::new(rows)),
        _ => {
            // The check keeps the lists that it compares. These are shorter than those asked for, which are searched.
            let settings = HnswSettings { checked_width: WIDTH - 1, ..HnswSettings::default() };
            let index = Hnsw::build(rows, settings, &clock).expect("settings within their ranges");
            eprintln!("  check: {}", index.quality());
            Box::new(index)
        }
    };
    let ready = cpu_seconds();
    // The first task is the insertion; an engine without one is ready at once.
    let built = clock.finished.into_inner().expect("no panic").first().copied().unwrap_or(ready);
    let found = engine.nearest_of_items(&queries, WIDTH);
    let searched = cpu_seconds();
    let memory = proc("status", |line| line.strip_prefix("VmHWM:")).replace(" kB", "").trim().parse::<f64>();
    let expected = Exact::new(engine.rows().clone()).nearest_of_items(&queries, WIDTH);
    let hits: usize = found.chunks(WIDTH).zip(expected.chunks(WIDTH)).map(|(a, b)| common(a, b)).sum();
    Measured {
        items: items as f64,
        build: built - start,
        check: ready - built,
        list: (searched - ready) / queries.len() as f64,
        recall: hits as f64 / expected.len() as f64,
        memory: memory.expect("kilobytes") / 1024.0,
    }
}

/// Neighbours that two lists share.
fn common(a: &[Neighbour], b: &[Neighbour]) -> usize {
    a.iter().filter(|near| b.contains(near)).count()
}

impl Measured {
    /// Time of the lists of all items.
    fn lists(&self) -> f64 {
        self.list * self.items
    }

    /// For the process that compares.
    fn to_line(&self) -> String {
        let Self { items, build, check, list, recall, memory } = self;
        format!("{items} {build} {check} {list} {recall} {memory}")
    }

    fn from_line(line: &str) -> Self {
        let numbers: Vec<f64> = line.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let [items, build, check, list, recall, memory] = numbers[..] else { panic!("six numbers, not {line:?}") };
        Self { items, build, check, list, recall, memory }
    }
}

/// Keeps the times at which tasks were over, and says on stderr how long each took.
#[derive(Default)]
struct Clock {
    begun: Mutex<(String, f64)>,
    finished: Mutex<Vec<f64>>,
}

impl Progress for Clock {
    fn start(&self, task: &str, total: u64) {
        *self.begun.lock().expect("no panic") = (format!("{task} ({total})"), cpu_seconds());
    }
    fn advance(&self, _: u64) {}
    fn finish(&self) {
        let (now, begun) = (cpu_seconds(), self.begun.lock().expect("no panic"));
        eprintln!("  {}: {:.1} s", begun.0, now - begun.1);
        self.finished.lock().expect("no panic").push(now);
    }
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
