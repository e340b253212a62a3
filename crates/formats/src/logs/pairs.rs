//! Verdicts over two answers: MT-Bench's judgements and votes, and those of Chatbot Arena.
//!
//! | file | fields | who |
//! |---|---|---|
//! | MT-Bench, `gpt-4_pair.jsonl` | `question_id`, `model_1`, `model_2`, `g1_winner`, `g2_winner`, `turn` | the judge |
//! | MT-Bench's votes, early Arena files | `question_id`, `model_a`, `model_b`, `winner`, `judge`, `turn` | `judge` |
//! | Arena's later files | `id` or `question_id`, `model_a`, `model_b`, `winner` | people, who are not named |
//!
//! An item is a question with two models and, if there is one, a turn. Both orders are asked in `gpt-4_pair.jsonl`.
//! `judge` is a model or a person (`author_1`, `expert_2`, `arena_user_3`).
//! Labels are `A`, `B` and `tie`, where A is the model that comes first by its name, whoever was shown first: so the
//! same pair is the same item in all files. An error is a failed answer.

use std::path::Path;

use serde_json::Value;

use super::format::LogFormat;
use super::json::{cell, excerpt, has, joined_cells, lines, list, needed, scalar};
use super::record::{HumanLabel, Log, LogRecord, LoggedAnswer};
use crate::error::{Error, Place, Result};
use crate::jsonl::utf8;

pub(super) const MT_BENCH: LogFormat =
    LogFormat { name: "mt_bench", title: "MT-Bench: judgements of pairs", is: is_mt_bench, read: read_mt_bench };
pub(super) const ARENA: LogFormat =
    LogFormat { name: "arena", title: "Chatbot Arena or MT-Bench: votes on pairs", is: is_arena, read: read_arena };

fn is_mt_bench(_file: &Path, bytes: &[u8]) -> bool {
    has(bytes, &["/question_id", "/model_1", "/model_2", "/g1_winner"])
}

fn is_arena(_file: &Path, bytes: &[u8]) -> bool {
    has(bytes, &["/model_a", "/model_b", "/winner"])
}

/// The rows of JSON Lines, or of a list.
fn rows(file: &Path, bytes: &[u8]) -> Result<Vec<(Place, Value)>> {
    let text = utf8(file, bytes)?;
    if text.trim_start().starts_with('[') { list(file, text, &[]) } else { lines(file, text) }
}

/// A pair of models in the order of their names, and whether that is the order in which they were named.
struct ModelPair {
    models: [String; 2],
    as_named: bool,
}

impl ModelPair {
    fn try_new(place: &Place, row: &Value, names: [&str; 2]) -> Result<Self> {
        let [one, two] = names.map(|name| needed(place, row, &format!("/{name}"), "the name of a model"));
        let (one, two) = (one?, two?);
        let as_named = one <= two;
        Ok(Self { models: if as_named { [one, two] } else { [two, one] }, as_named })
    }

    fn record(&self, place: &Place, row: &Value, question: &str) -> LogRecord {
        let [a, b] = &self.models;
        let mut item = format!("{question}/{a}:{b}");
        if let Some(turn) = row.get("turn").and_then(scalar) {
            item += &format!("/{turn}");
        }
        let mut record = LogRecord::new(place.clone(), &item);
        record.fields = vec![
            ("question".to_owned(), question.to_owned()),
            ("model_a".to_owned(), a.clone()),
            ("model_b".to_owned(), b.clone()),
        ];
        record
    }

    /// The label of a verdict that names the winner as `one`, `two` or a tie; `None` for an error.
    fn label(&self, place: &Place, verdict: &str, [one, two]: [&str; 2]) -> Result<Option<String>> {
        let label = match verdict {
            tie if tie.starts_with("tie") || tie == "both_bad" => "tie",
            won if won == one => ["B", "A"][usize::from(self.as_named)],
            won if won == two => ["A", "B"][usize::from(self.as_named)],
            "error" => return Ok(None),
            other => {
                let reason = format!("the winner is {}, not {one}, {two} or tie", excerpt(&Value::from(other)));
                return Err(Error::unfit(place.clone(), reason, "the file was edited: download it again"));
            }
        };
        Ok(Some(label.to_owned()))
    }
}

