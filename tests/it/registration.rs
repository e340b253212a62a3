//! Hypotheses about a study: registered, expected labels, looks, verdicts.

use std::fs;

use judge_uncertainty::random::Stream;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{json_of, number, study, text};

/// Forty items with thirty labels each, half of them well predicted.
fn evaluated_study() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut stream = Stream::new(31);
    let (mut items, mut judge, mut labels) =
        ("id\n".to_owned(), "id,p_yes,p_no\n".to_owned(), "id,n_yes,n_no\n".to_owned());
    for i in 0..40 {
        let p = stream.random();
        let q = if i % 2 == 0 { p } else { stream.random() };
        let mut counts = [0; 2];
        stream.multinomial(30, &[p, 1.0 - p], &mut counts);
        items += &format!("i{i}\n");
        judge += &format!("i{i},{q},{}\n", 1.0 - q);
        labels += &format!("i{i},{},{}\n", counts[0], counts[1]);
    }
    let config = "title = \"t\"\nclasses = [\"yes\", \"no\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \
                  \"judge.csv\"\nkind = \"probabilities\"\n[labels]\nfile = \"labels.csv\"\nform = \
                  \"counts\"\n[evaluation]\nreplicates = 12\n";
    for (name, text) in [("items.csv", &*items), ("judge.csv", &judge), ("labels.csv", &labels), ("study.toml", config)]
    {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let plan = "[[hypothesis]]\nfinding = \"agreement\"\nabove = 0.3\n\n[[hypothesis]]\nfinding = \"rate.yes\"\nbelow = \
                0.1\n";
    fs::write(dir.path().join("hypotheses.toml"), plan).unwrap();
    dir
}

#[test]
fn registered_hypotheses_are_scored_and_deviations_listed() {
    let dir = evaluated_study();
    let results = dir.path().join("run/results/study.json");
    let (stdout, _) = study(&["register", text(dir.path())], 0);
    assert!(stdout.contains("2 hypotheses registered") && stdout.contains("digest"), "{stdout}");
    let (_, stderr) = study(&["register", text(dir.path())], 2);
    assert!(stderr.contains("never changed"), "{stderr}");

    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(
        stdout.contains("CONFIRMED     agreement above 0.3") && stdout.contains("REFUTED       rate.yes"),
        "{stdout}"
    );
    let whole = json_of(&results);
    let registered = &whole["registered"];
    assert_eq!(registered["deviations"], json!([]));
    // The finding of the answer, by an interval that holds together with the other one.
    let findings = whole["answer"]["findings"].as_array().unwrap();
    let agreement = &findings.iter().find(|one| one["id"] == "agreement").unwrap()["found"];
    let [value, ends] = [0, 1].map(|k| &registered["hypotheses"][0]["found"][k]);
    assert_eq!(number(value), number(&agreement["value"]));
    assert!(number(&ends[0]) < number(&agreement["lo"]) && number(&ends[1]) > number(&agreement["hi"]), "{ends}");

    let (stdout, _) = study(&["run", "--details", text(dir.path()), "--replicates", "3"], 0);
    assert!(stdout.contains("DEVIATION     setting evaluation.replicates: registered 12, found 3"), "{stdout}");
    assert!(stdout.contains("DEVIATING     agreement") && !stdout.contains("CONFIRMED"), "{stdout}");
    let first = json_of(&results)["registered"]["hypotheses"][0].clone();
    assert_eq!(first["status"], json!("deviating"));
    let file = dir.path().join("registration.toml");
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, whole.replace("above = 0.3", "above = 0.2")).unwrap();
    let (_, stderr) = study(&["run", text(dir.path())], 2);
    assert!(stderr.contains("changed after it was made"), "{stderr}");
    fs::write(&file, whole.replace("format = 3", "format = 2")).unwrap();
    let (_, stderr) = study(&["run", text(dir.path())], 2);
    assert!(
        stderr.contains("has format 2, but this program reads format 3; run the version that registered it"),
        "{stderr}"
    );
}

