//! Classes as a kind of label.

use std::path::Path;

use super::config::{self, ClassKind, JudgeConfig, LabelsConfig};
use super::diagnostics::JudgeDiagnostics;
use super::reports::{self, ClassFindings, ClassFit};
use super::saved;
use super::soft_scores::SoftScores;
use crate::input::check::Check;
use crate::input::config::{Configured, StudyConfig};
use crate::input::labels::Labels;
use crate::input::question::LabelValue;
use crate::model::carried_map::CarriedMap;
use crate::model::kind::{CameBack, Decomposition, Estimand, Kind, KindFacts, Study};
use crate::registration::hypothesis::Measure;
use crate::results::evidence::EvidenceReport;
use crate::results::profile::Profile;
use judge_uncertainty_core::belief::{Belief, BeliefModel, Mixture};
use judge_uncertainty_core::escalation::{Observed, Rule};
use judge_uncertainty_evaluation::{CountPool, Nominal};
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::output::OutputColumn;

/// Labels that are one of several classes: `classes = ["yes", "no"]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classes;

impl Configured for Classes {
    const KEY: &'static str = "classes";
    type Scale = Vec<String>;
    type JudgeConfig = JudgeConfig;
    type LabelsConfig = LabelsConfig;
}

impl ClassKind for Classes {
    type OnScale = Nominal;

    fn classes(scale: &Vec<String>) -> &[String] {
        scale
    }

    fn on_scale(_: &Vec<String>) -> Nominal {
        Nominal
    }
}

impl Kind for Classes {
    const FACTS: KindFacts = KindFacts {
        on_scale: false,
        name: "classes",
        labels: "classes",
        ranked_by: |row| row.classes,
        limits_trust: true,
        reference: Rule::JudgeEntropy,
        measures: &[Measure::Value, Measure::SelectiveError, Measure::SelectiveSquaredError],
        agreement: "cohen",
    };

    type Pool = CountPool;
    type FitReport = ClassFit;
    type Findings = ClassFindings;
    type Diagnostics = JudgeDiagnostics;

    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()> {
        config::check(config, check)
    }

    fn fill(config: &mut StudyConfig<Self>) {
        config.judge.floor = Some(config.judge.floor(config.scale.len()));
    }

    fn carried_map(study: &Study<Self>, path: &Path, bytes: &[u8]) -> Result<Option<CarriedMap>> {
        saved::carried_map(study, path, bytes)
    }

    fn pool(study: &Study<Self>, labels: &Labels, kept: &[usize]) -> CountPool {
        reports::pool(study, labels, kept)
    }

    fn with_belief(pool: CountPool, model: BeliefModel, groups: Vec<usize>) -> CountPool {
        pool.with_belief(model, groups)
    }

    /// Stated confidence ranks only where some item has one, and the rules beyond the paper come with the belief beyond
    /// it.
    fn rules(study: &Study<Self>) -> Vec<Rule> {
        let confidence = study.judge.confidence.iter().any(Option::is_some);
        let beyond = study.file.config.trust.belief.is_beyond_the_paper();
        let mut rules = Rule::those(Self::FACTS.ranked_by);
        rules.retain(|rule| (confidence || *rule != Rule::LowConfidence) && (beyond || rule.row().published));
        rules
    }

    fn warnings(study: &Study<Self>) -> Vec<String> {
        reports::warnings(study)
    }

    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ClassFit {
        ClassFit::new(study, decomposition)
    }

    fn findings(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ClassFindings {
        let profile = study.file.config.judge.metric_profile;
        ClassFindings {
            evidence: EvidenceReport::new(decomposition).expect("classes are ranked by entropy"),
            soft_scores: profile.map(|profile| SoftScores::new(&study.judge.answers, &study.labels, profile)),
        }
    }

    fn diagnostics(study: &Study<Self>, kept: &[usize], noise_ceiling: f64) -> JudgeDiagnostics {
        JudgeDiagnostics::new(study, kept, noise_ceiling)
    }

    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        let part = |name: &str, unit: &'static str, meaning: &str, of: fn(Mixture<'_>) -> f64| {
            OutputColumn::numbers(name, unit, meaning, decomposition.map(of))
        };
        let parts = vec![
            part(
                "total",
                "nats, 0 to ln K",
                "Total uncertainty about a fresh label: entropy of the posterior mean = aleatoric + epistemic",
                |b| b.total(),
            ),
            part("aleatoric", "nats", "Aleatoric part: disagreement that labels cannot reduce", |b| b.aleatoric()),
            part(
                "epistemic",
                "nats",
                "Epistemic part: what one further label tells about the label distribution",
                |b| b.epistemic(),
            ),
            part("v", "0 to 1", "Posterior spread: expected squared error of the posterior mean", |b| b.spread()),
            part("delta", "0 to 1", "One-label value Delta: how much one label is expected to lower v", |b| {
                b.label_value()
            }),
        ];
        reports::columns(study, decomposition, parts)
    }

    fn came_back(before: &Decomposition<Self>, labels: &Labels) -> Vec<Option<CameBack>> {
        reports::came_back(
            &before.fitted.beliefs,
            &labels.counts_of(|label| label.batch.is_some()),
            |belief| belief.gini(),
            reports::squared_error,
        )
    }

    fn prediction(study: &Study<Self>, item: usize) -> String {
        study.file.config.scale[reports::likeliest(&study.judge.answers, item)].clone()
    }

    fn against_judge(study: &Study<Self>, item: usize, label: LabelValue) -> f64 {
        f64::from(u8::from(label == LabelValue::Class(reports::likeliest(&study.judge.answers, item))))
    }

    fn profile(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize) -> Profile {
        reports::profile(study, &decomposition.fitted.beliefs, item)
    }

    fn fresh_label(_study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize, u: f64) -> Vec<f64> {
        reports::fresh_class(&decomposition.fitted.beliefs, item, u)
    }

    fn quantities(scale: &Vec<String>) -> Vec<Estimand> {
        reports::share_quantities(scale).collect()
    }

    fn observed(_study: &Study<Self>, labels: &Labels) -> Vec<Vec<Option<Observed>>> {
        reports::added_shares(&labels.counts)
    }
}
