//! What the returned labels changed, in lines and as a section of the page.

use super::blocks::section;
use super::lines::Line;
use super::prose::{lines, paragraph, table};
use judge_uncertainty_page::figures::show;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Section};
use judge_uncertainty_study::results::movement::{MeanForesight, Movement};
use tera::{Context, context};

/// What the returned labels changed.
///
/// # Errors
/// A template that does not fit.
pub fn describe_movement(movement: &Movement) -> Result<Vec<Line>, Error> {
    lines("movement.txt", &context! { of => movement })
}

/// The section on returned labels; `unit` is that of the decomposition.
pub(super) fn movement_section(movement: &Movement, unit: &str) -> Result<Section, Error> {
    let groups = [Some(("with new labels", &movement.touched)), movement.untouched.as_ref().map(|s| ("all others", s))];
    let rows = groups.into_iter().flatten().flat_map(|(name, shift)| {
        [("epistemic", &shift.epistemic), ("aleatoric", &shift.aleatoric), ("squared error", &shift.spread)].map(
            |(part, stages)| {
                let mut row = vec![name.to_owned(), shift.items.to_string(), part.to_owned()];
                row.extend([stages.before, stages.by_labels, stages.after].map(show));
                row
            },
        )
    });
    let moved = table("movement", context! { unit => unit }, rows)?;
    let of = |what: &str, c: &MeanForesight| {
        let se = c.se.map_or_else(|| "—".to_owned(), show);
        [what.to_owned(), c.items.to_string(), show(c.predicted), show(c.realised), se]
    };
    let mut rows = vec![of("squared error against the new labels", &movement.first)];
    rows.extend(movement.removed.as_ref().map(|removed| of("squared error removed by them", removed)));
    let promised = table("realised", Context::new(), rows)?;
    let came = paragraph("came", context! { of => movement })?;
    let mut blocks = vec![Block::Prose(came), Block::Table(moved), Block::Table(promised)];
    if movement.removed.is_none() {
        blocks.push(Block::Prose(paragraph("none-removed", Context::new())?));
    }
    Ok(section("movement", "What the new labels moved", blocks))
}
