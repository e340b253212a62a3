//! Every command that writes, with a fault at every operation on the disk: a full disk, and a kill. Afterwards each
//! file is the old one or the new one, or one that the command adds to and reads as far as it is whole; and the same
//! command, given again, ends with the same bytes as without a fault and leaves nothing beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::originals::{ONE, TWO, archive, fetch_two};
use crate::support::{ALL, copy, note_trials, put_results, repository};

/// A command that writes.
struct Writing {
    /// Its arguments; `MODEL` stands for a small sentence model, `DATA` for the program's data.
    arguments: &'static [&'static str],
    /// What is done before.
    before: &'static [&'static [&'static str]],
    /// Every so many operations are tried, or every single one where [`ALL`] is set, which takes long. Folders go
    /// through one place, of which `crates/system` tries every operation.
    every: usize,
}

/// What stands in the folder in which commands are run.
const FILES: [(&str, &str); 7] = [
    (
        "further.csv",
        "id,words,confidence,p_plain_positive,p_plain_negative,p_plain_mixed,\
         p_strict_positive,p_strict_negative,p_strict_mixed\n\
         a,9,80,0.5,0.25,0.25,0.5,0.25,0.25\nb,4,,0.1,0.8,0.1,,,\nc,4,,0.1,0.8,0.9,,,\n",
    ),
    ("items.csv", "id,text\na,first\nb,second\nc,third\n"),
    (
        "study.toml",
        "title = \"colours\"\nclasses = [\"red\", \"blue\"]\n[items]\nfile = \"items.csv\"\ntext = \"{text}\"\n[judge]\nfile = \"p.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"l.csv\"\nform = \"long\"\n",
    ),
    ("new.csv", "id,annotator,label\nr01,zoe,mixed\nr02,zoe,negative\n"),
    ("more.csv", "id,annotator,label\nr03,zoe,mixed\n"),
    ("matrix.csv", "id,x,y\na,1,0\nb,0,1\nc,1,1\nd,2,1\n"),
    ("plan.toml", "[[hypothesis]]\nfinding = \"agreement\"\nabove = 0.1\n"),
];

const INIT: &[&str] = &["study", "init", "s"];
const ADD: &[&str] = &["study", "labels", "add", "new.csv", "s"];
const RUN: &[&str] = &["study", "run", "s", "--force"];
const ASK: &[&str] = &["judge", "run", ".", "--judge", "simulated", "--concurrency", "1", "--out", "d"];
const EMBED: &[&str] = &[
    "embed",
    "--items",
    "items.csv",
    "--text",
    "{text}",
    "--model",
    "MODEL",
    "--cache",
    "c",
    "--threads",
    "1",
    "--out",
    "m.npy",
];

const QUEUE: &[&str] = &["study", "queue", "s", "--budget", "3", "--force"];
const MORE: &[&str] = &["study", "queue", "s", "--budget", "5", "--force"];
const LABEL: &[&str] = &["study", "label", "s"];
const REPRODUCE: &[&str] = &["reproduce", "--only", "dice", "--replicates", "2", "--data", "DATA", "--out", "a"];

const APPLY: &[&str] = &[
    "apply",
    "s/run",
    "--items",
    "further.csv",
    "--out",
    "o",
    "--batch",
    "1",
    "--threads",
    "1",
    "--top",
    "2",
    "--set-aside",
    "aside.jsonl",
];

const COMMANDS: [Writing; 16] = [
    Writing { arguments: INIT, before: &[], every: 1 },
    Writing { arguments: &["study", "register", "s", "--plan", "plan.toml"], before: &[INIT], every: 1 },
    Writing { arguments: ADD, before: &[INIT], every: 1 },
    Writing { arguments: &["study", "labels", "add", "more.csv", "s"], before: &[INIT, ADD], every: 1 },
    Writing { arguments: &["study", "labels", "remove", "new.csv", "s"], before: &[INIT, ADD], every: 1 },
    Writing { arguments: RUN, before: &[INIT, RUN, ADD], every: 13 },
    Writing { arguments: QUEUE, before: &[INIT], every: 7 },
    Writing { arguments: ASK, before: &[], every: 1 },
    Writing { arguments: EMBED, before: &[], every: 1 },
    // The page of before is of another queue.
    Writing { arguments: LABEL, before: &[INIT, QUEUE, LABEL, MORE], every: 1 },
    // Into a folder that is not in the study.
    Writing { arguments: &["study", "run", "s", "--out", "run", "--force"], before: &[INIT], every: 11 },
    Writing { arguments: REPRODUCE, before: &[], every: 37 },
    // Over results of before, which are then replaced.
    Writing { arguments: REPRODUCE, before: &[RENDER], every: 53 },
    Writing { arguments: RENDER, before: &[], every: 37 },
    Writing { arguments: APPLY, before: &[INIT, RUN], every: 3 },
    Writing { arguments: &["study", "labels", "export", "all.csv", "s", "--force"], before: &[INIT, ADD], every: 1 },
];

