//! Files that the program writes and reads again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use judge_uncertainty::evaluation::Journal;
use judge_uncertainty::familiarity::embedding::{EmbeddedText, Embedder, EmbeddingCache, EmbeddingError};
use judge_uncertainty::formats::checksum::sha256_hex;
use judge_uncertainty::formats::error::Place;
use judge_uncertainty::study::input::label_store::{LabelStore, NewLabel};
use judge_uncertainty::study::input::source::Source;
use judge_uncertainty::study::results::StudyManifest;
use judge_uncertainty::system::progress::Silent;
use judge_uncertainty::system::{OutputFolder, Staged};

use super::tables::told;
use crate::scratch::{Scratch, choice};

const SUM: &str = "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de";

fn label(cells: [&str; 4]) -> NewLabel {
    let [id, annotator, value, given] = cells.map(str::to_owned);
    NewLabel { id, annotator, value, given, place: Place::default() }
}

fn log(folder: &Path) -> Result<LabelStore, ()> {
    LabelStore::read(folder, None, &mut Source::default()).map_err(told)
}

/// A file of added labels with any bytes, under its sum and under another one, beside the log of an older version. What
/// is there is read or named, and labels can be added.
pub(crate) fn label_log(data: &[u8]) {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path().join("labels")).unwrap();
    scratch.put(&format!("labels/0-{}.jsonl", sha256_hex(data)), data);
    scratch.put(&format!("labels/1-{SUM}.jsonl"), data);
    scratch.put("added-labels.csv", data);
    if LabelStore::convert(scratch.path()).is_err() {
        fs::remove_file(scratch.path().join("added-labels.csv")).unwrap();
    }
    let before = log(scratch.path()).expect("damaged files are named");
    assert!(!before.damaged.is_empty());
    let Ok(file) = before.append(Path::new("new.csv"), SUM, &[label(["a", "ann", "yes", ""])]) else { return };
    let after = log(scratch.path()).expect("a folder that was written to");
    assert!(after.listed.len() == before.listed.len() + 1);
    let sum = file.file_stem().unwrap().to_str().unwrap().rsplit('-').next().unwrap();
    after.take_back(sum).expect("the batch that was just added");
    before.set_aside().expect("damaged files can be moved");
    assert!(log(scratch.path()).expect("a folder that was written to").damaged.is_empty());
}

/// Labels with whatever in their cells are read back as they were added.
pub(crate) fn label_log_cells(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let cells: Vec<&str> = text.split('|').collect();
    let labels: Vec<NewLabel> = cells.as_chunks().0.iter().map(|cells| label(*cells)).collect();
    // What the intake refuses.
    if labels.is_empty() || labels.iter().any(|l| [&l.id, &l.annotator, &l.value].iter().any(|c| c.is_empty())) {
        return;
    }
    let scratch = Scratch::new();
    let empty = log(scratch.path()).expect("there is no log");
    empty.append(Path::new("new.csv"), SUM, &labels).expect("a new log");
    let read = log(scratch.path()).expect("the log that was just written");
    let cells = |text: &str| text.to_owned();
    let found: Vec<[String; 4]> =
        read.rows.iter().map(|(_, r)| [cells(&r.id), cells(&r.annotator), cells(&r.value), cells(&r.given)]).collect();
    let given: Vec<[String; 4]> =
        labels.iter().map(|l| [cells(&l.id), cells(&l.annotator), cells(&l.value), cells(&l.given)]).collect();
    let sorted = |mut rows: Vec<[String; 4]>| {
        rows.sort();
        rows
    };
    assert_eq!(sorted(found), sorted(given));
}

type Measured = BTreeMap<String, Vec<Option<f64>>>;

fn open(folder: &Path) -> Result<Journal<Measured>, ()> {
    Journal::open(&folder.join("run"), &"settings", &BTreeMap::new()).map_err(told)
}

