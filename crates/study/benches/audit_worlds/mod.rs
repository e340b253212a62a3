//! Worlds whose truth is known, as tables to be audited: how often an interval holds what it is about.

use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Estimable, ItemEstimate, mean};
use judge_uncertainty_study::audit::columns::Correction;
use judge_uncertainty_study::audit::table::CellTable;
use judge_uncertainty_study::audit::{Audited, Labelled, study_of};
use judge_uncertainty_study::findings::Answer;
use judge_uncertainty_study::findings::ratings::Ratings;
use judge_uncertainty_study::findings::trust::{NEAR, TrustVerdict};
use judge_uncertainty_study::{Error, Study, with_kind};
use judge_uncertainty_system::OutputFolder;
use tempfile::TempDir;

/// What a world is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// Rows.
    pub(crate) rows: usize,
    /// Rows that are labelled, by two people, on average.
    pub(crate) labelled: usize,
    /// Whether answers are ratings from 1 to 5.
    pub(crate) ratings: bool,
    /// Whether rows of long texts are labelled more often, with probabilities that are known.
    pub(crate) unequal: bool,
    /// How often the judge knows the answer, by topic.
    pub(crate) knows: [f64; 4],
}

/// The worlds of the bench.
pub(crate) const WORLDS: [World; 6] = [
    world("two answers, 120 labelled", 600, 120),
    world("two answers, 600 labelled", 4000, 600),
    World { unequal: true, ..world("two answers, unequal chances", 1500, 300) },
    World { ratings: true, ..world("ratings, 200 labelled", 1000, 200) },
    World { knows: [0.31; 4], ..world("like a constant answer", 1000, 200) },
    World { knows: [0.765; 4], ..world("like a person", 1000, 200) },
];

const fn world(name: &'static str, rows: usize, labelled: usize) -> World {
    World { name, rows, labelled, ratings: false, unequal: false, knows: [0.9, 0.8, 0.7, 0.55] }
}

const TOPICS: [&str; 4] = ["a", "b", "c", "d"];

/// A row as the world knows it.
pub(crate) struct Row {
    topic: usize,
    system: usize,
    length: usize,
    confidence: f64,
    judge: f64,
    /// Probability of each answer of a person.
    people: Vec<f64>,
    chance: f64,
}

fn row(world: World, i: usize, stream: &mut Stream) -> Row {
    let (topic, system, length) = (i % 4, (i / 4) % 2, 20 + (180.0 * stream.random()) as usize);
    let confidence = 0.7 + 0.29 * stream.random();
    let accuracy = world.knows[topic];
    let classes = if world.ratings { 5 } else { 2 };
    let centre = match world.ratings {
        true => (5.0 * stream.random()).floor(),
        false => f64::from(u8::from(stream.random() < if system == 0 { 0.6 } else { 0.75 })),
    };
    let sure = 0.75 + 0.25 * stream.random();
    let people: Vec<f64> = (0..classes)
        .map(|k| {
            let off = (k as f64 - centre).abs();
            if off == 0.0 { sure } else { (1.0 - sure) * if off == 1.0 { 1.0 } else { 0.2 } }
        })
        .collect();
    let sum: f64 = people.iter().sum();
    let people: Vec<f64> = people.iter().map(|p| p / sum).collect();
    // The judge is too kind to long texts.
    let right = stream.random() < accuracy;
    let judge = match (right, world.ratings) {
        (true, _) => centre,
        (false, true) => {
            (centre + if stream.random() < 0.3 + length as f64 / 400.0 { 1.0 } else { -1.0 }).clamp(0.0, 4.0)
        }
        (false, false) => f64::from(u8::from(stream.random() < 0.3 + length as f64 / 400.0)),
    };
    let share = world.labelled as f64 / world.rows as f64;
    let chance = if world.unequal { share * (0.4 + 1.2 * (length as f64 - 20.0) / 180.0) } else { share };
    Row { topic, system, length, confidence, judge, people, chance }
}

fn drawn(people: &[f64], stream: &mut Stream) -> usize {
    let mut u = stream.random();
    people
        .iter()
        .position(|p| {
            u -= p;
            u < 0.0
        })
        .unwrap_or(people.len() - 1)
}

/// A quantity with its truth and its estimate; several that hold together are one.
pub(crate) type Promise = (String, Vec<(f64, Estimable)>);

/// A world of a seed, audited: what each interval is about, and what it says.
pub(crate) fn promises(world: World, seed: u64) -> Vec<Promise> {
    let (rows, cells, chosen) = table(world, seed);
    let corrections = ["number=".parse().expect("a role")];
    let found = answer_of(&cells, &corrections, &chosen).expect("a table that can be audited");
    held_against(world, &rows, &found)
}

