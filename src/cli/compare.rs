//! `compare`: what moved between two artifact folders.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use super::options::ResultOptions;
use super::{Error, FINDINGS, study};
use crate::artifact::{Manifest, Results, frozen};
use crate::cli::terminal::stdout;
use crate::experiments::Experiment;
use crate::report::verdicts::Said;
use crate::report::{numbers::NumberStyle, page};
use crate::system::MANIFEST;

/// Compare two studies, or two folders of `reproduce`.
///
/// Two studies have the same items and labels, and another judge, prompt or belief. Their scores on held-out labels are
/// paired over items; nothing is written. Of folders of `reproduce`, the claims and conclusions with another outcome
/// are listed first, then tables, figures and pages, and how many numbers moved beyond a tolerance: exit status 0 if
/// nothing moved, 10 otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  judge-uncertainty compare with-old-prompt with-new-prompt
  judge-uncertainty compare artifact fresh")]
pub(super) struct Args {
    /// The first study, or the folder to compare with.
    pub(super) old: PathBuf,
    /// The second study, or the folder that may differ.
    pub(super) new: PathBuf,
    /// Largest relative difference of a number of `reproduce` that counts as equal (numbers below 1 absolutely).
    #[arg(long, value_name = "X", default_value_t = 1e-6)]
    tolerance: f64,
    /// List every claim, file and number that differs.
    #[arg(long)]
    items: bool,
    #[command(flatten)]
    pub(super) result: ResultOptions,
}

/// The folder of the study that a path names, or of the study to which the run at this path belongs.
fn study_of(path: &Path) -> Option<PathBuf> {
    let is_study = |path: &Path| path.join("study.toml").is_file() || path.is_file();
    let above = || path.parent().filter(|_| path.join(crate::study::results::FILE).is_file()).map(Path::to_owned);
    if is_study(path) { Some(path.to_owned()) } else { above().filter(|study| is_study(study)) }
}

/// Runs the command.
///
/// # Errors
/// A folder that can't be read, or whose files are not those of its manifest.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    if let (Some(first), Some(second)) = (study_of(&args.old), study_of(&args.new)) {
        return study::compare::run([&first, &second], &args.result);
    }
    // A run of a study has results of its own.
    let is_artifact =
        |path: &&PathBuf| path.join(MANIFEST).is_file() && !path.join(crate::study::results::FILE).is_file();
    if ![&args.old, &args.new].iter().all(is_artifact) {
        return Err(Error::NotComparable { first: args.old.clone(), second: args.new.clone() });
    }
    let [(old, old_manifest), (new, new_manifest)] = &[load(&args.old)?, load(&args.new)?];
    let (mut moved, mut differing) = (Vec::new(), Vec::new());
    let mut alone = Vec::new();
    for (name, value) in old {
        match new.get(name) {
            Some(other) => compare(name, value, other, args.tolerance, &mut moved),
            None => alone.push(format!("{name} (only in {})", args.old.display())),
        }
    }
    let only_new = new.keys().filter(|name| !old.contains_key(*name));
    alone.extend(only_new.map(|name| format!("{name} (only in {})", args.new.display())));
    // Each is refused unless it is the frozen one.
    let [old_frozen, new_frozen] = [frozen(&args.old)?.names(), frozen(&args.new)?.names()];
    let with_frozen = if new_frozen.is_empty() { &args.old } else { &args.new };
    // What is made of several experiments at once is another text where one of them is missing.
    let same_of_paper = Experiment::ALL.iter().all(|e| old.contains_key(e.name()) == new.contains_key(e.name()));
    let of_several = |file: &str| {
        (!alone.is_empty() && OF_ALL.contains(&file))
            || (!same_of_paper && OF_SEVERAL.iter().any(|start| file.starts_with(start)))
    };
    let (old_sums, new_sums) = (&old_manifest.sums, &new_manifest.sums);
    let shared = |file: &String| new_sums.contains_key(file) && !of_several(file);
    let files: Vec<&String> = old_sums.keys().filter(|file| is_shown(file) && shared(file)).collect();
    for file in &files {
        if old_sums[*file] != new_sums[*file] {
            differing.push(format!("{file}: differs"));
        }
    }
    let is_in_both = |experiment: Experiment| [old, new].iter().all(|results| results.contains_key(experiment.name()));
    let changed = changed([&args.old, &args.new], is_in_both)?;
    let mut stdout = stdout();
    let mut list = |title: &str, lines: &[String]| -> Result<(), Error> {
        if !lines.is_empty() {
            writeln!(stdout, "{title}: {}", lines.len())?;
            let shown = if args.items { lines.len() } else { SHOWN };
            lines.iter().take(shown).try_for_each(|line| writeln!(stdout, "  {line}"))?;
            if lines.len() > shown {
                writeln!(stdout, "  and {} more: `--items`", lines.len() - shown)?;
            }
        }
        Ok(())
    };
    list("Claims and conclusions with another outcome", &changed)?;
    list("Tables, figures and pages that differ", &differing)?;
    let numbers = if args.items { "Numbers that moved" } else { "Parts of the results with numbers that moved" };
    list(numbers, &if args.items { moved.clone() } else { parts(&moved) })?;
    let both = old.keys().filter(|name| new.contains_key(*name)).count();
    writeln!(stdout, "Compared: results of {both} experiments, {} tables, figures and pages", files.len())?;
    if !alone.is_empty() {
        let of_all = OF_ALL.join(", ");
        writeln!(stdout, "Not compared: {}; and what is made of several at once, such as {of_all}", alone.join(", "))?;
    }
    if old_frozen != new_frozen {
        writeln!(stdout, "Not compared: the frozen files, which are only in {}", with_frozen.display())?;
    }
    let differences = changed.len() + moved.len() + differing.len();
    writeln!(stdout, "{differences} differences")?;
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

