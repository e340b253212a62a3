//! Worlds whose truth is known, as tables to be audited: how often an interval holds what it is about.

use judge_uncertainty_core::random::Stream;
use judge_uncertainty_core::stats::{Estimable, ItemEstimate, mean};
use judge_uncertainty_study::audit::columns::Correction;
use judge_uncertainty_study::audit::table::CellTable;
use judge_uncertainty_study::audit::{Audited, Labelled, of_table};
use judge_uncertainty_study::findings::Answer;
use judge_uncertainty_study::findings::trust::{GroupTrust, NEAR, TrustVerdict};
use judge_uncertainty_study::{Error, Study};
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
    /// What answers can be.
    pub(crate) answers: Answers,
    /// What the judge knows.
    pub(crate) judge: Judge,
    /// How the labelled rows are chosen.
    pub(crate) chosen: Chosen,
    /// Topics, each of as many rows.
    pub(crate) topics: usize,
    /// Of two answers the share of the good one, by system.
    pub(crate) passes: [f64; 2],
    /// Rows of a conversation, which share what the judge knows of them and how often they are good.
    pub(crate) conversation: usize,
    /// Standard deviation of what they share, on the scale of the logit.
    pub(crate) alike: f64,
    /// Whether the column `conversation` names it, or the id, which is then there for each of its rows.
    pub(crate) by_id: bool,
    /// Rows that are labelled at random after those.
    pub(crate) further: usize,
    /// Whether a second person labels only what the first and the judge differ on.
    pub(crate) settles: bool,
}

/// What answers can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Answers {
    /// Two, on which people differ in up to a quarter.
    Two,
    /// Two, on which people never differ.
    Certain,
    /// Ratings from 1 to 5.
    Ratings,
    /// Those of which 85% are about the highest.
    Top,
    /// Ten classes, each as frequent, on which people never differ.
    Ten,
}

/// What the judge knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Judge {
    /// How often the answer, by topic; it is too kind to long texts.
    Knows([f64; 4]),
    /// So often the answer, whatever the row is; its confidence is honest.
    Right(f64),
    /// Nothing: so often it says the good answer; of ten classes each alike.
    Says(f64),
}

/// How the labelled rows are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Chosen {
    /// At random.
    Random,
    /// At random, and nobody says so.
    Untold,
    /// Long texts more often, with probabilities from so many times to so many times the mean that are known.
    Longer(f64, f64),
    /// Where the judge is least confident, and nobody says so.
    LeastConfident,
    /// Whole conversations at random.
    Conversations,
}