/// Of the committed results of the dice, which stand in the folder `a`.
const RENDER: &[&str] = &["render", "--artifact", "a", "--claims", "DATA/paper/claims.toml"];

/// Files that are added to: the program reads them as far as they are whole.
const GROWING: [&str; 2] = ["answers.jsonl", ".embeddings"];

/// Files that are made anew, whole, from the answers on file, however many there are.
const OF_ANSWERS: [&str; 2] = ["d/predictions.csv", "d/summary.json"];

struct Place(TempDir);

impl Place {
    fn new(before: &[&[&str]], arguments: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        FILES.iter().for_each(|(name, text)| fs::write(place.0.path().join(name), text).unwrap());
        place.put_inputs(&[before, &[arguments]].concat());
        for arguments in before {
            let output = place.run(arguments, None);
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        place
    }

    /// These files in another folder.
    fn copy(&self) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        copy(self.0.path(), place.0.path());
        place
    }

    /// What some commands read and what is not made in a line.
    fn put_inputs(&self, commands: &[&[&str]]) {
        if commands.contains(&RENDER) {
            put_results("dice", &self.0.path().join("a"));
        }
    }

    fn run(&self, arguments: &[&str], fault: Option<&str>) -> Output {
        let named = |name: &str| repository(name).to_str().unwrap().to_owned();
        let arguments = arguments
            .iter()
            .map(|word| word.replace("MODEL", &named("tests/golden/tiny-model")).replace("DATA", &named("data")));
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
        command.args(arguments).current_dir(self.0.path()).env_remove("JUDGE_UNCERTAINTY_FAULT");
        command.envs(fault.map(|fault| ("JUDGE_UNCERTAINTY_FAULT", fault))).output().unwrap()
    }

    /// All files, hidden ones too, without what differs from run to run. The file of a lock is left by a kill; it holds
    /// nobody up, and the next that writes to the same place removes it.
    fn files(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect(self.0.path(), self.0.path(), &mut found);
        found
    }
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name.ends_with(".judge-uncertainty.lock") {
                continue;
            }
            let text = settled(&String::from_utf8_lossy(&fs::read(&path).unwrap()));
            // The names of added labels have times and sums.
            let labels = name.contains("/labels/") && name.ends_with(".jsonl");
            found.insert(if labels { format!("labels/{text}") } else { name }, text);
        }
    }
}

/// A text without times, sums and durations.
fn settled(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !(c.is_alphanumeric() || "-:.".contains(c)));
    let varies = |word: &str| {
        let plain = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let sum = plain.len() == 64 && plain.bytes().all(|c| c.is_ascii_hexdigit());
        let time = plain.len() > 15 && plain.as_bytes()[4] == b'-' && plain.contains('T') && plain.contains(':');
        sum || time || plain.len() > 80 && plain.ends_with(".jsonl")
    };
    let end =
        |word: &str| word.chars().last().filter(|c| !c.is_ascii_alphanumeric()).map_or(String::new(), String::from);
    let shown = |word: &str| if varies(word) { format!("*{}", end(word)) } else { word.to_owned() };
    let text: String = words.map(shown).collect();
    text.split_inclusive('\n').filter(|line| !line.contains("\"seconds\"")).collect()
}

fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.'))
}

/// After a fault: every file is as before or as after.
fn check_state(
    found: &BTreeMap<String, String>,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    case: &str,
) {
    for name in before.keys().filter(|name| after.contains_key(*name) && !is_hidden(name)) {
        assert!(found.contains_key(name), "{case}: {name} is gone");
    }
    for (name, text) in found.iter().filter(|(name, _)| !is_hidden(name)) {
        let old = before.get(name).map_or("", String::as_str);
        let whole = [before, after].iter().any(|state| state.get(name) == Some(text));
        let growing = GROWING.iter().any(|growing| name.ends_with(growing)) && text.starts_with(old);
        let of_answers = OF_ANSWERS.contains(&name.as_str()) && text.ends_with('\n');
        assert!(whole || growing || of_answers, "{case}: {name} is neither the old nor the new one:\n{text}");
    }
}

