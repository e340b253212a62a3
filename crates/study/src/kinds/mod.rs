//! The kinds of labels, each in a folder of its own: what its studies read, fit and report in their own way.
//!
//! A further kind is a folder here with an implementation of [`Kind`](crate::Kind), one of
//! `report::study::Shown` for its words, and one line in [`with_kind`](crate::with_kind).

use std::path::Path;

use super::input::config::study_toml;
use judge_uncertainty_formats::checksum::read_file;
use judge_uncertainty_formats::error::{Error, Place, Result};

pub mod classes;
pub mod ordinal;
pub mod scores;

pub use classes::Classes;
pub use ordinal::Ordinal;
pub use scores::Scores;

/// The keys above all tables of a `study.toml`, or of the one in a folder; none of what is no TOML, which its reader
/// then refuses.
///
/// # Errors
/// It can't be read.
pub fn keys(path: &Path) -> Result<Vec<String>> {
    let file = study_toml(path);
    let refused = |reason: &str, remedy: String| Error::unfit(Place::file(path), reason, &remedy);
    let is_table =
        file.extension().is_some_and(|known| ["csv", "tsv", "jsonl", "parquet", "xlsx"].iter().any(|e| known == *e));
    if is_table && file.exists() {
        let remedy = format!("make a study of it: judge-uncertainty audit {}", file.display());
        return Err(refused("this is a table and no study", remedy));
    }
    let bytes = read_file(&file).map_err(|error| match file.exists() || error.to_string().contains("did you mean") {
        true => error,
        false => refused(
            "there is no study here",
            format!(
                "name the folder of a study.toml, or make one: judge-uncertainty study init {}, or judge-uncertainty \
                 audit FILE from a table",
                path.display()
            ),
        ),
    })?;
    let table = String::from_utf8_lossy(&bytes).parse::<toml::Table>();
    Ok(table.map(|table| table.keys().cloned().collect()).unwrap_or_default())
}

/// `with_kind!(path, K => expression)`: the expression with `K` as the kind of the study at a path, whose reading ends
/// the function where it fails; with `keys NAMES` in its place, as the kind of settings with these keys.
///
/// Here the kinds are listed, and nowhere else. A kind is known by its key in `study.toml`
/// ([`KindFacts::key`](crate::input::read::KindFacts::key)); the last one is taken where there is none.
#[macro_export]
macro_rules! with_kind {
    (keys $keys:expr, $kind:ident => $run:expr) => {
        $crate::with_kind!(@among $keys, $kind => $run;
            $crate::kinds::Ordinal,
            $crate::kinds::Scores,
            $crate::kinds::Classes)
    };
    ($path:expr, $kind:ident => $run:expr) => {
        $crate::with_kind!(keys $crate::kinds::keys($path)?, $kind => $run)
    };
    (@among $keys:expr, $kind:ident => $run:expr; $($other:ty),+) => {{
        let keys = $keys;
        $crate::with_kind!(@next keys, $kind => $run; $($other),+)
    }};
    (@next $keys:ident, $kind:ident => $run:expr; $last:ty) => {{
        type $kind = $last;
        $run
    }};
    (@next $keys:ident, $kind:ident => $run:expr; $one:ty, $($other:ty),+) => {
        if $keys.iter().any(|key| key == <$one as $crate::input::read::Read>::FACTS.key) {
            type $kind = $one;
            $run
        } else {
            $crate::with_kind!(@next $keys, $kind => $run; $($other),+)
        }
    };
}
