//! How often intervals of the typical trust hold under `auto` and under the maps by name, where labels are classes:
//!
//! ```sh
//! cargo bench -p judge-uncertainty-evaluation --bench map_trust [-- STUDIES SEED]
//! ```
//!
//! In every world the judge would be worth 1, 6 or 40 labels if it were read rightly. Printed as CSV: the share of
//! studies that get an interval with two ends, the share of these that hold that number, and the share of all intervals
//! that do, an end that labels do not give counting as none.

use judge_uncertainty_core::belief::maps::{ChoiceOptions, MapName};
use judge_uncertainty_core::belief::{BeliefModel, Design, JudgedItems, TrustPrior};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Estimate, Interval};
use ndarray::Array2;
use rayon::prelude::*;

const CLASSES: usize = 3;
const TRUSTS: [f64; 3] = [1.0, 6.0, 40.0];
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

/// Judge, labels and groups of a study: items have no label (a third of them) or 1 to 6.
fn draw(items: usize, seed: u64, stated: Stated, trust: f64) -> (Array2<f64>, Array2<u32>, Vec<usize>) {
    let mut stream = Stream::new(seed);
    let (mut judge, mut counts) = (Array2::zeros((items, CLASSES)), Array2::zeros((items, CLASSES)));
    let groups: Vec<usize> = (0..items).map(|i| i % 2).collect();
    for i in 0..items {
        let mut share = |weights: [f64; CLASSES]| {
            let drawn = weights.map(|weight| stream.gamma(weight.max(1e-3)) + 1e-9);
            drawn.map(|x| x / drawn.iter().sum::<f64>())
        };
        let q = share([0.7; CLASSES]);
        let p = share(q.map(|q| trust * q));
        let said = stated(q, groups[i]).map(|q| q.max(1e-6));
        let labels = if stream.choice(3) == 0 { 0 } else { 1 + stream.choice(6) };
        let mut own = [0; CLASSES];
        stream.multinomial(labels, &p, &mut own);
        for class in 0..CLASSES {
            judge[[i, class]] = said[class] / said.iter().sum::<f64>();
            counts[[i, class]] = own[class];
        }
    }
    (judge, counts, groups)
}

/// The interval of ln lambda that a study prints, where it has two ends; and whether the interval, with the ends that it
/// has, holds the truth.
fn found(
    belief: BeliefModel,
    (judge, counts, groups): &(Array2<f64>, Array2<u32>, Vec<usize>),
    truth: f64,
) -> (Option<Interval>, bool) {
    let design = Design::constant(groups.len());
    let items = JudgedItems::new(&design, judge.view(), groups);
    let fit = belief.fit(&items, counts.view(), TrustPrior::Weak).expect("labels of classes");
    let profile = belief.typical_log_trust(&items, counts.view(), TrustPrior::Weak, &fit).expect("a fit");
    let regression = fit.regression();
    match profile {
        Some(profile) => (profile.interval(), profile.holds(truth)),
        None if regression.unidentified.iter().all(|name| name != "intercept") => {
            let estimate = Estimate::new(regression.coefficients[0], regression.standard_errors()[0]);
            (Some(Interval { lo: estimate.lo, hi: estimate.hi }), (estimate.lo..=estimate.hi).contains(&truth))
        }
        None => (None, true),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number = |k: usize, default: u64| arguments.get(k).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (studies, first) = (number(0, 1000), number(1, 8_960_000));
    let beliefs = [
        ("auto", BeliefModel::Auto(ChoiceOptions::default())),
        ("temperature", BeliefModel::Map(MapName::Temperature)),
        ("groups", BeliefModel::Map(MapName::Groups)),
    ];
    println!("world,trust,items,belief,studies,both ends,\"of these, holds\",all hold");
    for ((name, stated), trust) in WORLDS.into_iter().flat_map(|world| TRUSTS.map(|trust| (world, trust))) {
        for (items, (key, belief)) in SIZES.into_iter().flat_map(|items| beliefs.map(|belief| (items, belief))) {
            let study = |seed: u64| found(belief, &draw(items, seed, stated, trust), trust.ln());
            let all: Vec<_> = (first..first + studies).into_par_iter().map(study).collect();
            let two: Vec<Interval> = all.iter().filter_map(|(ends, _)| *ends).collect();
            let held = two.iter().filter(|ends| (ends.lo..=ends.hi).contains(&trust.ln())).count();
            let holds = all.iter().filter(|(_, holds)| *holds).count();
            let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
            let (ends, held, holds) = (share(two.len(), all.len()), share(held, two.len()), share(holds, all.len()));
            println!("{name},{trust},{items},{key},{studies},{ends:.3},{held:.3},{holds:.3}");
        }
    }
}
