//! Whether what a study of ratings says is true, with the judge's scores as they are and as they are read: worlds whose
//! trust and scale are known.
//!
//! `cargo bench -p judge-uncertainty-core --bench calibration_scores [-- STUDIES]` simulates so many studies (200 by
//! default) of every world, and a quarter of that where it has 1000 items, and prints a table of `evidence/`, two rows
//! for each world: the published belief and the recalibrated one.
//!
//! A judge that is read rightly expects a mean of N(5, 2^2) for an item and a variance s0^2, which is exp(0.5 N(0, 1))
//! where it states one, and 1 for all items where it states none. The variance of an item's ratings is 8 s0^2 /
//! chi-squared(8), their mean is normal about the judge's with that variance over 6, and ratings are normal. What the
//! judge says is this, or two points more than this for all items, or 5 + (mean - 5)/0.6, or half the standard
//! deviation, or a point more for every other item and a point less for the rest, which has a third row: recalibrated
//! by group. Studies take the weak prior.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{
    Design, JudgeScores, JudgedRatings, Ratings, TrustPrior, fit_rating_map, typical_log_trust_of_ratings,
};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::Estimate;

const TRUST: f64 = 6.0;
const FREEDOM: f64 = 8.0;

/// How many ratings items have.
#[derive(Clone, Copy)]
enum Pattern {
    /// Any number up to this one, with equal chances.
    UpTo(u32),
    /// A quarter of the items have five, the others none.
    Pilot,
}

impl Pattern {
    fn draw(self, stream: &mut Stream) -> u32 {
        match self {
            Self::UpTo(most) => stream.choice(most + 1),
            Self::Pilot => 5 * u32::from(stream.choice(4) == 0),
        }
    }

    fn name(self) -> String {
        match self {
            Self::UpTo(most) => format!("0 to {most}"),
            Self::Pilot => "5 on a quarter".to_owned(),
        }
    }
}

/// How what the judge says must be read: (bias at 5, slope, factor).
#[derive(Clone, Copy)]
struct Judge {
    name: &'static str,
    states_sd: bool,
    bias: f64,
    slope: f64,
    factor: f64,
    /// Whether its bias has the other sign for every other item: two groups.
    by_group: bool,
}

const RIGHT: Judge = Judge { name: "right", states_sd: true, bias: 0.0, slope: 1.0, factor: 1.0, by_group: false };
const BY_GROUP: Judge = Judge { name: "1 too high or low, by group", bias: 1.0, by_group: true, ..RIGHT };
const BIASED: Judge = Judge { name: "2 too high", bias: 2.0, ..RIGHT };
const STEEP: Judge = Judge { name: "slope 0.6", slope: 0.6, ..RIGHT };
const OVERCONFIDENT: Judge = Judge { name: "half the sd", factor: 2.0, ..RIGHT };

impl Judge {
    /// The bias in a group, 0 or 1.
    fn bias_of(self, group: usize) -> f64 {
        if self.by_group && group == 1 { -self.bias } else { self.bias }
    }
}

struct World {
    judge: JudgeScores,
    labels: Vec<Ratings>,
    means: Vec<f64>,
    /// The group of each item.
    groups: Vec<usize>,
}

impl World {
    fn draw(stream: &mut Stream, said: Judge, items: usize, pattern: Pattern) -> Self {
        let judge = JudgeScores { mean: vec![], variance: vec![] };
        let groups = (0..items).map(|item| item % 2).collect();
        let mut world = Self { judge, labels: vec![], means: vec![], groups };
        for item in 0..items {
            let bias = said.bias_of(item % 2);
            let mu = 5.0 + 2.0 * stream.standard_normal();
            let expected = if said.states_sd { (0.5 * stream.standard_normal()).exp() } else { 1.0 };
            // chi-squared(nu) is twice a gamma draw of shape nu/2.
            let variance = FREEDOM * expected / (2.0 * stream.gamma(0.5 * FREEDOM));
            let mean = mu + (variance / TRUST).sqrt() * stream.standard_normal();
            let ratings: Vec<f64> =
                (0..pattern.draw(stream)).map(|_| mean + variance.sqrt() * stream.standard_normal()).collect();
            world.judge.mean.push(5.0 + (mu - 5.0) / said.slope + bias);
            world.judge.variance.push(said.states_sd.then_some(expected / (said.factor * said.factor)));
            world.labels.push(Ratings::new(&ratings));
            world.means.push(mean);
        }
        world
    }
}

/// How often something held, of how many.
#[derive(Default, Clone, Copy)]
struct Share {
    of: usize,
    held: usize,
}

impl Share {
    fn add(&mut self, held: bool) {
        self.of += 1;
        self.held += usize::from(held);
    }

    fn covers(&mut self, estimate: Option<Estimate>, truth: f64) {
        estimate.into_iter().for_each(|e| self.add((e.lo..=e.hi).contains(&truth)));
    }

    fn show(&self) -> String {
        if self.of == 0 { "-".to_owned() } else { format!("{:.3}", self.held as f64 / self.of as f64) }
    }
}

/// What is counted over the studies of a world under one belief.
#[derive(Default)]
struct Tally {
    /// The interval of the trust has an end at least, and so is stated.
    stated: Share,
    /// It has both ends.
    both_ends: Share,
    trust: Share,
    items: Share,
    squares: f64,
    bias: Share,
    slope: Share,
    factor: Share,
    converged: Share,
}

