//! Every reader of labels: a valid file survives being written again, a cut or edited one is refused with its place and
//! a remedy or says no more than before, and no label reaches an item that the file does not name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use judge_uncertainty_formats::encoding::{UTF_8, encoding_of};
use judge_uncertainty_formats::error::Result;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use super::Intake;

/// Exports that the tools wrote (`tests/golden/tools`), and files in the layouts that have no package.
const FILES: [&str; 26] = [
    "label-studio-choices.json",
    "label-studio-choices.min.json",
    "label-studio-choices.csv",
    "label-studio-choices.tsv",
    "label-studio-comment.json",
    "label-studio-comment.csv",
    "label-studio-scores.json",
    "label-studio-scores.min.json",
    "label-studio-scores.tsv",
    "label-studio-ranking.json",
    "label-studio-ranking.min.json",
    "label-studio-ranking.csv",
    "label-studio-buckets.json",
    "label-studio-buckets.tsv",
    "argilla-flat.json",
    "doccano-ann.jsonl",
    "doccano.jsonl.zip",
    "doccano.json.zip",
    "doccano.csv.zip",
    "spreadsheet.xlsx",
    "prodigy.jsonl",
    "argilla-1.json",
    "plain.jsonl",
    "plain.json",
    "plain.csv",
    "plain.parquet",
];

fn bytes(name: &str) -> Vec<u8> {
    let plain = |text: &str| text.as_bytes().to_vec();
    match name {
        "prodigy.jsonl" => plain(
            "{\"uid\": \"3\", \"accept\": [\"yes\"], \"answer\": \"accept\", \"_annotator_id\": \"d-ann\", \
             \"_timestamp\": 17}\n{\"uid\": \"1\", \"accept\": [], \"answer\": \"ignore\", \"_annotator_id\": \
             \"d-ann\"}\n{\"uid\": \"2\", \"user_input\": \"4.5\", \"answer\": \"accept\", \"_session_id\": \
             \"d-ben\"}\n",
        ),
        "argilla-1.json" => plain(
            "[{\"external_id\": \"3\", \"responses\": [{\"user_id\": \"u1\", \"status\": \"submitted\", \"values\": \
             {\"label\": {\"value\": \"yes\"}}}, {\"user_id\": \"u2\", \"status\": \"draft\", \"values\": {\"label\": \
             {\"value\": \"no\"}}}]}]",
        ),
        "plain.jsonl" => plain(
            "{\"id\": \"3\", \"annotator\": \"ann\", \"label\": \"yes\"}\n{\"id\": 2, \"annotator\": \"ben\", \
             \"label\": 4.5}\n{\"id\": 1, \"annotator\": \"ben\", \"label\": null}\n",
        ),
        "plain.json" => plain(
            "[{\"id\": \"3\", \"annotator\": \"ann\", \"label\": \"yes\"}, {\"id\": 2, \"annotator\": \"b\", \
             \"label\": 1}]",
        ),
        "plain.csv" => plain("id,annotator,label\n3,ann,yes\n\"2, or\",ben,no\n1,ben,\n"),
        "plain.parquet" => golden("../parquet/datasets/zstd.parquet"),
        tool => golden(tool),
    }
}

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/tools").join(name)).unwrap()
}

fn read(name: &str, bytes: &[u8]) -> (PathBuf, Result<Intake>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    let by = name.starts_with("doccano-").then_some("ann");
    let found = Intake::read(&file, by);
    (file, found)
}

/// Item, annotator, label and time of each label, in order of the text.
fn said(intake: &Intake) -> Vec<[String; 4]> {
    let mut said: Vec<_> = intake
        .labels
        .iter()
        .map(|label| [&label.id, &label.annotator, &label.value, &label.given].map(String::clone))
        .collect();
    said.sort_unstable();
    said
}

fn items(intake: &Intake) -> BTreeSet<String> {
    intake.labels.iter().map(|label| label.id.clone()).collect()
}

