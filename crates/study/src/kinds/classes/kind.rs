//! What a study says of classes, with or without a scale.

use std::path::Path;

use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use crate::belief_file::BeliefFile;
use crate::belief_file::InputColumns;
use crate::belief_file::{FeatureDefinition, design_on};
use crate::input::config::StudyConfig;
use crate::input::labels::Labels;
use crate::kinds::classes::judge::{ONLY_VARIANT, answers};
use crate::model::study::{CameBack, CarriedReading, Decomposition, Kept, Relation, Study};
use crate::model::study::{CarriedMap, CarriedScale};
use crate::results::parts::{EvidenceReport, PartAverages};
use judge_uncertainty_core::belief::maps::{CarriedOffsets, Map, MapChoice, MapName, Transfer, Variance};
use judge_uncertainty_core::belief::{
    Belief, BeliefModel, Beliefs, Design, FeatureColumn, FeatureScale, FitError, FittedBelief, ItemBelief, ItemBeliefs,
    JudgedItems, Mapped, OrdinalBelief, Unfit, mean_place,
};
use judge_uncertainty_evaluation::{CountPool, Fit, LabelPool};
use judge_uncertainty_formats::error::{Error, Place, Result};
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
    warnings.extend(lifted(study, classes));
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
        return against(beliefs, &added, gini, squared_error);
    };
    let error = |alpha: &[f64], label: usize| {
        let total: f64 = alpha.iter().sum();
        let mean: Vec<f64> = alpha.iter().map(|a| a / total).collect();
        (places[label] - mean_place(&mean, places)).powi(2)
    };
    against(beliefs, &added, |item| beliefs.get(item).total(), error)
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

// What a fit and a decomposition of classes say, with or without a scale.

/// What the fit says besides the trust regression.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassFit {
    /// The map from the prediction to the belief, where it is one of the ladder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<FittedMap>,
}

/// A map of the ladder as it was fitted, and how it came to be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedMap {
    /// Which one.
    pub name: MapName,
    /// The share of every prediction that counts as a guess by the distribution of the labels, 0 to 1.
    #[serde(default)]
    pub guesses: f64,
    /// The fitted variances, by block of parameters.
    pub variances: Vec<Variance>,
    /// The choice with its evidence; `None` where the study names the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<MapChoice>,
    /// The map of another study that it starts from; `None` where it starts from the prediction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<CarriedStart>,
}

/// The map of another study where the map here starts, and whether the labels here support it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CarriedStart {
    /// What that study is called.
    pub study: String,
    /// Which map it is.
    pub map: MapName,
    /// What it counts for: 1 takes it as it was, 0 leaves it out; as the belief takes it.
    pub weight: f64,
    /// Standard deviation of what is unknown of the weight, by the normal approximation; `None` where the labels left
    /// the map out.
    pub sd_of_weight: Option<f64>,
    /// Groups here for which that map has no terms of their own, as it has for others.
    pub new_groups: Vec<String>,
    /// What the judge here differs in, in words; `None` where nothing tells another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub another_judge: Option<String>,
    /// The likelihood of the labels here under the other study's recalibration, compared with the plain prediction.
    pub labels_here: Transfer,
}

impl CarriedStart {
    fn new(study: &Study, decomposition: &Decomposition, map: &Map) -> Result<Option<Self>, FitError> {
        let (LabelPool::Classes(pool), Some(CarriedReading::Classes(carried))) =
            (&decomposition.pool, &study.carried_map)
        else {
            return Ok(None);
        };
        let Some(labels_here) = pool.transfer(&decomposition.fitted.design)? else { return Ok(None) };
        let weight = map.weight_of_carried();
        let is_new = |name: &&str| carried.map.reads().groups && !carried.groups.iter().any(|known| known == name);
        Ok(Some(Self {
            study: carried.study.clone(),
            map: carried.map.name(),
            weight: weight.map_or(0.0, |(weight, _)| weight),
            sd_of_weight: weight.map(|(_, sd)| sd),
            new_groups: study.items.group_names().into_iter().filter(is_new).map(str::to_owned).collect(),
            another_judge: carried.another_judge.clone(),
            labels_here,
        }))
    }
}

