//! Texts to tokens, as the files of a model say, and the batches in which they go through it.

use judge_uncertainty_familiarity::embedding::{EmbeddingError, Model};
use judge_uncertainty_system::limits;
use serde_json::{Map, Value};
use tokenizers::{AddedToken, Tokenizer, TruncationParams};

/// A text as numbers that a model reads.
#[derive(Debug)]
pub(crate) struct Tokens {
    /// Its tokens, cut after the model's limit, the special ones at both ends included.
    pub(crate) ids: Vec<u32>,
    /// Which of several sentences each token belongs to; texts are one sentence, so the tokenizer says the same of all.
    pub(crate) types: Vec<u32>,
    /// Whether the text had more tokens.
    pub(crate) truncated: bool,
}

/// Texts of equal length that go through the model at once.
pub(crate) struct TokenBatch<'a> {
    /// The texts, for a runtime that tokenizes them itself.
    #[cfg_attr(not(feature = "onnxruntime"), allow(dead_code))]
    pub(crate) texts: Vec<&'a str>,
    /// Their tokens, padded to one length; at least one text.
    pub(crate) tokens: Vec<&'a Tokens>,
}

impl TokenBatch<'_> {
    /// Tokens of each text.
    pub(crate) fn length(&self) -> usize {
        self.tokens[0].ids.len()
    }
}

/// Runs batches, one at a time: a vector for each text, or what went wrong.
pub(crate) type Session = Box<dyn FnMut(&TokenBatch) -> Result<Vec<Vec<f32>>, String> + Send>;

/// The tokenizer of a model, which leaves a text whole and which cuts it after the model's limit.
#[derive(Debug)]
pub(crate) struct Tokenizers {
    whole: Tokenizer,
    cut: Tokenizer,
}

/// The tokenizer of a model.
pub(crate) fn tokenizers(model: &Model) -> Result<Tokenizers, EmbeddingError> {
    build(model).map_err(|e| failed(model, &format!("the tokenizer cannot be used: {e}")))
}

fn build(model: &Model) -> tokenizers::Result<Tokenizers> {
    let mut tokenizer = Tokenizer::from_bytes(&model.tokenizer.tokenizer)?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None)?;
    // A token is given as its text, or as an object with how it is found in a text.
    let map: Map<String, Value> = serde_json::from_slice(&model.tokenizer.special_tokens_map).unwrap_or_default();
    let special = map.values().filter_map(|token| {
        let flag = |name: &str| token[name].as_bool();
        if let Some(content) = token.as_str() {
            return Some(AddedToken { content: content.into(), special: true, ..AddedToken::default() });
        }
        Some(AddedToken {
            content: token["content"].as_str()?.into(),
            single_word: flag("single_word")?,
            lstrip: flag("lstrip")?,
            rstrip: flag("rstrip")?,
            normalized: flag("normalized")?,
            special: true,
        })
    });
    tokenizer.add_special_tokens(special.collect::<Vec<_>>())?;
    let mut cut = tokenizer.clone();
    let limit = TruncationParams { max_length: model.max_tokens, ..TruncationParams::default() };
    cut.with_truncation(Some(limit))?;
    Ok(Tokenizers { whole: tokenizer, cut })
}

/// The tokens of a text.
pub(crate) fn encode(model: &Model, tokenizers: &Tokenizers, text: &str) -> Result<Tokens, EmbeddingError> {
    let length = (text.len() as f64 * model.growth) as u64;
    limits::TOKENIZED
        .check(length)
        .map_err(|exceeded| failed(model, &format!("a text of {} bytes is too long: {exceeded}", text.len())))?;
    let by = |tokenizer: &Tokenizer| {
        tokenizer.encode(text, true).map_err(|e| failed(model, &format!("the tokenizer failed: {e}")))
    };
    let whole = by(&tokenizers.whole)?;
    let truncated = whole.len() > model.max_tokens;
    let encoding = if truncated { by(&tokenizers.cut)? } else { whole };
    Ok(Tokens { ids: encoding.get_ids().to_vec(), types: encoding.get_type_ids().to_vec(), truncated })
}

fn failed(model: &Model, problem: &str) -> EmbeddingError {
    EmbeddingError::ModelFile { path: model.folder.join("tokenizer.json"), problem: problem.to_owned() }
}
