//! `verify`: judge results on disk.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{Error, claims_file, reproduce::conclude};
use crate::artifact::{Manifest, Results};
use crate::report::claims::Claims;
use crate::report::verdicts::Verdicts;

/// Judge results already on disk against the paper's claims, without recomputing anything.
///
/// Exit status: 0 when no claim differs, 10 when one does, 2 when the folder or the claims are refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty verify --artifact artifact")]
pub(super) struct Args {
    /// Folder that `reproduce` wrote.
    #[arg(long, value_name = "DIR", default_value = "artifact")]
    artifact: PathBuf,
    /// The claims to judge [default: those of the paper].
    #[arg(long, value_name = "FILE")]
    claims: Option<PathBuf>,
    /// Print a machine-readable summary instead of the table.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// Results or claims that can't be read.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let claims = Claims::load(&claims_file(args.claims.as_deref()))?;
    let manifest = Manifest::load(&args.artifact)?;
    let results = Results::load(&args.artifact, &manifest)?;
    conclude(&Verdicts::judge(&claims, &results, &manifest)?, args.json, &args.artifact)
}
