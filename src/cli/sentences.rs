//! The sentence model of this program: the one place that knows whether it was built with a runtime.

use crate::familiarity::embedding::{Embedder, EmbeddingError, Model, Options};

/// Starts a model with the default options; commands hand this to studies.
///
/// # Errors
/// As [`start_with`].
pub(super) fn start(model: Model) -> Result<Box<dyn Embedder>, EmbeddingError> {
    start_with(model, Options::default())
}

/// Starts a model.
///
/// # Errors
/// A model that the runtime can't load or run.
#[cfg(feature = "onnx")]
pub(super) fn start_with(model: Model, options: Options) -> Result<Box<dyn Embedder>, EmbeddingError> {
    Ok(Box::new(crate::familiarity::embedding::OnnxEmbedder::new(model, options)?))
}

/// Says that there is no runtime.
///
/// # Errors
/// Always.
#[cfg(not(feature = "onnx"))]
pub(super) fn start_with(_: Model, _: Options) -> Result<Box<dyn Embedder>, EmbeddingError> {
    Err(EmbeddingError::NoRuntime)
}
