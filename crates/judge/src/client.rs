//! The trait that every judge implements, and its result: an answer, or the reason why the answer is missing.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::parse::Failure;
use crate::request::JudgeRequest;

/// A judge: answers a question or says why not.
pub trait Judge: Sync {
    /// Host name of the endpoint, without anything else of its address.
    fn host(&self) -> &str;

    /// Asks once.
    ///
    /// # Errors
    /// The request got no answer.
    fn ask(&self, request: &JudgeRequest) -> Result<Answer, Trouble>;
}

/// What the judge answered, stored as it arrived. An answer without text has a failure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Text of the answer, or the reply in its place.
    pub raw: Option<String>,
    /// Why the reply holds no answer; whether an answer's text can be understood is decided when it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What the endpoint said about a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The model that answered, as the endpoint names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served_model: Option<String>,
    /// Why the answer ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Tokens that the endpoint counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenUsage>,
    /// Bytes of the reply, where `raw` is not the whole text that arrived.
    #[serde(skip)]
    pub arrived: Option<usize>,
    /// Tokens listed for the first position with their natural log-probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_tokens: Option<Vec<(String, f64)>>,
}

/// Tokens of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Of the prompt.
    pub prompt: u64,
    /// Of the answer, hidden reasoning included.
    pub completion: u64,
}

impl TokenUsage {
    /// Both counts added; one that an endpoint inflates ends at the largest number.
    #[must_use]
    pub fn plus(self, other: TokenUsage) -> TokenUsage {
        TokenUsage {
            prompt: self.prompt.saturating_add(other.prompt),
            completion: self.completion.saturating_add(other.completion),
        }
    }

    /// What remains of both counts.
    #[must_use]
    pub(crate) fn minus(self, other: TokenUsage) -> TokenUsage {
        TokenUsage {
            prompt: self.prompt.saturating_sub(other.prompt),
            completion: self.completion.saturating_sub(other.completion),
        }
    }
}

/// The reason for a missing answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreached {
    /// The endpoint asked to slow down.
    RateLimited,
    /// The endpoint failed.
    ServerError,
    /// No complete reply in time.
    Timeout,
    /// The connection could not be made, or broke.
    Connection,
}

/// Why a question was not answered, and whether asking again may help.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// Asking again may help.
    Again {
        /// What happened.
        kind: Unreached,
        /// How long the endpoint asks to wait.
        after: Option<Duration>,
        /// In words.
        detail: String,
    },
    /// Asking again, or asking anything else, can't help.
    Fatal(String),
}

impl Answer {
    /// Applies a change to every text of the answer.
    pub(crate) fn changed(mut self, change: impl Fn(&str) -> String) -> Self {
        let texts = [&mut self.raw, &mut self.detail, &mut self.served_model, &mut self.finish_reason];
        for text in texts.into_iter().flatten() {
            *text = change(text);
        }
        for (token, _) in self.label_tokens.iter_mut().flatten() {
            *token = change(token);
        }
        self
    }
}
