//! The results of a run, in full precision, and what its manifest states.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::audit::columns::ReadColumn;
use crate::belief_file::{BeliefFile, FILE as BELIEF};
use crate::error::Error;
use crate::evaluate::held_out::HeldOutReport;
use crate::evaluate::{EvaluationOutcome, OrReason, evaluated_items, lacking_labels};
use crate::findings::Answer;
use crate::input::judge::{JudgeFiles, JudgeReport};
use crate::input::labels::{Labels, LabelsReport};
use crate::input::question::Criterion;
use crate::input::scale::Scale;
use crate::model::carried::Carried;
use crate::model::study::{Decomposition, Study};
use crate::queue::Amount;
use crate::registration::{Registered, Registration};
use crate::results::SPREAD;
use crate::results::columns::feature_column;
use crate::results::own::{ClassFit, OwnFindings, OwnFit, ScoreFit};
use crate::results::parts::{ItemSample, Movement};
use judge_uncertainty_core::belief::{Feature, Regression, TrustPrior, TrustProfile};
use judge_uncertainty_core::stats::estimator::LEAST_ANNOTATORS;
use judge_uncertainty_core::stats::quantile::percentiles;
use judge_uncertainty_core::stats::{Estimate, Interval, mean, population_sd};
use judge_uncertainty_evaluation::{Fit, LabelPool};
use judge_uncertainty_familiarity::features::FamiliarityFeatures;
use judge_uncertainty_formats::batches::source;
use judge_uncertainty_formats::error::Error::Unreadable;
use judge_uncertainty_formats::error::Result as Read;
use judge_uncertainty_formats::logs::LogFile;
use judge_uncertainty_system::progress::Progress;
use judge_uncertainty_system::{FileError, MANIFEST, Record, Run, read};

/// Version of the layout of the results.
pub const SCHEMA: u32 = 8;
/// Name of the results within a run folder.
pub const FILE: &str = "results/study.json";

/// Everything that a run reports besides the table of items.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct StudyResults {
    /// Version of the layout.
    pub schema: u32,
    /// The kind of its labels.
    pub kind: &'static str,
    /// Whether the judge can be relied on, the rate, and what to label next.
    pub answer: Answer,
    /// What was read.
    pub input: InputReport,
    /// The fitted trust.
    pub fit: FitReport,
    /// Means over the items of each group, and of all (`""`).
    pub groups: BTreeMap<String, GroupReport>,
    /// Both parts of the items that figures show, with what the epistemic part and the judge's uncertainty escalate.
    pub items: ItemSample,
    /// Judge and beliefs on labels that they have not seen.
    pub held_out: OrReason<HeldOutReport>,
    /// What escalation achieves, where labels suffice.
    pub evaluation: EvaluationOutcome,
    /// What labels moved that came back from a queue; `None` without any.
    pub movement: Option<Movement>,
    /// The evaluation held against its registration; `None` without one, and everything is exploratory.
    pub registered: Option<Registered>,
    /// What only such labels have.
    #[serde(flatten)]
    pub findings: OwnFindings,
}

