//! The rules by name: one table for figures, running text, LaTeX, and what they rank real-valued ratings by.
//!
//! Keys in results are [`Rule::key`], plain words for terminals and dictionaries [`Rule::words`].

use judge_uncertainty_core::escalation::Rule;

/// A rule by its names.
#[derive(Debug, Clone, Copy)]
struct Names {
    rule: Rule,
    /// In figures, and in tables of a page.
    figure: &'static str,
    /// In running text.
    text: &'static str,
    /// In LaTeX.
    latex: &'static str,
    /// In the short table of LaTeX, which leaves out rules without such a name.
    latex_short: Option<&'static str>,
    /// What it ranks real-valued ratings by, where that is something else than its words say.
    ratings: Option<&'static str>,
    /// Whose rule it is, where it is the paper's own.
    origin: &'static str,
}

const NAMES: [Names; 15] = [
    Names {
        rule: Rule::Info,
        figure: "mutual information I",
        text: "I",
        latex: "ours: mutual information $I$",
        latex_short: Some("epistemic ($I$-ranking)"),
        ratings: Some("epistemic part Var(m)"),
        origin: " (ours)",
    },
    Names {
        rule: Rule::Delta,
        figure: "label value Δ",
        text: "Delta",
        latex: r"ours: label value $\Delta$ \emph{(planned headline)}",
        latex_short: None,
        ratings: None,
        origin: " (ours, planned headline)",
    },
    Names {
        rule: Rule::Spread,
        figure: "posterior spread v",
        text: "v",
        latex: "ours: posterior spread $v$",
        latex_short: None,
        ratings: Some("epistemic part Var(m)"),
        origin: " (ours)",
    },
    Names {
        rule: Rule::PosteriorEntropy,
        figure: "entropy, posterior",
        text: "the posterior's entropy",
        latex: "entropy (posterior)",
        latex_short: None,
        ratings: Some("total uncertainty, variance of a label"),
        origin: "",
    },
    Names {
        rule: Rule::JudgeEntropy,
        figure: "entropy, judge",
        text: "the judge's entropy",
        latex: "entropy (judge output)",
        latex_short: Some("entropy (total uncertainty)"),
        ratings: Some("the judge's variance"),
        origin: "",
    },
    Names {
        rule: Rule::LowConfidence,
        figure: "low stated confidence",
        text: "low stated confidence",
        latex: "verbalised confidence",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::FewestLabels,
        figure: "fewest labels first",
        text: "fewest labels",
        latex: "fewest-labels-first",
        latex_short: Some("fewest-labels-first"),
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::Random,
        figure: "random",
        text: "random",
        latex: "random",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::FewestLabelsByInfo,
        figure: "fewest labels, ties by I",
        text: "fewest labels, ties by I",
        latex: "fewest-labels-first, ties by $I$",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::Manhattan,
        figure: "Manhattan value, 1 label",
        text: "the Manhattan value of one label",
        latex: "Manhattan value, one label",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::ManhattanTen,
        figure: "Manhattan value, 10 labels",
        text: "the Manhattan value of ten labels",
        latex: "Manhattan value, ten labels",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::Margin,
        figure: "small margin, judge",
        text: "the judge's margin",
        latex: "margin (judge output)",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::ActiveLab,
        figure: "ActiveLab, as shipped",
        text: "ActiveLab as shipped",
        latex: "ActiveLab, as shipped",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::ActiveLabRepaired,
        figure: "ActiveLab, repaired",
        text: "ActiveLab repaired",
        latex: "ActiveLab, repaired",
        latex_short: None,
        ratings: None,
        origin: "",
    },
    Names {
        rule: Rule::Wasserstein,
        figure: "Wasserstein value, 1 label",
        text: "the Wasserstein value of one label",
        latex: "Wasserstein value, one label",
        latex_short: None,
        ratings: None,
        origin: "",
    },
];

fn names(rule: Rule) -> &'static Names {
    NAMES.iter().find(|names| names.rule == rule).expect("the table has every rule, as its test says")
}

/// A rule in figures, and in tables of a page.
pub fn in_figures(rule: Rule) -> &'static str {
    names(rule).figure
}

/// A rule as in figures, with whose it is.
pub fn with_origin(rule: Rule) -> String {
    format!("{}{}", names(rule).figure, names(rule).origin)
}

/// A rule in LaTeX: in the full table, and in the short one, which leaves out rules without a name.
pub fn in_latex(rule: Rule) -> (&'static str, Option<&'static str>) {
    (names(rule).latex, names(rule).latex_short)
}

/// What a rule ranks real-valued ratings by, in words.
pub fn of_ratings(rule: Rule) -> &'static str {
    names(rule).ratings.unwrap_or_else(|| rule.words())
}

/// A rule in running text.
pub fn in_text(rule: Rule) -> &'static str {
    names(rule).text
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
        for name in [|n: &Names| n.figure, |n: &Names| n.text, |n: &Names| n.latex] {
            assert_eq!(NAMES.iter().map(name).collect::<BTreeSet<_>>().len(), NAMES.len());
        }
    }
}
