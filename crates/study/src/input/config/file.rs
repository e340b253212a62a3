//! A configuration with the file it comes from.

use std::path::{Path, PathBuf};

use super::study::Files;
use super::study::StudyConfig;
use super::study::{EvaluationConfig, FamiliarityConfig};
use crate::input::check::in_words;
use crate::input::check::{Check, place};
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{BeliefModel, Feature, TrustPrior};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_familiarity::row_ids;
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::links::{refuse_links, refuse_outside};
use judge_uncertainty_formats::split::files_of;
use judge_uncertainty_system::{read, shell_path};

/// A configuration with the file it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFile {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// What it says.
    pub config: StudyConfig,
}

/// Faults of a configuration that are looked for.
const MOST_FAULTS: usize = 20;

fn refusal(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let place = error.span().map_or(Place::file(path), |span| place(path, text, span.start));
    let remedy = "see the commented study.toml that `judge-uncertainty study init` writes";
    Error::unfit(place, in_words(error.message()), remedy)
}

/// The `study.toml` that a path stands for: itself, or the one in a folder.
pub fn study_toml(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("study.toml") } else { path.to_owned() }
}

/// The bytes of the `study.toml` that was `given`; the error for anything else says what to do.
fn study_bytes(given: &Path, file: &Path) -> Result<Vec<u8>> {
    let refused = |reason: &str, remedy: String| Error::unfit(Place::file(given), reason, &remedy);
    let is_table =
        file.extension().is_some_and(|known| ["csv", "tsv", "jsonl", "parquet", "xlsx"].iter().any(|e| known == *e));
    if is_table && file.exists() {
        let remedy = format!("make a study of it: judge-uncertainty audit {}", shell_path(file));
        return Err(refused("this is a table and no study", remedy));
    }
    read_file(file).map_err(|error| match file.exists() || error.to_string().contains("did you mean") {
        true => error,
        false => refused(
            "there is no study here",
            format!(
                "name the folder of a study.toml, or make one: judge-uncertainty study init {}, or judge-uncertainty \
                 audit FILE from a table",
                shell_path(given)
            ),
        ),
    })
}

impl StudyFile {
    /// Reads and checks a `study.toml`; a folder stands for the `study.toml` in it.
    ///
    /// # Errors
    /// A file that can't be read, is not TOML, has an unknown key, or a value outside its range; a link among the files
    /// of the study.
    pub fn read(path: &Path) -> Result<Self> {
        let given = path;
        let path = study_toml(given);
        // A file that is named itself may be a link; the one that is found in a folder may not.
        refuse_links(given, &path)?;
        let bytes = study_bytes(given, &path)?;
        let sha256 = sha256_hex(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| Error::refused(Place::file(&path), Problem::NotUtf8))?;
        let config = StudyConfig::from_toml(&text).map_err(|error| refusal(&path, &text, &error))?;
        let file = Self { sha256, ..Self::checked(&path, &text, config)? };
        file.refuse_links()?;
        Ok(file)
    }

    /// All that is wrong with the keys and values of a `study.toml`: what [`Self::read`] refuses, and what it would
    /// refuse after that. Empty where its text can be read.
    pub fn faults(path: &Path) -> Vec<Error> {
        let path = study_toml(path);
        let Some(text) = read_file(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { return vec![] };
        let (mut faults, mut rest) = (vec![], text.clone());
        while let Err(error) = StudyConfig::from_toml(&rest) {
            // What is missing may have been on a line that was taken out for its own fault.
            if faults.is_empty() || !error.message().starts_with("missing field") {
                faults.push(refusal(&path, &text, &error));
            }
            let Some(span) = error.span().filter(|span| span.end < rest.len()) else { break };
            let from = rest[..span.start].rfind('\n').map_or(0, |end| end + 1);
            let to = rest[span.end.max(span.start)..].find('\n').map_or(rest.len(), |end| span.end + end);
            let blank: String = rest[from..to].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
            if blank.len() != to - from || rest[from..to] == blank || faults.len() > MOST_FAULTS {
                break;
            }
            rest.replace_range(from..to, &blank);
        }
        faults
    }

    /// Refuses links on the way from the study's folder to whatever the configuration names, and a place to write to
    /// that is elsewhere.
    fn refuse_links(&self) -> Result<()> {
        let StudyConfig { made_from, items, trust, familiarity, .. } = &self.config;
        let (judge, labels) = self.config.tables();
        let tables = [Some(&items.file), Some(judge), labels.map(|labels| labels.files)];
        for file in tables.into_iter().flatten().flat_map(Files::iter) {
            let path = self.resolve(file);
            refuse_links(&self.folder(), &path)?;
            // What can't be listed is refused where it is read.
            for part in files_of(&path).unwrap_or_default() {
                refuse_links(&self.folder(), &part)?;
            }
        }
        let others = [made_from.as_deref(), trust.carry_from.as_deref()];
        let mut named: Vec<PathBuf> = others.into_iter().flatten().map(Path::to_owned).collect();
        if let Some(FamiliarityConfig { embeddings, model, cache, .. }) = familiarity {
            refuse_outside(&self.folder(), &self.resolve(cache))?;
            named.extend(embeddings.iter().flat_map(|matrix| [matrix.clone(), row_ids::beside(matrix)]));
            named.extend([PathBuf::from(model), cache.clone()]);
        }
        named.iter().try_for_each(|path| refuse_links(&self.folder(), &self.resolve(path)))
    }

    /// A configuration with the `text` that it was read from, blank where it was kept elsewhere than in a `study.toml`,
    /// held to what a file is held to.
    ///
    /// # Errors
    /// A value outside its range.
    pub fn checked(path: &Path, text: &str, config: StudyConfig) -> Result<Self> {
        let check = Check { path, text };
        check.that(!config.title.trim().is_empty(), "title", &config.title, "is blank", "name the study")?;
        config.check_own(&check)?;
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
        self.config.tables().1.map(|labels| self.resolve(labels.files.first()))
    }

    /// Where a row of the files of labels stands; nowhere if they are several, or none.
    pub fn line_of_labels(&self, line: u64) -> Place {
        let only = self.config.tables().1.and_then(|labels| labels.files.only());
        only.map_or_else(Place::default, |file| Place::file(&self.resolve(file)).at_line(line))
    }

    /// Refuses a setting, written as `table.key`, at its place in the file.
    pub fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        let text = // Only for the line: the reading of before went well.
        read::text(&self.path).unwrap_or_default();
        Check { path: &self.path, text: &text }.refuse(setting, value, reason, remedy)
    }
}