/// What was read, before anything is computed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct InputReport {
    /// What the study is called.
    pub title: String,
    /// What items are judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<Criterion>,
    /// Seed of all draws.
    pub seed: u64,
    /// Items.
    pub items: usize,
    /// Items left out because the judge has no answer for them.
    pub left_out: Vec<String>,
    /// Groups with their sizes; none without a column of groups.
    pub groups: BTreeMap<String, usize>,
    /// What labels can be, under the key of the configuration.
    #[serde(flatten, serialize_with = "under_key")]
    pub scale: Scale,
    /// Each column of the table that `audit` made the study of, and how it was read; empty for another study.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ReadColumn>,
    /// What `audit` said of how it read that table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Names of the judge's variants.
    pub variants: Vec<String>,
    /// What was found in the judge's file.
    pub judge: JudgeReport,
    /// What was found in the file of labels.
    pub labels: LabelsReport,
    /// The judge that this trust belongs to.
    pub judge_files: JudgeFiles,
    /// Width of the embeddings; `None` without them.
    pub dimensions: Option<usize>,
    /// Texts that the next run has to embed first, as `study check` finds it; not part of a run's results, which do not
    /// depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_embed: Option<usize>,
    /// Embeddings without a direction, which lie at distance 1 from everything.
    pub zero_embeddings: usize,
    /// Features of the trust regression, in order.
    pub features: Vec<Missing>,
    /// Items with enough labels to be evaluated; `None` where there will be no evaluation.
    pub evaluated_items: Option<usize>,
    /// The reason for a missing evaluation and its remedy, in a sentence; the results have it in full elsewhere.
    #[serde(skip)]
    pub no_evaluation: Option<String>,
    /// What should be looked at before the results are used.
    pub warnings: Vec<String>,
}

/// What labels can be, under the key of the kind.
fn under_key<S: serde::Serializer>(scale: &Scale, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map([(scale.key(), scale)])
}

/// A feature and how many items lack it (known before labelled neighbours are searched).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// The feature.
    pub feature: String,
    /// Items without it; `None` for the features from labelled neighbours.
    pub missing: Option<usize>,
}

impl InputReport {
    /// Counts what a study has read.
    pub fn new(study: &Study) -> Self {
        let all: Vec<usize> = (0..study.len()).collect();
        let numbers = study.numbers();
        let features = study.relation().feature_columns(&all, &numbers, None);
        let mut sizes = vec![0; study.items.group_names().len()];
        study.items.group_numbers().iter().for_each(|&group| sizes[group] += 1);
        let groups = study.items.group_names().into_iter().map(str::to_owned).zip(sizes).collect();
        let zero = |row: ndarray::ArrayView1<f32>| row.iter().all(|x| *x == 0.0);
        let embeddings = study.embeddings.as_ref();
        let features: Vec<Missing> = features
            .iter()
            .map(|column| Missing {
                feature: column.name().to_owned(),
                missing: (!column.feature.is_distance())
                    .then(|| column.values.iter().filter(|value| value.is_none()).count()),
            })
            .collect();
        let zero_embeddings = embeddings.map_or(0, |m| m.rows().into_iter().filter(|row| zero(*row)).count());
        Self {
            title: study.file.config.title.clone(),
            criterion: study.file.config.criterion.clone(),
            scale: study.file.config.scale.clone(),
            seed: study.file.config.seed,
            items: study.len(),
            left_out: study.left_out.clone(),
            groups,
            columns: study.columns.clone(),
            notices: study.notices.clone(),
            variants: study.judge.variants.clone(),
            judge: study.judge.report.clone(),
            labels: study.labels.report(),
            judge_files: study.judge_files.clone(),
            dimensions: embeddings.map(|matrix| matrix.ncols()),
            to_embed: None,
            zero_embeddings,
            warnings: warnings(study, &numbers, features.len(), zero_embeddings),
            features,
            evaluated_items: evaluated_items(study).ok().map(|kept| kept.len()),
            no_evaluation: lacking_labels(study),
        }
    }
}

