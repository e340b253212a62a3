//! The files of a data set as Hugging Face lays them out: `data/train-00000-of-00003.parquet` and its other parts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Place, Result};
use judge_uncertainty_system::read::names;

/// The files that a path names: all parts of a split if it is the first part of one, the only split of a folder, else
/// itself.
///
/// # Errors
/// A folder without Parquet files, or with several splits.
pub fn files_of(path: &Path) -> Result<Vec<PathBuf>> {
    Ok(match path.is_dir() {
        true => parts(&only_split(path)?),
        false => parts(path),
    })
}

/// The parts of the split whose first file, by its name, this is; only the file itself if it is not part of a split.
fn parts(path: &Path) -> Vec<PathBuf> {
    let alone = || vec![path.to_owned()];
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some((stem, rest)) = name.split_once("-00000-of-") else { return alone() };
    let (digits, extension) = rest.split_once('.').unwrap_or((rest, ""));
    match digits.parse::<usize>() {
        Ok(parts) if digits.len() == 5 && parts > 0 => {
            (0..parts).map(|part| path.with_file_name(format!("{stem}-{part:05}-of-{digits}.{extension}"))).collect()
        }
        _ => alone(),
    }
}

/// The first file of the only split of a folder, which may be in its folder `data`.
fn only_split(folder: &Path) -> Result<PathBuf> {
    let data = folder.join("data");
    let within = if data.is_dir() { data } else { folder.to_owned() };
    let mut splits: BTreeMap<String, PathBuf> = BTreeMap::new();
    for name in names(&within).map_err(Error::unreadable(folder))? {
        let Some(stem) = name.strip_suffix(".parquet") else { continue };
        let split = stem.split_once("-0").filter(|(_, rest)| rest.contains("-of-")).map_or(stem, |(split, _)| split);
        splits.entry(split.to_owned()).or_insert_with(|| within.join(&name));
    }
    let refuse = |reason: &str, remedy: &str| Err(Error::unfit(Place::file(folder), reason, remedy));
    match splits.len() {
        0 => refuse("the folder holds no Parquet file", "name a file"),
        1 => Ok(splits.into_values().next().unwrap_or_default()),
        _ => {
            let names = splits.keys().cloned().collect::<Vec<_>>().join(", ");
            let files = splits.values().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" or ");
            refuse(
                &format!("the folder holds several splits: {names}"),
                &format!("name the first file of one: {files}"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbered_parts_have_others() {
        for other in ["train-00000-of-2.parquet", "train.csv", "a-00000-of-xxxxx.csv"] {
            assert_eq!(parts(Path::new(other)), [PathBuf::from(other)]);
        }
    }

    #[test]
    fn a_folder_stands_for_its_only_split() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        let told = || files_of(folder.path()).unwrap_err().to_string();
        assert!(told().ends_with("the folder holds no Parquet file; name a file"), "{}", told());
        std::fs::create_dir(folder.path().join("data")).unwrap();
        put("README.md");
        put("data/train-00001-of-00002.parquet");
        put("data/train-00000-of-00002.parquet");
        let names = |files: Vec<PathBuf>| -> Vec<String> {
            files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        let both = ["train-00000-of-00002.parquet", "train-00001-of-00002.parquet"];
        assert_eq!(names(files_of(folder.path()).unwrap()), both);
        assert_eq!(names(files_of(&folder.path().join("data")).unwrap()), both);
        put("data/test-00000-of-00001.parquet");
        assert!(told().contains("several splits: test, train; name the first file of one: "), "{}", told());
    }
}
