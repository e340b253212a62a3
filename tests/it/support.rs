//! Golden files, comparisons, and the command line.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use judge_uncertainty::artifact::{Manifest, Results};
use judge_uncertainty::experiments::Experiment;
use judge_uncertainty::report::claims::Claims;
use judge_uncertainty::report::verdicts::Verdicts;
use serde_json::{Value, json};

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Copies a folder with all that is in it into another.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Everything below a folder; folders have no content.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(tree(&path));
        }
        found.insert(path.clone(), std::fs::read(&path).ok());
    }
    found
}

/// Says that a part of a test did not run, past the capture of a passing test's output.
#[expect(clippy::explicit_write, reason = "what `eprintln` says in a test that passes is not shown")]
pub(crate) fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").unwrap();
}

/// The variable by whose presence trials are made in full, which takes long; without it a part of them is.
pub(crate) const ALL: &str = "JUDGE_UNCERTAINTY_TEST_ALL_FAULTS";

/// Whether the `k`-th trial of many is made: every one where [`ALL`] is set, else one of each `every`.
pub(crate) fn is_tried(k: usize, every: usize) -> bool {
    std::env::var_os(ALL).is_some() || k.is_multiple_of(every)
}

/// Notes how many trials of a class were made, and how often what must not happen did: a row of
/// `evidence/boundary-trials.csv`, added to the file that the environment variable `JUDGE_UNCERTAINTY_TEST_TRIALS` names.
pub(crate) fn note_trials(class: &str, trials: usize, outcome: &str, found: usize) {
    println!("{class}: {trials} trials, {found} {outcome}");
    let Some(file) = std::env::var_os("JUDGE_UNCERTAINTY_TEST_TRIALS") else { return };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
    file.write_all(format!("{class},{trials},{outcome},{found}\n").as_bytes()).unwrap();
}

/// A golden file of `tests/golden`.
pub(crate) fn golden(name: &str) -> Value {
    let path = repository("tests/golden").join(name);
    let text = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A JSON number.
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// A JSON list of numbers.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list")).iter().map(number).collect()
}

/// Six invented claims, one for each verdict and way of asking, with texts that are hard to show.
pub(crate) const FIXTURE_CLAIMS: &str = r#"
[reasons]
swaps = "Items that nearly tie may swap; measured: 0.4 & less < 0.5."

[[claim]]
id = "agreeing"
experiment = "dice"
place = "Table 1 (tab:one), upper row, value"
statement = "A number that agrees"
published = "3,113"
value = 3113
decimals = 0
unit = "dice"
quantity = "dice/items"
class = "exact"

[[claim]]
id = "near"
experiment = "dice"
place = "Table 1 (tab:one), lower row, value"
statement = "A number within tolerance, of <b>bold</b> statement & \"quotes\""
published = "+6.8"
value = 6.8
decimals = 1
quantity = "dice/regret_pp/mean"
class = "monte-carlo"
bound = 0.45
reason = "swaps"

[[claim]]
id = "far"
experiment = "dice"
place = "Sec. 2 (sec:two)"
statement = "判断の不確かさ of the escalated items, which has to be told in more than one line"
published = ".76"
value = 0.76
decimals = 2
quantity = "dice/isolation/mean"
class = "exact"

[[claim]]
id = "beyond"
experiment = "chaosnli"
place = "Sec. 2 (sec:two), with a\ttab"
statement = "A threshold"
published = "above 90"
value = 90
decimals = 0
relation = "above"
unit = "%"
quantity = "chaosnli/judge/confidence"
class = "exact"

[[claim]]
id = "twice"
experiment = "chaosnli"
place = "Sec. 2 (sec:two), text"
statement = "A number that was rounded twice"
published = "0.2"
value = 0.2
decimals = 1
rounded_through = 2
quantity = "chaosnli/full/se"
class = "exact"

[[claim]]
id = "absent"
experiment = "simulations"
place = "App. A"
statement = "A number that was not computed"
published = "~50"
value = 50
decimals = 0
unit = "pp"
quantity = "simulations/null/mean"
class = "approximate"

[[reading]]
id = "literal-far"
of = "far"
statement = "判断 word for word, which agrees & is <i>told</i>"
quantity = "dice/isolation/other"

[[reading]]
id = "literal-near"
of = "near"
statement = "A sentence that the numbers contradict"
published = "loses to"
value = 0
decimals = 3
relation = "above"
quantity = "dice/regret_pp/difference"

[code]
"dice" = "dice.rs#run"
"dice/isolation" = "isolation.rs#correlations"
"chaosnli/judge" = "chaosnli.rs#describe_judge"
"chaosnli/full" = "chaosnli.rs#replicate"
"simulations/null" = "simulations/mod.rs#null"
"#;

