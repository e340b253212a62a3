//! The LaTeX bundle, `paper/` of an artifact folder: tables, number macros, figures, and a document that shows them all.
//!
//! ```text
//! paper/tables/*.tex       the paper's tables, and extended-*.tex beyond them
//! paper/numbers.tex        one macro per claim
//! paper/figures/NAME.*     pdf for LaTeX, svg for a page and for editing, csv the data
//! paper/reproduction.tex   includes all of the above; compiles with pdflatex
//! ```

use std::borrow::Cow;

use serde::Serialize;

use super::extended_tables::tables as extended_tables;
use super::findings::Finding;
use super::tables;
use crate::artifact::Results;
use crate::claims::{Judged, JudgedReading, Verdict};
use crate::experiments::Experiment;
use crate::figures;
use crate::verdicts::Verdicts;
use judge_uncertainty_figures::Figure;
use judge_uncertainty_page::bundle::{Error, put_figure};
use judge_uncertainty_page::latex::Templates;
use judge_uncertainty_system::Staged;
use judge_uncertainty_system::numbers::with_minus;

/// Folder of the bundle within an artifact folder.
pub const FOLDER: &str = "paper";

/// Renders the bundle from results; what has no results is left out.
///
/// # Errors
/// A template that asks for something its view does not have; a figure with a character that the font lacks.
pub fn render(
    templates: &Templates,
    results: &Results,
    verdicts: &Verdicts,
    findings: &[Finding],
    staged: &mut Staged,
) -> Result<(), Error> {
    for (name, text) in tables::render(templates, results, verdicts)? {
        staged.put(format!("{FOLDER}/{name}"), text);
    }
    let (reproduced, beyond) = (figures::reproduced(results), figures::beyond(results));
    for figure in reproduced.iter().chain(&beyond) {
        put_figure(&format!("{FOLDER}/figures"), figure, staged)?;
    }
    let document =
        templates.render("reproduction.tex", &DocumentView::of(results, verdicts, findings, [&reproduced, &beyond]))?;
    staged.put(format!("{FOLDER}/reproduction.tex"), document);
    Ok(())
}

/// What the document says.
#[derive(Serialize)]
struct DocumentView<'a> {
    simulations: bool,
    dice: bool,
    chaosnli: bool,
    total: Total,
    tables: Vec<TableView>,
    figures: Vec<FigureView<'a>>,
    places: Vec<PlaceView<'a>>,
    beyond: Option<BeyondView<'a>>,
}

/// What goes beyond the paper.
#[derive(Serialize)]
struct BeyondView<'a> {
    findings: Vec<FindingView>,
    tables: Vec<TableView>,
    figures: Vec<FigureView<'a>>,
}

#[derive(Serialize)]
struct FindingView {
    status: &'static str,
    sentence: String,
}

#[derive(Serialize)]
struct Total {
    all: String,
    agrees: String,
    /// Claims that agree when they are rounded twice, as the paper rounded, if any.
    papers_rounding: Option<String>,
    within_tolerance: String,
    differs: String,
    /// Claims that were not run or not judged, if any.
    open: Option<String>,
    /// Computed numbers that the claims are about.
    quantities: String,
    /// Literal readings and those that differ, if there are any.
    readings: Option<String>,
    readings_differ: String,
}

#[derive(Serialize)]
struct TableView {
    name: &'static str,
    caption: Cow<'static, str>,
}

#[derive(Serialize)]
struct FigureView<'a> {
    name: &'a str,
    title: &'a str,
    note: &'a str,
}

/// Claims of one place in the paper that follow one another.
#[derive(Serialize)]
struct PlaceView<'a> {
    place: &'a str,
    claims: Vec<ClaimView<'a>>,
}

#[derive(Serialize)]
struct ClaimView<'a> {
    statement: &'a str,
    published: &'a str,
    /// Macro of the reproduced number, if there is one.
    #[serde(rename = "macro")]
    name: Option<String>,
    verdict: &'static str,
    /// Whether the claim would be met with the other sign as well.
    open_sign: bool,
    readings: Vec<ReadingView<'a>>,
}

/// What a sentence says word for word, below its claim.
#[derive(Serialize)]
struct ReadingView<'a> {
    statement: &'a str,
    published: &'a str,
    /// Macro of the reproduced number, if there is one.
    #[serde(rename = "macro")]
    name: Option<String>,
    word: &'static str,
}

