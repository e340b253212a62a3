//! The rows of a Parquet file, one after the other or some at a time.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use judge_uncertainty_system::faults::read_step;
use judge_uncertainty_system::limits::{Allowance, HELD};
use judge_uncertainty_system::read::InputFile;
use parquet::basic::{ConvertedType, Repetition, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::Int96Type;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};
use parquet::record::Field;
use parquet::record::reader::{ReaderIter, TreeBuilder};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::headers::check_footer;
use super::packed::Unpacked;
use super::texts::time;
use super::{broken, class_names, named, value};
use crate::archive::Allowed;
use crate::batches::{Batch, BatchReader, Header};
use crate::error::{Error, Place, Result};
use crate::guarded::guarded;
use crate::logs::json::cell;

/// A Parquet file that is read row by row; row n counts as line n.
pub(crate) struct ParquetRows<R: ChunkReader + 'static> {
    header: Header,
    columns: Arc<[Leaf]>,
    file: SerializedFileReader<R>,
    /// The file once more, for pages that are unpacked here.
    stored: Arc<R>,
    size: u64,
    /// Limits of its pages.
    allowed: Arc<Allowed>,
    /// Groups of rows that were opened, and rows that were read.
    group: usize,
    row: u64,
    open: Option<(ReaderIter, Vec<ExactTimes>)>,
}

/// A column, which has values and no fields.
struct Leaf {
    name: String,
    /// The member of the rows that it is, or is in.
    root: usize,
    kind: TypePtr,
    /// The names of its classes, if `datasets` notes some.
    classes: Option<Vec<String>>,
}

/// Whether values of a type are structures, whose fields are columns (`p.yes` is `p_yes`).
fn is_structure(kind: &Type) -> bool {
    let basic = kind.get_basic_info();
    let annotated =
        matches!(basic.converted_type(), ConvertedType::LIST | ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE);
    kind.is_group() && !annotated && basic.logical_type_ref().is_none() && basic.repetition() != Repetition::REPEATED
}

/// Adds the columns of a member of the rows.
fn put_leaves(root: usize, name: String, kind: &TypePtr, leaves: &mut Vec<Leaf>) {
    if is_structure(kind) {
        kind.get_fields().iter().for_each(|of| put_leaves(root, format!("{name}_{}", of.name()), of, leaves));
    } else {
        leaves.push(Leaf { name, root, kind: Arc::clone(kind), classes: None });
    }
}

/// Adds the values of the columns of a member of a row, in their order.
fn put_values<'f>(field: &'f Field, kind: &Type, values: &mut Vec<&'f Field>) {
    if !is_structure(kind) {
        return values.push(field);
    }
    let row = if let Field::Group(row) = field { Some(row) } else { None };
    let mut members = row.into_iter().flat_map(|row| row.get_column_iter().map(|(_, member)| member));
    kind.get_fields().iter().for_each(|of| put_values(members.next().unwrap_or(&Field::Null), of, values));
}

impl ParquetRows<File> {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = InputFile::open(path).map_err(Error::unreadable(path))?.into_file();
        let stored = file.try_clone().map_err(Error::unreadable(path))?;
        guarded(path, || Self::new(path, file, stored))
    }
}

