//! Tables that come and go through the Arrow C data interface, whichever library holds them.

use std::ffi::CStr;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray,
    StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use judge_uncertainty_formats::batches::Batch;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};
use judge_uncertainty_formats::parquet::texts::{bytes, clock, time, uuid};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::{refused, wrong};

/// The name of a table in memory in messages, in place of a file name.
pub(crate) const TABLE: &str = "table";
const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A table in batches.
#[derive(Debug, Clone)]
pub(crate) struct ArrowTable {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

/// Takes a table of any library: pyarrow, polars, pandas, DuckDB.
pub(crate) fn taken(table: &Bound<'_, PyAny>) -> PyResult<ArrowTable> {
    if table.hasattr("__arrow_c_stream__")? {
        let mut reader = reader_of(&table.call_method0("__arrow_c_stream__")?)?;
        // What makes the batches may need the interpreter in threads of its own.
        let batches = table.py().detach(|| reader.by_ref().collect::<Result<Vec<_>, ArrowError>>());
        return Ok(ArrowTable { schema: reader.schema(), batches: batches.map_err(|e| refused(&e))? });
    }
    if table.hasattr("__arrow_c_array__")? {
        let batch = batch_of_array(&table.call_method0("__arrow_c_array__")?)?;
        return Ok(ArrowTable { schema: batch.schema(), batches: vec![batch] });
    }
    let kind = table.get_type().name()?.to_string();
    Err(wrong(format!(
        "a table is needed that has the Arrow C interface (__arrow_c_stream__), and {kind} has not: give a \
         pyarrow.Table, a polars or pandas DataFrame or a DuckDB relation, or make one with pyarrow.table"
    )))
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast())
}

#[allow(unsafe_code, reason = "the C interface hands over a pointer")]
fn reader_of(capsule: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let stream = pointer::<FFI_ArrowArrayStream>(capsule, STREAM)?;
    // SAFETY: a capsule of this name holds such a stream, which is moved out of it here and marked as released there.
    unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) }.map_err(|e| refused(&e))
}

#[allow(unsafe_code, reason = "the C interface hands over pointers")]
fn batch_of_array(capsules: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let schema = pointer::<FFI_ArrowSchema>(&capsules.get_item(0)?, SCHEMA)?;
    let array = pointer::<FFI_ArrowArray>(&capsules.get_item(1)?, ARRAY)?;
    // SAFETY: capsules of these names hold a schema and an array of it, which are moved out of them here and marked as
    // released there.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.as_ptr());
        from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), &schema)
    };
    let data = data.map_err(|e| refused(&e))?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        return Err(wrong(format!(
            "an array of the type {} is not a table: give a struct of columns",
            data.data_type()
        )));
    }
    Ok(RecordBatch::from(StructArray::from(data)))
}

