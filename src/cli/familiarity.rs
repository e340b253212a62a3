//! Where Experiment 2's embeddings and neighbours come from.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndarray::{Array2, ArrayView2};

use super::options::one_of;
use super::{Error, model_check, sentences};
use crate::artifact::Sums;
use crate::evaluation::list_width;
use crate::experiments::chaosnli::NEIGHBOURS;
use crate::familiarity::agreement::EmbeddingAgreement;
use crate::familiarity::embedding::{DEFAULT_MODEL, EmbedderOptions, EmbeddingError, Model, embed_texts};
use crate::familiarity::features::SelfNeighbour;
use crate::familiarity::neighbours::{Engine, IndexedItems, Neighbours, UnitRows};
use crate::familiarity::user_embeddings::read_chaosnli_texts;
use crate::formats::dataset::originals::{FOLDER, ORIGINALS};
use crate::formats::error::{Error as DataError, Place, Problem};
use crate::formats::items::ItemIds;
use crate::system::progress::{Progress, Silent};

/// So many texts are not worth packing a model's weights for.
const FEW: usize = 100;

/// An engine with the sums of the originals, and how it was made, in words.
type OpenedEngine = (Box<dyn Neighbours>, Sums, BTreeMap<String, String>);

/// Options about the familiarity channel of Experiment 2.
#[derive(Debug, Default, clap::Args)]
pub(super) struct FamiliarityArgs {
    /// Embed the sentences of this download of ChaosNLI instead of using the committed matrix of embeddings.
    #[arg(long, value_name = "DIR")]
    chaosnli: Option<PathBuf>,
    /// How neighbours are found; both engines give the same results [default: hnsw].
    #[arg(long, value_parser = one_of(ENGINES), value_name = "ENGINE")]
    neighbours: Option<Engine>,
    /// Whether a labelled item is its own neighbour, as published, or not; claims are not judged if not
    /// [default: published].
    #[arg(long, value_parser = one_of(SETTINGS), value_name = "SETTING")]
    familiarity: Option<SelfNeighbour>,
}

/// The engines of neighbours.
pub(super) const ENGINES: &[(&str, &str, Engine)] = &[
    ("hnsw", "Search a graph (hnsw_rs), whose lists are checked and repaired against all pairs", Engine::Hnsw),
    ("exact", "Compare all pairs", Engine::Exact),
];
const SETTINGS: &[(&str, &str, SelfNeighbour)] = &[
    ("published", "A labelled item is its own nearest labelled item, at distance 0", SelfNeighbour::Published),
    ("leave-one-out", "It is not", SelfNeighbour::LeaveOneOut),
];

impl FamiliarityArgs {
    /// An option that was given, whatever its value.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--chaosnli", self.chaosnli.is_some()),
            ("--neighbours", self.neighbours.is_some()),
            ("--familiarity", self.familiarity.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// Those that find neighbours by `engine`.
    pub(super) fn with_engine(engine: Engine) -> Self {
        Self { neighbours: Some(engine), ..Self::default() }
    }

    /// Whether results will be of another setting than the paper's.
    pub(super) fn leave_one_out(&self) -> bool {
        self.familiarity == Some(SelfNeighbour::LeaveOneOut)
    }
}

/// The familiarity channel of Experiment 2: the options, checked, with what they ask for read.
pub(super) struct FamiliarityChannel {
    /// The sentences.
    originals: Option<Vec<String>>,
    /// The folder of the sentence model, which embeds the sentences or is compared with committed embeddings.
    folder: PathBuf,
    /// The checked model, for its first user: it is large, and is dropped after use.
    model: Mutex<Option<Model>>,
    /// What became of holding the model against committed embeddings, where that was done in advance.
    held: Mutex<Option<Result<String, Error>>>,
    engine: Engine,
    /// Whether a labelled item is its own neighbour.
    pub(super) self_neighbour: SelfNeighbour,
}

impl FamiliarityChannel {
    /// Reads and checks what the options ask for.
    ///
    /// # Errors
    /// Originals that are missing or not the published ones, or belong to other items; a model that cannot be used.
    pub(super) fn check(args: &FamiliarityArgs, data: &Path, ids: &ItemIds) -> Result<Self, Error> {
        let originals = match &args.chaosnli {
            None => None,
            Some(dir) => {
                let items = read_chaosnli_texts(dir)?;
                if let Some((expected, found)) = ids.iter().zip(&items.ids).find(|(expected, found)| expected != found)
                {
                    let problem = Problem::IdOrder { found: found.clone(), expected: expected.to_owned() };
                    return Err(DataError::refused(Place::file(dir), problem).into());
                }
                Some(items.texts)
            }
        };
        let folder = data.join(Path::new(DEFAULT_MODEL).strip_prefix("data").unwrap_or(Path::new(DEFAULT_MODEL)));
        let model = Mutex::new(Some(Model::open(&folder)?));
        Ok(Self {
            originals,
            folder,
            model,
            held: Mutex::new(None),
            engine: args.neighbours.unwrap_or(Engine::Hnsw),
            self_neighbour: args.familiarity.unwrap_or(SelfNeighbour::Published),
        })
    }

