//! Tables of pairs: the same verdicts in the layouts that people keep give the same findings, and the right order of systems.

use std::io::{Read, Write};

use assert_cmd::Command;
use judge_uncertainty::formats::table::DataTable;
use judge_uncertainty::random::Stream;
use serde_json::Value;

/// Systems with their strength, the best first; the judge likes the third best most.
const SYSTEMS: [(&str, f64, f64); 4] =
    [("ember", 1.6, 1.0), ("cobalt", 1.0, 0.4), ("birch", 0.4, 2.4), ("dune", -1.2, -1.0)];

/// A pair as it was judged in both orders and perhaps by a person. Answers are 0 for the first system, 1 for the second and 2
/// for a tie.
struct Pair {
    systems: [usize; 2],
    judge: [usize; 2],
    human: Option<usize>,
}

fn pairs(seed: u64) -> Vec<Pair> {
    let mut stream = Stream::new(seed);
    let mut draw = |lead: f64| -> usize {
        if stream.random() < 0.1 {
            return 2;
        }
        usize::from(stream.random() > 1.0 / (1.0 + (-lead).exp()))
    };
    let mut all = vec![];
    for i in 0..600 {
        // All twelve ordered pairs of systems in turn.
        let (first, second) = (i % 4, (i % 4 + 1 + i / 4 % 3) % 4);
        let lead = SYSTEMS[first].1 - SYSTEMS[second].1;
        let seen = SYSTEMS[first].2 - SYSTEMS[second].2;
        let human = Some(draw(1.5 * lead)).filter(|_| i % 4 == (i / 12) % 4);
        // Half a logit and more for the answer shown first.
        all.push(Pair { systems: [first, second], judge: [draw(seen + 1.2), draw(seen - 1.2)], human });
    }
    all
}

fn mirrored(answer: usize) -> usize {
    [1, 0, 2][answer]
}

fn letter(answer: usize) -> &'static str {
    ["A", "B", "tie"][answer]
}

fn name(pair: &Pair, answer: usize) -> &'static str {
    if answer == 2 { "tie" } else { SYSTEMS[pair.systems[answer]].0 }
}

/// A table with a row per pair and order, or per pair.
fn table(header: &str, row: impl Fn(usize, &Pair) -> String) -> String {
    let rows = pairs(7).iter().enumerate().map(|(i, pair)| row(i, pair)).collect::<String>();
    format!("{header}\n{rows}")
}

fn human(pair: &Pair, cell: impl Fn(usize) -> String) -> String {
    pair.human.map_or_else(String::new, cell)
}

fn systems(pair: &Pair) -> String {
    pair.systems.map(|k| SYSTEMS[k].0).join(",")
}

/// The layouts, each with the name of its file.
fn layouts() -> Vec<(&'static str, String)> {
    let wide = table("question_id,prompt,model_a,model_b,verdict_ab,verdict_ba,human", |i, pair| {
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        let human = human(pair, |answer| letter(answer).to_owned());
        format!("q{i},Question {i}?,{},{ab},{ba},{human}\n", systems(pair))
    });
    let by_name = table("id,system_1,system_2,judge_original,judge_swapped,expert", |i, pair| {
        let [ab, ba] = pair.judge.map(|answer| name(pair, answer));
        format!("q{i},{},{ab},{ba},{}\n", systems(pair), human(pair, |answer| name(pair, answer).to_owned()))
    });
    let long = table("id,question_id,model_a,model_b,order,verdict,human", |i, pair| {
        let human = human(pair, |answer| letter(answer).to_owned());
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        let names = systems(pair);
        format!("r{i}a,q{i},{names},ab,[[{ab}]],{human}\nr{i}b,q{i},{names},ba,[[{ba}]],{human}\n")
    });
    let by_place = table("pair_id,model_a,model_b,shown_first,judge_winner,human", |i, pair| {
        let place = |answer: usize| ["first", "second", "tie"][answer];
        let human = human(pair, |answer| name(pair, answer).to_owned());
        let ([a, b], names) = (pair.systems.map(|k| SYSTEMS[k].0), systems(pair));
        let [ab, ba] = [place(pair.judge[0]), place(mirrored(pair.judge[1]))];
        format!("q{i},{names},{a},{ab},{human}\nq{i},{names},{b},{ba},{human}\n")
    });
    let changing = table("question_id,model_a,model_b,judge_winner,human", |i, pair| {
        let human = human(pair, |answer| name(pair, answer).to_owned());
        let [a, b] = pair.systems.map(|k| SYSTEMS[k].0);
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(|answer| ["model_a", "model_b", "tie"][answer]);
        format!("q{i},{a},{b},{ab},{human}\nq{i},{b},{a},{ba},{human}\n")
    });
    let lines = pairs(7).into_iter().enumerate().map(|(i, pair)| {
        let [a, b] = pair.systems.map(|k| SYSTEMS[k].0);
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        let mut row = serde_json::json!({"id": i, "model_a": a, "model_b": b, "verdict_ab": ab, "verdict_ba": ba});
        row["human"] = pair.human.map(|answer| Value::from(letter(answer))).unwrap_or(Value::Null);
        format!("{row}\n")
    });
    vec![
        ("wide.csv", wide),
        ("by_name.csv", by_name),
        ("long.csv", long),
        ("by_place.csv", by_place),
        ("changing.csv", changing),
        ("lines.jsonl", lines.collect()),
    ]
}

