//! The members of a zip archive, deflated or compressed with zstd.

use std::io::{Cursor, Read};
use std::path::Path;

use judge_uncertainty_system::limits::{Allowance, Exceeded, HELD, UNPACKED};
use ruzstd::decoding::StreamingDecoder;
use zip::{CompressionMethod, ZipArchive};

use crate::error::{Error, Place, Result};

/// The error for what needs more memory than its limit allows.
pub(crate) fn too_much(place: Place, exceeded: &Exceeded) -> Error {
    Error::unfit(place, exceeded.reason(), exceeded.remedy())
}

/// Limits of a compressed file, which depend on its size.
#[derive(Debug)]
pub(crate) struct Allowed {
    /// Bytes that it unpacks to.
    pub(crate) unpacked: Allowance,
    /// Memory for the values read from it.
    pub(crate) held: Allowance,
}

impl Allowed {
    pub(crate) const fn new(bytes: u64) -> Self {
        Self { unpacked: Allowance::new(UNPACKED.for_file(bytes)), held: Allowance::new(HELD.for_file(bytes)) }
    }
}

/// Unpacks all that `packed` gives, as far as `budget` allows.
pub(crate) fn unpack(packed: impl Read, budget: &Allowance, into: &mut Vec<u8>) -> std::result::Result<(), String> {
    let read = packed.take(budget.left().saturating_add(1)).read_to_end(into).map_err(|error| error.to_string())?;
    budget.take(read as u64).map_err(|exceeded| exceeded.to_string())
}

/// Unpacks zstd. Large members consist of several frames, one after the other.
pub(crate) fn unpack_zstd(
    mut packed: &[u8],
    budget: &Allowance,
    into: &mut Vec<u8>,
) -> std::result::Result<(), String> {
    /// How far back a frame may refer; that much stays in memory. Every reader of zstd must accept this distance.
    const WINDOW: u64 = 8 << 20;
    while !packed.is_empty() {
        let frame = StreamingDecoder::new_with_max_window_size(&mut packed, WINDOW);
        let mut frame = frame.map_err(|error| error.to_string())?;
        let before = into.len();
        unpack(frame.by_ref(), budget, into)?;
        // What the decoder looks back to is in memory a second time.
        budget.take((into.len() - before) as u64).map_err(|exceeded| exceeded.to_string())?;
    }
    Ok(())
}

/// The texts of the members that `wanted` selects by name, in the order of the archive.
///
/// # Errors
/// An archive that is cut off or edited, a member that is not text, members that unpack to more than [`UNPACKED`] or
/// contain more JSON values than [`HELD`] allows.
pub fn members(file: &Path, bytes: &[u8], wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, String)>> {
    let allowed = Allowed::new(bytes.len() as u64);
    let mut found = vec![];
    each_member(file, bytes, wanted, &mut |archive, name, index| {
        let mut text = vec![];
        unpack_member(archive, index, &allowed.unpacked, &mut text)?;
        allowed.held.take(memory_of_json(&text)).map_err(|exceeded| exceeded.to_string())?;
        let text = String::from_utf8(text).map_err(|_| "it is not a text in UTF-8".to_owned())?;
        found.push((name.to_owned(), text));
        Ok(())
    })?;
    Ok(found)
}

/// Most memory that a JSON text needs, as text and as values; an object takes room for eleven members.
fn memory_of_json(text: &[u8]) -> u64 {
    let (mut is_text, mut is_escaped, mut values) = (false, false, 0);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'\n' if !is_text => values += 1,
            b'{' if !is_text => values += 10,
            _ => {}
        }
    }
    2 * text.len() as u64 + 64 * values
}

/// Checks the sheets and other parts of a workbook against their checksums and against the limits, and keeps nothing.
pub(crate) fn check_parts(file: &Path, bytes: &[u8], allowed: &Allowed, wanted: impl Fn(&str) -> bool) -> Result<()> {
    each_member(file, bytes, wanted, &mut |archive, name, index| {
        let sheet = name.contains("worksheets/");
        let mut counted = Counted { allowed, sheet, run: 0, claim: ClaimedTexts::Name(0), problem: None };
        let mut member = archive.by_index(index).map_err(|error| error.to_string())?;
        let copied = std::io::copy(&mut member, &mut counted);
        match (counted.problem, copied) {
            (Some(problem), _) => Err(problem),
            (None, copied) => copied.map(drop).map_err(|error| error.to_string()),
        }
    })
}

