//! Writing a folder: all or nothing, by one process at a time, and never over somebody else's files.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::lock::Lock;
use super::staging::{Staging, is_there, listed};
use super::walk::Below;
use super::{Error, FileError, Record, Staged, disk, place, read};

/// An output folder that may be written: absent, empty, or wholly written by the same command, whose [record](Record)
/// is `R`. No other process may write to it while this value exists.
#[derive(Debug)]
pub struct OutputFolder<R> {
    path: PathBuf,
    /// The path without links.
    place: PathBuf,
    recovered: Option<String>,
    record: PhantomData<R>,
    _lock: Lock,
}

impl<R: Record> OutputFolder<R> {
    /// Checks a folder before any work is done, and holds it; what an interrupted run left beside it is put right.
    ///
    /// # Errors
    /// Another process writes to it; it can't be replaced where it is; a parent is missing or not writable; or the
    /// folder holds a file that its record does not list, be it of somebody else or of another command.
    pub fn check(path: &Path) -> Result<Self, Error> {
        let at = place::resolve(path)?;
        let lock = Lock::take(&at)?;
        let recovered = Staging::new(&at).recover()?;
        let folder = Self { path: path.to_owned(), place: at, recovered, record: PhantomData, _lock: lock };
        folder.look(&folder.place)?;
        if is_there(&folder.place) {
            let below = Below::try_new(&folder.place)?;
            let folders: Vec<PathBuf> = below.folders.iter().map(|name| folder.place.join(name)).collect();
            place::check_writable([folder.place.as_path()].into_iter().chain(folders.iter().map(PathBuf::as_path)))?;
        }
        Ok(folder)
    }

    /// What was put right of an interrupted run, in a sentence.
    pub fn recovered(&self) -> Option<&str> {
        self.recovered.as_deref()
    }

    /// The files of an output that is at `path`, all written by the command; none if nothing is there.
    fn look(&self, path: &Path) -> Result<Vec<String>, Error> {
        if !is_there(path) {
            return Ok(vec![]);
        }
        let below = Below::try_new(path)?;
        let mut ours = if below.files.is_empty() { vec![] } else { listed(&path.join(R::FILE), R::KEY)? };
        // Within an output of ours others may have replaced theirs since.
        for [folder, record, key] in R::WITHIN.iter().filter(|_| !ours.is_empty()).collect::<Vec<_>>() {
            let files = listed(&path.join(folder).join(record), key)?;
            ours.extend(files.into_iter().map(|file| format!("{folder}/{file}")));
        }
        let is_ours = !ours.is_empty();
        for [file, mark] in R::LEFT.iter().filter(|[file, _]| is_ours && below.files.iter().any(|name| name == file)) {
            let at = path.join(file);
            let found = read::bytes(&at).map_err(FileError::at(&at, "reading"))?;
            if String::from_utf8_lossy(&found).contains(mark) {
                ours.push((*file).to_owned());
            }
        }
        match below.foreign(&ours) {
            Some(file) => Err(Error::Foreign { folder: self.path.clone(), file }),
            None => Ok(below.files),
        }
    }

    /// Replaces the folder by the staged files in one step; on any error the previous folder is left whole.
    ///
    /// # Errors
    /// The file system refuses, or files of somebody else appeared in the folder meanwhile.
    pub fn commit(&self, staged: &Staged) -> Result<(), Error> {
        let files = self.files_with(staged)?;
        let committed = self.replace(staged, &files);
        // What is left after an error, or of the old output, is cleaned by the next run if it can't be now.
        let _ = Staging::new(&self.place).clean(&files);
        committed.map(drop)
    }

    /// Replaces the folder as [`Self::commit`] does, and puts the previous one back unless the result is committed.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub fn try_out(self, staged: &Staged) -> Result<OnTrial<R>, Error> {
        let files = self.files_with(staged)?;
        match self.replace(staged, &files) {
            Ok(replaced) => Ok(OnTrial { folder: self, replaced, undone: false, files }),
            Err(refused) => {
                let _ = Staging::new(&self.place).clean(&files);
                Err(refused)
            }
        }
    }

    /// The staged files and those that are there.
    fn files_with(&self, staged: &Staged) -> Result<Vec<String>, Error> {
        Ok(staged.names().into_iter().chain(self.look(&self.place)?).collect())
    }

    /// Puts the staged files in the folder's place; where the previous output is now, if there was any.
    fn replace(&self, staged: &Staged, files: &[String]) -> Result<Option<PathBuf>, Error> {
        let staging = Staging::new(&self.place);
        staging.fill(staged, files)?;
        self.look(&self.place)?;
        let replaced = staging.exchange()?;
        // What came between the last look and the exchange.
        if let Some(at) = &replaced
            && let Err(foreign) = self.look(at)
        {
            staging.undo(replaced.as_deref())?;
            return Err(foreign);
        }
        self.sync();
        Ok(replaced)
    }

    /// Asks the disk to store the names. A failure is not reported, because the new output is already in its place.
    fn sync(&self) {
        let _ = self.place.parent().map(disk::sync_folder);
    }
}

