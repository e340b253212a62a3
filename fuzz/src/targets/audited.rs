//! The whole of `audit`: a file of any kind, to the estimates, the study and its queue.

use std::path::Path;

use judge_uncertainty::study::audit::{AuditInput, Audited, Labelled};
use judge_uncertainty::study::findings::Answer;
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::{Decomposition, Error, Study};
use judge_uncertainty::system::OutputFolder;
use judge_uncertainty::system::progress::Silent;
use judge_uncertainty::with_kind;

use super::tables::told;
use crate::scratch::{Scratch, choice};

/// The names under which a file is given.
const NAMES: [&str; 6] = ["rows.csv", "rows.tsv", "rows.jsonl", "rows.parquet", "rows.xlsx", "log.json"];

/// What is read becomes a study that can be read, and has an answer with a queue or without.
pub(crate) fn audited(data: &[u8]) {
    let (form, data) = choice(data, NAMES.len());
    let scratch = Scratch::new();
    let path = scratch.put(NAMES[form], data);
    let Ok(inputs) = AuditInput::read(std::slice::from_ref(&path), &[]).map_err(told) else { return };
    for (k, input) in inputs.into_iter().enumerate() {
        let Ok((mut found, mut study)) = input.study(&path, &[], (&Labelled::Unknown, &[])).map_err(told) else {
            continue;
        };
        let folder = scratch.path().join(format!("study-{k}"));
        let into = OutputFolder::<Audited>::check(&folder).expect("a new folder");
        study.seal(&mut found);
        into.commit(&study).expect("a new folder");
        let _ = answered(&folder).map_err(|error| assert!(!error.to_string().is_empty()));
    }
}

fn answered(folder: &Path) -> Result<(), Error> {
    with_kind!(folder, K => {
        let study = Study::<K>::load(folder)?;
        let decomposition = Decomposition::new(&study, &Silent)?;
        assert!(!Answer::new(&study, &decomposition, Amount::DEFAULT)?.says.is_empty());
    });
    Ok(())
}
