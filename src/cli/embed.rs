//! `embed`: items to a matrix of embeddings.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use super::options::ThreadsOption;
use super::{Error, progress::Bars, sentences};
use crate::cli::terminal::stdout;
use crate::familiarity::embedding::{
    DEFAULT_MODEL, Destination, EmbedderOptions, EmbeddingCache, ItemTexts, Model, Precision, Template, embed_texts,
};
use crate::formats::logs::LogRows;
use crate::study::input::source::{Source, read_table};

/// Embed the texts of items with a sentence model, on this machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty embed --items items.csv --text '{title}: {body}' --out embeddings.npy --cache cache")]
pub(super) struct Args {
    /// Items: CSV or TSV with a header, JSON Lines, Parquet or an XLSX workbook
    #[arg(long, value_name = "FILE")]
    items: PathBuf,
    /// Text of an item, such as "Premise: {premise}\nHypothesis: {hypothesis}"; {{ and }} mean braces
    #[arg(long, value_name = "TEMPLATE")]
    text: Template,
    /// Column with the items' ids
    #[arg(long, value_name = "COLUMN", default_value = "id")]
    id: String,
    /// Matrix to write (.npy, a row for each item); the ids go to FILE.ids.txt in the same folder
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write 16-bit floats instead of 32-bit ones
    #[arg(long)]
    half: bool,
    /// Directory of a sentence model (model.onnx, tokenizer.json, tokenizer_config.json, config.json)
    #[arg(long, value_name = "DIR", default_value = DEFAULT_MODEL)]
    model: String,
    /// Keep embeddings here, and embed only texts that are not there yet
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadsOption,
}

fn items(args: &Args) -> Result<ItemTexts, Error> {
    let Args { items: file, id, text, .. } = args;
    let table = read_table(std::slice::from_ref(file), None, Some(id), LogRows::Items, &mut Source::default())?;
    Ok(ItemTexts::new(&table, text)?)
}

/// Runs the command and prints what it did, in a sentence.
///
/// # Errors
/// Bad items, a model that cannot be used, files that cannot be written.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let items = items(args)?;
    let destination = Destination::check(&args.out, &[&args.items])?;
    let model = Model::find(&args.model)?;
    args.threads.start()?;
    let defaults = EmbedderOptions::default();
    let threads = NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(defaults.threads);
    let options = EmbedderOptions { threads, ..defaults };
    let mut embedder = sentences::start_with(model, options)?;
    let mut cache = args.cache.as_ref().map(|dir| EmbeddingCache::open(dir, embedder.as_ref())).transpose()?;
    let embeddings = embed_texts(embedder.as_mut(), &items.texts, cache.as_mut(), &Bars::default())?;
    let precision = if args.half { Precision::Half } else { Precision::Single };
    let ids = destination.write(&items.ids, embeddings.matrix.view(), precision)?;
    writeln!(
        stdout(),
        "{} items embedded in {} dimensions ({} from the cache; {} cut; {}): {}, {}",
        items.ids.len(),
        embeddings.matrix.ncols(),
        embeddings.from_cache,
        embeddings.truncated,
        embedder.settings(),
        args.out.display(),
        ids.display(),
    )?;
    Ok(ExitCode::SUCCESS)
}
