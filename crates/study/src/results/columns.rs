//! Everything known about every item of a decomposed study, column by column.

use crate::model::study::{Decomposition, Study};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

/// Trust beyond these many labels is flagged: the likelihood can't tell it from certainty, or from none.
const TRUST_LIMITS: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

/// The columns of the table of items: what is known of them, their rank under every rule, and the features of the
/// trust.
pub fn columns(study: &Study, decomposition: &Decomposition) -> Vec<OutputColumn> {
    columns_with(study, decomposition, rank_columns(ranks(study, decomposition)))
}

/// The table of items with other columns in the place of the ranks.
pub fn columns_with(study: &Study, decomposition: &Decomposition, ranks: Vec<OutputColumn>) -> Vec<OutputColumn> {
    let ids = study.items.ids.texts();
    let mut columns = vec![OutputColumn::new("id", "", "Id of the item, as in the input", ColumnValues::Text(ids))];
    if let Some(groups) = &study.items.groups {
        columns.push(OutputColumn::texts("group", "Group of the item", groups));
    }
    columns.extend(decomposition.own_columns(study));
    columns.extend(ranks);
    for feature in &decomposition.features {
        let meaning = format!("Feature {:?} of the trust regression; blank counts as the mean", feature.name());
        let values = feature.values.iter().copied();
        columns.push(OutputColumn::partial(feature_column(feature.name()), "its own", meaning, values));
    }
    if !study.scale().is_numbers() {
        let meaning = "What to know about the item, separated by blanks: no_labels; no_FEATURE (missing, taken as the \
                       mean); trust_at_limit (beyond 1e-3 or 1e6 labels)";
        columns.push(OutputColumn::texts("flags", meaning, flags(decomposition)));
    }
    columns
}

/// Name of the column with a feature.
pub(crate) fn feature_column(feature: &str) -> String {
    format!("feature_{feature}")
}

/// The place of every item under each rule that ranks such labels, from 1.
pub fn ranks(study: &Study, decomposition: &Decomposition) -> Vec<(Rule, Vec<u32>)> {
    let of = |rule: Rule| {
        let ranking = decomposition.ranking(rule)?;
        let mut ranks = vec![0; study.len()];
        ranking.into_iter().zip(1..).for_each(|(item, rank)| ranks[item] = rank);
        Some((rule, ranks))
    };
    study.rules().into_iter().filter_map(of).collect()
}

/// [`ranks`] as columns.
pub fn rank_columns(ranks: Vec<(Rule, Vec<u32>)>) -> Vec<OutputColumn> {
    let of = |(rule, ranks): (Rule, Vec<u32>)| {
        let meaning = format!("Place under the rule {} (1 = escalate first); ties by the seed", rule.words());
        OutputColumn::new(format!("rank_{}", rule.name()), "1 to items", meaning, ColumnValues::Count(ranks))
    };
    ranks.into_iter().map(of).collect()
}

fn flags(decomposition: &Decomposition) -> impl Iterator<Item = String> {
    let of = move |i: usize| {
        let mut flags = Vec::new();
        if decomposition.numbers[i] == 0 {
            flags.push("no_labels".to_owned());
        }
        let missing = decomposition.features.iter().filter(|feature| feature.values[i].is_none());
        flags.extend(missing.map(|feature| format!("no_{}", feature.name().replace(' ', "_"))));
        if !TRUST_LIMITS.contains(&decomposition.trust[i]) {
            flags.push("trust_at_limit".to_owned());
        }
        flags.join(" ")
    };
    (0..decomposition.len()).map(of)
}
