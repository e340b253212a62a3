//! How near items lie to each other, from their texts or from embeddings of their users: the parts of the workspace
//! that this program embeds and searches with.

pub use judge_uncertainty_familiarity::{agreement, features, neighbours, user_embeddings};

/// From texts to embeddings: the trait and its types and, with the feature `onnx`, the embedder that runs ONNX models.
pub mod embedding {
    pub use judge_uncertainty_familiarity::embedding::*;
    #[cfg(feature = "onnx")]
    pub use judge_uncertainty_onnx::OnnxEmbedder;
}
