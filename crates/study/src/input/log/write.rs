//! A batch or a removal on its way to the disk.
//!
//! One process at a time writes. What is written goes behind what is whole, in one piece, and counts once all of it is
//! there ([`super::layout`]); what was cut off before is removed first.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::label_log::{LabelLog, NewLabel};
use super::layout::{self, Cells};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::error::{Error, Place, Problem};
use judge_uncertainty_system::FileError;
use judge_uncertainty_system::clock;
use judge_uncertainty_system::faults::{append, step};
use judge_uncertainty_system::locked::LockedFile;

/// Why the log was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Another process is writing, or has written since the log was read; or there is no such batch.
    #[error(transparent)]
    Refused(#[from] Error),
    /// The file system refuses; the log is as it was.
    #[error(transparent)]
    File(#[from] FileError),
}

impl LabelLog {
    /// Appends checked labels of a file, whose bytes have this sum, as one batch, and returns its number; what the log
    /// held before stays as it is.
    ///
    /// # Errors
    /// The file system refuses, or another process writes or wrote meanwhile.
    pub fn append(&self, file: &Path, sha256: &str, labels: &[NewLabel]) -> Result<u64, WriteError> {
        let source = file.file_name().map_or_else(|| "file".to_owned(), |name| name.to_string_lossy().into_owned());
        let number = self.listed.last().map_or(0, |last| last.number) + 1;
        self.write(&batch(number, &clock::now(), &source, sha256, labels))?;
        Ok(number)
    }

    /// Notes that a batch no longer counts. Its rows stay in the log.
    ///
    /// # Errors
    /// There is no such batch, or it was removed before; the file system refuses, or another process writes or wrote
    /// meanwhile.
    pub fn remove(&self, number: u64) -> Result<(), WriteError> {
        let refuse = |reason: String| {
            let remedy = "`study labels list` shows the batches and their numbers".to_owned();
            Err(Error::refused(Place::file(&self.file), Problem::Unfit { reason, remedy }).into())
        };
        match self.listed.iter().find(|listed| listed.number == number) {
            None => refuse(format!("there is no batch {number}")),
            Some(listed) => match &listed.removed {
                Some(time) => refuse(format!("batch {number} was removed before, at {time}")),
                None => self.write(&layout::removal_text(number, &clock::now())),
            },
        }
    }

    fn write(&self, text: &[u8]) -> Result<(), WriteError> {
        let at = |action| FileError::at(&self.file, action);
        let new = !self.file.exists();
        let Some(mut log) = LockedFile::open(&self.file).map_err(at("opening"))? else {
            return Err(self.busy("another process is adding labels to it").into());
        };
        let mut found = vec![];
        log.read_to_end(&mut found).map_err(at("reading"))?;
        if sha256_hex(&found) != self.seen {
            return Err(self.busy("another process has changed it meanwhile").into());
        }
        let whole = layout::parse(&self.file, &found)?.whole;
        if whole < found.len() {
            step().and_then(|()| log.set_len(whole as u64)).map_err(at("shortening"))?;
        }
        let bytes = behind(&found[..whole], text);
        let written = append(&mut *log, &bytes).and_then(|()| step()).and_then(|()| log.sync_all());
        if let Err(error) = written {
            // Should this fail too, the next to open the log leaves out what is incomplete.
            let _ = log.set_len(whole as u64).and_then(|()| log.sync_all());
            return Err(at("appending")(error).into());
        }
        if new && let Some(folder) = self.file.parent() {
            sync_folder(folder).map_err(at("appending"))?;
        }
        Ok(())
    }

    fn busy(&self, reason: &str) -> Error {
        let remedy = "nothing was written; run the command again".to_owned();
        Error::refused(Place::file(&self.file), Problem::Unfit { reason: reason.to_owned(), remedy })
    }
}

/// What is appended to a log that holds `whole`, so that `text` begins a line of its own.
fn behind(whole: &[u8], text: &[u8]) -> Vec<u8> {
    let start = match whole.last() {
        None => layout::header(),
        Some(b'\n') => vec![],
        Some(_) => b"\n".to_vec(),
    };
    [start.as_slice(), text].concat()
}

fn batch(number: u64, added: &str, source: &str, sha256: &str, labels: &[NewLabel]) -> Vec<u8> {
    let cells = |label: &NewLabel| -> Cells {
        [&label.id, &label.annotator, &label.value, &label.given, added, source, sha256].map(str::to_owned)
    };
    layout::batch_text(number, &labels.iter().map(cells).collect::<Vec<_>>())
}

/// Makes the name of a new file last.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Folders can't be synchronised here.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::input::log::LOG_FILE;
    use crate::input::source::Source;

    const SUM: &str = "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de";

    fn label(id: &str, value: &str) -> NewLabel {
        let [id, value] = [id, value].map(str::to_owned);
        NewLabel { id, annotator: "Zoë".to_owned(), value, given: String::new(), place: Place::default() }
    }

    fn labels() -> Vec<NewLabel> {
        vec![label("a", "yes"), label("#batch 2: 1 labels", "no,\n\"x\""), label("c\n", "ß")]
    }

    fn read(folder: &Path) -> LabelLog {
        LabelLog::read(folder, &mut Source::default()).unwrap()
    }

    fn refusal(folder: &Path, text: &[u8]) -> String {
        fs::write(folder.join(LOG_FILE), text).unwrap();
        LabelLog::read(folder, &mut Source::default()).unwrap_err().to_string()
    }

    /// Logs that a batch or removal is written to: none, as logs were without sums, and with a batch.
    fn before() -> Vec<Vec<u8>> {
        let old = format!("id,annotator,label,given,added,source,source_sha256\nz,ann,yes,,2026-01-01,old.csv,{SUM}\n");
        let sealed = [layout::header(), batch(1, "t", "one.csv", SUM, &labels()[1..])].concat();
        let both = [old.as_bytes(), &batch(2, "t", "one.csv", SUM, &labels())].concat();
        vec![vec![], layout::header(), old.into_bytes(), sealed, both]
    }

    /// Stopped after any byte, the log is the old one or the new one, and doing it again gives the same bytes.
    #[test]
    fn a_write_cut_off_at_any_byte_is_absent_and_can_be_repeated() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(LOG_FILE);
        let mut cuts = 0;
        for old in before() {
            fs::write(&file, &old).unwrap();
            let known = read(dir.path());
            let number = known.listed.len() as u64 + 1;
            let mut texts = vec![batch(number, "t", "new.csv", SUM, &labels())];
            texts.extend((number > 1).then(|| layout::removal_text(number - 1, "t")));
            for text in texts {
                let new = [old.as_slice(), &behind(&old, &text)].concat();
                fs::write(&file, &new).unwrap();
                let expected = read(dir.path());
                assert_ne!(expected.rows, known.rows);
                for cut in old.len()..=new.len() {
                    cuts += 1;
                    fs::write(&file, &new[..cut]).unwrap();
                    let found = read(dir.path());
                    // Without its last line end a batch is whole.
                    let after = cut + 1 >= new.len();
                    let state = if after { &expected } else { &known };
                    assert_eq!((&found.rows, &found.listed), (&state.rows, &state.listed), "{cut} of {}", new.len());
                    let begun = cut > old.len() + if old.is_empty() { layout::header().len() } else { 0 };
                    let header = old.is_empty() && cut > 0 && cut + 1 < layout::header().len();
                    assert_eq!(found.torn.is_some(), (begun && !after) || header, "{cut}: {:?}", found.torn);
                    // Every write waits for the disk.
                    if cut % 5 != 0 {
                        continue;
                    }
                    if !after {
                        found.write(&text).unwrap();
                        assert_eq!(fs::read(&file).unwrap(), new, "{cut}");
                    } else {
                        found.append(Path::new("next.csv"), SUM, &labels()).unwrap();
                        assert_eq!(read(dir.path()).rows.len(), expected.rows.len() + 3);
                    }
                }
            }
        }
        assert!(cuts > 2000, "{cuts}");
    }

    #[test]
    fn batches_are_appended_removed_and_added_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("new.csv");
        assert_eq!(read(dir.path()).append(&file, SUM, &labels()).unwrap(), 1);
        let log = read(dir.path());
        assert_eq!(log.rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["a", "#batch 2: 1 labels", "c\n"]);
        assert_eq!(log.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [3, 4, 6]);
        assert!(log.check_new(&file, SUM).is_err());
        log.remove(1).unwrap();
        let log = read(dir.path());
        assert_eq!((log.rows.len(), log.batches.len(), log.listed.len()), (0, 0, 1));
        assert!(log.listed[0].removed.is_some());
        let error = log.remove(1).unwrap_err().to_string();
        assert!(error.contains("batch 1 was removed before") && error.contains("labels list"), "{error}");
        assert!(log.remove(7).unwrap_err().to_string().contains("there is no batch 7"));
        log.check_new(&file, SUM).unwrap();
        assert_eq!(log.append(&file, SUM, &labels()).unwrap(), 2);
        assert_eq!(read(dir.path()).rows.len(), 3);
    }

    #[test]
    fn of_two_at_once_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (read(dir.path()), read(dir.path()));
        let lock = LockedFile::open(&first.file).unwrap().unwrap();
        let error = first.append(Path::new("a.csv"), SUM, &labels()).unwrap_err().to_string();
        assert!(error.contains("another process is adding") && error.contains("again"), "{error}");
        drop(lock);
        first.append(Path::new("a.csv"), SUM, &labels()).unwrap();
        let written = fs::read(&first.file).unwrap();
        let error = second.append(Path::new("a.csv"), SUM, &labels()).unwrap_err().to_string();
        assert!(error.contains("changed it meanwhile"), "{error}");
        assert_eq!(fs::read(&first.file).unwrap(), written);
    }

    #[test]
    fn other_line_ends_do_no_harm_and_edits_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(LOG_FILE);
        let one = batch(1, "t", "one.csv", SUM, &labels());
        let text = String::from_utf8([layout::header(), one.clone(), layout::removal_text(1, "t")].concat()).unwrap();
        fs::write(&file, text.replace('\n', "\r\n")).unwrap();
        let log = read(dir.path());
        assert_eq!((log.listed.len(), log.torn), (1, None));
        let header = String::from_utf8(layout::header()).unwrap();
        for (from, to, message) in [
            ("yes", "no", ":2: the rows of batch 1 are not those that were written; restore the log"),
            ("a,Zo\u{eb}", "b,Zo\u{eb}", "are not those that were written"),
            ("#batch 1: 3", "#batch 1: 4", "should have 4 labels, but 3 follow"),
            ("#batch 1", "#batch 2", "are not those"),
            ("batch 1 at t", "batch 1 at u", ":8: the line is not as it was written"),
            (header.as_str(), "id,label\n", "this is not a log of added labels; move the file away"),
        ] {
            let edited = text.replacen(from, to, 1);
            assert_ne!(edited, text, "{from}");
            let error = refusal(dir.path(), edited.as_bytes());
            assert!(error.contains(message), "{error}");
        }
        let twice = [layout::header(), one.clone(), one].concat();
        assert!(refusal(dir.path(), &twice).contains("batch 1 appears twice"));
        let old = String::from_utf8(before()[2].clone()).unwrap();
        let error = refusal(dir.path(), format!("{old}y,ann,yes,,2026-01-01,old.csv,9b7").as_bytes());
        assert!(error.contains(":3: the row is not a whole label") && error.contains("from line 2 on"), "{error}");
        let blank = old.replace("z,ann", "z,");
        assert!(
            refusal(dir.path(), blank.as_bytes()).contains("(column \"annotator\", item \"z\"): the cell is blank")
        );
    }
}
