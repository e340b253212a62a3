//! How often registered hypotheses are decided, under an exact null and where there is something to find.
//!
//! `cargo bench -p judge-uncertainty-evaluation --bench verdicts -- [STUDIES [FIRST_SEED]]` simulates studies from
//! nothing (items, labels, judge), evaluates each by half splits and judges a family of hypotheses by the intervals for
//! new items; it prints the table of `docs/intervals.md`. Null: the stated confidence is noise, so ranking by it is as
//! good as ranking at random, and the family of four comparisons between the two (budgets 10 and 20%, error removed and
//! error of the others) has nothing to find. A study counts as falsely confirmed (refuted) if any of the four is.
//! Power: the judge knows nothing of a share of the items, says so, and the same hypotheses hold.
//!
//! `verdicts check` simulates 60 studies of two null settings, and 60 in which the judge says all that it does not
//! know. It fails where more than 6 are decided on one side of the null (chance gives that in 7 of 10,000 where a side
//! has probability 0.025), or fewer than 20 of the last are confirmed.

use std::process::ExitCode;

use judge_uncertainty_core::escalation::{Budget, Rule};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::binomial::most_by_chance;
use judge_uncertainty_core::stats::new_items::new_items;
use judge_uncertainty_evaluation::contrast::contributions;
use judge_uncertainty_evaluation::{Contrast, CountPool, HalfSplit, Measure, Measured, Settings};
use judge_uncertainty_formats::Predictions;
use ndarray::Array2;
use rayon::prelude::*;

/// What is simulated; `told` is the share of the ignorance that the stated confidence tells, 0 under the null.
#[derive(Clone, Copy)]
struct Setting {
    items: usize,
    labels: usize,
    replicates: u64,
    told: f64,
}

fn shares(concentration: f64, mean: &[f64; 3], stream: &mut Stream) -> [f64; 3] {
    let gammas: [f64; 3] = std::array::from_fn(|k| stream.gamma(concentration * mean[k]) + 1e-9);
    let sum: f64 = gammas.iter().sum();
    gammas.map(|g| g / sum)
}

fn study(setting: &Setting, stream: &mut Stream) -> (Array2<u32>, Predictions) {
    let n = setting.items;
    let (mut counts, mut q, mut confidence) = (Array2::zeros((n, 3)), Array2::zeros((n, 3)), vec![]);
    for i in 0..n {
        let p = shares(3.0, &[1.0 / 3.0; 3], stream);
        let ignorant = stream.random() < 0.3;
        let stated = shares(if ignorant { 2.0 } else { 30.0 }, &p, stream);
        (0..3).for_each(|k| q[[i, k]] = stated[k]);
        let noise = 100.0 * stream.random();
        let told = if ignorant { 10.0 } else { 90.0 };
        confidence.push(Some(setting.told * told + (1.0 - setting.told) * noise));
        for _ in 0..setting.labels {
            let u = stream.random();
            let class = usize::from(u > p[0]) + usize::from(u > p[0] + p[1]);
            counts[[i, class]] += 1;
        }
    }
    (counts, Predictions { q, spread: vec![None; n], confidence })
}

fn family() -> Vec<Contrast> {
    let budgets = [10, 20].map(|percent| Budget::percent(percent).expect("1 to 100"));
    let of = |budget| {
        [Measure::Value, Measure::SelectiveError].map(|measure| Contrast {
            better: Rule::LowConfidence,
            than: Rule::Random,
            budget,
            measure,
        })
    };
    budgets.into_iter().flat_map(of).collect()
}

/// Whether any hypothesis of a simulated study is confirmed, or refuted, and how many are confirmed.
fn judged(setting: &Setting, seed: u64) -> (bool, bool, usize) {
    let mut stream = Stream::new(1_000_000 + seed);
    let (counts, judge) = study(setting, &mut stream);
    let settings = Settings {
        seed,
        reveal: vec![0, 1, 2, 5],
        budgets: [10, 20].map(|percent| Budget::percent(percent).expect("1 to 100")).to_vec(),
        rules: vec![Rule::LowConfidence, Rule::Random],
    };
    let split = HalfSplit::new(Box::new(CountPool::new(counts.view(), judge)), None, Box::new(|_, _| vec![]), settings)
        .with_contrasts(family());
    let measured: Vec<Measured> = (0..setting.replicates)
        .map(|replicate| {
            let mut stream = split.stream(replicate);
            let labels = split.draw(&mut stream);
            split.evaluate(&labels, &[], &mut stream).expect("every study can be fitted").measured
        })
        .collect();
    let of = |k: usize| {
        let picks = measured.iter().map(|m| m.contrasts[k].as_ref());
        contributions(setting.items, picks).expect("the rules and budgets are evaluated")
    };
    let own: Vec<_> = (0..4).map(of).collect();
    let found = new_items(&own, 0.95, &mut Stream::new(seed));
    let confirmed = found.iter().flatten().filter(|x| x.simultaneous.lo > 0.0).count();
    let refuted = found.iter().flatten().filter(|x| x.simultaneous.hi < 0.0).count();
    (confirmed > 0, refuted > 0, confirmed)
}

/// The quick form: whether the promise is kept and anything is found.
fn check() -> ExitCode {
    const STUDIES: u64 = 60;
    let most = most_by_chance(STUDIES, 0.025, 1e-3) as usize;
    let of = |items: usize, told: f64| {
        let setting = Setting { items, labels: 20, replicates: 20, told };
        let found: Vec<_> = (0..STUDIES).into_par_iter().map(|seed| judged(&setting, seed)).collect();
        let (confirmed, refuted) = (found.iter().filter(|f| f.0).count(), found.iter().filter(|f| f.1).count());
        println!("told {told}, {items} items: {confirmed} of {STUDIES} studies confirm, {refuted} refute");
        (confirmed, refuted)
    };
    let null_kept = [30, 60].into_iter().all(|items| {
        let (confirmed, refuted) = of(items, 0.0);
        confirmed.max(refuted) <= most
    });
    let (found, against) = of(60, 1.0);
    if null_kept && found >= 20 && against <= most { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("check") {
        return check();
    }
    let argument = |k: usize| std::env::args().nth(k).and_then(|text| text.parse::<u64>().ok());
    let (studies, first) = (argument(1).unwrap_or(400), argument(2).unwrap_or(0));
    println!(
        "| told | items | labels | replicates | studies with a confirmation | with a refutation | hypotheses confirmed \
         |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    let null = [(30, 20, 40), (60, 20, 40), (120, 20, 40), (300, 20, 40), (120, 8, 40)];
    let power = [(60, 0.5), (60, 1.0), (120, 0.25), (120, 0.5), (300, 0.25), (300, 0.5)];
    let settings = null
        .map(|(items, labels, replicates)| Setting { items, labels, replicates, told: 0.0 })
        .into_iter()
        .chain(power.map(|(items, told)| Setting { items, labels: 20, replicates: 40, told }));
    for setting in settings {
        let found: Vec<_> = (first..first + studies).into_par_iter().map(|seed| judged(&setting, seed)).collect();
        let share = |count: usize| format!("{:.3}", count as f64 / studies as f64);
        println!(
            "| {} | {} | {} | {} | {} | {} | {:.3} |",
            setting.told,
            setting.items,
            setting.labels,
            setting.replicates,
            share(found.iter().filter(|f| f.0).count()),
            share(found.iter().filter(|f| f.1).count()),
            found.iter().map(|f| f.2).sum::<usize>() as f64 / (4 * studies) as f64,
        );
    }
    ExitCode::SUCCESS
}
