//! Hypotheses about a study: registered, expected labels, looks, verdicts.

use std::fs;
use std::path::Path;

use judge_uncertainty::random::Stream;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{command, json_of, number, study, text};

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
    fs::write(
        dir.path().join("hypotheses.toml"),
        "[[hypothesis]]\nid = \"up\"\nstatement = \"s\"\nbetter = \"info\"\nthan = \"judge_entropy\"\nbudget = 10\n\
         measure = \"value\"\nmargin = -100.0\n\n[[hypothesis]]\nid = \"down\"\nstatement = \"s\"\nbetter = \"info\"\n\
         than = \"random\"\nbudget = 20\nmeasure = \"selective_error\"\nmargin = 100.0\n",
    )
    .unwrap();
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
    assert!(stdout.contains("CONFIRMED ON OLD LABELS up") && stdout.contains("REFUTED ON OLD LABELS down"), "{stdout}");
    let registered = json_of(&results)["registered"].clone();
    assert_eq!((&registered["family"], &registered["deviations"]), (&json!(2), &json!([])));
    let up = &registered["hypotheses"][0];
    let difference = json_of(&results)["evaluation"]["evaluated"]["full"]["minus_judge_entropy"]["info"]["b10"].clone();
    // The table draws one label per item, the verdict averages over all that might be bought.
    assert!((number(&up["difference"]) - number(&difference["mean"])).abs() < 4.0 * number(&difference["se"]));
    assert!(number(&up["adjusted"][0]) <= number(&up["interval"][0]));
    let new_items = &up["new_items"];
    assert!(number(&new_items["se"]) > 0.0 && number(&new_items["critical_error"]) > 0.0, "{new_items}");
    assert!(number(&new_items["bound_error"]) < 0.5 * number(&new_items["se"]), "{new_items}");
    let comparisons = registered["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.iter().filter(|c| c["registered"] == json!(true)).count(), 2);
    assert!(comparisons.len() > 20);

    let (stdout, _) = study(&["run", "--details", text(dir.path()), "--force", "--replicates", "3"], 0);
    assert!(stdout.contains("DEVIATION    setting evaluation.replicates: registered 12, found 3"), "{stdout}");
    assert!(
        stdout.contains("  DEVIATING    up:") && stdout.contains("confirmed on old labels if this had been"),
        "{stdout}"
    );
    assert!(!stdout.contains("CONFIRMED"), "{stdout}");
    let up = json_of(&results)["registered"]["hypotheses"][0].clone();
    assert_eq!((&up["status"], &up["if_as_registered"]), (&json!("deviating"), &json!("confirmed")));
    let file = dir.path().join("registration.toml");
    let changed = fs::read_to_string(&file).unwrap().replace("margin = -100.0", "margin = 0.0");
    fs::write(&file, changed).unwrap();
    let (_, stderr) = study(&["run", text(dir.path()), "--force"], 2);
    assert!(stderr.contains("changed after it was made"), "{stderr}");
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
    for (who, look) in [("late", "may have been seen before"), ("later", "look 2 at these hypotheses")] {
        let file = dir.path().join(format!("{who}.csv"));
        fs::write(&file, answers(who)).unwrap();
        study(&["labels", "add", text(&file), text(dir.path())], 0);
        let (stdout, _) = study(&["run", "--details", text(dir.path()), "--force"], 0);
        assert!(!stdout.contains("DEVIATION") && stdout.contains("CONFIRMED ON OLD LABELS up"), "{stdout}");
        assert!(stdout.contains(look), "{stdout}");
        let registered = json_of(&dir.path().join("run/results/study.json"))["registered"].clone();
        assert_eq!(registered["hypotheses"][0]["status"], json!("confirmed"));
    }
    // Own labels that change, as against those that are added at the end, are a deviation.
    let own = fs::read_to_string(dir.path().join("labels.csv")).unwrap();
    let reversed: Vec<&str> =
        own.lines().take(1).chain(own.lines().skip(1).collect::<Vec<_>>().into_iter().rev()).collect();
    fs::write(dir.path().join("labels.csv"), reversed.join("\n") + "\n").unwrap();
    let (stdout, _) = study(&["run", "--details", text(dir.path()), "--force"], 0);
    assert!(stdout.contains("DEVIATION    input labels.csv"), "{stdout}");
}

