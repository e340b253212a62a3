//! Flat logs: tables and lists with a row for each output, or for each score of one.
//!
//! | tool and file | item | criterion | answer |
//! |---|---|---|---|
//! | ragas: `result.to_pandas()` as CSV or JSON Lines | number of the row, from 1 | a column of numbers that is not part of the sample | its number |
//! | MLflow: `result_df` as CSV or JSON Lines, or the table `eval_results_table.json` | `trace_id`, `request_id`, or else the row's number | a metric with a score for each row (`NAME/v1/score`, `NAME/score`, `NAME/value`) | its score |
//! | deepeval: `test_run_*.json` in the folder that `DEEPEVAL_RESULTS_FOLDER` names | `name` of a test case (by default `test_case_N`) | a metric | its score, 0 to 1 |
//! | Every Eval Ever: `*_samples.jsonl`, a record per sample and result | `sample_id` | `evaluation_name` (with its `evaluation_result_id`, where there are several of one name) | what was extracted from the output, or the score of a judge (`extraction_method` is `llm_judge`) |
//! | JUDGE-BENCH: a data set as JSON | `id` of an instance | a metric | what a model answered, which is the variant |
//! | Langfuse: scores, as JSON, JSON Lines or CSV; a trace's download | trace and observation | `name` | of a `source` other than `ANNOTATION` |
//! | Langfuse: traces and observations, Phoenix: spans, in addition to a file of scores | as above and below | | none; they hold input and output |
//! | Phoenix: annotations of spans, as JSON Lines or CSV | `span_id` | `name` | of an `annotator_kind` other than `HUMAN` |
//! | Braintrust: rows of an experiment | `id` | a key of `scores` | its score |
//!
//! An answer that is blank, `NaN` or has an error is a failed one. People are Langfuse's `ANNOTATION` and Phoenix's `HUMAN`; in
//! JUDGE-BENCH an annotator is a position in `individual_human_scores`, and without that field `majority_human` is the one
//! human label. Fields of platforms are those of their documentation of 2026; of Braintrust's scores, people gave those that are
//! called after them, such as `Human review`.
//! The version of Every Eval Ever is that of its schema; no other file states one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::json::{cell, cell_at, document, elements, first, joined_cells, needed, plain_text, present, scalar};
use super::record::{HumanLabel, LogRecord, LoggedAnswer, Reading, joined};
use super::rows::{LogStart, names};
use crate::error::{Error, Place, Result};

/// The first of several spellings of a field that is there and says something.
fn field<'v>(row: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().filter_map(|name| row.get(name)).find(|value| !value.is_null() && *value != "")
}

fn text(row: &Value, names: &[&str]) -> Option<String> {
    field(row, names).and_then(scalar)
}

/// Columns of scores; the others are fields of the sample.
struct ScoreColumns {
    /// Columns with the ids of the samples; without any, the numbers of the rows are.
    ids: &'static [&'static str],
    /// Columns that no annotator needs.
    own: &'static str,
    /// How columns begin that hold what a sample is to be.
    expected: &'static [&'static str],
    /// The criterion of a column, by its name and values.
    criterion: for<'n> fn(&'n str, &[&Value]) -> Option<&'n str>,
}

