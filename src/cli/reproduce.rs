//! `reproduce`: recompute everything, write the artifact, judge the claims.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::claims_table::{self, Layout};
use super::familiarity::FamiliarityArgs;
use super::options::{TemplatesOption, ThreadsOption};
use super::progress::Bars;
use super::sources::{Fit, Judges, Sources};
use super::{Error, FINDINGS, experiment, output_folder, say};
use crate::artifact::{Manifest, Results};
use crate::experiments::Experiment;
use crate::report::claims::{Claims, Verdict};
use crate::report::latex::Templates;
use crate::report::numbers::NumberStyle;
use crate::report::paper::Reproduction;
use crate::report::paper::findings::{self, Findings};
use crate::report::{self, page, verdicts::Verdicts};
use crate::system::installed::installed;
use crate::system::{MANIFEST, to_json};

/// Replicates of a `--quick` run.
const QUICK: usize = 10;

/// Recompute every number of the paper, render its tables and figures, and judge it claim by claim.
///
/// With --extended, also what goes beyond the paper. Without it, such results that DIR holds already are kept.
///
/// Exit status: 0 when no claim differs, 10 when one does, 2 when input or arguments are refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty reproduce
  judge-uncertainty reproduce --only dice --out my-artifact
  judge-uncertainty reproduce --quick
  judge-uncertainty reproduce --only extended
  judge-uncertainty reproduce --only dice --dice-judge judge-dice
  judge-uncertainty reproduce --only chaosnli --fit as-published
  judge-uncertainty reproduce --only chaosnli --chaosnli chaosNLI_v1.0 --out fresh
  judge-uncertainty reproduce --json | jq .counts")]
