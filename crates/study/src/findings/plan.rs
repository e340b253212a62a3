//! How many labels a figure takes: half the width of its interval after further labels of random items without one.

use std::collections::BTreeSet;

use serde::Serialize;

use super::trust::{Sample, agreement_after, kappa_after, rate_after};
use super::words::Unit;
use crate::model::study::Study;
use judge_uncertainty_core::stats::Estimable;

/// Further labels at which plans look, as far as there are items without a label, and all of these.
const LOOKS: [usize; 7] = [25, 50, 100, 200, 400, 800, 1600];
/// The least number of further labels that are proposed, unless fewer items remain.
const MORE_LABELS: usize = 50;
/// With fewer labels than this, or labels in fewer clusters, widths that come differ from planned ones by more than a tenth on
/// average.
const ROUGH: usize = 30;
/// With fewer items than this on which judge and people differ, how far they do is hardly known, and so is what labels will show.
const FEW_ERRORS: usize = 5;

/// How narrow figures become with further labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelPlan {
    /// Items of the study.
    pub items: usize,
    /// Those that are labelled.
    pub labelled: usize,
    /// The clusters in which these are.
    #[serde(skip)]
    pub clusters: usize,
    /// Answers that a queue asked for and that are missing, which further labels are taken to be first.
    #[serde(skip)]
    pub missing: usize,
    /// Labelled items on which the judge differs from people.
    #[serde(skip)]
    pub errors: usize,
    /// Half the width that is wanted, in points of a hundred (of numbers, in units of their scale); `None` where none is.
    pub target: Option<f64>,
    /// Whether labels are assumed to be drawn at random because the study does not state how they were chosen.
    pub is_assumed: bool,
    /// The rate, of several the one with the widest interval, agreement, and kappa.
    pub figures: Vec<PlannedFigure>,
    /// Half the width of that rate's interval, now and with as many further labels as there are, 50 at least
    /// and one for each item without a label at most; `None` where none is left.
    #[serde(skip)]
    pub narrowing: Option<[Width; 2]>,
}

/// A figure and its interval after further labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedFigure {
    /// The id of the finding.
    pub id: String,
    /// What it is, in words.
    pub what: String,
    /// Half the width of its interval now.
    pub now: Option<f64>,
    /// Half its width after so many further labels.
    pub after: Vec<Width>,
    /// Further labels after which half its width is the target's; `None` without a target, and where all items do not do.
    pub needed: Option<usize>,
    /// Why nothing can be planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_estimable: Option<String>,
    #[serde(skip)]
    unit: Unit,
}

/// Half the width of an interval after further labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Width {
    /// Further labels, each of an item that has none.
    pub labels: usize,
    /// Half the width, as a share or in units of the scale.
    pub half: f64,
}

/// Half the width of an interval.
fn half(found: &Estimable) -> Option<f64> {
    found.estimate().map(|found| 0.5 * (found.hi - found.lo))
}

impl PlannedFigure {
    fn new(
        id: String,
        what: &str,
        unit: Unit,
        (open, target): (usize, Option<f64>),
        of: &dyn Fn(usize) -> Estimable,
    ) -> Self {
        let now = of(0);
        let half = |more: usize| if more == 0 { half(&now) } else { half(&of(more)) };
        let looks =
            LOOKS.into_iter().filter(|labels| *labels < open).chain([open].into_iter().filter(|open| *open > 0));
        let after = looks.filter_map(|labels| Some(Width { labels, half: half(labels)? })).collect();
        let wide = |more: usize| half(more).is_none_or(|half| half > target.unwrap_or(0.0));
        let needed = target.filter(|_| !wide(open)).map(|_| {
            // Widths fall from the first further label on, at which an assumption may end.
            let (mut low, mut high) = if wide(0) { (1, open) } else { (0, 0) };
            while low < high {
                let middle = low.midpoint(high);
                if wide(middle) { low = middle + 1 } else { high = middle }
            }
            low
        });
        Self {
            id,
            what: what.to_owned(),
            now: half(0),
            after,
            needed,
            not_estimable: now.reason().map(str::to_owned),
            unit,
        }
    }

    /// Half a width in words.
    pub fn text(&self, half: f64) -> String {
        let text = self.unit.rounded(half, 0.4 * self.now.unwrap_or(half));
        if self.unit == Unit::Share { format!("±{text} points") } else { format!("±{text}") }
    }
}

impl LabelPlan {
    /// Plans from the labels of a study.
    pub fn of_study(study: &Study, target: Option<f64>) -> Self {
        Self::new(&Sample::new(study), target)
    }

