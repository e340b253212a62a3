//! How a judge's scores are read, as readers see it.

use crate::blocks::{show, with_interval};
use judge_uncertainty_core::belief::CurvePoint;
use judge_uncertainty_core::stats::Estimate;
use judge_uncertainty_page::{Block, Table};
use judge_uncertainty_study::kinds::scores::findings::{ScoreFit, ScoreReading};
use judge_uncertainty_study::results::FitReport;
use judge_uncertainty_system::numbers::three;

/// How well the judge's variances are known.
pub(crate) fn variance_sentence(fit: &FitReport, own: &ScoreFit) -> String {
    let freedom = three(own.freedom);
    let told = |name: &str| fit.unidentified.iter().all(|other| other != name);
    let known = match (told("ln(nu - 2)"), own.common_variance) {
        (false, _) => "How well the judge's variances are known cannot be determined from these ratings.".to_owned(),
        (true, Some(variance)) if told("ln s0^2") => format!(
            "Variances are known as from {freedom} labels; where the judge states none it is about {}.",
            three(variance)
        ),
        (true, Some(_)) => format!("Variances are known as from {freedom} labels."),
        (true, None) => format!("The judge's variances are worth about {freedom} labels."),
    };
    if told("ln s0^2") {
        return known;
    }
    format!(
        "{known} What they are where the judge states none cannot be determined: disagreement and ignorance look the \
         same where no item has two ratings."
    )
}

/// Coefficients that the ratings do not determine, except those that have a sentence of their own.
pub(crate) fn unidentified(fit: &FitReport) -> Vec<String> {
    let said = ["ln(nu - 2)", "ln s0^2", "bias", "slope", "ln factor"];
    let has_sentence = |name: &&String| {
        said.iter().any(|of| *name == of || name.strip_prefix(of).is_some_and(|rest| rest.starts_with(" of group ")))
    };
    fit.unidentified.iter().filter(|name| !has_sentence(name)).cloned().collect()
}

/// How the judge's scores are read, and what that says of it: a sentence for each group, and one on what is not known.
pub(crate) fn reading_sentences(fit: &ScoreFit) -> Vec<String> {
    let mut sentences: Vec<String> = fit.recalibration.iter().flatten().map(reading_sentence).collect();
    if !sentences.is_empty() {
        let lowered =
            "Uncertainty about this reading widens the epistemic part, so an item's trust is below the typical one.";
        sentences.push(lowered.to_owned());
    }
    sentences.extend(curve_sentence(&fit.curve));
    sentences
}

/// Where a curve adds most and least.
fn curve_sentence(curve: &[CurvePoint]) -> Option<String> {
    let by = |a: &&CurvePoint, b: &&CurvePoint| a.adds.total_cmp(&b.adds);
    let (least, most) = (curve.iter().min_by(by)?, curve.iter().max_by(by)?);
    let of = |point: &CurvePoint| format!("{} at a score of {}", three(point.adds), three(point.score));
    Some(format!("To this line a smooth curve adds from {} up to {}.", of(least), of(most)))
}

fn reading_sentence(read: &ScoreReading) -> String {
    let of = read.group.as_ref().map(|group| format!(" for {group:?}")).unwrap_or_default();
    let parts: Vec<String> =
        [Some(bias(read)), Some(slope(read.slope.as_ref())), factor(read)].into_iter().flatten().collect();
    format!("The judge's scores{of} are read on the scale of the ratings: {}.", parts.join("; "))
}

/// An estimate with its interval, in words.
fn with_ends(estimate: &Estimate) -> String {
    format!("{} ({} to {})", three(estimate.value), three(estimate.lo), three(estimate.hi))
}

fn bias(read: &ScoreReading) -> String {
    let at = format!("at its average of {}", three(read.centre));
    match read.bias {
        Some(bias) if bias.lo > 0.0 => format!("{at} they are too high by {}", with_ends(&bias)),
        Some(bias) if bias.hi < 0.0 => {
            let low = Estimate { value: -bias.value, lo: -bias.hi, hi: -bias.lo, ..bias };
            format!("{at} they are too low by {}", with_ends(&low))
        }
        Some(bias) => format!("{at} they show no clear bias, {}", with_ends(&bias)),
        None => "their bias cannot be determined".to_owned(),
    }
}

fn slope(slope: Option<&Estimate>) -> String {
    let Some(slope) = slope else {
        return "how many points of the ratings a point of theirs is cannot be determined".to_owned();
    };
    let meaning = match () {
        () if slope.hi < 1.0 => ", so they exaggerate how far items differ",
        () if slope.lo > 1.0 => ", so they play down how far items differ",
        () => "",
    };
    format!("a point of theirs is {} of the ratings'{meaning}", with_ends(slope))
}

/// `None` where the judge states no standard deviation.
fn factor(read: &ScoreReading) -> Option<String> {
    read.assumed.factor?;
    let Some(factor) = read.factor else {
        return Some(
            "by what its standard deviations are to be multiplied cannot be determined (have more items rated twice or \
             more)"
                .to_owned(),
        );
    };
    let meaning = match () {
        () if factor.lo > 1.0 => ": it is overconfident of how far annotators agree",
        () if factor.hi < 1.0 => ": annotators agree more than it says",
        () => "",
    };
    Some(format!("its standard deviations are multiplied by {}{meaning}", with_ends(&factor)))
}

/// The recalibration of the judge's scores as tables; empty if the scores are used unchanged.
pub(crate) fn reading_blocks(fit: &ScoreFit) -> Vec<Block> {
    let readings = fit.recalibration.iter().map(|readings| reading_table(readings));
    readings.chain(curve_table(&fit.curve)).map(Block::Table).collect()
}

fn curve_table(curve: &[CurvePoint]) -> Option<Table> {
    let row = |point: &CurvePoint| [show(point.score), show(point.adds)];
    (!curve.is_empty()).then(|| {
        Table::new("table-curve", "What the curve adds to the line", "rr", &["score", "added"], curve.iter().map(row))
            .with_note(
                "At the deciles of the judge's scores. Without intervals, which would be too narrow where the curve is \
                 drawn flat; what is not known of it lowers the trust of the items concerned.",
            )
    })
}

fn reading_table(readings: &[ScoreReading]) -> Table {
    let (mut heads, mut rows) = (vec!["items", "average score", "bias there", "slope"], vec![]);
    let factors = readings.iter().any(|read| read.assumed.factor.is_some());
    let variances = readings.iter().any(|read| read.assumed.common_variance.is_some());
    heads.extend(factors.then_some("factor on sd"));
    heads.extend(variances.then_some("variance without sd"));
    for read in readings {
        let of = |estimate: &Option<Estimate>| match estimate {
            Some(estimate) => with_interval(estimate.value, estimate.interval()),
            None => "not determined".to_owned(),
        };
        let name = read.group.clone().unwrap_or_else(|| "all items".to_owned());
        let mut row = vec![name, show(read.centre), of(&read.bias), of(&read.slope)];
        row.extend(factors.then(|| of(&read.factor)));
        row.extend(variances.then(|| of(&read.common_variance)));
        rows.push(row);
    }
    let caption = "How the judge's scores are read, with 95% intervals";
    Table::new("table-reading", caption, "lr", &heads, rows).with_note(
        "A score counts as average - bias + slope × (score - average), a stated standard deviation as factor × itself. \
         A bias above 0 is a judge that is too generous, a slope below 1 one that exaggerates how far items differ, a \
         factor above 1 one that is overconfident of how far annotators agree. What is not known of bias and slope \
         lowers the trust of the items concerned.",
    )
}
