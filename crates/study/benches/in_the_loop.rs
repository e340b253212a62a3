//! How often intervals for new items hold where labels come from the loop: fit, queue, label, fit again.
//!
//! `cargo bench -p judge-uncertainty-study --bench in_the_loop -- [STUDIES [FIRST_SEED [WORLD]]]` simulates studies as
//! files: items, a judge, a random pilot or none, then rounds of `study queue` by the rule info with a random share,
//! answered by two experts an item. It prints one row per world and quantity: how often there was an interval, how
//! often it held what 200,000 further items say, on which side it missed, how many of all studies stated one that
//! missed, and its mean width. `plain` is the same by means that take the labelled items for a random sample. For two
//! equally good judges, of which the first one's queue chose the items, it says how often either was called better.
//! WORLD, a number from 0, runs one world alone.
//!
//! Where the queue is the default one, it is what `study queue` sends where nothing is asked for but its budget: one
//! label an item, and a further one where an item comes again. There the share of the first class is what
//! `study run` says after the last queue, against what the labels of all items say.
//!
//! Where answers stay out because of what they would say, it is the share of the first class and its bounds.
//!
//! With `check` in place of the number it simulates 60 studies a world and fails where more intervals miss than chance
//! gives in one of 1,000 such rows, where the promise (0.95) is kept.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use judge_uncertainty_core::belief::{Beliefs, ItemBeliefs};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::beta::most_by_chance;
use judge_uncertainty_core::stats::estimator::Ask;
use judge_uncertainty_core::stats::estimator::Design;
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_evaluation::held_out::LEVELS;
use judge_uncertainty_evaluation::{CountPool, Scored};
use judge_uncertainty_formats::Predictions;
use judge_uncertainty_formats::error::Place;
use judge_uncertainty_study::evaluate::belief_check::Within;
use judge_uncertainty_study::evaluate::held_out::HeldOutReport;
use judge_uncertainty_study::findings::Answer as Found;
use judge_uncertainty_study::input::label_store::{LabelStore, NewLabel};
use judge_uncertainty_study::input::source::Source;
use judge_uncertainty_study::model::chosen::ItemSampling;
use judge_uncertainty_study::queue::{Purpose, QueueRequest, Ranked};
use judge_uncertainty_study::{Decomposition, Study};
use judge_uncertainty_system::progress::Silent;
use ndarray::Array2;
use rayon::prelude::*;

/// Labels of an item that is sent once.
const LABELS: usize = 2;
/// Labels that an item of a default queue can get.
const MOST_LABELS: usize = 8;
/// Further items that say what is true.
const MANY: usize = 200_000;
/// What is checked in each study, all after the first five in some worlds alone.
const CHECKED: [&str; CHECKS] = [
    "log score of the judge",
    "agreement",
    "disagreement of two labels",
    "squared error",
    "one judge less another",
    "share of a class",
    "bounds of that share",
    "labels where the belief expects 80%",
    "those of the smallest v",
    "those of the largest v",
    "labels where the belief expects 95% of the largest v",
    "those of one of two groups",
];
const CHECKS: usize = 12;

/// A world, and how its items are labelled.
#[derive(Debug, Clone, Copy)]
struct World {
    name: &'static str,
    /// Things, and items of each.
    things: usize,
    items_each: usize,
    /// Whether a thing is a cluster, such as a conversation, of which queues take single items, and not one whole.
    clusters: bool,
    /// Pseudo-counts of the class shares.
    shares: [f64; 3],
    /// What the judge knows of an item, in labels.
    worth: f64,
    /// Power to which it sharpens what it knows.
    sharpness: f64,
    /// Things labelled at random before any queue, and what the study states of how they were chosen.
    pilot: usize,
    drawn: &'static str,
    /// Rounds of queues, things of each, and the random share.
    rounds: usize,
    budget: usize,
    explore: Option<f64>,
    /// What queues are for where they are not by the rule info: one label an item.
    purpose: Option<Purpose>,
    /// Whether it is checked how many labels lie where the belief expects them.
    checks: bool,
    /// How often an answer that would be the first class comes back, where others do at 0.9.
    answers: f64,
}

const FIRST: World = World {
    name: "calibrated judge",
    things: 300,
    items_each: 1,
    clusters: false,
    shares: [1.5, 1.0, 0.5],
    worth: 8.0,
    sharpness: 1.0,
    pilot: 40,
    drawn: "random",
    rounds: 1,
    budget: 80,
    explore: None,
    purpose: None,
    checks: false,
    answers: 1.0,
};

