//! A batch or a removal on its way to the disk.
//!
//! One process at a time writes. What is written goes behind what is whole, in one piece, and counts once all of it is
//! there ([`super::layout`]); what was cut off before is moved to a file of its own first.

use std::fs::File;
use std::path::Path;

use super::label_log::{HEAD_FILE, LabelLog, NewLabel, aside};
use super::layout::{self, LogCells};
use crate::Error as StudyError;
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_system::faults::{append, step};
use judge_uncertainty_system::locked::LockedFile;
use judge_uncertainty_system::{FileError, clock, read, write_file, write_new_file};

impl LabelLog {
    /// Appends checked labels of a file, whose bytes have this sum, as one batch, and returns its number; what the log
    /// held before stays as it is.
    ///
    /// # Errors
    /// The file system refuses, or another process writes or wrote meanwhile.
    pub fn append(&self, file: &Path, sha256: &str, labels: &[NewLabel]) -> Result<u64, StudyError> {
        let source = file.file_name().map_or_else(|| "file".to_owned(), |name| name.to_string_lossy().into_owned());
        let number = self.listed.last().map_or(0, |last| last.number) + 1;
        self.write(&batch(&self.chain, number, &clock::now(), &source, sha256, labels))?;
        Ok(number)
    }

    /// Notes that a batch no longer counts. Its rows stay in the log.
    ///
    /// # Errors
    /// There is no such batch, or it was removed before; the file system refuses, or another process writes or wrote
    /// meanwhile.
    pub fn remove(&self, number: u64) -> Result<(), StudyError> {
        let refuse = |reason: String| {
            let remedy = "`study labels list` shows the batches and their numbers";
            Err(Error::unfit(Place::file(&self.file), reason, remedy).into())
        };
        match self.listed.iter().find(|listed| listed.number == number) {
            None => refuse(format!("there is no batch {number}")),
            Some(listed) => match &listed.removed {
                Some(time) => refuse(format!("batch {number} was removed before, at {time}")),
                None => self.write(&layout::removal_text(&self.chain, number, &clock::now())),
            },
        }
    }

