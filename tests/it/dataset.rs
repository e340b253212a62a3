//! The committed data are read as they are, and damaged copies of them are refused.

use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};

use judge_uncertainty::formats::checksum::{CheckedFolder, SUMS_FILE, sha256_hex};
use judge_uncertainty::formats::{ChaosNliData, DiceData, Error, Predictions, Result};
use serde::Deserialize;

/// `tests/golden/dataset.json`; its note says how it was made.
#[derive(Deserialize)]
struct Golden {
    dice: GoldenDice,
    chaosnli: GoldenChaosNli,
}

#[derive(Deserialize)]
struct GoldenDice {
    q_first4: Vec<Vec<f64>>,
    spread_first30: Vec<f64>,
    missing_confidence: usize,
}

#[derive(Deserialize)]
struct GoldenChaosNli {
    items: Vec<GoldenItem>,
    mean_confidence: f64,
    mean_spread: f64,
    mean_raw_error: f64,
}

#[derive(Deserialize)]
struct GoldenItem {
    position: usize,
    uid: String,
    q: Vec<f64>,
    spread: f64,
    embedding_head: Vec<f32>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../golden/dataset.json")).unwrap()
}

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(folder)
}

/// Probabilities of order 1 carry rounding errors of order 1e-16, and so do differences of nearly equal ones.
#[track_caller]
fn assert_close(found: impl IntoIterator<Item = f64>, expected: &[f64]) {
    let found: Vec<f64> = found.into_iter().collect();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{found} is not {expected}");
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn present(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().map(|value| value.unwrap()).collect()
}

#[test]
fn the_dice_are_read_as_published() {
    let dice = DiceData::load(&data("dice")).unwrap();
    assert_eq!((dice.ids.len(), &dice.ids[499]), (500, "499"));
    assert_eq!(dice.judge.classes(), ["red", "green", "blue"]);
    assert_eq!(dice.judge.variants(), ["neutral", "sceptical", "literal"]);
    assert_eq!(dice.hashes.keys().collect::<Vec<_>>(), ["judge.csv"]);

    let golden = golden().dice;
    let Predictions { q, spread, confidence } = dice.judge.aggregate(None).unwrap();
    assert_eq!(q.dim(), (500, 3));
    for (row, expected) in q.rows().into_iter().zip(&golden.q_first4) {
        assert_close(row.iter().copied(), expected);
    }
    assert_close(present(&spread[..30]), &golden.spread_first30);
    assert_eq!(confidence.iter().filter(|confidence| confidence.is_none()).count(), golden.missing_confidence);
    // First and second row of the table: a blank confidence, and a confidence of 0.
    assert_eq!(confidence[..2], [None, Some(0.0)]);
    assert_close(dice.judge.self_update(0).unwrap(), &[0.40, 0.20, 0.40]);
    assert_eq!((0..500).filter(|&i| dice.judge.self_update(i).is_some()).count(), 380);
}

#[test]
fn chaosnli_is_read_as_published() {
    let chaosnli = ChaosNliData::load(&data("chaosnli")).unwrap();
    let items = chaosnli.ids.len();
    assert_eq!(items, 3113);
    assert_eq!(chaosnli.sources.iter().filter(|source| *source == "snli").count(), 1514);
    assert_eq!(chaosnli.sources.iter().filter(|source| *source == "mnli_m").count(), 1599);
    assert_eq!((chaosnli.premise_chars[0], chaosnli.hypothesis_chars[0]), (161, 40));
    assert_eq!(chaosnli.labels.row(0).to_vec(), [30, 70, 0]);
    assert!((0..items).all(|i| chaosnli.labels.row(i).sum() == 100));
    assert_eq!(chaosnli.embeddings.dim(), (items, 384));
    let files = ["embeddings_f16.npy", "embeddings_uids.csv", "items.csv", "judge.csv", "labels.csv"];
    assert_eq!(chaosnli.hashes.keys().collect::<Vec<_>>(), files);

    let golden = golden().chaosnli;
    let Predictions { q, spread, confidence } = chaosnli.judge.aggregate(Some(0.005)).unwrap();
    for item in &golden.items {
        let i = item.position;
        assert_eq!(chaosnli.ids.position(&item.uid), Some(i));
        assert_close(q.row(i).iter().copied(), &item.q);
        assert_close(spread[i], &[item.spread]);
        assert_eq!(chaosnli.embeddings.row(i).iter().take(4).copied().collect::<Vec<_>>(), item.embedding_head);
    }
    // Means over 3,113 items: numpy sums pairwise, so the last digits may differ.
    assert!((mean(&present(&confidence)) - golden.mean_confidence).abs() < 1e-9);
    assert!((mean(&present(&spread)) - golden.mean_spread).abs() < 1e-12);
    let shares = chaosnli.labels.mapv(|count| f64::from(count) / 100.0);
    let raw_errors: Vec<f64> = (&q - &shares).rows().into_iter().map(|row| row.mapv(f64::abs).sum()).collect();
    assert!((mean(&raw_errors) - golden.mean_raw_error).abs() < 1e-12);
    // The paper, experiment 2 descriptives: mean Manhattan error 0.458.
    assert_eq!(format!("{:.3}", mean(&raw_errors)), "0.458");
}

#[test]
fn the_sums_of_the_manifest_are_those_of_the_files() {
    for (folder, hashes) in [
        ("dice", DiceData::load(&data("dice")).unwrap().hashes),
        ("chaosnli", ChaosNliData::load(&data("chaosnli")).unwrap().hashes),
    ] {
        for (name, sum) in &hashes {
            assert_eq!(*sum, sha256_hex(&fs::read(data(folder).join(name)).unwrap()), "{folder}/{name}");
        }
        let sums = fs::read_to_string(data(folder).join(SUMS_FILE)).unwrap();
        assert_eq!(sums.lines().count(), hashes.len(), "{folder} states sums of files that are not read");
    }
}

/// A copy of a data folder, to be damaged.
struct Copy(tempfile::TempDir);

impl Copy {
    fn new(folder: &str) -> Self {
        let copy = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(data(folder)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
        Copy(copy)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Changes a file and leaves its sum as it was.
    fn edit(&self, name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> &Self {
        let before = fs::read(self.path(name)).unwrap();
        let after = change(before.clone());
        assert_ne!(before, after, "the edit of {name} changes nothing");
        fs::write(self.path(name), after).unwrap();
        self
    }

    /// Replaces the first `from` in a table and leaves the sum as it was.
    fn replace(&self, name: &str, from: &str, to: &str) -> &Self {
        self.edit(name, |bytes| String::from_utf8(bytes).unwrap().replacen(from, to, 1).into())
    }

    /// Writes the sums anew, so that the reader of the content has to notice the damage.
    fn sign(&self) -> &Self {
        self.edit(SUMS_FILE, |sums| {
            let sums = String::from_utf8(sums).unwrap();
            let names = sums.lines().map(|line| line.split_once("  ").unwrap().1);
            names
                .map(|name| format!("{}  {name}\n", sha256_hex(&fs::read(self.path(name)).unwrap())))
                .collect::<String>()
                .into()
        })
    }

    /// The message with which loading fails, `.` standing for the folder.
    #[track_caller]
    fn refusal<T>(&self, load: impl FnOnce(&Path) -> Result<T>) -> String {
        match load(self.0.path()) {
            Ok(_) => panic!("the damage was not noticed"),
            Err(error) => error.to_string().replace(&self.0.path().display().to_string(), "."),
        }
    }
}

/// Replaces text in a file of ChaosNLI, with a consistent sum, and returns the message.
#[track_caller]
fn chaosnli(name: &str, from: &str, to: &str) -> String {
    Copy::new("chaosnli").replace(name, from, to).sign().refusal(ChaosNliData::load)
}

/// As [`chaosnli`], for the dice.
#[track_caller]
fn dice(from: &str, to: &str) -> String {
    Copy::new("dice").replace("judge.csv", from, to).sign().refusal(DiceData::load)
}

/// Changes bytes of ChaosNLI's matrix, with a consistent sum, and returns the message.
#[track_caller]
fn matrix(change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> String {
    Copy::new("chaosnli").edit("embeddings_f16.npy", change).sign().refusal(ChaosNliData::load)
}

#[test]
fn a_missing_file_is_named_with_the_reason() {
    let copy = Copy::new("chaosnli");
    fs::remove_file(copy.path("items.csv")).unwrap();
    let error = ChaosNliData::load(copy.0.path()).unwrap_err();
    assert!(matches!(&error, Error::Unreadable { file, .. } if *file == copy.path("items.csv")));
    assert!(error.source().is_some());
    assert_eq!(copy.refusal(ChaosNliData::load), "cannot read ./items.csv; check that the file exists and may be read");

    fs::remove_file(copy.path(SUMS_FILE)).unwrap();
    assert!(copy.refusal(ChaosNliData::load).starts_with("cannot read ./SHA256SUMS"));
}

#[test]
fn an_edited_byte_is_caught_by_the_sum() {
    let copy = Copy::new("dice");
    // A change that the table's own rules would let pass.
    copy.replace("judge.csv", "1,33,33,34", "1,34,33,33");
    let found = sha256_hex(&fs::read(copy.path("judge.csv")).unwrap());
    assert_eq!(
        copy.refusal(DiceData::load),
        format!(
            "./judge.csv: its SHA-256 sum is {found}, but ./SHA256SUMS says \
             8838b2ad6a67f899da88af28282a531ee46b0dd384d0b95c8c2c1886fc736762; restore the file from the repository, \
             or, if the change is meant, write its new sum to ./SHA256SUMS"
        )
    );
    copy.sign();
    assert!(DiceData::load(copy.0.path()).is_ok());
}

#[test]
fn every_file_is_checked_against_its_sum() {
    for name in ["embeddings_f16.npy", "embeddings_uids.csv", "items.csv", "judge.csv", "labels.csv"] {
        let copy = Copy::new("chaosnli");
        copy.edit(name, |mut bytes| {
            bytes.pop();
            bytes
        });
        let error = copy.refusal(ChaosNliData::load);
        assert!(error.starts_with(&format!("./{name}: its SHA-256 sum is ")), "{error}");
    }
}

#[test]
fn a_sum_that_is_missing_or_malformed_is_refused() {
    let copy = Copy::new("dice");
    copy.replace(SUMS_FILE, "judge.csv", "other.csv");
    assert_eq!(
        copy.refusal(DiceData::load),
        "./judge.csv: ./SHA256SUMS has no sum for it; add a line to ./SHA256SUMS as the command sha256sum writes it"
    );
    copy.edit(SUMS_FILE, |_| b"12ab  judge.csv\n".to_vec());
    assert_eq!(
        copy.refusal(DiceData::load),
        "./SHA256SUMS:1: \"12ab  judge.csv\" is not a SHA-256 sum and a file name; write 64 hexadecimal digits, two \
         spaces and the name of a file of the folder, once per file"
    );
    let line = format!("{}  judge.csv\n", "0".repeat(64));
    copy.edit(SUMS_FILE, |_| line.repeat(2).into());
    assert!(copy.refusal(CheckedFolder::open).starts_with("./SHA256SUMS:2: \"0000"));
}

#[test]
fn a_truncated_table_is_refused() {
    let copy = Copy::new("chaosnli");
    // The last row ends in `,87,12,1`; without its last column and the end of the line it is one column short.
    copy.edit("labels.csv", |bytes| bytes[..bytes.len() - 3].to_vec()).sign();
    let error = copy.refusal(ChaosNliData::load);
    let whole = fs::read_to_string(data("chaosnli").join("labels.csv")).unwrap();
    let row = whole.lines().last().unwrap();
    let (uid, row) = (row.split(',').next().unwrap(), &row[..row.len() - 2]);
    assert_eq!(
        error,
        format!(
            "./labels.csv:3114 (item {uid:?}): 4 columns where the header has 5: {row:?}; give the row one cell per \
             column and put quotes around cells with commas"
        )
    );
}

#[test]
fn a_table_cut_at_the_end_of_a_row_lacks_an_item() {
    let copy = Copy::new("chaosnli");
    let judge = fs::read_to_string(copy.path("judge.csv")).unwrap();
    let last = judge.lines().last().unwrap();
    let uid = last.split(',').next().unwrap();
    copy.replace("judge.csv", &format!("{last}\n"), "").sign();
    assert_eq!(
        copy.refusal(ChaosNliData::load),
        format!(
            "./judge.csv (item {uid:?}): no row for the id {uid:?} of ./labels.csv; add the row, or remove the item \
             from the other file"
        )
    );
}

#[test]
fn a_row_with_too_many_columns_is_refused() {
    assert_eq!(
        dice("\n1,33,33,34", "\n1,33,33,34,0"),
        "./judge.csv:3 (item \"1\"): 15 columns where the header has 14: \
         \"1,33,33,34,0,33,33,34,33,33,34,0,15,62,23\"; give the row one cell per column and put quotes around cells \
         with commas"
    );
}

#[test]
fn a_wrong_header_is_refused() {
    assert_eq!(
        chaosnli("labels.csv", "uid,source,e,n,c", "uid,source,e,n,d"),
        "./labels.csv:1: the header has no column \"c\"; the table needs the columns uid, source, e, n, c, and has \
         uid, source, e, n, d"
    );
    assert_eq!(
        chaosnli("labels.csv", "uid,source,e,n,c", "uid,source,e,n,n"),
        "./labels.csv:1:5 (column \"n\"): the column \"n\" appears twice in the header; rename or remove one of the two"
    );
}

#[test]
fn a_count_that_is_no_count_is_refused() {
    for (value, shown) in [("-94", "\"-94\""), ("1.5", "\"1.5\""), ("many", "\"many\"")] {
        assert_eq!(
            chaosnli("labels.csv", ",3,94,3\n", &format!(",3,{value},3\n")),
            format!(
                "./labels.csv:3:4 (column \"n\", item \"4718146904.jpg#2r1n\"): {shown} is not a count; write a whole \
                 number of 0 or more"
            )
        );
    }
    assert_eq!(
        chaosnli("labels.csv", ",3,94,3\n", ",3,,3\n"),
        "./labels.csv:3:4 (column \"n\", item \"4718146904.jpg#2r1n\"): the cell is blank (\"\"); fill the cell in"
    );
}

#[test]
fn labels_and_answers_that_do_not_sum_to_100_are_refused() {
    assert_eq!(
        chaosnli("labels.csv", ",3,94,3\n", ",3,94,4\n"),
        "./labels.csv:3:3 (column \"e\", item \"4718146904.jpg#2r1n\"): [3, 94, 4] sum to 101, not to 100; correct the \
         numbers of the row"
    );
    assert_eq!(
        chaosnli("judge.csv", ",2,97,1,", ",0,0,0,"),
        "./judge.csv:3:5 (column \"strict_e\", item \"4718146904.jpg#2r1n\"): [0, 0, 0] sum to 0, not to 100; correct \
         the numbers of the row"
    );
    assert_eq!(
        dice("40,20,40", "40,20,41"),
        "./judge.csv:2:12 (column \"selfupdate_red\", item \"0\"): [40, 20, 41] sum to 101, not to 100; correct the \
         numbers of the row"
    );
}

#[test]
fn an_answer_is_whole_or_missing() {
    assert_eq!(
        dice("40,20,40", "40,,60"),
        "./judge.csv:2:12 (column \"selfupdate_red\", item \"0\"): the answer [\"40\", \"\", \"60\"] is blank for some \
         of its classes; fill in all classes (0 for none), or leave all of them blank"
    );
    // One variant missing: the mean of the other two. All missing: no prediction.
    let copy = Copy::new("chaosnli");
    copy.replace("judge.csv", ",3,96,1,2,97,1,18,80,2,", ",,,,2,97,1,18,80,2,").sign();
    let judge = ChaosNliData::load(copy.0.path()).unwrap().judge;
    assert_close(judge.aggregate(None).unwrap().q.row(1).to_vec(), &[0.10, 0.885, 0.015]);
    copy.replace("judge.csv", ",,,,2,97,1,18,80,2,", ",,,,,,,,,,").sign();
    let judge = ChaosNliData::load(copy.0.path()).unwrap().judge;
    assert_eq!(
        judge.aggregate(None).unwrap_err().to_string(),
        "item \"4718146904.jpg#2r1n\": no prompt variant has an answer; add an answer of the judge, or remove the item"
    );
}

#[test]
fn a_confidence_or_label_outside_its_range_is_refused() {
    assert_eq!(
        chaosnli("judge.csv", ",18,80,2,n,91\n", ",18,80,2,n,910\n"),
        "./judge.csv:3:12 (column \"confidence\", item \"4718146904.jpg#2r1n\"): 910 is outside the range from 0 to \
         100; write a number within the range"
    );
    assert_eq!(
        chaosnli("judge.csv", ",18,80,2,n,91\n", ",18,80,2,n,sure\n"),
        "./judge.csv:3:12 (column \"confidence\", item \"4718146904.jpg#2r1n\"): \"sure\" is not a number; write a \
         decimal number such as 0.25, or leave the cell blank if it may be missing"
    );
    assert_eq!(
        chaosnli("judge.csv", ",18,80,2,n,91\n", ",18,80,2,x,91\n"),
        "./judge.csv:3:11 (column \"label\", item \"4718146904.jpg#2r1n\"): \"x\" is not one of e, n, c; write one of \
         these"
    );
}

#[test]
fn a_duplicate_uid_is_refused() {
    for name in ["labels.csv", "items.csv", "judge.csv", "embeddings_uids.csv"] {
        assert_eq!(
            chaosnli(name, "\n4718146904.jpg#2r1n", "\n2407214681.jpg#0r1n"),
            format!(
                "./{name}:3:1 (column \"uid\", item \"2407214681.jpg#0r1n\"): the id \"2407214681.jpg#0r1n\" appears \
                 twice, first in line 2; keep one row per item"
            )
        );
    }
}

#[test]
fn an_unknown_uid_is_refused() {
    for name in ["items.csv", "judge.csv", "embeddings_uids.csv"] {
        assert_eq!(
            chaosnli(name, "\n4718146904.jpg#2r1n", "\nnobody"),
            format!(
                "./{name}:3:1 (column \"uid\", item \"nobody\"): the id \"nobody\" is unknown: ./labels.csv does not \
                 have it; correct the id or remove its row"
            )
        );
    }
}

#[test]
fn files_that_disagree_on_an_item_are_refused() {
    assert_eq!(
        chaosnli("items.csv", "\n4718146904.jpg#2r1n,snli", "\n4718146904.jpg#2r1n,mnli_m"),
        "./items.csv:3:2 (column \"source\", item \"4718146904.jpg#2r1n\"): \"mnli_m\" where ./labels.csv has \
         \"snli\"; make the two files agree"
    );
}

#[test]
fn dice_out_of_order_are_refused() {
    assert_eq!(
        dice("\n1,33,33,34", "\n1000,33,33,34"),
        "./judge.csv:3:1 (column \"die\", item \"1000\"): the id is \"1000\" where \"1\" is due; number the rows 0, 1, \
         2, ... in order, without gaps"
    );
}

#[test]
fn files_in_another_order_give_the_same_data() {
    let expected = ChaosNliData::load(&data("chaosnli")).unwrap();
    let copy = Copy::new("chaosnli");
    for name in ["items.csv", "judge.csv", "embeddings_uids.csv"] {
        copy.edit(name, |bytes| {
            let text = String::from_utf8(bytes).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            lines[1..].reverse();
            (lines.join("\n") + "\n").into()
        });
    }
    copy.edit("embeddings_f16.npy", |bytes| {
        let (header, rows) = bytes.split_at(128);
        [header, &rows.chunks(2 * 384).rev().collect::<Vec<_>>().concat()].concat()
    });
    let found = ChaosNliData::load(copy.sign().0.path()).unwrap();
    assert_eq!(found.ids, expected.ids);
    assert_eq!(found.premise_chars, expected.premise_chars);
    assert_eq!(found.judge.aggregate(None).unwrap(), expected.judge.aggregate(None).unwrap());
    assert_eq!(found.embeddings, expected.embeddings);
}

#[test]
fn a_truncated_matrix_is_refused() {
    assert_eq!(
        matrix(|bytes| bytes[..bytes.len() - 2].to_vec()),
        "./embeddings_f16.npy: it holds 2390782 bytes of numbers where its shape asks for 2390784; the file is \
         truncated or damaged: copy or write it again"
    );
    let error = matrix(|bytes| bytes[..100].to_vec());
    assert!(error.starts_with("./embeddings_f16.npy: not a NumPy matrix: "), "{error}");
    assert!(
        error.ends_with("write it with numpy.save as a two-dimensional array of 16, 32 or 64-bit floats"),
        "{error}"
    );
}

#[test]
fn a_matrix_of_another_shape_is_refused() {
    let reshape = |shape: &'static [u8]| {
        move |mut bytes: Vec<u8>| {
            let at = bytes.windows(11).position(|window| window == b"(3113, 384)").unwrap();
            bytes[at..at + 11].copy_from_slice(shape);
            bytes
        }
    };
    assert_eq!(
        matrix(reshape(b"(3113, 383)")),
        "./embeddings_f16.npy: its shape is 3113 x 383, not 3113 x 384 (items x columns); give it one row per item and \
         the columns named"
    );
    assert!(matrix(reshape(b"(384, 3113)")).contains("its shape is 384 x 3113, not 3113 x 384"));
}

#[test]
fn a_value_of_the_matrix_that_is_not_finite_is_named_with_its_item() {
    // 0x7e00 is NaN and 0x7c00 infinity in 16 bits; row 1 belongs to the second uid.
    for (bits, shown) in [(0x7e00_u16, "NaN"), (0x7c00, "inf")] {
        let error = matrix(|mut bytes| {
            let at = 128 + 2 * (384 + 5);
            bytes[at..at + 2].copy_from_slice(&bits.to_le_bytes());
            bytes
        });
        assert_eq!(
            error,
            format!(
                "./embeddings_f16.npy (item \"4718146904.jpg#2r1n\"): the value at [1, 5] is {shown}, not \
                 a finite 32-bit number; compute the row of this item again"
            )
        );
    }
}
