//! Findings that are registered before their labels come: a list of finding ids, each with what is claimed of it, frozen
//! with the settings and the sums of the inputs.
//!
//! A run then says of each whether it is confirmed, refuted or open, by intervals that hold together: of m hypotheses each
//! may miss with (1 - level)/m (Bonferroni).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

use crate::error::Error;
use crate::findings::Answer;
use crate::input::check::in_words;
use crate::input::label_store::sum_in;
use crate::model::study::Study;
use crate::queue::files::QueueRecord;
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::{FileError, Record, TextPosition, clock, read, to_json, write_new_file};

/// Name of the file in a study's folder.
pub const REGISTRATION_FILE: &str = "registration.toml";
/// Where a study's folder keeps the sums of the data at which its registered hypotheses were looked at, one a line.
pub const LOOKS_FILE: &str = "looks.txt";
/// Version of the layout; the first one had a language for hypotheses about rules and judges.
const FORMAT: u32 = 2;

/// Why a plan or a registration is refused.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum RegistrationError {
    /// A plan or registration that can't be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// A registration that is a link.
    #[error(transparent)]
    Link(judge_uncertainty_formats::Error),
    /// A registration that can't be written.
    #[error(transparent)]
    Unwritable(#[from] judge_uncertainty_system::Error),
    #[error("{path}:{line}:{column}: {reason}; a hypothesis needs finding, and above, below or both")]
    NotToml { path: PathBuf, line: usize, column: usize, reason: String },
    #[error("{path}: {reason}")]
    Plan { path: PathBuf, reason: String },
    #[error("{0}: exists already, and a registration is never changed; start a new study folder for a new one")]
    Exists(PathBuf),
    #[error(
        "{path}: its digest is {found}, but it says {stated}: the registration was changed after it was made; restore \
         the file, or remove it and report all findings as exploratory"
    )]
    Tampered { path: PathBuf, stated: String, found: String },
    #[error(
        "{path}: has format {found}, but this program reads format {read}; run the version that registered it, or move \
         the file away and report all findings as exploratory"
    )]
    Format { path: PathBuf, found: u32, read: u32 },
}

impl RegistrationError {
    /// Whether the machine failed, rather than that a plan or registration was refused.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Unwritable(error) if error.is_failure())
    }
}

fn text(path: &Path) -> Result<String, RegistrationError> {
    read::text(path).map_err(|error| RegistrationError::Unreadable(FileError::at(path, "reading")(error)))
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, RegistrationError> {
    toml::from_str(text).map_err(|error| {
        let TextPosition { line, column } = TextPosition::new(text, error.span().map_or(0, |span| span.start));
        RegistrationError::NotToml { path: path.to_owned(), line, column, reason: in_words(error.message()) }
    })
}

/// A claim about one finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    /// The id of the finding, as results list it.
    pub finding: String,
    /// It is claimed to be above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// It is claimed to be below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
}

impl Hypothesis {
    /// What it claims, in words.
    pub fn claim(&self) -> String {
        let finding = &self.finding;
        match (self.above, self.below) {
            (Some(low), Some(high)) => format!("{finding} between {low} and {high}"),
            (Some(low), None) => format!("{finding} above {low}"),
            (None, Some(high)) => format!("{finding} below {high}"),
            (None, None) => finding.clone(),
        }
    }

    /// Confirmed where an interval lies within the claim, refuted where it lies outside.
    fn held_against(&self, found: Interval) -> Status {
        let (low, high) = (self.above.unwrap_or(f64::NEG_INFINITY), self.below.unwrap_or(f64::INFINITY));
        match (found.lo > low && found.hi < high, found.hi <= low || found.lo >= high) {
            (true, _) => Status::Confirmed,
            (_, true) => Status::Refuted,
            _ => Status::Open,
        }
    }
}

/// What a user writes before registering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Probability with which all intervals together are to hold.
    #[serde(default = "default_level")]
    pub level: f64,
    /// Labels that the study will have when the hypotheses are judged; with fewer a run is an interim look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<u64>,
    /// What has been seen of the data before, in words.
    #[serde(default)]
    pub seen: Vec<String>,
    /// The hypotheses.
    #[serde(rename = "hypothesis")]
    pub hypotheses: Vec<Hypothesis>,
}

fn default_level() -> f64 {
    0.95
}

