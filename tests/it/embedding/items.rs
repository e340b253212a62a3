//! The texts: items of tables, and the sentences of ChaosNLI.

use std::fs;

use judge_uncertainty::familiarity::chaosnli_text::read_chaosnli_texts;
use judge_uncertainty::familiarity::embedding::{ItemTexts, read_item_lines, read_item_table, read_items};

use super::strings;
use crate::support::{repository, skipped};

fn items(name: &str, content: &str, template: &str) -> Result<ItemTexts, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, content).unwrap();
    read_items(&path, "id", &template.parse().unwrap())
        .map_err(|e| e.to_string().replace(&path.display().to_string(), "FILE"))
}

#[test]
fn rows_of_a_parquet_file_are_items() {
    let file = repository("tests/golden/parquet/datasets/zstd.parquet");
    let lines = judge_uncertainty::formats::parquet::lines(&file, &fs::read(&file).unwrap()).unwrap();
    let read = |template: &str| read_item_lines(&file, &lines, "id", &template.parse().unwrap());
    let items = read("{id} by {annotator}").unwrap();
    assert_eq!((items.ids[1].as_str(), items.texts[1].as_str()), ("item 1", "item 1 by ben"));
    let error = read("{question}").unwrap_err().to_string();
    assert!(error.contains("zstd.parquet") && error.contains("question"), "{error}");
}

#[test]
fn rows_of_a_workbook_are_items() {
    let file = repository("tests/golden/tools/items.xlsx");
    let table = judge_uncertainty::formats::xlsx::read(&file, &fs::read(&file).unwrap(), "id").unwrap();
    let items = read_item_table(&table, "id", &"{text}, {kept}".parse().unwrap()).unwrap();
    assert_eq!(items.ids, ["1", "2", "3"]);
    assert_eq!(items.texts[0], "One, TRUE");
    let error = read_item_table(&table, "id", &"{question}".parse().unwrap()).unwrap_err().to_string();
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
        ("i.txt", "id,q\n", "FILE: the items must be a .csv, .jsonl, .parquet or .xlsx file"),
        ("i.csv", "", "FILE: the file holds no items"),
        ("i.csv", "id,q\n", "FILE: the file holds no items"),
        ("i.jsonl", "\n \n", "FILE: the file holds no items"),
        ("i.csv", "id,p\n1,x\n", "FILE:1: there is no column \"q\"; the columns are \"id\", \"p\""),
        ("i.csv", "q\nx\n", "FILE:1: there is no column \"id\"; the columns are \"q\""),
        ("i.csv", "q,id,q\na,1,b\n", "FILE:1: the column \"q\" stands twice in the header; rename one"),
        ("i.csv", "id,q\n1,a\n2,b\n1,c\n", "FILE:4: the id \"1\" is already on line 2; ids must be unique"),
        ("i.csv", "id,q\n1,a\n ,b\n", "FILE:3: the id (column \"id\") is empty"),
        (
            "i.csv",
            "id,q\n1,\"a\nb\"\n2, \n",
            "FILE:4: the item \"2\" has no text (every column of the template is blank)",
        ),
        ("i.csv", "id,q\n\"1\n2\",a\n", "FILE:2: the id \"1\\n2\" is broken over lines"),
        ("i.csv", "id,q\n1,a,b\n", "FILE:2: 3 fields where the header has 2; quote fields that contain commas"),
        (
            "i.jsonl",
            "{\"id\":\"1\",\"q\":\"a\"}\n{\"id\":\"2\"}\n",
            "FILE:2: there is no column \"q\"; the columns are \"id\"",
        ),
        (
            "i.jsonl",
            "{\"id\":\"1\",\"q\":null}\n",
            "FILE:1: \"q\" must be a text, not null; quote it or use another column",
        ),
        (
            "i.jsonl",
            "{\"id\":1.5,\"q\":\"a\"}\n",
            "FILE:1: \"id\" must be a text, not 1.5; quote it or use another column",
        ),
        ("i.jsonl", "[1]\n", "FILE:1: not a JSON object: "),
    ] {
        let message = error(name, content);
        assert!(message.starts_with(expected), "{message:?} for {content:?}");
    }
    let message = error("i.csv", &format!("id,{}\n1,x\n", "p".repeat(100_000)));
    assert!(message.len() < 300, "{message}");
    let dir = tempfile::tempdir().unwrap();
    for (name, before) in [("i.csv", "id,q\n1,a\n2,"), ("i.jsonl", "{\"id\":\"1\",\"q\":\"a\"}\n\n")] {
        let path = dir.path().join(name);
        fs::write(&path, [before.as_bytes(), b"\xff\n"].concat()).unwrap();
        let error = read_items(&path, "id", &"{q}".parse().unwrap()).unwrap_err().to_string();
        assert!(error.ends_with(":3: not UTF-8; save the file in that encoding"), "{error}");
    }
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
