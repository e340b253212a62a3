//! `render`: everything that readers see, from results on disk.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{Error, output_folder};
use crate::artifact::{Manifest, Results, results_file};
use crate::experiments::Experiment;
use crate::output::{Staged, to_json};
use crate::report::claims::Claims;
use crate::report::latex::Templates;
use crate::report::page;
use crate::report::paper::{self, bundle};
use crate::report::verdicts::{self, Verdicts};

/// Render tables, figures and the LaTeX bundle again from results on disk; no result changes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty render --artifact artifact --templates templates")]
pub struct Args {
    /// Folder that `reproduce` wrote.
    #[arg(long, value_name = "DIR", default_value = "artifact")]
    artifact: PathBuf,
    /// Folder with the LaTeX templates [default: templates if there is one, else those built in].
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    /// The claims whose reproduced numbers become macros.
    #[arg(long, value_name = "FILE", default_value = "data/paper/claims.toml")]
    claims: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Results, claims or templates that can't be read; the folder is then as it was.
pub fn run(args: &Args) -> Result<ExitCode, Error> {
    let mut manifest = Manifest::load(&args.artifact)?;
    let folder = output_folder(&args.artifact)?;
    let claims = Claims::load(&args.claims)?;
    let templates = Templates::load(args.templates.as_deref())?;
    let html = page::Templates::load(args.templates.as_deref())?;
    let results = Results::load(&args.artifact, &manifest)?;
    let verdicts = Verdicts::judge(&claims, &results, &manifest)?;
    let mut staged = Staged::default();
    for experiment in Experiment::ALL {
        if let Some(text) = results.to_json(experiment) {
            staged.put(results_file(experiment), text);
        }
    }
    staged.put(verdicts::FILE, to_json(&verdicts.to_json()));
    bundle::render(&templates, &results, &verdicts, &mut staged)?;
    paper::page::write(&html, &results, &verdicts, &manifest, &mut staged)?;
    staged.seal(&mut manifest);
    folder.commit(&staged)?;
    println!("{}", args.artifact.join(bundle::FOLDER).display());
    Ok(ExitCode::SUCCESS)
}
