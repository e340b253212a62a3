//! Items and their texts, from the rows of a table.

use judge_uncertainty_formats::error::{Error, Place, Problem, Result};
use judge_uncertainty_formats::table::{ColumnIndex, DataTable, Row};
use judge_uncertainty_system::limits::{self, Allowance};

use super::template::Template;

/// Items in the order of their file: the text of item `i` is `texts[i]`, its id `ids[i]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemTexts {
    /// Unique, never empty, kept as they stand in the file.
    pub ids: Vec<String>,
    /// The template filled with each item's columns.
    pub texts: Vec<String>,
}

impl ItemTexts {
    /// The items of a table, each with a text of its own.
    ///
    /// # Errors
    /// As [`texts`]; an id that stands twice or is broken over lines; an item whose columns in the template are blank.
    pub fn new(table: &DataTable, template: &Template) -> Result<Self> {
        let columns = template.columns().map(|name| table.column(name)).collect::<Result<Vec<ColumnIndex>>>()?;
        let ids: Vec<String> = table.ids()?.iter().map(str::to_owned).collect();
        for row in table.rows() {
            if row.id().contains(['\n', '\r']) {
                return Err(row.refuse_id(Problem::unfit("the id is broken over lines", "write it on one line")));
            }
            if row.id().trim().is_empty() {
                return Err(row.refuse_id(Problem::Blank));
            }
            if columns.iter().all(|column| row.cell(*column).trim().is_empty()) {
                let reason = "the item has no text: every column of the template is blank";
                return Err(row.refuse_row(Problem::unfit(reason, "fill in one of them, or remove the row")));
            }
        }
        Ok(Self { ids, texts: texts(table, template)? })
    }
}

/// The text of each row of a table.
///
/// # Errors
/// A column of the template that the table lacks; texts that are much longer together than the table.
pub fn texts(table: &DataTable, template: &Template) -> Result<Vec<String>> {
    let columns: Vec<(&str, ColumnIndex)> =
        template.columns().map(|name| Ok((name, table.column(name)?))).collect::<Result<_>>()?;
    let cells: usize = table.rows().flat_map(|row| row.cells().map(str::len)).sum();
    let allowance = Allowance::new(limits::TEXTS.for_file(cells as u64));
    let text = |row: Row<'_>| {
        let cell = |name: &str| columns.iter().find(|(column, _)| *column == name).map(|(_, column)| row.cell(*column));
        template.render(|name| cell(name).unwrap_or_default(), &allowance)
    };
    table.rows().map(text).collect::<std::result::Result<_, _>>().map_err(|exceeded| {
        let remedy = format!("shorten the template; {}", exceeded.remedy());
        Error::unfit(Place::file(table.file()), exceeded.reason(), remedy)
    })
}
