//! Scores as a kind of label.

use std::path::Path;

use super::config::{self, ScoreJudgeConfig, ScoreLabelsConfig};
use super::findings::{self, ScoreFindings};
use super::judge::{self, LEAST_SD, ScoreJudgeReport};
use super::pool::RatingPool;
use super::reading::ScoreFit;
use crate::belief_file::file::BeliefFile;
use crate::belief_file::kind::{InputColumns, RowAnswer, Wrong, wrong};
use crate::input::check::Check;
use crate::input::config::{Files, StudyConfig, StudyFile};
use crate::input::items::Items;
use crate::input::labels::{LabelColumns, Labels};
use crate::input::question::Question;
use crate::input::read::{JudgeFile, KindFacts, Read, StudyJudge};
use crate::input::source::Source;
use crate::model::kind::{CameBack, Decomposition, Kind, Study};
use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{BeliefModel, GaussianFit, Repeats, Unfit};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::judge::JudgeAnswers;
use judge_uncertainty_formats::output::OutputColumn;

/// Column of the ratings of an item, a list.
const LABELS: &str = "ratings";

/// Labels that are numbers between two ends: `scale = [0, 10]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores;

impl Read for Scores {
    const FACTS: KindFacts = KindFacts {
        key: "scale",
        on_scale: true,
        name: "scores",
        labels: "scores",
        ranked_by: |row| row.ratings,
        limits_trust: false,
        reference: Rule::PosteriorEntropy,
    };

    type Scale = (f64, f64);
    type JudgeConfig = ScoreJudgeConfig;
    type LabelsConfig = ScoreLabelsConfig;
    type JudgeReport = ScoreJudgeReport;

    fn question(scale: &(f64, f64)) -> Question {
        Question::Score { low: scale.0, high: scale.1 }
    }

    fn tables(config: &StudyConfig<Self>) -> (&Files, Option<LabelColumns<'_>>) {
        (&config.judge.file, config.labels.as_ref().map(ScoreLabelsConfig::columns))
    }

    fn read_judge(file: &StudyFile<Self>, items: &Items, source: &mut Source) -> Result<JudgeFile<Self>> {
        judge::read(file, items, source)
    }

    fn judge(
        _: &StudyConfig<Self>,
        _: &ItemIds,
        variants: &[String],
        answers: Vec<JudgeAnswers>,
        report: ScoreJudgeReport,
    ) -> Result<StudyJudge<Self>> {
        Ok(judge::judge(variants, &answers, report))
    }
}

impl Kind for Scores {
    type Pool = RatingPool;
    type FitReport = ScoreFit;
    type Findings = ScoreFindings;
    type Kept = Option<Repeats>;
    /// The fit with the names of its groups.
    type CarriedMap = (GaussianFit, Vec<String>);

    fn check(config: &StudyConfig<Self>, check: &Check<'_>) -> Result<()> {
        config::check(config, check)
    }

    fn is_as_stated(fit: &GaussianFit) -> bool {
        fit.map.as_ref().is_none_or(|map| map.name == MapName::Identity)
    }

    fn carried_map(_: &Study<Self>, _: &Path, belief: BeliefFile<Self>) -> Result<Option<(GaussianFit, Vec<String>)>> {
        Ok((!Self::is_as_stated(&belief.fit)).then_some((belief.fit, belief.groups)))
    }

    fn pool_under(
        study: &Study<Self>,
        labels: &Labels,
        kept: &[usize],
        (model, groups): (BeliefModel, Vec<usize>),
        of_fit: Option<&Option<Repeats>>,
    ) -> RatingPool {
        let mut grouped = labels.scores(|_| true);
        let ratings = kept.iter().map(|&i| std::mem::take(&mut grouped[i])).collect();
        let pool = RatingPool::new(ratings, judge::scores(&study.judge, kept))
            .with_belief(model, groups)
            .with_prior(study.file.config.trust.prior)
            .with_twins(study.items.twins(kept))
            .with_start(study.carried_map.as_ref().map(|(fit, names)| {
                let known = |group: &str| names.iter().position(|name| name == group);
                (fit.clone(), study.items.group_names().into_iter().map(known).collect())
            }));
        match of_fit {
            Some(repeats) => pool.with_repeats(*repeats),
            None => pool,
        }
    }

