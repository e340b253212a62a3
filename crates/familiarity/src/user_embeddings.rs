//! Embeddings that a user already has, as `.npy`, CSV or Parquet.
//!
//! - `NAME.npy` is a matrix of 16, 32 or 64-bit floats. `NAME.npy.ids.txt` beside it names the item of each row, one id
//!   per line; `embed` adds the matrix's SHA-256. Without that file, rows are in the order of the items.
//! - `NAME.csv` has a header, a column `id`, and one column per dimension or one of lists (`[0.1, 0.2]`); `NAME.parquet` has
//!   the same columns.
//!
//! Rows that are identified may come in any order, but there must be exactly one for each item. A zero vector is
//! accepted.

use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use ndarray::{Array2, Axis};

use super::embedding::{EmbeddingError, ItemTexts, Template};
use crate::row_ids;
use judge_uncertainty_formats::checksum::{Summed, read_file, sha256_hex};
use judge_uncertainty_formats::dataset::originals::{FOLDER, ORIGINALS, OriginalItem};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result, excerpt};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::npy::{check_matrix, read_matrix_from};
use judge_uncertainty_formats::parquet;
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};
use judge_uncertainty_system::limits::{self, Allowance};
use judge_uncertainty_system::read;
use judge_uncertainty_system::read::InputFile;

/// Column of a table that says which item a row belongs to.
const ID: &str = "id";
/// Column whose lists are the embeddings, where others hold lists as well.
const EMBEDDING: &str = "embedding";

/// Reads the embeddings of the items, items x dimensions, in the order of `ids`.
///
/// `reference` is the file that the ids come from, for errors. 64-bit values are rounded to 32 bits.
///
/// # Errors
/// A file other than `.npy`, `.csv` and `.parquet`, one that cannot be read or parsed; another number of rows; an id that is repeated,
/// unknown or missing; a value that is blank, NaN, infinite or beyond 32 bits.
pub fn read_embeddings(file: &Path, ids: &ItemIds, reference: &Path) -> Result<Array2<f32>> {
    if let Some(table) = table(file)? {
        return of_table(&table, ids, reference);
    }
    let named = RowIds::read(file)?;
    let rows = named.as_ref().map_or(ids, |named| &named.ids);
    let matrix = read_npy(file, named.as_ref(), |data, length| read_matrix_from(file, data, length, rows, None))?;
    match named.map(|named| named.order(ids, reference)).transpose()? {
        Some(order) if !order.iter().copied().eq(0..ids.len()) => Ok(matrix.select(Axis(0), &order)),
        _ => Ok(matrix),
    }
}

/// Refuses what [`read_embeddings`] refuses; of a matrix no more than a few numbers are in memory at a time.
///
/// # Errors
/// As [`read_embeddings`].
pub fn check_embeddings(file: &Path, ids: &ItemIds, reference: &Path) -> Result<()> {
    if let Some(table) = table(file)? {
        return of_table(&table, ids, reference).map(drop);
    }
    let named = RowIds::read(file)?;
    let rows = named.as_ref().map_or(ids, |named| &named.ids);
    read_npy(file, named.as_ref(), |data, length| check_matrix(file, data, length, rows, None))?;
    named.map_or(Ok(()), |named| named.order(ids, reference).map(drop))
}

/// The table in a file; `None` of one that is a matrix by its name.
fn table(file: &Path) -> Result<Option<DataTable>> {
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("npy") => Ok(None),
        Some("csv") => DataTable::parse(file, &read_file(file)?, ID).map(Some),
        Some("parquet") => parquet::read(file, &read_file(file)?, ID).map(Some),
        _ => {
            let reason = "its name ends in none of .npy, .csv and .parquet".to_owned();
            Err(Error::refused(Place::file(file), Problem::NotAMatrix { reason }))
        }
    }
}

/// Reads embeddings that say themselves which item each row belongs to: the ids and the matrix, in the order of the
/// file.
///
/// # Errors
/// As [`read_embeddings`]; an `.npy` file without its ids beside it.
pub fn read_identified(file: &Path) -> Result<(ItemIds, Array2<f32>)> {
    if let Some(table) = table(file)? {
        let ids = table.ids()?;
        let matrix = of_table(&table, &ids, file)?;
        return Ok((ids, matrix));
    }
    let ids = RowIds::of_file(row_ids::beside(file))?.ids;
    let matrix = read_embeddings(file, &ids, &row_ids::beside(file))?;
    Ok((ids, matrix))
}

