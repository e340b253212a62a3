//! `render`: everything that readers see, from results on disk.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::options::TemplatesOption;
use super::{Error, claims_file, output_folder};
use crate::artifact::{self, Manifest, Results};
use crate::cli::terminal::stdout;
use crate::report::claims::Claims;
use crate::report::latex::Templates;
use crate::report::page;
use crate::report::paper::{bundle, stage};
use crate::report::verdicts::Verdicts;

/// Make tables, figures and the LaTeX bundle again from the results on disk.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty render --artifact artifact --templates templates")]
pub(super) struct Args {
    /// Folder that `reproduce` wrote.
    #[arg(long, value_name = "DIR", default_value = "artifact")]
    artifact: PathBuf,
    #[command(flatten)]
    templates: TemplatesOption,
    /// The claims whose reproduced numbers become macros [default: those of the paper].
    #[arg(long, value_name = "FILE")]
    claims: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Results, claims or templates that can't be read; the folder is then as it was.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let mut manifest = Manifest::load(&args.artifact)?;
    let folder = output_folder::<Manifest>(&args.artifact)?;
    let claims = Claims::load(&claims_file(args.claims.as_deref()))?;
    let templates = Templates::load(args.templates.folder.as_deref())?;
    let html = page::PageTemplates::load(args.templates.folder.as_deref())?;
    let results = Results::load(&args.artifact, &manifest)?;
    let verdicts = Verdicts::judge(&claims, &results, &manifest)?;
    let mut staged = stage(&results, &manifest, &verdicts, (&templates, &html))?;
    manifest.seal(&mut staged, &artifact::frozen(&args.artifact)?);
    folder.commit(&staged)?;
    writeln!(stdout(), "{}", args.artifact.join(bundle::FOLDER).display())?;
    Ok(ExitCode::SUCCESS)
}