    fn write(&self, text: &[u8]) -> Result<(), StudyError> {
        let at = |action| FileError::at(&self.file, action);
        let new = !self.file.exists();
        let Some(mut log) = LockedFile::open(&self.file).map_err(at("opening"))? else {
            return Err(self.busy("another process is adding labels to it").into());
        };
        let found = log.read_all().map_err(at("reading"))?;
        if sha256_hex(&found) != self.seen {
            return Err(self.busy("another process has changed it meanwhile").into());
        }
        let whole = layout::parse(&self.file, &found)?.whole;
        if whole < found.len() {
            let cut = &found[whole..];
            let aside = aside(&self.file, cut)?;
            let held = || read::bytes(&aside).map_err(FileError::at(&aside, "reading"));
            if !write_new_file(&aside, cut)? && held()? != cut {
                return Err(self.busy("another process has moved its end aside meanwhile").into());
            }
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
        note_head(&self.file, &[&found[..whole], &bytes].concat());
        Ok(())
    }

    fn busy(&self, reason: &str) -> Error {
        Error::unfit(Place::file(&self.file), reason, "nothing was written; run the command again")
    }
}

/// Notes which line is the last of a log that holds these bytes. Where that can't be noted, the note from before stays,
/// and the log has that line, too.
pub(super) fn note_head(log: &Path, bytes: &[u8]) {
    let Ok(parsed) = layout::parse(log, bytes) else { return };
    let labels: usize = parsed.batches.iter().map(|batch| batch.rows.len()).sum();
    let text = format!("{} {labels} labels in {} batches\n", parsed.chain, parsed.batches.len());
    let _ = write_file(&log.with_file_name(HEAD_FILE), text.as_bytes());
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

fn batch(chain: &str, number: u64, added: &str, source: &str, sha256: &str, labels: &[NewLabel]) -> Vec<u8> {
    let cells = |label: &NewLabel| -> LogCells {
        [&label.id, &label.annotator, &label.value, &label.given, added, source, sha256].map(str::to_owned)
    };
    layout::batch_text(chain, number, &labels.iter().map(cells).collect::<Vec<_>>())
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

    /// Logs that a batch or removal is written to: none, a header, rows without sums, a batch with one, and with sums
    /// of rows.
    fn before() -> Vec<Vec<u8>> {
        let header = "id,annotator,label,given,added,source,source_sha256\n";
        let old = format!("{header}z,ann,yes,,2026-01-01,old.csv,{SUM}\n");
        // By Python's hashlib.
        let sum = "63e17990282a2f62bd1b421a4e148409ca93c6c984cfc14f9cfb102c6eb7b79b";
        let sealed = format!("{header}#batch 1: 1 labels sha256 {sum}\nz,ann,yes,,2026-01-01,old.csv,{SUM}\n");
        let chained = [layout::header(), batch("", 1, "t", "one.csv", SUM, &labels()[1..])].concat();
        vec![vec![], layout::header(), old.into_bytes(), sealed.into_bytes(), chained]
    }

    /// Stopped after any byte, the log is the old one or the new one, and doing it again gives the same bytes; what was
    /// cut off is kept.
    #[test]
    fn a_write_cut_off_at_any_byte_is_absent_and_can_be_repeated() {
        let mut cuts = 0;
        for old in before() {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join(LOG_FILE);
            let aside = dir.path().join("added-labels.cut-1.csv");
            let noted = dir.path().join(HEAD_FILE);
            fs::write(&file, &old).unwrap();
            let known = read(dir.path());
            let number = known.listed.len() as u64 + 1;
            let mut texts = vec![batch(&known.chain, number, "t", "new.csv", SUM, &labels())];
            texts.extend((number > 1).then(|| layout::removal_text(&known.chain, number - 1, "t")));
            for text in texts {
                let new = [old.as_slice(), &behind(&old, &text)].concat();
                fs::write(&file, &new).unwrap();
                note_head(&file, &new);
                let head = fs::read(&noted).unwrap();
                let expected = read(dir.path());
                assert_ne!(expected.rows, known.rows);
                for cut in old.len()..=new.len() {
                    cuts += 1;
                    fs::write(&file, &new[..cut]).unwrap();
                    // Beside the note that all was written, every cut is told.
                    fs::write(&noted, &head).unwrap();
                    assert_eq!(read(dir.path()).torn.is_some(), cut + 1 < new.len(), "{cut}");
                    fs::remove_file(&noted).unwrap();
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
                        if found.torn.is_some() {
                            let kept = fs::read(&aside).unwrap();
                            assert!(!kept.is_empty() && new[..cut].ends_with(&kept), "{cut}");
                            fs::remove_file(&aside).unwrap();
                        }
                    } else {
                        found.append(Path::new("next.csv"), SUM, &labels()).unwrap();
                        assert_eq!(read(dir.path()).rows.len(), expected.rows.len() + 3);
                    }
                }
            }
        }
        assert!(cuts > 2000, "{cuts}");
    }

    /// Any line of several batches deleted, doubled, edited or exchanged with the next: the log is refused and left
    /// alone, or the cut end is told and kept.
    #[test]
    fn damage_to_any_line_is_told_and_loses_no_row() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(LOG_FILE);
        let few =
            |from: usize, to: usize| -> Vec<NewLabel> { (from..to).map(|i| label(&format!("i{i}"), "yes")).collect() };
        read(dir.path()).append(Path::new("a.csv"), SUM, &few(0, 3)).unwrap();
        read(dir.path()).append(Path::new("b.csv"), SUM, &few(3, 7)).unwrap();
        read(dir.path()).remove(1).unwrap();
        read(dir.path()).append(Path::new("c.csv"), SUM, &few(7, 12)).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let (mut refused, mut told) = (0, 0);
        for at in 0..lines.len() {
            for kind in 0..4 {
                let mut damaged = lines.clone();
                match kind {
                    0 => drop(damaged.remove(at)),
                    1 => damaged.insert(at, lines[at].clone()),
                    2 => damaged[at] = lines[at].replacen(['y', 'b'], "x", 1),
                    _ if at + 1 < lines.len() => damaged.swap(at, at + 1),
                    _ => continue,
                }
                let damaged = damaged.concat();
                assert_ne!(damaged, text);
                fs::write(&file, &damaged).unwrap();
                match LabelLog::read(dir.path(), &mut Source::default()) {
                    Err(_) => refused += 1,
                    Ok(log) => {
                        told += 1;
                        assert!(log.torn.is_some(), "silent: damage {kind} at line {}", at + 1);
                        log.append(Path::new("d.csv"), SUM, &few(20, 21)).unwrap();
                        let kept = fs::read_to_string(dir.path().join("added-labels.cut-1.csv")).unwrap();
                        assert!(damaged.ends_with(&kept));
                        let whole = &damaged[..damaged.len() - kept.len()];
                        assert!(fs::read_to_string(&file).unwrap().starts_with(whole));
                        fs::remove_file(dir.path().join("added-labels.cut-1.csv")).unwrap();
                        continue;
                    }
                }
                assert_eq!(fs::read_to_string(&file).unwrap(), damaged);
            }
        }
        // Only the last line of all can be missing without a line below it to tell.
        assert_eq!((refused, told), (4 * lines.len() - 2, 1));
    }

