//! A run held against its registration.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{Deviation, Registration};
use crate::error::Error;
use crate::evaluate::compare::judge_advantage;
use crate::evaluate::for_new_items::{not_for_new_items, of_things};
use crate::input::label_store::is_added;
use crate::model::kind::{Kind, Study};
use crate::queue::estimates::QueueEstimates;
use crate::queue::files::QueueRecord;
use crate::registration::hypothesis::{About, Hypothesis, IntervalRule, JudgedHypothesis, Measure, Status};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::estimator::Design;
use judge_uncertainty_core::stats::new_items::{Contributions, NewItems, new_items};
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_evaluation::{Contrast, Measured};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_system::{FileError, Record, read};

/// The registered family with its results, and what else was compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registered {
    /// Digest of the registration.
    pub digest: String,
    /// When it was made, in UTC.
    pub registered: String,
    /// Level of the family's intervals together.
    pub level: f64,
    /// Number of hypotheses registered together.
    pub family: usize,
    /// What was to be left out, in words.
    pub exclusions: Vec<String>,
    /// The items that were left out of the evaluation by an `[[exclude]]` of the plan.
    #[serde(default)]
    pub excluded: Vec<ExcludedItem>,
    /// What had been seen of the data, in words.
    pub seen: Vec<String>,
    /// Every hypothesis and how it fared.
    pub hypotheses: Vec<JudgedHypothesis>,
    /// What the run does otherwise than registered; with any, the hypotheses were not tested as they were frozen.
    pub deviations: Vec<Deviation>,
    /// Labels that were there at registration, and may have been read before; `None` where it was not noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels_there: Option<LabelsThere>,
    /// Labels of the run.
    #[serde(default)]
    pub labels: u64,
    /// Labels that the plan announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<u64>,
    /// How often the hypotheses were looked at with other data, this look included.
    #[serde(default)]
    pub look: usize,
    /// Every comparison that the results report, registered or exploratory.
    pub comparisons: Vec<Marked>,
}

/// A comparison of the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Marked {
    /// The rule.
    pub rule: Rule,
    /// The rule that it is compared with.
    pub than: Rule,
    /// The budget.
    pub budget: Budget,
    /// What is compared.
    pub measure: Measure,
    /// Whether it was registered; otherwise it is exploratory.
    pub registered: bool,
}

/// An item that the evaluation leaves out as registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcludedItem {
    /// Its id.
    pub id: String,
    /// Why, in the words of the plan.
    pub reason: String,
}

/// A measure of a replicate, signed so that more is better; `None` where it was not evaluated.
fn measured_at(measured: &Measured, measure: Measure, rule: Rule, budget: Budget) -> Option<f64> {
    let selective = || measured.selective.get(&rule)?.get(&budget);
    match measure {
        Measure::Value => measured.value.get(&rule)?.get(&budget).copied(),
        Measure::SquaredValue => measured.squared.as_ref()?.value.get(&rule)?.get(&budget).copied(),
        Measure::SelectiveError => selective().map(|errors| -errors.error),
        Measure::SelectiveSquaredError => selective().map(|errors| -errors.squared),
    }
}

/// What results report differences of.
fn reported(measured: &Measured) -> Vec<(Rule, Budget, Measure)> {
    let of = |measure: Measure| {
        let by_rule = measured.value.iter();
        by_rule.flat_map(move |(&rule, by)| by.keys().map(move |&budget| (rule, budget, measure)))
    };
    let squared = measured.squared.as_ref().map(|_| of(Measure::SquaredValue));
    of(Measure::Value).chain(squared.into_iter().flatten()).collect()
}

