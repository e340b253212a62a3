//! Tables, matrices and the texts made of them.

use std::path::Path;

use judge_uncertainty::familiarity::embedding::{ItemTexts, Template};
use judge_uncertainty::familiarity::user_embeddings::{read_embeddings, read_identified};
use judge_uncertainty::formats::items::ItemIds;
use judge_uncertainty::formats::lewidi::Predicted;
use judge_uncertainty::formats::logs::LogRows;
use judge_uncertainty::formats::table::DataTable;
use judge_uncertainty::formats::{Result, lewidi, npy, records};
use judge_uncertainty::study::input::source::{Source, read_table};
use judge_uncertainty::system::limits::{self, Allowance};

use crate::scratch::{Scratch, choice};

/// CSV, with every cell read as whatever it may be.
pub(crate) fn table(data: &[u8]) {
    let file = Path::new("table.csv");
    let _ = DataTable::header_of(file, data);
    visit(DataTable::parse(file, data, "id"));
}

/// JSON Lines and the layout of LeWiDi.
pub(crate) fn json_lines(data: &[u8]) {
    let (layout, data) = choice(data, 5);
    let file = Path::new("table.jsonl");
    let labels = ["yes", "no"].map(str::to_owned);
    visit(match layout {
        0 => records::read(file, data, "id", None),
        1 => lewidi::read_items(file, data, &[]),
        2 => lewidi::read_items(file, data, &labels),
        3 => lewidi::read_labels(file, data, &[]),
        _ => lewidi::read_labels(file, data, &labels),
    });
}

pub(super) fn visit(table: Result<DataTable>) {
    let Ok(mut table) = table.map_err(told) else { return };
    let names = table.header().to_vec();
    for row in table.rows() {
        for name in &names {
            let column = table.column(name).expect("the header has its own columns");
            let _ = row.text(column).map(str::len);
            let _ = row.count(column).map_err(told);
            let number = row.optional_number(column).map_err(told);
            assert!(number.ok().flatten().is_none_or(f64::is_finite));
            let _ = row.optional_word(column, &["yes".to_owned()]).map_err(told);
        }
    }
    if let Ok(ids) = table.ids().map_err(told) {
        assert_eq!(ids.len(), table.rows().len());
        assert_eq!(table.rows_of(&ids, Path::new("items.csv")).expect("every row has its item").len(), ids.len());
    }
    let again = DataTable::parse(Path::new("more.csv"), b"id,yes\nz,1\n", "id").expect("a plain table");
    let _ = table.append(again).map_err(told);
}

/// Predictions as LeWiDi's participants hand them in: soft, perspectivist and ratings, plain and nested.
pub(crate) fn predictions(data: &[u8]) {
    let (layout, data) = choice(data, 6);
    let classes = ["0", "1", "2"].map(str::to_owned);
    let labels = ["yes", "no"].map(str::to_owned);
    let predicted = [Predicted::Shares(&classes), Predicted::Labels(&classes), Predicted::Ratings][layout % 3];
    visit(lewidi::read_predictions(Path::new("p.tsv"), data, predicted, if layout < 3 { &[] } else { &labels }));
}

/// A message can be written, and does not repeat a file.
pub(crate) fn told<E: std::error::Error>(error: E) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() < 20_000, "a message of {} bytes: {:.300}", text.len(), text);
}

fn ids() -> ItemIds {
    ItemIds::new(["a", "b"]).expect("two ids")
}

/// NumPy's format.
pub(crate) fn matrix(data: &[u8]) {
    let (columns, data) = choice(data, 5);
    if let Ok(matrix) = npy::read_matrix(Path::new("m.npy"), data, &ids(), columns).map_err(told) {
        assert!(matrix.dim() == (2, columns) && matrix.iter().all(|value| value.is_finite()));
    }
}

/// A matrix with the file of ids beside it, and a table of numbers.
pub(crate) fn embeddings(data: &[u8]) {
    let (layout, data) = choice(data, 2);
    let scratch = Scratch::new();
    let file = match layout {
        0 => scratch.put("m.csv", data),
        _ => {
            // The file of ids ends where the magic of the matrix begins.
            let start = data.windows(6).position(|bytes| bytes == b"\x93NUMPY").unwrap_or(data.len());
            scratch.put("m.npy.ids.txt", &data[..start]);
            scratch.put("m.npy", &data[start..])
        }
    };
    if let Ok((ids, matrix)) = read_identified(&file).map_err(told) {
        assert_eq!(ids.len(), matrix.nrows());
    }
    let _ = read_embeddings(&file, &ids(), Path::new("items.csv")).map_err(told);
}

/// The items of `embed`.
pub(crate) fn items_to_embed(data: &[u8]) {
    let (layout, data) = choice(data, 2);
    let scratch = Scratch::new();
    let file = scratch.put(["items.csv", "items.jsonl"][layout], data);
    let template: Template = "{title}: {body}".parse().expect("a template");
    let table = read_table(&[file], None, None, LogRows::Items, &mut Source::default()).map_err(told);
    if let Ok(items) = table.and_then(|table| ItemTexts::new(&table, &template).map_err(told)) {
        assert!(items.ids.len() == items.texts.len() && !items.ids.is_empty());
    }
}

/// Templates of texts: what is written of one is read as the same.
pub(crate) fn text_template(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<Template>() {
        Ok(template) => {
            assert_eq!(template.to_string().parse::<Template>().as_ref(), Ok(&template));
            let _ = template.render(|_| "value", &Allowance::new(limits::TEXTS));
        }
        Err(error) => drop(error.to_string()),
    }
}
