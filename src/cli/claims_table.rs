//! The table of `--table`: every claim with place, published and reproduced number, and verdict.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::terminal::plain;
use crate::experiments::Experiment;
use crate::report::claims::{Judged, LITERALLY, ReadingTally, Verdict, VerdictTally};
use crate::report::paper::claims_table::experiment_name;
use crate::report::verdicts::Verdicts;

/// Widths of the columns; with one space between the first three, two before the verdict and at most ten letters in
/// it they fill 79 of 80 columns.
const TEXT: usize = 43;
const PUBLISHED: usize = 12;
const REPRODUCED: usize = 10;

const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const RED: &str = "\x1b[1;31m";
const RESET: &str = "\x1b[0m";

/// Writes the claims by experiment and a summary line: in aligned columns with verdicts in colour, for a terminal of 80
/// characters, or else line by line.
///
/// Line by line, the lines of claims are those with six fields: experiment, id, place, published, reproduced, verdict.
/// Below a claim are its literal readings in the same fields, with a verdict that begins with `as literally stated`.
/// The summary contains no tab, so that `grep` and `awk -F'\t' 'NF == 6'` can separate the two.
///
/// # Errors
/// The output can't be written.
pub fn write(out: &mut impl Write, verdicts: &Verdicts, aligned: bool) -> io::Result<()> {
    let tallies = verdicts.tallies();
    for experiment in Experiment::ALL {
        let rows: Vec<_> = verdicts.rows.iter().filter(|row| row.claim.experiment == experiment).collect();
        if aligned {
            write_columns(out, experiment, &rows, verdicts)?;
            continue;
        }
        for row in rows {
            writeln!(out, "{}", line(row, row.verdict.word()))?;
            for reading in verdicts.readings_of(row.claim) {
                writeln!(out, "{}", line(reading, &reading.status()))?;
            }
        }
    }
    writeln!(out)?;
    let total = verdicts.total();
    let names = tallies.iter().map(|(experiment, tally)| (experiment.name(), tally));
    for (name, tally) in names.chain([("all", &total)]) {
        let mut start = format!("{name:<12} {:>3} claims: ", tally.total());
        for line in wrapped(&counts(tally), 80 - start.len()) {
            writeln!(out, "{start}{line}")?;
            start = " ".repeat(start.len());
        }
    }
    writeln!(out, "{}", scope(verdicts))?;
    if total.not_judged > 0 {
        writeln!(
            out,
            "Claims are NOT judged where the run was smaller than the paper's, its setting another, or the judge.\n\
             Run `reproduce` without --quick, --replicates, --familiarity, --dice-judge and --chaosnli-judge to judge\n\
             them."
        )?;
    }
    Ok(())
}

/// A claim as tab-separated fields.
fn line(row: &Judged, verdict: &str) -> String {
    let claim = row.claim;
    let fields = [claim.experiment.name(), &claim.id, &claim.place, &claim.published, &reproduced(row), verdict];
    // Whatever a text holds, a claim stays one line of six fields.
    fields.map(|field| field.replace(|c: char| c.is_control(), " ")).join("\t")
}

/// One experiment: a line per place of the paper, and below it a row per claim.
fn write_columns(
    out: &mut impl Write,
    experiment: Experiment,
    rows: &[&Judged],
    verdicts: &Verdicts,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n{BOLD}{}{RESET}",
        columns(&experiment_name(experiment).to_uppercase(), "published", "reproduced", "verdict")
    )?;
    let mut last = "";
    for row in rows {
        let (place, within) = row.claim.location();
        if place != last {
            writeln!(out, "{}", plain(place))?;
            last = place;
        }
        // The cell of a table says enough; elsewhere the statement says what the number is.
        let what = within.filter(|_| place.starts_with("Table")).unwrap_or(&row.claim.statement);
        let mut text = wrapped(what, TEXT - 2).into_iter();
        let (colour, reset) = match row.verdict {
            Verdict::Agrees => (GREEN, RESET),
            Verdict::PapersRounding | Verdict::WithinTolerance => (YELLOW, RESET),
            Verdict::Differs => (RED, RESET),
            Verdict::NotRun | Verdict::NotJudged => ("", ""),
        };
        let first = format!("  {}", text.next().unwrap_or_default());
        let verdict = format!("{colour}{}{reset}", in_column(row.verdict));
        writeln!(out, "{}", columns(&first, &plain(&row.claim.published), &reproduced(row), &verdict))?;
        for rest in text {
            writeln!(out, "    {rest}")?;
        }
        for reading in verdicts.readings_of(row.claim) {
            write_reading(out, reading)?;
        }
    }
    Ok(())
}

