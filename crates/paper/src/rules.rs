//! The rules that the paper compares, and the names that only the paper uses.
//!
//! A rule that studies gain is not added here: the paper's results hold these rules and no others, under the keys of
//! [`Rule::key`].

use judge_uncertainty_core::escalation::Rule;

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

/// A rule in LaTeX: in the full table, and in the short one, which leaves out rules without a name.
pub(crate) fn in_latex(rule: Rule) -> (&'static str, Option<&'static str>) {
    match rule {
        Rule::Info => ("ours: mutual information $I$", Some("epistemic ($I$-ranking)")),
        Rule::Delta => (r"ours: label value $\Delta$ \emph{(planned headline)}", None),
        Rule::Spread => ("ours: posterior spread $v$", None),
        Rule::PosteriorEntropy => ("entropy (posterior)", None),
        Rule::JudgeEntropy => ("entropy (judge output)", Some("entropy (total uncertainty)")),
        Rule::LowConfidence => ("verbalised confidence", None),
        Rule::FewestLabels => ("fewest-labels-first", Some("fewest-labels-first")),
        other => (other.key(), None),
    }
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
