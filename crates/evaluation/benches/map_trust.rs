//! How often intervals of the typical trust hold under `auto` and under the maps by name, where labels are classes; with
//! `features`, those of what a feature multiplies it by:
//!
//! ```sh
//! cargo bench -p judge-uncertainty-evaluation --bench map_trust [-- STUDIES SEED [features]]
//! ```
//!
//! In every world the judge would be worth 1, 6 or 40 labels if it were read rightly. Printed as CSV: the share of
//! studies that get an interval with two ends, the share of these that hold that number, and the share of all intervals
//! that do, an end that labels do not give counting as none. Of a feature: the share of studies that say what it does,
//! because the interval leaves out that it does nothing, and the share of these that hold.

use judge_uncertainty_core::belief::maps::MapName;
use judge_uncertainty_core::belief::{
    BeliefModel, Design, FeatureColumn, FittedBelief, JudgedItems, TrustPrior, TrustProfile,
};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::Estimate;
use ndarray::Array2;
use rayon::prelude::*;

const CLASSES: usize = 3;
const TRUSTS: [f64; 3] = [1.0, 6.0, 40.0];
const SLOPES: [f64; 4] = [0.0, 0.3, 0.6, 1.0];
const SIZES: [usize; 3] = [50, 200, 700];

/// The weights of the classes that a judge states for an item of a group, given what it should state.
type Stated = fn([f64; CLASSES], usize) -> [f64; CLASSES];

const WORLDS: [(&str, Stated); 5] = [
    ("calibrated", |q, _| q),
    ("overconfident", |q, _| q.map(|q| q.powi(3))),
    ("underconfident", |q, _| q.map(|q| q.powf(0.4))),
    ("biased", |q, _| [3.0 * q[0], q[1], 0.5 * q[2]]),
    ("opposite_groups", |q, group| if group == 0 { [4.0 * q[0], q[1], q[2]] } else { [q[0], q[1], 4.0 * q[2]] }),
];

/// A study.
struct World {
    judge: Array2<f64>,
    counts: Array2<u32>,
    groups: Vec<usize>,
    design: Design,
}

impl World {
    /// Items have no label (a third of them) or 1 to 6. A judge that is read rightly is worth so many labels of an item
    /// with average features, and e^slope times as many where a feature is a standard deviation above its average.
    fn draw(items: usize, seed: u64, stated: Stated, (trust, slopes): (f64, &[f64])) -> Self {
        let mut stream = Stream::new(seed);
        let (mut judge, mut counts) = (Array2::zeros((items, CLASSES)), Array2::zeros((items, CLASSES)));
        let groups: Vec<usize> = (0..items).map(|i| i % 2).collect();
        let mut features = vec![vec![]; slopes.len()];
        for i in 0..items {
            let z: Vec<f64> = slopes.iter().map(|_| stream.standard_normal()).collect();
            let worth = trust * slopes.iter().zip(&z).map(|(slope, z)| slope * z).sum::<f64>().exp();
            features.iter_mut().zip(z).for_each(|(feature, z)| feature.push(z));
            let mut share = |weights: [f64; CLASSES]| {
                let drawn = weights.map(|weight| stream.gamma(weight.max(1e-3)) + 1e-9);
                drawn.map(|x| x / drawn.iter().sum::<f64>())
            };
            let q = share([0.7; CLASSES]);
            let p = share(q.map(|q| worth * q));
            let said = stated(q, groups[i]).map(|q| q.max(1e-6));
            let labels = if stream.choice(3) == 0 { 0 } else { 1 + stream.choice(6) };
            let mut own = [0; CLASSES];
            stream.multinomial(labels, &p, &mut own);
            for class in 0..CLASSES {
                judge[[i, class]] = said[class] / said.iter().sum::<f64>();
                counts[[i, class]] = own[class];
            }
        }
        let column = |(k, values): (usize, Vec<f64>)| FeatureColumn::complete(format!("feature {k}"), values);
        let columns: Vec<FeatureColumn> = features.into_iter().enumerate().map(column).collect();
        let design = if columns.is_empty() { Design::constant(items) } else { Design::raw(&columns).expect("numbers") };
        Self { judge, counts, groups, design }
    }

