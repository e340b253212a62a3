//! Links among the files of a study, which are not followed.
//!
//! A study may come from somebody else. What its `study.toml` names can be read there before anything is run; where a
//! link leads can't. So a file in the folder of a study is refused if it, or a folder on the way to it, is a link.
//! Tools that keep large files elsewhere and put links in their places (git-annex, DVC, caches of Hugging Face) are
//! served by [`VARIABLE`].

use std::fs;
use std::path::{Component, Path};

use super::error::{Error, Place, Result};

/// The environment variable that lets links in studies be followed: `JUDGE_UNCERTAINTY_FOLLOW_LINKS=1`.
pub const VARIABLE: &str = "JUDGE_UNCERTAINTY_FOLLOW_LINKS";

/// The environment variable that lets a study write outside its folder: `JUDGE_UNCERTAINTY_WRITE_OUTSIDE=1`.
pub const OUTSIDE: &str = "JUDGE_UNCERTAINTY_WRITE_OUTSIDE";

/// Refuses a path that passes a link below a folder, unless [`VARIABLE`] is 1; the folder itself may be one. A path
/// outside the folder, and what comes after a `..`, is as it was named.
///
/// # Errors
/// There is a link.
pub fn refuse_links(folder: &Path, path: &Path) -> Result<()> {
    if is_set(std::env::var_os(VARIABLE)) {
        return Ok(());
    }
    let Ok(below) = path.strip_prefix(folder) else { return Ok(()) };
    let mut here = folder.to_owned();
    for part in below.components().take_while(|part| *part != Component::ParentDir) {
        here.push(part);
        if fs::symlink_metadata(&here).is_ok_and(|found| found.is_symlink()) {
            let reason = "this is a link, and links among the files of a study are not followed";
            let remedy = format!(
                "put the file itself there, or name where it is in the study.toml; if you trust the study, set \
                 {VARIABLE}=1 in the environment"
            );
            return Err(Error::unfit(Place::file(&here), reason, remedy));
        }
    }
    Ok(())
}

/// Refuses a place to write to that is not below a folder, unless [`OUTSIDE`] is 1.
///
/// # Errors
/// It is elsewhere.
pub fn refuse_outside(folder: &Path, path: &Path) -> Result<()> {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let inside = below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if inside || is_set(std::env::var_os(OUTSIDE)) {
        return Ok(());
    }
    let reason = "this is outside the folder of the study, where nothing is written for it";
    let remedy = format!("name a place below that folder; if you trust the study, set {OUTSIDE}=1 in the environment");
    Err(Error::unfit(Place::file(path), reason, remedy))
}

/// Checks that [`VARIABLE`] and [`OUTSIDE`] are 0 or 1, if they are set.
///
/// # Errors
/// One is something else.
pub fn check_variables() -> std::result::Result<(), String> {
    let meanings =
        [(VARIABLE, "links among a study's files are followed"), (OUTSIDE, "a study may write outside its folder")];
    for (variable, meaning) in meanings {
        match std::env::var_os(variable) {
            Some(value) if value != "0" && value != "1" => {
                let value = value.to_string_lossy();
                return Err(format!("the environment variable {variable} is {value:?}, not 0 or 1; with 1, {meaning}"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_set(value: Option<std::ffi::OsString>) -> bool {
    value.is_some_and(|value| value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_below_the_folder_are_refused_and_others_are_not() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (study, elsewhere) = (dir.path().join("study"), dir.path().join("elsewhere"));
        fs::create_dir(&study).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        for file in [study.join("items.csv"), elsewhere.join("items.csv")] {
            fs::write(file, "id\na\n").unwrap();
        }
        symlink("../elsewhere/items.csv", study.join("link.csv")).unwrap();
        symlink("nowhere", study.join("broken.csv")).unwrap();
        symlink(&elsewhere, study.join("data")).unwrap();
        for (name, link) in [("link.csv", "link.csv"), ("broken.csv", "broken.csv"), ("data/items.csv", "data")] {
            let told = refuse_links(&study, &study.join(name)).unwrap_err().to_string();
            assert!(told.starts_with(&format!("{}: this is a link", study.join(link).display())), "{told}");
            assert!(told.contains("FOLLOW_LINKS=1"), "{told}");
        }
        for name in ["items.csv", "../elsewhere/items.csv", "missing.csv"] {
            refuse_links(&study, &study.join(name)).unwrap();
        }
        // The folder may be a link, and a file that is named by itself lies in no study.
        let linked = dir.path().join("linked");
        symlink(&study, &linked).unwrap();
        refuse_links(&linked, &linked.join("items.csv")).unwrap();
        refuse_links(&study, &elsewhere.join("items.csv")).unwrap();
    }

    #[test]
    fn nothing_is_written_outside_the_folder_of_a_study() {
        for (folder, inside) in [("study", "study/cache"), ("", "cache/deep"), (".", "./cache"), ("../s", "../s/cache")]
        {
            refuse_outside(Path::new(folder), Path::new(inside)).unwrap();
        }
        let outside =
            [("study", "study/../escaped"), ("", "../cache"), ("study", "/elsewhere/cache"), ("s", "s/a/../../b")];
        for (folder, path) in outside {
            let told = refuse_outside(Path::new(folder), Path::new(path)).unwrap_err().to_string();
            assert!(told.contains("outside the folder of the study") && told.contains(OUTSIDE), "{told}");
        }
    }

    #[test]
    fn only_a_one_sets_a_variable() {
        for (value, expected) in [(None, false), (Some("0"), false), (Some("1"), true), (Some(""), false)] {
            assert_eq!(is_set(value.map(Into::into)), expected, "{value:?}");
        }
    }
}