    /// Plans from the labels of a sample; `target` is in points of a hundred (of numbers, in units of their scale).
    pub fn new(sample: &Sample<'_>, target: Option<f64>) -> Self {
        let ratings = sample.ratings;
        let open = ratings.len() - sample.labelled.len();
        let classes = ratings.scale.nominal().is_some();
        let unit = Unit::of_answers(classes);
        let share = target.map(|target| if classes { target / 100.0 } else { target });
        // Every rate is known so well where the widest one is.
        let width_of = |k: usize| half(&rate_after(sample, k)(0)).unwrap_or(f64::INFINITY);
        let quantities = ratings.quantities();
        let widest = (1..quantities.len()).fold(0, |most, k| if width_of(k) > width_of(most) { k } else { most });
        let name = ratings.name(quantities[widest]);
        let rate = if classes { format!("the rate of {name:?}") } else { "the mean".to_owned() };
        let close = if classes { "agreement" } else { "distance" };
        let (rate_after, agreement_after) = (rate_after(sample, widest), agreement_after(sample));
        let (points, hundredths) = ((open, share), (open, target.map(|target| target / 100.0)));
        let figures = vec![
            PlannedFigure::new(format!("rate.{name}"), &rate, unit, points, &rate_after),
            PlannedFigure::new("agreement".to_owned(), close, unit, points, &agreement_after),
            PlannedFigure::new("kappa".to_owned(), "kappa", Unit::Number, hundredths, &kappa_after(sample)),
        ];
        let (items, labelled) = (ratings.len(), sample.labelled.len());
        let further = open.min(labelled.max(MORE_LABELS));
        let width = |labels: usize| Some(Width { labels, half: half(&rate_after(labels))? });
        let narrowing = width(0).zip(width(further)).filter(|_| further > 0).map(<[Width; 2]>::from);
        let errors = sample.labelled.iter().filter(|&&item| ratings.judge_miss(item) > 0.0).count();
        let clusters = sample.design.clusters().iter().collect::<BTreeSet<_>>().len();
        let missing = sample.design.unanswered();
        Self { items, labelled, clusters, missing, errors, target, is_assumed: sample.is_assumed, figures, narrowing }
    }

    /// How many labels the target takes, in a sentence; `None` without one.
    pub fn sentence(&self) -> Option<String> {
        let target = self.target?;
        let of = |figure: &PlannedFigure| {
            let wanted =
                figure.text(if figure.unit == Unit::Number && figure.id != "kappa" { target } else { target / 100.0 });
            let known = |needed: usize| match needed {
                0 => format!("{} is known to {wanted} already", figure.what),
                1 => format!("{} to {wanted}: 1 more label", figure.what),
                n => format!("{} to {wanted}: {n} more labels", figure.what),
            };
            match (figure.needed, &figure.not_estimable) {
                (Some(needed), _) => known(needed),
                (None, Some(reason)) => format!("{}: not estimable ({reason})", figure.what),
                (None, None) => {
                    let about = if figure.id.starts_with("rate") { "" } else { " (it is about new ones)" };
                    format!("{} to {wanted}: not even all {} items suffice{about}", figure.what, self.items)
                }
            }
        };
        // Of numbers the target is in units of their scale, which kappa has not.
        let is_asked = |one: &&PlannedFigure| one.id != "kappa" || self.figures[0].unit == Unit::Share;
        let all: Vec<String> = self.figures.iter().filter(is_asked).map(of).collect();
        let rough = match self.labelled {
            few if few < ROUGH => format!(" (rough, from only {few} labels)"),
            // Of so few, further labels in others may show more variation than theirs do.
            _ if self.clusters < ROUGH => format!(" (rough, from labels in only {} clusters)", self.clusters),
            all if self.errors < FEW_ERRORS => {
                format!(" (rough: judge and people differ on {} of {all} labelled items)", self.errors)
            }
            _ => String::new(),
        };
        let of = match self.missing {
            0 => "random items without a label".to_owned(),
            missing => format!("labels, the {missing} that a queue waits for first"),
        };
        Some(format!("What it takes in {of}{rough}: {}.", all.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use judge_uncertainty_core::random::Stream;
    use judge_uncertainty_core::stats::estimator::{Ask, Design};

    /// Labels are asked for in rounds of 25 until half the interval is .08. Each look may stop, and the last interval holds
    /// all the same, because what stops is its width and not its value (Chow and Robbins 1965, "On the asymptotic theory of
    /// fixed-width sequential confidence intervals for the mean").
    #[test]
    fn labelling_until_an_interval_is_narrow_keeps_its_promise() {
        for (rate, seed) in [(0.5, 1), (0.15, 2), (0.03, 3)] {
            let (mut held, mut studies) = (0.0, 0.0);
            for study in 0..400 {
                let mut stream = Stream::new(1000 * seed + study);
                let items: Vec<f64> = (0..2000).map(|_| f64::from(u8::from(stream.random() < rate))).collect();
                let truth = items.iter().sum::<f64>() / 2000.0;
                let found = (1..).map(|round| 25 * round).find_map(|labels| {
                    let values: Vec<Option<f64>> = items[..labels].iter().copied().map(Some).collect();
                    let design = Design::random_of((0..labels).collect(), items.len());
                    let asked = Ask::mean(&values).within(0.0, 1.0).of_study();
                    design.estimate(&asked).estimate().copied().filter(|found| found.hi - found.lo <= 0.16)
                });
                let found = found.expect("2,000 labels do");
                held += f64::from(u8::from(found.lo <= truth && truth <= found.hi));
                studies += 1.0;
            }
            // Four standard errors of 400 studies.
            assert!(held / studies > 0.95 - 4.0 * (0.05 * 0.95_f64 / studies).sqrt(), "{rate}: {held} of {studies}");
        }
    }
}
