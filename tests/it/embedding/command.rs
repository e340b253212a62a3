//! The command.

use std::fs;
use std::path::Path;

use super::{TINY, read_npy};
use crate::support::run;

/// Runs `embed` on `i.csv` of the folder, writing `out.npy` there; returns its standard output and error.
fn command(dir: &Path, more: &[&str], code: i32) -> (String, String) {
    let (items, out) = (dir.join("i.csv"), dir.join("out.npy"));
    let args = ["embed", "--items", items.to_str().unwrap(), "--out", out.to_str().unwrap()];
    run(&[&args[..], more].concat(), code)
}

#[test]
fn the_command_embeds_a_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("i.csv"), "key,a,b\nx,red,green\ny,blue,\n").unwrap();
    let cache = dir.path().join("cache");
    let arguments = [
        "--text",
        r"{a}\n{b}",
        "--id",
        "key",
        "--model",
        TINY,
        "--half",
        "--cache",
        cache.to_str().unwrap(),
        "--threads",
        "1",
    ];
    let (report, _) = command(dir.path(), &arguments, 0);
    assert!(report.starts_with("2 items embedded in 3 dimensions (0 from the cache; 0 cut"), "{report}");
    let (shape, values) = read_npy::<half::f16>(&dir.path().join("out.npy"));
    let expected = [0.6, 0.8, 0.0, 0.0, 0.0, 1.0].map(half::f16::from_f32);
    assert_eq!((shape, values), (vec![2, 3], expected.to_vec()));
    let written = fs::read_to_string(dir.path().join("out.npy.ids.txt")).unwrap();
    assert!(written.starts_with("x\ny\n# SHA-256"), "{written}");
    let (again, _) = command(dir.path(), &arguments, 0);
    assert!(again.contains("2 from the cache"), "{again}");
}

#[test]
fn the_command_refuses_bad_input_before_it_writes() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("i.csv"), "id,a\nx,red\nx,blue\n").unwrap();
    for (more, expected) in [
        (["--text", "{a}", "--model", TINY], "the id \"x\" appears twice, first in line 2"),
        (["--text", "{b}", "--model", TINY], "i.csv:1: the header has no column \"b\""),
        (["--text", "{a", "--model", TINY], "the brace opened at character 1 is never closed"),
        (["--text", "{a}", "--model", "no-such-model"], "appears twice, first in line 2"),
    ] {
        let (_, stderr) = command(dir.path(), &more, 2);
        assert!(stderr.contains(expected), "{stderr}");
    }
    fs::write(dir.path().join("i.csv"), "id,a\nx,red\n").unwrap();
    let (_, stderr) = command(dir.path(), &["--text", "{a}", "--model", "no-such-model"], 2);
    assert!(stderr.contains("cannot load a model named \"no-such-model\""), "{stderr}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing was written");
}
