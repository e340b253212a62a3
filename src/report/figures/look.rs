//! One table of looks: the same colour, dashes and marker for the same thing in every figure.
//!
//! Colours are those of Okabe and Ito (Color Universal Design, 2008), which readers with any common colour blindness tell
//! apart; yellow, too pale on paper, is replaced by grey. Dashes and markers carry the same difference without colour.

use crate::escalation::Rule;

/// A colour, as sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// Text, axes and the first of all lines.
    pub const INK: Self = Self([0x1a, 0x1a, 0x1a]);
    /// Background of open markers.
    pub const PAPER: Self = Self([255, 255, 255]);
    pub(super) const GRID: Self = Self([0xdd, 0xdd, 0xdd]);
    const GREY: Self = Self([0x7a, 0x7a, 0x7a]);
    const PALE: Self = Self([0xb4, 0xb4, 0xb4]);
    const ORANGE: Self = Self([0xe6, 0x9f, 0x00]);
    const SKY: Self = Self([0x56, 0xb4, 0xe9]);
    const GREEN: Self = Self([0x00, 0x9e, 0x73]);
    const BLUE: Self = Self([0x00, 0x72, 0xb2]);
    const VERMILLION: Self = Self([0xd5, 0x5e, 0x00]);
    const PURPLE: Self = Self([0xcc, 0x79, 0xa7]);

    /// `#rrggbb`.
    pub fn hex(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Lightness as the eye weighs it, 0 (black) to 1 (white): Rec. 709 weights of the stored values.
    pub fn luma(self) -> f64 {
        let [r, g, b] = self.0.map(f64::from);
        (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255.0
    }

    /// Colour of a heat map at a share 0 to 1: dark blue to pale yellow, its lightness rising evenly, so that it reads in
    /// grey. Stops after the colour map cividis (Nuñez, Anderton and Renslow, PLOS ONE 2018).
    pub fn of_share(share: f64) -> Self {
        const STOPS: [[u8; 3]; 5] = [[0, 34, 78], [66, 78, 108], [124, 123, 120], [187, 174, 108], [254, 232, 56]];
        let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
        let below = (place as usize).min(STOPS.len() - 2);
        let part = place - below as f64;
        let mix = |k: usize| {
            let (a, b) = (f64::from(STOPS[below][k]), f64::from(STOPS[below + 1][k]));
            (a + part * (b - a)).round() as u8
        };
        Self([mix(0), mix(1), mix(2)])
    }
}

/// Form of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// No marker.
    None,
    /// A small dot without outline, for clouds.
    Dot,
    /// A disc.
    Disc,
    /// A wide circle with nothing inside, to stand around another marker.
    Circle,
    /// A ring.
    Ring,
    /// A filled square.
    Square,
    /// An open square.
    OpenSquare,
    /// A filled triangle.
    Triangle,
    /// An open triangle on its tip.
    OpenTriangle,
    /// An open diamond.
    OpenDiamond,
    /// Two crossing strokes.
    Cross,
}

/// Line pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dash, dot.
    DashDot,
    /// Short dashes.
    Short,
}

impl Dash {
    /// Lengths of strokes and gaps, in points; empty for an unbroken line.
    pub const fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[5.0, 2.0],
            Self::Dotted => &[1.0, 1.8],
            Self::DashDot => &[5.0, 1.8, 1.0, 1.8],
            Self::Short => &[2.5, 1.5],
        }
    }
}

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Colour of line, marker and band.
    pub colour: Colour,
    /// Line pattern.
    pub dash: Dash,
    /// Marker.
    pub marker: Marker,
}

impl Look {
    const fn new(colour: Colour, dash: Dash, marker: Marker) -> Self {
        Self { colour, dash, marker }
    }

    /// Total uncertainty.
    pub const TOTAL: Self = Self::new(Colour::INK, Dash::Solid, Marker::Square);
    /// Aleatoric uncertainty.
    pub const ALEATORIC: Self = Self::new(Colour::ORANGE, Dash::Dashed, Marker::OpenTriangle);
    /// Epistemic uncertainty; the colour of the rule that ranks by it.
    pub const EPISTEMIC: Self = Self::new(Colour::BLUE, Dash::Solid, Marker::Disc);
    /// A known truth that estimates should meet.
    pub const TRUTH: Self = Self::new(Colour::INK, Dash::Dotted, Marker::None);
    /// A line that says where nothing happens, such as a difference of 0.
    pub const NOTHING: Self = Self::new(Colour::GREY, Dash::Short, Marker::None);
    /// Items that are not marked.
    pub const REST: Self = Self::new(Colour::PALE, Dash::Solid, Marker::Dot);
    /// A hypothesis that was confirmed.
    pub const CONFIRMED: Self = Self::new(Colour::GREEN, Dash::Solid, Marker::Disc);
    /// A hypothesis that was refuted.
    pub const REFUTED: Self = Self::new(Colour::VERMILLION, Dash::Solid, Marker::OpenTriangle);
    /// A hypothesis that stays open.
    pub const INCONCLUSIVE: Self = Self::new(Colour::GREY, Dash::Solid, Marker::Ring);
    /// A bound that an estimate is held against.
    pub const BOUND: Self = Self::new(Colour::INK, Dash::Solid, Marker::Cross);
    /// A series that needs no telling apart.
    pub const PLAIN: Self = Self::new(Colour::BLUE, Dash::Solid, Marker::Disc);