const WORLDS: [World; 33] = [
    World { rounds: 0, pilot: 120, ..FIRST },
    FIRST,
    World { explore: Some(0.1), budget: 100, ..FIRST },
    World { explore: Some(0.5), ..FIRST },
    World { explore: Some(0.5), rounds: 3, budget: 40, ..FIRST },
    World { name: "no pilot", pilot: 0, ..FIRST },
    World { name: "no pilot", pilot: 0, explore: Some(0.5), ..FIRST },
    World { name: "overconfident judge", sharpness: 2.5, explore: Some(0.5), ..FIRST },
    World { name: "rare classes", things: 1000, shares: [3.0, 0.03, 0.03], pilot: 100, explore: Some(0.5), ..FIRST },
    World { name: "five items a thing", things: 80, items_each: 5, rounds: 0, pilot: 40, ..FIRST },
    World { name: "five items a thing", things: 80, items_each: 5, pilot: 25, budget: 30, explore: Some(0.5), ..FIRST },
    World { name: "1% positives", things: 1000, shares: RARE, pilot: 100, budget: 200, explore: Some(0.5), ..FIRST },
    World { name: "1% positives", things: 2000, shares: RARE, pilot: 400, budget: 1000, explore: Some(0.5), ..FIRST },
    World {
        name: "heavy tails",
        things: 600,
        shares: [0.3; 3],
        worth: 30.0,
        sharpness: 4.0,
        explore: Some(0.5),
        ..HUNDRED
    },
    World {
        name: "heavy tails",
        things: 600,
        shares: [0.3; 3],
        worth: 30.0,
        sharpness: 4.0,
        explore: Some(0.1),
        ..HUNDRED
    },
    World { name: "missing not at random", answers: 0.45, pilot: 0, budget: 150, explore: Some(0.5), ..FIRST },
    World { name: "missing not at random", answers: 0.45, pilot: 0, budget: 150, explore: Some(1.0), ..FIRST },
    World { things: 1000, rounds: 0, pilot: 300, checks: true, ..FIRST },
    World { name: "overconfident judge", things: 1000, rounds: 0, pilot: 300, checks: true, sharpness: 2.5, ..FIRST },
    World { things: 1000, pilot: 200, budget: 200, explore: Some(0.5), checks: true, ..FIRST },
    World { things: 400, ..BY_DEFAULT },
    World { name: "default queue and overconfident judge", things: 400, sharpness: 2.5, ..BY_DEFAULT },
    World { name: "default queue and five items a thing", things: 80, items_each: 5, budget: 12, ..BY_DEFAULT },
    World { name: "default queue and clusters of five", things: 80, items_each: 5, clusters: true, ..BY_DEFAULT },
    World {
        name: "clusters of five",
        things: 80,
        items_each: 5,
        clusters: true,
        pilot: 0,
        explore: Some(0.5),
        ..FIRST
    },
    BY_RATE,
    World { rounds: 2, budget: 75, ..BY_RATE },
    World { name: "rate queue and overconfident judge", sharpness: 4.0, ..BY_RATE },
    World { name: "rate queue and a judge that knows nothing", worth: 0.0, sharpness: 4.0, ..BY_RATE },
    World { name: "rate queue and 1% positives", things: 1000, shares: RARE, pilot: 100, budget: 200, ..BY_RATE },
    World { name: "rate queue and clusters of five", things: 120, items_each: 5, clusters: true, ..BY_RATE },
    World { name: "rate queue and answers missing not at random", answers: 0.45, ..BY_RATE },
    World {
        name: "default queue after clusters of five whose choice nobody stated",
        things: 80,
        items_each: 5,
        clusters: true,
        pilot: 30,
        drawn: "unknown",
        rounds: 1,
        budget: 60,
        ..BY_DEFAULT
    },
];
const BY_RATE: World = World {
    name: "rate queue",
    things: 600,
    shares: [0.3; 3],
    worth: 30.0,
    pilot: 60,
    budget: 150,
    purpose: Some(Purpose::Rate),
    ..FIRST
};
const BY_DEFAULT: World = World {
    name: "default queue",
    pilot: 0,
    rounds: 4,
    budget: 40,
    explore: Some(0.1),
    purpose: Some(Purpose::Items),
    ..FIRST
};
const RARE: [f64; 3] = [0.6, 0.003, 0.003];
const HUNDRED: World = World { pilot: 100, budget: 100, ..FIRST };

