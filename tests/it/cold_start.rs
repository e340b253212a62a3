//! Studies that have no label yet: a first queue, a first fit, trust carried over.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{number, run};

/// Forty items about three directions: thirty, five and five.
fn folder(labels: &str, more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let row = |i: usize| {
        let p = 0.5 + 0.4 * f64::from(u8::try_from(i * 7 % 40).unwrap()) / 40.0;
        format!("i{i},{p:.3},{:.3}\n", 1.0 - p)
    };
    let axis = |i: usize| if i < 30 { 0 } else { 1 + (i - 30) / 5 };
    let vector = |i: usize| {
        let of = |k: usize| if axis(i) == k { "1".to_owned() } else { format!("0.00{}", (i + k) % 7) };
        format!("i{i},{},{},{}\n", of(0), of(1), of(2))
    };
    put("items.csv", "id,text\n".to_owned() + &(0..40).map(|i| format!("i{i},Text {i}\n")).collect::<String>());
    put("judge.csv", "id,p_yes,p_no\n".to_owned() + &(0..40).map(row).collect::<String>());
    put("vectors.csv", "id,x,y,z\n".to_owned() + &(0..40).map(vector).collect::<String>());
    put(
        "study.toml",
        format!(
            "title = \"first\"\nclasses = [\"yes\", \"no\"]\n\n[items]\nfile = \"items.csv\"\ntext = \
             \"{{text}}\"\n\n[judge]\nfile = \"judge.csv\"\nkind = \"probabilities\"\n\n{more}"
        ),
    );
    if !labels.is_empty() {
        put("labels.csv", labels.to_owned());
    }
    folder
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The ids of a queue, in order.
fn queued(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("queue.jsonl")).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    text.lines().map(id).collect()
}

/// From no label to the first fit: a queue by every rule that needs none, labels back, a fit that says what it rests
/// on.
#[test]
fn a_study_starts_without_any_label() {
    let folder = folder("", "");
    let (study, path) = (folder.path().display().to_string(), folder.path());
    let (checked, _) = run(&["study", "check", &study], 0);
    assert!(checked.contains("no item has a label yet: parts and rankings rest on the prior alone"), "{checked}");
    for rule in ["random", "judge_entropy", "fewest_labels"] {
        let out = path.join(rule).display().to_string();
        run(&["study", "queue", &study, "--rule", rule, "--budget", "5", "--out", &out], 0);
        assert_eq!(queued(Path::new(&out)).len(), 5, "{rule}");
    }
    // The judge is least sure where p is nearest to a half: i0 by i*7 % 40.
    assert_eq!(queued(&path.join("judge_entropy"))[0], "i0");
    let (said, _) = run(&["study", "queue", &study, "--budget", "4"], 0);
    assert!(said.contains("(--rule random)") && said.contains("the prior alone"), "{said}");
    assert!(said.contains("(8 labels)"), "two people label each: {said}");
    assert!(json(&path.join("queue/queue.json"))["trust"].as_str().unwrap().contains("not findings"));

    // The parts are those of the prior, and no trust is printed as an estimate.
    let (run_without, _) =
        run(&["study", "run", "--details", &study, "--out", &path.join("first").display().to_string()], 0);
    assert!(run_without.contains("is not estimable, because no item has a label yet"), "{run_without}");
    let fit = json(&path.join("first/results/study.json"))["fit"].clone();
    assert_eq!((fit["typical_trust"].clone(), fit["labelled_items"].clone()), (Value::Null, 0.into()));
    assert!((number(&fit["assumed_trust"]) - 8.0).abs() < 1e-9);

    // The labels of one item are enough for a fit, which says that they determine nothing.
    let first = queued(&path.join("queue"))[0].clone();
    let labels = path.join("back.csv");
    fs::write(&labels, format!("id,annotator,label\n{first},ann,no\n{first},ben,no\n")).unwrap();
    run(&["study", "labels", "add", &labels.display().to_string(), &study], 0);
    let (said, _) = run(&["study", "run", "--details", &study], 0);
    assert!(said.contains("come from 2 annotators"), "{said}");
    let fit = json(&path.join("run/results/study.json"))["fit"].clone();
    assert_eq!(fit["labelled_items"], 1);
    assert!((number(&fit["assumed_trust"]) - 8.0).abs() > 1e-6, "two labels that agree move the fit");
}

