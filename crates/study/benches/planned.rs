//! Whether intervals come out as wide as `study plan` says.
//!
//! `cargo bench -p judge-uncertainty-study --bench planned -- [STUDIES [FIRST_SEED]]` simulates studies of 400 items,
//! of which 100 were labelled, three times each; plans from them; then labels 200 and 400 items in the same way, and
//! for shares draws 200 and 400 items at random for one label each. It prints a table of `evidence/`: mean planned and
//! mean realised widths and their ratio. With a third argument `check` it prints nothing but what is more than a tenth
//! off, and fails where something is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use judge_uncertainty_core::escalation::Selection;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_study::evaluate::held_out::HeldOutReport;
use judge_uncertainty_study::queue::plan::LabelPlan;
use judge_uncertainty_study::{Classes, Decomposition, Kind, Ordinal, Scores, Study};
use judge_uncertainty_system::progress::Silent;
use rayon::prelude::*;

const ITEMS: usize = 400;
const PILOT: usize = 100;
const LABELS: usize = 3;
/// Numbers of items that are planned for.
const SIZES: [usize; 2] = [200, 400];
/// Planned widths are promised to be as near as this to realised ones.
const PROMISED: f64 = 0.1;

/// A world as files, and what a label of each item is worth on average, by quantity of `labels estimate`.
struct World {
    items: String,
    judge: String,
    /// Rows of labels, item by item.
    labels: Vec<String>,
    head: &'static str,
    label_header: &'static str,
    /// Draws one label of an item, by quantity.
    pools: Vec<[f64; 3]>,
}

fn shares(alpha: [f64; 3], stream: &mut Stream) -> [f64; 3] {
    let gammas = alpha.map(|a| stream.gamma(a) + 1e-9);
    let sum: f64 = gammas.iter().sum();
    gammas.map(|g| g / sum)
}

/// Three classes, or places: an overconfident judge.
fn of_classes(head: &'static str, stream: &mut Stream) -> World {
    let (mut judge, mut labels, mut pools) = ("id,p_1,p_2,p_3\n".to_owned(), vec![], vec![]);
    for i in 0..ITEMS {
        let p = shares([1.5, 1.0, 0.5], stream);
        let stated = shares(p.map(|p| 8.0 * p + 0.05), stream).map(|q| q * q + 1e-3);
        let sum: f64 = stated.iter().sum();
        let mut counts = [0; 3];
        (0..LABELS).for_each(|_| counts[class(&p, stream)] += 1);
        judge += &format!("i{i},{},{},{}\n", stated[0] / sum, stated[1] / sum, stated[2] / sum);
        labels.push(format!("i{i},{},{},{}\n", counts[0], counts[1], counts[2]));
        pools.push(p);
    }
    World { items: ids(), judge, labels, head, label_header: "id,n_1,n_2,n_3\n", pools }
}

fn class(p: &[f64; 3], stream: &mut Stream) -> usize {
    let u = stream.random();
    usize::from(u > p[0]) + usize::from(u > p[0] + p[1])
}

/// Ratings from 0 to 10 of a judge whose mean is off by 1 or so; a pool's first two numbers are its mean and standard
/// deviation.
fn of_scores(stream: &mut Stream) -> World {
    let (mut judge, mut labels, mut pools) = ("id,mean,sd\n".to_owned(), vec![], vec![]);
    for i in 0..ITEMS {
        let stated = 2.0 + 6.0 * stream.random();
        let pool = [stated + stream.standard_normal(), 1.2, 0.0];
        judge += &format!("i{i},{stated},1.2\n");
        labels.push((0..LABELS).map(|a| format!("i{i},a{a},{}\n", rating(&pool, stream))).collect());
        pools.push(pool);
    }
    let head = "scale = [0, 10]\n";
    World { items: ids(), judge, labels, head, label_header: "id,annotator,score\n", pools }
}

fn rating(pool: &[f64; 3], stream: &mut Stream) -> f64 {
    (pool[0] + pool[1] * stream.standard_normal()).clamp(0.0, 10.0)
}

fn ids() -> String {
    (0..ITEMS).fold("id\n".to_owned(), |ids, i| ids + &format!("i{i}\n"))
}

impl World {
    fn write(&self, folder: &Path, labelled: usize) {
        let scores = self.head.starts_with("scale");
        let (kind, form) =
            if scores { ("sd = \"sd\"", "") } else { ("kind = \"probabilities\"", "form = \"counts\"\n") };
        let toml = format!(
            "title = \"Planned\"\n{}[items]\nfile = \"items.csv\"\n[judge]\nfile = \
             \"judge.csv\"\n{kind}\n[labels]\nfile = \"labels.csv\"\n{form}[trust]\nbelief = \"published\"\n",
            self.head
        );
        let labels = self.label_header.to_owned() + &self.labels[..labelled].concat();
        let files =
            [("items.csv", &self.items), ("judge.csv", &self.judge), ("labels.csv", &labels), ("study.toml", &toml)];
        files.into_iter().for_each(|(name, text)| fs::write(folder.join(name), text).expect("a writable folder"));
    }