fn warnings(study: &Study, numbers: &[u32], features: usize, zero_embeddings: usize) -> Vec<String> {
    let [failed_answers, unknown_rows] = study.judge.unused();
    let unknown_rows = unknown_rows + study.labels.unknown_rows;
    let labelled = numbers.iter().filter(|n| **n > 0).count();
    let needed = 10 * (features + 1);
    let mut warnings = Vec::new();
    let mut warn = |wrong: bool, text: String| {
        if wrong {
            warnings.push(text);
        }
    };
    warn(
        !study.left_out.is_empty(),
        format!("{} items have no answer of the judge and are left out, with their labels", study.left_out.len()),
    );
    study.warnings.iter().for_each(|text| warn(true, text.clone()));
    warn(unknown_rows > 0, format!("{unknown_rows} rows of judge and labels belong to no item and are left out"));
    warn(
        failed_answers > 0,
        format!("{failed_answers} of the judge's answers are blank; they count as failed, not as labels"),
    );
    if !study.scale().is_numbers() {
        warnings_of_classes(study).into_iter().for_each(|text| warn(true, text));
    }
    if labelled == 0 {
        let rests = match &study.carried {
            Some(carried) => {
                let what = if study.carried_map.is_some() { "trust and map" } else { "trust" };
                format!("the {what} carried over from {:?} ({})", carried.study, carried.from)
            }
            None => "the prior alone (8 labels for every item)".to_owned(),
        };
        let text = format!(
            "no item has a label yet: parts and rankings rest on {rests}; send a first queue (`study queue`, by \
             default spread over the items) and add what comes back"
        );
        warn(true, text);
    }
    warn(
        (1..needed).contains(&labelled),
        format!(
            "{labelled} labelled items for {features} features: with fewer than ten per coefficient ({needed}) the \
             trust is uncertain; consider fewer features"
        ),
    );
    warn(
        labelled > 0 && numbers.iter().all(|n| *n < 2),
        "no item has two labels, and single labels do not tell trust from disagreement".to_owned(),
    );
    warn(zero_embeddings > 0, format!("{zero_embeddings} embeddings are zero vectors"));
    warnings
}

/// What should be looked at of a judge and of labels that are classes.
fn warnings_of_classes(study: &Study) -> Vec<String> {
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

/// Says by how much the floor under predicted probabilities raises the mean of a class, where it does by a tenth or
/// more.
fn lifted(study: &Study, classes: &[String]) -> Option<String> {
    let floored = &study.judge.predictions;
    let stated = study.judge.distributions().aggregate(None).ok()?.q;
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

/// A coefficient of the trust regression on both scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// The feature.
    pub feature: String,
    /// Change of ln lambda per standard deviation of the feature.
    pub per_sd: Estimate,
    /// Change of ln lambda per unit of the feature.
    pub per_unit: Estimate,
    /// Mean of the feature over the items that have it; others count as average.
    pub mean: f64,
    /// Its standard deviation over all items.
    pub sd: f64,
    /// Items without it.
    pub missing: usize,
    /// Whether the labels tell this coefficient from the others; without that it stays near 0 by convention.
    pub identified: bool,
}

/// The fitted trust.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct FitReport {
    /// What is believed of the trust before any label.
    pub prior: TrustPrior,
    /// What a prediction is worth for an item with average features, in labels; `None` where the labels do not bound it
    /// on both sides, or come from fewer than five annotators whose items overlap. Its interval, the estimate, is what the labels say without the prior on it
    /// ([`judge_uncertainty_core::belief::TrustProfile`]) if there is one; `value` is what the belief takes, its prior
    /// included.
    pub typical_trust: Option<Estimate>,
    /// Why the labels do not determine it, and what would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undetermined: Option<String>,
    /// What labels that do not determine it say all the same, in labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// Trust of another study, at which the prior is centred; `None` if the study does not start from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried: Option<Carried>,
    /// What the belief takes a prediction to be worth for an item with average features, determined or not.
    pub assumed_trust: f64,
    /// exp of ln lambda averaged over all items, in labels.
    pub labels_worth: f64,
    /// 5, 50 and 95 percentiles of lambda over items, in labels.
    pub trust_percentiles: [f64; 3],
    /// Standard deviation of ln lambda over items: how much trust varies.
    pub sd_log_trust: f64,
    /// The coefficients of the features.
    pub coefficients: Vec<Coefficient>,
    /// How labelled neighbours were found, in words; `None` without embeddings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<String>,
    /// Whether the fit converged.
    pub converged: bool,
    /// Newton steps.
    pub iterations: usize,
    /// Largest component of the gradient at the end.
    pub gradient_norm: f64,
    /// Log-likelihood, in nats.
    pub log_likelihood: f64,
    /// Items with labels.
    pub labelled_items: usize,
    /// Coefficients that the labels identify, intercept included.
    pub rank: usize,
    /// Coefficients that the labels do not tell from others.
    pub unidentified: Vec<String>,
    /// Labelled items whose trust lies beyond the limits of the likelihood, where it has some.
    pub at_limit: usize,
    /// What only such labels have.
    #[serde(flatten)]
    pub own: OwnFit,
}

