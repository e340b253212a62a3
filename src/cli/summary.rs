//! What a reproduction shows on one screen: conclusions, numbers, what was computed, and last what differs.

use std::io::{self, Write};
use std::path::Path;

use super::claims_table::wrapped;
use crate::experiments::Experiment;
use crate::report::claims::{
    ConclusionOutcome, JudgedConclusion, Notation, ReadingTally, RecordTally, Verdict, VerdictTally,
};
use crate::report::verdicts::Verdicts;
use crate::report::{numbers::three, page};

/// Columns of the screen.
const WIDTH: usize = 100;
/// Differing claims that are shown in full; the rest is counted.
const SHOWN: usize = 6;

/// Writes the screen about verdicts of an artifact folder, with what this command `computed` and what an earlier run
/// computed and this one `kept`.
///
/// # Errors
/// The output can't be written.
pub(super) fn write(
    out: &mut impl Write,
    verdicts: &Verdicts,
    folder: &Path,
    computed: &[Experiment],
    kept: &[Experiment],
) -> io::Result<()> {
    conclusions(out, verdicts)?;
    numbers(out, verdicts)?;
    readings(out, verdicts)?;
    record(out, verdicts)?;
    work(out, verdicts, folder, computed, kept)?;
    differing(out, verdicts)
}

fn conclusions(out: &mut impl Write, verdicts: &Verdicts) -> io::Result<()> {
    let (literal, meant): (Vec<_>, Vec<_>) = verdicts.conclusions.iter().partition(|judged| judged.conclusion.literal);
    if meant.is_empty() {
        return Ok(());
    }
    writeln!(out, "CONCLUSIONS OF THE PAPER: {}", counted(&meant))?;
    for judged in meant
        .iter()
        .filter(|judged| matches!(judged.outcome, ConclusionOutcome::Undetermined | ConclusionOutcome::Flips))
    {
        let (id, word) = (&judged.conclusion.id, judged.outcome.word());
        lines(out, 2, &format!("{word}: {id}. {}; {}.", judged.conclusion.says, judged.evidence()))?;
    }
    if !literal.is_empty() {
        let ids: Vec<&str> = literal.iter().map(|judged| judged.conclusion.id.as_str()).collect();
        lines(out, 2, &format!("As literally stated, apart: {} ({}).", counted(&literal), ids.join(", ")))?;
    }
    Ok(())
}

fn numbers(out: &mut impl Write, verdicts: &Verdicts) -> io::Result<()> {
    let cell = |number: usize| if number == 0 { "-".to_owned() } else { number.to_string() };
    let head = ["claims", "agree", "rounded 2x", "in tolerance", "differ", "not judged"];
    writeln!(out, "\n{:<22}{}", "NUMBERS", head.map(|name| format!("{name:>13}")).concat())?;
    let mut row = |name: &str, tally: &VerdictTally| {
        let open = tally.not_run + tally.not_judged;
        let cells = [tally.total(), tally.agrees, tally.papers_rounding, tally.within_tolerance, tally.differs, open];
        writeln!(out, "  {name:<20}{}", cells.map(|number| format!("{:>13}", cell(number))).concat())
    };
    for (kind, tally) in verdicts.kinds() {
        row(if kind == Notation::Digits { "in digits" } else { "in words, ~, > or <" }, &tally)?;
    }
    row("all", &verdicts.total())?;
    let readings = ReadingTally::new(&verdicts.readings);
    let text = format!(
        "They are about {} computed quantities. Literal readings of sentences, apart: {}, {} agree, {} differ.",
        verdicts.quantities(),
        readings.readings,
        readings.agree,
        readings.differ,
    );
    lines(out, 2, &text)
}

/// The claims and conclusions that depend on which procedure judges them.
fn readings(out: &mut impl Write, verdicts: &Verdicts) -> io::Result<()> {
    for row in verdicts.depending_on_the_reading() {
        let Some(beside) = row.beside else { continue };
        let (id, published, here) = (&row.claim.id, &row.claim.published, row.reproduced.unwrap_or(f64::NAN));
        let (judging, other) = beside.procedures();
        let text = format!(
            "{id}: paper {published}; {judging} {} ({}), {other} {} ({}).",
            three(here),
            row.verdict.word(),
            three(beside.reproduced),
            beside.verdict.word(),
        );
        lines(out, 2, &text)?;
    }
    let depends = |judged: &&JudgedConclusion| judged.beside.is_some_and(|other| other != judged.here);
    for judged in verdicts.conclusions.iter().filter(depends) {
        let holds = if judged.here { "does not hold" } else { "holds" };
        lines(out, 2, &format!("{}: by the other procedure the conclusion {holds}.", judged.conclusion.id))?;
    }
    Ok(())
}

