//! `neighbours`: the nearest neighbours of embedded items.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use super::familiarity::ENGINES;
use super::options::one_of;
use super::progress::Bars;
use super::{Error, say};
use crate::cli::terminal::table;
use crate::familiarity::neighbours::{Engine, IndexedItems, NeighbourLists, UnitRows};
use crate::familiarity::user_embeddings::read_identified;
use crate::system::formula::escaped;

/// List every item's nearest neighbours by cosine distance, as CSV.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty neighbours --embeddings embeddings.npy > neighbours.csv
  judge-uncertainty neighbours --embeddings embeddings.npy --engine hnsw --k 20 > neighbours.csv")]
pub(super) struct Args {
    /// Embeddings: .npy with the ids of its rows in the same folder (FILE.ids.txt, as `embed` writes them), or .csv with
    /// a column `id` and one column per dimension
    #[arg(long, value_name = "FILE")]
    embeddings: PathBuf,
    /// Neighbours of each item
    #[arg(long, value_name = "N", default_value = "10")]
    k: NonZeroUsize,
    /// How neighbours are found
    #[arg(long, value_parser = one_of(ENGINES), value_name = "ENGINE", default_value = "exact")]
    engine: Engine,
}

/// Runs the command.
///
/// # Errors
/// Embeddings that cannot be read.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let (ids, matrix) = read_identified(&args.embeddings)?;
    let rows = UnitRows::new(matrix.view())?;
    let k = args.k.get();
    let all = IndexedItems::all(rows.len());
    let engine = args.engine.over(rows, all, k, &Bars::default());
    say(format_args!("{}", engine.describe()));
    let lists = NeighbourLists::build(engine.as_ref(), k);
    let mut table = csv::Writer::from_writer(table());
    table.write_record(["id", "rank", "neighbour", "distance"]).map_err(cause)?;
    for (item, id) in ids.iter().enumerate() {
        for (rank, near) in (1..).zip(lists.of(item)) {
            let [id, neighbour] = [id, &ids[near.item]].map(|id| escaped(id).into_owned());
            let record = [id, rank.to_string(), neighbour, near.distance.to_string()];
            table.write_record(record).map_err(cause)?;
        }
    }
    table.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The system's error, by which a reader that closed the pipe is recognised.
fn cause(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}
