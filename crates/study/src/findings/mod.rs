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
use trust::{Rate, Sample, Trust, rates};
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
    /// How the labelled items were chosen, in words; `None` where all are labelled.
    pub chosen: Option<String>,
    /// The share of the items that were asked about and have no label, which intervals allow any.
    pub missing: f64,
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
    /// How narrow further labels make the first rate, agreement and kappa, and how many a target takes if one is named.
    pub plan: LabelPlan,
    /// Agreement and the first rate before labels were added; `None` where none were.
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

/// Figures without the labels that were added.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    /// Agreement (distance) of judge and people.
    pub agreement: Estimable,
    /// The first of the rates.
    pub rate: Estimable,
    /// Whether they assume random labels because the study does not state how they were chosen.
    pub is_assumed: bool,
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
    /// The value before labels were added; `None` where none were, or it is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<Estimable>,
}

impl Answer {
    /// What a study says of its judge, with the queue that it is advised.
    ///
    /// # Errors
    /// The record of a queue that can't be read.
    pub fn new(study: &Study, decomposition: &Decomposition, amount: Amount) -> Result<Self, Error> {
        let ratings = Ratings::from_study(study);
        let mut answer = Self::from_ratings(study, &ratings);
        if study.batches() > 0 && study.own_numbers().iter().any(|n| *n > 0) {
            let mut before = study.clone();
            before.labels = study.labels.without_added();
            before.queues = vec![];
            let ratings = Ratings::from_study(&before);
            let sample = Sample::new(&before, &ratings);
            let rate = rates(&sample).swap_remove(0).corrected;
            let agreement = Trust::new(&sample).agreement;
            answer.before = Some(Before { agreement, rate, is_assumed: sample.is_assumed });
        }
        answer.queue(study, decomposition, &ratings, amount)?;
        Ok(answer)
    }

    /// What the labels of a study say, without belief and queue.
    pub fn of_labels(study: &Study) -> Self {
        let mut answer = Self::from_ratings(study, &Ratings::from_study(study));
        answer.findings = findings(&answer);
        answer
    }

    /// Plans a queue of this amount, and says what follows.
    ///
    /// # Errors
    /// The record of a queue that can't be read.
    fn queue(
        &mut self,
        study: &Study,
        decomposition: &Decomposition,
        ratings: &Ratings,
        amount: Amount,
    ) -> Result<(), Error> {
        match Next::new(study, decomposition, (ratings, &self.trust), amount) {
            Ok(next) if next.queued > 0 => self.next = Some(next),
            Ok(_) => self.no_queue = Some("no item is left to label".to_owned()),
            Err(error @ Error::Data(DataError::Unreadable { .. })) => return Err(error),
            Err(error) => self.no_queue = Some(error.to_string()),
        }
        self.findings = findings(self);
        let asked = study.file.config.trust.at_least.iter();
        let of = |(finding, number): (&String, &f64)| {
            let condition = Condition { finding: finding.clone(), below: false, number: *number };
            let holds = condition.holds(self.found(finding));
            (condition, holds)
        };
        self.at_least = asked.map(of).collect();
        self.says = sentences::verdict(self);
        self.step = sentences::step(self);
        Ok(())
    }

    /// What the labels say, without belief and queue.
    pub fn from_ratings(study: &Study, ratings: &Ratings) -> Self {
        let sample = Sample::new(study, ratings);
        let trust = Trust::new(&sample);
        Self {
            verdict: trust.verdict,
            says: String::new(),
            step: String::new(),
            items: ratings.len(),
            labelled: sample.labelled.len(),
            clusters: sample.design.things().iter().collect::<BTreeSet<_>>().len(),
            most_labels: study.numbers().into_iter().max().unwrap_or(0),
            classes: ratings.scale.nominal().is_some(),
            is_assumed: sample.is_assumed,
            chosen: sample.words.clone(),
            missing: sample.design.lost(),
            findings: vec![],
            disagreements: disagreements(ratings, |item| study.items.ids[item].to_owned()),
            next: None,
            no_queue: None,
            at_least: vec![],
            plan: LabelPlan::new(&sample, None),
            before: None,
            rates: rates(&sample),
            ranking: Ranking::new(&sample),
            consistency: consistency(ratings),
            position: Position::new(study, ratings),
            trust,
        }
    }

