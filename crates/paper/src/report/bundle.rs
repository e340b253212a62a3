//! The LaTeX bundle, `paper/` of an artifact folder: tables, number macros, figures, and a document that shows them
//! all.
//!
//! ```text
//! paper/tables/*.tex       the paper's tables
//! paper/numbers.tex        one macro per claim
//! paper/figures/NAME.*     pdf for LaTeX, svg for a page and for editing, csv the data
//! paper/reproduction.tex   includes all of the above; compiles with pdflatex
//! ```

use serde_json::{Value, json};

use super::tables;
use crate::artifact::Results;
use crate::claims::{Judged, JudgedConclusion, Notation, ReadingTally, Verdict};
use crate::experiments::Experiment;
use crate::figures;
use crate::verdicts::Verdicts;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::bundle::{Error, put_figure};
use judge_uncertainty_page::latex::Templates;
use judge_uncertainty_system::Staged;

/// Folder of the bundle within an artifact folder.
pub const FOLDER: &str = "paper";

/// Renders the bundle from results; what has no results is left out.
///
/// # Errors
/// A template that asks for something its view does not have; a figure with a character that the font lacks.
pub fn render(templates: &Templates, results: &Results, verdicts: &Verdicts, staged: &mut Staged) -> Result<(), Error> {
    for (name, text) in tables::render(templates, results, verdicts)? {
        staged.put(format!("{FOLDER}/{name}"), text);
    }
    let figures = figures::all(results);
    for figure in &figures {
        put_figure(&format!("{FOLDER}/figures"), figure, staged)?;
    }
    let document = templates.render("reproduction.tex", &document(results, verdicts, &figures))?;
    staged.put(format!("{FOLDER}/reproduction.tex"), document);
    Ok(())
}

/// The values for the document, under the names that its template uses. A missing value is `null` or an empty list.
fn document(results: &Results, verdicts: &Verdicts, figures: &[Figure]) -> Value {
    let total = verdicts.total();
    let [digits, words] = [Notation::Digits, Notation::Words].map(|kind| verdicts.kind(kind));
    let if_any = |n: usize| (n > 0).then(|| n.to_string());
    let literal = ReadingTally::new(&verdicts.readings);
    let tables = TABLES.iter().filter(|(_, needs, _)| needs.iter().all(|e| results.has(*e)));
    json!({
        "simulations": results.has(Experiment::Simulations),
        "dice": results.has(Experiment::Dice),
        "chaosnli": results.has(Experiment::ChaosNli),
        "total": {
            "all": total.total().to_string(),
            "digits": digits.total().to_string(),
            "digits_agree": digits.agrees.to_string(),
            "words": words.total().to_string(),
            "words_agree": words.agrees.to_string(),
            "papers_rounding": if_any(total.papers_rounding),
            "within_tolerance": total.within_tolerance.to_string(),
            "differs": total.differs.to_string(),
            "open": if_any(total.not_run + total.not_judged),
            "quantities": verdicts.quantities().to_string(),
            "readings": if_any(literal.readings),
            "readings_differ": literal.differ.to_string(),
        },
        "concluded": (!verdicts.conclusions.is_empty()).then(|| concluded(verdicts)),
        "tables": tables.map(|(name, _, caption)| json!({"name": name, "caption": caption})).collect::<Vec<_>>(),
        "figures": captions(figures),
        "conclusions": verdicts.conclusions.iter().map(conclusion).collect::<Vec<_>>(),
        "places": places(verdicts),
    })
}

/// What became of the paper's conclusions, counted.
fn concluded(verdicts: &Verdicts) -> Value {
    let counts = verdicts.conclusion_counts();
    let [hold, undetermined, flip, _] = counts.map(|count| count.to_string());
    let all = counts.iter().sum::<usize>().to_string();
    json!({"all": all, "hold": hold, "flip": flip, "undetermined": undetermined})
}

fn conclusion(judged: &JudgedConclusion) -> Value {
    let literally = if judged.conclusion.literal { "As literally stated: " } else { "" };
    json!({
        "says": format!("{literally}{}", judged.conclusion.says),
        "word": judged.outcome.word(),
        "evidence": judged.evidence(),
    })
}

fn captions(figures: &[Figure]) -> Vec<Value> {
    figures.iter().map(|f| json!({"name": f.name, "title": f.title, "note": f.note})).collect()
}

/// Each table with the experiments that it needs and its caption.
const TABLES: [(&str, &[Experiment], &str); 6] = [
    (
        "iso",
        &[Experiment::Dice],
        "Dice: rank correlation of each estimated part with the true disagreement and the true error, mean over draws \
         of labels.",
    ),
    (
        "esc",
        &[Experiment::ChaosNli],
        "ChaosNLI, a tenth of the items escalated: error removed, and the paired difference to ranking by the judge's \
         entropy with the 2.5 and 97.5 percentiles over draws.",
    ),
    ("conf", &[Experiment::Dice], "Dice: error and stated confidence by how much the judge was told of the die."),
    (
        "isolation",
        &[Experiment::Dice, Experiment::Simulations],
        "Rank correlations of both estimated parts with both truths, with 2.5 and 97.5 percentiles over simulated \
         worlds or draws of labels. The last column correlates the truths with each other.",
    ),
    (
        "confidence",
        &[Experiment::Dice],
        "Dice: error, stated confidence, and spread of the predicted probabilities over three wordings of the prompt, \
         by how much the judge was told of the die.",
    ),
    (
        "escalation",
        &[Experiment::ChaosNli],
        "ChaosNLI, a tenth of the items escalated: all rules, best first. In round brackets the standard error of the \
         mean, in square brackets percentiles over draws of labels.",
    ),
];

/// Claims by their place in the paper; successive claims of one place form one group.
fn places(verdicts: &Verdicts) -> Vec<Value> {
    let place_of = |row: &Judged| row.claim.location().0.to_owned();
    let groups = verdicts.rows.chunk_by(|a, b| place_of(a) == place_of(b));
    let group = |rows: &[Judged]| {
        let claims: Vec<Value> = rows.iter().map(|row| claim(row, verdicts)).collect();
        json!({"place": place_of(&rows[0]), "claims": claims})
    };
    groups.map(group).collect()
}

/// A claim with its literal readings. `macro` is that of the reproduced number, if there is one.
fn claim(row: &Judged, verdicts: &Verdicts) -> Value {
    let reading = |reading: &Judged| {
        let literal = reading.claim;
        json!({
            "statement": literal.statement,
            "published": with_minus(&literal.published),
            "macro": reading.reproduced.map(|_| literal.macro_name()),
            "word": reading.word(),
        })
    };
    json!({
        "statement": row.claim.statement,
        "published": with_minus(&row.claim.published),
        "macro": row.reproduced.map(|_| row.claim.macro_name()),
        "verdict": if row.verdict == Verdict::Differs { "differs" } else { row.verdict.word() },
        "marked": row.either_differs(),
        "readings": verdicts.readings_of(row.claim).map(reading).collect::<Vec<_>>(),
    })
}

/// A printed number, whose sign is typed as a hyphen.
fn with_minus(published: &str) -> String {
    if published.starts_with('-') { published.replacen('-', "−", 1) } else { published.to_owned() }
}