fn audit(name: &str, text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
    let ran =
        command.current_dir(folder.path()).args(["audit", name, "--labelled", "random", "--json"]).output().unwrap();
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    let answer = &serde_json::from_slice::<Value>(&ran.stdout).unwrap()["answer"];
    answer.clone()
}

/// What `audit` prints.
fn printed(name: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
    let ran = command.current_dir(folder.path()).args(["audit", name, "--labelled", "random"]).output().unwrap();
    String::from_utf8(ran.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn value(answer: &Value, id: &str) -> f64 {
    let found = answer["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == id);
    found.unwrap_or_else(|| panic!("no finding {id}"))["found"]["value"].as_f64().unwrap()
}

#[test]
fn every_layout_of_the_same_pairs_gives_the_same_findings() {
    let all = pairs(7);
    let flips = all.iter().filter(|pair| pair.judge[0] != pair.judge[1]).count() as f64 / all.len() as f64;
    assert!((0.3..0.7).contains(&flips), "{flips}");
    let mut seen: Option<Vec<f64>> = None;
    for (name, text) in layouts() {
        let answer = audit(name, &text);
        assert_eq!(answer["items"], 600, "{name}");
        let found = value(&answer, "position.flips");
        assert!((found - flips).abs() < 1e-9, "{name}: {found} and {flips}");
        let ids =
            ["position.to_first", "agreement", "wins.ember", "wins.birch", "wins.ember.over.birch", "consistency"];
        let values: Vec<f64> = ids.map(|id| value(&answer, id)).to_vec();
        // Questions have other names, and so the order of items differs; sums do in the last digits.
        let expected = seen.get_or_insert_with(|| values.clone());
        for ((value, expected), id) in values.iter().zip(expected).zip(ids) {
            assert!((*value - *expected).abs() < 1e-6, "{name}: {id} is {value} and not {expected}");
        }
    }
}

/// A verdict of "no better than always A" hung on which systems came first in the alphabet.
#[test]
fn no_result_hangs_on_what_systems_are_called() {
    let (name, text) = layouts().swap_remove(0);
    let renamed = SYSTEMS.iter().zip(["xenon", "aster", "willow", "cedar"]);
    let renamed = renamed.fold(text.clone(), |text, ((old, ..), new)| text.replace(old, new));
    let [answer, other] = [text, renamed].map(|text| audit(name, &text));
    assert_eq!(answer["verdict"], other["verdict"]);
    for id in ["agreement", "constant", "over_constant", "kappa", "bias.A", "rate.A", "rate.B"] {
        assert_eq!(value(&answer, id), value(&other, id), "{id}");
    }
    let rates: f64 = ["rate.A", "rate.B", "rate.tie"].map(|id| value(&answer, id)).iter().sum();
    assert!((rates - 1.0).abs() < 1e-9, "{rates}");
}

/// The judge of a study of two systems says the same of further pairs, whichever column names which system.
#[test]
fn apply_knows_which_system_is_a() {
    let all = pairs(7);
    let table = |turned: bool, with_people: bool| {
        let row = |(i, pair): (usize, &Pair)| {
            let mut names = ["birch", "ember"];
            let mut answers = [pair.judge[0], pair.human.unwrap_or(2)];
            if turned {
                names.reverse();
                answers = answers.map(mirrored);
            }
            let [judge, human] = answers.map(letter);
            let human = if with_people && pair.human.is_some() { human } else { "" };
            format!("q{i},{},{judge},{human}\n", names.join(","))
        };
        format!("id,model_a,model_b,judge_winner,human\n{}", all[..200].iter().enumerate().map(row).collect::<String>())
    };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("t.csv", table(false, true));
    write("same.csv", table(false, false));
    write("turned.csv", table(true, false));
    in_folder(&folder, &["audit", "t.csv", "--labelled", "random"]);
    let beliefs = ["same", "turned"].map(|name| {
        let arguments = ["apply", "t-audit", "--items", &format!("{name}.csv"), "--out", name];
        in_folder(&folder, &arguments);
        std::fs::read(folder.path().join(name).join("part-00000.parquet")).unwrap()
    });
    assert!(beliefs[0] == beliefs[1]);
}

/// A of the table is A of the study, but where two systems change places from row to row.
#[test]
fn the_same_system_is_a_in_all_items_where_there_are_two() {
    let all = pairs(7);
    let text = |changes: bool| {
        let row = |(i, pair): (usize, &Pair)| {
            let names = if changes && i % 3 == 0 { "ember,birch" } else { "birch,ember" };
            format!("q{i},{names},{}\n", letter(pair.judge[0]))
        };
        let rows: String = all[..90].iter().enumerate().map(row).collect();
        format!("id,model_a,model_b,judge_winner\n{rows}")
    };
    let says = "A is \"birch\" and B is \"ember\" in every item, also in the 30 rows that name \"ember\" first.";
    assert!(printed("t.csv", &text(true)).contains(says), "{}", printed("t.csv", &text(true)));
    assert!(!printed("t.csv", &text(false)).contains("in every item"));
}

#[test]
fn the_order_of_systems_is_that_of_people() {
    let (name, text) = layouts().swap_remove(0);
    let answer = audit(name, &text);
    let wins = SYSTEMS.map(|(name, ..)| value(&answer, &format!("wins.{name}")));
    assert!(wins.is_sorted_by(|a, b| a >= b), "{wins:?}");
    let text = printed(name, &text);
    assert!(text.contains("The judge has birch above ember; people have ember above birch by"), "{text}");
}

#[test]
fn letters_whose_meaning_nobody_tells_are_said_to_be_taken_for_places() {
    let text = table("question_id,model_a,model_b,verdict_ab,verdict_ba", |i, pair| {
        let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(letter);
        format!("q{i},{},{ab},{ba}\n", systems(pair))
    });
    let text = printed("t.csv", &text);
    assert!(text.contains("A of the judge is taken for the answer shown first: the labels do not tell"), "{text}");
    assert!(text.contains("so label pages show ids alone"), "{text}");
}

/// A log of pairs has the id of its question in a field of that name; a table has its text there.
#[test]
fn annotators_read_the_question_of_a_table() {
    let text = table("id,question,model_a,model_b,response_a,response_b,judge_winner", |i, pair| {
        format!("{i},Which {i}?,{},First {i},Second {i},{}\n", systems(pair), name(pair, pair.judge[0]))
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), &text).unwrap();
    in_folder(&folder, &["audit", "t.csv"]);
    let sheet = std::fs::read_to_string(folder.path().join("t-audit/queue/spreadsheet.csv")).unwrap();
    assert!(sheet.contains("question: Which "), "{sheet}");
    assert!(!printed("t.csv", &text).contains("Not used: question"));
}

/// The study of a table of pairs with their answers, in a folder, with a queue and a label page.
fn study_of_pairs(queue: &[&str]) -> tempfile::TempDir {
    let text = table("id,prompt,model_a,model_b,response_a,response_b,judge_winner", |i, pair| {
        format!("{i},Which {i}?,{},First {i},Second {i},{}\n", systems(pair), name(pair, pair.judge[0]))
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), text).unwrap();
    in_folder(&folder, &["audit", "t.csv"]);
    in_folder(&folder, &[&["study", "queue", "t-audit", "--force"], queue].concat());
    in_folder(&folder, &["study", "labels", "page", "t-audit"]);
    folder
}

fn in_folder(folder: &tempfile::TempDir, arguments: &[&str]) {
    let mut command = Command::cargo_bin("judge-uncertainty").unwrap();
    command.current_dir(folder.path()).args(arguments).assert().success();
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The tasks of a label page.
fn tasks_of(html: &str) -> Vec<Value> {
    let queue = html.split("id=\"queue\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str::<Value>(queue).unwrap()["items"].as_array().unwrap().clone()
}

/// What annotators read in a task: its item and whether the second answer of the table's row is shown as A.
fn shown(text: &Value) -> (usize, bool) {
    let text = text.as_str().unwrap();
    let first = text.split("A: ").nth(1).unwrap_or_else(|| panic!("{text}"));
    let (place, rest) = first.split_once(' ').unwrap();
    (rest.split_whitespace().next().unwrap().parse().unwrap(), place == "Second")
}

/// The verdict of an annotator who reads the two answers: the first of the row is better in two of three items, and every
/// seventh pair is a tie.
fn answered(text: &Value) -> &'static str {
    let (id, swapped) = shown(text);
    letter(if id.is_multiple_of(7) { 2 } else { usize::from(id.is_multiple_of(3) != swapped) })
}

/// Such a verdict in the classes of the study, whose A is the answer that the table has first.
fn in_the_study(id: usize) -> &'static str {
    letter(if id.is_multiple_of(7) { 2 } else { usize::from(id.is_multiple_of(3)) })
}

#[test]
fn a_label_page_shows_two_answers_in_random_order_and_names_no_system() {
    let folder = study_of_pairs(&[]);
    let html = std::fs::read_to_string(folder.path().join("t-audit/label.html")).unwrap();
    assert!(html.contains("Which answer is better, A or B?"));
    for (name, ..) in SYSTEMS {
        assert!(!html.contains(name), "{name}");
    }
    let items = tasks_of(&html);
    let swapped = items.iter().filter(|item| shown(&item["text"]).1).count();
    assert!((items.len() / 4..3 * items.len() / 4).contains(&swapped), "{swapped} of {}", items.len());
}

/// The exports of a queue with the answers of an annotator who saw nothing but the tasks, as each tool hands them back.
fn answered_exports(queue: &std::path::Path, html: &str) -> Vec<(&'static str, Vec<Value>, Vec<u8>)> {
    let read = |name: &str| std::fs::read_to_string(queue.join(name)).unwrap();
    let texts = |rows: &[Value], at: &str| rows.iter().map(|row| row.pointer(at).unwrap().clone()).collect::<Vec<_>>();
    let json_lines = |rows: &[Value]| rows.iter().map(|row| format!("{row}\n")).collect::<String>();
    let mut made = vec![];
    let tasks: Vec<Value> = serde_json::from_str(&read("label-studio.json")).unwrap();
    let annotation = |task: &Value| {
        let choice = serde_json::json!({"choices": [answered(&task["data"]["text"])]});
        serde_json::json!([{"completed_by": 1, "result": [{"from_name": "label", "type": "choices", "value": choice}]}])
    };
    let whole = |task: &Value| serde_json::json!({"id": 9, "data": task["data"], "annotations": annotation(task)});
    let exported: Vec<Value> = tasks.iter().map(whole).collect();
    made.push(("label-studio.json", texts(&tasks, "/data/text"), Value::from(exported).to_string()));
    let min: Vec<Value> = tasks
        .iter()
        .map(|task| {
            let mut row = task["data"].clone();
            (row["annotator"], row["label"]) = (1.into(), answered(&task["data"]["text"]).into());
            row
        })
        .collect();
    made.push(("label-studio-min.json", texts(&tasks, "/data/text"), Value::from(min.clone()).to_string()));
    let rows = min
        .iter()
        .map(|row| format!("9,1,1.0,now,{},{}\n", row["uid"].as_str().unwrap(), row["label"].as_str().unwrap()));
    let header = "annotation_id,annotator,lead_time,created_at,uid,label\n";
    made.push(("label-studio.csv", texts(&tasks, "/data/text"), header.to_owned() + &rows.collect::<String>()));
    let records = lines(&read("argilla.jsonl"));
    let flat: Vec<Value> = records
        .iter()
        .map(|record| {
            let label = answered(&record["fields"]["text"]);
            serde_json::json!({"id": record["id"], "label.responses": [label], "label.responses.users": ["u"],
                "label.responses.status": ["submitted"]})
        })
        .collect();
    made.push(("argilla.json", texts(&records, "/fields/text"), Value::from(flat).to_string()));
    let mut rows = lines(&read("prodigy.jsonl"));
    let prodigy = texts(&rows, "/text");
    for row in &mut rows {
        (row["accept"], row["answer"], row["_annotator_id"]) =
            (serde_json::json!([answered(&row["text"])]), "accept".into(), "ann".into());
    }
    made.push(("prodigy.jsonl", prodigy, json_lines(&rows)));
    let mut rows = lines(&read("doccano.jsonl"));
    let doccano = texts(&rows, "/text");
    rows.iter_mut().for_each(|row| row["label"] = serde_json::json!([answered(&row["text"])]));
    made.push(("doccano.jsonl", doccano, json_lines(&rows)));
    let plain = |rows: &[(String, Value)]| {
        let rows = rows.iter().map(|(id, text)| format!("{id},ann,{}\n", answered(text)));
        "id,annotator,label\n".to_owned() + &rows.collect::<String>()
    };
    let mut put = |name: &'static str, rows: Vec<(String, Value)>| {
        made.push((name, rows.iter().map(|(_, text)| text.clone()).collect(), plain(&rows)));
    };
    for (name, file) in
        [("spreadsheet.csv", "spreadsheet.csv"), ("sheet.csv", "spreadsheet.xlsx"), ("queue.csv", "queue.csv")]
    {
        let (path, bytes) = (queue.join(file), std::fs::read(queue.join(file)).unwrap());
        let table = match file.ends_with(".xlsx") {
            true => judge_uncertainty::formats::xlsx::read(&path, &bytes, "id").unwrap(),
            false => DataTable::parse(&path, &bytes, "id").unwrap(),
        };
        let text = table.column("text").unwrap();
        put(name, table.rows().map(|row| (row.id().to_owned(), row.cell(text).into())).collect());
    }
    let task = |row: &Value| (row["id"].as_str().unwrap().to_owned(), row["text"].clone());
    put("queue-lines.csv", lines(&read("queue.jsonl")).iter().map(task).collect());
    put("page.csv", tasks_of(html).iter().map(task).collect());
    let mut made: Vec<(&str, Vec<Value>, Vec<u8>)> =
        made.into_iter().map(|(name, texts, export)| (name, texts, export.into_bytes())).collect();
    made.push(filled_workbook(&std::fs::read(queue.join("spreadsheet.xlsx")).unwrap()));
    made
}

/// The workbook with a label and an annotator in each row.
fn filled_workbook(bytes: &[u8]) -> (&'static str, Vec<Value>, Vec<u8>) {
    let path = std::path::Path::new("filled.xlsx");
    let table = judge_uncertainty::formats::xlsx::read(path, bytes, "id").unwrap();
    let text = table.column("text").unwrap();
    let texts: Vec<Value> = table.rows().map(|row| row.cell(text).into()).collect();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut filled = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    for k in 0..archive.len() {
        let mut part = archive.by_index(k).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut content = String::new();
        part.read_to_string(&mut content).unwrap();
        for (text, row) in texts.iter().zip(2..).filter(|_| name.ends_with("sheet1.xml")) {
            for (column, cell) in [("D", answered(text)), ("E", "ann")] {
                let empty = format!("<c r=\"{column}{row}\" s=\"0\"/>");
                assert_eq!(content.matches(&empty).count(), 1);
                let cell = format!("<c r=\"{column}{row}\" t=\"inlineStr\"><is><t>{cell}</t></is></c>");
                content = content.replace(&empty, &cell);
            }
        }
        filled.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        filled.write_all(content.as_bytes()).unwrap();
    }
    ("filled.xlsx", texts, filled.finish().unwrap().into_inner())
}

/// Whichever tool shows them, annotators see two answers in random order, and their verdict is that over the right answer.
#[test]
fn every_export_shows_two_answers_in_random_order_and_its_answers_come_back_to_their_side() {
    let budget = ["--budget", "60"];
    let folder = study_of_pairs(&budget);
    let (again, other) = (study_of_pairs(&budget), study_of_pairs(&[&budget[..], &["--seed", "5"]].concat()));
    let of = |folder: &tempfile::TempDir| {
        let study = folder.path().join("t-audit");
        answered_exports(&study.join("queue"), &std::fs::read_to_string(study.join("label.html")).unwrap())
    };
    let (exports, others) = (of(&folder), of(&other));
    assert_eq!(exports, of(&again), "the same seed gives other bytes");
    let orders = |texts: &[Value]| texts.iter().map(shown).collect::<std::collections::BTreeMap<_, _>>();
    let expected = orders(&exports[0].1);
    let kept = orders(&others[0].1).into_iter().filter(|(id, order)| expected.get(id) == Some(order)).count();
    assert!(kept < 50, "another seed keeps {kept} of 60 orders");
    let swapped = expected.values().filter(|swapped| **swapped).count();
    assert!((15..45).contains(&swapped), "{swapped} of 60");
    for (file, texts, export) in exports {
        assert_eq!(orders(&texts), expected, "{file}");
        let export_text = String::from_utf8_lossy(&export);
        for (system, ..) in SYSTEMS {
            assert!(
                texts.iter().all(|text| !text.as_str().unwrap().contains(system)) && !export_text.contains(system),
                "{file}"
            );
        }
        assert_eq!(come_back(&folder, file, &export), expected.keys().copied().collect(), "{file}");
    }
}

/// Adds labels to the study and takes them back; each has to be that over the right answer. The items that had some.
fn come_back(folder: &tempfile::TempDir, file: &str, export: &[u8]) -> std::collections::BTreeSet<usize> {
    std::fs::write(folder.path().join(file), export).unwrap();
    in_folder(folder, &["study", "labels", "add", file, "t-audit", "--annotator", "ann"]);
    in_folder(folder, &["study", "labels", "export", "all.csv", "t-audit", "--force"]);
    let text = std::fs::read_to_string(folder.path().join("all.csv")).unwrap();
    let table = DataTable::parse(std::path::Path::new("all.csv"), text.as_bytes(), "id").unwrap();
    let label = table.column("label").unwrap();
    let mut known = std::collections::BTreeSet::new();
    for row in table.rows() {
        let id: usize = row.id().split('/').next().unwrap().parse().unwrap();
        assert_eq!(row.cell(label), in_the_study(id), "{file}: item {id}");
        known.insert(id);
    }
    let batch = std::fs::read_dir(folder.path().join("t-audit/labels")).unwrap().next().unwrap().unwrap();
    std::fs::remove_file(batch.path()).unwrap();
    known
}

/// Studies and queues of older versions say neither which columns hold the two answers nor in which order they are shown.
#[test]
fn pages_of_older_queues_show_two_answers_in_random_order_too() {
    let folder = study_of_pairs(&["--budget", "60"]);
    let study = folder.path().join("t-audit");
    let edit = |name: &str, of: &dyn Fn(&str) -> Option<String>| {
        let text = std::fs::read_to_string(study.join(name)).unwrap();
        let lines: String = text.lines().filter_map(|line| Some(of(line)? + "\n")).collect();
        assert_ne!(lines, text, "{name}");
        std::fs::write(study.join(name), lines).unwrap();
    };
    edit("study.toml", &|line| (!line.starts_with("sides = ")).then(|| line.to_owned()));
    edit("queue/queue.jsonl", &|line| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        row["id"] = row.as_object_mut().unwrap().remove("item").unwrap();
        Some(row.to_string())
    });
    in_folder(&folder, &["study", "labels", "page", "t-audit"]);
    let tasks = tasks_of(&std::fs::read_to_string(study.join("label.html")).unwrap());
    let swapped = tasks.iter().filter(|task| shown(&task["text"]).1).count();
    assert!((15..45).contains(&swapped), "{swapped} of {}", tasks.len());
    let rows = tasks.iter().map(|task| format!("{},ann,{}\n", task["id"].as_str().unwrap(), answered(&task["text"])));
    let labels = "id,annotator,label\n".to_owned() + &rows.collect::<String>();
    assert_eq!(come_back(&folder, "page.csv", labels.as_bytes()).len(), 60);
}

/// A column that names who gave the labels of people divides them among raters; what each column is stands in one list.
#[test]
fn reviewers_of_pairs_are_annotators() {
    let text = table("id,model_a,model_b,judge_winner,human,reviewer,prompt,turn", |i, pair| {
        let (judge, human) = (name(pair, pair.judge[0]), human(pair, |answer| name(pair, answer).to_owned()));
        let who = human_of(&human, ["ann", "ben", "cy"][i % 3]);
        format!("q{i},{},{judge},{human},{who},Why {i}?,1\n", systems(pair))
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), text).unwrap();
    in_folder(&folder, &["audit", "t.csv"]);
    let audit: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("t-audit/audit.json")).unwrap()).unwrap();
    let roles: Vec<Option<&str>> =
        audit["table"].as_array().unwrap().iter().map(|column| column["role"].as_str()).collect();
    let expected = ["id", "system", "system", "verdict", "human", "annotator"].map(Some);
    assert_eq!((&roles[..6], &roles[6..]), (&expected[..], &[None, None][..]), "without answers no prompt is shown");
    let is_unused = |note: &&Value| note.as_str().unwrap().starts_with("Not used");
    let unused: Vec<&Value> = audit["notices"].as_array().unwrap().iter().filter(is_unused).collect();
    assert_eq!(unused, ["Not used: prompt, turn."]);
    let labels = std::fs::read_to_string(folder.path().join("t-audit/labels.csv")).unwrap();
    let who: std::collections::BTreeSet<&str> =
        labels.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    assert_eq!(who.into_iter().collect::<Vec<_>>(), ["ann", "ben", "cy"]);
}