    /// The engine asked for over other rows; an index is checked by lists of `width` neighbours.
    pub(super) fn engine(&self, rows: UnitRows, width: usize, progress: &dyn Progress) -> Box<dyn Neighbours> {
        let all = IndexedItems::all(rows.len());
        self.engine.over(rows, all, width, progress)
    }

    /// Holds the sentence model against committed embeddings in advance, if it is to be done at all: reading a model
    /// keeps one thread busy, and others may use the time. [`Self::open`] waits for the end.
    pub(super) fn prepare(&self) {
        if self.originals.is_none() {
            let mut held = self.held();
            *held = Some(self.hold(&Silent));
        }
    }

    fn held(&self) -> MutexGuard<'_, Option<Result<String, Error>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sentence model, which is read again where somebody took it before.
    fn model(&self) -> Result<Model, Error> {
        let checked = self.model.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(checked.map_or_else(|| Model::open(&self.folder), Ok)?)
    }

    /// Embeds the texts of an example and says how far they agree with their committed embeddings; a program without a
    /// runtime for the model says that this was left out.
    fn hold(&self, progress: &dyn Progress) -> Result<String, Error> {
        let (fresh, how) = match embed(&model_check::texts(), self.model()?, progress) {
            Err(Error::Embedding(EmbeddingError::NoRuntime)) => {
                return Ok(
                    "not compared with the committed embeddings: this program was built without the feature `onnx`"
                        .into(),
                );
            }
            other => other?,
        };
        Ok(format!("{} ({how})", model_check::agreement(fresh.view(), &self.folder)?))
    }

    /// Embeds the sentences, if they are there, or else the texts of an example, and makes the engine; returns it with
    /// the sums of the originals, and with how it was made, in words.
    ///
    /// # Errors
    /// A model that fails, or is not the one of the committed embeddings.
    pub(super) fn open(&self, committed: ArrayView2<f32>, progress: &dyn Progress) -> Result<OpenedEngine, Error> {
        let mut settings = BTreeMap::new();
        let mut put = |what: &str, fact: String| settings.insert(what.to_owned(), fact);
        let (rows, inputs) = match &self.originals {
            None => {
                let held = self.held().take();
                put("sentence model", held.unwrap_or_else(|| self.hold(progress))?);
                put("embeddings", "the committed 16-bit matrix of the data folder".into());
                (UnitRows::new(committed)?, Sums::new())
            }
            Some(texts) => {
                let (fresh, how) = embed(texts, self.model()?, progress)?;
                put("embeddings", format!("computed from the sentences: {how}"));
                let agreement = EmbeddingAgreement::new(fresh.view(), committed, NEIGHBOURS)?;
                put("agreement with the committed matrix", agreement.to_string());
                let sums = ORIGINALS.map(|(name, sum)| (format!("{FOLDER}/{name}"), sum.to_owned()));
                (UnitRows::new(fresh.view())?, Sums::from(sums))
            }
        };
        let engine = self.engine(rows, list_width(NEIGHBOURS), progress);
        put("neighbours", in_words(self.self_neighbour).to_owned());
        put("recall", engine.describe());
        Ok((engine, inputs, settings))
    }
}

/// What a manifest says of the neighbours of an item.
pub(super) fn in_words(self_neighbour: SelfNeighbour) -> &'static str {
    match self_neighbour {
        SelfNeighbour::Published => "by cosine distance; an item counts itself (published)",
        SelfNeighbour::LeaveOneOut => "by cosine distance; an item does not count itself (leave-one-out)",
    }
}

fn embed(texts: &[String], model: Model, progress: &dyn Progress) -> Result<(Array2<f32>, String), Error> {
    let default = EmbedderOptions::default();
    let threads = NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN).min(default.threads);
    // The few texts of the example are embedded sooner than weights are packed.
    let packed = texts.len() > FEW;
    let mut embedder = sentences::start_with(model, EmbedderOptions { threads, packed, ..default })?;
    let embeddings = embed_texts(embedder.as_mut(), texts, None, progress)?;
    Ok((embeddings.matrix, format!("{}; {} texts truncated", embedder.settings(), embeddings.truncated)))
}
