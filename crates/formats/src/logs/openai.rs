//! JSON Lines of OpenAI's Batch API, of chat completions, and of what is compatible with them.
//!
//! | line | item | variant | answer |
//! |---|---|---|---|
//! | `{"custom_id", "body"}`, a request | `custom_id` | | none; its messages are the item's text |
//! | `{"custom_id", "response": {"status_code", "body"}, "error"}`, a result | `custom_id` | model | each choice |
//! | `{"custom_id", "response"}` or `"completion"`, kept with its item | `custom_id`, `item_id` | model | each choice |
//! | a completion alone | `custom_id` or `item_id` of its `metadata` | model | each choice |
//!
//! The `id` of a completion is the server's, and never that of an item.

use serde_json::Value;

use super::json::{content, elements, excerpt, needed, present};
use super::record::{LogRecord, LoggedAnswer, Reading};
use super::rows::LogStart;
use super::tokens::{Answered, Token};
use crate::error::{Error, Place, Result};

/// Fields that hold a completion, next to the fields of its item.
const HOLDERS: [&str; 2] = ["response", "completion"];
/// Fields that hold the id of an item.
const IDS: [&str; 2] = ["/custom_id", "/item_id"];

fn is_completion(value: &Value) -> bool {
    value.get("choices").is_some_and(Value::is_array)
        || value.get("object").and_then(Value::as_str) == Some("response") && value.get("output").is_some()
}

pub(super) fn is(start: &LogStart) -> bool {
    let Some(first) = &start.object else { return false };
    let batch = first.get("custom_id").is_some() && (first.get("body").is_some() || first.get("response").is_some());
    batch || is_completion(first) || HOLDERS.iter().any(|name| first.get(name).is_some_and(is_completion))
}

pub(super) fn read(log: &mut Reading) -> Result<()> {
    let rows = log.rows()?;
    rows.iter().try_for_each(|(place, line)| read_line(place, line, log))?;
    for name in ["model", "system_fingerprint"] {
        let of_answers = rows.iter().filter(|(_, line)| line.get("body").is_none());
        let stated = of_answers.filter_map(|(_, line)| completion(line)?.get(name)?.as_str());
        log.state(name, stated.map(str::to_owned));
    }
    Ok(())
}

fn holder(line: &Value) -> Option<&Value> {
    HOLDERS.iter().find_map(|name| line.get(name)).filter(|found| !found.is_null())
}

/// The completion of a line, if it has one.
fn completion(line: &Value) -> Option<&Value> {
    let alone = || Some(line).filter(|line| is_completion(line));
    holder(line).map(|holder| holder.get("body").unwrap_or(holder)).or_else(alone)
}

/// Adds what a line says.
fn read_line(place: &Place, line: &Value, log: &mut Reading) -> Result<()> {
    let completion = completion(line);
    let record = LogRecord::new(place.clone(), &item(place, line, completion)?);
    if let Some(request) = line.get("body") {
        return log.push(asked(record, request));
    }
    let failed = present(line, "error")
        || holder(line).and_then(|holder| holder.get("status_code")).is_some_and(|code| code.as_u64() != Some(200));
    let answers = match completion {
        _ if failed => vec![LoggedAnswer::Failed],
        Some(completion) if is_completion(completion) => answers(&record.place, completion)?,
        found => {
            let found = found.map_or_else(|| "nothing".to_owned(), excerpt);
            let reason = format!("the line holds neither a request nor an answer nor an error: {found}");
            return Err(Error::unfit(record.place, reason, "the file was edited: download it again"));
        }
    };
    let variant = completion.and_then(|found| found.get("model")).and_then(Value::as_str).map(str::to_owned);
    let of = |prediction| LogRecord { prediction: Some(prediction), variant: variant.clone(), ..record.clone() };
    answers.into_iter().try_for_each(|answer| log.push(of(answer)))
}

