//! The fitted belief about ratings as a file, and how it reads further items.

use super::judge::{LEAST_SD, ScoreJudge, ScoreJudgeReport};
use super::kind::Scores;
use super::pool::RatingPool;
use super::ratings::{Rating, Ratings};
use crate::belief_file::kind::{Saved, Shape, Wrong, wrong};
use crate::belief_file::names::{InputColumns, filled};
use crate::input::config::StudyConfig;
use crate::kind::{Decomposition, Kind, Study};
use judge_uncertainty_core::belief::{GaussianFit, JudgeScores, Recalibration, Repeats, Unfit};
use judge_uncertainty_core::stats::{mean, sample_sd};
use judge_uncertainty_formats::batches::{Batch, Header};
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::items::ItemIds;

/// Column of the ratings of an item, a list.
const LABELS: &str = "ratings";

/// Where judge and ratings stand in a table of further items.
#[derive(Debug)]
pub struct ScoreLayout {
    /// Per variant, the column of the mean and that of the standard deviation, if there is one.
    answers: Vec<(String, Option<String>)>,
    ratings: Option<String>,
}

/// What a row says.
#[derive(Debug)]
pub struct ScoreRow {
    mean: f64,
    variance: Option<f64>,
    spread: Option<f64>,
    /// By annotator.
    ratings: Vec<Vec<f64>>,
}

impl Saved for Scores {
    type Fit = GaussianFit;
    type Kept = Option<Repeats>;
    type Layout = ScoreLayout;
    type Row = ScoreRow;

    fn fit(decomposition: &Decomposition<Self>) -> GaussianFit {
        decomposition.fitted.fit.clone()
    }

    fn kept(_: &Study<Self>, decomposition: &Decomposition<Self>) -> Option<Repeats> {
        decomposition.pool.repeats()
    }

    fn of_file(fit: &GaussianFit) -> GaussianFit {
        fit.clone()
    }

    fn check_fit(
        _: &StudyConfig<Self>,
        fit: &GaussianFit,
        kept: &Option<Repeats>,
        shape: Shape<'_>,
    ) -> std::result::Result<(), Unfit> {
        let possible =
            |repeats: &Repeats| repeats.variance.is_finite() && repeats.variance >= 0.0 && repeats.degrees > 0;
        if !kept.as_ref().is_none_or(possible) {
            return Err(Unfit { field: "kept", problem: "is not a variance of repeated ratings".to_owned() });
        }
        fit.check(shape.features, shape.groups)
    }

    fn by_group(fit: &GaussianFit) -> bool {
        fit.recalibration == Recalibration::ByGroup
    }

    fn names(config: &StudyConfig<Self>, variants: &[String]) -> InputColumns {
        let of = |name: &String| if variants.is_empty() { name.clone() } else { format!("{name}_{{variant}}") };
        let (id, group) = (config.items.id.as_deref(), config.items.group.as_deref());
        let mut names = InputColumns::new(id, of(&config.judge.mean), LABELS.to_owned(), group);
        names.deviations = config.judge.sd.as_ref().map(of);
        names
    }

    fn said(judge: &ScoreJudge) -> Vec<(String, Vec<Option<f64>>)> {
        let means = judge.scores.mean.iter().copied().map(Some).collect();
        let sds = judge.scores.variance.iter().map(|variance| variance.map(f64::sqrt)).collect();
        vec![("judge_mean".to_owned(), means), ("judge_sd".to_owned(), sds)]
    }

    fn wanted(_: &StudyConfig<Self>, variants: &[String], names: &InputColumns) -> Vec<String> {
        let only = [String::new()];
        let variants = if variants.is_empty() { &only } else { variants };
        let patterns: Vec<&String> = [&names.answers].into_iter().chain(&names.deviations).collect();
        let of = |variant: &String| patterns.iter().map(|name| filled(name, variant, "")).collect::<Vec<_>>();
        variants.iter().flat_map(of).chain([names.labels.clone()]).collect()
    }