/// Reads a matrix with its length known, and holds it against the sum that the ids beside it state.
fn read_npy<T>(
    file: &Path,
    named: Option<&RowIds>,
    read: impl FnOnce(&mut BufReader<Summed<InputFile>>, u64) -> Result<T>,
) -> Result<T> {
    let unreadable = |source| Error::Unreadable { file: file.to_owned(), source };
    let opened = InputFile::open(file).map_err(unreadable)?;
    let length = opened.metadata().map_err(unreadable)?.len();
    let mut data = BufReader::with_capacity(1 << 16, Summed::new(opened));
    let found = read(&mut data, length);
    let Some((ids, expected)) = named.and_then(|named| Some((&named.file, named.sum.as_ref()?))) else { return found };
    let sum = data.into_inner().finish().map_err(unreadable)?;
    if sum == *expected {
        return found;
    }
    let ids = ids.display();
    let reason =
        format!("the ids beside it belong to another matrix: its SHA-256 is {sum}, but {ids} states {expected}");
    let remedy = "embed the items again, which writes both files, or restore the one that belongs to the other; if the \
                  ids are right although the matrix was changed, delete the last line of the ids";
    Err(Error::unfit(Place::file(file), reason, remedy))
}

/// Which row of a matrix is which item, as the file beside it says: one id per line, each once, and the sum of the
/// matrix that they belong to, if it is stated.
struct RowIds {
    file: PathBuf,
    ids: ItemIds,
    sum: Option<String>,
}

impl RowIds {
    /// Reads the file beside a matrix; `None` if the file is absent.
    fn read(matrix: &Path) -> Result<Option<Self>> {
        let file = row_ids::beside(matrix);
        if file.exists() { Self::of_file(file).map(Some) } else { Ok(None) }
    }

    fn of_file(file: PathBuf) -> Result<Self> {
        let refused = |line, problem| Err(Error::refused(Place::file(&file).at_line(line), problem));
        let Ok(text) = String::from_utf8(read_file(&file)?) else {
            return Err(Error::refused(Place::file(&file), Problem::NotUtf8));
        };
        let mut first_lines = HashMap::new();
        let (ids, sum) = row_ids::split(&text);
        for (&id, line) in ids.iter().zip(1..) {
            if let Some(first) = first_lines.insert(id, line) {
                return refused(line, Problem::DuplicateId { id: id.to_owned(), first_line: Some(first) });
            }
        }
        let ids = ItemIds::new(ids)?;
        let sum = sum.map(str::to_owned);
        Ok(Self { file, ids, sum })
    }

