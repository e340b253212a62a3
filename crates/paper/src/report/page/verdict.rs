//! First reader: does the paper hold?

use super::shared::count;
use crate::claims::{ReadingTally, VerdictTally};
use crate::report::claims_table::{claims_table, experiment_name};
use crate::verdicts::Verdicts;
use judge_uncertainty_page::{Block, Column, KeyNumber, Section, Table, Text, Tone};

pub(super) fn section(verdicts: &Verdicts) -> Section {
    let total = verdicts.total();
    Section {
        id: "verdict".to_owned(),
        title: "The verdict".to_owned(),
        blocks: vec![
            Block::Prose(Text::plain(format!("{} {}", sentence(&total), scope(verdicts)))),
            Block::Numbers(key_numbers(&total)),
            Block::Table(by_experiment(verdicts, &total)),
            Block::Prose(
                Text::marked(
                    "Not checked: what the judge answered. Its published answers are the input, and no judge is asked \
                     again. Numbers that the authors set (budgets, re-draws, scales) are not claims. How each reading and \
                     tolerance was chosen: ",
                )
                .then(Text::link("data/paper/claims.toml", "../../data/paper/claims.toml"))
                .then(Text::plain("; known deviations with evidence: "))
                .then(Text::link("REPRODUCE.md", "../../REPRODUCE.md"))
                .then(Text::plain(".")),
            ),
            Block::Heading("Every claim".to_owned()),
            claims_table(verdicts, "Published numbers and what came of them, in the order of the paper"),
        ],
    }
}

fn sentence(total: &VerdictTally) -> String {
    let [all, agrees, near, differs, not_run, not_judged] =
        [total.total(), total.agrees, total.within_tolerance, total.differs, total.not_run, total.not_judged]
            .map(count);
    let twice = match total.papers_rounding {
        0 => String::new(),
        n => format!(", {} only when rounded twice, as the paper rounded", count(n)),
    };
    let judged = if total.not_judged > 0 {
        format!("This run was smaller than the paper's: {not_judged} of {all} numbers are shown but not judged.")
    } else if total.differs > 0 {
        format!("{differs} of {all} published numbers do not come out within what their claims allow.")
    } else if total.not_run > 0 {
        format!(
            "No number that was computed differs from the paper: {agrees} to the printed digit{twice}, {near} \
             within a stated tolerance."
        )
    } else {
        format!(
            "Every one of the {all} published numbers comes out: {agrees} to the printed digit{twice}, and {near} within a \
             tolerance that is stated with its reason."
        )
    };
    if total.not_run > 0 { format!("{judged} {not_run} belong to experiments that were not run.") } else { judged }
}

/// How many numbers the claims are about, and what became of the literal readings.
fn scope(verdicts: &Verdicts) -> String {
    let quantities = format!("The claims are about {} computed quantities.", count(verdicts.quantities()));
    let ReadingTally { readings, differ, .. } = verdicts.reading_tally();
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

fn key_numbers(total: &VerdictTally) -> Vec<KeyNumber> {
    let number = |value: usize, label: &str, tone| KeyNumber { value: count(value), label: label.to_owned(), tone };
    let mut numbers = vec![
        number(total.agrees, "agree to the printed digit", Tone::Good),
        number(total.papers_rounding, "by the paper's rounding", Tone::Fair),
        number(total.within_tolerance, "within a stated tolerance", Tone::Fair),
        number(total.differs, "differ", if total.differs > 0 { Tone::Bad } else { Tone::Good }),
    ];
    let unjudged = [(total.not_run, "not run"), (total.not_judged, "not judged")];
    numbers.extend(unjudged.iter().filter(|(n, _)| *n > 0).map(|(n, label)| number(*n, label, Tone::Neutral)));
    numbers
}

fn by_experiment(verdicts: &Verdicts, total: &VerdictTally) -> Table {
    let mut columns = vec![
        Column::text("Part of the paper"),
        Column::numbers("Claims"),
        Column::numbers("To the digit"),
        Column::numbers("Paper's rounding"),
        Column::numbers("Within tolerance"),
        Column::numbers("Differ"),
    ];
    let (not_run, not_judged) = (total.not_run > 0, total.not_judged > 0);
    columns.extend(not_run.then(|| Column::numbers("Not run")));
    columns.extend(not_judged.then(|| Column::numbers("Not judged")));
    let row = |name: &str, tally: &VerdictTally| -> Vec<Text> {
        let mut numbers =
            vec![tally.total(), tally.agrees, tally.papers_rounding, tally.within_tolerance, tally.differs];
        numbers.extend(not_run.then_some(tally.not_run));
        numbers.extend(not_judged.then_some(tally.not_judged));
        let numbers = numbers.into_iter().map(|n| Text::plain(count(n)));
        std::iter::once(Text::plain(name)).chain(numbers).collect()
    };
    let mut rows: Vec<_> = verdicts.tallies().iter().map(|(e, tally)| row(experiment_name(*e), tally)).collect();
    rows.push(row("All", total));
    Table {
        id: "tally".to_owned(),
        caption: "Claims by verdict".to_owned(),
        columns,
        rows,
        note: Some(Text::marked(
            "One claim is one number at one place of the paper. To the digit: the number computed here, rounded as the \
             paper rounds, prints the published digits (or lies beyond a published threshold such as \"above 90\"). \
             Paper's rounding: only rounded twice, first to one digit more, does it print them. \
             Within tolerance: it prints other digits, and is off by no more than a tolerance that is derived from what a \
             recomputation cannot fix, such as embeddings stored in 16 bits, or by no more than a tenth where the paper \
             states a number in words or with ~.",
        )),
    }
}
