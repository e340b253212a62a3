//! A configuration with the file it comes from.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::input::config::study::{EvaluationConfig, FamiliarityConfig, Files, StudyConfig};
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{BeliefModel, Feature, TrustPrior};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_familiarity::row_ids;
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place, Problem, Result, excerpt};
use judge_uncertainty_formats::links::{refuse_links, refuse_outside};
use judge_uncertainty_formats::split::files_of;
use judge_uncertainty_system::numbers::LARGEST;
use judge_uncertainty_system::{read, shell_path, text_position};

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

/// The folders within one that are studies, as `audit` writes them for a table with several criteria; in order.
pub fn studies_within(folder: &Path) -> Vec<PathBuf> {
    let names = read::names(folder).unwrap_or_default();
    names.iter().map(|name| folder.join(name)).filter(|path| path.join("study.toml").is_file()).collect()
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
    if !file.exists()
        && let [first, ..] = studies_within(given).as_slice()
    {
        return Err(refused("each of its folders is a study", format!("name one, such as {}", shell_path(first))));
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
        check_config(&config, &check)?;
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

    /// Refuses a setting, written as `table.key`, at its place in the file.
    pub fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        let text = // Only for the line: the reading of before went well.
        read::text(&self.path).unwrap_or_default();
        Check { path: &self.path, text: &text }.refuse(setting, value, reason, remedy)
    }
}

fn check_config(config: &StudyConfig, check: &Check<'_>) -> Result<()> {
    check.that(!config.title.trim().is_empty(), "title", &config.title, "is blank", "name the study")?;
    config.check_tables(check)?;
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
    if config.trust.belief() == BeliefModel::Map(MapName::Groups) {
        let remedy = "name the column of the groups as items.group, or take belief = \"auto\"";
        check.that(items.group.is_some(), "trust.belief", &"groups", "the items have no groups", remedy)?;
    }
    if let Some(features) = &config.trust.features {
        check.each_once("trust.features", features)?;
    }
    if let Some(from) = &config.trust.carry_from {
        let plain = config.trust.belief() == BeliefModel::Published && config.trust.prior == TrustPrior::Weak;
        let centred = plain || config.trust.belief().recalibrates();
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

// Where in a configuration a value stands that it may not hold, and how it is refused.

/// Line and column of a byte.
pub(crate) fn place(path: &Path, text: &str, offset: usize) -> Place {
    let (line, column) = text_position(text, offset);
    Place::file(path).at_line(line as u64).at_character(column)
}

/// A value as it would stand in the configuration.
fn shown(value: &impl Serialize) -> String {
    toml::Value::try_from(value).map_or_else(|_| "none".to_owned(), |value| with_short_numbers(&value.to_string()))
}

/// Refuses values of a configuration at their places in the text that it was read from.
pub struct Check<'t> {
    pub(super) path: &'t Path,
    pub(super) text: &'t str,
}

impl Check<'_> {
    /// Where a setting `table.key` (or `key`, above all tables) stands; the file as a whole where it is not written as
    /// one line of its table.
    fn place_of(&self, setting: &str) -> Place {
        let (table, key) = setting.rsplit_once('.').unwrap_or(("", setting));
        let (mut here, mut offset) = (String::new(), 0);
        for line in self.text.split_inclusive('\n') {
            let trimmed = line.trim();
            if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                here = name.trim().to_owned();
            } else if here == table
                && let Some(rest) = trimmed.strip_prefix(key)
                && rest.trim_start().starts_with('=')
            {
                return place(self.path, self.text, offset + line.len() - line.trim_start().len());
            }
            offset += line.len();
        }
        Place::file(self.path)
    }

    /// The refusal of a setting.
    pub(super) fn refuse(&self, setting: &str, value: &str, reason: &str, remedy: &str) -> Error {
        Error::unfit(self.place_of(setting), format!("{setting} = {value}: {reason}"), remedy)
    }

    /// Refuses a setting unless something holds.
    ///
    /// # Errors
    /// It does not.
    pub fn that(&self, holds: bool, setting: &str, value: &impl Serialize, reason: &str, remedy: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.refuse(setting, &shown(value), reason, remedy)) }
    }

    /// Refuses a scale that leaves no room for squares of squared ratings among floating-point numbers, so that what is
    /// read can be fitted.
    ///
    /// # Errors
    /// Ends beyond 1e70, or nearer to each other than 1e-70.
    pub fn has_room(&self, low: f64, high: f64, setting: &str, value: &impl Serialize) -> Result<()> {
        let room = low.abs() <= LARGEST && high.abs() <= LARGEST && high - low >= 1.0 / LARGEST;
        let reason = "leaves no room for the squares of ratings among floating-point numbers";
        self.that(room, setting, value, reason, "take another unit: from -1e70 to 1e70, and 1e-70 or more apart")
    }

    /// Refuses a list that has an entry twice.
    ///
    /// # Errors
    /// There is one.
    pub fn each_once(&self, setting: &str, names: &[String]) -> Result<()> {
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.refuse(setting, &format!("{:?}", pair[0]), "appears twice", "name it once")),
            None => Ok(()),
        }
    }
}

