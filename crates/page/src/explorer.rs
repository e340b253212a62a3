//! Items on a page: cards with small bars, and a drawing in which each is a dot.

use serde::Serialize;

/// The items of a page. It is whole without scripts, which only choose among what is there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explorer {
    /// Which items are here and how they are to be read.
    pub said: String,
    /// Rules to list them by, the one in use first.
    pub rules: Vec<MenuEntry>,
    /// Groups to choose among; none without groups.
    pub groups: Vec<GroupItems>,
    /// What the two bars of a card are.
    pub bars: [String; 2],
    /// The first items under the rule.
    pub first: Vec<CardView>,
    /// The others, in its order.
    pub others: Vec<CardView>,
    /// The drawing.
    pub scatter: Scatter,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MenuEntry {
    /// How the page knows it.
    pub key: String,
    /// What readers see.
    pub name: String,
}

/// A group with its first items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupItems {
    /// Anchor of its list.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Items of it on this page.
    pub shown: usize,
    /// Its first items under the rule: numbers of their cards, ids.
    pub first: Vec<MenuEntry>,
}

/// An item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CardView {
    /// Number of the card, unique in the page.
    pub number: usize,
    /// Id of the item.
    pub id: String,
    /// Its text.
    pub text: Option<String>,
    /// Whether the text goes on.
    pub cut: bool,
    /// What the judge answered, in words.
    pub answered: String,
    /// What it wrote beside that; blank where nothing is known of it.
    pub transcript: String,
    /// What annotators said who skipped it or commented on it.
    pub remarks: Vec<String>,
    /// Its group.
    pub group: Option<String>,
    /// Labels held, in words.
    pub labels: String,
    /// Judge and belief.
    pub bars: Vec<Bar>,
    /// Both parts and the trust, in words.
    pub parts: String,
    /// Why it stands here, in words.
    pub why: Vec<String>,
    /// Its places under the rules, `key:place` separated by blanks.
    pub ranks: String,
    /// Its place under the rule in use.
    pub place: usize,
    /// Where its dot lies.
    pub dot: Dot,
}

/// A pair of bars, in percent of the width.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    /// What they are about: a class, or the scale.
    pub name: String,
    /// The judge's.
    pub judge: Track,
    /// The belief's.
    pub belief: Track,
    /// Labels held here: of a class their number, on a scale nothing.
    pub held: String,
    /// Labels on a scale, in percent of the width.
    pub marks: Vec<f64>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Track {
    /// Where it begins.
    pub from: f64,
    /// How long it is.
    pub width: f64,
    /// Its number.
    pub text: String,
}

/// A dot, in units of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Dot {
    /// From the left.
    pub x: f64,
    /// From above.
    pub y: f64,
}

/// Axes of the drawing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scatter {
    /// Width and height.
    pub size: [f64; 2],
    /// Left, right, top and bottom of the field.
    pub field: [f64; 4],
    /// Ticks below: place and number.
    pub across: Vec<ScatterTick>,
    /// Ticks on the left.
    pub up: Vec<ScatterTick>,
    /// Names of the axes.
    pub names: [String; 2],
    /// What it shows, in words.
    pub description: String,
}

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScatterTick {
    /// Where it stands.
    pub at: f64,
    /// Its number.
    pub text: String,
}

/// An axis from 0 to the largest of some values, with four to eight ticks at round numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScatterAxis {
    step: f64,
    end: f64,
    from: f64,
    to: f64,
}

impl ScatterAxis {
    /// An axis drawn from place `from` to place `to`.
    pub fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let most = values.fold(0.0, f64::max);
        let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        let power = 10f64.powi((most / 4.0).log10().floor() as i32);
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).rfind(|step| most / step >= 4.0).unwrap_or(power);
        Self { step, end: step * (most / step).ceil(), from, to }
    }

    /// Where a value lies, rounded to a tenth of a unit.
    pub fn at(&self, value: f64) -> f64 {
        ((self.from + (self.to - self.from) * value / self.end) * 10.0).round() / 10.0
    }

    /// The ticks.
    pub fn ticks(&self) -> Vec<ScatterTick> {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        let count = (self.end / self.step).round() as usize;
        (0..=count)
            .map(|k| {
                let value = self.step * k as f64;
                ScatterTick { at: self.at(value), text: format!("{value:.decimals$}") }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers_beyond_all_values() {
        for (most, end, last) in
            [(0.69, 0.7, "0.7"), (0.043, 0.05, "0.05"), (7.3, 8.0, "8"), (130.0, 140.0, "140"), (0.0, 1.0, "1.0")]
        {
            let axis = ScatterAxis::over([most].into_iter(), 0.0, 100.0);
            assert!((axis.end - end).abs() < 1e-9, "{most}: {axis:?}");
            let ticks = axis.ticks();
            assert!((4..=11).contains(&ticks.len()), "{ticks:?}");
            assert_eq!(
                (ticks[0].at, ticks[ticks.len() - 1].at, ticks[ticks.len() - 1].text.as_str()),
                (0.0, 100.0, last)
            );
        }
    }
}
