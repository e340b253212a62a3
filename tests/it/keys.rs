//! The keys of `study.toml` and their reference page: what `docs/keys.md` says is made from here.

use std::collections::BTreeSet;
use std::fmt::Write;

use judge_uncertainty::study::input::config::StudyConfig;

/// A key.
struct Key {
    /// The table in which it stands, empty above all tables; `[judge]` and `[labels]` of studies of scores have keys of
    /// their own, `judge of scores` and `labels of scores`.
    table: &'static str,
    /// Its name.
    name: &'static str,
    /// The type of its value.
    kind: &'static str,
    /// What holds without it; empty where it must be given or means nothing.
    default: &'static str,
    /// A value.
    example: &'static str,
    /// What it means.
    meaning: &'static str,
}

macro_rules! keys {
    ($($table:literal {
        $($name:literal: $kind:literal, $default:literal, $example:literal, $meaning:literal;)+
    })+) => {
        /// Every key.
        const KEYS: &[Key] = &[$($(Key {
            table: $table, name: $name, kind: $kind, default: $default, example: $example, meaning: $meaning,
        },)+)+];
    };
}

keys! {
    "" {
        "title": "text", "", "\"Messages to a support desk\"", "What the study is called in its report.";
        "classes": "list of texts", "", "[\"no\", \"yes\"]", "The classes that labels can be; or `places` or `scale`.";
        "places": "list of numbers", "", "[1, 2, 3, 4, 5]", "The steps of the scale on which labels stand, ascending.";
        "scale": "two numbers", "", "[0, 100]", "The ends between which labels are numbers.";
        "criterion": "table", "", "{ name = \"helpful\" }", "The criterion of a rubric that the study is about.";
        "instruction": "text", "", "\"Is the answer right?\"", "What annotators are told wherever the queue is \
            labelled.";
        "seed": "whole number", "0", "7", "Seed of all random draws; 0 gives the streams of the paper.";
        "unmatched": "`refuse` or `leave_out`", "refuse", "\"leave_out\"", "What happens to ids that one file has and \
            another lacks.";
        "made_from": "file", "", "\"log.json\"", "The note of the logs that the tables were made from.";
        "audited": "table", "", "{ columns = { verdict = [\"llm\"], human = [\"anna\"] } }", "How `audit` read the \
            table that the study was made from: `apply` reads further ones alike.";
    }
    "items" {
        "file": "file or list of files", "", "\"items.csv\"", "The items.";
        "format": "text", "as the file's name ends", "\"csv\"", "The layout of the file.";
        "id": "column", "id", "\"uid\"", "The ids.";
        "text": "text", "", "\"{question}\"", "What experts read, with columns in braces.";
        "group": "column", "", "\"topic\"", "The group of an item; results are told by group.";
        "system": "column", "", "\"model\"", "Which system made what is judged; the answer compares systems.";
        "pair": "two columns", "", "[\"model_a\", \"model_b\"]", "The two systems of an item, whose answers labels \
            compare; results rank them.";
        "sides": "two columns", "", "[\"answer_a\", \"answer_b\"]", "The two answers in the text; annotators see them \
            in random order.";
        "compare": "list of columns", "[]", "[\"n_tokens\"]", "Numbers on which the judge's bias may depend.";
        "transcript": "column", "", "\"judge_reason\"", "What the judge wrote; annotators do not see it.";
        "drawn": "`random` or `unknown`", "unknown", "\"random\"", "How the items that your own files label were \
            chosen.";
        "probability": "column", "", "\"chance\"", "The probability with which an item was chosen to be labelled.";
        "item": "column", "", "\"document\"", "What a row is about, where several rows are about one thing.";
        "cluster": "column", "", "\"conversation\"", "Which rows share a cause; intervals go over these.";
        "numbers": "list of columns", "[]", "[\"words\"]", "Numbers that the trust may depend on.";
        "multilabel": "list of texts", "[]", "[\"irony\"]", "The labels of a LeWiDi file whose annotators may give \
                                                             several.";
        "categories": "list of columns", "[]", "[\"topic\"]", "Categories that the trust may depend on.";
    }
    "judge" {
        "file": "file or list of files", "", "\"judge.csv\"", "The judge's answers, a row each.";
        "format": "text", "as the file's name ends", "\"jsonl\"", "The layout of the file.";
        "id": "column", "id", "\"uid\"", "The ids.";
        "kind": "`probabilities`, `counts` or `labels`", "", "\"labels\"", "What an answer is.";
        "columns": "text", "{class}", "\"p_{class}\"", "How the columns of the classes are called.";
        "label": "column", "label", "\"verdict\"", "The answer, where `kind = \"labels\"`; a blank cell is a failed \
                                                    one.";
        "variant": "column", "", "\"prompt\"", "The variant of the prompt, or the model, that gave an answer.";
        "variants": "list of texts", "[]", "[\"a\", \"b\"]", "The variants, where `columns` has `{variant}`.";
        "swapped": "column", "", "\"order\"", "Whether two answers were shown in the other order, 1 or 0.";
        "mirror": "two classes", "", "[\"A\", \"B\"]", "The classes that change places where two answers are swapped.";
        "confidence": "column", "", "\"confidence\"", "How sure the judge says it is.";
        "confidence_range": "two numbers", "[0, 100]", "[0, 1]", "The lowest and the highest confidence.";
        "floor": "number", "0.005", "0.01", "Probabilities below are raised to this.";
        "least_mass": "number", "0.9", "0.5", "Answers with less mass on the classes are warned about.";
    }
    "judge of scores" {
        "file": "file or list of files", "", "\"judge.csv\"", "The judge's answers, a row each.";
        "format": "text", "as the file's name ends", "\"csv\"", "The layout of the file.";
        "id": "column", "id", "\"uid\"", "The ids.";
        "mean": "column", "mean", "\"score\"", "The score that the judge expects.";
        "sd": "column", "", "\"sd\"", "The standard deviation that it expects.";
        "variant": "column", "", "\"prompt\"", "The variant of the prompt, or the model.";
    }
    "labels" {
        "file": "file or list of files", "", "\"labels.csv\"", "The labels.";
        "format": "text", "as the file's name ends", "\"csv\"", "The layout of the file.";
        "id": "column", "id", "\"uid\"", "The ids.";
        "form": "`long` or `counts`", "", "\"long\"", "A row per label, or a row per item with a count per class.";
        "columns": "text", "{class}", "\"n_{class}\"", "How the columns of counts are called.";
        "annotator": "column", "annotator", "\"who\"", "Who gave the label.";
        "label": "column", "label", "\"answer\"", "The label.";
    }
    "labels of scores" {
        "file": "file or list of files", "", "\"labels.csv\"", "The ratings, a row each.";
        "format": "text", "as the file's name ends", "\"csv\"", "The layout of the file.";
        "id": "column", "id", "\"uid\"", "The ids.";
        "annotator": "column", "annotator", "\"who\"", "Who gave the rating.";
        "score": "column", "score", "\"rating\"", "The rating.";
    }
    "trust" {
        "features": "list of names", "all but log_labels", "[\"spread\"]", "What the trust may depend on.";
        "belief": "text", "auto", "\"published\"", "How predictions are read: by a map that labels choose, or as in \
                                                    the paper (then the default: `prior = \"none\"`).";
        "prior": "`weak` or `none`", "weak", "\"none\"", "What is believed of the trust before any label.";
        "at_least": "table", "", "{ agreement = 0.8 }", "What the judge has to reach to be relied on, by ids of findings.";
        "carry_from": "folder", "", "\"../first/run\"", "The run of another study from whose trust this one starts.";
    }
    "familiarity" {
        "embeddings": "file", "", "\"embeddings.npy\"", "Embeddings of the items; without it their texts are embedded.";
        "model": "folder or name", "all-MiniLM-L6-v2", "\"models/my-model\"", "The sentence model.";
        "cache": "folder", "embedding-cache", "\"cache\"", "Where embeddings are kept.";
        "neighbours": "whole number", "10", "5", "Labelled neighbours whose mean distance is a feature.";
        "engine": "`exact` or `hnsw`", "exact", "\"hnsw\"", "How neighbours are found.";
        "count_itself": "true or false", "false", "true", "Whether a labelled item is a neighbour of itself, as in the \
                                                           paper.";
    }
    "evaluation" {
        "replicates": "whole number", "200", "0", "Half splits; 0 for no evaluation.";
        "budgets": "list of percentages", "[1, 5, 10, 20]", "[5, 10]", "Budgets, in percent of the items.";
        "reveal": "list of whole numbers", "[0, 1, 2, 5, 10]", "[0, 1]", "Labels that an item may hold before \
            escalation.";
        "least_labels": "whole number", "20", "10", "Labels that an item must have to be evaluated.";
    }
}

