//! Pre-registration: hypotheses that are frozen before their evaluation, and judged as they were frozen.
//!
//! A user writes what is to be tested into a draft, [`Plan`]. Registering adds what the run must not change without saying
//! so, the settings and the sums of the inputs, and a digest over all of it: a [`Registration`]. After the run each
//! hypothesis is judged by the rule written in it, and whatever differs from the registration is listed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error as ThisError;

use super::hypothesis::{Hypothesis, IntervalRule, JudgedHypothesis, Measure};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::new_items::{Contributions, NewItems, new_items};
use judge_uncertainty_data::clock;
use judge_uncertainty_data::dataset::checksum::sha256_hex;
use judge_uncertainty_data::dataset::items::ItemIds;
use judge_uncertainty_evaluation::Contrast;
use judge_uncertainty_output::{FileError, TextPosition, to_json, write_new_file};

/// Name of the file in a study's folder.
pub const REGISTRATION_FILE: &str = "registration.toml";
/// Version of its layout.
const FORMAT: u32 = 1;
/// Why a hypothesis has no figures.
const NOT_EVALUATED: &str = "not estimable: the run could not evaluate this comparison";
const NO_DIFFERENCE: &str =
    "not estimable: the two rules escalate the same items in every replicate, or there are too few replicates or items";

/// A draft: what a user writes before registering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Probability with which all intervals of the family together are to hold.
    #[serde(default = "default_level")]
    pub level: f64,
    /// What is left out of the analysis and why, in words; exclusions that the study's settings make are frozen with them.
    #[serde(default)]
    pub exclusions: Vec<String>,
    /// What has been seen of the data before, in words.
    #[serde(default)]
    pub seen: Vec<String>,
    /// Items that the evaluation leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Exclusion>,
    /// The family of hypotheses.
    #[serde(rename = "hypothesis")]
    pub hypotheses: Vec<Hypothesis>,
}

/// Items that the evaluation leaves out: those named, and those of a group. They are decomposed and ranked all the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Why, in words.
    pub reason: String,
    /// Ids of items.
    #[serde(default)]
    pub ids: Vec<String>,
    /// A group of items.
    pub group: Option<String>,
}

/// What a study lets hypotheses ask for, and its items.
#[derive(Debug, Clone)]
pub struct Testable<'a> {
    /// The budgets that it evaluates.
    pub budgets: Vec<Budget>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// What it measures.
    pub measures: &'a [Measure],
    /// Its items.
    pub ids: &'a ItemIds,
    /// The group of each item.
    pub groups: Option<&'a [String]>,
}

fn default_level() -> f64 {
    0.95
}

/// Why a registration is refused.
#[derive(Debug, ThisError)]
pub enum RegistrationError {
    /// A plan or registration that can't be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// A registration that can't be written.
    #[error(transparent)]
    Unwritable(#[from] judge_uncertainty_output::Error),
    /// A file that is no TOML of the form needed.
    #[error("{path}:{line}:{column}: {reason}; a hypothesis needs id, statement, better, than, budget and measure")]
    NotToml {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// A hypothesis that can't be tested.
    #[error("{path}: hypothesis {id:?}: {reason}")]
    Hypothesis {
        /// The file.
        path: PathBuf,
        /// Its name.
        id: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A plan without a family.
    #[error("{path}: {reason}")]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A second registration.
    #[error("{0}: exists already, and a registration is never changed; start a new study folder for a new one")]
    Exists(PathBuf),
    /// An evaluation that was computed before into a folder elsewhere.
    #[error(
        "{0}: an evaluation has been computed already, into {1}, so nothing can be registered before its results are seen; report \
         it as exploratory, or start from new labels in a new study folder"
    )]
    EvaluatedElsewhere(PathBuf, String),
    /// An evaluation that was computed before.
    #[error(
        "{0}: an evaluation has been computed already, so nothing can be registered before its results are seen; report \
         it as exploratory, or register for new data in another folder"
    )]
    Evaluated(PathBuf),
    /// A registration that was edited.
    #[error(
        "{path}: its digest is {found}, but it says {stated}: the registration was changed after it was made; restore \
         the file, or report all comparisons as exploratory by removing it"
    )]
    Tampered {
        /// The file.
        path: PathBuf,
        /// The digest in the file.
        stated: String,
        /// That of its content.
        found: String,
    },
    /// A registration of another version.
    #[error("{path}: has format {found}, but this program reads format {FORMAT}")]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
}

