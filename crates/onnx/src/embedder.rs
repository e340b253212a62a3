//! Embedding with an ONNX sentence model.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use fastembed::{InitOptionsUserDefined, TextEmbedding, UserDefinedEmbeddingModel};
use judge_uncertainty_familiarity::embedding::{
    EmbeddedText, Embedder, EmbeddingError, Model, Options, Pooling, TokenizerFiles,
};
use judge_uncertainty_system::limits;
use rayon::prelude::*;

use crate::{graph, runtime};

/// Tokens that go through the model at once. At this size the intermediate results of a small encoder stay in a
/// processor core's own cache; larger batches were slower with either runtime.
const BATCH_TOKENS: usize = 256;

/// Texts are padded to a multiple of this many tokens. tract sums the attention weights of a token in an order that
/// depends on where in memory they begin; with an even number of tokens that is the same for each text of a batch.
const LENGTH_STEP: usize = 2;

/// Embeds texts with a [`Model`]: tokens, encoder, pooling, and each row divided by its L2 norm.
///
/// Texts go from the longest to the shortest, in batches of texts that have *the same length*: the number of their
/// tokens, rounded up to an even number. So what is computed for a text does not depend on its neighbours: with tract
/// the rows are the same bytes for every number of threads and every batch size (for models that cut texts after an
/// even number of tokens, as the default one does; else they may differ in the last bits).
pub struct OnnxEmbedder {
    model: Model,
    options: Options,
    runtime: &'static str,
    /// Quantised while it runs, with a scale taken from the whole batch: texts must then be embedded one by one.
    batch_dependent: bool,
    /// At least one; more are added when there is work for them. Each runs on the thread that calls it.
    sessions: Vec<TextEmbedding>,
    dimension: usize,
}

impl OnnxEmbedder {
    /// Starts the runtime and tries the model on a word.
    ///
    /// # Errors
    /// More threads than a limit; a runtime that cannot be started; a graph with other inputs, or for fewer tokens than
    /// the tokenizer has; a model that the runtime cannot load or run.
    pub fn new(model: Model, options: Options) -> Result<Self, EmbeddingError> {
        let threads = options.threads.get();
        limits::MODEL_COPIES.check(threads as u64).map_err(|exceeded| EmbeddingError::Threads { threads, exceeded })?;
        let graph = graph::read(&model)?;
        let batch_dependent = graph.node.iter().any(|node| node.op_type.starts_with("DynamicQuant"));
        let runtime = runtime::start()?;
        let mut session = new_session(&model)?;
        let word = run(&model, &mut session, &["word"], 1)?;
        Ok(Self { model, options, runtime, batch_dependent, sessions: vec![session], dimension: word[0].len() })
    }

    /// The number of tokens of each text before it is cut, special ones included.
    fn count_tokens(&self, texts: &[&str]) -> Result<Vec<usize>, EmbeddingError> {
        let mut tokenizer = self.sessions[0].tokenizer.clone();
        tokenizer.with_padding(None);
        let counts = (tokenizer.with_truncation(None)).and_then(|tokenizer| {
            let count = |text: &&str| tokenizer.encode(*text, true).map(|tokens| tokens.len());
            texts.par_iter().map(count).collect()
        });
        counts.map_err(|e| EmbeddingError::ModelFile {
            path: self.model.folder.join("tokenizer.json"),
            problem: format!("the tokenizer failed: {e}"),
        })
    }

    /// Texts of equal length together, from the longest to the shortest.
    fn batches(&self, lengths: &[usize]) -> Vec<Vec<usize>> {
        let most = if self.batch_dependent { 1 } else { self.options.batch.get() };
        let mut order: Vec<_> = (0..lengths.len()).collect();
        order.sort_by_key(|&i| Reverse(lengths[i]));
        order
            .chunk_by(|&i, &j| lengths[i] == lengths[j])
            .flat_map(|equal| equal.chunks((BATCH_TOKENS / lengths[equal[0]].max(1)).clamp(1, most)))
            .map(<[usize]>::to_vec)
            .collect()
    }

