//! The figures of a study, from its results; what the results do not hold is not drawn.

use super::shown::Shown;
use crate::report::figures::Figure;
use crate::report::figures::shared::components::{self, View};
use crate::report::figures::shared::{Evaluated as Drawn, advantage, budget};
use crate::report::figures::study::{coefficients, hypotheses, number, reading, reliability, setting};
use crate::study::{Evaluated, Evaluation, StudyResults};

/// The figures of a run.
pub fn figures<K: Shown>(results: &StudyResults<K>) -> Vec<Figure> {
    let (words, epistemic, judged) = (K::WORDS, K::epistemic(), K::judged());
    let mut figures = vec![components::figure(&View {
        items: &results.items.components,
        unit: words.unit,
        names: [epistemic.name, judged.name],
        said: [epistemic.said, judged.said],
        setting: &setting(&results.items),
        reading: &reading(&results.items),
        number,
    })];
    figures.extend(K::decomposition_figures(results));
    figures.extend(coefficients(&results.fit.coefficients));
    let held_out = results.held_out.report();
    figures.extend(
        held_out
            .and_then(|report| report.reliability.as_ref())
            .iter()
            .flat_map(|r| reliability::figures(r, K::map(&results.fit))),
    );
    figures.extend(K::belief_figures(results));
    if let Evaluated::Evaluated(evaluation) = &results.evaluation {
        let drawn = drawn(evaluation);
        figures.extend([budget::figure(&drawn), advantage::figure(&drawn)]);
        figures.extend(K::judge_figures(evaluation));
    }
    figures.extend(results.registered.iter().flat_map(hypotheses::figures));
    figures
}

/// An evaluation as figures draw it.
fn drawn<K: Shown>(evaluation: &Evaluation<K>) -> Drawn<'_> {
    let words = K::WORDS;
    Drawn {
        items: evaluation.items,
        full: &evaluation.full,
        differences: evaluation.differences(),
        reference: K::REFERENCE,
        reference_name: words.reference,
        error: words.error,
        units: words.units,
        name: K::rule_name,
        left_out: K::LEFT_OUT,
        markers: K::markers(&evaluation.full.value.keys().copied().collect::<Vec<_>>()),
    }
}
