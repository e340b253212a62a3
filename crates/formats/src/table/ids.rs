//! The rows of a table by the ids of their items.

use std::path::Path;

use super::cells::{ColumnIndex, DataTable, Rows, check_names};
use super::row::Row;
use crate::error::{Error, Place, Problem, Result};
use crate::items::ItemIds;

/// In place of the name of the column with the ids: the table is read without any, and its rows have no ids.
pub const NO_IDS: &str = "\0";

impl DataTable {
    /// A table of rows with their numbers from 1: of a sheet, or of objects, whose columns have no line of their own.
    ///
    /// # Errors
    /// No rows; otherwise as [`DataTable::parse`].
    pub(crate) fn from_rows(
        file: &Path,
        header_line: Option<u64>,
        header: Vec<String>,
        rows: Rows,
        id_column: &str,
    ) -> Result<Self> {
        if rows.len() == 0 {
            return Err(Error::refused(Place::file(file), Problem::NoRows));
        }
        check_names(file, header_line, &header)?;
        DataTable::new(file, header_line, header, rows).with_ids(id_column)
    }

    /// The table with the column of its ids, which no row may leave blank.
    pub(crate) fn with_ids(mut self, id_column: &str) -> Result<Self> {
        if id_column == NO_IDS {
            self.id = ColumnIndex(usize::MAX);
            self.rows().try_for_each(|row| row.check_length())?;
            return Ok(self);
        }
        self.id = self.column(id_column)?;
        for row in self.rows() {
            row.check_length()?;
            row.text(self.id)?;
        }
        Ok(self)
    }

    /// The ids of a table with one row per item, in the order of the file.
    ///
    /// # Errors
    /// An id that occurs twice.
    pub fn ids(&self) -> Result<ItemIds> {
        ItemIds::of_texts(self.rows().map(|row| row.id()).collect())
            .map_err(|(_, first, i)| self.row(i).duplicate(&self.row(first)))
    }

    /// The rows in the order of `ids`, exactly one for each; `reference` says where the ids come from.
    ///
    /// # Errors
    /// A duplicate, an unknown or a missing id.
    pub fn rows_of(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<Row<'_>>> {
        let found = self.some_rows_of(ids, reference)?.into_iter().zip(ids.iter());
        found
            .map(|(row, id)| {
                let problem = || Problem::MissingId { id: id.to_owned(), reference: reference.display().to_string() };
                row.ok_or_else(|| Error::refused(Place::file(self.file()).of_item(id), problem()))
            })
            .collect()
    }

    /// The rows with the positions of their ids among `ids`, in that order; at most one for each.
    ///
    /// # Errors
    /// A duplicate or an unknown id.
    pub fn rows_among(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<(usize, Row<'_>)>> {
        let rows = self.some_rows_of(ids, reference)?.into_iter().enumerate();
        Ok(rows.filter_map(|(i, row)| Some((i, row?))).collect())
    }

    fn some_rows_of(&self, ids: &ItemIds, reference: &Path) -> Result<Vec<Option<Row<'_>>>> {
        let reference = || reference.display().to_string();
        let mut rows: Vec<Option<Row<'_>>> = vec![None; ids.len()];
        for row in self.rows() {
            let Some(i) = ids.position(row.id()) else {
                let problem = Problem::UnknownId { id: row.id().to_owned(), reference: reference() };
                return Err(row.refuse_id(problem));
            };
            if let Some(first) = rows[i].replace(row) {
                return Err(row.duplicate(&first));
            }
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{message, table};
    use super::*;
    use crate::items::names;

    #[test]
    fn rows_are_joined_on_their_ids() {
        let ids = ItemIds::new(names(&["b", "a"])).unwrap();
        let join = |text: &str| -> Result<Vec<String>> {
            let table = table(text)?;
            let rows = table.rows_of(&ids, Path::new("labels.csv"))?;
            Ok(rows.iter().map(|row| row.id().to_owned()).collect())
        };
        assert_eq!(join("id\na\nb\n").unwrap(), ["b", "a"]);
        assert_eq!(
            message(join("id\na\nb\nc\n")),
            "t.csv:4:1 (column \"id\", item \"c\"): the id \"c\" is unknown: labels.csv does not have it; \
             correct the id or remove its row"
        );
        assert!(
            message(join("id\na\na\n"))
                .contains("t.csv:3:1 (column \"id\", item \"a\"): the id \"a\" appears twice, first in line 2")
        );
        assert!(message(join("id\na\n")).contains("t.csv (item \"b\"): no row for the id \"b\" of labels.csv"));
        assert!(message(table("id\na\nb\na\n").unwrap().ids()).contains("twice, first in line 2"));
    }
}
