//! The matrix and its ids, which belong together.

use std::fs;
use std::path::Path;

use judge_uncertainty::familiarity::embedding::{Destination, EmbeddingError, Precision};
use judge_uncertainty::familiarity::user_embeddings::read_identified;
use judge_uncertainty::formats::checksum::sha256_hex;

use super::{TINY, read_npy, strings};
use crate::support::run;

#[test]
fn matrices_are_written_whole_with_their_ids() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.npy");
    // 1 + 2^-11 and 1 + 3 * 2^-11 lie between two 16-bit floats, which are 2^-10 apart: the even one is taken.
    let exact = [1.0, -0.5, 1.0 + 0.5f32.powi(11), 1.0 + 3.0 * 0.5f32.powi(11)];
    let matrix = ndarray::arr2(&[[exact[0], exact[1]], [exact[2], exact[3]]]);
    let ids = strings(&["b", "ä"]);
    let beside = Destination::check(&path, &[]).unwrap().write(&ids, matrix.view(), Precision::Single).unwrap();
    assert_eq!(read_npy::<f32>(&path), (vec![2, 2], exact.to_vec()));
    assert_eq!(beside, dir.path().join("m.npy.ids.txt"));
    let sum = |path: &Path| sha256_hex(&fs::read(path).unwrap());
    let expected = |path: &Path| format!("b\nä\n# SHA-256 of the matrix: {}\n", sum(path));
    assert_eq!(fs::read_to_string(&beside).unwrap(), expected(&path));

    Destination::check(&path, &[]).unwrap().write(&ids, matrix.view(), Precision::Half).unwrap();
    assert_eq!(fs::read_to_string(&beside).unwrap(), expected(&path));
    let (shape, half) = read_npy::<half::f16>(&path);
    let half: Vec<f32> = half.into_iter().map(f32::from).collect();
    assert_eq!((shape, half), (vec![2, 2], vec![1.0, -0.5, 1.0, 1.0 + 0.5f32.powi(9)]));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing temporary stays");

    Destination::check(&path, &[]).unwrap();
    let error = Destination::check(&dir.path().join("none/m.npy"), &[]).unwrap_err();
    assert!(matches!(error, EmbeddingError::Write { .. }), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

/// What a kill between the two files leaves: the ids of the new matrix beside the old one.
#[test]
fn a_matrix_is_not_paired_with_ids_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old.npy"), dir.path().join("new.npy"));
    let matrix = ndarray::arr2(&[[1.0f32, 0.0], [0.0, 1.0]]);
    let ids = strings(&["a", "b"]);
    Destination::check(&old, &[]).unwrap().write(&ids, matrix.view(), Precision::Single).unwrap();
    assert_eq!(read_identified(&old).unwrap().1, matrix);
    let turned = matrix.dot(&ndarray::arr2(&[[0.0f32, 1.0], [1.0, 0.0]]));
    let beside =
        Destination::check(&new, &[]).unwrap().write(&strings(&["b", "a"]), turned.view(), Precision::Single).unwrap();
    fs::copy(&beside, dir.path().join("old.npy.ids.txt")).unwrap();
    let refused = read_identified(&old).unwrap_err().to_string();
    assert!(refused.contains("old.npy") && refused.contains("belong to another matrix"), "{refused}");
    // Embedding again mends it.
    Destination::check(&old, &[]).unwrap();
    // Without a sum, as others write it, the number of rows has to be right.
    fs::write(&beside, "a\nb\n").unwrap();
    assert_eq!(read_identified(&new).unwrap().1, turned);
    Destination::check(&new, &[]).unwrap();
    fs::write(&beside, "a\nb\nc\n").unwrap();
    read_identified(&new).unwrap_err();
    assert!(matches!(Destination::check(&new, &[]), Err(EmbeddingError::OutputForeign { .. })));
    // Two at once.
    let held = Destination::check(&old, &[]).unwrap();
    assert!(matches!(Destination::check(&old, &[]), Err(EmbeddingError::Output(_))));
    drop(held);
    drop(Destination::check(&old, &[]).unwrap());
}

#[test]
fn files_of_a_user_are_not_overwritten_by_embeddings() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    let items = "id,a\nx,red\n";
    fs::write(file("i.csv"), items).unwrap();
    fs::write(file("mine.npy"), "mine").unwrap();
    fs::write(file("i.npy.ids.txt"), "mine").unwrap();
    let before = fs::read_dir(dir.path()).unwrap().count();
    for (out, problem) in [
        ("i.csv", "is the file that is read"),
        ("mine.npy", "holds something else"),
        ("i.npy", "i.npy.ids.txt: holds something else"),
        (".", "is a folder"),
    ] {
        let (items, out) = (file("i.csv"), file(out));
        let paths = ["--items", items.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let (_, stderr) = run(&[&["embed", "--text", "{a}", "--model", TINY], &paths[..]].concat(), 2);
        assert!(stderr.contains(problem), "{stderr}");
    }
    assert_eq!(fs::read_to_string(file("i.csv")).unwrap(), items);
    assert_eq!(fs::read_to_string(file("mine.npy")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(file("i.npy.ids.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), before);
}
