//! Sentence embeddings with ONNX models: the slow engine behind the trait
//! [`Embedder`](judge_uncertainty_familiarity::embedding::Embedder).
//!
//! ```no_run
//! use judge_uncertainty_system::progress::Silent;
//! use judge_uncertainty_familiarity::embedding::{DEFAULT_MODEL, EmbeddingCache, Model, EmbedderOptions, embed_texts};
//! use judge_uncertainty_onnx::OnnxEmbedder;
//! let model = Model::find(DEFAULT_MODEL)?;
//! let mut embedder = OnnxEmbedder::new(model, EmbedderOptions::default())?;
//! let mut cache = EmbeddingCache::open("cache".as_ref(), &embedder)?;
//! let texts = ["A first text.", "Another one."].map(String::from);
//! let embeddings = embed_texts(&mut embedder, &texts, Some(&mut cache), &Silent)?;
//! assert_eq!(embeddings.matrix.nrows(), 2);
//! # Ok::<(), judge_uncertainty_familiarity::embedding::EmbeddingError>(())
//! ```

mod by_rten;
mod embedder;
mod graph;
#[cfg(feature = "onnxruntime")]
mod onnxruntime;
mod tokens;

pub use embedder::OnnxEmbedder;
pub use graph::check as check_graph;
