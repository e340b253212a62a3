//! What became of the questions, on standard output and as exit status.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use super::arguments::name_of;
use crate::cli::terminal::stdout;
use crate::cli::{Error, FINDINGS};
use crate::judge::client::TokenUsage;
use crate::judge::parse::Failure;
use crate::judge::summary::SessionSummary;
use crate::system::to_json;

/// Success if every question has an answer that counts.
pub(super) fn exit_code(summary: &SessionSummary) -> ExitCode {
    let complete = summary.answered == summary.questions && summary.failures.is_empty();
    if complete { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) }
}

/// Prints the summary.
pub(super) fn show(summary: &SessionSummary, folder: &Path, json: bool) -> Result<(), Error> {
    let mut out = stdout();
    if json {
        return Ok(write!(out, "{}", to_json(summary))?);
    }
    writeln!(out, "questions   {}", summary.questions)?;
    writeln!(out, "answered    {}", summary.answered)?;
    writeln!(out, "usable      {} ({} normalised)", summary.usable, summary.normalised)?;
    write_failures(&mut out, &summary.failures)?;
    for (kind, count) in &summary.unreached {
        writeln!(out, "unanswered  {count} {}", name_of(kind))?;
    }
    if let Some(unseen) = summary.mean_unseen_mass {
        writeln!(out, "unseen mass {unseen:.4} on average")?;
    }
    let TokenUsage { prompt, completion } = summary.tokens;
    writeln!(out, "tokens      {prompt} of prompts, {completion} of answers")?;
    if let Some(spent) = summary.spent {
        writeln!(out, "spent       {spent:.4}")?;
    }
    writeln!(out, "Predictions and summary: {}", folder.display())?;
    Ok(())
}

pub(super) fn write_failures(out: &mut impl Write, failures: &BTreeMap<Failure, usize>) -> Result<(), Error> {
    for (kind, count) in failures {
        writeln!(out, "failed      {count} {}", name_of(kind))?;
    }
    Ok(())
}
