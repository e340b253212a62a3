//! What annotators see of any study: the criterion, the ends of the scale and the texts, and neither labels of people, answers
//! of the judge, names of systems nor ids that tell them, on the label page and in the export for every tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use judge_uncertainty::formats::table::DataTable;
use judge_uncertainty::study::input::question::of_task;
use serde_json::Value;

use crate::support::{json_of, lines_of};

type Row = BTreeMap<String, String>;

fn table(path: &Path) -> Vec<Row> {
    csv::Reader::from_path(path).map_or(vec![], |mut file| file.deserialize().map(|row| row.unwrap()).collect())
}

/// A cell as it is compared with an answer.
fn folded(cell: &str) -> String {
    let cell = cell.trim().to_lowercase();
    cell.strip_suffix(".0").unwrap_or(&cell).to_owned()
}

/// Answers of each item, by its id.
fn answers(rows: &[Row]) -> BTreeMap<&str, BTreeSet<String>> {
    let mut all: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.contains_key("label")) {
        all.entry(&row["id"]).or_default().insert(folded(&row["label"]));
    }
    all
}

/// Whether cells tell answers: those of two different ones and more, in nine of ten items.
fn tells(
    cells: &BTreeMap<&str, String>,
    answers: &BTreeMap<&str, BTreeSet<String>>,
    is: fn(&str, &str) -> bool,
) -> bool {
    let known: Vec<_> = answers.iter().filter_map(|(id, answers)| Some((cells.get(id)?, answers))).collect();
    let right = known.iter().filter(|(cell, answers)| answers.iter().any(|answer| is(cell, answer))).count();
    let different: BTreeSet<&BTreeSet<String>> = answers.values().collect();
    different.len() > 1 && 10 * right >= 9 * known.len().max(1)
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

/// What is wrong with the label page and the exports of a study, whose queue and page are there.
pub(crate) fn wrong(study: &Path) -> Vec<String> {
    let config: toml::Table = toml::from_str(&fs::read_to_string(study.join("study.toml")).unwrap()).unwrap();
    let item_of = |task: &str| of_task(task).map_or(task, |(id, _)| id).to_owned();
    let items = table(&study.join("items.csv"));
    let [labels, judge] = ["labels.csv", "judge.csv"].map(|name| table(&study.join(name)));
    let [labels, judge] = [answers(&labels), answers(&judge)];
    let mut problems = vec![];
    let mut expect = |is: bool, what: String| {
        if !is {
            problems.push(format!("{}: {what}", study.display()));
        }
    };
    let template = config["items"].get("text").and_then(|text| text.as_str());
    let shown: Vec<&str> = template.map_or(vec![], |text| {
        text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
    });
    for column in &shown {
        let cells: BTreeMap<&str, String> = items.iter().map(|row| (&*row["id"], folded(&row[*column]))).collect();
        for (answers, whose) in [(&labels, "people"), (&judge, "the judge")] {
            expect(
                !tells(&cells, answers, |cell, answer| cell == answer),
                format!("{column} tells the answer of {whose}"),
            );
        }
    }
    let ids: BTreeMap<&str, String> = items.iter().map(|row| (&*row["id"], folded(&row["id"]))).collect();
    for answers in [&labels, &judge] {
        expect(!tells(&ids, answers, has_word), "ids tell answers".to_owned());
    }
    let pair = config["items"].get("pair").and_then(|names| names.as_array()).cloned().unwrap_or_default();
    for system in pair.iter().map(|name| name.as_str().unwrap()) {
        expect(!shown.contains(&system), format!("{system} names a system"));
        let told = items.iter().filter(|row| row[system].len() > 1 && row["id"].contains(&row[system])).count();
        expect(told == 0, format!("{told} ids name systems"));
    }
    // What is shown of each item, with two answers in either order.
    let sides = config["items"].get("sides").and_then(|names| names.as_array()).cloned().unwrap_or_default();
    let other = |name: &str| match sides.iter().position(|side| side.as_str() == Some(name)) {
        Some(side) => sides[1 - side].as_str().unwrap().to_owned(),
        None => name.to_owned(),
    };
    let text = |row: &Row, swapped: bool| {
        let of = |part: &str| {
            let Some((name, rest)) = part.split_once('}') else { return part.to_owned() };
            row[&if swapped { other(name) } else { name.to_owned() }].clone() + rest
        };
        let mut parts = template.unwrap_or("{id}").split('{');
        parts.next().unwrap().to_owned() + &parts.map(of).collect::<String>()
    };
    let texts: BTreeMap<&str, [String; 2]> =
        items.iter().map(|row| (&*row["id"], [false, true].map(|swapped| text(row, swapped)))).collect();
    let criterion = config.get("criterion").map(|of| {
        ["name", "rubric"].map(|key| of.get(key).and_then(|text| text.as_str()).unwrap_or_default().to_owned())
    });
    let queue = study.join("queue");
    let html = fs::read_to_string(study.join("label.html")).unwrap();
    let page = html.split("id=\"queue\">").nth(1).unwrap().split("</script>").next().unwrap();
    let page: Value = serde_json::from_str(page).unwrap();
    let of = |rows: &[Value], id: &str, at: &str, about: &str| -> Vec<[String; 3]> {
        let cell =
            |row: &Value, at: &str| row.pointer(at).and_then(|text| text.as_str()).unwrap_or_default().to_owned();
        rows.iter().map(|row| [cell(row, id), cell(row, at), cell(row, about)]).collect()
    };
    let studio = json_of(&queue.join("label-studio.json"));
    let studio = studio.as_array().unwrap();
    let lines = |name: &str| lines_of(&queue.join(name));
    let sheet = |name: &str| {
        let (path, bytes) = (queue.join(name), fs::read(queue.join(name)).unwrap());
        let table = match name.ends_with(".xlsx") {
            true => judge_uncertainty::formats::xlsx::read(&path, &bytes, "id").unwrap(),
            false => DataTable::parse(&path, &bytes, "id").unwrap(),
        };
        let column = |name: &str| table.column(name).ok();
        let cell = |row: &judge_uncertainty::formats::table::Row<'_>, name: &str| {
            column(name).map_or(String::new(), |column| row.cell(column).to_owned())
        };
        table.rows().map(|row| [row.id().to_owned(), cell(&row, "text"), cell(&row, "criterion")]).collect::<Vec<_>>()
    };
    let whole = page["criterion"]
        .as_object()
        .map_or(String::new(), |of| of.values().filter_map(|text| text.as_str()).collect::<Vec<_>>().join("\n"));
    let of_page = of(page["items"].as_array().unwrap(), "/id", "/text", "");
    let of_page = of_page.into_iter().map(|[id, text, _]| [id, text, whole.clone()]).collect();
    for (tool, tasks) in [
        ("page", of_page),
        ("Label Studio", of(studio, "/data/uid", "/data/text", "/data/criterion")),
        ("Argilla", of(&lines("argilla.jsonl"), "/id", "/fields/text", "/fields/criterion")),
        ("Prodigy", of(&lines("prodigy.jsonl"), "/uid", "/text", "/text")),
        ("doccano", of(&lines("doccano.jsonl"), "/uid", "/text", "/text")),
        ("spreadsheet.csv", sheet("spreadsheet.csv")),
        ("spreadsheet.xlsx", sheet("spreadsheet.xlsx")),
    ] {
        expect(!tasks.is_empty(), format!("{tool} has no task"));
        for [id, text, about] in &tasks {
            let known = texts.get(&*item_of(id));
            let same = known.is_some_and(|known| known.iter().any(|known| text.trim().ends_with(known.trim())));
            expect(same, format!("{tool} shows {text:?} of {id}, and its text is {known:?}"));
            let alone = known.is_some_and(|known| known.iter().any(|known| text.trim() == known.trim()));
            let with = criterion.is_some() && ["Prodigy", "doccano"].contains(&tool);
            expect(alone || with, format!("{tool} shows more than the text of {id}: {text:?}"));
            for part in criterion.iter().flatten() {
                expect(about.contains(part.trim()), format!("{tool} does not say the criterion {part:?} of {id}"));
            }
        }
    }
    let classes = page["question"]["classes"].as_array();
    let ends: Vec<String> = match classes.filter(|_| config.contains_key("places")) {
        Some(classes) => {
            [classes.first(), classes.last()].map(|end| end.unwrap().as_str().unwrap().to_owned()).to_vec()
        }
        None => {
            let score = page["question"].get("score");
            score.map_or(vec![], |score| ["low", "high"].map(|end| score[end].to_string()).to_vec())
        }
    };
    let instruction = html.split("id=\"queue\">").next().unwrap();
    for end in ends {
        expect(
            instruction.contains(&end) || page["question"].get("score").is_some(),
            format!("the page lacks the end {end}"),
        );
    }
    let secret = ["predictions", "suggestion", "accept", "transcript"];
    for name in ["label-studio.json", "argilla.jsonl", "prodigy.jsonl", "doccano.jsonl"] {
        let keys: BTreeSet<String> = match name {
            "label-studio.json" => studio.iter().flat_map(|row| row.as_object().unwrap().keys().cloned()).collect(),
            name => lines(name)
                .iter()
                .flat_map(|row| row.as_object().unwrap().keys().cloned().collect::<Vec<_>>())
                .collect(),
        };
        expect(secret.iter().all(|key| !keys.contains(*key)), format!("{name} has {keys:?}"));
    }
    problems
}

