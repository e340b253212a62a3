//! The command line as a user meets it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{copy, repository, run};

/// A copy of the committed artifact.
fn artifact() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("artifact");
    copy(&repository("artifact"), &path);
    (folder, path)
}

fn path(p: &Path) -> &str {
    p.to_str().unwrap()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let (stdout, _) = run(&["reproduce", "--replicates", "2", "--threads", "1", "--out", path(&one)], 0);
    run(&["reproduce", "--replicates", "2", "--threads", "3", "--out", path(&two)], 0);
    let claims = fs::read_to_string(repository("data/paper/claims.toml")).unwrap();
    let conclusions = claims.matches("[[conclusion]]").count() - claims.matches("\nliteral = true").count();
    assert!(stdout.contains("NOT judged") && stdout.contains(&format!("{conclusions} not judged")), "{stdout}");
    for file in ["simulations.json", "dice.json", "chaosnli.json", "claims.json"] {
        let read = |folder: &Path| fs::read(folder.join("results").join(file)).unwrap();
        assert!(read(&one) == read(&two), "{file} differs");
    }
    let (stdout, _) = run(&["compare", path(&one), path(&two)], 0);
    assert!(stdout.contains("Compared: results of 4 experiments") && stdout.ends_with("\n0 differences\n"), "{stdout}");
    let (stdout, _) = run(&["compare", "artifact", path(&one), "--items"], 10);
    assert!(stdout.contains("dice/draws: 200.000000000 -> 2.000000000"), "{stdout}");
    // Nothing but the two folders is left behind.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn one_experiment_leaves_the_results_of_the_others() {
    let (_folder, artifact) = artifact();
    let before = fs::read(artifact.join("results/chaosnli.json")).unwrap();
    let (stdout, _) = run(&["reproduce", "--only", "dice", "--replicates", "3", "--out", path(&artifact), "--json"], 0);
    let summary: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(summary["experiments"]["dice"]["not_judged"], 57);
    // What was kept is not judged again.
    assert_eq!(summary["experiments"].as_object().unwrap().len(), 1);
    assert_eq!(summary["counts"]["not_run"], 0);
    assert_eq!(fs::read(artifact.join("results/chaosnli.json")).unwrap(), before);
}

#[test]
fn the_committed_artifact_is_verified() {
    let (stdout, _) = run(&["verify", "--table"], 0);
    let claims = fs::read_to_string(repository("data/paper/claims.toml")).unwrap().matches("[[claim]]").count();
    assert!(stdout.contains(&format!("{claims} claims")) && !stdout.contains("DIFFERS"), "{stdout}");
    // Piped output is plain: no colour codes, one line per claim.
    assert!(!stdout.contains('\x1b'));
    assert_eq!(stdout.lines().filter(|line| line.split('\t').count() == 6).count(), claims + 19);
}

#[test]
fn a_wrong_published_value_is_caught() {
    let folder = tempfile::tempdir().unwrap();
    let claims = folder.path().join("claims.toml");
    let text = fs::read_to_string(repository("data/paper/claims.toml")).unwrap();
    let planted = text.replacen("published = \"0.158\"\nvalue = 0.158", "published = \"0.159\"\nvalue = 0.159", 1);
    assert_ne!(text, planted);
    fs::write(&claims, planted).unwrap();
    let (stdout, _) = run(&["verify", "--table", "--claims", path(&claims)], 10);
    assert!(stdout.contains("0.159\t0.158\tDIFFERS"), "{stdout}");
}

