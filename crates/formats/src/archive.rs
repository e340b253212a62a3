//! The members of a zip archive, deflated or compressed with zstd.

use std::io::{Cursor, Read};
use std::path::Path;

use judge_uncertainty_system::limits::{Allowance, HELD, UNPACKED};
use ruzstd::decoding::StreamingDecoder;
use zip::{CompressionMethod, ZipArchive};

use crate::error::{Error, Place, Result};

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
    each_member(file, bytes, wanted, |archive, name, index| {
        let text = unpacked(archive, index, &allowed.unpacked)?;
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

/// Checks the XML parts of a workbook against their checksums and against the limits, and keeps nothing: the reader of
/// workbooks keeps each element of a part that is not a sheet, and makes room for the texts that a part claims to have.
pub(crate) fn check_workbook(file: &Path, bytes: &[u8], allowed: &Allowed) -> Result<()> {
    let wanted = |name: &str| name.ends_with(".xml") || name.ends_with(".rels");
    each_member(file, bytes, wanted, |archive, name, index| {
        let part = archive.by_index(index).map_err(|error| error.to_string())?;
        // Sheets are read cell by cell.
        check_part(part, name.contains("worksheets/"), allowed)
    })
}

fn check_part(mut part: impl Read, is_sheet: bool, allowed: &Allowed) -> std::result::Result<(), String> {
    /// More than any cell of Excel can have: its text has at most 32,767 characters.
    const LONGEST: usize = 1 << 20;
    /// Bytes of memory for an element besides its text.
    const ELEMENT: u64 = 48;
    /// Bytes of memory for a text that is claimed.
    const TEXT: u64 = 24;
    let (mut buffer, mut element) = (vec![0; 1 << 16], vec![]);
    loop {
        let read = part.read(&mut buffer).map_err(|error| error.to_string())?;
        let (mut elements, mut claimed) = (0, if read == 0 { claimed_texts(&element) } else { 0 });
        for piece in buffer[..read].split_inclusive(|byte| *byte == b'<') {
            element.extend_from_slice(piece);
            if element.len() > LONGEST {
                return Err(format!("a text in it has more than {LONGEST} bytes"));
            }
            if piece.ends_with(b"<") {
                claimed = claimed.saturating_add(claimed_texts(&element));
                elements += 1;
                element.clear();
            }
        }
        let kept = if is_sheet { 0 } else { read as u64 + ELEMENT * elements };
        let kept = kept.saturating_add(claimed.saturating_mul(TEXT));
        let taken = allowed.unpacked.take(read as u64).and_then(|()| allowed.held.take(kept));
        taken.map_err(|exceeded| exceeded.to_string())?;
        if read == 0 {
            return Ok(());
        }
    }
}

/// The number of texts that an XML element claims to have, `uniqueCount="7"`. In UTF-16 there are zeros between the
/// letters.
fn claimed_texts(element: &[u8]) -> u64 {
    if !element.contains(&b'q') {
        return 0;
    }
    let plain: Vec<u8> = element.iter().copied().filter(|byte| *byte != 0).collect();
    let number = |text: &str| {
        let text = text.trim_start_matches([' ', '\t', '\r', '\n', '=', '"', '\'']);
        let digits = &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())];
        if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u64::MAX) }
    };
    String::from_utf8_lossy(&plain).split("uniqueCount").skip(1).map(number).fold(0, u64::saturating_add)
}

type Archive<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// Calls `take` with the archive, name and position of each wanted member; it returns the fault of a member.
fn each_member<'b>(
    file: &Path,
    bytes: &'b [u8],
    wanted: impl Fn(&str) -> bool,
    mut take: impl FnMut(&mut Archive<'b>, &str, usize) -> std::result::Result<(), String>,
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
fn unpacked(archive: &mut Archive<'_>, index: usize, budget: &Allowance) -> std::result::Result<Vec<u8>, String> {
    let mut member = archive.by_index_raw(index).map_err(|error| error.to_string())?;
    let (method, size, sum) = (member.compression(), member.size(), member.crc32());
    let (mut packed, mut bytes) = (vec![], vec![]);
    if method != CompressionMethod::ZSTD {
        drop(member);
        unpack(archive.by_index(index).map_err(|error| error.to_string())?, budget, &mut bytes)?;
        return Ok(bytes);
    }
    member.read_to_end(&mut packed).map_err(|error| error.to_string())?;
    unpack_zstd(&packed, budget, &mut bytes)?;
    let whole = bytes.len() as u64 == size && crc32fast::hash(&bytes) == sum;
    if whole { Ok(bytes) } else { Err("its bytes do not match its checksum".to_owned()) }
}
