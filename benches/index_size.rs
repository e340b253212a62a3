//! From which size a graph index pays: time, recall and peak memory of the engines.
//!
//! `cargo bench --features hnsw_rs --bench index_size -- SOURCE...` measures each engine on each source in a process of
//! its own, because peak memory is that of a process. A source is a number of random directions (`30000`: the hardest
//! case, no set of texts is as far from having neighbourhoods), of directions with neighbourhoods (`near:30000`: points
//! of 24 dimensions about 1,000 centres), or a file of 32-bit little-endian numbers with 384 to a row (`texts.f32`).
//! `SOURCE@5000` indexes 5,000 of the items, spaced evenly, and lists the nearest of them for every item.
//! `--engines exact,hnsw` leaves engines out,
//! `--settings 24,200,100` sets links, effort of insertion and least effort of searches, `--write FILE.f32` writes the
//! first source to a file, for `benches/peers.py`. Times are of the processor, so this runs on Linux only.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;

use judge_uncertainty::familiarity::neighbours::{
    Exact, Hnsw, HnswSettings, IndexedItems, Insertion, Neighbour, Neighbours, UnitRows,
};
use judge_uncertainty::system::progress::Progress;
use ndarray::Array2;

const DIMENSIONS: usize = 384;
/// Dimensions in which directions with neighbourhoods differ, and their centres.
const LATENT: usize = 24;
const CENTRES: usize = 1_000;
/// Length of the lists that are searched, as in Experiment 2.
const WIDTH: usize = 32;
/// Lists whose neighbours are compared with exact ones.
const COMPARED: usize = 1_000;
/// Up to so many distances all pairs are compared; past that, those of so many lists, from which the time of all is
/// extrapolated.
const ALL_LISTS: usize = 11_000_000_000;
const SOME_LISTS: usize = 3_000;

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
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let mut option = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.drain(place..(place + 2).min(arguments.len())).nth(1)
    };
    let [engines, write, child, settings] = ["--engines", "--write", "--child", "--settings"].map(&mut option);
    let default = HnswSettings::default();
    let default = format!("{},{},{}", default.links, default.ef_construction, default.ef_search);
    let settings = settings.unwrap_or(default);
    let engines = engines.unwrap_or_else(|| "exact,hnsw,hnsw_rs".to_owned());
    match (child, write, arguments.as_slice()) {
        (_, _, []) => {
            eprintln!(
                "usage: cargo bench --features hnsw_rs --bench index_size -- ITEMS|near:ITEMS|FILE.f32[@INDEXED] ..."
            );
            return ExitCode::from(2);
        }
        (Some(engine), _, [source, ..]) => println!("{}", measure(&engine, source, &settings).to_line()),
        (_, Some(file), [source, ..]) => {
            let bytes: Vec<u8> = embeddings(source).iter().flat_map(|value| value.to_le_bytes()).collect();
            fs::write(file, bytes).expect("a file that can be written");
        }
        (_, _, sources) => sources.iter().for_each(|source| compare(source, &engines, &settings)),
    }
    ExitCode::SUCCESS
}

/// Measures the engines and prints what came out.
fn compare(source: &str, engines: &str, settings: &str) {
    println!("{source}");
    let mut first: Option<Measured> = None;
    for engine in engines.split(',') {
        let itself = std::env::current_exe().expect("this program");
        let child = ["--child", engine, "--settings", settings, source];
        let child = Command::new(itself).args(child).stderr(Stdio::inherit()).output().expect("it starts");
        assert!(child.status.success(), "{engine} {source} failed");
        let found = Measured::from_line(&String::from_utf8(child.stdout).expect("numbers"));
        let Measured { build, check, list, recall, memory, .. } = found;
        print!("  {engine:<7} build {build:.2} s, check {check:.2} s, one list {:.3} ms, ", list * 1e3);
        print!("all lists {:.2} s, recall@{WIDTH} {recall:.5}, peak {memory:.0} MiB", found.lists());
        match &first {
            None => println!(),
            Some(first) => {
                let ratios = [list / first.list, found.everything() / first.everything(), memory / first.memory];
                println!("; to the first: list {:.2}, everything {:.2}, peak {:.2}", ratios[0], ratios[1], ratios[2]);
            }
        }
        first.get_or_insert(found);
    }
}