/// The rows of a world, as a table, and how the labelled ones were chosen.
pub(crate) fn table(world: World, seed: u64) -> (Vec<Row>, CellTable, Labelled) {
    let mut stream = Stream::new(seed);
    let rows: Vec<Row> = (0..world.rows).map(|i| row(world, i, &mut stream)).collect();
    let labelled = chosen(world, &rows, &mut stream);
    let text = |answer: usize| match world.ratings {
        true => (answer + 1).to_string(),
        false => ["fail", "pass"][answer].to_owned(),
    };
    let names = ["id", "topic", "system", "text", "judge_verdict", "judge_confidence", "human_1", "human_2", "chance"];
    let cells = rows.iter().enumerate().map(|(i, row)| {
        let human = |stream: &mut Stream| if labelled[i] { text(drawn(&row.people, stream)) } else { String::new() };
        vec![
            i.to_string(),
            TOPICS[row.topic].to_owned(),
            row.system.to_string(),
            "x".repeat(row.length),
            text(row.judge as usize),
            row.confidence.to_string(),
            human(&mut stream),
            human(&mut stream),
            row.chance.to_string(),
        ]
    });
    let cells = CellTable::new(names.map(str::to_owned).to_vec(), cells.collect(), "CSV");
    let chosen = if world.unequal { Labelled::Column("chance".to_owned()) } else { Labelled::Random };
    (rows, cells, chosen)
}

/// A table as a study, in the folder `study` of a new one.
///
/// # Errors
/// A table that is no study.
pub(crate) fn written(cells: &CellTable, corrections: &[Correction], labelled: &Labelled) -> Result<TempDir, Error> {
    let folder = tempfile::tempdir().expect("a place for the study");
    let (mut audited, mut files) = study_of(cells, "world.csv".as_ref(), corrections, (labelled, &[]))?;
    files.seal(&mut audited);
    OutputFolder::<Audited>::check(&folder.path().join("study"))
        .and_then(|to| to.commit(&files))
        .expect("a new folder");
    Ok(folder)
}

/// What the labels of a table say, without belief and queue.
///
/// # Errors
/// A table that is no study.
pub(crate) fn answer_of(cells: &CellTable, corrections: &[Correction], labelled: &Labelled) -> Result<Answer, Error> {
    let folder = written(cells, corrections, labelled)?;
    let place = folder.path().join("study");
    with_kind!(&place, K => {
        let study = Study::<K>::load(&place)?;
        Ok(Answer::from_ratings(&study, &Ratings::from_study(&study)))
    })
}

