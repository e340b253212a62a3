//! The kinds of labels, each in a folder of its own: what its studies read, fit and report in their own way.
//!
//! A further kind is a folder here with an implementation of [`Kind`](crate::model::kind::Kind), one of `report::study::Shown` for
//! its words, and one line in [`with_kind`](crate::with_kind).

mod against;
pub mod classes;
pub mod ordinal;
pub mod scores;

use std::path::Path;

pub use classes::Classes;
pub use ordinal::Ordinal;
pub use scores::Scores;

use super::input::config::study_toml;

/// The keys above all tables of a `study.toml`, or of the one in a folder; none if it can't be read, which its reader
/// then refuses.
pub fn keys(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(study_toml(path)).unwrap_or_default();
    text.parse::<toml::Table>().map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

/// `with_kind!(path, K => expression)`: the expression with `K` as the kind of the study at a path, or with `keys
/// NAMES` in its place as the kind of settings with these keys.
///
/// Here the kinds are listed, and nowhere else. A kind is known by its key in `study.toml`
/// ([`Configured::KEY`](crate::input::config::Configured::KEY)); the last one is taken where there is none.
#[macro_export]
macro_rules! with_kind {
    (keys $keys:expr, $kind:ident => $run:expr) => {
        $crate::with_kind!(@among $keys, $kind => $run;
            $crate::kinds::Ordinal,
            $crate::kinds::Scores,
            $crate::kinds::Classes)
    };
    ($path:expr, $kind:ident => $run:expr) => {
        $crate::with_kind!(keys $crate::kinds::keys($path), $kind => $run)
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
        if $keys.iter().any(|key| key == <$one as $crate::input::config::Configured>::KEY) {
            type $kind = $one;
            $run
        } else {
            $crate::with_kind!(@next $keys, $kind => $run; $($other),+)
        }
    };
}
