//! Embeddings: against a reference, byte for byte over threads and batches, from caches, models and items good and bad.
//!
//! With the feature `onnxruntime` and `ORT_DYLIB_PATH` set, all of it runs with that runtime.

mod cache;
mod command;
mod items;
mod matrices;
mod models;
mod stand_in;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use judge_uncertainty::familiarity::embedding::{EmbedderOptions, Embeddings, Model, OnnxEmbedder, embed_texts};
use judge_uncertainty::system::progress::Silent;
use stand_in::StandIn;

/// All words of the tiny model are rows of the table in its make.py, so its embeddings are known by hand.
const TINY: &str = "tests/golden/tiny-model";

fn options(threads: usize, batch: usize) -> EmbedderOptions {
    let count = |n| NonZeroUsize::new(n).unwrap();
    EmbedderOptions { threads: count(threads), batch: count(batch), ..EmbedderOptions::default() }
}

fn embed(model: &str, texts: &[String], options: EmbedderOptions) -> Embeddings {
    let mut embedder = OnnxEmbedder::new(Model::find(model).unwrap(), options).unwrap();
    embed_texts(&mut embedder, texts, None, &Silent).unwrap()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn cosine(a: impl IntoIterator<Item = f64>, b: impl IntoIterator<Item = f64>) -> f64 {
    let (mut dot, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.into_iter().zip(b) {
        dot += x * y;
        aa += x * x;
        bb += y * y;
    }
    dot / (aa * bb).sqrt()
}

fn read_npy<T: npyz::Deserialize>(path: &Path) -> (Vec<u64>, Vec<T>) {
    let npy = npyz::NpyFile::new(fs::File::open(path).unwrap()).unwrap();
    (npy.shape().to_vec(), npy.into_vec().unwrap())
}