impl FitReport {
    /// Reads the fit of a decomposition.
    ///
    /// # Errors
    /// The profile along the trust can't be had.
    pub fn new(study: &Study, decomposition: &Decomposition) -> Result<Self, Error> {
        let Decomposition { pool, fitted, .. } = decomposition;
        let profile = pool.typical_log_trust(&fitted.fit, &fitted.design, &pool.all())?;
        let prior = if profile.is_some() { TrustPrior::Weak } else { TrustPrior::None };
        let (typical_trust, undetermined, bounds) = match typical_trust(&study.labels, decomposition, profile.as_ref())
        {
            Ok(estimate) => (Some(estimate), None, None),
            Err((why, bounds)) => (None, Some(why), bounds),
        };
        let fit = decomposition.fitted.fit.regression();
        let errors = fit.standard_errors();
        let estimate = |k: usize| Estimate::new(fit.coefficients[k], errors[k]);
        let coefficients = decomposition.scales.iter().enumerate().map(|(k, scale)| Coefficient {
            feature: scale.name.clone(),
            per_sd: estimate(k + 1),
            per_unit: estimate(k + 1).scaled(1.0 / scale.sd),
            mean: scale.mean,
            sd: scale.sd,
            missing: scale.missing,
            identified: !fit.unidentified.contains(&scale.name),
        });
        let log_trust: Vec<f64> = decomposition.trust.iter().map(|trust| trust.ln()).collect();
        Ok(Self {
            prior,
            typical_trust,
            undetermined,
            bounds,
            carried: study.carried.clone(),
            assumed_trust: decomposition.assumed_trust(),
            labels_worth: mean(&log_trust).exp(),
            trust_percentiles: percentiles(&decomposition.trust, SPREAD),
            sd_log_trust: population_sd(&log_trust),
            coefficients: coefficients.collect(),
            neighbours: decomposition.neighbours.clone(),
            converged: fit.converged,
            iterations: fit.iterations,
            gradient_norm: fit.gradient_norm,
            log_likelihood: fit.log_likelihood,
            labelled_items: fit.labelled_items,
            rank: fit.rank,
            unidentified: fit.unidentified.clone(),
            at_limit: fit.at_limit,
            own: match (pool, &fitted.fit) {
                (LabelPool::Ratings(pool), Fit::Ratings(fit)) => {
                    OwnFit::Ratings(ScoreFit::new(fit, &study.items.group_names(), pool.judge()))
                }
                _ => OwnFit::Classes(ClassFit::new(study, decomposition)),
            },
        })
    }
}

/// Means over a group of items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupReport {
    /// Items.
    pub items: usize,
    /// Labels per item.
    pub labels: f64,
    /// exp of the mean of ln lambda: what a prediction is worth there, in labels.
    pub trust: f64,
    /// Total uncertainty about a fresh label, in the unit of the study's decomposition.
    pub total: f64,
    /// Its aleatoric part.
    pub aleatoric: f64,
    /// Its epistemic part.
    pub epistemic: f64,
}

