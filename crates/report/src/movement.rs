//! What the returned labels changed, in lines and as a section of the page.

use super::blocks::section;
use super::lines::Line;
use super::prose::{lines, paragraph, table};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Section};
use judge_uncertainty_study::results::parts::Movement;
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
    let came = paragraph("came", context! { of => movement })?;
    let mut blocks = vec![
        Block::Prose(came),
        Block::Table(table("movement", context! { of => movement, unit => unit })?),
        Block::Table(table("realised", context! { of => movement })?),
    ];
    if movement.removed.is_none() {
        blocks.push(Block::Prose(paragraph("none-removed", Context::new())?));
    }
    Ok(section("movement", "What the new labels moved", blocks))
}
