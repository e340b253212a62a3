//! The fitted belief about ratings as a file, and how it reads further items.

use super::judge::{LEAST_SD, ScoreAnswer, ScoreJudgeReport};
use super::kind::Scores;
use super::pool::RatingPool;
use crate::belief_file::kind::InputColumns;
use crate::belief_file::kind::Saved;
use crate::belief_file::kind::{RowAnswer, Wrong, wrong};
use crate::input::config::StudyConfig;
use crate::input::read::StudyJudge;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::belief::{GaussianFit, Recalibration, Repeats, Unfit};
use judge_uncertainty_formats::error::Problem;

/// Column of the ratings of an item, a list.
const LABELS: &str = "ratings";

impl Saved for Scores {
    type Kept = Option<Repeats>;

    fn kept(_: &Study<Self>, pool: &RatingPool, _: &GaussianFit) -> Option<Repeats> {
        pool.repeats()
    }

    fn check_fit(
        _: &StudyConfig<Self>,
        fit: &GaussianFit,
        kept: &Option<Repeats>,
        (features, groups): (&[&str], usize),
    ) -> Result<bool, Unfit> {
        let possible =
            |repeats: &Repeats| repeats.variance.is_finite() && repeats.variance >= 0.0 && repeats.degrees > 0;
        if !kept.as_ref().is_none_or(possible) {
            return Err(Unfit { field: "kept", problem: "is not a variance of repeated ratings".to_owned() });
        }
        fit.check(features, groups)?;
        Ok(fit.recalibration == Recalibration::ByGroup)
    }

    fn names(config: &StudyConfig<Self>, variants: &[String]) -> InputColumns {
        let name = |name: &String| if variants.is_empty() { name.clone() } else { format!("{name}_{{variant}}") };
        let (id, group) = (config.items.id.as_deref(), config.items.group.as_deref());
        let mut names = InputColumns::new(id, name(&config.judge.mean), LABELS.to_owned(), group);
        names.deviations = config.judge.sd.as_ref().map(name);
        names
    }

    fn said(judge: &StudyJudge<Self>) -> Vec<(String, Vec<Option<f64>>)> {
        let means = judge.answers.mean.iter().copied().map(Some).collect();
        let sds = judge.answers.variance.iter().map(|variance| variance.map(f64::sqrt)).collect();
        vec![("judge_mean".to_owned(), means), ("judge_sd".to_owned(), sds)]
    }

    fn answer(config: &StudyConfig<Self>, fit: &GaussianFit, row: &RowAnswer<'_>) -> Result<ScoreAnswer, Wrong> {
        let (low, high) = config.scale;
        let within = |name: &String, value: f64, low: f64, high: f64| match (low..=high).contains(&value) {
            true => Ok(value),
            false => Err(wrong(Some(name), Problem::OutOfRange { value, low, high })),
        };
        let (mut means, mut variances) = (vec![], vec![]);
        for (k, names) in row.columns.answers.iter().enumerate() {
            let Some(mean) = row.weights[k][0] else { continue };
            means.push(within(&names[0], mean, low, high)?);
            if let (Some(name), Some(sd)) = (&row.columns.deviations[k], row.deviations[k]) {
                let sd = within(name, sd, LEAST_SD * (high - low), high - low)?;
                variances.push(sd * sd);
            }
        }
        let answer = ScoreAnswer::new(&means, &variances).ok_or_else(|| wrong(None, Problem::NoAnswer))?;
        if variances.is_empty() && !fit.reads_unstated() {
            let reason =
                "the judge states no standard deviation, and stated one for every item that the belief was fitted to";
            let remedy = "give it, or run a study with such items";
            let problem = Problem::Unfit { reason: reason.to_owned(), remedy: remedy.to_owned() };
            return Err(wrong(row.columns.deviations.iter().flatten().next().map(String::as_str), problem));
        }
        Ok(answer)
    }

    fn report_of_rows(_: &StudyConfig<Self>, rows: usize) -> ScoreJudgeReport {
        ScoreJudgeReport { rows, ..ScoreJudgeReport::default() }
    }

    fn applied_pool(study: &Study<Self>, kept: &Option<Repeats>, groups: Vec<usize>) -> RatingPool {
        let all: Vec<usize> = (0..study.len()).collect();
        Self::pool(study, &study.labels, &all).with_belief(study.file.config.trust.belief, groups).with_repeats(*kept)
    }
}
