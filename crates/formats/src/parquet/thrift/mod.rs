//! Headers of a Parquet file, walked before the reader of Parquet reads them.
//!
//! That reader steps over fields that it does not know, and a list of 2^31 truth values, which take no bytes there, costs it as many
//! steps; nested, a file of 3 kB keeps it busy for days. In a header that means anything every truth value takes a byte, so one that
//! claims more of them than it has bytes is refused. The reader goes by the numbers of fields and takes their types for granted, so a
//! header is refused as well where a field that it knows has another type: what follows would be read as something else. What is wrong
//! otherwise is left to the reader, which says it better.
//!
//! The encoding is Thrift's compact protocol
//! (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>); where a number does not fit its type, it is
//! cut as the reader cuts it.

mod layout;

use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

use layout::{
    BINARY, COMPRESSED_SIZE, DOUBLE, FALSE, FOOTER, I8, I16, I32, I64, LIST, Layout, MAP, PAGE, SET, STRUCT, TRUE,
    Type, UUID,
};

/// The end of a file: the length of the footer before it, and the mark.
const TAIL: u64 = 8;
/// A header of a page is first looked for in so many bytes.
const FIRST_BYTES: u64 = 512;
/// Nesting beyond which a header is refused. The reader goes as deep within a field that it does not know.
const MOST_NESTED: u32 = 64;

/// Why a walk stopped.
#[derive(Debug)]
enum Stop {
    /// The bytes end, or make no sense.
    Broken,
    /// It has more truth values than bytes.
    Endless,
    /// It is nested too deeply.
    Deep,
    /// A known field has another type.
    Mistaken,
}

type Walked<T> = std::result::Result<T, Stop>;

struct Walk<'b> {
    bytes: &'b [u8],
    at: usize,
    truths: usize,
    /// The last whole number.
    number: i64,
}

impl<'b> Walk<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, truths: 0, number: 0 }
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
        let (mut value, mut shift) = (0, 0_u32);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).wrapping_shl(shift);
            shift = shift.wrapping_add(7);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
    }

    fn signed(&mut self) -> Walked<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A whole header; the size of the page that it is of.
    fn header(&mut self, layout: &Layout) -> Walked<Option<i32>> {
        let size = self.fields(Some(layout), MOST_NESTED)?;
        if self.truths <= self.at { Ok(size) } else { Err(Stop::Endless) }
    }

    /// The fields of a struct; the last value of the field of a page's size, where it is a number.
    fn fields(&mut self, layout: Option<&Layout>, nested: u32) -> Walked<Option<i32>> {
        let (mut id, mut found) = (0_i16, None);
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Ok(found);
            }
            id = match head >> 4 {
                0 => self.signed()? as i16,
                // The reader refuses an overflow where it knows the struct, and looks at no number elsewhere.
                step => id.wrapping_add(i16::from(step)),
            };
            self.value(kind, layout.and_then(|layout| layout.field(id)), nested)?;
            if (id, kind) == (COMPRESSED_SIZE, I32) {
                found = Some(self.number as i32);
            }
        }
    }

    fn value(&mut self, kind: u8, known: Option<&Type>, nested: u32) -> Walked<()> {
        if known.is_some_and(|known| !known.is(kind)) {
            return Err(Stop::Mistaken);
        }
        let inner = nested.checked_sub(1).ok_or(Stop::Deep)?;
        match kind {
            // It has no bytes of its own: a field has it in its head, and in lists the reader leaves its byte to what follows.
            TRUE | FALSE => {
                self.truths += 1;
                if self.truths <= self.bytes.len() { Ok(()) } else { Err(Stop::Endless) }
            }
            I8 => self.skip_bytes(1),
            I16 | I32 | I64 => {
                self.number = self.signed()?;
                Ok(())
            }
            DOUBLE => self.skip_bytes(8),
            BINARY => {
                let bytes = self.varint()?;
                self.skip_bytes(bytes)
            }
            LIST | SET => {
                let head = self.byte()?;
                let size = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                let element =
                    known.and_then(|known| if let Type::List(element) = known { Some(*element) } else { None });
                for _ in 0..size {
                    self.value(head & 0x0f, element, inner)?;
                }
                Ok(())
            }
            MAP => {
                let size = self.varint()?;
                let kinds = if size > 0 { self.byte()? } else { 0 };
                for _ in 0..size {
                    self.value(kinds >> 4, None, inner)?;
                    self.value(kinds & 0x0f, None, inner)?;
                }
                Ok(())
            }
            STRUCT => {
                let layout =
                    known.and_then(|known| if let Type::Struct(layout) = known { Some(*layout) } else { None });
                self.fields(layout, inner).map(drop)
            }
            UUID => self.skip_bytes(16),
            _ => Err(Stop::Broken),
        }
    }
}

impl Stop {
    /// Refuses what must not be read on.
    fn refuse(self, what: &str) -> Result<()> {
        let told = match self {
            Self::Broken => return Ok(()),
            Self::Endless => format!("{what} claims more truth values than it has bytes"),
            Self::Deep => format!("{what} is nested more than {MOST_NESTED} deep"),
            Self::Mistaken => format!("a field of {what} has another type than it should have"),
        };
        Err(ParquetError::General(told))
    }
}

