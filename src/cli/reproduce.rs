//! `reproduce`: recompute everything, write the artifact, judge the claims.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::familiarity::FamiliarityArgs;
use super::options::{TemplatesOption, ThreadsOption, one_of};
use super::progress::Bars;
use super::sources::{ExperimentData, Judges};
use super::{Error, claims_table, experiment, output_folder, say, summary};
use crate::artifact::{self, Manifest, Results};
use crate::cli::terminal::{coloured, stdout};
use crate::experiments::Experiment;
use crate::report::claims::Claims;
use crate::report::latex::Templates;
use crate::report::numbers::NumberStyle;
use crate::report::paper::stage;
use crate::report::{page, verdicts::Verdicts};
use crate::system::installed::installed;
use crate::system::{MANIFEST, to_json};

/// Replicates of a `--quick` run.
const QUICK: usize = 10;

/// Recompute the paper: every number, table and figure, judged claim by claim.
///
/// Exit status: 0 when all is recomputed and judged, whatever the verdicts (`verify` ends with 10 where a claim
/// differs), 2 when input or arguments are refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty reproduce
  judge-uncertainty reproduce --only dice --out my-artifact
  judge-uncertainty reproduce --quick
  judge-uncertainty reproduce --only dice --dice-judge judge-dice
  judge-uncertainty reproduce --only chaosnli --chaosnli chaosNLI_v1.0 --out fresh
  judge-uncertainty reproduce --json | jq .counts")]
pub(super) struct Args {
    /// Folder to write; replaced in one step when everything is done.
    ///
    /// [default: artifact; artifact-quick for a run of reduced size; artifact-leave-one-out; artifact-own-judge for other predictions]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run one experiment only; results of the others that DIR holds are kept.
    #[arg(long, value_parser = one_of(ONLY), value_name = "EXPERIMENT")]
    only: Option<Experiment>,
    /// Run at most N replicates or seeds of everything; claims are not judged then.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    replicates: Option<u32>,
    /// A look in under ten seconds: ten replicates of everything, claims not judged.
    #[arg(long, conflicts_with = "replicates")]
    quick: bool,
    #[command(flatten)]
    familiarity: FamiliarityArgs,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Folder with the input data [default: the program's own].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    judges: Judges,
    #[command(flatten)]
    templates: TemplatesOption,
    /// List every claim instead of the summary.
    #[arg(long, conflicts_with = "json")]
    table: bool,
    /// Print a machine-readable summary.
    #[arg(long)]
    json: bool,
}

/// The experiments that can be run alone.
const ONLY: &[(&str, &str, Experiment)] = &[
    (Experiment::Simulations.name(), "", Experiment::Simulations),
    (Experiment::Dice.name(), "", Experiment::Dice),
    (Experiment::ChaosNli.name(), "", Experiment::ChaosNli),
];

/// Runs the command.
///
/// # Errors
/// Anything refused or failed; the output folder is then as it was.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let replicates = if args.quick { Some(QUICK) } else { args.replicates.map(|n| n as usize) };
    let default = match replicates {
        _ if args.judges.any() => "artifact-own-judge",
        Some(_) => "artifact-quick",
        None if args.familiarity.leave_one_out() => "artifact-leave-one-out",
        None => "artifact",
    };
    let out = args.out.clone().unwrap_or_else(|| default.into());
    let experiments = match args.only {
        // Both readings of the experiment.
        Some(Experiment::ChaosNli) => vec![Experiment::ChaosNli, Experiment::Authors],
        Some(only) => vec![only],
        None => Experiment::ALL.to_vec(),
    };

    if let Some(option) = args.familiarity.given().filter(|_| !experiments.contains(&Experiment::ChaosNli)) {
        return Err(Error::NotConcerned { option });
    }
    // Everything that can be refused is refused here, before any work.
    let folder = output_folder::<Manifest>(&out)?;
    let frozen = artifact::frozen(&out)?;
    let kept = match args.only {
        _ if !out.join(MANIFEST).is_file() => None,
        Some(_) => {
            let manifest = Manifest::load(&out)?;
            Some((Results::load(&out, &manifest)?, manifest))
        }
        None => None,
    };
    let data = args.data.clone().unwrap_or_else(|| installed("data"));
    let claims = Claims::load(&data.join("paper/claims.toml"))?;
    let templates = Templates::load(args.templates.folder.as_deref())?;
    let html = page::PageTemplates::load(args.templates.folder.as_deref())?;
    let data = ExperimentData::new(&data, &args.judges, &args.familiarity);
    experiment::load(&experiments, &data)?;
    args.threads.start()?;

    let (mut results, mut manifest) = experiment::run(&experiments, &data, replicates, &Bars::default())?;
    if let Some((old, mut before)) = kept {
        results.fill_from(old);
        // What was computed now takes the place of what is kept.
        before.deterministic.append(&mut manifest.deterministic);
        before.run.append(&mut manifest.run);
        (manifest.deterministic, manifest.run) = (before.deterministic, before.run);
    }

    for facts in manifest.deterministic.values() {
        for file in facts.foreign_inputs() {
            say(format_args!("note: {file} is not the paper's data: claims are not judged by what rests on it"));
        }
    }
    let verdicts = Verdicts::judge(&claims, &results, &manifest)?;
    let mut staged = stage(&results, &manifest, &verdicts, (&templates, &html))?;
    manifest.seal(&mut staged, &frozen);
    folder.commit(&staged)?;
    tell_durations(&manifest, &experiments);
    let kept: Vec<Experiment> =
        manifest.deterministic.keys().copied().filter(|experiment| !experiments.contains(experiment)).collect();
    show(&verdicts.only(&experiments), args.json, args.table, &out, &experiments, &kept)?;
    Ok(ExitCode::SUCCESS)
}

/// Says how long each experiment took; on standard error, since it differs from run to run.
fn tell_durations(manifest: &Manifest, experiments: &[Experiment]) {
    // The authors' procedure is computed together with ours.
    for experiment in experiments.iter().filter(|experiment| **experiment != Experiment::Authors) {
        if let Some(run) = manifest.run.get(experiment) {
            let seconds = NumberStyle::plain(1).format(run.seconds);
            say(format_args!("{experiment}: {seconds} s on {} threads", run.threads));
        }
    }
}

/// Prints the verdicts.
pub(super) fn show(
    verdicts: &Verdicts,
    json: bool,
    table: bool,
    folder: &Path,
    computed: &[Experiment],
    kept: &[Experiment],
) -> Result<(), Error> {
    if json {
        write!(stdout(), "{}", to_json(&verdicts.to_json()))?;
    } else if table {
        claims_table::write(&mut coloured(), verdicts, io::stdout().is_terminal())?;
    } else {
        summary::write(&mut stdout(), verdicts, folder, computed, kept)?;
    }
    Ok(())
}
