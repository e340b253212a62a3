//! The page of a study of scores: the same report as for classes, in the units of the score.

use super::figures::Figure;
use super::followup;
use super::numbers::{NumberStyle, three};
use super::page::{Block, Column, Page, Section, Table, Text, Tone};
use super::scores::{describe_input, describe_results};
use super::study_page::{coefficients, figure, files, input_table, number, section, sentences, show, with_warnings};
use crate::study::scores::ScoreResults;
use crate::study::scores::results::Part;

/// The page of a run; `figures` are those of its results.
pub fn page(results: &ScoreResults, figures: &[Figure]) -> Page {
    let mut sections = vec![
        findings(results),
        input(results),
        trust(results, figures),
        decomposition(results, figures),
        calibration(results, figures),
    ];
    sections.extend(results.movement.as_ref().map(|m| followup::movement_section(m, "squared units of the score")));
    sections.push(files());
    Page {
        title: results.title.clone(),
        lead:
            "How much of the variance of a score is disagreement among annotators, how much is the judge's ignorance, \
               which labels cure, and which items to send to annotators first."
                .into(),
        sections,
    }
}

fn findings(results: &ScoreResults) -> Section {
    let (fit, parts) = (&results.fit, &results.decomposition);
    let share = format!("{}%", NumberStyle::plain(0).format(100.0 * parts.epistemic / parts.total));
    let keys = vec![
        number(results.input.items.to_string(), "items", Tone::Neutral),
        number(results.input.ratings.to_string(), "ratings", Tone::Neutral),
        number(three(fit.typical_trust.value), "labels that a typical mean score is worth", Tone::Neutral),
        number(share, "of the variance of a fresh label is epistemic", Tone::Neutral),
    ];
    section("findings", "What was found", vec![Block::Numbers(keys), sentences(&describe_results(results))])
}

fn input(results: &ScoreResults) -> Section {
    let lines = describe_input(results);
    let warnings = lines.iter().filter_map(|line| line.strip_prefix("warning: ")).map(Text::plain).collect();
    section("input", "Items, judge and ratings", with_warnings(input_table(lines), warnings))
}

fn trust(results: &ScoreResults, figures: &[Figure]) -> Section {
    let fit = &results.fit;
    let fitted = format!(
        "Fitted to the ratings of {} items by maximum likelihood; {} after {} steps (largest slope {:.0e}). Standard \
         deviation of log trust over items: {}. The judge's variances are worth {} labels.",
        fit.labelled_items,
        if fit.converged { "converged" } else { "NOT converged" },
        fit.iterations,
        fit.gradient_norm,
        three(fit.sd_log_trust),
        three(fit.freedom)
    );
    let mut blocks = vec![Block::Prose(fitted.into())];
    blocks.extend(coefficients(&fit.coefficients, figures));
    section("trust", "Trust", blocks)
}

fn decomposition(results: &ScoreResults, figures: &[Figure]) -> Section {
    let parts = &results.decomposition;
    let rows = parts.parts().into_iter().map(|(part, mean)| {
        let name = match part {
            Part::Total => "total: a fresh label",
            Part::Epistemic => "epistemic",
            Part::Aleatoric => "aleatoric",
            Part::WithinAnnotators => "aleatoric, within annotators",
            Part::BetweenAnnotators => "aleatoric, between annotators",
        };
        let percentiles = parts.over_items.get(&part).map_or_else(|| ["—"; 3].map(str::to_owned), |p| p.map(show));
        [name.to_owned(), show(mean)].into_iter().chain(percentiles).map(Text::plain).collect()
    });
    let table = Table {
        id: "table-parts".to_owned(),
        caption: "Parts of the variance over items, in squared units of the score".to_owned(),
        columns: vec![
            Column::text("part"),
            Column::numbers("mean"),
            Column::numbers("5%"),
            Column::numbers("median"),
            Column::numbers("95%"),
        ],
        rows: rows.collect(),
        note: Some("Labels lower the epistemic part; the aleatoric part is disagreement and stays.".into()),
    };
    let mut blocks = vec![Block::Table(table)];
    if parts.within_annotators.is_none() {
        blocks.push(Block::Prose(
            "No annotator rated an item twice, so noise within annotators and disagreement between them are not told \
             apart; only their sum is."
                .into(),
        ));
    }
    blocks.extend(["parts", "components"].into_iter().filter_map(|name| figure(figures, name)));
    section("decomposition", "Decomposition", blocks)
}

fn calibration(results: &ScoreResults, figures: &[Figure]) -> Section {
    let not_evaluated = Block::Prose(format!("Not evaluated: {}.", results.evaluation).into());
    let Some(first) = results.calibration.first() else {
        let none = "No item has ratings of two annotators, so none can be held out, and there is no figure of the belief's \
                    calibration.";
        return section("calibration", "Held-out ratings", vec![Block::Prose(none.into()), not_evaluated]);
    };
    let percent = |share: f64| format!("{}%", NumberStyle::plain(0).format(100.0 * share));
    let rows = results.calibration.iter().map(|c| [percent(c.level), percent(c.inside)].map(Text::plain).to_vec());
    let table = Table {
        id: "table-coverage".to_owned(),
        caption: format!("Share of {} held-out ratings within their central intervals", first.ratings),
        columns: vec![Column::text("interval"), Column::numbers("ratings inside")],
        rows: rows.collect(),
        note: Some(
            "One rating of each item with two annotators or more is held out and compared with the belief from the others."
                .into(),
        ),
    };
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(figure(figures, "places"));
    blocks.push(not_evaluated);
    section("calibration", "Held-out ratings", blocks)
}
