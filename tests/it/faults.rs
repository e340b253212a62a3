//! Every command that writes, with a fault at every operation on the disk: a full disk, and a kill. Afterwards each file is the
//! old one or the new one, or one that the command adds to and reads as far as it is whole; and the same command, given
//! again, ends with the same bytes as without a fault and leaves nothing beside them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::support::repository;

/// A command that writes.
struct Writing {
    /// Its arguments; `MODEL` stands for a small sentence model.
    arguments: &'static [&'static str],
    /// What is done before.
    before: &'static [&'static [&'static str]],
    /// Every so many operations are tried. Folders go through one place, of which `crates/output` tries every operation.
    every: usize,
}

/// What stands in the folder in which commands are run.
const FILES: [(&str, &str); 5] = [
    ("items.csv", "id,text\na,first\nb,second\nc,third\n"),
    ("new.csv", "id,annotator,label\nr01,zoe,mixed\nr02,zoe,negative\n"),
    ("more.csv", "id,annotator,label\nr03,zoe,mixed\n"),
    ("matrix.csv", "id,x,y\na,1,0\nb,0,1\nc,1,1\nd,2,1\n"),
    (
        "plan.toml",
        "[[hypothesis]]\nid = \"h\"\nstatement = \"s\"\nbetter = \"info\"\nthan = \"fewest_labels\"\nbudget = 10\nmeasure = \"value\"\n",
    ),
];

const INIT: &[&str] = &["study", "init", "s"];
const ADD: &[&str] = &["study", "labels", "add", "new.csv", "s"];
const RUN: &[&str] = &["study", "run", "s", "--force"];
const ASK: &[&str] = &[
    "judge",
    "run",
    "--judge",
    "simulated",
    "--classes",
    "red,blue",
    "--items",
    "items.csv",
    "--concurrency",
    "1",
    "--out",
    "d",
];
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

const COMMANDS: [Writing; 11] = [
    Writing { arguments: INIT, before: &[], every: 1 },
    Writing { arguments: &["study", "register", "s", "--plan", "plan.toml"], before: &[INIT], every: 1 },
    Writing { arguments: ADD, before: &[INIT], every: 1 },
    Writing { arguments: &["study", "labels", "add", "more.csv", "s"], before: &[INIT, ADD], every: 1 },
    Writing { arguments: &["study", "labels", "remove", "1", "s"], before: &[INIT, ADD], every: 1 },
    Writing { arguments: RUN, before: &[INIT, RUN, ADD], every: 13 },
    Writing { arguments: &["study", "queue", "s", "--budget", "3", "--force"], before: &[INIT], every: 7 },
    Writing { arguments: ASK, before: &[], every: 1 },
    Writing { arguments: EMBED, before: &[], every: 1 },
    Writing {
        arguments: &["neighbours", "--embeddings", "matrix.csv", "--k", "2", "--index", "i"],
        before: &[],
        every: 1,
    },
    Writing { arguments: &["study", "labels", "export", "all.csv", "s", "--force"], before: &[INIT, ADD], every: 1 },
];

/// Files that are added to: the program reads them as far as they are whole.
const GROWING: [&str; 3] = ["added-labels.csv", "answers.jsonl", ".embeddings"];

/// Files that are made anew, whole, from the answers on file, however many there are.
const OF_ANSWERS: [&str; 2] = ["d/predictions.csv", "d/summary.json"];

struct Place(TempDir);

impl Place {
    fn new(before: &[&[&str]]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        FILES.iter().for_each(|(name, text)| fs::write(place.0.path().join(name), text).unwrap());
        for arguments in before {
            let output = place.run(arguments, None);
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        place
    }

    fn run(&self, arguments: &[&str], fault: Option<&str>) -> Output {
        let model = repository("tests/golden/tiny-model");
        let arguments = arguments.iter().map(|word| if *word == "MODEL" { model.to_str().unwrap() } else { word });
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
        command.args(arguments).current_dir(self.0.path()).env_remove("JUDGE_UNCERTAINTY_FAULT");
        command.envs(fault.map(|fault| ("JUDGE_UNCERTAINTY_FAULT", fault))).output().unwrap()
    }

    /// All files, hidden ones too, without what differs from run to run. The file of a lock is left by a kill; it holds nobody up,
    /// and the next that writes to the same place removes it.
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
            found.insert(name, settled(&String::from_utf8_lossy(&fs::read(&path).unwrap())));
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
        sum || time
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
    let place = Place::new(before);
    let old = place.files();
    let output = place.run(arguments, None);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let new = place.files();
    let mut operations = 0;
    for n in (0..).step_by(*every) {
        for kind in ["kill", "full"] {
            let case = format!("{} {kind}:{n}", arguments.join(" "));
            let place = Place::new(before);
            let output = place.run(arguments, Some(&format!("{kind}:{n}")));
            let (code, text) = (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
            if kind == "kill" && code != Some(137) {
                assert_eq!(code, Some(0), "{case}: {text}");
                assert!(operations >= 3, "{case}: only {operations} operations were tried");
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
    a_fault_at_any_operation_of_labels: 2, 3, 4, 10;
    a_fault_while_a_study_is_run_or_queued: 5, 6;
    a_fault_at_any_operation_of_a_judge: 7;
    a_fault_at_any_operation_of_embeddings_and_indexes: 8, 9;
}
