//! Texts to tokens, as the files of a model say.

use judge_uncertainty_familiarity::embedding::{EmbeddingError, Model};
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

/// The tokenizer of a model.
pub(crate) fn tokenizer(model: &Model) -> Result<Tokenizer, EmbeddingError> {
    build(model).map_err(|e| failed(model, &format!("the tokenizer cannot be used: {e}")))
}

fn build(model: &Model) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer = Tokenizer::from_bytes(&model.tokenizer.tokenizer)?;
    tokenizer.with_padding(None);
    let cut = TruncationParams { max_length: model.max_tokens, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(cut))?;
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
    Ok(tokenizer)
}

/// The tokens of a text.
pub(crate) fn encode(model: &Model, tokenizer: &Tokenizer, text: &str) -> Result<Tokens, EmbeddingError> {
    let encoding = tokenizer.encode(text, true).map_err(|e| failed(model, &format!("the tokenizer failed: {e}")))?;
    Ok(Tokens {
        ids: encoding.get_ids().to_vec(),
        types: encoding.get_type_ids().to_vec(),
        truncated: !encoding.get_overflowing().is_empty(),
    })
}

fn failed(model: &Model, problem: &str) -> EmbeddingError {
    EmbeddingError::ModelFile { path: model.folder.join("tokenizer.json"), problem: problem.to_owned() }
}
