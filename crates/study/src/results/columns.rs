//! Everything known about every item of a decomposed study, column by column.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::input::labels::{Label, Remarked};
use crate::input::question::Remark;
use crate::kinds::{classes, scores};
use crate::model::study::Relation;
use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::belief::FeatureColumn;
use judge_uncertainty_evaluation::LabelPool;
use judge_uncertainty_formats::items::Texts;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

/// Items up to which their table is written as CSV beside Parquet: a larger one takes eight times as much room as Parquet
/// and more than spreadsheets open.
pub const MOST_IN_CSV: usize = 200_000;

/// Trust beyond these many labels is flagged: the likelihood can't tell it from certainty, or from none.
const TRUST_LIMITS: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

/// The columns of the table of items: what is known of them, and the features of the trust but for those that say which
/// category an item is of.
pub fn columns(study: &Study, decomposition: &Decomposition) -> Vec<OutputColumn> {
    columns_with(&study.relation(), decomposition, vec![])
}

/// [`columns`] with further ones before the features.
pub fn columns_with(
    relation: &Relation<'_>,
    decomposition: &Decomposition,
    further: Vec<OutputColumn>,
) -> Vec<OutputColumn> {
    let Relation { config, items, .. } = relation;
    let ids = items.ids.texts();
    let mut columns = vec![OutputColumn::new("id", "", "Id of the item, as in the input", ColumnValues::Text(ids))];
    if let Some(groups) = &items.groups {
        columns.push(OutputColumn::texts("group", "Group of the item", groups.iter()));
    }
    columns.extend(match &decomposition.pool {
        LabelPool::Ratings(pool) => scores::columns(relation.judge, decomposition, pool),
        LabelPool::Classes(_) => classes::kind::columns(relation, decomposition),
    });
    columns.extend(further);
    let is_category = |feature: &&FeatureColumn| {
        items.columns.iter().any(|own| !own.categories.is_empty() && own.feature.name() == feature.name())
    };
    for feature in decomposition.features.iter().filter(|feature| !is_category(feature)) {
        let meaning = format!("Feature {:?} of the trust regression; blank counts as the mean", feature.name());
        let values = feature.values.iter().copied();
        columns.push(OutputColumn::partial(feature_column(feature.name()), "its own", meaning, values));
    }
    if !config.scale.is_numbers() {
        let meaning = "What to know about the item, separated by blanks: no_labels; no_FEATURE (missing, taken as the \
                       mean); trust_at_limit (beyond 1e-3 or 1e6 labels)";
        columns.push(OutputColumn::new("flags", "", meaning, ColumnValues::Text(Arc::new(flags(decomposition)))));
    }
    columns
}

/// Name of the column with a feature.
pub(crate) fn feature_column(feature: &str) -> String {
    format!("feature_{feature}")
}

fn flags(decomposition: &Decomposition) -> Texts {
    let missing: Vec<String> =
        decomposition.features.iter().map(|feature| format!("no_{}", feature.name().replace(' ', "_"))).collect();
    let (mut all, mut own) = (Texts::default(), String::new());
    for i in 0..decomposition.len() {
        let no_labels = (decomposition.numbers[i] == 0).then_some("no_labels");
        let missing = decomposition.features.iter().zip(&missing).filter(|(feature, _)| feature.values[i].is_none());
        let at_limit = (!TRUST_LIMITS.contains(&decomposition.trust[i])).then_some("trust_at_limit");
        own.clear();
        for flag in no_labels.into_iter().chain(missing.map(|(_, flag)| flag.as_str())).chain(at_limit) {
            own.push_str(if own.is_empty() { "" } else { " " });
            own.push_str(flag);
        }
        all.push(&own);
    }
    all
}

// The labels of a study as one table: those of its file and those that were added.

/// The labels, one a row: `id`, `annotator`, `label`, `added` (when a batch brought it, blank for the user's own),
/// `judge` (what the judge predicts) and `skipped` and `comment` where annotators did either. Where the user's file has counts only, a row per item with a count per class, `n_CLASS`.
pub fn label_table(study: &Study) -> Vec<OutputColumn> {
    let (labels, scale) = (&study.labels, &study.file.config.scale);
    if !labels.are_listed() {
        return counted(study, scale.classes());
    }
    // Item, annotator, label and batch of each row.
    type Row<'s> = (usize, &'s str, String, Option<usize>);
    let mut answers: Vec<Row<'_>> = vec![];
    for Label { item, annotator, value, batch, .. } in &labels.rows {
        answers.push((*item, &labels.annotators[*annotator], scale.written(*value), *batch));
    }
    let mut there: HashSet<_> = answers.iter().map(|(item, annotator, ..)| (*item, *annotator)).collect();
    // Without a label of its annotator, a remark has a row of its own.
    for Remarked { item, annotator, batch, .. } in &labels.remarks {
        if there.insert((*item, annotator)) {
            answers.push((*item, annotator, String::new(), Some(*batch)));
        }
    }
    let column = |name: &str, meaning: &str, cell: &dyn Fn(&Row<'_>) -> String| {
        OutputColumn::texts(name, meaning, answers.iter().map(cell))
    };
    let added = |(.., batch): &Row<'_>| batch.map_or_else(String::new, |batch| labels.batches[batch].added.clone());
    let mut columns = vec![
        column("id", "the item", &|(item, ..)| study.items.ids[*item].to_owned()),
        column("annotator", "who gave the label", &|(_, annotator, ..)| (*annotator).to_owned()),
        column("label", "what it says", &|(_, _, label, _)| label.clone()),
        column("added", "when it was added to the study; blank for labels of the study's own file", &added),
        column("judge", "what the judge predicts of the item", &|(item, ..)| study.prediction(*item)),
    ];
    for (remark, name, meaning) in [
        (Remark::Skip, "skipped", "why the annotator skipped the item"),
        (Remark::Comment, "comment", "what the annotator wrote about the item"),
    ] {
        let mut said: HashMap<(usize, &str), Vec<&str>> = HashMap::new();
        for one in labels.remarks.iter().filter(|one| one.remark == remark) {
            said.entry((one.item, &one.annotator)).or_default().push(&one.words);
        }
        let own = |(item, annotator, ..): &Row<'_>| {
            said.get(&(*item, *annotator)).map_or_else(String::new, |words| words.join("; "))
        };
        columns.extend((!said.is_empty()).then(|| column(name, meaning, &own)));
    }
    columns
}

fn counted(study: &Study, classes: &[String]) -> Vec<OutputColumn> {
    let count = |(class, name): (usize, &String)| {
        let values = ColumnValues::Count(study.labels.counts.column(class).to_vec());
        OutputColumn::new(format!("n_{name}"), "labels", "how many labels say so", values)
    };
    let own = OutputColumn::new("id", "", "the item", ColumnValues::Text(study.items.ids.texts()));
    std::iter::once(own).chain(classes.iter().enumerate().map(count)).collect()
}
