//! The labels of a study as one table: those of its file and those that were added, with what is known of their annotators.

use std::collections::HashMap;
use std::path::Path;

use super::input::config::TableConfig;
use super::input::source::{Source, read_table};
use super::kind::{Kind, Study};
use super::output::{OutputColumn, Values};
use super::queue::record::Question;
use super::read::{LabelSet, Listed};
use judge_uncertainty_data::dataset::error::Result;
use judge_uncertainty_data::dataset::lewidi;
use judge_uncertainty_data::dataset::table::{Row, Table};
use judge_uncertainty_data::logs::Rows;

/// The labels, one a row: `id`, `annotator`, `label`, `added` (when a batch brought it, blank for the user's own), `judge` (what the
/// judge predicts), and the columns of `labels.about_annotators`. Where the user's file has counts only, a row per item with a count
/// per class, `n_CLASS`.
///
/// # Errors
/// A file about the annotators that can't be read, or that names one twice.
pub fn label_table<K: Kind>(study: &Study<K>) -> Result<Vec<OutputColumn>> {
    let listed = study.labels.listed();
    if let Some(counts) = study.labels.counts()
        && counts.iter().map(|&count| count as usize).sum::<usize>() != listed.len()
    {
        return Ok(counted(study, counts));
    }
    let id = |label: &Listed| study.items.ids[label.item].to_owned();
    let batches = study.labels.added().batches;
    let added = |label: &Listed| label.batch.map_or_else(String::new, |batch| batches[batch].added.clone());
    let column = |name: &str, meaning: &str, of: &dyn Fn(&Listed) -> String| {
        OutputColumn::new(name, "", meaning, Values::Text(listed.iter().map(of).collect()))
    };
    let mut columns = vec![
        column("id", "the item", &id),
        column("annotator", "who gave the label", &|label| label.annotator.clone()),
        column("label", "what it says", &|label| label.value.clone()),
        column("added", "when it was added to the study; blank for labels of the study's own file", &added),
        column("judge", "what the judge predicts of the item", &|label| K::prediction(study, label.item)),
    ];
    columns.extend(about_annotators(study, &listed)?);
    Ok(columns)
}

fn counted<K: Kind>(study: &Study<K>, counts: ndarray::ArrayView2<'_, u32>) -> Vec<OutputColumn> {
    let Question::Classes(classes) = K::question(&study.file.config.scale) else { return vec![] };
    let ids = study.items.ids.iter().map(str::to_owned).collect();
    let count = |(class, name): (usize, &String)| {
        let values = Values::Count(counts.column(class).to_vec());
        OutputColumn::new(format!("n_{name}"), "labels", "how many labels say so", values)
    };
    let own = OutputColumn::new("id", "", "the item", Values::Text(ids));
    std::iter::once(own).chain(classes.iter().enumerate().map(count)).collect()
}

/// The columns of the file about the annotators, for each label; blank for annotators that it does not have.
fn about_annotators<K: Kind>(study: &Study<K>, listed: &[Listed]) -> Result<Vec<OutputColumn>> {
    let Some(file) = study.file.config.labels.as_ref().and_then(TableConfig::about_annotators) else {
        return Ok(vec![]);
    };
    let table = read_annotators(&study.file.resolve(file))?;
    // One row for each.
    table.ids()?;
    let rows: HashMap<&str, Row<'_>> = table.rows().map(|row| (row.id().trim(), row)).collect();
    let row_of = |name: &str| rows.get(name.trim());
    let own = ["id", "annotator"];
    let names = table.header().iter().filter(|name| !own.contains(&name.as_str()));
    names
        .map(|name| {
            let column = table.column(name)?;
            let cell =
                |label: &Listed| row_of(&label.annotator).map_or(String::new(), |row| row.cell(column).to_owned());
            let values = Values::Text(listed.iter().map(cell).collect());
            Ok(OutputColumn::new(format!("annotator_{name}"), "", "as the file about the annotators says", values))
        })
        .collect()
}

/// A table with a column `annotator`, or LeWiDi's object with a member for each.
fn read_annotators(file: &Path) -> Result<Table> {
    let mut source = Source::default();
    if file.extension().is_some_and(|extension| extension == "json") {
        return lewidi::read_items(file, &source.read(file)?, &[]);
    }
    read_table(&[file.to_owned()], None, Some("annotator"), Rows::Items, &mut source)
}
