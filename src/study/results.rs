//! The results of a run, in full precision, and what its manifest states.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::decompose::{Decomposition, EvidenceReport, FitReport};
use super::evaluation::{Outcome, evaluated_items};
use super::movement::Movement;
use super::registered::Registered;
use super::sample::ItemSample;
use super::soft_scores::SoftScores;
use super::{JudgeReport, LabelsReport, Study};
use crate::belief::{Belief, BeliefTable};
use crate::escalation::Rule;
use crate::output::{MANIFEST, Record, Run};

/// Version of the layout of the results.
pub const SCHEMA: u32 = 1;
/// Name of the results within a run folder.
pub const FILE: &str = "results/study.json";

/// Everything that a run reports besides the table of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyResults {
    /// Version of the layout.
    pub schema: u32,
    /// What was read.
    pub input: InputReport,
    /// The fitted trust.
    pub fit: FitReport,
    /// Whether entropy would rank well here.
    pub evidence: EvidenceReport,
    /// Means over the items of each group, and of all (`""`).
    pub groups: BTreeMap<String, GroupReport>,
    /// Both parts of the items that figures show, with what the epistemic part and the judge's entropy escalate.
    pub items: ItemSample,
    /// What escalation achieves, where labels suffice.
    pub evaluation: Outcome,
    /// The judge by the metrics of a shared task; `None` without a profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_scores: Option<SoftScores>,
    /// What labels moved that came back from a queue; `None` without any.
    pub movement: Option<Movement>,
    /// The evaluation held against its registration; `None` without one, and everything is exploratory.
    pub registered: Option<Registered>,
}

/// What was read, before anything is computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputReport {
    /// What the study is called.
    pub title: String,
    /// Seed of all draws.
    pub seed: u64,
    /// Items.
    pub items: usize,
    /// Items left out because the judge has no answer for them.
    pub left_out: Vec<String>,
    /// Groups with their sizes; none without a column of groups.
    pub groups: BTreeMap<String, usize>,
    /// The classes.
    pub classes: Vec<String>,
    /// Names of the judge's variants.
    pub variants: Vec<String>,
    /// What was found in the judge's file.
    pub judge: JudgeReport,
    /// What was found in the file of labels.
    pub labels: LabelsReport,
    /// Width of the embeddings; `None` without them.
    pub dimensions: Option<usize>,
    /// Texts that the next run has to embed first, as `study check` finds it; not part of a run's results, which do not
    /// depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_embed: Option<usize>,
    /// Embeddings without a direction, which lie at distance 1 from everything.
    pub zero_embeddings: usize,
    /// Features of the trust regression, in order.
    pub features: Vec<Missing>,
    /// Items with enough labels to be evaluated; `None` where there will be no evaluation.
    pub evaluated_items: Option<usize>,
    /// What should be looked at before the results are used.
    pub warnings: Vec<String>,
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
    /// Total uncertainty, in nats.
    pub total: f64,
    /// Its aleatoric part.
    pub aleatoric: f64,
    /// Its epistemic part.
    pub epistemic: f64,
}

fn groups(study: &Study, decomposition: &Decomposition) -> BTreeMap<String, GroupReport> {
    let mut groups: BTreeMap<String, GroupReport> = BTreeMap::new();
    for (i, belief) in decomposition.beliefs.iter().enumerate() {
        let own = study.items.groups.as_ref().map(|groups| groups[i].as_str());
        for name in [Some(""), own].into_iter().flatten() {
            let group = groups.entry(name.to_owned()).or_default();
            group.items += 1;
            group.labels += f64::from(decomposition.numbers[i]);
            group.trust += decomposition.trust[i].ln();
            group.total += belief.total();
            group.aleatoric += belief.aleatoric();
            group.epistemic += belief.epistemic();
        }
    }
    for group in groups.values_mut() {
        let items = group.items as f64;
        for sum in [&mut group.labels, &mut group.trust, &mut group.total, &mut group.aleatoric, &mut group.epistemic] {
            *sum /= items;
        }
        group.trust = group.trust.exp();
    }
    groups
}