fn hold(writing: &Writing) {
    let Writing { arguments, before, every } = writing;
    let every = if std::env::var_os(ALL).is_some() { 1 } else { *every };
    let prepared = Place::new(before, arguments);
    let old = prepared.files();
    let place = prepared.copy();
    let output = place.run(arguments, None);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let new = place.files();
    let mut operations = 0;
    for n in (0..).step_by(every) {
        for kind in ["kill", "full"] {
            let case = format!("{} {kind}:{n}", arguments.join(" "));
            let place = prepared.copy();
            let output = place.run(arguments, Some(&format!("{kind}:{n}")));
            let (code, text) = (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
            if kind == "kill" && code != Some(137) {
                assert_eq!(code, Some(0), "{case}: {text}");
                assert!(operations >= 3, "{case}: only {operations} operations were tried");
                let name = arguments[..arguments.len().min(3)].join(" ");
                note_trials(&format!("kills and full disks: {name}"), operations, "files neither old nor new", 0);
                return;
            }
            operations += 1;
            assert!(kind == "kill" || code == Some(1) || code == Some(0), "{case}: {code:?} {text}");
            let found = place.files();
            check_state(&found, &old, &new, &case);
            let again = place.run(arguments, None);
            let text = String::from_utf8_lossy(&again.stderr).into_owned();
            let found = place.files();
            // What was done before the fault is not done twice.
            let done = again.status.code() == Some(2) && visible(&found) == visible(&new);
            assert!(done || again.status.code() == Some(0), "{case}, then {text}");
            assert_eq!(found, new, "{case}, then the same again");
        }
    }
}

fn visible(files: &BTreeMap<String, String>) -> Vec<(&String, &String)> {
    files.iter().filter(|(name, _)| !is_hidden(name)).collect()
}

macro_rules! hold {
    ($($name:ident: $($place:literal),+;)+) => {
        $(#[test]
        fn $name() {
            [$($place),+].iter().for_each(|place: &usize| hold(&COMMANDS[*place]));
        })+
    };
}

hold! {
    a_fault_at_any_operation_of_init_and_register: 0, 1;
    a_fault_at_any_operation_of_labels: 2, 3, 4, 15;
    a_fault_while_a_study_is_run_or_queued: 5, 6;
    a_fault_at_any_operation_of_a_judge: 7;
    a_fault_at_any_operation_of_embeddings: 8;
    a_fault_at_any_operation_of_a_page_to_label_on: 9;
    a_fault_while_a_study_is_run_elsewhere: 10;
    a_fault_while_the_paper_is_reproduced: 11, 12;
    a_fault_while_results_are_rendered: 13;
    a_fault_while_a_belief_is_applied: 14;
}

/// What the helper below writes to, and by its presence, that it is the helper.
const FETCHED: &str = "JUDGE_UNCERTAINTY_TEST_FETCH";

/// Fetches made-up originals into the folder that [`FETCHED`] names; a process of its own, because the sums of the real
/// ones are part of the program and a fault ends the process.
#[test]
fn fetching_for_the_test_of_faults() {
    let Some(folder) = std::env::var_os(FETCHED) else { return };
    let folder = Path::new(&folder);
    if let Err(error) = fetch_two(folder.join("a.zip").to_str().unwrap(), folder) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

#[test]
fn a_fault_at_any_operation_of_fetched_originals() {
    let fetched = |folder: &Path, fault: Option<&str>| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "faults::fetching_for_the_test_of_faults", "--nocapture"]);
        command.env(FETCHED, folder).env_remove("JUDGE_UNCERTAINTY_FAULT");
        command.envs(fault.map(|fault| ("JUDGE_UNCERTAINTY_FAULT", fault)));
        command.output().unwrap().status.code()
    };
    let place = || {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.zip"), archive(&[("chaosNLI_v1.0/one", ONE), ("chaosNLI_v1.0/two", TWO)]))
            .unwrap();
        folder
    };
    let files = |folder: &TempDir| {
        let mut found = BTreeMap::new();
        collect(folder.path(), folder.path(), &mut found);
        found
    };
    let whole = place();
    let old = files(&whole);
    assert_eq!(fetched(whole.path(), None), Some(0));
    let new = files(&whole);
    assert_eq!(new.len(), 3);
    for n in 0.. {
        let mut codes = vec![];
        for kind in ["kill", "full"] {
            let case = format!("{kind}:{n}");
            let folder = place();
            codes.push(fetched(folder.path(), Some(&case)));
            check_state(&files(&folder), &old, &new, &case);
            assert_eq!(fetched(folder.path(), None), Some(0), "{case}");
            assert_eq!(files(&folder), new, "{case}, then again");
        }
        match codes.as_slice() {
            [Some(137), Some(1)] => {}
            [Some(0), Some(0)] if n > 5 => return,
            // The last operations see to the disk what is whole already.
            [Some(137), Some(0)] => {}
            other => panic!("{n}: {other:?}"),
        }
    }
}