impl ClassFit {
    /// Reads the fit of a decomposition.
    pub fn new(study: &Study, decomposition: &Decomposition) -> Self {
        let read = |mapped: &Mapped| FittedMap {
            name: mapped.map.name(),
            guesses: mapped.map.guesses(),
            variances: mapped.map.variances.clone(),
            choice: mapped.choice.clone(),
            carried: CarriedStart::new(study, decomposition, &mapped.map)
                .expect("a trust that was fitted under a map can be fitted without"),
        };
        Self { map: decomposition.fitted.fit.of_classes().mapped().map(read) }
    }
}

/// What the decomposition says besides the parts of every item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassFindings {
    /// Averages over all items, in squared units of the scale; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomposition: Option<PartAverages>,
    /// Whether total uncertainty would rank well here.
    pub evidence: EvidenceReport,
}

impl ClassFindings {
    /// Reads a decomposition.
    pub(crate) fn new(study: &Study, decomposition: &Decomposition) -> Self {
        Self {
            decomposition: study.scale().has_order().then(|| PartAverages::new(decomposition, None)),
            evidence: EvidenceReport::new(decomposition).expect("classes are ranked by total uncertainty"),
        }
    }
}

/// Says by how much the floor under predicted probabilities raises the mean of a class, where it does by a tenth or
/// more.
pub(super) fn lifted(study: &Study, classes: &[String]) -> Option<String> {
    let floored = &study.judge.predictions;
    let stated = answers(&study.judge).aggregate(None).ok()?.q;
    let means = |k: usize| [&stated, floored].map(|q| q.column(k).mean().unwrap_or_default());
    let (name, [stated, floored]) = classes
        .iter()
        .enumerate()
        .map(|(k, name)| (name, means(k)))
        .filter(|(_, [stated, floored])| *stated > 0.0 && floored / stated >= 1.1)
        .max_by(|(_, a), (_, b)| (a[1] / a[0]).total_cmp(&(b[1] / b[0])))?;
    Some(format!(
        "the floor of {} under predicted probabilities (judge.floor) raises the judge's mean share of {name:?} from \
         {:.2}% to {:.2}%; set a smaller one where rare classes matter",
        study.judge.report.of_classes().floor,
        100.0 * stated,
        100.0 * floored
    ))
}

/// Compares the added labels of every item with the belief before them; `foreseen` is the expected squared error of an
/// item's mean against a single label, and `error` that error for a label of a class, from numbers in proportion to
/// the mean.
fn against(
    beliefs: &ItemBeliefs,
    added: &Array2<u32>,
    foreseen: impl Fn(usize) -> f64,
    error: impl Fn(&[f64], usize) -> f64,
) -> Vec<Option<CameBack>> {
    let of = |item: usize| {
        let labels: Vec<u32> = added.row(item).to_vec();
        let n: u32 = labels.iter().sum();
        let (belief, before) = (beliefs.get(item), beliefs.of_classes().get(item));
        let first = (foreseen(item), over_labels(&labels, |y| error(before.alpha(), y)));
        let gain = |y: usize| {
            let mut others = labels.clone();
            others[y] -= 1;
            error(before.alpha(), y) - error(&before.after(&others), y)
        };
        let removed = (n > 1).then(|| (belief.spread() - belief.spread_after(n - 1), over_labels(&labels, gain)));
        (n > 0).then_some((first, removed))
    };
    (0..added.nrows()).map(of).collect()
}

/// Mean of `f` over the labels of an item.
fn over_labels(labels: &[u32], f: impl Fn(usize) -> f64) -> f64 {
    let n: u32 = labels.iter().sum();
    labels.iter().enumerate().filter(|(_, c)| **c > 0).map(|(y, &c)| f64::from(c) * f(y)).sum::<f64>() / f64::from(n)
}

