//! What may happen to files of labels outside the program: nothing is lost, moved to other labels, or passed over in
//! silence, and no study stays refused.

use std::fs;

use super::*;

fn label(id: &str, value: &str) -> NewLabel {
    let [id, value] = [id, value].map(str::to_owned);
    NewLabel { id, annotator: "Zo\u{eb}".to_owned(), value, given: String::new(), place: Place::default() }
}

fn read(study: &Path) -> LabelStore {
    LabelStore::read(study, None, &mut Source::default()).unwrap()
}

fn add(study: &Path, source: &str, ids: &[&str]) -> String {
    let labels: Vec<NewLabel> = ids.iter().map(|id| label(id, "mixed")).collect();
    let file = read(study).append(Path::new(source), &sha256_hex(source.as_bytes()), &labels).unwrap();
    sum_in(file.file_name().unwrap().to_str().unwrap()).unwrap()
}

/// Ids of the labels that count.
fn counted(store: &LabelStore) -> BTreeSet<String> {
    store.rows.iter().map(|(_, row)| row.id.clone()).collect()
}

/// A study with six batches, two of them removed, and a run that read all of this.
fn study() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let batches: [&[&str]; 6] = [
        &["a1", "a2", "a3"],
        &["b1", "b2,\n\"x\"", "#b"],
        &["c1"],
        &["d1", "d2", "d\r3"],
        &["e1", "e2"],
        &["f1", "f2"],
    ];
    let sums: Vec<String> = batches.iter().enumerate().map(|(k, ids)| add(path, &format!("{k}.csv"), ids)).collect();
    for taken_back in [&sums[1], &sums[4]] {
        read(path).take_back(&taken_back[..12]).unwrap();
    }
    note_run(path);
    folder
}

fn note_run(study: &Path) {
    let mut source = Source::default();
    LabelStore::read(study, None, &mut source).unwrap();
    fs::create_dir_all(study.join("run/results")).unwrap();
    fs::write(study.join("run").join(MANIFEST), serde_json::json!({"inputs": source.sums()}).to_string()).unwrap();
}

fn files(study: &Path) -> BTreeMap<String, Vec<u8>> {
    let folder = study.join(LABELS_FOLDER);
    names(&folder).unwrap().into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

fn put(study: &Path, files: &BTreeMap<String, Vec<u8>>) {
    fs::create_dir_all(study.join(LABELS_FOLDER)).unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(study.join(LABELS_FOLDER).join(name), bytes).unwrap());
}

#[derive(Default)]
struct Found {
    trials: usize,
    lost: usize,
    moved: usize,
    silent: usize,
    stuck: usize,
}

/// Puts changed files in place of those of a study, and looks at what is then read, set aside, and added to.
fn tried(found: &mut Found, whole: &BTreeMap<String, Vec<u8>>, changed: &BTreeMap<String, Vec<u8>>, run: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    put(path, whole);
    let before = read(path);
    fs::remove_dir_all(path.join(LABELS_FOLDER)).unwrap();
    put(path, changed);
    fs::create_dir_all(path.join("run/results")).unwrap();
    fs::copy(run, path.join("run").join(MANIFEST)).unwrap();
    found.trials += 1;
    let Ok(after) = LabelStore::read(path, None, &mut Source::default()) else {
        found.stuck += 1;
        return;
    };
    // A batch whose file is whole, under whatever name with its sum, is still there.
    let plain = |bytes: &[u8]| bytes.iter().copied().filter(|c| *c != b'\r').collect::<Vec<_>>();
    let is_whole = |sum: &str| {
        changed.iter().any(|(name, bytes)| sum_in(name).as_deref() == Some(sum) && sha256_hex(&plain(bytes)) == sum)
    };
    for listed in before.listed.iter().filter(|listed| is_whole(&listed.sum)) {
        let now = after.listed.iter().find(|one| one.sum == listed.sum);
        found.lost += usize::from(now.is_none());
        found.moved += usize::from(listed.taken_back.is_none() && now.is_some_and(|now| now.taken_back.is_some()));
    }
    let differs = counted(&before) != counted(&after) || before.listed != after.listed;
    found.silent += usize::from(differs && after.warnings.is_empty());
    // Every byte is still there after damaged files were set aside, and the study takes new labels.
    let moved = after.set_aside().unwrap();
    let kept: Vec<Vec<u8>> = moved.iter().map(|file| fs::read(file).unwrap()).chain(files_of(path)).collect();
    found.lost += changed.values().filter(|bytes| !kept.contains(bytes)).count();
    add(path, "new.csv", &["new"]);
    let last = read(path);
    found.stuck += usize::from(!last.damaged.is_empty() || !counted(&last).contains("new"));
    found.lost += usize::from(!counted(&after).is_subset(&counted(&last)));
}