fn read_columns(log: &mut Reading, of: &ScoreColumns) -> Result<()> {
    let rows = log.rows()?;
    let names = names(&rows);
    let values = |name: &str| rows.iter().filter_map(|(_, row)| row.get(name)).collect::<Vec<&Value>>();
    let columns = names.iter().map(|name| (name.as_str(), values(name)));
    let filled = columns.filter(|(_, values)| values.iter().any(|value| !cell(value).is_empty()));
    let criteria: Vec<(&str, &str)> =
        filled.filter_map(|(name, values)| Some(((of.criterion)(name, &values)?, name))).collect();
    if criteria.is_empty() {
        let found = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let reason = format!("no column holds scores; there are {found}");
        return Err(Error::unfit(
            Place::file(log.file),
            reason,
            "export the results of the evaluation, not the data set",
        ));
    }
    let is_of =
        |name: &str| criteria.iter().any(|(one, column)| *column == name || name.starts_with(&format!("{one}/")));
    let id = of.ids.iter().find(|id| values(id).iter().any(|value| !cell(value).is_empty()));
    for (number, (place, row)) in rows.iter().enumerate() {
        let own = id.and_then(|id| row.get(id)).and_then(scalar);
        let mut record = LogRecord::new(place.clone(), &own.unwrap_or_else(|| (number + 1).to_string()));
        for name in names.iter().filter(|name| !of.own.split(' ').any(|own| own == name.as_str()) && !is_of(name)) {
            let expected = of.expected.iter().any(|start| name.starts_with(start));
            let own = if expected { "reference" } else { name.as_str() };
            record.put(own, row.get(*name).map(cell).unwrap_or_default());
        }
        for (criterion, column) in &criteria {
            let value = row.get(*column).and_then(scalar).map(|value| plain_text(&value));
            let value = value.filter(|text| text.parse::<f64>().map_or(!text.is_empty(), f64::is_finite));
            // Beside `helpful/value` stands `helpful/rationale`, beside `helpful/v1/score` its `justification`.
            let stem = column.rsplit_once('/').map_or(*column, |(stem, _)| stem);
            let said = ["rationale", "justification"].iter().find_map(|end| row.get(format!("{stem}/{end}")));
            log.push(LogRecord { said: said.and_then(scalar), ..record.answered(criterion, value) })?;
        }
    }
    Ok(())
}

pub(super) fn read_ragas(log: &mut Reading) -> Result<()> {
    read_columns(log, &ScoreColumns { ids: &[], own: "", expected: &[], criterion: of_ragas })
}

fn of_ragas<'n>(column: &'n str, values: &[&Value]) -> Option<&'n str> {
    const SAMPLE: &str = "user_input retrieved_contexts reference_contexts retrieved_context_ids reference_context_ids \
                          response multi_responses reference rubrics persona_name query_style";
    let is_number = |value: &&Value| match value {
        Value::Null | Value::Number(_) => true,
        Value::String(text) => text.is_empty() || text.parse::<f64>().is_ok(),
        _ => false,
    };
    let is_score = !SAMPLE.split(' ').any(|name| name == column) && values.iter().all(is_number);
    is_score.then_some(column)
}

pub(super) fn is_mlflow(start: &LogStart) -> bool {
    let row = start.row.as_ref().and_then(Value::as_object);
    row.is_some_and(|row| row.keys().any(|name| of_mlflow(name, &[]).is_some()))
}

pub(super) fn read_mlflow(log: &mut Reading) -> Result<()> {
    let own = "trace_id request_id trace client_request_id state request_time execution_duration trace_metadata tags spans \
               assessments token_count";
    let ids = &["trace_id", "request_id"];
    read_columns(log, &ScoreColumns { ids, own, expected: &EXPECTED, criterion: of_mlflow })
}

/// How columns of expectations begin.
const EXPECTED: [&str; 2] = ["expected_", "guidelines"];

fn of_mlflow<'n>(column: &'n str, _: &[&Value]) -> Option<&'n str> {
    // The longest first.
    const SCORES: [&str; 4] = ["/v1/score", "/v2/score", "/score", "/value"];
    // What a sample expects is no score of its output.
    let score = |name: &&str| !name.is_empty() && !EXPECTED.iter().any(|start| name.starts_with(start));
    SCORES.iter().find_map(|end| column.strip_suffix(end)).filter(score)
}

pub(super) fn read_deepeval(log: &mut Reading) -> Result<()> {
    let mut models = vec![];
    for (place, case) in log.list("testCases")? {
        let mut record = LogRecord::of(&place, &case, "/name", "the name of the test case")?;
        let texts = [
            ("input", "input"),
            ("output", "actualOutput"),
            ("expected_output", "expectedOutput"),
            ("context", "context"),
            ("retrieval_context", "retrievalContext"),
        ];
        texts.iter().for_each(|(name, field)| record.put_present(name, case.get(field)));
        for metric in elements(&case, "metricsData") {
            let name = needed(&record.place, metric, "/name", "the name of a metric")?;
            models.extend(metric.get("evaluationModel").and_then(scalar));
            let score = metric.get("score").and_then(scalar).filter(|_| !present(metric, "error"));
            log.push(LogRecord {
                rubric: metric.get("verboseLogs").and_then(Value::as_str).and_then(criteria),
                said: metric.get("reason").and_then(scalar),
                ..record.answered(&name, score)
            })?;
        }
    }
    log.state("model", models);
    Ok(())
}

