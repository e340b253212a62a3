//! The labels of a study as one table: those of its file and those that were added.

use std::collections::HashSet;

use crate::input::labels::Remarked;
use crate::input::question::Remark;
use crate::model::study::Study;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

/// The labels, one a row: `id`, `annotator`, `label`, `added` (when a batch brought it, blank for the user's own),
/// `judge` (what the judge predicts) and `skipped` and `comment` where annotators did either. Where the user's file has counts only, a row per item with a count per class, `n_CLASS`.
pub fn label_table(study: &Study) -> Vec<OutputColumn> {
    let (labels, question) = (&study.labels, study.file.config.scale.question());
    if !labels.are_listed() {
        return counted(study, question.classes());
    }
    let listed = labels.rows.iter().map(|label| LabelRow {
        item: label.item,
        annotator: &labels.annotators[label.annotator],
        label: question.text(label.value),
        batch: label.batch,
    });
    let mut answers: Vec<LabelRow<'_>> = listed.collect();
    let mut there: HashSet<_> = answers.iter().map(|answer| (answer.item, answer.annotator)).collect();
    // Without a label of its annotator, a remark has a row of its own.
    for Remarked { item, annotator, batch, .. } in &labels.remarks {
        if there.insert((*item, annotator)) {
            answers.push(LabelRow { item: *item, annotator, label: String::new(), batch: Some(*batch) });
        }
    }
    let column = |name: &str, meaning: &str, cell: &dyn Fn(&LabelRow<'_>) -> String| {
        OutputColumn::texts(name, meaning, answers.iter().map(cell))
    };
    let added =
        |answer: &LabelRow<'_>| answer.batch.map_or_else(String::new, |batch| labels.batches[batch].added.clone());
    let mut columns = vec![
        column("id", "the item", &|answer| study.items.ids[answer.item].to_owned()),
        column("annotator", "who gave the label", &|answer| answer.annotator.to_owned()),
        column("label", "what it says", &|answer| answer.label.clone()),
        column("added", "when it was added to the study; blank for labels of the study's own file", &added),
        column("judge", "what the judge predicts of the item", &|answer| study.prediction(answer.item)),
    ];
    for (remark, name, meaning) in [
        (Remark::Skip, "skipped", "why the annotator skipped the item"),
        (Remark::Comment, "comment", "what the annotator wrote about the item"),
    ] {
        let all = || labels.remarks.iter().filter(move |one| one.remark == remark);
        let own = |answer: &LabelRow<'_>| {
            let own = all().filter(|one| (one.item, one.annotator.as_str()) == (answer.item, answer.annotator));
            own.map(|one| one.words.as_str()).collect::<Vec<_>>().join("; ")
        };
        columns.extend(all().next().is_some().then(|| column(name, meaning, &own)));
    }
    columns
}

/// A row: what an annotator said of an item.
struct LabelRow<'s> {
    item: usize,
    annotator: &'s str,
    label: String,
    batch: Option<usize>,
}

fn counted(study: &Study, classes: &[String]) -> Vec<OutputColumn> {
    let count = |(class, name): (usize, &String)| {
        let values = ColumnValues::Count(study.labels.counts.column(class).to_vec());
        OutputColumn::new(format!("n_{name}"), "labels", "how many labels say so", values)
    };
    let own = OutputColumn::new("id", "", "the item", ColumnValues::Text(study.items.ids.texts()));
    std::iter::once(own).chain(classes.iter().enumerate().map(count)).collect()
}
