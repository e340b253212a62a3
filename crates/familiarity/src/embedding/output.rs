//! Embeddings as a file others can read.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use half::f16;
use ndarray::ArrayView2;
use npyz::WriterBuilder;
use sha2::{Digest, Sha256};

use judge_uncertainty_formats::checksum::hex;
use judge_uncertainty_formats::npy::read_header;
use judge_uncertainty_system::read::{self, InputFile};
use judge_uncertainty_system::{Error, FileError, OutputFile, write_file};

use super::error::EmbeddingError;
use crate::row_ids;

/// How many bits each number of a written matrix has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats: the embeddings as computed.
    Single,
    /// 16-bit floats: half the size, each number rounded to the nearest (ties to even), cosines kept to about 1e-7.
    Half,
}

/// Where a matrix and the ids of its rows are written; no other process may write there as long as this lives.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    /// None for a device or pipe, which is written as it is.
    held: Option<OutputFile>,
}

impl Destination {
    /// Whether a matrix, made from `inputs`, may be written to `path`: to be asked before the work that leads there.
    ///
    /// # Errors
    /// A directory that does not exist or cannot be written, another process that writes there; a file there, or in the
    /// place of its ids, that is one of the inputs or no matrix with its ids as [`write`](Self::write) writes them.
    pub fn check(path: &Path, inputs: &[&Path]) -> Result<Self, EmbeddingError> {
        let refused = |path: &Path, problem| Err(EmbeddingError::OutputForeign { path: path.to_owned(), problem });
        let beside = row_ids::beside(path);
        for file in [path, &beside] {
            let place = fs::canonicalize(file).ok();
            if place.is_some() && inputs.iter().any(|input| fs::canonicalize(input).ok() == place) {
                return refused(file, "is the file that is read");
            }
            let Ok(found) = fs::symlink_metadata(file) else { continue };
            if found.is_symlink() && place.is_none() {
                return refused(file, "is a link that leads nowhere");
            }
            if found.is_dir() {
                return refused(file, "is a folder");
            }
        }
        if path.is_file() && !is_ours(path, &beside)? {
            return refused(path, "holds something else than embeddings with their ids beside them");
        }
        if !path.exists() && beside.exists() && row_ids::split(&text(&beside)?).1.is_none() {
            return refused(&beside, "holds something else than ids of embeddings");
        }
        let special = path.exists() && !path.is_file();
        let held = if special { None } else { Some(OutputFile::hold(path).map_err(|e| failed(path, e))?) };
        Ok(Self { path: path.to_owned(), held })
    }

    /// Writes an items x dimensions matrix as `.npy`, and next to it the ids of its rows, one on each line, with the
    /// SHA-256 of the matrix on the last.
    ///
    /// Returns the path of the ids, that of the matrix with `.ids.txt` appended. Each file appears complete or not at
    /// all, the ids first: if an older matrix is still there, the checksum shows that the two do not belong together.
    ///
    /// # Errors
    /// The file system refuses.
    ///
    /// # Panics
    /// If the numbers of ids and rows differ.
    pub fn write(
        &self,
        ids: &[String],
        matrix: ArrayView2<f32>,
        precision: Precision,
    ) -> Result<PathBuf, EmbeddingError> {
        assert_eq!(ids.len(), matrix.nrows(), "an id for each row");
        let (path, ids_path) = (&self.path, row_ids::beside(&self.path));
        let mut sum = SummingWriter(Sha256::new());
        write_matrix(&mut sum, matrix, precision).map_err(EmbeddingError::write(path))?;
        let text = row_ids::text(ids, &hex(&sum.0.finalize()));
        write_file(&ids_path, text.as_bytes()).map_err(|e| failed(&ids_path, e))?;
        match &self.held {
            Some(file) => file.write(|file| write_matrix(file, matrix, precision)).map_err(|e| failed(path, e))?,
            None => write_as_it_is(path, matrix, precision).map_err(EmbeddingError::write(path))?,
        }
        Ok(ids_path)
    }
}

fn write_as_it_is(path: &Path, matrix: ArrayView2<f32>, precision: Precision) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write_matrix(&mut file, matrix, precision)?;
    file.flush()
}

/// What the system said about the folder or file.
fn failed(path: &Path, error: Error) -> EmbeddingError {
    match error {
        Error::File(FileError { source, .. }) | Error::NotWritable { source, .. } => {
            EmbeddingError::write(path)(source)
        }
        other => EmbeddingError::Output(other),
    }
}

/// Whether a matrix and its ids are some that were written here, be it that a kill left the ids of the one and the
/// matrix of the other.
fn is_ours(matrix: &Path, ids: &Path) -> Result<bool, EmbeddingError> {
    /// Far more than a header has.
    const MOST: u64 = 1 << 16;
    let mut start = vec![];
    let read = InputFile::open(matrix).and_then(|file| file.take(MOST).read_to_end(&mut start));
    read.map_err(EmbeddingError::read(matrix))?;
    let Ok(header) = read_header(&mut start.as_slice()) else { return Ok(false) };
    let text = text(ids)?;
    Ok(row_ids::split(&text).1.is_some() || header.shape().first() == Some(&(text.lines().count() as u64)))
}

/// The text of a file; empty if the file is absent or not text.
fn text(path: &Path) -> Result<String, EmbeddingError> {
    let bytes = if path.is_file() { read::bytes(path).map_err(EmbeddingError::read(path))? } else { vec![] };
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

/// Takes the sum of what is written to it.
struct SummingWriter(Sha256);

impl Write for SummingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_matrix(file: &mut impl Write, matrix: ArrayView2<f32>, precision: Precision) -> io::Result<()> {
    match precision {
        Precision::Single => write_npy(file, matrix, |x| x),
        Precision::Half => write_npy(file, matrix, f16::from_f32),
    }
}

fn write_npy<T: npyz::AutoSerialize>(
    file: &mut impl Write,
    matrix: ArrayView2<f32>,
    number: impl Fn(f32) -> T,
) -> io::Result<()> {
    let shape = [matrix.nrows() as u64, matrix.ncols() as u64];
    let mut npy = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(file).begin_nd()?;
    npy.extend(matrix.iter().map(|&x| number(x)))?;
    npy.finish()
}

/// An items x dimensions matrix of 32-bit floats as the bytes of an `.npy` file.
pub fn matrix_bytes(matrix: ArrayView2<f32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(matrix.len() * 4 + 128);
    write_matrix(&mut bytes, matrix, Precision::Single).expect("memory can be written");
    bytes
}
