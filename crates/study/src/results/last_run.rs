//! The last run of a study, where it read what the study reads now: a queue goes on from its numbers.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::belief_file::file::{BeliefFile, FILE as BELIEF};
use crate::error::Error;
use crate::model::study::{Decomposition, Study};
use crate::results::StudyManifest;
use crate::results::columns::feature_column;
use judge_uncertainty_core::belief::Feature;
use judge_uncertainty_familiarity::features::FamiliarityFeatures;
use judge_uncertainty_formats::batches::source;
use judge_uncertainty_formats::error::Error::Unreadable;
use judge_uncertainty_formats::error::Result as Read;
use judge_uncertainty_system::{FileError, MANIFEST, read};

/// The folder of a run that read what the study reads now.
#[derive(Debug)]
pub struct LastRun(PathBuf);

/// What was read; `None` of a file that is missing or damaged.
///
/// # Errors
/// It is there and can't be read.
fn if_whole<T>(read: Read<T>) -> Read<Option<T>> {
    match read {
        Err(Unreadable { file, source }) if source.kind() != ErrorKind::NotFound => Err(Unreadable { file, source }),
        other => Ok(other.ok()),
    }
}

impl LastRun {
    /// The run in the folder `run` beside the study.toml; `None` where there is none, or where it is of another
    /// program, or configuration or any input have changed since.
    ///
    /// # Errors
    /// Its manifest is there and can't be read.
    pub fn find(study: &Study) -> Result<Option<Self>, FileError> {
        let folder = study.file.resolve(Path::new("run"));
        let file = folder.join(MANIFEST);
        let manifest = read::bytes_if_there(&file).map_err(FileError::at(&file, "reading"))?;
        let manifest = manifest.and_then(|text| serde_json::from_slice::<StudyManifest>(&text).ok());
        let same = |manifest: StudyManifest| {
            manifest.program == env!("CARGO_PKG_VERSION")
                && (&manifest.inputs, &manifest.study_sha256) == (study.inputs.sums(), &study.file.sha256)
        };
        Ok(manifest.is_some_and(same).then_some(Self(folder)))
    }

    /// Its decomposition, to the last bit, without fitting or searching anything; `None` where its files are not whole.
    ///
    /// # Errors
    /// As [`Decomposition::new`]; a file of the run is there and can't be read.
    pub fn decomposition(&self, study: &Study) -> Result<Option<Decomposition>, Error> {
        let Some(belief) = if_whole(BeliefFile::read(&self.0.join(BELIEF)))? else { return Ok(None) };
        let Some(near) = if_whole(self.near(study))? else { return Ok(None) };
        let all: Vec<usize> = (0..study.len()).collect();
        let pool = study.pool(&study.labels, &all);
        let found = Decomposition::near(study, &all, pool, near.as_ref(), Some(belief.fit))?;
        let scale = |name: &str, mean: f64, sd: f64, missing: usize| (name.to_owned(), mean, sd, missing);
        // The features are those of the fit, so nobody has changed the table of items.
        let here = found.scales.iter().map(|of| scale(&of.name, of.mean, of.sd, of.missing));
        let there = belief.features.iter().map(|of| scale(&of.name, of.mean, of.sd, of.missing));
        Ok((belief.inputs == study.relative_inputs() && here.eq(there)).then_some(found))
    }

    /// How near every item is to the labelled ones, as the table of items has it; `None` for a study whose trust does
    /// not depend on it.
    fn near(&self, study: &Study) -> Read<Option<FamiliarityFeatures>> {
        if !study.features.iter().any(Feature::is_distance) {
            return Ok(None);
        }
        let wanted =
            [Feature::NearestLabelled, Feature::MeanNearestLabelled].map(|of: Feature| feature_column(of.name()));
        let mut rows = source::open(&self.0.join("items.parquet"), "id")?;
        let mut near = FamiliarityFeatures { nearest: vec![], mean_nearest: vec![] };
        while let Some(batch) = rows.next(&wanted, usize::MAX)? {
            for (of, name) in [&mut near.nearest, &mut near.mean_nearest].into_iter().zip(&wanted) {
                if let Ok(column) = batch.table.column(name) {
                    let values = batch.table.rows().map(|row| row.optional_number(column).ok().flatten());
                    of.extend(values);
                }
            }
        }
        near.nearest.resize(study.len(), None);
        near.mean_nearest.resize(study.len(), None);
        Ok(Some(near))
    }
}
