//! The answer cache: an append-only file with one JSON line per answer.
//!
//! A line is written whole, flushed and synced to the disk before the next question of its thread, so that an answer
//! that arrived is never lost. A last line that a power failure or a full disk tore is cut off when the file is opened
//! again: it was never reported as stored. The file is locked while it is open, and the system drops the lock when the
//! process ends, however it ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;
use crate::client::{Answer, TokenUsage};
use crate::parse::{self, Distribution, Failure};
use crate::prompts::Ask;
use crate::request::{JudgeRequest, key};
use crate::run::counted;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_study::input::scale::Scale;
use judge_uncertainty_system::FileError;
use judge_uncertainty_system::faults::{append, step};
use judge_uncertainty_system::locked::LockedFile;

/// One answer with all that identifies it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CachedAnswer {
    /// Id of the item.
    pub item: String,
    /// What was asked.
    pub ask: Ask,
    /// Prompt variant.
    pub variant: String,
    /// Number of the answer to the same question.
    pub sample: u32,
    /// The model asked for.
    pub model: String,
    /// SHA-256 of the prompt.
    pub prompt_sha256: String,
    /// Parameters by name.
    pub parameters: BTreeMap<String, Value>,
    /// See `request::key`.
    pub key: String,
    /// Host of the endpoint.
    pub host: String,
    /// When the answer arrived, UTC.
    pub time: String,
    /// The answer.
    pub answer: Answer,
    /// Tokens that it is charged with, earlier attempts without a reply included ([`counted`]); answers of earlier
    /// versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charged: Option<TokenUsage>,
    /// SHA-256 of the line without this field, which every stored line has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// An answer's meaning.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// A label distribution.
    Distribution(Distribution),
    /// A stated confidence, 0 to 100.
    Confidence(f64),
    /// Predicted mean and standard deviation of the scores.
    Score([f64; 2]),
}

impl CachedAnswer {
    /// The answer to a request, as of now, and the tokens that it is charged with.
    pub fn new(request: &JudgeRequest, host: &str, answer: Answer, charged: TokenUsage) -> Self {
        let mut entry = CachedAnswer {
            item: request.id.clone(),
            ask: request.ask,
            variant: request.variant.clone(),
            sample: request.sample,
            model: request.model.clone(),
            prompt_sha256: request.prompt_sha256.clone(),
            parameters: request.parameters.clone(),
            key: request.key.clone(),
            host: host.to_owned(),
            time: judge_uncertainty_system::clock::now(),
            answer,
            charged: Some(charged),
            sha256: None,
        };
        entry.sha256 = Some(entry.sum());
        entry
    }

    /// The sum of all fields but itself.
    fn sum(&self) -> String {
        let unsigned = CachedAnswer { sha256: None, ..self.clone() };
        sha256_hex(&serde_json::to_vec(&unsigned).expect("an entry is plain data with string keys"))
    }

    /// What the answer says.
    ///
    /// # Errors
    /// Why it says nothing that counts.
    pub fn meaning(&self, answers: &Scale) -> Result<Meaning, Failure> {
        let (answer, classes) = (&self.answer, answers.classes());
        if let Some(failure) = answer.failure {
            return Err(failure);
        }
        let text = answer.raw.as_deref().unwrap_or_default();
        let meaning = match self.ask {
            Ask::Distribution | Ask::Update => parse::distribution(text, classes).map(Meaning::Distribution),
            Ask::Confidence => parse::confidence(text).map(Meaning::Confidence),
            Ask::Score => parse::score(text, answers.range()).map(Meaning::Score),
            Ask::Label => {
                let tokens = answer.label_tokens.as_deref().ok_or(Failure::WrongShape)?;
                parse::label_tokens(tokens, classes).map(Meaning::Distribution)
            }
        };
        // Half an answer is unreadable because its limit cut it.
        let cut = answer.finish_reason.as_deref() == Some("length");
        meaning.map_err(|failure| if cut && failure == Failure::Unparseable { Failure::Truncated } else { failure })
    }
}

/// The open cache.
#[derive(Debug)]
pub struct AnswerCache {
    path: PathBuf,
    file: LockedFile,
    /// Bytes that hold whole lines.
    length: u64,
    entries: Vec<CachedAnswer>,
    charged: TokenUsage,
    /// Position of the last answer, and number of answers, by key.
    latest: BTreeMap<String, (usize, usize)>,
    repaired: u64,
}

