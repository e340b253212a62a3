//! A sentence model on disk: its files, checked, and what they say about it.

use std::path::{Path, PathBuf};

use fastembed::{Pooling, TokenizerFiles};
use judge_uncertainty_familiarity::embedding::EmbeddingError;
use judge_uncertainty_formats::checksum::hex;
use judge_uncertainty_system::installed::installed;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tract_onnx::pb::GraphProto;
use tract_onnx::prelude::Framework;

/// The model that comes with the program, by its name among the program's files ([`installed()`]).
pub const DEFAULT_MODEL: &str = "data/models/all-MiniLM-L6-v2";

/// Most models' own limit, for those that do not state one.
const DEFAULT_MAX_TOKENS: u64 = 512;

/// A sentence model: an ONNX encoder, its tokenizer and its settings.
#[derive(Debug, Clone)]
pub struct Model {
    /// The ONNX file.
    pub path: PathBuf,
    /// Texts are cut after this many tokens, the special ones at both ends included.
    pub max_tokens: usize,
    /// How token vectors become one: their mean, or the vector of the first token.
    pub pooling: Pooling,
    /// SHA-256 over the names and hashes of all files that determine the embeddings.
    pub hash: String,
    /// Quantised while it runs, with a scale taken from the whole batch: texts must then be embedded one by one.
    pub(super) batch_dependent: bool,
    pub(super) onnx: Vec<u8>,
    pub(super) tokenizer: TokenizerFiles,
}

impl Model {
    /// Opens the directory that a user names; [`DEFAULT_MODEL`] is found wherever the program is installed.
    ///
    /// # Errors
    /// Those of [`Model::open`]; a name that is no directory.
    pub fn find(model: &str) -> Result<Self, EmbeddingError> {
        let dir = if model == DEFAULT_MODEL { installed(model) } else { PathBuf::from(model) };
        if dir.is_dir() { Self::open(&dir) } else { Err(EmbeddingError::ModelName { name: model.to_owned() }) }
    }

    /// Opens a model's directory as sentence-transformers lays it out.
    ///
    /// | file | |
    /// |---|---|
    /// | `model.onnx` or `onnx/model.onnx` | inputs `input_ids`, `attention_mask`, perhaps `token_type_ids` |
    /// | `tokenizer.json`, `tokenizer_config.json`, `config.json` | needed |
    /// | `special_tokens_map.json` | read if there |
    /// | `sentence_bert_config.json` | `max_seq_length`; without it the model's positions count, at most 512 |
    /// | `1_Pooling/config.json` | mean or first token; without it the mean |
    /// | `SHA256SUMS` | if there, every file it lists must match |
    ///
    /// # Errors
    /// A file that is missing, damaged or unreadable; a graph with other inputs; a tokenizer with more tokens than the
    /// model embeds; another way of pooling.
    pub fn open(dir: &Path) -> Result<Self, EmbeddingError> {
        let onnx = ["model.onnx", "onnx/model.onnx"];
        let onnx = onnx.into_iter().find(|name| dir.join(name).is_file()).unwrap_or(onnx[0]);
        let mut files = Files { dir, sums: read_sums(dir)?, hash: Sha256::new() };
        let path = dir.join(onnx);
        let onnx = files.need(onnx)?;
        let tokenizer = TokenizerFiles {
            tokenizer_file: files.need("tokenizer.json")?,
            config_file: files.need("config.json")?,
            special_tokens_map_file: files.read("special_tokens_map.json")?.unwrap_or_else(|| b"{}".to_vec()),
            tokenizer_config_file: files.need("tokenizer_config.json")?,
        };
        let config = files.json("config.json", &tokenizer.config_file)?;
        let limits = [
            files.settings("sentence_bert_config.json")?["max_seq_length"].as_f64(),
            config["max_position_embeddings"].as_f64(),
            files.json("tokenizer_config.json", &tokenizer.tokenizer_config_file)?["model_max_length"].as_f64(),
        ];
        let limit = limits.into_iter().flatten().fold(f64::INFINITY, f64::min);
        let max_tokens = if limit.is_finite() { limit as u64 } else { DEFAULT_MAX_TOKENS };
        let pooling = files.pooling()?;

        let graph = read_graph(&path, &onnx)?;
        check_inputs(&path, &graph)?;
        let tokens = files.json("tokenizer.json", &tokenizer.tokenizer_file)?;
        let rows = embedding_rows(&graph).or_else(|| config["vocab_size"].as_u64());
        if let (Some(highest), Some(rows)) = (highest_token(&tokens), rows)
            && highest >= rows
        {
            let path = dir.join("tokenizer.json");
            return Err(EmbeddingError::TokenizerMismatch { path, highest, rows });
        }
        Ok(Self {
            max_tokens: max_tokens as usize,
            pooling,
            hash: hex(&files.hash.finalize()),
            batch_dependent: graph.node.iter().any(|node| node.op_type.starts_with("DynamicQuant")),
            path,
            onnx,
            tokenizer,
        })
    }
}

/// Reads the files of one directory, checks them and takes their hashes together.
struct Files<'a> {
    dir: &'a Path,
    /// Expected hash and name, from `SHA256SUMS`.
    sums: Vec<(String, String)>,
    hash: Sha256,
}

