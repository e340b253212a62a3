//! What a study has read.

use super::lines::{Line, wrap};
use super::prose::{lines, table};
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Text};
use judge_uncertainty_study::{InputReport, Scale};
use tera::{Context, context};

/// Width of the first column on a terminal.
const NAMES: usize = 12;

/// Classes that a row names at most.
const MOST_CLASSES: usize = 20;

/// What was read: rows of a name and what was found.
fn rows(input: &InputReport) -> Result<Vec<(String, String)>, Error> {
    let (labels, names) = (&input.labels, input.scale.classes());
    let ends = match input.scale {
        Scale::Scores(low, high) => Some((low, high)),
        _ => None,
    };
    let view = context! {
        input => input,
        judge => &input.judge,
        criterion => &input.criterion.as_ref().map(|criterion| criterion.text()),
        ends => &ends,
        classes => &names,
        places => &input.scale.places(),
        number => &labels.number(),
        per_class => &names.iter().zip(&labels.per_class).take(MOST_CLASSES).collect::<Vec<_>>(),
        skip_reasons => &labels.skip_reasons.iter().collect::<Vec<_>>(),
        no_evaluation => input.no_evaluation.as_deref().unwrap_or("too few items have labels enough"),
    };
    let row = |line: &Line| line.text().split_once(": ").map(|(name, text)| (name.to_owned(), text.to_owned()));
    Ok(lines("input.txt", &view)?.iter().filter_map(row).collect())
}

/// What was read and what to think of before using it, in the lines of a terminal of `width` columns; of rows about the
/// same only the first names it.
///
/// # Errors
/// A template that does not fit.
pub fn input_lines(input: &InputReport, width: usize) -> Result<Vec<String>, Error> {
    let mut lines = wrap(&input.title, width, "", "");
    lines.push(String::new());
    let mut before = String::new();
    for (name, text) in rows(input)? {
        let shown = if name == before { "" } else { name.as_str() };
        lines.extend(wrap(&text, width, &format!("{shown:<NAMES$}"), &" ".repeat(NAMES)));
        before = name;
    }
    lines.extend(input.warnings.iter().flat_map(|warning| wrap(warning, width, "warning: ", "  ")));
    Ok(lines)
}

/// Columns that a page lists; `audit.json` has all.
const MOST_COLUMNS: usize = 100;

/// What was read and what to think of before using it, as the blocks of a page.
pub(super) fn input_blocks(input: &InputReport) -> Result<Vec<Block>, Error> {
    let rows = rows(input)?.into_iter().map(|(name, text)| [name, text]);
    let mut blocks = vec![Block::Table(table("input", Context::new())?.with_rows(rows))];
    if !input.columns.is_empty() {
        let view = context! { columns => &input.columns, most => &MOST_COLUMNS };
        blocks.push(Block::Table(table("columns", view)?));
    }
    if !input.notices.is_empty() {
        blocks.push(Block::Heading("How the table was read".to_owned()));
        blocks.push(Block::List(input.notices.iter().map(|notice| Text::plain(notice.as_str())).collect()));
    }
    if !input.warnings.is_empty() {
        blocks.push(Block::Heading("To look at before the results are used".to_owned()));
        blocks.push(Block::List(input.warnings.iter().map(|warning| Text::plain(warning.as_str())).collect()));
    }
    Ok(blocks)
}
