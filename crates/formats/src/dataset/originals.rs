//! The originals of ChaosNLI: which files they are, and how to get them.
//!
//! They hold sentences, which their licence (CC BY-NC 4.0, with sentences from SNLI and MNLI) keeps out of this
//! repository; everyone downloads them for themselves. Source: Nie, Zhou and Bansal (2020), "What Can We Learn from
//! Collective Human Opinions on Natural Language Inference Data?"

use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use judge_uncertainty_system::faults::step;
use judge_uncertainty_system::{Error as OutputError, FileError, OutputFile, read};
use zip::ZipArchive;

use crate::checksum::sha256_hex;

/// The originals in the item order of the experiment, each with its SHA-256.
pub const ORIGINALS: [(&str, &str); 2] = [
    ("chaosNLI_snli.jsonl", "99f9015ddda7d85f66a087452bc30d53974314fe27e7d589e2f41ad44bd509c1"),
    ("chaosNLI_mnli_m.jsonl", "8eb49b589488e7b1a9ec95fb8a864bd50f0509b4f808eed0aed3f8167617664d"),
];
/// A line of an original.
#[derive(Debug, serde::Deserialize)]
pub struct OriginalItem {
    /// Its id.
    pub uid: String,
    /// How many annotators chose entailment, neutral, contradiction.
    pub label_count: Vec<f64>,
    /// Its sentences.
    pub example: Sentences,
}

/// The sentences of an item.
#[derive(Debug, serde::Deserialize)]
pub struct Sentences {
    /// What is given.
    pub premise: String,
    /// What may follow from it.
    pub hypothesis: String,
}

/// The folder that holds them in the archive.
pub const FOLDER: &str = "chaosNLI_v1.0";
/// The official archive, as the page <https://github.com/easonnie/ChaosNLI> links it.
pub const ARCHIVE: &str = "https://www.dropbox.com/s/h4j7dqszmpt2679/chaosNLI_v1.0.zip?dl=1";

/// Far more than the archive or a file in it has: what is larger is something else.
const MOST_BYTES: u64 = 200 << 20;
/// A server that has not accepted the connection after this time counts as unreachable.
const CONNECT: Duration = Duration::from_secs(30);
/// A download that lasts longer counts as stalled.
const DOWNLOAD: Duration = Duration::from_secs(900);

/// Originals that could not be fetched.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum FetchError {
    #[error(
        "{from} can't be downloaded: {reason}. Get chaosNLI_v1.0.zip with a browser, by the link at \
         https://github.com/easonnie/ChaosNLI, and run `judge-uncertainty data fetch chaosnli --from chaosNLI_v1.0.zip`"
    )]
    Download { from: String, reason: String },
    #[error("{} can't be read: {source}; give the place of chaosNLI_v1.0.zip with --from", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error(
        "{from} is not the whole ChaosNLI archive: {reason}; nothing was unpacked. Download chaosNLI_v1.0.zip again, \
         by the link at https://github.com/easonnie/ChaosNLI"
    )]
    Archive { from: String, reason: String },
    #[error(
        "{from}: {file} in it is not the published file (SHA-256 {found}, expected {expected}); nothing was unpacked. \
         Download chaosNLI_v1.0.zip again, by the link at https://github.com/easonnie/ChaosNLI"
    )]
    Changed { from: String, file: String, found: String, expected: String },
    #[error(
        "{}: is there already and is not the published file; it was left as it is. Move it away, or choose another \
         folder with --out", file.display()
    )]
    Foreign { file: PathBuf },
    #[error("{} can't be written: {source}; choose another folder with --out", folder.display())]
    Unwritable { folder: PathBuf, source: io::Error },
    /// Another process writes the files.
    #[error(transparent)]
    Output(OutputError),
}

impl FetchError {
    /// Whether the machine or the network failed, rather than that an archive was refused.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::Output(error) => error.is_failure(),
            _ => matches!(self, Self::Download { .. } | Self::Unwritable { .. }),
        }
    }
}

