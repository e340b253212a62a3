//! Spreadsheets take cells such as `=HYPERLINK(...)` for formulas: the program writes them with an apostrophe in front,
//! and removes exactly that one when it reads them.
//!
//! A cell that is a formula after any number of apostrophes gets one more. So reading restores the cell that was
//! written, with or without apostrophes of its own. Numbers are not formulas.

use std::borrow::Cow;

/// What a formula may begin with: full-width forms too, which spreadsheets of East Asian languages take for the others.
/// The pages of this program have the same table (`templates/report/cell.js`).
pub const STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Whether a spreadsheet would take the cell for a formula.
fn is_formula(cell: &str) -> bool {
    let is_number = || cell.bytes().all(|c| c.is_ascii_digit() || b"+-.eE".contains(&c)) && cell.parse::<f64>().is_ok();
    cell.starts_with(STARTS) && !is_number()
}

/// A cell that a spreadsheet shows as it is.
pub fn escaped(cell: &str) -> Cow<'_, str> {
    if is_formula(cell.trim_start_matches('\'')) { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

/// What [`escaped`] made a cell of; `None` if it did nothing to it.
pub fn unescaped(cell: &str) -> Option<&str> {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest.trim_start_matches('\'')))
}

/// A table as CSV: quotes where they are needed, and no cell that a spreadsheet takes for a formula ([`escaped`]).
///
/// # Panics
/// If rows differ in length.
pub fn csv_text<C: AsRef<str>>(rows: impl IntoIterator<Item = Vec<C>>) -> Vec<u8> {
    csv_rows(&[""; 0], rows, |row, to| row.iter().for_each(|cell| to(cell.as_ref())))
}

/// [`csv_text`] of rows whose cells a function hands over, one after the other, below a header unless that is empty.
///
/// # Panics
/// If rows differ in length.
pub fn csv_rows<R>(
    header: &[impl AsRef<str>],
    rows: impl IntoIterator<Item = R>,
    mut cells: impl FnMut(R, &mut dyn FnMut(&str)),
) -> Vec<u8> {
    const WRITTEN: &str = "writing to memory does not fail, and rows have one length";
    let mut writer = csv::WriterBuilder::new().from_writer(vec![]);
    let field = |writer: &mut csv::Writer<_>, cell: &str| writer.write_field(escaped(cell).as_bytes()).expect(WRITTEN);
    header.iter().for_each(|name| field(&mut writer, name.as_ref()));
    if !header.is_empty() {
        writer.write_record(None::<&[u8]>).expect(WRITTEN);
    }
    for row in rows {
        cells(row, &mut |cell| field(&mut writer, cell));
        writer.write_record(None::<&[u8]>).expect(WRITTEN);
    }
    writer.into_inner().expect(WRITTEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages that let readers save tables have the same characters.
    #[test]
    fn the_pages_have_the_same_table() {
        let script = include_str!("../../../templates/report/cell.js");
        let listed = script.split_once("[=").and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
        let listed = format!("={}", listed.replace("\\t", "\t").replace("\\r", "\r").replace("\\n", "\n"));
        let mut listed: Vec<char> = listed.replace("\\-", "-").chars().collect();
        let mut starts = STARTS.to_vec();
        listed.sort_unstable();
        starts.sort_unstable();
        assert_eq!(listed, starts);
    }

    #[test]
    fn what_is_escaped_comes_back_exactly() {
        for formula in [
            "=1+1",
            "-r01",
            "+a",
            "@x",
            "\tx",
            "'=x",
            "''-r",
            "=cmd|' /C calc'!A0",
            "-",
            "\n=1",
            "\u{ff1d}1",
            "-inf",
            "+nan",
        ] {
            let cell = escaped(formula);
            assert_eq!((cell.as_ref(), unescaped(&cell)), (format!("'{formula}").as_str(), Some(formula)));
        }
        for start in STARTS {
            let formula = format!("{start}1+1");
            assert_eq!(unescaped(&escaped(&formula)), Some(formula.as_str()));
        }
        for plain in ["r01", "-1", "+2.5e3", "'tis", "'", "", "a=b", "'-1"] {
            assert_eq!((escaped(plain).as_ref(), unescaped(plain)), (plain, None), "{plain}");
        }
    }
}
