//! Headers of a Parquet file, walked before the reader of Parquet reads them.
//!
//! That reader steps over fields that it does not know, and a list of 2^31 truth values, which take no bytes there, costs it as many
//! steps; nested, a file of 3 kB keeps it busy for days. In a header that means anything every element takes a byte at least, so one
//! whose elements outnumber its bytes is refused. The reader goes by the numbers of fields and takes their types for granted, so a page's
//! header is refused as well where a field that it knows has another type: what follows would be read as something else. What is wrong
//! otherwise is left to the reader, which says it better.
//!
//! The encoding is Thrift's compact protocol
//! (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>).

use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

/// The end of a file: the length of the footer before it, and the mark.
const TAIL: u64 = 8;
/// A header of a page is first looked for in so many bytes.
const FIRST_BYTES: u64 = 512;
/// Nesting that the reader refuses, too.
const MOST_NESTED: u32 = 64;
/// Number of the field of a page's header that says how many bytes the page takes.
const COMPRESSED_SIZE: i64 = 3;

/// The types of the fields that a structure has by their numbers; of structures within it, theirs.
struct Layout(&'static [(i64, u8, Option<&'static Layout>)]);

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const STRUCT: u8 = 12;

/// `PageHeader` of parquet.thrift.
static PAGE: Layout = Layout(&[
    (1, I32, None),
    (2, I32, None),
    (COMPRESSED_SIZE, I32, None),
    (4, I32, None),
    (5, STRUCT, Some(&DATA_PAGE)),
    (6, STRUCT, None),
    (7, STRUCT, Some(&DICTIONARY_PAGE)),
    (8, STRUCT, Some(&DATA_PAGE_2)),
]);
static DATA_PAGE: Layout =
    Layout(&[(1, I32, None), (2, I32, None), (3, I32, None), (4, I32, None), (5, STRUCT, Some(&STATISTICS))]);
static DICTIONARY_PAGE: Layout = Layout(&[(1, I32, None), (2, I32, None), (3, TRUE, None)]);
static DATA_PAGE_2: Layout = Layout(&[
    (1, I32, None),
    (2, I32, None),
    (3, I32, None),
    (4, I32, None),
    (5, I32, None),
    (6, I32, None),
    (7, TRUE, None),
    (8, STRUCT, Some(&STATISTICS)),
]);
static STATISTICS: Layout = Layout(&[
    (1, BINARY, None),
    (2, BINARY, None),
    (3, I64, None),
    (4, I64, None),
    (5, BINARY, None),
    (6, BINARY, None),
    (7, TRUE, None),
    (8, TRUE, None),
]);

impl Layout {
    /// The layout of a field of this number and type; another type than it should have is refused.
    fn inner(&self, id: i64, kind: u8) -> Walked<Option<&'static Layout>> {
        match self.0.iter().find(|(known, ..)| *known == id) {
            Some((_, expected, _)) if *expected != if kind == FALSE { TRUE } else { kind } => Err(Stop::Mistaken),
            Some((.., inner)) => Ok(*inner),
            None => Ok(None),
        }
    }
}

/// Why a walk stopped.
enum Stop {
    /// The bytes end, or make no sense.
    Broken,
    /// It has more elements than bytes.
    Endless,
    /// A known field has another type.
    Mistaken,
}

type Walked<T> = std::result::Result<T, Stop>;

struct Walk<'b> {
    bytes: &'b [u8],
    at: usize,
    elements: usize,
}

impl<'b> Walk<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, elements: 0 }
    }

    fn byte(&mut self) -> Walked<u8> {
        let byte = *self.bytes.get(self.at).ok_or(Stop::Broken)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip_bytes(&mut self, bytes: u64) -> Walked<()> {
        let end = usize::try_from(bytes).ok().and_then(|bytes| self.at.checked_add(bytes)).ok_or(Stop::Broken)?;
        self.at = end;
        if end <= self.bytes.len() { Ok(()) } else { Err(Stop::Broken) }
    }

    /// A number of seven bits a byte, the lowest first.
    fn varint(&mut self) -> Walked<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
    }

    fn signed(&mut self) -> Walked<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Another element of a list, a map or a struct.
    fn count(&mut self) -> Walked<()> {
        self.elements += 1;
        if self.elements <= self.bytes.len() { Ok(()) } else { Err(Stop::Endless) }
    }

    /// The fields of a struct; the last value of the field of a page's size, where it is a number.
    fn fields(&mut self, layout: Option<&Layout>, nested: u32) -> Walked<Option<i64>> {
        let (mut id, mut found) = (0_i64, None);
        loop {
            self.count()?;
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Ok(found);
            }
            id = match head >> 4 {
                0 => self.signed()?,
                step => id.saturating_add(i64::from(step)),
            };
            let inner = layout.map_or(Ok(None), |layout| layout.inner(id, kind))?;
            match (id, kind) {
                (COMPRESSED_SIZE, I32) => found = Some(self.signed()?),
                (_, STRUCT) => self.within(inner, nested)?,
                _ => self.skip(kind, nested)?,
            }
        }
    }

    fn within(&mut self, layout: Option<&Layout>, nested: u32) -> Walked<()> {
        let inner = nested.checked_sub(1).ok_or(Stop::Broken)?;
        self.fields(layout, inner).map(drop)
    }

    fn skip(&mut self, kind: u8, nested: u32) -> Walked<()> {
        let inner = nested.checked_sub(1).ok_or(Stop::Broken)?;
        match kind {
            // Truth values have no bytes: a field has them in its head, and in lists the reader leaves their byte to what follows.
            TRUE | FALSE => Ok(()),
            3 => self.skip_bytes(1),
            4 | I32 | I64 => self.varint().map(drop),
            7 => self.skip_bytes(8),
            BINARY => {
                let bytes = self.varint()?;
                self.skip_bytes(bytes)
            }
            9 | 10 => {
                let head = self.byte()?;
                let size = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                for _ in 0..size {
                    self.count()?;
                    self.skip(head & 0x0f, inner)?;
                }
                Ok(())
            }
            11 => {
                let size = self.varint()?;
                let kinds = if size > 0 { self.byte()? } else { 0 };
                for _ in 0..size {
                    self.count()?;
                    self.skip(kinds >> 4, inner)?;
                    self.skip(kinds & 0x0f, inner)?;
                }
                Ok(())
            }
            STRUCT => self.within(None, nested),
            13 => self.skip_bytes(16),
            _ => Err(Stop::Broken),
        }
    }
}

