//! The readers on files that the tools wrote (`tests/golden/logs`, with the script that made them).

use std::fs;
use std::path::{Path, PathBuf};

use super::rows::LogStart;
use super::*;
use crate::error::Result;

fn golden(name: &str) -> (PathBuf, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/logs").join(name);
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

/// The files with their formats.
const FILES: [(&str, &str); 17] = [
    ("openai-batch-input.jsonl", "openai"),
    ("openai-batch-output.jsonl", "openai"),
    ("openai-completions.jsonl", "openai"),
    ("inspect-graded.eval", "inspect"),
    ("inspect-graded-deflate.eval", "inspect"),
    ("inspect-graded.json", "inspect"),
    ("samples_judge_choice.jsonl", "lm_eval"),
    ("samples_judge_generate.jsonl", "lm_eval"),
    ("promptfoo.json", "promptfoo"),
    ("mt-bench-pairs.jsonl", "mt_bench"),
    ("arena-votes.jsonl", "arena"),
    ("ragas.csv", "ragas"),
    ("ragas.jsonl", "ragas"),
    ("deepeval.json", "deepeval"),
    ("judge-bench.json", "judge_bench"),
    ("every-eval-ever-choice_samples.jsonl", "every_eval_ever"),
    ("every-eval-ever-generate_samples.jsonl", "every_eval_ever"),
];

/// Further files, whose records depend on other rows than their own.
const FURTHER: [(&str, &str); 12] = [
    ("promptfoo.jsonl", "promptfoo_lines"),
    ("promptfoo.csv", "promptfoo_table"),
    ("mlflow-genai.csv", "mlflow"),
    ("mlflow-genai.jsonl", "mlflow"),
    ("mlflow-models.csv", "mlflow"),
    ("mlflow-eval_results_table.json", "mlflow"),
    ("langfuse-scores.csv", "langfuse"),
    ("langfuse-observations.jsonl", "langfuse"),
    ("langfuse-trace.json", "langfuse"),
    ("phoenix-annotations.csv", "phoenix"),
    ("phoenix-spans.csv", "phoenix"),
    ("braintrust.jsonl", "braintrust"),
];

fn logs(names: &[&str]) -> Logs {
    let files: Vec<_> = names.iter().map(|name| golden(name)).collect();
    let format = detect(&files[0].0, &files[0].1).unwrap();
    Logs::read(format, files.iter().map(|(path, bytes)| (path.clone(), bytes.as_slice()))).unwrap()
}

/// The cells of some columns of a table, row by row.
fn cells(logs: &Logs, rows: LogRows<'_>, id: Option<&str>, columns: &[&str]) -> Vec<String> {
    let table = logs.table(rows, id).unwrap();
    let columns: Vec<_> = columns.iter().map(|name| table.column(name).unwrap()).collect();
    let shown = |cell: &str| match cell.parse::<f64>() {
        Ok(number) if cell.len() > 8 => format!("{number:.3}"),
        _ => cell.to_owned(),
    };
    table.rows().map(|row| columns.iter().map(|c| shown(row.cell(*c))).collect::<Vec<_>>().join(" | ")).collect()
}

fn classes(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn every_file_is_known_for_what_it_is() {
    for (name, format) in FILES.into_iter().chain(FURTHER) {
        let (path, bytes) = golden(name);
        assert_eq!(detect(&path, &bytes).unwrap().name, format, "{name}");
        // And for nothing else.
        let others = LOGS.iter().filter(|other| (other.is)(&LogStart::new(&path, &bytes))).count();
        assert_eq!(others, 1, "{name}");
    }
    let error = detect(Path::new("x.json"), b"{\"a\": 1}").unwrap_err().to_string();
    assert!(error.starts_with("x.json: it is not a log that this program knows; give a file of JSON Lines of OpenAI"));
}

#[test]
fn openai() {
    let logs = logs(&["openai-batch-input.jsonl", "openai-batch-output.jsonl"]);
    assert_eq!(
        cells(&logs, LogRows::Items, None, &["id", "prompt"]),
        [
            "m1 | Stolen card",
            "m2 | Thanks!",
            "m3 | Parcel late",
            "m4 | Two\nlines",
            "m5 | Say nothing",
            "m6 | Odd",
            "m7 | Never asked"
        ]
    );
    let three = classes(&["urgent", "soon", "later"]);
    let found =
        cells(&logs, LogRows::Judge(&three), None, &["id", "variant", "label", "p_urgent", "p_soon", "p_later"]);
    assert_eq!(
        found,
        [
            "m1 | stand-in-1 | urgent | 0.81 | 0.15 | 0.02",
            "m2 | stand-in-1 | later | 0 | 0.3 | 0.6",
            "m3 | stand-in-1 | soon | 0.100 | 0.5 | 0.3",
            "m4 | stand-in-1 | soon | 0.2 | 0.7 | 0",
            "m7 | stand-in-1 |  |  |  | ",
            "m5 | stand-in-1 |  |  |  | ",
            "m6 | stand-in-1 |  | 0 | 0.2 | 0.050",
        ]
    );
    let plain = super::golden_tests::logs(&["openai-completions.jsonl"]);
    let without = |rows: Vec<String>| rows.into_iter().filter(|row| !row.starts_with("m7")).collect::<Vec<_>>();
    let columns = ["id", "variant", "label", "p_urgent", "p_soon", "p_later"];
    assert_eq!(cells(&plain, LogRows::Judge(&three), None, &columns), without(found));
    let error = logs.table(LogRows::Judge(&classes(&["yes", "no"])), None).unwrap_err().to_string();
    assert!(error.contains("no answer of the judge is one of yes, no; there are"), "{error}");
}

#[test]
fn the_server_s_own_ids_are_no_items() {
    let line = br#"{"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"message": {"content": "yes"}}]}"#;
    let error = LOGS[0].read(Path::new("c.jsonl"), line).unwrap_err().to_string();
    assert_eq!(
        error,
        "c.jsonl:1: nothing says which item this answer is of; its id, \"chatcmpl-1\", is the server's own; write each \
         line as {\"custom_id\": ITEM, \"response\": COMPLETION}, or ask with metadata={\"item_id\": ITEM}"
    );
}

#[test]
fn inspect() {
    let logs = logs(&["inspect-graded.eval"]);
    assert_eq!(logs.criteria().into_iter().collect::<Vec<_>>(), ["model_graded_qa", "politeness"]);
    let items = cells(&logs, LogRows::Items, None, &["id", "item", "criterion", "input", "output", "target"]);
    assert_eq!(items.len(), 10);
    assert_eq!(items[6], "q4/model_graded_qa | q4 | model_graded_qa | What is 4 + 4? | It is 9. | 8");
    // The answers are those of the scorers, before people edited them.
    assert_eq!(
        cells(&logs, LogRows::Judge(&[]), None, &["id", "label", "mean"]),
        [
            "q1/model_graded_qa | C | ",
            "q1/politeness | 4 | 4",
            "q2/model_graded_qa | C | ",
            "q2/politeness | 4 | 4",
            "q3/model_graded_qa | C | ",
            "q3/politeness |  | ",
            "q4/model_graded_qa | I | ",
            "q4/politeness | 4 | 4",
            "q5/model_graded_qa | C | ",
            "q5/politeness | 5 | 5",
        ]
    );
    assert_eq!(
        cells(&logs, LogRows::Labels, None, &["id", "annotator", "label"]),
        [
            "q1/politeness | alice | 5",
            "q2/model_graded_qa | alice | I",
            "q2/model_graded_qa | bob | C",
            "q4/model_graded_qa | alice | C"
        ]
    );
    let provenance = logs.provenance().next().unwrap().1;
    assert_eq!(provenance.version.as_deref(), Some("0.3.285"));
    assert_eq!(provenance.stated["model"], "mockllm/model");
    for other in ["inspect-graded-deflate.eval", "inspect-graded.json"] {
        let other = super::golden_tests::logs(&[other]);
        for (rows, columns) in [
            (LogRows::Judge(&[]), ["id", "label"]),
            (LogRows::Labels, ["id", "label"]),
            (LogRows::Items, ["id", "input"]),
        ] {
            assert_eq!(cells(&other, rows, None, &columns), cells(&logs, rows, None, &columns));
        }
        assert_eq!(other.provenance().next().unwrap().1, provenance);
    }
    let mut one = logs.clone();
    one.only("politeness").unwrap();
    assert_eq!(cells(&one, LogRows::Labels, None, &["id", "label"]), ["q1/politeness | 5"]);
    assert!(one.only("kindness").unwrap_err().to_string().contains("\"kindness\" is not one of"));
}

#[test]
fn lm_eval() {
    let three = classes(&["urgent", "soon", "later"]);
    let choice = logs(&["samples_judge_choice.jsonl"]);
    let shares = cells(&choice, LogRows::Judge(&three), Some("doc.id"), &["id", "p_urgent", "p_soon", "p_later"]);
    assert_eq!(shares.len(), 4);
    // exp(-2.5916), exp(-3.0671), exp(-3.2808), divided by their sum.
    assert_eq!(shares[0], "d0 | 0.471 | 0.293 | 0.236");
    assert_eq!(cells(&choice, LogRows::Items, None, &["id", "doc.gold"])[3], "3 | soon");
    let generated = logs(&["samples_judge_generate.jsonl"]);
    let labels = cells(&generated, LogRows::Judge(&three), None, &["id", "label"]);
    assert_eq!(labels[..6], ["0 | soon", "0 | soon", "0 | urgent", "1 | ", "1 | soon", "1 | urgent"]);
}

#[test]
fn promptfoo() {
    let logs = logs(&["promptfoo.json"]);
    assert_eq!(logs.criteria().into_iter().collect::<Vec<_>>(), ["helpful"]);
    let items = cells(&logs, LogRows::Items, Some("vars.id"), &["id", "vars.message", "output"]);
    assert_eq!(items[0], "m1/short | Stolen card | urgent");
    assert_eq!(items.len(), 6);
    let answers = cells(&logs, LogRows::Judge(&[]), None, &["id", "label"]);
    assert_eq!(answers.iter().filter(|row| row.ends_with(" | ")).count(), 1, "{answers:?}");
    assert!(answers.contains(&"0/short | 0".to_owned()), "{answers:?}");
    assert_eq!(logs.provenance().next().unwrap().1.version.as_deref(), Some("0.121.20"));
}

/// Metadata of a test, in the form of promptfoo's configuration, become fields named by their paths.
#[test]
fn metadata_of_promptfoos_tests_have_names() {
    let (path, bytes) = golden("promptfoo.json");
    let text = String::from_utf8(bytes).unwrap();
    let mut whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (k, row) in whole["results"]["results"].as_array_mut().unwrap().iter_mut().enumerate() {
        row["testCase"]["metadata"] = serde_json::json!({"topic": "law", "by": {"ann": k}});
    }
    let text = whole.to_string();
    let log =
        Logs::read(detect(&path, text.as_bytes()).unwrap(), [(path.clone(), text.as_bytes())].into_iter()).unwrap();
    let found = cells(&log, LogRows::Items, None, &["metadata.topic", "metadata.by.ann"]);
    assert_eq!(found[0], "law | 0");
}

#[test]
fn promptfoo_lines_say_what_its_json_says() {
    let (one, other) = (logs(&["promptfoo.json"]), logs(&["promptfoo.jsonl"]));
    let columns = ["id", "label"];
    let said = |logs: &Logs| {
        let mut rows = cells(logs, LogRows::Judge(&[]), Some("vars.id"), &columns);
        rows.sort_unstable();
        rows
    };
    // promptfoo writes no line about an output that it could not get.
    let mut answered = said(&one);
    answered.retain(|row| row != "m3/long | ");
    assert_eq!(answered, said(&other));
    assert_eq!(other.records().next().unwrap().rubric.as_deref(), Some("Names a time"));
    // The table numbers tests and outputs, and has the scores of all named assertions.
    let table = logs(&["promptfoo.csv"]);
    assert_eq!(table.criteria().into_iter().collect::<Vec<_>>(), ["helpful", "right"]);
    let found = cells(&table, LogRows::Judge(&[]), None, &["id", "label", "vars.message", "output"]);
    assert_eq!(found[0], "0/0/helpful | 0 | Stolen card | urgent");
    assert_eq!(found[10..], ["2/1/helpful |  | Parcel late | ", "2/1/right |  | Parcel late | "]);
}

#[test]
fn mlflow() {
    for name in ["mlflow-genai.csv", "mlflow-genai.jsonl"] {
        let logs = logs(&[name]);
        // What a sample expects is no criterion.
        assert_eq!(logs.criteria().into_iter().collect::<Vec<_>>(), ["helpful", "polite"], "{name}");
        let found = cells(&logs, LogRows::Judge(&[]), None, &["id", "label", "reference", "response"]);
        assert!(found[0].starts_with("tr-") && found[0].ends_with("/helpful | 2 | On Monday. | It arrives on Monday."));
        assert!(found[2].ends_with("/helpful |  | Yes. | No."), "{found:?}");
    }
    for name in ["mlflow-models.csv", "mlflow-eval_results_table.json"] {
        let found = cells(&logs(&[name]), LogRows::Judge(&[]), None, &["id", "label", "inputs"]);
        assert_eq!(found[..2], ["1 | 2 | Where is my parcel?", "2 | 4 | Refund me!"], "{name}");
    }
}

/// In the documented schemas: these services were not run.
#[test]
fn platforms() {
    let langfuse = logs(&["langfuse-scores.csv", "langfuse-observations.jsonl"]);
    assert_eq!(langfuse.criteria().into_iter().collect::<Vec<_>>(), ["helpful", "tone"]);
    let items = cells(&langfuse, LogRows::Items, None, &["id", "input", "output", "metadata.topic"]);
    assert_eq!(items[0], "t1/o1/helpful | Where is my parcel? | It arrives on Monday. | post");
    let labels = cells(&langfuse, LogRows::Labels, None, &["id", "annotator", "label"]);
    assert_eq!(labels, ["t1/o1/helpful | ann | 1", "t2/o2/helpful | ann | 0", "t3/o3/helpful | bob | 1"]);
    let answers = cells(&langfuse, LogRows::Judge(&[]), None, &["id", "label"]);
    assert_eq!(answers[..2], ["t1/o1/helpful | 1", "t1/o1/tone | kind"]);
    let trace = cells(&logs(&["langfuse-trace.json"]), LogRows::Judge(&[]), None, &["id", "label", "input"]);
    assert_eq!(trace, ["t1/o1/helpful | 1 | Where is my parcel?", "t1/o1/tone | kind | Where is my parcel?"]);
    let phoenix = logs(&["phoenix-annotations.csv", "phoenix-spans.csv"]);
    let answers = cells(&phoenix, LogRows::Judge(&[]), None, &["id", "label", "output"]);
    assert_eq!(answers[..2], ["o1/helpful | yes | It arrives on Monday.", "o1/tone | kind | It arrives on Monday."]);
    let labels = cells(&phoenix, LogRows::Labels, None, &["id", "annotator", "label"]);
    assert_eq!(labels, ["o1/helpful | ann | yes", "o2/helpful | ann | no", "o3/helpful | bob | yes"]);
    let braintrust = logs(&["braintrust.jsonl"]);
    let answers = cells(&braintrust, LogRows::Judge(&[]), None, &["id", "label", "metadata.topic"]);
    assert_eq!(answers[..2], ["row-0/Brevity | 0.5 | post", "row-0/Helpful | 1 | post"]);
    assert_eq!(answers[7], "row-3/Helpful |  | money");
}

#[test]
fn pairs() {
    let judged = logs(&["mt-bench-pairs.jsonl"]);
    assert_eq!(
        cells(&judged, LogRows::Judge(&classes(&["A", "tie", "B"])), None, &["id", "variant", "swapped", "label"]),
        [
            "81/adf44854/1 | gpt-4 pair-v2 | 0 | B",
            "81/adf44854/1 | gpt-4 pair-v2 | 1 | B",
            // model_1 is vicuna, which comes second by its name: it won in the first game, claude in the second.
            "81/93ae36bb/1 | gpt-4 pair-v2 | 1 | B",
            "81/93ae36bb/1 | gpt-4 pair-v2 | 0 | A",
            "82/adf44854/2 | gpt-4 pair-v2 | 0 | tie",
            "82/adf44854/2 | gpt-4 pair-v2 | 1 | ",
        ]
    );
    // A is the first by its name, in whichever game it was shown first.
    let items = cells(&judged, LogRows::Items, None, &["prompt", "answer_a", "answer_b"]);
    assert_eq!(items[..2], ["Compose a post. | I went. | Aloha!", "Compose a post. | Waves, and then rain. | Aloha!"]);
    let talk = |name: &str, said: &str| {
        format!(
            "### User:\nSpeak.\n\n### Assistant {name}:\n{said}\n\n### User:\nAgain.\n\n### Assistant {name}:\n{said}"
        )
    };
    assert_eq!(items[2], format!(" | {} | {}", talk("A", "I went."), talk("B", "Aloha!")));
    let votes = logs(&["arena-votes.jsonl"]);
    assert_eq!(
        cells(&votes, LogRows::Labels, None, &["id", "annotator", "label"]),
        [
            "81/adf44854/1 | expert_17 | B",
            "81/adf44854/1 | author_2 | tie",
            "58210e39/05cc3c79/1 | arena_user_973 | tie"
        ]
    );
    let items = cells(&votes, LogRows::Items, None, &["answer_a", "answer_b"]);
    assert_eq!(items[0], "user: Compose a post.\nassistant: I went. | user: Compose a post.\nassistant: Aloha!");
    assert_eq!(items.len(), 2);
}

#[test]
fn ragas_and_deepeval() {
    let ragas = [
        "1/helpful | 0",
        "1/quality | 3",
        "2/helpful | 0",
        "2/quality | 1",
        "3/helpful | ",
        "3/quality | ",
        "4/helpful | 1",
        "4/quality | 1",
    ];
    for name in ["ragas.csv", "ragas.jsonl"] {
        let logs = logs(&[name]);
        assert_eq!(cells(&logs, LogRows::Judge(&[]), None, &["id", "mean"]), ragas, "{name}");
        assert_eq!(
            cells(&logs, LogRows::Items, None, &["id", "user_input", "response"])[2],
            "2/helpful | Question 1 | about,\n4"
        );
    }
    let deepeval = cells(&logs(&["deepeval.json"]), LogRows::Judge(&[]), None, &["id", "mean"]);
    assert_eq!(deepeval[..2], ["case-0/Helpful [GEval] | 0.1", "case-0/Polite [GEval] | 0.4"]);
    assert_eq!(deepeval[4..6], ["case-2/Helpful [GEval] | ", "case-2/Polite [GEval] | "]);
}

#[test]
fn judge_bench() {
    let mut logs = logs(&["judge-bench.json"]);
    assert_eq!(logs.criteria().into_iter().collect::<Vec<_>>(), ["acceptable", "fluency"]);
    logs.only("fluency").unwrap();
    let found = cells(&logs, LogRows::Judge(&[]), None, &["id", "variant", "mean"]);
    assert_eq!((found.len(), found[1].split(" | ").nth(1)), (80, Some("model-b")));
    let labels = cells(&logs, LogRows::Labels, None, &["id", "annotator", "label"]);
    assert_eq!(labels.len(), 80);
    assert!(labels[1].starts_with("0 | human 2 | ") || labels[1].starts_with("0/fluency | human 2 | "), "{labels:?}");
}

#[test]
fn every_eval_ever() {
    let logs = logs(&["every-eval-ever-choice_samples.jsonl"]);
    let three = classes(&["urgent", "soon", "later"]);
    let found = cells(&logs, LogRows::Judge(&three), None, &["id", "variant", "label"]);
    assert_eq!(found[0], "0 | stand-in/judge | urgent");
    assert_eq!(found.len(), 4);
    assert_eq!(logs.provenance().next().unwrap().1.version.as_deref(), Some("0.3.0"));
}

/// What a log says, without its places.
fn said(log: &Log) -> Vec<String> {
    let of = |r: &LogRecord| format!("{:?}", (&r.item, &r.part, &r.criterion, &r.variant, &r.prediction, &r.labels));
    log.records.iter().map(of).collect()
}

fn read(name: &str, bytes: &[u8]) -> Result<Log> {
    let (path, _) = golden(name);
    let format = FILES.iter().find(|(file, _)| *file == name).and_then(|(_, format)| named(format)).unwrap();
    format.read(&path, bytes)
}

mod properties {
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;

    /// A file of a tool written again by another writer: other blanks, another order of fields and of lines or members.
    fn rewritten(name: &str, bytes: &[u8], wide: bool, order: u64) -> Vec<u8> {
        let text = || std::str::from_utf8(bytes).unwrap();
        let value = |text: &str| -> serde_json::Value { serde_json::from_str(&json::without_constants(text)).unwrap() };
        let place = |k: &usize| (*k as u64 + 1).wrapping_mul(order | 1).rotate_left(29);
        if name.ends_with(".eval") {
            let mut members = crate::archive::members(Path::new(name), bytes, |_| true).unwrap();
            let mut places: Vec<usize> = (0..members.len()).collect();
            places.sort_by_key(place);
            let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
            let method = if wide { zip::CompressionMethod::Stored } else { zip::CompressionMethod::Deflated };
            for k in places {
                let (name, text) = std::mem::take(&mut members[k]);
                archive.start_file(name, zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
                std::io::Write::write_all(&mut archive, text.as_bytes()).unwrap();
            }
            return archive.finish().unwrap().into_inner();
        }
        if name.ends_with(".csv") {
            let style = if wide { csv::QuoteStyle::Always } else { csv::QuoteStyle::NonNumeric };
            let mut writer = csv::WriterBuilder::new().quote_style(style).from_writer(vec![]);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
            reader.records().for_each(|row| writer.write_record(&row.unwrap()).unwrap());
            return writer.into_inner().unwrap();
        }
        if name.ends_with(".json") {
            let value = value(text());
            return if wide { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
        }
        let mut lines: Vec<String> = text().lines().map(|line| value(line).to_string() + "\n").collect();
        // The rows of ragas are known by their numbers.
        if !name.starts_with("ragas") {
            let mut places: Vec<usize> = (0..lines.len()).collect();
            places.sort_by_key(place);
            lines = places.into_iter().map(|k| std::mem::take(&mut lines[k])).collect();
        }
        lines.join(if wide { "\n" } else { "" }).into_bytes()
    }

    /// Whether a text names an item of a format whose ids are made of several fields, or of the number of a row.
    fn is_named(text: &str, item: &str, format: &str) -> bool {
        match format {
            "ragas" => item.parse::<usize>().is_ok_and(|row| (1..=text.lines().count()).contains(&row)),
            "mt_bench" | "arena" => item.split(['/', ':']).all(|part| text.contains(part)),
            _ => text.contains(serde_json::to_string(item).unwrap().trim_matches('"')),
        }
    }

    /// Whether `part` has records of `whole` in their order, from the first: the start of what the whole file says.
    fn is_start(part: &Log, whole: &Log) -> bool {
        let (part, whole) = (said(part), said(whole));
        whole.starts_with(&part)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// A file that another program wrote again says the same.
        #[test]
        fn rewritten_files_say_the_same(file in select(&FILES[..]), wide in any::<bool>(), order in any::<u64>()) {
            let bytes = golden(file.0).1;
            let again = rewritten(file.0, &bytes, wide, order);
            let mut found = said(&read(file.0, &again).unwrap());
            let mut expected = said(&read(file.0, &bytes).unwrap());
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected, "{}", file.0);
        }

        /// A file that was cut off is refused with its place and a remedy, or cut off between two lines.
        #[test]
        fn truncated_files_are_refused(file in select(&FILES[..]), at in any::<Index>()) {
            let (path, bytes) = golden(file.0);
            let whole = read(file.0, &bytes).unwrap();
            let cut = &bytes[..at.index(bytes.len())];
            match read(file.0, cut) {
                Err(error) => {
                    let error = error.to_string();
                    prop_assert!(error.starts_with(&path.display().to_string()), "{error}");
                    prop_assert!(error.contains(';'), "{error}");
                }
                Ok(part) => {
                    let lines = file.0.ends_with(".jsonl") || file.0.ends_with(".csv");
                    prop_assert!(lines || said(&part) == said(&whole), "{}", file.0);
                    if file.0.ends_with(".jsonl") {
                        prop_assert!(is_start(&part, &whole), "{}", file.0);
                    }
                }
            }
        }

        /// Whatever byte is changed: refused, or no answer and no label at an item that the file does not name.
        #[test]
        fn edited_files_name_every_item(file in select(&FILES[..]), at in any::<Index>(), byte in any::<u8>()) {
            let (_, mut bytes) = golden(file.0);
            let position = at.index(bytes.len());
            bytes[position] = byte;
            if let Ok(log) = read(file.0, &bytes) {
                let archive = file.0.ends_with(".eval");
                let whole = read(file.0, &golden(file.0).1).unwrap();
                if archive {
                    // Sums see every change.
                    prop_assert_eq!(said(&log), said(&whole));
                } else {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    for record in &log.records {
                        // A pair is named by its systems, of which the id holds a sum.
                        let field = |name| record.fields.iter().find(|(own, _)| own == name).map(|(_, text)| text.as_str());
                        let parts: Vec<&str> = record.item.split('/').collect();
                        let item = match (field(super::super::pairs::SYSTEMS[0]), field(super::super::pairs::SYSTEMS[1])) {
                            (Some(a), Some(b)) if parts.len() > 1 => record.item.replacen(parts[1], &format!("{a}:{b}"), 1),
                            _ => record.item.clone(),
                        };
                        prop_assert!(is_named(&text, &item, file.1) || text.contains('\\'), "{item}");
                    }
                }
            }
        }
    }

    /// An answer to a batch request as the API writes it.
    fn line(item: &str, tokens: &[(String, f64)]) -> String {
        let entry = |(token, p): &(String, f64)| serde_json::json!({"token": token, "logprob": p.ln()});
        let mut first = entry(&tokens[0]);
        first["top_logprobs"] = tokens.iter().map(entry).collect();
        let choice = serde_json::json!({"message": {"content": tokens[0].0}, "logprobs": {"content": [first]}});
        let body = serde_json::json!({"object": "chat.completion", "model": "m", "choices": [choice]});
        serde_json::json!({"custom_id": item, "response": {"status_code": 200, "body": body}, "error": null})
            .to_string()
    }

    proptest! {
        /// What is written is read again: items, and the mass of each class.
        #[test]
        fn a_batch_survives_a_round_trip(
            rows in proptest::collection::btree_map(
                "[^\\s\u{0}]{1,8}", (0.0..1.0f64, 0.0..1.0f64, 0.01..1.0f64), 1..12,
            ),
        ) {
            let rows: Vec<_> = rows.into_iter().map(|(item, (a, b, rest))| {
                let sum = a + b + rest;
                (item, [a / sum, b / sum])
            }).collect();
            let text: String = rows.iter().map(|(item, [a, b])| {
                let tokens = [("yes".to_owned(), a.max(1e-9)), (" no".to_owned(), b.max(1e-9)), ("?".to_owned(), 1e-3)];
                line(item, &tokens) + "\n"
            }).collect();
            let files = [(PathBuf::from("b.jsonl"), text.as_bytes())];
            let logs = Logs::read(&LOGS[0], files.into_iter()).unwrap();
            let table = logs.table(LogRows::Judge(&classes(&["yes", "no"])), None).unwrap();
            prop_assert_eq!(table.rows().len(), rows.len());
            for (row, (item, shares)) in table.rows().zip(&rows) {
                prop_assert_eq!(row.id(), item);
                for (name, share) in ["p_yes", "p_no"].into_iter().zip(shares) {
                    let read = row.optional_number(table.column(name).unwrap()).unwrap().unwrap();
                    prop_assert!((read - share.max(1e-9)).abs() < 1e-9, "{read} {share}");
                }
            }
        }
    }
}
