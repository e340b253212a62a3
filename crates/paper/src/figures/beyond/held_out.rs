//! The registered comparisons, as forests.

use super::look::{FOR_NEW_ITEMS, forest_rows, look_of, named};
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::confirmation::{Confirmation, RegisteredComparison, RegisteredQuantity};
use crate::experiments::extended::stage::BeliefName;
use crate::report::extended::sets;
use crate::report::registered::AsRegistered;
use crate::rules::{Contender, contender_in_figures};
use judge_uncertainty_core::stats::inference::Inference;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::say;
use judge_uncertainty_page::look::{self, Look};

/// How far the rows of several beliefs stand from the middle of their place.
const APART: f64 = 0.18;

/// Where a registered quantity stands: the name of its row, and its series.
type ForestPlace = (String, String, Look);

/// What decides the marks, the same words for both figures.
const MARKS: &str = "Rings and crosses show the verdicts as registered. The lines are intervals of later, and what \
                     they decide beyond that is exploratory; the table has both.";

/// Change of the error by each recalibrated belief.
pub(super) fn errors(extended: &ExtendedResults) -> Figure {
    let place = |quantity: RegisteredQuantity| -> Option<ForestPlace> {
        let (row, belief) = match quantity {
            RegisteredQuantity::Error { belief } => ("all items", belief),
            RegisteredQuantity::ErrorUnlabelled { belief } => ("items without labels", belief),
            RegisteredQuantity::Advantage { .. } => return None,
        };
        let (name, look) = named(belief);
        Some((row.to_owned(), name.to_owned(), look))
    };
    Figure {
        name: "held-out-error".to_owned(),
        title: "Registered: the error before any label is bought, against the published belief".to_owned(),
        alt: alt(extended, &place, 3),
        note: format!(
            "Mean Manhattan error (0 to 2) of a recalibrated belief minus that of the published one; expected left of \
             the dashed line. {MARKS} The transfers fit on one source and are judged on the other. {FOR_NEW_ITEMS}."
        ),
        width: Width::Full,
        height: 118.0,
        panels: panels(extended, &place, "change of the error"),
    }
}

/// What each belief's registered rule removes beyond the rules to beat.
pub(super) fn rules(extended: &ExtendedResults) -> Figure {
    let place = |quantity: RegisteredQuantity| -> Option<ForestPlace> {
        let RegisteredQuantity::Advantage { belief, rule, over, budget } = quantity else { return None };
        let over = match over {
            Contender::Rule(judge_uncertainty_core::escalation::Rule::FewestLabelsByInfo) => "fewest, ties by I",
            other => contender_in_figures(other),
        };
        let which = if belief == BeliefName::Planned { "planned" } else { "developed" };
        let label = format!("{} ({which})", contender_in_figures(rule));
        Some((format!("{over}, {}%", budget.in_percent()), label, look_of(rule)))
    };
    Figure {
        name: "held-out-rules".to_owned(),
        title: "Registered: what a rule removes beyond fewest labels first".to_owned(),
        alt: alt(extended, &place, 1),
        note: format!(
            "Error removed by the rule minus error removed by the rule that names the row, under the same belief, at \
             budgets in percent of the items; Manhattan units, expected right of the dashed line. Developed: under the \
             belief that the development half chose; planned: under that of the planning calculation. {MARKS} \
             {FOR_NEW_ITEMS}."
        ),
        width: Width::Full,
        height: 165.0,
        panels: panels(extended, &place, "further error removed"),
    }
}

fn panels(
    extended: &ExtendedResults,
    place: &dyn Fn(RegisteredQuantity) -> Option<ForestPlace>,
    x: &str,
) -> Vec<Panel> {
    let placed: Vec<(usize, ForestPlace)> = extended
        .confirmation
        .verdicts
        .iter()
        .enumerate()
        .filter_map(|(k, verdict)| Some((k, place(verdict.quantity)?)))
        .collect();
    let (mut rows, mut lines): (Vec<&str>, Vec<(&str, Look)>) = (vec![], vec![]);
    for (_, (row, label, look)) in &placed {
        if !rows.contains(&row.as_str()) {
            rows.push(row);
        }
        if !lines.contains(&(label.as_str(), *look)) {
            lines.push((label, *look));
        }
    }
    let panel = |(title, set): (&str, &Confirmation)| {
        let mut series = vec![Series::unlisted("no difference", look::NOTHING, Shape::Upright(0.0))];
        let (mut confirmed, mut refuted) = (vec![], vec![]);
        for (n, &(label, look)) in lines.iter().enumerate() {
            let shift = APART * (2.0 * n as f64 - (lines.len() - 1) as f64);
            let own: Vec<(f64, &RegisteredComparison)> = placed
                .iter()
                .filter(|(_, (_, l, _))| l == label)
                .map(|(k, (row, ..))| (rows.iter().position(|r| r == row).unwrap_or(0) as f64, &set.verdicts[*k]))
                .collect();
            let found: Vec<(f64, &Inference)> = own.iter().map(|(at, verdict)| (*at, &verdict.found)).collect();
            series.extend(forest_rows(label, look, &found, shift, true));
            for (at, verdict) in own {
                let mark = Point::bare(at + shift, verdict.found.redraws.mean);
                match AsRegistered::find(title, verdict.quantity).as_ref().map(|first| first.verdict.as_str()) {
                    Some("confirmed") => confirmed.push(mark),
                    Some("refuted") => refuted.push(mark),
                    _ => {}
                }
            }
        }
        for (label, look, points) in [
            ("confirmed as registered", look::AROUND_CONFIRMED, confirmed),
            ("refuted as registered", look::ACROSS_REFUTED, refuted),
        ] {
            if !points.is_empty() {
                series.push(Series::new(label, look, Shape::Rows { points, shift: 0.0 }));
            }
        }
        Panel { title: Some(title.to_owned()), x: Axis::numbers(x, &[]), y: Axis::names("", rows.clone()), series }
    };
    sets(extended).into_iter().map(panel).collect()
}

fn alt(extended: &ExtendedResults, place: &dyn Fn(RegisteredQuantity) -> Option<ForestPlace>, decimals: i8) -> String {
    let sentences = sets(extended).into_iter().map(|(title, set)| {
        let rows = set.verdicts.iter().filter_map(|v| {
            let (row, label, _) = place(v.quantity)?;
            let [mean, lo, hi] =
                [v.found.redraws.mean, v.found.simultaneous_lo, v.found.simultaneous_hi].map(|x| say(x, decimals));
            let first = AsRegistered::find(title, v.quantity)
                .map_or_else(|| "not registered".to_owned(), |first| first.words());
            Some(format!("{label}, {row}: {first}; the interval of later is {mean} [{lo}, {hi}]"))
        });
        format!("{title}: {}.", rows.collect::<Vec<_>>().join("; "))
    });
    format!("Forest plot with simultaneous intervals. {}", sentences.collect::<Vec<_>>().join(" "))
}
