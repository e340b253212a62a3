//! `explain`: all about one claim or conclusion.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::summary::lines;
use super::terminal::stdout;
use super::{Error, claims_file};
use crate::artifact::{Manifest, Results, results_file};
use crate::experiments::Experiment;
use crate::report::claims::{Claim, Claims, Class, Judged, JudgedBy, JudgedConclusion};
use crate::report::numbers::{shortest, three};
use crate::report::verdicts::{Verdicts, misprint};

/// Explain one claim or conclusion of the paper.
///
/// Shows what the paper says, the result here, the allowed tolerance and its reason, and where to find input, code and
/// results.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty explain esc-info-value
  judge-uncertainty explain counts-only-refuted")]
pub(super) struct Args {
    /// Id of a claim, a literal reading or a conclusion; `verify --table` lists them
    id: String,
    /// Folder that `reproduce` wrote
    #[arg(long, value_name = "DIR", default_value = "artifact")]
    artifact: PathBuf,
    /// The claims [default: those of the paper]
    #[arg(long, value_name = "FILE")]
    claims: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Results or claims that can't be read; an id that nothing has.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let claims = Claims::load(&claims_file(args.claims.as_deref()))?;
    let manifest = Manifest::load(&args.artifact)?;
    let results = Results::load(&args.artifact, &manifest)?;
    let verdicts = Verdicts::judge(&claims, &results, &manifest)?;
    let facts = match verdicts.rows.iter().chain(&verdicts.readings).find(|row| row.claim.id == args.id) {
        Some(row) => facts_of_claim(row, &verdicts, &manifest, (&claims.judged_by, &args.artifact)),
        None => match verdicts.conclusions.iter().find(|judged| judged.conclusion.id == args.id) {
            Some(judged) => facts_of_conclusion(judged, &claims.judged_by, &args.artifact),
            None => return Err(Error::UnknownClaim { id: args.id.clone(), near: nearest(&args.id, &claims) }),
        },
    };
    let mut stdout = stdout();
    for (name, text) in facts {
        lines(&mut stdout, 0, &format!("{:<12} {text}", format!("{name}:")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Ids that share a beginning or a part with one that nothing has.
pub(super) fn nearest(id: &str, claims: &Claims) -> String {
    let ids = claims.claims.iter().map(|claim| claim.id.as_str());
    let ids = ids.chain(claims.conclusions.iter().map(|conclusion| conclusion.id.as_str()));
    let shared = |other: &str| other.split('-').filter(|word| id.split('-').any(|own| own == *word)).count();
    let mut ids: Vec<(usize, &str)> = ids.map(|other| (shared(other), other)).filter(|(n, _)| *n > 0).collect();
    ids.sort_by_key(|b| std::cmp::Reverse(b.0));
    ids.iter().take(3).map(|(_, other)| *other).collect::<Vec<_>>().join(", ")
}

fn facts_of_claim(
    row: &Judged,
    verdicts: &Verdicts,
    manifest: &Manifest,
    (judged_by, folder): (&JudgedBy, &Path),
) -> Vec<(&'static str, String)> {
    let claim = row.claim;
    let unit = claim.unit.as_deref().map(|unit| format!(" {unit}")).unwrap_or_default();
    let mut facts = vec![
        ("claim", claim.id.clone()),
        ("says", claim.statement.clone()),
        ("paper", format!("{}{unit}, {}", claim.published, claim.place)),
    ];
    if let (Some(text), Some(value)) = (row.text(), row.reproduced) {
        facts.push(("here", format!("{text}{unit} (unrounded {})", shortest(value))));
    }
    facts.push(("verdict", row.verdict.word().to_owned()));
    facts.extend(row.beside.map(|beside| {
        let (_, procedure) = beside.procedures();
        ("beside", format!("{} {procedure}: {}", shortest(beside.reproduced), beside.verdict.word()))
    }));
    facts.push(("allowed", allowed(claim)));
    facts.extend(verdicts.reason(claim).map(|reason| ("reason", reason.to_owned())));
    facts.extend(row.reproduced.map(|value| ("misprint", caught(claim, value))));
    facts.extend(verdicts.deviation(claim).map(|why| ("differs", why.to_owned())));
    if let Some(provenance) = manifest.deterministic.get(&claim.experiment) {
        let inputs: Vec<&str> = provenance.inputs.keys().map(String::as_str).collect();
        let inputs =
            if inputs.is_empty() { "seeds alone".to_owned() } else { format!("data/{}", inputs.join(", data/")) };
        facts.push(("input", inputs));
    }
    if let Some((file, function)) = verdicts.code(claim) {
        facts.push(("code", format!("crates/paper/src/experiments/{file}, fn {function}")));
    }
    let file = folder.join(results_file(judged_by.experiment(&claim.quantity).unwrap_or(claim.experiment)));
    let path = claim.quantity.split_once('/').map_or("", |(_, path)| path);
    facts.push(("file", format!("{}, results/{path}", file.display())));
    facts
}

fn facts_of_conclusion(
    judged: &JudgedConclusion<'_>,
    judged_by: &JudgedBy,
    folder: &Path,
) -> Vec<(&'static str, String)> {
    let conclusion = judged.conclusion;
    let mut facts = vec![
        ("conclusion", conclusion.id.clone()),
        ("says", conclusion.says.clone()),
        ("paper", conclusion.place.clone()),
        ("outcome", format!("{}; {}", judged.outcome.word(), judged.evidence())),
    ];
    facts.extend(conclusion.when.iter().map(|condition| ("holds if", condition.clone())));
    let here = judged.values.iter().map(|(quantity, value)| (judged_by.quantities(quantity).0, value));
    facts.extend(here.map(|(quantity, value)| ("here", format!("{quantity} = {}", three(*value)))));
    facts.extend(conclusion.note.iter().map(|note| ("note", note.clone())));
    let judges: BTreeSet<Experiment> =
        judged.values.iter().filter_map(|(quantity, _)| judged_by.experiment(quantity)).collect();
    facts.extend(judges.into_iter().map(|judge| ("file", folder.join(results_file(judge)).display().to_string())));
    facts
}

/// How close a claim asks its number to be.
fn allowed(claim: &Claim) -> String {
    match claim.class {
        Class::Exact if claim.relation.is_some() => "beyond the threshold".to_owned(),
        Class::Exact if claim.rounded_through.is_some() => "the printed digit, or rounded twice".to_owned(),
        Class::Exact => "the printed digit".to_owned(),
        Class::Approximate => format!("within a tenth: {}", three(claim.allowed())),
        Class::MonteCarlo => {
            let apart = match (claim.sd, claim.bound) {
                (Some(sd), _) => format!("3 sqrt(2) times {} from run to run, and", three(sd)),
                (None, bound) => format!("{} and", three(bound.unwrap_or_default())),
            };
            format!("within {}: {apart} half a unit", three(claim.allowed()))
        }
    }
}

/// The smallest misprint that the claim would catch.
pub(super) fn caught(claim: &Claim, value: f64) -> String {
    match misprint(claim, value) {
        Some(off) if claim.relation.is_some() => format!("a threshold moved by {} would be caught", shortest(off)),
        Some(off) => format!("a published number off by {} would be caught", shortest(off)),
        None => "it differs as it is printed".to_owned(),
    }
}