impl RegistrationError {
    /// Whether the machine failed, rather than that a plan or registration was refused.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Unwritable(error) if error.is_failure())
    }
}

fn read(path: &Path) -> Result<String, RegistrationError> {
    std::fs::read_to_string(path).map_err(|error| RegistrationError::Unreadable(FileError::at(path, "reading")(error)))
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, RegistrationError> {
    toml::from_str(text).map_err(|error| {
        let TextPosition { line, column } = TextPosition::of(text, error.span().map_or(0, |span| span.start));
        RegistrationError::NotToml { path: path.to_owned(), line, column, reason: error.message().replace('\n', "; ") }
    })
}

impl Plan {
    /// Reads and checks a draft for a study.
    ///
    /// # Errors
    /// No TOML of this form, no hypothesis, a repeated or blank id, a rule compared with itself, a rule, budget or measure
    /// that is not evaluated, a margin or level outside its range, an exclusion of items that are not there.
    pub fn load(path: &Path, study: &Testable) -> Result<Self, RegistrationError> {
        let plan: Plan = parse(path, &read(path)?)?;
        let refuse = |reason: &str| RegistrationError::Plan { path: path.to_owned(), reason: reason.to_owned() };
        if plan.hypotheses.is_empty() {
            return Err(refuse("there is no hypothesis; write at least one [[hypothesis]]"));
        }
        if !(plan.level > 0.0 && plan.level < 1.0) {
            return Err(refuse(&format!("level = {} is outside 0 to 1; write a probability such as 0.95", plan.level)));
        }
        for (k, h) in plan.hypotheses.iter().enumerate() {
            let wrong =
                |reason: String| Err(RegistrationError::Hypothesis { path: path.to_owned(), id: h.id.clone(), reason });
            if h.id.trim().is_empty() || plan.hypotheses[..k].iter().any(|other| other.id == h.id) {
                return wrong("the id is blank or stands there twice; give every hypothesis its own".to_owned());
            }
            if h.better == h.than {
                return wrong(format!("compares {:?} with itself; name two rules", h.better.key()));
            }
            if !h.margin.is_finite() {
                return wrong(format!("margin = {} is no finite number; write one such as 0.0", h.margin));
            }
            if let Some(rule) = [h.better, h.than].into_iter().find(|rule| !study.rules.contains(rule)) {
                let rules: Vec<&str> = study.rules.iter().map(|rule| rule.key()).collect();
                return wrong(format!(
                    "this study does not rank by {:?}; choose among {}",
                    rule.key(),
                    rules.join(", ")
                ));
            }
            if !study.measures.contains(&h.measure) {
                let measures: Vec<&str> = study.measures.iter().map(|measure| measure.key()).collect();
                return wrong(format!(
                    "this study does not measure {:?}; choose among {}",
                    h.measure.key(),
                    measures.join(", ")
                ));
            }
            if !h.budget().is_some_and(|budget| study.budgets.contains(&budget)) {
                return wrong(format!(
                    "budget = {} is not one that the study evaluates; choose one of its evaluation.budgets or add it there",
                    h.budget
                ));
            }
        }
        for exclusion in &plan.exclude {
            let wrong = |what: &str| Err(refuse(&format!("[[exclude]] {:?} {what}", exclusion.reason)));
            if exclusion.reason.trim().is_empty() {
                return wrong("has no reason; write why these items are left out");
            }
            if exclusion.ids.is_empty() && exclusion.group.is_none() {
                return wrong("names no items; write ids = [...] or group = \"...\"");
            }
            if let Some(id) = exclusion.ids.iter().find(|id| study.ids.position(id).is_none()) {
                return wrong(&format!("names {id:?}, which is no item of the study; correct or remove the id"));
            }
            if let Some(group) = &exclusion.group
                && !study.groups.is_some_and(|groups| groups.contains(group))
            {
                return wrong(&format!("names the group {group:?}, which no item has; see items.group of the study"));
            }
        }
        Ok(plan)
    }
}

/// A frozen plan with everything that the run is held against.
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
    /// The plan.
    pub plan: Plan,
}