impl Files<'_> {
    /// A file that may be missing.
    fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, EmbeddingError> {
        let path = self.dir.join(name);
        let expected = self.sums.iter().find(|(_, listed)| listed == name).map(|(sum, _)| sum);
        if !path.is_file() {
            return match expected {
                Some(_) => Err(missing(self.dir, name)),
                None => Ok(None),
            };
        }
        let content = std::fs::read(&path).map_err(EmbeddingError::read(&path))?;
        let found = hex(&Sha256::digest(&content));
        if let Some(expected) = expected.filter(|&expected| *expected != found) {
            let expected = expected.clone();
            return Err(EmbeddingError::ModelDamaged { path, expected, found });
        }
        self.hash.update(format!("{found}  {name}\n"));
        Ok(Some(content))
    }

    /// A file that must be there.
    fn need(&mut self, name: &str) -> Result<Vec<u8>, EmbeddingError> {
        self.read(name)?.ok_or_else(|| missing(self.dir, name))
    }

    fn json(&self, name: &str, content: &[u8]) -> Result<Value, EmbeddingError> {
        serde_json::from_slice(content).map_err(|e| EmbeddingError::ModelFile {
            path: self.dir.join(name),
            problem: format!("not JSON ({e}); place the file that was published with the model"),
        })
    }

    /// The content of a settings file, null if it is missing.
    fn settings(&mut self, name: &str) -> Result<Value, EmbeddingError> {
        match self.read(name)? {
            Some(content) => self.json(name, &content),
            None => Ok(Value::Null),
        }
    }

    fn pooling(&mut self) -> Result<Pooling, EmbeddingError> {
        let name = "1_Pooling/config.json";
        let settings = self.settings(name)?;
        let mut modes = settings
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(key, value)| key.strip_prefix("pooling_mode_").filter(|_| value.as_bool() == Some(true)));
        match (modes.next(), modes.next()) {
            (None, _) | (Some("mean_tokens"), None) => Ok(Pooling::Mean),
            (Some("cls_token"), None) => Ok(Pooling::Cls),
            (Some(mode), _) => Err(EmbeddingError::ModelFile {
                path: self.dir.join(name),
                problem: format!(
                    "the model pools its tokens by {mode:?} or in several ways; only the mean or the first token \
                     alone can be used here, choose another model"
                ),
            }),
        }
    }
}

fn missing(dir: &Path, name: &str) -> EmbeddingError {
    EmbeddingError::ModelMissing {
        dir: dir.to_path_buf(),
        missing: name.to_owned(),
        remedy: "place there the files published with the model: model.onnx, tokenizer.json, tokenizer_config.json \
                 and config.json"
            .into(),
    }
}

/// The lines of `SHA256SUMS`, none if the file is missing.
fn read_sums(dir: &Path) -> Result<Vec<(String, String)>, EmbeddingError> {
    let path = dir.join("SHA256SUMS");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(EmbeddingError::read(&path))?;
    text.lines()
        .map(|line| {
            let (sum, name) = line.split_once(' ').ok_or_else(|| EmbeddingError::ModelFile {
                path: path.clone(),
                problem: format!("{line:?} is not a line of a hash and a name; restore the file"),
            })?;
            Ok((sum.to_lowercase(), name.trim_start_matches([' ', '*']).to_owned()))
        })
        .collect()
}

fn read_graph(path: &Path, mut onnx: &[u8]) -> Result<GraphProto, EmbeddingError> {
    let problem = "not an ONNX model; place the file that was published with the model";
    tract_onnx::onnx()
        .proto_model_for_read(&mut onnx)
        .ok()
        .and_then(|model| model.graph)
        .ok_or_else(|| EmbeddingError::ModelFile { path: path.to_path_buf(), problem: problem.into() })
}

/// Refuses a graph that needs inputs which a text does not give.
fn check_inputs(path: &Path, graph: &GraphProto) -> Result<(), EmbeddingError> {
    let stored = |name: &String| graph.initializer.iter().any(|tensor| tensor.name == *name);
    let inputs: Vec<_> = graph.input.iter().map(|input| &input.name).filter(|&name| !stored(name)).collect();
    let needed = ["input_ids", "attention_mask"];
    let fits = needed.iter().all(|name| inputs.iter().any(|input| input == name))
        && inputs.iter().all(|name| needed.contains(&name.as_str()) || *name == "token_type_ids");
    if fits {
        return Ok(());
    }
    Err(EmbeddingError::ModelFile {
        path: path.to_path_buf(),
        problem: format!(
            "the model's inputs are {inputs:?}, those of a sentence encoder are \"input_ids\", \"attention_mask\" and \
             perhaps \"token_type_ids\"; choose another model"
        ),
    })
}

/// How many tokens the graph embeds: the rows of the table that `input_ids` look up, if that is how it is written.
fn embedding_rows(graph: &GraphProto) -> Option<u64> {
    let lookup = graph
        .node
        .iter()
        .find(|node| node.op_type == "Gather" && node.input.get(1).is_some_and(|ids| ids == "input_ids"))?;
    let mut table = lookup.input.first()?;
    // The table may be cast or dequantised on the way.
    while let Some(node) = graph.node.iter().find(|node| node.output.contains(table)) {
        table = node.input.first()?;
    }
    let stored = graph.initializer.iter().find(|tensor| tensor.name == *table)?;
    stored.dims.first().and_then(|&rows| u64::try_from(rows).ok())
}

/// The highest token id of a `tokenizer.json`, added tokens included.
fn highest_token(tokenizer: &Value) -> Option<u64> {
    let model = match &tokenizer["model"]["vocab"] {
        Value::Object(ids) => ids.values().filter_map(Value::as_u64).max(),
        // Unigram models list their tokens in order.
        Value::Array(tokens) => (tokens.len() as u64).checked_sub(1),
        _ => None,
    };
    let added = tokenizer["added_tokens"].as_array().into_iter().flatten();
    added.filter_map(|token| token["id"].as_u64()).chain(model).max()
}
