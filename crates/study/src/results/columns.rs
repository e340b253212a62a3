//! Everything known about every item of a decomposed study, column by column.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::input::judge::StudyJudge;
use crate::input::labels::{Label, Remarked};
use crate::input::question::Remark;
use crate::model::study::{Decomposition, Relation, Study};
use judge_uncertainty_core::belief::{
    Belief, Beliefs, FeatureColumn, Gaussian, ItemBelief, ItemBeliefs, OrdinalBelief,
};
use judge_uncertainty_evaluation::{LabelPool, Pool, RatingPool};
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
        LabelPool::Ratings(pool) => columns_of_ratings(relation.judge, decomposition, pool),
        LabelPool::Classes(_) => columns_of_classes(relation, decomposition),
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

/// What is known of every item with labels that are classes, besides its id, group, ranks and features.
fn columns_of_classes(relation: &Relation<'_>, decomposition: &Decomposition) -> Vec<OutputColumn> {
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

/// The columns that a belief about ratings has for each item.
fn columns_of_ratings(judge: &StudyJudge, d: &Decomposition, pool: &RatingPool) -> Vec<OutputColumn> {
    const SCORE: &str = "units of the score";
    const SQUARE: &str = "squared units of the score";
    let (beliefs, fit) = (d.fitted.beliefs.of_ratings(), d.fitted.fit.of_ratings());
    let labels = pool.all();
    let belief = |name: &str, unit: &'static str, meaning: &str, f: &dyn Fn(&Gaussian) -> f64| {
        OutputColumn::numbers(name, unit, meaning, beliefs.iter().map(f))
    };
    let intervals = Gaussian::mean_intervals(beliefs, 0.95);
    let numbers = ColumnValues::Count(labels.numbers());
    let label_means = labels.of_ratings().iter().map(|labels| (labels.n > 0).then_some(labels.mean));
    let sds = judge.variances.iter().map(|variance| variance.map(f64::sqrt));
    let mut columns = vec![
        OutputColumn::new("labels", "labels", "Human labels in hand, one for each annotator", numbers),
        OutputColumn::partial("label_mean", SCORE, "Mean of the labels; blank without any", label_means),
        OutputColumn::numbers(
            "judge_mean",
            SCORE,
            "The judge's expected mean of the annotators' scores",
            judge.predictions.iter().copied(),
        ),
        OutputColumn::partial(
            "judge_sd",
            SCORE,
            "The judge's expected standard deviation; blank where none is stated",
            sds,
        ),
    ];
    if !fit.readings.is_empty() {
        let read = pool.read(fit);
        let sds = read.variance.iter().map(|variance| variance.sqrt());
        let meaning =
            "Its mean as it is read on the scale of the ratings (fit.recalibration), at which the belief starts";
        columns.push(OutputColumn::numbers("judge_mean_read", SCORE, meaning, read.mean.iter().copied()));
        let meaning = "Its standard deviation as it is read, or the fitted one where it states none";
        columns.push(OutputColumn::numbers("judge_sd_read", SCORE, meaning, sds));
    }
    columns.extend([
        OutputColumn::numbers(
            "trust",
            "labels",
            "Trust lambda: how many labels the judge's mean is worth",
            d.trust.iter().copied(),
        ),
        belief("total_evidence", "labels", "Total evidence about the mean, lambda' = trust + labels", &|b| b.evidence),
        belief("freedom", "degrees", "Evidence about the variance, nu' = nu + labels", &|b| b.freedom),
        belief("mean", SCORE, "Posterior mean of the pool's scores", &|b| b.mean),
        OutputColumn::numbers(
            "mean_low",
            SCORE,
            "Lower end of the mean's central 95% interval if the fitted trust were known; too narrow with few items \
             (docs/intervals.md)",
            intervals.iter().map(|interval| interval.lo),
        ),
        OutputColumn::numbers("mean_high", SCORE, "Upper end of it", intervals.iter().map(|interval| interval.hi)),
        belief("total", SQUARE, "Variance of a fresh label = aleatoric + epistemic", &Gaussian::total),
        belief("aleatoric", SQUARE, "Disagreement that labels cannot reduce, E[s^2]", &Gaussian::aleatoric),
    ]);
    if let Some(repeats) = pool.repeats() {
        columns.extend([
            belief("within_annotators", SQUARE, "Aleatoric part: noise of an annotator who rates again", &|b| {
                repeats.split(b.aleatoric()).0
            }),
            belief("between_annotators", SQUARE, "Aleatoric part: disagreement between annotators", &|b| {
                repeats.split(b.aleatoric()).1
            }),
        ]);
    }
    columns.extend([
        belief("epistemic", SQUARE, "Var(m), the expected squared error of the mean; also v", &Gaussian::epistemic),
        belief("delta", SQUARE, "One-label value: how much one label is expected to lower it", &Gaussian::label_value),
    ]);
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