/// The worlds of the bench: some like those that people have, and those in which intervals once broke.
pub(crate) const WORLDS: [World; 31] = [
    world("two answers, 120 labelled", 600, 120),
    world("two answers, 600 labelled", 4000, 600),
    World { chosen: Chosen::Longer(0.4, 1.6), ..world("two answers, unequal chances", 1500, 300) },
    World { answers: Answers::Ratings, ..world("ratings, 200 labelled", 1000, 200) },
    World { judge: Judge::Knows([0.31; 4]), ..world("like a constant answer", 1000, 200) },
    World { judge: Judge::Knows([0.765; 4]), ..world("like a person", 1000, 200) },
    World { by_id: true, ..CONVERSATIONS },
    CONVERSATIONS,
    World { further: 100, ..named("20 of 100 conversations, and 100 rows", CONVERSATIONS) },
    World {
        labelled: 100,
        alike: 0.0,
        further: 100,
        ..named("10 of 100 conversations not alike, and 100 rows", CONVERSATIONS)
    },
    World { chosen: Chosen::Random, ..world("rows of conversations", 1000, 200) }.of_conversations(),
    World { answers: Answers::Ratings, ..named("ratings, 20 of 100 conversations", CONVERSATIONS) },
    World { answers: Answers::Ratings, ..world("ratings, 30 labelled", 1000, 30) },
    World { answers: Answers::Top, ..world("ratings of which 85% are the highest, 30 labelled", 1000, 30) },
    World { answers: Answers::Top, ..world("ratings of which 85% are the highest, 200 labelled", 1000, 200) },
    sure("right and confident in 98.5%, 60 labelled", 60),
    sure("right and confident in 98.5%, 150 labelled", 150),
    sure("right and confident in 98.5%, 400 labelled", 400),
    even("length says nothing, 150 labelled", 150),
    even("length says nothing, 400 labelled", 400),
    World { passes: [0.02; 2], ..even("2% are good, 150 labelled", 150) },
    World { passes: [0.02; 2], ..even("2% are good, 100 labelled", 100) },
    World { topics: 10, judge: Judge::Right(0.93), ..even("10 topics alike", 300) },
    World { topics: 40, judge: Judge::Right(0.93), ..even("40 topics alike", 600) },
    World { judge: Judge::Says(0.85), passes: [0.85; 2], ..even("kappa is 0, 85% are good", 150) },
    World { answers: Answers::Ten, judge: Judge::Says(0.1), ..even("ten answers at random", 150) },
    World { judge: Judge::Says(0.99), chosen: Chosen::Untold, ..even("the judge says yes in 99%", 150) },
    World { chosen: Chosen::Longer(0.02, 4.75), ..world("chances from .004 to .95", 1500, 300) },
    World { chosen: Chosen::LeastConfident, ..world("the 60 least confident, untold", 600, 60) },
    World { judge: Judge::Says(1.0), ..even("the judge always says yes", 150) },
    World { settles: true, ..world("second labels settle what judge and person differ on", 1000, 200) },
];

const CONVERSATIONS: World =
    World { chosen: Chosen::Conversations, ..world("20 of 100 conversations", 1000, 200) }.of_conversations();

const fn named(name: &'static str, world: World) -> World {
    World { name, ..world }
}

const fn world(name: &'static str, rows: usize, labelled: usize) -> World {
    World {
        name,
        rows,
        labelled,
        answers: Answers::Two,
        judge: Judge::Knows([0.9, 0.8, 0.7, 0.55]),
        chosen: Chosen::Random,
        topics: TOPICS,
        passes: [0.6, 0.75],
        conversation: 1,
        alike: 1.5,
        by_id: false,
        further: 0,
        settles: false,
    }
}

/// A world of people who never differ and a judge that errs as often everywhere.
const fn even(name: &'static str, labelled: usize) -> World {
    World { answers: Answers::Certain, judge: Judge::Right(0.8), passes: [0.65; 2], ..world(name, 1500, labelled) }
}

const fn sure(name: &'static str, labelled: usize) -> World {
    World { judge: Judge::Right(0.985), ..even(name, labelled) }
}

impl World {
    const fn of_conversations(self) -> Self {
        Self { conversation: 10, topics: 2, ..self }
    }

    fn has_ratings(&self) -> bool {
        matches!(self.answers, Answers::Ratings | Answers::Top)
    }

    fn classes(&self) -> usize {
        match self.answers {
            Answers::Two | Answers::Certain => 2,
            Answers::Ratings | Answers::Top => 5,
            Answers::Ten => 10,
        }
    }

    /// An answer as the table has it.
    fn text(&self, answer: usize) -> String {
        match self.answers {
            Answers::Ratings | Answers::Top => (answer + 1).to_string(),
            Answers::Ten => format!("class {answer}"),
            Answers::Two | Answers::Certain => ["fail", "pass"][answer].to_owned(),
        }
    }
}

/// Topics of a usual world.
const TOPICS: usize = 4;

fn topic_name(topic: usize) -> String {
    format!("t{topic:02}")
}

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

/// What the rows of a conversation share: how much more the judge knows of them, and how much more of them are good.
fn shared(world: World, stream: &mut Stream) -> [f64; 2] {
    match world.conversation {
        1 => [0.0; 2],
        _ => [0.0; 2].map(|_| stream.standard_normal()),
    }
}

