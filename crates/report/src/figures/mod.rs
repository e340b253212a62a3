//! The figures of a study, from its results; what the results do not hold is not drawn.

pub(crate) mod answer;
pub(crate) mod parts;
pub(crate) mod places;

use crate::prose::figure;
use crate::shown::Vocabulary;
use judge_uncertainty_figures::{Figure, Width};
use judge_uncertainty_page::figures::coefficients::{Effect, READING, panel, sentence};
use judge_uncertainty_page::figures::components::{self, ComponentsView};
use judge_uncertainty_page::figures::{EvaluationView, PAPERS_RULES, advantage, budget, say, show};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::results::Coefficient;
use judge_uncertainty_study::{Evaluation, EvaluationOutcome, Scale, StudyResults};
use tera::context;

/// Features that a figure has room for.
const MOST_FEATURES: usize = 30;
/// Height of a row of names, and of the space around the rows.
const ROW: f64 = 13.0;
const AROUND_ROWS: f64 = 48.0;

/// The figures of a run.
///
/// # Errors
/// A template that does not fit.
pub fn figures(results: &StudyResults) -> Result<Vec<Figure>, Error> {
    let scale = &results.input.scale;
    let words = Vocabulary::of(scale);
    let ([epistemic, epistemic_said], [judged, judged_said]) = (words.epistemic, words.judged);
    let sample = &results.items;
    let view = context! {
        partial => &sample.is_partial(),
        items => &sample.items,
        shown => &sample.components.aleatoric.len(),
    };
    let [setting, reading] = figure("components", view)?;
    let mut figures = vec![components::figure(&ComponentsView {
        items: &results.items.components,
        unit: words.unit,
        names: [epistemic, judged],
        said: [epistemic_said, judged_said],
        setting: &setting,
        reading: &reading,
        number: show,
    })];
    figures.extend(answer::confidence(&results.answer)?);
    figures.extend(answer::plan(&results.answer)?);
    if let Some(found) = &results.findings.decomposition {
        figures.push(parts::of_parts(found, words.unit, scale.is_numbers())?);
    }
    figures.extend(coefficients(&results.fit.coefficients)?);
    if let Some(places) = &results.findings.places {
        figures.extend(places::of_places(places)?);
    }
    if let EvaluationOutcome::Evaluated(evaluation) = &results.evaluation {
        let drawn = drawn(evaluation, scale);
        figures.extend([budget::figure(&drawn), advantage::figure(&drawn)]);
    }
    Ok(figures)
}

/// An evaluation as figures draw it.
fn drawn<'a>(evaluation: &'a Evaluation, scale: &Scale) -> EvaluationView<'a> {
    let words = Vocabulary::of(scale);
    EvaluationView {
        items: evaluation.items,
        full: &evaluation.full,
        differences: evaluation.differences(),
        reference: scale.reference(),
        reference_name: words.reference,
        error: words.error,
        units: words.units,
        name: words.rule_name(),
        left_out: &words.left_out,
        markers: if scale.has_order() { "" } else { PAPERS_RULES },
    }
}

/// The coefficients that the labels identify; of very many those farthest from 0 in standard errors. `None` without
/// any.
pub(crate) fn coefficients(coefficients: &[Coefficient]) -> Result<Option<Figure>, Error> {
    let identified: Vec<&Coefficient> = coefficients.iter().filter(|c| c.identified).collect();
    let clearness = |c: &Coefficient| (c.per_sd.value / c.per_sd.standard_error).abs();
    let mut shown: Vec<usize> = (0..identified.len()).collect();
    shown.sort_by(|a, b| clearness(identified[*b]).total_cmp(&clearness(identified[*a])));
    shown.truncate(MOST_FEATURES);
    shown.sort_unstable();
    if shown.is_empty() {
        return Ok(None);
    }
    let effect = |k: &usize| {
        let c = identified[*k];
        Effect { feature: c.feature.clone(), value: c.per_sd.value, interval: c.per_sd.interval() }
    };
    let effects: Vec<Effect> = shown.iter().map(effect).collect();
    let (left, unknown) = (identified.len() - shown.len(), coefficients.len() - identified.len());
    let view = context! {
        sentence => &sentence(&effects),
        reading => READING,
        left => &left,
        identified => &identified.len(),
        shown => &shown.len(),
        unknown => &unknown,
    };
    let [title, alt, note] = figure("coefficients", view)?;
    Ok(Some(Figure {
        name: "coefficients".to_owned(),
        title,
        alt,
        note,
        width: Width::Full,
        height: AROUND_ROWS + ROW * effects.len() as f64,
        panels: vec![panel(None, &effects)],
    }))
}