fn read_mt_bench(file: &Path, bytes: &[u8]) -> Result<Log> {
    let mut records = vec![];
    for (place, row) in rows(file, bytes)? {
        let question = needed(&place, &row, "/question_id", "the question's id")?;
        let pair = ModelPair::try_new(&place, &row, ["model_1", "model_2"])?;
        let record = pair.record(&place, &row, &question);
        let judge = joined_cells(row.get("judge"), " ");
        // In the first game model_1 is shown first, in the second model_2.
        for (game, judgment, shown_as_named) in
            [("g1_winner", "g1_judgment", true), ("g2_winner", "g2_judgment", false)]
        {
            let Some(verdict) = row.get(game).filter(|verdict| !verdict.is_null()) else { continue };
            let label = pair.label(&record.place.clone().in_field(game), &cell(verdict), ["model_1", "model_2"])?;
            records.push(LogRecord {
                variant: Some(judge.clone()),
                swapped: Some(shown_as_named != pair.as_named),
                prediction: Some(label.map_or(LoggedAnswer::Failed, LoggedAnswer::Label)),
                said: row.get(judgment).and_then(scalar),
                ..record.clone()
            });
        }
    }
    Ok(Log::new((MT_BENCH.name, "FastChat MT-Bench"), None, [], records))
}

/// Whether a vote is that of a person.
fn is_person(judge: &str) -> bool {
    ["author_", "expert_", "arena_user_", "user_"].iter().any(|start| judge.starts_with(start))
}

fn read_arena(file: &Path, bytes: &[u8]) -> Result<Log> {
    let mut records = vec![];
    for (place, row) in rows(file, bytes)? {
        let pointer = if row.get("question_id").is_some() { "/question_id" } else { "/id" };
        let question = needed(&place, &row, pointer, "the question's id")?;
        let pair = ModelPair::try_new(&place, &row, ["model_a", "model_b"])?;
        let mut record = pair.record(&place, &row, &question);
        // Answers come in the order of the models' names, too.
        let order = if pair.as_named { ["a", "b"] } else { ["b", "a"] };
        for (name, side) in ["answer_a", "answer_b"].into_iter().zip(order) {
            if let Some(text) = row.get(format!("conversation_{side}")).or_else(|| row.get(format!("response_{side}")))
            {
                record.fields.push((name.to_owned(), conversation(text)));
            }
        }
        let verdict = needed(&record.place, &row, "/winner", "the winner")?;
        let label = pair.label(&record.place.clone().in_field("winner"), &verdict, ["model_a", "model_b"])?;
        let judge = row.get("judge").map(cell).filter(|judge| !judge.is_empty());
        match (judge, label) {
            (Some(judge), label) if !is_person(&judge) => {
                record.variant = Some(judge);
                record.prediction = Some(label.map_or(LoggedAnswer::Failed, LoggedAnswer::Label));
            }
            (_, None) => continue,
            (judge, Some(value)) => {
                let annotator = judge.unwrap_or_else(|| "arena".to_owned());
                record.labels.push(HumanLabel { annotator, value });
            }
        }
        records.push(record);
    }
    Ok(Log::new((ARENA.name, "Chatbot Arena"), None, [], records))
}

/// A conversation as it is read: who said what.
fn conversation(value: &Value) -> String {
    let Value::Array(messages) = value else { return cell(value) };
    let line = |message: &Value| {
        let content = message.get("content").map(cell).unwrap_or_else(|| cell(message));
        message.get("role").and_then(scalar).map_or(content.clone(), |role| format!("{role}: {content}"))
    };
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}