impl Registered {
    /// Judges the hypotheses by what the replicates of a run of a study measured over items of this design, none where
    /// nothing was evaluated.
    ///
    /// # Errors
    /// A file of labels or of looks can't be read, or a study whose judge is compared.
    pub fn new<K: Kind>(
        registration: &Registration,
        study: &Study<K>,
        (design, measured): (&Design, &[Measured]),
    ) -> Result<Self, Error> {
        let plan = &registration.plan;
        let (deviations, labels) = (registration.deviations(study)?, LabelsThere::new(study).labels);
        let otherwise = match plan.labels {
            _ if !deviations.is_empty() => Some(Status::Deviating),
            Some(announced) if labels < announced => Some(Status::InterimLook),
            _ => None,
        };
        let excluded = |(&i, reason): (&usize, &String)| ExcludedItem {
            id: study.items.ids[i].to_owned(),
            reason: reason.clone(),
        };
        let not_new = not_for_new_items(design).filter(|_| !measured.is_empty());
        let judged = registration.judge(
            |contrast| differences(contrast, measured),
            (|k| of_things(design, measured.iter().map(|m| m.contrasts.get(k)?.as_ref())), not_new.as_deref()),
            |about, misses| estimated(study, about, misses),
        );
        let looked_at_now = |one: JudgedHypothesis| JudgedHypothesis {
            by_old_labels: registration.labels.as_ref().is_some_and(|there| uses(study, there, &one)),
            if_as_registered: otherwise.map(|_| one.status),
            status: otherwise.unwrap_or(one.status),
            ..one
        };
        Ok(Self {
            digest: registration.digest().to_owned(),
            registered: registration.registered.clone(),
            level: plan.level,
            family: plan.hypotheses.len(),
            exclusions: plan.exclusions.clone(),
            excluded: study.excluded.iter().map(excluded).collect(),
            seen: plan.seen.clone(),
            hypotheses: judged.into_iter().map(looked_at_now).collect(),
            deviations,
            labels_there: registration.labels.clone(),
            labels,
            announced: plan.labels,
            look: look_number(&study.file.folder(), &looked_at(registration, study)?)?,
            comparisons: comparisons(registration, measured, K::FACTS.reference),
        })
    }
}

/// Whether a hypothesis is judged by labels that were there at registration.
fn uses<K: Kind>(study: &Study<K>, there: &LabelsThere, judged: &JudgedHypothesis) -> bool {
    match &judged.hypothesis.about {
        About::Rules(_) | About::Judge(_) => there.labels > 0,
        About::Share { queue, .. } => {
            let found = QueueEstimates::new(study, &study.file.resolve(queue), 0.95);
            there.labels > 0 && found.is_ok_and(|found| found.earliest_batch < Some(there.batches))
        }
    }
}

/// Paired differences, one per replicate; `None` where a rule or budget was not evaluated.
fn differences(Contrast { better, than, budget, measure }: Contrast, measured: &[Measured]) -> Option<Vec<f64>> {
    let at = |m: &Measured, rule: Rule| measured_at(m, measure, rule, budget);
    let difference = |m: &Measured| Some(at(m, better)? - at(m, than)?);
    measured.iter().map(difference).collect()
}

/// The value of what no evaluation of rules tells, with intervals that miss with these probabilities, or why there is
/// none.
fn estimated<K: Kind>(study: &Study<K>, about: &About, misses: [f64; 2]) -> Result<(f64, [Interval; 2]), String> {
    let found = match about {
        About::Rules(_) => return Err("an evaluation compares rules".to_owned()),
        About::Judge(folder) => {
            Study::<K>::load(&study.file.resolve(folder)).and_then(|other| Ok(judge_advantage(study, &other)?))
        }
        About::Share { of, queue } => {
            let found = misses.map(|miss| QueueEstimates::new(study, &study.file.resolve(queue), 1.0 - miss));
            let found = found.map(|found| found.map(|found| found.whatever_is_missing(of)));
            let [plain, adjusted] = found;
            return match (plain.map_err(|error| error.to_string())?, adjusted.map_err(|error| error.to_string())?) {
                (Some((value, plain)), Some((_, adjusted))) => Ok((value, [plain, adjusted])),
                _ => Err(format!("{of:?} is nothing that is estimated")),
            };
        }
    };
    match found.map_err(|error| error.to_string())? {
        Estimable::Estimated(found) => Ok((found.value, misses.map(|miss| found.interval(miss)))),
        Estimable::NotEstimable { not_estimable, .. } => Err(not_estimable),
    }
}

