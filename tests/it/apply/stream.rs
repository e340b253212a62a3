//! Further items as they come: rows, texts, parts and places that are refused.

use super::*;
use judge_uncertainty::formats::output::{OutputColumn, to_parquet};

/// The desk's belief in a run folder, and its items as a table.
fn on_disk() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("s");
    let study = study.to_str().unwrap();
    run(&["study", "init", study], 0);
    run(&["study", "run", study, "--replicates", "0"], 0);
    let belief = folder.path().join("s/run");
    assert!(belief.join("results/belief.json").is_file());
    (folder, belief)
}

/// So many rows for the belief of the starter study, as CSV; a bad one where `bad` says so.
fn rows(count: usize, bad: Option<usize>) -> String {
    let head = "id,words,confidence,p_plain_positive,p_plain_negative,p_plain_mixed,p_strict_positive,\
                p_strict_negative,p_strict_mixed,n_positive,n_negative,n_mixed\n";
    let mut text = head.to_owned();
    for i in 0..count {
        let p = (i % 89) as f64 / 100.0;
        let wrong = if bad == Some(i) { "1.5" } else { "0.05" };
        let labels = if i % 3 == 0 { format!("{},1,0", i % 4) } else { ",,".to_owned() };
        text.push_str(&format!("new{i},{},{},{p},{},{wrong},0.2,0.3,0.5,{labels}\n", i % 30, i % 101, 0.95 - p));
    }
    text
}

fn parts_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    found.sort();
    found
}

fn apply(belief: &Path, items: &Path, out: &Path, more: &[&str], code: i32) -> (String, String) {
    let paths = [belief, items, out].map(|path| path.to_str().unwrap().to_owned());
    let mut arguments = vec!["apply", &paths[0], "--items", &paths[1], "--out", &paths[2], "--batch", "40"];
    arguments.extend(more);
    run(&arguments, code)
}

/// CSV, JSON Lines and Parquet of the same items, in one file or in parts, on one thread or several, give the same
/// items; rows that can't be used are refused with their place or set aside and counted, and the queue is that of the
/// whole stream.
#[test]
fn a_stream_is_the_same_however_it_comes_and_loses_nothing() {
    let (folder, belief) = on_disk();
    let at = |name: &str| folder.path().join(name);
    let csv = rows(101, None);
    fs::write(at("new.csv"), &csv).unwrap();
    let (said, _) = apply(&belief, &at("new.csv"), &at("a"), &["--top", "7", "--rule", "delta"], 0);
    assert!(said.contains("101 items in 3 parts") && said.contains("7 items in the queue of the rule delta"), "{said}");
    assert!(said.contains("judge_entropy"), "{said}");
    let whole = parts_of(&at("a"));
    let names: Vec<&str> = whole.iter().map(|(name, _)| name.as_str()).collect();
    let expected =
        ["apply.json", "columns.csv", "part-00000.parquet", "part-00001.parquet", "part-00002.parquet", "queue.csv"];
    assert_eq!(names, expected);

    let record: Value = serde_json::from_slice(&whole[0].1).unwrap();
    assert_eq!((&record["rows"], &record["items"], &record["set_aside"]), (&json!(101), &json!(101), &json!(0)));
    // The queue is the first of all parts together.
    let items = items_of(&at("a"));
    let mut ranked: Vec<(f64, f64, String)> = items.iter().map(|item| (item.1, item.2, item.0.clone())).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let queue: Vec<String> = String::from_utf8(whole[5].1.clone())
        .unwrap()
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(queue, ranked[..7].iter().map(|item| item.2.clone()).collect::<Vec<_>>());

    // JSON Lines, a folder of two files, and the parts themselves read as Parquet, in one thread.
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let object = |line: &str| {
        let cells = header.iter().zip(line.split(',')).filter(|(_, cell)| !cell.is_empty());
        let value = |cell: &str| serde_json::from_str(cell).unwrap_or(json!(cell));
        Value::Object(cells.map(|(name, cell)| ((*name).to_owned(), value(cell))).collect()).to_string() + "\n"
    };
    let objects: Vec<String> = lines.map(object).collect();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder/1.jsonl"), objects[..40].concat()).unwrap();
    fs::write(at("folder/2.jsonl"), objects[40..].concat()).unwrap();
    fs::write(at("folder/_SUCCESS"), "").unwrap();
    apply(&belief, &at("folder"), &at("b"), &["--threads", "1", "--top", "7", "--rule", "delta"], 0);
    let again = parts_of(&at("b"));
    assert!(whole[1..] == again[1..], "the parts of the same items differ");
    fs::write(at("list.json"), format!("{{\"items\": [{}]}}", objects.join(","))).unwrap();
    fs::write(at("semicolons.csv"), csv.replace(',', ";")).unwrap();
    for name in ["list.json", "semicolons.csv"] {
        apply(&belief, &at(name), &at(&format!("{name}-out")), &["--top", "7", "--rule", "delta"], 0);
        assert!(whole[1..] == parts_of(&at(&format!("{name}-out")))[1..], "{name}");
    }

    // A bad row.
    fs::write(at("bad.csv"), rows(101, Some(57))).unwrap();
    let (_, said) = apply(&belief, &at("bad.csv"), &at("c"), &[], 2);
    assert!(said.contains("bad.csv:59 (item \"new57\"): the probabilities sum to"), "{said}");
    let aside = at("aside.jsonl");
    let (said, _) = apply(&belief, &at("bad.csv"), &at("c"), &["--set-aside", aside.to_str().unwrap()], 0);
    assert!(said.contains("1 rows set aside, of 101"), "{said}");
    let row: Value = serde_json::from_str(&fs::read_to_string(&aside).unwrap()).unwrap();
    assert_eq!((&row["line"], &row["item"]), (&json!(59), &json!("new57")));
    assert!(row["row"].as_str().unwrap().starts_with("new57,"), "{row}");
    assert_eq!(items_of(&at("c")).len(), 100);
    assert!(items_of(&at("c")).iter().all(|item| items.contains(item)), "an item depends on its neighbours");
}

