//! What `judge import` reads: answers that were collected elsewhere.

use std::path::Path;

use judge_uncertainty::formats::table::DataTable;
use judge_uncertainty::judge::import;
use judge_uncertainty::judge::predictions::Collected;
use judge_uncertainty::judge::task::{AnswerScale, Item, Task};

use super::tables::told;
use crate::scratch::Scratch;

/// The items that the committed answers name.
const ITEMS: [&str; 7] = ["m1", "m2", "m3", "m4", "m5", "m6", "m7"];

fn task(answers: AnswerScale) -> Task {
    let item = |id: &str| Item {
        id: id.to_owned(),
        text: [("text".to_owned(), "a message".to_owned())].into(),
        labels: vec![0, 1, 0],
    };
    Task::new("messages".to_owned(), "study", "How soon?".to_owned(), answers, ITEMS.map(item).to_vec())
}

fn classes() -> AnswerScale {
    AnswerScale::Classes(["urgent", "soon", "later"].map(str::to_owned).to_vec())
}

/// The tables hold the items of the task under its variants, once each, and shares in each row or nothing.
fn check(task: &Task, collected: &Collected) {
    let file = Path::new("predictions.csv");
    let table = collected.predictions(task);
    let table = DataTable::parse(file, &table, "id").expect("what is written can be read");
    assert_eq!(table.rows().len(), task.items.len() * task.variants.len());
    let classes: &[String] = if let AnswerScale::Classes(classes) = &task.answers { classes } else { &[] };
    let columns: Vec<_> = classes.iter().map(|class| table.column(&format!("p_{class}")).unwrap()).collect();
    for (k, row) in table.rows().enumerate() {
        assert_eq!(row.id(), task.items[k / task.variants.len()].id);
        let shares = columns.iter().map(|&column| row.optional_number(column).expect("a number or nothing"));
        let shares: Vec<f64> = shares.flatten().collect();
        assert!(shares.is_empty() || shares.len() == columns.len(), "{shares:?}");
        // Of log-probabilities some mass is outside the classes.
        let unseen = table.column("unseen_mass").ok().and_then(|column| row.optional_number(column).expect("a number"));
        let sum = shares.iter().sum::<f64>() + unseen.unwrap_or(0.0);
        assert!(shares.is_empty() || (sum - 1.0).abs() < 1e-9, "{shares:?} and {unseen:?}");
    }
    if let Some(updates) = collected.self_updates(task) {
        DataTable::parse(file, &updates, "id").expect("what is written can be read");
    }
}

/// The cache that the paper published. Items that no row names get no prediction.
pub(crate) fn published_cache(data: &[u8]) {
    let scratch = Scratch::new();
    let file = scratch.put("cache.jsonl", data);
    let mut task = task(classes());
    let Ok(collected) = import::published(&[&file], &mut task).map_err(told) else { return };
    check(&task, &collected);
}
