//! Parquet files as tables: nested fields become columns as those of JSON objects do.

use std::path::Path;

use bytes::Bytes;
use judge_uncertainty_system::limits::Exceeded;
use parquet::basic::{LogicalType, TimeType, TimeUnit};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::record::Field;
use parquet::schema::types::Type;
use serde_json::{Value, json};

use crate::batches::{Batch, BatchReader};
use crate::error::{Error, Place, Result};
use crate::guarded::guarded;
use crate::table::DataTable;
use rows::ParquetRows;
use texts::{clock, time, uuid};

mod headers;
mod packed;
pub(crate) mod rows;
pub mod texts;

/// Whether a file's first bytes are those of Parquet.
pub fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

/// Reads a Parquet file; `id_column` names the column with the ids of the items. Row n counts as line n.
///
/// Reads uncompressed, Snappy, zstd and gzip pages, which pandas, pyarrow and `datasets` write. Nested structures
/// become columns (`p.yes` is `p_yes`), lists become their JSON text and nulls blank cells. Dates, times and UUIDs are
/// written as DuckDB writes them, and bytes that are not text as hexadecimal digits after `0x`. If `datasets` notes
/// that a column has classes by number, the names of the classes are read.
///
/// # Errors
/// A file that is cut off or damaged, another codec, a type that has no text; no rows, a column twice, a missing or blank
/// id.
pub fn read(file: &Path, bytes: &[u8], id_column: &str) -> Result<DataTable> {
    let whole = Bytes::copy_from_slice(bytes);
    let mut rows = guarded(file, || ParquetRows::new(file, whole.clone(), whole))?;
    let names = rows.header().names.clone();
    let all = rows.next(&names, usize::MAX)?.unwrap_or_else(|| Batch::new(file, names));
    all.table.checked(id_column)
}

/// What is wrong with a file that the `parquet` crate refuses.
fn broken(file: &Path, error: &ParquetError) -> Error {
    if let ParquetError::External(inner) = error
        && let Some(exceeded) = inner.downcast_ref::<Exceeded>()
    {
        return Error::too_much(Place::file(file))(*exceeded);
    }
    let (reason, remedy) = match error.to_string() {
        text if text.contains("Disabled feature") => (
            format!("its pages are compressed in a way that is not read here ({text})"),
            "write it uncompressed or with Snappy, zstd or gzip: one of them is the default of pyarrow, pandas, \
             polars, DuckDB and Spark",
        ),
        text => (format!("is not a whole Parquet file: {text}"), "copy or write it again"),
    };
    Error::unfit(Place::file(file), reason, remedy)
}

/// The names behind the numbers of each column of classes, as `datasets` notes them.
fn class_names(noted: Option<&Vec<KeyValue>>) -> Vec<(String, Vec<String>)> {
    let value =
        noted.into_iter().flatten().find(|noted| noted.key == "huggingface").and_then(|noted| noted.value.as_ref());
    let info: Value = value.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let features = info.pointer("/info/features").and_then(Value::as_object).into_iter().flatten();
    features.filter_map(|(column, feature)| Some((column.clone(), names_of(feature)?))).collect()
}

/// The names of a feature that is a class, or a list of such.
fn names_of(feature: &Value) -> Option<Vec<String>> {
    match feature.get("_type").and_then(Value::as_str)? {
        "ClassLabel" => serde_json::from_value(feature.get("names")?.clone()).ok(),
        _ => names_of(feature.get("feature")?),
    }
}

/// The name of the class with this number; blank for -1, which means a missing class.
fn named(value: &Value, names: &[String]) -> Value {
    match value {
        Value::Array(several) => several.iter().map(|value| named(value, names)).collect(),
        Value::Number(number) if number.as_i64() == Some(-1) => Value::Null,
        other => other.as_u64().and_then(|number| names.get(number as usize)).map_or(other.clone(), |name| json!(name)),
    }
}