impl Plan {
    /// Reads and checks a plan; `known` are the findings that the study has.
    ///
    /// # Errors
    /// No TOML of this form, no hypothesis, one about no finding of the study or without a claim, two about one finding, a
    /// level outside 0 to 1.
    pub fn load(path: &Path, known: &[&str]) -> Result<Self, RegistrationError> {
        let plan: Self = parse(path, &text(path)?)?;
        let refused = |reason: String| Err(RegistrationError::Plan { path: path.to_owned(), reason });
        if !(plan.level > 0.0 && plan.level < 1.0) {
            return refused(format!("level = {} is not between 0 and 1; write one such as 0.95", plan.level));
        }
        if plan.hypotheses.is_empty() {
            return refused("it has no [[hypothesis]]".to_owned());
        }
        let mut seen = BTreeSet::new();
        for Hypothesis { finding, above, below } in &plan.hypotheses {
            if !known.contains(&finding.as_str()) {
                let near = judge_uncertainty_formats::error::similar(finding, known.iter().copied());
                let near = near.map_or_else(String::new, |near| format!(", did you mean {near:?}?"));
                return refused(format!("{finding:?} is no finding of this study{near} (it has {})", known.join(", ")));
            }
            if !seen.insert(finding) {
                return refused(format!("two hypotheses are about {finding:?}; write above and below into one"));
            }
            let ends = [*above, *below];
            if ends.iter().all(Option::is_none) || ends.iter().flatten().any(|end| !end.is_finite()) {
                return refused(format!("hypothesis {finding:?} claims no finite number; write above = 0.8, or below"));
            }
            if above.zip(*below).is_some_and(|(above, below)| above >= below) {
                return refused(format!("hypothesis {finding:?} claims a value above one that it is to be below"));
            }
        }
        Ok(plan)
    }
}

/// A frozen plan with everything that a run is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// Version of the layout.
    format: u32,
    /// Program and version that registered.
    pub program: String,
    /// When, in UTC.
    pub registered: String,
    /// SHA-256 over everything else, as canonical JSON with this field empty.
    digest: String,
    /// SHA-256 of every input file, by name.
    pub inputs: BTreeMap<String, String>,
    /// Every setting of the study, seeds included, as text.
    pub settings: BTreeMap<String, String>,
    /// The labels that were there.
    pub labels: LabelsThere,
    /// The plan.
    pub plan: Plan,
}

/// The layout of a registration, whatever else it says.
#[derive(Deserialize)]
struct Layout {
    format: u32,
}

impl Registration {
    /// Freezes a plan for a study.
    pub fn new(plan: Plan, study: &Study) -> Self {
        let mut registration = Self {
            format: FORMAT,
            program: concat!("judge-uncertainty ", env!("CARGO_PKG_VERSION")).to_owned(),
            registered: clock::now(),
            digest: String::new(),
            inputs: study.relative_inputs(),
            settings: study.file.config.flattened(),
            labels: LabelsThere::new(study),
            plan,
        };
        registration.digest = registration.content_digest();
        registration
    }

    fn content_digest(&self) -> String {
        sha256_hex(to_json(&Self { digest: String::new(), ..self.clone() }).as_bytes())
    }

    /// SHA-256 of the content.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Writes the file into a folder, where it must not exist yet.
    ///
    /// # Errors
    /// A registration is there already, or the file system refuses.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, RegistrationError> {
        let path = folder.join(REGISTRATION_FILE);
        let body = toml::to_string_pretty(self).expect("a registration is plain data with string keys");
        let text = format!("# Changing this file invalidates it: its digest is checked.\n\n{body}");
        match write_new_file(&path, text.as_bytes())? {
            true => Ok(path),
            false => Err(RegistrationError::Exists(path)),
        }
    }

    /// Reads the registration of a folder and checks its digest; `None` for a folder without one.
    ///
    /// # Errors
    /// A file that can't be read, has another format, or was changed after it was made.
    pub fn load(folder: &Path) -> Result<Option<Self>, RegistrationError> {
        let path = folder.join(REGISTRATION_FILE);
        refuse_links(folder, &path).map_err(RegistrationError::Link)?;
        if !path.exists() {
            return Ok(None);
        }
        let text = text(&path)?;
        if let Ok(Layout { format }) = toml::from_str(&text)
            && format != FORMAT
        {
            return Err(RegistrationError::Format { path, found: format, read: FORMAT });
        }
        let registration: Self = parse(&path, &text)?;
        let found = registration.content_digest();
        if found != registration.digest {
            return Err(RegistrationError::Tampered { path, stated: registration.digest, found });
        }
        Ok(Some(registration))
    }

    /// What a run of a study does otherwise than it was registered, in the order of the names. Labels that came since,
    /// and the records of the queues that they answer, are expected.
    ///
    /// # Errors
    /// A file of labels can't be read.
    pub fn deviations(&self, study: &Study) -> Result<Vec<Deviation>, FileError> {
        let expected = self.labels.expected(study, &self.inputs)?;
        let mut deviations = differing("setting", &self.settings, &study.file.config.flattened());
        deviations.extend(differing("input", &self.inputs, &study.relative_inputs()));
        deviations.retain(|found| found.kind != "input" || !expected.contains(&found.name));
        deviations.extend(self.labels.lost(study));
        let labels = LabelsThere::new(study).labels;
        deviations.extend(self.plan.labels.filter(|announced| *announced < labels).map(|announced| Deviation {
            kind: "labels".to_owned(),
            name: "number".to_owned(),
            registered: Some(announced.to_string()),
            found: Some(labels.to_string()),
        }));
        Ok(deviations)
    }
}

