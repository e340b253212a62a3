//! What studies say about the typical trust.

use std::collections::BTreeMap;

use judge_uncertainty::belief::{BeliefModel, JudgedItems, TrustPrior};
use judge_uncertainty::random::Stream;
use judge_uncertainty::stats::beta::most_by_chance;

use crate::world::{Judge, Pattern, World};
use crate::{share, studies_of};

/// What is counted over the studies of a world.
#[derive(Default)]
struct Tally {
    studies: usize,
    /// Studies whose interval has an end,
    stated: usize,
    /// of which it holds the truth,
    held: usize,
    /// or lies wholly above it.
    above: usize,
    /// Studies whose interval has both ends,
    both: usize,
    /// of which it holds the truth.
    both_held: usize,
    /// By how much the logarithm of what the belief takes is off, summed over the studies whose interval has an end.
    error: f64,
    unconverged: usize,
    runaway_without_prior: usize,
}

/// What is counted over worlds.
#[derive(Default)]
struct Worlds {
    /// Worlds of which some study's interval has an end,
    stated: usize,
    /// with more misses than chance gives in one of a thousand worlds where 5% miss.
    beyond_chance: usize,
    intervals: usize,
    held: usize,
    above: usize,
}

impl Worlds {
    fn add(&mut self, tally: &Tally) {
        let missed = (tally.stated - tally.held) as u64;
        self.stated += usize::from(tally.stated > 0);
        self.beyond_chance += usize::from(missed > most_by_chance(tally.stated as u64, 0.05, 1e-3));
        self.intervals += tally.stated;
        self.held += tally.held;
        self.above += tally.above;
    }

    fn print(&self, what: &str) {
        println!(
            "| {what} | {} | {} | {} | {} | {} | {} |",
            self.stated,
            self.intervals,
            share(self.held as f64, self.intervals),
            share(self.above as f64, self.intervals),
            share((self.intervals - self.held - self.above) as f64, self.intervals),
            self.beyond_chance
        );
    }
}

pub(crate) fn table(studies: usize, trust: f64, seed: u32) {
    println!(
        "| classes | features | labels | items | studies | an interval | holds | above the truth | mean error of ln \
         trust | both ends | of these, holds | not converged | without a prior: off by 100 or not converged |"
    );
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let (mut number, mut all) = (0, Worlds::default());
    let mut by_items: BTreeMap<usize, Worlds> = BTreeMap::new();
    for classes in [2, 3, 7] {
        for features in [0, 2, 4] {
            for pattern in Pattern::ALL {
                for items in [20, 50, 100, 300, 1000, 3000] {
                    number += 1;
                    let mut stream = Stream::from_entropy(&[seed, number]);
                    let world = World { trust, classes, features, pattern, items, judge: Judge::Right };
                    let mut tally = Tally::default();
                    for _ in 0..studies_of(studies, items) {
                        tally.add(&world, &mut stream);
                    }
                    print_row(&world, &tally);
                    all.add(&tally);
                    by_items.entry(items).or_default().add(&tally);
                }
            }
        }
    }
    println!(
        "\n| worlds of | worlds with an interval | intervals | hold | above the truth | below | worlds beyond chance |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    by_items.iter().for_each(|(items, worlds)| worlds.print(&format!("{items} items")));
    all.print("all");
}

impl Tally {
    fn add(&mut self, world: &World, stream: &mut Stream) {
        let Some(study) = world.draw(stream) else {
            return;
        };
        let judged = JudgedItems::new(&study.design, study.q.view(), &[]);
        let (model, counts) = (BeliefModel::Published, study.counts.view());
        let fit = model.fit(&judged, counts, TrustPrior::Weak).expect("there are labels");
        let profile = model.typical_log_trust(&judged, counts, TrustPrior::Weak, &fit).expect("there are labels");
        let profile = profile.expect("there is a prior");
        let truth = study.log_trust;
        self.studies += 1;
        self.unconverged += usize::from(!fit.regression().converged);
        if profile.at_least.is_some() || profile.at_most.is_some() {
            self.stated += 1;
            self.held += usize::from(profile.holds(truth));
            self.above += usize::from(profile.at_least.is_some_and(|least| least > truth));
            self.error += fit.regression().coefficients[0] - truth;
        }
        if profile.determined() {
            self.both += 1;
            self.both_held += usize::from(profile.holds(truth));
        }
        let without = model.fit(&judged, counts, TrustPrior::None).expect("there are labels");
        let regression = without.regression();
        let far = (regression.coefficients[0] - truth).abs() > 100.0_f64.ln();
        self.runaway_without_prior += usize::from(far || !regression.converged);
    }
}

fn print_row(world: &World, tally: &Tally) {
    let World { classes, features, pattern, items, .. } = world;
    let of_all = |part: usize| share(part as f64, tally.studies);
    let error = match tally.stated {
        0 => "-".to_owned(),
        n => format!("{:+.2}", tally.error / n as f64),
    };
    println!(
        "| {classes} | {features} | {pattern} | {items} | {} | {} | {} | {} | {error} | {} | {} | {} | {} |",
        tally.studies,
        of_all(tally.stated),
        share(tally.held as f64, tally.stated),
        share(tally.above as f64, tally.stated),
        of_all(tally.both),
        share(tally.both_held as f64, tally.both),
        of_all(tally.unconverged),
        of_all(tally.runaway_without_prior)
    );
}
