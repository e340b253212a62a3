//! Artifacts that were forged: edited results, inputs and files whose sums were mended, and files that do not belong.

use std::fs;
use std::path::Path;

use judge_uncertainty::formats::checksum::sha256_hex;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{copy, repository, run};

fn artifact() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&repository("artifact"), folder.path());
    folder
}

fn verify(folder: &Path, status: i32) -> String {
    let (stdout, stderr) = run(&["verify", "--artifact", folder.to_str().unwrap()], status);
    stdout + &stderr
}

/// Edits a results file, puts its new sum into the manifest, and makes everything else again from it.
fn forge(folder: &Path, experiment: &str, from: &str, to: &str) {
    let path = folder.join(format!("results/{experiment}.json"));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    let text = text.replacen(from, to, 1);
    fs::write(&path, &text).unwrap();
    // Twice: the first rendering writes numbers in their shortest form.
    for _ in 0..2 {
        let sum = sha256_hex(&fs::read(&path).unwrap());
        edit(folder, &|manifest| manifest["deterministic"][experiment]["results_sha256"] = sum.clone().into());
        run(&["render", "--artifact", folder.to_str().unwrap()], 0);
    }
}

fn edit(folder: &Path, change: &dyn Fn(&mut Value)) {
    let path = folder.join("results/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.to_string()).unwrap();
}

#[test]
fn edited_results_with_mended_sums_are_refused() {
    for (experiment, from, to) in [
        ("dice", "\"spearman_confidence_error\": 0.2", "\"spearman_confidence_error\": 0.3"),
        ("chaosnli", "\"mean_confidence\": 90", "\"mean_confidence\": 91"),
        ("authors", "\"shared_by_chance\": 31", "\"shared_by_chance\": 13"),
        ("simulations", "\"delta_regret_max_pp\": 0.0", "\"delta_regret_max_pp\": 0.1"),
    ] {
        let folder = artifact();
        forge(folder.path(), experiment, from, to);
        let told = verify(folder.path(), 2);
        assert!(told.contains(&format!("results/{experiment}.json")) && told.contains("--recompute"), "{told}");
    }
}

/// What the manifest says of sizes, seeds and neighbours is what the program runs.
#[test]
fn a_manifest_of_other_runs_is_refused() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 4] = [
        ("dice, replicates", |all| all["dice"]["replicates"]["label re-draws"] = 7.into()),
        ("dice, seeds", |all| all["dice"]["seeds"]["label re-draw r"] = "31337 + r".into()),
        ("simulations, program", |all| all["simulations"]["program"] = "9.9.9".into()),
        ("chaosnli, neighbours", |all| all["chaosnli"]["settings"]["neighbours"] = "an item does not count".into()),
    ];
    for (what, change) in changes {
        let folder = artifact();
        edit(folder.path(), &|manifest| change(&mut manifest["deterministic"]));
        run(&["render", "--artifact", folder.path().to_str().unwrap()], 0);
        let told = verify(folder.path(), 2);
        assert!(told.contains("manifest.json") && told.contains(what), "{told}");
    }
}