    fn fit_report(study: &Study<Self>, decomposition: &Decomposition<Self>) -> ScoreFit {
        ScoreFit::new(&decomposition.fitted.fit, &study.items.group_names(), decomposition.pool.judge())
    }

    fn findings(_study: &Study<Self>, decomposition: &Decomposition<Self>) -> ScoreFindings {
        ScoreFindings::new(decomposition)
    }

    fn columns(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        findings::columns(study, decomposition)
    }

    fn came_back(study: &Study<Self>, before: &Decomposition<Self>) -> Vec<Option<CameBack>> {
        findings::came_back(&before.fitted.beliefs, &study.labels)
    }

    fn kept(_: &Study<Self>, pool: &RatingPool, _: &GaussianFit) -> Option<Repeats> {
        pool.repeats()
    }

    fn check_fit(
        _: &StudyConfig<Self>,
        fit: &GaussianFit,
        kept: &Option<Repeats>,
        (features, groups): (&[&str], usize),
    ) -> std::result::Result<bool, Unfit> {
        let possible =
            |repeats: &Repeats| repeats.variance.is_finite() && repeats.variance >= 0.0 && repeats.degrees > 0;
        if !kept.as_ref().is_none_or(possible) {
            return Err(Unfit { field: "kept", problem: "is not a variance of repeated ratings".to_owned() });
        }
        fit.check(features, groups)?;
        Ok(fit.is_by_group())
    }

    fn names(config: &StudyConfig<Self>, variants: &[String]) -> InputColumns {
        let name = |name: &String| if variants.is_empty() { name.clone() } else { format!("{name}_{{variant}}") };
        let (id, group) = (config.items.id.as_deref(), config.items.group.as_deref());
        let mut names = InputColumns::new(id, name(&config.judge.mean), LABELS.to_owned(), group);
        names.deviations = config.judge.sd.as_ref().map(name);
        names
    }

    fn answer(
        config: &StudyConfig<Self>,
        fit: &GaussianFit,
        row: &RowAnswer<'_>,
    ) -> std::result::Result<JudgeAnswers, Wrong> {
        let (low, high) = config.scale;
        let within = |name: &String, value: f64, low: f64, high: f64| match (low..=high).contains(&value) {
            true => Ok(value),
            false => Err(wrong(Some(name), Problem::OutOfRange { value, low, high })),
        };
        let mut answer = JudgeAnswers::default();
        for (k, names) in row.columns.answers.iter().enumerate() {
            let Some(mean) = row.weights[k][0] else { continue };
            let mut numbers = vec![within(&names[0], mean, low, high)?];
            if let (Some(name), Some(sd)) = (&row.columns.deviations[k], row.deviations[k]) {
                let sd = within(name, sd, LEAST_SD * (high - low), high - low)?;
                numbers.push(sd * sd);
            }
            answer.variants.push(Some(numbers));
        }
        if answer.variants.is_empty() {
            return Err(wrong(None, Problem::NoAnswer));
        }
        if answer.variants.iter().flatten().all(|numbers| numbers.len() == 1) && !fit.reads_unstated() {
            let reason =
                "the judge states no standard deviation, and stated one for every item that the belief was fitted to";
            let remedy = "give it, or run a study with such items";
            let problem = Problem::Unfit { reason: reason.to_owned(), remedy: remedy.to_owned() };
            return Err(wrong(row.columns.deviations.iter().flatten().next().map(String::as_str), problem));
        }
        Ok(answer)
    }
}