impl<'a> DocumentView<'a> {
    fn of(
        results: &Results,
        verdicts: &'a Verdicts,
        findings: &[Finding],
        [reproduced, beyond]: [&'a [Figure]; 2],
    ) -> Self {
        let count = |wanted: &[Verdict]| verdicts.rows().iter().filter(|r| wanted.contains(&r.verdict)).count();
        let open = count(&[Verdict::NotRun, Verdict::NotJudged]);
        let literal = verdicts.reading_tally();
        let twice = count(&[Verdict::PapersRounding]);
        Self {
            simulations: results.has(Experiment::Simulations),
            dice: results.has(Experiment::Dice),
            chaosnli: results.has(Experiment::ChaosNli),
            total: Total {
                all: verdicts.rows().len().to_string(),
                agrees: count(&[Verdict::Agrees]).to_string(),
                papers_rounding: (twice > 0).then(|| twice.to_string()),
                within_tolerance: count(&[Verdict::WithinTolerance]).to_string(),
                differs: count(&[Verdict::Differs]).to_string(),
                open: (open > 0).then(|| open.to_string()),
                quantities: verdicts.quantities().to_string(),
                readings: (literal.readings > 0).then(|| literal.readings.to_string()),
                readings_differ: literal.differ.to_string(),
            },
            tables: TABLES
                .into_iter()
                .filter(|(_, needs, _)| needs.iter().all(|e| results.has(*e)))
                .map(|(name, _, caption)| TableView { name, caption: caption.into() })
                .collect(),
            figures: figure_views(reproduced),
            places: places(verdicts),
            beyond: results.extended.as_ref().map(|extended| BeyondView {
                findings: findings
                    .iter()
                    .map(|f| FindingView { status: f.status.name(), sentence: with_minus(&f.sentence) })
                    .collect(),
                tables: extended_tables(extended)
                    .into_iter()
                    .map(|table| TableView {
                        name: table.name,
                        caption: format!("{}. {}", table.title, table.note).into(),
                    })
                    .collect(),
                figures: figure_views(beyond),
            }),
        }
    }
}

fn figure_views(figures: &[Figure]) -> Vec<FigureView<'_>> {
    figures.iter().map(|f| FigureView { name: &f.name, title: &f.title, note: &f.note }).collect()
}

/// Each table with the experiments that it needs and its caption.
const TABLES: [(&str, &[Experiment], &str); 6] = [
    (
        "iso",
        &[Experiment::Dice],
        "Dice: rank correlation of each estimated part with the true disagreement and the true error, mean over draws of \
         labels.",
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
        "Rank correlations of both estimated parts with both truths, with 2.5 and 97.5 percentiles over simulated worlds \
         or draws of labels. The last column correlates the truths with each other.",
    ),
    (
        "confidence",
        &[Experiment::Dice],
        "Dice: error, stated confidence, and spread of the predicted probabilities over three wordings of the prompt, by \
         how much the judge was told of the die.",
    ),
    (
        "escalation",
        &[Experiment::ChaosNli],
        "ChaosNLI, a tenth of the items escalated: all rules, best first. In round brackets the standard error of the \
         mean, in square brackets percentiles over draws of labels.",
    ),
];

fn places<'a>(verdicts: &'a Verdicts) -> Vec<PlaceView<'a>> {
    let mut places: Vec<PlaceView<'a>> = vec![];
    for row in verdicts.rows() {
        // The row and cell of a table, or a part of a section, follow the first comma.
        let place = row.claim.place.split_once(',').map_or(row.claim.place.as_str(), |(place, _)| place);
        match places.last_mut() {
            Some(last) if last.place == place => last.claims.push(ClaimView::of(row, verdicts)),
            _ => places.push(PlaceView { place, claims: vec![ClaimView::of(row, verdicts)] }),
        }
    }
    places
}

impl<'a> ClaimView<'a> {
    fn of(row: &Judged<'a>, verdicts: &'a Verdicts) -> Self {
        Self {
            statement: &row.claim.statement,
            published: &row.claim.published,
            name: row.reproduced.map(|_| row.claim.macro_name()),
            verdict: match row.verdict {
                Verdict::Agrees => "agrees",
                Verdict::PapersRounding => "the paper's rounding",
                Verdict::WithinTolerance => "tolerance",
                Verdict::Differs => "differs",
                Verdict::NotRun => "not run",
                Verdict::NotJudged => "not judged",
            },
            open_sign: row.claim.leaves_sign_open(),
            readings: verdicts.readings_of(row.claim).map(ReadingView::of).collect(),
        }
    }
}

impl<'a> ReadingView<'a> {
    fn of(reading: &JudgedReading<'a>) -> Self {
        let literal = &reading.reading.literal;
        Self {
            statement: &literal.statement,
            published: &literal.published,
            name: reading.judged.reproduced.map(|_| literal.macro_name()),
            word: reading.word(),
        }
    }
}
