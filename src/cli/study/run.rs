//! `study run`: decompose, rank, evaluate, write.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use super::setup::{load, say_embedded, say_going_on, vacant_folder};
use crate::cli::options::{ResultOptions, StudyOption, TemplatesOption, ThreadsOption};
use crate::cli::progress::Bars;
use crate::cli::{Error, say, sentences};
use crate::evaluation::Journal;
use crate::formats::output;
use crate::report::latex::Templates;
use crate::report::study::cards::Cards;
use crate::report::study::{answer, bundle, describe, figures};
use crate::report::{self, page};
use crate::study::belief_file::{self, BeliefFile};
use crate::study::evaluate::{Replicate, journal};
use crate::study::findings::Answer;
use crate::study::findings::condition::{Condition, Holds};
use crate::study::findings::next::FOLDER;
use crate::study::input::judge::JudgeFiles;
use crate::study::queue::{Amount, QueueRequest, Ranked};
use crate::study::registration::Registration;
use crate::study::results::columns::{MOST_IN_CSV, columns};
use crate::study::results::{FILE, StudyManifest};
use crate::study::{Decomposition, Error as StudyError, Study, StudyResults, evaluate};
use crate::system::{FileError, Run, Staged, read, to_json};

/// Fit the belief, and write the answer as a report and tables.
///
/// The uncertainty about every item is decomposed, the items are ranked under every rule, and the judge and the rules
/// are evaluated where labels suffice. An interrupted run goes on where its evaluation stopped. Exit status: 0 when
/// done, 10 or 11 by --fail-if, 2 when input, arguments or the run folder are refused, 1 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study run
  judge-uncertainty study run my-study --out my-study/run-2
  judge-uncertainty study run my-study --force --json | jq .fit.typical_trust")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// Run folder to write [default: run, next to the study.toml].
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub(super) out: Option<PathBuf>,
    /// Replace the run that the folder holds.
    #[arg(long, help_heading = "Files")]
    pub(super) force: bool,
    /// Replicates of the evaluation, in place of those of the study.toml; 0 for none.
    #[arg(long, value_name = "N")]
    pub(super) replicates: Option<usize>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Say how many labels the figures need: 3 for ±3 points (of numbers, in units of their scale).
    #[arg(long, value_name = "POINTS", value_parser = super::plan::target)]
    target: Option<f64>,
    /// End with status 10 if a finding lies below or above a number, 11 if the labels leave that open: kappa<0.6.
    #[arg(long, value_name = "FINDING<NUMBER", value_parser = Condition::limit)]
    fail_if: Option<Condition>,
    #[command(flatten)]
    templates: TemplatesOption,
    /// Leave the texts of the items out of the report, where they must not leave their place.
    #[arg(long, help_heading = "Files")]
    pub(super) no_texts: bool,
    #[command(flatten)]
    result: ResultOptions,
}

impl Args {
    /// A study and how its results are shown, and nothing else.
    pub(super) fn new(
        path: PathBuf,
        (target, fail_if): (Option<f64>, Option<Condition>),
        result: ResultOptions,
    ) -> Self {
        Self {
            study: StudyOption { path },
            out: None,
            force: false,
            replicates: None,
            threads: ThreadsOption::default(),
            templates: TemplatesOption::default(),
            no_texts: false,
            target,
            fail_if,
            result,
        }
    }
}

/// Says that the run that is replaced belongs to another judge, for trust is bound to the judge that it was fitted to.
///
/// # Errors
/// The results of that run can't be read.
fn say_changed_judge(out: &Path, judge: &JudgeFiles) -> Result<(), Error> {
    /// The only part of the results that is kept in memory.
    #[derive(serde::Deserialize)]
    struct Before {
        input: Input,
    }
    #[derive(serde::Deserialize)]
    struct Input {
        judge_files: JudgeFiles,
    }
    let file = out.join(FILE);
    let before = read::bytes_if_there(&file).map_err(FileError::at(&file, "reading"))?;
    let before: Option<Before> = before.and_then(|text| serde_json::from_slice(&text).ok());
    if let Some(what) = before.and_then(|before| judge.differs(&before.input.judge_files)) {
        say(format_args!(
            "{}: the judge changed since the run that this replaces ({what}), so the numbers of the two runs differ for \
             that reason, too",
            out.display()
        ));
    }
    Ok(())
}

/// What a run makes: its results and the files of its folder.
pub(in crate::cli) struct Made {
    pub(in crate::cli) results: StudyResults,
    pub(in crate::cli) staged: Staged,
    /// The queue that follows, where it was asked for.
    pub(in crate::cli) queue: Option<Staged>,
    journal: Journal<Replicate>,
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed; the run folder is then as it was.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    // Everything that can be refused is refused here, before any work.
    let mut study = load(&args.study.path)?;
    if let Some(replicates) = args.replicates {
        study.file.set_replicates(replicates)?;
    }
    let out = args.out.clone().unwrap_or_else(|| study.file.resolve(Path::new(RUN)));
    // The study's own run folder holds nothing but what this command made of the study.
    let force = args.force || args.out.is_none();
    let folder = vacant_folder::<StudyManifest>(&out, force, study.inputs.sums().keys())?;
    let looks = (args.templates.folder.as_deref(), !args.no_texts);
    known(&study, args.fail_if.as_ref())?;
    args.threads.start()?;
    let Made { results, staged, journal, .. } = make(study, &out, (None, args.target), looks)?;
    folder.commit(&staged)?;
    journal.remove().map_err(StudyError::from)?;
    let (study, run) = (args.study.path.display().to_string(), out.display().to_string());
    args.result.show(|| to_json(&results), &answer(&results, &study, &run)?, || describe(&results))?;
    Ok(ExitCode::from(status(&results.answer, args.fail_if.as_ref(), "")))
}

