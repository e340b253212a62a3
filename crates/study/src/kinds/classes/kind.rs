//! What a study says of classes, with or without a scale.

use ndarray::Axis;

use super::carried::{added, starts_elsewhere};
use super::judge::{ONLY_VARIANT, answers};
use super::reports;
use crate::belief_file::kind::InputColumns;
use crate::input::config::StudyConfig;
use crate::input::labels::Labels;
use crate::model::carried::CarriedMap;
use crate::model::relation::Relation;
use crate::model::study::{CameBack, CarriedReading, Decomposition, Kept, Study};
use judge_uncertainty_core::belief::{
    Belief, BeliefModel, Beliefs, FittedBelief, ItemBelief, ItemBeliefs, OrdinalBelief, Unfit, mean_place,
};
use judge_uncertainty_evaluation::CountPool;
use judge_uncertainty_formats::judge::Predictions;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn};

/// Columns of the counts of labels where a study has none of its own.
const LABELS: &str = "n_{class}";

/// As [`Relation::pool_under`].
pub(crate) fn pool(
    relation: &Relation<'_>,
    labels: &Labels,
    kept: &[usize],
    (model, groups): (BeliefModel, Vec<usize>),
    of_fit: Option<&Kept>,
) -> CountPool {
    let Relation { config, items, judge, start, .. } = *relation;
    let counts = labels.counts.select(Axis(0), kept);
    let some =
        |values: &[Option<f64>]| if values.is_empty() { vec![] } else { kept.iter().map(|&i| values[i]).collect() };
    let (q, confidence) = (judge.predictions.select(Axis(0), kept), some(&judge.confidence));
    let mut pool = CountPool::new(counts.view(), Predictions { q, spread: vec![], confidence });
    (pool.model, pool.groups, pool.prior) = (model, groups, config.trust.prior);
    pool.places = config.scale.places().map(<[f64]>::to_vec);
    if !config.trust.belief.recalibrates() {
        return pool;
    }
    if judge.variants.len() > 1 {
        let floor = config.judge.of_classes().floor(counts.ncols());
        let variants = answers(judge).by_variant(kept, floor);
        pool.variants = variants.expect("the answers were aggregated with this floor before");
    }
    pool.twins = items.twins(kept);
    let carried = match (of_fit, start) {
        (Some(Kept::Classes(carried)), _) => carried.as_ref(),
        (None, Some(CarriedReading::Classes(carried))) => Some(carried),
        _ => None,
    };
    pool.carried = carried.map(|carried| added(carried, relation, kept));
    pool
}

/// What should be looked at before the results are used.
pub(crate) fn warnings(study: &Study) -> Vec<String> {
    let mut warnings = vec![];
    if let Some(mass) = study.judge.report.of_classes().mass.filter(|mass| mass.warned > 0) {
        warnings.push(format!(
            "{} of the judge's answers put less than {} of their probability on the classes (least {:.3}); they \
             are scaled up, but say little",
            mass.warned,
            study.file.config.judge.of_classes().least_mass,
            mass.least
        ));
    }
    let classes = study.file.config.scale.classes();
    warnings.extend(reports::lifted(study, classes));
    let per_class = study.labels.counts.columns().into_iter().zip(classes);
    let unused: Vec<&str> = per_class.filter(|(n, _)| n.sum() == 0).map(|(_, class)| class.as_str()).collect();
    if !unused.is_empty() && study.labels.counts.iter().any(|n| *n > 0) {
        warnings.push(format!("no label says {}", unused.join(", ")));
    }
    warnings
}

/// What is known of every item, besides its id, group, ranks and features.
pub(crate) fn columns(relation: &Relation<'_>, decomposition: &Decomposition) -> Vec<OutputColumn> {
    let Relation { config, judge, labels, .. } = relation;
    let classes = config.scale.classes();
    let beliefs = decomposition.fitted.beliefs.of_classes();
    let mut columns = vec![OutputColumn::new(
        "labels",
        "labels",
        "Human labels in hand",
        ColumnValues::Count(decomposition.numbers.clone()),
    )];
    for (k, class) in classes.iter().enumerate() {
        let counts = ColumnValues::Count(labels.counts.column(k).to_vec());
        columns.push(OutputColumn::new(format!("n_{class}"), "labels", format!("Human labels {class:?}"), counts));
    }
    for (k, class) in classes.iter().enumerate() {
        let q = judge.predictions.column(k);
        let meaning = format!("The judge's predicted share of {class:?}: mean over variants, floored");
        columns.push(OutputColumn::numbers(format!("q_{class}"), "0 to 1", meaning, q.iter().copied()));
    }
    let meaning = "Trust lambda: how many labels the judge's prediction is worth";
    columns.push(OutputColumn::numbers("trust", "labels", meaning, decomposition.trust.iter().copied()));
    let evidence = beliefs.iter().map(|belief| belief.evidence());
    let meaning = "Total evidence alpha_0 = trust + labels";
    columns.push(OutputColumn::numbers("total_evidence", "labels", meaning, evidence));
    for (k, class) in classes.iter().enumerate() {
        let means = beliefs.iter().map(|belief| belief.alpha()[k] / belief.evidence());
        let meaning = format!("Posterior mean share of {class:?}");
        columns.push(OutputColumn::numbers(format!("mean_{class}"), "0 to 1", meaning, means));
    }
    columns.extend(match &decomposition.fitted.beliefs {
        ItemBeliefs::Places(beliefs, places) => parts_on_places(beliefs, places),
        beliefs => parts(beliefs),
    });
    columns
}

