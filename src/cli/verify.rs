//! `verify`: judge results on disk, and hold every file made of them against what they give.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::compare::compare;
use super::explain::nearest;
use super::familiarity::FamiliarityArgs;
use super::options::{TemplatesOption, ThreadsOption};
use super::progress::Bars;
use super::reproduce::show;
use super::sources::{ExperimentData, Judges};
use super::terminal::stdout;
use super::{Error, FINDINGS, claims_file, experiment};
use crate::artifact::{self, Manifest, Results};
use crate::experiments::Experiment;
use crate::familiarity::neighbours::Engine;
use crate::report::claims::{Claims, Verdict, misprinted, smallest_misprint};
use crate::report::latex::Templates;
use crate::report::page;
use crate::report::paper::stage;
use crate::report::verdicts::Verdicts;
use crate::system::installed::installed;

/// Judge the results on disk again, and find files that were edited.
///
/// With --recompute the results are computed again, which takes some ten seconds. Without it nothing is computed:
/// results are compared with checksums that are built into this program, and tables, figures and pages are made from
/// them again.
///
/// Exit status: 0 when no claim differs, 10 when one does, 2 when a file of the folder was edited or does not belong
/// there, when the results were computed from other data than the paper's, or when the claims are refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty verify --recompute
  judge-uncertainty verify --artifact artifact
  judge-uncertainty verify --table
  judge-uncertainty verify --break esc-info-value")]
