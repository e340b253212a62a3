//! How time and memory of a study grow with its items: reading, familiarity, fit, beliefs, rankings, both tables.
//!
//! `cargo bench --bench scale -- ITEMS DIMENSIONS` measures one size in a process of its own, because peak memory is
//! that of the process; DIMENSIONS 0 is a study without embeddings. With a FOLDER the study is only written there, for
//! the commands. Times are wall time; memory is read from /proc, so this runs on Linux only. The study is synthetic: 4
//! classes, 3 labels per item on average (0 to 6), embeddings in 50 clusters, all pairs of which are compared.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use judge_uncertainty::formats::output;
use judge_uncertainty::random::Stream;
use judge_uncertainty::study::results::columns::columns;
use judge_uncertainty::study::{Decomposition, Study};
use judge_uncertainty::system::progress::Silent;

const CLASSES: usize = 4;
const CLUSTERS: usize = 50;

fn main() -> ExitCode {
    // cargo bench adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let [items, dimensions] = sizes[..] else {
        eprintln!("usage: cargo bench --bench scale -- ITEMS DIMENSIONS [FOLDER]");
        return ExitCode::from(2);
    };
    // The study alone, for `study run` and `study queue` from the command line.
    if let Some(folder) = arguments.get(2) {
        fs::create_dir_all(folder).expect("a folder can be made there");
        write_study(Path::new(folder), items, dimensions).expect("the folder is writable");
        return ExitCode::SUCCESS;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_study(folder.path(), items, dimensions).expect("the temporary folder is writable");
    match measure(folder.path()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(folder: &Path) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let mut last = 0.0;
    let mut step = |name: &str| {
        let seconds = start.elapsed().as_secs_f64();
        println!("{name:<24} {:>8.2} s  peak {:>6} MiB", seconds - last, peak_mebibytes());
        last = seconds;
    };
    let study = Study::load(folder)?;
    step("read and check");
    let decomposition = Decomposition::new(&study, &Silent)?;
    step("familiarity, fit, beliefs");
    let columns = columns(&study, &decomposition);
    step("rankings");
    fs::write(folder.join("items.out.csv"), output::to_csv(&columns))?;
    step("items.csv");
    fs::write(folder.join("items.parquet"), output::to_parquet(&columns)?)?;
    step("items.parquet");
    println!("{:<24} {:>8.2} s  peak {:>6} MiB", "all", start.elapsed().as_secs_f64(), peak_mebibytes());
    Ok(())
}

fn write_study(folder: &Path, items: usize, dimensions: usize) -> Result<(), Box<dyn Error>> {
    let mut config = String::from(
        "title = \"scale\"\nclasses = [\"a\", \"b\", \"c\", \"d\"]\n[items]\nfile = \"items.csv\"\nnumbers = \
         [\"length\"]\n[judge]\nfile = \"judge.csv\"\nkind = \"counts\"\nconfidence = \"confidence\"\n\
         [labels]\nfile = \"labels.csv\"\nform = \"counts\"\n[evaluation]\nreplicates = 0\n",
    );
    let mut stream = Stream::new(1);
    let mut texts =
        ["id,length\n".to_owned(), "id,n_a,n_b,n_c,n_d,confidence\n".to_owned(), "id,n_a,n_b,n_c,n_d\n".to_owned()];
    let mut vectors: Vec<f32> = Vec::with_capacity(items * dimensions);
    let centres: Vec<f32> = (0..CLUSTERS * dimensions).map(|_| stream.standard_normal() as f32).collect();
    for i in 0..items {
        let gamma: Vec<f64> = (0..CLASSES).map(|_| stream.gamma(1.0)).collect();
        let sum: f64 = gamma.iter().sum();
        let p: Vec<f64> = gamma.iter().map(|g| g / sum).collect();
        let (mut judge, mut labels) = ([0; CLASSES], [0; CLASSES]);
        // A hundred in four draws: the streams have no larger binomials.
        for _ in 0..4 {
            let mut quarter = [0; CLASSES];
            stream.multinomial(25, &p, &mut quarter);
            judge.iter_mut().zip(quarter).for_each(|(sum, n)| *sum += n);
        }
        let number = stream.choice(7);
        stream.multinomial(number, &p, &mut labels);
        writeln!(texts[0], "item-{i},{}", 10 + stream.choice(500))?;
        writeln!(texts[1], "item-{i},{}", line(&judge) + "," + &stream.choice(101).to_string())?;
        if number > 0 {
            writeln!(texts[2], "item-{i},{}", line(&labels))?;
        }
        let centre = stream.choice(CLUSTERS as u32) as usize * dimensions;
        vectors.extend((0..dimensions).map(|d| centres[centre + d] + stream.standard_normal() as f32));
    }
    for (name, text) in ["items.csv", "judge.csv", "labels.csv"].into_iter().zip(&texts) {
        fs::write(folder.join(name), text)?;
    }
    if dimensions > 0 {
        config += "[familiarity]\nembeddings = \"embeddings.npy\"\n";
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({items}, {dimensions}), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        vectors.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        fs::write(folder.join("embeddings.npy"), bytes)?;
    }
    fs::write(folder.join("study.toml"), config)?;
    Ok(())
}

fn line(counts: &[u32]) -> String {
    counts.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// Peak resident memory of this process.
fn peak_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|line| line.split_whitespace().next())
        .and_then(|kib| kib.parse::<u64>().ok())
        .map_or(0, |kib| kib / 1024)
}
