//! Embedding with an ONNX sentence model.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use judge_uncertainty_familiarity::embedding::{EmbeddedText, Embedder, EmbedderOptions, EmbeddingError, Model};
use judge_uncertainty_system::limits;
use rayon::prelude::*;

use crate::tokens::{self, Session, TokenBatch, Tokenizers, Tokens};
use crate::{by_rten, graph};

/// Tokens that go through the model at once. At this size the intermediate results of a small encoder stay in a
/// processor core's own cache; larger batches are not faster.
const BATCH_TOKENS: usize = 256;

/// What runs the model.
enum Runtime {
    /// rten, with the model loaded once.
    Rten(by_rten::Loaded),
    /// Microsoft's library; each session loads the model.
    #[cfg(feature = "onnxruntime")]
    OnnxRuntime,
}

/// Embeds texts with a [`Model`]: tokens, encoder, pooling, and each row divided by its L2 norm.
///
/// The runtime is [rten](https://crates.io/crates/rten), which is written in Rust. Built with the feature
/// `onnxruntime`, it is Microsoft's ONNX Runtime where the environment variable `ORT_DYLIB_PATH` names its library
/// (version 1.24 or newer; for instance `onnxruntime/capi/libonnxruntime.so.1.31.1` inside the PyPI package
/// `onnxruntime`).
///
/// Texts go from the longest to the shortest, in batches of texts that have *the same number of tokens*, without
/// padding. So what is computed for a text does not depend on its neighbours: with rten the rows are the same bytes for
/// every number of threads and every batch size.
pub struct OnnxEmbedder {
    model: Model,
    options: EmbedderOptions,
    runtime: Runtime,
    name: &'static str,
    tokenizers: Tokenizers,
    /// Quantised while it runs, with a scale taken from the whole batch: texts must then be embedded one by one.
    batch_dependent: bool,
    /// At least one; more are added when there is work for them.
    sessions: Vec<Session>,
    dimension: usize,
}

impl OnnxEmbedder {
    /// Starts the runtime and tries the model on a word.
    ///
    /// # Errors
    /// More threads than a limit; a runtime that cannot be started; a graph with other inputs, or for fewer tokens than
    /// the tokenizer has; a model that the runtime cannot load or run.
    pub fn new(mut model: Model, options: EmbedderOptions) -> Result<Self, EmbeddingError> {
        let threads = options.threads.get();
        limits::MODEL_SESSIONS
            .check(threads as u64)
            .map_err(|exceeded| EmbeddingError::Threads { threads, exceeded })?;
        let batch_dependent = graph::check(&model)?;
        let tokenizers = tokens::tokenizers(&model)?;
        let (runtime, name) = start(&mut model, options.packed)?;
        let sessions = vec![];
        let mut this = Self { model, options, runtime, name, tokenizers, batch_dependent, sessions, dimension: 0 };
        this.add_sessions(1)?;
        let word = tokens::encode(&this.model, &this.tokenizers, "word")?;
        let word = run(&this.model, &mut this.sessions[0], &TokenBatch { texts: vec!["word"], tokens: vec![&word] })?;
        this.dimension = word[0].len();
        Ok(this)
    }

    /// Positions of texts of equal length together, from the longest to the shortest.
    fn batches(&self, tokens: &[Tokens]) -> Vec<Vec<usize>> {
        let length = |i: usize| tokens[i].ids.len();
        let most = if self.batch_dependent { 1 } else { self.options.batch.get() };
        let mut order: Vec<_> = (0..tokens.len()).collect();
        order.sort_by_key(|&i| Reverse(length(i)));
        order
            .chunk_by(|&i, &j| length(i) == length(j))
            .flat_map(|equal| equal.chunks((BATCH_TOKENS / length(equal[0]).max(1)).clamp(1, most)))
            .map(<[usize]>::to_vec)
            .collect()
    }

    /// Sees to it that there is a session for each of `workers`.
    fn add_sessions(&mut self, workers: usize) -> Result<(), EmbeddingError> {
        while self.sessions.len() < workers {
            self.sessions.push(match &self.runtime {
                Runtime::Rten(loaded) => loaded.session(&self.model),
                #[cfg(feature = "onnxruntime")]
                Runtime::OnnxRuntime => crate::onnxruntime::session(&self.model)?,
            });
        }
        Ok(())
    }
}

impl Embedder for OnnxEmbedder {
    fn settings(&self) -> String {
        self.model.settings(self.name)
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(
        &mut self,
        texts: &[&str],
        done: &mut dyn FnMut(Vec<EmbeddedText>) -> Result<(), EmbeddingError>,
    ) -> Result<(), EmbeddingError> {
        let encode = |text: &&str| tokens::encode(&self.model, &self.tokenizers, text);
        let tokens = texts.par_iter().map(encode).collect::<Result<Vec<_>, _>>()?;
        let batches = self.batches(&tokens);
        let workers = self.options.threads.get().min(batches.len());
        self.add_sessions(workers)?;
        let model = &self.model;
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for session in &mut self.sessions[..workers] {
                let sender = sender.clone();
                let (batches, next, tokens) = (&batches, &next, &tokens);
                scope.spawn(move || {
                    while let Some(places) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let batch = TokenBatch {
                            texts: places.iter().map(|&i| texts[i]).collect(),
                            tokens: places.iter().map(|&i| &tokens[i]).collect(),
                        };
                        let embedded = run(model, session, &batch).map(|rows| {
                            let rows = places.iter().zip(rows);
                            rows.map(|(&index, row)| EmbeddedText { index, row, truncated: tokens[index].truncated })
                                .collect()
                        });
                        // Nobody listens after an error: the work ends.
                        if sender.send(embedded).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            receiver.into_iter().try_for_each(|embedded| done(embedded?))
        })
    }
}

/// Starts the runtime that is asked for, and names it with its version.
fn start(model: &mut Model, packed: bool) -> Result<(Runtime, &'static str), EmbeddingError> {
    #[cfg(feature = "onnxruntime")]
    if let Some(path) = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) {
        return Ok((Runtime::OnnxRuntime, crate::onnxruntime::start(&path)?));
    }
    Ok((Runtime::Rten(by_rten::load(model, packed)?), by_rten::NAME))
}

/// The rows of a batch, each divided by its L2 norm.
fn run(model: &Model, session: &mut Session, batch: &TokenBatch) -> Result<Vec<Vec<f32>>, EmbeddingError> {
    let rows = session(batch).and_then(|mut rows| {
        for row in &mut rows {
            let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            row.iter_mut().for_each(|x| *x /= norm + 1e-12);
        }
        let finite = rows.iter().flatten().all(|x| x.is_finite());
        if finite { Ok(rows) } else { Err("it gave numbers that are not finite".to_owned()) }
    });
    let (texts, length) = (batch.texts.len(), batch.length());
    rows.map_err(|problem| EmbeddingError::Inference { model: model.path.clone(), texts, length, problem })
}
