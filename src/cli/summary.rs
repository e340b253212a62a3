//! What a reproduction shows on one screen: conclusions, numbers, what was computed, and last what differs.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use tera::Context;
use unicode_width::UnicodeWidthStr;

use super::Error;
use super::claims_table::wrapped;
use crate::experiments::Experiment;
use crate::report::claims::{
    ConclusionOutcome, Judged, JudgedConclusion, Notation, ReadingTally, RecordTally, Verdict, VerdictTally,
};
use crate::report::page::templates::render_own;
use crate::report::verdicts::Verdicts;
use crate::report::{numbers::three, page};

/// Columns of the screen.
const WIDTH: usize = 100;
/// Differing claims that are shown in full; the rest is counted.
const SHOWN: usize = 6;
const TEMPLATE: &str = include_str!("../../templates/report/summary.txt");

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
) -> Result<(), Error> {
    let mut tera = page::prose::engine();
    tera.add_raw_template("summary", TEMPLATE).expect("the template is tested");
    let names = |experiments: &[Experiment]| experiments.iter().map(|e| e.name()).collect::<Vec<_>>().join(", ");
    let page = folder.join(page::FILE);
    let mut view = view(verdicts);
    view["computed"] = names(computed).into();
    view["kept"] = names(kept).into();
    view["folder"] = folder.display().to_string().into();
    view["page"] = page.is_file().then(|| page.display().to_string()).into();
    let text = render_own(&tera, "summary", &Context::from_serialize(&view).expect("an object"))?;
    for line in text.strip_prefix('\n').unwrap_or(&text).lines() {
        match line.width() <= WIDTH {
            true => writeln!(out, "{line}")?,
            false => lines(out, line.len() - line.trim_start().len(), line)?,
        }
    }
    Ok(())
}

/// What the template says of verdicts.
fn view(verdicts: &Verdicts) -> Value {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (literal, meant): (Vec<_>, Vec<_>) = verdicts.conclusions.iter().partition(|judged| judged.conclusion.literal);
    let ids: Vec<&str> = literal.iter().map(|judged| judged.conclusion.id.as_str()).collect();
    let is_unsettled = |judged: &&&JudgedConclusion| {
        matches!(judged.outcome, ConclusionOutcome::Undetermined | ConclusionOutcome::Flips)
    };
    let conclusion = |judged: &JudgedConclusion| {
        let (of, evidence) = (judged.conclusion, one_line(&judged.evidence()));
        json!({"id": of.id, "word": judged.outcome.word(), "says": one_line(&of.says), "evidence": evidence, "here": judged.here})
    };
    let turned = verdicts.conclusions.iter().filter(|judged| judged.beside.is_some_and(|other| other != judged.here));
    let claim = |row: &Judged| {
        let (claim, value) = (row.claim, row.reproduced.unwrap_or(f64::NAN));
        let (judging, other) = row.beside.map(|beside| beside.procedures()).unzip();
        json!({
            "id": claim.id,
            "published": claim.published,
            "here": row.text(),
            "value": three(value),
            "word": row.verdict.word(),
            "judging": judging,
            "other": other,
            "there": row.beside.map(|beside| three(beside.reproduced)),
            "other_word": row.beside.map(|beside| beside.verdict.word()),
            "allowed": three(claim.allowed()),
            "other_sign": claim.has_other_sign(value),
            "place": one_line(&claim.place),
            "why": verdicts.deviation(claim).map(one_line),
        })
    };
    let tally = |name: &str, tally: &VerdictTally| {
        let open = tally.not_run + tally.not_judged;
        let cells = [tally.total(), tally.agrees, tally.papers_rounding, tally.within_tolerance, tally.differs, open];
        json!({"name": name, "cells": cells.map(|n| if n == 0 { "-".to_owned() } else { n.to_string() })})
    };
    let [digits, words] = [Notation::Digits, Notation::Words].map(|kind| verdicts.kind(kind));
    let total = verdicts.total();
    let sum = |of: fn(&RecordTally) -> usize| verdicts.record.values().map(of).sum::<usize>();
    let differing: Vec<&Judged> = verdicts.rows.iter().filter(|row| row.verdict == Verdict::Differs).collect();
    json!({
        "meant": (!meant.is_empty()).then(|| counted(&meant)),
        "unsettled": meant.iter().filter(is_unsettled).map(|judged| conclusion(judged)).collect::<Vec<_>>(),
        "flips": verdicts.concluded(ConclusionOutcome::Flips),
        "literal": (!literal.is_empty()).then(|| counted(&literal)),
        "literal_ids": ids.join(", "),
        "tallies": [tally("in digits", &digits), tally("in words, ~, > or <", &words), tally("all", &total)],
        "quantities": verdicts.quantities(),
        "readings": ReadingTally::new(&verdicts.readings),
        "depending": verdicts.depending_on_the_reading().map(claim).collect::<Vec<_>>(),
        "turned": turned.map(conclusion).collect::<Vec<_>>(),
        "record": {
            "figures": sum(|tally| tally.figures),
            "to_the_digit": sum(|tally| tally.to_the_digit),
            "near": sum(|tally| tally.near),
        },
        "open": total.not_judged,
        "claims": verdicts.rows.len(),
        "differ": differing.len(),
        "differing": differing.iter().take(SHOWN).map(|row| claim(row)).collect::<Vec<_>>(),
        "more": differing.len().saturating_sub(SHOWN),
    })
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
