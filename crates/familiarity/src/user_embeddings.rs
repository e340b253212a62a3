//! Embeddings that a user already has, as `.npy` or CSV.
//!
//! | file | holds | which row is which item |
//! |---|---|---|
//! | `NAME.npy` | a matrix of 16, 32 or 64-bit floats | `NAME.npy.ids.txt` beside it, one id per line, and the matrix's SHA-256 where `embed` wrote it; without that file, the order of the items |
//! | `NAME.csv` | a header, a column `id`, and one column per dimension, or one with lists (`[0.1, 0.2]`) | the column `id` |
//!
//! Rows that are identified may come in any order, but there must be exactly one for each item. A zero vector is
//! accepted; [`UnitRows::zero_vectors`](super::neighbours::UnitRows::zero_vectors) lists them.

use std::collections::HashMap;
use std::path::Path;

use ndarray::{Array2, Axis};

use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result, excerpt};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::npy::{read_header, read_matrix};
use judge_uncertainty_formats::table::{Column, Row, Table};

use crate::row_ids;

/// Column of a CSV file that says which item a row belongs to.
pub const ID: &str = "id";
/// Column whose lists are the embeddings, where others hold lists as well.
const EMBEDDING: &str = "embedding";

/// Reads the embeddings of the items, items x dimensions, in the order of `ids`.
///
/// `reference` is the file that the ids come from, for errors. `dimensions` is the number of columns that there must
/// be, if that is known. 64-bit values are rounded to 32 bits.
///
/// # Errors
/// A file that is neither `.npy` nor `.csv`, cannot be read or parsed; another number of rows or columns; an id that is
/// repeated, unknown or missing; a value that is blank, NaN, infinite or beyond 32 bits.
pub fn read_embeddings(file: &Path, ids: &ItemIds, reference: &Path, dimensions: Option<usize>) -> Result<Array2<f32>> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("npy") => read_npy(file, ids, reference, dimensions),
        Some("csv") => read_csv(file, ids, reference, dimensions),
        _ => {
            let reason = "its name ends in neither .npy nor .csv".to_owned();
            Err(Error::refused(Place::file(file), Problem::NotAMatrix { reason }))
        }
    }
}

/// Reads embeddings that say themselves which item each row belongs to: the ids and the matrix, in the order of the file.
///
/// # Errors
/// As [`read_embeddings`]; an `.npy` file without its ids beside it.
pub fn read_identified(file: &Path) -> Result<(ItemIds, Array2<f32>)> {
    let (ids, reference) = match file.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => (Table::parse(file, &read_file(file)?, ID)?.ids()?, file.to_owned()),
        _ => (read_ids(&row_ids::beside(file))?.0, row_ids::beside(file)),
    };
    let matrix = read_embeddings(file, &ids, &reference, None)?;
    Ok((ids, matrix))
}

fn read_npy(file: &Path, ids: &ItemIds, reference: &Path, dimensions: Option<usize>) -> Result<Array2<f32>> {
    let bytes = read_file(file)?;
    let shape = read_header(&mut bytes.as_slice()).map(|header| header.shape().to_vec()).unwrap_or_default();
    // Whatever is wrong with the header is said by read_matrix, which reads it again.
    let columns = dimensions.or(shape.get(1).map(|&columns| columns as usize)).unwrap_or(1);
    let ids_file = row_ids::beside(file);
    if !ids_file.exists() {
        return read_matrix(file, &bytes, ids, columns);
    }
    let (row_ids, sum) = read_ids(&ids_file)?;
    if let Some(expected) = sum {
        let found = sha256_hex(&bytes);
        if found != expected {
            let ids = ids_file.display();
            let reason = format!(
                "the ids beside it belong to another matrix: its SHA-256 is {found}, but {ids} states {expected}"
            );
            let remedy = "embed the items again, which writes both files, or restore the one that belongs to the other; \
                          if the ids are right although the matrix was changed, delete the last line of the ids";
            return Err(Error::unfit(Place::file(file), reason, remedy));
        }
    }
    let matrix = read_matrix(file, &bytes, &row_ids, columns)?;
    if let Some((id, line)) = row_ids.iter().zip(1..).find(|(id, _)| ids.position(id).is_none()) {
        let problem = Problem::UnknownId { id: id.to_owned(), reference: reference.display().to_string() };
        return Err(Error::refused(Place::file(&ids_file).at_line(line), problem));
    }
    let missing = |id: &str| {
        let problem = Problem::MissingId { id: id.to_owned(), reference: reference.display().to_string() };
        Error::refused(Place::file(&ids_file).of_item(id), problem)
    };
    let rows: Vec<usize> =
        ids.iter().map(|id| row_ids.position(id).ok_or_else(|| missing(id))).collect::<Result<_>>()?;
    Ok(matrix.select(Axis(0), &rows))
}

