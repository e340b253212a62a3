//! Files whose content stands in archives or compressed pages, and what other programs wrote: workbooks, Parquet, logs
//! of judges.

use std::io::{Cursor, Read, Write};
use std::path::Path;

use judge_uncertainty::formats::batches::source;
use judge_uncertainty::formats::logs::{LOGS, LogRows, Logs, detect};
use judge_uncertainty::formats::{parquet, xlsx};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, ZipArchive};

use super::tables::{told, visit};
use crate::scratch::{Scratch, choice};

const WORKBOOK: &[u8] = include_bytes!("../../../tests/golden/tools/items.xlsx");

/// An archive with right sums.
pub(super) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in members {
        archive.start_file(*name, stored).expect("an archive in memory");
        archive.write_all(content).expect("an archive in memory");
    }
    archive.finish().expect("an archive in memory").into_inner()
}

/// A workbook, one of whose parts is given.
pub(super) fn workbook(part: &str, content: &[u8]) -> Vec<u8> {
    let mut from = ZipArchive::new(Cursor::new(WORKBOOK)).expect("the committed workbook");
    let mut members = vec![];
    for k in 0..from.len() {
        let mut member = from.by_index(k).expect("the committed workbook");
        let name = member.name().expect("a name in UTF-8").into_owned();
        let mut text = vec![];
        member.read_to_end(&mut text).expect("the committed workbook");
        members.push((name.clone(), if name == part { content.to_vec() } else { text }));
    }
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect();
    archive(&members)
}

/// Excel workbooks: raw, and with right sums around a part.
pub(crate) fn sheets(data: &[u8]) {
    const PARTS: [&str; 4] =
        ["xl/worksheets/sheet2.xml", "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml"];
    let (form, data) = choice(data, 1 + PARTS.len());
    let bytes = if form == 0 { data.to_vec() } else { workbook(PARTS[form - 1], data) };
    let _ = xlsx::is(&bytes);
    visit(xlsx::read(Path::new("items.xlsx"), &bytes, "id"));
}

/// Parquet with pages of every codec that is read: a table of a study, and rows for `apply`.
pub(crate) fn pages(data: &[u8]) {
    visit(parquet::read(Path::new("items.parquet"), data, "id"));
    rows("items.parquet", data);
}

/// Rows for `apply` from text.
pub(crate) fn rows_of_text(data: &[u8]) {
    let (form, data) = choice(data, 2);
    rows(["items.csv", "items.jsonl"][form], data);
}

fn rows(name: &str, data: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.put(name, data);
    let Ok(mut rows) = source::open(&path, "id").map_err(told) else { return };
    let wanted = rows.header().names.clone();
    while let Some(batch) = rows.next(&wanted, 3).map_err(told).ok().flatten() {
        assert!(!batch.is_empty() || !batch.broken.is_empty());
        if !wanted.is_empty() {
            visit(Ok(batch.table));
        }
    }
}

/// Logs of judges in every format that is known: recognised, read, and made into tables. Of the zip archives of
/// inspect_ai the members are given, behind their names, each up to a line of `---`.
pub(crate) fn judge_log(data: &[u8]) {
    let (form, data) = choice(data, 2 + LOGS.len());
    let file = Path::new(if form == 1 { "log.eval" } else { "log.json" });
    let bytes = if form == 1 { archive_of(data) } else { data.to_vec() };
    let found = if form < 2 { detect(file, &bytes).map_err(told) } else { Ok(&LOGS[form - 2]) };
    let Ok(format) = found else { return };
    let Ok(logs) = Logs::read(format, std::iter::once((file.to_owned(), bytes.as_slice()))).map_err(told) else {
        return;
    };
    let classes = ["1", "2", "yes", "no"].map(str::to_owned);
    for rows in [LogRows::Items, LogRows::Judge(&classes), LogRows::Labels] {
        visit(logs.table(rows, None));
    }
}

fn archive_of(data: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(data);
    let parts = text.split("\n---\n").filter_map(|part| part.split_once('\n'));
    let members: Vec<(&str, &[u8])> = parts.map(|(name, content)| (name, content.as_bytes())).collect();
    let named = |k: usize| members[..k].iter().any(|(name, _)| *name == members[k].0);
    if (0..members.len()).any(named) {
        return vec![];
    }
    archive(&members)
}
