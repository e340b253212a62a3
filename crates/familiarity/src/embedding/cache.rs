//! Embeddings kept on disk, so that a run embeds only what no earlier run has.
//!
//! One append-only file for each embedder (its [`Embedder::settings`]): a header with the settings, then records of
//!
//! | bytes | content |
//! |---|---|
//! | 32 | SHA-256 of the text |
//! | 1 | 1 if the text was truncated, else 0 |
//! | 4 x dimension | the row, 32-bit floats, little endian |
//! | 8 | start of the SHA-256 of all the above |
//!
//! A run that is killed leaves at most one torn record, at the end. Opening keeps what comes before the first record
//! that is torn or damaged and drops the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use judge_uncertainty_formats::checksum::hex;
use judge_uncertainty_system::read::InputFile;
use sha2::{Digest, Sha256};

use super::embedder::{EmbeddedText, Embedder};
use super::error::EmbeddingError;
use judge_uncertainty_system::faults::{append, read_step, step};
use judge_uncertainty_system::locked::LockedFile;

const KEY: usize = 32;
const CHECK: usize = 8;

/// Where the record of each text starts, by the hash of the text.
type Offsets = BTreeMap<[u8; KEY], u64>;

/// The embeddings of one embedder on disk. The file is locked for as long as the cache is open.
#[derive(Debug)]
pub struct EmbeddingCache {
    path: PathBuf,
    file: LockedFile,
    dimension: usize,
    /// Where the record of each text starts.
    places: Offsets,
    end: u64,
}

impl EmbeddingCache {
    /// Opens the cache of `embedder` in the directory `dir`; both are made if they do not exist.
    ///
    /// # Errors
    /// A directory or file that cannot be read or written, a cache that another run has open, a file of that name that
    /// is not a cache of this embedder.
    pub fn open(dir: &Path, embedder: &dyn Embedder) -> Result<Self, EmbeddingError> {
        step().and_then(|()| std::fs::create_dir_all(dir)).map_err(EmbeddingError::write(dir))?;
        let settings = embedder.settings();
        let path = path_of(dir, &settings);
        let Some(file) = LockedFile::open(&path).map_err(EmbeddingError::write(&path))? else {
            return Err(EmbeddingError::CacheBusy { path });
        };
        let dimension = embedder.dimension();
        let header = format!("{}{dimension}\n", header_of(&settings));
        let scanned = scan(&file, header.as_bytes(), record_len(dimension)).map_err(EmbeddingError::read(&path))?;
        let Some((places, end)) = scanned else { return Err(EmbeddingError::CacheForeign { path }) };
        let mut cache = Self { path, file, dimension, places, end };
        cache.repair(header.as_bytes()).map_err(EmbeddingError::write(&cache.path))?;
        Ok(cache)
    }

