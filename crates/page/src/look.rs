//! One table of looks: a rule or a judge has the same colour, dashes and marker in every figure.

pub use judge_uncertainty_figures::look::{Colour, Dash, Look, Marker};

use judge_uncertainty_core::escalation::Rule;

/// Total uncertainty.
pub const TOTAL: Look = Look::new(Colour::INK, Dash::Solid, Marker::Square);
/// Aleatoric uncertainty.
pub const ALEATORIC: Look = Look::new(Colour::ORANGE, Dash::Dashed, Marker::OpenTriangle);
/// Epistemic uncertainty; the colour of the rule that ranks by it.
pub const EPISTEMIC: Look = Look::new(Colour::BLUE, Dash::Solid, Marker::Disc);
/// A known truth that estimates should meet.
pub const TRUTH: Look = Look::new(Colour::INK, Dash::Dotted, Marker::None);
/// A line that says where nothing happens, such as a difference of 0.
pub const NOTHING: Look = Look::new(Colour::GREY, Dash::Short, Marker::None);
/// Items that are not marked.
pub const REST: Look = Look::new(Colour::PALE, Dash::Solid, Marker::Dot);
/// A series that needs no telling apart.
pub const PLAIN: Look = Look::new(Colour::BLUE, Dash::Solid, Marker::Disc);

/// Look of a rule under a second condition: its colour, with another line, and a marker that shows around the other.
pub const fn of_rule_elsewhere(rule: Rule) -> Look {
    Look::new(of_rule(rule).colour, Dash::Dashed, Marker::Circle)
}

/// Look of a rule. The paper's rules have filled markers, all others open ones.
pub const fn of_rule(rule: Rule) -> Look {
    match rule {
        Rule::Info => Look::new(Colour::BLUE, Dash::Solid, Marker::Disc),
        Rule::Delta => Look::new(Colour::VERMILLION, Dash::DashDot, Marker::Square),
        Rule::Spread => Look::new(Colour::GREEN, Dash::Dashed, Marker::Triangle),
        Rule::PosteriorEntropy => Look::new(Colour::PURPLE, Dash::DashDot, Marker::OpenDiamond),
        Rule::JudgeEntropy => Look::new(Colour::ORANGE, Dash::Dashed, Marker::OpenTriangle),
        Rule::LowConfidence => Look::new(Colour::SKY, Dash::Dotted, Marker::OpenSquare),
        Rule::FewestLabels => Look::new(Colour::INK, Dash::Short, Marker::Ring),
        Rule::Random => Look::new(Colour::GREY, Dash::Dotted, Marker::Cross),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rules_differ_in_colour_and_in_marker_alone() {
        let rules = Rule::those(|_| true);
        let looks: Vec<Look> = rules.iter().map(|&rule| of_rule(rule)).collect();
        let markers: BTreeSet<String> = looks.iter().map(|l| format!("{:?}", l.marker)).collect();
        let colours: BTreeSet<String> = looks.iter().map(|l| l.colour.hex()).collect();
        assert_eq!((markers.len(), colours.len()), (rules.len(), rules.len()));
    }
}