/// Whether a key of a kind's own table is among those of the table.
fn is_above(key: &Key) -> bool {
    let table = key.table.split_once(" of ").map(|(table, _)| table);
    table.is_some_and(|table| KEYS.iter().any(|other| other.table == table && other.name == key.name))
}

fn code(key: &Key) -> String {
    format!("`{}`", key.name)
}

/// The reference as Markdown.
fn reference() -> String {
    let mut text =
        "# Keys of study.toml\n\nMade from the program by `cargo test keys`; `judge-uncertainty study init` \
                    writes a commented example.\n"
            .to_owned();
    let mut last = None;
    for key in KEYS {
        if last != Some(key.table) {
            let title = match key.table {
                "" => "Above all tables".to_owned(),
                table => match table.split_once(" of ") {
                    Some((table, labels)) => format!("`[{table}]` of studies of {labels}"),
                    None => format!("`[{table}]`"),
                },
            };
            let same: Vec<String> =
                KEYS.iter().filter(|other| other.table == key.table && is_above(other)).map(code).collect();
            let same = if same.is_empty() { String::new() } else { format!("As above: {}.\n\n", same.join(", ")) };
            let head = "| key | type | default | example | meaning |\n|---|---|---|---|---|";
            writeln!(text, "\n## {title}\n\n{same}{head}").expect("a string takes all");
            last = Some(key.table);
        }
        if is_above(key) {
            continue;
        }
        let Key { name, kind, default, example, meaning, .. } = key;
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        writeln!(text, "| `{name}` | {kind} | {default} | `{name} = {example}` | {meaning} |")
            .expect("a string takes all");
    }
    text
}