/// The criteria and evaluation steps of a metric with criteria of its own, from its verbose logs.
fn criteria(logs: &str) -> Option<String> {
    let (_, rest) = logs.split_once("Criteria:\n")?;
    let (criteria, rest) = rest.split_once("\n \nEvaluation Steps:\n")?;
    let steps = rest.split_once("\n \n").and_then(|(steps, _)| serde_json::from_str::<Vec<String>>(steps).ok());
    let asked = [criteria.trim()].into_iter().filter(|text| !matches!(*text, "" | "None"));
    let lines: Vec<String> = asked.map(str::to_owned).chain(steps.unwrap_or_default()).collect();
    Some(lines.join("\n")).filter(|text| !text.is_empty())
}

pub(super) fn read_every_eval_ever(log: &mut Reading) -> Result<()> {
    let rows = log.rows()?;
    let of_result = |row: &Value| ["/evaluation_name", "/evaluation_result_id"].map(|pointer| cell_at(row, pointer));
    let results: BTreeSet<[String; 2]> = rows.iter().map(|(_, row)| of_result(row)).collect();
    for (place, row) in &rows {
        let mut record = LogRecord::of(place, row, "/sample_id", "the sample's id")?;
        let name = needed(&record.place, row, "/evaluation_name", "the name of the evaluation")?;
        let several = results.iter().filter(|[known, _]| *known == name).count() > 1;
        let result = row.get("evaluation_result_id").map(cell).filter(|_| several);
        record.variant = Some(needed(&record.place, row, "/model_id", "the model's id")?);
        record.put("input", cell_at(row, "/input/raw"));
        record.put_present("choices", row.pointer("/input/choices"));
        record.put("reference", joined_cells(row.pointer("/input/reference"), "\n"));
        log.push(record.answered(&result.map_or(name.clone(), |result| format!("{name} {result}")), extracted(row)))?;
    }
    let of = |name: &'static str| rows.iter().filter_map(move |(_, row)| row.get(name).and_then(scalar));
    log.log.provenance.version = joined(of("schema_version"));
    log.state("model", of("model_id"));
    Ok(())
}

/// The answer of a sample without an error.
fn extracted(row: &Value) -> Option<String> {
    let parts = elements(row, "answer_attribution");
    let last = parts.iter().rfind(|part| part.get("is_terminal").and_then(Value::as_bool) == Some(true));
    let judged = last.and_then(|part| part.get("extraction_method")).and_then(Value::as_str) == Some("llm_judge");
    let value = match last {
        Some(part) if !judged => part.get("extracted_value").and_then(scalar),
        _ => row.pointer("/evaluation/score").and_then(scalar),
    };
    value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty() && !present(row, "error"))
}

pub(super) fn read_judge_bench(log: &mut Reading) -> Result<()> {
    /// What of a metric is about people.
    const PEOPLE: &str = "human";
    let metrics = log.list("annotations").unwrap_or_default();
    let asked = |(_, metric): &(_, Value)| {
        Some((metric.get("metric").and_then(scalar)?, metric.get("prompt").and_then(scalar)?))
    };
    let rubrics: BTreeMap<String, String> = metrics.iter().filter_map(asked).collect();
    for (place, instance) in &log.list("instances")? {
        let mut record = LogRecord::of(place, instance, "/id", "the id of the instance")?;
        match instance.get("instance") {
            Some(Value::Object(parts)) => parts.iter().for_each(|(name, part)| record.put_present(name, Some(part))),
            other => record.put_present("instance", other),
        }
        for (metric, said) in instance.get("annotations").and_then(Value::as_object).into_iter().flatten() {
            let (before, mut labels) = (log.log.records.len(), people(said));
            record.rubric = rubrics.get(metric).cloned();
            for (model, answer) in said.as_object().into_iter().flatten().filter(|(name, _)| !name.contains(PEOPLE)) {
                let answer = answer.get("response").or_else(|| answer.get("answer")).unwrap_or(answer);
                let answer = scalar(answer).map(|answer| answer.trim().to_owned()).filter(|answer| !answer.is_empty());
                // People's labels once for all models.
                let (variant, labels) = (Some(model.clone()), std::mem::take(&mut labels));
                log.push(LogRecord { variant, labels, ..record.answered(metric, answer) })?;
            }
            if log.log.records.len() == before {
                log.push(LogRecord { criterion: Some(metric.clone()), labels, ..record.clone() })?;
            }
        }
    }
    Ok(())
}

