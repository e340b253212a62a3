//! `verify`: judge results on disk, and hold every file made of them against what they give.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::explain::nearest;
use super::options::TemplatesOption;
use super::reproduce::show;
use super::terminal::stdout;
use super::{Error, FINDINGS, claims_file};
use crate::artifact::{self, Manifest, Results};
use crate::report::claims::{Claims, Verdict, misprinted, smallest_misprint};
use crate::report::latex::Templates;
use crate::report::page;
use crate::report::paper::stage;
use crate::report::verdicts::Verdicts;

/// Judge the results on disk again, and find files that were edited.
///
/// No result is recomputed. Tables, figures and pages are made from the results again and compared with the folder.
///
/// Exit status: 0 when no claim differs, 10 when one does, 2 when a file of the folder was edited or the claims are
/// refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
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
    let made = if args.claims.is_some() { Claims::load(&claims_file(None))? } else { claims.clone() };
    let made = Verdicts::judge(&made, &results, &manifest)?;
    let templates = Templates::load(args.templates.folder.as_deref())?;
    let html = page::PageTemplates::load(args.templates.folder.as_deref())?;
    let staged = stage(&results, &manifest, &made, (&templates, &html))?;
    artifact::hold(&args.artifact, &manifest, &staged)?;
    artifact::frozen(&args.artifact)?;
    if !args.json && !args.table {
        let text = "made again from the results and found the same to the byte";
        writeln!(stdout(), "{} files {text}\nRoot: {}\n", staged.names().len(), manifest.root)?;
    }
    show(&verdicts, args.json, args.table, &args.artifact, &[], &[])?;
    Ok(if verdicts.any_differs() { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS })
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
