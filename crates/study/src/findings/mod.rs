//! One question, one answer: whether the judge of a study can be relied on, what the rate is without its errors, what
//! people should label next, and what that would bring.
//!
//! Terminal, report, JSON and exit status read [`Answer`]; whatever is estimated in it comes from one estimator
//! ([`judge_uncertainty_core::stats::estimator`]).
//!
//! | module | holds |
//! |---|---|
//! | [`ratings`] | every answer with its item and its rater |
//! | [`trust`] | judge and people compared; rates corrected for the judge's errors |
//! | [`condition`] | whether a finding lies above or below a number |
//! | [`contests`] | systems compared pair by pair |
//! | [`mod@disagreements`] | the items on which judge and people disagree |
//! | [`next`] | what to label next, and what it would bring |
//! | [`plan`] | how many labels a figure takes |
//! | [`words`] | figures rounded to what their intervals leave known |

pub mod condition;
pub mod contests;
pub mod disagreements;
pub mod next;
pub mod plan;
pub mod position;
pub mod ratings;
mod sentences;
pub mod trust;
pub mod words;

use std::collections::BTreeSet;

use serde::Serialize;

use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_core::stats::{Estimable, ItemEstimate};
use judge_uncertainty_system::numbers::three;

use crate::error::Error;
use crate::model::study::{Decomposition, Study};
use crate::queue::Amount;
pub use sentences::{ASSUMED, REPLACED};

use condition::{Condition, Holds};
use contests::Ranking;
use disagreements::{Disagreement, disagreements};
use judge_uncertainty_formats::error::Error as DataError;
use next::Next;
use plan::LabelPlan;
use position::Position;
use ratings::Ratings;
use trust::{Covariate, GroupTrust, OfClass, OfGroup, Rate, Sample, Trust, rates};
use words::{Unit, side};

/// What is found about the judge of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// What the labels allow to say of the judge.
    pub verdict: trust::TrustVerdict,
    /// The verdict in a sentence.
    pub says: String,
    /// What to do: rely on the judge, label, or stop.
    pub step: String,
    /// Items of the study.
    pub items: usize,
    /// Those that people labelled.
    pub labelled: usize,
    /// The clusters that these form, over which intervals go.
    pub clusters: usize,
    /// Most labels of an item.
    pub most_labels: u32,
    /// Whether answers are classes rather than numbers.
    pub classes: bool,
    /// Whether labels are assumed to be drawn at random because the study does not state how they were chosen.
    pub is_assumed: bool,
    /// Whether the labelled items are the first of the study, and too many for that to be chance.
    #[serde(skip)]
    pub are_first: bool,
    /// Whether the judge's answers are scores of one of two answers, by the middle of their scale.
    #[serde(skip)]
    pub by_score: bool,
    /// How the labelled items were chosen, in words; `None` where all are labelled.
    pub chosen: Option<String>,
    /// The share of the items that were asked about and have no label, which intervals allow any.
    pub missing: f64,
    /// Labelled items that enter no figure, as no queue drew them at random.
    pub uncounted: usize,
    /// Every figure, with what it is over and its sentence.
    pub findings: Vec<Finding>,
    /// The items on which judge and people disagree.
    pub disagreements: Vec<Disagreement>,
    /// What to label next; `None` without a queue, and `no_queue` then has the reason.
    pub next: Option<Next>,
    /// The reason for a missing queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_queue: Option<String>,
    /// Whether the judge reaches what the study asks of it (`at_least`); the verdict then rests on these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_least: Vec<(Condition, Holds)>,
    /// How narrow further labels make the rates, agreement and kappa, and how many a target takes if one is named.
    pub plan: LabelPlan,
    /// Agreement and the first rate before the last batch of labels was added; `None` where none was, or no label before.
    #[serde(skip)]
    pub before: Option<Before>,
    /// Judge and people compared.
    #[serde(skip)]
    pub trust: Trust,
    /// Rates over all items.
    #[serde(skip)]
    pub rates: Vec<Rate>,
    /// Systems compared pair by pair.
    #[serde(skip)]
    pub ranking: Ranking,
    /// How often the judge agrees with itself (of numbers, how far it is from itself), where it answered several times.
    #[serde(skip)]
    pub consistency: Estimable,
    /// What the order of two answers does to its verdict; `None` where it was not asked in both.
    #[serde(skip)]
    pub position: Option<Position>,
}

/// What conditions call the agreement of numbers: how far judge and person are from each other.
pub const DISTANCE: &str = "distance";

