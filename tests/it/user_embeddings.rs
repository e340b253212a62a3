//! Embeddings that a user brings along: what is read, and what is refused with place and remedy.

use std::fs;
use std::path::{Path, PathBuf};

use judge_uncertainty::familiarity::user_embeddings::{check_embeddings, read_embeddings, read_identified};
use judge_uncertainty::formats::error::{Error, Problem, Result};
use judge_uncertainty::formats::items::ItemIds;
use ndarray::{Array2, array};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// What is read; what is only checked has the same fault, or none.
fn read(file: &Path) -> Result<Array2<f32>> {
    let ids = ItemIds::new(["a", "b", "c"]).unwrap();
    let read = read_embeddings(file, &ids, Path::new("items.csv"));
    let checked = check_embeddings(file, &ids, Path::new("items.csv"));
    assert_eq!(checked.err().map(|e| e.to_string()), read.as_ref().err().map(ToString::to_string));
    read
}

fn refusal(result: Result<Array2<f32>>) -> (String, Problem) {
    match result.unwrap_err() {
        Error::Refused(refusal) => (refusal.place.to_string(), refusal.problem.clone()),
        other => panic!("{other}"),
    }
}

/// A version 1.0 file of little-endian numbers, laid out by hand after NumPy's description of the format.
fn npy(number_type: &str, shape: &str, data: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<u8> {
    let header = format!("{{'descr': '{number_type}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    data.into_iter().for_each(|number| bytes.extend(number.as_ref()));
    bytes
}

/// Exact in 16 bits; the bit patterns there follow IEEE 754: sign, 5 exponent, 10 fraction bits.
const VALUES: [f64; 6] = [1.0, -2.5, 0.0, 0.125, 1024.0, 0.00390625];
const HALVES: [u16; 6] = [0x3c00, 0xc100, 0x0000, 0x3000, 0x6400, 0x1c00];

fn rows() -> Array2<f32> {
    array![[1.0, -2.5], [0.0, 0.125], [1024.0, 0.00390625]]
}

#[test]
fn matrices_without_ids_are_in_the_order_of_the_items() {
    let folder = Folder::new();
    let f16 = folder.with("f16.npy", npy("<f2", "(3, 2)", HALVES.map(u16::to_le_bytes)));
    let f32 = folder.with("f32.npy", npy("<f4", "(3, 2)", VALUES.map(|value| (value as f32).to_le_bytes())));
    let f64 = folder.with("f64.npy", npy("<f8", "(3, 2)", VALUES.map(f64::to_le_bytes)));
    for file in [f16, f32, f64] {
        assert_eq!(read(&file).unwrap(), rows(), "{}", file.display());
    }
}

#[test]
fn rows_with_ids_are_put_in_the_order_of_the_items() {
    let folder = Folder::new();
    let matrix = folder.with("m.npy", npy("<f2", "(3, 2)", HALVES.map(u16::to_le_bytes)));
    folder.with("m.npy.ids.txt", "b\nc\na\n");
    assert_eq!(read(&matrix).unwrap(), array![[1024.0, 0.00390625], [1.0, -2.5], [0.0, 0.125]]);

    let table = folder.with("m.csv", "x0,id,x1\n0,b,0.125\n1.024e3,c,0.00390625\n1,a,-2.5\n");
    assert_eq!(read(&table).unwrap(), rows());
}

#[test]
fn another_shape_is_refused() {
    let folder = Folder::new();
    let data = || HALVES.map(u16::to_le_bytes);
    for shape in ["(2, 3)", "(6,)", "(3, 2, 1)"] {
        let file = folder.with("m.npy", npy("<f2", shape, data()));
        let (place, problem) = refusal(read(&file));
        assert_eq!(place, file.display().to_string());
        assert!(matches!(problem, Problem::Shape { .. }), "{shape}: {problem}");
    }
    let empty = folder.with("m.npy", npy("<f2", "(0, 2)", [[0u8; 0]]));
    assert!(matches!(refusal(read(&empty)).1, Problem::Shape { .. }));

    let bare = folder.with("bare.csv", "id\na\nb\nc\n");
    assert!(matches!(refusal(read(&bare)).1, Problem::Shape { .. }));
    let ragged = folder.with("ragged.csv", "id,x0,x1\na,1,2\nb,3\nc,4,5\n");
    assert!(matches!(refusal(read(&ragged)).1, Problem::ColumnCount { found: 2, expected: 3, .. }));
    let empty = folder.with("empty.csv", "id,x0\n");
    assert!(matches!(refusal(read(&empty)).1, Problem::NoRows));
}

#[test]
fn values_that_are_no_numbers_are_refused_with_their_place() {
    let folder = Folder::new();
    let bad = [1.0, 2.0, 3.0, f32::NAN, 5.0, 6.0];
    let file = folder.with("m.npy", npy("<f4", "(3, 2)", bad.map(f32::to_le_bytes)));
    let (place, problem) = refusal(read(&file));
    assert!(place.ends_with("(item \"b\")"), "{place}");
    assert!(matches!(problem, Problem::NotFinite { row: 1, column: 1, .. }), "{problem}");

    for (cell, expected) in [
        ("nan", Problem::NotANumber { value: "nan".to_owned() }),
        ("high", Problem::NotANumber { value: "high".to_owned() }),
        ("", Problem::Blank),
        ("1e300", Problem::NotFinite { value: f32::INFINITY, row: 1, column: 1 }),
    ] {
        let file = folder.with("m.csv", format!("id,x0,x1\na,1,2\nb,3,{cell}\nc,4,5\n"));
        let (place, problem) = refusal(read(&file));
        assert!(place.ends_with("m.csv:3:3 (column \"x1\", item \"b\")"), "{place}");
        assert_eq!(problem, expected);
    }
}

#[test]
fn ids_that_do_not_match_are_refused() {
    let folder = Folder::new();
    let matrix = folder.with("m.npy", npy("<f2", "(3, 2)", HALVES.map(u16::to_le_bytes)));
    let reference = || "items.csv".to_owned();
    let id = |id: &str| id.to_owned();
    for (ids, line, expected) in [
        ("b\na\nb", 3, Problem::DuplicateId { id: id("b"), first_line: Some(1) }),
        ("a\nx\nb", 2, Problem::UnknownId { id: id("x"), reference: reference() }),
    ] {
        folder.with("m.npy.ids.txt", ids);
        let (place, problem) = refusal(read(&matrix));
        assert!(place.ends_with(&format!("m.npy.ids.txt:{}", line)), "{place}");
        assert_eq!(problem, expected);
        let lines: String = ids.split('\n').map(|id| format!("{id},1,2\n")).collect();
        let table = folder.with("m.csv", format!("id,x0,x1\n{lines}"));
        let (place, _) = refusal(read(&table));
        assert!(place.contains(&format!("m.csv:{}:1", line + 1)), "{place}");
    }
    folder.with("m.npy.ids.txt", "a\nb\n");
    assert!(matches!(refusal(read(&matrix)).1, Problem::Shape { .. }), "two ids for three rows");
    let two = folder.with("two.npy", npy("<f2", "(2, 3)", HALVES.map(u16::to_le_bytes)));
    folder.with("two.npy.ids.txt", "a\nb\n");
    assert_eq!(refusal(read(&two)).1, Problem::MissingId { id: id("c"), reference: reference() });
    let table = folder.with("m.csv", "id,x0,x1\na,1,2\nb,3,4\n");
    assert_eq!(refusal(read(&table)).1, Problem::MissingId { id: id("c"), reference: reference() });
}

#[test]
fn other_files_are_refused() {
    let folder = Folder::new();
    let file = folder.with("m.feather", "ARROW1");
    assert!(matches!(refusal(read(&file)).1, Problem::NotAMatrix { .. }));
    let file = folder.with("m.npy", "id,x0\n");
    assert!(matches!(refusal(read(&file)).1, Problem::NotAMatrix { .. }));
    assert!(matches!(read(Path::new("absent.npy")).unwrap_err(), Error::Unreadable { .. }));
}

#[test]
fn a_column_of_lists_holds_embeddings_in_parquet_and_csv() {
    let file = crate::support::repository("tests/golden/parquet/datasets/embeddings.parquet");
    let ids = ItemIds::new(["a", "b", "c"]).unwrap();
    // Beside another column of lists, because of its name.
    assert_eq!(read_embeddings(&file, &ids, Path::new("items.csv")).unwrap(), rows());
    let (found, matrix) = read_identified(&file).unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), ["b", "a", "c"]);
    assert_eq!(matrix, rows().select(ndarray::Axis(0), &[1, 0, 2]));
    let folder = Folder::new();
    let csv = |lists: [&str; 3]| {
        let [a, b, c] = lists;
        read(&folder.with("m.csv", format!("id,x\na,\"{a}\"\nb,\"{b}\"\nc,\"{c}\"\n")))
    };
    assert_eq!(csv(["[1, -2.5]", "[0, 0.125]", "[1024, 0.00390625]"]).unwrap(), rows());
    let told = |lists| csv(lists).unwrap_err().to_string();
    assert!(told(["[1, 2]", "[1]", "[1, 2]"]).contains(":3:2 (column \"x\", item \"b\"): the list has 1 numbers"));
    assert!(told(["[1, 2]", "[1, null]", "[1, 2]"]).contains("is not a list of numbers"));
    assert!(told(["[1, 2]", "", "[1, 2]"]).contains("item \"b\""));
    assert!(told(["[1, 2]", "[1, 1e300]", "[1, 2]"]).contains("item \"b\""));
    let two = folder.with("m.csv", "id,x,y\na,[1],[2]\nb,[1],[2]\nc,[1],[2]\n");
    assert!(read(&two).unwrap_err().to_string().contains("several columns hold lists: x, y"));
}
