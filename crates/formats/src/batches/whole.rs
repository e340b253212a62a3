//! Rows of a file that is read whole, some at a time: a JSON document, a workbook.

use super::{Batch, BatchColumn, BatchReader, Header};
use crate::error::Result;
use crate::table::DataTable;

/// A table in memory.
#[derive(Debug)]
pub(super) struct WholeRows {
    table: DataTable,
    header: Header,
    bytes: u64,
    next: usize,
}

impl WholeRows {
    /// A table that was read from a file of so many bytes.
    pub(super) fn new(table: DataTable, bytes: u64) -> Self {
        let names = table.header().to_vec();
        let header = Header { file: table.file().to_owned(), names, complete: true };
        Self { table, header, bytes, next: 0 }
    }
}

impl BatchReader for WholeRows {
    fn header(&self) -> &Header {
        &self.header
    }

    fn consumed(&self) -> u64 {
        self.bytes * self.next as u64 / self.table.rows().len().max(1) as u64
    }

    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        let mut batch = Batch::new(&self.header.file);
        let rows = || self.table.rows().skip(self.next).take(most);
        batch.lines = rows().map(|row| row.line()).collect();
        for name in wanted {
            let cells = match self.table.column(name) {
                Ok(column) => rows().map(|row| row.cell(column).to_owned()).collect(),
                Err(_) => vec![String::new(); batch.lines.len()],
            };
            batch.put(name.clone(), BatchColumn::Text(cells));
        }
        self.next += batch.lines.len();
        Ok(batch.if_any())
    }
}
