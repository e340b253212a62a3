//! Rows of a Parquet file, some at a time.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::{ConvertedType, LogicalType, Repetition};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::record::Field;
use ::parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, ColumnPath, Type};
use serde_json::Value;

use super::{Batch, BatchColumn, BatchReader, Header, Lists};
use crate::archive::Allowed;
use crate::error::{Error, Place, Result};
use crate::guarded::guarded;
use crate::parquet::headers::check_footer;
use crate::parquet::packed::{Unpacked, too_much};
use crate::parquet::texts::time;
use crate::parquet::{broken, value};
use judge_uncertainty_system::faults::read_step;
use judge_uncertainty_system::limits::{HELD, Limit};
use judge_uncertainty_system::read::InputFile;

/// A Parquet file that is read batch by batch; row n counts as line n.
pub(crate) struct ParquetRows {
    file: SerializedFileReader<File>,
    /// The file once more, for pages that are unpacked here.
    stored: Arc<File>,
    header: Header,
    group: usize,
    /// The columns of the row group that is being read, with their places,
    columns: Vec<(String, usize, ColumnReader)>,
    /// and how many of its rows are left.
    left: usize,
    row: u64,
    size: u64,
    /// Limits of the pages of the file.
    allowed: Arc<Allowed>,
}

impl std::fmt::Debug for ParquetRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetRows").field("header", &self.header).finish_non_exhaustive()
    }
}

/// The name of a column: `p.yes` is `p_yes`, and the parts that lists bring are left out.
fn name_of(path: &ColumnPath) -> String {
    let parts: Vec<&str> = path.parts().iter().map(String::as_str).collect();
    let plain = match parts.as_slice() {
        [rest @ .., "list", "element" | "item"] if !rest.is_empty() => rest,
        [rest @ .., "bag", "array_element"] if !rest.is_empty() => rest,
        all => all,
    };
    plain.join("_")
}

impl ParquetRows {
    /// Opens a file.
    ///
    /// # Errors
    /// The file can't be read, or is not a whole Parquet file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let unreadable = |source| Error::Unreadable { file: path.to_owned(), source };
        let file = InputFile::open(path).map_err(unreadable)?.into_file();
        let stored = Arc::new(file.try_clone().map_err(unreadable)?);
        let size = file.metadata().map_err(unreadable)?.len();
        let file = guarded(path, || {
            check_footer(&*stored).and_then(|()| SerializedFileReader::new(file)).map_err(|error| broken(path, &error))
        })?;
        let columns = file.metadata().file_metadata().schema_descr().columns().iter();
        let names = columns.map(|column| name_of(column.path())).collect();
        let header = Header { file: path.to_owned(), names, complete: true };
        let allowed = Arc::new(Allowed::new(size));
        Ok(Self { file, stored, header, group: 0, columns: vec![], left: 0, row: 0, size, allowed })
    }

    fn open_group(&mut self, wanted: &[String]) -> Result<bool> {
        while self.group < self.file.num_row_groups() {
            let group = self.file.get_row_group(self.group).map_err(|e| broken(&self.header.file, &e))?;
            let group = Unpacked::new(group, &self.stored, &self.allowed);
            self.group += 1;
            let left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            if left == 0 {
                continue;
            }
            self.columns.clear();
            for (place, name) in self.header.names.iter().enumerate().filter(|(_, name)| wanted.contains(name)) {
                let reader = group.get_column_reader(place).map_err(|e| broken(&self.header.file, &e))?;
                self.columns.push((name.clone(), place, reader));
            }
            self.left = left;
            return Ok(true);
        }
        Ok(false)
    }
}

impl BatchReader for ParquetRows {
    fn header(&self) -> &Header {
        &self.header
    }

    fn consumed(&self) -> u64 {
        let rows = self.file.metadata().file_metadata().num_rows().max(1) as u64;
        (u128::from(self.size) * u128::from(self.row) / u128::from(rows)) as u64
    }

    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        let file = self.header.file.clone();
        guarded(&file, || self.read_on(wanted, most))
    }
}

