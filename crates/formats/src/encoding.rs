//! The encoding of a table's text: UTF-8, UTF-16, or Windows-1252.
//!
//! | encoding | who writes it | known by |
//! |---|---|---|
//! | UTF-8 | nearly everyone | its bytes |
//! | UTF-16 | Excel's "Unicode text" | its mark at the start |
//! | Windows-1252 | Excel on Windows, as plain "CSV" | more bytes that no UTF-8 has than sequences that it has |
//!
//! Windows-1252 has a character for all bytes but five. A text with one of these, or with control characters, is in none of the
//! three encodings; one that is UTF-8 but for a few bytes was damaged. Both are refused at the first such byte.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

pub use encoding_rs::UTF_8;
use encoding_rs::{CoderResult, Decoder, Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::{Error, Place, Problem, Result};

/// What some programs begin a text in UTF-8 with.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// A text in UTF-8 without the mark.
pub(crate) fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Bytes without a character in Windows-1252.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// Bytes that are decoded at once.
const DECODED: usize = 1 << 16;

/// The encoding of a text: UTF-8; UTF-16, the low byte first or the high one; or Windows-1252, the superset of Latin-1
/// that Excel writes in Western Europe and America.
///
/// # Errors
/// It is in none of them; with the place of the first byte that shows it.
pub fn encoding_of(file: &Path, bytes: &[u8]) -> Result<&'static Encoding> {
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(UTF_8),
        Err(_) => encoding_of_text(file, &mut BufReader::with_capacity(DECODED, bytes)),
    }
}

/// The encoding of a text that is read to its end.
///
/// # Errors
/// As [`encoding_of`]; it can't be read.
pub fn encoding_of_text(file: &Path, text: &mut impl BufRead) -> Result<&'static Encoding> {
    let unreadable = Error::unreadable(file);
    let has_mark = match text.fill_buf().map_err(&unreadable)? {
        [0xff, 0xfe, ..] => return Ok(UTF_16LE),
        [0xfe, 0xff, ..] => return Ok(UTF_16BE),
        start => start.starts_with(MARK),
    };
    let (mut seen, mut line) = (Seen::default(), vec![]);
    while text.read_until(b'\n', &mut line).map_err(&unreadable)? > 0 {
        seen.take(&line);
        line.clear();
    }
    let refuse = |place: (u64, usize), problem| {
        Err(Error::refused(Place::file(file).at_line(place.0).at_character(place.1), problem))
    };
    match (seen.no_utf8, seen.no_windows) {
        (None, _) => Ok(UTF_8),
        (Some(place), _) if has_mark || seen.sequences >= seen.others => refuse(place, Problem::NotUtf8),
        (Some(_), None) => Ok(WINDOWS_1252),
        (Some(_), Some(place)) => {
            let reason = "the byte is not a character of UTF-8 or Windows-1252";
            refuse(place, Problem::unfit(reason, "save it in the encoding UTF-8"))
        }
    }
}