/// Figures without the last batch of added labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    /// Agreement (distance) of judge and people.
    pub agreement: Estimable,
    /// The first of the rates.
    pub rate: Estimable,
    /// Whether they assume random labels because the study does not state how they were chosen.
    pub is_assumed: bool,
    /// The batches of added labels that they have.
    pub batches: usize,
}

/// A figure: what it is, its value with a 95% interval, and what it is over.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Its name, such as `agreement` or `rate.pass.group.law`.
    pub id: String,
    /// What it says, with its value.
    pub says: String,
    /// What it is over: `all items`, `labelled items`, or a group.
    pub over: String,
    /// The value with its interval, or the reason why it cannot be estimated.
    pub found: Estimable,
    /// The value before the last batch of labels was added; `None` where none was, no label was there before, or it is not
    /// kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<Estimable>,
}

impl Answer {
    /// What a study says of its judge, with the queue of so many items that it is advised, and the labels that intervals
    /// within the `target` need, in points of a hundred (of numbers, in units of their scale).
    ///
    /// # Errors
    /// The record of a queue that can't be read.
    pub fn new(
        study: &Study,
        decomposition: &Decomposition,
        (amount, target): (Amount, Option<f64>),
    ) -> Result<Self, Error> {
        let mut answer = Self::without_queue(study);
        if target.is_some() {
            answer.plan = LabelPlan::of_study(study, target);
        }
        if let Some(before) = study.before_last_batch() {
            let sample = Sample::new(&before);
            let mut rates = rates(&sample);
            let agreement = Trust::new(&sample, &rates).agreement;
            let rate = rates.swap_remove(0).corrected;
            answer.before = Some(Before { agreement, rate, is_assumed: sample.is_assumed, batches: before.batches() });
        }
        answer.queue(study, decomposition, amount)?;
        Ok(answer)
    }

    /// What the labels of a study say, without belief and queue.
    pub fn of_labels(study: &Study) -> Self {
        let mut answer = Self::without_queue(study);
        answer.findings = findings(&answer);
        answer
    }

    /// Plans a queue of this amount, and says what follows.
    ///
    /// # Errors
    /// The record of a queue that can't be read.
    fn queue(&mut self, study: &Study, decomposition: &Decomposition, amount: Amount) -> Result<(), Error> {
        match Next::new(study, decomposition, &self.trust, amount) {
            Ok(next) if next.queued > 0 => self.next = Some(next),
            Ok(_) => self.no_queue = Some("no item is left to label".to_owned()),
            Err(error @ Error::Data(DataError::Unreadable { .. })) => return Err(error),
            Err(error) => self.no_queue = Some(error.to_string()),
        }
        self.findings = findings(self);
        let asked = study.file.config.trust.at_least.iter();
        let of = |(finding, number): (&String, &f64)| {
            // A distance is the better the lower it is.
            let condition = Condition { finding: finding.clone(), below: finding == DISTANCE, number: *number };
            let holds = condition.holds(self.found(finding));
            (condition, holds)
        };
        self.at_least = asked.map(of).collect();
        self.says = sentences::verdict(self);
        self.step = sentences::step(self);
        Ok(())
    }

    /// What the labels say, without belief and queue.
    pub fn without_queue(study: &Study) -> Self {
        let (ratings, sample) = (study.ratings(), Sample::new(study));
        let rates = rates(&sample);
        let trust = Trust::new(&sample, &rates);
        Self {
            verdict: trust.verdict,
            says: String::new(),
            step: String::new(),
            items: ratings.len(),
            labelled: sample.labelled.len(),
            clusters: sample.design.clusters().iter().collect::<BTreeSet<_>>().len(),
            most_labels: study.numbers().into_iter().max().unwrap_or(0),
            classes: ratings.scale.nominal().is_some(),
            is_assumed: sample.is_assumed,
            are_first: are_first(&sample.labelled, ratings.len()),
            by_score: study.file.config.scores().is_some(),
            chosen: sample.words.clone(),
            missing: sample.design.lost(),
            uncounted: sample.design.weights().iter().filter(|weight| **weight == 0.0).count(),
            findings: vec![],
            disagreements: disagreements(ratings, |item| study.items.ids[item].to_owned()),
            next: None,
            no_queue: None,
            at_least: vec![],
            plan: LabelPlan::new(&sample, None),
            before: None,
            rates,
            ranking: Ranking::new(&sample),
            consistency: consistency(ratings),
            position: Position::new(study, ratings),
            trust,
        }
    }

