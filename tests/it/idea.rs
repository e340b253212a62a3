//! The two figures of the documents that carry the idea, drawn from the closed forms and from the evidence.
//! `INSTA_UPDATE=always` writes them anew.

use std::fs;

use judge_uncertainty::belief::{Belief, Dirichlet};
use judge_uncertainty_figures::{Axis, Colour, Dash, Figure, Look, Marker, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;

use crate::support::repository;

fn committed(figure: &Figure) {
    let file = repository(&format!("docs/images/{}.svg", figure.name));
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&file, figure.svg()).unwrap();
    }
    assert!(fs::read_to_string(&file).unwrap() == figure.svg(), "{} is not what is drawn", file.display());
}

/// An item of two classes whose expected shares are equal: one that experts disagree on, one that the judge knows
/// little of.
#[test]
fn one_label_where_there_is_little_and_where_there_is_much_to_learn() {
    let before = Look::new(Colour::GREY, Dash::Dashed, Marker::None);
    let after = Look::new(Colour::BLUE, Dash::Solid, Marker::None);
    let mut told = Vec::new();
    let panels = [("experts disagree", 30.0), ("the judge is ignorant", 1.5)].map(|(title, evidence)| {
        let alpha = [evidence, evidence];
        let belief = Dirichlet::new(&alpha);
        told.push(format!(
            "{title}: {:.0}% of the uncertainty of a label is epistemic, and a label \"yes\" moves the expected share \
             from 0.50 to {:.2}",
            100.0 * belief.epistemic() / belief.total(),
            (evidence + 1.0) / (2.0 * evidence + 1.0)
        ));
        // Beta densities, scaled so that their mean over the axis is 1.
        let density = |yes: f64| {
            let raw = |p: f64| p.powf(yes - 1.0) * (1.0 - p).powf(evidence - 1.0);
            let places: Vec<f64> = (0..=200).map(|k| f64::from(k) / 200.0).collect();
            let mean = places.iter().map(|&p| raw(p)).sum::<f64>() / 200.0;
            Shape::Curve(places.into_iter().map(|p| Point::bare(p, raw(p) / mean)).collect())
        };
        Panel {
            title: Some(title.to_owned()),
            x: Axis::numbers("share of experts who say \"yes\"", &[0.0, 1.0]),
            y: Axis::numbers("belief (density)", &[0.0]),
            series: vec![
                Series::new("before", before, density(evidence)),
                Series::new("after one label \"yes\"", after, density(evidence + 1.0)),
            ],
        }
    });
    committed(&Figure {
        name: "one-label".to_owned(),
        title: "What one label teaches".to_owned(),
        alt: format!("Two panels of densities. {}.", told.join("; ")),
        note: "Both items have the same expected shares, so the same total uncertainty.".to_owned(),
        width: Width::Full,
        height: 170.0,
        panels: panels.to_vec(),
    });
}

/// Error against labels given, on real items that have many labels, as `evidence/auto-against-published.csv` has it.
#[test]
fn the_loop_saves_labels() {
    let mut rows = csv::Reader::from_path(repository("evidence/auto-against-published.csv")).unwrap();
    let header = rows.headers().unwrap().clone();
    let [cell, measured, published, auto] =
        ["cell", "measured", "published", "auto"].map(|name| header.iter().position(|other| other == name).unwrap());
    let mut curves = [vec![], vec![]];
    for row in rows.records().map(Result::unwrap).filter(|row| &row[measured] == "manhattan") {
        let Some(round) = row[cell].strip_prefix("loop chaosnli_0 round ") else { continue };
        // 5% of 1,000 items in each round.
        let labels = 50.0 * round.parse::<f64>().unwrap();
        for (curve, error) in curves.iter_mut().zip([published, auto]) {
            curve.push(Point::bare(labels, row[error].parse().unwrap()));
        }
    }
    let ends: Vec<String> = ["the judge's probabilities as they are", "read through a fitted map"]
        .iter()
        .zip(&curves)
        .map(|(name, curve)| format!("{name}: {:.2} at the end", curve.last().unwrap().value))
        .collect();
    let [published, auto] = curves;
    committed(&Figure {
        name: "loop".to_owned(),
        title: "What the loop saves".to_owned(),
        alt: format!(
            "Curves of the error by labels given, on 1,000 pairs of sentences of ChaosNLI. {}.",
            ends.join("; ")
        ),
        note: "Means over three seeds; items at random, with one label each.".to_owned(),
        width: Width::Full,
        height: 170.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("labels given", &[0.0]),
            y: Axis::numbers("mean error (Manhattan distance)", &[]),
            series: vec![
                Series::new("published belief", look::TRUTH, Shape::Curve(published)),
                Series::new("auto: a fitted map", look::EPISTEMIC, Shape::Curve(auto)),
            ],
        }],
    });
}