    /// The finding of this id; `None` if the answer lacks it.
    pub fn found(&self, id: &str) -> Option<&Estimable> {
        self.findings.iter().find(|finding| finding.id == id).map(|finding| &finding.found)
    }

    /// What is said of the judge, the most important first.
    pub fn trust_lines(&self) -> Vec<String> {
        sentences::trust_lines(self)
    }

    /// What is said of the rate: first over all items, then by group and system, then on which condition.
    pub fn rate_lines(&self) -> Vec<String> {
        sentences::rate_lines(self)
    }

    /// What the labels of the queue would bring.
    pub fn worth(&self) -> Option<String> {
        sentences::worth(self)
    }
}

/// How often the judge agrees with itself.
fn consistency(ratings: &Ratings) -> Estimable {
    let width = ratings.scale.range().1 - ratings.scale.range().0;
    let with: Vec<(usize, f64)> = (0..ratings.len()).filter_map(|item| Some((item, ratings.within(item)?))).collect();
    if with.is_empty() {
        return Estimable::not("the judge answered once");
    }
    let design = Design::random(with.iter().map(|(item, _)| ratings.things[*item]).collect());
    let classes = ratings.scale.nominal().is_some();
    let values: Vec<Option<f64>> =
        with.iter().map(|(_, apart)| Some(if classes { 1.0 - apart } else { *apart })).collect();
    design.estimate(&Ask::mean(&values).within(0.0, if classes { 1.0 } else { width }))
}

