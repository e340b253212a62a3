//! What can go wrong on the way from items to embeddings.

use std::path::{Path, PathBuf};

use judge_uncertainty_formats::error::{brief, excerpt};

use super::template::TemplateError;

/// An embedding that cannot be made: what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum EmbeddingError {
    #[error("cannot read {}; check that it exists and that you may read it", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}; check that its folder exists, has room and may be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{}: {problem}, and was left as it is; choose another file with --out, or move that one \
             away", path.display())]
    OutputForeign { path: PathBuf, problem: &'static str },
    /// A place that another process writes to.
    #[error(transparent)]
    Output(judge_uncertainty_system::Error),
    #[error("cannot read the text template")]
    Template(#[from] TemplateError),

    #[error("no sentence model at {}: {missing} is missing; {remedy}", dir.display())]
    ModelMissing { dir: PathBuf, missing: String, remedy: String },
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
    #[error(
        "{}: the tokenizer's highest token id is {highest}, but the model embeds only {rows} tokens (ids 0 to {}); \
         take the tokenizer.json that was published with this model",
        path.display(), rows - 1
    )]
    TokenizerMismatch { path: PathBuf, highest: u64, rows: u64 },
    #[error(
        "cannot load a model named {name:?}: there is no such directory; give one that holds the model's model.onnx, \
         tokenizer.json, tokenizer_config.json and config.json (the program's own is looked for here, beside the \
         program, and below the folder that JUDGE_UNCERTAINTY_HOME names)"
    )]
    ModelName { name: String },
    #[error(
        "--threads {threads}: each embeds a batch of its own; {exceeded}. Fewer threads do, no more than there are \
         cores"
    )]
    Threads { threads: usize, exceeded: judge_uncertainty_system::limits::Exceeded },
    #[error(
        "cannot embed texts: this program was built without the feature `onnx`, which runs sentence models; name a \
         file of embeddings instead (of a study: embeddings = \"FILE\" below [familiarity]), or build the program with \
         that feature"
    )]
    NoRuntime,
    #[error("cannot start the ONNX runtime: {problem}")]
    Runtime { problem: String },
    #[error("the model {} failed on a batch of {texts} texts of up to {length} tokens: {problem}", model.display())]
    Inference { model: PathBuf, texts: usize, length: usize, problem: String },

    #[error("{}: not an embedding cache for these settings; delete it or choose another cache \
             directory", path.display())]
    CacheForeign { path: PathBuf },
    #[error("{}: another run is using this embedding cache; wait for it or choose another cache \
             directory", path.display())]
    CacheBusy { path: PathBuf },

    #[error(
        "{}: {missing} is missing; run `judge-uncertainty data fetch chaosnli` (or unpack chaosNLI_v1.0.zip, link at \
         https://github.com/easonnie/ChaosNLI) and give the directory chaosNLI_v1.0",
        dir.display()
    )]
    ChaosNliMissing { dir: PathBuf, missing: String },
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
