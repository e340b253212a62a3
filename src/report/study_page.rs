//! A study's page: the same report as the paper's, filled from a run.

use super::latex::Error;
use super::numbers::{NumberStyle, three};
use super::page::{Block, Column, FILE, KeyNumber, Note, Page, Section, Table, Templates, Text, Tone};
use super::study::{describe_input, describe_results, headline, judge_rows, rules};
use crate::artifact::Staged;
use crate::escalation::Rule;
use crate::study::evaluation::{Evaluation, Outcome};
use crate::study::output::describe;
use crate::study::{InputReport, StudyResults};

/// Adds the page to a run folder.
///
/// # Errors
/// A template that asks for something the page does not have.
pub fn write(templates: &Templates, results: &StudyResults, staged: &mut Staged) -> Result<(), Error> {
    staged.put(FILE, templates.html(&page(results))?);
    Ok(())
}

/// The page of a run.
pub fn page(results: &StudyResults) -> Page {
    let mut sections = vec![findings(results), input(&results.input), trust(results), groups(results)];
    if let Outcome::Evaluated(evaluation) = &results.evaluation {
        sections.push(escalation(evaluation));
        sections.push(judge(evaluation));
    }
    sections.push(files());
    Page {
        title: results.input.title.clone(),
        lead: "How much of the judge's uncertainty is disagreement among experts, how much is ignorance that labels cure, \
               and which items to send to experts first."
            .into(),
        sections,
    }
}

fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.to_owned(), title: title.to_owned(), blocks }
}

fn number(value: String, label: &str, tone: Tone) -> KeyNumber {
    KeyNumber { value, label: label.to_owned(), tone }
}

/// The closing sentences of the run; what is indented there is a table of its own here.
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
    let lines = describe_results(results);
    let sentences = lines.iter().filter(|line| !line.starts_with(' ') && !line.ends_with(':'));
    let list = sentences.map(|line| Text::plain(line.as_str())).collect();
    section("findings", "What was found", vec![Block::Numbers(keys), Block::List(list)])
}

fn input(input: &InputReport) -> Section {
    let mut name = String::new();
    let rows = describe_input(input).into_iter().skip(2).filter(|line| !line.starts_with("warning: ")).map(|line| {
        let (key, text) = line.split_at(line.floor_char_boundary(12));
        if !key.trim().is_empty() {
            name = key.trim().to_owned();
        }
        vec![Text::plain(name.as_str()), Text::plain(text)]
    });
    let table = Table {
        id: "input-table".to_owned(),
        caption: "What was read".to_owned(),
        columns: vec![Column::text("input"), Column::text("found")],
        rows: rows.collect(),
        note: None,
    };
    let mut blocks = vec![Block::Table(table)];
    if !input.warnings.is_empty() {
        blocks.push(Block::Heading("To look at before the results are used".to_owned()));
        blocks.push(Block::List(input.warnings.iter().map(|warning| Text::plain(warning.as_str())).collect()));
    }
    section("input", "Items, judge and labels", blocks)
}

fn trust(results: &StudyResults) -> Section {
    let fit = &results.fit;
    let rows = fit.coefficients.iter().map(|c| {
        let of = |estimate: &crate::study::decompose::Estimate| {
            format!("{} [{}, {}]", three(estimate.value), three(estimate.lo), three(estimate.hi))
        };
        let known = |text: String| if c.identified { text } else { "not identified".to_owned() };
        [
            c.feature.clone(),
            three(c.mean),
            three(c.sd),
            c.missing.to_string(),
            known(of(&c.per_sd)),
            known(of(&c.per_unit)),
        ]
        .map(Text::plain)
        .to_vec()
    });
    let table = Table {
        id: "trust-table".to_owned(),
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
    };
    let fitted = format!(
        "Fitted to the labels of {} items by maximum likelihood; {} after {} steps (largest slope {:.0e}). Standard \
         deviation of log trust over items: {}.",
        fit.labelled_items,
        if fit.converged { "converged" } else { "NOT converged" },
        fit.iterations,
        fit.gradient_norm,
        three(fit.sd_log_trust)
    );
    section("trust", "Trust", vec![Block::Prose(fitted.into()), Block::Table(table)])
}

fn groups(results: &StudyResults) -> Section {
    let rows = results.groups.iter().map(|(name, group)| {
        let name = if name.is_empty() { "all items" } else { name };
        let cells = [group.labels, group.trust, group.total, group.aleatoric, group.epistemic].map(three);
        let mut row = vec![Text::plain(name), Text::plain(group.items.to_string())];
        row.extend(cells.map(Text::plain));
        row
    });
    let table = Table {
        id: "groups-table".to_owned(),
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
        note: Some("Labels lower the epistemic part; the aleatoric part is disagreement and stays.".into()),
    };
    section("groups", "Decomposition", vec![Block::Table(table)])
}

fn escalation(evaluation: &Evaluation) -> Section {
    let budget = headline(evaluation);
    let full = &evaluation.full;
    let rows = rules(evaluation).into_iter().map(|rule| {
        let (value, minus) = (&full.value[&rule][&budget], &full.minus_judge_entropy[&rule][&budget]);
        [
            describe(rule).to_owned(),
            format!("{} ({})", three(value.mean), three(value.se)),
            match rule {
                Rule::JudgeEntropy => "—".to_owned(),
                _ => format!("{} [{}, {}]", three(minus.mean), three(minus.lo), three(minus.hi)),
            },
            three(full.selective_error[&rule][&budget].mean),
        ]
        .map(Text::plain)
        .to_vec()
    });
    let table = Table {
        id: "escalation-table".to_owned(),
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
        text: Text::marked(
            "`results/study.json` holds every budget, the differences to fewest-labels-first, and the same \
                            with the number of labels as the only feature.",
        ),
    };
    section("escalation", "What escalation achieves", vec![Block::Table(table), Block::Note(more)])
}

fn judge(evaluation: &Evaluation) -> Section {
    let rows = judge_rows(&evaluation.judge).into_iter();
    let rows = rows.map(|row| vec![Text::plain(row.name), Text::plain(row.value.unwrap_or_else(|| "—".to_owned()))]);
    let measures = Table {
        id: "judge-table".to_owned(),
        caption: "The judge against the labels".to_owned(),
        columns: vec![Column::text("measure"), Column::numbers("value")],
        rows: rows.collect(),
        note: None,
    };
    let bins = evaluation.judge.calibration.iter().map(|bin| {
        let hits = NumberStyle::plain(1).format(100.0 * bin.hits);
        [
            format!("{} to {}", bin.from, bin.to),
            bin.items.to_string(),
            NumberStyle::plain(1).format(bin.confidence),
            hits,
        ]
        .map(Text::plain)
        .to_vec()
    });
    let calibration = Table {
        id: "calibration-table".to_owned(),
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
    if !calibration.rows.is_empty() {
        blocks.push(Block::Table(calibration));
    }
    section("judge", "The judge", blocks)
}

fn files() -> Section {
    let list = [
        "`items.csv` and `items.parquet`: every item with its decomposition and its rank under every rule",
        "`columns.csv`: what the columns mean",
        "`tables/`: LaTeX tables",
        "`results/study.json`: everything on this page in full precision",
        "`results/manifest.json`: versions, settings and sums of the inputs",
    ];
    section("files", "Files beside this page", vec![Block::List(list.into_iter().map(Text::marked).collect())])
}
