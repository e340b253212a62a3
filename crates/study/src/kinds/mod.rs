//! The kinds of labels, each in a folder of its own: what its studies read, fit and report in their own way.
//!
//! A further kind is a folder here with an implementation of [`Kind`], one of
//! `report::study::Shown` for its words, and one line in [`with_kind`](crate::with_kind).

use std::path::Path;

use super::input::config::study_toml;
use judge_uncertainty_core::stats::{mean, sample_sd, spearman};
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

/// Groups of items that a calibration is told in.
const BINS: usize = 10;

/// Spearman correlation of a quantity with the errors of the items at positions `kept`, over those that have the
/// quantity; `None` where undefined.
fn correlation_with_error(kept: &[usize], errors: &[f64], of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let both = kept.iter().zip(errors).filter_map(|(&i, error)| of(i).map(|x| (x, *error)));
    let (x, errors): (Vec<f64>, Vec<f64>) = both.unzip();
    spearman(&x, &errors)
}

/// Pairs of (predicted, observed) by tenths of the range of length `span` from `low`, in which the predictions lie. A
/// tenth holds its lower end, the last one both; those without items are left out. `bin` is made of both ends, the
/// number of items, the means of what was predicted and observed, and the standard error of the latter over items
/// (`None` for one item).
fn bins<T>(
    low: f64,
    span: f64,
    pairs: impl IntoIterator<Item = (f64, f64)>,
    bin: impl Fn([f64; 2], usize, [f64; 2], Option<f64>) -> T,
) -> Vec<T> {
    let width = span / BINS as f64;
    let mut bins = vec![(vec![], vec![]); BINS];
    for (predicted, observed) in pairs {
        let (all_predicted, all_observed) = &mut bins[(((predicted - low) / width) as usize).min(BINS - 1)];
        all_predicted.push(predicted);
        all_observed.push(observed);
    }
    let filled = bins.into_iter().enumerate().filter(|(_, (predicted, _))| !predicted.is_empty());
    let told = |(k, (predicted, observed)): (usize, (Vec<f64>, Vec<f64>))| {
        let ends = [low + width * k as f64, low + width * (k + 1) as f64];
        let se = (observed.len() > 1).then(|| sample_sd(&observed) / (observed.len() as f64).sqrt());
        bin(ends, predicted.len(), [mean(&predicted), mean(&observed)], se)
    };
    filled.map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_their_lower_end_and_the_last_both() {
        let pairs = [(-5.0, 1.0), (-4.1, 0.0), (-4.0, 2.0), (5.0, 4.0)];
        let bins = bins(-5.0, 10.0, pairs, |[from, to], items, [_, observed], se| ((from, to, items, observed), se));
        let (found, se): (Vec<_>, Vec<_>) = bins.into_iter().unzip();
        assert_eq!(found, [(-5.0, -4.0, 2, 0.5), (-4.0, -3.0, 1, 2.0), (4.0, 5.0, 1, 4.0)]);
        // Of 1 and 0: standard deviation sqrt(1/2), over sqrt(2).
        assert_eq!(se, [Some(0.5), None, None]);
    }

    #[test]
    fn items_without_the_quantity_are_left_out_of_a_correlation() {
        let known = [Some(1.0), None, Some(3.0), Some(2.0)];
        assert_eq!(correlation_with_error(&[0, 1, 2, 3], &[0.1, 9.0, 0.3, 0.2], |i| known[i]), Some(1.0));
    }
}