    fn fit(&self, belief: BeliefModel) -> (JudgedItems<'_>, FittedBelief) {
        let items = JudgedItems::new(&self.design, self.judge.view(), &self.groups);
        let fit = belief.fit(&items, self.counts.view(), TrustPrior::Weak).expect("labels of classes");
        (items, fit)
    }

    fn typical_trust(&self, belief: BeliefModel) -> TrustProfile {
        let (items, fit) = self.fit(belief);
        let profile = belief.typical_log_trust(&items, self.counts.view(), TrustPrior::Weak, &fit);
        profile.expect("a fit").expect("a prior")
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn trusts(studies: u64, first: u64) {
    let beliefs = [
        ("auto", BeliefModel::Auto),
        ("temperature", BeliefModel::Map(MapName::Temperature)),
        ("groups", BeliefModel::Map(MapName::Groups)),
    ];
    println!("world,trust,items,belief,studies,both ends,\"of these, holds\",all hold");
    for ((name, stated), trust) in WORLDS.into_iter().flat_map(|world| TRUSTS.map(|trust| (world, trust))) {
        for (items, (key, belief)) in SIZES.into_iter().flat_map(|items| beliefs.map(|belief| (items, belief))) {
            let study = |seed: u64| World::draw(items, seed, stated, (trust, &[])).typical_trust(belief);
            let all: Vec<TrustProfile> = (first..first + studies).into_par_iter().map(study).collect();
            let two: Vec<&TrustProfile> = all.iter().filter(|profile| profile.determined()).collect();
            let held = two.iter().filter(|profile| profile.holds(trust.ln())).count();
            let holds = all.iter().filter(|profile| profile.holds(trust.ln())).count();
            let (ends, held, holds) = (share(two.len(), all.len()), share(held, two.len()), share(holds, all.len()));
            println!("{name},{trust},{items},{key},{studies},{ends:.3},{held:.3},{holds:.3}");
        }
    }
}

/// Two features, the first with a slope, the second without one.
fn features(studies: u64, first: u64) {
    let beliefs = [("published", BeliefModel::Published), ("auto", BeliefModel::Auto)];
    println!("world,slope,items,belief,studies,holds,said,\"of these, holds\",\"slope of 0: holds\"");
    for ((name, stated), slope) in WORLDS.into_iter().take(2).flat_map(|world| SLOPES.map(|slope| (world, slope))) {
        for (items, (key, belief)) in SIZES.into_iter().flat_map(|items| beliefs.map(|belief| (items, belief))) {
            let study = |seed: u64| {
                let world = World::draw(items, seed, stated, (6.0, &[slope, 0.0]));
                let (_, fit) = world.fit(belief);
                let regression = fit.regression();
                let errors = regression.standard_errors();
                [1, 2].map(|k| Estimate::new(regression.coefficients[k], errors[k]))
            };
            let all: Vec<[Estimate; 2]> = (first..first + studies).into_par_iter().map(study).collect();
            let holds = |found: &Estimate, slope: f64| (found.lo..=found.hi).contains(&slope);
            let said: Vec<&Estimate> =
                all.iter().map(|[own, _]| own).filter(|own| own.lo > 0.0 || own.hi < 0.0).collect();
            println!(
                "{name},{slope},{items},{key},{studies},{:.3},{:.3},{:.3},{:.3}",
                share(all.iter().filter(|[own, _]| holds(own, slope)).count(), all.len()),
                share(said.len(), all.len()),
                share(said.iter().filter(|own| holds(own, slope)).count(), said.len()),
                share(all.iter().filter(|[_, other]| holds(other, 0.0)).count(), all.len()),
            );
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |k: usize, default: u64| arguments.get(k).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (studies, first) = (number(0, 1000), number(1, 8_960_000));
    match arguments.get(2).is_some_and(|what| what == "features") {
        true => features(studies, first),
        false => trusts(studies, first),
    }
}
