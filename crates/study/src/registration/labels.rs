//! The labels that were there when hypotheses were registered, and those that came later.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{Deviation, Registration};
use crate::error::Error;
use crate::input::log::LOG_FILE;
use crate::model::kind::{Kind, Study};
use crate::queue::record::QueueRecord;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::{FileError, Record, read};

/// The labels of a study at one time. Whoever registers hypotheses may have read those that were there: the program
/// sees runs in the study's own folder, and none in a copy of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelsThere {
    /// Labels.
    pub labels: u64,
    /// Items that have any.
    pub items: usize,
    /// Batches of added labels.
    pub batches: usize,
    /// When the last batch was added, in UTC; `None` without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_added: Option<String>,
    /// Size of each file of labels in bytes, by name. A file that later begins with the same bytes has only grown.
    pub files: BTreeMap<String, u64>,
}

impl LabelsThere {
    /// Those of a study as it was read.
    pub fn new<K: Kind>(study: &Study<K>) -> Self {
        let numbers = study.numbers();
        let folder = study.file.folder();
        let log = folder.join(LOG_FILE);
        let own =
            study.file.config.labels.as_ref().map(|labels| study.file.resolve_all(K::label_columns(labels).files));
        let files = own.unwrap_or_default().into_iter().chain([log]);
        let size = |path: std::path::PathBuf| {
            let size = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
            Some((study.inputs.name(&path, &folder), size))
        };
        Self {
            labels: numbers.iter().map(|n| u64::from(*n)).sum(),
            items: numbers.iter().filter(|n| **n > 0).count(),
            batches: study.batches(),
            last_added: study.labels.batches.iter().map(|batch| batch.added.clone()).max(),
            files: files.filter_map(size).collect(),
        }
    }

    /// Inputs that may differ from those of a registration made when these labels were there: files of labels that only
    /// grew since, and the log of added labels and the records of queues, where they are new.
    ///
    /// # Errors
    /// A file of labels can't be read.
    pub fn expected<K: Kind>(
        &self,
        study: &Study<K>,
        registered: &BTreeMap<String, String>,
    ) -> Result<BTreeSet<String>, FileError> {
        let folder = study.file.folder();
        let mut grown = vec![];
        for (name, size) in &self.files {
            let file = folder.join(name);
            let now = read::bytes_if_there(&file).map_err(FileError::at(&file, "reading"))?.unwrap_or_default();
            let then = usize::try_from(*size).ok().and_then(|size| now.get(..size));
            if then.is_some_and(|then| registered.get(name) == Some(&sha256_hex(then))) {
                grown.push(name.clone());
            }
        }
        let records = study
            .queues
            .iter()
            .flat_map(|queue| [QueueRecord::FILE, "selection.csv"].map(|file| folder.join(&queue.folder).join(file)));
        let new = records.chain([folder.join(LOG_FILE)]).map(|path| study.inputs.name(&path, &folder));
        Ok(grown.into_iter().chain(new.filter(|name| !registered.contains_key(name))).collect())
    }

    /// Labels that were there and are no more, which a registration does not expect.
    pub fn lost<K: Kind>(&self, study: &Study<K>) -> Option<Deviation> {
        let before = |added: &String| self.last_added.as_ref().is_some_and(|last| added <= last);
        let left = study.labels.batches.iter().filter(|batch| before(&batch.added)).count();
        (left < self.batches).then(|| Deviation {
            kind: "labels".to_owned(),
            name: "batches of added labels that were there".to_owned(),
            registered: Some(self.batches.to_string()),
            found: Some(left.to_string()),
        })
    }
}

/// Where a study's folder keeps the sums of the data at which its registered hypotheses were looked at, one a line.
pub const LOOKS_FILE: &str = "looks.txt";

/// Which data a look is at, those of studies whose judges are compared among them: the same for a run that is repeated.
///
/// # Errors
/// Such a study can't be read.
pub fn looked_at<K: Kind>(registration: &Registration, study: &Study<K>) -> Result<String, Error> {
    let mut inputs = study.relative_inputs();
    for other in registration.plan.judges(study) {
        let (folder, other) = other?;
        let named = |(name, sum): (String, String)| (folder.join(name).display().to_string(), sum);
        inputs.extend(other.relative_inputs().into_iter().map(named));
    }
    let lines: String = inputs.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    Ok(sha256_hex(lines.as_bytes()))
}

/// Number of the look at these data, from 1; the last one where they were not noted.
///
/// # Errors
/// The file with the looks can't be read.
pub fn look_number(folder: &Path, data: &str) -> Result<usize, FileError> {
    let file = folder.join(LOOKS_FILE);
    let known = read::bytes_if_there(&file).map_err(FileError::at(&file, "reading"))?.unwrap_or_default();
    let known = String::from_utf8_lossy(&known);
    Ok(known.lines().position(|line| line == data).unwrap_or_else(|| known.lines().count()) + 1)
}
