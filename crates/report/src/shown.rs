//! How a kind of label is shown.

use super::lines::Line;
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::headline;
use judge_uncertainty_page::{Block, Section};
use judge_uncertainty_study::results::{FitReport, InputReport, StudyResults};
use judge_uncertainty_study::{Evaluation, Kind};

/// The words for a kind of label.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    /// What a page of such a study is about.
    pub lead: &'static str,
    /// What a rule ranks by, in a line of a terminal.
    pub rule_words: fn(Rule) -> &'static str,
    /// What a rule is called in tables and figures.
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
    /// What the truth of the evaluation is, and what the oracle, which knows it, would remove of the error, `{oracle}`,
    /// and of the squared error, `{squared}`.
    pub oracle: &'static str,
    /// Width of the column of rules on a terminal.
    pub rule_width: usize,
}

/// A kind of label with what readers are shown of it.
pub trait Shown: Kind {
    /// Its words.
    const WORDS: Vocabulary;
    /// Rules that evaluations have and readers are not shown, because they rank as others do.
    const LEFT_OUT: &'static [Rule] = &[];

    /// What the epistemic part is called where items are drawn: in legends and headings, and within a sentence.
    fn epistemic() -> [&'static str; 2] {
        ["epistemic variance", "the epistemic variance"]
    }

    /// What the judge's own uncertainty is called there.
    fn judged() -> [&'static str; 2] {
        ["variance, judge", "the judge's own variance"]
    }

    /// What the markers of figures tell of the rules.
    fn markers(_rules: &[Rule]) -> &'static str {
        ""
    }

    /// What labels can be, and what was found in the files of the judge and of the labels.
    fn input_rows(input: &InputReport<Self>) -> Vec<(&'static str, String)>;

    /// Coefficients that the labels do not tell from others, by name.
    fn unidentified(fit: &FitReport<Self>) -> Vec<String> {
        fit.coefficients.iter().filter(|c| !c.identified).map(|c| c.feature.clone()).collect()
    }

    /// Sentences on the fit.
    fn fit_sentences(_fit: &FitReport<Self>) -> Vec<String> {
        vec![]
    }

    /// The map from the judge's prediction to the belief, where it is one of the ladder.
    fn map(_fit: &Self::FitReport) -> Option<MapName> {
        None
    }

    /// What the section on the trust adds to the paragraph on the fit.
    fn fit_remark(_fit: &FitReport<Self>) -> String {
        String::new()
    }

    /// What that section shows before the coefficients.
    fn fit_blocks(_fit: &FitReport<Self>) -> Vec<Block> {
        vec![]
    }

    /// Sentences on the decomposition.
    fn findings_sentences(_results: &StudyResults<Self>) -> Vec<String> {
        vec![]
    }

    /// Further sentences on the evaluation.
    fn evaluation_sentences(_evaluation: &Evaluation) -> Vec<String> {
        vec![]
    }

    /// What the section on the decomposition shows before the groups of items.
    fn decomposition_blocks(_results: &StudyResults<Self>) -> Vec<Block> {
        vec![]
    }

    /// Sections between the decomposition and what escalation achieves.
    fn sections(_results: &StudyResults<Self>, _figures: &[Figure]) -> Vec<Section> {
        vec![]
    }

    /// Figures of the decomposition, besides the parts item by item.
    fn decomposition_figures(_results: &StudyResults<Self>) -> Vec<Figure> {
        vec![]
    }

    /// Figures of the beliefs against labels that they have not seen.
    fn belief_figures(_results: &StudyResults<Self>) -> Vec<Figure> {
        vec![]
    }

    /// Where the section on what escalation achieves sends readers for more.
    fn elsewhere(_evaluation: &Evaluation) -> Option<Block> {
        None
    }
}

/// The rules of an evaluation that readers are shown, highest value first.
pub(super) fn shown_rules<K: Shown>(evaluation: &Evaluation) -> Vec<Rule> {
    let budget = headline(&evaluation.full);
    let value = &evaluation.full.value;
    let mut rules: Vec<Rule> = value.keys().copied().filter(|rule| !K::LEFT_OUT.contains(rule)).collect();
    rules.sort_by(|a, b| value[b][&budget].mean.total_cmp(&value[a][&budget].mean));
    rules
}

/// Lines of plain sentences.
pub(super) fn said(sentences: Vec<String>) -> impl Iterator<Item = Line> {
    sentences.into_iter().map(Line::Sentence)
}
