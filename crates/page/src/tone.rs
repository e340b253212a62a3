//! Whether a number or a verdict is good news, for colouring it.

use serde::Serialize;

/// What a number or a verdict means for the reader; words say it too, never colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// As it should be.
    Good,
    /// Acceptable, with a reason.
    Fair,
    /// Not as it should be.
    Bad,
    /// Neither.
    Neutral,
}