#[test]
fn results_edited_after_the_run_are_refused() {
    let (_folder, artifact) = artifact();
    let file = artifact.join("results/dice.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("0.5", "0.6", 1)).unwrap();
    let (_, stderr) = run(&["verify", "--artifact", path(&artifact)], 2);
    assert!(stderr.contains("dice.json") && stderr.contains("changed after the run"), "{stderr}");
    let (_, stderr) = run(&["verify", "--artifact", path(&artifact.join("no-such"))], 2);
    assert!(stderr.contains("manifest.json: not found"), "{stderr}");
}

#[test]
fn a_template_edit_changes_a_table_and_no_result() {
    let (folder, artifact) = artifact();
    let templates = folder.path().join("templates");
    copy(&repository("templates"), &templates);
    let conf = templates.join("conf.tex");
    fs::write(&conf, fs::read_to_string(&conf).unwrap().replace("judge error", "error of the judge")).unwrap();
    let results = fs::read(artifact.join("results/dice.json")).unwrap();
    run(&["render", "--artifact", path(&artifact), "--templates", path(&templates)], 0);
    assert!(fs::read_to_string(artifact.join("paper/tables/conf.tex")).unwrap().contains("error of the judge"));
    assert_eq!(fs::read(artifact.join("results/dice.json")).unwrap(), results);
    let (stdout, _) = run(&["compare", "artifact", path(&artifact)], 10);
    assert!(stdout.contains("paper/tables/conf.tex: differs\n") && stdout.ends_with("\n1 differences\n"), "{stdout}");
    // Only with these templates is the folder what its results give.
    let (_, stderr) = run(&["verify", "--artifact", path(&artifact)], 2);
    assert!(stderr.contains("paper/tables/conf.tex") && stderr.contains("templates"), "{stderr}");
    run(&["verify", "--artifact", path(&artifact), "--templates", path(&templates)], 0);
}

#[test]
fn a_folder_with_files_of_others_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("mine");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("thesis.tex"), "years of work").unwrap();
    let (_, stderr) = run(&["reproduce", "--quick", "--out", path(&out)], 2);
    assert!(stderr.contains("`thesis.tex`") && stderr.contains("--out"), "{stderr}");
    assert_eq!(fs::read_to_string(out.join("thesis.tex")).unwrap(), "years of work");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    let (_, stderr) = run(&["reproduce", "--quick", "--out", path(&out.join("thesis.tex"))], 2);
    assert!(stderr.contains("is a file"), "{stderr}");
    let (_, stderr) = run(&["reproduce", "--quick", "--out", path(&folder.path().join("no/such/parent"))], 2);
    assert!(stderr.contains("no/such: can't be written") && stderr.contains("--out"), "{stderr}");
}

#[test]
fn damaged_input_is_refused_before_anything_is_touched() {
    let (folder, artifact) = artifact();
    let data = folder.path().join("data");
    copy(&repository("data/paper"), &data.join("paper"));
    copy(&repository("data/dice"), &data.join("dice"));
    let table = data.join("dice/judge.csv");
    let text = fs::read_to_string(&table).unwrap();
    fs::write(&table, &text[..text.len() / 2]).unwrap();
    let before = fs::read(artifact.join("results/manifest.json")).unwrap();
    let args = ["reproduce", "--only", "dice", "--data", path(&data), "--out", path(&artifact)];
    let (_, stderr) = run(&args, 2);
    assert!(stderr.contains("judge.csv") && stderr.contains("SHA-256"), "{stderr}");
    assert_eq!(fs::read(artifact.join("results/manifest.json")).unwrap(), before);

    fs::write(data.join("paper/claims.toml"), "[[claim]]\nid = 3\n").unwrap();
    let (_, stderr) = run(&args, 2);
    assert!(stderr.contains("claims.toml"), "{stderr}");
    let (_, stderr) = run(&["reproduce", "--data", path(&folder.path().join("nowhere"))], 2);
    assert!(stderr.contains("nowhere"), "{stderr}");
}

#[test]
fn wrong_arguments_are_explained() {
    for args in [
        vec!["reproduce", "--only", "cats"],
        vec!["reproduce", "--replicates", "1"],
        vec!["reproduce", "--threads", "0"],
        vec!["reproduce", "--quick", "--replicates", "5"],
        vec!["reproduce", "--only", "dice", "--neighbours", "exact"],
        vec!["frobnicate"],
    ] {
        let (_, stderr) = run(&args, 2);
        assert!(stderr.contains("error:"), "{args:?}: {stderr}");
    }
    for name in ["reproduce", "verify", "explain", "render", "compare", "embed", "neighbours", "data"] {
        let (stdout, _) = run(&[name, "--help"], 0);
        assert!(stdout.contains("Example"), "{name} --help shows no example");
    }
}

#[test]
fn leave_one_out_is_run_but_never_judged() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // Runs of fewer replicates are not judged either; that this one would not be is tested where it is decided.
    let of = ["reproduce", "--only", "chaosnli", "--familiarity", "leave-one-out", "--replicates", "2"];
    let (stdout, stderr) = run(&[of.as_slice(), &["--out", path(&out), "--json"]].concat(), 0);
    let summary: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(summary["experiments"]["chaosnli"]["not_judged"], 83);
    assert!(stderr.contains("an item does not count itself (leave-one-out)"), "{stderr}");
    assert!(stderr.contains("ChaosNLI, embeddings: the committed 16-bit matrix"), "{stderr}");
    assert!(
        stderr.contains("ChaosNLI, sentence model: embeds 12 texts of an example as committed: cosine"),
        "{stderr}"
    );
    let manifest = fs::read_to_string(out.join("results/manifest.json")).unwrap();
    assert!(
        manifest.contains("leave-one-out") && manifest.contains("HNSW index (hnsw_rs), recall@32 0.99"),
        "{manifest}"
    );
    let (stdout, _) = run(&["compare", "artifact", path(&out), "--items"], 10);
    assert!(stdout.contains("chaosnli/full/value/info/b10/mean"), "{stdout}");
}

