//! What belongs to a study: its configuration, its tables, plans, registrations, queues and the labels that come back.

use std::path::Path;
use std::sync::OnceLock;

use judge_uncertainty::formats::batches::{Batch, Header, source};
use judge_uncertainty::study::apply::applier::Applier;
use judge_uncertainty::study::belief_file::BeliefFile;
use judge_uncertainty::study::findings::Answer;
use judge_uncertainty::study::intake::Intake;
use judge_uncertainty::study::queue::files::read_selection;
use judge_uncertainty::study::registration::{Plan, Registration};
use judge_uncertainty::study::{Decomposition, InputReport, Study};
use judge_uncertainty::system::progress::Silent;
use serde_json::Value;

use super::packed;
use super::results::edited;
use super::tables::told;
use crate::scratch::{Scratch, choice};

/// Files of a study by name.
type Files = [(&'static str, &'static [u8]); 4];

macro_rules! study {
    ($folder:literal, $($file:literal),+) => {
        [$(($file, include_bytes!(concat!("../../../", $folder, "/", $file)).as_slice())),+]
    };
}

/// One study for each sort of label.
const STUDIES: [Files; 3] = [
    study!("examples/starter", "study.toml", "items.csv", "judge.csv", "labels.csv"),
    study!("fuzz/seeds/ordinal", "study.toml", "items.csv", "judge.csv", "labels.csv"),
    study!("fuzz/seeds/scores", "study.toml", "items.csv", "judge.csv", "labels.csv"),
];

/// Reads a study, and fits what could be read.
fn run(folder: &Path) {
    let Ok(study) = Study::load(folder).map_err(told) else { return };
    let report = InputReport::new(&study);
    assert_eq!(report, InputReport::new(&Study::load(folder).expect("it was read before")));
    let _ = Decomposition::new(&study, &Silent).map_err(told);
}

fn with(study: usize, place: usize, data: &[u8]) {
    let scratch = Scratch::new();
    for (i, (name, content)) in STUDIES[study].iter().enumerate() {
        scratch.put(name, if i == place { data } else { content });
    }
    run(scratch.path());
}

/// `study.toml`.
pub(crate) fn configuration(data: &[u8]) {
    let (study, data) = choice(data, STUDIES.len());
    with(study, 0, data);
}

/// The other tables of a study.
pub(crate) fn study_table(data: &[u8]) {
    let (which, data) = choice(data, 3 * STUDIES.len());
    with(which / 3, 1 + which % 3, data);
}

fn starter() -> &'static Study {
    static STARTER: OnceLock<Study> = OnceLock::new();
    STARTER.get_or_init(|| {
        let scratch = Scratch::new();
        STUDIES[0].iter().for_each(|(name, content)| drop(scratch.put(name, content)));
        Study::load(scratch.path()).expect("the starter is a study")
    })
}

/// The draft of a registration.
pub(crate) fn plan(data: &[u8]) {
    let study = starter();
    let answer = Answer::of_labels(study);
    let known: Vec<&str> = answer.findings.iter().map(|finding| finding.id.as_str()).collect();
    let scratch = Scratch::new();
    let _ = Plan::load(&scratch.put("hypotheses.toml", data), |_| (-1.0, 1.0), &known).map_err(told);
}

/// A registration as it stands on the disk, and one frozen from a plan: what is written is read as the same.
pub(crate) fn registration(data: &[u8]) {
    let (sealed, data) = choice(data, 2);
    let scratch = Scratch::new();
    if sealed == 0 {
        scratch.put("registration.toml", data);
        let _ = Registration::load(scratch.path()).map_err(told);
        return;
    }
    let text = String::from_utf8_lossy(data);
    let Ok(plan) = toml::from_str::<Plan>(&text) else { return };
    let study = starter();
    let frozen = Registration::new(plan, study);
    frozen.write(scratch.path()).expect("nothing is there yet");
    match Registration::load(scratch.path()) {
        Ok(Some(read)) => {
            assert_eq!(read.digest, frozen.digest);
            assert!(read.plan.labels.is_some() || read.deviations(study).is_empty());
        }
        other => panic!("not read back: {other:?}"),
    }
}

/// `selection.csv` of a queue.
pub(crate) fn selection(data: &[u8]) {
    let study = starter();
    let scratch = Scratch::new();
    scratch.put("selection.csv", data);
    let read = read_selection(scratch.path(), None, &study.items.ids, &study.items.file);
    let Ok(selection) = read.map_err(told) else { return };
    assert!(selection.probability.iter().all(|p| (0.0..=1.0).contains(p)));
}

