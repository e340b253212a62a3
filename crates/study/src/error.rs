//! Why a study can't be run.

use std::path::PathBuf;

/// Why a study can't be run.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    /// Input that can't be used.
    #[error(transparent)]
    Data(#[from] judge_uncertainty_formats::Error),
    /// Features that can't be used.
    #[error(transparent)]
    Design(#[from] judge_uncertainty_core::belief::design::DesignError),
    /// A fit that is impossible.
    #[error(transparent)]
    Fit(#[from] judge_uncertainty_core::belief::FitError),
    /// Finished replicates of an interrupted run that can't be gone on with.
    #[error(transparent)]
    Journal(#[from] judge_uncertainty_evaluation::JournalError),
    /// Embeddings that can't be searched.
    #[error(transparent)]
    Rows(#[from] judge_uncertainty_familiarity::neighbours::NotFinite),
    /// Texts that can't be embedded.
    #[error(transparent)]
    Embedding(#[from] judge_uncertainty_familiarity::embedding::EmbeddingError),
    #[error("the texts of the study are not embedded yet: call `embed` before its decomposition")]
    NotEmbedded,
    #[error("{}: the rule {rule} does not rank {labels}: use {rules}", study.display())]
    NotRanked { study: PathBuf, rule: &'static str, labels: &'static str, rules: String },
    #[error(
        "--explore draws {draws} of {budget} items at random, and an estimate for all items needs {needed} that come \
         back: raise --explore to {explore} or more, or the budget; leave out --explore if no estimate is wanted"
    )]
    TooFewDrawn { draws: usize, budget: usize, needed: usize, explore: String },
    #[error("{exceeded}. If they are not about one item, leave out items.item")]
    Together { exceeded: judge_uncertainty_system::limits::Exceeded },
    #[error(
        "the items {one:?} and {other:?} look the same to an annotator, so a label for one could be given to the \
         other: add to items.text the column that tells them apart (such as the criterion), or leave one of them out \
         of the items"
    )]
    LookAlike { one: String, other: String },
    #[error("the two studies don't have the same {key}: compare studies whose labels mean the same")]
    OtherScale { key: &'static str },
    #[error(
        "item {id:?} is in the {in_which} study only ({others} such items in all): compare studies of the same items"
    )]
    OtherItems { id: String, in_which: &'static str, others: usize },
    #[error("item {id:?} has other labels in the second study ({others} such items in all): give both the same labels")]
    OtherLabels { id: String, others: usize },
    #[error(
        "{}: no item has a stated confidence to rank by: name its column under judge.confidence, or choose another \
         --rule",
        study.display()
    )]
    NoConfidence { study: PathBuf },
    #[error(
        "the rule likely_errors ranks by the judge's errors, and no label that stands by itself shows any: choose \
         --rule random, or add labels first"
    )]
    NoErrors,
    #[error("items.parquet can't be written: {0}")]
    Parquet(#[from] judge_uncertainty_formats::output::ParquetError),
    #[error("{}: is there already; nothing was changed. Choose another place with --out, or replace it with --force",
        folder.display())]
    Exists { folder: PathBuf },
    #[error(
        "{}: was changed since this command wrote it; nothing was changed. Add its labels with `study labels add` if it has \
         any, and move it away; or choose another place with --out",
        file.display()
    )]
    Changed { file: PathBuf },
    #[error("{}: holds {}, which the study reads; nothing was changed. Choose another folder with \
             --out", folder.display(), file.display())]
    InputInside { folder: PathBuf, file: PathBuf },
    #[error("{}: exists already; nothing was changed. Choose another folder, or move that file away", file.display())]
    FileExists { file: PathBuf },
    #[error(
        "{}: was not written by this command, so it is not replaced; choose another file with --out, or move it away",
        file.display()
    )]
    Foreign { file: PathBuf },
    #[error("the workbook of the queue can't be written: {0}")]
    Workbook(String),
    /// Columns of further items that can't be read as asked.
    #[error("{reason}")]
    Column { reason: String },
    /// A folder or file to write.
    #[error(transparent)]
    Output(#[from] judge_uncertainty_system::Error),
    /// The file system refused.
    #[error(transparent)]
    File(#[from] judge_uncertainty_system::FileError),
}

impl Error {
    /// Whether the machine failed, rather than that the study or an argument was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::File(_) | Self::Parquet(_) | Self::Workbook(_) => true,
            Self::Embedding(error) => error.is_failure(),
            Self::Output(error) => error.is_failure(),
            Self::Journal(error) => error.is_failure(),
            _ => false,
        }
    }
}
