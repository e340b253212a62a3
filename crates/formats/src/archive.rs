//! The members of a zip archive, deflated or compressed with zstd.

use std::io::{Cursor, Read};
use std::path::Path;

use zip::{CompressionMethod, ZipArchive};

use crate::error::{Error, Place, Result};

/// A member of an archive, or a page of Parquet, must not unpack to more than this: files can claim anything.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// Unpacks zstd, of which one frame follows another in large members, and stops behind [`MOST_BYTES`].
///
/// # Errors
/// The bytes are damaged, or hold more.
pub(crate) fn unpack_zstd(mut packed: &[u8], into: &mut Vec<u8>) -> Result<(), String> {
    let before = into.len() as u64;
    while !packed.is_empty() {
        let mut frame = ruzstd::decoding::StreamingDecoder::new(&mut packed).map_err(|error| error.to_string())?;
        let room = before + MOST_BYTES + 1 - into.len() as u64;
        frame.by_ref().take(room).read_to_end(into).map_err(|error| error.to_string())?;
        if into.len() as u64 - before > MOST_BYTES {
            return Err(format!("it holds more than {MOST_BYTES} bytes"));
        }
    }
    Ok(())
}

/// The texts of the members whose names `wanted` takes, in the order of the archive.
///
/// # Errors
/// An archive that is cut off or edited, a member that is no text or claims more than a gigabyte.
pub fn members(file: &Path, bytes: &[u8], wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, String)>> {
    let damaged = |reason: String| {
        let reason = format!("the archive can't be read: {reason}");
        Error::unfit(Place::file(file), reason, "the file was cut off or edited: copy it again")
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(error.to_string()))?;
    let mut found = vec![];
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index).map_err(|error| damaged(error.to_string()))?;
        let name = member.name().map_err(|error| damaged(error.to_string()))?.into_owned();
        let (method, size) = (member.compression(), member.size());
        let sum = member.crc32();
        if !wanted(&name) {
            continue;
        }
        let failed = |reason: &str| damaged(format!("{name}: {reason}"));
        if size > MOST_BYTES {
            return Err(failed(&format!("it claims to hold {size} bytes")));
        }
        drop(member);
        let mut text = vec![];
        if method == CompressionMethod::ZSTD {
            let mut member = archive.by_index_raw(index).map_err(|error| failed(&error.to_string()))?;
            let mut packed = vec![];
            member.read_to_end(&mut packed).map_err(|error| failed(&error.to_string()))?;
            unpack_zstd(&packed, &mut text).map_err(|error| failed(&error))?;
            if text.len() as u64 != size || crc32fast::hash(&text) != sum {
                return Err(failed("its bytes are not those that its sum was taken of"));
            }
        } else {
            let member = archive.by_index(index).map_err(|error| failed(&error.to_string()))?;
            member.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(|error| failed(&error.to_string()))?;
        }
        let text = String::from_utf8(text).map_err(|_| failed("it is not a text in UTF-8"))?;
        found.push((name, text));
    }
    Ok(found)
}