/// The invented claims, held against invented results; the simulations were not run.
pub(crate) fn fixture_verdicts(claims: &Claims) -> Verdicts<'_> {
    let results = BTreeMap::from([
        (
            Experiment::Dice,
            json!({
                "items": 3113, "regret_pp": {"mean": 7.14, "difference": -0.0035},
                "isolation": {"mean": 0.7449, "other": 0.7601},
            }),
        ),
        (Experiment::ChaosNli, json!({"judge": {"confidence": 90.34}, "full": {"se": 0.146}})),
    ]);
    Verdicts::from_values(claims, &results, |_| true).unwrap()
}

/// The invented claims, parsed.
pub(crate) fn fixture_claims() -> Claims {
    Claims::parse(FIXTURE_CLAIMS, Path::new("fixture.toml")).unwrap()
}

/// The committed results with their manifest.
pub(crate) fn committed() -> (Results, Manifest) {
    let folder = repository("artifact");
    let manifest = Manifest::load(&folder).unwrap();
    (Results::load(&folder, &manifest).unwrap(), manifest)
}

/// Puts the committed results of an experiment into a folder, with a manifest that is reduced to it.
pub(crate) fn put_results(experiment: &str, folder: &Path) {
    let results = repository("artifact/results");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(results.join("manifest.json")).unwrap()).unwrap();
    let file = format!("results/{experiment}.json");
    manifest["files"] = json!([file, "results/manifest.json"]);
    for part in ["deterministic", "run"] {
        manifest[part].as_object_mut().unwrap().retain(|name, _| name == experiment);
    }
    std::fs::create_dir_all(folder.join("results")).unwrap();
    std::fs::write(folder.join("results/manifest.json"), manifest.to_string()).unwrap();
    std::fs::copy(repository("artifact").join(&file), folder.join(&file)).unwrap();
}

/// Asserts that a file of `artifact/` has this content; else names the first line that differs, and what to do.
pub(crate) fn assert_committed(file: &str, content: &[u8]) {
    let path = repository("artifact").join(file);
    let committed = std::fs::read(&path).unwrap_or_else(|e| panic!("artifact/{file}: {e}"));
    if committed == content {
        return;
    }
    let line = |bytes: &[u8], k: usize| {
        let line = bytes.split(|&byte| byte == b'\n').nth(k);
        line.map_or_else(
            || "(the file ends)".to_owned(),
            |line| String::from_utf8_lossy(line).chars().take(300).collect(),
        )
    };
    let differs = (0..).find(|&k| line(&committed, k) != line(content, k)).unwrap_or(0);
    panic!(
        "artifact/{file}, line {}:\n  committed: {}\n  rendered:  {}\nIf the change is meant, accept it with `cargo \
         run --release -- render --artifact artifact --templates templates` and read `git diff artifact`",
        differs + 1,
        line(&committed, differs),
        line(content, differs),
    );
}

/// As [`run`], of a `study` command.
pub(crate) fn study(args: &[&str], code: i32) -> (String, String) {
    run(&[&["study"], args].concat(), code)
}

/// A copy of an example study.
pub(crate) fn example(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&repository("examples").join(name), folder.path());
    folder
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A file of JSON.
pub(crate) fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A file of JSON Lines.
pub(crate) fn lines_of(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_stale_file_is_named_with_its_first_line_that_differs() {
    let file = "paper/tables/iso.tex";
    let committed = std::fs::read_to_string(repository("artifact").join(file)).unwrap();
    assert_committed(file, committed.as_bytes());
    let lines = committed.lines().count();
    let panic = std::panic::catch_unwind(|| assert_committed(file, format!("{committed}% new\n").as_bytes()));
    let message = *panic.unwrap_err().downcast::<String>().unwrap();
    let expected = format!("artifact/{file}, line {}:\n  committed: \n  rendered:  % new\n", lines + 1);
    assert!(message.starts_with(&expected) && message.contains("-- render"), "{message}");
}

/// Asserts that two lists agree element by element within an absolute tolerance.
pub(crate) fn assert_close(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}: length");
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance, "{what}[{k}]: {g} for {w}");
    }
}

/// The program with arguments, in the root of the repository.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    command.current_dir(repository("")).args(args);
    command
}

/// Runs a command that must end with `code`; returns standard output and standard error.
pub(crate) fn run(args: &[&str], code: i32) -> (String, String) {
    let output = command(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{stdout}\n{stderr}");
    (stdout, stderr)
}
