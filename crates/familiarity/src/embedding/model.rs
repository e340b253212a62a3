//! A sentence model on disk: its files, held to their sums, and what their settings say. Nothing here runs it.

use std::path::{Path, PathBuf};

use judge_uncertainty_formats::checksum::hex;
use judge_uncertainty_system::installed::installed;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::error::EmbeddingError;
use super::growth;
use judge_uncertainty_system::read;

/// The model that comes with the program, by its name among the program's files ([`installed()`]).
pub const DEFAULT_MODEL: &str = "data/models/all-MiniLM-L6-v2";

/// Most models' own limit, for those that do not state one.
const DEFAULT_MAX_TOKENS: u64 = 512;

/// A sentence model: an ONNX encoder, its tokenizer and its settings.
#[derive(Debug, Clone)]
pub struct Model {
    /// The folder.
    pub folder: PathBuf,
    /// The ONNX file.
    pub path: PathBuf,
    /// Texts are cut after this many tokens, the special ones at both ends included.
    pub max_tokens: usize,
    /// How token vectors become one: their mean, or the vector of the first token.
    pub pooling: Pooling,
    /// SHA-256 over the names and hashes of all files that determine the embeddings.
    pub hash: String,
    /// How many bytes its tokenizer makes of each byte of a text at most.
    pub growth: f64,
    /// Content of the ONNX file, as it was checked.
    pub onnx: Vec<u8>,
    /// Content of the tokenizer's files, as it was checked.
    pub tokenizer: TokenizerFiles,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// The vector of the first token.
    Cls,
    /// The mean of the vectors of all tokens.
    Mean,
}

/// Contents of the files that say how a model's texts become tokens.
#[derive(Debug, Clone)]
pub struct TokenizerFiles {
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// `config.json`.
    pub config: Vec<u8>,
    /// `special_tokens_map.json`, or `{}` if the file is absent.
    pub special_tokens_map: Vec<u8>,
    /// `tokenizer_config.json`.
    pub tokenizer_config: Vec<u8>,
}

impl Model {
    /// Opens the directory that a user names, or [`DEFAULT_MODEL`] from where the program is installed.
    ///
    /// # Errors Those of [`Model::open`]; a name that is not a directory.
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
    /// A file that is missing, damaged or unreadable; another way of pooling.
    pub fn open(dir: &Path) -> Result<Self, EmbeddingError> {
        let onnx = ["model.onnx", "onnx/model.onnx"];
        let onnx = onnx.into_iter().find(|name| dir.join(name).is_file()).unwrap_or(onnx[0]);
        let mut files = FolderReader { dir, sums: read_sums(dir)?, hash: Sha256::new() };
        let path = dir.join(onnx);
        let onnx = files.need(onnx)?;
        let tokenizer = TokenizerFiles {
            tokenizer: files.need("tokenizer.json")?,
            config: files.need("config.json")?,
            special_tokens_map: files.read("special_tokens_map.json")?.unwrap_or_else(|| b"{}".to_vec()),
            tokenizer_config: files.need("tokenizer_config.json")?,
        };
        let config = files.json("config.json", &tokenizer.config)?;
        let limits = [
            files.settings("sentence_bert_config.json")?["max_seq_length"].as_f64(),
            config["max_position_embeddings"].as_f64(),
            files.json("tokenizer_config.json", &tokenizer.tokenizer_config)?["model_max_length"].as_f64(),
        ];
        let limit = limits.into_iter().flatten().fold(f64::INFINITY, f64::min);
        let max_tokens = if limit.is_finite() { limit as u64 } else { DEFAULT_MAX_TOKENS };
        let growth = growth::of_tokenizer(&files.json("tokenizer.json", &tokenizer.tokenizer)?);
        let growth = growth.map_err(|problem| {
            let path = dir.join("tokenizer.json");
            EmbeddingError::ModelFile { path, problem }
        })?;
        let pooling = files.pooling()?;
        Ok(Self {
            max_tokens: max_tokens as usize,
            pooling,
            growth,
            hash: hex(&files.hash.finalize()),
            folder: dir.to_path_buf(),
            path,
            onnx,
            tokenizer,
        })
    }

    /// What [`Embedder::settings`](super::Embedder::settings) says of this model when `runtime` runs it.
    pub fn settings(&self, runtime: &str) -> String {
        let Self { hash, max_tokens, pooling, .. } = self;
        format!("model={hash} max_tokens={max_tokens} pooling={pooling:?} norm=L2 {runtime}")
    }
}

/// Reads the files of one directory, checks them and takes their hashes together.
struct FolderReader<'a> {
    dir: &'a Path,
    /// Expected hash and name, from `SHA256SUMS`.
    sums: Vec<(String, String)>,
    hash: Sha256,
}

impl FolderReader<'_> {
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
        let content = read::bytes(&path).map_err(EmbeddingError::read(&path))?;
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
    let text = read::text(&path).map_err(EmbeddingError::read(&path))?;
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