impl ParquetRows {
    fn read_on(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        if self.left == 0 && !self.open_group(wanted)? {
            return Ok(None);
        }
        read_step().map_err(|source| Error::Unreadable { file: self.header.file.clone(), source })?;
        let rows = self.left.min(most);
        let mut batch = Batch::new(&self.header.file);
        batch.lines = (self.row + 1..=self.row + rows as u64).collect();
        for (name, place, reader) in &mut self.columns {
            let described = self.file.metadata().file_metadata().schema_descr().column(*place);
            let most = HELD.for_file(self.size);
            let cells = cells(reader, &described, rows, most).map_err(|why| match why {
                Unread::Broken(error) => broken(&self.header.file, &error),
                Unread::Kind(reason) => {
                    let remedy = "turn the column into text, numbers or lists of numbers";
                    Error::unfit(Place::file(&self.header.file).in_field(name), reason, remedy)
                }
            })?;
            batch.put(name.clone(), cells);
        }
        self.left -= rows;
        self.row += rows as u64;
        Ok(Some(batch))
    }
}

enum Unread {
    Broken(ParquetError),
    Kind(String),
}

impl From<ParquetError> for Unread {
    fn from(error: ParquetError) -> Self {
        Self::Broken(error)
    }
}

/// The next rows of a column, whose texts have at most so many bytes: a repeated text needs almost no room in the file,
/// but all of it in memory.
fn cells(
    reader: &mut ColumnReader,
    column: &ColumnDescPtr,
    rows: usize,
    most: Limit,
) -> std::result::Result<BatchColumn, Unread> {
    let unsigned = matches!(
        column.converted_type(),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
    );
    let plain = matches!(
        column.converted_type(),
        ConvertedType::NONE
            | ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64
    ) && matches!(column.logical_type_ref(), None | Some(LogicalType::Integer { .. }))
        || unsigned;
    let kind = column.self_type();
    let of_field = |field: Field| value(&field, Some(kind));
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => {
            let text = |x: Option<bool>| x.map(|x| x.to_string()).unwrap_or_default();
            BatchColumn::Text(flat(reader, column, rows)?.into_iter().map(text).collect())
        }
        ColumnReader::Int32ColumnReader(reader) if plain => match column.max_rep_level() {
            0 => BatchColumn::Whole(
                flat(reader, column, rows)?
                    .into_iter()
                    .map(|x: Option<i32>| x.map(|x| if unsigned { i64::from(x.cast_unsigned()) } else { i64::from(x) }))
                    .collect(),
            ),
            _ => BatchColumn::List(lists(reader, column, rows, |x: i32| f64::from(x), f64::NAN)?),
        },
        ColumnReader::Int64ColumnReader(reader) if plain => match column.max_rep_level() {
            0 => {
                let found: Vec<Option<i64>> = flat(reader, column, rows)?;
                // Those beyond 63 bits have a text.
                match unsigned && found.iter().flatten().any(|x| *x < 0) {
                    true => texts(found, kind, |x| of_field(Field::convert_int64(column, x)))?,
                    false => BatchColumn::Whole(found),
                }
            }
            _ => BatchColumn::List(lists(reader, column, rows, |x: i64| x as f64, f64::NAN)?),
        },
        ColumnReader::FloatColumnReader(reader) => match column.max_rep_level() {
            0 => {
                // By its own digits: 0.1 in 32 bits is 0.1 and not 0.10000000149.
                let number = |x: f32| x.to_string().parse::<f64>().unwrap_or(f64::NAN);
                BatchColumn::Number(
                    flat(reader, column, rows)?.into_iter().map(|x| x.map(number).filter(|x| !x.is_nan())).collect(),
                )
            }
            _ => BatchColumn::Vector(lists(reader, column, rows, |x: f32| x, f32::NAN)?),
        },
        ColumnReader::DoubleColumnReader(reader) => match column.max_rep_level() {
            // NaN counts as missing, as in pandas.
            0 => BatchColumn::Number(
                flat(reader, column, rows)?.into_iter().map(|x| x.filter(|x: &f64| !x.is_nan())).collect(),
            ),
            _ => BatchColumn::List(lists(reader, column, rows, |x: f64| x, f64::NAN)?),
        },
        ColumnReader::ByteArrayColumnReader(reader) => {
            let found = flat(reader, column, rows)?;
            most.check(found.iter().flatten().map(|bytes| bytes.data().len() as u64).sum()).map_err(too_much)?;
            texts(found, kind, |x: ByteArray| of_field(Field::convert_byte_array(column, x).ok()?))?
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            texts(flat(reader, column, rows)?, kind, |x| of_field(Field::convert_byte_array(column, x.into()).ok()?))?
        }
        ColumnReader::Int32ColumnReader(reader) => {
            texts(flat(reader, column, rows)?, kind, |x| of_field(Field::convert_int32(column, x)))?
        }
        ColumnReader::Int64ColumnReader(reader) => {
            texts(flat(reader, column, rows)?, kind, |x| of_field(Field::convert_int64(column, x)))?
        }
        ColumnReader::Int96ColumnReader(reader) => {
            texts(flat(reader, column, rows)?, kind, |x| time(x.to_nanos(), false).map(Value::from))?
        }
    })
}

