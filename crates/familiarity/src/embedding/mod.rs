//! Texts to embeddings: vectors of length 1 that are near each other when the texts mean something alike.

mod cache;
mod embedder;
mod error;
mod growth;
mod items;
mod model;
mod output;
mod template;

use std::collections::BTreeMap;

use ndarray::Array2;

use judge_uncertainty_system::progress::Progress;

pub use cache::EmbeddingCache;
pub use embedder::{EmbeddedText, Embedder, EmbedderOptions, StartEmbedder};
pub use error::EmbeddingError;
pub use items::{ItemTexts, texts};
pub use model::{DEFAULT_MODEL, Model, Pooling, TokenizerFiles};
pub use output::{Destination, Precision, matrix_bytes};
pub use template::{Template, TemplateError};

/// The embeddings of a list of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Embeddings {
    /// Texts x dimensions, rows in the order of the texts, each of L2 norm 1.
    pub matrix: Array2<f32>,
    /// How many texts were longer than the embedder reads.
    pub truncated: usize,
    /// How many texts were found in the cache.
    pub from_cache: usize,
}

/// Embeds `texts`, each different text once; what `cache` holds is taken from there, what it lacks is added to it batch
/// by batch. The steps that `progress` sees are texts.
///
/// # Errors
/// Those of the embedder and the cache. What the cache has by then stays in it.
///
/// # Panics
/// When the cache was opened for an embedder of another dimension.
pub fn embed_texts(
    embedder: &mut dyn Embedder,
    texts: &[String],
    mut cache: Option<&mut EmbeddingCache>,
    progress: &dyn Progress,
) -> Result<Embeddings, EmbeddingError> {
    let mut rows_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, text) in texts.iter().enumerate() {
        rows_of.entry(text).or_default().push(i);
    }
    let mut result =
        Embeddings { matrix: Array2::zeros((texts.len(), embedder.dimension())), truncated: 0, from_cache: 0 };
    progress.start("embedding", texts.len() as u64);
    let place = |result: &mut Embeddings, rows: &[usize], row: &[f32], truncated: bool| {
        for &i in rows {
            result.matrix.row_mut(i).assign(&ndarray::aview1(row));
        }
        result.truncated += rows.len() * usize::from(truncated);
        progress.advance(rows.len() as u64);
    };
    let mut wanted = Vec::new();
    for (&text, rows) in &rows_of {
        let known = cache.as_mut().map_or(Ok(None), |cache| cache.get(text))?;
        if let Some((row, truncated)) = known {
            place(&mut result, rows, &row, truncated);
            result.from_cache += rows.len();
        } else {
            wanted.push(text);
        }
    }
    if !wanted.is_empty() {
        embedder.embed(&wanted, &mut |batch| {
            if let Some(cache) = cache.as_mut() {
                cache.append(&wanted, &batch)?;
            }
            for EmbeddedText { index, row, truncated } in batch {
                place(&mut result, &rows_of[wanted[index]], &row, truncated);
            }
            Ok(())
        })?;
    }
    progress.finish();
    Ok(result)
}
