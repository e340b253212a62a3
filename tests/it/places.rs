//! Where commands write: never over what they did not write, never two at once, never into a place that can't be
//! replaced.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use judge_uncertainty::artifact::Manifest;
use judge_uncertainty::study::queue::QueueRecord;
use judge_uncertainty::study::results::StudyManifest;
use judge_uncertainty::system::locked::LockedFile;
use judge_uncertainty::system::{OutputFile, OutputFolder};
use tempfile::TempDir;

use crate::support::{put_results, repository, tree};

/// A folder with the starter study in `s`.
fn starter() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    said(0, &["study", "init", "s"], folder.path());
    folder
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("judge-uncertainty");
    Command::new(program).args(arguments).current_dir(folder).output().unwrap()
}

/// What a command says that ends with `code`.
fn said(code: i32, arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{text}");
    text
}

/// A refused command that changes nothing.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let before = tree(folder);
    let text = said(2, arguments, folder);
    assert!(tree(folder) == before, "{arguments:?} changed something\n{text}");
    text
}

#[test]
fn a_run_is_not_replaced_by_the_output_of_another_command() {
    let folder = starter();
    said(0, &["study", "run", "s"], folder.path());
    said(0, &["study", "queue", "s", "--budget", "3"], folder.path());
    let text = refused(&["study", "queue", "s", "--budget", "3", "--out", "s/run", "--force"], folder.path());
    assert!(text.contains("which this command did not write"), "{text}");
    refused(&["study", "run", "s", "--out", "s/queue", "--force"], folder.path());
    let data = repository("data");
    let run = folder.path().join("s/run");
    refused(
        &["reproduce", "--only", "dice", "--quick", "--out", run.to_str().unwrap(), "--data", data.to_str().unwrap()],
        folder.path(),
    );
}

