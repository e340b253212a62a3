//! The figures of a study, from its results; what the results do not hold is not drawn.

pub(crate) mod parts;
pub(crate) mod places;
pub(crate) mod reliability;

use crate::shown::Shown;
use judge_uncertainty_figures::axis::signed;
use judge_uncertainty_figures::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::coefficients::{Effect, READING, panel, sentence};
use judge_uncertainty_page::figures::components::{self, ComponentsView};
use judge_uncertainty_page::figures::{EvaluationView, advantage, budget, calibration, say};
use judge_uncertainty_page::look;
use judge_uncertainty_study::kinds::classes::diagnostics::JudgeDiagnostics;
use judge_uncertainty_study::kinds::ordinal::diagnostics::OrdinalDiagnostics;
use judge_uncertainty_study::results::Coefficient;
use judge_uncertainty_study::results::cards::ItemSample;
use judge_uncertainty_study::{Evaluation, EvaluationOutcome, StudyResults};
use judge_uncertainty_system::numbers::three;

/// Features that a figure has room for.
const MOST_FEATURES: usize = 30;
/// Height of a row of names, and of what stands around the rows.
const ROW: f64 = 13.0;
const AROUND_ROWS: f64 = 48.0;

/// A number of unknown size in a sentence.
pub(crate) fn number(value: f64) -> String {
    signed(&three(value))
}

/// The figures of a run.
pub fn figures<K: Shown>(results: &StudyResults<K>) -> Vec<Figure> {
    let (words, [epistemic, epistemic_said], [judged, judged_said]) = (K::WORDS, K::epistemic(), K::judged());
    let mut figures = vec![components::figure(&ComponentsView {
        items: &results.items.components,
        unit: words.unit,
        names: [epistemic, judged],
        said: [epistemic_said, judged_said],
        setting: &setting(&results.items),
        reading: &reading(&results.items),
        number,
    })];
    figures.extend(K::decomposition_figures(results));
    figures.extend(coefficients(&results.fit.coefficients));
    let held_out = results.held_out.found();
    figures.extend(
        held_out
            .and_then(|report| report.reliability.as_ref())
            .iter()
            .flat_map(|r| reliability::figures(r, K::map(&results.fit.own).map(|(map, _)| map.key()))),
    );
    figures.extend(K::belief_figures(results));
    if let EvaluationOutcome::Evaluated(evaluation) = &results.evaluation {
        let drawn = drawn(evaluation);
        figures.extend([budget::figure(&drawn), advantage::figure(&drawn)]);
        figures.extend(K::judge_figures(evaluation));
    }
    figures
}

/// An evaluation as figures draw it.
fn drawn<K: Shown>(evaluation: &Evaluation<K>) -> EvaluationView<'_> {
    let words = K::WORDS;
    EvaluationView {
        items: evaluation.items,
        full: &evaluation.full,
        differences: evaluation.differences(),
        reference: K::FACTS.reference,
        reference_name: words.reference,
        error: words.error,
        units: words.units,
        name: words.rule_name,
        left_out: K::LEFT_OUT,
        markers: K::markers(&evaluation.full.value.keys().copied().collect::<Vec<_>>()),
    }
}

/// Which items are drawn, under which labels.
pub(crate) fn setting(sample: &ItemSample) -> String {
    let all = "under all labels in hand";
    if sample.is_partial() { format!("a random sample of {}, {all}", sample.items) } else { all.to_owned() }
}

/// How to read the dots.
pub(crate) fn reading(sample: &ItemSample) -> String {
    let shown = sample.components.aleatoric.len();
    let which = if sample.is_partial() {
        format!(
            "an item out of a random sample of {shown} of the {} (those that the rule random ranks first)",
            sample.items
        )
    } else {
        "an item".to_owned()
    };
    format!(
        "Each dot is {which} under its posterior belief. Labels help at the top and change nothing at the bottom, \
         wherever the dot stands across: with equal trust, an item with more labels lies lower."
    )
}

