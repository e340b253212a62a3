//! The prompts: tera templates that a user may edit, rendered per item and prompt variant, and hashed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tera::{Context, Tera};

use crate::Error;
use crate::task::{Item, Task};
use judge_uncertainty_formats::Error as DataError;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::FileError;
use judge_uncertainty_system::built_in;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// How many of 100 annotators would give each label.
    Distribution,
    /// One label, for its log-probabilities.
    Label,
    /// Mean and standard deviation of the annotators' scores.
    Score,
    /// How confident the judge is, 0 to 100.
    Confidence,
    /// The distribution again, with the labels in hand shown.
    Update,
}

impl Ask {
    /// Its name: second part of the name of its template.
    pub fn name(self) -> &'static str {
        match self {
            Ask::Distribution => "distribution",
            Ask::Label => "label",
            Ask::Score => "score",
            Ask::Confidence => "confidence",
            Ask::Update => "update",
        }
    }
}

/// The templates as they were when the program was built.
const BUILT_IN: [(&str, &str); 18] = built_in!["prompts/":
    "dice.confidence.txt.tera",
    "dice.distribution.txt.tera",
    "dice.item.txt.tera",
    "dice.label.txt.tera",
    "dice.update.txt.tera",
    "dice.variants.txt.tera",
    "nli.confidence.txt.tera",
    "nli.distribution.txt.tera",
    "nli.item.txt.tera",
    "nli.label.txt.tera",
    "nli.variants.txt.tera",
    "study.confidence.txt.tera",
    "study.distribution.txt.tera",
    "study.item.txt.tera",
    "study.label.txt.tera",
    "study.score.txt.tera",
    "study.update.txt.tera",
    "study.variants.txt.tera",
];

/// Folder that is used in place of the built-in templates if the working directory has it.
const FOLDER: &str = "templates/prompts";

/// The prompt templates of a task, parsed.
#[derive(Debug)]
pub struct Prompts {
    tera: Tera,
    set: &'static str,
    hashes: BTreeMap<String, String>,
}

impl Prompts {
    /// Templates of a task's set from a folder; without one, from `templates/prompts` if that exists here, else those
    /// built in.
    ///
    /// # Errors
    /// A template that is missing or malformed.
    pub fn load(folder: Option<&Path>, set: &'static str) -> Result<Self, Error> {
        let of_set = BUILT_IN.iter().filter(|(name, _)| name.split('.').next() == Some(set));
        let texts = built_in::texts(folder, FOLDER, of_set)
            .map_err(|FileError { path, source, .. }| DataError::Unreadable { file: path, source })?;
        let hashes = texts.iter().map(|(name, text)| ((*name).to_owned(), sha256_hex(text.as_bytes()))).collect();
        let mut tera = Tera::new();
        // Prompts are plain text.
        tera.autoescape_on(Vec::<&str>::new());
        tera.add_raw_templates(texts).map_err(Error::template(set))?;
        Ok(Prompts { tera, set, hashes })
    }

    /// SHA-256 of each template of the set, by file name.
    pub fn hashes(&self) -> &BTreeMap<String, String> {
        &self.hashes
    }

    /// The text that the judge gets for one item under one variant.
    ///
    /// # Errors
    /// A variant without wording, or a template that asks for something that the item does not have.
    pub fn render(&self, task: &Task, item: &Item, ask: Ask, variant: &str) -> Result<String, Error> {
        let name = format!("{}.{}.txt.tera", self.set, ask.name());
        let ends = Some(task.answers.range()).filter(|_| task.answers.is_numbers());
        let classes = task.classes();
        let counts = classes.iter().zip(&item.labels);
        let view = json!({
            "item": item.text,
            "variant": variant,
            "question": task.question,
            "classes": classes,
            // The JSON object to answer with, its numbers left open.
            "answer_form": answer_form(classes),
            "low": ends.map(|(low, _)| low),
            "high": ends.map(|(_, high)| high),
            "labels": counts.map(|(class, count)| json!({ "class": class, "count": count })).collect::<Vec<_>>(),
            "labels_total": item.labels.iter().sum::<u32>(),
        });
        let context = Context::from_serialize(&view).map_err(Error::template(&name))?;
        let text = self.tera.render(&name, &context).map_err(Error::template(&name))?;
        Ok(text.trim().to_owned())
    }
}

/// `{"red": ..., "green": ..., "blue": ...}`, or the form of a score.
fn answer_form(classes: &[String]) -> String {
    if classes.is_empty() {
        return "{\"mean\": ..., \"sd\": ...}".to_owned();
    }
    let pairs: Vec<String> =
        classes.iter().map(|class| format!("{}: ...", serde_json::Value::from(class.as_str()))).collect();
    format!("{{{}}}", pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_study::input::scale::Scale;

    fn prompts(set: &'static str) -> Prompts {
        Prompts::load(None, set).unwrap()
    }

    fn task(prompts: &'static str, answers: Scale) -> Task {
        Task::new("t".into(), prompts, "Is it kind?".into(), answers, vec![])
    }

    #[test]
    fn a_variant_without_wording_is_refused() {
        let classes = Scale::Classes(vec!["yes".into(), "no".into()]);
        let item = Item { id: "1".into(), text: BTreeMap::new(), labels: vec![], truth: None };
        let error = prompts("study").render(&task("study", classes), &item, Ask::Distribution, "rude").unwrap_err();
        let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
        let said: Vec<String> = causes.map(ToString::to_string).collect();
        assert!(said.iter().any(|text| text.contains("no such variant")), "{error}: {said:?}");
    }

    #[test]
    fn every_template_of_every_set_renders() {
        let counted: BTreeMap<String, String> = BTreeMap::from([("text".into(), "a {{ brace }} & \"quote\"".into())]);
        let item = |text| Item { id: "1".into(), text, labels: vec![3, 0], truth: None };
        let classes = Scale::Classes(vec!["yes".into(), "no".into()]);
        let study = task("study", classes);
        for ask in [Ask::Distribution, Ask::Label, Ask::Confidence, Ask::Update] {
            let text = prompts("study").render(&study, &item(counted.clone()), ask, "strict").unwrap();
            // The item's own text stands there as it is.
            assert!(text.contains("text: a {{ brace }} & \"quote\"") && text.contains("Is it kind?"), "{text}");
            assert_eq!(text.contains("yes 3, no 0"), ask == Ask::Update, "{text}");
        }
        let scores = task("study", Scale::Scores(1.0, 5.0));
        let text = prompts("study").render(&scores, &item(counted), Ask::Score, "neutral").unwrap();
        assert!(text.contains("from 1") && text.contains("{\"mean\": ..., \"sd\": ...}"), "{text}");
        let pair = BTreeMap::from([("premise".into(), "It rains.".into()), ("hypothesis".into(), "It is wet.".into())]);
        let nli = task("nli", Scale::Classes(["e", "n", "c"].map(String::from).to_vec()));
        for ask in [Ask::Distribution, Ask::Label, Ask::Confidence] {
            let text = prompts("nli").render(&nli, &item(pair.clone()), ask, "intuitive").unwrap();
            assert!(text.contains("It rains.") && text.contains("It is wet."), "{text}");
        }
    }
}
