//! The readers of `judge import`: what is valid survives being written and read, a cut or edited file is refused with
//! its place and a remedy or says no more than stands there, and no answer reaches an item that the file does not name.

use std::collections::BTreeMap;
use std::fs;

use judge_uncertainty::judge::task::{AnswerScale, Item, Task};
use judge_uncertainty::judge::{Error, import};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

const ITEMS: [&str; 6] = ["a", "b, or", "c \"d\"", "é", "10", "1"];

/// Shares by item, and whether they stand in the text of the answer or in a field of their own.
type Given = BTreeMap<usize, ([u32; 3], bool)>;

fn given() -> impl Strategy<Value = Given> {
    let shares = (0..=100_u32, 0..=100_u32).prop_map(|(a, b)| [a.min(b), a.max(b) - a.min(b), 100 - a.max(b)]);
    proptest::collection::btree_map(0..ITEMS.len(), (shares, any::<bool>()), 1..ITEMS.len())
}

/// Items of three classes under one variant.
fn task() -> Task {
    let item = |id: &str| Item { id: id.to_owned(), text: BTreeMap::new(), labels: vec![] };
    let classes = AnswerScale::Classes(["red", "green", "blue"].map(str::to_owned).to_vec());
    let mut task = Task::new("colours".to_owned(), "study", String::new(), classes, ITEMS.map(item).to_vec());
    task.variants.truncate(1);
    task
}

fn answer([red, green, blue]: [u32; 3]) -> String {
    json!({"red": red, "green": green, "blue": blue}).to_string()
}

fn written(given: &Given) -> Vec<u8> {
    let line = |(&item, &(shares, in_text)): (&usize, &([u32; 3], bool))| {
        let raw = in_text.then(|| answer(shares));
        let dist = (!in_text).then_some(shares);
        json!({"uid": ITEMS[item], "variant": "neutral", "raw": raw, "dist": dist, "confidence": null}).to_string()
    };
    given.iter().map(|row| line(row) + "\n").collect::<String>().into_bytes()
}

/// Shares by item as `predictions.csv` has them, without those of items that have none.
fn read(bytes: &[u8]) -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answers.jsonl");
    fs::write(&file, bytes).unwrap();
    let mut task = task();
    let collected = import::published(&[&file], &mut task)?;
    let table = collected.predictions(&task);
    let mut found = BTreeMap::new();
    for row in csv::Reader::from_reader(table.as_slice()).records() {
        let row = row.unwrap();
        let shares: Vec<f64> = (2..5).filter_map(|k| row[k].parse().ok()).collect();
        if !shares.is_empty() {
            assert_eq!(found.insert(row[0].to_owned(), shares), None, "two predictions of {}", &row[0]);
        }
    }
    Ok(found)
}

fn expected(given: &Given) -> BTreeMap<String, Vec<f64>> {
    let of = |(&item, &(shares, _)): (&usize, &([u32; 3], bool))| {
        (ITEMS[item].to_owned(), shares.map(|n| f64::from(n) / 100.0).to_vec())
    };
    given.iter().map(of).collect()
}

/// The message of a refusal has the file, the line and what to do.
fn check(refused: &Error) -> Result<(), TestCaseError> {
    let told = refused.to_string();
    prop_assert!(told.contains("answers.jsonl") && told.contains(';'), "{}", told);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_is_valid_survives(given in given()) {
        prop_assert_eq!(read(&written(&given)).unwrap(), expected(&given));
    }

    #[test]
    fn what_is_cut_is_refused_or_says_what_stands_before_the_cut(given in given(), at in any::<Index>()) {
        let expected = expected(&given);
        let whole = written(&given);
        match read(&whole[..at.index(whole.len())]) {
            Err(refused) => check(&refused)?,
            Ok(found) => prop_assert!(found.iter().all(|(id, shares)| expected.get(id) == Some(shares)), "{:?}", found),
        }
    }

    #[test]
    fn no_answer_reaches_an_item_that_an_edited_file_does_not_name(
        given in given(), at in any::<Index>(), byte in any::<u8>(),
    ) {
        let mut edited = written(&given);
        let at = at.index(edited.len());
        edited[at] = byte;
        match read(&edited) {
            Err(refused) => check(&refused)?,
            Ok(found) => {
                let text = String::from_utf8_lossy(&edited);
                for id in found.keys() {
                    prop_assert!(text.contains(&json!(id).to_string()), "{}", id);
                }
            }
        }
    }
}
