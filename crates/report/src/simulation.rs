//! The loop played on items whose labels are known, in lines and as a figure.

use super::lines::Line;
use super::shown::Shown;
use judge_uncertainty_figures::look::{Colour, Dash, Look, Marker};
use judge_uncertainty_figures::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;
use judge_uncertainty_study::evaluate::simulation::summary::{Crossed, Difference, Round};
use judge_uncertainty_study::evaluate::simulation::{PlayedPolicy, Simulation};
use judge_uncertainty_system::numbers::three;

/// Rounds that a line shows beside the first and the last.
const SHOWN: [usize; 2] = [1, 4];

fn with_interval(of: &Crossed) -> String {
    format!("{:.4} [{:.4}, {:.4}]", of.value, of.interval.lo, of.interval.hi)
}

/// What was played, and where every policy stands.
pub fn describe_simulation(simulation: &Simulation) -> Vec<Line> {
    let Simulation { policies, differences, items, seeds, batch, least_labels, .. } = simulation;
    let about = simulation.things.map_or_else(String::new, |things| format!(" about {things} things"));
    let first = &policies[0].policy;
    let last = policies[0].rounds.len() - 1;
    let shown = |round: &&Round| round.round == 0 || round.round == last || SHOWN.contains(&round.round);
    let mut lines = vec![Line::Lead(format!(
        "The loop on {items} items with {least_labels} labels or more{about}, {batch} of which get a label in each of \
         {last} rounds; {seeds} seeds. Mean error against all labels of an item after so many rounds, with 95% \
         intervals over items and seeds:"
    ))];
    for PlayedPolicy { policy, rounds, .. } in policies {
        let errors: Vec<String> =
            rounds.iter().filter(shown).map(|r| format!("{}: {}", r.round, with_interval(&r.error))).collect();
        lines.push(Line::Row(format!("  {:<36} {}", policy.to_string(), errors.join("  "))));
    }
    lines.push(Line::Lead(format!(
        "Against {first} after the last round (below 0 is better), and labels saved at its error:"
    )));
    for (k, played) in policies.iter().enumerate().skip(1) {
        let of = |one: &&Difference| (one.policy, one.than, one.round) == (k, 0, last);
        let difference = differences.iter().find(of).map_or_else(String::new, |one| with_interval(&one.difference));
        let least =
            |labels: Option<f64>, otherwise: &str| labels.map_or(otherwise.to_owned(), |labels| format!("{labels:.0}"));
        let saved = match played.saved.labels {
            Some(labels) => format!(
                "{labels:.0} of {:.0} labels [{}, {}]",
                policies[0].rounds[last].labels,
                least(played.saved.least, "none sure"),
                least(played.saved.most, "-")
            ),
            None => "does not get there".to_owned(),
        };
        lines.push(Line::Row(format!("  {:<36} {difference}; {saved}", played.policy.to_string())));
    }
    lines
}

/// Looks of policies in order.
fn look_of(place: usize) -> Look {
    const LOOKS: [Look; 10] = [
        Look::new(Colour::GREY, Dash::Dotted, Marker::Cross),
        Look::new(Colour::INK, Dash::Short, Marker::Ring),
        Look::new(Colour::BLUE, Dash::Solid, Marker::Disc),
        Look::new(Colour::VERMILLION, Dash::Solid, Marker::Square),
        Look::new(Colour::GREEN, Dash::Dashed, Marker::Triangle),
        Look::new(Colour::PURPLE, Dash::DashDot, Marker::OpenDiamond),
        Look::new(Colour::ORANGE, Dash::Dashed, Marker::OpenTriangle),
        Look::new(Colour::SKY, Dash::Dotted, Marker::OpenSquare),
        Look::new(Colour::GREEN, Dash::Short, Marker::Ring),
        Look::new(Colour::INK, Dash::Solid, Marker::Disc),
    ];
    LOOKS.get(place).copied().unwrap_or(look::REST)
}

/// Error against labels given, for every policy.
pub fn simulation_figure<K: Shown>(simulation: &Simulation) -> Figure {
    let point = |r: &Round| Point { at: r.labels, value: r.error.value, interval: Some(r.error.interval) };
    let series = simulation.policies.iter().enumerate().map(|(k, played)| {
        let points = Shape::Curve(played.rounds.iter().map(point).collect());
        Series::new(played.policy.to_string().replace('_', " "), look_of(k), points)
    });
    let ends: Vec<String> = simulation
        .policies
        .iter()
        .filter_map(|played| Some(format!("{} {}", played.policy, three(played.rounds.last()?.error.value))))
        .collect();
    Figure {
        name: "loop".to_owned(),
        title: format!("The loop played on {} items", simulation.items),
        alt: format!("Curves of the mean error against the number of labels. At the end: {}.", ends.join(", ")),
        note: format!(
            "In every round {} {} one more label, everything is fitted again, and the error is the distance of \
             the belief's means to all labels of the items. Means over {} seeds; bands are 95% intervals over items \
             and seeds.",
            simulation.batch,
            if simulation.things.is_some() { "things get, on all their items," } else { "items get" },
            simulation.seeds
        ),
        width: Width::Full,
        height: 210.0 + 11.0 * simulation.policies.len().saturating_sub(4).div_ceil(2) as f64,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("labels given", &[0.0]),
            y: Axis::numbers(format!("mean error ({})", K::WORDS.units), &[]),
            series: series.collect(),
        }],
    }
}
