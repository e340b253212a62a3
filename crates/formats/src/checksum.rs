//! Data folders whose files are checked against `SHA256SUMS` as they are read.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::{Error, Place, Problem, Result, excerpt};
use judge_uncertainty_system::read::{self, InputFile};

/// Name of the file of sums in a data folder, in the format of the command `sha256sum`.
pub const SUMS_FILE: &str = "SHA256SUMS";

/// A folder with a [`SUMS_FILE`]: it hands out the bytes of a file only if their sum is the one stated.
///
/// A file is read once. What is hashed is what is parsed.
#[derive(Debug)]
pub struct CheckedFolder {
    dir: PathBuf,
    stated: BTreeMap<String, String>,
    verified: BTreeMap<String, String>,
}

impl CheckedFolder {
    /// Opens the folder by reading its sums; no other file is touched yet.
    ///
    /// # Errors
    /// The file of sums cannot be read, or one of its lines is not a sum and a name, or names a file again.
    pub fn open(dir: &Path) -> Result<Self> {
        let path = dir.join(SUMS_FILE);
        let bytes = read_file(&path)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Error::refused(Place::file(&path), Problem::NotUtf8))?;
        let mut stated = BTreeMap::new();
        for (line, number) in text.lines().zip(1..) {
            let refused = || {
                let reason = format!("{:?} is not a SHA-256 sum and a file name", excerpt(line));
                let remedy =
                    "write 64 hexadecimal digits, two spaces and the name of a file of the folder, once per file";
                Error::unfit(Place::file(&path).at_line(number), reason, remedy)
            };
            let (name, sum) = parse_line(line).ok_or_else(refused)?;
            if stated.insert(name.to_owned(), sum).is_some() {
                return Err(refused());
            }
        }
        Ok(CheckedFolder { dir: dir.to_path_buf(), stated, verified: BTreeMap::new() })
    }

    /// Path of a file of the folder, as errors name it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Reads a file and checks its sum.
    ///
    /// # Errors
    /// The file cannot be read, has no sum, or has another sum than the one stated.
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>> {
        let path = self.path(name);
        let sums = || self.path(SUMS_FILE).display().to_string();
        let expected = self.stated.get(name).ok_or_else(|| {
            let (sums, place) = (sums(), Place::file(&path));
            let remedy = format!("add a line to {sums} as the command sha256sum writes it");
            Error::unfit(place, format!("{sums} has no sum for it"), remedy)
        })?;
        let bytes = read_file(&path)?;
        let found = sha256_hex(&bytes);
        if found != *expected {
            let sums = sums();
            let reason = format!("its SHA-256 sum is {found}, but {sums} says {expected}");
            let remedy = "restore the file from the repository, or, if the change is meant, write its new sum to";
            return Err(Error::unfit(Place::file(&path), reason, format!("{remedy} {sums}")));
        }
        self.verified.insert(name.to_owned(), found);
        Ok(bytes)
    }

    /// The files that were read, with their SHA-256 sums in hexadecimal: what a manifest of a run states.
    pub fn into_hashes(self) -> BTreeMap<String, String> {
        self.verified
    }
}

/// Bytes as lower-case hexadecimal digits, two for each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 sum of the bytes, as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A reader whose bytes are summed as they are read.
#[derive(Debug)]
pub struct Summed<R> {
    data: R,
    sum: Sha256,
}

impl<R: Read> Summed<R> {
    /// Sums what is read of `data`.
    pub fn new(data: R) -> Self {
        Self { data, sum: Sha256::new() }
    }

    /// Reads what is left; the SHA-256 sum of all bytes, as 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// It can't be read.
    pub fn finish(mut self) -> io::Result<String> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(hex(&self.sum.finalize()))
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.data.read(into)?;
        self.sum.update(&into[..read]);
        Ok(read)
    }
}

/// The SHA-256 sum of a file, read in small pieces.
///
/// # Errors
/// [`Error::Unreadable`] with the operating system's reason.
pub fn sum_of_file(path: &Path) -> Result<String> {
    let sum = InputFile::open(path).and_then(|file| Summed::new(file).finish());
    sum.map_err(Error::unreadable(path))
}

/// Reads a whole file into memory.
///
/// # Errors
/// [`Error::Unreadable`] with the operating system's reason.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    read::bytes(path).map_err(Error::unreadable(path))
}

/// `<64 hexadecimal digits>  <name>`, or with `*` before the name (sha256sum's binary mode).
fn parse_line(line: &str) -> Option<(&str, String)> {
    let (sum, name) = line.split_once(' ')?;
    let name = name.strip_prefix([' ', '*'])?;
    let valid = sum.len() == 64 && sum.bytes().all(|digit| digit.is_ascii_hexdigit()) && !name.is_empty();
    valid.then(|| (name, sum.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        // NIST's example for SHA-256 of "abc" (FIPS 180-4 example values).
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn lines_of_both_modes_are_read_and_others_are_not() {
        let sum = "AB".repeat(32);
        assert_eq!(parse_line(&format!("{sum}  a b.csv")), Some(("a b.csv", "ab".repeat(32))));
        assert_eq!(parse_line(&format!("{sum} *a.csv")), Some(("a.csv", "ab".repeat(32))));
        for bad in [format!("{sum} a.csv"), format!("{sum}  "), format!("{}  a.csv", &sum[1..]), "x".repeat(66)] {
            assert_eq!(parse_line(&bad), None, "{bad}");
        }
    }
}