/// What an encoding is called, where it is worth a word: of a text that is not in UTF-8.
pub fn name_of(encoding: &'static Encoding) -> Option<&'static str> {
    (encoding != UTF_8).then_some(if encoding == WINDOWS_1252 { "Windows-1252" } else { "UTF-16" })
}

/// What was seen of a text.
#[derive(Default)]
struct Seen {
    lines: u64,
    /// Sequences of UTF-8 of two bytes and more, and bytes that are part of none.
    sequences: u64,
    others: u64,
    /// Of the first byte that cannot be UTF-8, and of the first that cannot be Windows-1252: line and character, from 1.
    no_utf8: Option<(u64, usize)>,
    no_windows: Option<(u64, usize)>,
}

impl Seen {
    fn take(&mut self, line: &[u8]) {
        self.lines += 1;
        let is_control = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
        if line.is_ascii() && !line.iter().any(|byte| is_control(*byte)) {
            return;
        }
        // Bytes of a sequence are characters of their own in Windows-1252.
        let is_undefined = |byte: &u8| is_control(*byte) || UNDEFINED.contains(byte);
        let mut character = 0;
        for chunk in line.utf8_chunks() {
            let valid = chunk.valid();
            let letters = valid.char_indices().map(|(at, c)| (&valid.as_bytes()[at..at + c.len_utf8()], true));
            for (bytes, is_utf8) in letters.chain(chunk.invalid().chunks(1).map(|byte| (byte, false))) {
                character += 1;
                self.sequences += u64::from(is_utf8 && bytes.len() > 1);
                self.others += u64::from(!is_utf8);
                if !is_utf8 {
                    self.no_utf8.get_or_insert((self.lines, character));
                }
                if bytes.iter().any(is_undefined) {
                    self.no_windows.get_or_insert((self.lines, character));
                }
            }
        }
    }
}

/// A text in any encoding, read as UTF-8; one that is in UTF-8 passes unchanged.
pub(crate) struct AsUtf8<R> {
    text: R,
    /// `None` for UTF-8.
    decoder: Option<Decoder>,
    is_done: bool,
    /// What was decoded, from the first byte that is still to be read: a character may need more room than a reader has.
    decoded: Vec<u8>,
    next: usize,
}

impl<R: BufRead> AsUtf8<R> {
    /// Decodes a text in this encoding, from its start.
    pub(crate) fn new(text: R, encoding: &'static Encoding) -> Self {
        let decoder = (encoding != UTF_8).then(|| encoding.new_decoder_with_bom_removal());
        Self { text, decoder, is_done: false, decoded: vec![], next: 0 }
    }
}

impl<R: BufRead> Read for AsUtf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(decoder) = &mut self.decoder else { return self.text.read(buffer) };
        while self.next == self.decoded.len() && !self.is_done {
            let part = self.text.fill_buf()?;
            let is_end = part.is_empty();
            self.decoded.resize(DECODED, 0);
            let (result, read, written, _) = decoder.decode_to_utf8(part, &mut self.decoded, is_end);
            self.text.consume(read);
            self.decoded.truncate(written);
            (self.next, self.is_done) = (0, is_end && result == CoderResult::InputEmpty);
        }
        let part = &self.decoded[self.next..];
        let read = part.len().min(buffer.len());
        buffer[..read].copy_from_slice(&part[..read]);
        self.next += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> std::result::Result<&'static Encoding, String> {
        let found = encoding_of(Path::new("t.csv"), bytes).map_err(|error| error.to_string());
        // In parts of any size it is the same.
        for size in 1..9 {
            let mut parts = BufReader::with_capacity(size + 2, bytes);
            let again = encoding_of_text(Path::new("t.csv"), &mut parts).map_err(|error| error.to_string());
            assert_eq!(again, found, "parts of {size}");
        }
        found
    }

    #[test]
    fn texts_of_excel_on_windows_are_known() {
        assert_eq!(of(b"id,n\na,1\n"), Ok(UTF_8));
        assert_eq!(of("\u{feff}id,größe\n".as_bytes()), Ok(UTF_8));
        let text = "id,Größe €,“said”\ncafé,1,…\n";
        let bytes = WINDOWS_1252.encode(text).0;
        assert_eq!(of(&bytes), Ok(WINDOWS_1252));
        assert_eq!(WINDOWS_1252.decode(&bytes).0, text);
        // Some pairs of its characters are bytes of UTF-8.
        assert_eq!(of(b"\xabCAF\xc9\xbb, \xe9t\xe9\n"), Ok(WINDOWS_1252));
        for (mark, encode) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
        {
            let bytes: Vec<u8> = mark.into_iter().chain(text.encode_utf16().flat_map(encode)).collect();
            let encoding = of(&bytes).unwrap();
            assert_eq!(encoding.decode(&bytes).0, text);
            let mut read = String::new();
            AsUtf8::new(BufReader::with_capacity(3, &bytes[..]), encoding).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }

    #[test]
    fn other_bytes_are_refused_at_their_place() {
        let damaged = ["größe,ähnlich\nü".as_bytes(), b"b\xe9,1\n"].concat();
        assert_eq!(of(&damaged).unwrap_err(), "t.csv:2:3: the text is not valid UTF-8; save it in the encoding UTF-8");
        let marked = b"\xef\xbb\xbfid\n\xe9\n";
        assert!(of(marked).unwrap_err().starts_with("t.csv:2:1: the text is not valid UTF-8"), "{:?}", of(marked));
        for bytes in [&b"id,n\nb\xe9,\x9d\n"[..], b"\xe9,n\nb ,\x00\n"] {
            let error = of(bytes).unwrap_err();
            assert!(error.starts_with("t.csv:2:4: the byte is not a character of UTF-8 or Windows-1252"), "{error}");
        }
    }
}
