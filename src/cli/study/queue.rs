//! `study queue`: which items go to experts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::setup::{json, load, say_embedded, vacant_folder};
use crate::cli::options::{StudyOption, ThreadsOption};
use crate::cli::progress::Bars;
use crate::cli::{Error, sentences};
use crate::escalation::Rule;
use crate::report::study::Shown;
use crate::study::queue::ranked::{check_rule, usual_order};
use crate::study::queue::{Amount, LabelsPerItem, Order, Presentation, QueueRecord, Ranked, Request};
use crate::study::{Decomposition, Error as StudyError};

/// Rank the items under a rule and write those within the budget as a queue, as imports for Label Studio, Argilla,
/// Prodigy and doccano, and as a spreadsheet to fill in.
///
/// Annotators see the text and the question, not what the judge predicts, unless --with-suggestions is given.
/// `selection.csv` and `queue.json` are the record of the queue and not for annotators.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study queue --rule info --budget 10%
  judge-uncertainty study queue my-study --rule delta --budget 300 --labels-per-item greedy
  judge-uncertainty study queue my-study --until 'epistemic<0.05' --out my-study/queue-2
  judge-uncertainty study queue my-study --budget 200 --explore 0.1")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    #[arg(long, value_parser = str::parse::<Order>, help = rules())]
    rule: Option<Order>,
    /// How much is sent: a share of the items (10%) or a number (300); of labels with --labels-per-item greedy.
    #[arg(long, value_name = "N|N%", default_value = "10%", value_parser = budget, conflicts_with = "until")]
    budget: Amount,
    /// Send what it takes to bring the expected epistemic part of every item below a level.
    #[arg(long, value_name = "epistemic<X", value_parser = until)]
    until: Option<Amount>,
    /// Labels for each item, or `greedy`: one label at a time to the item that is worth it most.
    #[arg(long, value_name = "K|greedy", default_value = "1", value_parser = str::parse::<LabelsPerItem>)]
    labels_per_item: LabelsPerItem,
    /// Share of the budget that goes to items drawn at random, so that estimates for all items are possible.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    explore: Option<f64>,
    /// Rank by value per cost, with the costs of `items.cost`.
    #[arg(long, conflicts_with = "until")]
    per_cost: bool,
    /// Show annotators the judge's prediction; it anchors them, and the record says so.
    #[arg(long)]
    with_suggestions: bool,
    /// Put an apostrophe before cells of queue.csv that a spreadsheet would run as formulas, such as =HYPERLINK(...).
    #[arg(long)]
    escape_formulas: bool,
    /// Seed of the random share [default: that of the study].
    #[arg(long)]
    seed: Option<u64>,
    /// Folder to write [default: queue, beside the study.toml].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the queue that the folder holds.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Print the record as JSON instead of sentences.
    #[arg(long)]
    json: bool,
}

/// Help on the rules: their keys as the table of rules has them.
fn rules() -> String {
    let keys: Vec<&str> = Rule::those(|_| true).into_iter().map(Rule::key).collect();
    let (last, others) = keys.split_last().expect("there are rules");
    format!(
        "Rule that ranks [default: info; without labels cover, or random where there are no embeddings]: cover, {} or {last}",
        others.join(", ")
    )
}

fn budget(text: &str) -> Result<Amount, String> {
    match text.parse()? {
        Amount::Until { .. } => Err("give a level with --until, not with --budget".to_owned()),
        amount => Ok(amount),
    }
}

fn until(text: &str) -> Result<Amount, String> {
    match text.parse()? {
        until @ Amount::Until { .. } => Ok(until),
        _ => Err(format!("{text:?} is not a level such as epistemic<0.05")),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| format!("{text:?} is not a share above 0 and up to 1, such as 0.1"))
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed; the folder is then as it was.
pub(super) fn run<K: Shown>(args: &Args) -> Result<ExitCode, Error> {
    if args.per_cost && args.labels_per_item == LabelsPerItem::Greedy {
        return Err(StudyError::CostOfLabels.into());
    }
    let mut study = load::<K>(&args.study.path)?;
    let out = args.out.clone().unwrap_or_else(|| study.file.resolve(Path::new("queue")));
    let folder = vacant_folder::<QueueRecord>(&out, args.force, study.inputs.sums().keys())?;
    args.threads.start()?;
    let rule = args.rule.unwrap_or_else(|| usual_order(&study));
    check_rule(&study, rule)?;
    let request = Request {
        rule,
        amount: args.until.unwrap_or(args.budget),
        labels_per_item: args.labels_per_item,
        explore: args.explore,
        seed: args.seed.unwrap_or(study.file.config.seed),
    };
    say_embedded(study.embed(&sentences::start, &Bars::default())?.as_ref());
    let decomposition = Decomposition::new(&study, &Bars::default())?;
    let ranked = Ranked::new(&study, &decomposition, &request)?;
    let ranked = if args.per_cost { ranked.per_cost(request.rule)? } else { ranked };
    let show = Presentation { suggestions: args.with_suggestions, escape_formulas: args.escape_formulas };
    let (staged, record) = ranked.send(&request, show)?;
    folder.commit(&staged)?;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        write!(stdout, "{}", json(&record, &study))?;
    } else {
        describe(&mut stdout, &record, &out)?;
        if study.has_no_labels() && record.labels_per_item == "1" {
            writeln!(
                stdout,
                "Have each item labelled by two experts or more (--labels-per-item 2): single labels do not tell a \
                 judge that is ignorant from experts who disagree."
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(out: &mut impl Write, record: &QueueRecord, folder: &Path) -> std::io::Result<()> {
    writeln!(
        out,
        "{} of {} items are queued for {} labels, by the rule {} ({}).",
        record.queued, record.items, record.labels, record.rule, record.direction
    )?;
    let blind = if record.suggestions {
        "Annotators see the judge's prediction."
    } else {
        "Annotators do not see the judge's prediction."
    };
    writeln!(out, "Trust: {}.", record.trust)?;
    writeln!(out, "{blind}")?;
    writeln!(out, "Estimates for all items: {}.", record.estimates)?;
    writeln!(out, "\nThe queue: {}", folder.join("queue.csv").display())?;
    writeln!(out, "When labels are back: judge-uncertainty study labels add FILE")
}
