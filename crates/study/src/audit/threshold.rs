//! Answers by a threshold that the user sets: `score>=8` is a column that says `pass` where the score is 8 or more.

use super::table::{CellTable, present};
use crate::input::spelling::number;

/// The answers above and below a threshold.
const ANSWERS: [&str; 2] = ["pass", "fail"];

/// The column, whether values above or below pass, and the threshold in a name such as `score>=8` or `errors <= 2`.
fn threshold(name: &str) -> Option<(&str, bool, f64)> {
    let (column, up, limit) = match (name.split_once(">="), name.split_once("<=")) {
        (Some((column, limit)), None) => (column, true, limit),
        (None, Some((column, limit))) => (column, false, limit),
        _ => return None,
    };
    Some((column.trim(), up, number(limit)?))
}

/// The table with a column of answers for each of these names that compares one of its columns with a threshold; cells without
/// a number stay as they are.
pub(super) fn with_thresholds<'n>(mut cells: CellTable, names: impl Iterator<Item = &'n str>) -> CellTable {
    for name in names {
        let Some((column, up, limit)) = threshold(name).filter(|_| cells.column(name).is_none()) else { continue };
        let Some(column) = cells.column(column) else { continue };
        let answer = |row: usize| {
            let cell = cells.cell(row, column);
            let passes = present(cell).and_then(number).map(|x| if up { x >= limit } else { x <= limit });
            (row, vec![passes.map_or(cell, |passes| ANSWERS[usize::from(!passes)])])
        };
        cells = cells.replaced(&[], [name.to_owned()], (0..cells.len()).map(answer));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_threshold_is_a_column_of_answers() {
        let rows = [["8", "a"], ["7.5", "b"], ["", "c"], ["error", "d"]];
        let cells = CellTable::new(["score".to_owned(), "x>=y".to_owned()].to_vec(), rows, "CSV");
        let found = with_thresholds(cells, ["score>=8", "score <= 7.5", "x>=y", "gone>=3"].into_iter());
        assert_eq!(found.names, ["score", "x>=y", "score>=8", "score <= 7.5"]);
        let of = |column: usize| (0..4).map(|row| found.cell(row, column)).collect::<Vec<_>>();
        assert_eq!((of(2), of(3)), (vec!["pass", "fail", "", "error"], vec!["fail", "pass", "", "error"]));
    }
}
