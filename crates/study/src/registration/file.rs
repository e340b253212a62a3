//! A draft of hypotheses, as a user writes it, and the frozen file: a plan with everything that a run is held against.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{RegistrationError, parse, text};
use super::registered::LabelsThere;
use crate::error::Error;
use crate::evaluate::compare::matched;
use crate::model::kind::{Kind, Study};
use crate::queue::estimates::is_called;
use crate::registration::hypothesis::{About, Hypothesis, IntervalRule, Measure};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_evaluation::Contrast;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::{clock, to_json, write_new_file};

/// Name of the file in a study's folder.
pub const REGISTRATION_FILE: &str = "registration.toml";
/// Version of its layout.
const FORMAT: u32 = 1;
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
    /// The labels that were there; `None` in registrations of versions that did not note them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelsThere>,
    /// The plan.
    pub plan: Draft,
}

impl Registration {
    /// Freezes a plan for a study.
    ///
    /// # Errors
    /// A study whose judge is to be compared can't be read, or has other items or labels.
    pub fn new<K: Kind>(plan: Draft, study: &Study<K>) -> Result<Self, Error> {
        for other in plan.judges(study) {
            matched(study, &other?.1)?;
        }
        let frozen = frozen(&plan, study)?;
        Ok(Self::freeze(plan, frozen, Some(LabelsThere::new(study))))
    }

    pub(super) fn freeze(
        plan: Draft,
        [settings, inputs]: [BTreeMap<String, String>; 2],
        labels: Option<LabelsThere>,
    ) -> Self {
        let mut registration = Self {
            format: FORMAT,
            program: concat!("judge-uncertainty ", env!("CARGO_PKG_VERSION")).to_owned(),
            registered: clock::now(),
            digest: String::new(),
            inputs,
            settings,
            labels,
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
            "# Registered before any evaluation was computed. Changing this file invalidates it: its digest is \
             checked.\n\n{body}"
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
            false if is_blank(&text(&path)?) => Err(RegistrationError::Blank(path)),
            false => Err(RegistrationError::Exists(path)),
        }
    }

    /// Reads the registration of a folder and checks its digest; `None` if there is none.
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
        if is_blank(&text) {
            return Err(RegistrationError::Blank(path));
        }
        let registration: Self = parse(&path, &text)?;
        if registration.format != FORMAT {
            return Err(RegistrationError::Format { path, found: registration.format, read: FORMAT });
        }
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
    /// A file of labels can't be read, or a study whose judge is compared.
    pub fn deviations<K: Kind>(&self, study: &Study<K>) -> Result<Vec<Deviation>, Error> {
        let then = self.labels.as_ref();
        let expected = then.map(|then| then.expected(study, &self.inputs)).transpose()?.unwrap_or_default();
        let [settings, inputs] = frozen(&self.plan, study)?;
        let mut deviations = self.differences(&settings, &inputs);
        deviations.retain(|found| found.kind != "input" || !expected.contains(&found.name));
        deviations.extend(then.and_then(|then| then.lost(study)));
        let announced = self.plan.labels.filter(|announced| *announced < LabelsThere::new(study).labels);
        deviations.extend(announced.map(|announced| Deviation {
            kind: "labels".to_owned(),
            name: "number".to_owned(),
            registered: Some(announced.to_string()),
            found: Some(LabelsThere::new(study).labels.to_string()),
        }));
        Ok(deviations)
    }

    /// Whatever differs.
    fn differences(&self, settings: &BTreeMap<String, String>, inputs: &BTreeMap<String, String>) -> Vec<Deviation> {
        let mut deviations = differing("setting", &self.settings, settings);
        deviations.extend(differing("input", &self.inputs, inputs));
        deviations
    }

    /// The items that the evaluation leaves out, by position, and why: the reason of the first exclusion that holds
    /// them.
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
}

/// What is frozen of a study, its settings by name and the sums of its inputs by file, and of those whose judges its
/// own is compared with: these under the name of their folder, and without their labels, which are to be those of the
/// study.
///
/// # Errors
/// Such a study can't be read.
fn frozen<K: Kind>(plan: &Draft, study: &Study<K>) -> Result<[BTreeMap<String, String>; 2], Error> {
    let (mut settings, mut inputs) = (study.file.config.flattened(), study.relative_inputs());
    for other in plan.judges(study) {
        let (folder, other) = other?;
        let there = LabelsThere::new(&other);
        let mut labels = there.expected(&other, &BTreeMap::new())?;
        labels.extend(there.files.into_keys());
        let named = |name: String| folder.join(name).display().to_string();
        settings.extend(other.file.config.flattened().into_iter().map(|(name, value)| (named(name), value)));
        let own = other.relative_inputs().into_iter().filter(|(name, _)| !labels.contains(name));
        inputs.extend(own.map(|(name, sum)| (named(name), sum)));
    }
    Ok([settings, inputs])
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

/// Whether a file holds nothing, or the zeros that a file system fills in for what was never written.
fn is_blank(text: &str) -> bool {
    text.trim_matches('\0').trim().is_empty()
}

/// A draft: what a user writes before registering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// Probability with which all intervals of the family together are to hold.
    #[serde(default = "default_level")]
    pub level: f64,
    /// What is left out of the analysis and why, in words; exclusions that the study's settings make are frozen with
    /// them.
    #[serde(default)]
    pub exclusions: Vec<String>,
    /// What has been seen of the data before, in words.
    #[serde(default)]
    pub seen: Vec<String>,
    /// Labels that the study will have when the hypotheses are judged; with fewer a run is an interim look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<u64>,
    /// Items that the evaluation leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<Exclusion>,
    /// The family of hypotheses.
    #[serde(rename = "hypothesis")]
    pub hypotheses: Vec<Hypothesis>,
}

