//! The whole of `audit`: a file of any kind, to the estimates, the study and its queue.

use std::path::Path;

use judge_uncertainty::study::Error;
use judge_uncertainty::study::audit::estimate::Labelled;
use judge_uncertainty::study::audit::rows::AuditRows;
use judge_uncertainty::study::audit::table::CellTable;
use judge_uncertainty::study::audit::{Audit, AuditRecord, audit, next};
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::system::OutputFolder;
use judge_uncertainty::with_kind;

use super::tables::told;
use crate::scratch::{Scratch, choice};

/// The names under which a file is given.
const NAMES: [&str; 6] = ["rows.csv", "rows.tsv", "rows.jsonl", "rows.parquet", "rows.xlsx", "log.json"];

/// What is read is audited, becomes a study that can be read, and has a queue or says why not.
pub(crate) fn audited(data: &[u8]) {
    let (form, data) = choice(data, NAMES.len());
    let scratch = Scratch::new();
    let path = scratch.put(NAMES[form], data);
    let Ok(tables) = CellTable::read(std::slice::from_ref(&path), &[]).map_err(told) else { return };
    for (k, cells) in tables.into_iter().enumerate() {
        let Ok((found, rows, mut study)) = audit(&cells, &path, &[], &Labelled::Unknown).map_err(told) else {
            continue;
        };
        drop(cells);
        let folder = scratch.path().join(format!("study-{k}"));
        let into = OutputFolder::<AuditRecord>::check(&folder).expect("a new folder");
        study.seal(&mut AuditRecord { audit: found.clone(), files: vec![] });
        into.commit(&study).expect("a new folder");
        let _ = queued(&folder, &rows, &found).map_err(|error| assert!(!error.to_string().is_empty()));
    }
}

fn queued(folder: &Path, rows: &AuditRows, found: &Audit) -> Result<(), Error> {
    let of = (&found.trust, found.rates.as_slice());
    with_kind!(folder, K => next::queue::<K>(folder, rows, of, Amount::Number(50))).map(drop)
}