/// Each row that can't be used is set aside with its line, item, column and problem, and no other row; of Parquet with its
/// cells, numbers as numbers.
#[test]
fn every_fault_of_a_row_is_set_aside_with_its_place() {
    let (folder, belief) = on_disk();
    let at = |name: &str| folder.path().join(name);
    let text = rows(9, None);
    let mut table: Vec<Vec<String>> = text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let faults = [
        (2, "id", "", Some("id"), "the cell is blank"),
        (3, "p_plain_mixed", "x", Some("p_plain_mixed"), "\"x\" is not a number"),
        (4, "p_strict_mixed", "", None, "is blank for some of its classes"),
        (5, "p_strict_positive", "-0.5", Some("p_strict_positive"), "-0.5 is outside the range of 0 and more"),
        (6, "confidence", "101", Some("confidence"), "101 is outside the range from 0 to 100"),
        (7, "n_mixed", "1.5", Some("n_mixed"), "\"1.5\" is not a count"),
        (8, "n_negative", "2000000", Some("n_negative"), "2000000 is outside the range from 0 to 1000000"),
    ];
    for (line, column, cell, ..) in faults {
        let place = table[0].iter().position(|name| name == column).unwrap();
        table[line - 1][place] = cell.to_owned();
    }
    let csv: String = table.iter().map(|row| row.join(",") + "\n").collect();
    fs::write(at("new.csv"), &csv).unwrap();
    let column = |(k, name): (usize, &String)| {
        let cells: Vec<&str> = table[1..].iter().map(|row| row[k].as_str()).collect();
        let number = |cell: &&str| if cell.is_empty() { Some(f64::NAN) } else { cell.parse().ok() };
        match cells.iter().map(number).collect::<Option<Vec<f64>>>() {
            Some(numbers) => OutputColumn::numbers(name.as_str(), "", "", numbers),
            None => OutputColumn::texts(name.as_str(), "", &cells),
        }
    };
    let columns: Vec<OutputColumn> = table[0].iter().enumerate().map(column).collect();
    fs::write(at("new.parquet"), to_parquet(&columns).unwrap()).unwrap();
    // Rows of Parquet count from 1, without a header.
    for (name, header) in [("new.csv", 0), ("new.parquet", 1)] {
        let aside = at(&format!("{name}.jsonl"));
        let out = at(&format!("{name}-out"));
        let (said, _) = apply(&belief, &at(name), &out, &["--set-aside", aside.to_str().unwrap()], 0);
        assert!(said.contains("7 rows set aside, of 9"), "{said}");
        let items: Vec<String> = items_of(&out).into_iter().map(|item| item.0).collect();
        assert_eq!(items, ["new7", "new8"], "{name}");
        let aside = fs::read_to_string(&aside).unwrap();
        for (row, (line, at, cell, column, problem)) in aside.lines().zip(faults) {
            let row: Value = serde_json::from_str(row).unwrap();
            let item = if at == "id" { Value::Null } else { json!(format!("new{}", line - 2)) };
            assert_eq!((&row["line"], &row["item"]), (&json!(line - header), &item), "{row}");
            assert_eq!(row["column"], json!(column), "{row}");
            assert!(row["problem"].as_str().unwrap().contains(problem), "{problem}: {row}");
            let whole = &row["row"];
            match name {
                "new.csv" => assert_eq!(*whole, json!(csv.lines().nth(line - 1).unwrap())),
                _ if at == "confidence" => assert_eq!(whole[at], json!(101)),
                _ if cell == "x" => assert_eq!(whole[at], json!("x")),
                _ => assert!(whole[at].is_null() || whole[at].as_f64() == cell.parse().ok(), "{row}"),
            }
        }
    }
}

