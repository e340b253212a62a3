//! What goes beyond the paper, kept apart from its claims.

use super::super::{Block, Column, Note, Section, Table, Text};
use crate::escalation::Budget;
use crate::experiments::extended::ExtendedResults;
use crate::experiments::extended::confirmation::{Quantity, Verdict};
use crate::experiments::extended::contest::Contender;
use crate::experiments::extended::stage::BeliefName;
use crate::report::extended::tables::belief_name;
use crate::report::extended::{ONE, SIGNED_ONE, Status, findings, judged, plain_name, simultaneous};

/// The section; without blocks where nothing beyond the paper was run.
pub fn section(extended: Option<&ExtendedResults>) -> Section {
    Section { id: "beyond".to_owned(), title: "Beyond the paper".to_owned(), blocks: extended.map_or(vec![], blocks) }
}

fn blocks(results: &ExtendedResults) -> Vec<Block> {
    let all = findings(results);
    let of = |wanted: &[Status]| -> Vec<Text> {
        let these = all.iter().filter(|finding| wanted.contains(&finding.status));
        these
            .map(|f| {
                let evidence = format!(" ({}; results/extended.json: {})", f.status.name(), f.evidence);
                Text::plain(f.sentence.clone()).then(Text::plain(evidence))
            })
            .collect()
    };
    vec![
        Block::Prose(Text::plain(
            "The paper takes the judge's prediction as it is and fits only how far to trust it. Here the prediction is \
             fitted too: a temperature and a bias for each class, by the same likelihood. None of this enters the verdicts \
             on the paper's claims.",
        )),
        Block::Heading("Registered, and judged on other items".to_owned()),
        Block::List(of(&[Status::Confirmed, Status::NotConfirmed, Status::Refuted])),
        Block::Table(registered(results)),
        Block::Heading("Where the truth is known".to_owned()),
        Block::List(of(&[Status::Simulated])),
        Block::Heading("Exploratory".to_owned()),
        Block::List(of(&[Status::Exploratory])),
        Block::Table(rules(results)),
        Block::Note(Note {
            summary: "How to read the intervals".to_owned(),
            text: Text::marked(
                "Intervals of registered comparisons hold for new items: items are sampled with replacement and their \
                 labels drawn anew. They are simultaneous over the twelve comparisons of one set of items. What was \
                 registered, and how it was chosen: `data/registration/README.md`.",
            ),
        }),
    ]
}

fn registered(results: &ExtendedResults) -> Table {
    let sets =
        [Some(&results.confirmation), results.transfer.get("snli_to_mnli"), results.transfer.get("mnli_to_snli")];
    let cell = |v: &Verdict| Text::plain(judged(v));
    let rows = results.confirmation.verdicts.iter().enumerate().map(|(k, verdict)| {
        let mut row = vec![Text::plain(name(verdict.quantity))];
        row.extend(sets.iter().flatten().map(|set| cell(&set.verdicts[k])));
        row
    });
    Table {
        id: "registered".to_owned(),
        caption: "The registered comparisons, with simultaneous 95% intervals for new items".to_owned(),
        columns: vec![
            Column::text("comparison"),
            Column::text("confirmation half"),
            Column::text("fitted on SNLI, judged on MNLI"),
            Column::text("fitted on MNLI, judged on SNLI"),
        ],
        rows: rows.collect(),
        note: None,
    }
}

fn name(quantity: Quantity) -> String {
    match quantity {
        Quantity::Error { belief } => format!("{}: error minus the published belief's", belief_name(belief)),
        Quantity::ErrorUnlabelled { belief } => format!("{}: the same, items without labels", belief_name(belief)),
        Quantity::Advantage { belief, rule, over, budget } => {
            let percent = String::from(budget).replace('b', "");
            format!("{}: {} minus {} at {percent}%", belief_name(belief), plain_name(rule), plain_name(over))
        }
    }
}

fn rules(results: &ExtendedResults) -> Table {
    let beliefs = [BeliefName::Published, BeliefName::Recalibrated].map(|b| &results.exploration.beliefs[&b]);
    let value = |k: usize, rule: Contender| beliefs[k].value[&rule][&Budget::HEADLINE].mean;
    let mut contenders = Contender::all();
    contenders.sort_by(|a, b| value(1, *b).total_cmp(&value(1, *a)));
    let rows = contenders.into_iter().map(|rule| {
        let mut row = vec![Text::plain(plain_name(rule))];
        for (k, explored) in beliefs.iter().enumerate() {
            row.push(Text::plain(ONE.format(value(k, rule))));
            let minus = explored.minus_fewest.get(&rule).map(|m| simultaneous(&m[&Budget::HEADLINE], SIGNED_ONE));
            row.push(Text::plain(minus.unwrap_or_else(|| "–".to_owned())));
        }
        row
    });
    Table {
        id: "every-rule".to_owned(),
        caption: "Every rule at 10% of all items: error removed, averaged over each item's unrevealed labels"
            .to_owned(),
        columns: vec![
            Column::text("rule"),
            Column::numbers("published belief"),
            Column::numbers("minus fewest labels"),
            Column::numbers("recalibrated belief"),
            Column::numbers("minus fewest labels"),
        ],
        rows: rows.collect(),
        note: None,
    }
}