fn files_of(study: &Path) -> Vec<Vec<u8>> {
    let folder = study.join(LABELS_FOLDER);
    let files = names(&folder).unwrap().into_iter().map(|name| folder.join(name)).filter(|file| file.is_file());
    files.map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn no_change_of_the_files_loses_a_row_moves_a_removal_or_is_passed_over() {
    let study = study();
    let (whole, run) = (files(study.path()), study.path().join("run").join(MANIFEST));
    let mut classes: BTreeMap<&str, Found> = BTreeMap::new();
    let all: Vec<(&String, &Vec<u8>)> = whole.iter().collect();
    for (k, (name, bytes)) in all.iter().enumerate() {
        let mut with = |class, put: &[(String, Vec<u8>)], keep: bool| {
            let mut changed = whole.clone();
            if !keep {
                changed.remove(*name);
            }
            changed.extend(put.iter().cloned());
            tried(classes.entry(class).or_default(), &whole, &changed, &run);
        };
        let same = |bytes: Vec<u8>| [((*name).clone(), bytes)];
        let lines: Vec<&[u8]> = bytes.split_inclusive(|c| *c == b'\n').collect();
        for at in 0..lines.len() {
            let edit = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
                let mut lines: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
                change(&mut lines);
                lines.concat()
            };
            with("a line deleted", &same(edit(&|lines| drop(lines.remove(at)))), true);
            with("a line doubled", &same(edit(&|lines| lines.insert(at, lines[at].clone()))), true);
            with("a line edited", &same(edit(&|lines| lines[at].insert(9, b'x'))), true);
            with("the end cut off behind a line", &same(edit(&|lines| lines.truncate(at))), true);
            let last = lines.len() - 1;
            with("two lines exchanged", &same(edit(&|lines| lines.swap(at, last))), true);
        }
        for step in 0..91 {
            let mut edited = (*bytes).clone();
            let at = step * edited.len() / 91;
            edited[at] ^= 1 << (step % 7);
            with("a bit flipped", &same(edited), true);
        }
        let other = all[(k + 1) % all.len()].1.clone();
        with("a file deleted", &[], false);
        with("a file emptied", &same(vec![]), true);
        with("a file holds another's bytes", &same(other), true);
        with("a file renamed", &[("labels.jsonl".to_owned(), (*bytes).clone())], false);
        with("a file renamed", &[(name.replace(".jsonl", ".txt"), (*bytes).clone())], false);
        with("a file renamed", &[(name.replace("Z-", "Z-0"), (*bytes).clone())], false);
        with(
            "a file renamed with its sum",
            &[(format!("mine-{}.jsonl", sum_in(name).unwrap()), (*bytes).clone())],
            false,
        );
        with("a file copied", &[(format!("copy-{name}"), (*bytes).clone())], true);
        let crlf = String::from_utf8((*bytes).clone()).unwrap().replace('\n', "\r\n");
        with("line ends changed", &same(crlf.into_bytes()), true);
    }
    let trials: usize = classes.values().map(|found| found.trials).sum();
    classes.insert("two branches merged", merged());
    let mut table = "class,trials,rows lost,removals moved,silent,stays refused\n".to_owned();
    for (class, Found { trials, lost, moved, silent, stuck }) in &classes {
        table += &format!("{class},{trials},{lost},{moved},{silent},{stuck}\n");
    }
    println!("{table}");
    if let Some(file) = std::env::var_os("JUDGE_UNCERTAINTY_LABEL_TRIALS") {
        fs::write(file, &table).unwrap();
    }
    assert!(trials >= 904, "{trials}");
    assert!(classes.values().all(|f| (f.lost, f.moved, f.silent, f.stuck) == (0, 0, 0, 0)), "{table}");
}

