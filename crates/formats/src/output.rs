//! `items.csv`, `items.parquet` and their data dictionary: everything known about every item.

use std::borrow::Cow;
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};
use serde::{Deserialize, Serialize};

use crate::items::Texts;
use judge_uncertainty_system::formula::{csv_text, escaped};

pub use ::parquet::errors::ParquetError;

/// Rows of a group in the Parquet file, whose dictionaries are in memory while it is written.
const GROUP: usize = 32_768;

/// A column of the output.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputColumn {
    /// Name in the header.
    pub name: String,
    /// What it says.
    pub meaning: String,
    /// Unit and range.
    pub unit: &'static str,
    /// One value per item.
    pub values: ColumnValues,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Words.
    Text(Arc<Texts>),
    /// Whole numbers.
    Count(Vec<u32>),
    /// Numbers; one that is missing is not a number.
    Number(Vec<f64>),
}

/// The table as CSV; numbers have the fewest digits that read back exactly.
pub fn to_csv(columns: &[OutputColumn]) -> Vec<u8> {
    let mut all = vec![];
    write_csv(columns, &mut all).expect("writing to memory does not fail");
    all
}

/// Writes [`to_csv`].
///
/// # Errors
/// What it is written to fails.
pub fn write_csv(columns: &[OutputColumn], to: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    let mut csv = csv::Writer::from_writer(to);
    csv.write_record(columns.iter().map(|column| escaped(&column.name).into_owned()))?;
    for i in 0..rows {
        for column in columns {
            csv.write_field(column.values.text(i).as_bytes())?;
        }
        csv.write_record(None::<&[u8]>)?;
    }
    csv.flush()
}

/// The data dictionary as CSV: column, unit, meaning.
pub fn dictionary(columns: &[OutputColumn]) -> Vec<u8> {
    let rows = columns.iter().map(|column| vec![column.name.as_str(), column.unit, column.meaning.as_str()]);
    csv_text(std::iter::once(vec!["column", "unit", "meaning"]).chain(rows))
}

impl OutputColumn {
    /// A column of any values.
    pub fn new(name: impl Into<String>, unit: &'static str, meaning: impl Into<String>, values: ColumnValues) -> Self {
        Self { name: name.into(), meaning: meaning.into(), unit, values }
    }

    /// A column of words.
    pub fn texts<T: AsRef<str>>(
        name: impl Into<String>,
        meaning: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        Self::new(name, "", meaning, ColumnValues::Text(Arc::new(values.into_iter().collect())))
    }

    /// A column with a number for every item.
    pub fn numbers(
        name: impl Into<String>,
        unit: &'static str,
        meaning: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
    ) -> Self {
        Self::partial(name, unit, meaning, values.into_iter().map(Some))
    }

    /// A column with numbers that some items lack.
    pub fn partial(
        name: impl Into<String>,
        unit: &'static str,
        meaning: impl Into<String>,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        let values = values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        Self::new(name, unit, meaning, ColumnValues::Number(values))
    }
}

impl ColumnValues {
    /// Number of items.
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Text(values) => values.len(),
            ColumnValues::Count(values) => values.len(),
            ColumnValues::Number(values) => values.len(),
        }
    }

    /// A value as a cell of CSV.
    fn text(&self, i: usize) -> Cow<'_, str> {
        match self {
            ColumnValues::Text(values) => escaped(&values[i]),
            ColumnValues::Count(values) => values[i].to_string().into(),
            ColumnValues::Number(values) if values[i].is_nan() => "".into(),
            ColumnValues::Number(values) => format!("{:?}", values[i]).into(),
        }
    }
}

/// How pages of Parquet are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// Snappy, the default of pyarrow, pandas and Spark.
    #[default]
    Snappy,
    /// Not at all.
    None,
}

impl FromStr for Codec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        serde_json::from_value(text.into()).map_err(|_| format!("{text:?} is neither snappy nor none"))
    }
}

