//! First reader: does the paper hold?

use super::count;
use crate::claims::{Judged, JudgedConclusion, Notation, ReadingTally, RecordTally, VerdictTally};
use crate::experiments::Experiment;
use crate::report::claims_table::{claims_table, experiment_name};
use crate::verdicts::Verdicts;
use judge_uncertainty_page::{Block, KeyNumber, Section, Table, Text, Tone};
use judge_uncertainty_system::numbers::three;

pub(super) fn section(verdicts: &Verdicts) -> Section {
    let total = verdicts.total();
    let mut blocks = vec![Block::Prose(Text::plain(concluded(verdicts)))];
    if !verdicts.conclusions.is_empty() {
        blocks.push(Block::Table(conclusions(verdicts)));
    }
    blocks.extend([
        Block::Heading("Numbers".to_owned()),
        Block::Prose(Text::plain(format!("{} {}", sentence(verdicts, &total), scope(verdicts)))),
        Block::Numbers(key_numbers(verdicts, &total)),
        Block::Table(by_experiment(verdicts, &total)),
    ]);
    blocks.extend(readings(verdicts));
    blocks.extend(record(verdicts).map(Block::Table));
    blocks.extend([Block::Prose(Text::marked(
        "Not checked: what the judge answered. Its published answers are the input, and no judge is asked \
             again. Numbers that the authors set (budgets, re-draws, scales) are not claims. How each reading and \
             spread was chosen stands in `data/paper/claims.toml`, known deviations with evidence in `REPRODUCE.md`. \
             Every claim stands at the end of this page.",
    ))]);
    Section { id: "verdict".to_owned(), title: "The verdict".to_owned(), blocks }
}

/// The claims, after all that they are about.
pub(super) fn claims(verdicts: &Verdicts) -> Section {
    let caption = "Published numbers and what came of them, in the order of the paper";
    let blocks = vec![claims_table(verdicts, caption)];
    Section { id: "every-claim".to_owned(), title: "Every claim".to_owned(), blocks }
}

/// What became of the paper's conclusions, in a sentence.
fn concluded(verdicts: &Verdicts) -> String {
    let [hold, open, flip, not] = verdicts.conclusion_counts();
    let all = hold + open + flip + not;
    let mut text = format!(
        "Of {} conclusions of the paper {} hold, {} flip and {} are undetermined.",
        count(all),
        count(hold),
        count(flip),
        count(open),
    );
    if open > 0 {
        text.push_str(
            " Those hold in some of the runs that the authors could plausibly have had and not in others, and nobody \
             can tell which run was theirs.",
        );
    }
    if not > 0 {
        text.push_str(&format!(" {} were not judged.", count(not)));
    }
    text
}

fn conclusions(verdicts: &Verdicts) -> Table {
    let row = |judged: &JudgedConclusion| {
        let conclusion = judged.conclusion;
        let literally = if conclusion.literal { "As literally stated: " } else { "" };
        let note = conclusion.note.as_deref().map(|note| format!(" {note}")).unwrap_or_default();
        [
            format!("{literally}{}", conclusion.says),
            judged.outcome.word().to_owned(),
            conclusion.place.clone(),
            format!("{}.{note}", judged.evidence()),
        ]
    };
    // What does not hold comes first.
    let mut judged: Vec<&JudgedConclusion> = verdicts.conclusions.iter().collect();
    judged.sort_by_key(|judged| (judged.conclusion.literal, std::cmp::Reverse(judged.outcome)));
    Table::new(
        "conclusions",
        "What the paper concludes",
        "llll",
        &["Conclusion", "Comes out", "Where", "Evidence"],
        judged.into_iter().map(row),
    )
    .with_note(Text::marked(
        "Each is a condition on computed quantities (`data/paper/claims.toml`), shown with its numbers. Holds: here, and in \
         every other run that the authors could plausibly have had, with the last bits of their embeddings, the end of \
         a search and the order of equal scores chosen anew. Flips: neither here nor there. Where nothing unknown \
         could move a quantity, this run alone decides.",
    ))
}

