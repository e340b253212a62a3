//! How a belief reads further items: the columns of their table.

use serde::{Deserialize, Serialize};

use crate::input::judge::StudyJudge;
use crate::input::scale::Scale;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::entropy;

/// Of so many classes the judge's shares are watched for drift.
const MOST_SHARES: usize = 50;

/// The judge's answers to every item, by name, from which drift is measured.
pub fn said(scale: &Scale, judge: &StudyJudge) -> Vec<(String, Vec<Option<f64>>)> {
    let column = |k: usize| judge.predictions.column(k).iter().copied().map(Some).collect::<Vec<_>>();
    if scale.is_numbers() {
        let sds = judge.variances.iter().map(|variance| variance.map(f64::sqrt)).collect();
        return vec![("judge_mean".to_owned(), column(0)), ("judge_sd".to_owned(), sds)];
    }
    let entropies = judge.predictions.rows().into_iter().map(|q| Some(entropy(row(q)))).collect();
    let shares =
        scale.classes().iter().enumerate().take(MOST_SHARES).map(|(k, class)| (format!("q_{class}"), column(k)));
    std::iter::once(("judge_entropy".to_owned(), entropies)).chain(shares).collect()
}

/// The columns of a table where judge and labels stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowColumns {
    /// Per variant, the column of each class, or the one of the expected mean.
    pub answers: Vec<Vec<String>>,
    /// Per variant, the column of the expected standard deviation, where judges state one.
    pub deviations: Vec<Option<String>>,
    /// The columns of the stated confidence: one, or one for each variant.
    pub confidence: Vec<String>,
    /// The column of each class, or the one of the ratings; none where the table has no labels.
    pub labels: Vec<String>,
}

impl RowColumns {
    /// The columns as they are called for a judge with these `variants`; of the confidence those that may be there.
    pub fn new(scale: &Scale, variants: &[String], names: &InputColumns) -> Self {
        let only = [String::new()];
        let variants = if variants.is_empty() { &only } else { variants };
        let classes = if scale.is_numbers() { &only } else { scale.classes() };
        let of_classes = |pattern: &str, variant: &str| -> Vec<String> {
            classes.iter().map(|class| filled(pattern, variant, class)).collect()
        };
        let deviation = |variant| names.deviations.as_ref().map(|pattern| filled(pattern, variant, ""));
        let confidence = |name: &String| {
            let pattern = if name.contains("{variant}") { name.clone() } else { format!("{name}_{{variant}}") };
            let of_variants = variants.iter().map(move |variant| filled(&pattern, variant, ""));
            of_variants.chain([name.clone()]).collect::<Vec<_>>()
        };
        Self {
            answers: variants.iter().map(|variant| of_classes(&names.answers, variant)).collect(),
            deviations: variants.iter().map(|variant| deviation(variant)).collect(),
            confidence: names.confidence.iter().flat_map(confidence).collect(),
            labels: of_classes(&names.labels, ""),
        }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.answers
            .iter()
            .flatten()
            .chain(self.deviations.iter().flatten())
            .chain(&self.labels)
            .chain(&self.confidence)
    }
}

/// A pattern with its places filled in.
fn filled(pattern: &str, variant: &str, class: &str) -> String {
    pattern.replace("{variant}", variant).replace("{class}", class)
}

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
        let known =
            "id, answers, deviations, confidence, labels, group or embedding, or what `audit` takes, such as verdict";
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
    fn columns_follow_their_patterns() {
        let of = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let mut names = InputColumns::new(None, "{variant}_{class}".to_owned(), "n_{class}".to_owned(), None);
        names.confidence = Some("sure".to_owned());
        let columns = RowColumns::new(&Scale::Classes(of(&["now", "later"])), &of(&["brief", "long"]), &names);
        assert_eq!(columns.answers, [["brief_now", "brief_later"], ["long_now", "long_later"]]);
        assert_eq!(
            (columns.labels, columns.confidence),
            (of(&["n_now", "n_later"]), of(&["sure_brief", "sure_long", "sure"]))
        );
        let mut names = InputColumns::new(None, "mean".to_owned(), "ratings".to_owned(), None);
        names.deviations = Some("sd".to_owned());
        let columns = RowColumns::new(&Scale::Scores(0.0, 1.0), &[], &names);
        assert_eq!(columns.all().collect::<Vec<_>>(), ["mean", "sd", "ratings"]);
    }

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
