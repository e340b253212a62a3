//! Files are read in one way, and a read that fails is told by every command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::support::{copy, is_tried, note_trials, put_results, repository};
use crate::terminal::FURTHER;

fn run(folder: &Path, arguments: &[&str], fault: Option<usize>) -> Output {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    command.args(arguments).current_dir(folder).env_remove("JUDGE_UNCERTAINTY_FAULT");
    command.envs(fault.map(|n| ("JUDGE_UNCERTAINTY_FAULT", format!("read:{n}")))).output().unwrap()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true if !["target", "benches", "tests"].contains(&name.as_str()) => sources(&path, found),
            true => {}
            false if name.ends_with(".rs") && !name.ends_with("tests.rs") => found.push(path),
            false => {}
        }
    }
}

/// What opens a file for reading besides `judge_uncertainty_system::read`.
#[test]
fn files_are_opened_for_reading_in_one_place() {
    let mut files = vec![];
    sources(&repository("crates"), &mut files);
    sources(&repository("src"), &mut files);
    let mut others = vec![];
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let product = text.split("#[cfg(test)]\nmod ").next().unwrap().split("#[cfg(all(test").next().unwrap();
        for line in product.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let opens = ["fs::read(", "fs::read_to_string(", " File::open(", "(File::open("];
            if opens.iter().any(|open| line.contains(open)) && !line.contains("sync") {
                others.push(format!("{}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// What stands beside the starter study, which has a run, a queue, labels that were added, a page, and a summary of its
/// judge.
const FILES: [(&str, &str); 8] = [
    ("one.csv", "id,annotator,label\nr01,zoe,mixed\n"),
    ("two.csv", "id,annotator,label\nr02,zoe,mixed\n"),
    ("further.csv", FURTHER),
    ("items.csv", "id,text\na,red\nb,green\nc,blue\n"),
    (
        "study.toml",
        "title = \"colours\"\nclasses = [\"red\", \"blue\"]\n[items]\nfile = \"items.csv\"\ntext = \"{text}\"\n[judge]\nfile = \"p.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"l.csv\"\nform = \"long\"\n",
    ),
    ("matrix.csv", "id,x,y\na,1,0\nb,0,1\nc,1,1\n"),
    ("lookup.csv", "id,verdict,human\na,yes,yes\nb,no,no\nc,yes,no\nd,no,no\ne,yes,yes\nf,no,yes\n"),
    ("plan.toml", "[[hypothesis]]\nfinding = \"agreement\"\nabove = 0.1\n"),
];

/// A judge's folder that a second run goes on with.
const SIMULATED: [&str; 7] = ["judge", "run", ".", "--judge", "simulated", "--out", "j"];

/// A folder with all that commands need.
pub(super) fn worked() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    FILES.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    let before: [&[&str]; 8] = [
        &["study", "init", "s"],
        &["study", "queue", "s", "--budget", "2"],
        &["study", "labels", "add", "one.csv", "s"],
        &["study", "register", "s", "--plan", "plan.toml"],
        &["study", "run", "s", "--replicates", "2"],
        &["study", "label", "s"],
        &["embed", "--items", "items.csv", "--text", "{text}", "--model", "model", "--cache", "c", "--out", "m.npy"],
        &SIMULATED,
    ];
    copy(&repository("tests/golden/tiny-model"), &folder.path().join("model"));
    put_results("dice", &folder.path().join("dice"));
    for arguments in before {
        let output = run(folder.path(), arguments, None);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    fs::write(folder.path().join("s/summary.json"), "{\"program\":\"judge-uncertainty 0\",\"model\":\"m\"}").unwrap();
    folder
}

#[cfg(debug_assertions)]
#[test]
fn a_read_that_fails_is_told_by_every_command() {
    let dry = ["judge", "run", ".", "--dry-run", "--model", "m", "--out", "d"];
    let data = repository("data");
    let data = data.to_str().unwrap();
    let log = repository("tests/golden/logs/samples_judge_choice.jsonl");
    let artifact = repository("artifact");
    let artifact = artifact.to_str().unwrap();
    let commands: &[&[&str]] = &[
        &["study", "check", "s"],
        &["study", "run", "s", "--force", "--replicates", "2"],
        &["study", "plan", "s"],
        &["study", "queue", "s", "--budget", "2", "--out", "again"],
        &["study", "queue", "s", "--budget", "2", "--force"],
        &["study", "compare", "s", "s"],
        &["study", "label", "s"],
        &["study", "labels", "list", "s"],
        &["study", "labels", "export", "all.csv", "s"],
        &["study", "labels", "set-aside", "s"],
        &["study", "labels", "remove", "one.csv", "s"],
        &["study", "labels", "add", "two.csv", "s"],
        &["audit", log.to_str().unwrap(), "--out", "made"],
        &["apply", "s/run", "--items", "further.csv", "--out", "applied"],
        &["audit", "lookup.csv"],
        &["embed", "--items", "items.csv", "--text", "{text}", "--model", "model", "--cache", "c", "--out", "m.npy"],
        &["neighbours", "--embeddings", "matrix.csv", "--k", "1", "--engine", "hnsw"],
        &["neighbours", "--embeddings", "m.npy", "--k", "1"],
        &["compare", artifact, artifact],
        &["verify", "--artifact", artifact],
        &["reproduce", "--only", "dice", "--replicates", "2", "--data", data, "--out", "dice"],
        &["reproduce", "--replicates", "2", "--data", data, "--out", "all"],
        &["render", "--artifact", "dice"],
        &["explain", "setup-dice-count", "--artifact", "dice"],
        &["data", "fetch", "chaosnli", "--from", "lookup.csv", "--out", "fetched"],
        &["study", "register", "s", "--plan", "plan.toml"],
        &SIMULATED,
        &dry,
    ];
    let worked = worked();
    let (mut trials, mut silent) = (0, vec![]);
    for arguments in commands {
        // Behind them come the inputs of all experiments, which the command above it reads, too.
        let most = if arguments.contains(&"all") { 12 } else { usize::MAX };
        for fault in (0..most).filter(|fault| *fault == 0 || is_tried(*fault, 3) || most == 12) {
            let folder = tempfile::tempdir().unwrap();
            copy(worked.path(), folder.path());
            let output = run(folder.path(), arguments, Some(fault));
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            if !told.contains("a read fails on request") {
                // The fault came behind the last read.
                assert!(fault > 0, "{arguments:?} reads nothing: {told}");
                break;
            }
            trials += 1;
            // What is beside the point of a command is left out and told, if it can't be read.
            if output.status.success() || !told.contains("a fault on request") {
                silent.push(format!("{arguments:?} at {fault}: {:?} {told}", output.status));
            }
        }
    }
    assert!(silent.is_empty(), "{} of {trials}:\n{}", silent.len(), silent.join("\n"));
    let class = format!("reads that fail in {} commands", commands.len());
    note_trials(&class, trials, "ends with status 0 or without a word", silent.len());
}

/// A pipe or a device in the place of any file that a command reads: refused, and nobody waits for what never comes.
#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices_are_refused_by_every_command() {
    let embed = ["embed", "--items", "items.csv", "--text", "{text}", "--model", "model", "--out", "m.npy"];
    let places: &[(&str, &[&str])] = &[
        ("s/study.toml", &["study", "check", "s"]),
        ("s/items.csv", &["study", "check", "s"]),
        ("s/judge.csv", &["study", "run", "s", "--force"]),
        ("s/labels.csv", &["study", "queue", "s", "--budget", "2", "--force"]),
        ("s/summary.json", &["study", "plan", "s"]),
        ("s/labels/mine.jsonl", &["study", "labels", "list", "s"]),
        ("s/labels/mine.jsonl", &["study", "labels", "add", "two.csv", "s"]),
        ("s/added-labels.csv", &["study", "labels", "convert", "s"]),
        ("s/registration.toml", &["study", "run", "s", "--force"]),
        ("s/queue/queue.json", &["study", "run", "s"]),
        ("two.csv", &["study", "labels", "add", "two.csv", "s"]),
        ("plan.toml", &["study", "register", "s", "--plan", "plan.toml"]),
        ("further.csv", &["apply", "s/run", "--items", "further.csv", "--out", "applied"]),
        ("s/run/results/belief.json", &["apply", "s/run", "--items", "further.csv", "--out", "applied"]),
        ("lookup.csv", &["audit", "lookup.csv"]),
        ("items.csv", &embed),
        ("model/model.onnx", &embed),
        ("model/tokenizer.json", &embed),
        ("matrix.csv", &["neighbours", "--embeddings", "matrix.csv", "--k", "1"]),
        ("m.npy", &["neighbours", "--embeddings", "m.npy", "--k", "1"]),
        ("m.npy.ids.txt", &["neighbours", "--embeddings", "m.npy", "--k", "1"]),
    ];
    let worked = worked();
    let mut trials = 0;
    for (file, arguments) in places {
        for device in ["pipe", "/dev/zero"] {
            let folder = tempfile::tempdir().unwrap();
            copy(worked.path(), folder.path());
            let place = folder.path().join(file);
            // Neither a file among the batches of labels nor a log of an older version is made by `worked`.
            if !file.starts_with("s/labels/") && *file != "s/added-labels.csv" {
                fs::remove_file(&place).unwrap_or_else(|error| panic!("{file}: {error}"));
            }
            match device {
                "pipe" => assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success()),
                device => std::os::unix::fs::symlink(device, &place).unwrap(),
            }
            let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
            // Who waits for ever is ended, and has no status then.
            let command =
                command.args(*arguments).current_dir(folder.path()).timeout(std::time::Duration::from_secs(100));
            let output = command.output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            let case = format!("{file} is {device}, {arguments:?}: {:?} {told}", output.status);
            assert!(matches!(output.status.code(), Some(1 | 2)), "{case}");
            let name = Path::new(file).file_name().unwrap().to_string_lossy();
            assert!(told.contains(&*name) || told.contains("model"), "{case}");
            trials += 1;
        }
    }
    note_trials("pipes and devices in the place of a file", trials, "waits or is read", 0);
}
