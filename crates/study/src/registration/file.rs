//! The frozen file: a plan with everything that a run is held against.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::draft::{Draft, Exclusion};
use super::error::{RegistrationError, parse, text};
use super::labels::LabelsThere;
use crate::error::Error;
use crate::evaluate::compare::matched;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::clock;
use judge_uncertainty_system::{to_json, write_new_file};

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

/// What is frozen of a study, its settings by name and the sums of its inputs by file, and of those whose judges its own is compared with: these under the name of their folder,
/// and without their labels, which are to be those of the study.
///
/// # Errors
/// Such a study can't be read.
fn frozen<K: Kind>(plan: &Draft, study: &Study<K>) -> Result<[BTreeMap<String, String>; 2], Error> {
    let (mut settings, mut inputs) = (study.settings(), study.relative_inputs());
    for other in plan.judges(study) {
        let (folder, other) = other?;
        let there = LabelsThere::new(&other);
        let mut labels = there.expected(&other, &BTreeMap::new())?;
        labels.extend(there.files.into_keys());
        let named = |name: String| folder.join(name).display().to_string();
        settings.extend(other.settings().into_iter().map(|(name, value)| (named(name), value)));
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
}
