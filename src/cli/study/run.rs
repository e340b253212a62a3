//! `study run`: decompose, rank, evaluate, write.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use super::scores;
use crate::cli::progress::Bars;
use crate::cli::{Error, output_folder, threads};
use crate::familiarity::embedding::Embeddings;
use crate::output::{Run, Staged, to_json};
use crate::report::latex::Templates;
use crate::report::study::describe_results;
use crate::report::{figures, page, study_bundle, study_page};
use crate::study::evaluation::{Journal, Outcome, evaluate};
use crate::study::movement::Movement;
use crate::study::registered::{Registered, excluded_items};
use crate::study::registration::Registration;
use crate::study::results::{FILE, StudyManifest};
use crate::study::scores::ScoreStudy;
use crate::study::{Decomposition, Error as StudyError, Study, StudyResults, output};

/// Decompose the uncertainty about every item, rank the items under every rule, and evaluate where labels suffice.
///
/// An interrupted run goes on where its evaluation stopped. Exit status: 0 when done, 2 when input, arguments or the run
/// folder are refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study run
  judge-uncertainty study run my-study --out my-study/run-2
  judge-uncertainty study run my-study --force --json | jq .fit.typical_trust")]
pub struct Args {
    /// The study.toml, or the folder that holds it.
    #[arg(value_name = "STUDY", default_value = ".")]
    pub(super) study: PathBuf,
    /// Run folder to write [default: run, beside the study.toml].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Replace the run that the folder holds.
    #[arg(long)]
    pub(super) force: bool,
    /// Replicates of the evaluation, in place of those of the study.toml; 0 for none.
    #[arg(long, value_name = "N")]
    pub(super) replicates: Option<usize>,
    /// Threads to use; the results do not depend on it [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) threads: Option<u32>,
    /// Folder with the LaTeX templates [default: templates if there is one, else those built in].
    #[arg(long, value_name = "DIR")]
    pub(super) templates: Option<PathBuf>,
    /// Print the results as JSON instead of sentences.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs the command.
///
/// # Errors
/// Anything refused or failed; the run folder is then as it was.
pub fn run(args: &Args) -> Result<ExitCode, Error> {
    if ScoreStudy::is_at(&args.study) {
        return scores::run(args);
    }
    let start = Instant::now();
    // Everything that can be refused is refused here, before any work.
    let mut study = Study::load(&args.study)?;
    if let Some(replicates) = args.replicates {
        study.file.config.evaluation.replicates = replicates;
        study.file.check()?;
    }
    let out = args.out.clone().unwrap_or_else(|| study.file.resolve(Path::new("run")));
    let folder = output_folder(&out)?;
    let filled = std::fs::read_dir(&out).is_ok_and(|mut entries| entries.next().is_some());
    if filled && !args.force {
        return Err(StudyError::Exists { folder: out }.into());
    }
    let templates = Templates::load(args.templates.as_deref())?;
    let html = page::Templates::load(args.templates.as_deref())?;
    let registration = Registration::load(&study.file.resolve(Path::new(""))).map_err(StudyError::from)?;
    if let Some(registration) = &registration {
        study.excluded = registration.excluded(&study.items.ids, study.items.groups.as_deref());
    }
    threads(args.threads)?;

    let progress = Bars::default();
    embedded(study.embed(&progress)?.as_ref());
    let decomposition = Decomposition::of(&study, &progress)?;
    let mut journal = Journal::open(&out, &study)?;
    going_on(journal.finished());
    let evaluation = evaluate(&study, Some(&mut journal), &progress)?;
    let registered = registration.map(|registration| {
        let measured = match &evaluation {
            Outcome::Evaluated(evaluation) => evaluation.measured.as_slice(),
            Outcome::NotEvaluated(_) => &[],
        };
        let excluded = excluded_items(&study.excluded, &study.items.ids);
        Registered::of(&registration, (&study.settings(), &study.relative_inputs()), excluded, measured)
    });
    let movement = Movement::of(&study, &decomposition, &progress)?;
    let results = StudyResults { registered, movement, ..StudyResults::new(&study, &decomposition, evaluation) };

    let mut staged = Staged::default();
    let columns = output::columns(&study, &decomposition);
    staged.put("items.csv", output::to_csv(&columns));
    staged.put("items.parquet", output::to_parquet(&columns)?);
    staged.put("columns.csv", output::dictionary(&columns));
    staged.put(FILE, to_json(&results));
    let figures = figures::study::all(&results);
    study_bundle::write(&templates, &html, &study_page::page(&results, &figures), &figures, &mut staged)?;
    staged.seal(&mut StudyManifest::new(&study, Run::since(start)));
    folder.commit(&staged)?;
    journal.remove()?;

    let mut stdout = anstream::stdout().lock();
    if args.json {
        write!(stdout, "{}", to_json(&results))?;
    } else {
        for line in describe_results(&results) {
            writeln!(stdout, "{line}")?;
        }
        write_places(&mut stdout, &out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what was embedded, if anything was.
pub(super) fn embedded(embeddings: Option<&Embeddings>) {
    if let Some(done) = embeddings {
        let texts = done.matrix.nrows();
        anstream::eprintln!(
            "{} texts embedded, {} taken from the cache, {} of all cut at the model's limit",
            texts - done.from_cache,
            done.from_cache,
            done.truncated
        );
    }
}

/// Says that an interrupted evaluation goes on.
pub(super) fn going_on(finished: usize) {
    if finished > 0 {
        anstream::eprintln!("going on after {finished} finished replicates of an interrupted run");
    }
}

/// Where to look first.
pub(super) fn write_places(stdout: &mut impl Write, out: &Path) -> Result<(), Error> {
    let (report, items) = (out.join(page::FILE), out.join("items.csv"));
    writeln!(stdout, "\nReport: {}\nAll items: {}", report.display(), items.display())?;
    Ok(())
}
