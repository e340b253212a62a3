//! What turns texts into vectors.

use super::error::EmbeddingError;

/// Something that turns texts into vectors.
pub trait Embedder {
    /// All that the vectors depend on besides the text, in one line: two embedders with the same settings give the
    /// same vectors.
    fn settings(&self) -> String;

    /// Length of the vectors.
    fn dimension(&self) -> usize;

    /// Embeds `texts` and hands over batch after batch, in any order, each text once.
    ///
    /// # Errors
    /// When a text cannot be embedded, and any error of `done`, after which no more is embedded.
    fn embed(
        &mut self,
        texts: &[&str],
        done: &mut dyn FnMut(Vec<EmbeddedText>) -> Result<(), EmbeddingError>,
    ) -> Result<(), EmbeddingError>;
}

/// The embedding of one of the texts given to [`Embedder::embed`].
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedText {
    /// Which text.
    pub index: usize,
    /// Its vector, of L2 norm 1.
    pub row: Vec<f32>,
    /// Whether the text was longer than the embedder reads, so that only its start counts.
    pub truncated: bool,
}
