//! How a judge's scores are read, as readers see it.

use crate::prose::table;
use judge_uncertainty_core::belief::CurvePoint;
use judge_uncertainty_core::belief::maps::Variance;
use judge_uncertainty_page::Block;
use judge_uncertainty_page::templates::Error;
use judge_uncertainty_study::results::FitReport;
use judge_uncertainty_study::results::own::ScoreFit;
use tera::context;

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
    let mut blocks = vec![];
    if let Some(readings) = &fit.recalibration {
        let factors = readings.iter().any(|read| read.assumed.factor.is_some());
        let variances = readings.iter().any(|read| read.assumed.common_variance.is_some());
        let view = context! { readings => readings, factors => &factors, variances => &variances };
        blocks.push(Block::Table(table("reading", view)?));
    }
    if !fit.curve.is_empty() {
        blocks.push(Block::Table(table("curve", context! { curve => &fit.curve })?));
    }
    Ok(blocks)
}