fn groups(study: &Study, decomposition: &Decomposition) -> BTreeMap<String, GroupReport> {
    let (names, numbers) = (study.items.group_names(), study.items.group_numbers());
    // The last is that of all.
    let mut groups = vec![GroupReport::default(); names.len() + 1];
    let parts = [
        decomposition.map(|belief| belief.total()),
        decomposition.map(|belief| belief.aleatoric()),
        decomposition.map(|belief| belief.epistemic()),
    ];
    for i in 0..decomposition.len() {
        for group in [Some(names.len()), numbers.get(i).copied()].into_iter().flatten() {
            let group = &mut groups[group];
            group.items += 1;
            group.labels += f64::from(decomposition.numbers[i]);
            group.trust += decomposition.trust[i].ln();
            let sums = [&mut group.total, &mut group.aleatoric, &mut group.epistemic];
            sums.into_iter().zip(&parts).for_each(|(sum, part)| *sum += part[i]);
        }
    }
    for group in &mut groups {
        let items = group.items as f64;
        for sum in [&mut group.labels, &mut group.trust, &mut group.total, &mut group.aleatoric, &mut group.epistemic] {
            *sum /= items;
        }
        group.trust = group.trust.exp();
    }
    names.into_iter().chain([""]).map(str::to_owned).zip(groups).filter(|(_, group)| group.items > 0).collect()
}

impl StudyResults {
    /// Puts the results together; hypotheses of a registration are judged, and a queue and further labels are planned as
    /// [`Answer::new`] has it.
    ///
    /// # Errors
    /// The decomposition without the added labels, with which that of all labels is compared, can't be had.
    pub fn new(
        study: &Study,
        decomposition: &Decomposition,
        evaluation: EvaluationOutcome,
        registration: Option<&Registration>,
        planned: (Amount, Option<f64>),
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let answer = Answer::new(study, decomposition, planned)?;
        let registered = registration.map(|registration| Registered::new(registration, study, &answer));
        let held_out = HeldOutReport::new(study, decomposition);
        Ok(Self {
            schema: SCHEMA,
            answer,
            kind: study.scale().name(),
            held_out,
            input: InputReport::new(study),
            fit: FitReport::new(study, decomposition)?,
            groups: groups(study, decomposition),
            items: ItemSample::new(decomposition),
            evaluation,
            movement: Movement::new(study, decomposition, progress)?,
            registered,
            findings: OwnFindings::new(study, decomposition),
        })
    }
}

/// Where the files of a run folder come from. It is the folder's [`Record`], so that the folder is known as ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyManifest {
    /// Version of the layout.
    pub schema: u32,
    /// Version of this program.
    pub program: String,
    /// SHA-256 of the configuration.
    pub study_sha256: String,
    /// SHA-256 of every input file, by path as seen from the configuration's folder or as it was named.
    pub inputs: BTreeMap<String, String>,
    /// The judge's logs among them, or those that they were made from: tool and version as each states them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub logs: BTreeMap<String, LogFile>,
    /// The configuration, defaults filled in.
    pub settings: serde_json::Value,
    /// Facts about the run that do not influence the results.
    pub run: Run,
    /// Every file of the folder.
    pub files: Vec<String>,
}

impl StudyManifest {
    /// The manifest of a run.
    pub fn new(study: &Study, run: Run) -> Self {
        let settings = study.file.config.clone().filled();
        Self {
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            study_sha256: study.file.sha256.clone(),
            inputs: study.inputs.sums().clone(),
            logs: study.inputs.logs(&study.file.folder()),
            settings: serde_json::to_value(settings).expect("a configuration is plain data with string keys"),
            run,
            files: vec![],
        }
    }
}

impl Record for StudyManifest {
    const FILE: &'static str = MANIFEST;
    const KEY: &'static str = "study_sha256";

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

// Whether a study's labels determine how far the judge is to be trusted, and if not, what they do say and why not
// more.

/// Without a prior, trust is not estimable if more than this share of the labelled items lie at a limit of it.
const MOST_AT_LIMIT: f64 = 0.1;

/// What labels say that do not determine the trust: bounds of the 95% interval, where they give one, in labels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The lower end; `None` where the labels do not rule out that a prediction is worth nothing.
    pub at_least: Option<f64>,
    /// The upper end; `None` where they do not rule out that it is worth any number of labels.
    pub at_most: Option<f64>,
}

