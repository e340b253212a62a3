//! What the choice of a map of ratings costs and gains where the right one is known, as
//! `data/registration/ratings.toml` registers it:
//!
//! ```sh
//! cargo bench -p judge-uncertainty-core --bench rating_maps [-- again | trial | intervals]
//! ```
//!
//! `again` takes the seeds of `ratings-2.toml`; `trial` runs two worlds of each kind and size on other seeds;
//! `intervals` counts how often the intervals of a group's bias and slope hold the truth under `groups`, in the worlds
//! of opposite groups, and those of a line and of the typical trust under `auto`, in three kinds of worlds.

use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{
    Design, Gaussian, GaussianFit, JudgeScores, JudgedRatings, RatingOptions, Ratings, ReadingPrior, Recalibration,
    TrustPrior, choose_rating_map, fit_rating_map, fit_ratings, typical_log_trust_of_ratings,
};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::mean;

use registered::{Difference, Registration, how_often};

mod registered;

const REGISTERED: &str = include_str!("../../../data/registration/ratings.toml");
const SUM: &str = include_str!("../../../data/registration/ratings.SHA256SUMS");

const AGAIN: &str = include_str!("../../../data/registration/ratings-2.toml");
const SUM_AGAIN: &str = include_str!("../../../data/registration/ratings-2.SHA256SUMS");

const SIZES: [usize; 3] = [50, 200, 700];
const BIASES: [f64; 5] = [-1.0, 0.8, 0.2, -0.5, 1.2];

/// What a judge states of an expected mean in a group.
type Stated = fn(f64, usize) -> f64;

/// Name, judge, and whether a map beyond the line is expected to gain from 200 items on.
const WORLDS: [(&str, Stated, bool); 6] = [
    ("calibrated", |x, _| x, false),
    ("biased", |x, _| x + 1.0, false),
    ("wrong_slope", |x, _| 1.5 * x, false),
    ("stretched", |x, _| (0.7 * x).exp(), true),
    ("wavy", |x, _| x + 0.6 * (1.5 * x).sin(), true),
    ("opposite_groups", |x, group| x + BIASES[group], true),
];

struct World {
    judge: JudgeScores,
    labels: Vec<Ratings>,
    groups: Vec<usize>,
    truth: Vec<f64>,
}

/// What a belief makes of a world: mean absolute error of its means, and the share of true means inside central 95%
/// credible intervals.
struct Found {
    error: f64,
    inside: f64,
}

impl World {
    fn draw(items: usize, seed: u64, stated: Stated) -> Self {
        let mut stream = Stream::new(seed);
        let mut world = Self {
            judge: JudgeScores { mean: vec![], variance: vec![] },
            labels: vec![],
            groups: vec![],
            truth: vec![],
        };
        for i in 0..items {
            let (x, scale, group) = (stream.standard_normal(), 0.2 + 0.4 * stream.random(), i % BIASES.len());
            let variance = 6.0 * scale / (2.0 * stream.gamma(3.0));
            let truth = x + (variance / 5.0).sqrt() * stream.standard_normal();
            let count = if stream.choice(3) == 0 { 0 } else { 1 + stream.choice(6) };
            let ratings: Vec<f64> = (0..count).map(|_| truth + variance.sqrt() * stream.standard_normal()).collect();
            world.judge.mean.push(stated(x, group));
            world.judge.variance.push(Some(scale));
            world.labels.push(Ratings::new(&ratings));
            world.groups.push(group);
            world.truth.push(truth);
        }
        world
    }

    fn items<'a>(&'a self, design: &'a Design) -> JudgedRatings<'a> {
        JudgedRatings { design, judge: &self.judge, groups: &self.groups }
    }

    fn found(&self, fit: &GaussianFit, design: &Design) -> Found {
        let priors = fit.priors_of(&self.items(design));
        let of = |(i, prior): (usize, &Gaussian)| {
            let belief = prior.updated(&self.labels[i]);
            let interval = belief.mean_interval(0.95);
            let inside = (interval.lo..=interval.hi).contains(&self.truth[i]);
            ((belief.mean - self.truth[i]).abs(), f64::from(u8::from(inside)))
        };
        let (errors, inside): (Vec<f64>, Vec<f64>) = priors.iter().enumerate().map(of).unzip();
        Found { error: mean(&errors), inside: mean(&inside) }
    }
}

