//! A guard against headers that keep the `parquet` crate (60.1.0) busy for hours.
//!
//! Its `skip_till_depth` steps over a field that it does not know element by element. In Thrift's compact protocol a
//! truth value in a list takes no bytes there, so a list that claims 2^31 of them costs 2^31 steps for seven bytes of
//! file. Nested, 3 kB cost days: `fuzz/corpus/pages/truths`, found by fuzzing, and a small file made in the tests of
//! [`super`]. To be reported upstream: `skip_till_depth` should consume a byte for every truth value of a list, as the
//! protocol says, or check the number of elements against the bytes that are left.
//!
//! So every header is walked first, and one that claims more truth values than it has bytes is refused. The crate goes
//! by the numbers of fields and does not check their types. A header in which a known field has another type is refused
//! too, because the crate would read on at another place than this walk. Everything else that is wrong is left to the
//! crate. Where a number does not fit its type, it is cut as the crate cuts it.
//!
//! Protocol: <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>; fields:
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

/// The type of a field, as the `parquet` crate reads it.
enum FieldType {
    Bool,
    Byte,
    /// A whole number of 16, 32 or 64 bits, which are stored alike; enumerations, too.
    Int,
    Double,
    /// Bytes or a text.
    Binary,
    List(&'static FieldType),
    /// A struct with its fields, numbered from 1.
    Struct(&'static [FieldType]),
    /// A field that the crate steps over, whatever it is.
    Skipped,
}

use FieldType::{Binary, Bool, Byte, Double, Int, List, Skipped, Struct};

/// `FileMetaData`: the footer of a file.
static FOOTER: &[FieldType] = &[
    Int,
    List(&Struct(&[Int, Int, Int, Binary, Int, Int, Int, Int, Int, LOGICAL_TYPE])),
    Int,
    List(&Struct(&[List(&COLUMN), Int, Int, List(&Struct(&[Int, Bool, Bool])), Int, Int, Int])),
    KEY_VALUES,
    Binary,
    List(&Struct(&[EMPTY, EMPTY, EMPTY])),
];
/// `PageHeader`; its field 3 says how many bytes the page takes.
static PAGE: &[FieldType] = &[
    Int,
    Int,
    Int,
    Int,
    Struct(&[Int, Int, Int, Int, STATISTICS]),
    EMPTY,
    Struct(&[Int, Int, Bool]),
    Struct(&[Int, Int, Int, Int, Int, Int, Bool, STATISTICS]),
];
const COLUMN: FieldType = Struct(&[Binary, Int, META_DATA, Int, Int, Int, Int]);
const META_DATA: FieldType = Struct(&[
    Int, INTS, TEXTS, Int, Int, Int, Int, KEY_VALUES, Int, Int, Int, STATISTICS, ENCODINGS, Int, Int, SIZES, SPATIAL,
]);
const LOGICAL_TYPE: FieldType = Struct(&[
    EMPTY, EMPTY, EMPTY, EMPTY, DECIMAL, EMPTY, TIME, TIME, Skipped, INTEGER, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY,
    VARIANT, GEOGRAPHY, GEOGRAPHY, EMPTY,
]);
const EMPTY: FieldType = Struct(&[]);
const INTS: FieldType = List(&Int);
const TEXTS: FieldType = List(&Binary);
const KEY_VALUES: FieldType = List(&Struct(&[Binary, Binary]));
const STATISTICS: FieldType = Struct(&[Binary, Binary, Int, Int, Binary, Binary, Bool, Bool, Int]);
const ENCODINGS: FieldType = List(&Struct(&[Int, Int, Int]));
const SIZES: FieldType = Struct(&[Int, INTS, INTS]);
const SPATIAL: FieldType = Struct(&[Struct(&[Double, Double, Double, Double, Double, Double, Double, Double]), INTS]);
const DECIMAL: FieldType = Struct(&[Int, Int]);
const TIME: FieldType = Struct(&[Bool, Struct(&[EMPTY, EMPTY, EMPTY])]);
const INTEGER: FieldType = Struct(&[Byte, Bool]);
const VARIANT: FieldType = Struct(&[Byte]);
const GEOGRAPHY: FieldType = Struct(&[Binary, Int]);

/// A header of a page is first looked for in so many bytes.
const FIRST_BYTES: u64 = 512;
/// Deeper nesting than the crate follows: 64 levels within a field that it does not know, and a few above it.
const MOST_NESTED: u32 = 80;

const ENDLESS: &str = "claims more truth values than it has bytes";
const MISTAKEN: &str = "has a field of another type than it should have";

/// A walk through a header; an error says why it must not be read on, or is `None` where the crate will refuse it.
struct Walk<'b> {
    bytes: &'b [u8],
    at: usize,
    truths: usize,
}

impl Walk<'_> {
    fn byte(&mut self) -> Result<u8, Option<&'static str>> {
        let byte = *self.bytes.get(self.at).ok_or(None)?;
        self.at += 1;
        Ok(byte)
    }

    fn skip_bytes(&mut self, bytes: u64) -> Result<(), Option<&'static str>> {
        let end = usize::try_from(bytes).ok().and_then(|bytes| self.at.checked_add(bytes)).ok_or(None)?;
        self.at = end;
        if end <= self.bytes.len() { Ok(()) } else { Err(None) }
    }

    /// A number of seven bits a byte, the lowest first.
    fn varint(&mut self) -> Result<u64, Option<&'static str>> {
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

    fn signed(&mut self) -> Result<i64, Option<&'static str>> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A whole header; the last values of its fields 2 and 3, where they are numbers.
    fn header(&mut self, known: &[FieldType]) -> Result<[Option<i32>; 2], Option<&'static str>> {
        let sizes = self.fields(known, MOST_NESTED)?;
        if self.truths <= self.at { Ok(sizes) } else { Err(Some(ENDLESS)) }
    }

    /// The fields of a struct; the last values of its fields 2 and 3, where they are numbers.
    fn fields(&mut self, known: &[FieldType], nested: u32) -> Result<[Option<i32>; 2], Option<&'static str>> {
        let (mut id, mut sizes) = (0_i16, [None; 2]);
        loop {
            let head = self.byte()?;
            if head & 0x0f == 0 {
                return Ok(sizes);
            }
            id = match head >> 4 {
                0 => self.signed()? as i16,
                // The crate refuses an overflow where it knows the struct, and looks at no number elsewhere.
                step => id.wrapping_add(i16::from(step)),
            };
            let place = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
            let value =
                self.value(head & 0x0f, place.and_then(|place| known.get(place)).unwrap_or(&Skipped), nested)?;
            if let (2 | 3, Some(value)) = (id, value) {
                sizes[usize::from(id == 3)] = Some(value as i32);
            }
        }
    }

    /// A value of the type that Thrift numbers `kind`; a whole number is returned.
    fn value(&mut self, kind: u8, known: &FieldType, nested: u32) -> Result<Option<i64>, Option<&'static str>> {
        let as_known = match known {
            Bool => matches!(kind, 1 | 2),
            Byte => kind == 3,
            Int => matches!(kind, 4..=6),
            Double => kind == 7,
            Binary => kind == 8,
            List(_) => kind == 9,
            Struct(_) => kind == 12,
            Skipped => true,
        };
        if !as_known {
            return Err(Some(MISTAKEN));
        }
        let inner = nested.checked_sub(1).ok_or(None)?;
        match kind {
            // It has no bytes of its own: a field has it in its head, and in lists the crate leaves its byte to what
            // follows.
            1 | 2 => {
                self.truths += 1;
                if self.truths > self.bytes.len() {
                    return Err(Some(ENDLESS));
                }
            }
            3 => self.skip_bytes(1)?,
            4..=6 => return Ok(Some(self.signed()?)),
            7 => self.skip_bytes(8)?,
            8 => {
                let bytes = self.varint()?;
                self.skip_bytes(bytes)?;
            }
            // Lists and sets.
            9 | 10 => {
                let head = self.byte()?;
                let size = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                let element = if let List(element) = known { element } else { &Skipped };
                for _ in 0..size {
                    self.value(head & 0x0f, element, inner)?;
                }
            }
            // Maps.
            11 => {
                let size = self.varint()?;
                let kinds = if size > 0 { self.byte()? } else { 0 };
                for _ in 0..size {
                    self.value(kinds >> 4, &Skipped, inner)?;
                    self.value(kinds & 0x0f, &Skipped, inner)?;
                }
            }
            12 => {
                self.fields(if let Struct(fields) = known { fields } else { &[] }, inner)?;
            }
            // A UUID.
            13 => self.skip_bytes(16)?,
            _ => return Err(None),
        }
        Ok(None)
    }
}