/// Every figure of an answer by its name.
fn findings(answer: &Answer) -> Vec<Finding> {
    let trust = &answer.trust;
    let (unit, differences) = (Unit::of_answers(answer.classes), Unit::of_differences(answer.classes));
    let before = answer.before.as_ref();
    let mut all = vec![];
    let mut put = |id: String, over: &str, what: String, found: &Estimable, unit: Unit, was: Option<&Estimable>| {
        let says = match (found.estimate(), side(found)) {
            (Some(_), 0) if unit == Unit::Points => {
                format!("{what}: {} points, not told from 0", unit.estimable(found))
            }
            (Some(_), _) if unit == Unit::Points => format!("{what}: {} points", unit.estimable(found)),
            _ => format!("{what}: {}", unit.estimable(found)),
        };
        all.push(Finding { id, says, over: over.to_owned(), found: found.clone(), was: was.cloned() });
    };
    let (close, better) = match answer.classes {
        true => ("agreement", "agrees more"),
        false => ("distance", "is nearer"),
    };
    let text = str::to_owned;
    let all_items = "all items";
    let constant = &trust.base.0;
    put(
        text("agreement"),
        all_items,
        format!("{close} of judge and person"),
        &trust.agreement,
        unit,
        before.map(|b| &b.agreement),
    );
    put(text("constant"), all_items, format!("{close} of always {constant:?} and a person"), &trust.base.1, unit, None);
    put(
        text("over_constant"),
        all_items,
        format!("the judge {better} than always {constant:?} by"),
        &trust.over_base,
        differences,
        None,
    );
    put(
        text("between_people"),
        "items with two labels",
        format!("{close} of two people"),
        &trust.between_people,
        unit,
        None,
    );
    put(
        text("over_people"),
        "items with two labels",
        format!("the judge {better} than another person by"),
        &trust.over_people,
        differences,
        None,
    );
    put(text("kappa"), all_items, text("agreement beyond chance (kappa)"), &trust.kappa, Unit::Number, None);
    for class in &trust.by_class {
        let name = &class.name;
        put(
            format!("recall.{name}"),
            all_items,
            format!("where a person says {name:?}, the judge does so in"),
            &class.recall,
            unit,
            None,
        );
        put(
            format!("precision.{name}"),
            all_items,
            format!("where the judge says {name:?}, a person does so in"),
            &class.precision,
            unit,
            None,
        );
    }
    for (answer, found) in &trust.bias {
        put(
            format!("bias.{answer}"),
            all_items,
            format!("the judge gives {answer:?} too often by"),
            found,
            differences,
            None,
        );
    }
    if let Some(confidence) = &trust.confidence {
        if let Some(excess) = &confidence.excess {
            put(
                text("confidence.excess"),
                all_items,
                text("stated confidence is too high by"),
                excess,
                differences,
                None,
            );
        }
        put(
            text("confidence.informs"),
            all_items,
            format!("above the median confidence the judge {better} by"),
            &confidence.informs,
            differences,
            None,
        );
    }
    put(
        text("consistency"),
        "items that it answered several times",
        format!("{close} of the judge and itself"),
        &answer.consistency,
        unit,
        None,
    );
    if let Some(position) = &answer.position {
        let over = "items judged in both orders";
        put(
            text("position.flips"),
            over,
            text("the verdict changes with the order of the answers in"),
            &position.flips,
            unit,
            None,
        );
        let what = text("the answer shown first wins more often than the second by");
        put(text("position.to_first"), over, what, &position.to_first, differences, None);
    }
    for group in &trust.groups {
        let over = format!("group {}", group.name);
        put(
            format!("group.{}.{close}", group.name),
            &over,
            format!("{}: {close} of judge and person", group.name),
            &group.agreement,
            unit,
            None,
        );
        put(
            format!("group.{}.over_others", group.name),
            &over,
            format!("{}: the judge {better} than elsewhere by", group.name),
            &group.over_others,
            differences,
            None,
        );
    }
    for covariate in &trust.covariates {
        let what = format!("above the median of {} the judge's bias is higher by", covariate.name);
        put(format!("covariate.{}", covariate.name), all_items, what, &covariate.difference, differences, None);
    }
    for wins in &answer.ranking.systems {
        let (name, over) = (&wins.name, format!("items of {}", wins.name));
        let what = format!("{name} wins, corrected for the judge's errors");
        put(format!("wins.{name}"), &over, what, &wins.corrected, unit, None);
    }
    for difference in &answer.ranking.differences {
        let [one, other] = difference.of.map(|k| &answer.ranking.systems[k].name);
        let what = format!("{one} wins more often than {other} by");
        put(format!("wins.{one}.over.{other}"), all_items, what, &difference.corrected, differences, None);
    }
    for (k, rate) in answer.rates.iter().enumerate() {
        let what = if answer.classes { format!("rate of {:?}", rate.of) } else { "mean".to_owned() };
        let was = before.filter(|_| k == 0).map(|b| &b.rate);
        put(
            format!("rate.{}", rate.of),
            all_items,
            format!("{what}, corrected for the judge's errors"),
            &rate.corrected,
            unit,
            was,
        );
        put(
            format!("rate.{}.by_labels", rate.of),
            all_items,
            format!("{what} by the labels alone"),
            &rate.by_labels,
            unit,
            None,
        );
        let exact = ItemEstimate {
            value: rate.by_judge,
            standard_error: 0.0,
            lo: rate.by_judge,
            hi: rate.by_judge,
            items: answer.items,
        };
        put(
            format!("rate.{}.by_judge", rate.of),
            all_items,
            format!("{what} by the judge alone"),
            &Estimable::Estimated(exact),
            unit,
            None,
        );
        for (kind, groups) in [("group", &rate.groups), ("system", &rate.systems)] {
            for group in groups {
                let over = format!("{kind} {}", group.name);
                put(
                    format!("rate.{}.{kind}.{}", rate.of, group.name),
                    &over,
                    format!("{}: {what}", group.name),
                    &group.corrected,
                    unit,
                    None,
                );
            }
        }
        if let Some(difference) = &rate.difference {
            let [one, other] = [&rate.systems[0].name, &rate.systems[1].name];
            put(
                format!("rate.{}.difference", rate.of),
                all_items,
                format!("{what}: {one} less {other}"),
                difference,
                differences,
                None,
            );
        }
    }
    all
}
