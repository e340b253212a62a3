//! NumPy matrices (`.npy`) with one row per item.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use half::f16;
use ndarray::{Array2, ShapeBuilder};
use npyz::{Deserialize, NpyFile, NpyHeader, Order};

use super::error::{Error, Place, Problem, Result};
use super::items::ItemIds;

/// Reads a matrix of 16, 32 or 64-bit floats, `ids.len()` x `columns`, whose row i belongs to item i.
///
/// 64-bit values are rounded to 32 bits. `file` is the name for errors.
///
/// # Errors
/// Bytes that are not such a matrix, another shape, too few or too many bytes for the shape, a value that is NaN,
/// infinite or beyond 32 bits (the error names its item).
pub fn read_matrix(file: &Path, bytes: &[u8], ids: &ItemIds, columns: usize) -> Result<Array2<f32>> {
    read_matrix_from(file, bytes, bytes.len() as u64, ids, Some(columns))
}

/// Reads a matrix as [`read_matrix`] does from `data` that holds `length` bytes. Without `columns`, any number of
/// columns is allowed.
///
/// # Errors
/// As [`read_matrix`]; `data` can't be read.
pub fn read_matrix_from(
    file: &Path,
    data: impl Read,
    length: u64,
    ids: &ItemIds,
    columns: Option<usize>,
) -> Result<Array2<f32>> {
    let mut numbers = vec![];
    let (order, columns) = read(file, data, length, ids, columns, Some(&mut numbers))?;
    let shape = (ids.len(), columns);
    let matrix = match order {
        Order::C => Array2::from_shape_vec(shape, numbers),
        Order::Fortran => {
            Array2::from_shape_vec(shape.f(), numbers).map(|matrix| matrix.as_standard_layout().into_owned())
        }
    };
    let not_a_matrix = |reason: String| Error::refused(Place::file(file), Problem::NotAMatrix { reason });
    matrix.map_err(|error| not_a_matrix(error.to_string()))
}

/// Refuses what [`read_matrix_from`] refuses, and keeps no number.
///
/// # Errors
/// As [`read_matrix_from`].
pub fn check_matrix(file: &Path, data: impl Read, length: u64, ids: &ItemIds, columns: Option<usize>) -> Result<()> {
    read(file, data, length, ids, columns, None).map(drop)
}

/// Reads the numbers in the order of the file, and keeps them if asked to; returns that order and the number of columns.
fn read(
    file: &Path,
    mut data: impl Read,
    length: u64,
    ids: &ItemIds,
    columns: Option<usize>,
    mut kept: Option<&mut Vec<f32>>,
) -> Result<(Order, usize)> {
    let refused = |problem| Error::refused(Place::file(file), problem);
    let not_a_matrix = |reason: String| refused(Problem::NotAMatrix { reason });
    let unreadable = Error::unreadable(file);

    let start = header_bytes(&mut data, length).map_err(&unreadable)?;
    // The words below the first line show all of the header, which can be anything.
    let first_line = |error: std::io::Error| error.to_string().lines().next().unwrap_or_default().to_owned();
    let header = read_header(&mut start.as_slice()).map_err(|error| not_a_matrix(first_line(error)))?;
    let there = header.shape().get(1).and_then(|&columns| usize::try_from(columns).ok());
    let columns = columns.or(there).unwrap_or(1);
    if header.shape() != [ids.len() as u64, columns as u64] {
        let found: Vec<String> = header.shape().iter().map(u64::to_string).collect();
        let expected = format!("{} x {columns} (items x columns)", ids.len());
        return Err(refused(Problem::Shape { found: found.join(" x "), expected }));
    }
    let number_type = header.dtype().descr();
    let width = header.dtype().num_bytes().unwrap_or(0) as u64;
    let (found, expected) = (length - start.len() as u64, header.len() * width);
    if found != expected {
        let reason = format!("it holds {found} bytes of numbers where its shape asks for {expected}");
        return Err(refused(Problem::unfit(reason, "the file is truncated or damaged: copy or write it again")));
    }
    let order = header.order();
    if let Some(kept) = &mut kept {
        kept.reserve_exact(ids.len() * columns);
    }
    let numbers = numbers_of(NpyFile::with_header(header, data), f16::to_f32)
        .or_else(|npy| numbers_of(npy, |value: f32| value))
        .or_else(|npy| numbers_of(npy, |value: f64| value as f32))
        .map_err(|_| not_a_matrix(format!("its numbers are of the type {number_type}")))?;
    for (at, value) in numbers.enumerate() {
        let value = value.map_err(&unreadable)?;
        if !value.is_finite() {
            let (row, column) = match order {
                Order::C => (at / columns, at % columns),
                Order::Fortran => (at % ids.len(), at / ids.len()),
            };
            let problem = Problem::NotFinite { value, row, column };
            return Err(Error::refused(Place::file(file).of_item(&ids[row]), problem));
        }
        if let Some(kept) = &mut kept {
            kept.push(value);
        }
    }
    Ok((order, columns))
}