/// Refuses a file whose footer would be read without end.
pub(crate) fn check_footer(file: &impl ChunkReader) -> Result<()> {
    // The file ends with the length of the footer and a mark, of four bytes each.
    let Some(before) = file.len().checked_sub(8) else { return Ok(()) };
    let tail = file.get_bytes(before, 8)?;
    let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    let Some(start) = before.checked_sub(u64::from(length)) else { return Ok(()) };
    let footer = file.get_bytes(start, length as usize)?;
    let walked = Walk { bytes: &footer, at: 0, truths: 0 }.header(FOOTER);
    walked.map(drop).or_else(|stop| refuse(stop, "the footer"))
}

/// Refuses a column of a row group with a page whose header would be read without end; the bytes that its pages claim
/// to unpack to.
pub(crate) fn check_pages(file: &impl ChunkReader, column: &ColumnChunkMetaData) -> Result<u64> {
    let mut claimed = 0_u64;
    let (start, bytes) = column.byte_range();
    let (mut at, end) = (start, start.saturating_add(bytes).min(file.len()));
    while at < end {
        let mut most = FIRST_BYTES.min(end - at);
        let (header, [unpacked, size]) = loop {
            let bytes = file.get_bytes(at, most as usize)?;
            let mut walk = Walk { bytes: &bytes, at: 0, truths: 0 };
            match walk.header(PAGE) {
                Ok(size) => break (walk.at as u64, size),
                // Perhaps there is more of it.
                Err(_) if most < end - at => most = (4 * most).min(end - at),
                Err(stop) => return refuse(stop, "the header of a page").map(|()| claimed),
            }
        };
        // A page without a size is refused by the crate.
        let Some(size) = size.and_then(|size| u64::try_from(size).ok()) else { return Ok(claimed) };
        claimed = claimed.saturating_add(unpacked.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0));
        at = at.saturating_add(header).saturating_add(size);
    }
    Ok(claimed)
}