fn chosen(world: World, rows: &[Row], stream: &mut Stream) -> Vec<bool> {
    if world.unequal {
        return rows.iter().map(|row| stream.random() < row.chance).collect();
    }
    let mut order: Vec<(f64, usize)> = (0..rows.len()).map(|i| (stream.random(), i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut labelled = vec![false; rows.len()];
    order[..world.labelled].iter().for_each(|(_, i)| labelled[*i] = true);
    labelled
}

fn held_against(world: World, rows: &[Row], found: &Answer) -> Vec<Promise> {
    let apart = |a: f64, b: f64| if world.ratings { (a - b).abs() } else { f64::from(u8::from(a != b)) };
    let value = |k: usize| k as f64;
    let expected =
        |row: &Row, f: &dyn Fn(f64) -> f64| row.people.iter().enumerate().map(|(k, p)| p * f(value(k))).sum::<f64>();
    let over = |keep: &dyn Fn(&Row) -> bool, f: &dyn Fn(&Row) -> f64| {
        mean(&rows.iter().filter(|row| keep(row)).map(f).collect::<Vec<_>>())
    };
    let all = |f: &dyn Fn(&Row) -> f64| over(&|_| true, f);
    let good = |miss: f64| if world.ratings { miss } else { 1.0 - miss };
    let miss = |row: &Row| expected(row, &|x| apart(row.judge, x));
    let between = |row: &Row| expected(row, &|x| expected(row, &|y| apart(x, y)));
    let base: f64 = found
        .trust
        .base
        .0
        .parse::<f64>()
        .map_or_else(|_| f64::from(u8::from(found.trust.base.0 == "pass")), |x| x - 1.0);
    let constant = |row: &Row| expected(row, &|x| apart(base, x));
    let shift = if world.ratings { 1.0 } else { 0.0 };
    let rate = |row: &Row| expected(row, &|x| x) + shift;
    let excess = |row: &Row| row.judge - expected(row, &|x| x);
    let trust = &found.trust;
    let long = |row: &Row| row.length as f64 > trust.covariates[0].median;
    let topics =
        |f: &dyn Fn(usize) -> f64, of: &dyn Fn(usize) -> Estimable| (0..4).map(|t| (f(t), of(t))).collect::<Vec<_>>();
    let better = |row: &Row| if world.ratings { -miss(row) } else { 1.0 - miss(row) };
    let mut list: Vec<Promise> = vec![];
    let mut one = |name: &str, truth: f64, of: &Estimable| list.push((name.to_owned(), vec![(truth, of.clone())]));
    one("agreement", all(&|row| good(miss(row))), &trust.agreement);
    one("agreement of the base rate", all(&|row| good(constant(row))), &trust.base.1);
    one("better than the base rate by", all(&|row| constant(row) - miss(row)), &trust.over_base);
    one("agreement of two people", all(&|row| good(between(row))), &trust.between_people);
    one("better than a person by", all(&|row| between(row) - miss(row)), &trust.over_people);
    one("kappa", kappa(world, &all, &miss, &expected), &trust.kappa);
    one("bias", all(&excess), &trust.bias[0].1);
    if let Some(confidence) = &trust.confidence {
        if let Some(claims) = &confidence.excess {
            one("confidence less agreement", all(&|row| row.confidence - (1.0 - miss(row))), claims);
        }
        let high = |row: &Row| row.confidence > confidence.median;
        let truth = over(&high, &better) - over(&|row| !high(row), &better);
        one("better where confident by", truth, &confidence.informs);
    }
    let bias = over(&long, &excess) - over(&|row| !long(row), &excess);
    one("bias by length", bias, &trust.covariates[0].difference);
    one("rate", all(&rate), &found.rates[0].corrected);
    if let [_, class] = trust.by_class.as_slice() {
        let both = all(&|row| row.judge * row.people[1]);
        one("recall of a class", both / all(&|row| row.people[1]), &class.recall);
        one("precision of a class", both / all(&|row| row.judge), &class.precision);
    }
    let [first, second] = [0, 1].map(|system| over(&|row| row.system == system, &rate));
    if let Some(difference) = &found.rates[0].difference {
        one("difference of two systems", first - second, difference);
    }
    for (t, group) in found.rates[0].groups.iter().enumerate() {
        one("rate of a group", over(&|row| row.topic == t, &rate), &group.corrected);
    }
    list.push((
        "agreement of all groups".to_owned(),
        topics(&|t| over(&|row| row.topic == t, &|row| good(miss(row))), &|t| trust.groups[t].agreement.clone()),
    ));
    let others = |t: usize| over(&|row| row.topic == t, &better) - over(&|row| row.topic != t, &better);
    list.push(("all groups against the others".to_owned(), topics(&others, &|t| trust.groups[t].over_others.clone())));
    let over_base = all(&|row| constant(row) - miss(row));
    let over_people = all(&|row| between(row) - miss(row));
    let claims = match trust.verdict {
        TrustVerdict::WorseThanConstant => vec![(over_base, claim(-1))],
        TrustVerdict::BetterThanConstant | TrustVerdict::OpenToPerson => vec![(over_base, claim(1))],
        TrustVerdict::LikePerson => {
            let near = NEAR * if world.ratings { 4.0 } else { 1.0 };
            vec![(over_base, claim(1)), (over_people + near, claim(1))]
        }
        TrustVerdict::WorseThanPerson => vec![(over_base, claim(1)), (over_people, claim(-1))],
        TrustVerdict::BetterThanPerson => vec![(over_base, claim(1)), (over_people, claim(1))],
        TrustVerdict::NoLabels
        | TrustVerdict::TooFew
        | TrustVerdict::Unlike
        | TrustVerdict::Constant
        | TrustVerdict::LikeConstant => vec![(0.0, claim(0))],
    };
    list.push((format!("{SENTENCE}the verdict"), claims));
    let weakest = trust.weakest().and_then(|weakest| TOPICS.iter().position(|name| *name == weakest.name));
    let claims = weakest.map_or_else(|| vec![(0.0, claim(0))], |t| vec![(others(t), claim(-1))]);
    list.push((format!("{SENTENCE}the weakest group"), claims));
    list
}

/// How the names of sentences begin: what they say is right, or not.
pub(crate) const SENTENCE: &str = "sentence: ";

/// What a sentence says of a number, as an interval: above 0, below 0, or nothing.
fn claim(side: i8) -> Estimable {
    match side {
        0 => Estimable::not("nothing is said"),
        side => {
            let (lo, hi) = if side > 0 { (0.0, f64::MAX) } else { (f64::MIN, 0.0) };
            Estimable::Estimated(ItemEstimate { value: 0.0, standard_error: 0.0, lo, hi, items: 0 })
        }
    }
}

/// A number of a row.
type OfRow<'a> = &'a dyn Fn(&Row) -> f64;
/// The expectation of a function of a row's human answer.
type Expected<'a> = &'a dyn Fn(&Row, &dyn Fn(f64) -> f64) -> f64;

fn kappa(world: World, all: &dyn Fn(OfRow) -> f64, miss: OfRow, expected: Expected) -> f64 {
    if world.ratings {
        let (a, b) = (all(&|row| row.judge), all(&|row| expected(row, &|x| x)));
        let squares = all(&|row| row.judge.powi(2)) + all(&|row| expected(row, &|x| x * x));
        let products = all(&|row| row.judge * expected(row, &|x| x));
        return 1.0 - (squares - 2.0 * products) / (squares - 2.0 * a * b);
    }
    let (judge, people) = (all(&|row| row.judge), all(&|row| row.people[1]));
    let chance = judge * people + (1.0 - judge) * (1.0 - people);
    (1.0 - all(&|row| miss(row)) - chance) / (1.0 - chance)
}
