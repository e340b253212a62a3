//! Numbers and sizes beyond reason are refused with their place, the limit and what to do.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use judge_uncertainty::formats::{parquet, xlsx};
use tempfile::TempDir;

use crate::support::repository;

fn run(arguments: &[&str], folder: &Path, limits: Option<&str>) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    command.args(arguments).current_dir(folder).env_remove("JUDGE_UNCERTAINTY_LIMITS");
    command.envs(limits.map(|factor| ("JUDGE_UNCERTAINTY_LIMITS", factor))).output().unwrap()
}

/// What a command says that is refused.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder, None);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    text
}

fn study(from: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(repository(from)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

fn edit(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file}: {text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn copies_of_a_model_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("items.csv"), "id,text\na,red\n").unwrap();
    let model = repository("tests/golden/tiny-model");
    let embed = |threads: &'static str| {
        let model = model.to_str().unwrap();
        ["embed", "--items", "items.csv", "--text", "{text}", "--model", model, "--out", "m.npy", "--threads", threads]
    };
    let told = refused(&embed("64"), folder.path());
    assert!(told.contains("--threads 64: each embeds a batch of its own"), "{told}");
    assert!(told.contains("the limit is 16; if that is meant, set JUDGE_UNCERTAINTY_LIMITS=4"), "{told}");
    assert!(!folder.path().join("m.npy").exists());
    for (threads, limits) in [("16", None), ("64", Some("4"))] {
        let output = run(&embed(threads), folder.path(), limits);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn scales_without_room_for_squares_are_refused_by_the_check() {
    for scale in ["[0, 1e80]", "[-1e71, 0]", "[0, 1e-80]", "[0, 1.7e308]"] {
        let folder = study("fuzz/seeds/scores");
        assert_eq!(run(&["study", "check", "."], folder.path(), None).status.code(), Some(0));
        edit(folder.path(), "study.toml", "[0, 10]", scale);
        let told = refused(&["study", "check", "."], folder.path());
        assert!(told.contains("study.toml:2") && told.contains("take another unit"), "{scale}: {told}");
    }
    for (from, to) in [("2.5]", "2.5e90]"), ("\"very_poor\", -2]", "\"very_poor\", -1e71]")] {
        let folder = study("fuzz/seeds/ordinal");
        edit(folder.path(), "study.toml", from, to);
        let told = refused(&["study", "check", "."], folder.path());
        assert!(told.contains("study.toml:2") && told.contains("take another unit"), "{to}: {told}");
    }
}

/// What the fit could not compute with is refused when it is read, by the check as by the run.
#[test]
fn features_beyond_squares_are_refused_by_every_command_that_reads_them() {
    let folder = study("examples/starter");
    let items = fs::read_to_string(folder.path().join("items.csv")).unwrap();
    let (row, last) = items.lines().nth(1).unwrap().rsplit_once(',').unwrap();
    for value in ["1e308", "-2e70"] {
        fs::write(folder.path().join("items.csv"), &items).unwrap();
        edit(folder.path(), "items.csv", &format!("{row},{last}"), &format!("{row},{value}"));
        let told = ["check", "run", "queue"].map(|command| refused(&["study", command, "."], folder.path()));
        assert!(
            told[0].contains("items.csv:2:")
                && told[0].contains(&format!("\"words\", item \"r01\"): {value} is too large")),
            "{}",
            told[0]
        );
        assert!(told[1] == told[0] && told[2] == told[0], "{told:?}");
    }
    let blank: String = items.lines().map(|line| format!("{},\n", line.rsplit_once(',').unwrap().0)).collect();
    fs::write(folder.path().join("items.csv"), blank.replacen("text,\n", "text,words\n", 1)).unwrap();
    let told = ["check", "run"].map(|command| refused(&["study", command, "."], folder.path()));
    assert!(
        told[0].contains("items.numbers")
            && told[0].contains("\"words\"")
            && told[0].contains("is blank for every item"),
        "{}",
        told[0]
    );
    assert_eq!(told[1], told[0]);
    // Scores are held to their scale.
    for (file, from, to) in [
        ("judge.csv", "7.42,1", "1e308,1"),
        ("judge.csv", "7.42,1", "7.42,1e308"),
        ("labels.csv", "cook13,6.5", "cook13,1e308"),
    ] {
        let folder = study("fuzz/seeds/scores");
        edit(folder.path(), file, from, to);
        let told = ["check", "run"].map(|command| refused(&["study", command, "."], folder.path()));
        assert!(told[0].contains(&format!("{file}:2:")) && told[0].contains("1e308"), "{}", told[0]);
        assert_eq!(told[1], told[0]);
    }
}

/// An infinity among numbers is no class of that name.
#[test]
fn infinities_among_numbers_are_refused_by_audit() {
    let folder = tempfile::tempdir().unwrap();
    for (value, place) in [("inf", 1), ("-Infinity", 2), ("1e309", 1), ("1e308", 2), ("5e-324", 1)] {
        let cell = |k: usize, column| if column == place && k == 30 { value.to_owned() } else { (k % 5).to_string() };
        let rows: String = (0..60).map(|k| format!("{k},{},{}\n", cell(k, 1), cell(k + 1, 2))).collect();
        fs::write(folder.path().join("t.csv"), format!("id,score,human\n{rows}")).unwrap();
        let told = refused(&["audit", "t.csv"], folder.path());
        assert!(told.contains(value) && told.contains("between -1e70 and 1e70"), "{value}: {told}");
        assert!(!folder.path().join("t-audit").exists());
    }
}

#[test]
fn a_rule_that_does_not_rank_is_refused_with_the_study() {
    let folder = study("fuzz/seeds/ordinal");
    let told = refused(&["study", "queue", ".", "--rule", "v"], folder.path());
    assert!(told.contains("study.toml: the rule v does not rank ordinal ratings"), "{told}");
}

/// Who gave a label is not left blank, in an export as in a table.
#[test]
fn exports_without_annotators_are_refused() {
    let folder = study("examples/starter");
    let prodigy = r#"{"uid": "r01", "text": "x", "accept": ["mixed"], "answer": "accept", "_annotator_id": ""}"#;
    for (name, text, problem) in [
        ("min.json", r#"[{"uid": "r01", "annotator": "  ", "label": "mixed"}]"#, "the cell is blank"),
        ("min.csv", "id,annotator,label\nr01,\"\t\",mixed\n", "the cell is blank"),
        ("prodigy.jsonl", prodigy, "the cell is blank"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
        let told = refused(&["study", "labels", "add", name, "."], folder.path());
        assert!(told.contains(name) && told.contains(problem), "{told}");
        assert!(told.contains("say who gave the labels without a name: --annotator NAME"), "{told}");
        assert!(!folder.path().join("labels").exists());
    }
}

/// Blanks around a name are no part of it; names that differ in case are two annotators, and a notice says so.
#[test]
fn annotators_are_told_apart_by_their_names() {
    let folder = study("examples/starter");
    let rows = "id,annotator,label\nr01,Cyd ,mixed\nr02,Cyd,mixed\nr03,cyd,mixed\n";
    fs::write(folder.path().join("new.csv"), rows).unwrap();
    let ran = run(&["study", "labels", "add", "new.csv", "."], folder.path(), None);
    let told = String::from_utf8(ran.stdout).unwrap();
    assert!(told.contains("Names that differ in case count as several annotators: \"Cyd\", \"cyd\"."), "{told}");
}

/// A workbook whose sheet with the items is another text; its sums are right.
fn workbook(sheet: &str) -> Vec<u8> {
    let file = fs::File::open(repository("tests/golden/tools/items.xlsx")).unwrap();
    let mut from = zip::ZipArchive::new(file).unwrap();
    let mut into = zip::ZipWriter::new(Cursor::new(vec![]));
    for k in 0..from.len() {
        let mut member = from.by_index(k).unwrap();
        let name = member.name().unwrap().into_owned();
        let mut text = String::new();
        member.read_to_string(&mut text).unwrap();
        into.start_file(&*name, zip::write::SimpleFileOptions::default()).unwrap();
        let is_sheet = name == "xl/worksheets/sheet2.xml";
        into.write_all(if is_sheet { sheet.as_bytes() } else { text.as_bytes() }).unwrap();
    }
    into.finish().unwrap().into_inner()
}

#[test]
fn sheets_are_as_large_as_their_cells() {
    let file = Path::new("items.xlsx");
    let read = |dimension: &str, last: &str| {
        let cell = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
        let rows = format!(
            "<row r=\"2\">{}{}</row><row r=\"9\">{}</row><row r=\"1048576\">{}{}</row>",
            cell("B2", "id"),
            cell("C2", "text"),
            cell("B9", "a"),
            cell("B1048576", "b"),
            cell(last, "far away")
        );
        let sheet = format!(
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><dimension \
             ref=\"{dimension}\"/><sheetData>{rows}</sheetData></worksheet>"
        );
        xlsx::read(file, &workbook(&sheet), "id").map_err(|error| error.to_string())
    };
    let table = read("A1:XFD1048576", "C1048576").unwrap();
    let lines: Vec<(u64, &str)> = table.rows().map(|row| (row.line(), row.id())).collect();
    assert_eq!(lines, [(9, "a"), (1_048_576, "b")]);
    let told = read("A1:C1048576", "XFD1048576").unwrap_err();
    assert!(told.starts_with("items.xlsx:1048576") && told.contains("16383"), "{told}");
    // What the package that reads workbooks panics at.
    for dimension in ["A2:A1", "A1:ZZZZZZZZZZZZZZZ9"] {
        let told = read(dimension, "C1048576").map(drop).unwrap_err();
        assert!(told.starts_with("items.xlsx: "), "{told}");
    }
}

/// Dates of a workbook are texts like those of other tables and no numbers of days; where a column has times, so has midnight.
#[test]
fn dates_of_a_workbook_are_texts() {
    // The styles 1 and 2 of this workbook are a date with its time, and a date.
    let row = |number: usize, cells: [f64; 4]| {
        let cells = cells.iter().zip(["A", "B", "C", "D"]).zip([1, 2, 1, 0]);
        let cells = cells.map(|((x, column), style)| format!("<c r=\"{column}{number}\" s=\"{style}\"><v>{x}</v></c>"));
        format!("<row r=\"{number}\">{}</row>", cells.collect::<String>())
    };
    let named = ["id", "day", "at", "n"].map(|name| format!("<c t=\"inlineStr\"><is><t>{name}</t></is></c>")).concat();
    let rows = row(2, [45298.0 + 2.0 / 3.0, 45298.0, 0.5, 45298.5]) + &row(3, [45299.0, 45299.0, 0.25, 7.0]);
    let sheet = format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData><row r=\"1\">{named}\
         </row>{rows}</sheetData></worksheet>"
    );
    let table = xlsx::read(Path::new("items.xlsx"), &workbook(&sheet), "id").unwrap();
    let cells: Vec<Vec<&str>> = table.rows().map(|row| row.cells().collect()).collect();
    assert_eq!(
        cells,
        [
            ["2024-01-07 16:00:00", "2024-01-07", "12:00:00", "45298.5"],
            ["2024-01-08 00:00:00", "2024-01-08", "06:00:00", "7"],
        ]
    );
}

/// A column that begins before the file, as fuzzing found it.
#[test]
fn parquet_that_contradicts_itself_is_refused() {
    let file = repository("fuzz/corpus/pages/negative");
    let told = parquet::read(&file, &fs::read(&file).unwrap(), "id").unwrap_err().to_string();
    assert!(told.contains("pages/negative: contradicts itself"), "{told}");
}

/// Wherever a word of 200,000 letters stands, the message has its start.
#[test]
fn no_message_repeats_a_file() {
    let long = "x".repeat(200_000);
    for (file, from, to) in [
        ("study.toml", "title = ", format!("title{long} = ")),
        ("study.toml", "kind = \"probabilities\"", format!("kind = \"{long}\"")),
        ("study.toml", "variant = \"variant\"", format!("variant = \"{long}\"")),
        ("study.toml", "file = \"judge.csv\"", format!("file = \"{long}.csv\"")),
        ("study.toml", "numbers = [\"words\"]", format!("numbers = [\"{long}\"]")),
        ("items.csv", "id,", format!("{long},")),
        ("items.csv", "r01,", format!("{long},")),
        ("judge.csv", "r01,", format!("{long},")),
        ("labels.csv", "r01,", format!("{long},")),
        ("labels.csv", "mixed", long.clone()),
        ("labels.csv", "label", long.clone()),
    ] {
        let folder = study("examples/starter");
        edit(folder.path(), file, from, &to);
        let told = refused(&["study", "check", "."], folder.path());
        assert!(told.len() < 5_000 && told.contains('.') && told.contains(';'), "{file}, {from}: {} bytes", told.len());
    }
}
