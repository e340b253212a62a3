//! The labels of a study as one table: those of its file and those that were added, with what is known of their
//! annotators.

use crate::input::labels::Label;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_formats::output::{OutputColumn, Values};

/// The labels, one a row: `id`, `annotator`, `label`, `added` (when a batch brought it, blank for the user's own),
/// `judge` (what the judge predicts), and the columns of `labels.about_annotators`. Where the user's file has counts
/// only, a row per item with a count per class, `n_CLASS`.
pub fn label_table<K: Kind>(study: &Study<K>) -> Vec<OutputColumn> {
    let (labels, question) = (&study.labels, K::question(&study.file.config.scale));
    if !labels.are_listed() {
        return counted(study, question.classes());
    }
    let id = |label: &Label| study.items.ids[label.item].to_owned();
    let added = |label: &Label| label.batch.map_or_else(String::new, |batch| labels.batches[batch].added.clone());
    let column = |name: &str, meaning: &str, cell: &dyn Fn(&Label) -> String| {
        OutputColumn::new(name, "", meaning, Values::Text(labels.rows.iter().map(cell).collect()))
    };
    let mut columns = vec![
        column("id", "the item", &id),
        column("annotator", "who gave the label", &|label| labels.annotators[label.annotator].clone()),
        column("label", "what it says", &|label| question.text(label.value)),
        column("added", "when it was added to the study; blank for labels of the study's own file", &added),
        column("judge", "what the judge predicts of the item", &|label| K::prediction(study, label.item)),
    ];
    columns.extend(about_annotators(study));
    columns
}

fn counted<K: Kind>(study: &Study<K>, classes: &[String]) -> Vec<OutputColumn> {
    let ids = study.items.ids.iter().map(str::to_owned).collect();
    let count = |(class, name): (usize, &String)| {
        let values = Values::Count(study.labels.counts.column(class).to_vec());
        OutputColumn::new(format!("n_{name}"), "labels", "how many labels say so", values)
    };
    let own = OutputColumn::new("id", "", "the item", Values::Text(ids));
    std::iter::once(own).chain(classes.iter().enumerate().map(count)).collect()
}

/// The columns of the file about the annotators, for each label; blank for annotators that it does not have.
fn about_annotators<K: Kind>(study: &Study<K>) -> Vec<OutputColumn> {
    let labels = &study.labels;
    let Some(about) = &study.annotators else { return vec![] };
    let column = |(k, name): (usize, &String)| {
        let cell = |label: &Label| {
            about.stated(&labels.annotators[label.annotator]).map_or_else(String::new, |cells| cells[k].clone())
        };
        let values = Values::Text(labels.rows.iter().map(cell).collect());
        OutputColumn::new(format!("annotator_{name}"), "", "as the file about the annotators says", values)
    };
    about.traits.iter().enumerate().map(column).collect()
}