/// What has to be found: a text that holds the label, an id that does, an export that shows more than the text.
#[test]
fn studies_that_tell_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let of = |i: usize| ["pass", "fail"][i * i % 5 % 2];
    let run = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("judge-uncertainty").unwrap();
        command.current_dir(folder.path()).args(arguments).assert().success();
    };
    let study = |name: &str, row: &dyn Fn(usize) -> String| {
        let rows: String = (0..40).map(row).collect();
        let file = format!("{name}.csv");
        fs::write(folder.path().join(&file), format!("id,question,judge,human\n{rows}")).unwrap();
        run(&["audit", &file, "--out", name]);
        run(&["study", "labels", "page", name]);
        wrong(&folder.path().join(name)).join("\n")
    };
    let human = |i: usize| if i < 30 { of(i + 1) } else { "" };
    let row = |i: usize| format!("q{i},What is {i}?,{},{}\n", of(i), human(i));
    assert_eq!(study("blind", &row), "");
    study("told", &row);
    let items = folder.path().join("told/items.csv");
    let config = folder.path().join("told/study.toml");
    let text = fs::read_to_string(&items).unwrap().replace("id,question", "id,question,hint");
    let hinted = text.lines().enumerate().map(|(k, line)| match k {
        0 => format!("{line}\n"),
        k => format!("{line},{}\n", of(k)),
    });
    fs::write(&items, hinted.collect::<String>()).unwrap();
    let told = fs::read_to_string(&config).unwrap().replace("{question}", "{question} {hint}");
    fs::write(&config, told).unwrap();
    run(&["study", "queue", "told", "--force"]);
    run(&["study", "labels", "page", "told"]);
    let told = wrong(&folder.path().join("told")).join("\n");
    assert!(told.contains("hint tells the answer of people"), "{told}");
    let ids = study("ids", &|i| format!("q{i}-{},What is {i}?,{},\n", of(i), of(i)));
    assert!(ids.contains("ids tell answers"), "{ids}");
    let tasks = folder.path().join("blind/queue/doccano.jsonl");
    fs::write(&tasks, fs::read_to_string(&tasks).unwrap().replace("What is", "The judge says pass. What is")).unwrap();
    let more = wrong(&folder.path().join("blind")).join("\n");
    assert!(more.contains("doccano shows more than the text"), "{more}");
}