/// Refuses a file whose footer would be read without end.
///
/// # Errors
/// It claims more truth values than it has bytes, is nested too deeply, or has a known field of another type; the file can't be read.
pub(crate) fn check_footer(file: &impl ChunkReader) -> Result<()> {
    let Some(before) = file.len().checked_sub(TAIL) else { return Ok(()) };
    let tail = file.get_bytes(before, TAIL as usize)?;
    let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    let Some(start) = before.checked_sub(u64::from(length)) else { return Ok(()) };
    let footer = file.get_bytes(start, length as usize)?;
    Walk::of(&footer).header(&FOOTER).map_or_else(|stop| stop.refuse("the footer"), |_| Ok(()))
}

/// Refuses a column of a row group with a page whose header would be read without end.
///
/// # Errors
/// As [`check_footer`].
pub(crate) fn check_pages(file: &impl ChunkReader, column: &ColumnChunkMetaData) -> Result<()> {
    let (start, bytes) = column.byte_range();
    let (mut at, end) = (start, start.saturating_add(bytes).min(file.len()));
    while at < end {
        let mut most = FIRST_BYTES.min(end - at);
        let (header, size) = loop {
            let bytes = file.get_bytes(at, most as usize)?;
            let mut walk = Walk::of(&bytes);
            match walk.header(&PAGE) {
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

    /// The footer of a file, as it stands in one.
    fn told_of_footer(footer: &[u8]) -> String {
        let file = [&[0; 4], footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat();
        check_footer(&bytes::Bytes::from(file)).map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn what_has_more_truth_values_than_bytes_is_refused() {
        let told = "the footer claims more truth values than it has bytes";
        assert!(told_of_footer(&endless_header()).contains(told));
        // The same within a struct and a map, and where the number of its field is 65545, which is cut to 9.
        let within = [&[0x8c][..], &endless_header(), &[0]].concat();
        assert!(told_of_footer(&within).contains(told));
        let map = [0x8b, 0xff, 0xff, 0xff, 0x7f, 0x11, 0];
        assert!(told_of_footer(&map).contains(told));
        let cut = [&[0x09, 0x92, 0x80, 0x08][..], &endless_header()[1..]].concat();
        assert!(told_of_footer(&cut).contains(told));
        // A page's header of a list of 300 of them is not longer for what follows it.
        let header = [&[0x99, 0xf1, 0xac, 0x02, 0][..], &[0; 400]].concat();
        assert!(matches!(Walk::of(&header).header(&PAGE), Err(Stop::Endless)));
    }

    #[test]
    fn what_is_nested_deeper_than_the_reader_goes_is_refused() {
        let told = told_of_footer(&[&[0x8c; 70][..], &endless_header(), &[0; 70]].concat());
        assert!(told.contains("nested more than 64 deep"), "{told}");
        assert_eq!(told_of_footer(&[&[0x8c; 60][..], &[0; 61]].concat()), "fine");
    }

    #[test]
    fn a_known_field_of_another_type_is_refused() {
        let told = "a field of the footer has another type than it should have";
        // The number of rows as a text, in which the reader would find what this walk does not see; also where the field's number is
        // 65539, which is cut to 3.
        assert!(told_of_footer(&[0x38, 0x01, 0x00, 0x00]).contains(told));
        assert!(told_of_footer(&[0x08, 0x86, 0x80, 0x08, 0x01, 0x00, 0x00]).contains(told));
        // The schema as a list of numbers; as one of structs whose name is a number; the metadata of a column as a number.
        assert!(told_of_footer(&[0x29, 0x15, 0x02, 0x00]).contains(told));
        assert!(told_of_footer(&[0x29, 0x1c, 0x45, 0x02, 0x00, 0x00]).contains(told));
        assert!(told_of_footer(&[0x49, 0x1c, 0x19, 0x1c, 0x35, 0x02, 0x00, 0x00, 0x00]).contains(told));
        assert_eq!(told_of_footer(&[0x49, 0x1c, 0x19, 0x1c, 0x3c, 0x00, 0x00, 0x00, 0x00]), "fine");
        let page = [0x5c, 0x15, 0x15, 0x00, 0x00];
        assert!(Walk::of(&page).header(&PAGE).is_ok());
        let mistaken = [0x5c, 0x19, 0x15, 0x00, 0x00];
        assert!(matches!(Walk::of(&mistaken).header(&PAGE), Err(Stop::Mistaken)));
    }

    #[test]
    fn the_size_of_a_page_is_found_among_other_fields() {
        // type 0, uncompressed 300, compressed 200, a data page's own struct with 5 values.
        let header = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x90, 0x03, 0x2c, 0x15, 0x0a, 0x00, 0x00, 0xaa];
        let mut walk = Walk::of(&header);
        assert!(matches!(walk.header(&PAGE), Ok(Some(200))));
        assert_eq!(walk.at, header.len() - 1);
    }
}