impl Registration {
    /// Freezes a plan.
    pub fn freeze(plan: Plan, settings: BTreeMap<String, String>, inputs: BTreeMap<String, String>) -> Self {
        let mut registration = Self {
            format: FORMAT,
            program: concat!("judge-uncertainty ", env!("CARGO_PKG_VERSION")).to_owned(),
            registered: clock::now(),
            digest: String::new(),
            inputs,
            settings,
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

    /// The file's text.
    pub fn to_toml(&self) -> String {
        let body = toml::to_string_pretty(self).expect("a registration is plain data with string keys");
        format!(
            "# Registered before any evaluation was computed. Changing this file invalidates it: its digest is checked.\n\n{body}"
        )
    }

    /// Writes the file into a folder, where it must not exist yet.
    ///
    /// # Errors
    /// A registration is there already, or the file system refuses.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, RegistrationError> {
        let path = folder.join(REGISTRATION_FILE);
        match write_new_file(&path, self.to_toml().as_bytes())? {
            true => Ok(path),
            false => Err(RegistrationError::Exists(path)),
        }
    }

    /// Reads the registration of a folder and checks its digest; `None` if there is none.
    ///
    /// # Errors
    /// A file that can't be read, has another format, or was changed after it was made.
    pub fn load(folder: &Path) -> Result<Option<Self>, RegistrationError> {
        let path = folder.join(REGISTRATION_FILE);
        if !path.exists() {
            return Ok(None);
        }
        let registration: Self = parse(&path, &read(&path)?)?;
        if registration.format != FORMAT {
            return Err(RegistrationError::Format { path, found: registration.format });
        }
        let found = registration.content_digest();
        if found != registration.digest {
            return Err(RegistrationError::Tampered { path, stated: registration.digest, found });
        }
        Ok(Some(registration))
    }

    /// What a run does otherwise than it was registered, in the order of the names.
    pub fn deviations(&self, settings: &BTreeMap<String, String>, inputs: &BTreeMap<String, String>) -> Vec<Deviation> {
        let mut deviations = differing("setting", &self.settings, settings);
        deviations.extend(differing("input", &self.inputs, inputs));
        deviations
    }

    /// The comparisons that an evaluation has to keep item by item, one per hypothesis.
    pub fn contrasts(&self) -> Vec<Contrast> {
        self.plan.hypotheses.iter().filter_map(Hypothesis::contrast).collect()
    }

    /// Judges every hypothesis. `differences` gives the paired difference of each replicate, in replicate order, and
    /// `contributions` those of the items; `None` if the run could not evaluate it. The critical value is drawn from a stream
    /// that the family's size alone fixes, so it is the same in every run.
    pub fn judge(
        &self,
        differences: impl Fn(&Hypothesis) -> Option<Vec<f64>>,
        contributions: impl Fn(usize) -> Option<Contributions>,
    ) -> Vec<JudgedHypothesis> {
        let (plan, family) = (&self.plan, self.plan.hypotheses.len());
        let wants = |h: &Hypothesis| h.interval == IntervalRule::NewItems;
        let own: Vec<(usize, Contributions)> = (0..family)
            .filter(|&k| wants(&plan.hypotheses[k]))
            .filter_map(|k| contributions(k).map(|own| (k, own)))
            .collect();
        let (places, own): (Vec<usize>, Vec<Contributions>) = own.into_iter().unzip();
        let found: BTreeMap<usize, Option<NewItems>> =
            places.into_iter().zip(new_items(&own, plan.level, &mut Stream::new(family as u64))).collect();
        let replicates = own.first().map_or(0, |own| own.of_redraws.len());
        let judged = |(k, h): (usize, &Hypothesis)| {
            if wants(h) {
                return match found.get(&k) {
                    Some(Some(found)) => JudgedHypothesis::by_new_items(h, family, replicates, *found),
                    Some(None) => JudgedHypothesis::not_estimable(h, family, NO_DIFFERENCE),
                    None => JudgedHypothesis::not_estimable(h, family, NOT_EVALUATED),
                };
            }
            match differences(h).filter(|d| !d.is_empty()) {
                Some(differences) => JudgedHypothesis::by_redraws(h, &differences, plan.level, family),
                None => JudgedHypothesis::not_estimable(h, family, NOT_EVALUATED),
            }
        };
        plan.hypotheses.iter().enumerate().map(judged).collect()
    }

    /// The items that the evaluation leaves out, by position, and why: the reason of the first exclusion that holds them.
    pub fn excluded(&self, ids: &ItemIds, groups: Option<&[String]>) -> BTreeMap<usize, String> {
        let reason = |(i, id): (usize, &str)| {
            let holds = |e: &&Exclusion| {
                let of_group = e.group.as_ref().zip(groups).is_some_and(|(group, groups)| groups[i] == *group);
                of_group || e.ids.iter().any(|excluded| excluded == id)
            };
            self.plan.exclude.iter().find(holds).map(|exclusion| (i, exclusion.reason.clone()))
        };
        ids.iter().enumerate().filter_map(reason).collect()
    }

    /// Whether a comparison of two rules at a budget belongs to the registered family; others are exploratory.
    pub fn covers(&self, better: Rule, than: Rule, budget: Budget, measure: Measure) -> bool {
        let same = |h: &Hypothesis| {
            let pair = (h.better, h.than) == (better, than) || (h.better, h.than) == (than, better);
            pair && h.budget() == Some(budget) && h.measure == measure
        };
        self.plan.hypotheses.iter().any(same)
    }
}

/// Something that a run does otherwise than it was registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    /// "setting" or "input".
    pub kind: String,
    /// Which one.
    pub name: String,
    /// As registered; `None` if it was not there.
    pub registered: Option<String>,
    /// As it was in the run; `None` if it is not there any more.
    pub found: Option<String>,
}