/// Our procedure and the authors', and the claims that depend on which of them judges.
fn readings(verdicts: &Verdicts) -> Vec<Block> {
    let depending: Vec<&Judged> = verdicts.depending_on_the_reading().collect();
    if verdicts.rows.iter().all(|row| row.beside.is_none()) {
        return vec![];
    }
    let rows = depending.iter().filter_map(|row| {
        let (beside, here) = (row.beside?, row.reproduced?);
        let judged_by_authors = beside.reading != Experiment::Authors;
        let [ours, authors] =
            if judged_by_authors { [beside.reproduced, here] } else { [here, beside.reproduced] }.map(three);
        let judge = if judged_by_authors { "the authors'" } else { "ours" };
        let why = verdicts.deviation(row.claim).unwrap_or_default();
        Some([
            row.claim.statement.clone(),
            row.claim.published.clone(),
            ours,
            authors,
            judge.to_owned(),
            why.to_owned(),
        ])
    });
    let text = "Experiment 2 is computed twice. Our procedure fits the trust at the optimum of its likelihood, and scores tie \
                that agree to 12 digits. The authors' procedure is a BFGS search without a gradient, and items stand in the \
                order in which NumPy's default sort leaves the scores as they are. The authors' procedure judges what it \
                decides alone: the trust that is fitted to label counts, and dice that have equal scores. Ours judges \
                the rest, which also depends on the last bits of the embeddings. The table has the claims whose verdict \
                depends on the procedure.";
    let table = Table::new(
        "readings",
        "Claims that depend on the procedure",
        "lrrrll",
        &["Claim", "Paper", "Our procedure", "The authors'", "Judged by", "Reason"],
        rows.collect::<Vec<_>>(),
    );
    vec![
        Block::Heading("Our procedure and the authors'".to_owned()),
        Block::Prose(Text::plain(text)),
        Block::Table(table),
    ]
}

/// The figures of the authors' record.
fn record(verdicts: &Verdicts) -> Option<Table> {
    let row = |(group, tally): (&String, &RecordTally)| {
        let counts = [tally.figures, tally.to_the_digit, tally.near, tally.farther].map(count);
        let at = if tally.farther == 0 { String::new() } else { tally.at.clone() };
        std::iter::once(group.replace('_', " ")).chain(counts).chain([three(tally.largest), at]).collect::<Vec<_>>()
    };
    (!verdicts.record.is_empty()).then(|| {
        Table::new(
            "record",
            "The authors' record, three and four digits",
            "lrrrrrl",
            &["Figures", "Compared", "To the last digit", "Further ones to 0.001", "Farther", "Largest distance", "At"],
            verdicts.record.iter().map(row),
        )
        .with_note(Text::marked(
            "The authors' output files hold more digits than the paper prints (`data/paper/record.csv`). Values of rules that \
             rank by the fit lie farther off, by what the last bits of the embeddings do: stored in 16 bits here, \
             unknown of theirs. Two nearly equal items that swap places swap the draws of their labels.",
        ))
    })
}

fn sentence(verdicts: &Verdicts, total: &VerdictTally) -> String {
    let [all, differs, not_run, not_judged] =
        [total.total(), total.differs, total.not_run, total.not_judged].map(count);
    let [digits, words] = [Notation::Digits, Notation::Words].map(|kind| verdicts.kind(kind));
    let twice = match digits.papers_rounding {
        0 => String::new(),
        n => format!(", {} only when rounded twice, as the paper rounded", count(n)),
    };
    let by_kind = format!(
        "Of {} in digits {} agree to the printed digit{twice}, and {} within a stated tolerance; of {} in words, with \
         ~ or as thresholds {} agree and {} lie within a tenth.",
        count(digits.total()),
        count(digits.agrees),
        count(digits.within_tolerance),
        count(words.total()),
        count(words.agrees),
        count(words.within_tolerance),
    );
    let judged = if total.not_judged > 0 {
        format!("This run was smaller than the paper's: {not_judged} of {all} numbers are shown but not judged.")
    } else if total.differs > 0 {
        format!("{differs} of {all} published numbers do not come out within what their claims allow. {by_kind}")
    } else if total.not_run > 0 {
        format!("No number that was computed differs from the paper. {by_kind}")
    } else {
        format!("Every one of the {all} published numbers comes out. {by_kind}")
    };
    if total.not_run > 0 { format!("{judged} {not_run} belong to experiments that were not run.") } else { judged }
}

