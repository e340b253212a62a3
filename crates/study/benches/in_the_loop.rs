//! How often intervals for new items hold where labels come from the loop: fit, queue, label, fit again.
//!
//! `cargo bench -p judge-uncertainty-study --bench in_the_loop -- [STUDIES [FIRST_SEED]]` simulates studies as files: items, a judge, a
//! random pilot or none, then rounds of `study queue` by the rule info with a random share, answered by two experts an item. It prints
//! one row per world and quantity: how often there was an interval, how often it held what 200,000 further items say, on which side it
//! missed, and its mean width. `plain` is the same by means that take the labelled items for a random sample. For two equally good
//! judges, of which the first one's queue chose the items, it says how often either was called better.
//!
//! With `check` in place of the number it simulates 60 studies a world and fails where more intervals miss than chance gives in one of
//! 1,000 such rows, where the promise (0.95) is kept.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::binomial::most_by_chance;
use judge_uncertainty_core::stats::over_items::{item_difference, item_mean, item_share};
use judge_uncertainty_core::stats::{Estimable, mean};
use judge_uncertainty_evaluation::Scored;
use judge_uncertainty_formats::error::Place;
use judge_uncertainty_study::input::log::{LabelLog, NewLabel};
use judge_uncertainty_study::input::source::Source;
use judge_uncertainty_study::model::chosen::Chosen;
use judge_uncertainty_study::queue::{LabelsPerItem, Presentation, Ranked, Request};
use judge_uncertainty_study::{Classes, Decomposition, Kind, Study};
use judge_uncertainty_system::progress::Silent;
use rayon::prelude::*;

/// Labels of an item.
const LABELS: usize = 2;
/// Further items that say what is true.
const MANY: usize = 200_000;
/// What is checked in each study.
const CHECKED: [&str; 5] =
    ["log score of the judge", "agreement", "disagreement of two labels", "squared error", "one judge less another"];

/// A world, and how its items are labelled.
#[derive(Debug, Clone, Copy)]
struct World {
    name: &'static str,
    /// Things, and items of each.
    things: usize,
    items_each: usize,
    /// Pseudo-counts of the class shares.
    shares: [f64; 3],
    /// What the judge knows of an item, in labels.
    worth: f64,
    /// Power to which it sharpens what it knows.
    sharpness: f64,
    /// Things labelled at random before any queue.
    pilot: usize,
    /// Rounds of queues, things of each, and the random share.
    rounds: usize,
    budget: usize,
    explore: Option<f64>,
}

const FIRST: World = World {
    name: "calibrated judge",
    things: 300,
    items_each: 1,
    shares: [1.5, 1.0, 0.5],
    worth: 8.0,
    sharpness: 1.0,
    pilot: 40,
    rounds: 1,
    budget: 80,
    explore: None,
};

const WORLDS: [World; 11] = [
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
];

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

/// What further items say, in the order of [`CHECKED`].
fn truth(world: &World) -> [f64; 5] {
    let mut stream = Stream::new(4_000_000_007);
    let of = |_| {
        let Item { p, q, other } = world.item(&mut stream);
        let log = |q: [f64; 3]| -> f64 { (0..3).map(|k| -p[k] * q[k].ln()).sum() };
        let apart = 1.0 - p.iter().map(|p| p * p).sum::<f64>();
        let squared = (0..3).map(|k| (q[k] - p[k]).powi(2)).sum();
        [log(q), p[likeliest(&q)], apart, squared, log(q) - log(other)]
    };
    let all: Vec<[f64; 5]> = (0..MANY).map(of).collect();
    let mut means = [0, 1, 2, 3, 4].map(|k| mean(&all.iter().map(|one| one[k]).collect::<Vec<_>>()));
    // The two judges are made alike.
    means[4] = 0.0;
    means
}

/// The study as files, with a random pilot.
fn write(world: &World, items: &[Item], pilot: &[usize], labels: &[[usize; LABELS]], folder: &Path) {
    let (mut table, mut judge, mut own) = ("id,about\n".to_owned(), "id,p_a,p_b,p_c\n".to_owned(), String::new());
    for (i, item) in items.iter().enumerate() {
        table += &format!("i{i},t{}\n", i / world.items_each);
        judge += &format!("i{i},{},{},{}\n", item.q[0], item.q[1], 1.0 - item.q[0] - item.q[1]);
        if pilot.contains(&(i / world.items_each)) {
            labels[i].iter().enumerate().for_each(|(k, y)| own += &format!("i{i},e{k},{}\n", ["a", "b", "c"][*y]));
        }
    }
    let about = if world.items_each > 1 { "item = \"about\"\n" } else { "" };
    let with_labels = if pilot.is_empty() { "" } else { "[labels]\nfile = \"labels.csv\"\nform = \"long\"\n" };
    let settings = format!(
        "title = \"loop\"\nclasses = [\"a\", \"b\", \"c\"]\n[items]\nfile = \"items.csv\"\ndrawn = \"random\"\n{about}[judge]\n\
         file = \"judge.csv\"\nkind = \"probabilities\"\nfloor = 0.001\n{with_labels}"
    );
    for (name, text) in [("study.toml", settings), ("items.csv", table), ("judge.csv", judge)] {
        fs::write(folder.join(name), text).expect("a file of the study");
    }
    fs::write(folder.join("labels.csv"), format!("id,annotator,label\n{own}")).expect("the labels");
}

