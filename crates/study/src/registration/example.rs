//! A draft that tests share.

use std::collections::BTreeMap;

use super::{Draft, Registration, RegistrationError, Testable};
use crate::registration::hypothesis::Measure;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_formats::items::ItemIds;

pub(super) const DRAFT: &str = r#"
level = 0.9
exclusions = ["items without a prediction"]

[[hypothesis]]
id = "info-fewest"
statement = "The epistemic part beats fewest labels first."
better = "epistemic"
than = "fewest_labels"
budget = 10
measure = "value"
interval = "percentiles"

[[hypothesis]]
id = "info-entropy"
statement = "It beats judge entropy by 2."
better = "epistemic"
than = "judge_entropy"
budget = 20
measure = "selective_error"
margin = 2.0
interval = "student"
"#;

pub(super) fn plan(text: &str) -> Result<Draft, RegistrationError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("plan.toml");
    std::fs::write(&path, text).unwrap();
    let ids = ItemIds::new(["a", "b", "c"].map(str::to_owned).to_vec()).unwrap();
    let study = Testable {
        budgets: Budget::PAPER.to_vec(),
        rules: Rule::those(|row| row.published),
        measures: &[Measure::Value, Measure::SelectiveError, Measure::SelectiveSquaredError],
        quantities: ["mean_a", "mean_b"].map(str::to_owned).to_vec(),
        ids: &ids,
        groups: Some(&["x", "y", "y"].map(str::to_owned)),
    };
    Draft::load(&path, &study)
}

pub(super) fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
}

pub(super) fn registered() -> Registration {
    let inputs = map(&[("items.csv", "ab"), ("judge.csv", "cd")]);
    let settings = map(&[("seed", "0"), ("evaluation.replicates", "200")]);
    Registration::freeze(plan(DRAFT).unwrap(), [settings, inputs], None)
}
