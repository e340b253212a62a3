//! What a queue sends next.

use std::fs;
use std::path::Path;

use judge_uncertainty::study::Study;
use judge_uncertainty::study::results::run::LastRun;
use serde_json::Value;

use crate::support::{study, text};

/// A study of `items` with `labels` labels each, of a judge that is too sure; further lines of its configuration.
fn pool(items: u32, labels: u32, judge: &str, more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write(
        "study.toml",
        format!(
            "title = \"Pool\"\nclasses = [\"yes\", \"no\"]\n[items]\nfile = \"items.csv\"\n[judge]\nfile = \
             \"judge.csv\"\n{judge}\n\
             [labels]\nfile = \"labels.csv\"\nform = \"counts\"\n{more}\n"
        ),
    );
    let rows = |head: &str, row: &dyn Fn(u32) -> String| {
        (0..items).fold(format!("{head}\n"), |text, i| format!("{text}i{i},{}\n", row(i)))
    };
    write("items.csv", rows("id,words", &|i| (i % 9).to_string()));
    let p = |i: u32| f64::from(1 + i * 7 % 40) / 42.0;
    write(
        "judge.csv",
        match judge.contains("labels") {
            true => rows("id,label,confidence", &|i| {
                format!("{},{}", if p(i) > 0.5 { "yes" } else { "no" }, 50.0 + 100.0 * (p(i) - 0.5).abs())
            }),
            false => rows("id,p_yes,p_no", &|i| format!("{},{}", p(i), 1.0 - p(i))),
        },
    );
    let yes = |i: u32| (f64::from(labels) * (0.25 + 0.5 * p(i))).round() as u32;
    write("labels.csv", rows("id,n_yes,n_no", &|i| format!("{},{}", yes(i), labels - yes(i))));
    folder
}

const PROBABILITIES: &str = "kind = \"probabilities\"";

fn queued(study_folder: &Path, args: &[&str]) -> Vec<String> {
    let out = study_folder.join("q");
    let all = [&["queue", text(study_folder), "--out", text(&out), "--force"], args].concat();
    study(&all, 0);
    let rows = fs::read_to_string(out.join("queue.jsonl")).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    let mut ids: Vec<String> = rows.lines().map(id).collect();
    ids.sort();
    // A queue that labels come back to is the study's, and no other may take its place.
    fs::remove_dir_all(&out).unwrap();
    ids
}

#[test]
fn what_falls_at_random_falls_otherwise_under_another_seed_and_after_labels() {
    let dir = pool(60, 2, PROBABILITIES, "");
    let rules = [&["--rule", "random"][..], &["--rule", "fewest_labels"], &["--rule", "epistemic", "--explore", "0.8"]];
    let queues = |args: &[&str]| rules.map(|rule| queued(dir.path(), &[rule, &["--budget", "20"], args].concat()));
    let first = queues(&[]);
    assert_eq!(first, queues(&[]), "the same seed gives the same items");
    for (rule, (own, other)) in rules.iter().zip(first.iter().zip(&queues(&["--seed", "1"]))) {
        assert_ne!(own, other, "{rule:?} under another seed");
    }
    let back = dir.path().join("back.csv");
    fs::write(&back, "id,annotator,label\ni0,ann,yes\n").unwrap();
    study(&["labels", "add", text(&back), text(dir.path())], 0);
    for (rule, (own, other)) in rules.iter().zip(first.iter().zip(&queues(&[]))) {
        assert_ne!(own, other, "{rule:?} after labels came back");
    }
}