impl AnswerCache {
    /// Opens or makes the file, locks it, and reads what it holds.
    ///
    /// # Errors
    /// Another process has it open; it can't be read or written; a line other than a torn last one is damaged.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = LockedFile::open(path).map_err(FileError::at(path, "opening"))?;
        let mut file = file.ok_or_else(|| Error::Locked { path: path.to_path_buf() })?;
        let mut bytes = file.read_all().map_err(FileError::at(path, "reading"))?;
        let mut whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let mut entries = read(path, &bytes[..whole])?;
        // What follows the last newline is torn, unless only the newline itself is missing.
        if let Ok(last) = read(path, &bytes[whole..])
            && !last.is_empty()
        {
            append(&mut *file, b"\n").and_then(|()| file.sync_data()).map_err(FileError::at(path, "repairing"))?;
            entries.extend(last);
            bytes.push(b'\n');
            whole = bytes.len();
        }
        let mut cache = AnswerCache {
            path: path.to_path_buf(),
            file,
            length: whole as u64,
            latest: BTreeMap::new(),
            repaired: (bytes.len() - whole) as u64,
            entries: vec![],
            charged: TokenUsage::default(),
        };
        if cache.repaired > 0 {
            cache.cut()?;
        }
        entries.into_iter().for_each(|entry| cache.remember(entry));
        Ok(cache)
    }

    /// Bytes of a torn last line that were cut off when the file was opened.
    pub fn repaired(&self) -> u64 {
        self.repaired
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All answers in the order of their arrival.
    pub fn entries(&self) -> &[CachedAnswer] {
        &self.entries
    }

    /// Tokens that all lines are charged with, also those of questions without a reply.
    pub fn charged(&self) -> TokenUsage {
        self.charged
    }

    /// The last answer to a question.
    pub fn answer(&self, key: &str) -> Option<&CachedAnswer> {
        self.latest.get(key).map(|&(last, _)| &self.entries[last])
    }

    /// Number of answers to a question.
    pub fn count(&self, key: &str) -> usize {
        self.latest.get(key).map_or(0, |&(_, count)| count)
    }

    /// Stores an answer. When this returns, it is on the disk.
    ///
    /// # Errors
    /// The file can't be written; what arrived of the line is cut off again as far as possible.
    pub fn store(&mut self, entry: CachedAnswer) -> Result<(), Error> {
        let mut line = serde_json::to_vec(&entry).expect("an entry is plain data with string keys");
        line.push(b'\n');
        // One call for the whole line: a killed process leaves all of it or nothing.
        let written = append(&mut *self.file, &line).and_then(|()| self.file.sync_data());
        if let Err(e) = written {
            let _ = self.cut();
            return Err(FileError::at(&self.path, "storing an answer")(e).into());
        }
        self.length += line.len() as u64;
        self.remember(entry);
        Ok(())
    }

    /// Answers to the same questions that were given to another prompt.
    ///
    /// A question is the same if item, ask, variant, sample, model and parameters are.
    pub fn answers_to_other_prompts<'c>(&'c self, requests: &[JudgeRequest]) -> Vec<&'c CachedAnswer> {
        let question = |item: &str, ask: Ask, variant: &str, sample: u32, model: &str, parameters: &_| {
            key(item, ask, variant, model, "", parameters, sample)
        };
        let asked: BTreeMap<String, &str> = requests
            .iter()
            .map(|r| (question(&r.id, r.ask, &r.variant, r.sample, &r.model, &r.parameters), r.prompt_sha256.as_str()))
            .collect();
        let other = |entry: &&CachedAnswer| {
            let e = entry;
            let question = question(&e.item, e.ask, &e.variant, e.sample, &e.model, &e.parameters);
            asked.get(&question).is_some_and(|prompt| *prompt != e.prompt_sha256)
        };
        self.entries.iter().filter(other).collect()
    }

    /// Cuts the file after its last whole line.
    fn cut(&mut self) -> Result<(), Error> {
        let cut = step().and_then(|()| self.file.set_len(self.length)).and_then(|()| self.file.sync_data());
        Ok(cut.map_err(FileError::at(&self.path, "repairing"))?)
    }

    fn remember(&mut self, entry: CachedAnswer) {
        self.charged = self.charged.plus(entry.charged.unwrap_or_else(|| counted(&entry.answer, "", None)));
        if entry.answer.failure == Some(Failure::NoReply) {
            return;
        }
        let count = self.count(&entry.key) + 1;
        self.latest.insert(entry.key.clone(), (self.entries.len(), count));
        self.entries.push(entry);
    }
}

/// Whether a file's content is that of a cache: its first line is an answer, or it was made and not yet written.
pub fn are_answers(bytes: &[u8]) -> bool {
    let whole = bytes.split_inclusive(|&byte| byte == b'\n').next().filter(|line| line.ends_with(b"\n"));
    match whole {
        Some(line) => serde_json::from_slice::<CachedAnswer>(line).is_ok(),
        // Nothing yet, or a first line that was never completed.
        None => bytes.is_empty() || bytes.starts_with(b"{\"item\":"),
    }
}

/// The entries in the lines of a cache file.
fn read(path: &Path, bytes: &[u8]) -> Result<Vec<CachedAnswer>, Error> {
    let mut entries = vec![];
    for (line, number) in bytes.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        let refused = |detail: String| Error::Line { path: path.to_path_buf(), line: number, detail };
        let entry: CachedAnswer =
            serde_json::from_slice(line).map_err(|e| refused(format!("no answer of a judge: {e}")))?;
        let e = &entry;
        let expected = key(&e.item, e.ask, &e.variant, &e.model, &e.prompt_sha256, &e.parameters, e.sample);
        if e.key != expected {
            return Err(refused(format!("its key is {:?}, but its fields give {expected:?}: it was edited", e.key)));
        }
        if e.sha256.as_ref() != Some(&e.sum()) {
            let stated = e.sha256.as_deref().unwrap_or("missing");
            return Err(refused(format!(
                "its sum is {stated}, but its fields give {}: it was edited. Restore the line, or delete it to ask \
                 again",
                e.sum()
            )));
        }
        entries.push(entry);
    }
    Ok(entries)
}