/// A number with more characters than this is written as a power of ten.
const MOST: usize = 24;

/// What readers call types, and what people call them.
const WORDS: [(&str, &str); 18] = [
    ("expected u8", "expected a whole number of 0 or more"),
    ("expected u16", "expected a whole number of 0 or more"),
    ("expected u32", "expected a whole number of 0 or more"),
    ("expected u64", "expected a whole number of 0 or more"),
    ("expected usize", "expected a whole number of 0 or more"),
    ("expected i64", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a sequence", "expected a list: [..., ...]"),
    ("expected a tuple of size 2", "expected a list of two: [..., ...]"),
    ("expected a map", "expected a table"),
    ("floating point `", "the number `"),
    ("integer `", "the number `"),
    ("type: sequence", "type: a list"),
    ("type: map", "type: a table"),
    ("` as i128", "`"),
    ("` as u128", "`"),
    (
        "duplicate field `scale`",
        "two keys that say what labels can be: `classes`, `scale` and `places` exclude each other",
    ),
    // A study is of classes if it does not say otherwise.
    ("missing field `scale`", "missing field `classes` (or `scale` for scores, `places` for ordinal ratings)"),
];

/// A message of the TOML reader without line ends, the names of this program's types, numbers of hundreds of digits and
/// other long words.
pub(crate) fn in_words(message: &str) -> String {
    let message = with_short_numbers(message);
    let short = |(k, part): (usize, &str)| if k % 2 == 1 { excerpt(part) } else { part.to_owned() };
    let message: Vec<String> = message.split('`').enumerate().map(short).collect();
    let mut message = message.join("`").replace('\n', "; ");
    for (typed, said) in WORDS {
        // Whole words: "u32" begins no other.
        message = message.replace(typed, said);
    }
    match message.find("expected struct ") {
        Some(at) => {
            let (before, rest) = message.split_at(at);
            let name = rest["expected struct ".len()..].find(|c: char| !c.is_alphanumeric());
            let after = name.map_or("", |end| &rest["expected struct ".len() + end..]);
            format!("{before}expected a table: {{ ... }}{after}")
        }
        None => message,
    }
}

/// The text with numbers of hundreds of digits as powers of ten.
pub(super) fn with_short_numbers(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let length = rest[start..].find(|c| !is_part(c)).unwrap_or(rest.len() - start);
        let (before, number) = (&rest[..start], &rest[start..start + length]);
        shown.push_str(before);
        match number.parse::<f64>() {
            Ok(value) if number.len() > MOST => shown.push_str(&format!("{value:e}")),
            _ => shown.push_str(number),
        }
        rest = &rest[start + length..];
    }
    shown + rest
}

#[cfg(test)]
mod tests_of_check {
    use super::{in_words, with_short_numbers};

    #[test]
    fn types_and_long_numbers_are_told_in_words() {
        let long = format!("invalid type: floating point `1{}.0`, expected u32", "0".repeat(300));
        let told = "invalid type: the number `1e300`, expected a whole number of 0 or more";
        for (message, expected) in [
            (long.as_str(), told),
            (
                "invalid type: integer `3`, expected struct Options; in it",
                "invalid type: the number `3`, expected a table: { ... }; in it",
            ),
            (
                "invalid value: integer `-1` as i128,\nexpected u64",
                "invalid value: the number `-1`,; expected a whole number of 0 or more",
            ),
            ("unknown variant `floating`, expected one of `a`", "unknown variant `floating`, expected one of `a`"),
        ] {
            assert_eq!(in_words(message), expected);
        }
    }

    #[test]
    fn long_numbers_are_powers_of_ten() {
        let long = format!("[1.0, -1{}.0, 0.25, v1.2, ...]", "0".repeat(300));
        assert_eq!(with_short_numbers(&long), "[1.0, -1e300, 0.25, v1.2, ...]");
    }
}