fn differing(kind: &str, registered: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> Vec<Deviation> {
    let mut names: Vec<&String> = registered.keys().chain(found.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter(|&name| registered.get(name) != found.get(name))
        .map(|name| Deviation {
            kind: kind.to_owned(),
            name: name.clone(),
            registered: registered.get(name).cloned(),
            found: found.get(name).cloned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::hypothesis::Status;
    use super::*;

    const DRAFT: &str = r#"
level = 0.9
exclusions = ["items without a prediction"]

[[hypothesis]]
id = "info-fewest"
statement = "The epistemic part beats fewest labels first."
better = "info"
than = "fewest_labels"
budget = 10
measure = "value"
interval = "percentiles"

[[hypothesis]]
id = "info-entropy"
statement = "It beats judge entropy by 2."
better = "info"
than = "judge_entropy"
budget = 20
measure = "selective_error"
margin = 2.0
interval = "student"
"#;

    fn plan(text: &str) -> Result<Plan, RegistrationError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plan.toml");
        std::fs::write(&path, text).unwrap();
        let ids = ItemIds::new(["a", "b", "c"].map(str::to_owned).to_vec()).unwrap();
        let study = Testable {
            budgets: Budget::PAPER.to_vec(),
            rules: Rule::PAPER.to_vec(),
            measures: &[Measure::Value, Measure::SelectiveError, Measure::SelectiveSquaredError],
            ids: &ids,
            groups: Some(&["x", "y", "y"].map(str::to_owned)),
        };
        Plan::load(&path, &study)
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    fn registered() -> Registration {
        let inputs = map(&[("items.csv", "ab"), ("judge.csv", "cd")]);
        Registration::freeze(plan(DRAFT).unwrap(), map(&[("seed", "0"), ("evaluation.replicates", "200")]), inputs)
    }

    #[test]
    fn a_registration_reads_back_and_a_change_is_found() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Registration::load(dir.path()).unwrap().is_none());
        let registration = registered();
        let path = registration.write(dir.path()).unwrap();
        assert_eq!(Registration::load(dir.path()).unwrap().unwrap(), registration);
        assert!(matches!(registration.write(dir.path()), Err(RegistrationError::Exists(_))));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("margin = 2.0", "margin = 1.0")).unwrap();
        let error = Registration::load(dir.path()).unwrap_err();
        assert!(matches!(error, RegistrationError::Tampered { .. }), "{error}");
        std::fs::write(&path, text.replace("format = 1", "format = 9")).unwrap();
        assert!(matches!(Registration::load(dir.path()), Err(RegistrationError::Format { found: 9, .. })));
    }

    #[test]
    fn whatever_differs_is_a_deviation() {
        let registration = registered();
        assert!(registration.deviations(&registration.settings, &registration.inputs).is_empty());
        let settings = map(&[("seed", "1"), ("floor", "0.1")]);
        let found = registration.deviations(&settings, &map(&[("items.csv", "ab"), ("judge.csv", "ff")]));
        let names: Vec<(&str, &str)> = found.iter().map(|d| (d.kind.as_str(), d.name.as_str())).collect();
        assert_eq!(
            names,
            [("setting", "evaluation.replicates"), ("setting", "floor"), ("setting", "seed"), ("input", "judge.csv")]
        );
        assert_eq!((found[0].found.clone(), found[1].registered.clone()), (None, None));
        assert_eq!(found[2].registered.as_deref(), Some("0"));
    }

    #[test]
    fn percentiles_over_redraws_describe_and_never_decide() {
        let registration = registered();
        // Differences 0, 1, ..., 1000: percentiles are known.
        let ramp = |shift: f64| (0..=1000).map(|i| f64::from(i) + shift).collect::<Vec<f64>>();
        let status = |shift: f64| {
            let judged = registration.judge(|h| (h.id == "info-fewest").then(|| ramp(shift)), |_| None);
            assert_eq!((judged.len(), judged[0].family, judged[1].status), (2, 2, Status::Inconclusive));
            assert!(judged[1].note.as_deref().unwrap().contains("could not evaluate"));
            judged[0].clone()
        };
        // Level 0.9 and a family of two: 5% and 95% plain, 2.5% and 97.5% adjusted.
        let found = status(-26.0);
        for (got, want) in [(found.interval, [24.0, 924.0]), (found.adjusted, [-1.0, 949.0])] {
            assert!(<[f64; 2]>::from(got.unwrap()).iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-9), "{got:?}");
        }
        assert_eq!((found.status, found.difference), (Status::Inconclusive, Some(474.0)));
        // Wholly above or below the margin, and yet nothing of it is about new items.
        for shift in [-24.0, -975.0, -976.0] {
            let found = status(shift);
            assert_eq!(found.status, Status::Inconclusive, "{shift}");
            assert!(found.note.unwrap().contains("says nothing of new items"));
        }
    }

    /// t quantile of 1 - 0.05/2 with 3 degrees, from scipy.stats.t.ppf.
    #[test]
    fn student_intervals_over_redraws_describe_and_never_decide() {
        let registration = registered();
        let judged = registration.judge(|h| (h.id == "info-entropy").then(|| vec![3.0, 5.0, 4.0, 4.0]), |_| None);
        let [low, high] = <[f64; 2]>::from(judged[1].adjusted.unwrap());
        let reach = 3.182446305284263 * (2.0_f64 / 3.0).sqrt() / 2.0;
        assert!((low - (4.0 - reach)).abs() < 1e-9 && (high - (4.0 + reach)).abs() < 1e-9);
        assert_eq!(judged[1].status, Status::Inconclusive);
        let few = registration.judge(|_| Some(vec![1.0, 1.5, 2.0]), |_| None);
        assert!(few[0].note.as_deref().unwrap().contains("3 replicates are too few"), "{few:?}");
    }

    /// Forty items of which each rule picks ten others, worth `gain` more or less; the same in every replicate.
    fn picks(gain: f64, noise: f64) -> Contributions {
        let picked: Vec<f64> = (0..40).map(|i| [1.0, -1.0, 0.0, 0.0][i % 4]).collect();
        let worth = |i: usize, c: f64| 0.5 * gain * c + [0.3, -0.3, 0.1, -0.1][i / 4 % 4];
        let of_items: Vec<f64> = picked.iter().enumerate().map(|(i, c)| c * worth(i, *c)).collect();
        let sum: f64 = of_items.iter().sum();
        let worth = (0..40).map(|i| (picked[i] != 0.0).then(|| worth(i, picked[i]))).collect();
        Contributions { of_items, picked, worth, of_redraws: vec![sum - noise, sum + noise] }
    }

    #[test]
    fn intervals_for_new_items_decide_unless_chance_would() {
        let mut plan = plan(DRAFT).unwrap();
        plan.hypotheses.iter_mut().for_each(|h| (h.interval, h.margin) = (IntervalRule::NewItems, 0.0));
        let registration = Registration::freeze(plan, map(&[]), map(&[]));
        let status = |gain: f64, noise: f64| {
            let judged = registration.judge(|_| None, |k| (k == 0).then(|| picks(gain, noise)));
            assert!(judged[1].note.as_deref().unwrap().contains("not estimable"), "{judged:?}");
            judged[0].clone()
        };
        assert_eq!((status(1.0, 0.0).status, status(-1.0, 0.0).status), (Status::Confirmed, Status::Refuted));
        assert_eq!(status(0.1, 0.0).status, Status::Inconclusive);
        let found = status(1.0, 0.0);
        assert!(found.adjusted.unwrap().lo > 0.0 && found.new_items.unwrap().se > 0.0, "{found:?}");
        // Above the margin, but within what other re-draws might have given.
        let by_chance = status(0.45, 0.6);
        assert!(by_chance.adjusted.unwrap().lo > 0.0, "{by_chance:?}");
        assert_eq!(by_chance.status, Status::Inconclusive);
        assert!(by_chance.note.unwrap().contains("register more replicates"));
    }

    #[test]
    fn the_family_is_the_registered_one() {
        let registration = registered();
        let budget = |p| Budget::percent(p).unwrap();
        assert!(registration.covers(Rule::FewestLabels, Rule::Info, budget(10), Measure::Value));
        assert!(!registration.covers(Rule::FewestLabels, Rule::Info, budget(20), Measure::Value));
        assert!(!registration.covers(Rule::FewestLabels, Rule::Delta, budget(10), Measure::Value));
    }

    #[test]
    fn drafts_that_cannot_be_tested_are_refused() {
        let refused = |from: &str, to: &str| plan(&DRAFT.replace(from, to)).unwrap_err().to_string();
        for (from, to, message) in [
            ("info-entropy", "info-fewest", "stands there twice"),
            ("than = \"judge_entropy\"", "than = \"info\"", "compares \"info\" with itself"),
            ("budget = 20", "budget = 15", "not one that the study evaluates"),
            ("margin = 2.0", "margin = nan", "no finite number"),
            ("level = 0.9", "level = 1.0", "outside 0 to 1"),
            ("interval = \"student\"", "intervall = 1", "plan.toml:22:1: unknown field `intervall`"),
            ("than = \"fewest_labels\"", "than = \"fewest\"", "unknown variant `fewest`"),
            ("than = \"fewest_labels\"", "than = \"margin\"", "does not rank by \"margin\"; choose among info"),
            ("measure = \"value\"", "measure = \"squared_value\"", "does not measure \"squared_value\""),
        ] {
            let error = refused(from, to);
            assert!(error.contains(message), "{error}");
        }
        assert!(plan("level = 0.5\nhypothesis = []").unwrap_err().to_string().contains("no hypothesis"));
        for (exclusion, message) in [
            ("reason = \" \"\nids = [\"a\"]", "has no reason"),
            ("reason = \"r\"", "names no items"),
            ("reason = \"r\"\nids = [\"a\", \"d\"]", "names \"d\", which is no item"),
            ("reason = \"r\"\ngroup = \"z\"", "names the group \"z\", which no item has"),
        ] {
            let error = plan(&format!("{DRAFT}\n[[exclude]]\n{exclusion}\n")).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn excluded_items_keep_the_first_reason_and_the_file_reads_back() {
        let exclusions = "[[exclude]]\nreason = \"pilot\"\nids = [\"c\"]\n[[exclude]]\nreason = \"y\"\ngroup = \"y\"\n";
        let plan = plan(&format!("{DRAFT}\n{exclusions}")).unwrap();
        let registration = Registration::freeze(plan, map(&[]), map(&[]));
        let dir = tempfile::tempdir().unwrap();
        registration.write(dir.path()).unwrap();
        let read = Registration::load(dir.path()).unwrap().unwrap();
        let ids = ItemIds::new(["a", "b", "c"].map(str::to_owned).to_vec()).unwrap();
        let groups = ["x", "y", "y"].map(str::to_owned);
        let excluded = read.excluded(&ids, Some(&groups));
        assert_eq!(excluded, BTreeMap::from([(1, "y".to_owned()), (2, "pilot".to_owned())]));
        assert!(registered().excluded(&ids, Some(&groups)).is_empty());
    }
}