/// A judge that says its probabilities, or its verdict with a confidence that is the higher of them, or its verdict
/// alone.
#[test]
fn encodings_of_one_judge_give_one_queue() {
    let confidence = "kind = \"labels\"\nconfidence = \"confidence\"\nconfidence_range = [0, 100]";
    // Some items have labels, so that a map can be chosen; stated confidence is no feature of the trust, which would
    // tell the encodings apart.
    let few = |judge: &str| {
        let dir = pool(60, 2, judge, "[trust]\nfeatures = []");
        let labels = fs::read_to_string(dir.path().join("labels.csv")).unwrap();
        fs::write(dir.path().join("labels.csv"), labels.lines().take(31).fold(String::new(), |t, l| t + l + "\n"))
            .unwrap();
        dir
    };
    let (said, stated, alone) = (few(PROBABILITIES), few(confidence), few("kind = \"labels\""));
    for rule in [&[][..], &["--rule", "info"], &["--rule", "delta"]] {
        let args = [rule, &["--budget", "12"]].concat();
        let (one, other) = (queued(said.path(), &args), queued(stated.path(), &args));
        let shared = one.iter().filter(|id| other.contains(id)).count();
        assert!(shared >= 11, "{rule:?}: {one:?} {other:?}");
        let least = queued(alone.path(), &args);
        if rule.is_empty() {
            assert_eq!((&one, &one), (&other, &least), "without values all encodings are queued alike");
        } else {
            let labelled = least.iter().filter(|id| id[1..].parse::<u32>().unwrap() < 30).count();
            assert!(labelled <= 2, "{rule:?}: {least:?}");
        }
    }
    let out = alone.path().join("q");
    let (_, heard) = study(&["queue", text(alone.path()), "--rule", "info", "--out", text(&out)], 0);
    assert!(heard.contains("nothing to rank them by beyond groups and features"), "{heard}");
}

#[test]
fn no_item_gets_a_second_label_by_rank_while_others_have_none() {
    let dir = pool(200, 2, PROBABILITIES, "");
    let labels = fs::read_to_string(dir.path().join("labels.csv")).unwrap();
    fs::write(dir.path().join("labels.csv"), labels.lines().take(101).fold(String::new(), |t, l| t + l + "\n"))
        .unwrap();
    let out = dir.path().join("q");
    let (said, _) = study(&["queue", text(dir.path()), "--budget", "60", "--out", text(&out)], 0);
    assert!(
        said.contains("Ranked by fewest labels (--rule fewest_labels)")
            && said.contains("10% of them (at least two) drawn at random"),
        "{said}"
    );
    let rows = fs::read_to_string(out.join("queue.jsonl")).unwrap();
    let (mut ranked, mut drawn) = (0, 0);
    for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let item: u32 = row["id"].as_str().unwrap()[1..].parse().unwrap();
        match row["selected_by"].as_str().unwrap() {
            "rank" => {
                assert!(item >= 100, "{row}");
                ranked += 1;
            }
            _ => drawn += 1,
        }
    }
    assert_eq!((ranked, drawn), (54, 6));
}

