//! A row of a table: its cells, read and refused.

use super::cells::{ColumnIndex, DataTable};
use crate::error::{Error, Place, Problem, Result, excerpt};
use crate::items::again;

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'t> {
    table: &'t DataTable,
    /// Positions of its cells.
    cells: (usize, usize),
    number: usize,
}

impl DataTable {
    /// The rows in the order of the file.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.rows.len()).map(|number| self.row(number))
    }

    /// A row by its position, from 0.
    pub fn row(&self, number: usize) -> Row<'_> {
        let cells = self.rows.range(number);
        Row { table: self, cells: (cells.start, cells.end), number }
    }
}

impl<'t> Row<'t> {
    /// Line of the row in the file, from 1.
    pub fn line(&self) -> u64 {
        self.table.rows.place(self.number).1
    }

    /// The id of the item that the row belongs to.
    pub fn id(&self) -> &'t str {
        self.cell(self.table.id)
    }

    /// All cells, in the order of the header.
    pub fn cells(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        let (table, (start, end)) = (self.table, self.cells);
        (start..end).map(|position| &table.rows.cells[position])
    }

    /// The unchanged text of a cell; `""` if it is blank.
    pub fn cell(&self, column: ColumnIndex) -> &'t str {
        // Every column comes from `DataTable::column`, and `DataTable::parse` has checked the length of every row.
        &self.table.rows.cells[self.cells.0 + column.0]
    }

    /// A cell that must not be blank.
    ///
    /// # Errors
    /// [`Problem::Blank`].
    pub fn text(&self, column: ColumnIndex) -> Result<&'t str> {
        match self.cell(column) {
            "" => Err(self.refuse(column, Problem::Blank)),
            text => Ok(text),
        }
    }

    /// A whole number of 0 or more.
    ///
    /// # Errors
    /// A blank cell, a sign, a fraction, or more than `u32` holds.
    pub fn count(&self, column: ColumnIndex) -> Result<u32> {
        let text = self.text(column)?;
        let problem =
            || Problem::unfit(format!("{:?} is not a count", excerpt(text)), "write a whole number of 0 or more");
        text.parse().map_err(|_| self.refuse(column, problem()))
    }

    /// A finite number; `None` for a blank cell.
    ///
    /// # Errors
    /// Anything else.
    pub fn optional_number(&self, column: ColumnIndex) -> Result<Option<f64>> {
        match self.cell(column) {
            "" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(self.refuse(column, Problem::NotANumber { value: excerpt(text) })),
            },
        }
    }

    /// The position in `allowed` of the word in a cell; `None` for a blank cell.
    ///
    /// # Errors
    /// A word that is not in `allowed`.
    pub fn optional_word(&self, column: ColumnIndex, allowed: &[String]) -> Result<Option<usize>> {
        match self.cell(column) {
            "" => Ok(None),
            text => allowed.iter().position(|word| word == text).map(Some).ok_or_else(|| {
                let problem = Problem::NotOneOf { value: excerpt(text), allowed: allowed.to_vec() };
                self.refuse(column, problem)
            }),
        }
    }

    /// Refuses a cell.
    pub fn refuse(&self, column: ColumnIndex, problem: Problem) -> Error {
        Error::refused(self.table.in_column(self.place(), column.0), problem)
    }

    /// Refuses the id of the row.
    pub fn refuse_id(&self, problem: Problem) -> Error {
        self.refuse(self.table.id, problem)
    }

    /// Refuses the whole row.
    pub fn refuse_row(&self, problem: Problem) -> Error {
        Error::refused(self.place(), problem)
    }

    fn place(&self) -> Place {
        let (file, line) = self.table.rows.place(self.number);
        let place = Place::file(&self.table.files[file]).at_line(line);
        match self.cells().nth(self.table.id.0) {
            Some(id) if !id.is_empty() => place.of_item(id),
            _ => place,
        }
    }

    pub(super) fn duplicate(&self, first: &Row<'_>) -> Error {
        let [own, there] = [self, first].map(|row| self.table.rows.place(row.number));
        let first_line = (own.0 == there.0).then_some(there.1);
        self.refuse_id(again(self.id(), first.id(), first_line))
    }

    pub(super) fn check_length(&self) -> Result<()> {
        let (found, expected) = (self.cells.1 - self.cells.0, self.table.header.len());
        if found == expected {
            return Ok(());
        }
        let row: Vec<&str> = self.cells().collect();
        Err(self.refuse_row(Problem::ColumnCount { found, expected, row: excerpt(&row.join(",")) }))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::tests::{message, table};
    use super::*;
    use crate::items::{ItemIds, names};

    #[test]
    fn cells_are_found_by_the_name_of_their_column() {
        let table = table("n,id,x\n3, a ,0.5\n4,\"b,\"\"c\",\n").unwrap();
        let (n, x) = (table.column("n").unwrap(), table.column("x").unwrap());
        let rows: Vec<_> =
            table.rows().map(|row| (row.id(), row.count(n).unwrap(), row.optional_number(x).unwrap())).collect();
        assert_eq!(rows, [(" a ", 3, Some(0.5)), ("b,\"c", 4, None)]);
    }

    #[test]
    fn numbers_are_read_strictly() {
        let table = table("id,x\na,1e3\nb,inf\nc,NaN\nd,1e999\ne,1 000\nf, 1\ng,\n").unwrap();
        let x = table.column("x").unwrap();
        let read: Vec<_> = table.rows().map(|row| row.optional_number(x).ok()).collect();
        assert_eq!(read, [Some(Some(1000.0)), None, None, None, None, None, Some(None)]);
        let counts: Vec<_> = table.rows().map(|row| row.count(x).is_ok()).collect();
        assert_eq!(counts, [false; 7]);
    }

    /// In time that grows with the header: comparing every name with every other would take minutes.
    #[test]
    fn a_header_of_very_many_columns_is_read() {
        let names: Vec<String> = (0..100_000).map(|k| format!("c{k}")).collect();
        let text = |names: &[String], id: &str| format!("id,{}\n{id}{}\n", names.join(","), ",1".repeat(names.len()));
        let mut wide = table(&text(&names, "a")).unwrap();
        assert!(names.iter().all(|name| wide.column(name).is_ok()));
        wide.append(table(&text(&names, "b")).unwrap()).unwrap();
        assert_eq!(wide.rows().len(), 2);
        let told = message(wide.column("c100000"));
        assert!(told.contains("c100000") && told.len() < 2000, "{} bytes", told.len());
        let twice = [&names[..], &names[7..8]].concat();
        let told = message(table(&text(&twice, "a")));
        assert!(told.contains("\"c7\" appears twice in the header") && told.len() < 2000, "{} bytes", told.len());
        let told = message(wide.append(table(&text(&names[1..], "c")).unwrap()));
        assert!(told.contains("c0") && told.len() < 2000, "{} bytes", told.len());
    }

    #[test]
    fn names_and_ids_of_any_length_come_back_short() {
        let long = "x".repeat(200_000);
        for text in [
            format!("id,{long},{long}\na,1,1\n"),
            format!("id,n\n{long},1\n{long},2\n"),
            format!("id,n\na,{long}\n"),
            format!("id,n\n{long}\n"),
        ] {
            let read = table(&text).and_then(|table| {
                table.ids()?;
                let column = table.column("n")?;
                table.rows().try_for_each(|row| row.count(column).map(drop))
            });
            let told = message(read);
            assert!(told.len() < 2000, "{} bytes", told.len());
        }
        let told = message(table("id,n\na,1\n").unwrap().column(&long));
        assert!(told.len() < 2000, "{} bytes", told.len());
        let known = ItemIds::new(vec!["a".to_owned()]).unwrap();
        let told = message(table(&format!("id\n{long}\n")).unwrap().rows_of(&known, Path::new("items.csv")));
        assert!(told.len() < 2000, "{} bytes", told.len());
        let known = ItemIds::new(vec![long]).unwrap();
        let told = message(table("id\na\n").unwrap().rows_of(&known, Path::new("items.csv")));
        assert!(told.len() < 2000, "{} bytes", told.len());
    }

    #[test]
    fn words_are_found_among_the_allowed() {
        let table = table("id,label\na,n\nb,\nc,x\n").unwrap();
        let label = table.column("label").unwrap();
        let read: Vec<_> = table.rows().map(|row| row.optional_word(label, &names(&["e", "n"]))).collect();
        assert!(matches!(read[..2], [Ok(Some(1)), Ok(None)]), "{read:?}");
        assert_eq!(
            read[2].as_ref().unwrap_err().to_string(),
            "t.csv:4:2 (column \"label\", item \"c\"): \"x\" is not one of e, n; write one of these"
        );
    }

    #[test]
    fn an_unclosed_quote_is_refused_with_an_excerpt() {
        let table = table(&format!("id,n\na,\"1\nb,2\n{}", "c,3\n".repeat(100))).unwrap();
        let error = message(table.rows().try_for_each(|row| row.count(ColumnIndex(1)).map(drop)));
        assert!(error.starts_with("t.csv:2:2 (column \"n\", item \"a\"): \"1\\nb,2\\nc,3"), "{error}");
        assert!(error.len() < 300, "{error}");
    }
}
