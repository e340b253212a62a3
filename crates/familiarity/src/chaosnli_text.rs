//! The sentences of ChaosNLI, from the user's own download of the
//! [`originals`](judge_uncertainty_formats::dataset::originals).

use std::path::Path;

use super::embedding::{EmbeddingError, ItemTexts, Template};
use judge_uncertainty_formats::checksum::sha256_hex;
use judge_uncertainty_formats::dataset::originals::{FOLDER, ORIGINALS, OriginalItem};
use judge_uncertainty_system::limits::{self, Allowance};
use judge_uncertainty_system::read;

/// The template of the experiment: `Premise: {premise}\nHypothesis: {hypothesis}`.
pub fn template() -> Template {
    r"Premise: {premise}\nHypothesis: {hypothesis}".parse().expect("a template without mistakes")
}

/// Reads the 3,113 items (SNLI, then MNLI, in file order) from an unpacked download of ChaosNLI.
///
/// `dir` is the directory `chaosNLI_v1.0` or the one around it. The ids are the uids, the texts come from [`template`].
///
/// # Errors
/// A missing original, or one whose SHA-256 is not that of the published file.
pub fn read_chaosnli_texts(dir: &Path) -> Result<ItemTexts, EmbeddingError> {
    let inner = dir.join(FOLDER);
    let dir = if inner.is_dir() { inner.as_path() } else { dir };
    let template = template();
    let mut items = ItemTexts::default();
    for (name, expected) in ORIGINALS {
        let path = dir.join(name);
        if !path.is_file() {
            let (dir, missing) = (dir.to_path_buf(), name.to_owned());
            return Err(EmbeddingError::ChaosNliMissing { dir, missing });
        }
        let bytes = read::bytes(&path).map_err(EmbeddingError::read(&path))?;
        let found = sha256_hex(&bytes);
        if found != expected {
            return Err(EmbeddingError::ChaosNliChanged { path, expected, found });
        }
        let allowance = Allowance::new(limits::TEXTS.for_file(bytes.len() as u64));
        for line in serde_json::Deserializer::from_slice(&bytes).into_iter::<OriginalItem>() {
            let OriginalItem { uid, example, .. } = line.expect("the hash is that of a readable file");
            items.ids.push(uid);
            let value = |column: &str| if column == "premise" { &*example.premise } else { &*example.hypothesis };
            items.texts.push(template.render(value, &allowance).expect("the template names each column once"));
        }
    }
    Ok(items)
}
