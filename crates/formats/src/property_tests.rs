//! Properties of every reader of tables: a valid file survives a round trip; a cut or edited one is refused with the
//! place and a remedy, or its rows are all from the file; no row belongs to an item that the file does not name.

use std::collections::BTreeMap;
use std::path::Path;

use judge_uncertainty_system::formula::escaped;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::encoding::{UTF_8, encoding_of};
use super::error::Result;
use super::lewidi::{self, Predicted};
use super::records;
use super::table::DataTable;

#[derive(Debug, Clone, Copy, PartialEq)]
enum FileLayout {
    Delimited(u8),
    Lines,
    LeWiDiItems,
    LeWiDiLabels,
    Soft,
    Perspectivist,
}

const LAYOUTS: [FileLayout; 8] = [
    FileLayout::Delimited(b','),
    FileLayout::Delimited(b';'),
    FileLayout::Delimited(b'\t'),
    FileLayout::Lines,
    FileLayout::LeWiDiItems,
    FileLayout::LeWiDiLabels,
    FileLayout::Soft,
    FileLayout::Perspectivist,
];

/// Items with a text and a share.
type NamedRows = BTreeMap<String, (String, f64)>;

/// The rows of a table that say what a row does.
type Says<'f> = dyn Fn(&String, &(String, f64)) -> Vec<Vec<String>> + 'f;

/// Ids with commas, quotes, line ends and letters beyond ASCII; without tabs, which divide lines of predictions, nor
/// blanks at the ends, which LeWiDi's files add.
fn rows() -> impl Strategy<Value = NamedRows> {
    proptest::collection::btree_map("[a-z0-9][a-z ,;\"'ß\u{4e00}]{0,5}[a-z0-9]", ("[ -~\n]{1,9}", 0.0..1.0f64), 1..12)
}

fn written(layout: FileLayout, rows: &NamedRows) -> Vec<u8> {
    let lines = |line: &dyn Fn(&String, &(String, f64)) -> String| {
        rows.iter().map(|(id, row)| line(id, row) + "\n").collect::<String>()
    };
    match layout {
        FileLayout::Delimited(delimiter) => {
            let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(vec![]);
            writer.write_record(["text", "id", "p"]).unwrap();
            for (id, (text, p)) in rows {
                writer.write_record([escaped(text).as_ref(), id, &p.to_string()]).unwrap();
            }
            writer.into_inner().unwrap()
        }
        FileLayout::Lines => lines(&|id, (text, p)| json!({"id": id, "text": text, "p": p}).to_string()).into_bytes(),
        FileLayout::LeWiDiItems | FileLayout::LeWiDiLabels => {
            let item = |(id, (text, p)): (&String, &(String, f64))| {
                let label = u8::from(*p > 0.5).to_string();
                (id.clone(), json!({"text": text, "p": p, "annotations": {" Ann1": label, "Ann2": "0"}}))
            };
            Value::Object(rows.iter().map(item).collect()).to_string().into_bytes()
        }
        FileLayout::Soft => lines(&|id, (_, p)| format!("{id}\t[{:?}, {:?}]", p, 1.0 - p)).into_bytes(),
        FileLayout::Perspectivist => lines(&|id, (_, p)| format!("{id}\t[{}, 0]", u8::from(*p > 0.5))).into_bytes(),
    }
}

fn read(layout: FileLayout, bytes: &[u8]) -> Result<DataTable> {
    let (file, classes) = (Path::new("f"), ["0", "1"].map(str::to_owned));
    match layout {
        FileLayout::Delimited(_) => DataTable::parse(file, bytes, "id"),
        FileLayout::Lines => records::read(file, bytes, "id", None),
        FileLayout::LeWiDiItems => lewidi::read_items(file, bytes, &[]),
        FileLayout::LeWiDiLabels => lewidi::read_labels(file, bytes, &[]),
        FileLayout::Soft => lewidi::read_predictions(file, bytes, Predicted::Shares(&classes), &[]),
        FileLayout::Perspectivist => lewidi::read_predictions(file, bytes, Predicted::Labels(&classes), &[]),
    }
}