    /// The paper's belief, where beliefs are compared.
    pub const PUBLISHED: Self = Self::new(Colour::INK, Dash::Short, Marker::Ring);
    /// The recalibrated belief.
    pub const RECALIBRATED: Self = Self::new(Colour::BLUE, Dash::Solid, Marker::Disc);
    /// The recalibrated belief as it was planned.
    pub const PLANNED: Self = Self::new(Colour::ORANGE, Dash::Dashed, Marker::OpenTriangle);
    /// The belief from which a world was drawn.
    pub const TRUE_BELIEF: Self = Self::new(Colour::GREY, Dash::Dotted, Marker::Cross);
    /// ActiveLab's ranking.
    pub const ACTIVE_LAB: Self = Self::new(Colour::ORANGE, Dash::DashDot, Marker::Cross);
    /// The ceiling: ranking by the true value of a label.
    pub const ORACLE: Self = Self::new(Colour::INK, Dash::Solid, Marker::OpenDiamond);
    /// Around the marker of an expectation that was confirmed.
    pub const AROUND_CONFIRMED: Self = Self::new(Colour::INK, Dash::Solid, Marker::Circle);
    /// Across the marker of an expectation that was refuted.
    pub const ACROSS_REFUTED: Self = Self::new(Colour::INK, Dash::Solid, Marker::Cross);

    /// Look of a rule under a second condition: its colour, with another line, and a
    /// marker that shows around the other.
    pub const fn of_rule_elsewhere(rule: Rule) -> Self {
        Self::new(Self::of_rule(rule).colour, Dash::Dashed, Marker::Circle)
    }

    /// Look of a rule. The paper's rules have filled markers, all others open ones.
    pub const fn of_rule(rule: Rule) -> Self {
        match rule {
            Rule::Info => Self::new(Colour::BLUE, Dash::Solid, Marker::Disc),
            Rule::Delta => Self::new(Colour::VERMILLION, Dash::DashDot, Marker::Square),
            Rule::Spread => Self::new(Colour::GREEN, Dash::Dashed, Marker::Triangle),
            Rule::PosteriorEntropy => Self::new(Colour::PURPLE, Dash::DashDot, Marker::OpenDiamond),
            Rule::JudgeEntropy => Self::new(Colour::ORANGE, Dash::Dashed, Marker::OpenTriangle),
            Rule::LowConfidence => Self::new(Colour::SKY, Dash::Dotted, Marker::OpenSquare),
            Rule::FewestLabels => Self::new(Colour::INK, Dash::Short, Marker::Ring),
            Rule::Random => Self::new(Colour::GREY, Dash::Dotted, Marker::Cross),
            // Beyond the paper: the marker of a kin rule, in the colour that tells the two apart.
            Rule::FewestLabelsByInfo => Self::new(Colour::BLUE, Dash::Short, Marker::Ring),
            Rule::Manhattan => Self::new(Colour::GREEN, Dash::Solid, Marker::Square),
            Rule::ManhattanTen => Self::new(Colour::PURPLE, Dash::Solid, Marker::Triangle),
            Rule::Margin => Self::new(Colour::SKY, Dash::Dashed, Marker::OpenDiamond),
            // Never beside v, which ordinal ratings are not ranked by.
            Rule::Wasserstein => Self::new(Colour::GREEN, Dash::Solid, Marker::Triangle),
        }
    }
}

/// Name of a rule in figures.
pub const fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Info => "mutual information I",
        Rule::Delta => "label value Δ",
        Rule::Spread => "posterior spread v",
        Rule::PosteriorEntropy => "entropy, posterior",
        Rule::JudgeEntropy => "entropy, judge",
        Rule::LowConfidence => "low stated confidence",
        Rule::FewestLabels => "fewest labels first",
        Rule::Random => "random",
        Rule::FewestLabelsByInfo => "fewest labels, ties by I",
        Rule::Manhattan => "Manhattan value, 1 label",
        Rule::ManhattanTen => "Manhattan value, 10 labels",
        Rule::Margin => "small margin, judge",
        Rule::Wasserstein => "Wasserstein value, 1 label",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rules_differ_in_colour_and_in_marker_alone() {
        for rules in [Rule::PAPER, Rule::ORDINAL] {
            let looks = rules.map(Look::of_rule);
            let markers: BTreeSet<String> = looks.iter().map(|l| format!("{:?}", l.marker)).collect();
            let colours: BTreeSet<String> = looks.iter().map(|l| l.colour.hex()).collect();
            assert_eq!((markers.len(), colours.len()), (rules.len(), rules.len()));
        }
    }

    #[test]
    fn the_heat_map_gets_lighter_all_the_way() {
        let lightness: Vec<f64> = (0..=20).map(|k| Colour::of_share(f64::from(k) / 20.0).luma()).collect();
        assert!(lightness.windows(2).all(|pair| pair[1] > pair[0] + 0.01), "{lightness:?}");
    }
}