/// Even if the command itself wrote it: what is read from a run must not be replaced by the next.
#[test]
fn inputs_of_a_study_are_never_its_output() {
    let folder = starter();
    said(0, &["study", "run", "s"], folder.path());
    let config = folder.path().join("s/study.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::rename(folder.path().join("s/items.csv"), folder.path().join("s/run/items.csv")).unwrap();
    assert!(text.contains("\"items.csv\""), "{text}");
    fs::write(&config, text.replace("\"items.csv\"", "\"run/items.csv\"")).unwrap();
    let told = refused(&["study", "run", "s", "--force"], folder.path());
    assert!(told.contains("items.csv, which the study reads"), "{told}");
}

#[test]
fn of_two_runs_the_second_is_refused_at_the_start() {
    let folder = starter();
    let held = OutputFolder::<StudyManifest>::check(&folder.path().join("s/run")).unwrap();
    let text = refused(&["study", "run", "s"], folder.path());
    assert!(text.contains(&format!("(process {})", std::process::id())) && text.contains("writes to it"), "{text}");
    drop(held);
    said(0, &["study", "run", "s"], folder.path());
    let hidden = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().starts_with('.');
    let left: Vec<_> = tree(folder.path()).into_keys().filter(hidden).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Something that one process at a time may write, held until it is dropped.
type Held = Box<dyn std::any::Any>;
/// What is held at a path, by what a message about it says, and the commands that write there.
type Shared = (&'static str, fn(&Path) -> Held, &'static str, &'static [&'static [&'static str]]);

/// Every place with every command that writes to it: whichever of two came first holds it, and the second changes
/// nothing.
const SHARED: [Shared; 14] = [
    (
        "s/run",
        run_folder,
        "writes to it",
        &[&["study", "run", "s"], &["study", "queue", "s", "--out", "s/run", "--force"]],
    ),
    ("s/queue", queue_folder, "writes to it", &[&["study", "queue", "s"], &["study", "run", "s", "--out", "s/queue"]]),
    (
        "a",
        artifact_folder,
        "writes to it",
        &[
            &["render", "--artifact", "a", "--claims", "DATA/paper/claims.toml"],
            &["reproduce", "--only", "dice", "--quick", "--data", "DATA", "--out", "a"],
        ],
    ),
    ("s/registration.toml", file, "writes to it", &[&["study", "register", "s", "--plan", "plan.toml"]]),
    ("new/items.csv", file, "writes to it", &[&["study", "init", "new"]]),
    ("s/label.html", file, "writes to it", &[&["study", "label", "s"]]),
    (
        "t/embedding-cache",
        cache,
        "another run is using this embedding cache",
        &[&["study", "run", "t"], &["study", "queue", "t"], &["study", "compare", "t", "t"], &EMBED],
    ),
    (
        "chaosNLI_v1.0/chaosNLI_snli.jsonl",
        file,
        "writes to it",
        &[&["data", "fetch", "chaosnli", "--from", "nothing.zip", "--out", "."]],
    ),
    (
        "chaosNLI_v1.0/chaosNLI_mnli_m.jsonl",
        file,
        "writes to it",
        &[&["data", "fetch", "chaosnli", "--from", "nothing.zip", "--out", "."]],
    ),
    ("d/judge", file, "writes to it", &[&["judge", "run", ".", "--judge", "simulated", "--out", "d"]]),
    (
        "d/answers.jsonl",
        log,
        "another process is writing answers",
        &[&["judge", "run", ".", "--judge", "simulated", "--out", "d"]],
    ),
    (
        "m.npy",
        file,
        "writes to it",
        &[&["embed", "--items", "items.csv", "--text", "{text}", "--model", "MODEL", "--out", "m.npy"]],
    ),
    ("all.csv", file, "writes to it", &[&["study", "labels", "export", "all.csv", "s"]]),
    (
        "o/apply.json",
        file,
        "writes to it",
        &[
            &["apply", "u/run", "--items", "further.csv", "--out", "o"],
            &["apply", "u/run", "--items", "further.csv", "--out", "o", "--top", "1"],
        ],
    ),
];

/// Into the cache of the study `t`.
const EMBED: [&str; 11] = [
    "embed",
    "--items",
    "items.csv",
    "--text",
    "{text}",
    "--model",
    "MODEL",
    "--cache",
    "t/embedding-cache",
    "--out",
    "n.npy",
];

/// The one cache in a folder.
fn cache(folder: &Path) -> Held {
    let files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    log(file)
}

fn run_folder(path: &Path) -> Held {
    Box::new(OutputFolder::<StudyManifest>::check(path).unwrap())
}

fn queue_folder(path: &Path) -> Held {
    Box::new(OutputFolder::<QueueRecord>::check(path).unwrap())
}

fn artifact_folder(path: &Path) -> Held {
    Box::new(OutputFolder::<Manifest>::check(path).unwrap())
}

fn log(path: &Path) -> Held {
    Box::new(LockedFile::open(path).unwrap().unwrap())
}

fn file(path: &Path) -> Held {
    Box::new(OutputFile::hold(path).unwrap())
}

#[test]
fn of_two_commands_at_one_place_the_second_is_refused() {
    let folder = starter();
    let (data, model) = (repository("data"), repository("tests/golden/tiny-model"));
    let asked = items();
    let study = fs::read_to_string(asked.path().join("study.toml")).unwrap();
    let files = [
        ("study.toml", study.as_str()),
        ("items.csv", "id,text\na,first\nb,second\n"),
        ("new.csv", "id,annotator,label\nr01,zoe,mixed\n"),
        ("more.csv", "id,annotator,label\nr02,zoe,mixed\n"),
        ("matrix.csv", "id,x,y\na,1,0\nb,0,1\nc,1,1\n"),
        (
            "further.csv",
            "id,words,confidence,p_plain_positive,p_plain_negative,p_plain_mixed,\
             p_strict_positive,p_strict_negative,p_strict_mixed\n\
             a,9,80,0.5,0.25,0.25,0.5,0.25,0.25\n",
        ),
        ("plan.toml", "[[hypothesis]]\nfinding = \"agreement\"\nabove = 0.1\n"),
    ];
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    said(0, &["study", "labels", "add", "new.csv", "s"], folder.path());
    said(0, &["study", "queue", "s", "--budget", "3"], folder.path());
    said(0, &["study", "init", "t"], folder.path());
    let settings = folder.path().join("t/study.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(settings, format!("{text}\n[familiarity]\nmodel = \"{}\"\n", model.display())).unwrap();
    said(0, &["study", "queue", "t", "--budget", "3"], folder.path());
    fs::remove_dir_all(folder.path().join("t/queue")).unwrap();
    said(0, &["study", "init", "u"], folder.path());
    said(0, &["study", "run", "u"], folder.path());
    for made in ["new", "d", "i", "o", "chaosNLI_v1.0"] {
        fs::create_dir_all(folder.path().join(made)).unwrap();
    }
    put_results("dice", &folder.path().join("a"));
    for (place, hold, told, commands) in SHARED {
        let held = hold(&folder.path().join(place));
        for command in commands {
            let word =
                |word: &&str| word.replace("DATA", data.to_str().unwrap()).replace("MODEL", model.to_str().unwrap());
            let arguments: Vec<String> = command.iter().map(word).collect();
            let text = refused(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), folder.path());
            assert!(text.contains(told), "{arguments:?}: {text}");
        }
        drop(held);
    }
}

#[test]
fn places_that_can_t_be_replaced_are_refused_at_the_start() {
    let folder = starter();
    for out in [".", "..", "s"] {
        refused(&["study", "run", "s", "--out", out, "--force"], folder.path());
    }
    fs::create_dir(folder.path().join("empty")).unwrap();
    let text = refused(&["study", "run", "../s", "--out", "."], &folder.path().join("empty"));
    assert!(text.contains("is the folder that the command runs in"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_a_link_is_refused_and_its_target_kept() {
    let folder = starter();
    let target = folder.path().join("mine.txt");
    fs::write(&target, "mine").unwrap();
    std::os::unix::fs::symlink(&target, folder.path().join("s/.run.evaluation.jsonl")).unwrap();
    let text = refused(&["study", "run", "s"], folder.path());
    assert!(text.contains(".run.evaluation.jsonl: is not the journal of an evaluation"), "{text}");
}

/// Results that were edited, with their sums mended, are shown or refused.
#[test]
fn edited_results_with_mended_sums_are_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let results = repository("artifact/results");
    let read =
        |name: &str| -> serde_json::Value { serde_json::from_slice(&fs::read(results.join(name)).unwrap()).unwrap() };
    let claims = repository("data/paper/claims.toml");
    let mut refusals = 0;
    for pointer in [
        "/results/calibration",
        "/results/coefficients",
        "/results/convergence",
        "/results/convergence_range",
        "/results/items",
    ] {
        let (mut dice, mut manifest) = (read("dice.json"), read("manifest.json"));
        match dice.pointer_mut(pointer) {
            Some(serde_json::Value::Array(list)) => list.clear(),
            Some(serde_json::Value::Number(number)) => *number = 0.into(),
            Some(serde_json::Value::Object(members)) => {
                for list in members.values_mut().filter_map(serde_json::Value::as_array_mut) {
                    list.truncate(1);
                }
            }
            _ => continue,
        }
        let text = dice.to_string();
        for part in ["deterministic", "run"] {
            manifest[part].as_object_mut().unwrap().retain(|experiment, _| experiment == "dice");
        }
        manifest["deterministic"]["dice"]["results_sha256"] =
            judge_uncertainty::formats::checksum::sha256_hex(text.as_bytes()).into();
        manifest["files"] = serde_json::json!(["results/dice.json", "results/manifest.json"]);
        let artifact = folder.path().join(format!("a{refusals}"));
        let _ = fs::remove_dir_all(&artifact);
        fs::create_dir_all(artifact.join("results")).unwrap();
        fs::write(artifact.join("results/manifest.json"), manifest.to_string()).unwrap();
        fs::write(artifact.join("results/dice.json"), text).unwrap();
        let arguments = ["render", "--artifact", artifact.to_str().unwrap(), "--claims", claims.to_str().unwrap()];
        let output = run(&arguments, folder.path());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 2)) && !text.contains("panicked"), "{pointer}: {text}");
        refusals += usize::from(output.status.code() == Some(2));
    }
    assert!(refusals > 0);
}

const SIMULATED: [&str; 5] = ["judge", "run", ".", "--judge", "simulated"];

/// A folder with items to ask a judge about.
fn items() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("items.csv"), "id,text\na,first\nb,second\n").unwrap();
    let study = "title = \"colours\"\nclasses = [\"red\", \"blue\"]\n[items]\nfile = \"items.csv\"\ntext = \"{text}\"\n[judge]\nfile = \"p.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"l.csv\"\nform = \"long\"\n";
    fs::write(folder.path().join("study.toml"), study).unwrap();
    folder
}

