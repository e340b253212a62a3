//! What studies say about single items, and what their rankings are worth.

use judge_uncertainty::belief::maps::MapName;
use judge_uncertainty::belief::{Belief, BeliefModel, Beliefs, FittedBelief, ItemBeliefs, JudgedItems, TrustPrior};
use judge_uncertainty::random::Stream;
use judge_uncertainty::stats::beta::beta_cdf;

use crate::world::{Drawn, Judge, Pattern, World};
use crate::{share, studies_of};

/// What labels are.
#[derive(Clone, Copy)]
enum Labels {
    Classes(usize),
    /// Places 1 to 5.
    Ordinal,
}

impl Labels {
    fn number(self) -> usize {
        match self {
            Self::Classes(classes) => classes,
            Self::Ordinal => 5,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Classes(classes) => format!("{classes} classes"),
            Self::Ordinal => "5 places".to_owned(),
        }
    }

    /// The epistemic part of every item, by which items are ranked.
    fn epistemic(self, beliefs: &Beliefs) -> Vec<f64> {
        match self {
            Self::Classes(_) => beliefs.map(|belief| belief.epistemic()),
            Self::Ordinal => {
                let places = (1..=self.number()).map(|place| place as f64).collect();
                ItemBeliefs::on_places(beliefs.clone(), places).map(|belief| belief.epistemic())
            }
        }
    }

    /// How many of an item's 95% credible intervals hold the truth, and how many there are: of each class's
    /// probability, or of the probability of each place or one below it.
    fn held(self, alpha: &[f64], pool: &[f64]) -> (f64, usize) {
        let evidence: f64 = alpha.iter().sum();
        let inside = |p: f64, a: f64| f64::from(u8::from((0.025..=0.975).contains(&beta_cdf(p, a, evidence - a))));
        match self {
            Self::Classes(classes) => (alpha.iter().zip(pool).map(|(a, p)| inside(*p, *a)).sum(), classes),
            Self::Ordinal => {
                let (mut a, mut p, mut held) = (0.0, 0.0, 0.0);
                for j in 0..alpha.len() - 1 {
                    (a, p) = (a + alpha[j], p + pool[j]);
                    held += inside(p, a);
                }
                (held, alpha.len() - 1)
            }
        }
    }
}

/// What is counted over the studies of a world under one belief.
#[derive(Default)]
struct Tally {
    studies: usize,
    undetermined: usize,
    unconverged: usize,
    held: f64,
    intervals: usize,
    regret: f64,
}

impl Tally {
    fn add(&mut self, study: &Drawn, labels: Labels, model: BeliefModel) {
        let judged = JudgedItems::new(&study.design, study.q.view(), &study.groups);
        let counts = study.counts.view();
        let fit: FittedBelief = model.fit(&judged, counts, TrustPrior::Weak).expect("there are labels");
        let profile = model.typical_log_trust(&judged, counts, TrustPrior::Weak, &fit).expect("there are labels");
        self.studies += 1;
        // Of a fitted map there is no profile.
        self.undetermined += usize::from(profile.is_some_and(|profile| !profile.determined()));
        self.unconverged += usize::from(!fit.regression().converged);
        let (beliefs, _) = fit.posterior(&judged, counts);
        for (i, belief) in beliefs.iter().enumerate() {
            let (held, intervals) =
                labels.held(belief.alpha(), study.pools.row(i).as_slice().expect("rows are contiguous"));
            self.held += held;
            self.intervals += intervals;
        }
        let worth = labels.epistemic(&study.true_beliefs);
        let first = |ranking: &[f64]| -> f64 {
            let mut order: Vec<usize> = (0..worth.len()).collect();
            order.sort_by(|a, b| ranking[*b].total_cmp(&ranking[*a]));
            order[..worth.len().div_ceil(10)].iter().map(|i| worth[*i]).sum()
        };
        self.regret += 1.0 - first(&labels.epistemic(&beliefs)) / first(&worth);
    }
}

/// The table, of one belief if it is named; `auto` takes far longer than the others, and stands in no table without its
/// name.
pub(crate) fn table(studies: usize, trust: f64, seed: u32, only: Option<&str>) {
    println!(
        "| judge | labels are | labels | items | studies | belief | no estimate of the trust | not converged | items' \
         intervals that hold | regret of the first 10% |"
    );
    println!("|---|---|---|--:|--:|---|--:|--:|--:|--:|");
    let models = [
        ("published", BeliefModel::Published),
        ("temperature", BeliefModel::Map(MapName::Temperature)),
        ("groups", BeliefModel::Map(MapName::Groups)),
        ("auto", BeliefModel::Auto),
    ];
    let mut number = 0;
    for judge in Judge::ALL {
        let of_judge = |name: &str| match only {
            Some(only) => name == only,
            None => name != "auto" && (name != "by group" || judge == Judge::ByGroup),
        };
        let models: Vec<_> = models.iter().filter(|(name, _)| of_judge(name)).collect();
        for labels in [Labels::Classes(2), Labels::Classes(3), Labels::Classes(7), Labels::Ordinal] {
            for pattern in Pattern::ALL {
                for items in [50, 300, 3000] {
                    number += 1;
                    let mut stream = Stream::from_entropy(&[seed, 1_000 + number]);
                    let world = World { trust, classes: labels.number(), features: 2, pattern, items, judge };
                    let mut tallies: Vec<Tally> = models.iter().map(|_| Tally::default()).collect();
                    for _ in 0..studies_of(studies, items) {
                        let Some(study) = world.draw(&mut stream) else {
                            continue;
                        };
                        tallies
                            .iter_mut()
                            .zip(&models)
                            .for_each(|(tally, (_, model))| tally.add(&study, labels, *model));
                    }
                    for ((belief, _), tally) in models.iter().zip(&tallies).filter(|(_, tally)| tally.studies > 0) {
                        print_row(&world, labels, belief, tally);
                    }
                }
            }
        }
    }
}

fn print_row(world: &World, labels: Labels, belief: &str, tally: &Tally) {
    let World { pattern, items, judge, .. } = world;
    println!(
        "| {judge} | {} | {pattern} | {items} | {} | {belief} | {} | {} | {} | {} |",
        labels.name(),
        tally.studies,
        share(tally.undetermined as f64, tally.studies),
        share(tally.unconverged as f64, tally.studies),
        share(tally.held, tally.intervals),
        share(tally.regret, tally.studies)
    );
}