/// The folders `a` and `b` with one study each of the same 120 items, 36 of them urgent; the judge of `a` sees which,
/// that of `b` guesses. Hypotheses of `a` about both judges and about shares.
fn two_judges() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let items = (0..120).fold("id\n".to_owned(), |text, i| format!("{text}i{i}\n"));
    let config = "title = \"t\"\nclasses = [\"urgent\", \"later\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \
                  \"judge.csv\"\nkind = \"probabilities\"\n[trust]\nbelief = \"published\"\n";
    for (name, sees) in [("a", true), ("b", false)] {
        let p = |i: u32| match is_urgent(i) {
            true if sees => 0.75 + 0.01 * f64::from(i % 20),
            false if sees => 0.25 - 0.01 * f64::from(i % 20),
            _ => 0.3 + 0.02 * f64::from(i * 7 % 20),
        };
        let judge = (0..120)
            .fold("id,p_urgent,p_later\n".to_owned(), |text, i| format!("{text}i{i},{:.2},{:.2}\n", p(i), 1.0 - p(i)));
        fs::create_dir(dir.path().join(name)).unwrap();
        for (file, text) in [("items.csv", &*items), ("judge.csv", &judge), ("study.toml", config)] {
            fs::write(dir.path().join(name).join(file), text).unwrap();
        }
    }
    let hypothesis =
        |(id, about): (&str, &str)| format!("[[hypothesis]]\nid = \"{id}\"\nstatement = \"s\"\n{about}\n\n");
    let judge = "than_judge = \"../b\"";
    let share = "share = \"urgent\"\nqueue = \"queue\"";
    let plan: String = [
        ("sees", judge.to_owned()),
        ("sees-far", format!("{judge}\nmargin = 2.0")),
        ("few", format!("{share}\nbelow = 0.5")),
        ("most", format!("{share}\nabove = 0.6")),
        ("near", format!("{share}\nabove = 0.29\nbelow = 0.31")),
        ("third", format!("{share}\nabove = 0.1\nbelow = 0.5")),
    ]
    .iter()
    .map(|(id, about)| hypothesis((id, about)))
    .collect();
    fs::write(dir.path().join("a/hypotheses.toml"), format!("labels = 80\n{plan}")).unwrap();
    dir
}

fn is_urgent(item: u32) -> bool {
    item % 10 < 3
}

/// Answers what the queue of `a` asks, as far as `kept` says, in both studies.
fn answer(dir: &Path, kept: impl Fn(u32) -> bool) {
    let queue = fs::read_to_string(dir.join("a/queue/queue.csv")).unwrap();
    let ids = queue.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()[1..].parse::<u32>().unwrap());
    let row = |i: u32| format!("i{i},ann,{}\n", if is_urgent(i) { "urgent" } else { "later" });
    let answers = "id,annotator,label\n".to_owned() + &ids.filter(|i| kept(*i)).map(row).collect::<String>();
    fs::write(dir.join("answers.csv"), answers).unwrap();
    for name in ["a", "b"] {
        study(&["labels", "add", text(&dir.join("answers.csv")), text(&dir.join(name))], 0);
    }
}

