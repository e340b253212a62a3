//! A run held against its registration.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::evaluate::compare::judge_advantage;
use crate::evaluate::for_new_items::{not_for_new_items, of_things};
use crate::model::kind::{Kind, Study};
use crate::queue::estimates::QueueEstimates;
use crate::registration::hypothesis::{About, JudgedHypothesis, Measure, Status};
use crate::registration::labels::{LabelsThere, look_number, looked_at};
use crate::registration::{Deviation, Registration};
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::stats::sampling::SamplingDesign;
use judge_uncertainty_core::stats::{Estimable, Interval};
use judge_uncertainty_evaluation::{Contrast, Measured};

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
    /// Judges the hypotheses by what the replicates of a run of a study measured over items of this design, none where nothing
    /// was evaluated.
    ///
    /// # Errors
    /// A file of labels or of looks can't be read, or a study whose judge is compared.
    pub fn new<K: Kind>(
        registration: &Registration,
        study: &Study<K>,
        (design, measured): (&SamplingDesign, &[Measured]),
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
        Ok(Self {
            digest: registration.digest().to_owned(),
            registered: registration.registered.clone(),
            level: plan.level,
            family: plan.hypotheses.len(),
            exclusions: plan.exclusions.clone(),
            excluded: study.excluded.iter().map(excluded).collect(),
            seen: plan.seen.clone(),
            hypotheses: judged
                .into_iter()
                .map(|one| {
                    let by_old = registration.labels.as_ref().is_some_and(|there| uses(study, there, &one));
                    one.by_old_labels(by_old).tested_otherwise(otherwise)
                })
                .collect(),
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