fn human_of(label: &str, who: &'static str) -> &'static str {
    if label.is_empty() { "" } else { who }
}

/// A row for each vote, as the Arena's tables have them: `judge` names who judged, a model or a person.
#[test]
fn a_column_that_names_who_judged_is_no_verdict() {
    let votes = |people: &'static str| {
        table("question_id,model_a,model_b,winner,judge,turn", move |i, pair| {
            let winner = |answer: usize| ["model_a", "model_b", "tie (bothbad)"][answer];
            let [a, b] = pair.systems.map(|k| SYSTEMS[k].0);
            let vote = human(pair, |answer| format!("q{i},{a},{b},{},{people}{},1\n", winner(answer), i % 5));
            let [ab, ba] = [pair.judge[0], mirrored(pair.judge[1])].map(winner);
            format!("q{i},{a},{b},{ab},gpt-4,1\nq{i},{b},{a},{ba},gpt-4,1\n{vote}")
        })
    };
    let (name, text) = layouts().swap_remove(0);
    let expected = audit(name, &text);
    for (name, people) in [("votes.csv", "expert_"), ("names.csv", "Zoe ")] {
        let text = votes(people);
        let answer = audit(name, &text);
        assert_eq!((&answer["items"], &answer["labelled"]), (&expected["items"], &expected["labelled"]), "{name}");
        for id in ["agreement", "position.flips", "wins.ember", "wins.birch", "wins.ember.over.birch"] {
            let [found, expected] = [&answer, &expected].map(|answer| value(answer, id));
            assert!((found - expected).abs() < 1e-6, "{name}: {id} is {found} and not {expected}");
        }
        let text = printed(name, &text);
        assert!(text.contains("The column \"judge\" names who judged each pair: gpt-4."), "{text}");
    }
}

/// A column for each answer, as the Arena's competition has the votes of people, beside a judge that is called after its model.
#[test]
fn votes_in_a_column_for_each_answer_are_those_of_people() {
    let text = table("id,model_a,model_b,winner_model_a,winner_model_b,winner_tie,gpt4_winner", |i, pair| {
        let flag = |answer: usize| human(pair, |given| u8::from(given == answer).to_string());
        let judge = ["model_a", "model_b", "tie"][pair.judge[0]];
        format!("q{i},{},{},{},{},{judge}\n", systems(pair), flag(0), flag(1), flag(2))
    });
    let plain = table("id,model_a,model_b,human,judge_winner", |i, pair| {
        let name = |answer: usize| ["model_a", "model_b", "tie"][answer].to_owned();
        format!("q{i},{},{},{}\n", systems(pair), human(pair, name), name(pair.judge[0]))
    });
    let [found, expected] = [("a.csv", text), ("b.csv", plain)].map(|(name, text)| audit(name, &text));
    assert_eq!(found["labelled"], expected["labelled"]);
    for id in ["agreement", "wins.ember", "wins.birch"] {
        assert!((value(&found, id) - value(&expected, id)).abs() < 1e-9, "{id}");
    }
}