    /// How many different texts the cache of an embedder with these settings lacks in the directory `dir`. Only reads,
    /// also while another run has the cache open.
    ///
    /// # Errors
    /// A file that cannot be read or is not a cache of this embedder.
    pub fn lacking(dir: &Path, settings: &str, texts: &[String]) -> Result<usize, EmbeddingError> {
        let path = path_of(dir, settings);
        let file = match InputFile::open(&path) {
            Ok(file) => Some(file.into_file()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(EmbeddingError::read(&path)(e)),
        };
        let places = match file {
            None => BTreeMap::new(),
            Some(file) => {
                let dimension = stated_dimension(&file, settings).map_err(EmbeddingError::read(&path))?;
                let header = format!("{}{dimension}\n", header_of(settings));
                let scanned = scan(&file, header.as_bytes(), record_len(dimension));
                match scanned.map_err(EmbeddingError::read(&path))? {
                    Some((places, _)) => places,
                    None => return Err(EmbeddingError::CacheForeign { path }),
                }
            }
        };
        let wanted: BTreeSet<[u8; KEY]> = texts.iter().map(|text| key(text)).collect();
        Ok(wanted.iter().filter(|key| !places.contains_key(*key)).count())
    }

    /// Drops what follows the last whole record; writes the header into an empty file.
    fn repair(&mut self, header: &[u8]) -> io::Result<()> {
        step()?;
        self.file.set_len(self.end)?;
        if self.end == 0 {
            append(&mut *self.file, header)?;
            self.end = header.len() as u64;
        }
        Ok(())
    }

    fn record_len(&self) -> usize {
        record_len(self.dimension)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many texts it holds.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The row of `text` and whether the text was truncated, if it is there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn get(&mut self, text: &str) -> Result<Option<(Vec<f32>, bool)>, EmbeddingError> {
        let Some(&place) = self.places.get(&key(text)) else { return Ok(None) };
        let mut record = vec![0; self.record_len()];
        read_step()
            .and_then(|()| self.file.seek(SeekFrom::Start(place)))
            .and_then(|_| self.file.read_exact(&mut record))
            .map_err(EmbeddingError::read(&self.path))?;
        let row = record[KEY + 1..record.len() - CHECK]
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect();
        Ok(Some((row, record[KEY] != 0)))
    }

    /// Appends the embeddings of a batch and hands them to the operating system in one piece.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, texts: &[&str], batch: &[EmbeddedText]) -> Result<(), EmbeddingError> {
        let mut bytes = Vec::with_capacity(batch.len() * self.record_len());
        for embedded in batch {
            let start = bytes.len();
            let key = key(texts[embedded.index]);
            bytes.extend(key);
            bytes.push(u8::from(embedded.truncated));
            bytes.extend(embedded.row.iter().flat_map(|x| x.to_le_bytes()));
            let check = Sha256::digest(&bytes[start..]);
            bytes.extend(&check[..CHECK]);
            self.places.insert(key, self.end + start as u64);
        }
        append(&mut *self.file, &bytes).map_err(EmbeddingError::write(&self.path))?;
        self.end += bytes.len() as u64;
        Ok(())
    }
}

fn path_of(dir: &Path, settings: &str) -> PathBuf {
    dir.join(format!("{}.embeddings", hex(&Sha256::digest(settings)[..8])))
}

/// The header up to the dimension.
fn header_of(settings: &str) -> String {
    format!("judge-uncertainty embedding cache 1\n{settings}\ndimension=")
}

/// The dimension that the header of a cache states; 0 where it states none, which is that of no cache.
fn stated_dimension(mut file: &File, settings: &str) -> io::Result<usize> {
    const DIGITS: usize = 12;
    read_step()?;
    let known = header_of(settings).len();
    let mut start = Vec::new();
    file.take((known + DIGITS) as u64).read_to_end(&mut start)?;
    file.rewind()?;
    let digits = start.get(known..).unwrap_or_default().split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0))
}

fn record_len(dimension: usize) -> usize {
    KEY + 1 + 4 * dimension + CHECK
}

/// Finds the place of every record and the end of the last whole one; `None` if the file does not start with the
/// header.
///
/// A file that holds no more than a part of the header was torn while it was made: it counts as empty.
fn scan(file: &File, header: &[u8], record_len: usize) -> io::Result<Option<(Offsets, u64)>> {
    read_step()?;
    let mut reader = BufReader::new(file);
    let mut start = Vec::new();
    reader.by_ref().take(header.len() as u64).read_to_end(&mut start)?;
    if !header.starts_with(&start) {
        return Ok(None);
    }
    let mut places = Offsets::new();
    if start.len() < header.len() {
        return Ok(Some((places, 0)));
    }
    let mut end = header.len() as u64;
    // A damaged header may state any dimension; what the file has no room for is not reserved.
    if reader.get_ref().metadata()?.len() < end.saturating_add(record_len as u64) {
        return Ok(Some((places, end)));
    }
    let mut record = vec![0; record_len];
    while read_whole(&mut reader, &mut record)? {
        let Some(content) = checked(&record) else { break };
        let mut key = [0; KEY];
        key.copy_from_slice(&content[..KEY]);
        places.insert(key, end);
        end += record.len() as u64;
    }
    Ok(Some((places, end)))
}

fn key(text: &str) -> [u8; KEY] {
    Sha256::digest(text).into()
}

/// The content of a record without its check, if the check is right.
fn checked(record: &[u8]) -> Option<&[u8]> {
    let (content, check) = record.split_at(record.len() - CHECK);
    (Sha256::digest(content)[..CHECK] == *check).then_some(content)
}

/// Fills `buffer`; false when the file ends before.
fn read_whole(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}