    /// Sees to it that there is a session for each of `workers`.
    fn add_sessions(&mut self, workers: usize) -> Result<(), EmbeddingError> {
        let more = workers.saturating_sub(self.sessions.len());
        let model = &self.model;
        let more = (0..more).into_par_iter().map(|_| new_session(model));
        self.sessions.extend(more.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }
}

impl Embedder for OnnxEmbedder {
    fn settings(&self) -> String {
        self.model.settings(self.runtime)
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(
        &mut self,
        texts: &[&str],
        done: &mut dyn FnMut(Vec<EmbeddedText>) -> Result<(), EmbeddingError>,
    ) -> Result<(), EmbeddingError> {
        let max_tokens = self.model.max_tokens;
        let uncut = self.count_tokens(texts)?;
        let step = length_step(&self.model);
        let lengths: Vec<_> = uncut.iter().map(|&tokens| tokens.min(max_tokens).next_multiple_of(step)).collect();
        let batches = self.batches(&lengths);
        let workers = self.options.threads.get().min(batches.len());
        self.add_sessions(workers)?;
        let model = &self.model;
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for session in &mut self.sessions[..workers] {
                let sender = sender.clone();
                let (batches, next, uncut, lengths) = (&batches, &next, &uncut, &lengths);
                scope.spawn(move || {
                    while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let batch_texts: Vec<_> = batch.iter().map(|&i| texts[i]).collect();
                        let rows = run(model, session, &batch_texts, lengths[batch[0]]);
                        let embedded = rows.map(|rows| {
                            let rows = batch.iter().zip(rows);
                            rows.map(|(&index, row)| EmbeddedText { index, row, truncated: uncut[index] > max_tokens })
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

fn new_session(model: &Model) -> Result<TextEmbedding, EmbeddingError> {
    let TokenizerFiles { tokenizer, config, special_tokens_map, tokenizer_config } = model.tokenizer.clone();
    let files = fastembed::TokenizerFiles {
        tokenizer_file: tokenizer,
        config_file: config,
        special_tokens_map_file: special_tokens_map,
        tokenizer_config_file: tokenizer_config,
    };
    let pooling = match model.pooling {
        Pooling::Cls => fastembed::Pooling::Cls,
        Pooling::Mean => fastembed::Pooling::Mean,
    };
    let files = UserDefinedEmbeddingModel::new(model.onnx.clone(), files).with_pooling(pooling);
    let options = InitOptionsUserDefined::new()
        .with_max_length(model.max_tokens)
        // The sessions share the cores among them.
        .with_intra_threads(1);
    let mut session = TextEmbedding::try_new_from_user_defined(files, options).map_err(|e| {
        EmbeddingError::ModelFile { path: model.path.clone(), problem: format!("the model cannot be loaded: {e}") }
    })?;
    if let Some(mut padding) = session.tokenizer.get_padding().cloned() {
        padding.pad_to_multiple_of = Some(length_step(model));
        session.tokenizer.with_padding(Some(padding));
    }
    Ok(session)
}

/// Padding must not make a text longer than the model reads.
fn length_step(model: &Model) -> usize {
    if model.max_tokens.is_multiple_of(LENGTH_STEP) { LENGTH_STEP } else { 1 }
}

/// The normalised rows of texts that have the same length.
fn run(
    model: &Model,
    session: &mut TextEmbedding,
    texts: &[&str],
    length: usize,
) -> Result<Vec<Vec<f32>>, EmbeddingError> {
    let rows = session.embed(texts, None).map_err(|e| e.to_string()).and_then(|rows| {
        let finite = rows.iter().flatten().all(|x| x.is_finite());
        if finite { Ok(rows) } else { Err("it gave numbers that are not finite".to_owned()) }
    });
    rows.map_err(|problem| EmbeddingError::Inference { model: model.path.clone(), texts: texts.len(), length, problem })
}
