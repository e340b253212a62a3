//! Tables of pairs: two systems, or their answers, side by side, and which of them won.
//!
//! | what | columns |
//! |---|---|
//! | the systems | `model_a`, `model_b`, or with `system`, `policy`, and `1`, `2`, `first`, `second`, `left`, `right` |
//! | their answers | `response_a`, `response_b`, or with `answer`, `output`, `completion` |
//! | both orders beside each other | `verdict_ab`, `verdict_ba`, or with `original`, `swapped`, `forward`, `reversed` |
//! | both orders below each other | `order`: `ab`, `ba`, or who was shown first |
//! | the winner | a system's name, `A`, `B`, `first`, `second`, `tie`, `[[A]]`, `A>B` |
//! | who says it | `judge`, as in the Arena's files, or `annotator`, whose values are names of models and people beside a `winner` |
//!
//! A table that has them becomes a log of pairs. What a verdict names may be a system or a place on the screen: `first` is
//! a place, a name is a system, and `A` in the other order may be either. Where people's answers tell these apart, they do;
//! else `A` is the answer that was shown first, which is what judges are usually asked for.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use judge_uncertainty_formats::error::{Error, Place};
use judge_uncertainty_formats::logs::pairs::{ANSWERS, SystemPair, is_person};
use judge_uncertainty_formats::logs::{HumanLabel, Log, LogRecord, LoggedAnswer};

use super::columns::{Correction, Mapping, Role, has_word, is_model, words};
use super::folder::MadeStudy;
use super::long;
use super::prepare::{file_name, not_used, stem};
use super::table::{CellTable, present};
use super::{Audited, Labelled};
use crate::from_log::{self, LogOptions};
use crate::input::config::{Letters, StudyConfig, TableReading};
use crate::input::source::Source;

/// Letters of the sides in the names of columns.
const SIDES: [[&str; 2]; 4] = [["a", "b"], ["1", "2"], ["first", "second"], ["left", "right"]];
const SYSTEM: &str = "model system policy arm assistant candidate";
const ANSWER: &str = "response answer output completion reply text conversation generation";
/// Words of a column with verdicts in the other order, and in the first.
const SWAPPED: &str = "ba swapped swap reversed reverse backward flipped g2";
const AS_NAMED: &str = "ab original forward unswapped g1";
const TIES: &str = "tie tied ties draw equal same both both_bad tie_(bothbad) neither c no_preference a=b b=a";
/// Verdicts about one item in one order that two readings of `A` have to differ on, before people's answers decide.
const LEAST_TOLD: usize = 10;

/// What a verdict names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A system: the one that stands first in the table, or second.
    System(usize),
    /// The answer that was shown first, or second.
    Place(usize),
    /// `A` or `B`, which may be either.
    Letter(usize),
    Tie,
}

fn says(cell: &str, systems: &[&str; 2]) -> Option<Says> {
    if let Some(k) = systems.iter().position(|name| name.eq_ignore_ascii_case(cell.trim())) {
        return Some(Says::System(k));
    }
    let bare = cell.trim().trim_matches(['[', ']', '"', '.']).to_lowercase().replace([' ', '-'], "_");
    let bare = ["_wins", "_win", "_won", "_is_better", "_better"]
        .iter()
        .fold(&*bare, |b, end| b.strip_suffix(end).unwrap_or(b));
    if TIES.split(' ').any(|tie| tie == bare) {
        return Some(Says::Tie);
    }
    let (stem, last) = bare.rsplit_once('_').unwrap_or(("", bare));
    let side = |letters: &[&str; 2]| letters.iter().position(|letter| *letter == last);
    match (stem, bare) {
        (_, text) if text.starts_with("a>") || text.starts_with("b<") => Some(Says::Letter(0)),
        (_, text) if text.starts_with("b>") || text.starts_with("a<") => Some(Says::Letter(1)),
        ("", _) | ("assistant" | "response" | "answer" | "output" | "option" | "choice", _) => {
            let letter = SIDES[..2].iter().find_map(side).map(Says::Letter);
            letter.or_else(|| SIDES[2..].iter().find_map(side).map(Says::Place))
        }
        ("model" | "system" | "policy" | "arm" | "candidate", _) => SIDES[..2].iter().find_map(side).map(Says::System),
        _ => None,
    }
}

