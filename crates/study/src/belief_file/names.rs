//! How the columns of further items are called.

use serde::{Deserialize, Serialize};

/// The columns of a table with one row per item. `{class}` stands for a class and `{variant}` for a variant of the
/// judge's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputColumns {
    /// The id of an item.
    pub id: String,
    /// The judge's answers: a weight per class, or the expected mean of the ratings.
    pub answers: String,
    /// The expected standard deviation of the ratings; `None` where such judges state none.
    pub deviations: Option<String>,
    /// The stated confidence, on the scale of the study; `None` where the study has none.
    pub confidence: Option<String>,
    /// Human labels, of which a table may have none: a count per class, or the ratings of an item as a list.
    pub labels: String,
    /// The group of an item; `None` where the study has none.
    pub group: Option<String>,
    /// The embedding of an item, a list of numbers, which takes the place of its text.
    pub embedding: String,
}

/// Name of a column of embeddings.
const EMBEDDING: &str = "embedding";

impl InputColumns {
    /// Their names, where an answer stands in the column `answers` and labels in `labels`.
    pub fn new(id: Option<&str>, answers: String, labels: String, group: Option<&str>) -> Self {
        Self {
            id: id.unwrap_or("id").to_owned(),
            answers,
            deviations: None,
            confidence: None,
            labels,
            group: group.map(str::to_owned),
            embedding: EMBEDDING.to_owned(),
        }
    }

    /// These names with one replaced, as `key=NAME` says, such as `answers=share_{class}`.
    ///
    /// # Errors
    /// No such key, in words.
    pub fn set(&mut self, change: &str) -> Result<(), String> {
        let known = "id, answers, deviations, confidence, labels, group or embedding";
        let Some((key, name)) = change.split_once('=').filter(|(_, name)| !name.is_empty()) else {
            return Err(format!("{change:?} names no column: write KEY=NAME, where KEY is {known}"));
        };
        let name = name.to_owned();
        match key {
            "id" => self.id = name,
            "answers" => self.answers = name,
            "deviations" => self.deviations = Some(name),
            "confidence" => self.confidence = Some(name),
            "labels" => self.labels = name,
            "group" => self.group = Some(name),
            "embedding" => self.embedding = name,
            _ => return Err(format!("{key:?} is not a kind of column: write KEY=NAME, where KEY is {known}")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_renamed_by_their_keys() {
        let mut columns = InputColumns::new(None, "p_{class}".to_owned(), "n_{class}".to_owned(), None);
        columns.set("answers=q=1_{class}").unwrap();
        assert_eq!((columns.answers.as_str(), columns.id.as_str()), ("q=1_{class}", "id"));
        for wrong in ["answers", "answers=", "answer=x"] {
            assert!(columns.set(wrong).unwrap_err().contains("KEY=NAME"));
        }
    }
}
