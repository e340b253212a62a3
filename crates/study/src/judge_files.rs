//! Which judge a study's trust belongs to: sums of its files, and of the prompts that made them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::input::config::{Configured, StudyFile, TableConfig};
use judge_uncertainty_data::dataset::checksum::{read_file, sha256_hex};

/// What `judge run` writes beside its predictions.
const SUMMARY: &str = "summary.json";

/// The judge that a trust was fitted to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeFiles {
    /// SHA-256 of each of its files, in the order of the configuration.
    pub files: Vec<String>,
    /// SHA-256 of each prompt template by name, where `judge run` made the predictions; empty otherwise.
    #[serde(default)]
    pub prompts: BTreeMap<String, String>,
    /// The model that `judge run` asked.
    #[serde(default)]
    pub model: Option<String>,
}

impl JudgeFiles {
    /// Reads the sums of a study's judge. What can't be read is left out: the study's reader has refused it, or there is no
    /// summary.
    pub fn of<C: Configured>(file: &StudyFile<C>) -> Self {
        let paths = file.resolve_all(file.config.judge.files());
        let files = paths.iter().filter_map(|path| read_file(path).ok()).map(|bytes| sha256_hex(&bytes)).collect();
        let summary = paths.first().and_then(|path| read_file(&path.with_file_name(SUMMARY)).ok());
        let summary: Option<Value> = summary.and_then(|text| serde_json::from_slice(&text).ok());
        let ours = |summary: &Value| summary["program"].as_str().is_some_and(|by| by.starts_with("judge-uncertainty "));
        let summary = summary.filter(ours);
        let prompts = summary.as_ref().and_then(|summary| summary["templates"].as_object());
        let text = |(name, sum): (&String, &Value)| Some((name.clone(), sum.as_str()?.to_owned()));
        Self {
            files,
            prompts: prompts.map(|prompts| prompts.iter().filter_map(text).collect()).unwrap_or_default(),
            model: summary.and_then(|summary| summary["model"].as_str().map(str::to_owned)),
        }
    }

    /// What differs from another judge, in words; `None` where nothing does.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let changed = [
            (self.files != other.files).then_some("the predictions"),
            (self.prompts != other.prompts).then_some("the prompts"),
            (self.model != other.model).then_some("the model"),
        ];
        let changed: Vec<&str> = changed.into_iter().flatten().collect();
        (!changed.is_empty()).then(|| changed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_named() {
        let judge = |file: &str, prompt: &str| JudgeFiles {
            files: vec![file.to_owned()],
            prompts: [("plain".to_owned(), prompt.to_owned())].into(),
            model: None,
        };
        assert_eq!(judge("a", "b").differs(&judge("a", "b")), None);
        assert_eq!(judge("a", "b").differs(&judge("c", "d")).unwrap(), "the predictions, the prompts");
    }
}