/// The journal of an evaluation: raw, behind its right heading, and with lines whose sums are right.
pub(crate) fn journal(data: &[u8]) {
    let (form, data) = choice(data, 3);
    let scratch = Scratch::new();
    drop(open(scratch.path()).expect("a new journal"));
    let path = scratch.path().join(".run.evaluation.jsonl");
    let heading = fs::read_to_string(&path).expect("the journal's heading");
    let run: serde_json::Value = serde_json::from_str(&heading).expect("a heading is JSON");
    let run = run["evaluation_of"].as_str().expect("the evaluation's sum");
    let content = match form {
        0 => data.to_vec(),
        1 => [heading.as_bytes(), data].concat(),
        _ => {
            let lines =
                data.split(|byte| *byte == b'\n').map(String::from_utf8_lossy).enumerate().map(|(k, measured)| {
                    let sum = sha256_hex(format!("{k}\n{run}\n{measured}").as_bytes());
                    format!("{{\"replicate\":{k},\"run\":\"{run}\",\"sum\":\"{sum}\",\"measured\":{measured}}}\n")
                });
            (heading.clone() + &lines.collect::<String>()).into_bytes()
        }
    };
    fs::write(&path, &content).expect("a temporary file can be written");
    let Ok(mut journal) = open(scratch.path()) else {
        assert_eq!(fs::read(&path).expect("what was refused is left"), content);
        return;
    };
    let finished = journal.finished();
    let measure = |k: u64| Ok::<_, judge_uncertainty::system::FileError>(Measured::from([(k.to_string(), vec![None])]));
    journal.complete("replicates", finished + 2, measure, &Silent).expect("two more replicates");
    drop(journal);
    assert_eq!(open(scratch.path()).expect("a journal that was written to").finished(), finished + 2);
}

/// An embedder that no text reaches.
struct StandIn;

impl Embedder for StandIn {
    fn settings(&self) -> String {
        "stand-in dimension=2 max_words=3".to_owned()
    }

    fn dimension(&self) -> usize {
        2
    }

    fn embed(
        &mut self,
        _: &[&str],
        _: &mut dyn FnMut(Vec<EmbeddedText>) -> Result<(), EmbeddingError>,
    ) -> Result<(), EmbeddingError> {
        Ok(())
    }
}

/// The cache of embeddings: raw and behind its right heading. What can be opened can be gone on with.
pub(crate) fn embedding_cache(data: &[u8]) {
    let (form, data) = choice(data, 2);
    let (embedder, settings) = (StandIn, StandIn.settings());
    let scratch = Scratch::new();
    let made = EmbeddingCache::open(scratch.path(), &embedder).expect("a new cache");
    let path = made.path().to_owned();
    drop(made);
    let heading = fs::read(&path).expect("the heading");
    let content = if form == 0 { data.to_vec() } else { [heading, data.to_vec()].concat() };
    fs::write(&path, content).expect("a temporary file can be written");
    let texts = ["a text", "another"].map(str::to_owned);
    let _ = EmbeddingCache::lacking(scratch.path(), &settings, &texts).map_err(told);
    let Ok(mut cache) = EmbeddingCache::open(scratch.path(), &embedder).map_err(told) else { return };
    let known = cache.len();
    if cache.get("a text").expect("what is listed can be read").is_none() {
        let embedded = EmbeddedText { index: 0, row: vec![0.6, 0.8], truncated: false };
        cache.append(&["a text"], &[embedded]).expect("one more text");
        drop(cache);
        let mut cache = EmbeddingCache::open(scratch.path(), &embedder).expect("a cache that was written to");
        assert_eq!(cache.len(), known + 1);
        assert_eq!(cache.get("a text").expect("it is there"), Some((vec![0.6, 0.8], false)));
    }
}

/// An output folder whose record is anything, and what an interrupted run may have left beside it: a file that no run
/// wrote is never removed.
pub(crate) fn output_folder(data: &[u8]) {
    let (place, data) = choice(data, 2);
    let scratch = Scratch::new();
    let run = scratch.path().join("run");
    let beside = scratch.path().join(".run.judge-uncertainty");
    let mine = [run.join("mine.txt"), beside.join("mine.txt"), scratch.path().join("mine.txt")];
    for folder in [run.join("results"), beside.join("new"), beside.join("old/results")] {
        fs::create_dir_all(folder).expect("a temporary folder");
    }
    mine.iter().for_each(|file| fs::write(file, "mine").expect("a temporary file"));
    let lists = [run.join("results/manifest.json"), beside.join("files.json")];
    fs::write(&lists[place], data).expect("a temporary file");
    // A list that names the files of the user makes them the program's; nothing but an edit does.
    let named = String::from_utf8_lossy(data).contains("mine");
    if let Ok(folder) = OutputFolder::<StudyManifest>::check(&run).map_err(told) {
        let mut staged = Staged::default();
        staged.put("items.csv", "id\n");
        let _ = folder.commit(&staged).map_err(told);
    }
    assert!(named || mine.iter().all(|file| file.is_file()), "a file of the user is gone");
    assert!(mine[2].is_file(), "a file beside the folder is gone");
}
