//! The claims as a table: place, published and reproduced number, tolerance with its reason, verdict, code.

use std::collections::BTreeSet;

use serde::Serialize;

use super::sources::{CodeSource, code_of};
use crate::claims::{Claim, Class, Experiment, Judged, JudgedReading, Verdict};
use crate::verdicts::Verdicts;
use judge_uncertainty_page::{Block, Tone};
use judge_uncertainty_system::numbers::{NumberStyle, shortest, three};

/// From the report's folder to the root of the repository.
const ROOT: &str = "../../";

/// All claims of a paper or a registration, with what a reader can filter them by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimsTable {
    caption: String,
    total: usize,
    experiments: Vec<Choice>,
    verdicts: Vec<Choice>,
    groups: Vec<Group>,
    reasons: Vec<Reason>,
}

/// A value to filter by.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Choice {
    key: String,
    name: String,
    count: usize,
}

/// Neighbouring claims of one section, table or figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Group {
    place: String,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Row {
    id: String,
    experiment: &'static str,
    statement: String,
    /// Where in the group's place.
    within: Option<String>,
    unit: Option<String>,
    /// Path of the computed number in the results.
    quantity: String,
    published: String,
    reproduced: Option<String>,
    /// How close it must be.
    tolerance: Tolerance,
    verdict: &'static str,
    word: &'static str,
    mark: &'static str,
    tone: Tone,
    code: Option<Code>,
    readings: Vec<ReadingRow>,
}

/// What a sentence says word for word, below its claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ReadingRow {
    id: String,
    statement: String,
    unit: Option<String>,
    quantity: String,
    published: String,
    reproduced: Option<String>,
    status: String,
    mark: &'static str,
    code: Option<Code>,
}

/// How close a claim asks its number to be, and how close it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Tolerance {
    text: String,
    /// Key of the reason, where the printed digits may be missed.
    reason: Option<String>,
}

/// Why printed digits may be missed, and how far.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Reason {
    key: String,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Code {
    href: String,
    /// Modules and function: a line may break between them.
    path: Vec<String>,
}

impl ClaimsTable {
    /// This table as a part of a page.
    pub fn block(&self) -> Block {
        Block::Claims(serde_json::to_value(self).expect("the view is plain strings"))
    }

    /// The table of all claims.
    pub fn of(verdicts: &Verdicts, caption: &str) -> Self {
        let rows = verdicts.rows();
        let mut groups: Vec<Group> = Vec::new();
        for judged in rows {
            let place = judged.claim.location().0;
            if groups.last().is_none_or(|group| group.place != place) {
                groups.push(Group { place: place.to_owned(), rows: Vec::new() });
            }
            if let Some(group) = groups.last_mut() {
                group
                    .rows
                    .push(Row { readings: verdicts.readings_of(judged.claim).map(reading).collect(), ..row(judged) });
            }
        }
        let experiments = Experiment::ALL.map(|experiment| Choice {
            key: experiment.name().to_owned(),
            name: experiment_name(experiment).to_owned(),
            count: rows.iter().filter(|row| row.claim.experiment == experiment).count(),
        });
        let verdict_choices = Verdict::ALL.map(|verdict| Choice {
            key: verdict.key().to_owned(),
            name: verdict.word().to_owned(),
            count: rows.iter().filter(|row| row.verdict == verdict).count(),
        });
        let present = |choices: &[Choice]| choices.iter().filter(|c| c.count > 0).cloned().collect();
        let mut seen = BTreeSet::new();
        let reasons = rows.iter().filter_map(|row| {
            let key = row.claim.reason()?;
            seen.insert(key).then(|| Reason {
                key: key.to_owned(),
                text: verdicts.reason(row.claim).unwrap_or_default().to_owned(),
            })
        });
        Self {
            caption: caption.to_owned(),
            total: rows.len(),
            experiments: present(&experiments),
            verdicts: present(&verdict_choices),
            reasons: reasons.collect(),
            groups,
        }
    }
}

fn row(judged: &Judged) -> Row {
    let claim = judged.claim;
    Row {
        id: claim.id.clone(),
        experiment: claim.experiment.name(),
        statement: claim.statement.clone(),
        within: claim.location().1.map(str::to_owned),
        unit: claim.unit.clone(),
        quantity: claim.quantity.clone(),
        published: claim.published.clone(),
        reproduced: judged.text(),
        tolerance: tolerance(claim, judged.reproduced),
        verdict: judged.verdict.key(),
        word: judged.verdict.word(),
        mark: mark(judged.verdict),
        tone: tone(judged.verdict),
        code: code_of(&claim.quantity).map(|source| code(&source)),
        readings: vec![],
    }
}

fn reading(reading: &JudgedReading) -> ReadingRow {
    let claim = &reading.reading.literal;
    ReadingRow {
        id: claim.id.clone(),
        statement: claim.statement.clone(),
        unit: claim.unit.clone(),
        quantity: claim.quantity.clone(),
        published: claim.published.clone(),
        reproduced: reading.judged.text(),
        status: reading.status(),
        mark: mark(reading.judged.verdict),
        code: code_of(&claim.quantity).map(|source| code(&source)),
    }
}

fn code(source: &CodeSource) -> Code {
    let module = source.module();
    let path = module.split("::").chain([source.function]).map(str::to_owned).collect();
    Code { href: format!("{ROOT}{}", source.file), path }
}

fn tolerance(claim: &Claim, reproduced: Option<f64>) -> Tolerance {
    let text = match &claim.class {
        Class::MonteCarlo { tolerance, .. } => {
            let one_more = NumberStyle::plain(claim.decimals.max(0) + 1);
            let distance =
                reproduced.map(|value| format!(" (off by {})", one_more.format((value - claim.value).abs())));
            format!("{}{}", shortest(*tolerance), distance.unwrap_or_default())
        }
        Class::Approximate { tolerance } => format!("a tenth: {}", three(*tolerance)),
        Class::Exact if claim.relation.is_some() => "beyond it".to_owned(),
        Class::Exact if claim.rounded_through.is_some() => "to the digit, or rounded twice".to_owned(),
        Class::Exact => "to the digit".to_owned(),
    };
    let text =
        if claim.leaves_sign_open() { format!("{text}; reaches past zero: no weight for the sign") } else { text };
    Tolerance { text, reason: claim.reason().map(str::to_owned) }
}

/// Name of an experiment for readers.
pub(crate) fn experiment_name(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Simulations => "Simulations",
        Experiment::Dice => "Experiment 1: dice",
        Experiment::ChaosNli => "Experiment 2: ChaosNLI",
        Experiment::Extended => "Beyond the paper",
    }
}

/// A sign before the word, so that a verdict is seen without colour.
fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "✓",
        Verdict::PapersRounding | Verdict::WithinTolerance => "≈",
        Verdict::Differs => "✗",
        Verdict::NotRun | Verdict::NotJudged => "–",
    }
}

/// What a verdict means for the reader.
fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Agrees => Tone::Good,
        Verdict::PapersRounding | Verdict::WithinTolerance => Tone::Fair,
        Verdict::Differs => Tone::Bad,
        Verdict::NotRun | Verdict::NotJudged => Tone::Neutral,
    }
}
