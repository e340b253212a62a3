//! Links among the files of a study: a study from elsewhere reads what its `study.toml` names, not where a link leads.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

/// A study that names a file wherever one can be named.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |cells: &dyn Fn(usize) -> String| (0..12).map(cells).collect::<String>();
    let files = [
        ("items.csv", format!("id,text\n{}", row(&|i| format!("i{i},text {i}\n")))),
        ("judge.csv", format!("id,p_no,p_yes\n{}", row(&|i| format!("i{i},0.{},0.{}\n", i % 8 + 1, 9 - i % 8)))),
        (
            "labels.csv",
            format!("id,annotator,label\n{}", row(&|i| format!("i{i},a{},{}\n", i % 3, ["no", "yes"][i % 2]))),
        ),
        ("vectors.csv", format!("id,x,y\n{}", row(&|i| format!("i{i},{i},1\n")))),
        ("made-from.json", "{}".to_owned()),
        (
            "study.toml",
            r#"title = "Links"
classes = ["no", "yes"]
made_from = "made-from.json"
[items]
file = "items.csv"
text = "{text}"
[judge]
file = "judge.csv"
kind = "probabilities"
[labels]
file = "labels.csv"
form = "long"
[familiarity]
embeddings = "vectors.csv"
"#
            .to_owned(),
        ),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Exit code and standard error of `study check`.
fn check(study: &Path, follow: Option<&str>) -> (Option<i32>, String) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"));
    command.args(["study", "check"]).arg(study).env_remove("JUDGE_UNCERTAINTY_FOLLOW_LINKS");
    if let Some(value) = follow {
        command.env("JUDGE_UNCERTAINTY_FOLLOW_LINKS", value);
    }
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn no_file_of_a_study_is_read_through_a_link() {
    let (folder, elsewhere) = (study(), tempfile::tempdir().unwrap());
    assert_eq!(check(folder.path(), None).0, Some(0), "{}", check(folder.path(), None).1);
    let mut names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.len(), 6);
    for name in &names {
        let (file, target) = (folder.path().join(name), elsewhere.path().join(name));
        fs::rename(&file, &target).unwrap();
        symlink(&target, &file).unwrap();
        let (code, told) = check(folder.path(), None);
        assert_eq!(code, Some(2), "{name}: {told}");
        assert!(told.contains(&format!("{}: this is a link", file.display())), "{name}: {told}");
        let (code, told) = check(folder.path(), Some("1"));
        assert_eq!(code, Some(0), "{name}: {told}");
        fs::remove_file(&file).unwrap();
        fs::rename(&target, &file).unwrap();
    }
    // The log of added labels and a registration, which no study.toml names.
    for name in ["labels", "registration.toml"] {
        fs::write(elsewhere.path().join(name), "secret").unwrap();
        symlink(elsewhere.path().join(name), folder.path().join(name)).unwrap();
    }
    let (code, told) = check(folder.path(), None);
    assert!(code == Some(2) && told.contains("labels: this is a link") && !told.contains("secret"), "{told}");
    fs::remove_file(folder.path().join("labels")).unwrap();
    let run = Command::new(assert_cmd::cargo::cargo_bin!("judge-uncertainty"))
        .args(["study", "run"])
        .arg(folder.path())
        .env_remove("JUDGE_UNCERTAINTY_FOLLOW_LINKS")
        .output()
        .unwrap();
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.code() == Some(2) && told.contains("registration.toml: this is a link"), "{told}");
    assert!(!folder.path().join("run").exists());
}

#[test]
fn a_study_may_be_named_through_a_link() {
    let (folder, elsewhere) = (study(), tempfile::tempdir().unwrap());
    symlink(folder.path(), elsewhere.path().join("study")).unwrap();
    for given in ["study", "study/", "study/study.toml"] {
        let (code, told) = check(&elsewhere.path().join(given), None);
        assert_eq!(code, Some(0), "{given}: {told}");
    }
    let (code, told) = check(folder.path(), Some("yes"));
    assert!(code == Some(2) && told.contains(r#"JUDGE_UNCERTAINTY_FOLLOW_LINKS is "yes", not 0 or 1"#), "{told}");
}