/// A queue goes on from the numbers of the run where nothing has changed, and its bytes are those of a queue without.
#[test]
fn a_queue_behind_a_run_is_the_queue_without_it() {
    let near = "[familiarity]\nembeddings = \"e.csv\"\nneighbours = 3\nengine = \"exact\"";
    let all = ["numbers = [\"words\"]", "numbers = []"];
    for (belief, more) in [("published", near), ("temperature", near), ("auto", near), ("published", ""), ("auto", "")]
    {
        let dir = pool(60, 3, PROBABILITIES, &format!("[trust]\nbelief = \"{belief}\"\n{more}"));
        let e = (0..60).fold("id,x,y,z\n".to_owned(), |t, i| format!("{t}i{i},{},{},1\n", i * 7 % 11, i * i % 13));
        fs::write(dir.path().join("e.csv"), e).unwrap();
        let toml = fs::read_to_string(dir.path().join("study.toml")).unwrap();
        let items = format!("[items]\n{}", all[usize::from(more.is_empty())]);
        fs::write(dir.path().join("study.toml"), toml.replace("[items]", &items)).unwrap();
        let labels = fs::read_to_string(dir.path().join("labels.csv")).unwrap();
        let kept = labels.lines().take(41).fold(String::new(), |t, l| t + l + "\n");
        fs::write(dir.path().join("labels.csv"), kept).unwrap();
        let files = || -> Vec<(String, Vec<u8>)> {
            let mut files = vec![];
            for rule in ["", "epistemic", "judge_entropy", "random"] {
                let out = dir.path().join("q");
                let mut args = vec!["queue", text(dir.path()), "--out", text(&out), "--force", "--budget", "15"];
                match rule {
                    "" => {}
                    rule => args.extend(["--rule", rule]),
                }
                study(&args, 0);
                let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path()).collect();
                names.sort();
                files.extend(names.iter().map(|file| (format!("{rule} {}", file.display()), fs::read(file).unwrap())));
                fs::remove_dir_all(&out).unwrap();
            }
            files
        };
        let known = || {
            let study = Study::load(dir.path()).unwrap();
            let run = LastRun::find(&study).unwrap();
            run.map(|run| run.decomposition(&study).unwrap().map(|found| found.trust))
        };
        let without = files();
        assert_eq!(known(), None);
        study(&["run", text(dir.path()), "--replicates", "0"], 0);
        assert!(matches!(known(), Some(Some(_))), "{belief} {more}");
        assert!(files() == without, "{belief} {more}");
        // Features of others, or half a file: the queue fits anew.
        if !more.is_empty() {
            let table = dir.path().join("run/items.parquet");
            let bytes = fs::read(&table).unwrap();
            fs::write(&table, &bytes[..bytes.len() / 2]).unwrap();
            assert_eq!(known(), Some(None));
            assert!(files() == without, "{belief} {more}");
        }
        let file = dir.path().join("labels.csv");
        fs::write(&file, fs::read_to_string(&file).unwrap() + "i59,0,3\n").unwrap();
        assert_eq!(known(), None);
    }
}

/// What a run says to label next are the first lines of the queue that its last line asks for.
#[test]
fn a_run_names_the_first_items_of_the_queue() {
    for (items, labelled, share) in
        [(150, 100, "10%"), (300, 200, "10%"), (60, 40, "at least two"), (60, 0, "Drawn at random")]
    {
        let dir = pool(items, 2, PROBABILITIES, "[trust]\nbelief = \"published\"");
        let labels = fs::read_to_string(dir.path().join("labels.csv")).unwrap();
        let kept = labels.lines().take(labelled + 1).fold(String::new(), |t, l| t + l + "\n");
        fs::write(dir.path().join("labels.csv"), kept).unwrap();
        let (said, _) = study(&["run", text(dir.path()), "--replicates", "0"], 0);
        let next: Vec<&str> = said.lines().skip_while(|line| !line.starts_with("Label next: ")).collect();
        let named: Vec<&str> =
            next.iter().filter_map(|line| line.strip_prefix("  i")?.split_once(' ')).map(|r| r.0).collect();
        let (queued, heard) = study(&["queue", text(dir.path())], 0);
        let (_, first) = queued.split_once("First: ").unwrap();
        let first: Vec<&str> = first.lines().next().unwrap().split(", ").take(3).map(|id| &id[1..]).collect();
        let said_of_these: Vec<&str> = named.iter().map(|id| id.trim_end_matches(':')).collect();
        assert_eq!(said_of_these[..3], first, "{said}\n{queued}");
        assert!(queued.contains(share), "{queued}");
        let told = if share.starts_with("Drawn") { "drawn at random" } else { "chance that it is wrong" };
        assert!(next.iter().any(|line| line.contains(told)), "{said}");
        assert!(!heard.contains("nothing to rank them by"), "fewest labels first ranks by no value: {heard}");
    }
}