/// Lines of each list.
const SHOWN: usize = 10;

/// Claims and conclusions that the two folders print or judge differently, each by the claims it was made with.
fn changed(folders: [&Path; 2], is_in_both: impl Fn(Experiment) -> bool) -> Result<Vec<String>, Error> {
    let read = |folder: &Path| -> Result<Vec<Said>, Error> {
        Ok(Said::read(folder)?.into_iter().filter(|said| is_in_both(said.experiment)).collect())
    };
    let [before, after] = [read(folders[0])?, read(folders[1])?];
    let in_other = |said: &Said, other: &[Said]| other.iter().any(|of| of.id == said.id);
    let mut changed = vec![];
    for a in &before {
        let Some(b) = after.iter().find(|b| b.id == a.id) else { continue };
        let paper = match (&a.published, &b.published) {
            (Some(a), Some(b)) if a == b => format!(", paper {a}"),
            (Some(a), Some(b)) => format!(", paper {a} -> {b}"),
            _ => String::new(),
        };
        if (a.verdict, a.outcome, &a.published) != (b.verdict, b.outcome, &b.published) {
            changed.push(format!("{}: {} -> {}{paper}", a.id, a.text(), b.text()));
        }
    }
    for (these, others, folder) in [(&before, &after, folders[0]), (&after, &before, folders[1])] {
        let alone = these.iter().filter(|said| !in_other(said, others));
        changed.extend(alone.map(|said| format!("{}: only in {}", said.id, folder.display())));
    }
    Ok(changed)
}

/// How many numbers moved in each part of the results, such as `chaosnli/components`.
fn parts(moved: &[String]) -> Vec<String> {
    let mut parts = BTreeMap::<String, usize>::new();
    for line in moved {
        let place = line.split(": ").next().unwrap_or_default();
        *parts.entry(place.split('/').take(2).collect::<Vec<_>>().join("/")).or_default() += 1;
    }
    parts.into_iter().map(|(part, number)| format!("{part}: {number} numbers")).collect()
}

/// Files that show the results of all experiments.
const OF_ALL: [&str; 2] = ["paper/reproduction.tex", page::FILE];

/// Beginnings of the names of files that show results of several of the paper's experiments.
const OF_SEVERAL: [&str; 4] =
    ["paper/numbers.tex", "paper/figures/calibration.", "paper/figures/coefficients.", "paper/tables/isolation.tex"];

/// Whether a file shows results, rather than holding them, which are compared as numbers.
fn is_shown(file: &str) -> bool {
    file.starts_with("paper/") || file == page::FILE
}

/// The results of a folder by experiment, and its manifest.
type Loaded = (BTreeMap<&'static str, Value>, Manifest);

/// The results of a folder by experiment, and its manifest; the files are checked against the manifest.
fn load(path: &Path) -> Result<Loaded, Error> {
    let manifest = Manifest::load(path)?;
    let results = Results::load(path, &manifest)?;
    manifest.check_sums(path)?;
    let values = results.values().into_iter().map(|(experiment, value)| (experiment.name(), value)).collect();
    Ok((values, manifest))
}

/// Lists the numbers below a place that lie further apart than a tolerance.
pub(super) fn compare(at: &str, old: &Value, new: &Value, tolerance: f64, moved: &mut Vec<String>) {
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
