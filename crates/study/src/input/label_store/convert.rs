//! The log that older versions kept, as files of the store.
//!
//! `added-labels.csv` held batches (`#batch 2: 3 labels chain SUM`), their rows and removals (`#remove batch 2 at TIME
//! chain SUM`). Each line had a sum over the line above and its own cells. Rows whose sums are right become files; others go
//! to a table to look at. A removal is carried out where all above it is as written: elsewhere its batch may be another's.

use std::collections::BTreeMap;
use std::path::Path;

use csv::ReaderBuilder;
use sha2::{Digest, Sha256};

use super::{LabelBatch, LabelStore, NewLabel, aside, move_aside, sum_in, write};
use crate::Error as StudyError;
use judge_uncertainty_formats::checksum::{hex, read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_formats::links::refuse_links;
use judge_uncertainty_system::{csv_text, shell_path, write_new_file};

/// Name of the log of older versions.
pub const LOG_FILE: &str = "added-labels.csv";

impl LabelStore {
    /// Converts the log in the folder of a study, once; what is to be said of it.
    ///
    /// # Errors
    /// The folder has no log, or the file system refuses; the log then stays where it was, and converting again continues.
    pub fn convert(study: &Path) -> Result<Vec<String>, StudyError> {
        let file = study.join(LOG_FILE);
        refuse_links(study, &file)?;
        let bytes = read_file(&file)?;
        let header = ["id", "annotator", "label"].map(str::to_owned).to_vec();
        if !bytes.starts_with(header.join(",").as_bytes()) {
            return Err(Error::unfit(Place::file(&file), "this is no log of added labels", "move the file away").into());
        }
        // Batches by time, source, its sum and their number; and numbers and times of removals.
        let (mut batches, mut removals, mut lost) = (BTreeMap::<[String; 4], Vec<NewLabel>>::new(), vec![], 0);
        let (mut unsure, mut above, mut number, mut is_whole) = (vec![header], String::new(), String::new(), true);
        for record in ReaderBuilder::new().flexible(true).from_reader(&*bytes).into_byte_records() {
            let record = record.map_err(|error| Error::Unreadable { file: file.clone(), source: error.into() })?;
            let cells: Vec<String> = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
            let is_alone = cells[1..].iter().all(String::is_empty);
            let mark = cells[0].strip_prefix('#').filter(|_| is_alone).and_then(|mark| mark.split_once(" chain "));
            if let Some((text, sum)) = mark {
                is_whole &= link(&above, &[text.to_owned()]) == sum;
                sum.clone_into(&mut above);
                let removal = text.strip_prefix("remove batch ").and_then(|of| of.split_once(" at "));
                match (text.strip_prefix("batch "), removal.filter(|_| is_whole)) {
                    (Some(batch), _) => {
                        number = batch.split(':').next().filter(|_| is_whole).unwrap_or_default().to_owned()
                    }
                    (None, Some((of, time))) => removals.push([of, time].map(str::to_owned)),
                    (None, None) => lost += 1,
                }
            } else if cells.len() == 8 && link(&above, &cells[..7]) == cells[7] {
                let [id, annotator, value, given, added, source, sha256, sum] = cells.try_into().expect("eight cells");
                let label = NewLabel { id, annotator, value, given, place: Place::default() };
                batches.entry([added, source, sha256, number.clone()]).or_default().push(label);
                above = sum;
            } else if cells.len() >= 3 && cells[..3].iter().all(|cell| !cell.is_empty()) {
                (is_whole, above) = (false, cells.last().cloned().unwrap_or_default());
                unsure.push(cells[..3].to_vec());
            }
        }
        let labels: usize = batches.values().map(Vec::len).sum();
        let mut said = vec![format!("{labels} labels in {} batches converted.", batches.len())];
        for ([added, source, sha256, number], labels) in batches {
            let written = write(study, &LabelBatch { added, source, sha256, ..LabelBatch::default() }, &labels)?;
            for [_, added] in removals.extract_if(.., |[of, _]| *of == number) {
                let takes_back = sum_in(&written.to_string_lossy());
                write(study, &LabelBatch { added, takes_back, ..LabelBatch::default() }, &[])?;
            }
        }
        if unsure.len() > 1 {
            let (rows, text) = (unsure.len() - 1, csv_text(unsure));
            let table = aside(study)?.join(format!("unsure-{}.csv", &sha256_hex(&text)[..12]));
            write_new_file(&table, &text)?;
            let shown = table.display();
            said.push(format!("{rows} rows may have been edited since they were added: look at {shown}, then"));
            let (table, study) = (shell_path(&table), shell_path(study));
            said.push(format!("  judge-uncertainty study labels add {table} {study}"));
        }
        lost += removals.len();
        if lost > 0 {
            said.push(format!(
                "{lost} removals were not carried out, because the log does not say for certain which labels they mean: see \
                 `study labels list`, and take batches back with `study labels remove`."
            ));
        }
        // Beside the log, the sum of its last line.
        let head = study.join(".added-labels.head");
        if head.is_file() {
            move_aside(study, &head)?;
        }
        said.push(format!("The old log is in {}.", move_aside(study, &file)?.display()));
        Ok(said)
    }
}

/// The sum of a line: SHA-256 of the sum before it and of the line's cells, each with its length before it. Line ends
/// within cells count as `\n`.
fn link(above: &str, cells: &[String]) -> String {
    let mut sum = Sha256::new();
    for cell in std::iter::once(above).chain(cells.iter().map(String::as_str)) {
        let cell = cell.replace("\r\n", "\n");
        sum.update((cell.len() as u64).to_le_bytes());
        sum.update(cell);
    }
    hex(&sum.finalize())
}
