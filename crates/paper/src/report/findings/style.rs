//! How a figure is printed.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::expression::Figure;
use crate::experiments::extended::confirmation::RegisteredComparison;
use crate::experiments::extended::contest::Contender;
use crate::report::contender::contender_in_text;
use crate::report::extended::{interval, judged, scaled};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_system::numbers::NumberStyle;

/// What is printed, and its digits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Style {
    kind: Form,
    number: NumberStyle,
    /// What the number is multiplied by first.
    times: f64,
    /// Rounded up to a whole number first.
    up: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Number,
    /// A mean with its 2.5 and 97.5 percentiles.
    Interval,
    /// A registered comparison with its simultaneous interval, and what it makes of the expectation.
    Judged,
    /// A rule by its name in running text.
    Rule,
    Text,
    /// Elements of a list.
    Count,
    /// How many items a budget takes of so many.
    Budget(Budget),
}

impl Style {
    /// Reads words such as `+1`, `,0`, `interval 2`, `judged +3`, `1 x100`, `,0 up`, `rule`, `text`, `count`, `budget b10`.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut style = Self { kind: Form::Number, number: NumberStyle::plain(0), times: 1.0, up: false };
        let mut digits = false;
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "interval" => style.kind = Form::Interval,
                "judged" => style.kind = Form::Judged,
                "rule" => style.kind = Form::Rule,
                "text" => style.kind = Form::Text,
                "count" => style.kind = Form::Count,
                "budget" => {
                    let key = words.next().unwrap_or_default().to_owned();
                    style.kind = Form::Budget(Budget::try_from(key)?);
                }
                "x100" => style.times = 100.0,
                "up" => style.up = true,
                number => {
                    let (plus, rest) = number.strip_prefix('+').map_or((false, number), |rest| (true, rest));
                    let (thousands, rest) = rest.strip_prefix(',').map_or((false, rest), |rest| (true, rest));
                    let decimals: i8 = rest.parse().map_err(|_| format!("`{word}` is not a style"))?;
                    style.number = NumberStyle { plus, thousands, ..NumberStyle::plain(decimals) };
                    digits = true;
                }
            }
        }
        let numeric = matches!(style.kind, Form::Number | Form::Interval | Form::Judged);
        match (numeric, digits) {
            (true, false) => Err(format!("the style `{text}` does not say how many decimals")),
            (false, true) => Err(format!("the style `{text}` has decimals that it does not use")),
            _ => Ok(style),
        }
    }

    /// The text of a figure; what it is instead of what the style asks for.
    pub(super) fn print(&self, figure: Figure) -> Result<String, &'static str> {
        let text = match self.kind {
            Form::Number => self.number.format(self.number(figure)?),
            Form::Interval => {
                interval(&scaled(&typed::<Summary>(figure, "have no mean with an interval")?, self.times), self.number)
            }
            Form::Judged => {
                judged(&typed::<RegisteredComparison>(figure, "have no registered comparison")?, self.number)
            }
            Form::Rule => contender_in_text(typed::<Contender>(figure, "have no rule")?).to_owned(),
            Form::Text => typed::<String>(figure, "have no text")?,
            Form::Count => typed::<Vec<Value>>(figure, "have no list")?.len().to_string(),
            // Counts of items are whole.
            Form::Budget(budget) => budget.of(self.number(figure)? as usize).to_string(),
        };
        Ok(text)
    }

    fn number(&self, figure: Figure) -> Result<f64, &'static str> {
        let value = match figure {
            Figure::Number(number) => number,
            Figure::At(Value::Null) => return Err("have a missing value"),
            Figure::At(value) => value.as_f64().ok_or("have no number")?,
        };
        let value = self.times * value;
        Ok(if self.up { value.ceil() } else { value })
    }
}

fn typed<T: DeserializeOwned>(figure: Figure, instead: &'static str) -> Result<T, &'static str> {
    match figure {
        Figure::At(value) => T::deserialize(value).map_err(|_| instead),
        Figure::Number(_) => Err(instead),
    }
}