impl ArrowTable {
    /// Hands the table over.
    pub(crate) fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = RecordBatchIterator::new(self.batches.clone().into_iter().map(Ok), self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

/// Columns of results as a table's batch; the types are those of the parts that the command line writes.
pub(crate) fn batch_of(columns: Vec<OutputColumn>) -> PyResult<RecordBatch> {
    let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (vec![], vec![]);
    for column in columns {
        let (kind, array): (DataType, ArrayRef) = match column.values {
            ColumnValues::Text(values) => (DataType::Utf8, Arc::new(StringArray::from_iter_values(values.iter()))),
            ColumnValues::Count(values) => {
                (DataType::Int64, Arc::new(Int64Array::from_iter_values(values.into_iter().map(i64::from))))
            }
            ColumnValues::Number(values) => {
                let present = values.into_iter().map(|value| (!value.is_nan()).then_some(value));
                (DataType::Float64, Arc::new(present.collect::<Float64Array>()))
            }
        };
        fields.push(Field::new(column.name, kind.clone(), kind == DataType::Float64));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(|e| refused(&e))
}

/// The wanted columns of some rows; `first` is the number of the first of them, from 1.
pub(crate) fn rows_of(batch: &RecordBatch, wanted: &[String], first: u64) -> PyResult<Batch> {
    let schema = batch.schema();
    let (mut names, mut columns) = (vec![], vec![]);
    for name in wanted {
        let Ok(place) = schema.index_of(name) else { continue };
        let (field, array) = (schema.field(place), batch.column(place).as_ref());
        let is_uuid = field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.uuid");
        let cells = if is_uuid { uuids(array) } else { cells(array) }.ok_or_else(|| {
            wrong(format!(
                "the column {name:?} is of the type {}, which is neither text, numbers nor lists of numbers: cast it",
                field.data_type()
            ))
        })?;
        names.push(name.clone());
        columns.push(cells);
    }
    let mut rows = Batch::new(Path::new(TABLE), names);
    (0..batch.num_rows()).for_each(|row| rows.push(first + row as u64, columns.iter().map(|cells| &cells[row]), None));
    Ok(rows)
}

/// The text of each value as the readers of files have it, blank where it is missing; `None` of values without one.
fn cells(array: &dyn Array) -> Option<Vec<String>> {
    let n = array.len();
    let text = |value: &dyn Fn(usize) -> String| {
        (0..n).map(|i| if array.is_null(i) { String::new() } else { value(i) }).collect::<Vec<String>>()
    };
    Some(match array.data_type() {
        DataType::Null => vec![String::new(); n],
        DataType::Utf8 => text(&|i| array.as_string::<i32>().value(i).to_owned()),
        DataType::LargeUtf8 => text(&|i| array.as_string::<i64>().value(i).to_owned()),
        DataType::Utf8View => text(&|i| array.as_string_view().value(i).to_owned()),
        DataType::Boolean => text(&|i| array.as_boolean().value(i).to_string()),
        DataType::Int8 => text(&|i| array.as_primitive::<Int8Type>().value(i).to_string()),
        DataType::Int16 => text(&|i| array.as_primitive::<Int16Type>().value(i).to_string()),
        DataType::Int32 => text(&|i| array.as_primitive::<Int32Type>().value(i).to_string()),
        DataType::Int64 => text(&|i| array.as_primitive::<Int64Type>().value(i).to_string()),
        DataType::UInt8 => text(&|i| array.as_primitive::<UInt8Type>().value(i).to_string()),
        DataType::UInt16 => text(&|i| array.as_primitive::<UInt16Type>().value(i).to_string()),
        DataType::UInt32 => text(&|i| array.as_primitive::<UInt32Type>().value(i).to_string()),
        DataType::UInt64 => text(&|i| array.as_primitive::<UInt64Type>().value(i).to_string()),
        DataType::Decimal128(..) => text(&|i| array.as_primitive::<Decimal128Type>().value_as_string(i)),
        DataType::Decimal256(..) => text(&|i| array.as_primitive::<Decimal256Type>().value_as_string(i)),
        DataType::Date32 => text(&|i| date(i64::from(array.as_primitive::<Date32Type>().value(i)) * 86_400)),
        DataType::Date64 => text(&|i| date(array.as_primitive::<Date64Type>().value(i).div_euclid(1000))),
        DataType::Time32(TimeUnit::Second) => {
            text(&|i| clock(i64::from(array.as_primitive::<Time32SecondType>().value(i)) * 1_000_000_000))
        }
        DataType::Time32(_) => {
            text(&|i| clock(i64::from(array.as_primitive::<Time32MillisecondType>().value(i)) * 1_000_000))
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            text(&|i| clock(array.as_primitive::<Time64MicrosecondType>().value(i) * 1000))
        }
        DataType::Time64(_) => text(&|i| clock(array.as_primitive::<Time64NanosecondType>().value(i))),
        DataType::Timestamp(unit, zone) => {
            let (values, factor): (Vec<Option<i64>>, i64) = match unit {
                TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().iter().collect(), 1_000_000_000),
                TimeUnit::Millisecond => (array.as_primitive::<TimestampMillisecondType>().iter().collect(), 1_000_000),
                TimeUnit::Microsecond => (array.as_primitive::<TimestampMicrosecondType>().iter().collect(), 1000),
                TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().iter().collect(), 1),
            };
            let text = |x: Option<i64>| match x {
                None => Some(String::new()),
                Some(x) => time(x.checked_mul(factor)?, zone.is_some()),
            };
            values.into_iter().map(text).collect::<Option<_>>()?
        }
        DataType::Binary => text(&|i| bytes(array.as_binary::<i32>().value(i))),
        DataType::LargeBinary => text(&|i| bytes(array.as_binary::<i64>().value(i))),
        DataType::BinaryView => text(&|i| bytes(array.as_binary_view().value(i))),
        DataType::FixedSizeBinary(_) => text(&|i| bytes(array.as_fixed_size_binary().value(i))),
        // By its own digits, as from a file; NaN is missing.
        DataType::Float32 => text(&|i| number(array.as_primitive::<Float32Type>().value(i))),
        DataType::Float64 => text(&|i| number(array.as_primitive::<Float64Type>().value(i))),
        DataType::List(_) => lists(array, &|i| array.as_list::<i32>().value(i))?,
        DataType::LargeList(_) => lists(array, &|i| array.as_list::<i64>().value(i))?,
        DataType::FixedSizeList(..) => lists(array, &|i| array.as_fixed_size_list().value(i))?,
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let known = cells(dictionary.values().as_ref())?;
            let keys = if known.is_empty() { vec![0; n] } else { dictionary.normalized_keys() };
            text(&|i| known[keys[i]].clone())
        }
        _ => return None,
    })
}

fn uuids(array: &dyn Array) -> Option<Vec<String>> {
    let values = array.as_fixed_size_binary_opt()?;
    let text = |i: usize| if values.is_null(i) { Some(String::new()) } else { uuid(values.value(i)) };
    (0..values.len()).map(text).collect()
}

/// A date so many seconds from 1970.
fn date(seconds: i64) -> String {
    let text = seconds.checked_mul(1_000_000_000).and_then(|nanoseconds| time(nanoseconds, false));
    text.and_then(|text| text.split(' ').next().map(str::to_owned)).unwrap_or_default()
}

/// A number by its own digits; blank for NaN.
fn number(x: impl ToString) -> String {
    Some(x.to_string()).filter(|text| text != "NaN").unwrap_or_default()
}

/// Lists of numbers, or of such lists, as JSON; a gap is `null`, which whoever needs the list refuses.
fn lists(array: &dyn Array, of: &dyn Fn(usize) -> ArrayRef) -> Option<Vec<String>> {
    let element = |text: String| if text.is_empty() { "null".to_owned() } else { text };
    let list = |i: usize| {
        if array.is_null(i) {
            return Some(String::new());
        }
        let elements = of(i);
        let is_known = elements.data_type().is_numeric() || elements.data_type().is_nested() || elements.is_empty();
        let elements = is_known.then(|| cells(elements.as_ref())).flatten()?;
        Some(format!("[{}]", elements.into_iter().map(element).collect::<Vec<_>>().join(",")))
    };
    (0..array.len()).map(list).collect()
}
