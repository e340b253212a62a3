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

use serde_json::Value;

use super::json::{cell, excerpt, joined_cells, needed, scalar};
use super::record::{HumanLabel, LogRecord, LoggedAnswer, Reading};
use crate::checksum::sha256_hex;
use crate::error::{Error, Place, Result};

/// Field with the question's id.
pub const QUESTION: &str = "question";
/// Fields with the names of the two systems, in the order of their names.
pub const SYSTEMS: [&str; 2] = ["model_a", "model_b"];
/// Fields with their answers.
pub const ANSWERS: [&str; 2] = ["answer_a", "answer_b"];
/// Labels for the win of the first system, and of the second.
pub const CLASSES: [&str; 2] = ["A", "B"];
/// The label of a pair without a winner.
pub const TIE: &str = "tie";

/// Two systems in the order of their names, whichever was named first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPair {
    /// Their names; labels call the first `A` and the second `B`.
    pub names: [String; 2],
    /// Whether they were named in this order.
    pub as_named: bool,
}

impl SystemPair {
    /// A pair of names in the order of the log.
    pub fn new([one, two]: [String; 2]) -> Self {
        let as_named = one <= two;
        Self { names: if as_named { [one, two] } else { [two, one] }, as_named }
    }

    fn of_row(place: &Place, row: &Value, names: [&str; 2]) -> Result<Self> {
        let [one, two] = names.map(|name| needed(place, row, &format!("/{name}"), "the name of a model"));
        Ok(Self::new([one?, two?]))
    }

    /// A record of a question that both answered, in a turn of it if there are several.
    pub fn record(&self, place: Place, question: &str, turn: Option<&str>) -> LogRecord {
        let [a, b] = &self.names;
        let turn = turn.map_or_else(String::new, |turn| format!("/{turn}"));
        // Annotators see ids and should not see names.
        let code = &sha256_hex(self.names.join("\n").as_bytes())[..8];
        let mut record = LogRecord::new(place, &format!("{question}/{code}{turn}"));
        *record.fields_mut() = [(QUESTION, question), (SYSTEMS[0], a), (SYSTEMS[1], b)]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .to_vec();
        record
    }

    /// The label of a verdict for the system that was named first (0) or second (1), or for neither: `A`, `B` or `tie`.
    pub fn label(&self, won: Option<usize>) -> &'static str {
        won.map_or(TIE, |k| CLASSES[if self.as_named { k } else { 1 - k }])
    }

    /// The label of a verdict that names the winner as `one`, `two` or a tie; `None` for an error.
    fn label_of(&self, place: &Place, verdict: &str, [one, two]: [&str; 2]) -> Result<Option<String>> {
        let won = match verdict {
            tie if tie.starts_with("tie") || tie == "both_bad" => None,
            won if won == one => Some(0),
            won if won == two => Some(1),
            "error" => return Ok(None),
            other => {
                let reason = format!("the winner is {}, not {one}, {two} or tie", excerpt(&Value::from(other)));
                return Err(Error::unfit(place.clone(), reason, "the file was edited: download it again"));
            }
        };
        Ok(Some(self.label(won).to_owned()))
    }
}

pub(super) fn read_mt_bench(log: &mut Reading) -> Result<()> {
    for (place, row) in log.rows()? {
        let question = needed(&place, &row, "/question_id", "the question's id")?;
        let pair = SystemPair::of_row(&place, &row, ["model_1", "model_2"])?;
        let mut record = pair.record(place.clone(), &question, row.get("turn").and_then(scalar).as_deref());
        // The judge was shown the system that comes first by its name first in one of the two games.
        let prompt = row.get(if pair.as_named { "g1_user_prompt" } else { "g2_user_prompt" }).and_then(scalar);
        record.fields_mut().extend(prompt.as_deref().and_then(asked).into_iter().flatten());
        let judge = joined_cells(row.get("judge"), " ");
        // In the first game model_1 is shown first, in the second model_2.
        for (game, judgment, shown_as_named) in
            [("g1_winner", "g1_judgment", true), ("g2_winner", "g2_judgment", false)]
        {
            let Some(verdict) = row.get(game).filter(|verdict| !verdict.is_null()) else { continue };
            let label = pair.label_of(&record.place.clone().in_field(game), &cell(verdict), ["model_1", "model_2"])?;
            log.push(LogRecord {
                variant: Some(judge.clone()),
                swapped: Some(shown_as_named != pair.as_named),
                prediction: Some(LoggedAnswer::of(label)),
                said: row.get(judgment).and_then(scalar),
                ..record.clone()
            })?;
        }
    }
    Ok(())
}

/// The question and the two answers that a judge of MT-Bench was shown, as its prompts of pairs have them.
fn asked(prompt: &str) -> Option<[(String, String); 3]> {
    let within = |assistant: &str| {
        let (before, rest) = prompt.split_once(&format!("The Start of Assistant {assistant}'s "))?;
        let text = rest.split_once(['\n'])?.1;
        let text = text.rsplit_once(&format!("The End of Assistant {assistant}'s ")).map(|(text, _)| text)?;
        Some((before, text.trim_end_matches(['[', '<', '|']).trim()))
    };
    let ((before, a), (_, b)) = (within("A")?, within("B")?);
    let question = before.trim_end_matches(['[', '<', '|']).trim().trim_start_matches("[User Question]").trim();
    Some(
        [("prompt", question), (ANSWERS[0], a), (ANSWERS[1], b)].map(|(name, text)| (name.to_owned(), text.to_owned())),
    )
}

/// Whether a vote is that of a person, as the Arena's files name them.
pub fn is_person(judge: &str) -> bool {
    ["author_", "expert_", "arena_user_", "user_"].iter().any(|start| judge.starts_with(start))
}

pub(super) fn read_arena(log: &mut Reading) -> Result<()> {
    for (place, row) in log.rows()? {
        let pointer = if row.get("question_id").is_some() { "/question_id" } else { "/id" };
        let question = needed(&place, &row, pointer, "the question's id")?;
        let pair = SystemPair::of_row(&place, &row, ["model_a", "model_b"])?;
        let mut record = pair.record(place.clone(), &question, row.get("turn").and_then(scalar).as_deref());
        // Answers come in the order of the models' names, too.
        let order = if pair.as_named { ["a", "b"] } else { ["b", "a"] };
        for (name, side) in ANSWERS.into_iter().zip(order) {
            if let Some(text) = row.get(format!("conversation_{side}")).or_else(|| row.get(format!("response_{side}")))
            {
                record.put(name, conversation(text));
            }
        }
        let verdict = needed(&record.place, &row, "/winner", "the winner")?;
        let label = pair.label_of(&record.place.clone().in_field("winner"), &verdict, ["model_a", "model_b"])?;
        let judge = row.get("judge").map(cell).filter(|judge| !judge.is_empty());
        match (judge, label) {
            (Some(judge), label) if !is_person(&judge) => {
                record.variant = Some(judge);
                record.prediction = Some(LoggedAnswer::of(label));
            }
            (_, None) => continue,
            (judge, Some(value)) => {
                let annotator = judge.unwrap_or_else(|| "arena".to_owned());
                record.labels.push(HumanLabel { annotator, value });
            }
        }
        log.push(record)?;
    }
    Ok(())
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