/// An item: what experts say of it, what the judge says, and what another judge does that is as good.
#[derive(Clone, Copy)]
struct Item {
    p: [f64; 3],
    q: [f64; 3],
    other: [f64; 3],
}

fn shares(alpha: [f64; 3], stream: &mut Stream) -> [f64; 3] {
    let gammas = alpha.map(|a| stream.gamma(a) + 1e-9);
    let sum: f64 = gammas.iter().sum();
    gammas.map(|g| g / sum)
}

impl World {
    /// An item; each judge knows a part of it that the other does not.
    fn item(&self, stream: &mut Stream) -> Item {
        let p = shares(self.shares, stream);
        let mut judge = || {
            let known = shares(p.map(|p| self.worth * p + 0.1), stream).map(|k| (k + 2e-3).powf(self.sharpness));
            let sum: f64 = known.iter().sum();
            known.map(|k| 0.01 / 3.0 + 0.99 * k / sum)
        };
        Item { p, q: judge(), other: judge() }
    }
}

fn class(p: &[f64; 3], stream: &mut Stream) -> usize {
    let u = stream.random();
    usize::from(u > p[0]) + usize::from(u > p[0] + p[1])
}

fn likeliest(q: &[f64; 3]) -> usize {
    (0..3).rev().max_by(|&a, &b| q[a].total_cmp(&q[b])).expect("three classes")
}

/// What further items say, in the order of [`CHECKED`]; the share of a class is about the items of each study.
fn truth(world: &World) -> [f64; CHECKS] {
    let mut stream = Stream::new(4_000_000_007);
    let mut said = |_| {
        let Item { p, q, other } = world.item(&mut stream);
        let log = |q: [f64; 3]| -> f64 { (0..3).map(|k| -p[k] * q[k].ln()).sum() };
        let apart = 1.0 - p.iter().map(|p| p * p).sum::<f64>();
        let squared = (0..3).map(|k| (q[k] - p[k]).powi(2)).sum();
        [log(q), p[likeliest(&q)], apart, squared, log(q) - log(other)]
    };
    let of = |k: usize| {
        let mut all = [0.0; CHECKS];
        all[..5].copy_from_slice(&said(k));
        all
    };
    let all: Vec<[f64; CHECKS]> = (0..MANY).map(of).collect();
    let mut means: [f64; CHECKS] = std::array::from_fn(|k| mean(&all.iter().map(|one| one[k]).collect::<Vec<_>>()));
    // The two judges are made alike.
    means[4] = 0.0;
    means
}

/// The study as files, with a random pilot.
fn write(world: &World, items: &[Item], pilot: &[usize], labels: &[Vec<usize>], folder: &Path) {
    let (mut table, mut judge, mut own) = ("id,about,kind\n".to_owned(), "id,p_a,p_b,p_c\n".to_owned(), String::new());
    for (i, item) in items.iter().enumerate() {
        table += &format!("i{i},t{},{}\n", i / world.items_each, ["even", "odd"][i % 2]);
        judge += &format!("i{i},{},{},{}\n", item.q[0], item.q[1], 1.0 - item.q[0] - item.q[1]);
        if pilot.contains(&(i / world.items_each)) {
            labels[i][..LABELS]
                .iter()
                .enumerate()
                .for_each(|(k, y)| own += &format!("i{i},e{k},{}\n", ["a", "b", "c"][*y]));
        }
    }
    let about = match (world.items_each > 1, world.clusters) {
        (false, _) => "",
        (true, false) => "item = \"about\"\n",
        (true, true) => "cluster = \"about\"\n",
    };
    let with_labels = if pilot.is_empty() { "" } else { "[labels]\nfile = \"labels.csv\"\nform = \"long\"\n" };
    let (group, features) = if world.checks { ("group = \"kind\"\n", "features = []\n") } else { ("", "") };
    let settings = format!(
        "title = \"loop\"\nclasses = [\"a\", \"b\", \"c\"]\n[items]\nfile = \"items.csv\"\ndrawn = \
         \"{}\"\n{about}{group}[judge]\nfile = \"judge.csv\"\nkind = \"probabilities\"\nfloor = \
         0.001\n{with_labels}[trust]\nbelief = \"published\"\n{features}",
        world.drawn
    );
    for (name, text) in [("study.toml", settings), ("items.csv", table), ("judge.csv", judge)] {
        fs::write(folder.join(name), text).expect("a file of the study");
    }
    fs::write(folder.join("labels.csv"), format!("id,annotator,label\n{own}")).expect("the labels");
}