fn row(world: World, i: usize, [knows, good]: [f64; 2], stream: &mut Stream) -> Row {
    let (topic, system, length) =
        (i / world.conversation % world.topics, (i / 4) % 2, 20 + (180.0 * stream.random()) as usize);
    let classes = world.classes();
    // Standard normal shifts as shifts of a probability, on the scale of its logit.
    let shifted = |p: f64, by: f64| if by == 0.0 { p } else { 1.0 / (1.0 + (1.0 - p) / p * (-world.alike * by).exp()) };
    let centre = match world.answers {
        Answers::Ratings => (5.0 * stream.random()).floor(),
        Answers::Top => {
            let u = stream.random();
            if u < 0.85 { 4.0 } else { ((u - 0.85) / 0.0375).floor() }
        }
        Answers::Ten => (10.0 * stream.random()).floor(),
        Answers::Two | Answers::Certain => f64::from(u8::from(stream.random() < shifted(world.passes[system], good))),
    };
    let sure = match world.answers {
        Answers::Certain | Answers::Ten => 1.0,
        Answers::Two | Answers::Ratings | Answers::Top => 0.75 + 0.25 * stream.random(),
    };
    let people: Vec<f64> = (0..classes)
        .map(|k| {
            let off = (k as f64 - centre).abs();
            if off == 0.0 { sure } else { (1.0 - sure) * if off == 1.0 { 1.0 } else { 0.2 } }
        })
        .collect();
    let sum: f64 = people.iter().sum();
    let people: Vec<f64> = people.iter().map(|p| p / sum).collect();
    let (known, confidence) = match world.judge {
        Judge::Knows(by_topic) => (by_topic[topic % TOPICS], 0.7 + 0.29 * stream.random()),
        // Neither row nor confidence says where it errs.
        Judge::Right(p) => (p, p + 0.02 * (1.0 - p) * (stream.random() - 0.5)),
        Judge::Says(p) => (0.0, p.min(0.99) + 0.01 * stream.random()),
    };
    let right = stream.random() < shifted(known, knows);
    let judge = match (right, world.judge, world.answers) {
        (true, ..) => centre,
        (_, Judge::Says(_), Answers::Ten) => (10.0 * stream.random()).floor(),
        (_, Judge::Says(p), _) => f64::from(u8::from(stream.random() < p)),
        (false, Judge::Right(_), _) => 1.0 - centre,
        // The judge is too kind to long texts.
        (false, _, Answers::Ratings | Answers::Top) => {
            (centre + if stream.random() < 0.3 + length as f64 / 400.0 { 1.0 } else { -1.0 }).clamp(0.0, 4.0)
        }
        (false, ..) => f64::from(u8::from(stream.random() < 0.3 + length as f64 / 400.0)),
    };
    let share = world.labelled as f64 / world.rows as f64;
    let chance = match world.chosen {
        Chosen::Longer(low, high) => (share * (low + (high - low) * (length as f64 - 20.0) / 180.0)).min(0.95),
        _ => share,
    };
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
    let of_conversations: Vec<[f64; 2]> =
        (0..world.rows.div_ceil(world.conversation)).map(|_| shared(world, &mut stream)).collect();
    let rows: Vec<Row> =
        (0..world.rows).map(|i| row(world, i, of_conversations[i / world.conversation], &mut stream)).collect();
    let labelled = chosen(world, &rows, &mut stream);
    let mut names =
        vec!["id", "topic", "system", "text", "judge_verdict", "judge_confidence", "human_1", "human_2", "chance"];
    names.extend((world.conversation > 1 && !world.by_id).then_some("conversation"));
    let cells = rows.iter().enumerate().map(|(i, row)| {
        let human =
            |stream: &mut Stream| if labelled[i] { world.text(drawn(&row.people, stream)) } else { String::new() };
        let people = [(); 2].map(|()| human(&mut stream));
        let [first, second] = match people {
            [first, _] if world.settles && first == world.text(row.judge as usize) => [first, String::new()],
            people => people,
        };
        let conversation = format!("talk {}", i / world.conversation);
        let mut cells = vec![
            if world.by_id { conversation.clone() } else { i.to_string() },
            topic_name(row.topic),
            row.system.to_string(),
            // Texts of their own: equal ones would be about one thing.
            format!("{i:>5}{}", "x".repeat(row.length)),
            world.text(row.judge as usize),
            row.confidence.to_string(),
            first,
            second,
            row.chance.to_string(),
        ];
        cells.extend((world.conversation > 1 && !world.by_id).then_some(conversation));
        cells
    });
    let cells = CellTable::new(names.into_iter().map(str::to_owned).collect(), cells, "CSV");
    let told = match world.chosen {
        Chosen::Longer(..) => Labelled::Column("chance".to_owned()),
        Chosen::Random | Chosen::Conversations => Labelled::Random,
        Chosen::Untold | Chosen::LeastConfident => Labelled::Unknown,
    };
    (rows, cells, told)
}