/// The labels of people under a metric.
fn people(said: &Value) -> Vec<HumanLabel> {
    let label = |annotator: String, value: &Value| HumanLabel { annotator, value: cell(value) };
    let each = elements(said, "individual_human_scores").iter().zip(1..);
    let mut labels: Vec<HumanLabel> = each.map(|(value, k)| label(format!("human {k}"), value)).collect();
    if labels.is_empty() {
        labels.extend(said.get("majority_human").map(|value| label("majority".to_owned(), value)));
    }
    labels.retain(|label| !label.value.trim().is_empty());
    labels
}

const TRACE: [&str; 2] = ["trace_id", "traceId"];
const DATA_TYPE: [&str; 2] = ["data_type", "dataType"];

fn is_download(row: &Value) -> bool {
    row.get("scores").is_some_and(Value::is_array) && row.get("observations").is_some_and(Value::is_array)
}

pub(super) fn is_langfuse(start: &LogStart) -> bool {
    let Some(row) = &start.row else { return false };
    let has = |names: &[&str]| names.iter().any(|name| row.get(name).is_some());
    let score = has(&TRACE) && has(&DATA_TYPE) && has(&["source"]) && has(&["name"]);
    let observation = has(&TRACE) && has(&["parent_observation_id", "parentObservationId", "start_time", "startTime"]);
    let trace = has(&["session_id", "sessionId"]) && has(&["id"]) && has(&["timestamp"]) && has(&["input"]);
    is_download(row) || score || observation || trace
}

pub(super) fn read_langfuse(log: &mut Reading) -> Result<()> {
    if !first(log.bytes).as_ref().is_some_and(is_download) {
        return log.rows()?.iter().try_for_each(|(place, row)| log.push(of_langfuse(place, row)?));
    }
    let whole = document(log.file, &log.text()?)?;
    let place = Place::file(log.file);
    let trace = whole.get("trace").unwrap_or(&whole);
    log.push(seen(&place, trace, needed(&place, trace, "/id", "the trace's id")?))?;
    for row in elements(&whole, "observations").iter().chain(elements(&whole, "scores")) {
        let mut row = row.clone();
        if text(&row, &TRACE).is_none() {
            row["trace_id"] = trace["id"].clone();
        }
        log.push(of_langfuse(&place, &row)?)?;
    }
    Ok(())
}

fn of_langfuse(place: &Place, row: &Value) -> Result<LogRecord> {
    const STRING: [&str; 2] = ["string_value", "stringValue"];
    let Some(trace) = text(row, &TRACE) else {
        return Ok(seen(place, row, needed(place, row, "/id", "the trace's id")?));
    };
    if field(row, &DATA_TYPE).is_none() {
        let own = needed(place, row, "/id", "the observation's id")?;
        return Ok(seen(place, row, format!("{trace}/{own}")));
    }
    let observation = text(row, &["observation_id", "observationId"]);
    let item = observation.map_or_else(|| trace.clone(), |observation| format!("{trace}/{observation}"));
    let mut record = LogRecord::new(place.clone(), &item);
    record.criterion = Some(needed(&record.place, row, "/name", "the score's name")?);
    let categorical = text(row, &DATA_TYPE).is_some_and(|kind| kind == "CATEGORICAL");
    let value = if categorical { text(row, &STRING) } else { text(row, &["value"]).or_else(|| text(row, &STRING)) };
    let by = (text(row, &["source"]).as_deref() == Some("ANNOTATION"))
        .then(|| text(row, &["author_user_id", "authorUserId"]).unwrap_or_else(|| "langfuse".to_owned()));
    record.said = text(row, &["comment"]);
    given(&mut record, value, by);
    Ok(record)
}

/// What a person, or the judge, said.
fn given(record: &mut LogRecord, value: Option<String>, person: Option<String>) {
    let value = value.map(|value| plain_text(&value));
    match (person, value) {
        (Some(annotator), Some(value)) => record.labels.push(HumanLabel { annotator, value }),
        (Some(_), None) => {}
        (None, value) => record.prediction = Some(LoggedAnswer::of(value)),
    }
}