/// The coefficients that the labels identify; of very many those farthest from 0 in standard errors. `None` without
/// any.
pub(crate) fn coefficients(coefficients: &[Coefficient]) -> Option<Figure> {
    let identified: Vec<&Coefficient> = coefficients.iter().filter(|c| c.identified).collect();
    let clearness = |c: &Coefficient| (c.per_sd.value / c.per_sd.standard_error).abs();
    let mut shown: Vec<usize> = (0..identified.len()).collect();
    shown.sort_by(|a, b| clearness(identified[*b]).total_cmp(&clearness(identified[*a])));
    shown.truncate(MOST_FEATURES);
    shown.sort_unstable();
    if shown.is_empty() {
        return None;
    }
    let effect = |k: &usize| {
        let c = identified[*k];
        Effect { feature: c.feature.clone(), value: c.per_sd.value, interval: c.per_sd.interval() }
    };
    let effects: Vec<Effect> = shown.iter().map(effect).collect();
    let (left, unknown) = (identified.len() - shown.len(), coefficients.len() - identified.len());
    let mut note = format!("{READING} Bars are 95% intervals (1.96 standard errors).");
    if left > 0 {
        note.push_str(&format!(" Of {} features the {} clearest are shown.", identified.len(), shown.len()));
    }
    if unknown > 0 {
        note.push_str(&format!(" Left out because the labels do not identify them: {unknown}."));
    }
    Some(Figure {
        name: "coefficients".to_owned(),
        title: "Fitted trust: its coefficients by feature".to_owned(),
        alt: format!("Dot plot of regression coefficients with intervals. {}", sentence(&effects)),
        note,
        width: Width::Full,
        height: AROUND_ROWS + ROW * effects.len() as f64,
        panels: vec![panel(None, &effects)],
    })
}

/// A panel of what the judge says, across, against what labels say, with the line on which the two are equal.
fn against_diagonal([across, up]: [&str; 2], [from, to]: [f64; 2], points: Vec<Point>) -> Panel {
    let diagonal = vec![Point::bare(from, from), Point::bare(to, to)];
    let mut panel = calibration::panel(None, Axis::numbers(up, &[from, to]), points);
    panel.series.insert(0, Series::new("perfect calibration", look::TRUTH, Shape::Curve(diagonal)));
    panel.x = Axis::numbers(across, &[from, to]);
    panel
}

/// Stated confidence against the labels that agree; `None` without any stated confidence.
pub(crate) fn confidence(judge: &JudgeDiagnostics) -> Option<Figure> {
    let bins = &judge.calibration;
    let (first, last) = (bins.first()?, bins.last()?);
    let percent = |share: f64| 100.0 * share;
    let points = bins.iter().map(|b| calibration::point(b.confidence, percent(b.hits), b.hits_se.map(percent)));
    let axes = ["stated confidence (0 to 100)", "labels that agree (%)"];
    let panel = against_diagonal(axes, [0.0, 100.0], points.collect());
    let stated: usize = bins.iter().map(|bin| bin.items).sum();
    Some(Figure {
        name: "calibration".to_owned(),
        title: "Stated confidence against labels that agree".to_owned(),
        alt: format!(
            "Dot plot over {stated} items in groups of similar stated confidence. At a mean confidence of {} the share \
             of labels that are the judge's likeliest class is {}%, at {} it is {}%. The mean distance from the \
             diagonal is {} percentage points.",
            say(first.confidence, 0),
            say(percent(first.hits), 0),
            say(last.confidence, 0),
            say(percent(last.hits), 0),
            judge.calibration_error.map_or_else(|| "0".to_owned(), |error| say(percent(error), 1)),
        ),
        note:
            "Each marker is a group of items whose stated confidence lies in the same tenth of the scale; its height \
               is the mean share of their labels that are the judge's likeliest class, with a 95% interval of that \
               mean (1.96 standard errors over the items; none for a single item). Below the diagonal the judge claims \
               too much."
                .to_owned(),
        width: Width::Full,
        height: 170.0,
        panels: vec![panel],
    })
}

/// The judge's mean place against that of the labels, by groups of items; `None` without items.
pub(crate) fn means(judge: &OrdinalDiagnostics) -> Option<Figure> {
    let bins = &judge.calibration;
    let (first, last) = (bins.first()?, bins.last()?);
    let points = bins.iter().map(|b| calibration::point(b.judge, b.labels, b.labels_se));
    let panel = against_diagonal(["mean place, judge", "mean place, labels"], [first.from, last.to], points.collect());
    Some(Figure {
        name: "means".to_owned(),
        title: "The judge's mean place against that of the labels".to_owned(),
        alt: format!(
            "Dot plot over {} items in groups of similar predictions. Where the judge's mean place is {} on average \
             that of the labels is {}, at {} it is {}. The mean distance from the diagonal is {}.",
            judge.items,
            number(first.judge),
            number(first.labels),
            number(last.judge),
            number(last.labels),
            number(judge.calibration_error),
        ),
        note:
            "Each marker is a group of items whose mean place under the judge's prediction lies in the same tenth of \
               the scale; its height is the mean of their labels' mean places, with a 95% interval of that mean (1.96 \
               standard errors over the items; none for a single item). Below the diagonal the judge places items too \
               high."
                .to_owned(),
        width: Width::Full,
        height: 170.0,
        panels: vec![panel],
    })
}
