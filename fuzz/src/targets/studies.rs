//! What belongs to a study: its configuration, its tables, plans, registrations, queues and the labels that come back.

use std::path::Path;
use std::sync::OnceLock;

use judge_uncertainty::escalation::Observed;
use judge_uncertainty::progress::Silent;
use judge_uncertainty::study::estimates::SelectionFile;
use judge_uncertainty::study::intake::Intake;
use judge_uncertainty::study::registration::{Plan, Registration, Testable};
use judge_uncertainty::study::{Classes, Decomposition, InputReport, Kind, Study};
use judge_uncertainty::with_kind;

use super::tables::told;
use crate::scratch::{Scratch, choice};

/// Files of a study by name.
type Files = [(&'static str, &'static [u8]); 4];

macro_rules! study {
    ($folder:literal, $($file:literal),+) => {
        [$(($file, include_bytes!(concat!("../../../", $folder, "/", $file)).as_slice())),+]
    };
}

/// One study of each kind.
const STUDIES: [Files; 3] = [
    study!("examples/starter", "study.toml", "items.csv", "judge.csv", "labels.csv"),
    study!("fuzz/seeds/ordinal", "study.toml", "items.csv", "judge.csv", "labels.csv"),
    study!("fuzz/seeds/scores", "study.toml", "items.csv", "judge.csv", "labels.csv"),
];

/// Reads a study, and fits what could be read.
fn run(folder: &Path) {
    fn of<K: Kind>(folder: &Path) {
        let Ok(study) = Study::<K>::load(folder).map_err(told) else { return };
        let report = InputReport::of(&study);
        assert_eq!(report, InputReport::of(&Study::<K>::load(folder).expect("it was read before")));
        let _ = Decomposition::of(&study, &Silent).map_err(told);
    }
    with_kind!(folder, K => of::<K>(folder))
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

fn starter() -> &'static Study<Classes> {
    static STARTER: OnceLock<Study<Classes>> = OnceLock::new();
    STARTER.get_or_init(|| {
        let scratch = Scratch::new();
        STUDIES[0].iter().for_each(|(name, content)| drop(scratch.put(name, content)));
        Study::load(scratch.path()).expect("the starter is a study")
    })
}

/// The draft of a registration.
pub(crate) fn plan(data: &[u8]) {
    let study = starter();
    let testable = Testable {
        budgets: study.file.config.evaluation.budgets(),
        rules: Classes::rules(study),
        measures: Classes::MEASURES,
        ids: &study.items.ids,
        groups: None,
    };
    let scratch = Scratch::new();
    let _ = Plan::load(&scratch.put("hypotheses.toml", data), &testable).map_err(told);
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
    let frozen = Registration::freeze(plan, study.settings(), study.relative_inputs());
    frozen.write(scratch.path()).expect("nothing is there yet");
    match Registration::load(scratch.path()) {
        Ok(Some(read)) => {
            assert_eq!(read.digest(), frozen.digest());
            assert!(read.deviations(&study.settings(), &study.relative_inputs()).is_empty());
            read.contrasts();
            read.excluded(&study.items.ids, None);
        }
        other => panic!("not read back: {other:?}"),
    }
}

/// `selection.csv` of a queue, and what is estimated by it.
pub(crate) fn selection(data: &[u8]) {
    let study = starter();
    let names = Classes::quantities(&study.file.config.scale);
    let scratch = Scratch::new();
    scratch.put("selection.csv", data);
    let read = SelectionFile::read(scratch.path(), &study.items.ids, &study.items.file, &names);
    let Ok(file) = read.map_err(told) else { return };
    let answer = |i: usize| Observed { mean: (i % 3) as f64 / 2.0, within: (i % 4 == 0).then_some(0.1) };
    let observed: Vec<Option<Observed>> = (0..study.len()).map(|i| (i % 2 == 0).then(|| answer(i))).collect();
    for name in &names {
        if let Ok(mean) = file.estimate(name, &observed, (0.0, 1.0), 0.95) {
            assert!((0.0..=1.0).contains(&mean.weighted.mean), "{mean:?}");
        }
    }
}

/// Labels on their way back: tables and the exports of annotation tools.
pub(crate) fn tool_export(data: &[u8]) {
    let (form, data) = choice(data, 4);
    let scratch = Scratch::new();
    let file = scratch.put(["e.json", "e.jsonl", "e.csv", "e.tsv"][form], data);
    if let Ok(intake) = Intake::read(&file, None).map_err(told) {
        assert!(intake.answers.labels.iter().all(|label| !label.annotator.trim().is_empty()));
    }
}
