//! A deterministic embedder without a model.

use judge_uncertainty::familiarity::embedding::{EmbeddedText, Embedder, EmbeddingError};
use sha2::{Digest, Sha256};

/// Embeds a text as the normalised sum of one pseudo-random vector for each of its words.
///
/// The vectors come from SHA-256 and integers alone, so they are the same on every machine; texts that share words are
/// near each other. Words are split at white space and compared in lower case; a text without words is embedded as if
/// it were the empty word.
#[derive(Debug, Clone)]
pub(super) struct StandIn {
    /// Length of the vectors, at least 1.
    pub(super) dimension: usize,
    /// Words after this many are ignored and the text counts as truncated.
    pub(super) max_words: usize,
}

impl Embedder for StandIn {
    fn settings(&self) -> String {
        format!("stand-in dimension={} max_words={}", self.dimension, self.max_words)
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(
        &mut self,
        texts: &[&str],
        done: &mut dyn FnMut(Vec<EmbeddedText>) -> Result<(), EmbeddingError>,
    ) -> Result<(), EmbeddingError> {
        texts.iter().enumerate().try_for_each(|(index, text)| {
            let lower = text.to_lowercase();
            let words: Vec<_> = lower.split_whitespace().collect();
            let kept = &words[..words.len().min(self.max_words)];
            let row = self.vector(if kept.is_empty() { &[""] } else { kept });
            done(vec![EmbeddedText { index, row, truncated: kept.len() < words.len() }])
        })
    }
}

impl StandIn {
    fn vector(&self, words: &[&str]) -> Vec<f32> {
        let mut sum = vec![0i64; self.dimension];
        for word in words {
            // 16 numbers of two bytes from each hash of the word and a counter.
            for (block, part) in sum.chunks_mut(16).enumerate() {
                let hash = Sha256::new().chain_update(word).chain_update(block.to_le_bytes());
                for (x, bytes) in part.iter_mut().zip(hash.finalize().chunks_exact(2)) {
                    *x += i64::from(i16::from_le_bytes([bytes[0], bytes[1]]));
                }
            }
        }
        let norm = sum.iter().map(|&x| (x * x) as f64).sum::<f64>().sqrt();
        sum.iter().map(|&x| (x as f64 / norm) as f32).collect()
    }
}
