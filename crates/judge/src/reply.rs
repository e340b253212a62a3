//! Reading what an endpoint replies: a chat completion, or a complaint.

use std::collections::HashSet;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::{Answer, TokenUsage};
use crate::parse::Failure;
use crate::prompts::Ask;
use judge_uncertainty_formats::records::Members;

/// How much of a reply without an answer is kept, in bytes.
const EXCERPT: usize = 4096;

/// Reads a chat completion.
pub fn read_reply(text: &str, ask: Ask) -> Answer {
    let reply = match read_value(text) {
        Ok(reply) => reply,
        Err((failure, detail)) => return Answer { detail: Some(detail), ..failed(failure, text) },
    };
    let string = |value: &Value| value.as_str().map(str::to_owned);
    let usage = &reply["usage"];
    // A count that is missing, negative or no number counts nothing: then ours does.
    let count = |name: &str| usage[name].as_u64().or_else(|| usage[name].as_f64().map(|n| n as u64));
    let tokens = [count("prompt_tokens"), count("completion_tokens")];
    let choice = &reply["choices"][0];
    let message = &choice["message"];
    let content = match &message["content"] {
        Value::String(content) => Some(content.clone()),
        // Some servers divide the text into parts.
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect::<String>()),
        Value::Null if message.is_object() => Some(String::new()),
        _ => None,
    };
    let mut answer = Answer {
        served_model: string(&reply["model"]),
        finish_reason: string(&choice["finish_reason"]),
        tokens: tokens
            .iter()
            .any(Option::is_some)
            .then(|| TokenUsage { prompt: tokens[0].unwrap_or_default(), completion: tokens[1].unwrap_or_default() }),
        ..Answer::default()
    };
    let finish = answer.finish_reason.as_deref();
    let blank = content.as_deref().is_none_or(|content| content.trim().is_empty());
    let refusal = string(&message["refusal"]).filter(|refusal| !refusal.trim().is_empty());
    answer.failure = match (&content, &refusal) {
        (None, _) => Some(Failure::WrongShape),
        (_, Some(_)) => Some(Failure::Refusal),
        _ if finish == Some("content_filter") => Some(Failure::ContentFilter),
        _ if blank && finish == Some("length") => Some(Failure::Truncated),
        _ if blank => Some(Failure::Empty),
        _ => None,
    };
    answer.detail = refusal;
    if answer.failure.is_none() && ask == Ask::Label {
        answer.label_tokens = label_tokens(choice);
        if answer.label_tokens.is_none() {
            answer.failure = Some(Failure::WrongShape);
            answer.detail = Some("the reply lists no log-probabilities".to_owned());
        }
    }
    if content.is_none() {
        answer.arrived = Some(text.len());
    }
    answer.raw = Some(content.unwrap_or_else(|| excerpt(text)));
    answer
}

/// The reply as JSON, or why it can't be read as one meaning.
fn read_value(text: &str) -> Result<Value, (Failure, String)> {
    let start = text.trim_start();
    if start.is_empty() {
        return Err((Failure::Empty, "the reply is empty".to_owned()));
    }
    if ["data:", "event:", "id:", "retry:", ":"].iter().any(|field| start.starts_with(field)) {
        let detail = "the reply is a stream of events, which was not asked for".to_owned();
        return Err((Failure::NotJson, detail));
    }
    let reply = serde_json::from_str(text).map_err(|error| (Failure::NotJson, error.to_string()))?;
    match repeated(text) {
        None => Ok(reply),
        Some(name) => Err((Failure::WrongShape, format!("the field {:?} appears twice", excerpt(&name)))),
    }
}

/// A field that an object of a JSON text has twice: which of the two would count, every reader decides for itself.
fn repeated(json: &str) -> Option<String> {
    if let Ok(Members(fields)) = serde_json::from_str(json) {
        let mut seen = HashSet::new();
        let twice = |(name, value): &(String, &str)| match seen.insert(name.clone()) {
            true => repeated(value),
            false => Some(name.clone()),
        };
        return fields.iter().find_map(twice);
    }
    serde_json::from_str::<Vec<&RawValue>>(json).ok()?.iter().find_map(|value| repeated(value.get()))
}

/// Reads a reply that refuses: an answer if the refusal is about this prompt alone.
pub(crate) fn read_failed_reply(text: &str) -> Option<Answer> {
    let complaint = Complaint::read(text);
    let failure = complaint.about_this_prompt()?;
    Some(Answer { detail: Some(complaint.message), ..failed(failure, text) })
}

/// Tokens listed for the first position that is not blank.
fn label_tokens(choice: &Value) -> Option<Vec<(String, f64)>> {
    let positions = choice["logprobs"]["content"].as_array()?;
    let first = positions.iter().find(|p| p["token"].as_str().is_some_and(|token| !token.trim().is_empty()))?;
    let listed = first["top_logprobs"].as_array().filter(|list| !list.is_empty())?;
    listed.iter().map(|entry| Some((entry["token"].as_str()?.to_owned(), entry["logprob"].as_f64()?))).collect()
}

/// What an endpoint says when it refuses.
#[derive(Debug, Default)]
pub(crate) struct Complaint {
    pub code: String,
    pub message: String,
    pub param: Option<String>,
}

impl Complaint {
    pub(crate) fn read(text: &str) -> Self {
        let reply: Value = serde_json::from_str(text).unwrap_or_default();
        let error = if reply["error"].is_object() { &reply["error"] } else { &reply };
        let string = |name: &str| error[name].as_str().map(str::to_owned);
        Complaint {
            code: string("code").or_else(|| string("type")).unwrap_or_default(),
            message: excerpt(&string("message").unwrap_or_else(|| text.to_owned())),
            param: string("param"),
        }
    }

    /// A failure of this prompt alone: others may be answered.
    fn about_this_prompt(&self) -> Option<Failure> {
        match self.code.as_str() {
            "content_filter" | "content_policy_violation" => Some(Failure::ContentFilter),
            "context_length_exceeded" => Some(Failure::PromptTooLong),
            _ => None,
        }
    }

    /// The parameter that is complained of: the one named as such, else the only one that the message quotes.
    pub(crate) fn parameter<'p>(&self, sent: impl Iterator<Item = &'p String>) -> Option<String> {
        let sent: Vec<&String> = sent.collect();
        if let Some(param) = self.param.as_ref().filter(|param| sent.contains(param)) {
            return Some(param.clone());
        }
        let quoted = |name: &&&String| ["'", "`", "\""].iter().any(|q| self.message.contains(&format!("{q}{name}{q}")));
        let mut named = sent.iter().filter(quoted);
        match (named.next(), named.next()) {
            (Some(name), None) => Some((*name).clone()),
            _ => None,
        }
    }
}

/// A reply without an answer; the start of its text is kept.
pub(crate) fn failed(failure: Failure, text: &str) -> Answer {
    Answer { raw: Some(excerpt(text)), failure: Some(failure), arrived: Some(text.len()), ..Answer::default() }
}

/// The start of a text, cut between characters.
pub(crate) fn excerpt(text: &str) -> String {
    let end = (0..=text.len().min(EXCERPT)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text[..end].to_owned()
}
