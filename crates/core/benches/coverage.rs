//! How often the intervals of `study labels estimate` hold the share that they are about.
//!
//! `cargo bench -p judge-uncertainty-core --bench coverage -- [ROUNDS]` simulates queues over items, budget, explored
//! share and share of the class, and prints a table of `evidence/`. A pool has a share p_i of each item's labels in the
//! class; the belief that ranks the items knows something of it. Three ways in which labels come back: one label where
//! experts agree (p_i is 0 or 1), one label where they do not, three labels where they do not. The target is the mean
//! of p_i over all items. Assisted: the share of queues in which the belief may help; then coverage, and width against
//! the plain interval, of the assisted interval where there is one and the plain one elsewhere.
//!
//! `coverage check` simulates 200 queues of each cell and fails where more than 23 intervals miss, which intervals that
//! hold with probability 0.95 do in 1 of 10,000 cells (72 of a million).

use std::process::ExitCode;

use judge_uncertainty_core::escalation::{Observed, Selection, top, weighted_mean};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::binomial::most_by_chance;
use judge_uncertainty_core::stats::mean;

/// What is simulated.
struct Cell {
    items: usize,
    budget: usize,
    explore: f64,
    share: f64,
    labels: u32,
    agreed: bool,
}

#[derive(Default)]
struct Tally {
    covered: f64,
    width: f64,
    helped: f64,
    best_covered: f64,
    narrower: f64,
}

fn pool(cell: &Cell, stream: &mut Stream) -> Vec<f64> {
    let of = |stream: &mut Stream| {
        if cell.agreed {
            return if stream.random() < cell.share { 1.0 } else { 0.0 };
        }
        let (a, b) = (stream.gamma(2.0 * cell.share), stream.gamma(2.0 * (1.0 - cell.share)));
        if a + b > 0.0 { a / (a + b) } else { 0.0 }
    };
    (0..cell.items).map(|_| of(stream)).collect()
}

fn simulate(cell: &Cell, rounds: usize, stream: &mut Stream) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..rounds {
        let truth = pool(cell, stream);
        let belief: Vec<f64> = truth.iter().map(|p| 0.05 + 0.6 * p + 0.3 * stream.random()).collect();
        let uncertain: Vec<f64> = belief.iter().map(|b| b * (1.0 - b)).collect();
        let ranking = top(&uncertain, &[], cell.items);
        let selection = Selection::exploring(&ranking, cell.budget, cell.explore, stream);
        let mut observed = vec![None; cell.items];
        for &i in selection.ranked.iter().chain(&selection.drawn) {
            let hits = (0..cell.labels).filter(|_| stream.random() < truth[i]).count();
            let share = hits as f64 / f64::from(cell.labels);
            observed[i] = Some(Observed::from_labels(cell.labels, share, hits as f64 * (1.0 - share)));
        }
        let target = mean(&truth);
        let plain = weighted_mean(&selection, &observed, None, (0.0, 1.0), 0.95).expect("the grid has items enough");
        tally.covered += f64::from(u8::from((plain.low..=plain.high).contains(&target)));
        tally.width += plain.high - plain.low;
        if let Ok(assisted) = weighted_mean(&selection, &observed, Some(&belief), (0.0, 1.0), 0.95) {
            tally.helped += 1.0;
            tally.best_covered += f64::from(u8::from((assisted.low..=assisted.high).contains(&target)));
            tally.narrower += (assisted.high - assisted.low) / (plain.high - plain.low);
        } else {
            tally.best_covered += f64::from(u8::from((plain.low..=plain.high).contains(&target)));
            tally.narrower += 1.0;
        }
    }
    tally
}

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    let check = argument.as_deref() == Some("check");
    let rounds: usize = if check { 200 } else { argument.and_then(|text| text.parse().ok()).unwrap_or(2000) };
    let most = most_by_chance(rounds as u64, 0.05, 1e-4) as f64;
    let mut broken = 0;
    println!(
        "| items | budget | explore | random items | share | labels | coverage | width | assisted | coverage | width |"
    );
    println!("|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|");
    let designs = [(1000, 100, 0.1), (1000, 200, 0.1), (1000, 200, 0.5), (300, 40, 0.5), (300, 150, 0.5)];
    let answers = [(1, true, "1, agreed"), (1, false, "1"), (3, false, "3")];
    for (seed, (items, budget, explore)) in (1..).zip(designs) {
        let mut stream = Stream::new(seed);
        for share in [0.02, 0.06, 0.2, 0.5] {
            for (labels, agreed, words) in answers {
                let cell = Cell { items, budget, explore, share, labels, agreed };
                let tally = simulate(&cell, rounds, &mut stream);
                let missed = rounds as f64 - tally.covered.min(tally.best_covered);
                broken += usize::from(missed > most);
                if check && missed <= most {
                    continue;
                }
                let per = |sum: f64, of: f64| if of > 0.0 { format!("{:.3}", sum / of) } else { "—".to_owned() };
                let (all, drawn) = (rounds as f64, Selection::draws(budget, explore));
                println!(
                    "| {items} | {budget} | {explore} | {drawn} | {share} | {words} | {} | {} | {} | {} | {} |",
                    per(tally.covered, all),
                    per(tally.width, all),
                    per(tally.helped, all),
                    per(tally.best_covered, all),
                    per(tally.narrower, all),
                );
            }
        }
    }
    if check && broken > 0 {
        eprintln!("in {broken} cells more than {most} of {rounds} intervals miss");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
