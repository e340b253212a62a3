//! Rows of a file of JSON objects, one a line, some at a time.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::{Batch, BatchReader, Header};
use crate::error::{Error, Place, Problem, Result};
use crate::jsonl::fields;
use judge_uncertainty_system::read::InputFile;

/// Objects whose fields are the columns of the file.
const LOOKED_AT: usize = 1000;

/// A file of JSON objects that is read line by line.
pub(super) struct JsonRows {
    reader: BufReader<InputFile>,
    header: Header,
    /// Lines that were read for the header.
    ahead: VecDeque<(u64, Vec<u8>)>,
    line: u64,
    consumed: u64,
}

impl JsonRows {
    /// Opens a file and looks at its first objects.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = InputFile::open(path).map_err(Error::unreadable(path))?;
        let header = Header { file: path.to_owned(), names: vec![], complete: false };
        let reader = BufReader::with_capacity(1 << 20, file);
        let mut rows = Self { reader, header, ahead: VecDeque::new(), line: 0, consumed: 0 };
        while rows.ahead.len() < LOOKED_AT {
            let Some((line, bytes)) = rows.read()? else { break };
            let object = std::str::from_utf8(&bytes).ok().and_then(|text| fields(path, line, text).ok());
            for (name, _) in object.unwrap_or_default() {
                if !rows.header.has(&name) {
                    rows.header.names.push(name);
                }
            }
            rows.ahead.push_back((line, bytes));
        }
        match rows.ahead.is_empty() {
            true => Err(Error::refused(Place::file(path), Problem::NoRows)),
            false => Ok(rows),
        }
    }

    /// The next line that is not blank.
    fn read(&mut self) -> Result<Option<(u64, Vec<u8>)>> {
        loop {
            let mut bytes = vec![];
            let read = self.reader.read_until(b'\n', &mut bytes);
            let read = read.map_err(Error::unreadable(&self.header.file))?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            self.consumed += read as u64;
            if !bytes.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some((self.line, bytes)));
            }
        }
    }
}

impl BatchReader for JsonRows {
    fn header(&self) -> &Header {
        &self.header
    }

    fn consumed(&self) -> u64 {
        self.consumed
    }

    fn next(&mut self, wanted: &[String], most: usize) -> Result<Option<Batch>> {
        let mut batch = Batch::new(&self.header.file, wanted.to_vec());
        while batch.len() + batch.broken.len() < most {
            let ahead = self.ahead.pop_front();
            let Some((line, bytes)) = ahead.map_or_else(|| self.read(), |line| Ok(Some(line)))? else { break };
            let Ok(text) = std::str::from_utf8(&bytes).map(str::trim_end) else {
                batch.push_broken(line, Problem::NotUtf8, "");
                continue;
            };
            let object = match fields(&self.header.file, line, text) {
                Ok(object) => object,
                Err(Error::Refused(refusal)) => {
                    batch.push_broken(line, refusal.problem, text);
                    continue;
                }
                Err(other) => return Err(other),
            };
            let cell = |name: &String| object.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value);
            batch.push(line, wanted.iter().map(cell), Some(text));
        }
        Ok(batch.if_any())
    }
}
