//! Tables with several criteria: each is a study of its own, whatever the layout.

use std::collections::BTreeMap;
use std::path::Path;

use assert_cmd::Command;
use judge_uncertainty::random::Stream;
use serde_json::Value;

use crate::support::tree;

/// The criteria, with how often the judge is right.
const CRITERIA: [(&str, f64); 3] = [("faithfulness", 0.95), ("relevance", 0.8), ("tone", 0.55)];
const ITEMS: usize = 240;

/// The judge's and a person's answer to an item under a criterion; people answered half of the items.
fn answers() -> Vec<[(bool, Option<bool>); 3]> {
    let mut stream = Stream::new(4);
    let mut one = |i: usize, right: f64| {
        let truth = stream.random() < 0.5;
        (truth == (stream.random() < right), Some(truth).filter(|_| i.is_multiple_of(2)))
    };
    (0..ITEMS).map(|i| CRITERIA.map(|(_, right)| one(i, right))).collect()
}

fn word(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn agreement(k: usize) -> f64 {
    let pairs: Vec<(bool, bool)> = answers().iter().filter_map(|row| Some((row[k].0, row[k].1?))).collect();
    pairs.iter().filter(|(judge, person)| judge == person).count() as f64 / pairs.len() as f64
}

fn wide() -> String {
    let names = |start: &str, end: &str| CRITERIA.map(|(name, _)| format!("{start}{name}{end}")).join(",");
    let mut text = format!("id,question,{},{},judge_reason_tone\n", names("judge_", ""), names("", "_human"));
    for (i, row) in answers().iter().enumerate() {
        let judge = row.map(|(judge, _)| word(judge)).join(",");
        let human = row.map(|(_, human)| human.map_or("", word)).join(",");
        text += &format!("{i},Question {i}?,{judge},{human},because\n");
    }
    text
}

fn long() -> String {
    let mut text = "id,metric,rubric,question,judge,human\n".to_owned();
    for (i, row) in answers().iter().enumerate() {
        for ((name, _), (judge, human)) in CRITERIA.iter().zip(row) {
            text += &format!("{i},{name},Is it {name}?,Question {i}?,{},{}\n", word(*judge), human.map_or("", word));
        }
    }
    text
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
    let ran = command.current_dir(folder).args(arguments).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn each_criterion_has_its_own_verdict_labels_and_rubric() {
    for (name, text) in [("wide.csv", wide()), ("long.csv", long())] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        let all = run(folder.path(), &["audit", name, "--labelled", "random", "--json", "--out", "out"]);
        let all: Value = serde_json::from_str(&all).unwrap();
        let of = |one: &Value| {
            let found = one["answer"]["findings"].as_array().unwrap().iter().find(|found| found["id"] == "agreement");
            let value = found.unwrap()["found"]["value"].as_f64().unwrap();
            (
                one["input"]["title"].as_str().unwrap().split(':').next().unwrap().to_owned(),
                (value, one["answer"]["items"].clone()),
            )
        };
        let all: BTreeMap<String, (f64, Value)> = all.as_array().unwrap().iter().map(of).collect();
        assert_eq!(all.len(), 3, "{name}");
        for (k, (criterion, _)) in CRITERIA.iter().enumerate() {
            let (value, items) = &all[*criterion];
            assert!((value - agreement(k)).abs() < 1e-9, "{name}: {criterion} {value} and {}", agreement(k));
            assert_eq!(*items, ITEMS, "{name}: {criterion}");
            let study = std::fs::read_to_string(folder.path().join("out").join(criterion).join("study.toml")).unwrap();
            assert!(study.contains(&format!("[criterion]\nname = \"{criterion}\"")), "{study}");
            assert_eq!(study.contains(&format!("rubric = \"Is it {criterion}?\"")), name == "long.csv");
            assert_eq!(study.contains("transcript"), *criterion == "tone" && name == "wide.csv");
        }
        let screen = run(folder.path(), &["audit", name, "--labelled", "random", "--out", "again"]);
        assert!(screen.lines().count() <= 25, "{screen}");
        for (criterion, _) in CRITERIA {
            assert!(screen.contains(&format!("\n{criterion}: ")), "{screen}");
        }
        assert_eq!(screen.matches("Read as id=id verdict=").count(), 3, "{screen}");
        assert!(screen.contains("--columns role=column"), "{screen}");
        for arguments in [&["audit", "out"][..], &["study", "run", "out"], &["study", "queue", "out", "--budget", "2"]]
        {
            let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
            let refused = command.current_dir(folder.path()).args(arguments).output().unwrap();
            let error = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(error.contains("such as out/faithfulness") && refused.status.code() == Some(2), "{error}");
        }
    }
}

/// What is refused of the last criterion leaves none of the studies of the first ones.
#[test]
fn a_refusal_of_one_criterion_leaves_nothing_of_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let other = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        [id, "tone", rubric, question, judge, human] => {
            let [judge, human] = [judge, human].map(|word| word.replace("yes", "good").replace("no", "bad"));
            format!("{id},tone,{rubric},{question},{judge},{human}")
        }
        _ => line.to_owned(),
    };
    let text: String = long().lines().map(|line| other(line) + "\n").collect();
    std::fs::write(folder.path().join("long.csv"), text).unwrap();
    run(folder.path(), &["audit", "long.csv", "--out", "before"]);
    let before = tree(folder.path());
    for arguments in [&["--out", "new/out"][..], &["--out", "before", "--force"]] {
        let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
        command.current_dir(folder.path()).args(["audit", "long.csv", "--fail-if", "recall.yes<0.1"]).args(arguments);
        let refused = command.assert().code(2);
        let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(error.contains("recall.good"), "{error}");
        assert!(tree(folder.path()) == before, "{arguments:?}");
    }
}