/// One round: a queue, and the answers to all of it.
fn round(world: &World, number: usize, seed: u64, (labels, back): (&[Vec<usize>], &[f64]), folder: &Path) {
    let study = Study::load(folder).expect("the study");
    let decomposition = Decomposition::new(&study, &Silent).expect("a fit");
    let amount = world.budget.to_string().parse().expect("a budget");
    let request = match world.purpose {
        Some(purpose) => {
            let request = QueueRequest { seed, ..QueueRequest::advised(&study, amount) };
            request.with_purpose(purpose, study.len())
        }
        None => QueueRequest {
            rule: Rule::Info.into(),
            amount,
            labels_per_item: LABELS as u32,
            explore: world.explore,
            seed: seed * 100 + number as u64,
        },
    };
    let ranked = Ranked::new(&study, &decomposition, &request).expect("a ranking");
    let (staged, _) = ranked.send(&request, false).expect("a queue");
    let queue = folder.join(format!("queue-{number}"));
    fs::create_dir(&queue).expect("a folder");
    for name in ["queue.json", "selection.csv", "queue.csv"] {
        fs::write(queue.join(name), staged.text(name).expect("a file of the queue")).expect("a file");
    }
    let text = staged.text("queue.csv").expect("the queue");
    let mut fresh = vec![];
    for line in text.lines().skip(1) {
        let id = line.split(',').nth(1).expect("an id");
        let item: usize = id[1..].parse().expect("a number");
        if world.answers < 1.0 && back[item] > if labels[item][0] == 0 { world.answers } else { 0.9 } {
            continue;
        }
        let known = decomposition.numbers[item] as usize;
        let asked = match world.purpose {
            Some(_) => known..known + 1,
            // An item that was labelled before is not labelled again.
            None if known > 0 => continue,
            None => 0..LABELS,
        };
        for k in asked {
            fresh.push(NewLabel {
                id: id.to_owned(),
                annotator: format!("e{k}"),
                value: ["a", "b", "c"][labels[item][k]].to_owned(),
                given: String::new(),
                place: Place::file(folder),
            });
        }
    }
    if !fresh.is_empty() {
        let log = LabelStore::read(folder, None, &mut Source::default()).expect("the log");
        log.append(Path::new("answers.csv"), &format!("{number:064}"), &fresh).expect("added labels");
    }
}

/// What a study says of a quantity, by its design and by plain means, and what is true.
struct Said {
    by_design: Estimable,
    plainly: Estimable,
    truth: f64,
}