/// The table of items as Parquet, version 1, uncompressed; missing numbers are nulls.
///
/// # Errors
/// The encoder refuses.
pub fn to_parquet(columns: &[OutputColumn]) -> Result<Vec<u8>, ParquetError> {
    let mut all = vec![];
    write_parquet(columns, &mut all)?;
    Ok(all)
}

/// Writes [`to_parquet`], whose first column has the ids.
///
/// # Errors
/// The encoder refuses, or what it is written to fails.
pub fn write_parquet(columns: &[OutputColumn], to: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
    // Each id is another.
    write_with(columns, Compression::UNCOMPRESSED, |k| k == 0, to)
}

/// A part of a stream as Parquet, version 1: compressed, with numbers one after the other instead of in a dictionary,
/// because few numbers repeat.
///
/// # Errors
/// The encoder refuses.
pub fn part_to_parquet(columns: &[OutputColumn], codec: Codec) -> Result<Vec<u8>, ParquetError> {
    let codec = if codec == Codec::Snappy { Compression::SNAPPY } else { Compression::UNCOMPRESSED };
    let mut all = vec![];
    write_with(columns, codec, |k| matches!(columns[k].values, ColumnValues::Number(_)), &mut all)?;
    Ok(all)
}

/// Writes columns, without a dictionary where values rarely repeat.
fn write_with(
    columns: &[OutputColumn],
    codec: Compression,
    is_plain: impl Fn(usize) -> bool,
    to: &mut (dyn Write + Send),
) -> Result<(), ParquetError> {
    let mut properties = WriterProperties::builder().set_compression(codec);
    for k in (0..columns.len()).filter(|&k| is_plain(k)) {
        let path = ColumnPath::new(vec![columns[k].name.clone()]);
        properties = properties.set_column_dictionary_enabled(path, false);
    }
    let field = |column: &OutputColumn| {
        let (physical, converted, repetition) = match column.values {
            ColumnValues::Text(_) => (PhysicalType::BYTE_ARRAY, ConvertedType::UTF8, Repetition::REQUIRED),
            ColumnValues::Count(_) => (PhysicalType::INT64, ConvertedType::NONE, Repetition::REQUIRED),
            ColumnValues::Number(_) => (PhysicalType::DOUBLE, ConvertedType::NONE, Repetition::OPTIONAL),
        };
        let builder = Type::primitive_type_builder(&column.name, physical);
        Ok::<_, ParquetError>(Arc::new(builder.with_converted_type(converted).with_repetition(repetition).build()?))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("items").with_fields(fields).build()?);
    let properties = Arc::new(properties.set_created_by("judge-uncertainty".to_owned()).build());
    let mut writer = SerializedFileWriter::new(to, schema, properties)?;
    let rows = columns.first().map_or(0, |column| column.values.len());
    for start in (0..rows).step_by(GROUP) {
        let range = start..rows.min(start + GROUP);
        let mut group = writer.next_row_group()?;
        for column in columns {
            if let Some(mut written) = group.next_column()? {
                write_column(&column.values, range.clone(), &mut written)?;
                written.close()?;
            }
        }
        group.close()?;
    }
    writer.finish().map(drop)
}

fn write_column(
    values: &ColumnValues,
    rows: std::ops::Range<usize>,
    to: &mut SerializedColumnWriter<'_>,
) -> Result<(), ParquetError> {
    match values {
        ColumnValues::Text(values) => {
            let mut all = Bytes::from(rows.clone().map(|row| &values[row]).collect::<String>());
            let texts: Vec<ByteArray> = rows.map(|row| all.split_to(values[row].len()).into()).collect();
            to.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        }
        ColumnValues::Count(values) => {
            let counts: Vec<i64> = values[rows].iter().map(|&count| i64::from(count)).collect();
            to.typed::<Int64Type>().write_batch(&counts, None, None)?;
        }
        ColumnValues::Number(values) => {
            let present: Vec<f64> = values[rows.clone()].iter().filter(|value| !value.is_nan()).copied().collect();
            let levels: Vec<i16> = values[rows].iter().map(|value| i16::from(!value.is_nan())).collect();
            to.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
        }
    }
    Ok(())
}
