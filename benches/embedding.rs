//! Embedding speed of the default model, on texts made up of one word, so that their lengths are known.

use std::num::NonZeroUsize;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use judge_uncertainty::familiarity::embedding::{
    DEFAULT_MODEL, Embedder, EmbedderOptions, Model, OnnxEmbedder, embed_texts,
};

/// A text of `tokens` tokens, two of them the special ones at its ends, and different for each `i`.
fn text(tokens: usize, i: usize) -> String {
    let words = ["rose", "table", "train", "judge", "label", "paper", "green", "small"];
    (0..tokens - 2).map(|k| words[(i + i / 8 * k + k) % 8]).collect::<Vec<_>>().join(" ")
}

fn embedding(criterion: &mut Criterion) {
    let threads = NonZeroUsize::MIN;
    let model = Model::find(DEFAULT_MODEL).expect("the model of this repository");
    let mut embedder = OnnxEmbedder::new(model, EmbedderOptions { threads, ..EmbedderOptions::default() })
        .expect("the runtime starts");
    let mut group = criterion.benchmark_group(format!("one thread, {}", embedder.settings()));
    group.sample_size(10);
    for tokens in [16, 32, 128, 256] {
        let texts: Vec<_> = (0..512 / tokens).map(|i| text(tokens, i)).collect();
        group.throughput(Throughput::Elements(512));
        group.bench_function(format!("texts of {tokens} tokens"), |bencher| {
            bencher.iter(|| {
                embed_texts(&mut embedder, &texts, None, &judge_uncertainty::system::progress::Silent)
                    .expect("texts embed")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, embedding);
criterion_main!(benches);