/// What a study says, in the order of [`CHECKED`]; `None` for what its world does not check.
fn study(world: &World, seed: u64, truth: &[f64; CHECKS]) -> [Option<Said>; CHECKS] {
    let mut stream = Stream::new(seed);
    let things: Vec<Item> = (0..world.things).map(|_| world.item(&mut stream)).collect();
    // Items of one thing are alike: their labels share its error.
    let items: Vec<Item> = things.iter().flat_map(|thing| vec![*thing; world.items_each]).collect();
    let most = if world.purpose.is_some() { MOST_LABELS } else { LABELS };
    let labels: Vec<Vec<usize>> =
        (0..items.len()).map(|i| (0..most).map(|_| class(&items[i].p, &mut stream)).collect()).collect();
    let back: Vec<f64> = items.iter().map(|_| stream.random()).collect();
    let mut order: Vec<usize> = (0..world.things).collect();
    for k in 0..world.pilot {
        let other = k + stream.choice((world.things - k) as u32) as usize;
        order.swap(k, other);
    }
    let folder = tempfile::tempdir().expect("a folder");
    write(world, &items, &order[..world.pilot], &labels, folder.path());
    (0..world.rounds).for_each(|number| round(world, number, seed, (&labels, &back), folder.path()));
    let study = Study::load(folder.path()).expect("the study");
    let numbers = study.numbers();
    let kept: Vec<usize> = (0..study.len()).filter(|i| numbers[*i] > 0).collect();
    let design = ItemSampling::new(&study, &kept).design;
    let pool = study.pool(&study.labels, &kept);
    let each = |f: &dyn Fn(usize) -> f64| (0..kept.len()).map(|i| Some(f(i))).collect::<Vec<Option<f64>>>();
    let plain = |values: &[Option<f64>]| values.iter().copied().flatten().collect::<Vec<f64>>();
    let judged = |i: usize| pool.judged_item(i).expect("labels");
    let log = each(&|i| judged(i).scores[0].expect("a log score"));
    let agreement = each(&|i| {
        let (item, given) = (kept[i], numbers[kept[i]] as usize);
        let judged = likeliest(&items[item].q);
        labels[item][..given].iter().filter(|y| **y == judged).count() as f64 / given as f64
    });
    let apart: Vec<Option<f64>> = (0..kept.len()).map(|i| judged(i).disagreement).collect();
    let squared: Vec<Option<f64>> =
        (0..kept.len()).map(|i| Some(judged(i).scores[1].expect("a score") - judged(i).disagreement?)).collect();
    let said = |k: usize, by_design, plainly| Some(Said { by_design, plainly, truth: truth[k] });
    let mut all = [const { None }; CHECKS];
    let against = each(&|i| {
        let labels = &labels[kept[i]][..numbers[kept[i]] as usize];
        let of = |q: &[f64; 3]| labels.iter().map(|&y| -q[y].ln()).sum::<f64>() / labels.len() as f64;
        of(&items[kept[i]].q) - of(&items[kept[i]].other)
    });
    let first_class = items.iter().map(|item| item.p[0]).sum::<f64>() / items.len() as f64;
    let of_first_class = || {
        let rate = Found::of_labels(&study).rates.swap_remove(0);
        if world.purpose == Some(Purpose::Rate) { rate.corrected } else { rate.by_labels }
    };
    let shares = each(&|i| {
        let labels = &labels[kept[i]][..numbers[kept[i]] as usize];
        labels.iter().filter(|y| **y == 0).count() as f64 / labels.len() as f64
    });
    let of_share = |by_design| {
        let truth = match world.purpose {
            Some(_) => {
                let given = |i: usize| numbers[i].max(1) as usize;
                let share =
                    |i: usize| labels[i][..given(i)].iter().filter(|y| **y == 0).count() as f64 / given(i) as f64;
                mean(&(0..items.len()).map(share).collect::<Vec<_>>())
            }
            None => first_class,
        };
        Some(Said { by_design, plainly: over(&plain(&shares), |values| Ask::share(values)), truth })
    };
    if world.answers < 1.0 {
        all[5] = of_share(of_first_class());
        return all;
    }
    let new = [
        said(0, design.estimate(&Ask::mean(&log)), over(&plain(&log), |values| Ask::mean(values))),
        said(1, design.estimate(&Ask::share(&agreement)), over(&plain(&agreement), |values| Ask::share(values))),
        said(2, design.estimate(&Ask::share(&apart)), over(&plain(&apart), |values| Ask::share(values))),
        said(3, design.estimate(&Ask::mean(&squared)), over(&plain(&squared), |values| Ask::mean(values))),
        said(
            4,
            design.estimate(&Ask::difference(&against, false)),
            over(&plain(&against), |values| Ask::difference(values, false)),
        ),
    ];
    all[..5].iter_mut().zip(new).for_each(|(place, new)| *place = new);
    if world.checks {
        let told = checked(world, &study, seed);
        all[7..].iter_mut().zip(told).for_each(|(place, told)| *place = told);
    }
    if world.purpose.is_some() {
        all[5] = of_share(of_first_class());
    }
    all
}

/// The mean over items as though they were drawn at random.
fn over(values: &[f64], ask: fn(&[Option<f64>]) -> Ask<'_>) -> Estimable {
    Design::random((0..values.len()).collect()).estimate(&ask(&values.iter().copied().map(Some).collect::<Vec<_>>()))
}

