//! Scores as a kind of label.

use super::config::{self, ScoreJudgeConfig, ScoreLabelsConfig};
use super::diagnostics::{ReadDiagnostics, ScoreDiagnostics};
use super::findings::{self, ScoreFindings};
use super::judge::{self, ScoreAnswer, ScoreJudgeReport};
use super::pool::RatingPool;
use super::ratings;
use super::reading::ScoreFit;
use crate::input::check::Check;
use crate::input::config::{Configured, StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::labels::{LabelColumns, Labels};
use crate::input::question::{LabelValue, Question};
use crate::input::read::{JudgeFile, Read, StudyJudge};
use crate::input::source::Source;
use crate::model::kind::{CameBack, Decomposition, Estimand, Kind, KindFacts, Study};
use crate::registration::hypothesis::Measure;
use crate::results::cards::Profile;
use judge_uncertainty_core::belief::{Belief, BeliefModel, JudgeScores, Ratings};
use judge_uncertainty_core::escalation::{Observed, Rule};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_core::stats::student::student_quantile;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::output::OutputColumn;

/// Labels that are numbers between two ends: `scale = [0, 10]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores;

impl Configured for Scores {
    const KEY: &'static str = "scale";
    type Scale = (f64, f64);
    type JudgeConfig = ScoreJudgeConfig;
    type LabelsConfig = ScoreLabelsConfig;
}

impl Read for Scores {
    type Answer = ScoreAnswer;
    type Answers = JudgeScores;
    type JudgeReport = ScoreJudgeReport;

    fn question(scale: &(f64, f64)) -> Question {
        Question::Score { low: scale.0, high: scale.1 }
    }

    fn label_columns(config: &ScoreLabelsConfig) -> LabelColumns<'_> {
        config.columns()
    }

    fn read_judge(file: &StudyFile<Self>, items: &Items, source: &mut Source) -> Result<JudgeFile<Self>> {
        judge::read(file, items, source)
    }

    fn judge(
        _: &StudyConfig<Self>,
        _: &ItemIds,
        variants: &[String],
        answers: Vec<ScoreAnswer>,
        report: ScoreJudgeReport,
    ) -> Result<StudyJudge<Self>> {
        Ok(judge::judge(variants, &answers, report))
    }
}

impl Kind for Scores {
    const FACTS: KindFacts = KindFacts {
        on_scale: true,
        name: "scores",
        labels: "scores",
        ranked_by: |row| row.ratings,
        limits_trust: false,
        reference: Rule::PosteriorEntropy,
        measures: &Measure::ALL,
        agreement: "concordance",
    };

    type Pool = RatingPool;
    type FitReport = ScoreFit;
    type Findings = ScoreFindings;
    type Diagnostics = ScoreDiagnostics;

    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()> {
        config::check(config, check)
    }

    fn pool(study: &Study<Self>, labels: &Labels, kept: &[usize]) -> RatingPool {
        let mut grouped = labels.scores(|_| true);
        let ratings = kept.iter().map(|&i| std::mem::take(&mut grouped[i])).collect();
        let trust = &study.file.config.trust;
        RatingPool::new(ratings, judge::select(&study.judge.answers, kept))
            .with_belief(trust.belief, study.items.groups_of(kept))
            .with_prior(trust.prior)
            .with_twins(study.items.twins(kept))
    }

    fn with_belief(pool: RatingPool, model: BeliefModel, groups: Vec<usize>) -> RatingPool {
        pool.with_belief(model, groups)
    }

    fn rules(_study: &Study<Self>) -> Vec<Rule> {
        Rule::those(Self::FACTS.ranked_by)
    }

    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ScoreFit {
        ScoreFit::new(&decomposition.fitted.fit, &study.items.group_names(), decomposition.pool.judge())
    }

    fn findings(_study: &Study<Self>, decomposition: &Decomposition<Self>) -> ScoreFindings {
        ScoreFindings::new(decomposition)
    }

    fn diagnostics(study: &Study<Self>, kept: &[usize], noise_ceiling: f64) -> ScoreDiagnostics {
        let read = ReadDiagnostics::new(&Self::pool(study, &study.labels, kept));
        ScoreDiagnostics { read, ..ScoreDiagnostics::new(study, kept, noise_ceiling) }
    }

    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        findings::columns(study, decomposition)
    }

    fn came_back(study: &Study<Self>, before: &Decomposition<Self>) -> Vec<Option<CameBack>> {
        findings::came_back(&before.fitted.beliefs, &study.labels)
    }

    fn prediction(study: &Study<Self>, item: usize) -> String {
        study.judge.answers.mean[item].to_string()
    }

    fn against_judge(study: &Study<Self>, item: usize, label: LabelValue) -> f64 {
        let LabelValue::Score(score) = label else { return f64::NAN };
        score - study.judge.answers.mean[item]
    }

    fn profile(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize) -> Profile {
        let (judge, belief) = (&study.judge.answers, decomposition.belief(item));
        Profile::Scores {
            judge: (judge.mean[item], judge.variance[item].map(f64::sqrt)),
            belief: (belief.mean, belief.total().sqrt()),
            labels: decomposition.pool.ratings()[item].iter().map(|ratings| mean(ratings)).collect(),
        }
    }

    /// Within the scale, on which labels are.
    fn fresh_label(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize, u: f64) -> Vec<f64> {
        let (belief, (low, high)) = (decomposition.belief(item), study.file.config.scale);
        let reach = (belief.scale * (1.0 + 1.0 / belief.evidence)).sqrt();
        vec![(belief.mean + reach * student_quantile(u, belief.freedom)).clamp(low, high)]
    }

    fn quantities(scale: &(f64, f64)) -> Vec<Estimand> {
        vec![Estimand { name: "mean_score".to_owned(), range: *scale }]
    }

    fn observed(_study: &Study<Self>, labels: &Labels) -> Vec<Vec<Option<Observed>>> {
        let grouped = labels.scores(|_| true);
        let observed = |s: Ratings| (s.n > 0).then(|| Observed::from_labels(s.n, s.mean, s.squares));
        vec![ratings::labels_of(&grouped).into_iter().map(observed).collect()]
    }
}
