//! A fitted belief applied to further items, in a stream of any length.
//!
//! [`Applier::read`] reads a belief; [`check_judge`] and [`check_model`] hold items to it.
//!
//! | module | holds |
//! |---|---|
//! | [`applier`] | a belief applied to rows |
//! | [`audited`] | a table or log that `audit` reads, for a belief |
//! | [`stream`] | a stream written part by part, and gone on with where it stopped; the first of it under a rule |

pub mod applier;
pub mod audited;
pub mod stream;

use std::path::Path;

use crate::belief_file::SentenceModel;
use crate::error::Error;
use crate::input::judge::JudgeFiles;
use applier::Applier;
use judge_uncertainty_formats::error::{Error as DataError, Place};

pub use applier::AppliedRows;

/// Refuses predictions of another judge, as far as the `summary.json` of `judge run` beside them, which was read from
/// `path`, tells.
///
/// # Errors
/// It names another model or other prompts than those of the belief.
pub fn check_judge(belief: &Applier, path: &Path, stated: &JudgeFiles) -> Result<(), Error> {
    match belief.file.judge.is_other(stated) {
        None => Ok(()),
        Some(what) => {
            let remedy = "refit trust for every judge: apply the belief of a study of this one";
            Err(DataError::unfit(Place::file(path), format!("these predictions are of {what}"), remedy).into())
        }
    }
}

/// Refuses another sentence model, by its SHA-256, than that of the belief; `path` is its folder.
///
/// # Errors
/// It is another one.
pub fn check_model(of_belief: &SentenceModel, path: &Path, hash: &str) -> Result<(), Error> {
    match hash == of_belief.hash {
        true => Ok(()),
        false => {
            let reason =
                format!("this is another sentence model ({hash}) than that of the belief ({})", of_belief.hash);
            Err(DataError::unfit(Place::file(path), reason, "name its folder with --model").into())
        }
    }
}
