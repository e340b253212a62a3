//! What turns texts into vectors.

use std::num::NonZeroUsize;
use std::thread;

use judge_uncertainty_system::limits;

use super::error::EmbeddingError;
use super::model::Model;

/// Starts the runtime of sentence models with a model. The caller passes it in, so that no library contains a runtime;
/// the crate `judge-uncertainty-onnx` has one that runs ONNX files.
///
/// # Errors
/// A model that the runtime cannot load or run; [`EmbeddingError::NoRuntime`] without a runtime.
pub type StartEmbedder<'a> = &'a dyn Fn(Model) -> Result<Box<dyn Embedder>, EmbeddingError>;

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

/// How an [`Embedder`] that runs a sentence model works. None of it changes the embeddings by more than rounding.
#[derive(Debug, Clone, Copy)]
pub struct EmbedderOptions {
    /// Batches embedded at the same time.
    pub threads: NonZeroUsize,
    /// Most texts in a batch.
    pub batch: NonZeroUsize,
    /// Whether weights are packed for the kernel of matrix products: many texts are faster so, at twice the memory for
    /// these weights.
    pub packed: bool,
}

impl Default for EmbedderOptions {
    /// All cores, as far as the limit of batches at the same time allows ([`limits::MODEL_SESSIONS`]), 32 texts, and
    /// packed weights.
    fn default() -> Self {
        let most = NonZeroUsize::new(limits::MODEL_SESSIONS.now() as usize).unwrap_or(NonZeroUsize::MIN);
        Self {
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN).min(most),
            batch: NonZeroUsize::MIN.saturating_add(31),
            packed: true,
        }
    }
}
