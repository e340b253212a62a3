//! What readers are shown of a study, by what its labels are.

use super::prose::paragraph;
use super::ratings;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_page::figures::{budgets, headline};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Note};
use judge_uncertainty_study::results::StudyResults;
use judge_uncertainty_study::{Evaluation, Scale};
use judge_uncertainty_system::built_in;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use tera::{Context, context};

/// The words for labels of one sort.
#[derive(Debug, Serialize, Deserialize)]
pub struct Vocabulary {
    /// Whether labels have places on a scale.
    pub on_scale: bool,
    /// What a page of such a study is about.
    pub lead: &'static str,
    /// What human labels are called.
    pub labels: &'static str,
    /// What the judge gives, as in "a typical ... of the judge".
    pub prediction: &'static str,
    /// Unit of the decomposition.
    pub unit: &'static str,
    /// Anchor of the section on the decomposition.
    pub decomposition: &'static str,
    /// What the rule that others are compared with ranks by.
    pub reference: &'static str,
    /// That rule in a line of a terminal.
    pub short_reference: &'static str,
    /// The error that escalation removes, as figures call it.
    pub error: &'static str,
    /// Its units.
    pub units: &'static str,
    /// How a sentence about removed error begins.
    pub removed: &'static str,
    /// Heading of the column of differences.
    pub difference: &'static str,
    /// What counts as true in the evaluation, and the error that the oracle, which knows it, would remove, `{oracle}`,
    /// and of the squared error, `{squared}`.
    pub oracle: &'static str,
    /// The squared error, and what the rule that others are compared with removes of it, in a sentence; blank for classes,
    /// which have none.
    pub squared: [&'static str; 2],
    /// Width of the column of rules on a terminal.
    pub rule_width: usize,
    /// What the epistemic part is called where items are drawn: in legends and headings, and within a sentence.
    pub epistemic: [&'static str; 2],
    /// What the judge's own uncertainty is called there.
    pub judged: [&'static str; 2],
    /// Rules that evaluations have and readers are not shown, because they rank as others do.
    pub left_out: Vec<Rule>,
}

/// The words for labels of every sort.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Words {
    classes: Vocabulary,
    places: Vocabulary,
    numbers: Vocabulary,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let [(_, text)] = built_in!["study/": "words.json"];
    serde_json::from_str(text).expect("the words are tested")
});

impl Vocabulary {
    /// The words for labels on this scale.
    pub fn of(scale: &Scale) -> &'static Self {
        match scale {
            Scale::Classes(_) => &WORDS.classes,
            Scale::Places(_) => &WORDS.places,
            Scale::Scores(..) => &WORDS.numbers,
        }
    }

    /// What a rule ranks by, in a line of a terminal.
    pub fn rule_words(&self, rule: Rule) -> &'static str {
        if self.on_scale { rule.row().words_on_scale() } else { rule.words() }
    }

    /// What a rule is called in tables and figures.
    pub fn rule_name(&self) -> fn(Rule) -> &'static str {
        if self.on_scale { |rule| rule.row().words_on_scale() } else { |rule| rule.row().in_studies() }
    }
}

/// What the section on the decomposition shows before the groups of items.
pub(super) fn decomposition_blocks(results: &StudyResults) -> Result<Vec<Block>, Error> {
    let Some(parts) = results.findings.decomposition.as_ref() else { return Ok(vec![]) };
    let mut blocks = vec![Block::Table(ratings::parts_table(parts, Vocabulary::of(&results.input.scale).unit)?)];
    if results.input.scale.is_numbers() && parts.within_annotators.is_none() {
        blocks.push(Block::Prose(paragraph("together", Context::new())?));
    }
    Ok(blocks)
}

/// Where the section on what escalation achieves sends readers for more.
pub(super) fn elsewhere(evaluation: &Evaluation, scale: &Scale) -> Result<Option<Block>, Error> {
    if scale.has_order() {
        return Ok(None);
    }
    let text = paragraph("budgets", context! { budgets => &budgets(&evaluation.full).len() })?;
    Ok(Some(Block::Note(Note { summary: "Other budgets".to_owned(), text })))
}

/// The rules of an evaluation that readers are shown, highest value first.
pub(super) fn shown_rules(evaluation: &Evaluation, words: &Vocabulary) -> Vec<Rule> {
    let budget = headline(&evaluation.full);
    let value = &evaluation.full.value;
    let mut rules: Vec<Rule> = value.keys().copied().filter(|rule| !words.left_out.contains(rule)).collect();
    rules.sort_by(|a, b| value[b][&budget].mean.total_cmp(&value[a][&budget].mean));
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_labels_has_its_words() {
        let Words { classes, places, numbers } = &*WORDS;
        assert_eq!([classes, places, numbers].map(|words| words.labels), ["labels", "ratings", "ratings"]);
        assert_eq!([classes, places, numbers].map(|words| words.on_scale), [false, true, true]);
        // It ranks scores as I does.
        assert_eq!(numbers.left_out, [Rule::Spread]);
        assert!(places.oracle.contains("{oracle}") && places.oracle.contains("{squared}"));
    }
}