/// Fetches the archive `from` an address (`http://`, `https://`) or a file and puts the `originals`, pairs of a name
/// and a SHA-256 sum, into the folder [`FOLDER`] of `out`; returns that folder.
///
/// Only these files are unpacked, and only if all of their checksums are right; other members of the archive are
/// ignored.
///
/// # Errors
/// An archive that cannot be had or is not the right one, another file in the place of an original (nothing is written
/// then), a folder that cannot be written.
pub fn fetch(from: &str, originals: &[(&str, &str)], out: &Path) -> Result<PathBuf, FetchError> {
    let folder = out.join(FOLDER);
    refuse_foreign(&folder, originals)?;
    let ours = fs::symlink_metadata(&folder).is_err();
    let held = hold(&folder, originals)?;
    let fetched = fetch_into(from, originals, &folder, &held);
    drop(held);
    if fetched.is_err() && ours {
        // Only if there is nothing in it.
        let _ = fs::remove_dir(&folder);
    }
    fetched.map(|()| folder)
}

/// Refuses another file in the place of an original.
fn refuse_foreign(folder: &Path, originals: &[(&str, &str)]) -> Result<(), FetchError> {
    for (name, expected) in originals {
        let file = folder.join(name);
        let held = match fs::symlink_metadata(&file) {
            Err(_) => continue,
            Ok(found) if found.is_file() => read::bytes(&file),
            Ok(_) => Ok(vec![]),
        };
        let held = held.map_err(|source| FetchError::Output(FileError::at(&file, "reading")(source).into()))?;
        if sha256_hex(&held) != *expected {
            return Err(FetchError::Foreign { file });
        }
    }
    Ok(())
}

/// Holds the places of the originals from before the download to its end: no other process writes to them.
fn hold(folder: &Path, originals: &[(&str, &str)]) -> Result<Vec<OutputFile>, FetchError> {
    let making = |source| FetchError::Unwritable { folder: folder.to_owned(), source };
    step().and_then(|()| fs::create_dir_all(folder)).map_err(making)?;
    let held = |(name, _): &(&str, &str)| OutputFile::hold(&folder.join(name)).map_err(unwritable(folder));
    originals.iter().map(held).collect()
}

fn unwritable(folder: &Path) -> impl Fn(OutputError) -> FetchError {
    move |error| match error {
        OutputError::File(FileError { source, .. }) | OutputError::NotWritable { source, .. } => {
            FetchError::Unwritable { folder: folder.to_owned(), source }
        }
        other => FetchError::Output(other),
    }
}

fn fetch_into(from: &str, originals: &[(&str, &str)], folder: &Path, held: &[OutputFile]) -> Result<(), FetchError> {
    let archive = if from.starts_with("http://") || from.starts_with("https://") {
        download(from).map_err(|e| FetchError::Download { from: from.to_owned(), reason: e.to_string() })?
    } else {
        read::bytes(from.as_ref()).map_err(|source| FetchError::Unreadable { file: from.into(), source })?
    };
    let files = unpack(from, &archive, originals)?;
    // Again, for the download takes a while.
    refuse_foreign(folder, originals)?;
    // Each beside its place and then renamed, so that it appears complete or not at all.
    let write = |(content, file): (&Vec<u8>, &OutputFile)| file.write(|to| to.write_all(content));
    files.iter().zip(held).try_for_each(write).map_err(unwritable(folder))
}

fn download(url: &str) -> Result<Vec<u8>, ureq::Error> {
    let limits = ureq::Agent::config_builder().timeout_connect(Some(CONNECT)).timeout_global(Some(DOWNLOAD));
    let agent: ureq::Agent = limits.build().into();
    agent.get(url).call()?.body_mut().with_config().limit(MOST_BYTES).read_to_vec()
}

/// The checked contents of the originals in the archive.
fn unpack(from: &str, archive: &[u8], originals: &[(&str, &str)]) -> Result<Vec<Vec<u8>>, FetchError> {
    let wrong = |reason: String| FetchError::Archive { from: from.to_owned(), reason };
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(|e| wrong(e.to_string()))?;
    let mut files = Vec::new();
    for &(name, expected) in originals {
        let file = format!("{FOLDER}/{name}");
        let entry = archive.by_name(&file).map_err(|e| wrong(format!("{file}: {e}")))?;
        let mut content = Vec::new();
        entry.take(MOST_BYTES).read_to_end(&mut content).map_err(|e| wrong(format!("{file}: {e}")))?;
        let found = sha256_hex(&content);
        if found != expected {
            let (from, expected) = (from.to_owned(), expected.to_owned());
            return Err(FetchError::Changed { from, file, found, expected });
        }
        files.push(content);
    }
    Ok(files)
}