/// One id per line, each once, and the sum of the matrix that they belong to, if it is stated.
fn read_ids(file: &Path) -> Result<(ItemIds, Option<String>)> {
    let refused = |line, problem| Err(Error::refused(Place::file(file).at_line(line), problem));
    let Ok(text) = String::from_utf8(read_file(file)?) else {
        return Err(Error::refused(Place::file(file), Problem::NotUtf8));
    };
    let mut first_lines = HashMap::new();
    let (ids, sum) = row_ids::split(&text);
    for (&id, line) in ids.iter().zip(1..) {
        if let Some(first) = first_lines.insert(id, line) {
            return refused(line, Problem::DuplicateId { id: id.to_owned(), first_line: Some(first) });
        }
    }
    let ids = ItemIds::new(ids.into_iter().map(str::to_owned).collect())?;
    Ok((ids, sum.map(str::to_owned)))
}

fn read_csv(file: &Path, ids: &ItemIds, reference: &Path, dimensions: Option<usize>) -> Result<Array2<f32>> {
    of_table(&Table::parse(file, &read_file(file)?, ID)?, ids, reference, dimensions)
}

/// Embeddings that stand in a table, whatever its layout: a column per dimension, or one column of lists; where there are several of
/// these, the one that is called `embedding`.
///
/// # Errors
/// As [`read_embeddings`]; several columns of lists, lists of different lengths.
pub fn of_table(table: &Table, ids: &ItemIds, reference: &Path, dimensions: Option<usize>) -> Result<Array2<f32>> {
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
    if width == 0 || dimensions.is_some_and(|expected| expected != width) {
        let expected = dimensions.map_or("at least one".to_owned(), |expected| expected.to_string());
        let found = format!("{} x {width}", rows.len());
        let expected = format!("{} x {expected} (items x columns beside {ID:?})", ids.len());
        return Err(Error::refused(Place::file(table.file()), Problem::Shape { found, expected }));
    }
    Ok(Array2::from_shape_vec((rows.len(), width), values.concat()).expect("rows of one length"))
}

/// A number in each column.
fn numbers(table: &Table, rows: &[Row<'_>], names: &[&str]) -> Result<Vec<Vec<f32>>> {
    let columns: Vec<Column> = names.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
    let number = |i: usize, j: usize| {
        let (row, column) = (&rows[i], columns[j]);
        let number = row.optional_number(column)?.ok_or_else(|| row.refuse(column, Problem::Blank))? as f32;
        finite(row, column, (i, j), number)
    };
    (0..rows.len()).map(|i| (0..columns.len()).map(|j| number(i, j)).collect()).collect()
}

/// The elements of each row's list, all of one length.
fn elements(rows: &[Row<'_>], column: Column) -> Result<Vec<Vec<f32>>> {
    let mut lists: Vec<Vec<f32>> = vec![];
    for (i, row) in rows.iter().enumerate() {
        if row.cell(column).is_empty() {
            return Err(row.refuse(column, Problem::Blank));
        }
        let unfit = |reason: String| {
            let remedy = "give a list of as many numbers for every item".to_owned();
            row.refuse(column, Problem::Unfit { reason, remedy })
        };
        let list: Vec<f64> = serde_json::from_str(row.cell(column))
            .map_err(|_| unfit(format!("{:?} is no list of numbers", excerpt(row.cell(column)))))?;
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

fn finite(row: &Row<'_>, column: Column, (i, j): (usize, usize), number: f32) -> Result<f32> {
    match number.is_finite() {
        true => Ok(number),
        false => Err(row.refuse(column, Problem::NotFinite { value: number, row: i, column: j })),
    }
}