/// The keys that a reader names when it is given one that it does not know.
fn known(error: &str) -> BTreeSet<String> {
    let list = error.split("expected ").nth(1).unwrap_or_else(|| panic!("{error}"));
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn asked(table: &str, of_scores: bool) -> BTreeSet<String> {
    let head = if of_scores { "title = \"t\"\nscale = [0, 1]\n" } else { "title = \"t\"\nclasses = [\"a\", \"b\"]\n" };
    let text =
        if table.is_empty() { format!("{head}nonsense = 1\n") } else { format!("{head}[{table}]\nnonsense = 1\n") };
    known(StudyConfig::from_toml(&text).unwrap_err().message())
}

#[test]
fn every_key_that_is_read_is_in_the_reference() {
    let listed = |table: &str| -> BTreeSet<String> {
        KEYS.iter().filter(|key| key.table == table).map(|key| key.name.to_owned()).collect()
    };
    for table in ["items", "judge", "labels", "trust", "familiarity", "evaluation"] {
        assert_eq!(listed(table), asked(table, false), "{table}");
    }
    for table in ["judge", "labels"] {
        assert_eq!(listed(&format!("{table} of scores")), asked(table, true), "{table}");
    }
    let mut above = asked("", false);
    above.extend(asked("", true));
    above.insert("places".to_owned());
    above.retain(|key| !["items", "judge", "labels", "trust", "familiarity", "evaluation"].contains(&key.as_str()));
    assert_eq!(listed(""), above);
}

/// The page is the reference; `INSTA_UPDATE=always` writes it anew.
#[test]
fn keys_are_documented_as_they_are() {
    let page = crate::support::repository("docs/keys.md");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&page, reference()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(page).unwrap(), reference());
}
