//! The rules that the paper and the experiment beyond it compare: a frozen list, with the names that only the paper
//! uses.
//!
//! A rule that studies gain is not added here. The paper's results hold these rules and no others, under the keys of
//! [`Rule::key`], and `extended.json` is read by them.

use judge_uncertainty_core::escalation::Rule;

use serde::{Deserialize, Serialize};

/// Everything that competes: the rules and the ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Contender {
    /// A rule.
    Rule(Rule),
    /// Ranks by the true value of a label: the ceiling.
    Oracle,
}

impl Contender {
    /// Key in results, e.g. `fewest_labels`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.key(),
            Self::Oracle => "oracle",
        }
    }
}

impl From<Contender> for String {
    fn from(contender: Contender) -> Self {
        contender.key().to_owned()
    }
}

impl TryFrom<String> for Contender {
    type Error = String;

    fn try_from(key: String) -> Result<Self, Self::Error> {
        CONTENDERS.into_iter().find(|c| c.key() == key).ok_or_else(|| format!("`{key}` is not an escalation rule"))
    }
}

/// The rules of the paper, in the order in which its experiments evaluate them, which is part of the random stream.
pub const PAPER: [Rule; 8] = [
    Rule::Info,
    Rule::Delta,
    Rule::Spread,
    Rule::PosteriorEntropy,
    Rule::JudgeEntropy,
    Rule::LowConfidence,
    Rule::FewestLabels,
    Rule::Random,
];

/// Everything that the experiment beyond the paper compares: the paper's rules, six more, and the oracle.
pub const CONTENDERS: [Contender; 15] = [
    Contender::Rule(Rule::Info),
    Contender::Rule(Rule::Delta),
    Contender::Rule(Rule::Spread),
    Contender::Rule(Rule::PosteriorEntropy),
    Contender::Rule(Rule::JudgeEntropy),
    Contender::Rule(Rule::LowConfidence),
    Contender::Rule(Rule::FewestLabels),
    Contender::Rule(Rule::Random),
    Contender::Rule(Rule::FewestLabelsByInfo),
    Contender::Rule(Rule::Manhattan),
    Contender::Rule(Rule::ManhattanTen),
    Contender::Rule(Rule::Margin),
    Contender::Rule(Rule::ActiveLab),
    Contender::Rule(Rule::ActiveLabRepaired),
    Contender::Oracle,
];

/// Names of a rule in running text and in LaTeX, and in the short table of LaTeX, which leaves out rules without one.
const NAMES: [(Rule, &str, &str, Option<&str>); 14] = [
    (Rule::Info, "I", "ours: mutual information $I$", Some("epistemic ($I$-ranking)")),
    (Rule::Delta, "Delta", r"ours: label value $\Delta$ \emph{(planned headline)}", None),
    (Rule::Spread, "v", "ours: posterior spread $v$", None),
    (Rule::PosteriorEntropy, "the posterior's entropy", "entropy (posterior)", None),
    (Rule::JudgeEntropy, "the judge's entropy", "entropy (judge output)", Some("entropy (total uncertainty)")),
    (Rule::LowConfidence, "low stated confidence", "verbalised confidence", None),
    (Rule::FewestLabels, "fewest labels", "fewest-labels-first", Some("fewest-labels-first")),
    (Rule::Random, "random", "random", None),
    (Rule::FewestLabelsByInfo, "fewest labels, ties by I", "fewest-labels-first, ties by $I$", None),
    (Rule::Manhattan, "the Manhattan value of one label", "Manhattan value, one label", None),
    (Rule::ManhattanTen, "the Manhattan value of ten labels", "Manhattan value, ten labels", None),
    (Rule::Margin, "the judge's margin", "margin (judge output)", None),
    (Rule::ActiveLab, "ActiveLab as shipped", "ActiveLab, as shipped", None),
    (Rule::ActiveLabRepaired, "ActiveLab repaired", "ActiveLab, repaired", None),
];

/// A rule in LaTeX: in the full table, and in the short one, which leaves out rules without a name.
pub(crate) fn in_latex(rule: Rule) -> (&'static str, Option<&'static str>) {
    NAMES.iter().find(|row| row.0 == rule).map_or((rule.key(), None), |row| (row.2, row.3))
}

/// A rule as in figures, with whose it is.
pub(crate) fn with_origin(rule: Rule) -> String {
    let origin = match rule {
        Rule::Info | Rule::Spread => " (ours)",
        Rule::Delta => " (ours, planned headline)",
        _ => "",
    };
    format!("{}{origin}", rule.row().figure)
}

/// What competes, in running text.
pub(crate) fn in_text(contender: Contender) -> &'static str {
    match contender {
        Contender::Rule(rule) => NAMES.iter().find(|row| row.0 == rule).map_or(rule.key(), |row| row.1),
        Contender::Oracle => "the oracle",
    }
}

/// What competes, in figures.
pub(crate) fn contender_in_figures(contender: Contender) -> &'static str {
    match contender {
        Contender::Rule(rule) => rule.row().figure,
        Contender::Oracle => "oracle",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::artifact::Results;
    use crate::experiments::Experiment;

    /// What the committed results hold. A rule that is added to those of studies leaves it as it is.
    const KEYS: &str = "info delta v posterior_entropy judge_entropy low_confidence fewest_labels random \
                        fewest_labels_by_info manhattan manhattan_ten margin active_lab active_lab_repaired oracle";

    #[test]
    fn the_lists_are_frozen_and_the_committed_results_are_read_by_them() {
        assert_eq!(CONTENDERS.map(Contender::key).join(" "), KEYS);
        assert_eq!(CONTENDERS[..PAPER.len()], PAPER.map(Contender::Rule));
        assert_eq!(NAMES.map(|row| Contender::Rule(row.0)), CONTENDERS[..14]);
        for key in KEYS.split(' ') {
            assert_eq!(Contender::try_from(key.to_owned()).unwrap().key(), key);
        }
        // A rule of studies that the experiment did not compare is none of its contenders.
        assert!(Contender::try_from(Rule::Wasserstein.key().to_owned()).is_err());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../artifact/results/extended.json");
        let text = std::fs::read(&file).unwrap();
        let results = Results::parse(Experiment::Extended, &file, &text).unwrap();
        let values = &results.extended.as_ref().unwrap().exploration.beliefs.values().next().unwrap().value;
        let mut compared = CONTENDERS;
        compared.sort();
        assert!(values.keys().eq(&compared));
        assert_eq!(results.to_json(Experiment::Extended).unwrap().as_bytes(), text);
    }
}
