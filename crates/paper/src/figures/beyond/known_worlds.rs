//! Whether beliefs say how far they may be off, in worlds whose truth is known.

use std::collections::BTreeMap;

use crate::experiments::extended::worlds::KnownWorlds;
use crate::report::extended::WORLDS;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::say;
use judge_uncertainty_page::look::{self, Look};

/// The beliefs as the results call them, with names for a reader.
const BELIEFS: [(&str, &str, Look); 3] = [
    ("published", "published belief", look::PUBLISHED),
    ("recalibrated", "recalibrated belief", look::RECALIBRATED),
    ("true", "true belief", look::TRUE_BELIEF),
];
/// Worlds of the second figure with headings that fit.
const SHOWN: [(&str, &str); 4] = [
    ("nothing_miscalibrated", "well calibrated"),
    ("overconfident", "overconfident"),
    ("misspecified_honest", "misspecified"),
    ("dice_by_tier", "dice, by tier"),
];
/// How far the beliefs' rows stand apart, in places.
const APART: f64 = 0.22;

/// Coverage of credible intervals.
pub(super) fn coverage(worlds: &BTreeMap<String, KnownWorlds>) -> Figure {
    let shown: Vec<(&str, &KnownWorlds)> =
        WORLDS.iter().filter_map(|(key, name)| Some((*name, worlds.get(*key)?))).collect();
    let share = |world: &KnownWorlds, belief: &str, level: u32| {
        world.agreement.get(belief).and_then(|a| a.coverage.get(&level)).map(|share| 100.0 * share)
    };
    let panel = |level: u32| {
        let nominal = Series::new("as stated", look::TRUTH, Shape::Upright(f64::from(level)));
        let rows = BELIEFS.iter().enumerate().map(|(k, (key, label, look))| {
            let points = shown
                .iter()
                .enumerate()
                .filter_map(|(row, (_, world))| Some(Point::bare(row as f64, share(world, key, level)?)));
            let shift = APART * (k as f64 - 1.0);
            Series::new(*label, *look, Shape::Rows { points: points.collect(), shift })
        });
        Panel {
            title: Some(format!("{level}% intervals")),
            x: Axis::numbers("truths inside (%)", &[]),
            y: Axis::names("", shown.iter().map(|(name, _)| *name)),
            series: std::iter::once(nominal).chain(rows).collect(),
        }
    };
    let sentences = shown.iter().map(|(name, world)| {
        let cells =
            BELIEFS.iter().filter_map(|(key, label, _)| Some(format!("{label} {}%", say(share(world, key, 95)?, 1))));
        format!("{name}: {}", cells.collect::<Vec<_>>().join(", "))
    });
    Figure {
        name: "coverage".to_owned(),
        title: "Known truth: how often credible intervals of class probabilities hold it".to_owned(),
        alt: format!(
            "Dot plot of coverage in {} kinds of worlds at three levels. At 95%: {}.",
            shown.len(),
            sentences.collect::<Vec<_>>().join("; ")
        ),
        note: "Central intervals of the posterior of every class probability of every item, against the probability \
               that made the labels. On the dotted line a belief says rightly how far it may be off; left of it, it \
               claims too much. The true belief exists where the world was drawn from one."
            .to_owned(),
        width: Width::Full,
        height: 190.0,
        panels: [50, 80, 95].map(panel).into(),
    }
}

/// Probability integral transforms.
pub(super) fn transforms(worlds: &BTreeMap<String, KnownWorlds>) -> Figure {
    let shown: Vec<(&str, &KnownWorlds)> =
        SHOWN.iter().filter_map(|(key, name)| Some((*name, worlds.get(*key)?))).collect();
    let panel = |(title, world): &(&str, &KnownWorlds)| {
        let curves = BELIEFS.iter().filter_map(|(key, label, look)| {
            let pit = &world.agreement.get(*key)?.pit;
            let points = pit.iter().enumerate().map(|(k, share)| Point::bare((k + 1) as f64, 100.0 * share));
            Some(Series::new(*label, *look, Shape::Curve(points.collect())))
        });
        Panel {
            title: Some((*title).to_owned()),
            x: Axis::numbers("tenth of the belief", &[]),
            y: Axis::numbers("class probabilities (%)", &[0.0]),
            series: std::iter::once(Series::new("calibrated", look::TRUTH, Shape::Level(10.0))).chain(curves).collect(),
        }
    };
    let sentences = shown.iter().map(|(name, world)| {
        let cells = BELIEFS.iter().filter_map(|(key, label, _)| {
            let pit = &world.agreement.get(*key)?.pit;
            let outer = 100.0 * (pit.first()? + pit.last()?);
            Some(format!("{label} {}%", say(outer, 1)))
        });
        format!("{name}: {}", cells.collect::<Vec<_>>().join(", "))
    });
    Figure {
        name: "pit".to_owned(),
        title: "Known truth: where it lies within the belief".to_owned(),
        alt: format!(
            "Line charts of the distribution of the truth's place within the belief, from lowest to highest tenth; a \
             calibrated belief has 10% in each. In the two outer tenths together: {}.",
            sentences.collect::<Vec<_>>().join("; ")
        ),
        note: "The share of true class probabilities that lie in each tenth of their posterior, lowest first: the \
               probability integral transform. A level line at 10% is a calibrated belief; raised ends mean that it \
               claims too much, a raised middle that it claims too little."
            .to_owned(),
        width: Width::Full,
        height: 150.0,
        panels: shown.iter().map(panel).collect(),
    }
}