/// How many numbers the claims are about, and what became of the literal readings.
fn scope(verdicts: &Verdicts) -> String {
    let quantities = format!("The claims are about {} computed quantities.", count(verdicts.quantities()));
    let ReadingTally { readings, differ, .. } = ReadingTally::new(&verdicts.readings);
    if readings == 0 {
        return quantities;
    }
    format!(
        "{quantities} Where a number rests on one reading of its sentence among several, or the paper's own numbers \
         contradict a sentence, what it says word for word is computed too and stands below the claim: of {} such \
         literal readings {} differ.",
        count(readings),
        count(differ),
    )
}

fn key_numbers(verdicts: &Verdicts, total: &VerdictTally) -> Vec<KeyNumber> {
    let [digits, words] = [Notation::Digits, Notation::Words].map(|kind| verdicts.kind(kind));
    let number = |value: usize, label: &str, tone| KeyNumber { value: count(value), label: label.to_owned(), tone };
    let mut numbers = vec![
        number(digits.agrees, "in digits agree to the printed digit", Tone::Good),
        number(words.agrees, "in words, with ~ or as thresholds agree", Tone::Good),
        number(total.papers_rounding, "by the paper's rounding", Tone::Fair),
        number(total.within_tolerance, "within a stated tolerance or a tenth", Tone::Fair),
        number(total.differs, "differ", if total.differs > 0 { Tone::Bad } else { Tone::Good }),
    ];
    let unjudged = [(total.not_run, "not run"), (total.not_judged, "not judged")];
    numbers.extend(unjudged.iter().filter(|(n, _)| *n > 0).map(|(n, label)| number(*n, label, Tone::Neutral)));
    numbers
}

/// How claims of a kind are called beside the parts of the paper.
fn kind_name(kind: Notation) -> &'static str {
    match kind {
        Notation::Digits => "Of all, in digits",
        Notation::Words => "Of all, in words, with ~ or as thresholds",
    }
}

/// A heading, and the number of claims below it.
type TallyColumn = (&'static str, fn(&VerdictTally) -> usize);

fn by_experiment(verdicts: &Verdicts, total: &VerdictTally) -> Table {
    let mut columns: Vec<TallyColumn> = vec![
        ("Differ", |tally| tally.differs),
        ("Claims", |tally| tally.total()),
        ("Agree", |tally| tally.agrees),
        ("Paper's rounding", |tally| tally.papers_rounding),
        ("Within tolerance", |tally| tally.within_tolerance),
        ("Not run", |tally| tally.not_run),
        ("Not judged", |tally| tally.not_judged),
    ];
    columns.retain(|(head, number)| !head.starts_with("Not ") || number(total) > 0);
    let row = |name: &str, tally: &VerdictTally| -> Vec<String> {
        let numbers = columns.iter().map(|(_, number)| count(number(tally)));
        std::iter::once(name.to_owned()).chain(numbers).collect()
    };
    let mut rows: Vec<_> = verdicts.tallies().iter().map(|(e, tally)| row(experiment_name(*e), tally)).collect();
    rows.extend(verdicts.kinds().into_iter().map(|(kind, tally)| row(kind_name(kind), &tally)));
    rows.push(row("All", total));
    let heads: Vec<&str> = std::iter::once("Part of the paper").chain(columns.iter().map(|(head, _)| *head)).collect();
    Table::new("tally", "Claims by verdict", "lr", &heads, rows).with_note(Text::marked(
        "One claim is one number at one place of the paper. Agree: the number computed here, rounded as the paper \
         rounds, prints the published digits, or lies beyond a published threshold such as \"above 90\". \
         Paper's rounding: only rounded twice, first to one digit more, does it print them. \
         Within tolerance: it prints other digits, and is off by no more than a tolerance that is derived from \
         what a recomputation cannot fix, such as embeddings stored in 16 bits, and on the same side of zero, or \
         by no more than a tenth where the paper states a number in words or with ~.",
    ))
}
