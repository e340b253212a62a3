//! A finding: one sentence, how far it carries, and where its figures are.

use serde::{Deserialize, Serialize};

use crate::experiments::extended::confirmation::Judgement;

/// How far a finding carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// Registered, and its simultaneous interval lies where it was expected.
    Confirmed,
    /// Registered, and not confirmed.
    NotConfirmed,
    /// Registered, and its simultaneous interval lies on the other side.
    Refuted,
    /// Not registered.
    Exploratory,
    /// About worlds whose truth is known.
    Simulated,
}

impl FindingStatus {
    /// Name for a reader.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::Refuted => "refuted",
            Self::Exploratory => "exploratory",
            Self::Simulated => "known truth",
        }
    }
}

impl From<Judgement> for FindingStatus {
    fn from(outcome: Judgement) -> Self {
        match outcome {
            Judgement::Confirmed => Self::Confirmed,
            Judgement::Refuted => Self::Refuted,
            Judgement::Suggested | Judgement::Open | Judgement::Doubted => Self::NotConfirmed,
        }
    }
}

/// One sentence that can be quoted, with where its figures are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Short name.
    pub id: String,
    /// How far it carries.
    pub status: FindingStatus,
    /// The sentence.
    pub sentence: String,
    /// Path of the figures below `results` in `results/extended.json`.
    pub evidence: String,
}