fn refuse(stop: Option<&'static str>, what: &str) -> Result<()> {
    stop.map_or(Ok(()), |why| Err(ParquetError::General(format!("{what} {why}"))))
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

    fn walk(header: &[u8]) -> Result<[Option<i32>; 2], Option<&'static str>> {
        Walk { bytes: header, at: 0, truths: 0 }.header(PAGE)
    }

    /// The footer of a file, in the file's own bytes.
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
        assert!(matches!(walk(&header), Err(Some(ENDLESS))));
    }

    #[test]
    fn deep_nesting_is_walked_as_far_as_the_crate_goes() {
        let endless = |deep: usize| [&vec![0x8c; deep][..], &endless_header(), &vec![0; deep]].concat();
        assert!(told_of_footer(&endless(70)).contains("claims more truth values"));
        assert_eq!(told_of_footer(&endless(200)), "fine");
        assert_eq!(told_of_footer(&[&[0x8c; 60][..], &[0; 61]].concat()), "fine");
    }

    #[test]
    fn a_known_field_of_another_type_is_refused() {
        let told = "the footer has a field of another type than it should have";
        // The number of rows as a text, in which the reader would find what this walk does not see; also where the
        // field's number is 65539, which is cut to 3.
        assert!(told_of_footer(&[0x38, 0x01, 0x00, 0x00]).contains(told));
        assert!(told_of_footer(&[0x08, 0x86, 0x80, 0x08, 0x01, 0x00, 0x00]).contains(told));
        // The schema as a list of numbers; as one of structs whose name is a number; the metadata of a column as a
        // number.
        assert!(told_of_footer(&[0x29, 0x15, 0x02, 0x00]).contains(told));
        assert!(told_of_footer(&[0x29, 0x1c, 0x45, 0x02, 0x00, 0x00]).contains(told));
        assert!(told_of_footer(&[0x49, 0x1c, 0x19, 0x1c, 0x35, 0x02, 0x00, 0x00, 0x00]).contains(told));
        assert_eq!(told_of_footer(&[0x49, 0x1c, 0x19, 0x1c, 0x3c, 0x00, 0x00, 0x00, 0x00]), "fine");
        let page = [0x5c, 0x15, 0x15, 0x00, 0x00];
        assert!(walk(&page).is_ok());
        let mistaken = [0x5c, 0x19, 0x15, 0x00, 0x00];
        assert!(matches!(walk(&mistaken), Err(Some(MISTAKEN))));
    }

    #[test]
    fn the_size_of_a_page_is_found_among_other_fields() {
        // type 0, uncompressed 300, compressed 200, a data page's own struct with 5 values.
        let header = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0x90, 0x03, 0x2c, 0x15, 0x0a, 0x00, 0x00, 0xaa];
        let mut walk = Walk { bytes: &header, at: 0, truths: 0 };
        assert!(matches!(walk.header(PAGE), Ok([_, Some(200)])));
        assert_eq!(walk.at, header.len() - 1);
    }
}