/// An output folder whose new files can be read in their place, while the previous output waits beside it. Dropping the
/// value puts the previous output back, or removes the folder if there was none.
#[derive(Debug)]
pub struct OnTrial<R: Record> {
    folder: OutputFolder<R>,
    /// Where the previous output is, if there was any.
    replaced: Option<PathBuf>,
    undone: bool,
    /// Files that may be removed: those on trial and those of the previous output.
    files: Vec<String>,
}

impl<R: Record> OnTrial<R> {
    /// Replaces the previous output by the staged files, which take the place of those on trial.
    ///
    /// # Errors
    /// As [`OutputFolder::commit`]; the previous output is then back.
    pub fn commit(mut self, staged: &Staged) -> Result<(), Error> {
        self.undo()?;
        self.folder.commit(staged)
    }

    fn undo(&mut self) -> Result<(), Error> {
        // Once, however it ends: a second try would take the previous output for the one on trial.
        if std::mem::replace(&mut self.undone, true) {
            return Ok(());
        }
        let folder = &self.folder;
        let files = [std::mem::take(&mut self.files), folder.look(&folder.place)?].concat();
        let staging = Staging::new(&folder.place);
        staging.undo(self.replaced.as_deref())?;
        folder.sync();
        staging.clean(&files)
    }
}

impl<R: Record> Drop for OnTrial<R> {
    fn drop(&mut self) {
        let _ = self.undo();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use serde::Serialize;

    use super::*;
    use crate::{faults::Fault, faults_in_tests as faults};

    #[derive(Debug, Serialize)]
    struct Runs {
        runs: u32,
        files: Vec<String>,
    }

    impl Record for Runs {
        const FILE: &'static str = "results/manifest.json";
        const KEY: &'static str = "runs";

        fn set_files(&mut self, files: Vec<String>) {
            self.files = files;
        }
    }

    #[derive(Debug, Serialize)]
    struct Queues {
        queues: u32,
        files: Vec<String>,
    }

    impl Record for Queues {
        const FILE: &'static str = "results/manifest.json";
        const KEY: &'static str = "queues";

        fn set_files(&mut self, files: Vec<String>) {
            self.files = files;
        }
    }

    fn staged(runs: u32) -> Staged {
        let mut staged = Staged::default();
        staged.put("items.csv", format!("id\n{runs}\n"));
        staged.put(format!("pages/of/{runs}.html"), "<p>");
        staged.seal(&mut Runs { runs, files: vec![] });
        staged
    }

    fn write(path: &Path, runs: u32) -> Result<(), Error> {
        OutputFolder::<Runs>::check(path)?.commit(&staged(runs))
    }

    fn content(path: &Path) -> BTreeMap<String, Vec<u8>> {
        let below = if is_there(path) { Below::try_new(path).unwrap() } else { Below::default() };
        below.files.into_iter().map(|file| (file.clone(), fs::read(path.join(file)).unwrap())).collect()
    }

    /// What the folder holds after `runs`, if nothing goes wrong.
    fn after(runs: u32) -> BTreeMap<String, Vec<u8>> {
        let new = staged(runs);
        new.iter().map(|(file, content)| (file.clone(), content.to_vec())).collect()
    }

    /// Every fault at every operation: afterwards the folder is the old or the new one, and the next run gives what it
    /// gives without a fault and leaves nothing beside it.
    #[test]
    fn a_fault_at_any_operation_loses_nothing() {
        for without_exchange in [false, true] {
            faults::WITHOUT_EXCHANGE.set(without_exchange);
            for (fault, before) in [(Fault::Full, 0), (Fault::Kill, 0), (Fault::Full, 1), (Fault::Kill, 1)] {
                let operations = (0..).take_while(|n| survives(*n, fault, before, without_exchange)).count();
                assert!(operations > 15, "{fault:?}: {operations}");
            }
        }
        faults::WITHOUT_EXCHANGE.set(false);
    }

    fn survives(n: usize, fault: Fault, before: u32, without_exchange: bool) -> bool {
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join("run");
        if before > 0 {
            write(&path, before).unwrap();
        }
        let old = content(&path);
        let (result, reached) = faults::at(n, fault, || write(&path, 2));
        let (is_old, is_new) = (content(&path) == old, content(&path) == after(2));
        let case = format!("{fault:?} at {n}, {before} before: {result:?}");
        // Without an exchange the folder may be away until the next start puts it back.
        let away = without_exchange && fault == Fault::Kill && !is_there(&path);
        assert!(is_old || is_new || away, "{case}");
        assert!(result.is_err() || is_new, "{case}");
        if away {
            drop(OutputFolder::<Runs>::check(&path).unwrap());
            assert_eq!(content(&path), old, "{case}");
        }
        write(&path, 3).unwrap_or_else(|e| panic!("{case}, then {e}"));
        assert_eq!(content(&path), after(3), "{case}");
        assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1, "{case}: something is left beside the folder");
        reached
    }

