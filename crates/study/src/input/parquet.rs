//! Parquet files as tables, by way of the reader of JSON Lines: a row is an object, so nested fields become columns in the same way.

use std::path::Path;

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value, json};

use judge_uncertainty_data::dataset::error::{Error, Place, Problem, Result};
use judge_uncertainty_data::dataset::jsonl;
use judge_uncertainty_data::dataset::table::Table;

/// What does for a codec that is not read, or a type that has no text.
const REWRITE: &str = "write it again with pyarrow: pyarrow.parquet.write_table(pyarrow.parquet.read_table(FILE), \"table.parquet\", \
                       compression=\"snappy\")";

/// Reads a Parquet file; `id_column` names the column with the ids of the items. Row n stands in "line" n.
///
/// Uncompressed and Snappy pages are read, which pandas, pyarrow and `datasets` write by default. Nested structures become columns
/// (`p.yes` is `p_yes`), lists their JSON text, nulls blank cells.
///
/// # Errors
/// A file that is cut off or damaged, another codec, bytes that are no text, a date or time, a missing or blank id.
pub fn read(file: &Path, bytes: &[u8], id_column: &str) -> Result<Table> {
    let refuse = |reason: String, remedy: &str| {
        Error::refused(Place::file(file), Problem::Unfit { reason, remedy: remedy.to_owned() })
    };
    let broken = |error: parquet::errors::ParquetError| {
        let text = error.to_string();
        match text.contains("Disabled feature") {
            true => refuse(format!("its pages are compressed in a way that is not read here ({text})"), REWRITE),
            false => refuse(format!("is no whole Parquet file: {text}"), "copy or write it again"),
        }
    };
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(bytes)).map_err(broken)?;
    let mut lines = String::new();
    for (row, number) in reader.get_row_iter(None).map_err(broken)?.zip(1u64..) {
        let object = object(&row.map_err(broken)?).map_err(|column| {
            let place = Place::file(file).at_line(number).in_field(&column);
            let reason = "the value is neither a number nor a text".to_owned();
            Error::refused(place, Problem::Unfit { reason, remedy: "turn the column into text or numbers".to_owned() })
        })?;
        lines.push_str(&Value::Object(object).to_string());
        lines.push('\n');
    }
    jsonl::read_lines(file, lines.as_bytes(), id_column)
}

/// A row as an object; or the column whose value has no text.
fn object(row: &Row) -> std::result::Result<Map<String, Value>, String> {
    row.get_column_iter().map(|(name, field)| Ok((name.clone(), value(field).ok_or_else(|| name.clone())?))).collect()
}

fn value(field: &Field) -> Option<Value> {
    Some(match field {
        Field::Null => Value::Null,
        Field::Bool(x) => json!(x),
        Field::Byte(x) => json!(x),
        Field::Short(x) => json!(x),
        Field::Int(x) => json!(x),
        Field::Long(x) => json!(x),
        Field::UByte(x) => json!(x),
        Field::UShort(x) => json!(x),
        Field::UInt(x) => json!(x),
        Field::ULong(x) => json!(x),
        // By its own digits: 0.1 in 32 bits is 0.1 and not 0.10000000149.
        Field::Float(x) => number(x.to_string().parse().ok()?),
        Field::Double(x) => number(*x),
        Field::Str(x) => json!(x),
        // Texts that a writer did not mark as such.
        Field::Bytes(x) => json!(std::str::from_utf8(x.data()).ok()?),
        Field::Group(row) => Value::Object(object(row).ok()?),
        Field::ListInternal(list) => Value::Array(list.elements().iter().map(value).collect::<Option<_>>()?),
        _ => return None,
    })
}

/// A number that is none is missing, as pandas writes it.
fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::output::{OutputColumn, Values, to_parquet};
    use proptest::prelude::*;

    fn golden(name: &str) -> (PathBuf, Vec<u8>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/parquet").join(name);
        let bytes = std::fs::read(&path).unwrap();
        (path, bytes)
    }

    fn cells(table: &Table, column: &str) -> Vec<String> {
        let column = table.column(column).unwrap();
        table.rows().map(|row| row.cell(column).to_owned()).collect()
    }

    /// Written by pyarrow (tests/golden/parquet/make.py): whole numbers keep all digits, structures become columns.
    #[test]
    fn files_of_pyarrow_are_read_as_they_are() {
        let (path, bytes) = golden("data/train-00000-of-00002.parquet");
        let table = read(&path, &bytes, "id").unwrap();
        assert_eq!(cells(&table, "id"), ["7", "9007199254740993"]);
        assert_eq!(cells(&table, "text"), ["One, \"two\"\nthree", ""]);
        assert_eq!(cells(&table, "p_yes"), ["0.1", "0.25"]);
        assert_eq!(cells(&table, "weight"), ["0.1", ""]);
        assert_eq!(cells(&table, "tags"), ["[\"a\",\"b\"]", "[]"]);
        assert_eq!(cells(&table, "topic"), ["law", "art"]);
        assert_eq!(cells(&table, "checked"), ["true", "false"]);
        let (path, bytes) = golden("zstd.parquet");
        let error = read(&path, &bytes, "id").unwrap_err().to_string();
        assert!(
            error.contains("compressed in a way that is not read") && error.contains("compression=\"snappy\""),
            "{error}"
        );
        let error = read(&path, &golden("data/train-00001-of-00002.parquet").1, "uid").unwrap_err().to_string();
        assert!(error.contains("uid"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is written comes back to the same ids; a file that is cut off anywhere is refused.
        #[test]
        fn a_valid_file_survives_and_a_cut_one_is_refused(
            rows in proptest::collection::btree_map("[a-z0-9 ,\"\u{e4}]{1,8}[a-z]", (any::<u32>(), proptest::option::of(-1e9..1e9f64)), 1..40),
            cut in 0.0..1.0f64,
        ) {
            let ids: Vec<String> = rows.keys().map(|id| id.trim().to_owned()).collect();
            prop_assume!(ids.iter().collect::<std::collections::BTreeSet<_>>().len() == ids.len());
            let columns = [
                OutputColumn::new("id", "", "", Values::Text(ids.clone())),
                OutputColumn::new("n", "", "", Values::Count(rows.values().map(|row| row.0).collect())),
                OutputColumn::new("x", "", "", Values::Number(rows.values().map(|row| row.1).collect())),
            ];
            let bytes = to_parquet(&columns).unwrap();
            let file = Path::new("t.parquet");
            let table = read(file, &bytes, "id").unwrap();
            prop_assert_eq!(cells(&table, "id"), ids);
            prop_assert_eq!(cells(&table, "n"), rows.values().map(|row| row.0.to_string()).collect::<Vec<_>>());
            for (text, row) in cells(&table, "x").iter().zip(rows.values()) {
                prop_assert_eq!(text.parse::<f64>().ok(), row.1);
            }
            let cut = (cut * bytes.len() as f64) as usize;
            let error = read(file, &bytes[..cut], "id").unwrap_err().to_string();
            prop_assert!(error.contains("t.parquet"), "{}", error);
        }
    }
}