pub(super) struct Args {
    /// Folder to write; replaced in one step when everything is done.
    ///
    /// [default: artifact; artifact-quick for a run of reduced size; artifact-leave-one-out and artifact-as-published
    /// for these settings; artifact-own-judge for other predictions]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run one experiment only; results of the others that DIR holds are kept.
    #[arg(long, value_parser = experiment(), value_name = "EXPERIMENT")]
    only: Option<Experiment>,
    /// Also run what goes beyond the paper: the recalibrated belief and its confirmation.
    #[arg(long, conflicts_with = "only")]
    extended: bool,
    /// Run at most N replicates or seeds of everything; claims are not judged then.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    replicates: Option<u32>,
    /// A look in under ten seconds: ten replicates of everything, claims not judged.
    #[arg(long, conflicts_with = "replicates")]
    quick: bool,
    #[command(flatten)]
    familiarity: FamiliarityArgs,
    /// How the trust of Experiments 1 and 2 is fitted; as-published shows what of the deviations comes from the
    /// authors' search [default: optimum].
    #[arg(long, value_enum, value_name = "SEARCH")]
    fit: Option<Fit>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Folder with the input data [default: the program's own].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    judges: Judges,
    #[command(flatten)]
    templates: TemplatesOption,
    /// Print a machine-readable summary instead of the table.
    #[arg(long)]
    json: bool,
}

/// Reads the name of an experiment.
fn experiment() -> impl TypedValueParser<Value = Experiment> {
    let named = |name: String| Experiment::ALL.into_iter().find(|experiment| experiment.name() == name);
    PossibleValuesParser::new(Experiment::ALL.map(Experiment::name))
        .map(move |name| named(name).expect("only the names of experiments are possible"))
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed; the output folder is then as it was.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let replicates = if args.quick { Some(QUICK) } else { args.replicates.map(|n| n as usize) };
    let fit = args.fit.unwrap_or_default();
    let default = match replicates {
        _ if args.judges.any() => "artifact-own-judge",
        Some(_) => "artifact-quick",
        None if args.familiarity.leave_one_out() => "artifact-leave-one-out",
        None if fit == Fit::AsPublished => "artifact-as-published",
        None => "artifact",
    };
    let out = args.out.clone().unwrap_or_else(|| default.into());
    let experiments = match args.only {
        Some(only) => vec![only],
        None if args.extended => Experiment::ALL.to_vec(),
        None => Experiment::PAPER.to_vec(),
    };

    if let Some(option) = args.familiarity.given().filter(|_| !experiments.contains(&Experiment::ChaosNli)) {
        return Err(Error::NotConcerned { option });
    }
    if args.fit.is_some() && !experiments.iter().any(|e| matches!(e, Experiment::Dice | Experiment::ChaosNli)) {
        return Err(Error::NotConcerned { option: "--fit" });
    }
    // Everything that can be refused is refused here, before any work.
    if experiments.contains(&Experiment::Extended) && args.judges.any() {
        return Err(Error::OtherJudge);
    }
    let folder = output_folder::<Manifest>(&out)?;
    let data = args.data.clone().unwrap_or_else(|| installed("data"));
    let claims = Claims::load(&data.join("paper/claims.toml"))?;
    let findings = Findings::built_in()?;
    let templates = Templates::load(args.templates.folder.as_deref())?;
    let html = page::PageTemplates::load(args.templates.folder.as_deref())?;
    let sources = Sources::new(&data, &args.judges, &args.familiarity, fit);
    let parts = experiment::load(&experiments, &sources)?;
    let kept = match args.only {
        Some(_) if out.join(MANIFEST).is_file() => {
            let manifest = Manifest::load(&out)?;
            Some((Results::load(&out, &manifest)?, manifest))
        }
        None if !args.extended => extended_of(&out),
        _ => None,
    };
    args.threads.start()?;

    let (mut results, facts) = experiment::run(&parts, replicates, &Bars::default())?;
    let mut manifest = Manifest::empty();
    if let Some((old, old_manifest)) = kept {
        results.fill_from(old);
        manifest.deterministic = old_manifest.deterministic;
        manifest.run = old_manifest.run;
    }
    for (experiment, (provenance, run)) in facts {
        manifest.deterministic.insert(experiment, provenance);
        manifest.run.insert(experiment, run);
    }

    let verdicts = Verdicts::judge(&claims, &results, &manifest)?;
    let findings = findings.from_results(results.extended.as_ref())?;
    let shown = Reproduction { results: &results, manifest: &manifest, verdicts: &verdicts, findings: &findings };
    let mut staged = shown.stage(&templates, &html)?;
    staged.seal(&mut manifest);
    folder.commit(&staged)?;
    tell_durations(&manifest, &experiments);
    let code = conclude(&verdicts, args.json, &out)?;
    if !findings.is_empty() && !args.json {
        let mut stdout = anstream::stdout().lock();
        writeln!(stdout, "\nBeyond the paper ({}):", out.join(findings::FILE).display())?;
        for finding in findings {
            writeln!(stdout, "- [{}] {}", finding.status.name(), finding.sentence)?;
        }
    }
    Ok(code)
}

/// Results beyond the paper that a folder holds; none where they can't be read, which is told, for then they are to be
/// made anew.
fn extended_of(folder: &Path) -> Option<(Results, Manifest)> {
    let mut manifest = Manifest::load(folder).ok()?;
    manifest.deterministic.retain(|experiment, _| *experiment == Experiment::Extended);
    manifest.run.retain(|experiment, _| *experiment == Experiment::Extended);
    match Results::load(folder, &manifest) {
        Ok(results) => Some((results, manifest)),
        Err(error) => {
            say(format_args!("note: the results beyond the paper are not kept: {error}"));
            None
        }
    }
}

/// Says how long each experiment took; on standard error, since it differs from run to run.
fn tell_durations(manifest: &Manifest, experiments: &[Experiment]) {
    for experiment in experiments {
        if let Some(run) = manifest.run.get(experiment) {
            let seconds = NumberStyle::plain(1).format(run.seconds);
            say(format_args!("{experiment}: {seconds} s on {} threads", run.threads));
        }
    }
}

/// Prints the verdicts and chooses the exit status.
pub(super) fn conclude(verdicts: &Verdicts, json: bool, folder: &std::path::Path) -> Result<ExitCode, Error> {
    let mut stdout = anstream::stdout().lock();
    if json {
        write!(stdout, "{}", to_json(&verdicts.to_json()))?;
    } else {
        claims_table::write(&mut stdout, verdicts, Layout::of_terminal())?;
        writeln!(stdout, "\nResults, tables and figures: {}", folder.display())?;
        let page = folder.join(page::FILE);
        if page.is_file() {
            writeln!(stdout, "Report to look at: {}", page.display())?;
        }
        writeln!(stdout, "Tolerances with their reasons: {}", folder.join(report::verdicts::FILE).display())?;
    }
    let differs = verdicts.rows().iter().any(|row| row.verdict == Verdict::Differs);
    Ok(if differs { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
}
