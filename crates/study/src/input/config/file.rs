//! A configuration with the file it comes from.

use std::path::{Path, PathBuf};

use super::checks::{check_evaluation, check_shared, check_title};
use super::files::Files;
use super::study::{Configured, StudyConfig, TableConfig};
use super::tables::FamiliarityConfig;
use crate::input::check::{Check, place};
use crate::input::words::in_words;
use judge_uncertainty_familiarity::row_ids;
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_formats::split::files_of;

/// A configuration with the file it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFile<C: Configured> {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// What it says.
    pub config: StudyConfig<C>,
}

/// What a kind checks of its own settings.
pub type OwnCheck<C> = fn(&StudyConfig<C>, &Check<'_>) -> Result<()>;

/// The `study.toml` that a path stands for: itself, or the one in a folder.
pub fn study_toml(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("study.toml") } else { path.to_owned() }
}

impl<C: Configured> StudyFile<C> {
    /// Reads and checks a `study.toml`; a folder stands for the `study.toml` in it. `own` checks what only this kind of
    /// label configures.
    ///
    /// # Errors
    /// A file that can't be read, is no TOML, has an unknown key, or a value outside its range; a link among the files
    /// of the study.
    pub fn read(path: &Path, own: OwnCheck<C>) -> Result<Self> {
        let given = path;
        let path = study_toml(given);
        // A file that is named itself may be a link; the one that is found in a folder may not.
        refuse_links(given, &path)?;
        let bytes = read_file(&path)?;
        let sha256 = sha256_hex(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| Error::refused(Place::file(&path), Problem::NotUtf8))?;
        let config: StudyConfig<C> = toml::from_str(&text).map_err(|error| {
            let place = error.span().map_or(Place::file(&path), |span| place(&path, &text, span.start));
            let remedy = "see the commented study.toml that `judge-uncertainty study init` writes";
            Error::unfit(place, in_words(error.message()), remedy)
        })?;
        let check = Check { path: &path, text: &text };
        check_title(&config.title, &check)?;
        own(&config, &check)?;
        check_shared(&config, &check)?;
        let file = Self { sha256, path, config };
        file.refuse_links()?;
        Ok(file)
    }

    /// Refuses links on the way from the study's folder to whatever the configuration names.
    fn refuse_links(&self) -> Result<()> {
        let StudyConfig { made_from, items, judge, labels, trust, familiarity, .. } = &self.config;
        let tables = [Some(&items.file), Some(judge.files()), labels.as_ref().map(TableConfig::files)];
        for file in tables.into_iter().flatten().flat_map(Files::iter) {
            let path = self.resolve(file);
            refuse_links(&self.folder(), &path)?;
            // What can't be listed is refused where it is read.
            for part in files_of(&path).unwrap_or_default() {
                refuse_links(&self.folder(), &part)?;
            }
        }
        let annotators = [judge.about_annotators(), labels.as_ref().and_then(TableConfig::about_annotators)];
        let carried = [made_from.as_deref(), trust.carry_from.as_deref()];
        let mut named: Vec<PathBuf> = annotators.into_iter().chain(carried).flatten().map(Path::to_owned).collect();
        if let Some(FamiliarityConfig { embeddings, model, cache, .. }) = familiarity {
            named.extend(embeddings.iter().flat_map(|matrix| [matrix.clone(), row_ids::beside(matrix)]));
            named.extend([PathBuf::from(model), cache.clone()]);
        }
        named.iter().try_for_each(|path| refuse_links(&self.folder(), &self.resolve(path)))
    }

    /// A configuration that was kept elsewhere than in a `study.toml`, held to the same.
    ///
    /// # Errors
    /// A value outside its range.
    pub fn kept(path: &Path, config: StudyConfig<C>, own: OwnCheck<C>) -> Result<Self> {
        let check = Check { path, text: "" };
        check_title(&config.title, &check)?;
        own(&config, &check)?;
        check_shared(&config, &check)?;
        Ok(Self { path: path.to_owned(), sha256: String::new(), config })
    }

    /// Replaces the number of replicates.
    ///
    /// # Errors
    /// It is none that can be run.
    pub fn set_replicates(&mut self, replicates: usize) -> Result<()> {
        self.config.evaluation.replicates = replicates;
        check_evaluation(&self.config.evaluation, &Check { path: &self.path, text: "" })
    }

    /// The folder of the study.
    pub fn folder(&self) -> PathBuf {
        self.resolve(Path::new(""))
    }

    /// A path of the configuration, seen from the working directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// Paths of the configuration, seen from the working directory.
    pub fn resolve_all(&self, files: &Files) -> Vec<PathBuf> {
        files.iter().map(|file| self.resolve(file)).collect()
    }

    /// The first file of labels, seen from the working directory; `None` for a study without any.
    pub fn labels_file(&self) -> Option<PathBuf> {
        self.config.labels.as_ref().map(|labels| self.resolve(labels.file()))
    }

    /// Where a row of the files of labels stands; nowhere if they are several, or none.
    pub fn line_of_labels(&self, line: u64) -> Place {
        self.config.labels.as_ref().map_or_else(Place::default, |labels| self.line_of(labels.files(), line))
    }

    /// Where a row of files of the configuration stands; nowhere if there are several files.
    pub fn line_of(&self, files: &Files, line: u64) -> Place {
        files.only().map_or_else(Place::default, |file| Place::file(&self.resolve(file)).at_line(line))
    }

    /// Refuses a setting, written as `table.key`, at its place in the file.
    pub fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        Check { path: &self.path, text: &text }.refuse(setting, value, reason, remedy)
    }
}
