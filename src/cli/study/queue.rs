//! `study queue`: which items go to experts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::setup::{json, load, note_elsewhere, say_embedded, vacant_folder};
use crate::cli::options::{ResultOptions, StudyOption, ThreadsOption, named};
use crate::cli::progress::Bars;
use crate::cli::terminal::stdout;
use crate::cli::{Error, say, sentences};
use crate::escalation::Rule;
use crate::report::study::{Line, QueueAnswer, queue_answer};
use crate::study::findings::plan::LabelPlan;
use crate::study::findings::{ASSUMED, REPLACED};
use crate::study::queue::files::QUEUES_ELSEWHERE;
use crate::study::queue::ranked::check_rule;
use crate::study::queue::{Amount, Order, Purpose, QueueRecord, QueueRequest, Ranked, queued};
use crate::study::results::run::LastRun;
use crate::study::{Decomposition, Study};

/// Rank the items under a rule and write those within the budget as a queue, as imports for Label Studio, Argilla,
/// Prodigy and doccano, and as a spreadsheet to fill in.
///
/// Annotators see the text and the question, not what the judge predicts, unless --with-suggestions is given.
/// `selection.csv` and `queue.json` are the record of the queue and not for annotators.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study queue my-study --for errors
  judge-uncertainty study queue my-study --until rate+-3
  judge-uncertainty study queue --rule epistemic --budget 10%
  judge-uncertainty study queue my-study --budget 200 --explore 0.1")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// What the labels are for: items, to know every item [default]; errors, to find the judge's mistakes; rate, to narrow
    /// the rate over all items.
    #[arg(long = "for", value_name = "PURPOSE", hide_possible_values = true, help_heading = "Which items")]
    #[arg(value_parser = named(str::parse::<Purpose>, vec!["items", "errors", "rate"]))]
    purpose: Option<Purpose>,
    #[arg(long, help = rules(), hide_possible_values = true, help_heading = "Which items")]
    #[arg(value_parser = named(str::parse::<Order>, rule_names()))]
    #[arg(conflicts_with = "purpose")]
    rule: Option<Order>,
    /// How much is sent: a share of the items (10%) or a number (300).
    #[arg(long, value_name = "N|N%", default_value_t = Amount::DEFAULT, help_heading = "Which items")]
    #[arg(value_parser = budget, conflicts_with = "until")]
    budget: Amount,
    /// Send enough items to know the rate to ±3 points (of numbers, units of their scale): rate±3 or rate+-3.
    #[arg(long, value_name = "rate±X", value_parser = until, help_heading = "Which items")]
    until: Option<f64>,
    /// Labels for each item, 1 to 1000 [default: 1; before the first label 2].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Which items")]
    labels_per_item: Option<u32>,
    /// Share of the budget that goes to items drawn at random, so that estimates for all items are possible; 0 for none
    /// [default: where no rule is named a tenth, and two items at least; none otherwise].
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Which items")]
    explore: Option<f64>,
    /// Show annotators the judge's prediction; it anchors them, and the queue's record notes it.
    #[arg(long, help_heading = "Files")]
    with_suggestions: bool,
    /// Seed of the random share [default: that of the study].
    #[arg(long, help_heading = "Which items")]
    seed: Option<u64>,
    /// Folder to write [default: queue, next to the study.toml].
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    out: Option<PathBuf>,
    /// Replace the queue that the folder holds.
    #[arg(long, help_heading = "Files")]
    force: bool,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    result: ResultOptions,
}

/// Help on the rules: their names as the table of rules has them.
fn rule_names() -> Vec<&'static str> {
    std::iter::once("likely_errors").chain(Rule::those(|_| true).into_iter().map(Rule::name)).collect()
}

fn rules() -> String {
    let names = rule_names();
    let (last, others) = names.split_last().expect("there are rules");
    format!("Rule that ranks [default: fewest_labels; before the first label random]: {} or {last}", others.join(", "))
}

pub(in crate::cli) fn budget(text: &str) -> Result<Amount, String> {
    text.parse()
}

/// Half the width of the rate's interval that is to be reached, in points of a hundred (of numbers, in units of their scale).
fn until(text: &str) -> Result<f64, String> {
    let half = text.strip_prefix("rate").map(|half| half.trim_start_matches('±').trim_start_matches("+-"));
    half.map_or_else(|| Err(format!("{text:?} is not a half width such as rate±3")), super::plan::target)
}