#[test]
fn a_judge_replaces_only_what_a_judge_wrote() {
    let folder = items();
    let ask = |out: &'static str| [&SIMULATED[..], &["--out", out]].concat();
    fs::create_dir(folder.path().join("d")).unwrap();
    for name in ["predictions.csv", "self-updates.csv", "summary.json", "answers.jsonl"] {
        let mine = folder.path().join("d").join(name);
        fs::write(&mine, "mine\n").unwrap();
        let text = refused(&ask("d"), folder.path());
        assert!(text.contains(name) && text.contains("was not written by this command"), "{text}");
        fs::remove_file(mine).unwrap();
    }
    said(0, &ask("d"), folder.path());
    said(0, &ask("d"), folder.path());
}

#[test]
fn an_edited_answer_is_refused() {
    let folder = items();
    let ask = [&SIMULATED[..], &["--out", "d"]].concat();
    said(0, &ask, folder.path());
    let path = folder.path().join("d/answers.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let join = |lines: &[serde_json::Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    lines[1]["answer"]["raw"] = "{\"red\": 100, \"blue\": 0}".into();
    fs::write(&path, join(&lines)).unwrap();
    let told = refused(&ask, folder.path());
    assert!(told.contains("answers.jsonl:2: its sum is") && told.contains("it was edited"), "{told}");
    let mut without = lines;
    without[0].as_object_mut().unwrap().remove("sha256").unwrap();
    fs::write(&path, join(&without)).unwrap();
    let told = refused(&ask, folder.path());
    assert!(told.contains("answers.jsonl:1: its sum is missing"), "{told}");
}

#[test]
fn a_starter_that_was_interrupted_is_completed_and_files_of_a_user_are_kept() {
    let folder = starter();
    let study = folder.path().join("s");
    let whole = tree(&study);
    fs::remove_file(study.join("study.toml")).unwrap();
    fs::remove_file(study.join("labels.csv")).unwrap();
    said(0, &["study", "init", "s"], folder.path());
    assert_eq!(tree(&study), whole);
    fs::remove_file(study.join("study.toml")).unwrap();
    fs::write(study.join("labels.csv"), "mine").unwrap();
    let text = refused(&["study", "init", "s"], folder.path());
    assert!(text.contains("s/labels.csv: exists already"), "{text}");
}

/// The device that is always full.
#[cfg(target_os = "linux")]
fn full() -> std::process::Stdio {
    fs::OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

#[cfg(target_os = "linux")]
#[test]
fn full_and_closed_outputs_are_no_panics() {
    let folder = starter();
    let model = repository("tests/golden/tiny-model");
    let embed =
        ["embed", "--items", "s/items.csv", "--text", "{id}", "--model", model.to_str().unwrap(), "--out", "m.npy"];
    let program = || {
        let mut program = std::process::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
        program.current_dir(folder.path()).stdin(std::process::Stdio::null());
        program
    };
    let output = program().args(embed).stdout(full()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && stderr.contains("writing to standard output failed"), "{stderr}");
    for (arguments, code) in
        [(vec!["study", "run", "s"], 0), (vec!["study", "run", "s", "--out", "s/run"], 2), (embed.to_vec(), 0)]
    {
        let output = program().args(&arguments).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
    for arguments in [&["neighbours", "--embeddings", "m.npy", "--k", "30"][..], &embed] {
        let mut child = program().args(arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
}

/// A page replaces the one of before, and nothing else.
#[test]
fn a_page_to_label_on_replaces_no_other_file() {
    let folder = starter();
    said(0, &["study", "queue", "s", "--budget", "3"], folder.path());
    for out in ["s/items.csv", "s/queue/queue.jsonl", "s/queue"] {
        let text = refused(&["study", "label", "s", "--out", out], folder.path());
        assert!(text.contains("was not written by this command, so it is not replaced"), "{text}");
    }
    said(0, &["study", "run", "s"], folder.path());
    refused(&["study", "label", "s", "--out", "s/run/report/index.html"], folder.path());
    said(0, &["study", "label", "s"], folder.path());
    said(0, &["study", "label", "s"], folder.path());
}