    /// The row of each item.
    fn order(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<usize>> {
        let reference = || reference.display().to_string();
        if let Some((id, line)) = self.ids.iter().zip(1..).find(|(id, _)| ids.position(id).is_none()) {
            let problem = Problem::UnknownId { id: id.to_owned(), reference: reference() };
            return Err(Error::refused(Place::file(&self.file).at_line(line), problem));
        }
        let missing = |id: &str| {
            let problem = Problem::MissingId { id: id.to_owned(), reference: reference() };
            Error::refused(Place::file(&self.file).of_item(id), problem)
        };
        ids.iter().map(|id| self.ids.position(id).ok_or_else(|| missing(id))).collect()
    }
}

/// Embeddings that stand in a table, whatever its layout: a column per dimension, or one column of lists; where there
/// are several of these, the one that is called `embedding`.
///
/// # Errors
/// As [`read_embeddings`]; several columns of lists, lists of different lengths.
fn of_table(table: &DataTable, ids: &ItemIds, reference: &Path) -> Result<Array2<f32>> {
    let rows = table.rows_of(ids, reference)?;
    let names: Vec<&str> = table.header().iter().map(String::as_str).filter(|name| *name != ID).collect();
    let is_list = |name: &str| -> Result<bool> {
        let column = table.column(name)?;
        Ok(rows.iter().any(|row| row.cell(column).starts_with('[')))
    };
    let mut lists = vec![];
    for name in &names {
        if is_list(name)? {
            lists.push(*name);
        }
    }
    let values = match lists.as_slice() {
        [] => numbers(table, &rows, &names)?,
        [only] => elements(&rows, table.column(only)?)?,
        several if several.contains(&EMBEDDING) => elements(&rows, table.column(EMBEDDING)?)?,
        several => {
            let reason = format!("several columns hold lists: {}", several.join(", "));
            let remedy = format!("call the one with the embeddings {EMBEDDING:?}");
            return Err(Error::refused(Place::file(table.file()), Problem::Unfit { reason, remedy }));
        }
    };
    let width = values.first().map_or(0, Vec::len);
    if width == 0 {
        let found = format!("{} x 0", rows.len());
        let expected = format!("{} x at least one (items x columns beside {ID:?})", ids.len());
        return Err(Error::refused(Place::file(table.file()), Problem::Shape { found, expected }));
    }
    Ok(Array2::from_shape_vec((rows.len(), width), values.concat()).expect("rows of one length"))
}

/// A number in each column.
fn numbers(table: &DataTable, rows: &[Row<'_>], names: &[&str]) -> Result<Vec<Vec<f32>>> {
    let columns: Vec<ColumnIndex> = names.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
    let number = |i: usize, j: usize| {
        let (row, column) = (&rows[i], columns[j]);
        let number = row.optional_number(column)?.ok_or_else(|| row.refuse(column, Problem::Blank))? as f32;
        finite(row, column, (i, j), number)
    };
    (0..rows.len()).map(|i| (0..columns.len()).map(|j| number(i, j)).collect()).collect()
}

/// The elements of each row's list, all of one length.
fn elements(rows: &[Row<'_>], column: ColumnIndex) -> Result<Vec<Vec<f32>>> {
    let mut lists: Vec<Vec<f32>> = vec![];
    for (i, row) in rows.iter().enumerate() {
        if row.cell(column).is_empty() {
            return Err(row.refuse(column, Problem::Blank));
        }
        let unfit = |reason: String| {
            let remedy = "give a list of numbers for every item, all of the same length".to_owned();
            row.refuse(column, Problem::Unfit { reason, remedy })
        };
        let list: Vec<f64> = serde_json::from_str(row.cell(column))
            .map_err(|_| unfit(format!("{:?} is not a list of numbers", excerpt(row.cell(column)))))?;
        let list: Vec<f32> =
            list.iter().enumerate().map(|(j, x)| finite(row, column, (i, j), *x as f32)).collect::<Result<_>>()?;
        if let Some(first) = lists.first().filter(|first| first.len() != list.len()) {
            return Err(unfit(format!(
                "the list has {} numbers, and that of the first item {}",
                list.len(),
                first.len()
            )));
        }
        lists.push(list);
    }
    Ok(lists)
}

fn finite(row: &Row<'_>, column: ColumnIndex, (i, j): (usize, usize), number: f32) -> Result<f32> {
    match number.is_finite() {
        true => Ok(number),
        false => Err(row.refuse(column, Problem::NotFinite { value: number, row: i, column: j })),
    }
}

/// The template of the experiment: `Premise: {premise}\nHypothesis: {hypothesis}`.
pub fn template() -> Template {
    r"Premise: {premise}\nHypothesis: {hypothesis}".parse().expect("a template without mistakes")
}

/// Reads the 3,113 items (SNLI, then MNLI, in file order) from an unpacked download of ChaosNLI.
///
/// `dir` is the directory `chaosNLI_v1.0` or the one around it. The ids are the uids, the texts come from [`template`].
///
/// # Errors
/// A missing original, or one whose SHA-256 is not that of the published file.
pub fn read_chaosnli_texts(dir: &Path) -> Result<ItemTexts, EmbeddingError> {
    let inner = dir.join(FOLDER);
    let dir = if inner.is_dir() { inner.as_path() } else { dir };
    let template = template();
    let mut items = ItemTexts::default();
    for (name, expected) in ORIGINALS {
        let path = dir.join(name);
        if !path.is_file() {
            let (dir, missing) = (dir.to_path_buf(), name.to_owned());
            return Err(EmbeddingError::ChaosNliMissing { dir, missing });
        }
        let bytes = read::bytes(&path).map_err(EmbeddingError::read(&path))?;
        let found = sha256_hex(&bytes);
        if found != expected {
            return Err(EmbeddingError::ChaosNliChanged { path, expected, found });
        }
        let allowance = Allowance::new(limits::TEXTS.for_file(bytes.len() as u64));
        for line in serde_json::Deserializer::from_slice(&bytes).into_iter::<OriginalItem>() {
            let OriginalItem { uid, example, .. } = line.expect("the hash is that of a readable file");
            items.ids.push(uid);
            let value = |column: &str| if column == "premise" { &*example.premise } else { &*example.hypothesis };
            items.texts.push(template.render(value, &allowance).expect("the template names each column once"));
        }
    }
    Ok(items)
}
