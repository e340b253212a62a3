//! Error against labels spent, bought round after round.

use super::look::look_of;
use crate::experiments::extended::sequential::{Path, Sequential};
use crate::experiments::extended::stage::BeliefName;
use crate::rules::{Contender, PAPER, contender_in_figures};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::figures::say;

const BELIEFS: [(BeliefName, &str); 2] =
    [(BeliefName::Published, "published belief"), (BeliefName::Recalibrated, "recalibrated belief")];
/// Rules near enough to fewest labels first for a closer look: those that ask how many labels an item has.
const CLOSE: [Rule; 6] =
    [Rule::Info, Rule::Delta, Rule::Spread, Rule::FewestLabelsByInfo, Rule::Manhattan, Rule::ManhattanTen];

/// The error of the paper's rules, each of which has a colour of its own.
pub(super) fn levels(sequential: &Sequential) -> Figure {
    let panel = |(belief, title): (BeliefName, &str)| Panel {
        title: Some(title.to_owned()),
        x: Axis::numbers("labels bought per item", &[0.0]),
        y: Axis::numbers("mean error (0 to 2)", &[]),
        series: papers(sequential, belief).map(|path| curve(sequential, path, &path.error)).collect(),
    };
    let sentences = BELIEFS.map(|(belief, title)| {
        let ends = papers(sequential, belief).map(|path| {
            let last = path.error.last().map_or(f64::NAN, |s| s.mean);
            format!("{} {}", contender_in_figures(path.rule), say(last, 3))
        });
        let start = paths(sequential, belief).next().map_or(f64::NAN, |path| path.error[0].mean);
        format!("Under the {title} it falls from {} to: {}.", say(start, 3), ends.collect::<Vec<_>>().join(", "))
    });
    Figure {
        name: "labels-spent".to_owned(),
        title: "Exploratory: error against labels spent, the paper's rules".to_owned(),
        alt: format!(
            "Two line charts of the mean error over 0 to {} bought labels per item. {}",
            say(sequential.labels_per_item.last().copied().unwrap_or(0.0), 0),
            sentences.join(" ")
        ),
        note: format!(
            "Each round buys one label for each of the fifth of the items that the rule ranks first, then ranks anew; \
             the belief is fitted anew before every fifth round, which bends the curves there. Lines are means over {} \
             replicates.",
            sequential.replicates
        ),
        width: Width::Full,
        height: 270.0,
        panels: BELIEFS.map(panel).into(),
    }
}

/// The closest rules minus fewest labels first.
pub(super) fn differences(sequential: &Sequential) -> Figure {
    let panel = |(belief, title): (BeliefName, &str)| {
        let nothing = Series::new(contender_in_figures(FEWEST), look_of(FEWEST), Shape::Level(0.0));
        let close = paths(sequential, belief).filter(|path| CLOSE.map(Contender::Rule).contains(&path.rule));
        Panel {
            title: Some(title.to_owned()),
            x: Axis::numbers("labels bought per item", &[0.0]),
            y: Axis::numbers("error minus that of fewest labels first", &[0.0]),
            series: std::iter::once(nothing)
                .chain(close.map(|path| curve(sequential, path, &path.minus_fewest)))
                .collect(),
        }
    };
    let sentences = BELIEFS.map(|(belief, title)| {
        let needed = CLOSE.map(Contender::Rule).into_iter().filter_map(|rule| {
            let path = paths(sequential, belief).find(|path| path.rule == rule)?;
            let labels = path.labels_for_fewest_at_one.map_or("more than 3".to_owned(), |labels| say(labels, 2));
            Some(format!("{} {labels}", contender_in_figures(rule)))
        });
        format!("under the {title} {}", needed.collect::<Vec<_>>().join(", "))
    });
    Figure {
        name: "labels-spent-difference".to_owned(),
        title: "Exploratory: the closest rules against fewest labels first, for the same labels spent".to_owned(),
        alt: format!(
            "Two line charts of the difference in mean error to fewest labels first. Labels per item that reach what \
             fewest labels first reaches with 1 label per item: {}.",
            sentences.join("; ")
        ),
        note: format!(
            "Below 0 the rule has less error after the same number of bought labels, with the same labels at the \
             start; means over {} replicates.",
            sequential.replicates
        ),
        width: Width::Full,
        height: 200.0,
        panels: BELIEFS.map(panel).into(),
    }
}

const FEWEST: Contender = Contender::Rule(Rule::FewestLabels);

fn paths(sequential: &Sequential, belief: BeliefName) -> impl Iterator<Item = &Path> {
    sequential.paths.iter().filter(move |path| path.belief == belief)
}

/// The paths of the paper's rules.
fn papers(sequential: &Sequential, belief: BeliefName) -> impl Iterator<Item = &Path> {
    paths(sequential, belief).filter(|path| PAPER.map(Contender::Rule).contains(&path.rule))
}

fn curve(sequential: &Sequential, path: &Path, values: &[Summary]) -> Series {
    let points = sequential.labels_per_item.iter().zip(values).map(|(&labels, s)| Point::bare(labels, s.mean));
    Series::new(contender_in_figures(path.rule), look_of(path.rule), Shape::Curve(points.collect()))
}
