//! What studies say about the typical trust.

use judge_uncertainty::belief::{BeliefModel, JudgedItems, TrustPrior};
use judge_uncertainty::random::Stream;

use crate::world::{Judge, Pattern, World};
use crate::{share, studies_of};

/// What is counted over the studies of a world.
#[derive(Default)]
struct Tally {
    studies: usize,
    /// Studies that print an estimate,
    estimates: usize,
    /// whose interval holds the truth,
    covered: usize,
    /// and by how much its logarithm is off, summed.
    error: f64,
    /// Studies that print a bound.
    bounds: usize,
    /// Studies of which the interval or the bound, if there is one, holds the truth.
    true_statements: usize,
    /// Studies of which it lies above the truth, or below.
    above: usize,
    unconverged: usize,
    runaway_without_prior: usize,
}

pub(crate) fn table(studies: usize, trust: f64, seed: u32) {
    println!(
        "| classes | features | labels | items | studies | estimate | covered, of these | mean error of ln trust | bound | interval or \
         bound true | above the truth | not converged | without a prior: off by 100 or not converged |"
    );
    println!("|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut number = 0;
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
                }
            }
        }
    }
}

impl Tally {
    fn add(&mut self, world: &World, stream: &mut Stream) {
        let Some(study) = world.draw(stream) else {
            return;
        };
        let judged = JudgedItems { design: &study.design, q: study.q.view(), groups: &[] };
        let (model, counts) = (BeliefModel::Published, study.counts.view());
        let fit = model.fit(&judged, counts, TrustPrior::Weak).expect("there are labels");
        let profile = model.typical_log_trust(&judged, counts, TrustPrior::Weak, &fit).expect("there are labels");
        let profile = profile.expect("there is a prior");
        let truth = study.log_trust;
        self.studies += 1;
        self.unconverged += usize::from(!fit.regression().converged);
        self.true_statements += usize::from(profile.holds(truth));
        self.above += usize::from(profile.at_least.is_some_and(|least| least > truth));
        if profile.determined() {
            self.estimates += 1;
            self.covered += usize::from(profile.holds(truth));
            self.error += fit.regression().coefficients[0] - truth;
        } else {
            self.bounds += usize::from(profile.at_least.is_some() || profile.at_most.is_some());
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
    let error = match tally.estimates {
        0 => "-".to_owned(),
        n => format!("{:+.2}", tally.error / n as f64),
    };
    println!(
        "| {classes} | {features} | {pattern} | {items} | {} | {} | {} | {error} | {} | {} | {} | {} | {} |",
        tally.studies,
        of_all(tally.estimates),
        share(tally.covered as f64, tally.estimates),
        of_all(tally.bounds),
        of_all(tally.true_statements),
        of_all(tally.above),
        of_all(tally.unconverged),
        of_all(tally.runaway_without_prior)
    );
}
