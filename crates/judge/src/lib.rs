//! Asking a judge for predictions: any OpenAI-compatible endpoint, or a simulated judge.
//!
//! ```text
//! task (items, classes, variants) + prompt templates -> requests -> endpoint -> cache -> predictions, summary
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `task` | the items: the paper's dice, ChaosNLI, a study |
//! | `prompts` | the templates, rendered and hashed |
//! | `request` | one question, its key, its body |
//! | `client` | the trait of all judges |
//! | `endpoint` | endpoints of OpenAI's kind; reading what they reply |
//! | `simulated` | a noisy judge that needs no network |
//! | `run` | threads, retries, what to ask again |
//! | `budget` | requests per minute, spending |
//! | `cache` | the answers on disk, one line each |
//! | `parse` | from the text of an answer to its meaning |
//! | `predictions` | the tables that `reproduce` and studies read |
//! | `summary` | what a paper's setup section must say |

pub mod budget;
pub mod cache;
pub mod client;
pub mod endpoint;
pub mod parse;
pub mod predictions;
pub mod prompts;
mod reply;
pub mod request;
pub mod run;
mod secret;
pub mod simulated;
pub mod summary;
pub mod task;

use std::path::PathBuf;

pub use client::Answer;
pub use prompts::Ask;
pub use reply::read_reply;
use thiserror::Error as ThisError;

use judge_uncertainty_system::FileError;

/// Why a judge can't be asked, or its answers can't be used.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    /// A table of items.
    #[error(transparent)]
    Data(#[from] judge_uncertainty_formats::Error),
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file or folder to write.
    #[error(transparent)]
    Output(#[from] judge_uncertainty_system::Error),
    /// A line of a file of JSON lines.
    #[error("{}:{line}: {}", path.display(), judge_uncertainty_formats::error::brief(detail))]
    Line { path: PathBuf, line: u64, detail: String },
    #[error(
        "{path}: another process is writing answers to it; wait until it ends, or choose another folder with --out",
        path = path.display()
    )]
    Locked { path: PathBuf },
    #[error("{file}: {problem}, and was left as it is; choose another folder with --out, or move that file away",
        file = file.display())]
    Foreign { file: PathBuf, problem: &'static str },
    #[error(
        "{path}: {count} of its answers were given to another prompt (the first: item {item:?}, variant {variant:?}, \
         {ask}); restore that prompt, or choose another folder with --out",
        path = path.display()
    )]
    OtherPrompt { path: PathBuf, count: usize, item: String, variant: String, ask: &'static str },
    #[error("prompt template {name}: {source}")]
    Template { name: String, source: tera::Error },
    #[error(
        "the environment variable {variable} {detail}; the key of the endpoint is read from there and nowhere else"
    )]
    Key { variable: String, detail: String },
    #[error("{0}; the answers that arrived are kept, and the same command goes on from there")]
    Endpoint(String),
    /// An argument that makes no sense.
    #[error("{0}")]
    Argument(String),
}

impl Error {
    /// Whether the machine or the endpoint failed, rather than that a table, an argument or a cache was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::File(_) | Self::Endpoint(_) => true,
            Self::Output(error) => error.is_failure(),
            _ => false,
        }
    }

    fn template(name: &str) -> impl FnOnce(tera::Error) -> Self {
        let name = name.to_owned();
        move |source| Error::Template { name, source }
    }
}

/// About how many tokens a text of so many bytes has: one for every four, a common rule of thumb for English.
pub fn about_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}
