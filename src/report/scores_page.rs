//! The page of a study of scores: the same report as for classes, in the units of the score.

use super::figures::Figure;
use super::figures::shared::headline;
use super::followup;
use super::numbers::{NumberStyle, three};
use super::page::{Block, Column, Page, Section, Table, Text, Tone};
use super::rules::of_ratings as rule_name;
use super::score_evaluation::ranked;
use super::scores::{describe_input, describe_results};
use super::study_page::{
    coefficients, figure, files, input_table, not_evaluated, number, section, sentences, show, with_interval,
    with_warnings,
};
use crate::escalation::Rule;
use crate::experiments::half_split::ByRule;
use crate::study::evaluation::Outcome;
use crate::study::scores::results::Part;
use crate::study::scores::{ScoreEvaluation, ScoreResults};

/// The page of a run; `figures` are those of its results.
pub fn page(results: &ScoreResults, figures: &[Figure]) -> Page {
    let mut sections = vec![
        findings(results),
        input(results),
        trust(results, figures),
        decomposition(results, figures),
        calibration(results, figures),
    ];
    match &results.evaluation {
        Outcome::Evaluated(evaluation) => sections.extend([escalation(evaluation, figures), judge(evaluation)]),
        Outcome::NotEvaluated(reason) => sections.push(not_evaluated(reason)),
    }
    sections.extend(results.registered.as_ref().map(|registered| followup::registered_section(registered, figures)));
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
    let Some(first) = results.calibration.first() else {
        let none = "No item has ratings of two annotators, so none can be held out, and there is no figure of the belief's \
                    calibration.";
        return section("calibration", "Held-out ratings", vec![Block::Prose(none.into())]);
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
    section("calibration", "Held-out ratings", blocks)
}

fn escalation(evaluation: &ScoreEvaluation, figures: &[Figure]) -> Section {
    let (full, squared) = (&evaluation.full, &evaluation.squared);
    let budget = headline(full);
    let rows = ranked(evaluation).into_iter().map(|rule| {
        let minus = |by_rule: &ByRule| match rule {
            Rule::PosteriorEntropy => "—".to_owned(),
            _ => with_interval(by_rule[&rule][&budget].mean, [by_rule[&rule][&budget].lo, by_rule[&rule][&budget].hi]),
        };
        let value = &full.value[&rule][&budget];
        [
            rule_name(rule).to_owned(),
            format!("{} ({})", show(value.mean), show(value.se)),
            minus(&evaluation.minus_total),
            minus(&squared.minus_total),
            show(full.selective_error[&rule][&budget].mean),
        ]
        .map(Text::plain)
        .to_vec()
    });
    let table = Table {
        id: "table-escalation".to_owned(),
        caption: format!(
            "{} of {} items escalated, one label each; {} half splits",
            budget.of(evaluation.items),
            evaluation.items,
            evaluation.replicates
        ),
        columns: vec![
            Column::text("rule"),
            Column::numbers("error removed (se)"),
            Column::numbers("minus total uncertainty's [per-draw 95%]"),
            Column::numbers("the same, squared error"),
            Column::numbers("error of the others"),
        ],
        rows: rows.collect(),
        note: Some(
            format!(
                "The mean of half of an item's annotators is its truth; the error is the absolute difference of the \
                 belief's mean from it, in units of the score. The oracle, which knows the truth, would remove {} on \
                 average ({} of the squared error). results/study.json holds every budget, the differences to other rules, \
                 and the same with the number of labels as the only feature.",
                three(evaluation.oracle[&budget].mean),
                three(squared.oracle[&budget].mean)
            )
            .into(),
        ),
    };
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(["budget", "advantage"].into_iter().filter_map(|name| figure(figures, name)));
    section("escalation", "What escalation achieves", blocks)
}

fn judge(evaluation: &ScoreEvaluation) -> Section {
    let judge = &evaluation.judge;
    let rows = [
        ("mean absolute error", Some(judge.mean_error)),
        ("mean squared error", Some(judge.mean_squared_error)),
        ("bias, judge minus labels", Some(judge.bias)),
        ("difference between the means of halves of the labels", Some(judge.noise_ceiling)),
        ("rank correlation of means, judge and labels", judge.spearman_mean),
        ("rank correlation of stated deviation with error", judge.spearman_sd_error),
        ("rank correlation of the spread of variants with error", judge.spearman_spread_error),
    ];
    let row = |name: &str, value: f64| [name.to_owned(), show(value)].map(Text::plain).to_vec();
    let table = Table {
        id: "table-judge".to_owned(),
        caption: format!("The judge against the mean label of {} items", evaluation.items),
        columns: vec![Column::text("measure"), Column::numbers("value")],
        rows: rows.into_iter().filter_map(|(name, value)| Some(row(name, value?))).collect(),
        note: None,
    };
    section("judge", "The judge", vec![Block::Table(table)])
}
