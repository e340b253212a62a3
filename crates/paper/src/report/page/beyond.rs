//! What goes beyond the paper, kept apart from its claims.

use super::shared::{Figures, fixed, with_interval};
use crate::artifact::Results;
use crate::experiments::chaosnli::ChaosNliResults;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::stage::BeliefName;
use crate::report::extended_tables::{ExtendedTable, tables};
use crate::report::findings::{Finding, FindingStatus};
use crate::rules::Contender;
use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_page::{Block, Note, Section, Table, Text};

/// A heading with the findings below it, by status, the figures and the tables.
type BeyondPart = (&'static str, &'static [FindingStatus], &'static [&'static str], &'static [&'static str]);

const PARTS: [BeyondPart; 3] = [
    (
        "Registered, and judged on other items",
        &[FindingStatus::Confirmed, FindingStatus::NotConfirmed, FindingStatus::Refuted],
        &["held-out-error", "held-out-rules"],
        &["extended-confirmation"],
    ),
    (
        "Exploratory",
        &[FindingStatus::Exploratory],
        &["recalibration", "every-rule", "labels-spent", "labels-spent-difference"],
        &[
            "extended-chosen",
            "extended-rules",
            "extended-parts",
            "extended-features",
            "extended-recalibration",
            "extended-spent",
            "extended-power",
        ],
    ),
    (
        "Where the truth is known",
        &[FindingStatus::Simulated],
        &["coverage", "pit"],
        &["extended-recovery", "extended-worlds"],
    ),
];

/// What the rules beyond the paper are, and where they come from.
const RULES: &str = "\
    Fewest labels, ties by I: the strongest form of counting labels. Manhattan value of one label or ten: the expected \
    fall, under the belief, of the error that is measured here, in closed form from the mean absolute deviations of \
    Beta marginals. Margin: the smaller the distance between the judge's two likeliest classes the sooner (Scheffer, \
    Decomain and Wrobel 2001). ActiveLab: the score of Goh and Mueller (2023) for labels from several annotators, as \
    the package cleanlab 2.9.0 computes it, and with its count of labels repaired; the k-th label of an item counts as \
    annotator k's. Oracle: by what a label truly removes on average, which nobody knows; the ceiling.";

/// The section; without blocks where nothing beyond the paper was run.
pub(super) fn section(results: &Results, findings: &[Finding], figures: &mut Figures) -> Section {
    let blocks = results.extended.as_ref().map_or(vec![], |extended| blocks(extended, results, findings, figures));
    Section { id: "beyond".to_owned(), title: "Beyond the paper".to_owned(), blocks }
}

fn blocks(extended: &ExtendedResults, results: &Results, findings: &[Finding], figures: &mut Figures) -> Vec<Block> {
    let mut blocks = vec![Block::Prose(Text::plain(
        "The paper takes the judge's prediction as it is and fits only how far to trust it. Here the prediction is \
         fitted too: a temperature and a bias for each class, by the same likelihood. None of this enters the verdicts \
         on the paper's claims.",
    ))];
    let tables = tables(extended);
    for (heading, statuses, drawn, tabulated) in PARTS {
        blocks.push(Block::Heading(heading.to_owned()));
        let these = findings.iter().filter(|finding| statuses.contains(&finding.status)).map(|f| {
            let evidence = format!(" ({}; results/extended.json: {})", f.status.name(), f.evidence);
            Text::plain(f.sentence.clone()).then(Text::plain(evidence))
        });
        blocks.push(Block::List(these.collect()));
        blocks.extend(drawn.iter().filter_map(|name| figures.remove(*name)).map(Block::Figure));
        blocks.extend(tables.iter().filter(|t| tabulated.contains(&t.name)).map(|t| Block::Table(shown(t))));
    }
    blocks.push(Block::Note(Note { summary: "The rules beyond the paper".to_owned(), text: Text::plain(RULES) }));
    if let Some(chaosnli) = &results.chaosnli {
        blocks.push(Block::Note(Note {
            summary: "Values without the label draw".to_owned(),
            text: Text::plain(without_the_draw(chaosnli, extended)),
        }));
    }
    blocks.push(Block::Note(Note {
        summary: "How to read the intervals".to_owned(),
        text: Text::marked(
            "Intervals of registered comparisons hold for new items: items are sampled with replacement and their \
             labels drawn anew. A plain interval holds one comparison with 95% probability, the simultaneous ones hold \
             all twelve of one set of items together with 95%. The simultaneous interval decides: wholly on the side \
             of 0 that was registered, the comparison is confirmed; wholly on the other side, the expectation is \
             refuted; else it is not confirmed. What was registered, and how it was chosen: \
             `data/registration/README.md`.",
        ),
    }));
    blocks
}

/// A rule by both ways of valuing a label.
fn without_the_draw(chaosnli: &ChaosNliResults, extended: &ExtendedResults) -> String {
    let drawn = &chaosnli.full.value[&Rule::Info][&Budget::HEADLINE];
    let published = &extended.exploration.beliefs[&BeliefName::Published];
    let averaged = &published.value[&Contender::Rule(Rule::Info)][&Budget::HEADLINE];
    format!(
        "The paper draws one of an item's unrevealed labels and sees what it removes. Here every value is the mean \
         over all of them, which has the same expectation and less chance in it: for I at 10% under the published \
         belief, {} with the draw and {} without, an interval {} times as wide.",
        with_interval(drawn, 1),
        with_interval(averaged, 1),
        fixed((averaged.hi - averaged.lo) / (drawn.hi - drawn.lo), 2),
    )
}

fn shown(table: &ExtendedTable) -> Table {
    let align: String =
        (0..table.columns.len()).map(|k| if k > 0 && table.is_numeric(k) { 'r' } else { 'l' }).collect();
    let rows = table.rows.iter().map(|row| row.iter().map(|cell| cell.text()));
    Table::new(table.name, table.title, &align, &table.columns, rows).with_note(table.note.as_str())
}
