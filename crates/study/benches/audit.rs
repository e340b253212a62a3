//! How often the intervals of an audit hold what they are about.
//!
//! `cargo bench -p judge-uncertainty-study --bench audit -- [WORLDS [FIRST_SEED [NAME]]]` audits so many tables of each
//! kind of world, by default 1,000, whose truth is known, and prints as CSV the share of intervals that hold it, and their
//! mean width. Intervals that hold together count as one. A sentence that says better or worse counts as an interval on
//! that side of 0; where nothing is said it is not estimable. A row is of seed FIRST_SEED and those that follow. With a
//! NAME, worlds whose name contains it. With `check` in place of the number it audits 60 tables of each and fails where
//! more intervals miss than chance gives in one of 1,000 such rows, where the promise (0.95) is kept.

use std::collections::BTreeMap;
use std::process::ExitCode;

use judge_uncertainty_core::stats::beta::most_by_chance;
use rayon::prelude::*;

mod audit_worlds;

use audit_worlds::{SENTENCE, WORLDS, promises};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let check = arguments.first().is_some_and(|first| first == "check");
    let number = |k: usize, default: u64| arguments.get(k).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (worlds, first) = (if check { 60 } else { number(0, 1000) }, number(1, 30));
    let named = arguments.get(2).map_or("", String::as_str);
    let mut missed = 0;
    println!("world,quantity,intervals,hold,not_estimable,mean_width");
    for world in WORLDS.into_iter().filter(|world| world.name.contains(named)) {
        let all: Vec<_> = (first..first + worlds).into_par_iter().flat_map_iter(|seed| promises(world, seed)).collect();
        let mut by: BTreeMap<String, (usize, usize, usize, f64)> = BTreeMap::new();
        for (name, intervals) in all {
            let entry = by.entry(name).or_default();
            let known: Vec<_> = intervals.iter().filter_map(|(truth, of)| Some((truth, of.estimate()?))).collect();
            if known.is_empty() {
                entry.2 += 1;
                continue;
            }
            entry.0 += 1;
            entry.1 += usize::from(known.iter().all(|(truth, of)| of.lo <= **truth && **truth <= of.hi));
            entry.3 += known.iter().map(|(_, of)| of.hi - of.lo).sum::<f64>() / known.len() as f64;
        }
        for (name, (intervals, hold, not, width)) in by {
            let n = intervals.max(1) as f64;
            let width = if name.starts_with(SENTENCE) { String::new() } else { format!("{:.4}", width / n) };
            println!("\"{}\",{name},{intervals},{:.3},{not},{width}", world.name, hold as f64 / n);
            // A sentence that is not said is none that is false.
            let of = if name.starts_with(SENTENCE) { worlds } else { intervals as u64 };
            if (intervals - hold) as u64 > most_by_chance(of, 0.05, 1e-3) {
                eprintln!("{}: {name}: {} of {intervals} miss", world.name, intervals - hold);
                missed += 1;
            }
        }
    }
    if check && missed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