/// Two columns whose names differ in the side alone, of a kind.
fn sides(cells: &CellTable, kind: &str) -> Option<[usize; 2]> {
    let names: Vec<Vec<String>> = cells.names.iter().map(|name| words(name)).collect();
    (0..names.len()).filter(|&k| has_word(&names[k], kind)).find_map(|one| {
        SIDES.iter().find_map(|[first, second]| {
            let place = names[one].iter().position(|word| word == first)?;
            let mut other = names[one].clone();
            other[place] = (*second).to_owned();
            Some([one, names.iter().position(|name| *name == other)?])
        })
    })
}

/// A column of orders, with whether each value means the other order.
fn order(
    cells: &CellTable,
    systems: Option<[usize; 2]>,
    corrected: &[usize],
    taken: &[usize],
) -> Option<(usize, HashMap<String, bool>)> {
    let named = |k: &usize| match corrected {
        [] => {
            has_word(&words(&cells.names[*k]), "order position swapped swap flipped reversed shown")
                && !taken.contains(k)
        }
        corrected => corrected.contains(k),
    };
    (0..cells.names.len()).filter(named).find_map(|k| {
        let values: BTreeSet<String> = cells.distinct(k).map(|cell| cell.trim().to_lowercase()).collect();
        let other = |value: &String| {
            let words = words(value);
            let first = words.first().map_or("", String::as_str);
            let letters = words.join("");
            let is = |known: &str, also: &str| {
                [known, also].iter().flat_map(|known| known.split(' ')).any(|known| known == letters || known == first)
            };
            match () {
                () if letters == "1" => Some(values.contains("0")),
                () if is(SWAPPED, "b second 21 true yes 2") => Some(true),
                () if is(AS_NAMED, "a first normal 12 false no 0") => Some(false),
                () => None,
            }
        };
        let told: Option<HashMap<String, bool>> = values.iter().map(|v| Some((v.clone(), other(v)?))).collect();
        // Or the system that was shown first, which each row tells anew.
        let of_row = || {
            let [a, b] = systems?;
            let is = |row| [a, b].iter().any(|&side| cells.cell(row, k).trim() == cells.cell(row, side).trim());
            (0..cells.len()).all(is).then(HashMap::new)
        };
        told.filter(|told| told.len() == 2).or_else(of_row).map(|told| (k, told))
    })
}

