//! Rustdoc shows an item's comment without what stands above it in the file.

use std::fs;
use std::path::Path;

use super::support::repository;

/// Places of comments in `folder` that begin by pointing at a neighbour, as "The same without links" does.
fn leaning(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            leaning(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.extend(leaning_lines(&text).map(|line| format!("{}:{line}", path.display())));
        }
    }
}

/// Numbers of the lines that begin such a comment.
fn leaning_lines(text: &str) -> impl Iterator<Item = usize> {
    let comment = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(|rest| rest.trim_start().to_owned())
    };
    let lines: Vec<Option<String>> = text.lines().map(comment).collect();
    let leans = |rest: &String| ["The same", "Likewise", "Ditto"].iter().any(|start| rest.starts_with(start));
    (0..lines.len())
        .filter(move |&at| (at == 0 || lines[at - 1].is_none()) && lines[at].as_ref().is_some_and(leans))
        .map(|at| at + 1)
}

#[test]
fn doc_comments_stand_alone() {
    let mut found = vec![];
    ["src", "crates", "benches", "tests", "examples"]
        .iter()
        .for_each(|folder| leaning(&repository(folder), &mut found));
    assert!(found.is_empty(), "say what each is, not that it is the same:\n{}", found.join("\n"));
}

#[test]
fn a_comment_that_leans_on_another_is_found() {
    let text = "/// A path.\npath: P,\n/// The same without links.\nplace: P,\n/// Its end.\n/// The same end as \
                above.\nend: P,\n";
    assert_eq!(leaning_lines(text).collect::<Vec<_>>(), [3]);
}
