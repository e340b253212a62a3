//! A study's page: the same report as the paper's, filled from a run.

use super::figures::Figure;
use super::figures::axis::signed;
use super::figures::shared::{budgets, headline};
use super::followup;
use super::numbers::{NumberStyle, three};
use super::page::{Block, Column, FigureBlock, KeyNumber, Note, Page, Section, Table, Text, Tone};
use super::rules::in_figures as rule_name;
use super::study::{describe_input, describe_results, judge_rows, rules};
use super::study_bundle::DOCUMENT;
use crate::escalation::Rule;
use crate::study::decompose::{Coefficient, Estimate};
use crate::study::evaluation::{Evaluation, Outcome};
use crate::study::{InputReport, StudyResults};

/// Groups that the page lists; with more, the largest.
const MOST_GROUPS: usize = 50;

/// The page of a run; `figures` are those of its results.
pub fn page(results: &StudyResults, figures: &[Figure]) -> Page {
    let mut sections =
        vec![findings(results), input(&results.input), trust(results, figures), groups(results, figures)];
    match &results.evaluation {
        Outcome::Evaluated(evaluation) => {
            sections.push(escalation(evaluation, figures));
            sections.push(judge(evaluation, figures));
        }
        Outcome::NotEvaluated(reason) => sections.push(not_evaluated(reason)),
    }
    sections.extend(results.registered.as_ref().map(|registered| followup::registered_section(registered, figures)));
    sections.extend(results.movement.as_ref().map(|movement| followup::movement_section(movement, "nats")));
    sections.push(files());
    Page {
        title: results.input.title.clone(),
        lead: "How much of the judge's uncertainty is disagreement among experts, how much is ignorance that labels cure, \
               and which items to send to experts first."
            .into(),
        sections,
    }
}

pub(super) fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.to_owned(), title: title.to_owned(), blocks }
}

pub(super) fn number(value: String, label: &str, tone: Tone) -> KeyNumber {
    KeyNumber { value, label: label.to_owned(), tone }
}

/// The figure of a name, if the results have it.
pub(super) fn figure(figures: &[Figure], name: &str) -> Option<Block> {
    figures.iter().find(|figure| figure.name() == name).map(|figure| Block::Figure(FigureBlock::of(figure)))
}

/// A number in a table.
pub(super) fn show(value: f64) -> String {
    signed(&three(value))
}

/// An estimate with its interval.
pub(super) fn with_interval(value: f64, [lo, hi]: [f64; 2]) -> String {
    format!("{} [{}, {}]", show(value), show(lo), show(hi))
}

/// The closing sentences of a run; what is indented there is a table of its own here.
pub(super) fn sentences(lines: &[String]) -> Block {
    let sentences = lines.iter().filter(|line| !line.starts_with(' ') && !line.ends_with(':'));
    Block::List(sentences.map(|line| Text::plain(line.as_str())).collect())
}

fn findings(results: &StudyResults) -> Section {
    let (fit, evidence) = (&results.fit, &results.evidence);
    let keys = vec![
        number(results.input.items.to_string(), "items", Tone::Neutral),
        number(results.input.labels.labels.to_string(), "labels", Tone::Neutral),
        number(three(fit.typical_trust.value), "labels that a typical prediction is worth", Tone::Neutral),
        number(
            format!("{}%", NumberStyle::plain(0).format(100.0 * evidence.information_kept)),
            "of the epistemic uncertainty that entropy's tenth of the items holds, against the best tenth",
            if evidence.entropy_goes_wrong { Tone::Bad } else { Tone::Good },
        ),
    ];
    section("findings", "What was found", vec![Block::Numbers(keys), sentences(&describe_results(results))])
}

/// What was read, from the lines of a description, title and an empty line apart.
pub(super) fn input_table(lines: Vec<String>) -> Table {
    let mut name = String::new();
    let rows = lines.into_iter().skip(2).filter(|line| !line.starts_with("warning: ")).map(|line| {
        let (key, text) = line.split_at(line.floor_char_boundary(12));
        if !key.trim().is_empty() {
            name = key.trim().to_owned();
        }
        vec![Text::plain(name.as_str()), Text::plain(text)]
    });
    Table {
        id: "table-input".to_owned(),
        caption: "What was read".to_owned(),
        columns: vec![Column::text("input"), Column::text("found")],
        rows: rows.collect(),
        note: None,
    }
}

