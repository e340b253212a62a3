//! Tables of text as CSV.

use crate::formula::escaped;

/// A table as CSV: quotes where they are needed, and no cell that a spreadsheet takes for a formula ([`escaped`]).
///
/// # Panics
/// If rows differ in length.
pub fn csv_text<C: AsRef<str>>(rows: impl IntoIterator<Item = Vec<C>>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().from_writer(vec![]);
    for row in rows {
        row.iter()
            .try_for_each(|cell| writer.write_field(escaped(cell.as_ref()).as_bytes()))
            .and_then(|()| writer.write_record(None::<&[u8]>))
            .expect("writing to memory does not fail, and rows have one length");
    }
    writer.into_inner().expect("writing to memory does not fail")
}
