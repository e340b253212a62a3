//! What a bias and a slope along a scale are worth to a belief about ordinal labels where the right map is known, as
//! `data/registration/places.toml` registers it:
//!
//! ```sh
//! cargo bench -p judge-uncertainty-core --bench place_maps [-- [trial] [WORLD]]
//! ```
//!
//! `trial` runs a few worlds of each kind and size on other seeds, and a world's name that one only.

use judge_uncertainty_core::belief::maps::{ChoiceOptions, MapName};
use judge_uncertainty_core::belief::recalibration::{Recalibration, RecalibrationOptions};
use judge_uncertainty_core::belief::{BeliefModel, BeliefTable, Design, JudgedItems, TrustPrior};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::mean;
use ndarray::Array2;

use registered::{Difference, Registration, how_often};

mod registered;

const REGISTERED: &str = include_str!("../../../data/registration/places.toml");
const SUM: &str = include_str!("../../../data/registration/places.SHA256SUMS");

const PLACES: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
const CLASSES: usize = PLACES.len();
const SIZES: [usize; 3] = [50, 200, 700];
const TRUST: f64 = 8.0;
/// Of a favoured place what another has once.
const FAVOUR: [f64; CLASSES] = [1.0, 3.0, 0.5, 1.0, 2.5, 0.5, 1.0];
const OFF: [f64; 3] = [-1.0, 0.3, 1.0];
/// Worlds of each kind and size in a trial.
const TRIAL: u64 = 6;
/// No place is impossible to the judge.
const FLOOR: f64 = 1e-3;

/// What a judge states of an item whose labels are expected at a centre with a spread, in a group.
type Stated = fn(f64, f64, usize) -> [f64; CLASSES];

/// Name, judge, and whether knowing the places is expected to gain with 50 and 200 items.
const WORLDS: [(&str, Stated, bool); 5] = [
    ("calibrated", |centre, spread, _| bell(centre, spread), false),
    ("too_high", |centre, spread, _| bell(centre + 1.0, spread), true),
    ("too_narrow", |centre, spread, _| bell(centre, 0.6 * spread), false),
    ("favours_places", |centre, spread, _| favoured(bell(centre, spread)), false),
    ("opposite_groups", |centre, spread, group| bell(centre + OFF[group], spread), true),
];

fn normalised(weights: [f64; CLASSES]) -> [f64; CLASSES] {
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| (1.0 - FLOOR) * weight / sum + FLOOR / CLASSES as f64)
}

fn bell(centre: f64, spread: f64) -> [f64; CLASSES] {
    normalised(PLACES.map(|place| (-0.5 * ((place - centre) / spread).powi(2)).exp()))
}

fn favoured(mut shares: [f64; CLASSES]) -> [f64; CLASSES] {
    shares.iter_mut().zip(FAVOUR).for_each(|(share, favour)| *share *= favour);
    normalised(shares)
}

struct World {
    stated: Array2<f64>,
    groups: Vec<usize>,
    truth: Array2<f64>,
    counts: Array2<u32>,
}

/// What a belief makes of a world: mean Manhattan distance of its means from the truth, and the share of the true
/// probabilities that are not too small inside central 95% credible intervals.
struct Found {
    error: f64,
    inside: f64,
}

impl World {
    fn draw(items: usize, seed: u64, stated: Stated) -> Self {
        let mut stream = Stream::new(seed);
        let mut world = Self {
            stated: Array2::zeros((items, CLASSES)),
            groups: (0..items).map(|i| i % OFF.len()).collect(),
            truth: Array2::zeros((items, CLASSES)),
            counts: Array2::zeros((items, CLASSES)),
        };
        for i in 0..items {
            let (centre, spread) = (4.0 + 1.5 * stream.standard_normal(), 0.6 + 0.8 * stream.random());
            let shape: Vec<f64> = bell(centre, spread).iter().map(|p| stream.gamma(TRUST * p) + 1e-12).collect();
            let sum: f64 = shape.iter().sum();
            let truth: Vec<f64> = shape.iter().map(|x| x / sum).collect();
            let labels = if stream.choice(3) == 0 { 0 } else { 1 + stream.choice(6) };
            let mut counts = [0; CLASSES];
            stream.multinomial(labels, &truth, &mut counts);
            let judge = stated(centre, spread, world.groups[i]);
            for j in 0..CLASSES {
                world.stated[[i, j]] = judge[j];
                world.truth[[i, j]] = truth[j];
                world.counts[[i, j]] = counts[j];
            }
        }
        world
    }