/// A table as a study, in the folder `study` of a new one.
///
/// # Errors
/// A table that is no study.
pub(crate) fn written(cells: &CellTable, corrections: &[Correction], labelled: &Labelled) -> Result<TempDir, Error> {
    let folder = tempfile::tempdir().expect("a place for the study");
    let (mut audited, mut files) = of_table(cells, "world.csv".as_ref(), corrections, (labelled, None))?.staged(&[]);
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
    let study = Study::load(&place)?;
    Ok(Answer::without_queue(&study))
}

fn chosen(world: World, rows: &[Row], stream: &mut Stream) -> Vec<bool> {
    // Rows that go together, in their order.
    let whole = if world.chosen == Chosen::Conversations { world.conversation } else { 1 };
    let mut order: Vec<(f64, usize)> = match world.chosen {
        Chosen::Longer(..) => return rows.iter().map(|row| stream.random() < row.chance).collect(),
        Chosen::LeastConfident => rows.iter().zip(0..).map(|(row, i)| (row.confidence, i)).collect(),
        _ => (0..rows.len() / whole).map(|i| (stream.random(), i)).collect(),
    };
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut labelled = vec![false; rows.len()];
    let first = order[..world.labelled / whole].iter();
    first.for_each(|(_, k)| labelled[k * whole..(k + 1) * whole].fill(true));
    let mut open: Vec<usize> = (0..rows.len()).filter(|&i| !labelled[i]).collect();
    for _ in 0..world.further {
        labelled[open.swap_remove(stream.choice(open.len() as u32) as usize)] = true;
    }
    labelled
}