/// One round: a queue, and the answers to all of it.
fn round(world: &World, number: usize, seed: u64, labels: &[[usize; LABELS]], folder: &Path) {
    let study = Study::<Classes>::load(folder).expect("the study");
    let decomposition = Decomposition::new(&study, &Silent).expect("a fit");
    let request = Request {
        rule: Rule::Info.into(),
        amount: world.budget.to_string().parse().expect("a budget"),
        labels_per_item: LabelsPerItem::Fixed(LABELS as u32),
        explore: world.explore,
        seed: seed * 100 + number as u64,
    };
    let ranked = Ranked::new(&study, &decomposition, &request).expect("a ranking");
    let (staged, _) = ranked.send(&request, Presentation::default()).expect("a queue");
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
        for (k, y) in labels[item].iter().enumerate() {
            fresh.push(NewLabel {
                id: id.to_owned(),
                annotator: format!("e{k}"),
                value: ["a", "b", "c"][*y].to_owned(),
                given: String::new(),
                place: Place::file(folder),
            });
        }
    }
    // An item that was labelled before is not labelled again.
    let known: Vec<&str> =
        (0..study.len()).filter(|i| decomposition.numbers[*i] > 0).map(|i| &study.items.ids[i]).collect();
    fresh.retain(|label| !known.contains(&label.id.as_str()));
    if !fresh.is_empty() {
        let log = LabelLog::read(folder, &mut Source::default()).expect("the log");
        log.append(Path::new("answers.csv"), &format!("{number:064}"), &fresh).expect("added labels");
    }
}

/// What a study says, in the order of [`CHECKED`], and what plain means say.
fn study(world: &World, seed: u64) -> [[Estimable; 5]; 2] {
    let mut stream = Stream::new(seed);
    let things: Vec<Item> = (0..world.things).map(|_| world.item(&mut stream)).collect();
    // Items of one thing are alike: their labels share its error.
    let items: Vec<Item> = things.iter().flat_map(|thing| vec![*thing; world.items_each]).collect();
    let labels: Vec<[usize; LABELS]> =
        items.iter().map(|item| [0; LABELS].map(|_| class(&item.p, &mut stream))).collect();
    let mut order: Vec<usize> = (0..world.things).collect();
    for k in 0..world.pilot {
        let other = k + stream.choice((world.things - k) as u32) as usize;
        order.swap(k, other);
    }
    let folder = tempfile::tempdir().expect("a folder");
    write(world, &items, &order[..world.pilot], &labels, folder.path());
    (0..world.rounds).for_each(|number| round(world, number, seed, &labels, folder.path()));
    let study = Study::<Classes>::load(folder.path()).expect("the study");
    let numbers = study.numbers();
    let kept: Vec<usize> = (0..study.len()).filter(|i| numbers[*i] > 0).collect();
    let design = Chosen::new(&study, &kept).design;
    let pool = Classes::pool(&study, &study.labels, &kept);
    let each = |f: &dyn Fn(usize) -> f64| (0..kept.len()).map(|i| Some(f(i))).collect::<Vec<Option<f64>>>();
    let scores = |i: usize| pool.judge_scores(i).expect("labels");
    let log = each(&|i| scores(i)[0].expect("a log score"));
    let agreement = each(&|i| pool.agreement_row(i).expect("labels")[0]);
    let apart = each(&|i| pool.disagreement(i).expect("two labels"));
    let squared = each(&|i| scores(i)[1].expect("a score") - pool.disagreement(i).expect("two labels"));
    let against = each(&|i| {
        let of = |q: &[f64; 3]| labels[kept[i]].iter().map(|&y| -q[y].ln()).sum::<f64>() / LABELS as f64;
        of(&items[kept[i]].q) - of(&items[kept[i]].other)
    });
    let plain = |values: &[Option<f64>]| values.iter().copied().flatten().collect::<Vec<f64>>();
    [
        [
            design.mean(&log),
            design.share(&agreement),
            design.mean(&apart),
            design.mean(&squared),
            design.difference(&against, false),
        ],
        [
            item_mean(&plain(&log)),
            item_share(&plain(&agreement)),
            item_mean(&plain(&apart)),
            item_mean(&plain(&squared)),
            item_difference(&plain(&against), false),
        ],
    ]
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let check = arguments.first().is_some_and(|first| first == "check");
    let number = |k: usize, default: u64| arguments.get(k).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (studies, first) = (if check { 60 } else { number(0, 400) }, number(1, 1_000_000));
    println!("world,pilot,rounds,budget,explore,quantity,estimable,holds,too low,too high,width,plain holds");
    let (mut failed, most) = (false, most_by_chance(studies, 0.05, 0.001) as usize);
    for world in &WORLDS {
        let truth = truth(world);
        let found: Vec<[[Estimable; 5]; 2]> =
            (first..first + studies).into_par_iter().map(|seed| study(world, seed)).collect();
        for (k, what) in CHECKED.iter().enumerate() {
            let known = |by: usize| found.iter().filter_map(move |one| one[by][k].estimate());
            let n = known(0).count() as f64;
            let low = known(0).filter(|e| e.hi < truth[k]).count();
            let high = known(0).filter(|e| e.lo > truth[k]).count();
            let plain = known(1).filter(|e| (e.lo..=e.hi).contains(&truth[k])).count() as f64 / known(1).count() as f64;
            let explore = world.explore.map_or_else(|| "0".to_owned(), |share| share.to_string());
            let start = format!("{},{},{},{},{explore},{what}", world.name, world.pilot, world.rounds, world.budget);
            if n == 0.0 {
                println!("{start},0,not estimable,,,,{plain:.3}");
                continue;
            }
            let share = |count: usize| count as f64 / n;
            let width = known(0).map(|e| e.hi - e.lo).sum::<f64>() / n;
            println!(
                "{start},{:.3},{:.3},{:.3},{:.3},{width:.3},{plain:.3}",
                n / studies as f64,
                1.0 - share(low + high),
                share(low),
                share(high)
            );
            failed |= low + high > most;
        }
    }
    if check && failed {
        eprintln!("more than {most} of {studies} intervals of a row miss");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