    fn readings<'a>(&'a self, design: &'a Design, places: &'a [f64]) -> JudgedItems<'a> {
        let items = JudgedItems::new(design, self.stated.view(), &self.groups);
        JudgedItems { places, ..items }
    }

    fn found(&self, belief: BeliefModel, places: &[f64], least: f64) -> (Found, Option<MapName>) {
        let design = Design::constant(self.groups.len());
        let readings = self.readings(&design, places);
        let fit = belief.fit(&readings, self.counts.view(), TrustPrior::Weak).expect("labels of classes");
        let beliefs = fit.posterior(&readings, self.counts.view());
        let (mut error, mut inside) = (0.0, vec![]);
        for (belief, truth) in beliefs.iter().zip(self.truth.rows()) {
            for (j, (mean, truth)) in belief.mean().zip(truth).enumerate() {
                error += (mean - truth).abs();
                if *truth >= least {
                    inside.push(f64::from(u8::from((0.025..=0.975).contains(&belief.share_cdf(j, *truth)))));
                }
            }
        }
        let found = Found { error: error / beliefs.len() as f64, inside: mean(&inside) };
        (found, fit.mapped().map(|mapped| mapped.map.name()))
    }
}

/// The row of one kind and size.
fn row(
    plan: &Registration,
    (name, stated, gains): (&str, Stated, bool),
    items: usize,
    (worlds, first_seed): (u64, u64),
) {
    let recalibrated = |recalibration| {
        BeliefModel::Recalibrated(RecalibrationOptions { recalibration, ..RecalibrationOptions::default() })
    };
    let auto = BeliefModel::Auto(ChoiceOptions::default());
    // The last two, with places and without, are of the same belief.
    let beliefs = [
        (BeliefModel::Published, &PLACES[..]),
        (recalibrated(Recalibration::Shared), &PLACES),
        (recalibrated(Recalibration::ByGroup), &PLACES),
        (auto, &[]),
        (auto, &PLACES),
    ];
    let (mut errors, mut inside, mut chosen) = (vec![vec![]; beliefs.len()], vec![], vec![]);
    let least = plan.number("coverage_of");
    for world in (0..worlds).map(|k| World::draw(items, first_seed + k, stated)) {
        for (k, (belief, places)) in beliefs.into_iter().enumerate() {
            let (found, map) = world.found(belief, places, least);
            errors[k].push(found.error);
            if k + 1 == beliefs.len() {
                inside.push(found.inside);
                chosen.push(map.expect("a map is chosen"));
            }
        }
    }
    let [published, recalibrated, by_group, names, places] = &errors[..] else { unreachable!("five beliefs") };
    let better = if mean(recalibrated) < mean(published) { recalibrated } else { published };
    let (harm, gain) = (Difference::new(places, better), Difference::new(places, names));
    println!(
        "| {name} | {items} | {worlds} | {:.4} | {:.4} | {:.4} | {:.4} | {:.4} | {harm} | {} | {gain} | {} | {} | {} | \
         {} |",
        mean(published),
        mean(recalibrated),
        mean(by_group),
        mean(names),
        mean(places),
        plan.harm(harm),
        plan.harm(gain),
        plan.gain(gains && items < SIZES[2], gain),
        plan.coverage(mean(&inside)),
        how_often(MapName::of_classes(), &chosen)
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let plan = Registration::checked("places.toml", REGISTERED, SUM);
    let trial = arguments.iter().any(|word| word == "trial");
    println!(
        "| world | items | worlds | published | recalibrated | by group | auto of names | auto of places | minus the \
         better | no harm | minus auto of names | no harm | gains | coverage | maps chosen |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for world in WORLDS.into_iter().filter(|(name, ..)| arguments.iter().all(|word| word == "trial" || word == name)) {
        for items in SIZES {
            row(&plan, world, items, if trial { (TRIAL, 9_600_000) } else { plan.worlds(items) });
        }
    }
}
