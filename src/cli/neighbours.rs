//! `neighbours`: the nearest neighbours of embedded items.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::familiarity::EngineName;
use super::progress::Bars;
use super::{Error, say};
use crate::cli::terminal::table;
use crate::familiarity::neighbours::saved::IndexError;
use crate::familiarity::neighbours::{Engine, Hnsw, HnswSettings, IndexedItems, NeighbourLists, Neighbours, UnitRows};
use crate::study::input::vectors::read_identified;

/// What a saved index says about where its embeddings come from; its data sum tells one matrix from another.
const MODEL: &str = "a matrix of the user";

/// List every item's nearest neighbours by cosine distance, as CSV.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty neighbours --embeddings embeddings.npy > neighbours.csv
  judge-uncertainty neighbours --embeddings embeddings.npy --index index --k 20 > neighbours.csv")]
pub(super) struct Args {
    /// Embeddings: .npy with the ids of its rows beside it (FILE.ids.txt, as `embed` writes them), or .csv with a
    /// column `id` and one column per dimension
    #[arg(long, value_name = "FILE")]
    embeddings: PathBuf,
    /// Neighbours of each item
    #[arg(long, value_name = "N", default_value = "10")]
    k: NonZeroUsize,
    /// How neighbours are found
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "exact")]
    engine: EngineName,
    /// Use the HNSW index saved in this folder, or build it and save it there; an index of other embeddings or another
    /// --k is refused
    #[arg(long, value_name = "DIR", conflicts_with = "engine")]
    index: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Embeddings that cannot be read, an index that is stale, damaged or cannot be saved.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let (ids, matrix) = read_identified(&args.embeddings)?;
    let rows = UnitRows::new(matrix.view())?;
    let k = args.k.get();
    let engine: Box<dyn Neighbours> = match &args.index {
        None => {
            let all = IndexedItems::all(rows.len());
            Engine::from(args.engine).over(rows, all, k, &Bars::default()).expect("a width of at least 1")
        }
        Some(folder) => Box::new(load_or_save(folder, rows, k)?),
    };
    say(format_args!("{}", engine.describe()));
    let lists = NeighbourLists::build(engine.as_ref(), k);
    let mut table = csv::Writer::from_writer(table());
    table.write_record(["id", "rank", "neighbour", "distance"]).map_err(cause)?;
    for (item, id) in ids.iter().enumerate() {
        for (rank, near) in (1..).zip(lists.of(item)) {
            let record = [id, &format!("{rank}"), &ids[near.item], &format!("{}", near.distance)];
            table.write_record(record).map_err(cause)?;
        }
    }
    table.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What the system said: a reader that closed the pipe is told from other errors by it.
fn cause(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

fn load_or_save(folder: &Path, rows: UnitRows, k: usize) -> Result<Hnsw, IndexError> {
    let settings = HnswSettings { checked_width: k, ..HnswSettings::default() };
    match Hnsw::load(folder, rows.clone(), MODEL, &settings) {
        Err(error) if error.is_unfinished() || matches!(error, IndexError::Absent { .. }) => {
            if error.is_unfinished() {
                say(format_args!(
                    "note: {}: was left by an interrupted run; the index is built again",
                    folder.display()
                ));
            }
            let index = Hnsw::build(rows, settings, &Bars::default()).expect("settings within their ranges");
            index.save(folder, MODEL)?;
            Ok(index)
        }
        loaded => loaded,
    }
}