fn input(input: &InputReport) -> Section {
    let warnings = input.warnings.iter().map(|warning| Text::plain(warning.as_str())).collect();
    section("input", "Items, judge and labels", with_warnings(input_table(describe_input(input)), warnings))
}

/// What was read, and what to think of before using it.
pub(super) fn with_warnings(table: Table, warnings: Vec<Text>) -> Vec<Block> {
    let mut blocks = vec![Block::Table(table)];
    if !warnings.is_empty() {
        blocks.push(Block::Heading("To look at before the results are used".to_owned()));
        blocks.push(Block::List(warnings));
    }
    blocks
}

/// The coefficients of the trust regression.
pub(super) fn trust_table(coefficients: &[Coefficient]) -> Table {
    let rows = coefficients.iter().map(|c| {
        let of = |estimate: &Estimate| match c.identified {
            true => with_interval(estimate.value, [estimate.lo, estimate.hi]),
            false => "not identified".to_owned(),
        };
        [c.feature.clone(), show(c.mean), show(c.sd), c.missing.to_string(), of(&c.per_sd), of(&c.per_unit)]
            .map(Text::plain)
            .to_vec()
    });
    Table {
        id: "table-trust".to_owned(),
        caption: "What trust depends on: change of its logarithm, with 95% intervals".to_owned(),
        columns: vec![
            Column::text("feature"),
            Column::numbers("mean"),
            Column::numbers("sd"),
            Column::numbers("missing"),
            Column::numbers("per sd"),
            Column::numbers("per unit"),
        ],
        rows: rows.collect(),
        note: Some(
            "A coefficient of 0.7 per sd doubles the trust from one item to another whose feature is one standard \
             deviation larger; an interval without 0 is a clear effect."
                .into(),
        ),
    }
}

/// Coefficients as a table and, where the labels identify any, as a figure.
pub(super) fn coefficients(coefficients: &[Coefficient], figures: &[Figure]) -> Vec<Block> {
    if coefficients.is_empty() {
        return vec![Block::Prose("No feature was given, so all predictions have the same trust.".into())];
    }
    let mut blocks = vec![Block::Table(trust_table(coefficients))];
    blocks.push(figure(figures, "coefficients").unwrap_or_else(|| {
        Block::Prose("There is no figure of the coefficients, for the labels identify none of them.".into())
    }));
    blocks
}

fn trust(results: &StudyResults, figures: &[Figure]) -> Section {
    let fit = &results.fit;
    let fitted = format!(
        "Fitted to the labels of {} items by maximum likelihood; {} after {} steps (largest slope {:.0e}). Standard \
         deviation of log trust over items: {}.",
        fit.labelled_items,
        if fit.converged { "converged" } else { "NOT converged" },
        fit.iterations,
        fit.gradient_norm,
        three(fit.sd_log_trust)
    );
    let mut blocks = vec![Block::Prose(fitted.into())];
    blocks.extend(coefficients(&fit.coefficients, figures));
    section("trust", "Trust", blocks)
}

fn groups(results: &StudyResults, figures: &[Figure]) -> Section {
    let mut groups: Vec<_> = results.groups.iter().collect();
    // All items, and then the largest groups in the order of their names.
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.items));
    let left = groups.len().saturating_sub(MOST_GROUPS + 1);
    groups.truncate(MOST_GROUPS + 1);
    groups.sort_by_key(|(name, _)| *name);
    let rows = groups.into_iter().map(|(name, group)| {
        let name = if name.is_empty() { "all items" } else { name };
        let cells = [group.labels, group.trust, group.total, group.aleatoric, group.epistemic].map(show);
        let mut row = vec![Text::plain(name), Text::plain(group.items.to_string())];
        row.extend(cells.map(Text::plain));
        row
    });
    let rest = if left > 0 { format!(" {left} smaller groups are in results/study.json only.") } else { String::new() };
    let table = Table {
        id: "table-groups".to_owned(),
        caption: "Means over items".to_owned(),
        columns: vec![
            Column::text("group"),
            Column::numbers("items"),
            Column::numbers("labels per item"),
            Column::numbers("trust, labels"),
            Column::numbers("total, nats"),
            Column::numbers("aleatoric"),
            Column::numbers("epistemic"),
        ],
        rows: rows.collect(),
        note: Some(
            format!("Labels lower the epistemic part; the aleatoric part is disagreement and stays.{rest}").into(),
        ),
    };
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(figure(figures, "components"));
    section("groups", "Decomposition", blocks)
}