/// Values as texts, each as a reader of the whole file has it.
fn texts<T>(
    values: Vec<Option<T>>,
    kind: &Type,
    text: impl Fn(T) -> Option<Value>,
) -> std::result::Result<BatchColumn, Unread> {
    let of = |x: Option<T>| match x.map(&text) {
        None | Some(Some(Value::Null)) => Ok(String::new()),
        Some(Some(Value::String(text))) => Ok(text),
        Some(Some(other)) => Ok(other.to_string()),
        Some(None) => {
            let name = kind.get_basic_info().converted_type();
            Err(Unread::Kind(format!("a value of the type {name:?} is neither text, a number nor a list of numbers")))
        }
    };
    values.into_iter().map(of).collect::<std::result::Result<_, _>>().map(BatchColumn::Text)
}

/// Values of a column, and the levels that say which are missing and where a row begins.
#[allow(clippy::type_complexity, reason = "three lists and an error")]
fn read<D: DataType>(
    reader: &mut ColumnReaderImpl<D>,
    column: &ColumnDescriptor,
    rows: usize,
) -> std::result::Result<(Vec<D::T>, Vec<i16>, Vec<i16>), Unread> {
    let (mut values, mut defined, mut repeated) = (vec![], vec![], vec![]);
    let mut read = 0;
    while read < rows {
        let defined = (column.max_def_level() > 0).then_some(&mut defined);
        let repeated = (column.max_rep_level() > 0).then_some(&mut repeated);
        let (records, ..) = reader.read_records(rows - read, defined, repeated, &mut values)?;
        if records == 0 {
            return Err(ParquetError::EOF("the column has fewer rows than its group".to_owned()).into());
        }
        read += records;
    }
    Ok((values, defined, repeated))
}

fn flat<D: DataType>(
    reader: &mut ColumnReaderImpl<D>,
    column: &ColumnDescriptor,
    rows: usize,
) -> std::result::Result<Vec<Option<D::T>>, Unread> {
    if column.max_rep_level() > 0 {
        return Err(Unread::Kind("lists of such values are not read".to_owned()));
    }
    let (values, defined, _) = read(reader, column, rows)?;
    if defined.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    Ok(defined.iter().map(|level| if *level == column.max_def_level() { values.next() } else { None }).collect())
}

fn lists<D: DataType, T: Copy>(
    reader: &mut ColumnReaderImpl<D>,
    column: &ColumnDescriptor,
    rows: usize,
    value: impl Fn(D::T) -> T,
    gap: T,
) -> std::result::Result<Lists<T>, Unread> {
    if column.max_rep_level() > 1 {
        return Err(Unread::Kind("lists of lists are not read".to_owned()));
    }
    let (values, defined, repeated) = read(reader, column, rows)?;
    // An element that may be missing takes the last level for itself.
    let optional = column.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
    let entry = column.max_def_level() - i16::from(optional);
    let mut values = values.into_iter();
    let (mut lists, mut list, mut present) = (Lists::default(), vec![], false);
    for (k, level) in repeated.iter().enumerate() {
        if *level == 0 && k > 0 {
            lists.push(present.then(|| std::mem::take(&mut list)));
        }
        let defined = defined.get(k).copied().unwrap_or(column.max_def_level());
        if *level == 0 {
            present = defined >= entry - 1;
        }
        if defined == column.max_def_level() {
            list.extend(values.next().map(&value));
        } else if defined >= entry {
            // A gap in a list, which whoever needs the list refuses.
            list.push(gap);
        }
    }
    if !repeated.is_empty() {
        lists.push(present.then_some(list));
    }
    Ok(lists)
}