/// Checks what all studies configure alike.
fn check_shared(config: &StudyConfig, check: &Check<'_>) -> Result<()> {
    if let Some(criterion) = &config.criterion {
        let named = !criterion.name.trim().is_empty();
        check.that(named, "criterion.name", &criterion.name, "is blank", "name what items are judged by")?;
    }
    let items = &config.items;
    for (setting, names) in [("items.numbers", &items.numbers), ("items.categories", &items.categories)] {
        let own = names.iter().find(|name| Feature::<usize>::COMPUTED.iter().any(|(own, _)| own == name));
        let remedy = "rename the column in the file and here";
        check.that(own.is_none(), setting, &own, "is the name of a feature that every study has", remedy)?;
    }
    let columns: Vec<String> = items.numbers.iter().chain(&items.categories).cloned().collect();
    check.each_once("items.categories", &columns)?;
    check_evaluation(&config.evaluation, check)?;
    if config.trust.belief == BeliefModel::Map(MapName::Groups) {
        let remedy = "name the column of the groups as items.group, or take belief = \"auto\"";
        check.that(items.group.is_some(), "trust.belief", &"groups", "the items have no groups", remedy)?;
    }
    if let Some(features) = &config.trust.features {
        check.each_once("trust.features", features)?;
    }
    if let Some(from) = &config.trust.carry_from {
        let plain = config.trust.belief == BeliefModel::Published && config.trust.prior == TrustPrior::Weak;
        let centred = plain || config.trust.belief.recalibrates();
        let remedy = "leave it out, or take prior = \"weak\" and belief = \"published\" or \"auto\"";
        let reason = "only the weak prior of the published belief and those of the maps have a centre";
        check.that(centred, "trust.carry_from", from, reason, remedy)?;
    }
    let neighbours = config.familiarity.as_ref().map_or(1, |familiarity| familiarity.neighbours);
    let (fits, remedy) = ((1..=1000).contains(&neighbours), "choose a number such as 10");
    check.that(fits, "familiarity.neighbours", &neighbours, "is outside 1 to 1000", remedy)
}

fn check_evaluation(evaluation: &EvaluationConfig, check: &Check<'_>) -> Result<()> {
    let setting = |key: &str| format!("evaluation.{key}");
    let replicates = evaluation.replicates;
    let fits = replicates == 0 || (2..=100_000).contains(&replicates);
    let remedy = "choose 0 for no evaluation, or 2 to 100000";
    check.that(fits, &setting("replicates"), &replicates, "is not a number of replicates", remedy)?;
    let bad = evaluation.budgets.iter().find(|&&percent| Budget::percent(percent).is_none());
    let (key, remedy) = (setting("budgets"), "write whole percentages from 1 to 100, such as [1, 5, 10, 20]");
    check.that(bad.is_none(), &key, &bad, "a budget is a percentage", remedy)?;
    let ascending = evaluation.budgets.is_sorted_by(|a, b| a < b) && !evaluation.budgets.is_empty();
    check.that(ascending, &key, &evaluation.budgets, "budgets are needed in ascending order", remedy)?;
    let reveals = !evaluation.reveal.is_empty() && evaluation.reveal.iter().any(|&n| n > 0);
    let remedy = "write numbers of labels, one of them above 0, such as [0, 1, 2, 5, 10]";
    check.that(reveals, &setting("reveal"), &evaluation.reveal, "no item would have labels", remedy)?;
    let (least, remedy) =
        (evaluation.least_labels, "write 4 or more: half of the labels are the truth, and its noise needs two");
    check.that(least >= 4, &setting("least_labels"), &least, "is too few to split", remedy)
}
