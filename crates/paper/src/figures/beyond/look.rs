//! How contenders and beliefs look in every figure, and the rows of a forest.

use crate::experiments::extended::stage::BeliefName;
use crate::rules::Contender;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_core::stats::inference::Inference;
use judge_uncertainty_figures::description::{Point, Series, Shape};
use judge_uncertainty_page::look::{self, Look};

pub(super) fn look_of(contender: Contender) -> Look {
    match contender {
        Contender::Rule(rule) => look::of_rule(rule),
        Contender::Oracle => look::ORACLE,
    }
}

/// What a belief is called, and how it looks.
pub(super) fn named(belief: BeliefName) -> (&'static str, Look) {
    match belief {
        BeliefName::Published => ("published belief", look::PUBLISHED),
        BeliefName::Recalibrated => ("recalibrated belief", look::RECALIBRATED),
        BeliefName::Planned => ("recalibrated, as planned", look::PLANNED),
        BeliefName::Chosen => ("chosen by the labels", look::CHOSEN),
    }
}

/// A row of a forest: the plain interval thick, the simultaneous one thin, the mean as a marker.
pub(super) fn forest_rows(
    label: &str,
    look: Look,
    rows: &[(f64, &Inference)],
    shift: f64,
    listed: bool,
) -> [Series; 2] {
    let point = |&(at, x): &(f64, &Inference), lo: f64, hi: f64| Point {
        at,
        value: x.redraws.mean,
        interval: Some(Interval { lo, hi }),
    };
    let plain = rows.iter().map(|row| point(row, row.1.lo, row.1.hi)).collect();
    let simultaneous = rows.iter().map(|row| point(row, row.1.simultaneous_lo, row.1.simultaneous_hi)).collect();
    let marked = Series::new(label, look, Shape::Rows { points: simultaneous, shift });
    [
        Series::unlisted(format!("{label}, plain interval"), look, Shape::Spans { points: plain, shift }),
        Series { in_legend: listed, ..marked },
    ]
}

/// How the two intervals of a forest are to be read, the same words for every one.
pub(super) const FOR_NEW_ITEMS: &str = "Intervals are for new items: items are sampled anew and their labels drawn \
                                        anew. The thick part is the plain 95% interval, the thin line the one that \
                                        holds for all comparisons of a panel's set of items at once";