/// Frozen files that are not the frozen ones are no equal of theirs.
#[test]
fn a_comparison_holds_the_frozen_files() {
    let (own, folder) = (repository("artifact"), artifact());
    let compare = |status| {
        let (stdout, stderr) = run(&["compare", own.to_str().unwrap(), folder.path().to_str().unwrap()], status);
        stdout + &stderr
    };
    let file = folder.path().join("results/findings.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen(":", " :", 1)).unwrap();
    assert!(compare(2).contains("findings.json"));
    fs::remove_file(&file).unwrap();
    assert!(compare(2).contains("findings.json: is missing"));
}

#[test]
fn a_recomputation_tells_edited_results() {
    let folder = tempfile::tempdir().unwrap();
    run(&["reproduce", "--only", "dice", "--out", folder.path().join("a").to_str().unwrap()], 0);
    let artifact = folder.path().join("a");
    let recompute = |status| run(&["verify", "--recompute", "--artifact", artifact.to_str().unwrap()], status);
    let (stdout, _) = recompute(0);
    assert!(stdout.starts_with("Recomputed, and the same to within 1e-6: dice."), "{stdout}");
    forge(&artifact, "dice", "\"spearman_confidence_error\": 0.2", "\"spearman_confidence_error\": 0.3");
    let (_, stderr) = recompute(2);
    assert!(
        stderr.contains("1 numbers are not what a recomputation gives, the first of them dice/spearman"),
        "{stderr}"
    );
}

#[test]
fn plain_verification_says_that_it_recomputes_nothing() {
    let (stdout, _) = run(&["verify"], 0);
    assert!(stdout.starts_with("Nothing was recomputed"), "{stdout}");
}

/// The three commands of docs/authors.md after a change of a judge's file.
#[test]
fn results_of_other_data_are_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    copy(&repository("data/dice"), &data.join("dice"));
    copy(&repository("data/paper"), &data.join("paper"));
    let judge = data.join("dice/judge.csv");
    let old = fs::read_to_string(&judge).unwrap();
    let new = old.replacen("33,33,34", "33,34,33", 1);
    assert_ne!(old, new);
    fs::write(&judge, &new).unwrap();
    let sums = data.join("dice/SHA256SUMS");
    let mended = fs::read_to_string(&sums).unwrap().replace(&sha256_hex(old.as_bytes()), &sha256_hex(new.as_bytes()));
    fs::write(&sums, mended).unwrap();
    let out = folder.path().join("out");
    let (data, out) = (data.to_str().unwrap(), out.to_str().unwrap());
    let (stdout, stderr) = run(&["reproduce", "--only", "dice", "--data", data, "--out", out], 0);
    assert!(stderr.contains("dice/judge.csv is not the paper's data: claims are not judged"), "{stderr}");
    assert!(stdout.contains("Claims are NOT judged"), "{stdout}");
    let (stdout, _) = run(&["compare", "artifact", out], 10);
    assert!(stdout.starts_with("Claims and conclusions with another outcome: "), "{stdout}");
    assert!(stdout.contains("-> not judged") && stdout.lines().count() <= 40, "{stdout}");
    assert!(verify(Path::new(out), 2).contains("data/dice/judge.csv"));
    // Nor where the data folder itself was edited.
    let (_, stderr) = run(&["verify", "--recompute", "--data", data, "--artifact", out], 2);
    assert!(stderr.contains("data/dice/judge.csv"), "{stderr}");
    let (_, stderr) = run(&["verify", "--recompute", "--artifact", out], 2);
    assert!(stderr.contains("or made from other data"), "{stderr}");
    // Who says that the data was the paper's is refused too.
    let paper: Value =
        serde_json::from_slice(&fs::read(repository("artifact/results/manifest.json")).unwrap()).unwrap();
    edit(Path::new(out), &|manifest| {
        manifest["deterministic"]["dice"]["inputs"] = paper["deterministic"]["dice"]["inputs"].clone();
    });
    run(&["render", "--artifact", out], 0);
    assert!(verify(Path::new(out), 2).contains("results/dice.json"));
}

#[test]
fn files_that_do_not_belong_are_named() {
    for name in ["mine.txt", "paper/tables/other.tex", "results/notes/a.json"] {
        let folder = artifact();
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(verify(folder.path(), 2).contains(name), "{name}");
        // Its own list of files does not help.
        edit(folder.path(), &|manifest| manifest["files"].as_array_mut().unwrap().push(name.into()));
        verify(folder.path(), 2);
    }
}

#[test]
fn frozen_files_are_held_by_their_sums() {
    for name in ["results/extended.json", "paper/tables/extended-rules.tex", "paper/figures/pit.csv"] {
        let folder = artifact();
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen('0', "1", 1)).unwrap();
        assert!(verify(folder.path(), 2).contains(name), "{name}");
        run(&["render", "--artifact", folder.path().to_str().unwrap()], 2);
        fs::remove_file(&path).unwrap();
        assert!(verify(folder.path(), 2).contains(name), "{name}");
    }
}

#[test]
fn verdicts_and_tables_with_mended_sums_are_refused() {
    for (name, from, to) in [
        ("results/claims.json", "within-tolerance", "agrees"),
        ("paper/tables/esc.tex", "15.1", "15.0"),
        ("report/index.html", "agree", "AGREE"),
    ] {
        let folder = artifact();
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        let edited = text.replacen(from, to, 1);
        assert_ne!(text, edited, "{name}");
        fs::write(&path, &edited).unwrap();
        edit(folder.path(), &|manifest| manifest["sums"][name] = sha256_hex(edited.as_bytes()).into());
        verify(folder.path(), 2);
    }
}

#[test]
fn results_under_the_name_of_another_experiment_are_refused() {
    let folder = artifact();
    let text = fs::read_to_string(folder.path().join("results/dice.json")).unwrap();
    fs::write(folder.path().join("results/simulations.json"), &text).unwrap();
    edit(folder.path(), &|manifest| {
        manifest["deterministic"]["simulations"]["results_sha256"] = sha256_hex(text.as_bytes()).into();
    });
    assert!(verify(folder.path(), 2).contains("results/simulations.json"));
}