/// Something that a run does otherwise than it was registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    /// "setting", "input" or "labels".
    pub kind: String,
    /// Which one.
    pub name: String,
    /// As registered; `None` if it was not there.
    pub registered: Option<String>,
    /// As it was in the run; `None` if it is not there any more.
    pub found: Option<String>,
}

fn differing(kind: &str, registered: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> Vec<Deviation> {
    let names: BTreeSet<&String> = registered.keys().chain(found.keys()).collect();
    let differ = names.into_iter().filter(|&name| registered.get(name) != found.get(name));
    let deviation = |name: &String| Deviation {
        kind: kind.to_owned(),
        name: name.clone(),
        registered: registered.get(name).cloned(),
        found: found.get(name).cloned(),
    };
    differ.map(deviation).collect()
}

/// How a hypothesis fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The interval lies within the claim.
    Confirmed,
    /// It lies outside.
    Refuted,
    /// Neither.
    Open,
    /// The labels determine no interval.
    NotEstimable,
    /// Fewer labels than announced are there: nothing is decided.
    InterimLook,
    /// Something differs from what was registered: nothing was tested.
    Deviating,
}

impl Status {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Open => "open",
            Self::NotEstimable => "not estimable",
            Self::InterimLook => "interim look",
            Self::Deviating => "deviating",
        }
    }
}

/// A hypothesis held against a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The hypothesis.
    #[serde(flatten)]
    pub hypothesis: Hypothesis,
    /// The finding, by an interval that holds together with those of the others.
    pub found: Option<(f64, Interval)>,
    /// How it fared.
    pub status: Status,
    /// How it would have fared if it had been tested as registered; `None` where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_as_registered: Option<Status>,
    /// Why the labels determine no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The registered hypotheses with their results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registered {
    /// Digest of the registration.
    pub digest: String,
    /// When it was made, in UTC.
    pub registered: String,
    /// Level of the intervals together.
    pub level: f64,
    /// What had been seen of the data, in words.
    pub seen: Vec<String>,
    /// Every hypothesis and how it fared.
    pub hypotheses: Vec<Judged>,
    /// What the run does otherwise than registered.
    pub deviations: Vec<Deviation>,
    /// Labels that were there at registration, and may have been read before.
    pub labels_there: LabelsThere,
    /// Labels of the run.
    pub labels: u64,
    /// Labels that the plan announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<u64>,
    /// How often the hypotheses were looked at with other data, this look included.
    pub look: usize,
}

impl Registered {
    /// Judges the hypotheses by the findings of a run.
    ///
    /// # Errors
    /// A file of labels or of looks can't be read.
    pub fn new(registration: &Registration, study: &Study, answer: &Answer) -> Result<Self, Error> {
        let plan = &registration.plan;
        let (deviations, labels) = (registration.deviations(study)?, LabelsThere::new(study).labels);
        let otherwise = match plan.labels {
            _ if !deviations.is_empty() => Some(Status::Deviating),
            Some(announced) if labels < announced => Some(Status::InterimLook),
            _ => None,
        };
        let miss = (1.0 - plan.level) / plan.hypotheses.len() as f64;
        let judged = |hypothesis: &Hypothesis| {
            let found = answer.findings.iter().find(|finding| finding.id == hypothesis.finding).map(|one| &one.found);
            let (found, status, note) = judge(hypothesis, found, miss);
            Judged {
                hypothesis: hypothesis.clone(),
                found,
                status: otherwise.unwrap_or(status),
                if_as_registered: otherwise.map(|_| status),
                note,
            }
        };
        Ok(Self {
            digest: registration.digest().to_owned(),
            registered: registration.registered.clone(),
            level: plan.level,
            seen: plan.seen.clone(),
            hypotheses: plan.hypotheses.iter().map(judged).collect(),
            deviations,
            labels_there: registration.labels.clone(),
            labels,
            announced: plan.labels,
            look: look_number(&study.file.folder(), &looked_at(study))?,
        })
    }
}

