//! `study simulate`: the loop played on items whose labels are known.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::setup::{json, load, say_embedded, say_going_on, vacant_folder};
use crate::belief::BeliefModel;
use crate::cli::options::{StudyOption, ThreadsOption};
use crate::cli::progress::Bars;
use crate::cli::terminal::stdout;
use crate::cli::{Error, sentences};
use crate::report::bundle::put_figure;
use crate::report::study::{Shown, describe_simulation, simulation_figure};
use crate::study::evaluate::simulation::{Chooses, Game, Simulation, Start, journal};
use crate::study::queue::Amount;
use crate::study::queue::ranked::check_rule;
use crate::study::{Error as StudyError, Study};
use crate::system::Staged;

/// Play the loop on items that have many labels: which rule and belief come closest with how many labels.
///
/// In every round each policy queues items by what it knows, each gets one of its labels, and everything is fitted
/// again; the error is the distance to all labels of the item. An interrupted simulation goes on where it stopped.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty study simulate my-study
  judge-uncertainty study simulate my-study --rules random,epistemic,epistemic+0.2 --beliefs published,auto --seeds 9")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOption,
    /// Rules; `advice` is what `study queue` does by itself, `epistemic+0.2` draws a fifth at random. The first is what
    /// others are counted against.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "random,fewest_labels,epistemic,advice",
        value_parser = str::parse::<Chooses>
    )]
    rules: Vec<Chooses>,
    /// Beliefs, as `trust.belief` has them [default: that of the study].
    #[arg(long, value_delimiter = ',', value_parser = belief)]
    beliefs: Vec<(String, BeliefModel)>,
    /// Rounds of queue and labels.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Items that get a label in a round, or things where items.item is set: a share (5%) or a number (50).
    #[arg(long, value_name = "N|N%", default_value = "5%", value_parser = super::queue::budget)]
    batch: Amount,
    /// Times that everything is played, with other labels drawn.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    seeds: u16,
    /// Begin with the labels of the items that have too few to be played with, rather than without any.
    #[arg(long)]
    with_labels: bool,
    /// First seed [default: that of the study].
    #[arg(long)]
    seed: Option<u64>,
    /// Folder to write [default: simulation, beside the study.toml].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the simulation that the folder holds.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

fn belief(text: &str) -> Result<(String, BeliefModel), String> {
    let name: StrDeserializer<'_, ValueError> = text.into_deserializer();
    BeliefModel::deserialize(name).map(|model| (text.to_owned(), model)).map_err(|error| error.to_string())
}

/// Runs the command on a study of one kind.
///
/// # Errors
/// Anything refused or failed; the folder is then as it was.
pub(super) fn run<K: Shown>(args: &Args) -> Result<ExitCode, Error> {
    let study = load::<K>(&args.study.path)?;
    let out = args.out.clone().unwrap_or_else(|| study.file.resolve(Path::new("simulation")));
    let folder = vacant_folder::<Simulation>(&out, args.force, study.inputs.sums().keys())?;
    for rule in args.rules.iter().filter_map(|chooses| chooses.rule) {
        check_rule(&study, rule.into())?;
    }
    args.threads.start()?;
    let progress = Bars::default();
    let mut studies: Vec<(String, Study<K>)> = vec![];
    for (name, model) in &args.beliefs {
        studies.push((name.clone(), Study::load_under(&args.study.path, *model)?));
    }
    let seed = args.seed.unwrap_or(study.file.config.seed);
    if studies.is_empty() {
        studies.push((name_of(&study.file.config.trust.belief), study));
    }
    for (_, study) in &mut studies {
        say_embedded(study.embed(&sentences::start, &progress)?.as_ref());
    }
    let start = if args.with_labels { Start::Hand } else { Start::Cold };
    let game = Game::new(&studies, &args.rules, (usize::from(args.rounds), args.batch), start, seed)?;
    let mut journal = journal(&out, &game)?;
    say_going_on(&journal);
    let wanted = usize::from(args.seeds) * game.policies.len();
    let courses = journal.complete("loops", wanted, |number| game.course(number), &progress)?;
    let mut simulation = Simulation::new(&game, &courses);
    let mut staged = Staged::default();
    staged.put("simulation.csv", simulation.csv());
    staged.put("differences.csv", simulation.differences_csv());
    put_figure("figures", &simulation_figure::<K>(&simulation), &mut staged)?;
    staged.seal(&mut simulation);
    folder.commit(&staged)?;
    journal.remove().map_err(StudyError::from)?;
    let mut stdout = stdout();
    if args.json {
        write!(stdout, "{}", json(&simulation, game.study()))?;
    } else {
        for line in describe_simulation(&simulation) {
            writeln!(stdout, "{}", line.text())?;
        }
        writeln!(stdout, "\nAll rounds: {}", out.join("simulation.csv").display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A belief's name as a configuration has it.
fn name_of(model: &BeliefModel) -> String {
    match serde_json::to_value(model) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(table)) => {
            let name = table.into_iter().next().map(|(name, of)| if name == "map" { of } else { name.into() });
            name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
        }
        _ => String::new(),
    }
}
