//! The reason why a command fails, and its exit status.

use std::path::PathBuf;

use thiserror::Error as ThisError;

use crate::familiarity::embedding::EmbeddingError;
use crate::formats::dataset::originals::FetchError;
use crate::system::FileError;

/// Exit status when claims differ, or two artifact folders do.
pub(crate) const FINDINGS: u8 = 10;
/// Exit status when input, arguments or an output folder are refused.
pub(crate) const REFUSED: u8 = 2;
/// Exit status of other failures.
pub(crate) const FAILED: u8 = 1;

/// Why a command failed.
#[derive(Debug, ThisError)]
pub(crate) enum Error {
    /// Input data.
    #[error(transparent)]
    Data(#[from] crate::formats::Error),
    /// Embeddings that can't be searched.
    #[error(transparent)]
    Rows(#[from] crate::familiarity::neighbours::NotFinite),
    /// An experiment.
    #[error(transparent)]
    Experiment(#[from] crate::experiments::Error),
    /// The claims file, or results that lack what it asks for.
    #[error(transparent)]
    Claims(#[from] crate::report::claims::ClaimsError),
    /// An id that no claim and no conclusion has.
    #[error("no claim that can be shown has the id `{id}`; `verify --table` lists the \
             claims{}", if near.is_empty() { String::new() } else { format!("; near it: {near}") })]
    UnknownClaim { id: String, near: String },
    /// A width that can't be planned for.
    #[error("so narrow an interval can't be planned: {says}")]
    NoPlan { says: String },
    /// A condition on no finding of the study.
    #[error("the study has no finding {finding:?}; it has {ids}")]
    NoFinding { finding: String, ids: String },
    /// A condition that no value of a finding can meet or miss.
    #[error("{finding} lies between {least} and {most}, and never at {number}: write 0.8 for 80%")]
    Beyond { finding: String, number: f64, least: f64, most: f64 },
    /// Results on disk.
    #[error(transparent)]
    Artifact(#[from] crate::artifact::Error),
    /// A folder to write.
    #[error(transparent)]
    Output(#[from] crate::system::Error),
    /// A file to write.
    #[error(transparent)]
    File(#[from] FileError),
    /// Items, a model, or a cache of embeddings.
    #[error(transparent)]
    Embedding(#[from] EmbeddingError),
    /// Originals that can't be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A sentence model that is not the one of the committed embeddings.
    #[error(
        "{model}: this sentence model embeds the texts of an example otherwise than the committed embeddings: {found}; \
         it is damaged or another model, so use the folder of this version of the program"
    )]
    OtherModel { model: PathBuf, found: String },
    /// An option about an experiment in a run without it.
    #[error("{option} concerns an experiment that --only leaves out; leave out one of the two")]
    NotConcerned { option: &'static str },
    /// Templates.
    #[error(transparent)]
    Templates(#[from] crate::report::latex::Error),
    /// Tables and figures.
    #[error(transparent)]
    Bundle(#[from] crate::report::bundle::Error),
    /// A study.
    #[error(transparent)]
    Study(#[from] crate::study::Error),
    /// A judge that can't be asked, or answers that can't be used.
    #[error(transparent)]
    Judge(#[from] crate::judge::Error),
    /// Neither two studies nor two artifacts.
    #[error(
        "{} and {}: give two studies (the folders of their study.toml), or two folders that `reproduce` wrote",
        first.display(),
        second.display()
    )]
    NotComparable { first: PathBuf, second: PathBuf },
    /// Threads.
    #[error("can't start {threads} threads: {source}; give a smaller --threads")]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
    /// Standard output is closed or full.
    #[error("writing to standard output failed: {0}")]
    Stdout(#[from] std::io::Error),
}

impl Error {
    /// Whether the machine failed, or something that it talks to, rather than that input, arguments or an output folder
    /// were refused. An error that wraps others asks them.
    fn is_failure(&self) -> bool {
        match self {
            Error::Stdout(_) | Error::Threads { .. } | Error::File(_) => true,
            Error::Output(error) => error.is_failure(),
            Error::Artifact(error) => error.is_failure(),
            Error::Templates(error) => error.is_failure(),
            Error::Bundle(error) => error.is_failure(),
            Error::Study(error) => error.is_failure(),
            Error::Judge(error) => error.is_failure(),
            Error::Embedding(error) => error.is_failure(),
            Error::Fetch(error) => error.is_failure(),
            _ => false,
        }
    }

    /// The only place that turns an error into an exit status.
    pub(super) fn exit_code(&self) -> u8 {
        if self.is_failure() { FAILED } else { REFUSED }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::*;
    use crate::formats::Error as DataError;
    use crate::report::{bundle, figures, latex};

    fn denied() -> io::Error {
        io::Error::from(io::ErrorKind::PermissionDenied)
    }

    #[test]
    fn the_status_is_that_of_the_innermost_error() {
        let path = PathBuf::from("f");
        let file = || FileError::at(Path::new("f"), "writing")(denied());
        let write = || EmbeddingError::Write { path: path.clone(), source: denied() };
        let inference =
            || EmbeddingError::Inference { model: path.clone(), texts: 1, length: 1, problem: String::new() };
        let writer = figures::Error::Writer { figure: String::new(), detail: String::new() };
        let template = |own: bool| {
            let (name, detail) = (String::new(), String::new());
            if own { latex::Error::Own { name, detail } } else { latex::Error::Template { name, detail } }
        };
        let failures: [Error; 14] = [
            denied().into(),
            file().into(),
            crate::system::Error::from(file()).into(),
            crate::artifact::Error::from(file()).into(),
            crate::study::Error::from(file()).into(),
            crate::study::Error::from(write()).into(),
            crate::study::Error::from(inference()).into(),
            crate::study::Error::from(crate::system::Error::from(file())).into(),
            crate::judge::Error::from(file()).into(),
            crate::judge::Error::Endpoint(String::new()).into(),
            write().into(),
            bundle::Error::from(writer).into(),
            template(true).into(),
            bundle::Error::from(template(true)).into(),
        ];
        for error in failures {
            assert_eq!(error.exit_code(), FAILED, "{error:?}");
        }
        let data = || DataError::Unreadable { file: path.clone(), source: denied() };
        let read = || EmbeddingError::Read { path: path.clone(), source: denied() };
        let glyph = figures::Error::Glyph { figure: String::new(), character: '?', text: String::new() };
        let refusals: [Error; 10] = [
            data().into(),
            crate::system::Error::NotWritable { folder: path.clone(), source: denied() }.into(),
            crate::artifact::Error::Missing { path: path.clone() }.into(),
            crate::study::Error::from(data()).into(),
            crate::experiments::Error::from(data()).into(),
            crate::study::Error::from(read()).into(),
            crate::judge::Error::from(data()).into(),
            bundle::Error::from(glyph).into(),
            template(false).into(),
            bundle::Error::from(template(false)).into(),
        ];
        for error in refusals {
            assert_eq!(error.exit_code(), REFUSED, "{error:?}");
        }
    }
}