/// |e_y - m|^2 of the mean m of a belief with evidence `alpha`.
pub fn squared_error(alpha: &[f64], y: usize) -> f64 {
    let total: f64 = alpha.iter().sum();
    alpha.iter().enumerate().map(|(j, a)| (a / total - if j == y { 1.0 } else { 0.0 }).powi(2)).sum()
}

// A map of another study as it reads the items of this one.

/// What the map adds to the log predictions of the items at positions `kept`.
///
/// # Panics
/// If the study lacks what the map reads, or has numbers that are not finite: it is refused when it is loaded.
pub fn added(carried: &CarriedMap, relation: &Relation<'_>, kept: &[usize]) -> CarriedOffsets {
    let Relation { config, items, judge, .. } = relation;
    let design = design(carried, relation, kept);
    let number = |group: &str| carried.groups.iter().position(|known| known == group).unwrap_or(carried.groups.len());
    let number_of: Vec<usize> = items.group_names().into_iter().map(number).collect();
    let groups: Vec<usize> = items.groups_of(kept).into_iter().map(|group| number_of[group]).collect();
    let q = judge.predictions.select(Axis(0), kept);
    let variants = if carried.map.reads().variants > 0 {
        let floor = config.judge.of_classes().floor(q.ncols());
        let own = answers(judge).by_variant(kept, floor).expect("the answers were aggregated with this floor before");
        let place = |name: &String| judge.variants.iter().position(|own| own == name);
        let of = |name: &String| own[place(name).expect("a variant that the study has")].clone();
        carried.variants.iter().map(of).collect()
    } else {
        vec![]
    };
    let judged = JudgedItems::new(&design, q.view(), &groups);
    carried.map.carry(&JudgedItems { variants: &variants, ..judged })
}

/// The features here on the scales there; what the map does not read may be missing.
fn design(carried: &CarriedMap, relation: &Relation<'_>, kept: &[usize]) -> Design {
    let own = relation.feature_columns(kept, &vec![0; kept.len()], None);
    let column = |name: &String| {
        let found = own.iter().find(|column| column.name() == name).cloned();
        found.unwrap_or_else(|| FeatureColumn::partial(name.as_str(), vec![None; kept.len()]))
    };
    let columns: Vec<FeatureColumn> = carried.features.iter().map(|feature| column(&feature.name)).collect();
    let scale = |f: &CarriedScale| FeatureScale { name: f.name.clone(), mean: f.mean, sd: f.sd, missing: 0 };
    let scales = carried.features.iter().map(scale).collect();
    let limits: Vec<Option<(f64, f64)>> = carried.features.iter().map(|feature| feature.limits).collect();
    design_on(scales, &limits, (&columns, kept.len())).expect("features that were read before are finite")
}

/// Whether a fit starts from the map of another study.
pub(super) fn starts_elsewhere(fit: &FittedBelief) -> bool {
    fit.mapped().is_some_and(|mapped| mapped.map.is_on_a_carried_map())
}