/// What a matrix begins with.
const MAGIC: &[u8] = b"\x93NUMPY";

/// The bytes before the first number; only some of them if the data is not a matrix or ends within the header.
fn header_bytes(data: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    data.take(12).read_to_end(&mut bytes)?;
    let end = header_range(&bytes).map_or(0, |range| range.end);
    if bytes.starts_with(MAGIC) && end as u64 <= length {
        data.take(end.saturating_sub(bytes.len()) as u64).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Brackets within brackets: NumPy writes two for the shape of a matrix, and two more for numbers with names.
const DEEPEST: usize = 4;

/// Reads the header of a matrix, and leaves the numbers.
///
/// # Errors
/// Bytes that are not a header; a header that ends before the length it states, for which its reader would reserve
/// memory; a header whose brackets are nested deeper than NumPy writes them, because the reader's time doubles with
/// each level.
pub fn read_header(bytes: &mut &[u8]) -> io::Result<NpyHeader> {
    if !bytes.starts_with(MAGIC) {
        return NpyHeader::from_reader(bytes);
    }
    let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "it ends within its header");
    let text = header_range(bytes).and_then(|range| bytes.get(range)).ok_or_else(cut)?;
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST {
        let reason = format!("its header has brackets nested {deepest} deep");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    NpyHeader::from_reader(bytes)
}

/// The position of the header's text: after six bytes of magic, two of the version, and its length in two bytes or,
/// since version 2, four. `None` if the bytes end before that length.
fn header_range(bytes: &[u8]) -> Option<Range<usize>> {
    let start = if bytes.get(6) == Some(&1) { 10 } else { 12 };
    let length = bytes.get(8..start)?.iter().rev().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
    Some(start..start.saturating_add(length))
}

/// The numbers in the order of the file, or the unread file back if they are of another type.
fn numbers_of<'r, T: Deserialize + 'r, R: Read + 'r>(
    npy: NpyFile<R>,
    narrow: impl Fn(T) -> f32 + 'r,
) -> Result<Box<dyn Iterator<Item = io::Result<f32>> + 'r>, NpyFile<R>> {
    let values = npy.try_data::<T>()?;
    Ok(Box::new(values.map(move |value| value.map(&narrow))))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::super::items::names;
    use super::*;

    /// A version 1.0 file, laid out by hand after NumPy's description of the format.
    fn npy(number_type: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let fortran = if fortran { "True" } else { "False" };
        let dict = format!("{{'descr': '{number_type}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
        let header = format!("{dict:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Array2<f32>> {
        let ids = ItemIds::new(names(&["a", "b"])).unwrap();
        read_matrix(Path::new("m.npy"), bytes, &ids, 3)
    }

    #[test]
    fn a_header_that_makes_no_sense_is_not_repeated_in_the_message() {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(30_000u16.to_le_bytes());
        bytes.extend([b'v'; 30_000]);
        let message = read(&bytes).unwrap_err().to_string();
        assert!(message.starts_with("m.npy: not a NumPy matrix: ") && message.len() < 1000, "{message}");
    }

    const VALUES: [f64; 6] = [1.0, -2.5, 0.0, 0.125, 1024.0, 0.00390625];

    #[test]
    fn matrices_of_each_width_and_order_are_read() {
        // The values are exact in 16 bits; their bit patterns there follow IEEE 754: sign, 5 exponent, 10 fraction
        // bits.
        let halves: [u16; 6] = [0x3c00, 0xc100, 0x0000, 0x3000, 0x6400, 0x1c00];
        let f16: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        let f32: Vec<u8> = VALUES.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect();
        let f64: Vec<u8> = VALUES.iter().flat_map(|value| value.to_le_bytes()).collect();
        let big: Vec<u8> = VALUES.iter().flat_map(|value| value.to_be_bytes()).collect();
        let rows = array![[1.0, -2.5, 0.0], [0.125, 1024.0, 0.00390625]];
        for (number_type, data) in [("<f2", f16), ("<f4", f32), ("<f8", f64.clone()), (">f8", big)] {
            assert_eq!(read(&npy(number_type, false, "(2, 3)", &data)).unwrap(), rows, "{number_type}");
        }
        let columns = array![[1.0, 0.0, 1024.0], [-2.5, 0.125, 0.00390625]];
        assert_eq!(read(&npy("<f8", true, "(2, 3)", &f64)).unwrap(), columns);
    }

    /// Without a limit of its own the header's reader would run for longer than anybody waits.
    #[test]
    fn nested_headers_are_refused() {
        for (open, close) in [("[", "]"), ("(", ",)"), ("{1:", "}"), ("[", "")] {
            let shape = format!("{}1{}", open.repeat(60), close.repeat(60));
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
            let header = [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
            let told = read(&header).unwrap_err().to_string();
            assert!(told.contains("its header has brackets nested 6"), "{told}");
            let newer = [b"\x93NUMPY\x02\x00", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
            assert!(read(&newer).unwrap_err().to_string().contains("nested 6"));
        }
        // Brackets among the numbers are none.
        let brackets = f32::from_le_bytes(*b"[[[[");
        assert_eq!(read(&npy("<f4", false, "(2, 3)", &brackets.to_le_bytes().repeat(6))).unwrap()[[1, 2]], brackets);
    }

    #[test]
    fn damaged_matrices_are_refused() {
        let data: Vec<u8> = VALUES.iter().flat_map(|value| value.to_le_bytes()).collect();
        let whole = npy("<f8", false, "(2, 3)", &data);
        let with = |value: f64| {
            let mut bytes = whole.clone();
            let last = bytes.len() - 8;
            bytes[last..].copy_from_slice(&value.to_le_bytes());
            bytes
        };
        for (bytes, expected) in [
            (b"id,x\na,1\n".to_vec(), "m.npy: not a NumPy matrix"),
            (whole[..60].to_vec(), "m.npy: not a NumPy matrix: it ends within its header"),
            (
                b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{'descr'".to_vec(),
                "m.npy: not a NumPy matrix: it ends within its header",
            ),
            (whole[..whole.len() - 1].to_vec(), "m.npy: it holds 47 bytes of numbers where its shape asks for 48"),
            ([whole.clone(), vec![0]].concat(), "m.npy: it holds 49 bytes of numbers where its shape asks for 48"),
            (npy("<f8", false, "(3, 2)", &data), "m.npy: its shape is 3 x 2, not 2 x 3"),
            (npy("<f8", false, "(6,)", &data), "m.npy: its shape is 6, not 2 x 3"),
            (npy("<i8", false, "(2, 3)", &data), "m.npy: not a NumPy matrix: its numbers are of the type '<i8'"),
            (with(f64::NAN), "m.npy (item \"b\"): the value at [1, 2] is NaN, not a finite"),
            (with(f64::NEG_INFINITY), "m.npy (item \"b\"): the value at [1, 2] is -inf, not a finite"),
            (with(1e39), "m.npy (item \"b\"): the value at [1, 2] is inf, not a finite"),
        ] {
            let error = read(&bytes).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{expected}: {error}");
        }
    }
}