/// A file as another program writes it: other blanks and quotes, another order of fields and rows.
fn rewritten(name: &str, bytes: &[u8], wide: bool) -> Vec<u8> {
    let text = || std::str::from_utf8(bytes).unwrap();
    if name.ends_with(".json") {
        let value: Value = serde_json::from_str(text()).unwrap();
        let Value::Array(mut rows) = value else { panic!("a list") };
        rows.reverse();
        return if wide { serde_json::to_vec_pretty(&rows) } else { serde_json::to_vec(&rows) }.unwrap();
    }
    if name.ends_with(".jsonl") {
        let line =
            |line: &str| serde_json::from_str::<Value>(line).unwrap().to_string() + if wide { "\n\n" } else { "\r\n" };
        return text().lines().rev().map(line).collect::<String>().into_bytes();
    }
    if name.ends_with(".csv") || name.ends_with(".tsv") {
        let delimiter = if name.ends_with("csv") { b',' } else { b'\t' };
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(bytes);
        let style = if wide { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .quote_style(style)
            .terminator(csv::Terminator::CRLF)
            .from_writer(vec![]);
        // Columns in the reverse order.
        for row in reader.records() {
            let row = row.unwrap();
            writer.write_record(row.iter().rev()).unwrap();
        }
        return writer.into_inner().unwrap();
    }
    bytes.to_vec()
}

/// What a file says in words: that of an archive unpacked.
fn words(name: &str, bytes: &[u8]) -> Option<String> {
    let packed = [".zip", ".xlsx", ".parquet"].iter().any(|end| name.ends_with(end));
    // A byte that is no UTF-8 makes Windows-1252 of a table in plain letters.
    let encoding = encoding_of(Path::new(name), bytes).unwrap_or(UTF_8);
    (!packed).then(|| encoding.decode(bytes).0.into_owned())
}

#[test]
fn every_file_of_the_properties_holds_labels() {
    for name in FILES {
        let found = read(name, &bytes(name)).1.unwrap();
        assert!(!found.labels.is_empty(), "{name}");
        for wide in [false, true] {
            let again =
                read(name, &rewritten(name, &bytes(name), wide)).1.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(said(&again), said(&found), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_cut_file_is_refused_or_says_what_stands_before_the_cut(name in select(&FILES[..]), at in any::<Index>()) {
        let whole = bytes(name);
        let cut = at.index(whole.len());
        let expected = read(name, &whole).1.unwrap();
        match read(name, &whole[..cut]) {
            (file, Err(error)) => {
                let error = error.to_string();
                prop_assert!(error.starts_with(&file.display().to_string()) && error.contains(';'), "{name}: {error}");
            }
            (_, Ok(found)) => {
                // Between two lines, or within the last cell of a table, which no reader can tell from a shorter file.
                let lines = [".jsonl", ".csv", ".tsv"].iter().any(|end| name.ends_with(end));
                prop_assert!(lines || said(&found) == said(&expected), "{name}");
                prop_assert!(items(&found).is_subset(&items(&expected)), "{name}: {:?}", items(&found));
            }
        }
    }

    #[test]
    fn no_label_reaches_an_item_that_an_edited_file_does_not_name(
        name in select(&FILES[..]), at in any::<Index>(), byte in any::<u8>(),
    ) {
        let mut edited = bytes(name);
        let expected = read(name, &edited).1.unwrap();
        let at = at.index(edited.len());
        edited[at] = byte;
        match read(name, &edited) {
            (file, Err(error)) => {
                let error = error.to_string();
                prop_assert!(error.starts_with(&file.display().to_string()) && error.contains(';'), "{name}: {error}");
            }
            (_, Ok(found)) => match words(name, &edited) {
                Some(text) => {
                    // Quotes within cells are doubled, and an escape of JSON may stand for any character.
                    let plain = |text: &str| text.replace('"', "");
                    for id in items(&found) {
                        prop_assert!(plain(&text).contains(&plain(&id)) || text.contains('\\'), "{name}: {id:?}");
                    }
                }
                // Sums see what is changed in an archive; pages of Parquet have none.
                None if name.ends_with(".parquet") => {}
                // The names of members, which are those of annotators, have no sum of their own.
                None if name.ends_with(".zip") => prop_assert_eq!(items(&found), items(&expected), "{}", name),
                None => prop_assert_eq!(said(&found), said(&expected), "{}", name),
            },
        }
    }
}
