//! Ratings as readers see them: whether they fit the belief, and the parts of their variance.

use crate::blocks::{figure, section};
use crate::prose::{paragraph, table};
use judge_uncertainty_evaluation::Coverage;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::figures::percent;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Section, Table};
use judge_uncertainty_study::results::parts::PartAverages;
use tera::{Context, context};

/// The parts of the variance over items, in `unit`.
pub(crate) fn parts_table(parts: &PartAverages, unit: &str) -> Result<Table, Error> {
    table("parts", context! { unit => unit, parts => &parts.parts(), of => parts })
}

/// The first interval whose share of ratings is three standard errors off, as if it were of so many `independent` ones:
/// its level, the share, and what that makes of it.
pub(crate) fn beyond_chance(coverage: &[Coverage], independent: f64) -> Option<(String, String, &'static str)> {
    let off = |c: &&Coverage| (c.inside - c.level).abs() > 3.0 * (c.level * (1.0 - c.level) / independent).sqrt();
    let found = coverage.iter().find(off)?;
    let kind = if found.inside > found.level { "too wide" } else { "too narrow" };
    Some((percent(found.level), percent(found.inside), kind))
}

/// The section on held-out ratings.
pub(crate) fn calibration(coverage: &[Coverage], figures: &[Figure]) -> Result<Section, Error> {
    if coverage.is_empty() {
        let none = paragraph("no-held-out", Context::new())?;
        return Ok(section("calibration", "Held-out ratings", vec![Block::Prose(none)]));
    }
    let mut blocks = vec![Block::Table(table("coverage", context! { coverage => coverage })?)];
    blocks.extend(figure(figures, "places"));
    Ok(section("calibration", "Held-out ratings", blocks))
}