fn held_against(world: World, rows: &[Row], found: &Answer) -> Vec<Promise> {
    let apart = |a: f64, b: f64| if world.has_ratings() { (a - b).abs() } else { f64::from(u8::from(a != b)) };
    let value = |k: usize| k as f64;
    let expected =
        |row: &Row, f: &dyn Fn(f64) -> f64| row.people.iter().enumerate().map(|(k, p)| p * f(value(k))).sum::<f64>();
    let over = |keep: &dyn Fn(&Row) -> bool, f: &dyn Fn(&Row) -> f64| {
        mean(&rows.iter().filter(|row| keep(row)).map(f).collect::<Vec<_>>())
    };
    let all = |f: &dyn Fn(&Row) -> f64| over(&|_| true, f);
    let good = |miss: f64| if world.has_ratings() { miss } else { 1.0 - miss };
    let miss = |row: &Row| expected(row, &|x| apart(row.judge, x));
    let between = |row: &Row| expected(row, &|x| expected(row, &|y| apart(x, y)));
    let base: f64 = found.trust.base.0.parse::<f64>().map_or_else(
        |_| (0..world.classes()).position(|k| world.text(k) == found.trust.base.0).unwrap_or(0) as f64,
        |x| x - 1.0,
    );
    let constant = |row: &Row| expected(row, &|x| apart(base, x));
    // What the first rate is about, of an answer: the share of one of them, or the mean of ratings.
    let counted = (0..world.classes()).position(|k| world.text(k) == found.rates[0].of);
    let of_answer = |x: f64| counted.map_or(x + 1.0, |k| f64::from(u8::from(x == k as f64)));
    let rate = |row: &Row| expected(row, &of_answer);
    let excess = |row: &Row| of_answer(row.judge) - rate(row);
    let trust = &found.trust;
    let long = |row: &Row| row.length as f64 > trust.covariates[0].median;
    let topics = |f: &dyn Fn(usize) -> f64, of: &dyn Fn(&GroupTrust) -> Estimable| {
        let group = |t: usize| trust.groups.iter().find(|group| group.name == topic_name(t)).expect("a topic");
        (0..world.topics).map(|t| (f(t), of(group(t)))).collect::<Vec<_>>()
    };
    let better = |row: &Row| if world.has_ratings() { -miss(row) } else { 1.0 - miss(row) };
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
    // Of many answers there is no one direction: what is compared is agreement.
    let by_length = |row: &Row| if world.answers == Answers::Ten { better(row) } else { excess(row) };
    let bias = over(&long, &by_length) - over(&|row| !long(row), &by_length);
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
    for group in &found.rates[0].groups {
        one("rate of a group", over(&|row| topic_name(row.topic) == group.name, &rate), &group.corrected);
    }
    list.push((
        "agreement of all groups".to_owned(),
        topics(&|t| over(&|row| row.topic == t, &|row| good(miss(row))), &|group| group.agreement.clone()),
    ));
    let others = |t: usize| over(&|row| row.topic == t, &better) - over(&|row| row.topic != t, &better);
    list.push(("all groups against the others".to_owned(), topics(&others, &|group| group.over_others.clone())));
    let over_base = all(&|row| constant(row) - miss(row));
    let over_people = all(&|row| between(row) - miss(row));
    let claims = match trust.verdict {
        TrustVerdict::WorseThanConstant => vec![(over_base, claim(-1))],
        TrustVerdict::BetterThanConstant | TrustVerdict::OpenToPerson => vec![(over_base, claim(1))],
        TrustVerdict::LikePerson => {
            let near = NEAR * if world.has_ratings() { 4.0 } else { 1.0 };
            vec![(over_base, claim(1)), (over_people + near, claim(1))]
        }
        TrustVerdict::WorseThanPerson => vec![(over_base, claim(1)), (over_people, claim(-1))],
        TrustVerdict::BetterThanPerson => vec![(over_base, claim(1)), (over_people, claim(1))],
        // Labelled rows that differ from the others, which those drawn at random do by chance alone.
        TrustVerdict::Unlike if world.chosen != Chosen::LeastConfident => vec![(-1.0, claim(1))],
        TrustVerdict::NoLabels
        | TrustVerdict::TooFew
        | TrustVerdict::Unlike
        | TrustVerdict::Constant
        | TrustVerdict::LikeConstant => vec![(0.0, claim(0))],
    };
    list.push((format!("{SENTENCE}the verdict"), claims));
    let weakest = trust.weakest().and_then(|weakest| (0..world.topics).find(|t| topic_name(*t) == weakest.name));
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
    if world.has_ratings() {
        let (a, b) = (all(&|row| row.judge), all(&|row| expected(row, &|x| x)));
        let squares = all(&|row| row.judge.powi(2)) + all(&|row| expected(row, &|x| x * x));
        let products = all(&|row| row.judge * expected(row, &|x| x));
        return 1.0 - (squares - 2.0 * products) / (squares - 2.0 * a * b);
    }
    let says = |k: usize| all(&|row| f64::from(u8::from(row.judge == k as f64))) * all(&|row| row.people[k]);
    let chance: f64 = (0..world.classes()).map(says).sum();
    (1.0 - all(&|row| miss(row)) - chance) / (1.0 - chance)
}