/// The map of another study's belief, which goes with its trust; `None` where it takes the prediction as it is.
///
/// # Errors
/// A belief about other classes, or one that reads variants or features that this study does not have.
pub fn carried_map(study: &Study, path: &Path, belief: BeliefFile) -> Result<Option<CarriedMap>> {
    let refuse = |reason: String, remedy: &str| Error::unfit(Place::file(path), reason, remedy);
    let Fit::Classes(FittedBelief::Mapped(mapped)) = belief.fit else { return Ok(None) };
    if mapped.map.is_as_stated() {
        return Ok(None);
    }
    let [there, here] = [&belief.settings, &study.file.config].map(|config| config.scale.classes());
    if there != here {
        let reason = format!("the map is of the classes {}, and those here are {}", there.join(", "), here.join(", "));
        let remedy = "name the same classes in the same order, or leave out trust.carry_from";
        return Err(refuse(reason, remedy));
    }
    if mapped.map.is_on_a_carried_map() {
        let reason = "that study's map itself starts from the map of another".to_owned();
        let remedy = "name the run that it was carried from under trust.carry_from, or run that study without it";
        return Err(refuse(reason, remedy));
    }
    let reads = mapped.map.reads();
    let own = &study.judge.variants;
    if let Some(lacking) = belief.variants.iter().filter(|_| reads.variants > 0).find(|name| !own.contains(name)) {
        let reason = format!("the map reads the judge's variant {lacking:?}, which this study does not have");
        let remedy = "ask the judge under it as well, or carry a map that weighs no variants: `groups`, `temperature`";
        return Err(refuse(reason, remedy));
    }
    let columns = study.relation().feature_columns(&[], &[], None);
    let has = |name: &str| columns.iter().any(|column| column.name() == name);
    if let Some(lacking) = reads.features.iter().find(|name| !has(name)) {
        let reason = format!("the map reads the feature {lacking:?}, which this study does not have");
        let remedy = "give the items that column and list it under trust.features, or carry a map that reads no \
                      features: `matrix`, `groups`, `temperature`";
        return Err(refuse(reason, remedy));
    }
    let scale = |f: &FeatureDefinition| CarriedScale {
        name: f.name.clone(),
        mean: f.mean,
        sd: f.sd,
        limits: f.low.zip(f.high),
    };
    let features = belief.features.iter().map(scale).collect();
    let another_judge = belief.judge.is_other(&study.judge_files);
    let (title, variants, groups) = (belief.settings.title, belief.variants, belief.groups);
    Ok(Some(CarriedMap { study: title, map: mapped.map, variants, groups, features, another_judge }))
}

#[cfg(test)]
mod tests_of_reports {
    use ndarray::array;

    use super::*;
    use judge_uncertainty_core::belief::Beliefs;
    use judge_uncertainty_core::random::Stream;
    use judge_uncertainty_core::stats::{mean, sample_sd};

    #[test]
    fn squared_errors_by_hand() {
        assert!((squared_error(&[1.0, 3.0], 1) - (0.25_f64.powi(2) * 2.0)).abs() < 1e-15);
        assert_eq!(over_labels(&[3, 0, 1], |y| y as f64), 0.5);
    }

    /// Labels that come from the belief itself: both comparisons hold on average, which is what makes them tests of it.
    #[test]
    fn what_is_foreseen_comes_true_for_a_right_belief() {
        let mut stream = Stream::new(9);
        let alpha = [0.8, 2.0, 1.1];
        let draws = 20_000;
        let mut added = Array2::zeros((draws, 3));
        for mut row in added.rows_mut() {
            let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a)).collect();
            let sum: f64 = g.iter().sum();
            let p: Vec<f64> = g.iter().map(|g| g / sum).collect();
            let mut labels = [0; 3];
            stream.multinomial(4, &p, &mut labels);
            row.iter_mut().zip(labels).for_each(|(to, n)| *to = n);
        }
        let beliefs = Beliefs::new(Array2::from_shape_fn((draws, 3), |(_, j)| alpha[j]));
        let came = against(&ItemBeliefs::Classes(beliefs.clone()), &added, |i| beliefs.get(i).gini(), squared_error);
        let (first, removed): (Vec<_>, Vec<_>) = came.into_iter().flatten().unzip();
        for pairs in [first, removed.into_iter().flatten().collect()] {
            let realised: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
            let se = sample_sd(&realised) / (draws as f64).sqrt();
            let foreseen = pairs[0].0;
            assert!((mean(&realised) - foreseen).abs() < 4.0 * se && se < 0.01, "{foreseen} {se}");
            assert!(foreseen > 0.05);
        }
        let even = Beliefs::new(array![[1.0, 1.0], [1.0, 1.0]]);
        let one = against(
            &ItemBeliefs::Classes(even.clone()),
            &array![[0, 0], [1, 0]],
            |i| even.get(i).gini(),
            squared_error,
        );
        assert_eq!((one[0], one[1].unwrap().1), (None, None));
    }
}
