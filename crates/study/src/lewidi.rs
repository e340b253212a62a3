//! Posterior means in the layout in which LeWiDi-2025 takes soft predictions.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::input::config::FileFormat;
use crate::model::kind::{Decomposition, Kind, Study};
use crate::results::cards::Profile;

/// Name of the file in a run folder.
pub const SOFT: &str = "lewidi_soft.tsv";

/// One row per item of a LeWiDi file, `id<TAB>[share, share, ...]`, the classes in the order of the study and without a
/// header; `None` for other files and for scores.
///
/// Where the labels of an item are items of their own (VariErrNLI), a row has a list for each label in their order,
/// `id<TAB>[[share of 0, share of 1], ...]`; an item of which a label was left out has no row.
///
/// Source: the task's description of submissions (`DATASET_test_soft.tsv`); no file of the task was at hand to compare.
pub fn soft_predictions<K: Kind>(study: &Study<K>, decomposition: &Decomposition<K>) -> Option<String> {
    let items = &study.file.config.items;
    if items.format != Some(FileFormat::LeWiDi) {
        return None;
    }
    let mut shares = vec![];
    for i in 0..study.len() {
        let Profile::Shares { belief, .. } = Profile::new(study, decomposition, i) else { return None };
        shares.push(belief);
    }
    let ids: Vec<&str> = study.items.ids.iter().collect();
    Some(match items.multilabel.as_slice() {
        [] => plain(&ids, &shares),
        labels => nested(&ids, &shares, labels),
    })
}

fn plain(ids: &[&str], shares: &[Vec<f64>]) -> String {
    ids.iter().zip(shares).fold(String::new(), |mut text, (id, shares)| {
        writeln!(text, "{id}\t{shares:?}").expect("writing to a string can't fail");
        text
    })
}

fn nested(ids: &[&str], shares: &[Vec<f64>], labels: &[String]) -> String {
    let of: BTreeMap<&str, &Vec<f64>> = ids.iter().copied().zip(shares).collect();
    // The first label of an item stands for it; those of all labels come one after another.
    let first = format!("/{}", labels[0]);
    let mut text = String::new();
    for key in ids.iter().filter_map(|id| id.strip_suffix(&first)) {
        let lists: Option<Vec<_>> = labels.iter().map(|label| of.get(format!("{key}/{label}").as_str())).collect();
        if let Some(lists) = lists {
            writeln!(text, "{key}\t{lists:?}").expect("writing to a string can't fail");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_with_a_list_for_each_label_needs_all_of_them() {
        let labels = ["no", "yes"].map(str::to_owned);
        let ids = ["b/x/no", "b/x/yes", "a/no", "c/no", "c/yes"];
        let shares: Vec<Vec<f64>> = (1..=5).map(|k| vec![1.0 / f64::from(k), 0.5]).collect();
        assert_eq!(nested(&ids, &shares, &labels), "b/x\t[[1.0, 0.5], [0.5, 0.5]]\nc\t[[0.25, 0.5], [0.2, 0.5]]\n");
        assert_eq!(plain(&ids[..1], &shares), "b/x/no\t[1.0, 0.5]\n");
    }
}
