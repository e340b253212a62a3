//! How often the intervals of an audit hold what they are about.
//!
//! `cargo bench -p judge-uncertainty-study --bench audit -- [WORLDS [FIRST_SEED]]` audits so many tables of each kind
//! of world, by default 1,000, whose truth is known, and prints as CSV the share of intervals that hold it, and their
//! mean width. Intervals that hold together count as one. A sentence that says better or worse counts as an interval on
//! that side of 0; where nothing is said it is not estimable. A row is of seed FIRST_SEED and those that follow.

use std::collections::BTreeMap;

use rayon::prelude::*;

mod audit_worlds;

use audit_worlds::{SENTENCE, WORLDS, promises};

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let (worlds, first) = (arguments.first().copied().unwrap_or(1000), arguments.get(1).copied().unwrap_or(30));
    println!("world,quantity,intervals,hold,not_estimable,mean_width");
    for world in WORLDS {
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
        }
    }
}