/// Counts what passes of an XML part: all bytes, and, of what the reader of workbooks keeps in memory, each element.
struct Counted<'a> {
    allowed: &'a Allowed,
    /// Sheets are read cell by cell.
    sheet: bool,
    /// Bytes since the last element.
    run: u64,
    claim: ClaimedTexts,
    problem: Option<String>,
}

/// How far the number of texts has been read that a part claims, and for which room is made before there are any.
enum ClaimedTexts {
    /// So many letters of its name.
    Name(usize),
    /// The digits of the number read so far.
    Number(u64),
}

impl ClaimedTexts {
    const NAME: &[u8] = b"uniqueCount";
    /// Bytes that one text reserves.
    const TEXT: u64 = 24;

    /// Reads on; gives the number once it ends. In UTF-16 there are zeros between the letters.
    fn read(&mut self, byte: u8) -> Option<u64> {
        match (&mut *self, byte) {
            (_, 0) => {}
            (Self::Name(read), byte) if byte == Self::NAME[*read] => {
                *read += 1;
                if *read == Self::NAME.len() {
                    *self = Self::Number(0);
                }
            }
            (Self::Number(number), b'0'..=b'9') => {
                *number = number.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
            }
            (Self::Number(0), b' ' | b'\t' | b'\r' | b'\n' | b'=' | b'"' | b'\'') => {}
            (claim, byte) => {
                let after = std::mem::replace(claim, Self::Name(usize::from(byte == Self::NAME[0])));
                return if let Self::Number(number) = after { Some(number) } else { None };
            }
        }
        None
    }
}

impl Counted<'_> {
    /// More than any cell of Excel can have: its text has at most 32,767 characters.
    const LONGEST: u64 = 1 << 20;
    /// Bytes of memory for an element besides its text.
    const ELEMENT: u64 = 48;

    fn take(&mut self, bytes: &[u8]) -> std::result::Result<(), String> {
        let (mut elements, mut claimed) = (0, 0_u64);
        for byte in bytes {
            claimed = claimed.saturating_add(self.claim.read(*byte).unwrap_or(0));
            self.run = if *byte == b'<' { 0 } else { self.run + 1 };
            elements += u64::from(*byte == b'<');
            if self.run > Self::LONGEST {
                return Err(format!("a text in it has more than {} bytes", Self::LONGEST));
            }
        }
        let kept = if self.sheet { 0 } else { bytes.len() as u64 + Self::ELEMENT * elements };
        let kept = kept.saturating_add(claimed.saturating_mul(ClaimedTexts::TEXT));
        let taken = self.allowed.unpacked.take(bytes.len() as u64).and_then(|()| self.allowed.held.take(kept));
        taken.map_err(|exceeded| exceeded.to_string())
    }
}

impl std::io::Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.take(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(problem) => {
                self.problem = Some(problem);
                Err(std::io::ErrorKind::QuotaExceeded.into())
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// Calls `take` with the archive, name and position of each wanted member; `take` returns the fault of a member.
fn each_member<'b>(
    file: &Path,
    bytes: &'b [u8],
    wanted: impl Fn(&str) -> bool,
    take: &mut dyn FnMut(&mut Archive<'b>, &str, usize) -> std::result::Result<(), String>,
) -> Result<()> {
    let damaged = |reason: String| {
        let reason = format!("the archive can't be read: {reason}");
        Error::unfit(Place::file(file), reason, "if the file was cut off or edited, copy it again")
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(error.to_string()))?;
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index).map_err(|error| damaged(error.to_string()))?;
        let name = member.name().map_err(|error| damaged(error.to_string()))?.into_owned();
        drop(member);
        if wanted(&name) {
            take(&mut archive, &name, index).map_err(|problem| damaged(format!("{name}: {problem}")))?;
        }
    }
    Ok(())
}

/// Unpacks a member and checks its sum.
fn unpack_member(
    archive: &mut Archive<'_>,
    index: usize,
    budget: &Allowance,
    text: &mut Vec<u8>,
) -> std::result::Result<(), String> {
    let mut member = archive.by_index_raw(index).map_err(|error| error.to_string())?;
    let (method, size, sum) = (member.compression(), member.size(), member.crc32());
    if method != CompressionMethod::ZSTD {
        drop(member);
        let member = archive.by_index(index).map_err(|error| error.to_string())?;
        return unpack(member, budget, text);
    }
    let mut packed = vec![];
    member.read_to_end(&mut packed).map_err(|error| error.to_string())?;
    unpack_zstd(&packed, budget, text)?;
    let whole = text.len() as u64 == size && crc32fast::hash(text) == sum;
    if whole { Ok(()) } else { Err("its bytes do not match its checksum".to_owned()) }
}
