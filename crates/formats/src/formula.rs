//! Cells that a spreadsheet takes for formulas, such as `=HYPERLINK(...)`: written with an apostrophe before them, and
//! taken back exactly.
//!
//! A cell that is a formula behind any number of apostrophes gets one more. So what is taken back is what was written,
//! whether or not it had apostrophes before. Numbers are no formulas.

/// Whether a spreadsheet would take the cell for a formula.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err()
}

/// A cell that a spreadsheet shows as it is.
pub fn escaped(cell: String) -> String {
    if is_formula(cell.trim_start_matches('\'')) { format!("'{cell}") } else { cell }
}

/// What [`escaped`] made a cell of; `None` if it did nothing to it.
pub fn unescaped(cell: &str) -> Option<&str> {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest.trim_start_matches('\'')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_comes_back_exactly() {
        for formula in ["=1+1", "-r01", "+a", "@x", "\tx", "'=x", "''-r", "=cmd|' /C calc'!A0", "-"] {
            let cell = escaped(formula.to_owned());
            assert_eq!((cell.as_str(), unescaped(&cell)), (format!("'{formula}").as_str(), Some(formula)));
        }
        for plain in ["r01", "-1", "+2.5e3", "'tis", "'", "", "a=b", "'-1"] {
            assert_eq!((escaped(plain.to_owned()).as_str(), unescaped(plain)), (plain, None), "{plain}");
        }
    }
}
