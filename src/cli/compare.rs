//! `compare`: what moved between two artifact folders.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use super::{Error, FINDINGS};
use crate::artifact::{Manifest, Results};
use crate::report::numbers::NumberStyle;

/// Show what moved between two artifact folders: numbers beyond a tolerance, and tables whose text changed.
///
/// Exit status: 0 when nothing did, 10 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  judge-uncertainty reproduce --out fresh
  judge-uncertainty compare artifact fresh")]
pub(super) struct Args {
    /// The folder to compare with.
    old: PathBuf,
    /// The folder that may differ.
    new: PathBuf,
    /// Largest relative difference of a number that counts as equal (numbers below 1 absolutely).
    #[arg(long, value_name = "X", default_value_t = 1e-6)]
    tolerance: f64,
}

/// Runs the command.
///
/// # Errors
/// A folder that can't be read.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    let mut moved = Vec::new();
    let (old, new) = (load(&args.old)?, load(&args.new)?);
    for (name, value) in &old.values {
        match new.values.get(name) {
            Some(other) => compare(name, value, other, args.tolerance, &mut moved),
            None => moved.push(format!("{name}: only in {}", args.old.display())),
        }
    }
    for name in new.values.keys().filter(|name| !old.values.contains_key(*name)) {
        moved.push(format!("{name}: only in {}", args.new.display()));
    }
    for file in old.tables.keys().chain(new.tables.keys().filter(|f| !old.tables.contains_key(*f))) {
        if old.tables.get(file) != new.tables.get(file) {
            moved.push(format!("{file}: text differs"));
        }
    }
    let mut stdout = anstream::stdout().lock();
    for line in &moved {
        writeln!(stdout, "{line}")?;
    }
    writeln!(stdout, "{} differences", moved.len())?;
    Ok(if moved.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

struct Folder {
    values: BTreeMap<String, Value>,
    tables: BTreeMap<String, String>,
}

fn load(path: &Path) -> Result<Folder, Error> {
    let manifest = Manifest::load(path)?;
    let results = Results::load(path, &manifest)?;
    let tables = manifest.files.iter().filter(|f| is_table(f)).map(|file| {
        let text = fs::read_to_string(path.join(file)).unwrap_or_else(|e| format!("can't be read: {e}"));
        (file.clone(), text)
    });
    Ok(Folder {
        values: results.values().into_iter().map(|(e, v)| (e.name().to_owned(), v)).collect(),
        tables: tables.collect(),
    })
}

/// Tables, macros and the document; figures draw the numbers that are compared already.
fn is_table(file: &str) -> bool {
    file.starts_with("paper/") && file.ends_with(".tex") && !file.starts_with("paper/figures/")
}

fn compare(at: &str, old: &Value, new: &Value, tolerance: f64, moved: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|k| !a.contains_key(*k))) {
                let here = format!("{at}/{key}");
                match (a.get(key), b.get(key)) {
                    (Some(x), Some(y)) => compare(&here, x, y, tolerance, moved),
                    _ => moved.push(format!("{here}: in one folder only")),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (x, y)) in a.iter().zip(b).enumerate() {
                compare(&format!("{at}/{i}"), x, y, tolerance, moved);
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let (x, y) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            // Written so that a number that can't be read counts as moved.
            let equal = (x - y).abs() <= tolerance * x.abs().max(1.0);
            if !equal {
                let text = |v: f64| NumberStyle::plain(9).format(v);
                moved.push(format!("{at}: {} -> {}", text(x), text(y)));
            }
        }
        _ if old == new => {}
        _ => moved.push(format!("{at}: changed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_moved_is_listed() {
        let moved = |a: Value, b: Value| {
            let mut moved = vec![];
            compare("r", &a, &b, 1e-6, &mut moved);
            moved
        };
        assert!(moved(json!({"a": [1.0, 2.0]}), json!({"a": [1.0, 2.0 + 1e-9]})).is_empty());
        assert_eq!(moved(json!({"a": [1.0, 2.0]}), json!({"a": [1.0, 2.1]})), ["r/a/1: 2.000000000 -> 2.100000000"]);
        assert_eq!(moved(json!({"a": 1}), json!({"b": 1})), ["r/a: in one folder only", "r/b: in one folder only"]);
        assert_eq!(moved(json!({"a": [1]}), json!({"a": [1, 2]})), ["r/a: changed"]);
    }
}
