//! Classes as a kind of label.

use ndarray::ArrayView2;

use super::config::{self, ClassKind, JudgeConfig, LabelsConfig};
use super::diagnostics::JudgeDiagnostics;
use super::judge::{self, Answers, ClassJudge, JudgeReport};
use super::labels::{self, Labels, LabelsReport};
use super::reports::{self, ClassFindings, ClassFit};
use super::soft_scores::SoftScores;
use crate::belief::{Belief, BeliefModel, Dirichlet};
use crate::dataset::error::{Error, Problem, Result};
use crate::escalation::Rule;
use crate::evaluation::{CountPool, Nominal};
use crate::study::evidence::EvidenceReport;
use crate::study::hypothesis::Measure;
use crate::study::input::check::Check;
use crate::study::input::config::{Configured, StudyConfig, StudyFile};
use crate::study::input::items::Items;
use crate::study::input::log::{LabelLog, NewLabel};
use crate::study::input::source::Source;
use crate::study::intake::Known;
use crate::study::kind::{Added, CameBack, Decomposition, Kind, LeftOutRows, Study};
use crate::study::output::OutputColumn;
use crate::study::queue::Question;

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
    const NAME: &'static str = "classes";
    const LABELS: &'static str = "classes";
    const RANKED_BY: &'static [Rule] = &Rule::OF_CLASSES;
    const REPEATS: bool = false;
    const REFERENCE: Rule = Rule::JudgeEntropy;
    const MEASURES: &'static [Measure] =
        &[Measure::Value, Measure::SelectiveError, Measure::SelectiveSquaredError];

    type Answers = Answers;
    type Judge = ClassJudge;
    type Labels = Labels;
    type Pool = CountPool;
    type JudgeReport = JudgeReport;
    type LabelsReport = LabelsReport;
    type FitReport = ClassFit;
    type Findings = ClassFindings;
    type Diagnostics = JudgeDiagnostics;

    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()> {
        config::check(config, check)
    }

    fn fill(config: &mut StudyConfig<Self>) {
        config.judge.floor = Some(config.judge.floor(config.scale.len()));
    }

    fn read_judge(file: &StudyFile<Self>, items: &Items, source: &mut Source) -> Result<Answers> {
        judge::read(file, items, source)
    }

    fn is_answered(answers: &Answers, item: usize) -> bool {
        answers.is_answered(item)
    }

    fn judge(file: &StudyFile<Self>, items: &Items, answers: Answers, kept: &[usize]) -> Result<ClassJudge> {
        ClassJudge::of(file, items, answers, kept)
    }

    fn read_labels(file: &StudyFile<Self>, items: &Items, log: &LabelLog, source: &mut Source) -> Result<Labels> {
        labels::read(file, items, log, source)
    }

    fn variants(judge: &ClassJudge) -> &[String] {
        judge.variants.variants()
    }

    fn spread(judge: &ClassJudge) -> &[Option<f64>] {
        &judge.predictions.spread
    }

    fn confidence(judge: &ClassJudge) -> &[Option<f64>] {
        &judge.predictions.confidence
    }

    fn numbers(labels: &Labels, _items: usize) -> Vec<u32> {
        labels.numbers()
    }

    fn own(labels: &Labels) -> Labels {
        labels.own()
    }

    fn added(labels: &Labels) -> Added<'_> {
        Added { labels: labels.added.labels.len(), batches: &labels.added.batches }
    }

    fn counts(labels: &Labels) -> Option<ArrayView2<'_, u32>> {
        Some(labels.counts.counts().view())
    }

    fn pool(study: &Study<Self>, labels: &Labels, kept: &[usize]) -> CountPool {
        reports::pool(study, labels, kept)
    }

    /// Stated confidence ranks only where some item has one, and the rules beyond the paper come with the belief beyond it.
    fn rules(study: &Study<Self>) -> Vec<Rule> {
        let confidence = study.judge.predictions.confidence.iter().any(Option::is_some);
        let published = Rule::PAPER.into_iter().filter(|rule| confidence || *rule != Rule::LowConfidence);
        match study.file.config.trust.belief {
            BeliefModel::Published => published.collect(),
            BeliefModel::Recalibrated(_) => published.chain(Rule::BEYOND).collect(),
        }
    }

    fn judge_report(study: &Study<Self>) -> JudgeReport {
        study.judge.report.clone()
    }

    fn labels_report(study: &Study<Self>) -> LabelsReport {
        study.labels.report.clone()
    }

    fn left_out_rows(study: &Study<Self>) -> LeftOutRows {
        reports::left_out_rows(&study.judge, &study.labels)
    }

    fn warnings(study: &Study<Self>) -> Vec<String> {
        reports::warnings(study)
    }

    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ClassFit {
        ClassFit::of(&decomposition.fitted.fit, &study.file.config.scale, &study.items.group_names())
    }

    fn findings(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ClassFindings {
        let profile = study.file.config.judge.metric_profile;
        ClassFindings {
            evidence: EvidenceReport::of(decomposition).expect("classes are ranked by entropy"),
            soft_scores: profile.map(|profile| SoftScores::of(&study.judge, &study.labels, profile)),
        }
    }

    fn diagnostics(study: &Study<Self>, kept: &[usize], noise_ceiling: f64) -> JudgeDiagnostics {
        JudgeDiagnostics::of(&study.judge, &study.labels, kept, noise_ceiling)
    }

    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        let part = |name: &str, unit: &'static str, meaning: &str, of: fn(Dirichlet<'_>) -> f64| {
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
                "Epistemic part I: what one further label tells about the label distribution",
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
        reports::came_back(&before.fitted.beliefs, &labels.added_counts(), |belief| belief.gini(), reports::squared_error)
    }

    fn question(scale: &Vec<String>) -> Question {
        Question::Classes(scale.clone())
    }

    fn prediction(study: &Study<Self>, item: usize) -> String {
        study.file.config.scale[reports::likeliest(&study.judge, item)].clone()
    }

    fn means(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize) -> Vec<f64> {
        let classes = study.file.config.scale.len();
        (0..classes).map(|class| reports::mean_share(&decomposition.fitted.beliefs, item, class)).collect()
    }

    fn quantities(scale: &Vec<String>) -> Vec<String> {
        scale.iter().map(|class| format!("mean_{class}")).collect()
    }

    fn observed(study: &Study<Self>) -> Vec<Vec<Option<f64>>> {
        study.labels.added_shares()
    }

    fn canonical(scale: &Vec<String>, label: &NewLabel) -> Result<String> {
        if scale.contains(&label.value) {
            return Ok(label.value.clone());
        }
        let problem = Problem::NotOneOf { value: label.value.clone(), allowed: scale.clone() };
        Err(Error::refused(label.place.clone(), problem))
    }

    fn known(study: &Study<Self>) -> Known {
        study.labels.known(&study.file)
    }
}