    fn plan<K: Kind>(&self, labelled: usize) -> (Study<K>, LabelPlan) {
        let folder = tempfile::tempdir().expect("a writable folder");
        self.write(folder.path(), labelled);
        let study = Study::<K>::load(folder.path()).expect("a study");
        let decomposition = Decomposition::new(&study, &Silent).expect("labels");
        let held_out = HeldOutReport::new(&study, &decomposition);
        let plan = LabelPlan::new(&study, &decomposition, &held_out, None);
        (study, plan)
    }

    /// Width of each quantity's interval with so many random items and one label each.
    fn realised<K: Kind>(&self, study: &Study<K>, size: usize, stream: &mut Stream) -> Vec<Option<f64>> {
        let order: Vec<usize> = (0..ITEMS).collect();
        let selection = Selection::exploring(&order, size, 1.0, stream);
        let quantities = K::quantities(&study.file.config.scale);
        let mut observed = vec![vec![None; ITEMS]; quantities.len()];
        for &i in &selection.drawn {
            let label: Vec<f64> = match (self.head.starts_with("scale"), quantities.len()) {
                (true, _) => vec![rating(&self.pools[i], stream)],
                (false, quantities) => {
                    let class = class(&self.pools[i], stream);
                    let own = (0..3).map(|k| f64::from(u8::from(k == class)));
                    // On places the mean place stands before the shares.
                    let place = (quantities > 3).then_some(1.0 + class as f64);
                    place.into_iter().chain(own).collect()
                }
            };
            observed.iter_mut().zip(label).for_each(|(of, value)| of[i] = Some(value));
        }
        let width = |(observed, quantity): (&Vec<Option<f64>>, &judge_uncertainty_study::model::kind::Estimand)| {
            let values: Vec<Option<f64>> = selection.drawn.iter().map(|&i| observed[i]).collect();
            let ask = Ask::mean(&values).within(quantity.range.0, quantity.range.1).of_study();
            let found = Design::random_of((0..values.len()).collect(), ITEMS).estimate(&ask);
            found.estimate().map(|found| found.hi - found.lo)
        };
        observed.iter().zip(&quantities).map(width).collect()
    }
}

/// Planned and realised widths by what they are of and number of items.
type Widths = BTreeMap<(String, usize), (Vec<f64>, Vec<f64>)>;

fn study<K: Kind>(world: &World, stream: &mut Stream) -> Vec<(String, usize, f64, f64)> {
    let (study, plan) = world.plan::<K>(PILOT);
    let at = |widths: &[judge_uncertainty_study::queue::plan::PlannedWidth], size: usize| {
        widths.iter().find(|width| width.items == size).and_then(|width| width.width)
    };
    let mut found = vec![];
    for size in SIZES {
        for (share, realised) in plan.shares.iter().zip(world.realised(&study, size, stream)) {
            found.extend(
                at(&share.widths, size)
                    .zip(realised)
                    .map(|(planned, realised)| (format!("mean of {}", share.quantity), size, planned, realised)),
            );
        }
        let (_, later) = world.plan::<K>(size);
        for planned in &plan.comparisons {
            let realised = later.comparisons.iter().find(|one| one.what == planned.what);
            let realised = realised.and_then(|one| at(&one.widths, size));
            found.extend(
                at(&planned.widths, size)
                    .zip(realised)
                    .map(|(width, realised)| (planned.what.clone(), size, width, realised)),
            );
        }
    }
    found
}

fn widths<K: Kind>(studies: u64, first: u64, world: impl Fn(&mut Stream) -> World + Sync) -> Widths {
    let one = |seed: u64| {
        let mut stream = Stream::new(seed);
        let world = world(&mut stream);
        study::<K>(&world, &mut stream)
    };
    let all: Vec<_> = (first..first + studies).into_par_iter().map(one).collect();
    let mut widths = Widths::new();
    for (what, size, planned, realised) in all.into_iter().flatten() {
        let of = widths.entry((what, size)).or_default();
        of.0.push(planned);
        of.1.push(realised);
    }
    widths
}

fn main() -> ExitCode {
    let number = |k: usize| std::env::args().nth(k).and_then(|text| text.parse::<u64>().ok());
    let (studies, first) = (number(1).unwrap_or(40), number(2).unwrap_or(0));
    let check = std::env::args().nth(3).as_deref() == Some("check");
    let classes = "classes = [\"1\", \"2\", \"3\"]\n";
    let places = "places = [1, 2, 3]\n";
    let kinds = [
        ("classes", widths::<Classes>(studies, first, |stream| of_classes(classes, stream))),
        ("places", widths::<Ordinal>(studies, first, |stream| of_classes(places, stream))),
        ("scores", widths::<Scores>(studies, first, of_scores)),
    ];
    if !check {
        println!(
            "| labels | width of the interval of | items | planned | realised | ratio |\n|---|---|--:|--:|--:|--:|"
        );
    }
    let mut off = false;
    for (kind, widths) in kinds {
        for ((what, size), (planned, realised)) in widths {
            let (planned, realised) = (mean(&planned), mean(&realised));
            let ratio = planned / realised;
            let broken = (ratio - 1.0).abs() > PROMISED;
            off |= broken;
            if !check || broken {
                println!("| {kind} | {what} | {size} | {planned:.3} | {realised:.3} | {ratio:.3} |");
            }
        }
    }
    if check && off { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