/// Id, priority under delta and tie break of all items of a folder, in order.
fn items_of(folder: &Path) -> Vec<(String, f64, f64)> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let mut found = vec![];
    for (name, _) in parts_of(folder).into_iter().filter(|(name, _)| name.ends_with(".parquet")) {
        let reader = SerializedFileReader::new(fs::File::open(folder.join(&name)).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let field = |wanted: &str| row.get_column_iter().find(|(name, _)| *name == wanted).unwrap().1.clone();
            match (field("id"), field("priority_delta"), field("tie_break")) {
                (Field::Str(id), Field::Double(priority), Field::Double(tie)) => found.push((id, priority, tie)),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    found
}

/// What an application needs and does not get is refused by name, before anything is written.
#[test]
fn another_class_set_judge_rule_or_place_is_refused() {
    let (folder, belief) = on_disk();
    let at = |name: &str| folder.path().join(name);
    let refused = |name: &str, text: &str, more: &[&str]| {
        fs::write(at(name), text).unwrap();
        let (_, said) = apply(&belief, &at(name), &at("out"), more, 2);
        said
    };
    let good = rows(5, None);
    let said = refused("new.csv", &good.replace("p_strict_mixed", "p_strict_neutral"), &[]);
    assert!(said.contains("the header has no column \"p_strict_mixed\""), "{said}");
    let more = good.replace(",n_positive", ",p_plain_neutral,n_positive").replace("0.2,0.3,0.5,", "0.2,0.3,0.5,0,");
    let said = refused("new.csv", &more, &[]);
    assert!(said.contains("\"p_plain_neutral\"") && said.contains("is of the class \"neutral\""), "{said}");
    let said = refused("new.csv", &good, &["--top", "3", "--rule", "random"]);
    assert!(said.contains("the rule random does not rank further items"), "{said}");
    let inside = at("out/aside.jsonl");
    let said = refused("new.csv", &good, &["--set-aside", inside.to_str().unwrap()]);
    assert!(said.contains("aside.jsonl: lies in the folder of the parts"), "{said}");
    let said = refused("new.csv", &good, &["--columns", "answer=x"]);
    assert!(said.contains("\"answer\" is not a kind of column"), "{said}");
    let (_, said) = apply(&belief, &at("new.csv"), folder.path(), &[], 2);
    assert!(said.contains("new.csv"), "{said}");
    // A judge that says itself that it is another one.
    let path = belief.join("results/belief.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    changed["judge"]["model"] = json!("first");
    fs::write(at("belief.json"), mended(changed).unwrap()).unwrap();
    let summary =
        |model: &str| json!({"program": "judge-uncertainty 0.1.0", "model": model, "templates": {}}).to_string();
    fs::write(at("judge.json"), summary("second")).unwrap();
    let judge = at("judge.json");
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &["--judge", judge.to_str().unwrap()], 2);
    assert!(said.contains("the model \"second\", where the belief was fitted to \"first\""), "{said}");
    fs::write(at("summary.json"), summary("second")).unwrap();
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &[], 2);
    assert!(said.contains("summary.json"), "{said}");
    assert!(!at("out").exists());
    fs::write(at("summary.json"), summary("first")).unwrap();
    apply(&at("belief.json"), &at("new.csv"), &at("out"), &[], 0);
    // What is whole is not replaced, and what is somebody else's never.
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &[], 2);
    assert!(said.contains("--force"), "{said}");
    apply(&at("belief.json"), &at("new.csv"), &at("out"), &["--force"], 0);
    fs::write(at("out/mine.txt"), "mine").unwrap();
    let (_, said) = apply(&at("belief.json"), &at("new.csv"), &at("out"), &["--force"], 2);
    assert!(said.contains("mine.txt") && at("out/mine.txt").is_file(), "{said}");
}