/// Refuses what is asked of no finding of a study, by `--fail-if` or `trust.at_least`, before any work.
///
/// # Errors
/// The study has no such finding.
pub(in crate::cli) fn known(study: &Study, condition: Option<&Condition>) -> Result<(), Error> {
    let asked = condition.map(|condition| (&condition.finding, &condition.number));
    let asked: Vec<(&String, &f64)> = asked.into_iter().chain(&study.file.config.trust.at_least).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let answer = Answer::of_labels(study);
    for (id, number) in asked {
        if !answer.ids().any(|known| known == id) {
            return Err(Error::NoFinding { finding: id.clone(), ids: answer.ids().collect::<Vec<_>>().join(", ") });
        }
        let (least, most) = answer.range_of(id);
        if !(least..=most).contains(number) {
            return Err(Error::Beyond { finding: id.clone(), number: *number, least, most });
        }
    }
    Ok(())
}

/// The exit status that a condition asks for: 0 where it does not hold, 10 where it does, 11 where that is open; the last two
/// with the reason, which begins with the name of what was `judged`.
pub(in crate::cli) fn status(answer: &Answer, condition: Option<&Condition>, judged: &str) -> u8 {
    let Some(condition) = condition else { return 0 };
    let (status, is) = match condition.holds(answer.found(&condition.finding)) {
        Holds::No => return 0,
        Holds::Yes => (10, "holds"),
        Holds::Open => (11, "is open"),
    };
    let found = answer.finding(&condition.finding).map_or("there is no such finding", |finding| &finding.says);
    let judged = if judged.is_empty() { String::new() } else { format!("{judged}: ") };
    say(format_args!("{judged}{condition} {is}: {found}."));
    status
}

/// Name of the folder of a study's run.
pub(in crate::cli) const RUN: &str = "run";

/// Fits the belief and makes everything that a run folder holds; `out` is that folder. The queue that follows is made
/// where its amount is asked for, and else planned; the page has `texts` if they may leave their place.
///
/// # Errors
/// Anything refused or failed.
pub(in crate::cli) fn make(
    mut study: Study,
    out: &Path,
    (queued, target): (Option<Amount>, Option<f64>),
    (folder, texts): (Option<&Path>, bool),
) -> Result<Made, Error> {
    let start = Instant::now();
    let templates = Templates::load(folder)?;
    let html = page::PageTemplates::load(folder)?;
    let registration = Registration::load(&study.file.folder()).map_err(StudyError::from)?;
    let progress = Bars::default();
    say_embedded(study.embed(&sentences::start, &progress)?.as_ref());
    let decomposition = Decomposition::new(&study, &progress)?;
    let mut journal = journal(out, &study)?;
    say_going_on(&journal);
    let evaluation = evaluate(&study, Some(&mut journal), &progress)?;
    let amount = queued.unwrap_or(Amount::DEFAULT);
    let planned = (amount, target);
    let mut results = StudyResults::new(&study, &decomposition, evaluation, registration.as_ref(), planned, &progress)?;
    let mut queue = None;
    if let (Some(_), Some(planned)) = (queued, &mut results.answer.next) {
        let request = QueueRequest::advised(&study, amount);
        let (files, _) = Ranked::new(&study, &decomposition, &request)?.send(&request, false)?;
        queue = Some(files);
        planned.folder = Some(FOLDER.to_owned());
    }

    say_changed_judge(out, &results.input.judge_files)?;
    let mut staged = Staged::default().waiting_beside(out);
    staged.put(FILE, to_json(&results));
    let (belief, reference) = BeliefFile::new(&study, &decomposition);
    staged.put(belief_file::FILE, belief.text());
    if let Some(reference) = reference {
        staged.put(belief_file::REFERENCE_FILE, reference);
    }
    // The table of items takes as much memory as the embeddings, which nobody needs any more.
    study.embeddings = None;
    let first: Vec<&str> =
        results.answer.next.iter().flat_map(|next| &next.first).map(|pick| pick.id.as_str()).collect();
    let cards = Cards::new(&study, &decomposition, texts, &first);
    {
        let columns = columns(&study, &decomposition);
        if results.input.items <= MOST_IN_CSV {
            let csv = staged.write("items.csv", |to| output::write_csv(&columns, to));
            csv.map_err(FileError::at(out, "writing"))?;
        }
        let parquet = staged.write("items.parquet", |to| output::write_parquet(&columns, to));
        parquet.map_err(StudyError::Parquet)?;
        staged.put("columns.csv", output::dictionary(&columns));
    }
    let figures = figures(&results)?;
    let mut manifest = StudyManifest::new(&study, Run::since(start));
    // The page takes as much memory as both.
    drop((study, decomposition));
    bundle::write(&templates, &html, &report::study::page(&results, &cards, &figures)?, &figures, &mut staged)?;
    manifest.run = Run::since(start);
    staged.seal(&mut manifest);
    Ok(Made { results, staged, queue, journal })
}

impl Made {
    /// Removes what would let an interrupted evaluation go on; it is done.
    ///
    /// # Errors
    /// It can't be removed.
    pub(in crate::cli) fn finish(self) -> Result<StudyResults, Error> {
        self.journal.remove().map_err(StudyError::from)?;
        Ok(self.results)
    }
}