pub(super) struct Args {
    /// Folder that `reproduce` wrote.
    #[arg(long, value_name = "DIR", default_value = "artifact")]
    artifact: PathBuf,
    /// The claims to judge [default: those of the paper].
    #[arg(long, value_name = "FILE")]
    claims: Option<PathBuf>,
    /// Compute the results again and compare them with those of the folder.
    #[arg(long)]
    recompute: bool,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Folder with the input data of --recompute [default: the program's own].
    #[arg(long, value_name = "DIR", requires = "recompute")]
    data: Option<PathBuf>,
    /// List every claim instead of the summary.
    #[arg(long, conflicts_with = "json")]
    table: bool,
    /// Misprint the number of this claim by the least that it would catch, and show that it fails.
    #[arg(long = "break", value_name = "ID", conflicts_with_all = ["json", "table"])]
    misprint: Option<String>,
    #[command(flatten)]
    templates: TemplatesOption,
    /// Print a machine-readable summary.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Results or claims that can't be read; files that are not what the results give.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let claims = Claims::load(&claims_file(args.claims.as_deref()))?;
    let manifest = Manifest::load(&args.artifact)?;
    let results = Results::load(&args.artifact, &manifest)?;
    let verdicts = Verdicts::judge(&claims, &results, &manifest)?;
    if let Some(id) = &args.misprint {
        return break_claim(id, &verdicts, &claims);
    }
    manifest.check_sums(&args.artifact)?;
    manifest.check_files(&args.artifact)?;
    let recomputed = if args.recompute { recompute(args, &manifest, &results)? } else { vec![] };
    manifest.check_data(&args.artifact)?;
    if !args.recompute {
        manifest.check_published(&args.artifact)?;
    }
    refuse(args, experiment::foreign(&manifest))?;
    let made = if args.claims.is_some() { Claims::load(&claims_file(None))? } else { claims.clone() };
    let made = Verdicts::judge(&made, &results, &manifest)?;
    let templates = Templates::load(args.templates.folder.as_deref())?;
    let html = page::PageTemplates::load(args.templates.folder.as_deref())?;
    let staged = stage(&results, &manifest, &made, (&templates, &html))?;
    artifact::hold(&args.artifact, &manifest, &staged)?;
    artifact::frozen(&args.artifact)?;
    if !args.json && !args.table {
        let mut stdout = stdout();
        match &recomputed[..] {
            [] => writeln!(stdout, "Nothing was recomputed: `verify --recompute` computes the results again.")?,
            some => {
                let names: Vec<&str> = some.iter().map(|experiment| experiment.name()).collect();
                writeln!(stdout, "Recomputed, and the same to within {TOLERANCE:e}: {}.", names.join(", "))?;
            }
        }
        let text = "made again from the results and found the same to the byte";
        writeln!(stdout, "{} files {text}\nRoot: {}\n", staged.names().len(), manifest.root)?;
    }
    show(&verdicts, args.json, args.table, &args.artifact, &[], &[])?;
    Ok(if verdicts.any_differs() { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}

/// Largest relative difference of a recomputed number that counts as equal: other processors round otherwise.
const TOLERANCE: f64 = 1e-6;

/// Largest difference of a number that a manifest has of embeddings and neighbours, such as a recall: another kind of processor
/// measures others.
const NEAR: f64 = 0.004;

/// Computes again what has the paper's size, and compares it with the results of the folder.
fn recompute(args: &Args, manifest: &Manifest, results: &Results) -> Result<Vec<Experiment>, Error> {
    let is_whole = |experiment: &Experiment| manifest.deterministic.get(experiment).is_some_and(|f| f.published_size);
    let mut experiments: Vec<Experiment> = Experiment::ALL.into_iter().filter(is_whole).collect();
    if !experiments.contains(&Experiment::ChaosNli) {
        experiments.retain(|experiment| *experiment != Experiment::Authors);
    }
    let data = args.data.clone().unwrap_or_else(|| installed("data"));
    let recall = manifest.deterministic.get(&Experiment::ChaosNli).and_then(|facts| facts.settings.get("recall"));
    let engine = if recall.is_some_and(|recall| recall.starts_with("HNSW")) { Engine::Hnsw } else { Engine::Exact };
    let (judges, familiarity) = (Judges::default(), FamiliarityArgs::with_engine(engine));
    let data = ExperimentData::new(&data, &judges, &familiarity);
    experiment::load(&experiments, &data)?;
    args.threads.start()?;
    let (again, facts) = experiment::run(&experiments, &data, None, &Bars::default())?;
    let (old, new) = (results.values(), again.values());
    let mut moved = vec![];
    for experiment in &experiments {
        if let (Some(old), Some(new)) = (old.get(experiment), new.get(experiment)) {
            compare(experiment.name(), old, new, TOLERANCE, &mut moved);
        }
    }
    if !moved.is_empty() {
        return Err(artifact::Error::Recomputed { folder: args.artifact.clone(), moved }.into());
    }
    let mut foreign = vec![];
    for experiment in &experiments {
        let (said, own) = (&manifest.deterministic[experiment].settings, &facts.deterministic[experiment].settings);
        let differing = said.keys().chain(own.keys()).filter(|what| !is_same(said.get(*what), own.get(*what)));
        foreign.extend(differing.map(|what| format!("{experiment}, {what}")).collect::<BTreeSet<_>>());
    }
    refuse(args, foreign)?;
    Ok(experiments)
}

/// Refuses a manifest that says what was not run.
fn refuse(args: &Args, facts: Vec<String>) -> Result<(), Error> {
    if facts.is_empty() {
        return Ok(());
    }
    Err(artifact::Error::Provenance { folder: args.artifact.clone(), facts }.into())
}

/// Whether two texts agree word by word, and in numbers to within [`NEAR`].
fn is_same(one: Option<&String>, other: Option<&String>) -> bool {
    let words =
        |text: &'_ String| -> Vec<String> { text.split([' ', ',', ';', '(', ')']).map(str::to_owned).collect() };
    let value = |word: &String| match word.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().map(|percent| percent / 100.0).ok(),
        None => word.parse().ok(),
    };
    let near = |(a, b): (&String, &String)| {
        let apart = value(a).zip(value(b)).map(|(a, b)| (a - b).abs());
        a == b || apart.is_some_and(|apart| apart <= NEAR)
    };
    let (Some(one), Some(other)) = (one.map(words), other.map(words)) else { return false };
    one.len() == other.len() && one.iter().zip(&other).all(near)
}

/// Judges one claim with a misprint.
fn break_claim(id: &str, verdicts: &Verdicts, claims: &Claims) -> Result<ExitCode, Error> {
    let unknown = || Error::UnknownClaim { id: id.to_owned(), near: nearest(id, claims) };
    let row = verdicts.rows.iter().find(|row| row.claim.id == id).ok_or_else(unknown)?;
    let mut stdout = stdout();
    let here = row.text().unwrap_or_else(|| "not computed".to_owned());
    writeln!(stdout, "{id}: the paper prints {}, here it is {here}: {}", row.claim.published, row.verdict.word())?;
    let Some(value) = row.reproduced.filter(|_| row.verdict != Verdict::NotJudged) else {
        writeln!(stdout, "It was not computed at the published size, so nothing can be said of a misprint.")?;
        return Ok(ExitCode::SUCCESS);
    };
    match smallest_misprint(row.claim, value) {
        Some(units) => {
            let wrong = misprinted(row.claim, units);
            writeln!(stdout, "Printed as {}, the smallest misprint that it catches: DIFFERS", wrong.published)?;
        }
        None => writeln!(stdout, "It differs as it is printed.")?,
    }
    Ok(ExitCode::from(FINDINGS))
}