/// How many figures of the authors' record agree with those computed here.
fn record(out: &mut impl Write, verdicts: &Verdicts) -> io::Result<()> {
    let sum = |of: fn(&RecordTally) -> usize| verdicts.record.values().map(of).sum::<usize>();
    let all = sum(|tally| tally.figures);
    if all == 0 {
        return Ok(());
    }
    let text = format!(
        "Of {all} figures of the authors' record {} agree to the last digit, {} more to 0.001.",
        sum(|tally| tally.to_the_digit),
        sum(|tally| tally.near),
    );
    lines(out, 2, &text)
}

fn work(
    out: &mut impl Write,
    verdicts: &Verdicts,
    folder: &Path,
    computed: &[Experiment],
    kept: &[Experiment],
) -> io::Result<()> {
    let names = |experiments: &[Experiment]| experiments.iter().map(|e| e.name()).collect::<Vec<_>>().join(", ");
    writeln!(out)?;
    if !computed.is_empty() {
        lines(out, 0, &format!("Computed now: {}.", names(computed)))?;
    }
    if !kept.is_empty() {
        let kept = format!("Kept from an earlier run, not computed now and not judged here: {}.", names(kept));
        lines(out, 0, &kept)?;
    }
    lines(out, 0, &format!("Results, tables and figures: {}", folder.display()))?;
    let page = folder.join(page::FILE);
    if page.is_file() {
        lines(out, 0, &format!("Report to look at: {}", page.display()))?;
    }
    let more = "More: `verify --table` lists every claim, `explain ID` tells all about one, `verify --break ID` \
                shows that it can fail.";
    lines(out, 0, more)?;
    if verdicts.total().not_judged > 0 {
        let reason = "Claims are NOT judged where the run was smaller than the paper's, or its setting, its judge or its \
                      data were others.";
        lines(out, 0, reason)?;
    }
    Ok(())
}

fn differing(out: &mut impl Write, verdicts: &Verdicts) -> io::Result<()> {
    let differing: Vec<_> = verdicts.rows.iter().filter(|row| row.verdict == Verdict::Differs).collect();
    if differing.is_empty() {
        return match verdicts.total().not_judged {
            0 => writeln!(out, "\nNo claim differs."),
            _ => Ok(()),
        };
    }
    writeln!(out, "\nDIFFERS: {} of {} claims", differing.len(), verdicts.rows.len())?;
    for row in differing.iter().take(SHOWN) {
        let claim = row.claim;
        let here = row.text().unwrap_or_default();
        let value = row.reproduced.unwrap_or(f64::NAN);
        let side = if claim.has_other_sign(value) { ", on the same side of zero" } else { "" };
        let text = format!(
            "{}: paper {}, here {here} ({}); allowed {}{side}. {}.",
            claim.id,
            claim.published,
            three(value),
            three(claim.allowed()),
            claim.place
        );
        lines(out, 2, &text)?;
        if let Some(why) = verdicts.deviation(claim) {
            lines(out, 4, why)?;
        }
    }
    match differing.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        rest => writeln!(out, "  and {rest} more: `verify --table`"),
    }
}

/// `33: 31 hold, 2 undetermined, 0 flip`.
fn counted(judged: &[&JudgedConclusion<'_>]) -> String {
    let count = |outcome| judged.iter().filter(|judged| judged.outcome == outcome).count();
    let open = match count(ConclusionOutcome::NotJudged) {
        0 => String::new(),
        open => format!(", {open} not judged"),
    };
    let [hold, undetermined, flip] =
        [ConclusionOutcome::Holds, ConclusionOutcome::Undetermined, ConclusionOutcome::Flips].map(count);
    format!("{} of {} hold, {undetermined} undetermined, {flip} flip{open}", hold, judged.len())
}

/// Text within the width of the screen.
pub(super) fn lines(out: &mut impl Write, indent: usize, text: &str) -> io::Result<()> {
    let space = " ".repeat(indent);
    for (k, line) in wrapped(text, WIDTH - indent).iter().enumerate() {
        writeln!(out, "{space}{}{line}", if k > 0 { "  " } else { "" })?;
    }
    Ok(())
}
