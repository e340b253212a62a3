//! Scores as a kind of label.

use super::config::{self, ScoreJudgeConfig, ScoreLabelsConfig};
use super::diagnostics::{ReadDiagnostics, ScoreDiagnostics};
use super::findings::{self, ScoreFindings};
use super::judge::ScoreJudge;
use super::pool::RatingPool;
use super::ratings::{self, Ratings};
use super::reading::ScoreFit;
use crate::hypothesis::Measure;
use crate::input::check::Check;
use crate::input::config::{Configured, StudyConfig};
use crate::input::log::NewLabel;
use crate::kind::{CameBack, Decomposition, Kind, Study};
use crate::kinds::classes::reports::models;
use crate::profile::Profile;
use crate::queue::Question;
use judge_uncertainty_core::belief::{Belief, BeliefModel};
use judge_uncertainty_core::escalation::{Observed, Rule};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_core::stats::student::student_quantile;
use judge_uncertainty_formats::error::Result;
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

impl Kind for Scores {
    const NAME: &'static str = "scores";
    const LABELS: &'static str = "scores";
    const RANKED_BY: &'static [Rule] = &Rule::OF_RATINGS;
    const REPEATS: bool = true;
    const LIMITS_TRUST: bool = false;
    const REFERENCE: Rule = Rule::PosteriorEntropy;
    const MEASURES: &'static [Measure] = &Measure::ALL;

    const AGREEMENT: &'static str = "concordance";

    type Judge = ScoreJudge;
    type Labels = Ratings;
    type Pool = RatingPool;
    type FitReport = ScoreFit;
    type Findings = ScoreFindings;
    type Diagnostics = ScoreDiagnostics;

    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()> {
        config::check(config, check)
    }

    fn pool(study: &Study<Self>, labels: &Ratings, kept: &[usize]) -> RatingPool {
        let mut grouped = labels.grouped(study.len());
        let ratings = kept.iter().map(|&i| std::mem::take(&mut grouped[i])).collect();
        let groups = study.items.group_numbers();
        let groups = kept.iter().filter_map(|&i| groups.get(i).copied()).collect();
        let trust = &study.file.config.trust;
        RatingPool::new(ratings, study.judge.select(kept))
            .with_belief(trust.belief, groups)
            .with_prior(trust.prior)
            .with_twins(study.items.twins(kept))
    }

    fn beliefs(study: &Study<Self>, kept: &[usize]) -> (String, Vec<(String, RatingPool)>) {
        let (own, models) = models(study.file.config.trust.belief, study.items.group_names().len());
        let pool = Self::pool(study, &study.labels, kept);
        let groups = study.items.group_numbers();
        let groups: Vec<usize> = kept.iter().filter_map(|&i| groups.get(i).copied()).collect();
        let of =
            |(name, model): (&str, BeliefModel)| (name.to_owned(), pool.clone().with_belief(model, groups.clone()));
        (own.to_owned(), models.into_iter().map(of).collect())
    }

    fn rules(_study: &Study<Self>) -> Vec<Rule> {
        Rule::OF_RATINGS.to_vec()
    }

    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ScoreFit {
        ScoreFit::of(&decomposition.fitted.fit, &study.items.group_names(), decomposition.pool.judge())
    }

    fn findings(_study: &Study<Self>, decomposition: &Decomposition<Self>) -> ScoreFindings {
        ScoreFindings::of(decomposition)
    }

    fn diagnostics(study: &Study<Self>, kept: &[usize], noise_ceiling: f64) -> ScoreDiagnostics {
        let read = ReadDiagnostics::of(&Self::pool(study, &study.labels, kept));
        ScoreDiagnostics { read, ..ScoreDiagnostics::of(&study.judge, &study.labels, kept, noise_ceiling) }
    }

    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        findings::columns(study, decomposition)
    }

    fn came_back(before: &Decomposition<Self>, labels: &Ratings) -> Vec<Option<CameBack>> {
        findings::came_back(&before.fitted.beliefs, labels)
    }

    fn question(scale: &(f64, f64)) -> Question {
        Question::Score { low: scale.0, high: scale.1 }
    }

    fn prediction(study: &Study<Self>, item: usize) -> String {
        study.judge.scores.mean[item].to_string()
    }

    fn against_judge(study: &Study<Self>, item: usize, label: &str) -> f64 {
        let score: f64 = label.parse().expect("labels are numbers");
        score - study.judge.scores.mean[item]
    }

    fn profile(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize) -> Profile {
        let (judge, belief) = (&study.judge.scores, decomposition.belief(item));
        Profile::Scores {
            judge: (judge.mean[item], judge.variance[item].map(f64::sqrt)),
            belief: (belief.mean, belief.total().sqrt()),
            labels: decomposition.pool.ratings()[item].iter().map(|ratings| mean(ratings)).collect(),
        }
    }

    fn means(_study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize) -> Vec<f64> {
        vec![decomposition.belief(item).mean]
    }

    /// Within the scale, on which labels are.
    fn fresh_label(study: &Study<Self>, decomposition: &Decomposition<Self>, item: usize, u: f64) -> Vec<f64> {
        let (belief, (low, high)) = (decomposition.belief(item), study.file.config.scale);
        let reach = (belief.scale * (1.0 + 1.0 / belief.evidence)).sqrt();
        vec![(belief.mean + reach * student_quantile(u, belief.freedom)).clamp(low, high)]
    }

    fn quantities(_scale: &(f64, f64)) -> Vec<String> {
        vec!["mean_score".to_owned()]
    }

    fn ranges(scale: &(f64, f64)) -> Vec<(f64, f64)> {
        vec![*scale]
    }

    fn observed(study: &Study<Self>, before: usize) -> Vec<Vec<Option<Observed>>> {
        let (scores, _) = study.labels.added_since(before).scores(study.len());
        vec![scores.iter().map(|s| (s.n > 0).then(|| Observed::of(s.n, s.mean, s.squares))).collect()]
    }

    fn canonical(scale: &(f64, f64), label: &NewLabel) -> Result<String> {
        ratings::canonical(label, *scale)
    }
}