    /// The finding of this id; `None` if the answer lacks it. Of numbers `agreement` is called [`DISTANCE`], too.
    pub fn finding(&self, id: &str) -> Option<&Finding> {
        let id = if id == DISTANCE && !self.classes { "agreement" } else { id };
        self.findings.iter().find(|finding| finding.id == id)
    }

    /// The ids by which conditions call the findings: of numbers [`DISTANCE`] in place of `agreement`.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let id = |finding: &'_ Finding| finding.id == "agreement" && !self.classes;
        self.findings.iter().map(move |finding| if id(finding) { DISTANCE } else { finding.id.as_str() })
    }

    /// Between which numbers the finding of this id lies: shares, their differences, and kappa; of numbers kappa alone has
    /// ends that are the same in every study.
    pub fn range_of(&self, id: &str) -> (f64, f64) {
        let is_share = ["agreement", "constant", "between_people", "consistency"].contains(&id)
            || ["rate.", "recall.", "precision."].iter().any(|start| id.starts_with(start))
            || id.ends_with(".agreement");
        match self.classes || id == "kappa" {
            true => (if is_share { 0.0 } else { -1.0 }, 1.0),
            false => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The value of the finding of this id; `None` if the answer lacks it.
    pub fn found(&self, id: &str) -> Option<&Estimable> {
        self.finding(id).map(|finding| &finding.found)
    }
}

/// Whether the labelled items are the first of all, which so many random ones are in fewer than one of 1,000 studies.
fn are_first(labelled: &[usize], items: usize) -> bool {
    let chance: f64 = (0..labelled.len()).map(|k| (k + 1) as f64 / (items - k) as f64).product();
    chance < 1e-3 && labelled.iter().enumerate().all(|(k, item)| k == *item)
}

/// How often the judge agrees with itself.
fn consistency(ratings: &Ratings) -> Estimable {
    let width = ratings.scale.range().1 - ratings.scale.range().0;
    let with: Vec<(usize, f64)> = (0..ratings.len()).filter_map(|item| Some((item, ratings.within(item)?))).collect();
    if with.is_empty() {
        return Estimable::not("the judge answered once");
    }
    let design = Design::random(with.iter().map(|(item, _)| ratings.clusters[*item]).collect());
    let classes = ratings.scale.nominal().is_some();
    let values: Vec<Option<f64>> =
        with.iter().map(|(_, apart)| Some(if classes { 1.0 - apart } else { *apart })).collect();
    design.estimate(&Ask::mean(&values).within(0.0, if classes { 1.0 } else { width }))
}

impl Finding {
    /// A figure over all items.
    fn new(id: impl Into<String>, what: String, found: &Estimable, unit: Unit) -> Self {
        let points = if unit == Unit::Points && found.estimate().is_some() { " points" } else { "" };
        let open = if !points.is_empty() && side(found) == 0 { ", not told from 0" } else { "" };
        let says = format!("{what}: {}{points}{open}", unit.estimable(found));
        Self { id: id.into(), says, over: "all items".to_owned(), found: found.clone(), was: None }
    }

    fn over(self, over: impl Into<String>) -> Self {
        Self { over: over.into(), ..self }
    }

    fn was(self, before: Option<&Estimable>) -> Self {
        Self { was: before.cloned(), ..self }
    }
}

/// Every figure of an answer by its name.
fn findings(answer: &Answer) -> Vec<Finding> {
    let (trust, before) = (&answer.trust, answer.before.as_ref());
    let (unit, differences) = (Unit::of_answers(answer.classes), Unit::of_differences(answer.classes));
    let of = |id: &str, what: String, found: &Estimable| Finding::new(id, what, found, unit);
    let by = |id: &str, what: String, found: &Estimable| Finding::new(id, what, found, differences);
    let is_classes = answer.classes;
    let (close, better) = match answer.classes {
        true => ("agreement", "agrees more"),
        false => ("distance", "is nearer"),
    };
    let (constant, several) = (&trust.base.0, "items with two labels");
    let beyond_chance = "agreement beyond chance (kappa)".to_owned();
    let mut all = vec![
        of("agreement", format!("{close} of judge and person"), &trust.agreement).was(before.map(|b| &b.agreement)),
        of("constant", format!("{close} of always {constant:?} and a person"), &trust.base.1),
        by("over_constant", format!("the judge {better} than always {constant:?} by"), &trust.over_base),
        of("between_people", format!("{close} of two people"), &trust.between_people).over(several),
        by("over_people", format!("the judge {better} than another person by"), &trust.over_people).over(several),
        Finding::new("kappa", beyond_chance, &trust.kappa, Unit::Number),
    ];
    for OfClass { name, recall, precision, .. } in &trust.by_class {
        let what = format!("where a person says {name:?}, the judge does so in");
        all.push(of(&format!("recall.{name}"), what, recall));
        let what = format!("where the judge says {name:?}, a person does so in");
        all.push(of(&format!("precision.{name}"), what, precision));
    }
    for (answer, found) in &trust.bias {
        let what = if is_classes {
            format!("the judge gives {answer:?} too often by")
        } else {
            "the judge is too high by".to_owned()
        };
        all.push(by(&format!("bias.{answer}"), what, found));
    }
    if let Some(confidence) = &trust.confidence {
        let excess = |found| by("confidence.excess", "stated confidence is too high by".to_owned(), found);
        all.extend(confidence.excess.as_ref().map(excess));
        let what = format!("above a confidence of {} the judge {better} by", three(confidence.median));
        all.push(by("confidence.informs", what, &confidence.informs));
    }
    let what = format!("{close} of the judge and itself");
    all.push(of("consistency", what, &answer.consistency).over("items that it answered several times"));
    if let Some(position) = &answer.position {
        let over = "items judged in both orders";
        let what = "the verdict changes with the order of the answers in".to_owned();
        all.push(of("position.flips", what, &position.flips).over(over));
        let what = "the answer shown first wins more often than the second by".to_owned();
        all.push(by("position.to_first", what, &position.to_first).over(over));
    }
    for GroupTrust { name, agreement, over_others, .. } in &trust.groups {
        let over = format!("group {name}");
        let what = format!("{name}: {close} of judge and person");
        all.push(of(&format!("group.{name}.{close}"), what, agreement).over(&*over));
        let what = format!("{name}: the judge {better} than elsewhere by");
        all.push(by(&format!("group.{name}.over_others"), what, over_others).over(over));
    }
    for Covariate { name, median, difference } in &trust.covariates {
        let above = format!("above {} in {name}", three(*median));
        let what = match trust.bias.len() {
            1 => format!("{above} the judge's bias is higher by"),
            _ => format!("{above} the judge agrees more by"),
        };
        all.push(by(&format!("covariate.{name}"), what, difference));
    }
    for OfGroup { name, corrected, .. } in &answer.ranking.systems {
        let what = format!("{name} wins, corrected for the judge's errors");
        all.push(of(&format!("wins.{name}"), what, corrected).over(format!("items of {name}")));
    }
    for difference in &answer.ranking.differences {
        let [one, other] = difference.of.map(|k| &answer.ranking.systems[k].name);
        let what = format!("{one} wins more often than {other} by");
        all.push(by(&format!("wins.{one}.over.{other}"), what, &difference.corrected));
    }
    for (k, rate) in answer.rates.iter().enumerate() {
        let id = format!("rate.{}", rate.of);
        let what = if answer.classes { format!("rate of {:?}", rate.of) } else { "mean".to_owned() };
        let was = before.filter(|_| k == 0).map(|b| &b.rate);
        let (value, items) = (rate.by_judge, answer.items);
        let exact = Estimable::Estimated(ItemEstimate { value, standard_error: 0.0, lo: value, hi: value, items });
        all.extend([
            of(&id, format!("{what}, {}", rate.words()), &rate.corrected).was(was),
            of(&format!("{id}.by_labels"), format!("{what} by the labels alone"), &rate.by_labels),
            of(&format!("{id}.by_judge"), format!("{what} by the judge alone"), &exact),
        ]);
        for (kind, groups) in [("group", &rate.groups), ("system", &rate.systems)] {
            all.extend(groups.iter().map(|OfGroup { name, corrected, .. }| {
                let found = of(&format!("{id}.{kind}.{name}"), format!("{name}: {what}"), corrected);
                found.over(format!("{kind} {name}"))
            }));
        }
        if let Some(difference) = &rate.difference {
            let [one, other] = [&rate.systems[0].name, &rate.systems[1].name];
            all.push(by(&format!("{id}.difference"), format!("{what}: {one} less {other}"), difference));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::are_first;

    #[test]
    fn labels_of_the_first_items_are_told_where_that_is_no_chance() {
        let first: Vec<usize> = (0..20).collect();
        assert!(are_first(&first, 60) && are_first(&first, 21_000) && !are_first(&first, 20));
        // One of three pairs of three items, one of sixty items.
        assert!(!are_first(&[0, 1], 3) && !are_first(&[0], 60) && !are_first(&[], 60));
        assert!(!are_first(&[&first[..19], &[20]].concat(), 60));
    }
}
