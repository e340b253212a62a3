//! Where held-out ratings lie in their predicted distributions: the histogram of the probability integral transform.

use super::say;
use crate::prose::figure;
use judge_uncertainty_core::stats::Interval;
use judge_uncertainty_evaluation::PitHistogram;
use judge_uncertainty_figures::{Axis, Figure, Panel, Point, Series, Shape, Width};
use judge_uncertainty_page::look;
use judge_uncertainty_page::templates::Error;
use tera::context;

/// Standard deviations to each side that hold 95% of a normal distribution.
const NORMAL_95: f64 = 1.96;

/// Shares of ratings by tenth; `None` without ratings.
pub(crate) fn of_places(places: &PitHistogram) -> Result<Option<Figure>, Error> {
    let (ratings, counts) = (places.ratings(), &places.tenths);
    if ratings == 0 {
        return Ok(None);
    }
    let bins = counts.len();
    let share = |count: u64| 100.0 * count as f64 / ratings as f64;
    let even = 1.0 / bins as f64;
    let reach = 100.0 * NORMAL_95 * (even * (1.0 - even) / ratings as f64).sqrt();
    let even = 100.0 * even;
    let band = Interval { lo: (even - reach).max(0.0), hi: even + reach };
    let points = counts.iter().enumerate().map(|(k, &count)| Point::bare(k as f64, share(count))).collect();
    let expected = [-0.5, bins as f64 - 0.5].map(|at| Point { at, value: even, interval: Some(band) }).to_vec();
    let outside = counts.iter().filter(|count| share(**count) < band.lo || share(**count) > band.hi).count();
    let ends = [counts[0], counts[bins - 1]].map(|count| say(share(count), 0));
    let view = context! {
        ratings => &ratings,
        even => &say(even, 0),
        ends => &ends,
        outside => &outside,
        bins => &bins,
        band => &[band.lo, band.hi].map(|end| say(end, 1)),
    };
    let [title, alt, note] = figure("places", view)?;
    Ok(Some(Figure {
        name: "places".to_owned(),
        title,
        alt,
        note,
        width: Width::Full,
        height: 160.0,
        panels: vec![Panel {
            title: None,
            x: Axis::names(
                "place in the predicted distribution",
                (0..bins)
                    .map(|k| format!("{} to {}", say(k as f64 / bins as f64, 1), say((k + 1) as f64 / bins as f64, 1))),
            ),
            y: Axis::numbers("held-out ratings (%)", &[0.0]),
            series: vec![
                Series::new("a right belief", look::TRUTH, Shape::Curve(expected)),
                Series::unlisted("held-out ratings", look::PLAIN, Shape::Columns { points, shift: 0.0 }),
            ],
        }],
    }))
}