/// A judge against another one and shares: registered before any label, judged by the answers to a queue.
#[test]
fn judges_and_shares_are_registered_and_judged() {
    let dir = two_judges();
    let [first, second] = ["a", "b"].map(|name| dir.path().join(name));
    let (stdout, _) = study(&["register", text(&first)], 0);
    assert!(stdout.contains("6 hypotheses registered") && !stdout.contains("warning"), "{stdout}");
    let run = || {
        let (stdout, _) = study(&["run", "--details", text(&first), "--force"], 0);
        (stdout, json_of(&first.join("run/results/study.json"))["registered"].clone())
    };
    let statuses = |registered: &Value| -> Vec<String> {
        let of = |h: &Value| format!("{} {}", h["hypothesis"]["id"].as_str().unwrap(), h["status"].as_str().unwrap());
        registered["hypotheses"].as_array().unwrap().iter().map(of).collect()
    };
    study(&["queue", text(&first), "--rule", "random", "--explore", "1", "--budget", "80"], 0);
    let json_said = |args: &[&str]| -> Value {
        let output = command(args).arg("--json").output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let near = |a: &Value, b: &Value| assert!((number(a) - number(b)).abs() < 1e-12, "{a} {b}");
    let estimated = || {
        let (queue, level) = (first.join("queue"), format!("{}", 1.0 - 0.05 / 6.0));
        let args = ["study", "labels", "estimate", text(&queue), text(&first), "--level", &level];
        json_said(&args)["estimates"][0].clone()
    };
    // With answers out the interval of a share holds whatever they would be.
    answer(dir.path(), |i| i % 2 == 0);
    let (stdout, registered) = run();
    assert!(statuses(&registered).iter().all(|status| status.ends_with(" interim_look")), "{stdout}");
    let bounds = estimated()["if_missing"].clone();
    near(&registered["hypotheses"][2]["adjusted"][0], &bounds[0]);
    near(&registered["hypotheses"][2]["adjusted"][1], &bounds[1]);
    answer(dir.path(), |i| i % 2 == 1);
    let (stdout, registered) = run();
    assert_eq!(
        statuses(&registered),
        ["sees confirmed", "sees-far refuted", "few confirmed", "most refuted", "near inconclusive", "third confirmed"],
        "{stdout}"
    );
    assert!(stdout.contains("against a margin of 2") && stdout.contains("a claim of 0.29 to 0.31"), "{stdout}");
    assert_eq!((&registered["deviations"], &registered["look"]), (&json!([]), &json!(2)));
    // What other commands say of it.
    let compared = json_said(&["compare", text(&first), text(&second)]);
    let log = &compared["scores"].as_array().unwrap()[0];
    assert_eq!((&log["prediction"], &log["score"]), (&json!("judge"), &json!("log")));
    let (sees, few) = (&registered["hypotheses"][0], &registered["hypotheses"][2]);
    near(&sees["difference"], &log["advantage"]["value"]);
    near(&sees["interval"][0], &log["advantage"]["lo"]);
    assert!(number(&sees["adjusted"][0]) < number(&sees["interval"][0]), "{sees}");
    let estimated = estimated();
    let share = &estimated["weighted"];
    near(&few["difference"], &share["mean"]);
    near(&few["adjusted"][0], &share["lo"]);
    near(&few["adjusted"][1], &share["hi"]);
    // Labels of the other study alone are further data, and no deviation.
    let more = dir.path().join("more.csv");
    fs::write(&more, "id,annotator,label\ni0,another,urgent\n").unwrap();
    study(&["labels", "add", text(&more), text(&second)], 0);
    let (_, registered) = run();
    assert_eq!((&registered["deviations"], &registered["look"]), (&json!([]), &json!(3)));
    // The other judge is frozen, too.
    let judge = fs::read_to_string(second.join("judge.csv")).unwrap();
    fs::write(second.join("judge.csv"), judge + "\n").unwrap();
    let (stdout, registered) = run();
    assert!(stdout.contains("DEVIATION    input ../b/judge.csv"), "{stdout}");
    assert!(statuses(&registered).iter().all(|status| status.ends_with(" deviating")), "{stdout}");
    assert_eq!(registered["look"], json!(4), "another judge is another look");
}

/// Tables that are copied after a look can be registered anew, and the verdicts say that their labels are older.
#[test]
fn what_is_registered_after_its_labels_is_called_so() {
    let (dir, copy) = (two_judges(), two_judges());
    let first = dir.path().join("a");
    study(&["register", text(&first)], 0);
    study(&["queue", text(&first), "--rule", "random", "--explore", "1", "--budget", "80"], 0);
    answer(dir.path(), |_| true);
    let (stdout, _) = study(&["run", "--details", text(&first)], 0);
    assert!(stdout.contains("  CONFIRMED    few") && stdout.contains("  REFUTED      most"), "{stdout}");
    let again = copy.path().join("a");
    study(&["labels", "add", text(&dir.path().join("answers.csv")), text(&copy.path().join("b"))], 0);
    fs::create_dir(again.join("queue")).unwrap();
    for name in ["queue/queue.json", "queue/selection.csv"] {
        fs::copy(first.join(name), again.join(name)).unwrap();
    }
    study(&["labels", "add", text(&dir.path().join("answers.csv")), text(&again)], 0);
    study(&["register", text(&again)], 0);
    let (stdout, _) = study(&["run", "--details", text(&again)], 0);
    for verdict in ["CONFIRMED ON OLD LABELS sees", "CONFIRMED ON OLD LABELS few", "REFUTED ON OLD LABELS most"] {
        assert!(stdout.contains(verdict), "{stdout}");
    }
    let page = fs::read_to_string(again.join("run/report/index.html")).unwrap();
    assert!(page.contains("confirmed on old labels") && !page.contains(">confirmed<"));
}

/// Fewer labels than announced are an interim look; what a rule chose says nothing of all items.
#[test]
fn judges_and_shares_are_open_where_the_design_is_unknown() {
    let dir = two_judges();
    let first = dir.path().join("a");
    let plan = fs::read_to_string(first.join("hypotheses.toml")).unwrap();
    fs::write(first.join("hypotheses.toml"), plan.replace("labels = 80", "labels = 60")).unwrap();
    study(&["register", text(&first)], 0);
    study(&["queue", text(&first), "--rule", "judge_entropy", "--budget", "60"], 0);
    let told = || {
        let (stdout, _) = study(&["run", "--details", text(&first), "--force"], 0);
        let registered = json_of(&first.join("run/results/study.json"))["registered"].clone();
        let of = |h: &Value| {
            (
                h["status"].as_str().unwrap().to_owned(),
                h["note"].as_str().unwrap_or_default().to_owned(),
                stdout.clone(),
            )
        };
        registered["hypotheses"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    answer(dir.path(), |i| i % 2 == 0);
    for (status, note, stdout) in told() {
        assert!(status == "interim_look" && note.starts_with("not estimable: "), "{stdout}");
    }
    answer(dir.path(), |i| i % 2 == 1);
    for (k, (status, note, stdout)) in told().into_iter().enumerate() {
        let why = if k < 2 { "says nothing of new ones" } else { "60 of 120 items had no chance of being selected" };
        assert!(
            status == "inconclusive" && (note.contains(why) || note.contains("not new ones")),
            "{k} {note}\n{stdout}"
        );
    }
}

#[test]
fn nothing_is_registered_once_an_evaluation_was_seen() {
    let dir = evaluated_study();
    study(&["run", text(dir.path()), "--replicates", "2"], 0);
    let (_, stderr) = study(&["register", text(dir.path())], 2);
    assert!(stderr.contains("an evaluation has been computed already"), "{stderr}");
    assert!(!dir.path().join("registration.toml").exists());
}

#[test]
fn an_evaluation_that_went_elsewhere_is_seen() {
    let (dir, elsewhere) = (evaluated_study(), tempfile::tempdir().unwrap());
    let out = elsewhere.path().join("run");
    study(&["run", text(dir.path()), "--replicates", "2", "--out", text(&out)], 0);
    assert!(out.join("results/study.json").exists());
    let (_, stderr) = study(&["register", text(dir.path())], 2);
    assert!(stderr.contains("already, into") && stderr.contains(text(&out)), "{stderr}");
    assert!(!dir.path().join("registration.toml").exists());
}

/// The note of an evaluation elsewhere goes into a file of the study, not to where a link there leads; and what can't
/// be read is not taken for nothing.
#[cfg(unix)]
#[test]
fn a_note_of_an_evaluation_elsewhere_follows_no_link() {
    let (dir, elsewhere) = (evaluated_study(), tempfile::tempdir().unwrap());
    let (mine, note) = (elsewhere.path().join("mine.txt"), dir.path().join("evaluated-elsewhere.txt"));
    let out = elsewhere.path().join("run");
    let run = ["run", text(dir.path()), "--replicates", "2", "--out", text(&out), "--force"];
    fs::write(&mine, "mine\n").unwrap();
    std::os::unix::fs::symlink(&mine, &note).unwrap();
    let (_, stderr) = study(&run, 0);
    assert!(stderr.contains("a later registration will not see") && stderr.contains("it is a link"), "{stderr}");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine\n");
    fs::remove_file(&note).unwrap();
    fs::write(&note, b"\xff\n").unwrap();
    let (_, stderr) = study(&run, 0);
    assert!(stderr.contains("a later registration will not see"), "{stderr}");
    assert_eq!(fs::read(&note).unwrap(), b"\xff\n");
    let (_, stderr) = study(&["register", text(dir.path())], 1);
    assert!(stderr.contains("evaluated-elsewhere.txt: reading failed"), "{stderr}");
}