/// What a prediction is worth for an item with average features, in labels; or why the labels do not tell, and what
/// they say all the same. Fits without a prior have no profile.
///
/// The likelihood takes an item's labels for draws from everybody's answers. If the same few people gave them all, they
/// vary by less (a lenient and a strict annotator cancel) or by more than such draws, whatever the judge is worth: of 100
/// simulated studies with one lenient and one strict annotator, 85 had the interval above the true trust. With fewer
/// than [`LEAST_ANNOTATORS`] people whose items overlap there is none.
pub(crate) fn typical_trust(
    labels: &Labels,
    decomposition: &Decomposition,
    profile: Option<&TrustProfile>,
) -> Result<Estimate, (String, Option<Bounds>)> {
    if let Some(few) = labels.overlapping_annotators().filter(|n| (1..LEAST_ANNOTATORS).contains(n)) {
        let why = format!(
            "all labels of items with two or more labels come from {few} annotators, who may differ from each other by \
             more or less than people do in general; let at least {LEAST_ANNOTATORS} people label items that others \
             label, too"
        );
        return Err((why, None));
    }
    let fit = decomposition.fitted.fit.regression();
    let log_trust = Estimate::new(fit.coefficients[0], fit.standard_errors()[0]);
    let interval = profile.and_then(TrustProfile::interval);
    match (profile, interval) {
        (_, Some(Interval { lo, hi })) => Ok(Estimate { lo, hi, ..log_trust }.exp()),
        (None, _) if identified(fit) => Ok(log_trust.exp()),
        _ => Err((why(fit, &decomposition.numbers, profile), profile.and_then(bounds))),
    }
}

fn bounds(profile: &TrustProfile) -> Option<Bounds> {
    let of = |end: Option<f64>| end.map(f64::exp);
    let bounds = Bounds { at_least: of(profile.at_least), at_most: of(profile.at_most) };
    (bounds != Bounds { at_least: None, at_most: None }).then_some(bounds)
}

fn identified(fit: &Regression) -> bool {
    let at_limit = fit.at_limit as f64 > MOST_AT_LIMIT * fit.labelled_items as f64;
    fit.converged && !at_limit && fit.unidentified.iter().all(|name| name != "intercept")
}

fn why(fit: &Regression, numbers: &[u32], profile: Option<&TrustProfile>) -> String {
    let labelled = fit.labelled_items;
    if labelled == 0 {
        return "no item has a label yet; send a first queue (`study queue`) and have its items labelled twice or more"
            .to_owned();
    }
    if numbers.iter().all(|n| *n < 2) {
        "no item has two labels, and single labels do not tell a judge that is ignorant from experts who disagree; \
         have some items labelled twice or more"
            .to_owned()
    } else if fit.at_limit > 0 {
        format!(
            "{} of {labelled} labelled items are at a limit of the trust; take a prior (`prior = \"weak\"` in \
             [trust]), fewer features or more items with two labels",
            fit.at_limit
        )
    } else if !fit.converged {
        format!("the search did not converge in {} steps; take fewer features, or a prior", fit.iterations)
    } else {
        let twice = numbers.iter().filter(|n| **n > 1).count();
        let items = if labelled == 1 { "item" } else { "items" };
        format!(
            "the labels ({labelled} labelled {items}, {twice} of them with two labels or more) {}; have more items \
             labelled twice or more",
            profile.map_or("do not bound it", missing)
        )
    }
}

/// What the labels of a fit under a prior leave open.
fn missing(profile: &TrustProfile) -> &'static str {
    match (profile.at_least, profile.at_most) {
        (Some(_), None) => "do not bound it above, for they vary about the predictions hardly more than by chance",
        (None, Some(_)) => "do not bound it below, for those of an item hardly ever differ",
        (None, None) => "bound it neither below nor above",
        (Some(_), Some(_)) => "contradict the prior",
    }
}

