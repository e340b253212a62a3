//! Scores as readers see them.

use super::classes::choice_sentence;
use super::reading::{reading_sentences, variance_sentence};
use super::tables::parts_sentence;
use crate::blocks::{figure, percent, section};
use judge_uncertainty_core::belief::RatingMap;
use judge_uncertainty_core::belief::maps::Variance;
use judge_uncertainty_evaluation::Coverage;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::{Block, Section, Table};
use judge_uncertainty_study::evaluate::half_splits::HeldOut;
use judge_uncertainty_study::kinds::scores::findings::{ScoreFindings, WithinItems};
use judge_uncertainty_study::kinds::scores::findings::{ScoreFit, ScoreReading};
use judge_uncertainty_study::kinds::scores::judge::ScoreJudgeReport;
use judge_uncertainty_study::model::study::OwnFit;
use judge_uncertainty_study::results::parts::PartAverages;
use judge_uncertainty_study::results::{FitReport, InputReport};
use judge_uncertainty_study::{EvaluationOutcome, Scale, StudyResults};
use judge_uncertainty_system::numbers::{NumberStyle, three};

/// What labels can be, and what was found in the files.
pub(crate) fn input_rows(input: &InputReport, judge: &ScoreJudgeReport) -> Vec<(&'static str, String)> {
    let labels = &input.labels;
    let ends = match input.scale {
        Scale::Scores(low, high) => format!("{low} to {high}"),
        _ => String::new(),
    };
    let variants = input.variants.len().max(1);
    vec![
        ("scale", ends),
        ("judge", format!("{} rows under {variants} variants, {} failed", judge.rows, judge.failed_answers)),
        ("judge", format!("{} items without a stated standard deviation", judge.without_sd)),
        (
            "labels",
            format!(
                "{} ratings by {} annotators for {} items, at most {} annotators per item, {} blank",
                labels.number(),
                labels.annotators.unwrap_or_default(),
                labels.labelled_items,
                labels.most_labels,
                labels.blank
            ),
        ),
        (
            "labels",
            format!(
                "{} of them repeat an earlier rating, {} were added",
                labels.repeats.unwrap_or_default(),
                labels.added
            ),
        ),
    ]
}

/// Sentences on the fit.
pub(crate) fn fit_sentences(fit: &FitReport, own: &ScoreFit) -> Vec<String> {
    let map = own.map.iter().map(map_sentence);
    std::iter::once(variance_sentence(fit, own)).chain(reading_sentences(own)).chain(map).collect()
}

/// Sentences on the decomposition.
pub(crate) fn findings_sentences(results: &StudyResults, findings: &ScoreFindings) -> Vec<String> {
    let parts = &findings.decomposition;
    let mut sentences = vec![parts_sentence(parts)];
    sentences.push(match (parts.within_annotators, parts.between_annotators) {
        (Some(within), Some(between)) => format!(
            "The aleatoric part is {} noise within annotators ({} repeats) and {} disagreement between them.",
            three(within),
            parts.repeats,
            three(between)
        ),
        _ => "No annotator rated an item twice, so noise within annotators and disagreement between them are not \
              identified; only their sum is."
            .to_owned(),
    });
    let calibration = &findings.calibration;
    sentences.extend(
        calibration
            .first()
            .map(|first| format!("Of {} held-out ratings, {} interval.", first.ratings, inside(calibration))),
    );
    let within = findings.within_items.filter(WithinItems::contradicted);
    let found: Vec<String> =
        [misfit(calibration), misfit_of_halves(results), within.map(|within| contradiction(&within))]
            .into_iter()
            .flatten()
            .collect();
    let remedy = (!found.is_empty()).then(|| remedy(results).to_owned());
    sentences.extend(found.into_iter().chain(remedy));
    sentences
}

/// The sentence for ratings that cannot separate noise within annotators from disagreement between them.
pub(crate) const TOGETHER: &str = "No annotator rated an item twice, so noise within annotators and disagreement \
                                   between them cannot be separated; only their sum is known.";

/// What a figure of the parts adds.
pub(crate) fn remark(parts: Option<&PartAverages>) -> String {
    match parts.and_then(|parts| parts.within_annotators) {
        Some(_) => {
            " The aleatoric part is noise within annotators, pooled over ratings that were repeated, and \
                    disagreement between them."
        }
        None => {
            " No annotator rated an item twice, so noise within annotators and disagreement between them cannot \
                 be separated."
        }
    }
    .to_owned()
}

/// How often the ratings of held-out halves lie in their intervals.
pub(crate) fn held_out_sentence(held_out: &HeldOut) -> String {
    format!("Of the ratings in held-out halves, which the fits have not seen, {} interval.", inside(&held_out.coverage))
}

/// The recalibration of the judge's scores, and its evidence.
fn map_sentence(map: &RatingMap) -> String {
    let reading = map.name.words_of_ratings().unwrap_or_default();
    choice_sentence(
        format!("The belief reads the scores {reading} (recalibration `{}`).{}", map.name, apart(&map.variances)),
        map.choice.as_ref(),
    )
}

