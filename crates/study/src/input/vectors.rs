//! Embeddings that a user already has: the layouts of [`user_embeddings`], and Parquet.

use std::path::Path;

use ndarray::Array2;

use judge_uncertainty_familiarity::user_embeddings::{self, ID};
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::parquet;
use judge_uncertainty_formats::table::DataTable;

/// Reads the embeddings of the items, items x dimensions, in the order of `ids`; of Parquet, a column per dimension or
/// one of lists.
///
/// `reference` is the file that the ids come from, for errors.
///
/// # Errors
/// As [`user_embeddings::read_embeddings`].
pub fn read_embeddings(file: &Path, ids: &ItemIds, reference: &Path) -> Result<Array2<f32>> {
    match table(file)? {
        Some(table) => user_embeddings::of_table(&table, ids, reference),
        None => user_embeddings::read_embeddings(file, ids, reference),
    }
}

/// Refuses what [`read_embeddings`] refuses, and keeps no matrix in memory.
///
/// # Errors
/// As [`read_embeddings`].
pub fn check_embeddings(file: &Path, ids: &ItemIds, reference: &Path) -> Result<()> {
    match table(file)? {
        Some(table) => user_embeddings::of_table(&table, ids, reference).map(drop),
        None => user_embeddings::check_embeddings(file, ids, reference),
    }
}

/// Reads embeddings that say themselves which item each row belongs to: the ids and the matrix, in the order of the
/// file.
///
/// # Errors
/// As [`user_embeddings::read_identified`].
pub fn read_identified(file: &Path) -> Result<(ItemIds, Array2<f32>)> {
    let Some(table) = table(file)? else { return user_embeddings::read_identified(file) };
    let ids = table.ids()?;
    let matrix = user_embeddings::of_table(&table, &ids, file)?;
    Ok((ids, matrix))
}

fn table(file: &Path) -> Result<Option<DataTable>> {
    if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet")) {
        return Ok(None);
    }
    parquet::read(file, &read_file(file)?, ID).map(Some)
}
