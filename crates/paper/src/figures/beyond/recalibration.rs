//! The error that reading the prediction anew removes without any label.

use super::look::named;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::contest::ErrorsByLabels;
use crate::experiments::extended::stage::BeliefName;
use crate::report::extended::sets;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Series, Shape, Width};
use judge_uncertainty_page::figures::{OVER_REPLICATES, over_replicates, say};

const BELIEFS: [BeliefName; 3] = [BeliefName::Published, BeliefName::Recalibrated, BeliefName::Planned];
/// How far the beliefs' rows stand apart, in places.
const APART: f64 = 0.22;

pub(super) fn figure(extended: &ExtendedResults) -> Figure {
    let all = &extended.exploration;
    let of_all = |belief: BeliefName| &all.beliefs[&belief].error;
    let mut parts: Vec<(&str, [&ErrorsByLabels<Summary>; 3])> = vec![("all items", BELIEFS.map(of_all))];
    parts.extend(sets(extended).into_iter().map(|(title, set)| (title, BELIEFS.map(|belief| &set.errors[&belief]))));
    let panel = |(title, errors): &(&str, [&ErrorsByLabels<Summary>; 3])| Panel {
        title: Some((*title).to_owned()),
        x: Axis::numbers("mean error", &[]),
        y: Axis::names("", ["all", "with labels", "without"]),
        series: BELIEFS
            .iter()
            .zip(errors)
            .enumerate()
            .map(|(k, (&belief, e))| {
                let rows = [&e.all, &e.labelled, &e.unlabelled].into_iter().enumerate();
                let points = rows.map(|(row, summary)| over_replicates(row as f64, summary)).collect();
                let shift = APART * (k as f64 - 1.0);
                let (name, look) = named(belief);
                Series::new(name, look, Shape::Rows { points, shift })
            })
            .collect(),
    };
    let sentences = parts.iter().map(|(title, [published, ours, _])| {
        let pair = |of: fn(&ErrorsByLabels<Summary>) -> &Summary| {
            format!("{} to {}", say(of(published).mean, 3), say(of(ours).mean, 3))
        };
        format!(
            "{title}: {} over all, {} with labels, {} without.",
            pair(|e| &e.all),
            pair(|e| &e.labelled),
            pair(|e| &e.unlabelled)
        )
    });
    Figure {
        name: "recalibration".to_owned(),
        title: "Error before any label is bought, as the judge's prediction is read".to_owned(),
        alt: format!(
            "Dot plot of mean errors under three beliefs. From the published to the recalibrated belief: {}",
            sentences.collect::<Vec<_>>().join(" ")
        ),
        note: format!(
            "Mean Manhattan error (0 to 2) of the belief over the items of the row: left is better. In the transfers \
             the recalibration comes from the other source, and the published belief, which has none, is fitted to the \
             judged items themselves. Bars {OVER_REPLICATES}. Panels have scales of their own."
        ),
        width: Width::Full,
        height: 140.0,
        panels: parts.iter().map(panel).collect(),
    }
}