    fn layout(
        _: &StudyConfig<Self>,
        variants: &[String],
        names: &InputColumns,
        header: &Header,
    ) -> Result<ScoreLayout> {
        let only = [String::new()];
        let variants = if variants.is_empty() { &only } else { variants };
        let answers: Vec<(String, Option<String>)> = variants
            .iter()
            .map(|variant| {
                let sd = names.deviations.as_ref().map(|pattern| filled(pattern, variant, ""));
                (filled(&names.answers, variant, ""), sd.filter(|name| header.has(name)))
            })
            .collect();
        answers.iter().try_for_each(|(mean, _)| header.need(mean))?;
        Ok(ScoreLayout { answers, ratings: header.has(&names.labels).then(|| names.labels.clone()) })
    }

    fn row(
        config: &StudyConfig<Self>,
        fit: &GaussianFit,
        layout: &ScoreLayout,
        batch: &Batch,
        row: usize,
    ) -> std::result::Result<ScoreRow, Wrong> {
        let (low, high) = config.scale;
        let within = |name: &str, value: f64, (low, high): (f64, f64)| match (low..=high).contains(&value) {
            true => Ok(value),
            false => Err(wrong(Some(name), Problem::OutOfRange { value, low, high })),
        };
        let number = |name: &str| batch.number(name, row).map_err(|problem| wrong(Some(name), problem));
        let (mut means, mut variances) = (vec![], vec![]);
        for (name, sd) in &layout.answers {
            let Some(value) = number(name)? else { continue };
            means.push(within(name, value, (low, high))?);
            if let Some(name) = sd
                && let Some(sd) = number(name)?
            {
                let sd = within(name, sd, (LEAST_SD * (high - low), high - low))?;
                variances.push(sd * sd);
            }
        }
        if means.is_empty() {
            return Err(wrong(None, Problem::NoAnswer));
        }
        if variances.is_empty() && !fit.reads_unstated() {
            let reason =
                "the judge states no standard deviation, and stated one for every item that the belief was fitted to";
            let remedy = "give it, or run a study with such items";
            let problem = Problem::Unfit { reason: reason.to_owned(), remedy: remedy.to_owned() };
            return Err(wrong(layout.answers.iter().find_map(|(_, sd)| sd.as_deref()), problem));
        }
        let ratings = match &layout.ratings {
            None => vec![],
            Some(name) => batch.nested(name, row).map_err(|problem| wrong(Some(name), problem))?,
        };
        for score in ratings.iter().flatten() {
            within(layout.ratings.as_deref().unwrap_or_default(), *score, (low, high))?;
        }
        Ok(ScoreRow {
            mean: mean(&means),
            variance: (!variances.is_empty()).then(|| mean(&variances)),
            spread: (means.len() > 1).then(|| sample_sd(&means)),
            ratings,
        })
    }

    fn gather(
        _: &StudyConfig<Self>,
        variants: &[String],
        ids: &ItemIds,
        rows: Vec<ScoreRow>,
    ) -> Result<(ScoreJudge, Ratings)> {
        let scores = JudgeScores {
            mean: rows.iter().map(|row| row.mean).collect(),
            variance: rows.iter().map(|row| row.variance).collect(),
        };
        let mut ratings = Ratings::default();
        for (item, row) in rows.iter().enumerate() {
            for (annotator, scores) in row.ratings.iter().enumerate() {
                let one = |score: &f64| Rating { item, annotator, score: *score, batch: None, line: 0 };
                ratings.rows.extend(scores.iter().map(one));
            }
        }
        let annotators = rows.iter().map(|row| row.ratings.len()).max().unwrap_or(0);
        ratings.annotators = (0..annotators).map(|k| k.to_string()).collect();
        let without_sd = scores.variance.iter().filter(|variance| variance.is_none()).count();
        let report = ScoreJudgeReport { rows: ids.len(), failed_answers: 0, unknown_rows: 0, without_sd };
        let spread = rows.iter().map(|row| row.spread).collect();
        Ok((ScoreJudge { scores, spread, variants: variants.to_vec(), report }, ratings))
    }

    fn applied_pool(study: &Study<Self>, kept: &Option<Repeats>, groups: Vec<usize>) -> RatingPool {
        let all: Vec<usize> = (0..study.len()).collect();
        Self::pool(study, &study.labels, &all).with_belief(study.file.config.trust.belief, groups).with_repeats(*kept)
    }
}
