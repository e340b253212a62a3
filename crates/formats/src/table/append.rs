//! Several tables as one.

use std::path::Path;

use super::cells::{ColumnIndex, DataTable, Rows};
use crate::error::{Error, Place, Result};
use judge_uncertainty_system::limits;

impl DataTable {
    /// A table with other columns; objects may have others, which are blank where they are missing.
    pub fn append(&mut self, mut other: DataTable) -> Result<()> {
        if self.header_line.is_some() || other.header_line.is_some() {
            other.expect_columns(&self.header)?;
        }
        let new: Vec<&String> = other.header.iter().filter(|name| !self.columns.contains_key(*name)).collect();
        let lacking = self.header.len() + new.len() - other.header.len();
        let absent = self.rows.len() as u64 * new.len() as u64 + other.rows.len() as u64 * lacking as u64;
        check_absent(&other.files[0], absent, self.rows.bytes() + other.rows.bytes())?;
        if !new.is_empty() {
            let mut wider = Rows::default();
            for (number, row) in self.rows().enumerate() {
                let (file, line) = self.rows.place(number);
                wider.push(file, line, row.cells().chain(new.iter().map(|_| "")));
            }
            self.rows = wider;
        }
        for name in new {
            self.columns.insert(name.clone(), self.header.len());
            self.header.push(name.clone());
        }
        let places: Vec<Option<ColumnIndex>> =
            self.header.iter().map(|name| other.columns.get(name).map(|column| ColumnIndex(*column))).collect();
        let first = self.files.len();
        for (number, row) in other.rows().enumerate() {
            let (file, line) = other.rows.place(number);
            self.rows.push(first + file, line, places.iter().map(|place| place.map_or("", |column| row.cell(column))));
        }
        self.files.append(&mut other.files);
        Ok(())
    }
}

/// Holds the cells that a table has only because other objects of it have such a field against their limit, which rises
/// with the bytes of `text` that its cells hold.
///
/// # Errors
/// They are more.
pub(crate) fn check_absent(file: &Path, absent: u64, text: u64) -> Result<()> {
    limits::ABSENT_FIELDS.for_file(text).check(absent).map_err(|exceeded| {
        let remedy = format!("give every object the same fields; {}", exceeded.remedy());
        Error::unfit(Place::file(file), exceeded.reason(), remedy)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::message;
    use super::*;

    #[test]
    fn files_of_the_same_columns_are_one_table() {
        let parse = |file: &str, text: &str| DataTable::parse(Path::new(file), text.as_bytes(), "id").unwrap();
        let mut both = parse("a.csv", "id,n\na,1\n");
        both.append(parse("b.csv", "n,id\n2,b\nx,c\n")).unwrap();
        let n = both.column("n").unwrap();
        let found: Vec<_> = both.rows().map(|row| (row.id(), row.count(n).ok())).collect();
        assert_eq!(found, [("a", Some(1)), ("b", Some(2)), ("c", None)]);
        let error = message(both.rows().try_for_each(|row| row.count(n).map(drop)));
        assert!(error.starts_with("b.csv:3:2 (column \"n\", item \"c\"): \"x\" is not a count"), "{error}");
        let other = both.append(parse("c.csv", "id,m\nd,1\n")).unwrap_err().to_string();
        assert!(other.starts_with("c.csv:1: the header has no column \"n\""), "{other}");
        both.append(parse("d.csv", "id,n\nb,1\n")).unwrap();
        assert!(message(both.ids()).starts_with("d.csv:2:1 (column \"id\", item \"b\"): the id \"b\" appears twice;"));
    }
}