/// A study of a table of pairs, whose columns were recognised and corrected, read as that of a belief if one is `known`; `None`
/// of another table, or of one whose verdicts are none over two answers.
pub(super) fn study(
    cells: &CellTable,
    path: &Path,
    mapping: &Mapping,
    corrections: &[Correction],
    (given, known): (&Labelled, Option<&StudyConfig>),
) -> Option<Result<MadeStudy, Error>> {
    let as_before = known.and_then(|known| known.audited.as_ref());
    let (systems, texts) = (sides(cells, SYSTEM), sides(cells, ANSWER));
    let column = |name: &&str| cells.column(name);
    let columns = |role: Role| -> Vec<usize> { mapping.of(role).iter().filter_map(column).collect() };
    let aside: Vec<usize> = systems.into_iter().chain(texts).flatten().collect();
    let winner =
        |k: &usize| has_word(&words(&cells.names[*k]), "winner preference preferred choice") && !aside.contains(k);
    let mut people = columns(Role::Human);
    let mut verdicts: Vec<usize> = columns(Role::Verdict).into_iter().filter(|k| !aside.contains(k)).collect();
    let voters = Voters::find(cells, systems, [&verdicts, &people], (0..cells.names.len()).find(winner));
    if let Some(voters) = &voters {
        [&mut people, &mut verdicts].into_iter().for_each(|columns| columns.retain(|&k| k != voters.column));
    }
    if verdicts.is_empty() {
        verdicts = (0..cells.names.len()).filter(winner).filter(|k| !people.contains(k)).take(1).collect();
    }
    let is_vote = |row: usize| voters.as_ref().is_some_and(|voters| voters.is_person(cells, row));
    let of_columns = verdicts.iter().any(|&k| has_word(&words(&cells.names[k]), SWAPPED))
        && verdicts.iter().any(|&k| has_word(&words(&cells.names[k]), AS_NAMED));
    let is_one_order = of_columns || corrections.iter().any(|one| one.role == Role::Order && one.column.is_none());
    let order = if is_one_order {
        None
    } else {
        order(cells, systems, &columns(Role::Order), &[&verdicts[..], &people, &aside].concat())
    };
    if verdicts.is_empty() || systems.is_none() && (texts.is_none() || order.is_none() && !of_columns) {
        return None;
    }
    let mut reader = Reader { cells, systems, order, turned: vec![] };
    let (mut readable, mut all) = (0, 0);
    for &k in &verdicts {
        for row in (0..cells.len()).filter(|&row| present(cells.cell(row, k)).is_some()) {
            all += 1;
            readable += usize::from(reader.says(k, row).is_some());
        }
    }
    if 10 * readable < 9 * all || all == 0 {
        return None;
    }
    let mut notices = cells.notices.clone();
    let id = reader.id(columns(Role::Id).first().copied());
    let items = reader.items(id, &[columns(Role::Text), texts.map_or(vec![], Vec::from)].concat());
    let first = reader.turn(&items, as_before.and_then(|known| known.first.as_deref()), &mut notices);
    // Without a word on orders, systems that change places say it.
    let named_so = |as_named: bool| -> BTreeSet<(&str, [String; 2])> {
        let rows = items.iter().enumerate().filter(|(row, _)| !is_vote(*row));
        let pairs = rows.filter_map(|(row, item)| Some((item.as_str(), reader.pair(row)?)));
        pairs.filter(|(_, pair)| pair.as_named == as_named).map(|(item, pair)| (item, pair.names)).collect()
    };
    let change_places = !is_one_order && reader.order.is_none() && !named_so(true).is_disjoint(&named_so(false));
    let shown = |row: usize, k: usize| {
        let of_table = reader.is_swapped(row).or(of_columns.then(|| has_word(&words(&cells.names[k]), SWAPPED)));
        of_table.or(change_places.then_some(false))
    };
    let letters = reader.letters(&verdicts, &people, &shown, as_before.and_then(|known| known.letters), &mut notices);
    let read = TableReading { letters, first, ..TableReading::default() };
    // Who gave the answers in the only column of people's.
    let gave = match people[..] {
        [column] => long::gave(cells, mapping, column, corrections).filter(|k| !aside.contains(k)),
        _ => None,
    };
    let annotator = |row: usize, k: usize| {
        let named = gave.and_then(|gave| present(cells.cell(row, gave)));
        named.unwrap_or(&cells.names[k]).to_owned()
    };
    let mut answered: HashSet<(String, String)> = HashSet::new();
    let names = reader.names(&items);
    let group = mapping.one(Role::Group).filter(|name| !aside.iter().any(|&k| cells.names[k] == *name));
    // Without answers annotators have nothing to compare.
    let own = columns(Role::Text).into_iter().filter(|k| texts.is_some() && !aside.contains(k));
    let own: Vec<usize> = own.collect();
    let mut records = vec![];
    for row in 0..cells.len() {
        let place = Place::file(path).of_item(&format!("row {}", row + 1));
        let pair = reader.pair(row);
        let mut record = match &pair {
            Some(pair) => pair.record(place, &items[row], None),
            None => LogRecord::new(place, &items[row]),
        };
        record.fields_mut().retain(|(name, _)| name != "question");
        record.item.clone_from(&names[row]);
        let mut put =
            |name: &str, k: usize| record.fields_mut().push((name.to_owned(), cells.cell(row, k).trim().to_owned()));
        own.iter().for_each(|&k| put(&cells.names[k], k));
        if let Some(texts) = texts {
            let as_named = pair.as_ref().is_none_or(|pair| pair.as_named);
            let [a, b] = if as_named { texts } else { [texts[1], texts[0]] };
            put(ANSWERS[0], a);
            put(ANSWERS[1], b);
        }
        if let Some(group) = group {
            put(group, cells.column(group)?);
        }
        let as_named = pair.as_ref().is_none_or(|pair| pair.as_named);
        let label = |said: Says, swapped: bool| {
            let won = match said {
                Says::Tie => None,
                Says::System(k) => Some(k),
                Says::Place(k) => Some(if swapped { 1 - k } else { k }),
                Says::Letter(k) => Some(if swapped && letters != Some(Letters::Answers) { 1 - k } else { k }),
            };
            pair.clone().unwrap_or(SystemPair { names: Default::default(), as_named: true }).label(won).to_owned()
        };
        for &k in &people {
            let Some(cell) = present(cells.cell(row, k)) else { continue };
            if !answered.insert((record.item.clone(), annotator(row, k))) {
                continue;
            }
            // People's letters are those of the columns: they have no order of their own.
            let value = reader.says(k, row).map_or_else(|| cell.to_owned(), |said| label(said, false));
            record.labels.push(HumanLabel { annotator: annotator(row, k), value });
        }
        if let Some(voters) = voters.as_ref().filter(|_| is_vote(row)) {
            for said in verdicts.iter().filter_map(|&k| reader.says(k, row)) {
                let (annotator, value) = (voters.name(cells, row).to_owned(), label(said, false));
                record.labels.push(HumanLabel { annotator, value });
            }
            records.push(record);
            continue;
        }
        let labels = std::mem::take(&mut record.labels);
        for (at, &k) in verdicts.iter().enumerate() {
            let swapped = shown(row, k);
            let prediction = reader.says(k, row).map(|said| LoggedAnswer::Label(label(said, swapped == Some(true))));
            records.push(LogRecord {
                variant: match &voters {
                    Some(voters) => Some(voters.name(cells, row).to_owned()),
                    None => (!of_columns && verdicts.len() > 1).then(|| cells.names[k].clone()),
                },
                // Whether `A` was shown second.
                swapped: swapped.map(|swapped| swapped == as_named),
                prediction: present(cells.cell(row, k)).map(|_| prediction.unwrap_or(LoggedAnswer::Failed)),
                labels: if at == 0 { labels.clone() } else { vec![] },
                ..record.clone()
            });
        }
    }
    if texts.is_none() {
        let says =
            "The table has no answers of the systems, so label pages show ids alone: add response_a and response_b.";
        notices.push(says.to_owned());
    }
    notices.extend(voters.as_ref().map(|voters| voters.notice(cells)));
    notices.extend(gave.map(|gave| long::names_who(cells, [gave, people[0]])));
    let role = |role: Role, k: usize| (role, cells.names[k].clone());
    let mut roles: Vec<(Role, String)> = id.into_iter().map(|k| role(Role::Id, k)).collect();
    roles.extend(verdicts.iter().map(|&k| role(Role::Verdict, k)));
    roles.extend(people.iter().map(|&k| role(Role::Human, k)));
    roles.extend(group.map(|name| (Role::Group, name.to_owned())));
    roles.extend(systems.into_iter().flatten().map(|k| role(Role::System, k)));
    roles.extend(own.iter().copied().chain(texts.into_iter().flatten()).map(|k| role(Role::Text, k)));
    roles.extend(reader.order.iter().map(|(k, _)| role(Role::Order, *k)));
    roles.extend(voters.iter().map(|voters| voters.column).chain(gave).map(|k| role(Role::Annotator, k)));
    let columns = Mapping::from_roles(roles);
    notices.extend(not_used(&cells.names, |name| columns.names().contains(name)));
    let table = columns.read_columns(cells, corrections);
    let log = Log::new("pairs", &file_name(path), records);
    let (group_from, given) = (group.map(str::to_owned), given.clone());
    let options = LogOptions { group_from, read, known, given, ..LogOptions::default() };
    let mut source = Source::default();
    let made = source.take_log(path, log).and_then(|logs| from_log::studies(logs, &source, &options));
    Some(made.map(|made| {
        let mut study = made.into_iter().next().expect("a table of pairs has no criteria, so it is one study");
        notices.append(&mut study.audited.notices);
        let (audit, format) = (file_name(path), format!("{} of pairs", cells.format));
        study.audited = Audited { audit, format, columns, table, notices, ..study.audited };
        MadeStudy { title: stem(path), ..study }
    }))
}