/// Labels on their way back: tables, workbooks and the exports of annotation tools, from somebody who is named or not.
pub(crate) fn tool_export(data: &[u8]) {
    const NAMES: [&str; 6] = ["e.json", "e.jsonl", "e.csv", "e.tsv", "e.xlsx", "e.zip"];
    let (form, data) = choice(data, 2 * NAMES.len());
    let name = NAMES[form % NAMES.len()];
    let content = match name {
        "e.xlsx" => packed::workbook("xl/worksheets/sheet2.xml", data),
        "e.zip" => packed::archive(&[("ann.jsonl", data), ("ben.csv", b"id,uid,text,label,Comments\n1,a,x,yes,\n")]),
        _ => data.to_vec(),
    };
    let scratch = Scratch::new();
    let by = (form >= NAMES.len()).then_some("somebody");
    if let Ok(intake) = Intake::read(&scratch.put(name, content), by).map_err(told) {
        assert!(intake.labels.iter().all(|label| !label.annotator.trim().is_empty()));
    }
}

/// The saved belief of a study, and rows with every column that it reads.
struct Believed {
    belief: Value,
    header: Header,
    batch: Batch,
}

impl Believed {
    fn new(study: usize) -> Self {
        let scratch = Scratch::new();
        STUDIES[study].iter().for_each(|(name, content)| drop(scratch.put(name, content)));
        let study = Study::load(scratch.path()).expect("the seed is a study");
        let decomposition = Decomposition::new(&study, &Silent).expect("the seed can be fitted");
        let (belief, _) = BeliefFile::new(&study, &decomposition);
        let applier = Applier::new(Path::new("belief.json"), belief.clone(), &[]).expect("what was just written");
        let cell = |name: &String| match name.as_str() {
            name if name.starts_with("n_") => "1",
            "ratings" => "\"[1, 2.5]\"",
            _ => "0.2",
        };
        let wanted = applier.wanted();
        let row = wanted.iter().map(cell).collect::<Vec<_>>().join(",");
        let table = scratch.put("rows.csv", format!("{}\n{row}\n", wanted.join(",")));
        let mut rows = source::open(&table, "id").expect("a plain table");
        let batch = rows.next(&wanted, 1).expect("a plain table").expect("it has a row");
        let applied = applier.apply(rows.header(), (&batch, None), None).expect("the columns that it wants");
        assert!(applied.bad.is_empty(), "{:?}", applied.bad);
        let belief = serde_json::from_str(&belief.text()).expect("a belief is JSON");
        Self { belief, header: rows.header().clone(), batch }
    }

    /// The belief with some edits and the sum that it then has: refused, or of use.
    fn with_edits(&self, data: &[u8]) {
        let path = Path::new("belief.json");
        let mut belief = self.belief.clone();
        data.as_chunks::<4>().0.iter().take(8).for_each(|edit| edited(&mut belief, *edit));
        let text = belief.to_string();
        let Err(refused) = BeliefFile::parse(path, text.as_bytes()) else { return self.apply(text.as_bytes()) };
        let message = refused.to_string();
        told(refused);
        let Some(sum) = message.split("the rest is ").nth(1).and_then(|rest| rest.get(..64)) else { return };
        belief["sha256"] = sum.into();
        self.apply(belief.to_string().as_bytes());
    }

    fn apply(&self, text: &[u8]) {
        let path = Path::new("belief.json");
        let Ok(belief) = BeliefFile::parse(path, text).map_err(told) else { return };
        assert_eq!(BeliefFile::parse(path, belief.text().as_bytes()).expect("what is written").text(), belief.text());
        let Ok(applier) = Applier::new(path, belief, &[]).map_err(told) else { return };
        if applier.check(&self.header).map_err(told).is_ok() {
            let _ = applier.apply(&self.header, (&self.batch, None), None).map_err(told);
        }
    }
}

/// `belief.json`, raw, and that of a study of each sort with edits and a right sum: what is read can be applied.
pub(crate) fn belief(data: &[u8]) {
    static BELIEFS: OnceLock<[Believed; 3]> = OnceLock::new();
    let [classes, ordinal, scores] = BELIEFS.get_or_init(|| [0, 1, 2].map(Believed::new));
    let (form, data) = choice(data, 4);
    match form {
        0 => classes.apply(data),
        1 => classes.with_edits(data),
        2 => ordinal.with_edits(data),
        _ => scores.with_edits(data),
    }
}