/// Two branches go on from one study, and their files are put together, as a merge does: the union of their labels
/// counts, without those that a branch took back.
fn merged() -> Found {
    let mut found = Found::default();
    type Branch = fn(&Path, &str);
    let adds: Branch = |study, who| {
        drop([
            add(study, &format!("{who}1.csv"), &[&format!("{who}1")]),
            add(study, &format!("{who}2.csv"), &[&format!("{who}2")]),
        ])
    };
    let removes_own: Branch = |study, who| {
        let sum = add(study, &format!("{who}1.csv"), &[&format!("{who}1")]);
        add(study, &format!("{who}2.csv"), &[&format!("{who}2")]);
        read(study).take_back(&sum).unwrap();
    };
    let removes_base: Branch = |study, _| {
        let first = read(study).listed[0].sum.clone();
        read(study).take_back(&first).unwrap();
    };
    let same_file: Branch = |study, _| drop(add(study, "same.csv", &["s1", "s2"]));
    let nothing: Branch = |_, _| {};
    let merges: [(Branch, Branch, &[&str], bool); 8] = [
        (adds, adds, &["base", "x1", "x2", "y1", "y2"], false),
        (removes_own, adds, &["base", "x2", "y1", "y2"], false),
        (adds, removes_own, &["base", "x1", "x2", "y2"], false),
        (removes_own, removes_own, &["base", "x2", "y2"], false),
        (removes_base, adds, &["y1", "y2"], false),
        (removes_base, removes_base, &[], false),
        (same_file, same_file, &["base", "s1", "s2"], true),
        (removes_own, nothing, &["base", "x2"], false),
    ];
    for (k, (one, other, expected, told)) in merges.into_iter().enumerate() {
        let [base, left, right] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        add(base.path(), "base.csv", &["base"]);
        let of_base = files(base.path());
        for (study, branch, who) in [(&left, one, "x"), (&right, other, "y")] {
            put(study.path(), &of_base);
            branch(study.path(), who);
        }
        put(left.path(), &files(right.path()));
        let merged = read(left.path());
        let expected: BTreeSet<String> = expected.iter().map(|id| (*id).to_owned()).collect();
        found.trials += 1;
        // What is missing may have been reached by the removal of another label, and what is too much not by its own.
        found.lost += expected.difference(&counted(&merged)).count();
        found.moved += usize::from(merged.rows.len() != expected.len());
        assert_eq!(!merged.warnings.is_empty(), told, "merge {k}: {:?}", merged.warnings);
        add(left.path(), "after.csv", &["after"]);
        found.stuck += usize::from(!counted(&read(left.path())).contains("after"));
    }
    found
}

#[test]
fn cells_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let cells = ["=1+1", "a,\"b\"\r\n", "\u{2028}\"annotator\":", "\\", "", "#batch 2"];
    let labels: Vec<NewLabel> = cells.iter().map(|cell| label(cell, cell)).collect();
    read(folder.path()).append(Path::new("n.csv"), "s", &labels).unwrap();
    let store = read(folder.path());
    let found: BTreeSet<(&str, &str)> = store.rows.iter().map(|(_, row)| (&*row.id, &*row.value)).collect();
    assert_eq!(found, cells.map(|cell| (cell, cell)).into());
    assert_eq!(store.batches[0].labels, cells.len());
    assert_eq!(store.added_from("s"), Some(&store.batches[0]));
    store.take_back(&store.batches[0].sum[..6]).unwrap();
    let again = read(folder.path()).take_back(&store.batches[0].sum).unwrap_err().to_string();
    assert!(again.contains("was taken back before"), "{again}");
    assert_eq!(read(folder.path()).added_from("s"), None);
    assert!(
        read(folder.path()).take_back("zz").unwrap_err().to_string().contains("0 batches have a sum or a source like")
    );
}

/// Every label of a large file is found by its item and annotator, also at the file's ends, beside ids that others begin
/// with and with ends of lines that version control changed; a file without any of them is not read.
#[test]
fn a_large_file_is_read_where_it_has_a_label_of_the_pair() {
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..300).map(|k| format!("{}{}", ["a", "\"", "\u{e9}", "a\\"][k % 4], k / 4)).collect();
    let labels: Vec<NewLabel> = ids.iter().map(|id| label(id, &"long ".repeat(id.len()))).collect();
    let file = read(folder.path()).append(Path::new("n.csv"), "s", &labels).unwrap();
    let ends = fs::read_to_string(&file).unwrap().replace('\n', "\r\n");
    for bytes in [fs::read(&file).unwrap(), ends.into_bytes()] {
        fs::write(&file, &bytes).unwrap();
        let found = |id: &str, annotator: &str| {
            let pairs = BTreeSet::from([[id, annotator]]);
            let store = LabelStore::read(folder.path(), Some(&pairs), &mut Source::default()).unwrap();
            assert_eq!((store.batches.len(), store.batches[0].labels), (1, ids.len()));
            counted(&store).contains(id)
        };
        assert!(ids.iter().all(|id| found(id, "Zo\u{eb}")));
        assert!(!ids.iter().any(|id| found(id, "Zo") || found(&format!("{id}0x"), "Zo\u{eb}")));
        // Which is to say that damage of it goes unnoticed.
        let pairs = BTreeSet::from([["none", "nobody"]]);
        fs::write(&file, [&bytes[..], b"x"].concat()).unwrap();
        let store = LabelStore::read(folder.path(), Some(&pairs), &mut Source::default()).unwrap();
        assert_eq!((store.rows.len(), store.warnings.len()), (0, 0));
        assert_eq!(read(folder.path()).damaged.len(), 1);
    }
}

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/old-labels");

