//! Whether items and models are those that a belief was fitted with.

use std::path::Path;

use super::applier::Apply;
use crate::belief_file::reference::SentenceModel;
use crate::error::Error;
use crate::input::judge_files::JudgeFiles;
use judge_uncertainty_formats::error::{Error as DataError, Place, Problem};

fn refused(path: &Path, reason: String, remedy: &str) -> Error {
    DataError::refused(Place::file(path), Problem::Unfit { reason, remedy: remedy.to_owned() }).into()
}

/// Refuses predictions of another judge, as far as the `summary.json` of `judge run` beside them, which was read from
/// `path`, tells.
///
/// # Errors
/// It names another model or other prompts than those of the belief.
pub fn check_judge(belief: &dyn Apply, path: &Path, stated: &JudgeFiles) -> Result<(), Error> {
    match belief.judge().is_other(stated) {
        None => Ok(()),
        Some(what) => Err(refused(
            path,
            format!("these predictions are of {what}"),
            "refit trust for every judge: apply the belief of a study of this one",
        )),
    }
}

/// Refuses another sentence model, by its SHA-256, than that of the belief; `path` is its folder.
///
/// # Errors
/// It is another one.
pub fn check_model(of_belief: &SentenceModel, path: &Path, hash: &str) -> Result<(), Error> {
    match hash == of_belief.hash {
        true => Ok(()),
        false => Err(refused(
            path,
            format!("this is another sentence model ({hash}) than that of the belief ({})", of_belief.hash),
            "name its folder with --model",
        )),
    }
}
