//! Embeddings as a file others can read.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use half::f16;
use ndarray::ArrayView2;
use npyz::WriterBuilder;
use tempfile::TempDir;

use super::error::EmbeddingError;

/// How many bits each number of a written matrix has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats: the embeddings as computed.
    Single,
    /// 16-bit floats: half the size, each number rounded to the nearest (ties to even), cosines kept to about 1e-7.
    Half,
}

/// Whether [`write_embeddings`] can write to `path`: to be asked before the work that leads there.
///
/// # Errors
/// A directory that does not exist or cannot be written.
pub fn check_output(path: &Path) -> Result<(), EmbeddingError> {
    temporary_beside(path).map(drop).map_err(EmbeddingError::write(path))
}

/// Writes an items x dimensions matrix as `.npy`, and the ids of its rows beside it, one on each line.
///
/// Returns the path of the ids, `path` with `.ids.txt` appended. Each file appears complete or not at all, the matrix
/// last: where it stands, its ids do too.
///
/// # Errors
/// A directory that does not exist or cannot be written.
///
/// # Panics
/// When there are not as many ids as rows.
pub fn write_embeddings(
    path: &Path,
    ids: &[String],
    matrix: ArrayView2<f32>,
    precision: Precision,
) -> Result<PathBuf, EmbeddingError> {
    assert_eq!(ids.len(), matrix.nrows(), "an id for each row");
    let mut ids_path = path.as_os_str().to_owned();
    ids_path.push(".ids.txt");
    let ids_path = PathBuf::from(ids_path);
    write_atomically(&ids_path, |file| ids.iter().try_for_each(|id| writeln!(file, "{id}")))?;
    write_atomically(path, |file| match precision {
        Precision::Single => write_npy(file, matrix, |x| x),
        Precision::Half => write_npy(file, matrix, f16::from_f32),
    })?;
    Ok(ids_path)
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

/// A folder for temporary files on the file system of `path`.
fn temporary_beside(path: &Path) -> io::Result<TempDir> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".judge-uncertainty-").tempdir_in(dir)
}

/// Writes to a temporary neighbour, then renames it to `path`; a device or pipe is written as it is.
fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), EmbeddingError> {
    let fill = |place: &Path| {
        let mut file = BufWriter::new(File::create(place)?);
        write(&mut file)?;
        file.flush()
    };
    let special = path.exists() && !path.is_file();
    let written = if special {
        fill(path)
    } else {
        temporary_beside(path).and_then(|dir| {
            let new = dir.path().join("new");
            fill(&new)?;
            fs::rename(new, path)
        })
    };
    written.map_err(EmbeddingError::write(path))
}