// The last run of a study, where it read what the study reads now: a queue goes on from its numbers.

/// The folder of a run that read what the study reads now.
#[derive(Debug)]
pub struct LastRun(PathBuf);

/// What was read; `None` of a file that is missing or damaged.
///
/// # Errors
/// It is there and can't be read.
fn if_whole<T>(read: Read<T>) -> Read<Option<T>> {
    match read {
        Err(Unreadable { file, source }) if source.kind() != ErrorKind::NotFound => Err(Unreadable { file, source }),
        other => Ok(other.ok()),
    }
}

impl LastRun {
    /// The run in the folder `run` beside the study.toml; `None` where there is none, or where it is of another
    /// program, or configuration or any input have changed since.
    ///
    /// # Errors
    /// Its manifest is there and can't be read.
    pub fn find(study: &Study) -> Result<Option<Self>, FileError> {
        let folder = study.file.resolve(Path::new("run"));
        let file = folder.join(MANIFEST);
        let manifest = read::bytes_if_there(&file).map_err(FileError::at(&file, "reading"))?;
        let manifest = manifest.and_then(|text| serde_json::from_slice::<StudyManifest>(&text).ok());
        let same = |manifest: StudyManifest| {
            manifest.program == env!("CARGO_PKG_VERSION")
                && (&manifest.inputs, &manifest.study_sha256) == (study.inputs.sums(), &study.file.sha256)
        };
        Ok(manifest.is_some_and(same).then_some(Self(folder)))
    }

    /// Its decomposition, to the last bit, without fitting or searching anything; `None` where its files are not whole.
    ///
    /// # Errors
    /// As [`Decomposition::new`]; a file of the run is there and can't be read.
    pub fn decomposition(&self, study: &Study) -> Result<Option<Decomposition>, Error> {
        let Some(belief) = if_whole(BeliefFile::read(&self.0.join(BELIEF)))? else { return Ok(None) };
        let Some(near) = if_whole(self.near(study))? else { return Ok(None) };
        let all: Vec<usize> = (0..study.len()).collect();
        let pool = study.pool(&study.labels, &all);
        let found = Decomposition::near(study, &all, pool, near.as_ref(), Some(belief.fit))?;
        let scale = |name: &str, mean: f64, sd: f64, missing: usize| (name.to_owned(), mean, sd, missing);
        // The features are those of the fit, so nobody has changed the table of items.
        let here = found.scales.iter().map(|of| scale(&of.name, of.mean, of.sd, of.missing));
        let there = belief.features.iter().map(|of| scale(&of.name, of.mean, of.sd, of.missing));
        Ok((belief.inputs == study.relative_inputs() && here.eq(there)).then_some(found))
    }

    /// How near every item is to the labelled ones, as the table of items has it; `None` for a study whose trust does
    /// not depend on it.
    fn near(&self, study: &Study) -> Read<Option<FamiliarityFeatures>> {
        if !study.features.iter().any(Feature::is_distance) {
            return Ok(None);
        }
        let wanted =
            [Feature::NearestLabelled, Feature::MeanNearestLabelled].map(|of: Feature| feature_column(of.name()));
        let mut rows = source::open(&self.0.join("items.parquet"), "id")?;
        let mut near = FamiliarityFeatures { nearest: vec![], mean_nearest: vec![] };
        while let Some(batch) = rows.next(&wanted, usize::MAX)? {
            for (of, name) in [&mut near.nearest, &mut near.mean_nearest].into_iter().zip(&wanted) {
                if let Ok(column) = batch.table.column(name) {
                    let values = batch.table.rows().map(|row| row.optional_number(column).ok().flatten());
                    of.extend(values);
                }
            }
        }
        near.nearest.resize(study.len(), None);
        near.mean_nearest.resize(study.len(), None);
        Ok(Some(near))
    }
}