#[test]
fn exported_labels_are_audited_as_the_study_that_they_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "id,judge,human_anna,human_ben\n".to_owned();
    for (i, row) in answers().iter().enumerate() {
        let second = row[1].1.filter(|_| i % 3 == 0).map_or("", |is| word(is != (i % 5 == 0)));
        text += &format!("{i},{},{},{second}\n", word(row[1].0), row[1].1.map_or("", word));
    }
    std::fs::write(folder.path().join("table.csv"), text).unwrap();
    run(folder.path(), &["audit", "table.csv", "--labelled", "random"]);
    run(folder.path(), &["study", "labels", "export", "labels.csv", "table-audit"]);
    run(folder.path(), &["audit", "labels.csv", "--labelled", "random", "--out", "again"]);
    let figures = |study: &str| -> Vec<f64> {
        let answer: Value = serde_json::from_str(&run(folder.path(), &["audit", study, "--json"])).unwrap();
        let found = answer["answer"]["findings"].as_array().unwrap().clone();
        let value = |id: &str| found.iter().find(|one| one["id"] == id).unwrap()["found"]["value"].as_f64().unwrap();
        ["agreement", "kappa", "between_people"].map(value).to_vec()
    };
    let (of_study, of_export) = (figures("table-audit"), figures("again"));
    for (one, other) in of_study.iter().zip(&of_export) {
        assert!((one - other).abs() < 1e-9, "{of_study:?} {of_export:?}");
    }
}

/// The answers of a second person, who answered every third item and at times differently.
fn second(i: usize, k: usize, row: &[(bool, Option<bool>); 3]) -> Option<bool> {
    row[k].1.filter(|_| i.is_multiple_of(3)).map(|is| is != (i + k).is_multiple_of(7))
}

/// Rows for each item, criterion and rater: the judge is one of these, known by its name or by another column, or has a column
/// of its own.
#[test]
fn criteria_and_raters_in_rows_are_a_study_for_each_criterion() {
    let all = answers();
    let rows = |header: &str, row: &dyn Fn(usize, usize, &str, bool) -> String| {
        let mut text = format!("{header}\n");
        for (i, of) in all.iter().enumerate() {
            for (k, (judge, human)) in of.iter().enumerate() {
                let people = [("anna", *human), ("ben", second(i, k, of))];
                let people = people.into_iter().filter_map(|(who, is)| Some((who, is?)));
                for (who, is) in std::iter::once(("gpt-4o", *judge)).chain(people) {
                    text += &row(i, k, who, is);
                }
            }
        }
        text
    };
    let named = |k: usize| CRITERIA[k].0;
    let plain =
        rows("item,criterion,rater,score", &|i, k, who, is| format!("d{i},{},{who},{}\n", named(k), u8::from(is)));
    let typed = rows("doc_id,aspect,worker_id,worker_type,label", &|i, k, who, is| {
        let (who, kind) = if who == "gpt-4o" { ("w1", "llm") } else { (who, "human") };
        format!("d{i},{},{who},{kind},{}\n", named(k), word(is))
    });
    let sources = rows("example,dimension,source,verdict", &|i, k, who, is| {
        let who = if who == "gpt-4o" { "judge".to_owned() } else { format!("human:{who}") };
        format!("d{i},{},{who},{}\n", named(k), word(is))
    });
    let beside = rows("item,criterion,annotator,label,judge", &|i, k, who, is| {
        let judge = word(all[i][k].0);
        match who {
            "gpt-4o" if all[i][k].1.is_some() => String::new(),
            "gpt-4o" => format!("d{i},{},,,{judge}\n", named(k)),
            who => format!("d{i},{},{who},{},{judge}\n", named(k), word(is)),
        }
    });
    let turns = rows("conversation_id,turn,metric,rater,score", &|i, k, who, is| {
        format!("c{},{},{},{who},{}\n", i / 2, i % 2, named(k), u8::from(is))
    });
    for (name, text) in [("plain", plain), ("typed", typed), ("sources", sources), ("beside", beside), ("turns", turns)]
    {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.csv"), text).unwrap();
        let found = run(folder.path(), &["audit", "t.csv", "--labelled", "random", "--json", "--out", "out"]);
        let found: Value = serde_json::from_str(&found).unwrap();
        let of = |one: &Value| {
            let criterion = one["input"]["title"].as_str().unwrap().split(':').next().unwrap().to_owned();
            (criterion, one["answer"].clone())
        };
        let found: BTreeMap<String, Value> = found.as_array().unwrap().iter().map(of).collect();
        assert_eq!(found.len(), 3, "{name}");
        for (k, (criterion, _)) in CRITERIA.iter().enumerate() {
            let answer = &found[*criterion];
            assert_eq!((&answer["items"], &answer["labelled"]), (&240.into(), &120.into()), "{name}: {criterion}");
            let with = |(i, row): (usize, &[(bool, Option<bool>); 3])| {
                let people: Vec<bool> = [row[k].1, second(i, k, row)].into_iter().flatten().collect();
                let same = people.iter().filter(|is| **is == row[k].0).count() as f64;
                (!people.is_empty()).then(|| same / people.len() as f64)
            };
            let shares: Vec<f64> = all.iter().enumerate().filter_map(with).collect();
            let expected = shares.iter().sum::<f64>() / shares.len() as f64;
            let agreement = answer["findings"].as_array().unwrap().iter().find(|one| one["id"] == "agreement").unwrap();
            let agreement = agreement["found"]["value"].as_f64().unwrap();
            assert!((agreement - expected).abs() < 1e-9, "{name}: {criterion} {agreement} and not {expected}");
        }
    }
}
