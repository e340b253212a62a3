//! The reference page of the keys of `study.toml`.

use std::collections::BTreeSet;

use judge_uncertainty::study::input::config::StudyConfig;
use judge_uncertainty::study::input::config::keys::{KEYS, reference};

/// The keys that a reader names when it is given one that it does not know.
fn known(error: &str) -> BTreeSet<String> {
    let list = error.split("expected ").nth(1).unwrap_or_else(|| panic!("{error}"));
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn asked(table: &str, of_scores: bool) -> BTreeSet<String> {
    let head = if of_scores { "title = \"t\"\nscale = [0, 1]\n" } else { "title = \"t\"\nclasses = [\"a\", \"b\"]\n" };
    let text =
        if table.is_empty() { format!("{head}nonsense = 1\n") } else { format!("{head}[{table}]\nnonsense = 1\n") };
    known(StudyConfig::from_toml(&text).unwrap_err().message())
}

#[test]
fn every_key_that_is_read_is_in_the_reference() {
    let listed = |table: &str| -> BTreeSet<String> {
        KEYS.iter().filter(|key| key.table == table).map(|key| key.name.to_owned()).collect()
    };
    for table in ["items", "judge", "labels", "trust", "familiarity", "evaluation"] {
        assert_eq!(listed(table), asked(table, false), "{table}");
    }
    for table in ["judge", "labels"] {
        assert_eq!(listed(&format!("{table} of scores")), asked(table, true), "{table}");
    }
    let mut above = asked("", false);
    above.extend(asked("", true));
    above.insert("places".to_owned());
    above.retain(|key| !["items", "judge", "labels", "trust", "familiarity", "evaluation"].contains(&key.as_str()));
    assert_eq!(listed(""), above);
}

/// The page is the reference; `INSTA_UPDATE=always` writes it anew.
#[test]
fn keys_are_documented_as_they_are() {
    let page = crate::support::repository("docs/keys.md");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&page, reference()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(page).unwrap(), reference());
}
