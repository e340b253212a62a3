//! Values outside their ranges, whatever the kind of label.

use super::study::{Configured, StudyConfig};
use super::tables::EvaluationConfig;
use crate::input::check::Check;
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::recalibration::Recalibration;
use judge_uncertainty_core::belief::{BeliefModel, Feature, TrustPrior};
use judge_uncertainty_core::escalation::Budget;
use judge_uncertainty_formats::error::Result;

pub(super) fn check_title(title: &str, check: &Check<'_>) -> Result<()> {
    check.that(!title.trim().is_empty(), "title", &title, "is blank", "name the study")
}

/// Checks what every kind of label configures alike.
pub(super) fn check_shared<C: Configured>(config: &StudyConfig<C>, check: &Check<'_>) -> Result<()> {
    if let Some(criterion) = &config.criterion {
        let named = !criterion.name.trim().is_empty();
        check.that(named, "criterion.name", &criterion.name, "is blank", "name what items are judged by")?;
    }
    let items = &config.items;
    for (setting, names) in [("items.numbers", &items.numbers), ("items.categories", &items.categories)] {
        let own = names.iter().find(|name| Feature::<usize>::COMPUTED.iter().any(|(own, _)| own == name));
        let remedy = "rename the column in the file and here";
        check.that(own.is_none(), setting, &own, "is the name of a feature that every study has", remedy)?;
    }
    let columns: Vec<String> = items.numbers.iter().chain(&items.categories).cloned().collect();
    check.each_once("items.categories", &columns)?;
    check_evaluation(&config.evaluation, check)?;
    if let BeliefModel::Recalibrated(options) = &config.trust.belief {
        let grouped = options.recalibration != Recalibration::ByGroup || config.items.group.is_some();
        let remedy = "name the column of the groups as items.group, or take recalibration = \"shared\"";
        check.that(grouped, "trust.belief", &"by_group", "the items have no groups", remedy)?;
        let positive = options.ridge > 0.0 && options.ridge.is_finite();
        check.that(positive, "trust.belief", &options.ridge, "a penalty is above 0", "give ridge = 1")?;
    }
    if config.trust.belief == BeliefModel::Map(MapName::Groups) {
        let remedy = "name the column of the groups as items.group, or take belief = \"auto\"";
        check.that(items.group.is_some(), "trust.belief", &"groups", "the items have no groups", remedy)?;
    }
    if let Some(features) = &config.trust.features {
        check.each_once("trust.features", features)?;
    }
    if let Some(from) = &config.trust.carry_from {
        let plain = config.trust.belief == BeliefModel::Published && config.trust.prior == TrustPrior::Weak;
        let centred = plain || config.trust.belief.reads_variants();
        let remedy = "leave it out, or take prior = \"weak\" and belief = \"published\" or \"auto\"";
        check.that(
            centred,
            "trust.carry_from",
            from,
            "only the weak prior of the published belief and those of the maps have a centre",
            remedy,
        )?;
    }
    let neighbours = config.familiarity.as_ref().map_or(1, |familiarity| familiarity.neighbours);
    let (fits, remedy) = ((1..=1000).contains(&neighbours), "choose a number such as 10");
    check.that(fits, "familiarity.neighbours", &neighbours, "is outside 1 to 1000", remedy)
}

pub(super) fn check_evaluation(evaluation: &EvaluationConfig, check: &Check<'_>) -> Result<()> {
    let setting = |key: &str| format!("evaluation.{key}");
    let replicates = evaluation.replicates;
    let fits = replicates == 0 || (2..=100_000).contains(&replicates);
    let remedy = "choose 0 for no evaluation, or 2 to 100000";
    check.that(fits, &setting("replicates"), &replicates, "is not a number of replicates", remedy)?;
    let bad = evaluation.budgets.iter().find(|&&percent| Budget::percent(percent).is_none());
    let (key, remedy) = (setting("budgets"), "write whole percentages from 1 to 100, such as [1, 5, 10, 20]");
    check.that(bad.is_none(), &key, &bad, "a budget is a percentage", remedy)?;
    let ascending = evaluation.budgets.is_sorted_by(|a, b| a < b) && !evaluation.budgets.is_empty();
    check.that(ascending, &key, &evaluation.budgets, "budgets are needed in ascending order", remedy)?;
    let reveals = !evaluation.reveal.is_empty() && evaluation.reveal.iter().any(|&n| n > 0);
    let remedy = "write numbers of labels, one of them above 0, such as [0, 1, 2, 5, 10]";
    check.that(reveals, &setting("reveal"), &evaluation.reveal, "no item would have labels", remedy)?;
    let remedy = "write 4 or more: half of the labels are the truth, and its noise needs two";
    check.that(
        evaluation.least_labels >= 4,
        &setting("least_labels"),
        &evaluation.least_labels,
        "is too few to split",
        remedy,
    )
}
