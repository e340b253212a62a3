//! What the tests of tables share.

use std::fmt::Debug;
use std::path::Path;

use super::cells::DataTable;
use crate::error::Result;
use crate::items::{ItemIds, names};

/// A table with a column `id`.
pub(super) fn table(text: &str) -> Result<DataTable> {
    DataTable::parse(Path::new("t.csv"), text.as_bytes(), "id")
}

/// Why something was refused.
pub(super) fn message<T: Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn columns_are_exactly_those_expected() {
    let table = table("id,n\na,1\n").unwrap();
    assert!(table.expect_columns(&names(&["n", "id"])).is_ok());
    assert_eq!(
        message(table.expect_columns(&names(&["id", "n", "x"]))),
        "t.csv:1: the header has no column \"x\"; the table needs the columns id, n, x, and has id, n"
    );
    assert_eq!(
        message(table.expect_columns(&names(&["id"]))),
        "t.csv:1:2 (column \"n\"): the column \"n\" is unknown; the table needs the columns id"
    );
}

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
