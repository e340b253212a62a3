//! The file beside a matrix that says which item each row is: `NAME.npy.ids.txt`.
//!
//! One id per line, in the order of the rows, then a last line with the SHA-256 of the matrix, by which the two are
//! known to belong together. Files without that line, as others write them, are read too.

use std::path::{Path, PathBuf};

/// What stands before the sum in the last line.
const MARK: &str = "# SHA-256 of the matrix: ";

/// Where the ids of the rows of a matrix stand.
pub fn beside(matrix: &Path) -> PathBuf {
    let mut path = matrix.as_os_str().to_owned();
    path.push(".ids.txt");
    PathBuf::from(path)
}

/// The text of the file.
pub(crate) fn text(ids: &[String], matrix_sha256: &str) -> String {
    let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
    format!("{lines}{MARK}{matrix_sha256}\n")
}

/// The ids in the text of the file, and the sum of the matrix that they belong to, if it is stated.
pub(crate) fn split(text: &str) -> (Vec<&str>, Option<&str>) {
    let mut ids: Vec<&str> = text.lines().collect();
    let sum = ids.last().and_then(|last| last.strip_prefix(MARK)).filter(|sum| is_sum(sum));
    if sum.is_some() {
        ids.pop();
    }
    (ids, sum)
}

fn is_sum(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_told_from_ids() {
        let (ids, sum) = (["a", "# b"].map(str::to_owned), "0f".repeat(32));
        assert_eq!(split(&text(&ids, &sum)), (vec!["a", "# b"], Some(sum.as_str())));
        assert_eq!(split("a\nb\n"), (vec!["a", "b"], None));
        let other = format!("a\n{MARK}yes\n");
        assert_eq!(split(&other).0.len(), 2);
        assert_eq!(split(""), (vec![], None));
    }
}
