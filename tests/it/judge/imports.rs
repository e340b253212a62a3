//! The readers of `judge import`: what is valid survives being written and read, a cut or edited file is refused with
//! its place and a remedy or says no more than stands there, and no answer reaches an item that the file does not name.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use judge_uncertainty::judge::cache::CachedAnswer;
use judge_uncertainty::judge::predictions::Collected;
use judge_uncertainty::judge::prompts::Prompts;
use judge_uncertainty::judge::request::{ConfidenceOf, JudgeRequest, PredictionForm, QuestionSettings, plan};
use judge_uncertainty::judge::task::{AnswerScale, Task};
use judge_uncertainty::judge::{Error, batch, import};
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

fn task() -> Task {
    let folder = tempfile::tempdir().unwrap();
    let items = folder.path().join("items.csv");
    let rows: String = ITEMS.iter().map(|id| format!("\"{}\",a text\n", id.replace('"', "\"\""))).collect();
    fs::write(&items, format!("id,text\n{rows}")).unwrap();
    let classes = AnswerScale::Classes(["red", "green", "blue"].map(str::to_owned).to_vec());
    let mut task = Task::list(&items, classes, String::new()).unwrap();
    task.variants.truncate(1);
    task
}

fn requests(task: &Task) -> Vec<JudgeRequest> {
    let settings = QuestionSettings {
        model: "m".to_owned(),
        prediction: PredictionForm::Verbalised,
        confidence: ConfidenceOf::None,
        self_update: false,
        samples: 1,
        temperature: None,
        max_tokens: None,
        max_tokens_name: "max_tokens".to_owned(),
        reasoning_effort: None,
        structured: false,
    };
    plan(task, &Prompts::load(None, task.prompts).unwrap(), &settings).unwrap()
}

/// The items, and the questions about them.
fn asked() -> &'static (Task, Vec<JudgeRequest>) {
    static ASKED: OnceLock<(Task, Vec<JudgeRequest>)> = OnceLock::new();
    ASKED.get_or_init(|| {
        let task = task();
        let requests = requests(&task);
        (task, requests)
    })
}

fn answer([red, green, blue]: [u32; 3]) -> String {
    json!({"red": red, "green": green, "blue": blue}).to_string()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Published,
    Batch,
}

fn written(form: Form, given: &Given, requests: &[JudgeRequest]) -> Vec<u8> {
    let line = |(&item, &(shares, in_text)): (&usize, &([u32; 3], bool))| match form {
        Form::Published => {
            let raw = in_text.then(|| answer(shares));
            let dist = (!in_text).then_some(shares);
            json!({"uid": ITEMS[item], "variant": "neutral", "raw": raw, "dist": dist, "confidence": null}).to_string()
        }
        Form::Batch => {
            let body =
                json!({"model": "m", "choices": [{"message": {"content": answer(shares)}, "finish_reason": "stop"}]});
            let response = json!({"status_code": 200, "body": body});
            json!({"custom_id": requests[item].key, "response": response, "error": null}).to_string()
        }
    };
    given.iter().map(|row| line(row) + "\n").collect::<String>().into_bytes()
}

/// Shares by item as `predictions.csv` has them, without those of items that have none.
fn read(form: Form, bytes: &[u8], task: &Task, requests: &[JudgeRequest]) -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answers.jsonl");
    fs::write(&file, bytes).unwrap();
    let mut task = task.clone();
    let collected = match form {
        Form::Published => import::published(&[&file], &mut task)?,
        Form::Batch => {
            let answered = batch::import(&file, requests)?.into_iter();
            let entries: Vec<CachedAnswer> =
                answered.map(|(k, answer)| CachedAnswer::new(&requests[k], "batch", answer)).collect();
            Collected::from_entries(entries.iter(), &task.answers)
        }
    };
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
    fn what_is_valid_survives(form in prop_oneof![Just(Form::Published), Just(Form::Batch)], given in given()) {
        let ((task, requests), expected) = (asked(), expected(&given));
        prop_assert_eq!(read(form, &written(form, &given, requests), task, requests).unwrap(), expected);
    }

    #[test]
    fn what_is_cut_is_refused_or_says_what_stands_before_the_cut(
        form in prop_oneof![Just(Form::Published), Just(Form::Batch)], given in given(), at in any::<Index>(),
    ) {
        let ((task, requests), expected) = (asked(), expected(&given));
        let whole = written(form, &given, requests);
        match read(form, &whole[..at.index(whole.len())], task, requests) {
            Err(refused) => check(&refused)?,
            Ok(found) => prop_assert!(found.iter().all(|(id, shares)| expected.get(id) == Some(shares)), "{:?}", found),
        }
    }

    #[test]
    fn no_answer_reaches_an_item_that_an_edited_file_does_not_name(
        form in prop_oneof![Just(Form::Published), Just(Form::Batch)], given in given(), at in any::<Index>(),
        byte in any::<u8>(),
    ) {
        let (task, requests) = asked();
        let mut edited = written(form, &given, requests);
        let at = at.index(edited.len());
        edited[at] = byte;
        match read(form, &edited, task, requests) {
            Err(refused) => check(&refused)?,
            Ok(found) => {
                let text = String::from_utf8_lossy(&edited);
                for id in found.keys() {
                    let item = ITEMS.iter().position(|item| item == id).unwrap();
                    let named = match form {
                        Form::Published => json!(id).to_string(),
                        Form::Batch => json!(requests[item].key).to_string(),
                    };
                    prop_assert!(text.contains(&named), "{}", id);
                }
            }
        }
    }
}