/// Adds an answer to every row of a round's queue that `answers` takes, by another annotator each round; returns the
/// ids that the queue took for their rank, and those that were answered.
fn answered(folder: &Path, round: usize, answers: impl Fn(&str) -> bool) -> (Vec<String>, Vec<String>) {
    let queue = fs::read_to_string(folder.join(format!("q{round}/queue.jsonl"))).unwrap();
    let rows: Vec<Value> = queue.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
    let ranked = rows.iter().filter(|row| row["selected_by"] == "rank").map(id).collect();
    let back: Vec<String> = rows.iter().map(id).filter(|id| answers(id)).collect();
    let file = folder.join(format!("back{round}.csv"));
    let of = |id: &String| format!("{id},a{round},{}\n", if id.len().is_multiple_of(2) { "yes" } else { "no" });
    fs::write(&file, "id,annotator,label\n".to_owned() + &back.iter().map(of).collect::<String>()).unwrap();
    study(&["labels", "add", text(&file), text(folder)], 0);
    (ranked, back)
}

/// Plays the loop from the first label on, and counts how often a thing that has labels was taken for its rank while a
/// thing without any was left out; `row_of` says which thing a row is about.
fn overtaken(dir: &Path, things: usize, args: &[&str], row_of: impl Fn(&str) -> usize, skipped: usize) -> usize {
    let mut labels = vec![0; things];
    let mut found = 0;
    for round in 0..5 {
        let out = dir.join(format!("q{round}"));
        let budget = (things / 3).to_string();
        study(&[&["queue", text(dir), "--budget", &budget, "--out", text(&out)], args].concat(), 0);
        // Some answers do not come back.
        let (ranked, back) = answered(dir, round, |id| skipped == 0 || !(row_of(id) + round).is_multiple_of(skipped));
        let queued = fs::read_to_string(out.join("queue.jsonl")).unwrap();
        let is_out = |thing: usize| {
            !queued
                .lines()
                .any(|line| row_of(serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap()) == thing)
        };
        let left = (0..things).any(|thing| labels[thing] == 0 && is_out(thing));
        found += ranked.iter().filter(|id| left && labels[row_of(id)] > 0).count();
        back.iter().for_each(|id| labels[row_of(id)] += 1);
    }
    assert!(labels.iter().sum::<usize>() > things, "the loop gave further labels");
    found
}

/// Whatever the study has: groups, answers that stay out, two labels asked for at once, and rows that are
/// about one thing, which are queued together.
#[test]
fn over_a_whole_loop_first_labels_come_first() {
    let own = |id: &str| id[1..].parse::<usize>().unwrap();
    let plain = || {
        let dir = pool(90, 1, PROBABILITIES, "[trust]\nbelief = \"published\"");
        let config = fs::read_to_string(dir.path().join("study.toml")).unwrap();
        let config = config.replace("[labels]\nfile = \"labels.csv\"\nform = \"counts\"\n", "");
        let config = config.replace("\"items.csv\"\n", "\"items.csv\"\ngroup = \"words\"\n");
        fs::write(dir.path().join("study.toml"), config).unwrap();
        let items = (0..90).fold("id,words\n".to_owned(), |text, i| format!("{text}i{i},{}\n", 1 + i % 9));
        fs::write(dir.path().join("items.csv"), items).unwrap();
        dir
    };
    for (args, skipped) in [(&[][..], 0), (&[][..], 3), (&["--labels-per-item", "2"], 4), (&["--explore", "0.5"], 3)] {
        assert_eq!(overtaken(plain().path(), 90, args, own, skipped), 0, "{args:?}");
    }
    // The count can tell: by the epistemic part items that have labels do overtake.
    assert!(overtaken(plain().path(), 90, &["--rule", "epistemic", "--explore", "0.4"], own, 0) > 0);
    let dir = plain();
    let config = fs::read_to_string(dir.path().join("study.toml")).unwrap();
    fs::write(dir.path().join("study.toml"), config.replace("group = \"words\"", "item = \"thing\"")).unwrap();
    let items = (0..90).fold("id,words,thing\n".to_owned(), |text, i| format!("{text}i{i},{},t{}\n", i % 2, i / 2));
    fs::write(dir.path().join("items.csv"), items).unwrap();
    assert_eq!(overtaken(dir.path(), 45, &[], |id| own(id) / 2, 5), 0);
}
