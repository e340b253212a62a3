//! Ordinal ratings as a kind of label.

use std::path::Path;

use ndarray::ArrayView1;
use serde::Serialize;

use super::diagnostics::OrdinalDiagnostics;
use super::scale::{OnPlaces, Places};
use crate::input::check::Check;
use crate::input::config::{Configured, StudyConfig};
use crate::input::labels::Labels;
use crate::input::question::LabelValue;
use crate::kinds::classes::config::{self, ClassKind, JudgeConfig, LabelsConfig};
use crate::kinds::classes::reports::{self, ClassFit};
use crate::kinds::classes::saved;
use crate::kinds::classes::soft_scores::SoftScores;
use crate::model::carried_map::CarriedMap;
use crate::model::kind::{CameBack, Decomposition, Estimand, Kind, KindFacts, Study};
use crate::registration::hypothesis::Measure;
use crate::results::evidence::EvidenceReport;
use crate::results::parts::PartAverages;
use crate::results::profile::Profile;
use judge_uncertainty_core::belief::dirichlet::row;
use judge_uncertainty_core::belief::{self, Belief, BeliefModel, mean_place};
use judge_uncertainty_core::escalation::{Observed, Rule};
use judge_uncertainty_evaluation::CountPool;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::output::OutputColumn;

/// Labels that are places on a scale: `places = [1, 2, 3, 4, 5]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ordinal;

/// What the decomposition says besides the parts of every item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrdinalFindings {
    /// Averages over all items, in squared units of the scale.
    pub decomposition: PartAverages,
    /// Whether total uncertainty would rank well here.
    pub evidence: EvidenceReport,
    /// The judge by the metrics of a shared task; `None` without a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_scores: Option<SoftScores>,
}

impl Configured for Ordinal {
    const KEY: &'static str = "places";
    type Scale = Places;
    type JudgeConfig = JudgeConfig;
    type LabelsConfig = LabelsConfig;
}

impl ClassKind for Ordinal {
    type OnScale = OnPlaces;

    fn classes(scale: &Places) -> &[String] {
        &scale.names
    }

    fn on_scale(scale: &Places) -> OnPlaces {
        OnPlaces(scale.places.clone())
    }
}

impl Kind for Ordinal {
    const FACTS: KindFacts = KindFacts {
        on_scale: true,
        name: "ordinal",
        labels: "ordinal ratings",
        ranked_by: |row| row.ordinal,
        limits_trust: true,
        reference: Rule::JudgeEntropy,
        measures: &Measure::ALL,
        agreement: "cohen_quadratic",
    };

    type Pool = CountPool<OnPlaces>;
    type FitReport = ClassFit;
    type Findings = OrdinalFindings;
    type Diagnostics = OrdinalDiagnostics;

    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()> {
        config.scale.check(Self::KEY, check)?;
        config::check(config, check)
    }

    fn fill(config: &mut StudyConfig<Self>) {
        config.judge.floor = Some(config.judge.floor(config.scale.names.len()));
    }

    fn carried_map(study: &Study<Self>, path: &Path, bytes: &[u8]) -> Result<Option<CarriedMap>> {
        saved::carried_map(study, path, bytes)
    }

    fn pool(study: &Study<Self>, labels: &Labels, kept: &[usize]) -> CountPool<OnPlaces> {
        reports::pool(study, labels, kept)
    }

    fn with_belief(pool: CountPool<OnPlaces>, model: BeliefModel, groups: Vec<usize>) -> CountPool<OnPlaces> {
        pool.with_belief(model, groups)
    }

    /// Stated confidence ranks only where some item has one.
    fn rules(study: &Study<Self>) -> Vec<Rule> {
        let confidence = study.judge.confidence.iter().any(Option::is_some);
        let mut rules = Rule::those(Self::FACTS.ranked_by);
        rules.retain(|rule| confidence || *rule != Rule::LowConfidence);
        rules
    }

    fn warnings(study: &Study<Self>) -> Vec<String> {
        reports::warnings(study)
    }

    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ClassFit {
        ClassFit::new(study, decomposition)
    }

    fn findings(study: &Study<Self>, decomposition: &Decomposition<Self>) -> OrdinalFindings {
        let profile = study.file.config.judge.metric_profile;
        OrdinalFindings {
            decomposition: PartAverages::new(decomposition, None),
            evidence: EvidenceReport::new(decomposition).expect("ordinal ratings are ranked by total uncertainty"),
            soft_scores: profile.map(|profile| SoftScores::new(&study.judge.answers, &study.labels, profile)),
        }
    }

    fn diagnostics(study: &Study<Self>, kept: &[usize], noise_ceiling: f64) -> OrdinalDiagnostics {
        OrdinalDiagnostics::new(study, kept, noise_ceiling)
    }

    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        const PLACE: &str = "units of the scale";
        const SQUARE: &str = "squared units of the scale";
        let part = |name: &str, unit: &'static str, meaning: &str, of: fn(belief::Ordinal<'_>) -> f64| {
            OutputColumn::numbers(name, unit, meaning, decomposition.map(of))
        };
        let parts = vec![
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
        ];
        reports::columns(study, decomposition, parts)
    }

    fn came_back(before: &Decomposition<Self>, labels: &Labels) -> Vec<Option<CameBack>> {
        let beliefs = &before.fitted.beliefs;
        let error = |alpha: &[f64], label: usize| {
            let total: f64 = alpha.iter().sum();
            let mean: Vec<f64> = alpha.iter().map(|a| a / total).collect();
            (beliefs.places()[label] - mean_place(&mean, beliefs.places())).powi(2)
        };
        reports::came_back(beliefs, &labels.counts_of(|label| label.batch.is_some()), |belief| belief.total(), error)
    }

    fn prediction(study: &Study<Self>, item: usize) -> String {
        study.file.config.scale.names[reports::likeliest(&study.judge.answers, item)].clone()
    }

    fn against_judge(study: &Study<Self>, item: usize, label: LabelValue) -> f64 {
        let LabelValue::Class(class) = label else { return f64::NAN };
        let places = &study.file.config.scale.places;
        places[class] - mean_place(row(study.judge.answers.predictions.q.row(item)), places)
    }

    fn profile(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize) -> Profile {
        reports::profile(study, &decomposition.fitted.beliefs, item)
    }

    fn fresh_label(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize, u: f64) -> Vec<f64> {
        let class = reports::fresh_class(&decomposition.fitted.beliefs, item, u);
        let place = mean_place(&class, &study.file.config.scale.places);
        std::iter::once(place).chain(class).collect()
    }

    fn quantities(scale: &Places) -> Vec<Estimand> {
        let lowest = scale.places.first().copied().unwrap_or_default();
        let place = Estimand { name: "mean_place".to_owned(), range: (lowest, lowest + scale.width()) };
        std::iter::once(place).chain(reports::share_quantities(&scale.names)).collect()
    }

    fn observed(study: &Study<Self>, labels: &Labels) -> Vec<Vec<Option<Observed>>> {
        let places = &study.file.config.scale.places;
        let counts = &labels.counts;
        let place = |counts: ArrayView1<u32>| {
            let n: u32 = counts.sum();
            let sum = |k: i32| counts.iter().zip(places).map(|(&c, s)| f64::from(c) * s.powi(k)).sum::<f64>();
            let mean = sum(1) / f64::from(n);
            (n > 0).then(|| Observed::from_labels(n, mean, (sum(2) - sum(1) * mean).max(0.0)))
        };
        let of_places = counts.rows().into_iter().map(place).collect();
        std::iter::once(of_places).chain(reports::added_shares(counts)).collect()
    }
}