    /// What is on trial is read in its place and leaves it again; with any fault the previous output is back, or is back
    /// with the next run, which leaves nothing beside it.
    #[test]
    fn what_is_on_trial_leaves_its_place_again() {
        for (without_exchange, before, fault) in [
            (false, 0, Fault::Full),
            (false, 1, Fault::Full),
            (true, 0, Fault::Full),
            (true, 1, Fault::Full),
            (false, 0, Fault::Kill),
            (false, 1, Fault::Kill),
            (true, 1, Fault::Kill),
        ] {
            faults::WITHOUT_EXCHANGE.set(without_exchange);
            for n in 0.. {
                let beside = tempfile::tempdir().unwrap();
                let path = beside.path().join("run");
                if before > 0 {
                    write(&path, before).unwrap();
                }
                let old = content(&path);
                let (tried, reached) = faults::at(n, fault, || -> Result<(), Error> {
                    let on_trial = OutputFolder::<Runs>::check(&path)?.try_out(&staged(2))?;
                    assert_eq!(content(&path), after(2));
                    drop(on_trial);
                    Ok(())
                });
                let case = format!("{fault:?} at {n}, {before} before: {tried:?}");
                let now = content(&path);
                assert!(reached || now == old, "{case}");
                assert!(now == old || now == after(2) || without_exchange && now.is_empty(), "{case}");
                write(&path, 3).unwrap_or_else(|e| panic!("{case}, then {e}"));
                assert_eq!(content(&path), after(3), "{case}");
                assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1, "{case}: something is left");
                if !reached {
                    break;
                }
            }
        }
        faults::WITHOUT_EXCHANGE.set(false);
        // A user's file that came meanwhile stays where it was put, and so does what is on trial.
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join("run");
        let on_trial = OutputFolder::<Runs>::check(&path).unwrap().try_out(&staged(1)).unwrap();
        fs::write(path.join("mine.txt"), "mine").unwrap();
        drop(on_trial);
        assert!(path.join("mine.txt").is_file());
        fs::remove_file(path.join("mine.txt")).unwrap();
        // What is committed stays.
        let on_trial = OutputFolder::<Runs>::check(&path).unwrap().try_out(&staged(2)).unwrap();
        on_trial.commit(&staged(3)).unwrap();
        assert_eq!(content(&path), after(3));
        assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1);
    }

    /// A folder that a killed process was writing is put right by whoever writes beside it next, unless its process
    /// lives or others put files there.
    #[test]
    fn what_a_killed_process_left_is_cleared_by_the_next_that_writes_beside_it() {
        for (operation, lock_left) in [(3, true), (6, true), (6, false), (9, true)] {
            let beside = tempfile::tempdir().unwrap();
            let (path, other) = (beside.path().join("queue"), beside.path().join("run"));
            write(&path, 1).unwrap();
            faults::at(operation, Fault::Kill, || write(&path, 2)).0.unwrap_err();
            let staging = beside.path().join(".queue.judge-uncertainty");
            assert!(staging.is_dir(), "{operation}");
            let lock = beside.path().join(".queue.judge-uncertainty.lock");
            if lock_left {
                fs::write(&lock, "judge-uncertainty study queue (process 1)\n").unwrap();
            } else {
                let _ = fs::remove_file(&lock);
            }
            write(&other, 1).unwrap();
            assert!(!staging.exists() && !lock.exists(), "{operation}");
            assert_eq!(content(&path), after(1), "{operation}");
            assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 2, "{operation}");
        }
        // One that lives.
        let beside = tempfile::tempdir().unwrap();
        let (path, other) = (beside.path().join("queue"), beside.path().join("run"));
        let on_trial = OutputFolder::<Runs>::check(&path).unwrap().try_out(&staged(1)).unwrap();
        write(&other, 1).unwrap();
        assert_eq!(content(&path), after(1));
        assert!(beside.path().join(".queue.judge-uncertainty/files.json").is_file());
        on_trial.commit(&staged(2)).unwrap();
        // Files of others.
        faults::at(6, Fault::Kill, || write(&path, 3)).0.unwrap_err();
        let mine = beside.path().join(".queue.judge-uncertainty/mine.txt");
        fs::write(&mine, "mine").unwrap();
        write(&other, 2).unwrap();
        assert!(mine.is_file());
    }

    #[test]
    fn leftovers_are_named() {
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join("run");
        let (result, _) = faults::at(6, Fault::Kill, || write(&path, 1));
        result.unwrap_err();
        let folder = OutputFolder::<Runs>::check(&path).unwrap();
        let said = folder.recovered().unwrap();
        assert!(said.contains(".run.judge-uncertainty: was left by an interrupted run; it is removed"), "{said}");
        drop(folder);
        assert_eq!(OutputFolder::<Runs>::check(&path).unwrap().recovered(), None);
    }

    #[test]
    fn what_a_user_put_among_leftovers_is_kept() {
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join("run");
        faults::at(6, Fault::Kill, || write(&path, 1)).0.unwrap_err();
        let mine = beside.path().join(".run.judge-uncertainty/mine.txt");
        fs::write(&mine, "mine").unwrap();
        let refused = write(&path, 1).unwrap_err();
        assert!(matches!(&refused, Error::Leftover { file, .. } if file == "mine.txt"), "{refused}");
        assert!(mine.is_file());
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join("run");
        write(&path, 1).unwrap();
        for (name, folder) in [("mine.txt", false), ("pages/of/mine.html", false), ("mine", true)] {
            let checked = OutputFolder::<Runs>::check(&path).unwrap();
            let mine = path.join(name);
            if folder {
                fs::create_dir(&mine).unwrap()
            } else {
                fs::write(&mine, "mine").unwrap()
            }
            let refused = checked.commit(&staged(2)).unwrap_err().to_string();
            assert!(refused.contains(name), "{refused}");
            assert!(mine.exists(), "{name}");
            if folder {
                fs::remove_dir(&mine).unwrap()
            } else {
                fs::remove_file(&mine).unwrap()
            }
            drop(checked);
            assert_eq!(content(&path), after(1));
        }
        assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1);
        // A folder that was not there, too.
        let path = beside.path().join("later");
        let checked = OutputFolder::<Runs>::check(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("mine.txt"), "mine").unwrap();
        assert!(matches!(checked.commit(&staged(1)), Err(Error::Foreign { .. })));
        assert!(path.join("mine.txt").is_file());
    }

    #[test]
    fn the_output_of_another_command_is_refused() {
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join("run");
        write(&path, 1).unwrap();
        assert!(matches!(OutputFolder::<Queues>::check(&path), Err(Error::Foreign { .. })));
        write(&path, 2).unwrap();
    }

    #[test]
    fn a_folder_is_written_by_one_at_a_time() {
        let beside = tempfile::tempdir().unwrap();
        let path = beside.path().join("run");
        let first = OutputFolder::<Runs>::check(&path).unwrap();
        assert!(matches!(write(&path, 1), Err(Error::Locked { .. })));
        first.commit(&staged(1)).unwrap();
        drop(first);
        write(&path, 2).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn places_where_the_commit_would_fail_are_refused_at_the_start() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let beside = tempfile::tempdir().unwrap();
        let refused = |path: &Path| OutputFolder::<Runs>::check(path).unwrap_err().to_string();
        for path in [".", "..", "/", "../system/.", "/proc"] {
            assert!(refused(Path::new(path)).contains("choose another folder with --out"), "{path}");
        }
        let link = beside.path().join("link");
        symlink(beside.path().join("nothing"), &link).unwrap();
        assert!(refused(&link).contains("is a link that leads nowhere"));
        let fifo = beside.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(refused(&fifo).contains("but a folder is needed"));
        let path = beside.path().join("run");
        write(&path, 1).unwrap();
        for protected in [path.clone(), path.join("pages/of")] {
            fs::set_permissions(&protected, fs::Permissions::from_mode(0o555)).unwrap();
            assert!(refused(&path).contains("can't be written"));
            fs::set_permissions(&protected, fs::Permissions::from_mode(0o755)).unwrap();
        }
        write(&path, 2).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_kept_and_not_followed() {
        use std::os::unix::fs::symlink;
        let beside = tempfile::tempdir().unwrap();
        let (path, link) = (beside.path().join("run"), beside.path().join("link"));
        write(&path, 1).unwrap();
        symlink(&path, &link).unwrap();
        write(&link, 2).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(content(&path), after(2));
        for target in [".", "/", ".."] {
            symlink(target, path.join("loop")).unwrap();
            assert!(matches!(write(&path, 3), Err(Error::Foreign { file, .. }) if file == "loop"));
            fs::remove_file(path.join("loop")).unwrap();
        }
        // In the place of a folder and of a file that the run wrote.
        let elsewhere = beside.path().join("elsewhere");
        fs::rename(path.join("pages"), &elsewhere).unwrap();
        symlink(&elsewhere, path.join("pages")).unwrap();
        assert!(matches!(write(&path, 3), Err(Error::Foreign { file, .. }) if file == "pages"));
        assert!(elsewhere.join("of/2.html").is_file());
    }
}