impl<R: ChunkReader + 'static> ParquetRows<R> {
    /// Takes a file, and the same once more.
    pub(super) fn new(path: &Path, file: R, stored: R) -> Result<Self> {
        let size = file.len();
        let broken = |error| broken(path, &error);
        check_footer(&stored).map_err(broken)?;
        let file = SerializedFileReader::new(file).map_err(broken)?;
        let about = file.metadata().file_metadata();
        let mut leaves = vec![];
        for (root, kind) in about.schema().get_fields().iter().enumerate() {
            put_leaves(root, kind.name().to_owned(), kind, &mut leaves);
        }
        for (name, names) in class_names(about.key_value_metadata()) {
            leaves.iter_mut().filter(|of| of.name == name).for_each(|of| of.classes = Some(names.clone()));
        }
        let names = leaves.iter().map(|of| of.name.clone()).collect();
        let (header, columns) = (Header { file: path.to_owned(), names, complete: true }, leaves.into());
        let allowed = Arc::new(Allowed::new(size));
        Ok(Self { header, columns, file, stored: Arc::new(stored), size, allowed, group: 0, row: 0, open: None })
    }

    /// The next row with the members that are `wanted`, which are the same for all rows of a group.
    fn next_row(&mut self, wanted: &[TypePtr]) -> std::result::Result<Option<Vec<(String, Field)>>, ParquetError> {
        loop {
            if let Some((rows, exact)) = &mut self.open
                && let Some(row) = rows.next()
            {
                let mut row = row?.into_columns();
                for times in exact {
                    if let Some(text) = times.next()? {
                        row[times.member].1 = Field::Str(text);
                    }
                }
                self.row += 1;
                return Ok(Some(row));
            }
            if self.group == self.file.num_row_groups() {
                return Ok(None);
            }
            let (file, allowed) = (Arc::clone(&self.stored), Arc::clone(&self.allowed));
            let group = Unpacked { group: self.file.get_row_group(self.group)?, file, allowed };
            self.group += 1;
            let schema = Type::group_type_builder("rows").with_fields(wanted.to_vec()).build()?;
            let rows = TreeBuilder::new().as_iter(Arc::new(SchemaDescriptor::new(Arc::new(schema))), &group)?;
            self.open = Some((rows, ExactTimes::all(&group, wanted)?));
        }
    }

    fn read_on(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        let (path, columns) = (self.header.file.clone(), Arc::clone(&self.columns));
        read_step().map_err(Error::unreadable(&path))?;
        let is_wanted = |column: &&Leaf| wanted.contains(&column.name);
        let roots: BTreeSet<usize> = columns.iter().filter(is_wanted).map(|column| column.root).collect();
        let all = self.file.metadata().file_metadata().schema().get_fields();
        let members: Vec<TypePtr> = roots.iter().map(|&root| Arc::clone(&all[root])).collect();
        // Structures are read as a whole, and of several columns of a name the first counts.
        let read: Vec<&Leaf> = columns.iter().filter(|column| roots.contains(&column.root)).collect();
        let place = |name: &String| read.iter().position(|column| column.name == *name);
        let (names, places): (Vec<String>, Vec<usize>) =
            wanted.iter().filter_map(|name| Some((name.clone(), place(name)?))).unzip();
        let mut batch = Batch::new(&path, names);
        // A repeated text needs almost no room in the file, but all of it in memory.
        let held = Allowance::new(HELD.for_file(self.size));
        while batch.len() < most {
            let Some(row) = self.next_row(&members).map_err(|error| broken(&path, &error))? else { break };
            let mut values = vec![];
            row.iter().zip(&members).for_each(|((_, field), kind)| put_values(field, kind, &mut values));
            let (mut cells, mut taken) = (Vec::with_capacity(read.len()), ROW);
            for (column, field) in read.iter().zip(values) {
                let text = column.text(field).ok_or_else(|| {
                    let place = Place::file(&path).at_line(self.row).in_field(&column.name);
                    let remedy = "turn the column into text or numbers";
                    Error::unfit(place, "the value is neither a number nor a text", remedy)
                })?;
                taken += CELL + text.len() as u64;
                cells.push(text);
            }
            held.take(taken).map_err(Error::too_much(Place::file(&path)))?;
            batch.push(self.row, places.iter().map(|&place| &cells[place]), None);
        }
        Ok(batch.if_any())
    }
}

/// Bytes of memory for a row, besides its cells.
const ROW: u64 = 24;
/// Bytes of memory for a cell, besides its text.
const CELL: u64 = 8;

impl<R: ChunkReader + 'static> BatchReader for ParquetRows<R> {
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

impl Leaf {
    /// The text of a value; `None` where it has none.
    fn text(&self, field: &Field) -> Option<String> {
        match field {
            // NaN counts as missing, as in pandas.
            Field::Double(x) if x.is_nan() => return Some(String::new()),
            Field::Float(x) if x.is_nan() => return Some(String::new()),
            // By their own digits, without a point if they are whole, as counts with gaps may be.
            Field::Double(x) => return Some(x.to_string()),
            Field::Float(x) => return Some(x.to_string()),
            _ => {}
        }
        let value = value(field, Some(&self.kind))?;
        Some(match &self.classes {
            Some(names) => cell(&named(&value, names)),
            None => cell(&value),
        })
    }
}

/// The times of a column in 96 bits (Spark, Hive): the reader of rows cuts them to thousandths of a second.
struct ExactTimes {
    /// The member of the rows.
    member: usize,
    reader: ColumnReaderImpl<Int96Type>,
    optional: bool,
}

impl ExactTimes {
    /// Those of some members of a group of rows, apart from lists and structures.
    fn all(group: &dyn RowGroupReader, members: &[TypePtr]) -> std::result::Result<Vec<Self>, ParquetError> {
        let columns = group.metadata().columns().iter().map(|column| column.column_descr()).enumerate();
        let plain = columns.filter(|(_, of)| of.physical_type() == PhysicalType::INT96 && of.path().parts().len() == 1);
        let mut found = vec![];
        for (k, of) in plain {
            if let Some(member) = members.iter().position(|member| member.name() == of.name())
                && let ColumnReader::Int96ColumnReader(reader) = group.get_column_reader(k)?
            {
                found.push(Self { member, reader, optional: of.max_def_level() > 0 });
            }
        }
        Ok(found)
    }

    /// The time of the next row; `None` without one.
    fn next(&mut self) -> std::result::Result<Option<String>, ParquetError> {
        let (mut values, mut levels) = (vec![], vec![]);
        self.reader.read_records(1, self.optional.then_some(&mut levels), None, &mut values)?;
        Ok(values.first().and_then(|value| time(value.to_nanos(), false)))
    }
}
