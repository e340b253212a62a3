//! What `judge import` reads: answers that were collected elsewhere.

use std::path::Path;
use std::sync::OnceLock;

use judge_uncertainty::formats::table::DataTable;
use judge_uncertainty::judge::cache::CachedAnswer;
use judge_uncertainty::judge::predictions::Collected;
use judge_uncertainty::judge::prompts::Prompts;
use judge_uncertainty::judge::request::{ConfidenceOf, JudgeRequest, PredictionForm, QuestionSettings, plan};
use judge_uncertainty::judge::task::{AnswerScale, Task};
use judge_uncertainty::judge::{batch, import};

use super::tables::told;
use crate::scratch::{Scratch, choice};

/// The items of the committed batch.
const ITEMS: [&str; 7] = ["m1", "m2", "m3", "m4", "m5", "m6", "m7"];

fn task(answers: AnswerScale) -> Task {
    let scratch = Scratch::new();
    let rows: String = ITEMS.iter().map(|id| format!("{id},a message,0,1,0\n")).collect();
    let items = scratch.put("items.csv", format!("id,text,n_urgent,n_soon,n_later\n{rows}"));
    Task::list(&items, answers, "How soon?".to_owned()).expect("a plain list of items")
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

/// A batch that went out.
struct Sent {
    task: Task,
    requests: Vec<JudgeRequest>,
}

impl Sent {
    fn new(answers: AnswerScale, prediction: PredictionForm) -> Self {
        let mut task = task(answers);
        task.variants.truncate(1);
        let settings = QuestionSettings {
            model: "m".to_owned(),
            prediction,
            confidence: ConfidenceOf::None,
            self_update: false,
            samples: 1,
            temperature: None,
            max_tokens: None,
            max_tokens_name: "max_tokens".to_owned(),
            reasoning_effort: None,
            structured: false,
        };
        let prompts = Prompts::load(None, task.prompts).expect("the program's own prompts");
        let requests = plan(&task, &prompts, &settings).expect("settings that fit the task");
        Self { task, requests }
    }
}

/// The output of a batch: questions are named by their item in place of their key, which is a sum. Only what is named
/// is answered.
pub(crate) fn batch_output(data: &[u8]) {
    static SENT: OnceLock<[Sent; 3]> = OnceLock::new();
    let sent = SENT.get_or_init(|| {
        let score = AnswerScale::Score { scale: Some((1.0, 5.0)) };
        [
            Sent::new(classes(), PredictionForm::LogProbabilities),
            Sent::new(classes(), PredictionForm::Verbalised),
            Sent::new(score, PredictionForm::Verbalised),
        ]
    });
    let (form, data) = choice(data, sent.len());
    let Sent { task, requests } = &sent[form];
    let mut text = String::from_utf8_lossy(data).into_owned();
    for (id, request) in ITEMS.iter().zip(requests) {
        text = text.replace(&format!("\"custom_id\": \"{id}\""), &format!("\"custom_id\": \"{}\"", request.key));
    }
    let scratch = Scratch::new();
    let file = scratch.put("output.jsonl", &text);
    let Ok(answered) = batch::import(&file, requests).map_err(told) else { return };
    assert!(answered.iter().all(|(position, _)| text.contains(&requests[*position].key)));
    let entries =
        answered.into_iter().map(|(position, answer)| CachedAnswer::new(&requests[position], "batch", answer));
    let entries: Vec<CachedAnswer> = entries.collect();
    check(task, &Collected::from_entries(entries.iter(), &task.answers));
}