/// The comparisons that every evaluation reports, and the registered ones among others.
fn comparisons(registration: &Registration, measured: &[Measured], reference: Rule) -> Vec<Marked> {
    let Some(first) = measured.first() else { return vec![] };
    let mut marked = vec![];
    let mut against = vec![Rule::JudgeEntropy, Rule::FewestLabels];
    if !against.contains(&reference) {
        against.push(reference);
    }
    for than in against {
        for (rule, budget, measure) in reported(first).into_iter().filter(|(rule, ..)| *rule != than) {
            let registered = registration.covers(rule, than, budget, measure);
            marked.push(Marked { rule, than, budget, measure, registered });
        }
    }
    for Contrast { better, than, budget, measure } in registration.contrasts() {
        let own = Marked { rule: better, than, budget, measure, registered: true };
        if !marked.contains(&own) {
            marked.push(own);
        }
    }
    marked
}

/// Why a hypothesis has no figures.
const NOT_EVALUATED: &str = "not estimable: the run could not evaluate this comparison";
const NO_DIFFERENCE: &str =
    "not estimable: the two rules escalate the same items in every replicate, or there are too few replicates or items";

impl Registration {
    /// The comparisons that an evaluation has to keep item by item, one per hypothesis about rules.
    pub fn contrasts(&self) -> Vec<Contrast> {
        self.plan.hypotheses.iter().filter_map(|h| h.about.contrast()).collect()
    }

    /// Judges every hypothesis. Of one about rules `differences` gives the paired difference of each replicate, in
    /// replicate order, and `contributions` those of the items, by its place among the comparisons of
    /// [`Self::contrasts`]; `None` if the run could not evaluate it; `not_new` is why the items say nothing of new
    /// ones, where they don't. Of any other `estimate` gives the value with intervals that miss with two
    /// probabilities, or why there is none.
    ///
    /// The family's chance of an error is shared out: a hypothesis that is estimated has an equal part, and those about
    /// rules have theirs together. The critical value is drawn from a stream that the family's size alone fixes, so it
    /// is the same in every run.
    pub fn judge(
        &self,
        differences: impl Fn(Contrast) -> Option<Vec<f64>>,
        (contributions, not_new): (impl Fn(usize) -> Option<Contributions>, Option<&str>),
        estimate: impl Fn(&About, [f64; 2]) -> Result<(f64, [Interval; 2]), String>,
    ) -> Vec<JudgedHypothesis> {
        let (plan, family) = (&self.plan, self.plan.hypotheses.len());
        let wants = |h: &Hypothesis| h.interval == IntervalRule::NewItems && h.about.contrast().is_some();
        let mut of_rules = 0..;
        let places: Vec<Option<usize>> =
            plan.hypotheses.iter().map(|h| h.about.contrast().and_then(|_| of_rules.next())).collect();
        let own: Vec<(usize, Contributions)> = (0..family)
            .filter(|&k| wants(&plan.hypotheses[k]))
            .filter_map(|k| Some((k, contributions(places[k]?)?)))
            .collect();
        let (compared, own): (Vec<usize>, Vec<Contributions>) = own.into_iter().unzip();
        let miss = (1.0 - plan.level) / family as f64;
        let estimated = places.iter().filter(|place| place.is_none()).count();
        let level = plan.level + miss * estimated as f64;
        let found: BTreeMap<usize, Option<NewItems>> =
            compared.into_iter().zip(new_items(&own, level, &mut Stream::new(family as u64))).collect();
        let replicates = own.first().map_or(0, |own| own.of_redraws.len());
        let judged = |(k, h): (usize, &Hypothesis)| {
            let Some(contrast) = h.about.contrast() else {
                return match estimate(&h.about, [1.0 - plan.level, miss]) {
                    Ok((value, intervals)) => JudgedHypothesis::by_estimate(h, family, value, intervals),
                    Err(reason) => JudgedHypothesis::not_estimable(h, family, &format!("not estimable: {reason}")),
                };
            };
            if wants(h) {
                if let Some(reason) = not_new {
                    return JudgedHypothesis::not_estimable(h, family, &format!("not estimable: {reason}"));
                }
                return match found.get(&k) {
                    Some(Some(found)) => JudgedHypothesis::by_new_items(h, family, replicates, *found),
                    Some(None) => JudgedHypothesis::not_estimable(h, family, NO_DIFFERENCE),
                    None => JudgedHypothesis::not_estimable(h, family, NOT_EVALUATED),
                };
            }
            match differences(contrast).filter(|d| !d.is_empty()) {
                Some(differences) => JudgedHypothesis::by_redraws(h, &differences, plan.level, family),
                None => JudgedHypothesis::not_estimable(h, family, NOT_EVALUATED),
            }
        };
        plan.hypotheses.iter().enumerate().map(judged).collect()
    }