fn sample(study: &Study, decomposition: &Decomposition) -> ItemSample {
    let inputs = decomposition.rule_inputs(study);
    let parts = |i: usize| {
        let belief = decomposition.beliefs.get(i);
        [belief.aleatoric(), belief.epistemic()]
    };
    let scores = [Rule::Info, Rule::JudgeEntropy].map(|rule| (rule, rule.priority(&inputs)));
    ItemSample::of(&decomposition.random, &decomposition.jitter, parts, scores.into())
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
    pub fn of(study: &Study) -> Self {
        let all: Vec<usize> = (0..study.len()).collect();
        let features = study.feature_columns(&all, &study.numbers(), None);
        let mut groups = BTreeMap::new();
        for group in study.items.groups.iter().flatten() {
            *groups.entry(group.clone()).or_insert(0) += 1;
        }
        let zero = |row: ndarray::ArrayView1<f32>| row.iter().all(|x| *x == 0.0);
        let mut report = Self {
            title: study.file.config.title.clone(),
            seed: study.file.config.seed,
            items: study.len(),
            left_out: study.left_out.clone(),
            groups,
            classes: study.labels.counts.classes().to_vec(),
            variants: study.judge.variants().to_vec(),
            judge: study.judge_report.clone(),
            labels: study.labels.report.clone(),
            dimensions: study.embeddings.as_ref().map(|matrix| matrix.ncols()),
            to_embed: None,
            zero_embeddings: study
                .embeddings
                .as_ref()
                .map_or(0, |m| m.rows().into_iter().filter(|row| zero(*row)).count()),
            features: features
                .iter()
                .map(|column| Missing {
                    feature: column.name.clone(),
                    missing: (!column.name.ends_with("nearest_labelled"))
                        .then(|| column.values.iter().filter(|value| value.is_none()).count()),
                })
                .collect(),
            evaluated_items: evaluated_items(study).ok().map(|kept| kept.len()),
            warnings: vec![],
        };
        report.warnings = report.warnings(study);
        report
    }

    fn warnings(&self, study: &Study) -> Vec<String> {
        let mut warnings = Vec::new();
        let mut warn = |wrong: bool, text: String| {
            if wrong {
                warnings.push(text);
            }
        };
        let (judge, labels) = (&self.judge, &self.labels);
        warn(
            !self.left_out.is_empty(),
            format!("{} items have no answer of the judge and are left out", self.left_out.len()),
        );
        let unknown = judge.unknown_rows + labels.unknown_rows;
        warn(unknown > 0, format!("{unknown} rows of judge and labels belong to no item and are left out"));
        warn(
            judge.failed_answers > 0,
            format!("{} of the judge's answers are blank; they count as failed, not as labels", judge.failed_answers),
        );
        if let Some(mass) = judge.mass {
            warn(
                mass.warned > 0,
                format!(
                    "{} of the judge's answers put less than {} of their probability on the classes (least {:.3}); they \
                     are scaled up, but say little",
                    mass.warned, study.file.config.judge.least_mass, mass.least
                ),
            );
        }
        let unused: Vec<&str> = labels
            .per_class
            .iter()
            .zip(&self.classes)
            .filter(|(n, _)| **n == 0)
            .map(|(_, class)| class.as_str())
            .collect();
        warn(!unused.is_empty(), format!("no label says {}", unused.join(", ")));
        let needed = 10 * (self.features.len() + 1);
        warn(
            labels.labelled_items < needed,
            format!(
                "{} labelled items for {} features: with fewer than ten per coefficient ({needed}) the trust is uncertain; \
                 consider fewer features",
                labels.labelled_items,
                self.features.len()
            ),
        );
        warn(
            labels.most_labels < 2,
            "no item has two labels, and single labels do not tell trust from disagreement".to_owned(),
        );
        warn(self.zero_embeddings > 0, format!("{} embeddings are zero vectors", self.zero_embeddings));
        warnings
    }
}

impl StudyResults {
    /// Puts the results together.
    pub fn new(study: &Study, decomposition: &Decomposition, evaluation: Outcome) -> Self {
        Self {
            schema: SCHEMA,
            input: InputReport::of(study),
            fit: FitReport::of(study, decomposition),
            evidence: EvidenceReport::of(study, decomposition),
            groups: groups(study, decomposition),
            items: sample(study, decomposition),
            evaluation,
            soft_scores: study.file.config.judge.metric_profile.map(|profile| SoftScores::of(study, profile)),
            movement: None,
            registered: None,
        }
    }
}

/// Where the files of a run folder come from; the folder's record.
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
    /// The configuration, defaults filled in.
    pub settings: serde_json::Value,
    /// Facts about the run that do not influence the results.
    pub run: Run,
    /// Every file of the folder.
    pub files: Vec<String>,
}

impl Record for StudyManifest {
    const FILE: &'static str = MANIFEST;

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

impl StudyManifest {
    /// The manifest of a run.
    pub fn new(study: &Study, run: Run) -> Self {
        let mut settings = study.file.config.clone();
        settings.judge.floor = Some(settings.floor());
        Self::of(&settings, &study.file.sha256, study.inputs.sums().clone(), run)
    }

    /// The manifest of a run with these settings and inputs.
    pub fn of<C: Serialize>(settings: &C, sha256: &str, inputs: BTreeMap<String, String>, run: Run) -> Self {
        Self {
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            study_sha256: sha256.to_owned(),
            inputs,
            settings: serde_json::to_value(settings).expect("a configuration is plain data with string keys"),
            run,
            files: vec![],
        }
    }
}