/// The column that names who judged a row, beside a column with the winner.
struct Voters {
    column: usize,
    people: BTreeSet<String>,
}

impl Voters {
    /// A column that is called after judges or people, but holds no verdict, beside one that does.
    fn find(
        cells: &CellTable,
        systems: Option<[usize; 2]>,
        called: [&[usize]; 2],
        winner: Option<usize>,
    ) -> Option<Self> {
        let winner = winner?;
        let says_none = |k: usize| {
            let systems_of = |row| systems.map_or(["", ""], |systems| systems.map(|k| cells.cell(row, k).trim()));
            (0..cells.len())
                .all(|row| present(cells.cell(row, k)).is_none_or(|cell| says(cell, &systems_of(row)).is_none()))
        };
        let is = |k: &usize| *k != winner && says_none(*k) && cells.filled(*k).next().is_some();
        let column = called.concat().into_iter().find(is)?;
        let names: BTreeSet<&str> = cells.distinct(column).collect();
        // Where no model is known by its name, a column that is called after judges names judges.
        let has_models = names.iter().any(|name| is_model(name));
        let of_judges = called[0].contains(&column);
        let person = |name: &&str| is_person(name) || !is_model(name) && (has_models || !of_judges);
        Some(Self { column, people: names.into_iter().filter(person).map(str::to_owned).collect() })
    }

