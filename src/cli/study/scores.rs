//! The commands of a study for real-valued scores.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::run::{Args as RunArgs, embedded, going_on};
use super::{labels, queue, register};
use crate::cli::progress::Bars;
use crate::cli::{Error, output_folder, threads};
use crate::escalation::Rule;
use crate::output::{Run, Staged, to_json};
use crate::report::latex::Templates;
use crate::report::scores::{describe_input, describe_results};
use crate::report::{figures, page, scores_page, study_bundle};
use crate::study::estimates::SelectionFile;
use crate::study::evaluation::Outcome;
use crate::study::hypothesis::Measure;
use crate::study::intake::{Intake, LabelLog, NewLabel, Rules};
use crate::study::queue::Ranked;
use crate::study::registered::{Registered, excluded_items};
use crate::study::registration::{Registration, Testable};
use crate::study::results::{FILE, StudyManifest};
use crate::study::scores::inputs::canonical;
use crate::study::scores::{ScoreDecomposition, ScoreResults, ScoreStudy, evaluation, results};
use crate::study::source::Source;
use crate::study::{Error as StudyError, output};

/// `study check`.
pub(super) fn check(path: &Path, json: bool) -> Result<ExitCode, Error> {
    let mut study = ScoreStudy::load(path)?;
    study.report.to_embed = study.to_embed()?;
    let mut stdout = anstream::stdout().lock();
    if json {
        write!(stdout, "{}", to_json(&study.report))?;
    } else {
        for line in describe_input(&study) {
            writeln!(stdout, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `study run`.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Error> {
    let start = Instant::now();
    let mut study = ScoreStudy::load(&args.study)?;
    if let Some(replicates) = args.replicates {
        study.file.config.evaluation.replicates = replicates;
        study.file.check_evaluation(&study.file.config.evaluation)?;
    }
    let out = args.out.clone().unwrap_or_else(|| study.file.resolve(Path::new("run")));
    let folder = output_folder(&out)?;
    if std::fs::read_dir(&out).is_ok_and(|mut entries| entries.next().is_some()) && !args.force {
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
    let decomposition = ScoreDecomposition::of(&study, &study.ratings, &progress)?;
    let mut journal = evaluation::journal(&out, &study)?;
    going_on(journal.finished());
    let evaluation = evaluation::evaluate(&study, Some(&mut journal), &progress)?;
    let registered = registration.map(|registration| {
        let measured = match &evaluation {
            Outcome::Evaluated(evaluation) => evaluation.measured.as_slice(),
            Outcome::NotEvaluated(_) => &[],
        };
        let excluded = excluded_items(&study.excluded, &study.items.ids);
        Registered::of(&registration, (&study.settings(), &study.relative_inputs()), excluded, measured)
    });
    let found = ScoreResults { registered, ..ScoreResults::new(&study, &decomposition, evaluation, &progress)? };
    let columns = results::columns(&study, &decomposition);
    let mut staged = Staged::default();
    staged.put("items.csv", output::to_csv(&columns));
    staged.put("items.parquet", output::to_parquet(&columns)?);
    staged.put("columns.csv", output::dictionary(&columns));
    staged.put(FILE, to_json(&found));
    let figures = figures::study::of_scores(&found);
    study_bundle::write(&templates, &html, &scores_page::page(&found, &figures), &figures, &mut staged)?;
    let sums = study.inputs.sums().clone();
    staged.seal(&mut StudyManifest::of(&study.file.config, &study.file.sha256, sums, Run::since(start)));
    folder.commit(&staged)?;
    journal.remove()?;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        write!(stdout, "{}", to_json(&found))?;
    } else {
        for line in describe_results(&found) {
            writeln!(stdout, "{line}")?;
        }
        super::run::write_places(&mut stdout, &out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `study register`.
pub(super) fn register(args: &register::Args) -> Result<ExitCode, Error> {
    let mut study = ScoreStudy::load(&args.study)?;
    let folder = study.file.resolve(Path::new(""));
    let testable = Testable {
        budgets: study.file.config.evaluation.budgets(),
        rules: Rule::FOR_SCORES.to_vec(),
        measures: &Measure::OF_SCORES,
        ids: &study.items.ids,
        groups: study.items.groups.as_deref(),
    };
    let registration = register::freeze(args, &folder, &testable, study.settings(), study.relative_inputs())?;
    study.excluded = registration.excluded(&study.items.ids, study.items.groups.as_deref());
    register::warn(evaluation::evaluated_items(&study))
}

/// `study queue`.
pub(super) fn queue(args: &queue::Args) -> Result<ExitCode, Error> {
    let mut study = ScoreStudy::load(&args.study)?;
    let place = queue::Place::check(args, &study.file.resolve(Path::new("queue")))?;
    let request = queue::request(args, study.file.config.seed);
    embedded(study.embed(&Bars::default())?.as_ref());
    let decomposition = ScoreDecomposition::of(&study, &study.ratings, &Bars::default())?;
    let ranked = Ranked::of_scores(&study, &decomposition, request.rule)?;
    queue::send(args, &ranked, &request, &place)
}

/// `study labels add`.
pub(super) fn add(args: &labels::Add) -> Result<ExitCode, Error> {
    let study = ScoreStudy::load(&args.study)?;
    let log = LabelLog::read(&study.file.resolve(Path::new("")), &mut Source::default())?;
    let mut intake = Intake::read(&args.file)?;
    log.check_new(&intake)?;
    let scale = study.file.config.scale;
    let known = study.ratings.known(&study.file, &study.items, &log);
    let rules = Rules { repeats: true, skip_known: args.skip_known };
    let check = |label: &NewLabel| canonical(label, scale);
    let fresh = intake.check(&study.items.ids, &study.items.file, check, &known, &rules)?;
    labels::append(&log, &intake, &fresh)
}

/// `study labels estimate`: the mean score over all items.
pub(super) fn estimate(args: &labels::Estimate) -> Result<ExitCode, Error> {
    let study = ScoreStudy::load(&args.study)?;
    let name = "mean_score".to_owned();
    let file = SelectionFile::read(&args.queue, &study.items.ids, &study.items.file, std::slice::from_ref(&name))?;
    let mut added = study.ratings.clone();
    added.rows.retain(|rating| rating.batch.is_some());
    let (scores, _) = added.scores(study.len());
    let observed: Vec<Option<f64>> = scores.iter().map(|s| (s.n > 0).then_some(s.mean)).collect();
    let estimate = file.estimate(&name, &observed, args.level).map_err(StudyError::from)?;
    labels::show(args, &[estimate])
}