fn item(place: &Place, line: &Value, completion: Option<&Value>) -> Result<String> {
    let metadata = completion.and_then(|completion| completion.get("metadata")).filter(|found| found.is_object());
    for holder in [Some(line), metadata].into_iter().flatten() {
        if let Some(pointer) = IDS.iter().find(|pointer| holder.pointer(pointer).is_some()) {
            return needed(place, holder, pointer, "the item's id");
        }
    }
    let found = line.get("id").map_or_else(|| "nothing".to_owned(), excerpt);
    let reason = format!("nothing says which item this answer is of; its id, {found}, is the server's own");
    let remedy = "write each line as {\"custom_id\": ITEM, \"response\": COMPLETION}, or ask with \
                  metadata={\"item_id\": ITEM}";
    Err(Error::unfit(place.clone(), reason, remedy))
}

/// A request: what the judge reads is the item's text.
fn asked(mut record: LogRecord, request: &Value) -> LogRecord {
    let messages = request.get("messages").or_else(|| request.get("input"));
    let by = |messages: &[Value], roles: &[&str]| {
        let role =
            |message: &&Value| message.get("role").and_then(Value::as_str).is_some_and(|role| roles.contains(&role));
        messages.iter().filter(role).map(|message| content(message.get("content"))).collect::<Vec<_>>().join("\n\n")
    };
    let (told, text) = match messages {
        Some(Value::Array(messages)) => (by(messages, &["system", "developer"]), by(messages, &["user"])),
        other => (content(request.get("instructions")), content(other)),
    };
    record.rubric = Some(told).filter(|told| !told.is_empty());
    record.put("prompt", text);
    record
}

fn answers(place: &Place, completion: &Value) -> Result<Vec<LoggedAnswer>> {
    if let Some(output) = completion.get("output").and_then(Value::as_array) {
        let messages = output.iter().filter(|part| part.get("type").and_then(Value::as_str) == Some("message"));
        let parts = messages.filter_map(|message| message.get("content").and_then(Value::as_array)).flatten();
        let texts: Vec<&Value> =
            parts.filter(|part| part.get("type").and_then(Value::as_str) == Some("output_text")).collect();
        return match texts.as_slice() {
            [] => Ok(vec![LoggedAnswer::Failed]),
            [text, ..] => Ok(vec![answer(
                place,
                content(Some(&Value::from_iter(texts.iter().copied().cloned()))),
                text.get("logprobs"),
            )?]),
        };
    }
    let choices = elements(completion, "choices");
    if choices.is_empty() {
        return Ok(vec![LoggedAnswer::Failed]);
    }
    let choice = |choice: &Value| {
        let message = choice.get("message").unwrap_or(&Value::Null);
        let refused = message.get("refusal").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        let filtered = choice.get("finish_reason").and_then(Value::as_str) == Some("content_filter");
        if refused || filtered {
            return Ok(LoggedAnswer::Failed);
        }
        answer(place, content(message.get("content")), choice.pointer("/logprobs/content"))
    };
    choices.iter().map(choice).collect()
}

fn answer(place: &Place, text: String, logprobs: Option<&Value>) -> Result<LoggedAnswer> {
    if text.trim().is_empty() {
        return Ok(LoggedAnswer::Failed);
    }
    let Some(tokens) = logprobs.and_then(Value::as_array).filter(|tokens| !tokens.is_empty()) else {
        return Ok(LoggedAnswer::Label(text));
    };
    let tokens = tokens.iter().map(|found| token(place, found)).collect::<Result<_>>()?;
    Ok(LoggedAnswer::Tokens(Answered { text, tokens }))
}

fn token(place: &Place, found: &Value) -> Result<Token> {
    let one = |found: &Value| {
        let text = found.get("token").and_then(Value::as_str);
        let log = found.get("logprob").and_then(Value::as_f64).filter(|log| *log <= 1e-3);
        text.zip(log).map(|(text, log)| (text.to_owned(), log)).ok_or_else(|| {
            let reason = format!("{} is not a token with its log-probability", excerpt(found));
            Error::unfit(place.clone().in_field("logprobs"), reason, "the file was edited: download it again")
        })
    };
    let own = one(found)?;
    let mut likely: Vec<(String, f64)> = elements(found, "top_logprobs").iter().map(one).collect::<Result<_>>()?;
    // The token that was drawn need not be among the likeliest.
    if !likely.iter().any(|(text, _)| *text == own.0) {
        likely.push(own.clone());
    }
    Ok(Token { text: own.0, likely })
}