    /// Of an older log whose rows have no sums a short last batch is refused, unless a part of a row shows that it was
    /// cut.
    #[test]
    fn a_short_batch_of_an_older_log_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let text = fs::read_to_string("../../fuzz/corpus/label_log/sealed").unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        fs::write(dir.path().join(LOG_FILE), &text).unwrap();
        assert_eq!(read(dir.path()).rows.len(), 1);
        for gone in [&[2][..], &[3, 4]] {
            let short: String = (0..5).filter(|line| !gone.contains(line)).map(|line| lines[line]).collect();
            assert!(refusal(dir.path(), short.as_bytes()).contains("should have 2 labels, but"), "{gone:?}");
        }
        fs::write(dir.path().join(LOG_FILE), fs::read("../../fuzz/corpus/label_log/torn").unwrap()).unwrap();
        let log = read(dir.path());
        assert!(log.torn.unwrap().contains("batch 1 is incomplete (1 of 2 labels)"));
    }

    #[test]
    fn batches_are_appended_removed_and_added_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("new.csv");
        assert_eq!(read(dir.path()).append(&file, SUM, &labels()).unwrap(), 1);
        let log = read(dir.path());
        assert_eq!(
            log.rows.iter().map(|(_, row)| row.id.as_str()).collect::<Vec<_>>(),
            ["a", "#batch 2: 1 labels", "c\n"]
        );
        assert_eq!(log.rows.iter().map(|(_, row)| row.place.line.unwrap()).collect::<Vec<_>>(), [3, 4, 6]);
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
        let one = batch("", 1, "t", "one.csv", SUM, &labels());
        let alone = [layout::header(), one.clone()].concat();
        fs::write(&file, &alone).unwrap();
        let removal = layout::removal_text(&read(dir.path()).chain, 1, "t");
        let text = String::from_utf8([alone, removal].concat()).unwrap();
        fs::write(&file, text.replace('\n', "\r\n")).unwrap();
        let log = read(dir.path());
        assert_eq!((log.listed.len(), log.torn), (1, None));
        let header = String::from_utf8(layout::header()).unwrap();
        for (from, to, message) in [
            (
                "yes",
                "no",
                ":3: the row does not fit those above it: a line was edited, removed, doubled or moved here; nothing",
            ),
            ("a,Zo\u{eb}", "b,Zo\u{eb}", ":3: the row does not fit"),
            ("#batch 1: 3", "#batch 1: 4", ":2: the line does not fit those above it"),
            ("#batch 1", "#batch 2", ":2: the line does not fit"),
            ("batch 1 at t", "batch 1 at u", ":8: the line is not as it was written"),
            (header.as_str(), "id,label\n", "this is not a log of added labels; move the file away"),
        ] {
            let edited = text.replacen(from, to, 1);
            assert_ne!(edited, text, "{from}");
            let error = refusal(dir.path(), edited.as_bytes());
            assert!(error.contains(message), "{error}");
        }
        let twice = [layout::header(), one.clone(), one].concat();
        assert!(refusal(dir.path(), &twice).contains("the line does not fit those above it"));
        let old = String::from_utf8(before()[2].clone()).unwrap();
        let error = refusal(dir.path(), format!("{old}y,ann,yes,,2026-01-01,old.csv,9b7").as_bytes());
        assert!(error.contains(":3: the row is not a whole label") && error.contains("from line 2 on"), "{error}");
        let blank = old.replace("z,ann", "z,");
        assert!(
            refusal(dir.path(), blank.as_bytes()).contains("(column \"annotator\", item \"z\"): the cell is blank")
        );
    }
}
