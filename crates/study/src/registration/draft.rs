//! A draft of hypotheses, as a user writes it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::{RegistrationError, parse, text};
use crate::error::Error;
use crate::model::kind::{Kind, Study};
use crate::queue::estimates::is_called;
use crate::registration::hypothesis::{About, Hypothesis, IntervalRule, Measure};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_evaluation::Contrast;
use judge_uncertainty_formats::items::ItemIds;

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
    use super::super::example::{DRAFT, plan};

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
            ("than = \"fewest_labels\"", "than = \"margin\"", "does not rank by \"margin\"; choose among epistemic"),
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