/// A value of a type as JSON; `None` if it has no text.
fn value(field: &Field, kind: Option<&Type>) -> Option<Value> {
    let logical = kind.and_then(|kind| kind.get_basic_info().logical_type_ref());
    if let Some(text) = logical.and_then(|logical| as_written(field, logical)) {
        return Some(json!(text));
    }
    let inner = |field: &Field| value(field, None);
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
        Field::Float16(x) => number(f64::from(f32::from(*x))),
        // Texts that a writer did not mark as such, and pictures.
        Field::Bytes(x) => json!(texts::bytes(x.data())),
        Field::Decimal(_) => json!(field.to_string()),
        Field::TimeMillis(x) => json!(clock(i64::from(*x) * 1_000_000)),
        Field::TimeMicros(x) => json!(clock(x.checked_mul(1000)?)),
        // Beyond the years that have a text, the reader's own conversion would stop the program.
        Field::Date(days) if i64::from(*days).abs() < MOST_DAYS => json!(field.to_string()),
        Field::TimestampMillis(x) if x.abs() < MOST_DAYS * 86_400_000 => json!(field.to_string()),
        Field::TimestampMicros(x) if x.abs() < MOST_DAYS * 86_400_000_000 => json!(field.to_string()),
        Field::Group(row) => {
            let member = |(name, of): (&String, &Field)| Some((name.clone(), inner(of)?));
            Value::Object(row.get_column_iter().map(member).collect::<Option<_>>()?)
        }
        Field::ListInternal(list) => Value::Array(list.elements().iter().map(inner).collect::<Option<_>>()?),
        Field::MapInternal(map) => {
            let member = |(key, of): &(Field, Field)| match key {
                Field::Str(name) => Some((name.clone(), inner(of)?)),
                _ => None,
            };
            Value::Object(map.entries().iter().map(member).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A value whose text depends on its logical type, as the programs write it that wrote the file; `None` of any other.
fn as_written(field: &Field, logical: &LogicalType) -> Option<String> {
    match (field, logical) {
        (Field::Bytes(bytes), LogicalType::Uuid) => uuid(bytes.data()),
        (field, LogicalType::Timestamp(kind)) => {
            let nanoseconds = match field {
                Field::TimestampMillis(x) => x.checked_mul(1_000_000)?,
                Field::TimestampMicros(x) => x.checked_mul(1000)?,
                Field::Long(x) if kind.unit == TimeUnit::NANOS => *x,
                _ => return None,
            };
            time(nanoseconds, kind.is_adjusted_to_u_t_c)
        }
        (Field::Long(x), LogicalType::Time(TimeType { unit: TimeUnit::NANOS, .. })) => Some(clock(*x)),
        _ => None,
    }
}

/// Dates are turned into text up to so many days from 1970, which is the year 200,000.
const MOST_DAYS: i64 = 70_000_000;

/// NaN counts as missing, as in pandas.
fn number(x: f64) -> Value {
    if x.is_infinite() { json!(x.to_string()) } else { json!(x) }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::batches::BatchReader;
    use crate::output::{ColumnValues, OutputColumn, to_parquet};
    use proptest::prelude::*;

    fn golden(name: &str) -> (PathBuf, Vec<u8>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/parquet").join(name);
        let bytes = std::fs::read(&path).unwrap();
        (path, bytes)
    }

    fn cells(table: &DataTable, column: &str) -> Vec<String> {
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
        let error = read(&path, &golden("data/train-00001-of-00002.parquet").1, "uid").unwrap_err().to_string();
        assert!(error.contains("uid"), "{error}");
    }

    /// Found by fuzzing: 3 kB whose header of a page holds nested lists of 2^31 truth values without a byte, which kept
    /// the reader busy; its footer has a field of another type, too. And a file that is right except for such a list in
    /// its first header.
    #[test]
    fn a_header_without_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/pages/truths");
        let made = folder.path().join("made.parquet");
        let mut bytes = golden("data/train-00000-of-00002.parquet").1;
        let endless = [0x99, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00];
        bytes[4..4 + endless.len()].copy_from_slice(&endless);
        std::fs::write(&made, bytes).unwrap();
        for (path, part) in
            [(&found, "the footer has a field of another type"), (&made, "the header of a page claims more truth")]
        {
            let told = [
                read(path, &std::fs::read(path).unwrap(), "id").map(drop),
                ParquetRows::open(path).and_then(|mut rows| {
                    let wanted = rows.header().names.clone();
                    while rows.next(&wanted, 3)?.is_some() {}
                    Ok(())
                }),
            ];
            for told in told {
                let told = told.unwrap_err().to_string();
                assert!(told.contains(part), "{told}");
            }
        }
    }

    /// What DuckDB wrote (`make_ids.py`): ids are the text that it writes itself, also where rows are read some at a
    /// time.
    #[test]
    fn ids_come_back_as_a_warehouse_writes_them() {
        let (path, bytes) = golden("ids.parquet");
        let expected = DataTable::parse(Path::new("ids.csv"), &golden("ids.csv").1, "id").unwrap();
        let found = read(&path, &bytes, "id").unwrap();
        let mut rows = ParquetRows::open(&path).unwrap();
        let names = expected.header().to_vec();
        let batch = rows.next(&names, 10).unwrap().unwrap();
        for name in &names {
            assert_eq!(cells(&found, name), cells(&expected, name), "{name}");
            assert_eq!(cells(&batch.table, name), cells(&expected, name), "{name}");
        }
    }

    /// What `datasets` wrote (`make_datasets.py`), and pyarrow under other codecs.
    #[test]
    fn data_sets_of_hugging_face_are_read_under_every_codec_in_use() {
        let first = golden("datasets/data/train-00000-of-00002.parquet");
        for (path, bytes) in [first.clone(), golden("datasets/zstd.parquet"), golden("datasets/gzip.parquet")] {
            let table = read(&path, &bytes, "id").unwrap();
            assert_eq!(cells(&table, "id"), ["item 0", "item 1", "item 2"]);
            assert_eq!(cells(&table, "label"), ["yes", "no", ""]);
            assert_eq!(cells(&table, "day"), ["2026-02-28"; 3]);
            assert_eq!(cells(&table, "picture")[1], "0xff01");
            assert_eq!(cells(&table, "words"), ["[]", "[\"a\"]", "[\"a\",\"ß\"]"]);
            assert!(cells(&table, "asked")[2].starts_with("2026-01-02 03:04:02"), "{:?}", cells(&table, "asked"));
        }
        // An edited file is refused, or its sums hide nothing: the ids are those of the file.
        let (path, mut bytes) = first;
        let middle = bytes.len() / 2;
        bytes[middle..].fill(0);
        let error = read(&path, &bytes, "id").unwrap_err().to_string();
        assert!(error.contains("is not a whole Parquet file") && error.contains("copy or write it again"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Written values are read back for the same ids; a file that is cut off anywhere is refused.
        #[test]
        fn a_valid_file_survives_and_a_cut_one_is_refused(
            rows in proptest::collection::btree_map(
                "[a-z0-9 ,\"\u{e4}]{1,8}[a-z]", (any::<u32>(), proptest::option::of(-1e9..1e9f64)), 1..40,
            ),
            cut in 0.0..1.0f64,
        ) {
            let ids: Vec<String> = rows.keys().map(|id| id.trim().to_owned()).collect();
            prop_assume!(ids.iter().collect::<std::collections::BTreeSet<_>>().len() == ids.len());
            let columns = [
                OutputColumn::texts("id", "", &ids),
                OutputColumn::new("n", "", "", ColumnValues::Count(rows.values().map(|row| row.0).collect())),
                OutputColumn::new("x", "", "", ColumnValues::Number(rows.values().map(|row| row.1.unwrap_or(f64::NAN)).collect())),
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