/// Zeros in place of half of the model's words.
#[test]
fn a_sentence_model_that_is_damaged_or_another_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let model = data.join("models/all-MiniLM-L6-v2");
    copy(&repository("data/models/all-MiniLM-L6-v2"), &model);
    for name in ["chaosnli", "paper"] {
        std::os::unix::fs::symlink(repository("data").join(name), data.join(name)).unwrap();
    }
    let out = folder.path().join("out");
    let args = ["reproduce", "--only", "chaosnli", "--quick", "--data", path(&data), "--out", path(&out)];
    let mut bytes = fs::read(model.join("model.onnx")).unwrap();
    let half = bytes.len() / 4..bytes.len() / 2;
    bytes[half].fill(0);
    fs::write(model.join("model.onnx"), bytes).unwrap();
    let (_, stderr) = run(&args, 2);
    assert!(stderr.contains("model.onnx") && stderr.contains("SHA256SUMS"), "{stderr}");
    fs::remove_file(model.join("SHA256SUMS")).unwrap();
    let (_, stderr) = run(&args, 2);
    assert!(stderr.contains("otherwise than the committed embeddings: cosine at least"), "{stderr}");
    assert!(!out.exists());
}

#[test]
fn other_sentences_than_the_published_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, stderr) = run(&["reproduce", "--chaosnli", path(folder.path())], 2);
    assert!(stderr.contains("chaosNLI_snli.jsonl is missing") && stderr.contains("data fetch chaosnli"), "{stderr}");
    fs::write(folder.path().join("chaosNLI_snli.jsonl"), "{}").unwrap();
    let (_, stderr) = run(&["reproduce", "--chaosnli", path(folder.path())], 2);
    assert!(stderr.contains("not the published file"), "{stderr}");
}

/// The neighbours in the plane can be read off: the first two rows lie 0.04 apart, 1 - 0.96.
#[test]
fn neighbours_are_listed_alike_by_both_engines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("points.csv");
    fs::write(&file, "id,x,y\na,3,4\n\"b,c\",4,3\nd,0,-1\n").unwrap();
    let args = ["neighbours", "--embeddings", path(&file), "--k", "1"];
    let (exact, stderr) = run(&args, 0);
    assert!(stderr.contains("all pairs are compared"), "{stderr}");
    let (searched, stderr) = run(&[&args[..], &["--engine", "hnsw"]].concat(), 0);
    assert!(stderr.contains("HNSW index (hnsw_rs), recall@1 1.00000"), "{stderr}");
    assert_eq!(searched, exact);
    let rows: Vec<(String, String, String, f64)> =
        csv::Reader::from_reader(exact.as_bytes()).deserialize().map(Result::unwrap).collect();
    let names: Vec<_> = rows.iter().map(|(id, _, near, _)| (id.as_str(), near.as_str())).collect();
    assert_eq!(names, [("a", "b,c"), ("b,c", "a"), ("d", "b,c")]);
    for ((_, _, _, distance), expected) in rows.iter().zip([0.04, 0.04, 1.6]) {
        assert!((distance - expected).abs() < 1e-12, "{distance}");
    }

    let (_, stderr) = run(&["neighbours", "--embeddings", path(&folder.path().join("m.npy"))], 2);
    assert!(stderr.contains("m.npy.ids.txt"), "{stderr}");
}

/// A cache that can't be written is a failure of the machine, even deep inside a study; a study that is wrong is
/// refused.
#[test]
fn failures_and_refusals_have_different_statuses() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    copy(&repository("examples/support_desk"), &study);
    let file = study.join("study.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("[familiarity]", "[familiarity]\ncache = \"items.csv/cache\"\n#")).unwrap();
    let (_, stderr) = run(&["study", "run", path(&study)], 1);
    assert!(stderr.contains("cannot write") && stderr.contains("items.csv/cache"), "{stderr}");
    fs::write(&file, text.replace("[familiarity]", "[familiar]\n#")).unwrap();
    run(&["study", "run", path(&study)], 2);
}
