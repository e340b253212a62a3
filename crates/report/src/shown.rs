//! What readers are shown of a study, by what its labels are.

use super::ratings;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_page::figures::{budgets, headline};
use judge_uncertainty_page::{Block, Note, Text};
use judge_uncertainty_study::model::study::OwnFindings;
use judge_uncertainty_study::results::StudyResults;
use judge_uncertainty_study::results::parts::PartAverages;
use judge_uncertainty_study::{Evaluation, Scale};
use serde::Serialize;

/// The words for labels of one sort.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Vocabulary {
    /// What a page of such a study is about.
    pub lead: &'static str,
    /// What a rule ranks by, in a line of a terminal.
    #[serde(skip)]
    pub rule_words: fn(Rule) -> &'static str,
    /// What a rule is called in tables and figures.
    #[serde(skip)]
    pub rule_name: fn(Rule) -> &'static str,
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
    pub left_out: &'static [Rule],
}

impl Vocabulary {
    /// The words for labels on this scale.
    pub fn of(scale: &Scale) -> &'static Self {
        match scale {
            Scale::Classes(_) => &CLASSES,
            Scale::Places(_) => &PLACES,
            Scale::Scores(..) => &NUMBERS,
        }
    }
}

const CLASSES: Vocabulary = Vocabulary {
    lead: "How much of the judge's uncertainty is disagreement among experts, how much is ignorance that labels \
           cure, and which items to send to experts first.",
    rule_words: Rule::words,
    rule_name: |rule| rule.row().in_studies(),
    labels: "labels",
    prediction: "prediction",
    unit: "nats",
    decomposition: "groups",
    reference: "the judge's entropy",
    short_reference: "judge entropy",
    error: "Manhattan error (0 to 2 per item)",
    units: "Manhattan units",
    removed: "Error",
    difference: "minus judge entropy's, other draws [95%, new items]",
    oracle: "Half of an item's labels are its truth. The oracle, which knows it, would remove {oracle} on average; \
             the error is the Manhattan distance of belief and truth, 0 to 2.",
    squared: ["", ""],
    rule_width: 36,
    epistemic: ["epistemic part", "the epistemic part"],
    judged: ["judge entropy", "the judge's entropy"],
    left_out: &[],
};

const PLACES: Vocabulary = Vocabulary {
    lead: "How much of the variance of a rating is disagreement among annotators, how much is the judge's \
           ignorance, which labels cure, and which items to send to annotators first.",
    rule_words: |rule| rule.row().words_on_scale(),
    rule_name: |rule| rule.row().words_on_scale(),
    labels: "ratings",
    prediction: "prediction",
    unit: "squared units of the scale",
    decomposition: "decomposition",
    reference: "the judge's variance",
    short_reference: "judge's variance",
    error: "Wasserstein error on the places",
    units: "units of the scale",
    removed: "Wasserstein error",
    difference: "minus the judge's variance, other draws [95%, new items]",
    oracle: "Half of an item's labels are its truth; the error is the Wasserstein distance of belief and truth on \
             the places, in units of the scale. The oracle, which knows the truth, would remove {oracle} on \
             average ({squared} of the squared error of the mean place). results/study.json holds every budget, \
             the differences to other rules, and the same with the number of labels as the only feature.",
    squared: ["squared error of the mean place", "the judge's variance does"],
    rule_width: 52,
    epistemic: ["epistemic variance", "the epistemic variance"],
    judged: ["variance, judge", "the judge's own variance"],
    left_out: &[],
};

const NUMBERS: Vocabulary = Vocabulary {
    lead: "How much of the variance of a score is disagreement among annotators, how much is the judge's \
           ignorance, which labels cure, and which items to send to annotators first.",
    rule_words: |rule| rule.row().words_on_scale(),
    rule_name: |rule| rule.row().words_on_scale(),
    labels: "ratings",
    prediction: "mean score",
    unit: "squared units of the score",
    decomposition: "decomposition",
    reference: "total uncertainty",
    short_reference: "total",
    error: "absolute error of the mean score",
    units: "units of the score",
    removed: "Absolute error",
    difference: "minus total uncertainty's, other draws [95%, new items]",
    oracle: "The mean of half of an item's annotators is its truth; the error is the absolute difference of the \
             belief's mean from it, in units of the score. The oracle, which knows the truth, would remove \
             {oracle} on average ({squared} of the squared error). results/study.json holds every budget, the \
             differences to other rules, and the same with the number of labels as the only feature.",
    squared: ["squared error", "total uncertainty does"],
    rule_width: 40,
    epistemic: ["epistemic variance", "the epistemic variance"],
    judged: ["variance, judge", "the judge's own variance"],
    // It ranks scores as I does.
    left_out: &[Rule::Spread],
};

/// The parts of the variance of labels on a scale.
pub(super) fn parts(results: &StudyResults) -> Option<&PartAverages> {
    match &results.findings {
        OwnFindings::Ratings(findings) => Some(&findings.decomposition),
        OwnFindings::Classes(findings) => findings.decomposition.as_ref(),
    }
}

/// What the section on the decomposition shows before the groups of items.
pub(super) fn decomposition_blocks(results: &StudyResults) -> Vec<Block> {
    let Some(parts) = parts(results) else { return vec![] };
    let table = Block::Table(ratings::parts_table(parts, Vocabulary::of(&results.input.scale).unit));
    let together = results.input.scale.is_numbers() && parts.within_annotators.is_none();
    std::iter::once(table).chain(together.then(|| Block::Prose(ratings::TOGETHER.into()))).collect()
}

/// Where the section on what escalation achieves sends readers for more.
pub(super) fn elsewhere(evaluation: &Evaluation, scale: &Scale) -> Option<Block> {
    if scale.has_order() {
        return None;
    }
    let text = format!(
        "`results/study.json` holds all {} budgets, the differences to fewest-labels-first, and the same with the \
         number of labels as the only feature.",
        budgets(&evaluation.full).len()
    );
    Some(Block::Note(Note { summary: "Other budgets".to_owned(), text: Text::marked(&text) }))
}

/// The rules of an evaluation that readers are shown, highest value first.
pub(super) fn shown_rules(evaluation: &Evaluation, words: &Vocabulary) -> Vec<Rule> {
    let budget = headline(&evaluation.full);
    let value = &evaluation.full.value;
    let mut rules: Vec<Rule> = value.keys().copied().filter(|rule| !words.left_out.contains(rule)).collect();
    rules.sort_by(|a, b| value[b][&budget].mean.total_cmp(&value[a][&budget].mean));
    rules
}
