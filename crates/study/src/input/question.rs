//! What annotators are asked about an item, and what they answer.

use serde::Serialize;

use judge_uncertainty_formats::error::Problem;

/// What annotators are asked about an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// One of these classes.
    Classes(Vec<String>),
    /// A number between two ends.
    Score {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

/// What a label says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LabelValue {
    /// The position of a class.
    Class(usize),
    /// A number between the ends of the scale.
    Score(f64),
}

impl Question {
    /// Names of the classes; none for scores.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Classes(classes) => classes,
            Self::Score { .. } => &[],
        }
    }

    /// Whether an annotator may answer it several times for an item: scores can be repeated, classes can't.
    pub fn allows_repeats(&self) -> bool {
        matches!(self, Self::Score { .. })
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// No class of the question; no number, or one outside the scale.
    pub fn parse(&self, text: &str) -> Result<LabelValue, Problem> {
        match self {
            Self::Classes(classes) => {
                let unknown = || Problem::NotOneOf { value: text.to_owned(), allowed: classes.clone() };
                let class = classes.iter().position(|class| class == text).ok_or_else(unknown)?;
                Ok(LabelValue::Class(class))
            }
            Self::Score { low, high } => match text.trim().parse::<f64>() {
                Ok(value) if (*low..=*high).contains(&value) => Ok(LabelValue::Score(value)),
                Ok(value) if value.is_finite() => Err(Problem::OutOfRange { value, low: *low, high: *high }),
                _ => Err(Problem::NotANumber { value: text.to_owned() }),
            },
        }
    }

    /// An answer as a file holds it.
    ///
    /// # Panics
    /// If the answer is a class that this question does not offer.
    pub fn text(&self, value: LabelValue) -> String {
        match value {
            LabelValue::Class(class) => self.classes()[class].clone(),
            LabelValue::Score(score) => score.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_written_as_they_were_read() {
        let choice = Question::Classes(["no", "yes"].map(str::to_owned).to_vec());
        assert_eq!(choice.parse("yes"), Ok(LabelValue::Class(1)));
        assert_eq!(choice.text(LabelValue::Class(1)), "yes");
        assert!(matches!(choice.parse("Yes"), Err(Problem::NotOneOf { .. })));
        let score = Question::Score { low: 0.0, high: 10.0 };
        assert_eq!(score.parse(" 7.50 "), Ok(LabelValue::Score(7.5)));
        assert_eq!(score.text(LabelValue::Score(7.5)), "7.5");
        assert_eq!(score.parse("11"), Err(Problem::OutOfRange { value: 11.0, low: 0.0, high: 10.0 }));
        assert!(matches!(score.parse("NaN"), Err(Problem::NotANumber { .. })));
    }
}