/// The row of one kind and size.
fn row(
    plan: &Registration,
    (name, stated, gains): (&str, Stated, bool),
    items: usize,
    (worlds, first_seed): (u64, u64),
) {
    let design = Design::constant(items);
    let (mut errors, mut inside, mut chosen) = (vec![vec![]; 4], vec![], vec![]);
    for world in (0..worlds).map(|k| World::draw(items, first_seed + k, stated)) {
        let judged = world.items(&design);
        let kinds = [Recalibration::Off, Recalibration::Shared, Recalibration::ByGroup];
        for (errors, recalibration) in errors.iter_mut().zip(kinds) {
            let options = RatingOptions { prior: TrustPrior::Weak, recalibration, reading: ReadingPrior::default() };
            let fit = fit_ratings(&judged, &world.labels, &options).expect("ratings");
            errors.push(world.found(&fit, &design).error);
        }
        let auto = choose_rating_map(&judged, &world.labels, TrustPrior::Weak, &[]);
        let auto = auto.expect("ratings");
        let found = world.found(&auto, &design);
        errors[3].push(found.error);
        inside.push(found.inside);
        chosen.push(auto.map.expect("a map is chosen").name);
    }
    let means: Vec<f64> = errors.iter().map(|errors| mean(errors)).collect();
    let better = usize::from(means[1] < means[0]);
    let apart = Difference::new(&errors[3], &errors[better]);
    println!(
        "| {name} | {items} | {worlds} | {:.4} | {:.4} | {:.4} | {:.4} | {apart} | {} | {} | {} | {} |",
        means[0],
        means[1],
        means[2],
        means[3],
        plan.harm(apart),
        plan.gain(gains && items >= 200, apart),
        plan.coverage(mean(&inside)),
        how_often(MapName::of_ratings(), &chosen)
    );
}

fn share(held: &[bool]) -> String {
    format!("{:.3} of {}", mean(&held.iter().map(|held| f64::from(u8::from(*held))).collect::<Vec<_>>()), held.len())
}

fn intervals() {
    println!("| items | worlds | biases of groups | slopes of groups |\n|---|---|---|---|");
    for (items, worlds) in [(50, 200), (200, 100), (700, 50)] {
        let design = Design::constant(items);
        let (mut biases, mut slopes) = (vec![], vec![]);
        for world in (0..worlds).map(|k| World::draw(items, 8_900_000 + k, WORLDS[5].1)) {
            let fit = fit_rating_map(MapName::Groups, &world.items(&design), &world.labels, TrustPrior::Weak);
            for (read, truth) in fit.expect("ratings").expect("groups").estimated_readings().iter().zip(BIASES) {
                biases.extend(read.bias.map(|bias| (bias.lo..=bias.hi).contains(&truth)));
                slopes.extend(read.slope.map(|slope| (slope.lo..=slope.hi).contains(&1.0)));
            }
        }
        println!("| {items} | {worlds} | {} | {} |", share(&biases), share(&slopes));
    }
    println!("| world | items | worlds | bias under auto | slope | typical trust |\n|---|---|---|---|---|---|");
    for (kind, bias, slope) in [(0, 0.0, 1.0), (1, 1.0, 1.0), (2, 0.0, 1.0 / 1.5)] {
        for (items, worlds) in [(50, 400), (200, 200)] {
            under_auto(WORLDS[kind], (bias, slope), items, worlds);
        }
    }
}

/// How often intervals of a reading that `auto` takes, and of the typical trust, hold the truth: 5 labels. The judge's
/// scores are about 0 or, where they are too high by 1, about 1, so a bias at their centre is that at 0.
fn under_auto((name, stated, _): (&str, Stated, bool), (bias, slope): (f64, f64), items: usize, worlds: u64) {
    let design = Design::constant(items);
    let (mut biases, mut slopes, mut trusts) = (vec![], vec![], vec![]);
    for world in (0..worlds).map(|k| World::draw(items, 8_950_000 + k, stated)) {
        let judged = world.items(&design);
        let fit = choose_rating_map(&judged, &world.labels, TrustPrior::Weak, &[]).expect("ratings");
        if fit.map.as_ref().is_some_and(|map| map.name == MapName::Line) {
            let read = fit.estimated_readings()[0];
            let at_centre = bias + (1.0 - slope) * read.reading.centre;
            biases.extend(read.bias.map(|found| (found.lo..=found.hi).contains(&at_centre)));
            slopes.extend(read.slope.map(|found| (found.lo..=found.hi).contains(&slope)));
        }
        let options = RatingOptions::published(TrustPrior::Weak);
        let profile = typical_log_trust_of_ratings(&judged, &world.labels, &options, &fit).expect("ratings");
        trusts.extend(profile.and_then(|profile| profile.determined().then(|| profile.holds(5.0_f64.ln()))));
    }
    println!("| {name} | {items} | {worlds} | {} | {} | {} |", share(&biases), share(&slopes), share(&trusts));
}

fn main() {
    let asked = |option: &str| std::env::args().any(|word| word == option);
    if asked("intervals") {
        return intervals();
    }
    let plan = match asked("again") {
        true => Registration::checked("ratings-2.toml", AGAIN, SUM_AGAIN),
        false => Registration::checked("ratings.toml", REGISTERED, SUM),
    };
    let trial = asked("trial");
    println!(
        "| world | items | worlds | published | recalibrated | by group | auto | auto minus the better | no harm | \
         gains | coverage of auto | maps chosen |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for world in WORLDS {
        for items in SIZES {
            row(&plan, world, items, if trial { (2, 8_700_000) } else { plan.worlds(items) });
        }
    }
}
