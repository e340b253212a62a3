//! How a judge's scores are read, as readers see it.

use crate::blocks::with_interval;
use crate::prose::table;
use judge_uncertainty_core::belief::CurvePoint;
use judge_uncertainty_core::belief::maps::Variance;
use judge_uncertainty_core::stats::Estimate;
use judge_uncertainty_page::figures::show;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_page::{Block, Table};
use judge_uncertainty_study::kinds::scores::findings::{ScoreFit, ScoreReading};
use judge_uncertainty_study::results::FitReport;
use tera::{Context, context};

/// Coefficients that the ratings do not determine, except those that have a sentence of their own.
pub(crate) fn unidentified(fit: &FitReport) -> Vec<String> {
    let said = ["ln(nu - 2)", "ln s0^2", "bias", "slope", "ln factor"];
    let has_sentence = |name: &&String| {
        said.iter().any(|of| *name == of || name.strip_prefix(of).is_some_and(|rest| rest.starts_with(" of group ")))
    };
    fit.unidentified.iter().filter(|name| *name != "intercept" && !has_sentence(name)).cloned().collect()
}

/// Where a curve adds least and most.
pub(crate) fn ends_of_curve(curve: &[CurvePoint]) -> Option<[CurvePoint; 2]> {
    let by = |a: &&CurvePoint, b: &&CurvePoint| a.adds.total_cmp(&b.adds);
    Some([*curve.iter().min_by(by)?, *curve.iter().max_by(by)?])
}

/// How far the groups' readings lie apart: standard deviations, and of what.
pub(crate) fn apart(variances: &[Variance]) -> Vec<(f64, &'static str)> {
    let named = [("biases", "bias"), ("slopes", "slope"), ("ln factors", "logarithm of the factor")];
    let sd = |(block, name): (&str, &'static str)| {
        let found = variances.iter().find(|of| of.block.strip_suffix(" of groups") == Some(block))?;
        Some((found.variance.sqrt(), name))
    };
    named.into_iter().filter_map(sd).collect()
}

/// The recalibration of the judge's scores as tables; empty if the scores are used unchanged.
pub(crate) fn reading_blocks(fit: &ScoreFit) -> Result<Vec<Block>, Error> {
    let readings = fit.recalibration.iter().map(|readings| reading_table(readings));
    let curve = (!fit.curve.is_empty()).then(|| curve_table(&fit.curve));
    readings.chain(curve).map(|table| Ok(Block::Table(table?))).collect()
}

fn curve_table(curve: &[CurvePoint]) -> Result<Table, Error> {
    let row = |point: &CurvePoint| [show(point.score), show(point.adds)];
    table("curve", Context::new(), curve.iter().map(row))
}

fn reading_table(readings: &[ScoreReading]) -> Result<Table, Error> {
    let factors = readings.iter().any(|read| read.assumed.factor.is_some());
    let variances = readings.iter().any(|read| read.assumed.common_variance.is_some());
    let row = |read: &ScoreReading| {
        let of = |estimate: &Option<Estimate>| match estimate {
            Some(estimate) => with_interval(estimate.value, estimate.interval()),
            None => "not determined".to_owned(),
        };
        let name = read.group.clone().unwrap_or_else(|| "all items".to_owned());
        let mut row = vec![name, show(read.centre), of(&read.bias), of(&read.slope)];
        row.extend(factors.then(|| of(&read.factor)));
        row.extend(variances.then(|| of(&read.common_variance)));
        row
    };
    table("reading", context! { factors => &factors, variances => &variances }, readings.iter().map(row))
}
