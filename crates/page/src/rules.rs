//! The rules by name: one table for figures, and for what they rank real-valued ratings by.
//!
//! Keys in results are [`Rule::key`], plain words for terminals and dictionaries [`Rule::words`].

use judge_uncertainty_core::escalation::Rule;

/// A rule by its names.
#[derive(Debug, Clone, Copy)]
struct Names {
    rule: Rule,
    /// In figures, and in tables of a page.
    figure: &'static str,
    /// What it ranks real-valued ratings by, where that is something else than its words say.
    ratings: Option<&'static str>,
}

const NAMES: [Names; 15] = [
    Names { rule: Rule::Info, figure: "mutual information I", ratings: Some("epistemic part Var(m)") },
    Names { rule: Rule::Delta, figure: "label value Δ", ratings: None },
    Names { rule: Rule::Spread, figure: "posterior spread v", ratings: Some("epistemic part Var(m)") },
    Names {
        rule: Rule::PosteriorEntropy,
        figure: "entropy, posterior",
        ratings: Some("total uncertainty, variance of a label"),
    },
    Names { rule: Rule::JudgeEntropy, figure: "entropy, judge", ratings: Some("the judge's variance") },
    Names { rule: Rule::LowConfidence, figure: "low stated confidence", ratings: None },
    Names { rule: Rule::FewestLabels, figure: "fewest labels first", ratings: None },
    Names { rule: Rule::Random, figure: "random", ratings: None },
    Names { rule: Rule::FewestLabelsByInfo, figure: "fewest labels, ties by I", ratings: None },
    Names { rule: Rule::Manhattan, figure: "Manhattan value, 1 label", ratings: None },
    Names { rule: Rule::ManhattanTen, figure: "Manhattan value, 10 labels", ratings: None },
    Names { rule: Rule::Margin, figure: "small margin, judge", ratings: None },
    Names { rule: Rule::ActiveLab, figure: "ActiveLab, as shipped", ratings: None },
    Names { rule: Rule::ActiveLabRepaired, figure: "ActiveLab, repaired", ratings: None },
    Names { rule: Rule::Wasserstein, figure: "Wasserstein value, 1 label", ratings: None },
];

fn names(rule: Rule) -> &'static Names {
    NAMES.iter().find(|names| names.rule == rule).expect("the table has every rule, as its test says")
}

/// A rule in figures, and in tables of a page.
pub fn in_figures(rule: Rule) -> &'static str {
    names(rule).figure
}

/// What a rule ranks real-valued ratings by, in words.
pub fn of_ratings(rule: Rule) -> &'static str {
    names(rule).ratings.unwrap_or_else(|| rule.words())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_one_row_and_a_name_of_its_own() {
        let all = Rule::PAPER.into_iter().chain(Rule::BEYOND).chain(Rule::ORDINAL).collect::<BTreeSet<Rule>>();
        let rows = NAMES.iter().map(|names| names.rule).collect::<BTreeSet<Rule>>();
        assert_eq!((all, NAMES.len()), (rows.clone(), rows.len()));
        assert_eq!(NAMES.iter().map(|names| names.figure).collect::<BTreeSet<_>>().len(), NAMES.len());
    }
}