    /// Whether a comparison of two rules at a budget belongs to the registered family; others are exploratory.
    pub fn covers(&self, better: Rule, than: Rule, budget: Budget, measure: Measure) -> bool {
        let same = |h: Contrast| {
            let pair = (h.better, h.than) == (better, than) || (h.better, h.than) == (than, better);
            pair && h.budget == budget && h.measure == measure
        };
        self.contrasts().into_iter().any(same)
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
    pub fn new<K: Kind>(study: &Study<K>) -> Self {
        let numbers = study.numbers();
        let folder = study.file.folder();
        let own = K::tables(&study.file.config).1.map(|labels| study.file.resolve_all(labels.files));
        let files = own.unwrap_or_default().into_iter();
        let size = |path: std::path::PathBuf| {
            let size = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
            Some((study.inputs.name(&path, &folder), size))
        };
        Self {
            labels: numbers.iter().map(|n| u64::from(*n)).sum(),
            items: numbers.iter().filter(|n| **n > 0).count(),
            batches: study.batches(),
            last_added: study.labels.batches.iter().map(|batch| batch.added.clone()).max(),
            files: files.filter_map(size).collect(),
        }
    }

    /// Inputs that may differ from those of a registration made when these labels were there: files of labels that only
    /// grew since, and files of added labels and records of queues, where they are new.
    ///
    /// # Errors
    /// A file of labels can't be read.
    pub fn expected<K: Kind>(
        &self,
        study: &Study<K>,
        registered: &BTreeMap<String, String>,
    ) -> Result<BTreeSet<String>, FileError> {
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
        let added = study.inputs.sums().keys().filter(|name| is_added(name)).map(std::path::PathBuf::from);
        let new = records.chain(added).map(|path| study.inputs.name(&path, &folder));
        Ok(grown.into_iter().chain(new.filter(|name| !registered.contains_key(name))).collect())
    }

    /// Labels that were there and are no more, which a registration does not expect.
    pub fn lost<K: Kind>(&self, study: &Study<K>) -> Option<Deviation> {
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

/// Where a study's folder keeps the sums of the data at which its registered hypotheses were looked at, one a line.
pub const LOOKS_FILE: &str = "looks.txt";

/// Which data a look is at, those of studies whose judges are compared among them: the same for a run that is repeated.
///
/// # Errors
/// Such a study can't be read.
pub fn looked_at<K: Kind>(registration: &Registration, study: &Study<K>) -> Result<String, Error> {
    let mut inputs = study.relative_inputs();
    for other in registration.plan.judges(study) {
        let (folder, other) = other?;
        let named = |(name, sum): (String, String)| (folder.join(name).display().to_string(), sum);
        inputs.extend(other.relative_inputs().into_iter().map(named));
    }
    let lines: String = inputs.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    Ok(sha256_hex(lines.as_bytes()))
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
    use super::super::example::{DRAFT, map, plan, registered};
    use super::*;
    use crate::registration::hypothesis::Status;

    const NO_ITEM: fn(usize) -> Option<Contributions> = |_| None;

    fn none(_: &About, _: [f64; 2]) -> Result<(f64, [Interval; 2]), String> {
        Err("nothing is estimated".to_owned())
    }

    /// A family of four of which two are about rules: each estimate misses with 0.1/4, and the rules together with half
    /// of 0.1. What is between the claimed ends is confirmed, what is outside refuted.
    #[test]
    fn estimates_are_held_against_what_is_claimed() {
        let share = "\n[[hypothesis]]\nid = \"share\"\nstatement = \"s\"\nshare = \"a\"\nqueue = \"q\"\nabove = 0.1\n\
                     below = 0.3\n\n[[hypothesis]]\nid = \"judge\"\nstatement = \"s\"\nthan_judge = \"../b\"\n";
        // Those about rules come last, so that their places differ from those in the family.
        let draft = DRAFT.replace(
            "\n[[hypothesis]]\nid = \"info-fewest\"",
            &format!("{share}\n[[hypothesis]]\nid = \"info-fewest\""),
        );
        let mut plan = plan(&draft).unwrap();
        plan.hypotheses[2].interval = IntervalRule::NewItems;
        let level = |registration: &Registration| {
            let one = |k: usize| (k == 0).then(|| picks(1.0, 0.0));
            registration.judge(|_| None, (one, None), none)[2].new_items.unwrap().simultaneous
        };
        let registration = Registration::freeze(plan.clone(), [map(&[]), map(&[])], None);
        plan.hypotheses.drain(..2);
        plan.level = 0.95;
        let without = Registration::freeze(plan, [map(&[]), map(&[])], None);
        let rules = without.judge(|_| None, (|k| (k == 0).then(|| picks(1.0, 0.0)), None), none);
        assert_eq!(level(&registration), rules[0].new_items.unwrap().simultaneous);
        let status = |lo: f64, hi: f64| {
            let estimate = |about: &About, misses: [f64; 2]| {
                assert!((misses[0] - 0.1).abs() < 1e-12 && (misses[1] - 0.025).abs() < 1e-12, "{about:?} {misses:?}");
                Ok((0.5 * (lo + hi), [Interval { lo: 0.0, hi: 1.0 }, Interval { lo, hi }]))
            };
            let judged = registration.judge(|_| None, (NO_ITEM, None), estimate);
            assert_eq!((judged[0].difference, judged[0].family), (Some(0.5 * (lo + hi)), 4));
            (judged[0].status, judged[1].status)
        };
        assert_eq!(status(0.11, 0.29), (Status::Confirmed, Status::Confirmed));
        assert_eq!(status(0.09, 0.29), (Status::Inconclusive, Status::Confirmed));
        assert_eq!(status(0.31, 0.4), (Status::Refuted, Status::Confirmed));
        assert_eq!(status(-0.2, 0.09), (Status::Refuted, Status::Inconclusive));
        assert_eq!(status(-0.2, -0.1), (Status::Refuted, Status::Refuted));
        let unknown = registration.judge(|_| None, (NO_ITEM, None), none);
        assert_eq!(unknown[0].note.as_deref(), Some("not estimable: nothing is estimated"));
    }

    #[test]
    fn percentiles_over_redraws_describe_and_never_decide() {
        let registration = registered();
        // Differences 0, 1, ..., 1000: percentiles are known.
        let ramp = |shift: f64| (0..=1000).map(|i| f64::from(i) + shift).collect::<Vec<f64>>();
        let status = |shift: f64| {
            let judged =
                registration.judge(|of| (of.measure == Measure::Value).then(|| ramp(shift)), (NO_ITEM, None), none);
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
        let four = |of: Contrast| (of.measure != Measure::Value).then(|| vec![3.0, 5.0, 4.0, 4.0]);
        let judged = registration.judge(four, (NO_ITEM, None), none);
        let [low, high] = <[f64; 2]>::from(judged[1].adjusted.unwrap());
        let reach = 3.182446305284263 * (2.0_f64 / 3.0).sqrt() / 2.0;
        assert!((low - (4.0 - reach)).abs() < 1e-9 && (high - (4.0 + reach)).abs() < 1e-9);
        assert_eq!(judged[1].status, Status::Inconclusive);
        let few = registration.judge(|_| Some(vec![1.0, 1.5, 2.0]), (NO_ITEM, None), none);
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
        plan.hypotheses.iter_mut().for_each(|h| (h.interval, h.claim.lo) = (IntervalRule::NewItems, 0.0));
        let registration = Registration::freeze(plan, [map(&[]), map(&[])], None);
        let status = |gain: f64, noise: f64| {
            let judged = registration.judge(|_| None, (|k| (k == 0).then(|| picks(gain, noise)), None), none);
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
}