/// The parts of the uncertainty about every item, as columns.
fn parts(beliefs: &ItemBeliefs) -> Vec<OutputColumn> {
    let part = |name: &str, unit: &'static str, meaning: &str, of: fn(ItemBelief<'_>) -> f64| {
        OutputColumn::numbers(name, unit, meaning, beliefs.map(of))
    };
    vec![
        part(
            "total",
            "nats, 0 to ln K",
            "Total uncertainty about a fresh label: entropy of the posterior mean = aleatoric + epistemic",
            |b| b.total(),
        ),
        part("aleatoric", "nats", "Aleatoric part: disagreement that labels cannot reduce", |b| b.aleatoric()),
        part("epistemic", "nats", "Epistemic part: what one further label tells about the label distribution", |b| {
            b.epistemic()
        }),
        part("v", "0 to 1", "Posterior spread: expected squared error of the posterior mean", |b| b.spread()),
        part("delta", "0 to 1", "One-label value Delta: how much one label is expected to lower v", |b| {
            b.label_value()
        }),
    ]
}

/// The parts where classes stand at places of a scale, as columns.
fn parts_on_places(beliefs: &Beliefs, places: &[f64]) -> Vec<OutputColumn> {
    const PLACE: &str = "units of the scale";
    const SQUARE: &str = "squared units of the scale";
    let part = |name: &str, unit: &'static str, meaning: &str, of: fn(OrdinalBelief<'_>) -> f64| {
        OutputColumn::numbers(name, unit, meaning, beliefs.map(|belief| of(OrdinalBelief::new(belief, places))))
    };
    vec![
        part("mean_place", PLACE, "Posterior mean of the place of a label", |b| b.mean_place()),
        part(
            "total",
            SQUARE,
            "Total uncertainty about the place of a fresh label: its variance = aleatoric + epistemic",
            |b| b.total(),
        ),
        part("aleatoric", SQUARE, "Aleatoric part: disagreement that labels cannot reduce", |b| b.aleatoric()),
        part("epistemic", SQUARE, "Epistemic part: expected squared error of the mean place; also v", |b| {
            b.epistemic()
        }),
        part("delta", SQUARE, "One-label value: how much one label is expected to lower it", |b| b.label_value()),
        part("wasserstein", PLACE, "How much one label is expected to lower the Wasserstein error", |b| {
            b.wasserstein_label_value()
        }),
        part("total_entropy", "nats, 0 to ln K", "Entropy of the posterior mean, places left aside", |b| {
            b.classes().total()
        }),
        part("aleatoric_entropy", "nats", "Its aleatoric part", |b| b.classes().aleatoric()),
        part("epistemic_entropy", "nats", "Its epistemic part: what one further label tells", |b| {
            b.classes().epistemic()
        }),
    ]
}

/// The labels of each item that were added later, against the belief without them; `None` for items without any.
pub(crate) fn came_back(study: &Study, before: &Decomposition) -> Vec<Option<CameBack>> {
    let (beliefs, classes) = (&before.fitted.beliefs, before.fitted.beliefs.of_classes());
    let added = study.labels.added_counts();
    let Some(places) = study.file.config.scale.places() else {
        let gini = |item: usize| classes.get(item).gini();
        return reports::came_back(beliefs, &added, gini, reports::squared_error);
    };
    let error = |alpha: &[f64], label: usize| {
        let total: f64 = alpha.iter().sum();
        let mean: Vec<f64> = alpha.iter().map(|a| a / total).collect();
        (places[label] - mean_place(&mean, places)).powi(2)
    };
    reports::came_back(beliefs, &added, |item| beliefs.get(item).total(), error)
}

/// The map from which the fit starts.
pub(crate) fn kept(study: &Study, fit: &FittedBelief) -> Option<CarriedMap> {
    match &study.carried_map {
        Some(CarriedReading::Classes(carried)) if starts_elsewhere(fit) => Some(carried.clone()),
        _ => None,
    }
}

/// Whether a fit with these features and so many groups belongs together; `Ok(true)` for one with parameters for every group
/// of its own.
///
/// # Errors
/// What does not.
pub(crate) fn check_fit(
    config: &StudyConfig,
    fit: &FittedBelief,
    kept: Option<&CarriedMap>,
    (features, groups): (&[&str], usize),
) -> std::result::Result<bool, Unfit> {
    let classes = config.scale.classes().len();
    if let Some(carried) = kept {
        carried.check(classes)?;
    }
    if starts_elsewhere(fit) != kept.is_some() {
        let problem = "does not hold the map that the fit starts from, or one that it does not start from".to_owned();
        return Err(Unfit { field: "kept", problem });
    }
    fit.check(features, classes, groups)?;
    Ok(match fit {
        FittedBelief::Published(_) => false,
        FittedBelief::Mapped(mapped) => mapped.map.is_by_group(),
    })
}

/// As [`crate::model::study::names`].
pub(crate) fn names(config: &StudyConfig, variants: &[String]) -> InputColumns {
    let judge = config.judge.of_classes();
    let alone = variants.iter().all(|variant| variant == ONLY_VARIANT);
    let answers = match &judge.columns {
        Some(columns) if alone || !judge.variants.is_empty() => columns.clone(),
        _ if alone => "p_{class}".to_owned(),
        _ => "p_{variant}_{class}".to_owned(),
    };
    let labels = config.tables().1.and_then(|labels| labels.counts.map(str::to_owned));
    let labels = labels.filter(|columns| *columns != answers);
    let other = if answers == LABELS { "labels_{class}" } else { LABELS };
    let labels = labels.unwrap_or_else(|| other.to_owned());
    let mut names = InputColumns::new(config.items.id.as_deref(), answers, labels, config.items.group.as_deref());
    names.confidence.clone_from(&judge.confidence);
    names
}