impl Stop {
    /// Refuses what must not be read on.
    fn refuse(self, what: &str) -> Result<()> {
        match self {
            Self::Broken => Ok(()),
            Self::Endless => Err(ParquetError::General(format!("{what} claims more elements than it has bytes"))),
            Self::Mistaken => {
                Err(ParquetError::General(format!("a field of {what} has another type than it should have")))
            }
        }
    }
}

/// Refuses a file whose footer would be read without end. Types of its fields are not checked.
///
/// # Errors
/// It claims more elements than it has bytes, or the file can't be read.
pub(crate) fn check_footer(file: &impl ChunkReader) -> Result<()> {
    let Some(before) = file.len().checked_sub(TAIL) else { return Ok(()) };
    let tail = file.get_bytes(before, TAIL as usize)?;
    let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    let Some(start) = before.checked_sub(u64::from(length)) else { return Ok(()) };
    let footer = file.get_bytes(start, length as usize)?;
    Walk::of(&footer).fields(None, MOST_NESTED).map_or_else(|stop| stop.refuse("the footer"), |_| Ok(()))
}

/// Refuses a column of a row group with a page whose header would be read without end.
///
/// # Errors
/// As [`check_footer`]; a known field of another type.
pub(crate) fn check_pages(file: &impl ChunkReader, column: &ColumnChunkMetaData) -> Result<()> {
    let (start, bytes) = column.byte_range();
    let (mut at, end) = (start, start.saturating_add(bytes).min(file.len()));
    while at < end {
        let mut most = FIRST_BYTES.min(end - at);
        let (header, size) = loop {
            let bytes = file.get_bytes(at, most as usize)?;
            let mut walk = Walk::of(&bytes);
            match walk.fields(Some(&PAGE), MOST_NESTED) {
                Ok(size) => break (walk.at as u64, size),
                // Perhaps there is more of it.
                Err(_) if most < end - at => most = (4 * most).min(end - at),
                Err(stop) => return stop.refuse("the header of a page"),
            }
        };
        // What has no such size is refused by the reader.
        let Some(size) = size.and_then(|size| u64::try_from(size).ok()) else { return Ok(()) };
        at = at.saturating_add(header).saturating_add(size);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A struct with a field 9 of lists of lists, each of them as long as can be said, of truth values.
    fn endless_header() -> Vec<u8> {
        let most = [0xff, 0xff, 0xff, 0xff, 0x07];
        let list = |of: u8| [&[0xf0 | of][..], &most].concat();
        [&[0x99][..], &list(9), &list(1), &list(1), &[0]].concat()
    }

    #[test]
    fn what_has_more_elements_than_bytes_is_refused() {
        assert!(matches!(Walk::of(&endless_header()).fields(None, MOST_NESTED), Err(Stop::Endless)));
        // The same within a struct and a map.
        let within = [&[0x1c][..], &endless_header(), &[0]].concat();
        assert!(matches!(Walk::of(&within).fields(None, MOST_NESTED), Err(Stop::Endless)));
        let map = [0x1b, 0xff, 0xff, 0xff, 0x7f, 0x11, 0];
        assert!(matches!(Walk::of(&map).fields(None, MOST_NESTED), Err(Stop::Endless)));
        let nested = [0x1c; 80];
        assert!(matches!(Walk::of(&nested).fields(None, MOST_NESTED), Err(Stop::Broken)));
        // A number where a list should be read as one is another type.
        let right = [0x5c, 0x15, 0x15, 0x00, 0x00];
        assert!(Walk::of(&right).fields(Some(&PAGE), MOST_NESTED).is_ok());
        let mistaken = [0x5c, 0x19, 0x15, 0x00, 0x00];
        assert!(matches!(Walk::of(&mistaken).fields(Some(&PAGE), MOST_NESTED), Err(Stop::Mistaken)));
        let mut file = vec![0; 4];
        file.extend(endless_header());
        file.extend((endless_header().len() as u32).to_le_bytes());
        file.extend(b"PAR1");
        let told = check_footer(&bytes::Bytes::from(file)).unwrap_err().to_string();
        assert!(told.contains("the footer claims more elements than it has bytes"), "{told}");
    }

    #[test]
    fn the_size_of_a_page_is_found_among_other_fields() {
        // type 0, uncompressed 300, compressed 200, a data page's own struct with 5 values.
        let header = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x90, 0x03, 0x2c, 0x15, 0x0a, 0x00, 0x00, 0xaa];
        let mut walk = Walk::of(&header);
        assert!(matches!(walk.fields(Some(&PAGE), MOST_NESTED), Ok(Some(200))));
        assert_eq!(walk.at, header.len() - 1);
    }
}
