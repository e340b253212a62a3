//! Predictions for elsewhere: `reproduce`, studies, the simulated judge.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Desk, ends, lines};
use crate::support::repository;

/// The program in the root of the repository, where the data are.
fn at_home(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    command.current_dir(repository("")).args(args);
    command
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A table of the repository, cells by column.
fn table(path: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(repository(path)).unwrap();
    let header = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| header.iter().map(String::from).zip(row.iter().map(String::from)).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// The published answers for the dice, in the form of the folder that `judge run` writes.
fn put_published_dice(folder: &Path) {
    let columns = "red,green,blue".split(',');
    let [mut predictions, mut updates] =
        ["id,variant,p_red,p_green,p_blue,confidence\n", "id,variant,p_red,p_green,p_blue\n"].map(str::to_owned);
    for (die, row) in table("data/dice/judge.csv").iter().enumerate() {
        let shares = |variant: &str| {
            let counts: Vec<u32> =
                columns.clone().filter_map(|face| row[&format!("{variant}_{face}")].parse().ok()).collect();
            let cells: Vec<String> = counts.iter().map(|n| (f64::from(*n) / 100.0).to_string()).collect();
            (!cells.is_empty()).then(|| cells.join(","))
        };
        for variant in ["neutral", "sceptical", "literal"] {
            predictions += &format!("{die},{variant},{},{}\n", shares(variant).unwrap(), row["confidence"]);
        }
        if let Some(update) = shares("selfupdate") {
            updates += &format!("{die},neutral,{update}\n");
        }
    }
    fs::create_dir(folder).unwrap();
    fs::write(folder.join("predictions.csv"), predictions).unwrap();
    fs::write(folder.join("self-updates.csv"), updates).unwrap();
}

/// Numbers of a results file by path.
fn numbers(value: &Value, path: String, into: &mut BTreeMap<String, f64>) {
    match value {
        Value::Number(n) => {
            into.insert(path, n.as_f64().unwrap());
        }
        Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| numbers(v, format!("{path}/{i}"), into)),
        Value::Object(fields) => fields.iter().for_each(|(k, v)| numbers(v, format!("{path}/{k}"), into)),
        _ => {}
    }
}

fn results(folder: &Path) -> BTreeMap<String, f64> {
    let file: Value = serde_json::from_slice(&fs::read(folder.join("results/dice.json")).unwrap()).unwrap();
    let mut found = BTreeMap::new();
    numbers(&file["results"], String::new(), &mut found);
    found
}

#[test]
fn the_published_answers_as_a_folder_give_the_published_results() {
    let folder = tempfile::tempdir().unwrap();
    let [out, own, published] = ["judge", "own", "published"].map(|name| folder.path().join(name));
    put_published_dice(&out);
    let reproduce = ["reproduce", "--only", "dice", "--replicates", "2", "--out"];
    ends(at_home(&reproduce).arg(&published), 0);
    let (stdout, _) = ends(at_home(&reproduce).arg(&own).args(["--dice-judge", text(&out)]), 0);
    assert!(stdout.contains("NOT judged"), "{stdout}");
    let (own_results, published) = (results(&own), results(&published));
    assert_eq!(own_results.len(), published.len());
    for (path, number) in &published {
        assert_eq!(own_results[path], *number, "{path}");
    }
    let manifest: Value = serde_json::from_slice(&fs::read(own.join("results/manifest.json")).unwrap()).unwrap();
    let facts = &manifest["deterministic"]["dice"];
    assert_eq!(facts["published_size"], json!(false));
    let inputs: Vec<&String> = facts["inputs"].as_object().unwrap().keys().collect();
    assert_eq!(inputs, ["dice/predictions.csv", "dice/self-updates.csv"]);
    // Not even at full size are the claims judged with predictions that are not the paper's.
    assert!(facts["settings"]["judge"].as_str().unwrap().contains("not the published one"));
}

#[test]
fn a_simulated_judge_serves_the_whole_chain() {
    let folder = tempfile::tempdir().unwrap();
    let [out, artifact] = ["judge", "artifact"].map(|name| folder.path().join(name));
    let run =
        ["judge", "run", "dice", "--judge", "simulated", "--variants", "neutral,literal", "--confidence", "first"];
    ends(at_home(&run).args(["--out", text(&out)]), 0);
    let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    // 500 dice in two variants, a confidence each, and an update of the 380 that have rolls.
    assert_eq!(summary["questions"], json!(1000 + 500 + 380));
    assert_eq!((&summary["hosts"], &summary["model"]), (&json!(["simulated"]), &json!("simulated")));
    let reproduce = ["reproduce", "--only", "dice", "--replicates", "2"];
    ends(at_home(&reproduce).args(["--dice-judge", text(&out), "--out", text(&artifact)]), 0);
    let results = results(&artifact);
    // What makes it a judge worth simulating: it errs less where the description tells more, and its stated confidence
    // does not tell. The sizes are far outside chance with 125 dice per tier.
    let of = |tier: &str, what: &str| results[&format!("/tiers/{tier}/{what}")];
    let errors = ["none", "directional", "strong"].map(|tier| of(tier, "judge_error"));
    assert!(errors[0] > 1.3 * errors[1] && errors[1] > 2.0 * errors[2], "{errors:?}");
    assert!((of("none", "stated_confidence") - of("strong", "stated_confidence")).abs() < 5.0);

    fs::remove_file(out.join("self-updates.csv")).unwrap();
    let (_, stderr) = ends(at_home(&reproduce).args(["--dice-judge", text(&out), "--out", text(&artifact)]), 2);
    assert!(stderr.contains("self-updates.csv") && stderr.contains("judge run dice"), "{stderr}");
}

#[test]
fn the_simulated_judge_answers_alike_for_any_number_of_threads() {
    let desk = Desk::with(40);
    let run = |out: &str, extra: &[&str]| {
        let mut command = desk.command();
        command.args(["judge", "run", ".", "--judge", "simulated", "--out", out]).args(extra);
        ends(&mut command, 0);
        fs::read(desk.path(out).join("predictions.csv")).unwrap()
    };
    assert_eq!(run("eight", &["--concurrency", "8"]), run("one", &["--concurrency", "1"]));
    let tokens = String::from_utf8(run("tokens", &["--prediction", "logprobs"])).unwrap();
    assert!(tokens.starts_with("id,variant,p_red,p_green,p_blue,confidence,unseen_mass\n"), "{tokens}");
    desk.scale("scale = [1.0, 5.0]");
    let scores = String::from_utf8(run("scores", &[])).unwrap();
    assert!(scores.starts_with("id,variant,mean,sd,confidence\nitem-0,neutral,"), "{scores}");
}

#[test]
fn chaosnli_is_read_from_its_own_files() {
    let desk = Desk::with(1);
    let item = |uid: &str, premise: &str, counts: [u32; 3]| {
        let example = json!({ "uid": uid, "premise": premise, "hypothesis": "Somebody is outside." });
        json!({ "uid": uid, "label_count": counts, "example": example }).to_string() + "\n"
    };
    let run = |code| {
        let mut command = desk.command();
        command.args(["judge", "run", "nli", "--judge", "simulated", "--out", "out"]);
        ends(&mut command, code)
    };
    fs::create_dir(desk.path("nli")).unwrap();
    let (_, stderr) = run(2);
    assert!(stderr.contains("study.toml"), "{stderr}");
    fs::write(desk.path("nli/chaosNLI_snli.jsonl"), item("a#1", "Two gardeners rest on a wall.", [60, 40, 0])).unwrap();
    fs::write(desk.path("nli/chaosNLI_mnli_m.jsonl"), item("b#2", "The shop was shut.", [0, 70, 30])).unwrap();
    run(0);
    let entries = lines(&desk.out("answers.jsonl"));
    assert_eq!(entries.len(), 2 * 3 * 2);
    let table = desk.text("predictions.csv");
    let ids: Vec<&str> = table.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(ids, ["a#1", "a#1", "a#1", "b#2", "b#2", "b#2"]);
    fs::write(desk.path("nli/chaosNLI_mnli_m.jsonl"), item("a#1", "Again.", [0, 70, 30])).unwrap();
    let (_, stderr) = run(2);
    assert!(stderr.contains("\"a#1\" appears twice"), "{stderr}");
    fs::write(desk.path("nli/chaosNLI_mnli_m.jsonl"), "{\"uid\": 3}\n").unwrap();
    let (_, stderr) = run(2);
    assert!(stderr.contains("chaosNLI_mnli_m.jsonl:1: no ChaosNLI item"), "{stderr}");
}

#[test]
fn items_that_can_not_be_asked_about_are_refused() {
    let desk = Desk::with(2);
    for (items, scale, args, words) in [
        ("id,text\na,x\na,y\n", "classes = [\"yes\", \"no\"]", &[][..], "appears twice"),
        ("id,text\na,x\n", "classes = [\"yes\"]", &[], "classes"),
        ("id,text\na,x\n", "scale = [5.0, 1.0]", &[], "scale"),
        ("id,text\na,x\n", "classes = [\"yes\", \"no\"]", &["--variants", "rude"], "no such variant"),
        ("id,text\na,x\n", "scale = [1.0, 5.0]", &["--prediction", "logprobs"], "no label tokens"),
        ("id,text\na,x\n", "classes = [\"yes\", \"no\"]", &["--max-spend", "1"], "--price"),
        ("id,text\na,x\n", "classes = [\"yes\", \"no\"]", &["--judge", "openai"], "--model"),
    ] {
        fs::write(desk.path("items.csv"), items).unwrap();
        desk.scale(scale);
        let mut command = desk.command();
        command.args(["judge", "run", ".", "--out", "out"]).args(args);
        if !args.contains(&"--judge") {
            command.args(["--judge", "simulated"]);
        }
        let (_, stderr) = ends(&mut command, 2);
        assert!(stderr.contains(words), "{args:?}: {stderr}");
        assert!(!desk.path("out").exists(), "{args:?}");
    }
}

#[test]
fn a_study_reads_what_its_judge_said() {
    let desk = Desk::with(1);
    let study = desk.path("study");
    fs::create_dir(&study).unwrap();
    for file in ["study.toml", "items.csv", "labels.csv"] {
        fs::copy(repository("examples/starter").join(file), study.join(file)).unwrap();
    }
    let run = || {
        let mut command = desk.command();
        command.args(["judge", "run", "study", "--judge", "simulated", "--out", "judge"]);
        command
    };
    ends(&mut run(), 0);
    let config = fs::read_to_string(study.join("study.toml")).unwrap();
    let pointed = config.replace("file = \"judge.csv\"", "file = \"../judge/predictions.csv\"");
    assert_ne!(pointed, config);
    fs::write(study.join("study.toml"), pointed).unwrap();
    let (stdout, _) = ends(desk.command().args(["study", "check", "study", "--json"]), 0);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let answers = |name: &str| report["judge"][name].as_u64().unwrap();
    let items = table("examples/starter/items.csv");
    let expected = (3 * items.len() as u64, 0, 0);
    assert_eq!((answers("answers"), answers("failed_answers"), answers("without_confidence")), expected, "{report}");
    let (stdout, _) = ends(run().arg("--dry-run"), 0);
    assert!(stdout.contains("Item: The kettle boils quickly"), "{stdout}");

    fs::write(study.join("study.toml"), config.replace("text = ", "# text = ")).unwrap();
    let (_, stderr) = ends(&mut run(), 2);
    assert!(stderr.contains("study.toml") && stderr.contains("needs a text"), "{stderr}");
}

/// A study of scores asks for means and spreads, on its scale, and reads them as they were written.
#[test]
fn a_study_of_scores_reads_what_its_judge_said() {
    let desk = Desk::with(1);
    let study = desk.path("study");
    fs::create_dir(&study).unwrap();
    for file in ["study.toml", "items.csv", "ratings.csv", "embeddings.npy"] {
        fs::copy(repository("examples/recipes").join(file), study.join(file)).unwrap();
    }
    let mut command = desk.command();
    ends(command.args(["judge", "run", "study", "--judge", "simulated", "--out", "judge"]), 0);
    let config = fs::read_to_string(study.join("study.toml")).unwrap();
    let pointed = config.replace("file = \"judge.csv\"", "file = \"../judge/predictions.csv\"");
    assert_ne!(pointed, config);
    fs::write(study.join("study.toml"), &pointed).unwrap();
    ends(desk.command().args(["study", "check", "study"]), 0);
    let items = table("examples/recipes/items.csv").len();
    let predictions = fs::read_to_string(desk.path("judge/predictions.csv")).unwrap();
    assert_eq!(predictions.lines().count(), 1 + 3 * items, "{predictions}");
}