/// The value with the interval that misses with probability `miss`, and what follows for the claim.
fn judge(
    hypothesis: &Hypothesis,
    found: Option<&Estimable>,
    miss: f64,
) -> (Option<(f64, Interval)>, Status, Option<String>) {
    match found.map(|found| (found.estimate(), found.reason())) {
        Some((Some(found), _)) => {
            let interval = found.interval(miss);
            (Some((found.value, interval)), hypothesis.held_against(interval), None)
        }
        Some((None, reason)) => (None, Status::NotEstimable, reason.map(str::to_owned)),
        None => (None, Status::NotEstimable, Some("the run has no such finding".to_owned())),
    }
}

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
    pub fn new(study: &Study) -> Self {
        let numbers = study.numbers();
        let folder = study.file.folder();
        let own = study.file.config.tables().1.map(|labels| study.file.resolve_all(labels.files));
        let size = |path: PathBuf| {
            let size = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
            Some((study.inputs.name(&path, &folder), size))
        };
        Self {
            labels: numbers.iter().map(|n| u64::from(*n)).sum(),
            items: numbers.iter().filter(|n| **n > 0).count(),
            batches: study.batches(),
            last_added: study.labels.batches.iter().map(|batch| batch.added.clone()).max(),
            files: own.unwrap_or_default().into_iter().filter_map(size).collect(),
        }
    }

    /// Inputs that may differ from those of a registration made when these labels were there: files of labels that only
    /// grew since, and files of added labels and records of queues, where they are new.
    fn expected(&self, study: &Study, registered: &BTreeMap<String, String>) -> Result<BTreeSet<String>, FileError> {
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
        let added = study.inputs.sums().keys().filter(|name| sum_in(name).is_some()).map(PathBuf::from);
        let new = records.chain(added).map(|path| study.inputs.name(&path, &folder));
        Ok(grown.into_iter().chain(new.filter(|name| !registered.contains_key(name))).collect())
    }

    /// Labels that have disappeared since, which a registration does not expect.
    fn lost(&self, study: &Study) -> Option<Deviation> {
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

/// Which data a look is at: the same for a run that is repeated.
pub fn looked_at(study: &Study) -> String {
    let lines: String = study.relative_inputs().iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    sha256_hex(lines.as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_core::stats::ItemEstimate;

    fn claim(above: Option<f64>, below: Option<f64>) -> Hypothesis {
        Hypothesis { finding: "agreement".to_owned(), above, below }
    }

    #[test]
    fn a_claim_is_confirmed_within_and_refuted_outside_its_interval() {
        let status = |hypothesis: &Hypothesis, lo: f64, hi: f64| hypothesis.held_against(Interval { lo, hi });
        let range = claim(Some(0.1), Some(0.3));
        assert_eq!(status(&range, 0.11, 0.29), Status::Confirmed);
        assert_eq!(status(&range, 0.09, 0.29), Status::Open);
        assert_eq!((status(&range, 0.31, 0.4), status(&range, 0.0, 0.1)), (Status::Refuted, Status::Refuted));
        let above = claim(Some(0.8), None);
        assert_eq!((status(&above, 0.81, 0.9), status(&above, 0.7, 0.79)), (Status::Confirmed, Status::Refuted));
        assert_eq!(above.claim(), "agreement above 0.8");
    }

    /// With more hypotheses each has a wider interval.
    #[test]
    fn hypotheses_share_the_chance_of_an_error() {
        let found = ItemEstimate { value: 0.85, standard_error: 0.02, lo: 0.811, hi: 0.889, items: 300 };
        let found = Estimable::Estimated(found);
        let status = |family: f64| judge(&claim(Some(0.805), None), Some(&found), 0.05 / family).1;
        assert_eq!((status(1.0), status(20.0)), (Status::Confirmed, Status::Open));
        let not = Estimable::not("too few");
        assert_eq!(judge(&claim(Some(0.5), None), Some(&not), 0.05).1, Status::NotEstimable);
    }

    #[test]
    fn a_plan_says_what_is_wrong_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let told = |text: &str| {
            let path = folder.path().join("hypotheses.toml");
            fs::write(&path, text).unwrap();
            Plan::load(&path, &["agreement", "kappa"]).map_err(|error| error.to_string())
        };
        let whole = told("[[hypothesis]]\nfinding = \"agreement\"\nabove = 0.8\n").unwrap();
        assert_eq!((whole.level, whole.hypotheses.len()), (0.95, 1));
        for (text, what) in [
            ("[[hypothesis]]\nfinding = \"agrement\"\nabove = 0.8\n", "did you mean \"agreement\""),
            ("[[hypothesis]]\nfinding = \"kappa\"\n", "no finite number"),
            ("[[hypothesis]]\nfinding = \"kappa\"\nabove = 0.8\nbelow = 0.7\n", "above one that it is to be below"),
            ("level = 2\n[[hypothesis]]\nfinding = \"kappa\"\nabove = 0.8\n", "between 0 and 1"),
            ("[[hypothesis]]\nbetter = \"info\"\n", "a hypothesis needs finding"),
            ("hypothesis = []\n", "no [[hypothesis]]"),
        ] {
            assert!(told(text).unwrap_err().contains(what), "{text}: {:?}", told(text));
        }
    }
}