/// A literal reading below its claim, without colour, because it is not a fault of the program.
fn write_reading(out: &mut impl Write, reading: &Judged) -> io::Result<()> {
    let claim = reading.claim;
    let mut text = wrapped(&format!("{LITERALLY}: {}", claim.statement), TEXT - 4).into_iter();
    let first = format!("    {}", text.next().unwrap_or_default());
    writeln!(out, "{}", columns(&first, &plain(&claim.published), &reproduced(reading), reading.word()))?;
    text.try_for_each(|rest| writeln!(out, "      {rest}"))
}

/// How many numbers the claims are about, and what became of the literal readings.
fn scope(verdicts: &Verdicts) -> String {
    let ReadingTally { readings, agree, differ } = ReadingTally::new(&verdicts.readings);
    let quantities = format!("The claims are about {} computed quantities.", verdicts.quantities());
    if readings == 0 {
        return quantities;
    }
    let open = match readings - agree - differ {
        0 => String::new(),
        open => format!(", {open} open"),
    };
    format!(
        "{quantities}\n{readings} literal readings beside them, counted apart: {agree} agree, {differ} differ{open}."
    )
}

/// A verdict in at most ten letters; the summary below the table has it in full.
fn in_column(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::PapersRounding => "rounding",
        other => other.word(),
    }
}

fn reproduced(row: &Judged) -> String {
    row.text().map_or_else(|| "-".to_owned(), |text| plain(&text))
}

/// "39 to the printed digit, 1 within tolerance, 0 differ"; counts of 0 are left out except for the last.
fn counts(tally: &VerdictTally) -> String {
    let parts = [
        (tally.agrees, "to the printed digit"),
        (tally.papers_rounding, "by the paper's rounding"),
        (tally.within_tolerance, "within tolerance"),
        (tally.not_run, "not run"),
        (tally.not_judged, "not judged"),
    ];
    let shown = parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}, "));
    format!("{}{} differ", shown.collect::<String>(), tally.differs)
}

/// Four columns: text set left, two numbers set right, the rest.
fn columns(text: &str, published: &str, reproduced: &str, verdict: &str) -> String {
    let gap = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
    let (left, middle, right) = (gap(text, TEXT), gap(published, PUBLISHED), gap(reproduced, REPRODUCED));
    format!("{text}{left} {middle}{published} {right}{reproduced}  {verdict}")
}

/// Text in lines of at most `width` terminal columns, two less from the second line on; wide characters count as two.
///
/// Lines break at spaces, and within a word that is longer than a line.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let room = |lines: &[String]| if lines.len() == 1 { width } else { width - 2 };
    for word in plain(text).split_whitespace() {
        let line = lines.last().map_or(0, |line| line.width());
        if line > 0 && line + 1 + word.width() > room(&lines) {
            lines.push(String::new());
        } else if line > 0 {
            push(&mut lines, ' ');
        }
        for c in word.chars() {
            if lines.last().map_or(0, |line| line.width()) + c.width().unwrap_or(0) > room(&lines) {
                lines.push(String::new());
            }
            push(&mut lines, c);
        }
    }
    lines
}

fn push(lines: &mut [String], c: char) {
    if let Some(line) = lines.last_mut() {
        line.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_row_fits_eighty_columns() {
        let text = format!("  {}", wrapped(&"判".repeat(80), TEXT - 2)[0]);
        let row = columns(&text, "exactly zero", "12,345.678", "not judged");
        assert_eq!(row.width(), 79);
    }

    #[test]
    fn text_wraps_by_what_it_takes_on_the_screen() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 6), ["one", "two", "thre", "e"]);
        // Two columns each: two of them fill a line of five, and three one of six.
        assert_eq!(wrapped("判断の不", 5), ["判断", "の", "不"]);
        assert_eq!(wrapped("判断の 不", 6), ["判断の", "不"]);
        assert_eq!(wrapped("", 6), [""]);
    }
}
