//! `study run`: decompose, rank, evaluate, write.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use super::setup::{load, note_elsewhere, say_embedded, say_going_on, vacant_folder};
use crate::cli::options::{StudyOption, TemplatesOption, ThreadsOption};
use crate::cli::progress::Bars;
use crate::cli::{Error, say, sentences};
use crate::formats::output;
use crate::report::latex::Templates;
use crate::report::study::{Shown, bundle, describe, figures};
use crate::report::{self, page};
use crate::study::belief_file::{self, BeliefFile, Saved};
use crate::study::evaluate::{evaluated_items, journal};
use crate::study::input::judge_files::JudgeFiles;
use crate::study::lewidi::{SOFT, soft_predictions};
use crate::study::registration::Registration;
use crate::study::results::cards::Cards;
use crate::study::results::columns::columns;
use crate::study::results::{FILE, StudyManifest};
use crate::study::{Decomposition, Error as StudyError, StudyResults, evaluate};
use crate::system::{Run, Staged, to_json};

/// Decompose the uncertainty about every item, rank the items under every rule, and evaluate where labels suffice.
///
/// An interrupted run goes on where its evaluation stopped. Exit status: 0 when done, 2 when input, arguments or the
/// run folder are refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study run
  judge-uncertainty study run my-study --out my-study/run-2
  judge-uncertainty study run my-study --force --json | jq .fit.typical_trust")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// Run folder to write [default: run, beside the study.toml].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Replace the run that the folder holds.
    #[arg(long)]
    pub(super) force: bool,
    /// Replicates of the evaluation, in place of those of the study.toml; 0 for none.
    #[arg(long, value_name = "N")]
    pub(super) replicates: Option<usize>,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    templates: TemplatesOption,
    /// Leave the texts of the items out of the report, where they must not leave their place.
    #[arg(long)]
    pub(super) no_texts: bool,
    /// Print the results as JSON instead of sentences.
    #[arg(long)]
    pub(super) json: bool,
}

/// Says that the run that is replaced belongs to another judge, for trust is bound to the judge that it was fitted to.
fn say_changed_judge(out: &Path, judge: &JudgeFiles) {
    let before: Option<serde_json::Value> =
        std::fs::read(out.join(FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let before = before.and_then(|results| serde_json::from_value(results["input"]["judge_files"].clone()).ok());
    if let Some(what) = before.and_then(|before: JudgeFiles| judge.differs(&before)) {
        say(format_args!(
            "{}: the judge is another one than in the run that this replaces ({what}); trust belongs to the judge that \
             it was fitted to, and numbers of the two runs differ for that reason, too",
            out.display()
        ));
    }
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed; the run folder is then as it was.
pub(super) fn run<K: Shown + Saved>(args: &Args) -> Result<ExitCode, Error> {
    let start = Instant::now();
    // Everything that can be refused is refused here, before any work.
    let mut study = load::<K>(&args.study.path)?;
    if let Some(replicates) = args.replicates {
        study.file.set_replicates(replicates)?;
    }
    let out = args.out.clone().unwrap_or_else(|| study.file.resolve(Path::new("run")));
    let folder = vacant_folder::<StudyManifest>(&out, args.force, study.inputs.sums().keys())?;
    let templates = Templates::load(args.templates.folder.as_deref())?;
    let html = page::PageTemplates::load(args.templates.folder.as_deref())?;
    let registration = Registration::load(&study.file.folder()).map_err(StudyError::from)?;
    if let Some(registration) = &registration {
        study.hold_to(registration);
    }
    args.threads.start()?;

    let progress = Bars::default();
    say_embedded(study.embed(&sentences::start, &progress)?.as_ref());
    let decomposition = Decomposition::new(&study, &progress)?;
    if evaluated_items(&study).is_ok() {
        note_elsewhere(&study.file.folder(), &out);
    }
    let mut journal = journal(&out, &study)?;
    say_going_on(&journal);
    let evaluation = evaluate(&study, Some(&mut journal), &progress)?;
    let results = StudyResults::new(&study, &decomposition, evaluation, registration.as_ref(), &progress)?;

    say_changed_judge(&out, &results.input.judge_files);
    let mut staged = Staged::default();
    let columns = columns(&study, &decomposition);
    staged.put("items.csv", output::to_csv(&columns));
    staged.put("items.parquet", output::to_parquet(&columns).map_err(StudyError::Parquet)?);
    staged.put("columns.csv", output::dictionary(&columns));
    staged.put(FILE, to_json(&results));
    let (belief, reference) = BeliefFile::new(&study, &decomposition);
    staged.put(belief_file::FILE, belief.text());
    if let Some(reference) = reference {
        staged.put(belief_file::reference::FILE, reference);
    }
    if let Some(soft) = soft_predictions(&study, &decomposition) {
        staged.put(SOFT, soft);
    }
    let figures = figures(&results);
    let cards = Cards::new(&study, &decomposition, !args.no_texts);
    bundle::write(&templates, &html, &report::study::page(&results, &cards, &figures), &figures, &mut staged)?;
    staged.seal(&mut StudyManifest::new(&study, Run::since(start)));
    folder.commit(&staged)?;
    journal.remove().map_err(StudyError::from)?;

    let mut stdout = anstream::stdout().lock();
    if args.json {
        write!(stdout, "{}", to_json(&results))?;
    } else {
        for line in describe(&results) {
            writeln!(stdout, "{}", line.text())?;
        }
        let (report, items) = (out.join(page::FILE), out.join("items.csv"));
        writeln!(stdout, "\nReport: {}\nAll items: {}", report.display(), items.display())?;
    }
    Ok(ExitCode::SUCCESS)
}