/// Why there is no evaluation, and so none of its tables and figures.
pub(super) fn not_evaluated(reason: &str) -> Section {
    let text = format!(
        "Not evaluated: {reason}. So there are no figures of the error removed, of its differences between rules and of the \
         judge's calibration."
    );
    section("escalation", "What escalation achieves", vec![Block::Prose(text.into())])
}

fn escalation(evaluation: &Evaluation, figures: &[Figure]) -> Section {
    let full = &evaluation.full;
    let budget = headline(full);
    let rows = rules(evaluation).into_iter().map(|rule| {
        let (value, minus) = (&full.value[&rule][&budget], &full.minus_judge_entropy[&rule][&budget]);
        [
            rule_name(rule).to_owned(),
            format!("{} ({})", show(value.mean), show(value.se)),
            match rule {
                Rule::JudgeEntropy => "—".to_owned(),
                _ => with_interval(minus.mean, [minus.lo, minus.hi]),
            },
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
            Column::numbers("minus judge entropy's [per-draw 95%]"),
            Column::numbers("error of the others"),
        ],
        rows: rows.collect(),
        note: Some(
            format!(
                "Half of an item's labels are its truth. The oracle, which knows it, would remove {} on average; the error \
                 is the Manhattan distance of belief and truth, 0 to 2.",
                three(evaluation.oracle[&budget].mean)
            )
            .into(),
        ),
    };
    let more = Note {
        summary: "Other budgets".to_owned(),
        text: Text::marked(&format!(
            "`results/study.json` holds all {} budgets, the differences to fewest-labels-first, and the same with the number \
             of labels as the only feature.",
            budgets(full).len()
        )),
    };
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(["budget", "advantage"].into_iter().filter_map(|name| figure(figures, name)));
    blocks.push(Block::Note(more));
    section("escalation", "What escalation achieves", blocks)
}

fn judge(evaluation: &Evaluation, figures: &[Figure]) -> Section {
    let rows = judge_rows(&evaluation.judge).into_iter();
    let rows = rows.map(|row| {
        let value = row.value.map_or_else(|| "—".to_owned(), |value| signed(&value));
        vec![Text::plain(row.name), Text::plain(value)]
    });
    let measures = Table {
        id: "table-judge".to_owned(),
        caption: "The judge against the labels".to_owned(),
        columns: vec![Column::text("measure"), Column::numbers("value")],
        rows: rows.collect(),
        note: None,
    };
    let bins = evaluation.judge.calibration.iter().map(|bin| {
        let one = NumberStyle::plain(1);
        let cells = [
            format!("{} to {}", bin.from, bin.to),
            bin.items.to_string(),
            one.format(bin.confidence),
            one.format(100.0 * bin.hits),
        ];
        cells.map(Text::plain).to_vec()
    });
    let calibration = Table {
        id: "table-calibration".to_owned(),
        caption: "Stated confidence against the share of labels that are the judge's likeliest class, in percent"
            .to_owned(),
        columns: vec![
            Column::text("stated confidence"),
            Column::numbers("items"),
            Column::numbers("mean stated"),
            Column::numbers("labels"),
        ],
        rows: bins.collect(),
        note: None,
    };
    let mut blocks = vec![Block::Table(measures)];
    match figure(figures, "calibration") {
        Some(figure) => blocks.extend([Block::Table(calibration), figure]),
        None => blocks.push(Block::Prose(
            "The judge states no confidence for these items, so there is no figure of its calibration.".into(),
        )),
    }
    section("judge", "The judge", blocks)
}

/// What else a run folder holds.
pub(super) fn files() -> Section {
    let list = [
        "`items.csv` and `items.parquet`: every item with its decomposition and its rank under every rule",
        "`columns.csv`: what the columns mean",
        "`tables/`: the tables of this page as LaTeX",
        "`figures/`: its figures, each as PDF, SVG, pgfplots code and with its data as CSV",
        &format!("`{DOCUMENT}`: this page as a LaTeX document that includes them"),
        "`results/study.json`: everything on this page in full precision",
        "`results/manifest.json`: versions, settings and sums of the inputs",
    ];
    section("files", "Files beside this page", vec![Block::List(list.into_iter().map(Text::marked).collect())])
}