/// Items that the evaluation leaves out: those named, and those of a group. They are decomposed and ranked all the
/// same.
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
    /// What `labels estimate` estimates, as it calls it.
    pub quantities: Vec<String>,
    /// Its items.
    pub ids: &'a ItemIds,
    /// The group of each item.
    pub groups: Option<&'a [String]>,
}

fn default_level() -> f64 {
    0.95
}

impl Draft {
    /// Reads and checks a draft for a study.
    ///
    /// # Errors
    /// No TOML of this form, no hypothesis, a repeated or blank id, a rule compared with itself, a rule, budget or
    /// measure that is not evaluated, a share of no class, a level outside its range, an exclusion of items
    /// that are not there.
    pub fn load(path: &Path, study: &Testable) -> Result<Self, RegistrationError> {
        let plan: Draft = parse(path, &text(path)?)?;
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
                return wrong("the id is blank or appears twice; give every hypothesis its own".to_owned());
            }
            if let Some(reason) = study.lacks(&h.about, &plan) {
                return wrong(reason);
            }
            if h.interval != IntervalRule::NewItems && h.about.contrast().is_none() {
                return wrong("percentiles and student describe comparisons of rules; leave out `interval`".to_owned());
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
                return wrong(&format!("names {id:?}, which is not an item of the study; correct or remove the id"));
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

impl Draft {
    /// The studies whose judges hypotheses about a study are about, with their folders as the plan has them.
    pub(super) fn judges<K: Kind>(&self, study: &Study<K>) -> impl Iterator<Item = Result<(&Path, Study<K>), Error>> {
        self.hypotheses.iter().filter_map(|hypothesis| match &hypothesis.about {
            About::Judge(folder) => {
                Some(Study::load(&study.file.resolve(folder)).map(|other| (folder.as_path(), other)))
            }
            About::Rules(_) | About::Share { .. } => None,
        })
    }
}

impl Testable<'_> {
    /// Why the study can't tell what a hypothesis of a plan is about; `None` where it can.
    fn lacks(&self, about: &About, plan: &Draft) -> Option<String> {
        let Contrast { better, than, budget, measure } = match about {
            About::Rules(contrast) => *contrast,
            About::Judge(_) => return None,
            About::Share { .. } if !plan.exclude.is_empty() => {
                return Some("a share is about all items; register it in a plan without [[exclude]]".to_owned());
            }
            About::Share { of, .. } => {
                let known = self.quantities.iter().any(|quantity| is_called(quantity, of));
                return (!known).then(|| {
                    format!("{of:?} is nothing that is estimated; choose among {}", self.quantities.join(", "))
                });
            }
        };
        if better == than {
            return Some(format!("compares {:?} with itself; name two rules", better.name()));
        }
        if let Some(rule) = [better, than].into_iter().find(|rule| !self.rules.contains(rule)) {
            let rules: Vec<&str> = self.rules.iter().map(|rule| rule.name()).collect();
            return Some(format!("this study does not rank by {:?}; choose among {}", rule.name(), rules.join(", ")));
        }
        if !self.measures.contains(&measure) {
            let measures: Vec<&str> = self.measures.iter().map(|measure| measure.key()).collect();
            return Some(format!(
                "this study does not measure {:?}; choose among {}",
                measure.key(),
                measures.join(", ")
            ));
        }
        if budget.in_percent() == 100 {
            let reason = "budget = 100 escalates every item under any rule, so that no two rules can differ and no \
                          item is left; choose a smaller budget";
            return Some(reason.to_owned());
        }
        (!self.budgets.contains(&budget)).then(|| {
            format!(
                "budget = {} is not one that the study evaluates; choose one of its evaluation.budgets or add it there",
                budget.in_percent()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::{DRAFT, map, plan, registered};
    use super::*;

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
        assert!(registration.differences(&registration.settings, &registration.inputs).is_empty());
        let settings = map(&[("seed", "1"), ("floor", "0.1")]);
        let found = registration.differences(&settings, &map(&[("items.csv", "ab"), ("judge.csv", "ff")]));
        let names: Vec<(&str, &str)> = found.iter().map(|d| (d.kind.as_str(), d.name.as_str())).collect();
        assert_eq!(
            names,
            [("setting", "evaluation.replicates"), ("setting", "floor"), ("setting", "seed"), ("input", "judge.csv")]
        );
        assert_eq!((found[0].found.clone(), found[1].registered.clone()), (None, None));
        assert_eq!(found[2].registered.as_deref(), Some("0"));
    }

    #[test]
    fn excluded_items_keep_the_first_reason_and_the_file_reads_back() {
        let exclusions = "[[exclude]]\nreason = \"pilot\"\nids = [\"c\"]\n[[exclude]]\nreason = \"y\"\ngroup = \"y\"\n";
        let plan = plan(&format!("{DRAFT}\n{exclusions}")).unwrap();
        let registration = Registration::freeze(plan, [map(&[]), map(&[])], None);
        let dir = tempfile::tempdir().unwrap();
        registration.write(dir.path()).unwrap();
        let read = Registration::load(dir.path()).unwrap().unwrap();
        let ids = ItemIds::new(["a", "b", "c"].map(str::to_owned).to_vec()).unwrap();
        let groups = ["x", "y", "y"].map(str::to_owned);
        let excluded = read.excluded(&ids, Some(&groups));
        assert_eq!(excluded, BTreeMap::from([(1, "y".to_owned()), (2, "pilot".to_owned())]));
        assert!(registered().excluded(&ids, Some(&groups)).is_empty());
    }

    #[test]
    fn a_blank_file_in_its_place_is_named_for_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        for content in ["", "\n", "\0\0\0\0"] {
            std::fs::write(dir.path().join(REGISTRATION_FILE), content).unwrap();
            for refused in [registered().write(dir.path()).unwrap_err(), Registration::load(dir.path()).unwrap_err()] {
                assert!(refused.to_string().contains("remove it and register again"), "{refused}");
            }
        }
    }

    #[test]
    fn drafts_that_cannot_be_tested_are_refused() {
        let refused = |from: &str, to: &str| plan(&DRAFT.replace(from, to)).unwrap_err().to_string();
        for (from, to, message) in [
            ("info-entropy", "info-fewest", "appears twice"),
            ("than = \"judge_entropy\"", "than = \"info\"", "compares \"epistemic\" with itself"),
            ("budget = 20", "budget = 15", "not one that the study evaluates"),
            ("budget = 20", "budget = 100", "escalates every item under any rule"),
            ("margin = 2.0", "margin = nan", "no finite number"),
            ("level = 0.9", "level = 1.0", "outside 0 to 1"),
            ("interval = \"student\"", "intervall = 1", "plan.toml:22:1: unknown field `intervall`"),
            ("than = \"fewest_labels\"", "than = \"fewest\"", "unknown variant `fewest`"),
            ("than = \"fewest_labels\"", "than = \"margin\"", "unknown variant `margin`, expected one of `epistemic`"),
            ("measure = \"value\"", "measure = \"squared_value\"", "does not measure \"squared_value\""),
        ] {
            let error = refused(from, to);
            assert!(error.contains(message), "{error}");
        }
        let share = "id = \"s\"\nstatement = \"s\"\nshare = \"a\"\nqueue = \"queue\"\nbelow = 0.1";
        assert!(plan(&format!("[[hypothesis]]\n{share}")).is_ok());
        for (from, to, message) in [
            ("\"a\"", "\"c\"", "\"c\" is nothing that is estimated; choose among mean_a, mean_b"),
            ("below = 0.1", "above = 0.2\nbelow = 0.1", "swap them"),
            ("below = 0.1", "below = nan", "no finite number"),
            ("below = 0.1", "margin = 0.1", "or about a share (share, queue, and above, below or both)"),
            ("share = \"a\"", "than_judge = \"../b\"", "about the judge of another study (than_judge)"),
            ("below = 0.1", "below = 0.1\ninterval = \"student\"", "leave out `interval`"),
            ("below = 0.1", "below = 0.1\n[[exclude]]\nreason = \"r\"\nids = [\"a\"]", "a plan without [[exclude]]"),
        ] {
            let error = plan(&format!("[[hypothesis]]\n{}", share.replace(from, to))).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        assert!(plan("level = 0.5\nhypothesis = []").unwrap_err().to_string().contains("no hypothesis"));
        for (exclusion, message) in [
            ("reason = \" \"\nids = [\"a\"]", "has no reason"),
            ("reason = \"r\"", "names no items"),
            ("reason = \"r\"\nids = [\"a\", \"d\"]", "names \"d\", which is not an item"),
            ("reason = \"r\"\ngroup = \"z\"", "names the group \"z\", which no item has"),
        ] {
            let error = plan(&format!("{DRAFT}\n[[exclude]]\n{exclusion}\n")).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
