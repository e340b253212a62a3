//! OpenAI's batch files: the same questions as a run asks, written for a batch, and its answers read back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::Error;
use crate::client::Answer;
use crate::reply::{read_failed_reply, read_reply};
use crate::request::JudgeRequest;
use judge_uncertainty_formats::error::excerpt;

/// The address below the base that a batch line names.
const URL: &str = "/v1/chat/completions";

/// Batch input: a JSON line per question, named by its key.
pub fn export(requests: &[JudgeRequest], classes: &[String]) -> String {
    let line = |request: &JudgeRequest| {
        let body = request.body(classes, &BTreeSet::new());
        json!({ "custom_id": request.key, "method": "POST", "url": URL, "body": body }).to_string() + "\n"
    };
    requests.iter().map(line).collect()
}

/// Reads batch output: answers with the positions of their questions. Lines about other questions are refused: they
/// answer another prompt, model or item.
///
/// # Errors
/// A file that can't be read; a line that is no batch output, answers no question of this run, or answers one again.
pub fn import(path: &Path, requests: &[JudgeRequest]) -> Result<Vec<(usize, Answer)>, Error> {
    let positions: BTreeMap<&str, usize> = requests.iter().zip(0..).map(|(r, i)| (r.key.as_str(), i)).collect();
    let mut seen = BTreeSet::new();
    let mut answers = vec![];
    for (line, text) in crate::lines_of(&crate::text_of(path)?) {
        let refused = |detail: String| Error::Line { path: path.to_path_buf(), line, detail };
        let value: Value =
            serde_json::from_str(text).map_err(|e| refused(format!("no JSON: {e}; download the output again")))?;
        let id = value["custom_id"].as_str().ok_or_else(|| {
            refused(
                "no batch output: it has no custom_id; give the file that the batch's output_file_id names".to_owned(),
            )
        })?;
        let &position = positions.get(id).ok_or_else(|| {
            refused(format!(
                "custom_id {:?} is not a question of this run; give the items, prompts and settings of the export",
                excerpt(id)
            ))
        })?;
        if !seen.insert(position) {
            return Err(refused(format!("custom_id {id:?} is answered twice; keep one of the lines")));
        }
        let (status, body) = (&value["response"]["status_code"], &value["response"]["body"]);
        let ask = requests[position].ask;
        let answer = match status.as_u64() {
            Some(200) => Some(read_reply(&body.to_string(), ask)),
            _ => read_failed_reply(&body.to_string()),
        };
        // A line without an answer leaves its question open.
        answers.extend(answer.map(|answer| (position, answer)));
    }
    Ok(answers)
}
