//! What can go wrong on the way from items to embeddings.

use std::path::{Path, PathBuf};

use judge_uncertainty_formats::error::{brief, excerpt};

use super::template::TemplateError;

/// An embedding that cannot be made: what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each field is the value of that name in the message above its variant")]
pub enum EmbeddingError {
    /// A file or directory could not be read.
    #[error("cannot read {}; check that it exists and that you may read it", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// A file or directory could not be written.
    #[error("cannot write {}; check that its folder exists, has room and may be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    /// A file that must not be overwritten.
    #[error("{}: {problem}, and was left as it is; choose another file with --out, or move that one \
             away", path.display())]
    OutputForeign { path: PathBuf, problem: &'static str },
    /// A place that another process writes to.
    #[error(transparent)]
    Output(judge_uncertainty_system::Error),
    /// The text template has a mistake.
    #[error("cannot read the text template")]
    Template(#[from] TemplateError),

    /// The items file is of no known kind, going by its name.
    #[error("{}: the items must be a .csv, .jsonl, .parquet or .xlsx file", path.display())]
    ItemsFormat { path: PathBuf },
    /// The items file has no items.
    #[error("{}: the file holds no items", path.display())]
    NoItems { path: PathBuf },
    /// A line of the items file is wrong.
    #[error("{}:{line}: {}", path.display(), brief(problem))]
    ItemsLine { path: PathBuf, line: u64, problem: String },

    /// A file of the model is missing.
    #[error("no sentence model at {}: {missing} is missing; {remedy}", dir.display())]
    ModelMissing { dir: PathBuf, missing: String, remedy: String },
    /// A file of the model has other bytes than its SHA256SUMS says.
    #[error(
        "{}: the file is damaged or was changed (SHA-256 {found}, SHA256SUMS beside it says {}); restore it, \
         or write SHA256SUMS anew if the change is wanted",
        path.display(),
        excerpt(expected)
    )]
    ModelDamaged { path: PathBuf, expected: String, found: String },
    /// A file of the model cannot be understood or used.
    #[error("{}: {}", path.display(), brief(problem))]
    ModelFile { path: PathBuf, problem: String },
    /// The tokenizer has tokens for which the model has no embedding.
    #[error(
        "{}: the tokenizer's highest token id is {highest}, but the model embeds only {rows} tokens (ids 0 to {}); \
         take the tokenizer.json that was published with this model",
        path.display(), rows - 1
    )]
    TokenizerMismatch { path: PathBuf, highest: u64, rows: u64 },
    /// There is no directory of the name that was given for the model.
    #[error(
        "cannot load a model named {name:?}: there is no such directory; give one that holds the model's model.onnx, \
         tokenizer.json, tokenizer_config.json and config.json (the program's own is looked for here, beside the \
         program, and below the folder that JUDGE_UNCERTAINTY_HOME names)"
    )]
    ModelName { name: String },
    /// More threads than there may be batches at the same time.
    #[error(
        "--threads {threads}: each embeds a batch of its own; {exceeded}. Fewer threads do, no more than there are \
         cores"
    )]
    Threads { threads: usize, exceeded: judge_uncertainty_system::limits::Exceeded },
    /// The program has no runtime for sentence models.
    #[error(
        "cannot embed texts: this program was built without the feature `onnx`, which runs sentence models; name a \
         file of embeddings instead (of a study: embeddings = \"FILE\" below [familiarity]), or build the program with \
         that feature"
    )]
    NoRuntime,
    /// The ONNX runtime could not be started.
    #[error("cannot start the ONNX runtime: {problem}")]
    Runtime { problem: String },
    /// The model could not be run on some texts.
    #[error("the model {} failed on a batch of {texts} texts of up to {length} tokens: {problem}", model.display())]
    Inference { model: PathBuf, texts: usize, length: usize, problem: String },

    /// The cache file is not one of ours.
    #[error("{}: not an embedding cache for these settings; delete it or choose another cache \
             directory", path.display())]
    CacheForeign { path: PathBuf },
    /// Another run is writing the cache.
    #[error("{}: another run is using this embedding cache; wait for it or choose another cache \
             directory", path.display())]
    CacheBusy { path: PathBuf },

    /// The directory given does not hold the ChaosNLI download.
    #[error(
        "{}: {missing} is missing; run `judge-uncertainty data fetch chaosnli` (or unpack chaosNLI_v1.0.zip, link at \
         https://github.com/easonnie/ChaosNLI) and give the directory chaosNLI_v1.0",
        dir.display()
    )]
    ChaosNliMissing { dir: PathBuf, missing: String },
    /// An original of ChaosNLI has other bytes than the published ones.
    #[error(
        "{}: not the published file (SHA-256 {found}, expected {expected}); unpack chaosNLI_v1.0.zip again",
        path.display()
    )]
    ChaosNliChanged { path: PathBuf, expected: &'static str, found: String },
}

impl EmbeddingError {
    /// Whether the machine failed, rather than that items, a model or a cache were refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::Output(error) => error.is_failure(),
            _ => matches!(self, Self::Write { .. } | Self::Inference { .. }),
        }
    }

    /// For `map_err` on reading `path`.
    pub fn read(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Read { path: path.to_path_buf(), source }
    }

    /// For `map_err` on writing `path`.
    pub fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Write { path: path.to_path_buf(), source }
    }
}