/// What each row says, id first.
fn said(table: &DataTable, columns: &[&str]) -> Vec<Vec<String>> {
    let columns: Vec<_> = columns.iter().map(|name| table.column(name).unwrap()).collect();
    table.rows().map(|row| columns.iter().map(|column| row.cell(*column).to_owned()).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_valid_file_survives(layout in select(&LAYOUTS[..]), rows in rows()) {
        let table = read(layout, &written(layout, &rows)).unwrap();
        let label = |p: f64| u8::from(p > 0.5).to_string();
        let of = |f: &Says<'_>| rows.iter().flat_map(|(id, row)| f(id, row)).collect::<Vec<_>>();
        let own = |id: &String, cells: &[&str]| {
            [&[id.as_str()], cells].concat().iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>()
        };
        let (columns, expected): (&[&str], _) = match layout {
            FileLayout::Delimited(_) | FileLayout::Lines | FileLayout::LeWiDiItems => {
                (&["id", "text", "p"], of(&|id, (text, p)| {
                    let p = if matches!(layout, FileLayout::Delimited(_)) { p.to_string() } else { format!("{p:?}") };
                    vec![own(id, &[text, &p])]
                }))
            }
            FileLayout::LeWiDiLabels => (&["id", "annotator", "label"], of(&|id, (_, p)| {
                vec![own(id, &["Ann1", &label(*p)]), own(id, &["Ann2", "0"])]
            })),
            FileLayout::Soft => {
                (&["id", "p_0", "p_1"], of(&|id, (_, p)| vec![own(id, &[&p.to_string(), &(1.0 - p).to_string()])]))
            }
            FileLayout::Perspectivist => (&["id", "n_1"], of(&|id, (_, p)| vec![own(id, &[&label(*p)])])),
        };
        prop_assert_eq!(said(&table, columns), expected);
    }

    #[test]
    fn a_cut_file_is_refused_or_says_what_stands_before_the_cut(
        layout in select(&LAYOUTS[..]), rows in rows(), at in any::<Index>(),
    ) {
        let whole = written(layout, &rows);
        let expected = said(&read(layout, &whole).unwrap(), &["id"]);
        match read(layout, &whole[..at.index(whole.len())]) {
            Err(error) => {
                let error = error.to_string();
                prop_assert!(error.starts_with('f') && error.contains(';'), "{error}");
            }
            Ok(table) => {
                // An object is whole or refused; lines are known by their ends alone.
                prop_assert!(!matches!(layout, FileLayout::LeWiDiItems | FileLayout::LeWiDiLabels));
                prop_assert!(expected.starts_with(&said(&table, &["id"])));
            }
        }
    }

    #[test]
    fn an_edited_file_is_refused_or_names_every_item(
        layout in select(&LAYOUTS[..]), rows in rows(), at in any::<Index>(), byte in any::<u8>(),
    ) {
        let mut edited = written(layout, &rows);
        let at = at.index(edited.len());
        edited[at] = byte;
        match read(layout, &edited) {
            Err(error) => {
                let error = error.to_string();
                prop_assert!(error.starts_with('f') && error.contains(';'), "{error}");
            }
            Ok(table) => {
                // Quotes within cells are doubled, and an escape of JSON may stand for any character.
                let plain = |text: &str| text.replace('"', "");
                // One byte more than UTF-8 has makes Windows-1252 of a text in plain letters.
                let encoding = encoding_of(Path::new("f"), &edited).unwrap_or(UTF_8);
                let text = plain(&encoding.decode(&edited).0);
                for row in table.rows() {
                    prop_assert!(text.contains(&plain(row.id())) || text.contains('\\'), "{:?}", row.id());
                }
            }
        }
    }
}