/// Before the first label nothing is fitted to distances, and the report still names the items to label first.
#[test]
fn a_study_with_embeddings_runs_without_any_label() {
    let folder = folder("", "[familiarity]\nembeddings = \"vectors.csv\"\n");
    let study = folder.path().display().to_string();
    let (said, _) = run(&["study", "run", &study], 0);
    let named: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("  i") && line.contains("judge:"))
        .filter_map(|line| line.trim().split(' ').next())
        .collect();
    run(&["study", "queue", &study, "--budget", "3"], 0);
    assert_eq!(named, queued(&folder.path().join("queue")), "{said}");
    assert_eq!(json(&folder.path().join("run/results/study.json"))["fit"]["labelled_items"], 0);
}

/// Embeddings change nothing: the first items are drawn at random, and so are the rates estimated from them.
#[test]
fn the_first_items_are_drawn_at_random() {
    let folder = folder("", "[familiarity]\nembeddings = \"vectors.csv\"\n");
    let study = folder.path().display().to_string();
    let first = |seed: &str| {
        let out = folder.path().join(seed).display().to_string();
        let (said, _) = run(&["study", "queue", &study, "--budget", "3", "--seed", seed, "--out", &out], 0);
        assert!(said.contains("(--rule random)"), "{said}");
        queued(Path::new(&out))
    };
    assert_ne!(first("0"), first("1"));
}

#[test]
fn trust_is_carried_over_where_that_is_asked() {
    let labels = (0..40)
        .fold("id,n_yes,n_no\n".to_owned(), |text, i| text + &format!("i{i},{},{}\n", 3 * (i % 3), 6 - 3 * (i % 3)));
    let first = folder(&labels, "[labels]\nfile = \"labels.csv\"\nform = \"counts\"\n");
    let of = |folder: &tempfile::TempDir| folder.path().display().to_string();
    run(&["study", "run", &of(&first)], 0);
    let found = json(&first.path().join("run/results/study.json"))["fit"]["typical_trust"]["value"].clone();
    let carry = format!("[trust]\ncarry_from = {:?}\n", first.path().join("run"));
    let second = folder("", &carry);
    let (said, _) = run(&["study", "run", "--details", &of(&second)], 0);
    assert!(
        said.contains("centred on what \"first\" found") && said.contains("the trust of the other study"),
        "{said}"
    );
    let results = json(&second.path().join("run/results/study.json"));
    assert!((number(&results["fit"]["assumed_trust"]) - number(&found)).abs() < 1e-9);
    assert_eq!(results["fit"]["typical_trust"], Value::Null);
    assert_eq!(results["fit"]["carried"]["study"], "first");
    let html = fs::read_to_string(second.path().join("run/report/index.html")).unwrap();
    assert!(html.contains("The prior on the trust is centred on what"));
    let (said, _) = run(&["study", "queue", &of(&second)], 0);
    assert!(said.contains("(--rule random)") && said.contains("carried over from \"first\""), "{said}");

    for (config, message) in [
        (carry.replace("/run\"", "/run/items.csv\""), "is not JSON"),
        (
            carry.clone() + "prior = \"none\"\n",
            "only the weak prior of the published belief and those of the maps have a centre",
        ),
        (carry.replace("/run\"", "/elsewhere\""), "elsewhere"),
    ] {
        let refused = folder("", &config);
        let (_, error) = run(&["study", "check", &of(&refused)], 2);
        assert!(error.contains(message), "{error}");
    }
    // Nor is the trust in answers of other classes.
    let refused = folder("", &carry);
    let settings = refused.path().join("study.toml");
    let other = fs::read_to_string(&settings).unwrap().replace("\"yes\"", "\"good\"").replace("\"no\"", "\"bad\"");
    fs::write(&settings, other).unwrap();
    let judge = refused.path().join("judge.csv");
    let other = fs::read_to_string(&judge).unwrap().replace("p_yes", "p_good").replace("p_no", "p_bad");
    fs::write(&judge, other).unwrap();
    let (_, error) = run(&["study", "check", &of(&refused)], 2);
    assert!(error.contains("is about other labels"), "{error}");
    // What the labels there do not determine is not carried.
    let (undetermined, config) =
        (folder("", ""), |path: &Path| format!("[trust]\ncarry_from = {:?}\n", path.join("run")));
    run(&["study", "run", &of(&undetermined)], 0);
    let refused = folder("", &config(undetermined.path()));
    let (_, error) = run(&["study", "check", &of(&refused)], 2);
    assert!(error.contains("do not determine its trust"), "{error}");
}