/// The store made of a log, the rows that are unsure, and what was said.
fn converted(text: &str) -> (LabelStore, String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(LOG_FILE), text).unwrap();
    let told = LabelStore::read(folder.path(), None, &mut Source::default()).unwrap_err().to_string();
    assert!(told.contains("labels convert"), "{told}");
    let said = LabelStore::convert(folder.path()).unwrap().join("\n");
    let aside = folder.path().join(LABELS_FOLDER).join(SET_ASIDE);
    assert_eq!(fs::read_to_string(aside.join(LOG_FILE)).unwrap(), text);
    let unsure = names(&aside).unwrap().into_iter().find(|name| name.starts_with("unsure"));
    let unsure = unsure.map(|name| fs::read_to_string(aside.join(name)).unwrap()).unwrap_or_default();
    assert_eq!(said.contains("may have been edited"), !unsure.is_empty(), "{said}");
    (read(folder.path()), unsure, said)
}

fn is(store: &LabelStore, ids: &[&str]) -> bool {
    counted(store) == ids.iter().map(|id| (*id).to_owned()).collect()
}

/// Logs as older versions wrote them: both began with batch 1 and went on with batches 2 and 3 on two branches, one of
/// which removed its batch 2.
#[test]
fn logs_of_older_versions_are_converted_and_removals_stay_with_their_labels() {
    let [ours, theirs] = ["ours.csv", "theirs.csv"].map(|name| fs::read_to_string(format!("{GOLDEN}/{name}")).unwrap());
    let (store, unsure, said) = converted(&ours);
    assert!(unsure.is_empty() && said.contains("5 labels in 3 batches") && !said.contains("removals"), "{said}");
    assert!(is(&store, &["r01", "r02", "r05"]), "{store:?}");
    let (store, ..) = converted(&theirs.replace('\n', "\r\n"));
    assert!(is(&store, &["r01", "r02", "r06", "r07", "r08"]));
    let own = |text: &str| text[text.find("#batch 2").unwrap()..].to_owned();
    let (base, all) = (&ours[..ours.find("#batch 2").unwrap()], ["r01", "r02", "r05", "r06", "r07", "r08"]);
    // Of the last one the merge has lost the batch that the removal was about.
    for merged in [
        ours.clone() + &own(&theirs),
        theirs.clone() + &own(&ours),
        ours.clone() + "<<<<<<< HEAD\n" + &own(&theirs),
        theirs.clone() + &ours[ours.find("#batch 3").unwrap()..],
        theirs.clone() + &base[base.find('#').unwrap()..] + &own(&ours),
    ] {
        let (store, unsure, said) = converted(&merged);
        for id in all.into_iter().filter(|id| merged.contains(id)) {
            assert!(counted(&store).contains(id) || unsure.contains(id), "{id}: {merged}");
        }
        // The removal of the one branch takes back its own labels or none, and then it is told.
        assert!(!store.listed.iter().any(|one| one.taken_back.is_some() && one.source != "a2.csv"), "{merged}");
        assert_eq!(said.contains("removals were not"), store.listed.iter().all(|one| one.taken_back.is_none()));
        let sums: BTreeSet<&str> = store.batches.iter().map(|batch| &*batch.sum).collect();
        assert_eq!((sums.len(), store.rows.len()), (store.batches.len(), counted(&store).len()), "{merged}");
    }
    // Every line deleted, edited or cut off behind it: each row that is there is kept or in the table.
    let lines: Vec<&str> = ours.split_inclusive('\n').collect();
    for at in 1..lines.len() {
        for change in 0..3 {
            let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            match change {
                0 => drop(changed.remove(at)),
                1 => changed[at] = changed[at].replace("mixed", "other"),
                _ => changed.truncate(at),
            }
            let (store, unsure, _) = converted(&changed.concat());
            let taken_back = store.listed.iter().any(|one| one.taken_back.is_some());
            for id in changed.iter().filter(|line| line.starts_with('r')).map(|line| &line[..3]) {
                let is_of_removed = taken_back && ["r03", "r04"].contains(&id);
                assert!(counted(&store).contains(id) || unsure.contains(id) || is_of_removed, "{id}: {at} {change}");
            }
            assert!(!unsure.contains("other") || !counted(&store).is_empty());
        }
    }
}