/// How many labels lie where the belief expects them, before it has seen them: of all items, of the tenths with the
/// smallest and the largest v, and of a group. What is true is the mean over further items under the same fit.
fn checked(world: &World, study: &Study, seed: u64) -> [Option<Said>; 5] {
    const FURTHER: usize = 20_000;
    let decomposition = Decomposition::new(study, &Silent).expect("a fit");
    let trust = decomposition.assumed_trust();
    let mut stream = Stream::new(seed + 8_000_000_009);
    let (mut q, mut counts) = (Array2::zeros((FURTHER, 3)), Array2::zeros((FURTHER, 3)));
    for i in 0..FURTHER {
        let item = world.item(&mut stream);
        (0..3).for_each(|k| q[[i, k]] = item.q[k]);
        (0..LABELS).for_each(|_| counts[[i, class(&item.p, &mut stream)]] += 1);
    }
    let priors = ItemBeliefs::Classes(Beliefs::new(&q * trust));
    let pool =
        CountPool::new(counts.view(), Predictions { q, spread: vec![None; FURTHER], confidence: vec![None; FURTHER] });
    let mut order: Vec<usize> = (0..FURTHER).collect();
    order.sort_by(|&a, &b| priors.get(a).spread().total_cmp(&priors.get(b).spread()));
    let scores = HeldOutReport::new(study, &decomposition);
    let check = scores.found().and_then(|report| report.belief_check.as_ref()).expect("two labels of many items");
    let [eighty, ninety_five] = &check.within[..] else { panic!("two levels") };
    let said = |found: &Estimable, level: f64, of: &[usize]| {
        let k = LEVELS.iter().position(|of_interval| *of_interval == level).expect("a level of the check");
        let held: Vec<f64> = of.iter().filter_map(|&i| pool.forecast(&priors, i).within[k]).collect();
        Some(Said { by_design: found.clone(), plainly: found.clone(), truth: mean(&held) })
    };
    let tenth = |within: &Within, place: usize| {
        let [from, to] = [place, place + 1].map(|place| FURTHER * place / within.tenths.len());
        said(&within.tenths[place].observed, within.level, &order[from..to])
    };
    let last = eighty.tenths.len() - 1;
    let group = check.groups.first().expect("two groups");
    [
        said(&eighty.share, eighty.level, &order),
        tenth(eighty, 0),
        tenth(eighty, last),
        tenth(ninety_five, last),
        said(&group.within[0].share, eighty.level, &order),
    ]
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let check = arguments.first().is_some_and(|first| first == "check");
    let number = |k: usize, default: u64| arguments.get(k).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (studies, first) = (if check { 60 } else { number(0, 400) }, number(1, 1_000_000));
    println!(
        "world,pilot,rounds,budget,explore,quantity,studies,estimable,holds,too low,too high,misses of all,width,plain \
         holds"
    );
    let (mut failed, most) = (false, most_by_chance(studies, 0.05, 0.001) as usize);
    let alone = arguments.get(2).and_then(|text| text.parse().ok());
    for (_, world) in WORLDS.iter().enumerate().filter(|(k, _)| alone.is_none_or(|alone: usize| alone == *k)) {
        let truth = truth(world);
        let found: Vec<[Option<Said>; CHECKS]> =
            (first..first + studies).into_par_iter().map(|seed| study(world, seed, &truth)).collect();
        for (k, what) in CHECKED.iter().enumerate() {
            let known = |by: fn(&Said) -> &Estimable| {
                found
                    .iter()
                    .filter_map(move |one| one[k].as_ref().and_then(|said| Some((by(said).estimate()?, said.truth))))
            };
            if found[0][k].is_none() {
                continue;
            }
            let by_design = || known(|said| &said.by_design);
            let plainly = || known(|said| &said.plainly);
            let n = by_design().count() as f64;
            let low = by_design().filter(|(e, truth)| e.hi < *truth).count();
            let high = by_design().filter(|(e, truth)| e.lo > *truth).count();
            let plain = match plainly().count() {
                0 => "not estimable".to_owned(),
                number => {
                    let held = plainly().filter(|(e, truth)| (e.lo..=e.hi).contains(truth)).count();
                    format!("{:.3}", held as f64 / number as f64)
                }
            };
            let explore = world.explore.map_or_else(|| "0".to_owned(), |share| share.to_string());
            let start =
                format!("{},{},{},{},{explore},{what},{studies}", world.name, world.pilot, world.rounds, world.budget);
            if n == 0.0 {
                println!("{start},0,not estimable,,,0,,{plain}");
                continue;
            }
            let share = |count: usize| count as f64 / n;
            let width = by_design().map(|(e, _)| e.hi - e.lo).sum::<f64>() / n;
            println!(
                "{start},{:.3},{:.3},{:.3},{:.3},{:.3},{width:.3},{plain}",
                n / studies as f64,
                1.0 - share(low + high),
                share(low),
                share(high),
                (low + high) as f64 / studies as f64
            );
            // Answers that stay out because of what they say bias whatever takes them for a random part.
            failed |= low + high > most && (world.answers == 1.0 || *what != "share of a class");
        }
    }
    if check && failed {
        eprintln!("more than {most} of {studies} intervals of a row miss");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