/// Test files of LeWiDi have no labels; those alone make a first queue, named as labels or not.
#[test]
fn a_lewidi_test_file_is_enough_for_a_first_queue() {
    let item = |n: usize| {
        format!(
            "\"{n}\": {{\"annotation task\": \"irony\", \"text\": {{\"post\": \"p{n}\", \"reply\": \"r{n}\"}}, \
             \"number of annotators\": \"2\", \"annotators\": \"Ann1, Ann2\", \"annotations\": {{}}, \"soft_label\": \
             {{}}, \"split\": \"test\", \"lang\": \"en\", \"other_info\": {{}}}}"
        )
    };
    let file = format!("{{{}}}", (1..=12).map(item).collect::<Vec<_>>().join(", "));
    for labels in ["", "[labels]\nfile = \"MP_test_clear.json\"\nformat = \"lewidi\"\n"] {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put("MP_test_clear.json", &file);
        put(
            "judge.csv",
            &(1..=12).fold("id,p_0,p_1\n".to_owned(), |text, n| text + &format!("{n},0.{n:02},0.{}\n", 100 - n)),
        );
        put(
            "study.toml",
            &format!(
                "title = \"MP\"\nclasses = [\"0\", \"1\"]\n\n[items]\nfile = \"MP_test_clear.json\"\nformat = \
                 \"lewidi\"\ntext = \"{{text_post}} / {{text_reply}}\"\n\n[judge]\nfile = \"judge.csv\"\nkind = \
                 \"probabilities\"\n\n{labels}"
            ),
        );
        let study = folder.path().display().to_string();
        run(&["study", "queue", &study, "--rule", "judge_entropy", "--budget", "2"], 0);
        assert_eq!(queued(&folder.path().join("queue")), ["12", "11"]);
        let (_, _) = run(&["study", "run", &study], 0);
        let results = fs::read_to_string(folder.path().join("run/results/study.json")).unwrap();
        assert!(!results.contains("NaN"), "{labels}");
    }
}

/// Scores of a judge that states no variance: without ratings there is no scale but that of its own scores.
#[test]
fn scores_start_without_labels_too() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("items.csv", "id\na\nb\nc\nd\n");
    put("judge.csv", "id,mean\na,1\nb,3\nc,5\nd,7\n");
    put(
        "study.toml",
        "title = \"s\"\nscale = [0, 10]\n\n[items]\nfile = \"items.csv\"\n\n[judge]\nfile = \"judge.csv\"\n",
    );
    let study = folder.path().display().to_string();
    run(&["study", "queue", &study, "--budget", "2"], 0);
    assert_eq!(queued(&folder.path().join("queue")).len(), 2);
    run(&["study", "run", &study], 0);
    let items = fs::read_to_string(folder.path().join("run/items.csv")).unwrap();
    assert!(!items.contains("NaN") && items.lines().count() == 5, "{items}");
}
