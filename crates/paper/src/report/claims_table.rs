//! The claims as a table: place, published and reproduced number, tolerance with its reason, verdict, code.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::claims::{Claim, Class, Experiment, Judged, Verdict};
use crate::verdicts::Verdicts;
use judge_uncertainty_page::{Block, Tone};
use judge_uncertainty_system::numbers::{NumberStyle, three};

/// The table of all claims, with what a reader can filter it by and the reasons of its tolerances.
pub fn claims_table(verdicts: &Verdicts, caption: &str) -> Block {
    let rows = &verdicts.rows;
    let choice =
        |key: Value, name: &str, count: usize| (count > 0).then(|| json!({"key": key, "name": name, "count": count}));
    let experiments = Experiment::ALL.map(|experiment| {
        let count = rows.iter().filter(|row| row.claim.experiment == experiment).count();
        choice(json!(experiment), experiment_name(experiment), count)
    });
    let choices = Verdict::ALL.map(|verdict| {
        choice(json!(verdict), verdict.word(), rows.iter().filter(|row| row.verdict == verdict).count())
    });
    let mut seen = BTreeSet::new();
    let reasons = rows.iter().filter_map(|row| {
        let key = row.claim.reason.as_deref()?;
        seen.insert(key).then(|| json!({"key": key, "text": verdicts.reason(row.claim).unwrap_or_default()}))
    });
    Block::Claims(json!({
        "caption": caption,
        "total": rows.len(),
        "experiments": experiments.into_iter().flatten().collect::<Vec<_>>(),
        "verdicts": choices.into_iter().flatten().collect::<Vec<_>>(),
        "reasons": reasons.collect::<Vec<_>>(),
        "groups": groups(verdicts),
    }))
}

/// The claims by their place in the paper; successive claims of one place form one group.
pub(super) fn groups(verdicts: &Verdicts) -> Vec<Value> {
    let place_of = |row: &Judged| row.claim.location().0.to_owned();
    let group = |group: &[Judged]| {
        let rows: Vec<Value> = group.iter().map(|judged| row(judged, verdicts)).collect();
        json!({"place": place_of(&group[0]), "rows": rows})
    };
    verdicts.rows.chunk_by(|a, b| place_of(a) == place_of(b)).map(group).collect()
}

/// A claim with what its sentence says word for word below it: `within` is where in the group's place, `quantity` the
/// path of the computed number in the results, `macro` that of the reproduced number in LaTeX, if there is one.
fn row(judged: &Judged, verdicts: &Verdicts) -> Value {
    let (claim, (mark, tone)) = (judged.claim, sign(judged.verdict));
    json!({
        "id": claim.id,
        "experiment": claim.experiment.name(),
        "statement": claim.statement,
        "within": claim.location().1,
        "unit": claim.unit,
        "quantity": claim.quantity,
        "published": claim.published,
        "printed": with_minus(&claim.published),
        "reproduced": judged.text(),
        "macro": judged.reproduced.map(|_| claim.macro_name()),
        "tolerance": tolerance(claim, judged.reproduced),
        "verdict": judged.verdict,
        "word": judged.verdict.word(),
        "status": judged.status(),
        "marked": judged.either_differs(),
        "mark": mark,
        "tone": tone,
        "code": verdicts.code(claim).map(code),
        "readings": verdicts.readings_of(claim).map(|literal| row(literal, verdicts)).collect::<Vec<_>>(),
    })
}

/// A printed number, whose sign is typed as a hyphen.
fn with_minus(published: &str) -> String {
    if published.starts_with('-') { published.replacen('-', "−", 1) } else { published.to_owned() }
}

/// Module and function that compute a claim's number, below crates/paper/src; lines may break between its parts.
fn code(place: (&str, &str)) -> Value {
    let (file, function) = place;
    let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
    let path: Vec<&str> = std::iter::once("experiments").chain(module.split('/')).chain([function]).collect();
    json!({"path": path})
}

/// How close a claim asks its number to be, how close it is, and the key of the reason where digits may be missed.
fn tolerance(claim: &Claim, reproduced: Option<f64>) -> Value {
    let tolerance = three(claim.allowed());
    let text = match claim.class {
        Class::MonteCarlo => {
            let one_more = NumberStyle::plain(claim.decimals.max(0) + 1);
            let distance =
                reproduced.map(|value| format!(" (off by {})", one_more.format((value - claim.value).abs())));
            format!("{tolerance}{}", distance.unwrap_or_default())
        }
        Class::Approximate => format!("a tenth: {tolerance}"),
        Class::Exact if claim.relation.is_some() => "beyond it".to_owned(),
        Class::Exact if claim.rounded_through.is_some() => "to the digit, or rounded twice".to_owned(),
        Class::Exact => "to the digit".to_owned(),
    };
    json!({"text": text, "reason": claim.reason})
}

/// Name of an experiment for readers.
pub fn experiment_name(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::Simulations => "Simulations",
        Experiment::Dice => "Experiment 1: dice",
        Experiment::ChaosNli => "Experiment 2: ChaosNLI",
        Experiment::Authors => "Experiment 2, the authors' procedure",
    }
}

/// A sign before the word, so that a verdict is seen without colour, and what the verdict means for the reader.
fn sign(verdict: Verdict) -> (&'static str, Tone) {
    match verdict {
        Verdict::Agrees => ("✓", Tone::Good),
        Verdict::PapersRounding | Verdict::WithinTolerance => ("≈", Tone::Fair),
        Verdict::Differs => ("✗", Tone::Bad),
        Verdict::NotRun | Verdict::NotJudged => ("–", Tone::Neutral),
    }
}