/// All cells of a Parquet table as text with every bit, by column.
pub(super) fn cells_of(files: &[PathBuf]) -> BTreeMap<String, Vec<String>> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let mut cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let reader = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            for (name, field) in row.unwrap().get_column_iter() {
                let text = match field {
                    Field::Double(x) => x.to_bits().to_string(),
                    other => other.to_string(),
                };
                cells.entry(name.clone()).or_default().push(text);
            }
        }
    }
    cells
}

/// A study whose trust depends on how near texts are to labelled ones: further items are embedded on the way by the
/// same model, or bring their embeddings, and get what the run gives them; another model is not used.
#[test]
fn texts_are_embedded_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let study = at("s");
    run(&["study", "init", study.to_str().unwrap()], 0);
    let model = repository("tests/golden/tiny-model");
    let config = fs::read_to_string(study.join("study.toml")).unwrap();
    let config =
        config.replace("features = [\"spread\", \"confidence\"]", "features = [\"spread\", \"mean_nearest_labelled\"]");
    fs::write(
        study.join("study.toml"),
        format!("{config}\n[familiarity]\nneighbours = 3\nmodel = {:?}\n", model.to_str().unwrap()),
    )
    .unwrap();
    run(&["study", "run", study.to_str().unwrap(), "--replicates", "0"], 0);
    let belief = study.join("run");
    assert!(belief.join("results").join(REFERENCE).is_file());

    let table = |file: &str| -> Vec<csv::StringRecord> {
        csv::Reader::from_path(study.join(file)).unwrap().records().map(Result::unwrap).collect()
    };
    let (items, judge, labels) = (table("items.csv"), table("judge.csv"), table("labels.csv"));
    let mut writer = csv::Writer::from_path(at("new.csv")).unwrap();
    let classes = ["positive", "negative", "mixed"];
    let variants = ["plain", "strict"];
    let mut header = vec!["id".to_owned(), "text".to_owned(), "words".to_owned()];
    for variant in variants {
        header.extend(classes.iter().map(|class| format!("p_{variant}_{class}")));
        header.push(format!("confidence_{variant}"));
    }
    header.extend(classes.iter().map(|class| format!("n_{class}")));
    writer.write_record(&header).unwrap();
    for item in &items {
        let mut row: Vec<String> = item.iter().map(str::to_owned).collect();
        for variant in variants {
            let answer = judge.iter().find(|row| row[0] == item[0] && &row[1] == variant);
            row.extend((2..6).map(|k| answer.map(|answer| answer[k].to_owned()).unwrap_or_default()));
        }
        let count = |class: &str| labels.iter().filter(|row| row[0] == item[0] && &row[2] == class).count().to_string();
        row.extend(classes.iter().map(|class| count(class)));
        writer.write_record(&row).unwrap();
    }
    writer.flush().unwrap();
    drop(writer);
    apply(&belief, &at("new.csv"), &at("out"), &[], 0);
    let of_run = cells_of(&[study.join("run/items.parquet")]);
    let of_apply = cells_of(&[at("out/part-00000.parquet")]);
    assert!(of_run.contains_key("feature_mean_nearest_labelled"));
    for (name, cells) in &of_run {
        assert_eq!(of_apply.get(name), Some(cells), "{name}");
    }

    // A model of other files, under whatever name.
    let other = at("model");
    fs::create_dir(&other).unwrap();
    for entry in fs::read_dir(&model).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), other.join(entry.file_name())).unwrap();
    }
    let tokenizer = other.join("tokenizer_config.json");
    let config = fs::read_to_string(&tokenizer).unwrap();
    fs::write(&tokenizer, format!("{config} ")).unwrap();
    fs::create_dir_all(other.join("1_Pooling")).unwrap();
    fs::copy(model.join("1_Pooling/config.json"), other.join("1_Pooling/config.json")).unwrap();
    let (_, said) = apply(&belief, &at("new.csv"), &at("other"), &["--model", other.to_str().unwrap()], 2);
    assert!(said.contains("this is another sentence model"), "{said}");
    assert!(!at("other").exists());
}