/// The labels that a rate needs to be known this precisely; `None` if it already is.
///
/// # Errors
/// The labels cannot determine the number, or all items together are too few.
fn needed(study: &Study, half: f64) -> Result<Option<usize>, Error> {
    let plan = LabelPlan::of_study(study, Some(half));
    if plan.is_assumed {
        say(format_args!("{ASSUMED} {REPLACED}"));
    }
    if plan.missing > 0 {
        let says = format!("a queue waits for {} labels, which come first: add them, then ask again", plan.missing);
        return Err(Error::NoPlan { says });
    }
    match plan.figures.first().and_then(|rate| rate.needed) {
        Some(0) => Ok(None),
        Some(needed) => Ok(Some(needed)),
        None => {
            let rate = plan.figures.first().filter(|rate| rate.not_estimable.is_some());
            let says = rate.map(|rate| {
                let labelled = plan.labelled;
                format!(
                    "{} is not estimable (labelled items: {labelled}): take --rule random --budget 30 first",
                    rate.what
                )
            });
            Err(Error::NoPlan { says: says.or_else(|| plan.sentence()).unwrap_or_default() })
        }
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("{text:?} is not a share from 0 to 1, such as 0.1"))
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed; the folder is then as it was.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let mut study = load(&args.study.path)?;
    let out = args.out.clone().unwrap_or_else(|| study.file.resolve(Path::new("queue")));
    let folder = vacant_folder::<QueueRecord>(&out, args.force, study.inputs.sums().keys())?;
    args.threads.start()?;
    let amount = match args.until {
        None => args.budget,
        Some(half) => match needed(&study, half)? {
            Some(labels) => Amount::Number(labels),
            None => {
                let sentence = LabelPlan::of_study(&study, Some(half)).sentence().unwrap_or_default();
                writeln!(stdout(), "Nothing to queue. {sentence}")?;
                return Ok(ExitCode::SUCCESS);
            }
        },
    };
    let advised = advised(args, &study, amount);
    check_rule(&study, advised.rule)?;
    if args.until.is_some() && !advised.rule.draws_unlabelled() && advised.rule != Order::By(Rule::Random) {
        let ranked = advised.rule.words();
        let says = format!("a queue by {ranked} tells nothing of the other items, so the rate stays as wide as it is");
        return Err(Error::NoPlan { says: format!("{says}: take --until without --for and --rule, or --budget") });
    }
    let request = QueueRequest {
        labels_per_item: args.labels_per_item.unwrap_or(advised.labels_per_item),
        explore: args.explore.or(advised.explore).filter(|share| *share > 0.0),
        seed: args.seed.unwrap_or(advised.seed),
        ..advised
    };
    let last_run = LastRun::find(&study)?;
    let known = last_run.as_ref().map(|run| run.decomposition(&study)).transpose()?.flatten();
    if known.is_none() {
        say_embedded(study.embed(&sentences::start, &Bars::default())?.as_ref());
    }
    let decomposition = known.map_or_else(|| Decomposition::new(&study, &Bars::default()), Ok)?;
    let ranked = Ranked::new(&study, &decomposition, &request)?;
    if let Some(text) = ranked.hardly_ranks(request.rule) {
        say(format_args!("{text}"));
    }
    let (staged, record) = ranked.send(&request, args.with_suggestions)?;
    let means = "how the items of its labels were chosen will count as unknown";
    note_elsewhere(&study.file.folder(), QUEUES_ELSEWHERE, &out, means)?;
    folder.commit(&staged)?;
    let folder_of_study = args.study.path.display().to_string();
    let queued = QueueAnswer {
        record: &record,
        first: queued(staged.text("queue.jsonl").unwrap_or_default()).take(3).map(|(id, _)| id).collect(),
        folder: &out.display().to_string(),
        study: &folder_of_study,
        asked: amount.among(study.len()),
    };
    let details = || Ok(record.files.iter().map(|file| Line::Row(out.join(file).display().to_string())).collect());
    args.result.show(|| json(&record, &study), &queue_answer(&queued)?, details)
}

/// The rule, and the share drawn at random that goes with it: what is asked for, or what is advised.
fn advised(args: &Args, study: &Study, amount: Amount) -> QueueRequest {
    let advised = QueueRequest::advised(study, amount);
    if let Some(rule) = args.rule {
        return QueueRequest { rule, explore: None, ..advised };
    }
    match args.purpose.or_else(|| args.until.map(|_| Purpose::Rate)) {
        Some(purpose) => advised.with_purpose(purpose, study.len()),
        None => advised,
    }
}