impl Tally {
    fn add(&mut self, world: &World, said: Judge, map: MapName) {
        let design = Design::constant(world.labels.len());
        let items = JudgedRatings { design: &design, judge: &world.judge, groups: &world.groups, start: None };
        let fit = fit_rating_map(map, &items, &world.labels).expect("the world is whole").expect("it has groups");
        let profile = typical_log_trust_of_ratings(&items, &world.labels, TrustPrior::Weak, &fit)
            .expect("there are ratings")
            .expect("there is a prior");
        self.converged.add(fit.regression.converged);
        let ends = [profile.at_least, profile.at_most].into_iter().flatten().count();
        self.stated.add(ends > 0);
        self.both_ends.add(ends == 2);
        if ends > 0 {
            self.trust.add(profile.holds(TRUST.ln()));
        }
        for (k, prior) in fit.priors_of(&items).iter().enumerate() {
            let belief = prior.updated(&world.labels[k]);
            let interval = belief.mean_interval(0.95);
            self.items.add((interval.lo..=interval.hi).contains(&world.means[k]));
            self.squares += (belief.mean - world.means[k]).powi(2);
        }
        let shared = said.by_group && map == MapName::Line;
        // One reading of two groups that differ is neither's.
        for (group, read) in fit.estimated_readings().into_iter().enumerate().filter(|_| !shared) {
            // At the centre c of what was said, the judge should have said 5 + slope (c - bias - 5).
            let centre = read.reading.centre;
            self.bias.covers(read.bias, centre - 5.0 - said.slope * (centre - said.bias_of(group) - 5.0));
            self.slope.covers(read.slope, said.slope);
            self.factor.covers(read.factor, said.factor);
        }
    }

    fn row(&self, row: &str, belief: &str) -> String {
        format!(
            "| {row} | {belief} | {} | {} | {} | {} | {:.3} | {} | {} | {} | {} |\n",
            self.stated.show(),
            self.both_ends.show(),
            self.trust.show(),
            self.items.show(),
            (self.squares / self.items.of as f64).sqrt(),
            self.bias.show(),
            self.slope.show(),
            self.factor.show(),
            self.converged.show()
        )
    }
}

/// A simulated world, by its number.
#[derive(Clone, Copy)]
struct Cell {
    number: u32,
    judge: Judge,
    pattern: Pattern,
    items: usize,
}

fn cells() -> Vec<Cell> {
    let silent = |judge: Judge| Judge { states_sd: false, ..judge };
    let judges =
        [RIGHT, BIASED, STEEP, OVERCONFIDENT, silent(RIGHT), silent(BIASED), silent(STEEP), BY_GROUP, silent(BY_GROUP)];
    let mut cells: Vec<Cell> = vec![];
    for judge in judges {
        for pattern in [Pattern::UpTo(2), Pattern::UpTo(5), Pattern::Pilot] {
            for items in [20, 50, 100, 300, 1000] {
                cells.push(Cell { number: cells.len() as u32 + 1, judge, pattern, items });
            }
        }
    }
    cells
}

/// The rows of a world.
fn rows(cell: &Cell, studies: usize) -> String {
    let mut stream = Stream::from_entropy(&[20_261_123, cell.number]);
    let beliefs = [("published", MapName::Identity), ("recalibrated", MapName::Line), ("by group", MapName::Groups)];
    let beliefs = &beliefs[..if cell.judge.by_group { 3 } else { 2 }];
    let mut tallies: Vec<Tally> = beliefs.iter().map(|_| Tally::default()).collect();
    // Large studies take most of the time, and their shares move least.
    for _ in 0..if cell.items < 1000 { studies } else { studies.div_ceil(4) } {
        let world = World::draw(&mut stream, cell.judge, cell.items, cell.pattern);
        if world.labels.iter().any(|labels| labels.n > 0) {
            tallies.iter_mut().zip(beliefs).for_each(|(tally, (_, belief))| tally.add(&world, cell.judge, *belief));
        }
    }
    let sd = if cell.judge.states_sd { "stated" } else { "none" };
    let row = format!("{} | {sd} | {} | {}", cell.judge.name, cell.pattern.name(), cell.items);
    tallies.iter().zip(beliefs).map(|(tally, (name, _))| tally.row(&row, name)).collect()
}

fn main() {
    // cargo bench adds --bench.
    let studies = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(200);
    println!(
        "| judge | sd | labels | items | belief | trust stated | with both ends | trust covered | means of items \
         covered | their root mean square error | bias covered | slope covered | factor covered | converged |"
    );
    println!("|---|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let (cells, next) = (cells(), AtomicUsize::new(0));
    let (sender, done) = channel();
    let work = |sender: Sender<(usize, String)>| {
        while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
            sender.send((cell.number as usize, rows(cell, studies))).expect("the table is being written");
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        // In the order of the worlds, whichever is done first.
        let (mut waiting, mut printed) = (BTreeMap::new(), 0);
        for (number, rows) in done {
            waiting.insert(number, rows);
            while let Some(rows) = waiting.remove(&(printed + 1)) {
                print!("{rows}");
                printed += 1;
            }
        }
    });
}