    fn name<'c>(&self, cells: &'c CellTable, row: usize) -> &'c str {
        cells.cell(row, self.column).trim()
    }

    fn is_person(&self, cells: &CellTable, row: usize) -> bool {
        self.people.contains(self.name(cells, row))
    }

    fn notice(&self, cells: &CellTable) -> String {
        let models: BTreeSet<&str> = cells.distinct(self.column).filter(|name| !self.people.contains(*name)).collect();
        let models: Vec<&str> = models.into_iter().collect();
        let people = match self.people.len() {
            0 => String::new(),
            n => format!(" Its {n} other names are read as people."),
        };
        format!("The column {:?} names who judged each pair: {}.{people}", cells.names[self.column], models.join(", "))
    }
}

/// A table on its way to a log.
struct Reader<'c> {
    cells: &'c CellTable,
    systems: Option<[usize; 2]>,
    order: Option<(usize, HashMap<String, bool>)>,
    /// Whether a row names `B` first.
    turned: Vec<bool>,
}

impl Reader<'_> {
    fn says(&self, k: usize, row: usize) -> Option<Says> {
        says(present(self.cells.cell(row, k))?, &self.systems_of(row))
    }

    fn systems_of(&self, row: usize) -> [&str; 2] {
        self.systems.map_or(["", ""], |systems| systems.map(|k| self.cells.cell(row, k).trim()))
    }

    fn pair(&self, row: usize) -> Option<SystemPair> {
        let [one, two] = self.systems.map(|_| self.systems_of(row).map(str::to_owned))?;
        let as_named = !self.turned[row];
        Some(SystemPair { names: if as_named { [one, two] } else { [two, one] }, as_named })
    }

    /// Settles which system of an item is `A`: the one that its first row names first, so that `A` means in the study
    /// what it means in the table, and no result hangs on what systems are called. Of two systems alone it is the same one in
    /// all items, and returned: that which is `known`, or if they change places the first by name.
    fn turn(&mut self, questions: &[String], known: Option<&str>, notices: &mut Vec<String>) -> Option<String> {
        self.systems?;
        let sorted = |row: usize| SystemPair::new(self.systems_of(row).map(str::to_owned));
        let pairs: Vec<SystemPair> = (0..self.cells.len()).map(sorted).collect();
        let start = pairs.first()?;
        let alone = pairs.iter().all(|pair| pair.names == start.names);
        let changes = pairs.iter().any(|pair| pair.as_named != start.as_named);
        // Whether the first by name is A in all items.
        let known = known.filter(|known| start.names.iter().any(|name| name == known));
        let of_all = alone.then(|| known.map_or(changes || start.as_named, |known| known == start.names[0]));
        let mut first = HashMap::new();
        let of_item = |(pair, question): (&SystemPair, &String)| {
            let of_first = *first.entry((question.clone(), pair.names.clone())).or_insert(pair.as_named);
            pair.as_named != of_all.unwrap_or(of_first)
        };
        self.turned = pairs.iter().zip(questions).map(of_item).collect();
        let turned = self.turned.iter().filter(|turned| **turned).count();
        let a = usize::from(!of_all?);
        let [a, b] = [a, 1 - a].map(|k| &start.names[k]);
        if turned > 0 {
            let rows = format!("also in the {turned} rows that name {b:?} first");
            notices.push(format!("A is {a:?} and B is {b:?} in every item, {rows}."));
        }
        Some(a.clone())
    }

    /// Whether the row's answers were shown in the other order; `None` of a table without a column of orders.
    fn is_swapped(&self, row: usize) -> Option<bool> {
        let (k, told) = self.order.as_ref()?;
        let value = self.cells.cell(row, *k).trim();
        Some(told.get(&value.to_lowercase()).copied().unwrap_or(value == self.systems_of(row)[1]))
    }

    /// The column of the questions: one whose ids come again in the other order, if there are orders below each other.
    fn id(&self, recognised: Option<usize>) -> Option<usize> {
        let repeats = |k: &usize| self.cells.distinct(*k).len() < self.cells.len();
        if self.order.is_none() {
            return recognised;
        }
        let named = |k: &usize| has_word(&words(&self.cells.names[*k]), "id uid key question pair item");
        let whole = |k: &usize| self.cells.is_whole(*k);
        recognised.filter(repeats).or_else(|| (0..self.cells.names.len()).filter(named).filter(whole).find(repeats))
    }

    /// The question of each row: its id, or the number of the first row with these texts.
    fn items(&self, id: Option<usize>, texts: &[usize]) -> Vec<String> {
        let mut first: HashMap<Vec<&str>, usize> = HashMap::new();
        let item = |row: usize| match id.and_then(|k| present(self.cells.cell(row, k))) {
            Some(id) => id.to_owned(),
            None => {
                let mut key: Vec<&str> = texts.iter().map(|&k| self.cells.cell(row, k)).collect();
                key.extend(self.systems_of(row));
                let row =
                    if self.order.is_some() && !texts.is_empty() { *first.entry(key).or_insert(row) } else { row };
                format!("row {}", row + 1)
            }
        };
        (0..self.cells.len()).map(item).collect()
    }

    /// The item of each row: its question, with the number of the pair where several pairs share one. Ids go to annotators,
    /// and say nothing of the systems.
    fn names(&self, questions: &[String]) -> Vec<String> {
        let mut pairs: HashMap<&str, Vec<Option<[String; 2]>>> = HashMap::new();
        let mut numbers = vec![];
        for (row, question) in questions.iter().enumerate() {
            let own = self.pair(row).map(|pair| pair.names);
            let known = pairs.entry(question).or_default();
            numbers.push(known.iter().position(|other| *other == own).unwrap_or_else(|| {
                known.push(own);
                known.len() - 1
            }));
        }
        let name = |(question, number): (&String, &usize)| match pairs[question.as_str()].len() {
            1 => question.clone(),
            _ => format!("{question}/{}", number + 1),
        };
        questions.iter().zip(&numbers).map(name).collect()
    }

    /// What letters of the judge stand for: `known`, or what people's answers tell; `None` where none is in the other order.
    fn letters(
        &self,
        verdicts: &[usize],
        people: &[usize],
        shown: &dyn Fn(usize, usize) -> Option<bool>,
        known: Option<Letters>,
        notices: &mut Vec<String>,
    ) -> Option<Letters> {
        let letter = |row: usize, k: usize| match self.says(k, row)? {
            Says::Letter(letter) => Some(letter),
            _ => None,
        };
        let of_system = |row: usize, k: usize| match self.says(k, row)? {
            Says::Letter(k) | Says::System(k) => Some(k),
            _ => None,
        };
        let (mut letters, mut places, mut systems) = (0, 0, 0);
        for row in 0..self.cells.len() {
            for &k in verdicts.iter().filter(|&&k| shown(row, k) == Some(true)) {
                let Some(letter) = letter(row, k) else { continue };
                letters += 1;
                for person in people.iter().filter_map(|&person| of_system(row, person)) {
                    *(if person == letter { &mut systems } else { &mut places }) += 1;
                }
            }
        }
        if letters == 0 {
            return known;
        }
        // Twice the standard error of a share of one half.
        let all = places + systems;
        let apart = f64::abs(places as f64 - systems as f64) > 2.0 * f64::sqrt(all as f64);
        let decided = all >= LEAST_TOLD && apart;
        let told = if !decided || places > systems { Letters::Places } else { Letters::Answers };
        let letters = known.unwrap_or(told);
        let meaning = match letters {
            Letters::Places => "the answer shown first",
            Letters::Answers => "the same answer in both orders",
        };
        let why = match decided {
            _ if known.is_some() => "as in the study".to_owned(),
            true => format!("people agree with the judge in {} of {all} verdicts so", places.max(systems)),
            false => {
                "the labels do not tell; write names of systems, or \"first\" and \"second\", to be sure".to_owned()
            }
        };
        notices.push(format!("A of the judge is taken for {meaning}: {why}."));
        Some(letters)
    }
}
