//! What is known of the annotators.

use std::collections::BTreeMap;
use std::path::Path;

use super::config::StudyFile;
use super::read::Read;
use super::source::{Source, read_table};
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::lewidi;
use judge_uncertainty_formats::logs::LogRows;
use judge_uncertainty_formats::table::{DataTable, Row};

/// The file about the annotators: a row for each of them.
#[derive(Debug, Clone)]
pub struct Annotators {
    /// The columns besides the name.
    pub traits: Vec<String>,
    /// What each annotator has in those columns, by trimmed name.
    rows: BTreeMap<String, Vec<String>>,
}

impl Annotators {
    /// Reads `labels.about_annotators`, if the study names one.
    ///
    /// # Errors
    /// A file that can't be read, or that names an annotator twice.
    pub fn read<C: Read>(file: &StudyFile<C>, source: &mut Source) -> Result<Option<Self>> {
        let named = C::tables(&file.config).1.and_then(|labels| labels.about_annotators);
        let Some(path) = named else { return Ok(None) };
        let table = read_annotators(&file.resolve(path), source)?;
        // One row for each.
        table.ids()?;
        let own = ["id", "annotator"];
        let traits: Vec<String> = table.header().iter().filter(|name| !own.contains(&name.as_str())).cloned().collect();
        let columns = traits.iter().map(|name| table.column(name)).collect::<Result<Vec<_>>>()?;
        let cells = |row: Row<'_>| {
            (row.id().trim().to_owned(), columns.iter().map(|&column| row.cell(column).to_owned()).collect())
        };
        Ok(Some(Self { rows: table.rows().map(cells).collect(), traits }))
    }

    /// What the file says of an annotator, in the order of [`Self::traits`]; `None` for one whom it does not have.
    pub fn stated(&self, name: &str) -> Option<&[String]> {
        self.rows.get(name.trim()).map(Vec::as_slice)
    }
}

/// A table with a column `annotator`, or LeWiDi's object with a member for each.
fn read_annotators(file: &Path, source: &mut Source) -> Result<DataTable> {
    if file.extension().is_some_and(|extension| extension == "json") {
        return lewidi::read_items(file, &source.read(file)?, &[]);
    }
    read_table(&[file.to_owned()], None, Some("annotator"), LogRows::Items, source)
}