/// What a registration is for: hypotheses first, then a queue, then its labels.
#[test]
fn labels_that_come_after_registration_are_expected() {
    let dir = evaluated_study();
    let plan = dir.path().join("hypotheses.toml");
    let draft = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, format!("labels = 1\n{draft}")).unwrap();
    let (_, stderr) = study(&["register", text(dir.path())], 2);
    assert!(stderr.contains("labels = 1, but the study has"), "{stderr}");
    fs::write(&plan, &draft).unwrap();
    let (stdout, _) = study(&["register", text(dir.path())], 0);
    assert!(stdout.contains("are there already") && stdout.contains("can't be told"), "{stdout}");
    study(&["queue", text(dir.path()), "--rule", "random", "--budget", "8"], 0);
    let queue = fs::read_to_string(dir.path().join("queue/queue.csv")).unwrap();
    let answers = |who: &str| {
        let row = |line: &str| format!("{},{who},yes\n", line.split(',').nth(1).unwrap());
        format!("id,annotator,label\n{}", queue.lines().skip(1).map(row).collect::<String>())
    };
    for who in ["late", "later"] {
        let file = dir.path().join(format!("{who}.csv"));
        fs::write(&file, answers(who)).unwrap();
        study(&["labels", "add", text(&file), text(dir.path())], 0);
        let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
        assert!(!stdout.contains("DEVIATION") && stdout.contains("CONFIRMED     agreement"), "{stdout}");
        assert!(stdout.contains("may have been seen before") && stdout.contains("one look"), "{stdout}");
        let registered = json_of(&dir.path().join("run/results/study.json"))["registered"].clone();
        assert_eq!(registered["hypotheses"][0]["status"], json!("confirmed"));
    }
    // Own labels that change are a deviation.
    let own = fs::read_to_string(dir.path().join("labels.csv")).unwrap();
    let reversed: Vec<&str> =
        own.lines().take(1).chain(own.lines().skip(1).collect::<Vec<_>>().into_iter().rev()).collect();
    fs::write(dir.path().join("labels.csv"), reversed.join("\n") + "\n").unwrap();
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(stdout.contains("DEVIATION     input labels.csv"), "{stdout}");
}

/// Labels that were there and are taken back, or a file of added labels that is gone, are no longer those that were frozen.
#[test]
fn labels_that_are_taken_back_are_missed() {
    let dir = evaluated_study();
    let file = dir.path().join("new.csv");
    fs::write(&file, "id,annotator,label\ni0,zoe,yes\n").unwrap();
    study(&["labels", "add", text(&file), text(dir.path())], 0);
    study(&["register", text(dir.path())], 0);
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(!stdout.contains("DEVIATION") && stdout.contains("CONFIRMED     agreement"), "{stdout}");
    study(&["labels", "remove", "new.csv", text(dir.path())], 0);
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(stdout.contains("DEVIATION     batch ") && !stdout.contains("CONFIRMED"), "{stdout}");
    fs::remove_dir_all(dir.path().join("labels")).unwrap();
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(stdout.contains("DEVIATION     input labels/") && !stdout.contains("CONFIRMED"), "{stdout}");
}

/// With fewer labels than announced nothing is decided; a finding of nothing is refused with the one that was meant.
#[test]
fn an_interim_look_decides_nothing() {
    let dir = evaluated_study();
    let plan = dir.path().join("hypotheses.toml");
    let draft = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, draft.replace("rate.yes", "rate.yess")).unwrap();
    let (_, stderr) = study(&["register", text(dir.path())], 2);
    assert!(stderr.contains("\"rate.yess\" is no finding of this study, did you mean \"rate.yes\""), "{stderr}");
    fs::write(&plan, format!("labels = 1300\n{draft}")).unwrap();
    study(&["register", text(dir.path())], 0);
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(stdout.contains("announced 1300 labels and 1200 are there: an interim look"), "{stdout}");
    assert!(stdout.contains("INTERIM LOOK  agreement") && !stdout.contains("CONFIRMED"), "{stdout}");
    let (stdout, _) = study(&["run", "--details", text(dir.path())], 0);
    assert!(stdout.contains("All 1200 labels were there at registration"), "{stdout}");
}
