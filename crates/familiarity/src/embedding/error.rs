//! What can go wrong on the way from items to embeddings.

use std::path::{Path, PathBuf};

use judge_uncertainty_formats::error::{brief, excerpt};

use super::template::TemplateError;

/// An embedding that cannot be made: what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingError {
    /// A file or directory could not be read.
    #[error("cannot read {}; check that it exists and that you may read it", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why it could not.
        source: std::io::Error,
    },
    /// A file or directory could not be written.
    #[error("cannot write {}; check that its folder exists, has room and may be written", path.display())]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// Why it could not.
        source: std::io::Error,
    },
    /// A file that must not be overwritten.
    #[error("{}: {problem}, and was left as it is; choose another file with --out, or move that one \
             away", path.display())]
    OutputForeign {
        /// The file.
        path: PathBuf,
        /// What it is.
        problem: &'static str,
    },
    /// A place that another process writes to.
    #[error(transparent)]
    Output(judge_uncertainty_system::Error),
    /// The text template has a mistake.
    #[error("cannot read the text template")]
    Template(#[from] TemplateError),

    /// The items file is of no known kind, going by its name.
    #[error("{}: the items must be a .csv, .jsonl, .parquet or .xlsx file", path.display())]
    ItemsFormat {
        /// The items file.
        path: PathBuf,
    },
    /// The items file has no items.
    #[error("{}: the file holds no items", path.display())]
    NoItems {
        /// The items file.
        path: PathBuf,
    },
    /// A line of the items file is wrong.
    #[error("{}:{line}: {}", path.display(), brief(problem))]
    ItemsLine {
        /// The items file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it and what to do.
        problem: String,
    },

    /// A file of the model is missing.
    #[error("no sentence model at {}: {missing} is missing; {remedy}", dir.display())]
    ModelMissing {
        /// The directory of the model.
        dir: PathBuf,
        /// The missing file.
        missing: String,
        /// What to place where.
        remedy: String,
    },
    /// A file of the model has other bytes than its SHA256SUMS says.
    #[error(
        "{}: the file is damaged or was changed (SHA-256 {found}, SHA256SUMS beside it says {}); restore it, \
         or write SHA256SUMS anew if the change is wanted",
        path.display(),
        excerpt(expected)
    )]
    ModelDamaged {
        /// The damaged file.
        path: PathBuf,
        /// Its hash in SHA256SUMS.
        expected: String,
        /// Its hash.
        found: String,
    },
    /// A file of the model cannot be understood or used.
    #[error("{}: {}", path.display(), brief(problem))]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        problem: String,
    },
    /// The tokenizer has tokens for which the model has no embedding.
    #[error(
        "{}: the tokenizer's highest token id is {highest}, but the model embeds only {rows} tokens (ids 0 to {}); \
         take the tokenizer.json that was published with this model",
        path.display(), rows - 1
    )]
    TokenizerMismatch {
        /// The tokenizer file.
        path: PathBuf,
        /// The tokenizer's highest token id.
        highest: u64,
        /// The number of tokens that the model embeds.
        rows: u64,
    },
    /// There is no directory of the name that was given for the model.
    #[error(
        "cannot load a model named {name:?}: there is no such directory; give one that holds the model's model.onnx, \
         tokenizer.json, tokenizer_config.json and config.json (the program's own is looked for here, beside the \
         program, and below the folder that JUDGE_UNCERTAINTY_HOME names)"
    )]
    ModelName {
        /// The name that was given.
        name: String,
    },
    /// More threads than there may be batches at the same time.
    #[error(
        "--threads {threads}: each embeds a batch of its own; {exceeded}. Fewer threads do, no more than there are \
         cores"
    )]
    Threads {
        /// How many.
        threads: usize,
        /// The limit.
        exceeded: judge_uncertainty_system::limits::Exceeded,
    },
    /// The program has no runtime for sentence models.
    #[error(
        "cannot embed texts: this program was built without the feature `onnx`, which runs sentence models; name a \
         file of embeddings instead (of a study: embeddings = \"FILE\" below [familiarity]), or build the program with \
         that feature"
    )]
    NoRuntime,
    /// The ONNX runtime could not be started.
    #[error("cannot start the ONNX runtime: {problem}")]
    Runtime {
        /// What is wrong and what to do.
        problem: String,
    },
    /// The model could not be run on some texts.
    #[error("the model {} failed on a batch of {texts} texts of up to {length} tokens: {problem}", model.display())]
    Inference {
        /// The model file.
        model: PathBuf,
        /// Texts in the batch.
        texts: usize,
        /// Tokens of the longest text.
        length: usize,
        /// What the runtime said.
        problem: String,
    },

    /// The cache file is not one of ours.
    #[error("{}: not an embedding cache for these settings; delete it or choose another cache \
             directory", path.display())]
    CacheForeign {
        /// The cache file.
        path: PathBuf,
    },
    /// Another run is writing the cache.
    #[error("{}: another run is using this embedding cache; wait for it or choose another cache \
             directory", path.display())]
    CacheBusy {
        /// The cache file.
        path: PathBuf,
    },

    /// The directory given does not hold the ChaosNLI download.
    #[error(
        "{}: {missing} is missing; run `judge-uncertainty data fetch chaosnli` (or unpack chaosNLI_v1.0.zip, link at \
         https://github.com/easonnie/ChaosNLI) and give the directory chaosNLI_v1.0",
        dir.display()
    )]
    ChaosNliMissing {
        /// The directory given.
        dir: PathBuf,
        /// The missing file.
        missing: String,
    },
    /// An original of ChaosNLI has other bytes than the published ones.
    #[error(
        "{}: not the published file (SHA-256 {found}, expected {expected}); unpack chaosNLI_v1.0.zip again",
        path.display()
    )]
    ChaosNliChanged {
        /// The file.
        path: PathBuf,
        /// The published hash.
        expected: &'static str,
        /// The hash found.
        found: String,
    },
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
