//! Findings that are registered before their labels come: a list of finding ids, each with the side of a number on which it
//! is claimed to lie, frozen with the settings and the sums of the inputs.
//!
//! A run then says of each whether it is confirmed, refuted or open, by intervals that hold together: of m hypotheses each
//! may miss with (1 - level)/m (Bonferroni). Where anything but added labels has changed, nothing is confirmed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::findings::Answer;
use crate::input::config::{in_words, place};
use crate::input::label_store::{QUEUE_RECORD, sum_in};
use crate::model::study::Study;
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error as DataError, Place, Problem, Result, similar};
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::{clock, to_json, write_new_file};

/// Name of the file in a study's folder.
pub const REGISTRATION_FILE: &str = "registration.toml";
/// Version of the layout.
const FORMAT: u32 = 3;

fn refused(path: &Path, reason: impl Into<String>, remedy: &str) -> DataError {
    DataError::unfit(Place::file(path), reason, remedy)
}

fn text(path: &Path) -> Result<String> {
    String::from_utf8(read_file(path)?).map_err(|_| DataError::refused(Place::file(path), Problem::NotUtf8))
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let place = place(path, text, error.span().map_or(0, |span| span.start));
        DataError::unfit(place, in_words(error.message()), "a hypothesis needs finding, and above, below or both")
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

    /// Held against a finding, whose interval misses with probability `miss`; `instead` is said in place of a verdict.
    fn judged(&self, found: Option<&Estimable>, miss: f64, instead: Option<Status>) -> Judged {
        let value = found.and_then(Estimable::estimate).map(|found| (found.value, found.interval(miss)));
        let status = value.map_or(Status::NotEstimable, |(_, interval)| self.held_against(interval));
        let note = found.map_or(Some("the run has no such finding"), Estimable::reason);
        Judged {
            hypothesis: self.clone(),
            found: value,
            status: instead.unwrap_or(status),
            note: note.map(str::to_owned),
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
    /// The hypotheses.
    #[serde(rename = "hypothesis")]
    pub hypotheses: Vec<Hypothesis>,
}

fn default_level() -> f64 {
    0.95
}

impl Plan {
    /// Reads and checks a plan; `known` are the findings that the study has, and `range` says where one can lie.
    ///
    /// # Errors
    /// No TOML of this form, no hypothesis, one about no finding of the study, without a claim or beyond its range, two about
    /// one finding, a level outside 0 to 1.
    pub fn load(path: &Path, range: impl Fn(&str) -> (f64, f64), known: &[&str]) -> Result<Self> {
        let plan: Self = parse(path, &text(path)?)?;
        let check = |holds: bool, reason: String, remedy: &str| match holds {
            true => Ok(()),
            false => Err(refused(path, reason, remedy)),
        };
        let level = plan.level;
        check(level > 0.0 && level < 1.0, format!("level = {level} is not between 0 and 1"), "write one such as 0.95")?;
        check(!plan.hypotheses.is_empty(), "it has no [[hypothesis]]".to_owned(), "write one")?;
        let mut seen = BTreeSet::new();
        for Hypothesis { finding, above, below } in &plan.hypotheses {
            let near = similar(finding, known.iter().copied());
            let near = near.map_or_else(String::new, |near| format!(", did you mean {near:?}?"));
            let has = format!("it has {}", known.join(", "));
            check(known.contains(&&**finding), format!("{finding:?} is no finding of this study{near}"), &has)?;
            let twice = format!("two hypotheses are about {finding:?}");
            check(seen.insert(finding), twice, "write above and below into one")?;
            let ends = [*above, *below];
            let claims = ends.iter().any(Option::is_some) && ends.iter().flatten().all(|end| end.is_finite());
            let nothing = format!("hypothesis {finding:?} claims no finite number");
            check(claims, nothing, "write above = 0.8, or below")?;
            let (least, most) = range(finding);
            let beyond = ends.iter().flatten().find(|end| !(least..=most).contains(*end));
            let reason = beyond.map(|end| format!("{finding} lies between {least} and {most}, and never at {end}"));
            check(reason.is_none(), reason.unwrap_or_default(), "write 0.8 for 80%")?;
            let reason = format!("hypothesis {finding:?} claims a value above one that it is to be below");
            check(!above.zip(*below).is_some_and(|(above, below)| above >= below), reason, "exchange them")?;
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
    /// When, in UTC.
    pub registered: String,
    /// SHA-256 over everything else, as canonical JSON with this field empty.
    pub digest: String,
    /// How many labels were there: whoever registers may have read them.
    pub labels: u64,
    /// What must stay as it is: see [`frozen`].
    frozen: BTreeMap<String, String>,
    /// The plan.
    pub plan: Plan,
}

impl Registration {
    /// Freezes a plan for a study.
    pub fn new(plan: Plan, study: &Study) -> Self {
        let (registered, digest) = (clock::now(), String::new());
        let mut registration =
            Self { format: FORMAT, registered, digest, labels: labels_of(study), frozen: frozen(study), plan };
        registration.digest = registration.content_digest();
        registration
    }

    fn content_digest(&self) -> String {
        sha256_hex(to_json(&Self { digest: String::new(), ..self.clone() }).as_bytes())
    }

    /// Writes the file into a folder, where it must not exist yet.
    ///
    /// # Errors
    /// A registration is there already, or the file system refuses.
    pub fn write(&self, folder: &Path) -> std::result::Result<PathBuf, Error> {
        let path = folder.join(REGISTRATION_FILE);
        let body = toml::to_string_pretty(self).expect("a registration is plain data with string keys");
        let text = format!("# Changing this file invalidates it: its digest is checked.\n\n{body}");
        if write_new_file(&path, text.as_bytes())? {
            return Ok(path);
        }
        let reason = "exists already, and a registration is never changed";
        Err(refused(&path, reason, "start a new study folder for a new one").into())
    }

    /// Reads the registration of a folder and checks its digest; `None` for a folder without one.
    ///
    /// # Errors
    /// A file that can't be read, has another format, or was changed after it was made.
    pub fn load(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(REGISTRATION_FILE);
        refuse_links(folder, &path)?;
        if !path.exists() {
            return Ok(None);
        }
        let text = text(&path)?;
        let format = text.parse::<toml::Table>().ok().and_then(|table| table.get("format")?.as_integer());
        if let Some(format) = format.filter(|format| *format != i64::from(FORMAT)) {
            let reason = format!("has format {format}, but this program reads format {FORMAT}");
            let remedy = "run the version that registered it, or move the file away and report all findings as \
                          exploratory";
            return Err(refused(&path, reason, remedy));
        }
        let registration: Self = parse(&path, &text)?;
        let (found, stated) = (registration.content_digest(), &registration.digest);
        if found != *stated {
            let reason =
                format!("its digest is {found}, but it says {stated}: the registration was changed after it was made");
            let remedy = "restore the file, or remove it and report all findings as exploratory";
            return Err(refused(&path, reason, remedy));
        }
        Ok(Some(registration))
    }

    /// What a run of a study does otherwise than it was registered, in the order of the names. Labels that are added since,
    /// and the records of the queues that they answer, are expected.
    pub fn deviations(&self, study: &Study) -> Vec<Deviation> {
        let (found, folder) = (frozen(study), study.file.folder());
        let record =
            |of: &Path, file: &str| format!("input {}", study.inputs.name(&folder.join(of).join(file), &folder));
        let records: BTreeSet<String> = study
            .queues
            .iter()
            .flat_map(|queue| [QUEUE_RECORD, "selection.csv"].map(|file| record(queue.folder.as_ref(), file)))
            .collect();
        let may_come = |name: &String| name.starts_with(BATCH) || sum_in(name).is_some() || records.contains(name);
        let expected = |name: &&String| may_come(name) && !self.frozen.contains_key(*name);
        let names: BTreeSet<&String> = self.frozen.keys().chain(found.keys()).filter(|name| !expected(name)).collect();
        let of = |what: &str, registered: Option<String>, found: Option<String>| {
            (registered != found).then(|| Deviation { what: what.to_owned(), registered, found })
        };
        let of_name = |name: &String| of(name, self.frozen.get(name).cloned(), found.get(name).cloned());
        let labels = self.plan.labels.filter(|announced| *announced < labels_of(study));
        let more = labels.and_then(|n| of("number of labels", Some(n.to_string()), Some(labels_of(study).to_string())));
        names.into_iter().filter_map(of_name).chain(more).collect()
    }
}

fn labels_of(study: &Study) -> u64 {
    study.numbers().iter().map(|n| u64::from(*n)).sum()
}

/// What the names of batches of added labels in [`frozen`] begin with.
const BATCH: &str = "batch ";

/// What a registration freezes of a study: every setting, seeds included, the sum of every input file, and the batches of
/// added labels that count, each by its kind and name.
fn frozen(study: &Study) -> BTreeMap<String, String> {
    let settings = study.file.config.flattened().into_iter().map(|(name, value)| (format!("setting {name}"), value));
    let inputs = study.relative_inputs().into_iter().map(|(name, sum)| (format!("input {name}"), sum));
    let batches = study.labels.batches.iter().map(|batch| (format!("{BATCH}{}", batch.sum), batch.added.clone()));
    settings.chain(inputs).chain(batches).collect()
}

/// Something that a run does otherwise than it was registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    /// A setting, an input, a batch of added labels, or their number.
    pub what: String,
    /// As registered; `None` if it was not there.
    pub registered: Option<String>,
    /// As it was in the run; `None` if it is not there any more.
    pub found: Option<String>,
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
    /// Every hypothesis and how it fared.
    pub hypotheses: Vec<Judged>,
    /// What the run does otherwise than registered.
    pub deviations: Vec<Deviation>,
    /// Labels that were there at registration, and may have been read before.
    pub labels_there: u64,
    /// Labels of the run.
    pub labels: u64,
    /// Labels that the plan announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<u64>,
}

impl Registered {
    /// Judges the hypotheses by the findings of a run.
    pub fn new(registration: &Registration, study: &Study, answer: &Answer) -> Self {
        let plan = &registration.plan;
        let (deviations, labels) = (registration.deviations(study), labels_of(study));
        let instead = match plan.labels {
            _ if !deviations.is_empty() => Some(Status::Deviating),
            Some(announced) if labels < announced => Some(Status::InterimLook),
            _ => None,
        };
        let miss = (1.0 - plan.level) / plan.hypotheses.len() as f64;
        let judged = |one: &Hypothesis| one.judged(answer.found(&one.finding), miss, instead);
        Self {
            digest: registration.digest.clone(),
            registered: registration.registered.clone(),
            level: plan.level,
            hypotheses: plan.hypotheses.iter().map(judged).collect(),
            deviations,
            labels_there: registration.labels,
            labels,
            announced: plan.labels,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        let status = |family: f64| claim(Some(0.805), None).judged(Some(&found), 0.05 / family, None).status;
        assert_eq!((status(1.0), status(20.0)), (Status::Confirmed, Status::Open));
        let not = Estimable::not("too few");
        assert_eq!(claim(Some(0.5), None).judged(Some(&not), 0.05, None).status, Status::NotEstimable);
    }

    #[test]
    fn a_plan_says_what_is_wrong_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let told = |text: &str| {
            let path = folder.path().join("hypotheses.toml");
            fs::write(&path, text).unwrap();
            Plan::load(&path, |_| (-1.0, 1.0), &["agreement", "kappa"]).map_err(|error| error.to_string())
        };
        let whole = told("[[hypothesis]]\nfinding = \"agreement\"\nabove = 0.8\n").unwrap();
        assert_eq!((whole.level, whole.hypotheses.len()), (0.95, 1));
        for (text, what) in [
            ("[[hypothesis]]\nfinding = \"agrement\"\nabove = 0.8\n", "did you mean \"agreement\""),
            ("[[hypothesis]]\nfinding = \"kappa\"\n", "no finite number"),
            ("[[hypothesis]]\nfinding = \"kappa\"\nabove = 0.8\nbelow = 0.7\n", "above one that it is to be below"),
            ("[[hypothesis]]\nfinding = \"kappa\"\nabove = 80\n", "between -1 and 1"),
            ("level = 2\n[[hypothesis]]\nfinding = \"kappa\"\nabove = 0.8\n", "between 0 and 1"),
            ("[[hypothesis]]\nbetter = \"info\"\n", "a hypothesis needs finding"),
            ("hypothesis = []\n", "no [[hypothesis]]"),
        ] {
            assert!(told(text).unwrap_err().contains(what), "{text}: {:?}", told(text));
        }
    }
}
