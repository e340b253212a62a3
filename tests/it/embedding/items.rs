//! The texts: items of tables, and the sentences of ChaosNLI.

use std::fs;
use std::path::Path;

use judge_uncertainty::familiarity::embedding::ItemTexts;
use judge_uncertainty::familiarity::user_embeddings::read_chaosnli_texts;
use judge_uncertainty::formats::logs::LogRows;
use judge_uncertainty::study::input::source::{Source, read_table};

use super::strings;
use crate::support::{repository, skipped};

fn items(name: &str, content: &str, template: &str) -> Result<ItemTexts, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, content).unwrap();
    read(&path, template).map_err(|e| e.replace(&path.display().to_string(), "FILE"))
}

fn read(path: &Path, template: &str) -> Result<ItemTexts, String> {
    let table = read_table(&[path.to_owned()], None, None, LogRows::Items, &mut Source::default());
    table.and_then(|table| ItemTexts::new(&table, &template.parse().unwrap())).map_err(|error| error.to_string())
}

#[test]
fn rows_of_a_parquet_file_are_items() {
    let file = repository("tests/golden/parquet/datasets/zstd.parquet");
    let items = read(&file, "{id} by {annotator}").unwrap();
    assert_eq!((items.ids[1].as_str(), items.texts[1].as_str()), ("item 1", "item 1 by ben"));
    let error = read(&file, "{question}").unwrap_err();
    assert!(error.contains("zstd.parquet") && error.contains("question"), "{error}");
}

#[test]
fn rows_of_a_workbook_are_items() {
    let file = repository("tests/golden/tools/items.xlsx");
    let items = read(&file, "{text}, {kept}").unwrap();
    assert_eq!(items.ids, ["1", "2", "3"]);
    assert_eq!(items.texts[0], "One, TRUE");
    let error = read(&file, "{question}").unwrap_err();
    assert!(error.contains("items.xlsx") && error.contains("question"), "{error}");
}

#[test]
fn items_come_from_csv_and_jsonl() {
    let expected =
        ItemTexts { ids: strings(&["x", "7"]), texts: strings(&["Q: a, \"b\"\nA: c", "Q: two\nlines\nA: "]) };
    let template = r"Q: {q}\nA: {a}";
    let csv = "\u{feff}a,id,other,q\r\nc,x,1,\"a, \"\"b\"\"\"\r\n,7,,\"two\nlines\"\r\n";
    assert_eq!(items("i.CSV", csv, template).unwrap(), expected);
    let jsonl = "\u{feff}{\"id\":\"x\",\"q\":\"a, \\\"b\\\"\",\"a\":\"c\",\"n\":null}\n\n\
                 {\"a\":\"\",\"q\":\"two\\nlines\",\"id\":7}\n";
    assert_eq!(items("i.jsonl", jsonl, template).unwrap(), expected);
}

#[test]
fn bad_items_are_refused_with_file_and_line() {
    let error = |name, content| items(name, content, "{q}").unwrap_err();
    for (name, content, expected) in [
        ("i.txt", "id,q\n", "FILE: format = none"),
        ("i.csv", "", "FILE: the table has no rows"),
        ("i.csv", "id,q\n", "FILE: the table has no rows"),
        ("i.jsonl", "\n \n", "FILE: the table has no rows"),
        ("i.csv", "id,p\n1,x\n", "FILE:1: the header has no column \"q\""),
        ("i.csv", "q\nx\n", "FILE:1: the header has no column \"id\""),
        ("i.csv", "q,id,q\na,1,b\n", "FILE:1:3 (column \"q\"): the column \"q\" appears twice in the header"),
        ("i.csv", "id,q\n1,a\n2,b\n1,c\n", "FILE:4:1 (column \"id\", item \"1\"): the id \"1\" appears twice"),
        ("i.csv", "id,q\n1,a\n ,b\n", "FILE:3:1 (column \"id\""),
        ("i.csv", "id,q\n1,\"a\nb\"\n2, \n", "FILE:4 (item \"2\"): the item has no text"),
        ("i.csv", "id,q\n\"1\n2\",a\n", "FILE:2:1 (column \"id\", item \"1\\n2\"): the id is broken over lines"),
        ("i.csv", "id,q\n1,a,b\n", "FILE:2 (item \"1\"): 3 columns where the header has 2"),
        ("i.jsonl", "{\"id\":\"1\",\"p\":\"a\"}\n", "FILE: the header has no column \"q\""),
        ("i.jsonl", "{\"id\":\"1\",\"q\":null}\n", "FILE:1 (item \"1\"): the item has no text"),
        ("i.jsonl", "[1]\n", "FILE:1:"),
    ] {
        let message = error(name, content);
        assert!(message.starts_with(expected), "{message:?} for {content:?}");
    }
    let message = error("i.csv", &format!("id,{}\n1,x\n", "p".repeat(100_000)));
    assert!(message.len() < 600, "{message}");
}

/// A template that repeats itself makes gigabytes of a small file.
#[test]
fn a_template_that_multiplies_is_refused_before_it_does() {
    let rows: String = (0..2000).map(|k| format!("{k},{}\n", "x".repeat(400))).collect();
    let told = items("i.csv", &format!("id,q\n{rows}"), &"{q} ".repeat(150_000)).unwrap_err();
    assert!(told.starts_with("FILE: it takes ") && told.contains("shorten the template"), "{told}");
    assert!(items("i.csv", &format!("id,q\n{rows}"), "{q} {q}").is_ok());
}

#[test]
fn chaosnli_originals_are_asked_for_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let missing = read_chaosnli_texts(dir.path()).unwrap_err().to_string();
    assert!(missing.contains("chaosNLI_snli.jsonl is missing; run `judge-uncertainty data fetch chaosnli`"));
    fs::create_dir(dir.path().join("chaosNLI_v1.0")).unwrap();
    fs::write(dir.path().join("chaosNLI_v1.0/chaosNLI_snli.jsonl"), "{}").unwrap();
    let changed = read_chaosnli_texts(dir.path()).unwrap_err().to_string();
    // The hash of "{}" is from coreutils' sha256sum.
    let found = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert!(changed.contains(found) && changed.contains("99f9015d"), "{changed}");
}

#[test]
fn chaosnli_originals_are_read_in_order() {
    let Some(dir) = std::env::var_os("CHAOSNLI_DIR") else {
        skipped("CHAOSNLI_DIR does not name a directory with the ChaosNLI download");
        return;
    };
    let ItemTexts { ids, texts } = read_chaosnli_texts(dir.as_ref()).unwrap();
    assert_eq!((ids.len(), texts.len()), (3113, 3113));
    assert_eq!(ids[0], "2407214681.jpg#0r1n");
    assert!(texts.iter().all(|text| text.starts_with("Premise: ") && text.contains("\nHypothesis: ")));
}