/// The starter's study with embeddings of its own, run.
fn with_embeddings(folder: &Path) -> PathBuf {
    let study = folder.join("s");
    run(&["study", "init", study.to_str().unwrap()], 0);
    let ids: Vec<String> = csv::Reader::from_path(study.join("items.csv"))
        .unwrap()
        .records()
        .map(|item| item.unwrap()[0].to_owned())
        .collect();
    let mut table = "id,x,y,z,w\n".to_owned();
    for (i, id) in ids.iter().enumerate() {
        let i = i as f64;
        table.push_str(&format!("{id},{},{},{},1\n", i * 0.1, (i * 0.7).sin(), 1.0 - i * 0.05));
    }
    fs::write(study.join("embeddings.csv"), table).unwrap();
    let config = fs::read_to_string(study.join("study.toml")).unwrap();
    let features = "features = [\"spread\", \"mean_nearest_labelled\"]";
    let config = config.replace("features = [\"spread\", \"confidence\"]", features);
    let config = format!("{config}\n[familiarity]\nneighbours = 3\nembeddings = \"embeddings.csv\"\n");
    fs::write(study.join("study.toml"), config).unwrap();
    run(&["study", "run", study.to_str().unwrap(), "--replicates", "0"], 0);
    study.join("run")
}

/// Items as pyarrow, pandas, polars and DuckDB write them, each with the codec that it takes by itself, with embeddings
/// in lists of fixed or any size, give the bytes that JSON Lines give, alone or as a folder of parts; a codec that is
/// not read is refused with those that are.
#[test]
fn parquet_of_every_writer_gives_the_same_items() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let belief = with_embeddings(folder.path());
    let golden = |name: &str| repository("tests/golden/parquet/further").join(name);
    apply(&belief, &golden("items.jsonl"), &at("expected"), &[], 0);
    let part = |out: &str, part: usize| fs::read(at(out).join(format!("part-{part:05}.parquet"))).unwrap();
    let expected = part("expected", 0);
    assert!(cells_of(&[at("expected/part-00000.parquet")])["id"].len() == 6);

    let writers = ["pyarrow", "pandas", "polars", "duckdb", "gzip"];
    fs::create_dir(at("parts")).unwrap();
    fs::write(at("parts/_SUCCESS"), "").unwrap();
    for (k, writer) in writers.iter().enumerate() {
        let file = golden(&format!("{writer}.parquet"));
        apply(&belief, &file, &at(writer), &[], 0);
        assert!(part(writer, 0) == expected, "{writer} gives others");
        fs::copy(file, at("parts").join(format!("part-{k}.parquet"))).unwrap();
    }
    // Stopped after its second part, which is kept, and done again, the folder gives what each of its files gives.
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    let paths = [&belief, &at("parts"), &at("all")].map(|path| path.to_str().unwrap().to_owned());
    command.args(["apply", &paths[0], "--items", &paths[1], "--out", &paths[2], "--batch", "40", "--threads", "1"]);
    command.env("JUDGE_UNCERTAINTY_FAULT", "kill:28").assert().code(137);
    let left = (0..5).filter(|part| at(&format!("all/part-{part:05}.parquet")).is_file()).count();
    assert!((1..5).contains(&left) && !at("all/apply.json").exists(), "{left}");
    let (_, said) = apply(&belief, &at("parts"), &at("all"), &["--threads", "1"], 0);
    assert!(said.contains("parts of an interrupted application were found"), "{said}");
    assert!((0..5).all(|k| part("all", k) == expected));

    for codec in ["lz4", "brotli"] {
        let (_, said) = apply(&belief, &golden(&format!("{codec}.parquet")), &at(codec), &[], 2);
        let file = format!("{codec}.parquet");
        assert!(said.contains(&file) && said.to_lowercase().contains(codec) && said.contains("zstd or gzip"), "{said}");
    }
    // An embedding that lacks, or of another length, makes a bad row.
    let text = fs::read_to_string(golden("items.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let changed = rows.into_iter().enumerate().map(|(k, mut row)| {
        match k {
            1 => row["embedding"] = json!([0.5, 0.5]),
            3 => row["embedding"] = json!(null),
            _ => {}
        }
        format!("{row}\n")
    });
    fs::write(at("changed.jsonl"), changed.collect::<String>()).unwrap();
    let aside = at("aside.jsonl");
    apply(&belief, &at("changed.jsonl"), &at("changed"), &["--set-aside", aside.to_str().unwrap()], 0);
    let aside = fs::read_to_string(&aside).unwrap();
    let lines: Vec<Value> = aside.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().map(|row| row["line"].clone()).collect::<Vec<_>>(), [json!(2), json!(4)]);
    assert!(lines[0]["problem"].as_str().unwrap().contains("2 dimensions, and those of the fit have 4"), "{aside}");
}