/// How far the groups' readings lie apart.
fn apart(variances: &[Variance]) -> String {
    let named = [("biases", "bias"), ("slopes", "slope"), ("ln factors", "logarithm of the factor")];
    let sd = |(block, name): (&str, &str)| {
        let found = variances.iter().find(|of| of.block.strip_suffix(" of groups") == Some(block))?;
        Some(format!("{} in the {name}", three(found.variance.sqrt())))
    };
    let sds: Vec<String> = named.into_iter().filter_map(sd).collect();
    match sds.as_slice() {
        [] => String::new(),
        sds => format!(" Standard deviations between groups: {}.", sds.join(", ")),
    }
}

/// What to do about intervals that do not fit, under the belief in use.
fn remedy(results: &StudyResults) -> &'static str {
    let grouped = results.groups.len() > 1;
    let OwnFit::Ratings(own) = &results.fit.own else { return "" };
    match own.recalibration.as_deref() {
        None => {
            "Set belief = \"recalibrated\" in [trust]: bias, slope and a factor on the judge's standard deviations are \
             then fitted with the trust."
        }
        Some([ScoreReading { group: None, .. }]) if grouped => {
            "One reading of the judge does not fit all items: set belief = \"groups\" in [trust], or leave `sd` out of \
             [judge]."
        }
        Some([ScoreReading { group: None, .. }]) => {
            "One reading of the judge does not fit all items: name the column of kinds of items that may differ as \
             `group` in [items] and set belief = \"groups\" in [trust], or leave `sd` out of [judge]."
        }
        Some(_) => {
            "A reading for each group does not mend it; leave `sd` out of [judge], and common variances are fitted \
             instead."
        }
    }
}

/// Ratings of one item that vary otherwise than expected.
fn contradiction(within: &WithinItems) -> String {
    format!(
        "The ratings contradict the aleatoric part: ratings of one item vary by {} about their mean, and {} is \
         expected of the same {} items ({} standard errors apart).",
        three(within.observed),
        three(within.expected),
        within.items,
        three(within.z.abs())
    )
}

/// Whether held-out ratings lie in their intervals as often as they should; `None` if chance explains the difference.
fn misfit(coverage: &[Coverage]) -> Option<String> {
    // Ratings are of different items, so those inside are binomial but for the fit they share.
    let (level, inside, kind) = beyond_chance(coverage, coverage.first()?.ratings as f64)?;
    Some(format!(
        "The intervals are {kind}: {inside} of the held-out ratings lie in the {level} interval, which chance does not \
         explain."
    ))
}

/// What misfits in the ratings of held-out halves, which the fits have not seen.
fn misfit_of_halves(results: &StudyResults) -> Option<String> {
    let EvaluationOutcome::Evaluated(evaluation) = &results.evaluation else { return None };
    // An item's ratings, and its replicates, share what the belief got wrong of its mean: each item counts once.
    let coverage = &evaluation.held_out.as_ref()?.coverage;
    let (level, inside, kind) = beyond_chance(coverage, evaluation.items as f64)?;
    Some(format!(
        "With few ratings in hand the intervals are {kind}: {inside} of the ratings in held-out halves lie in the \
         {level} interval, which chance does not explain."
    ))
}

/// The first interval whose share of ratings is three standard errors off, as if it were of so many `independent` ones:
/// its level, the share, and what that makes of it.
fn beyond_chance(coverage: &[Coverage], independent: f64) -> Option<(String, String, &'static str)> {
    let off = |c: &&Coverage| (c.inside - c.level).abs() > 3.0 * (c.level * (1.0 - c.level) / independent).sqrt();
    let found = coverage.iter().find(off)?;
    let kind = if found.inside > found.level { "too wide" } else { "too narrow" };
    Some((percent(found.level), percent(found.inside), kind))
}

/// Shares of ratings in their intervals, in a sentence.
fn inside(coverage: &[Coverage]) -> String {
    let percent = |share: f64| NumberStyle::plain(0).format(100.0 * share);
    let inside = coverage.iter().map(|c| format!("{}% in the {}%", percent(c.inside), percent(c.level)));
    inside.collect::<Vec<_>>().join(", ")
}

/// The section on held-out ratings.
pub(crate) fn calibration(coverage: &[Coverage], figures: &[Figure]) -> Section {
    let Some(first) = coverage.first() else {
        let none = "No item has ratings of two annotators, so none can be held out, and the calibration of the \
                    belief cannot be shown.";
        return section("calibration", "Held-out ratings", vec![Block::Prose(none.into())]);
    };
    let table = Table::new(
        "table-coverage",
        format!("Share of {} held-out ratings within their central intervals", first.ratings),
        "lr",
        &["interval", "ratings inside"],
        coverage.iter().map(|c| [percent(c.level), percent(c.inside)]),
    )
    .with_note(
        "One rating of each item with two annotators or more is held out and compared with the belief from the \
         others.",
    );
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(figure(figures, "places"));
    section("calibration", "Held-out ratings", blocks)
}