fn measure(engine: &str, source: &str, settings: &str) -> Measured {
    let settings: Vec<usize> = settings.split(',').map(|number| number.parse().expect("three numbers")).collect();
    let [links, ef_construction, ef_search] = settings[..] else { panic!("three numbers, not {settings:?}") };
    let rows = UnitRows::new(embeddings(source).view()).expect("finite");
    let items = rows.len();
    let held = match source.split_once('@') {
        None => IndexedItems::all(items),
        Some((_, count)) => {
            let count: usize = count.parse().expect("a number of items to index");
            let mut held = vec![false; items];
            (0..count).for_each(|i| held[i * items / count] = true);
            IndexedItems::those(&held)
        }
    };
    let queries = if engine != "exact" || items * held.len() <= ALL_LISTS { items } else { SOME_LISTS };
    let queries: Vec<usize> = (0..queries).map(|i| i * items / queries + items / queries / 2).collect();
    // From here on the peak is that of the work.
    fs::write("/proc/self/clear_refs", "5").expect("Linux");
    let start = cpu_seconds();
    let clock = Clock::default();
    let engine: Box<dyn Neighbours> = match engine {
        "exact" => Box::new(Exact::among(rows, held)),
        name => {
            // The check keeps the lists that it compares. These are shorter than those asked for, which are searched.
            let insertion = if name == "hnsw" { Insertion::Own } else { Insertion::HnswRs };
            let settings = HnswSettings { links, ef_construction, ef_search, checked_width: WIDTH - 1, insertion };
            let index = Hnsw::build_among(rows, held, settings, &clock).expect("settings within their ranges");
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
    // Half a step beside those that the check compares, and keeps.
    let count = COMPARED.min(queries.len());
    let compared: Vec<usize> = (0..count).map(|i| (2 * i + 1) * queries.len() / (2 * count)).collect();
    let items_compared: Vec<usize> = compared.iter().map(|&query| queries[query]).collect();
    let exact = Exact::among(engine.rows().clone(), engine.held().clone());
    let expected = exact.nearest_of_items(&items_compared, WIDTH);
    let lists = compared.iter().map(|&query| &found[query * WIDTH..(query + 1) * WIDTH]);
    let hits: usize = lists.zip(expected.chunks(WIDTH)).map(|(a, b)| common(a, b)).sum();
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

    /// Time of all of it.
    fn everything(&self) -> f64 {
        self.build + self.check + self.lists()
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
        eprintln!("  {}: {:.2} s", begun.0, now - begun.1);
        self.finished.lock().expect("no panic").push(now);
    }
}

/// The embeddings of a source.
fn embeddings(source: &str) -> Array2<f32> {
    let source = source.split('@').next().unwrap_or_default();
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
    let mut normal = move || uniform() + uniform() + uniform() + uniform();
    let number = |items: &str| items.parse().expect("a number of items or a file");
    match source.strip_prefix("near:") {
        None => Array2::from_shape_simple_fn((number(source), DIMENSIONS), normal),
        Some(items) => {
            let centres = Array2::from_shape_simple_fn((CENTRES, LATENT), &mut normal);
            let plane = Array2::from_shape_simple_fn((LATENT, DIMENSIONS), &mut normal);
            let items = number(items);
            // A step of the golden ratio in 2^32: centres in an order that has nothing to do with which items are
            // indexed.
            let centre = |item: usize| ((item as u32).wrapping_mul(0x9e37_79b9) >> 8) as usize % CENTRES;
            let latent =
                Array2::from_shape_fn((items, LATENT), |(item, k)| 1.5 * centres[[centre(item), k]] + normal());
            latent.dot(&plane)
        }
    }
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