/// What the scores assess: an input and its output.
fn seen(place: &Place, row: &Value, item: String) -> LogRecord {
    let mut record = LogRecord::new(place.clone(), &item);
    let names = [("input", ["input", "attributes.input.value"]), ("output", ["output", "attributes.output.value"])];
    for (name, spellings) in names {
        record.put(name, field(row, &spellings).map(cell).unwrap_or_default());
    }
    for (name, value) in members(row.get("metadata")) {
        record.put_present(&format!("metadata.{name}"), Some(&value));
    }
    record
}

/// The members of an object, which CSV holds as JSON.
fn members(value: Option<&Value>) -> BTreeMap<String, Value> {
    let parsed = match value {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.cloned().unwrap_or(Value::Null),
    };
    if let Value::Object(members) = parsed { members.into_iter().collect() } else { BTreeMap::new() }
}

pub(super) fn is_phoenix(start: &LogStart) -> bool {
    start.has_fields(&["span_id", "annotator_kind"]) || start.has_fields(&["context.span_id", "attributes.input.value"])
}

pub(super) fn read_phoenix(log: &mut Reading) -> Result<()> {
    for (place, row) in log.rows()? {
        let span = text(&row, &["context.span_id", "span_id"]);
        let span = span.map_or_else(|| needed(&place, &row, "/span_id", "the span's id"), Ok)?;
        if row.get("annotator_kind").is_none() {
            log.push(seen(&place, &row, span))?;
            continue;
        }
        let mut record = LogRecord::new(place, &span);
        let name = text(&row, &["annotation_name", "name"]);
        record.criterion =
            Some(name.map_or_else(|| needed(&record.place, &row, "/name", "the annotation's name"), Ok)?);
        let result = row.get("result").filter(|result| result.is_object()).unwrap_or(&row);
        let value = text(result, &["label"]).or_else(|| text(result, &["score"]));
        let human = text(&row, &["annotator_kind"]).as_deref() == Some("HUMAN");
        let by = human.then(|| text(&row, &["user_id", "identifier"]).unwrap_or_else(|| "phoenix".to_owned()));
        record.said = text(result, &["explanation"]);
        given(&mut record, value, by);
        log.push(record)?;
    }
    Ok(())
}

pub(super) fn is_braintrust(start: &LogStart) -> bool {
    // What other tools trace has such fields too.
    let own = ["experiment_id", "span_id", "root_span_id", "_xact_id", "is_root", "expected"];
    start.has_fields(&["id", "input", "output", "scores"]) && own.iter().any(|field| start.has_fields(&[field]))
}

pub(super) fn read_braintrust(log: &mut Reading) -> Result<()> {
    let rows = log.rows()?;
    let names: BTreeSet<String> = rows.iter().flat_map(|(_, row)| members(row.get("scores")).into_keys()).collect();
    // What is called after people is their score: of the criterion that it names, or of the only one.
    let (people, judges): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| name.to_lowercase().contains("human"));
    let is_about =
        |person: &str, judge: &str| judges.len() == 1 || person.to_lowercase().contains(&judge.to_lowercase());
    let is_alone = |person: &&String| !judges.iter().any(|judge| is_about(person, judge));
    for (place, row) in &rows {
        // Spans within a row have no scores of their own.
        let scores = members(row.get("scores"));
        if scores.is_empty() && row.get("is_root").is_some_and(|root| root == false || root == "false") {
            continue;
        }
        let mut record = seen(place, row, needed(place, row, "/id", "the row's id")?);
        record.put_present("expected", row.get("expected"));
        for name in judges.iter().chain(people.iter().filter(is_alone)) {
            let mut record = record.answered(name, scores.get(name).and_then(scalar));
            for person in people.iter().filter(|person| *person != name && is_about(person, name)) {
                let value = scores.get(person).and_then(scalar);
                record.labels.extend(value.map(|value| HumanLabel { annotator: person.clone(), value }));
            }
            log.push(record)?;
        }
    }
    log.state("experiment", rows.iter().filter_map(|(_, row)| text(row, &["experiment_id"])));
    Ok(())
}
