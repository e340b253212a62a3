//! The rows of a table as the study made of it needs them: what the judge says, and what people say.

use std::borrow::Cow;
use std::collections::HashSet;

use super::answers::{AHEAD, AnswerCoding, MOST_CLASSES, share_of_score};
use super::columns::{Mapping, Role, missing};
use super::shares;
use super::table::{CellTable, present};
use crate::findings::ratings::Lists;
use crate::input::config::StudyConfig;
use crate::input::scale::{Given, Scale};
use crate::input::spelling::number;
use crate::model::study::largest;
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_formats::batches::Bad;
use judge_uncertainty_formats::error::{Problem, list};
use judge_uncertainty_formats::items::{PositionIndex, Texts};
use judge_uncertainty_system::limits::check_items;
use judge_uncertainty_system::numbers::{LARGEST, three};

/// What an audit knows of every row that has an answer of the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRows {
    /// What answers can be.
    pub answers: AnswerCoding,
    /// Position of each row in the table.
    pub kept: Vec<usize>,
    /// Id of each row, each once.
    pub ids: Texts,
    /// The cluster of each row, by number.
    pub clusters: Vec<usize>,
    /// All answers of the judge.
    pub repeats: Lists<f64>,
    /// The probability of each class, as the judge has it; none where it says none.
    pub shares: Lists<f64>,
    /// How sure the judge says it is.
    pub confidence: Vec<Option<f64>>,
    /// Answers of people, with the number of the column of who gave them, among those of people.
    pub humans: Lists<(usize, f64)>,
    /// The ends of the judge's scores, where these stand for one of two answers.
    pub ends: Option<(f64, f64)>,
    /// How columns and answers were interpreted.
    pub notices: Vec<String>,
    /// Rows that can't be used, of a table whose scale was known.
    pub faults: Vec<Bad>,
}

impl AuditRows {
    /// Reads a table; `chances` names the column with the probabilities of being labelled. Of a table whose scale is
    /// `known`, rows that can't be used are set aside, and another one that has any is refused.
    ///
    /// # Errors
    /// No column with the judge's answers, answers that can't be read, a column that is not there.
    pub fn new(
        cells: &CellTable,
        mapping: &Mapping,
        (chances, known): (Option<&str>, Option<&StudyConfig>),
    ) -> Result<Self, String> {
        let columns = |role: Role| cells.of_role(mapping, role);
        let (verdict, score, probability) = (columns(Role::Verdict), columns(Role::Score), columns(Role::Probability));
        if !mapping.has_judge() {
            let (names, format) = (list(&cells.names), &cells.format);
            return Err(format!(
                "no column holds the judge's answers; name it with --columns verdict=COLUMN or --columns score=COLUMN. \
                 The file ({format}) has {names}"
            ));
        }
        let human = columns(Role::Human);
        let others = [Role::Confidence, Role::Number].map(columns).concat();
        measurable(cells, &[&verdict[..], &score, &probability, &human, &others].concat())?;
        for &k in probability.iter().filter(|_| known.is_none()) {
            let (low, high) = Given::new(cells.distinct(k).filter_map(number)).ends;
            let name = &cells.names[k];
            let remedy = match (low >= 0.0, high) {
                (true, ..=1.0) => continue,
                (true, ..=100.0) => "divide percentages by 100".to_owned(),
                (false, ..=0.0) => "of a logarithm, give its exponential".to_owned(),
                _ => format!("a score is named with --columns score={name}"),
            };
            return Err(format!(
                "{name} has numbers from {low} to {high}, and a probability lies between 0 and 1: {remedy}"
            ));
        }
        let judge = if verdict.is_empty() { &score } else { &verdict };
        let judge = if judge.is_empty() { &probability[..1] } else { judge };
        let filled = |of: &[usize]| -> Vec<&str> {
            of.iter().flat_map(|&column| cells.filled(column)).filter_map(present).collect()
        };
        let given = filled(&human);
        let labels = given.len();
        let (of_judge, given) = (filled(judge).into_iter(), given.into_iter());
        let scores = known.and_then(StudyConfig::scores);
        let answers = match known {
            Some(known) => AnswerCoding::from_study(known, of_judge, given),
            None => AnswerCoding::new(of_judge, given)?,
        };
        if let Some(bytes) = cells.bytes {
            let groups = columns(Role::Group).into_iter().map(|group| cells.distinct(group).len()).sum();
            let size = (answers.scale.width(), groups);
            check_items((cells.len(), labels, 0), size, bytes).map_err(|exceeded| {
                format!("its {} rows are too many: {exceeded}; or audit a part of them", cells.len())
            })?;
        }
        let mut notices = answers.notices.clone();
        if known.is_none() {
            notices.extend(odd_one_out(cells, &answers, [judge, &human]));
        }
        let of_class = |class: usize| -> Vec<usize> {
            let two = answers.scale.classes().len() == 2;
            let told = |k: &usize| shares::class_told(&cells.names[*k], &answers.scale);
            let is_it = |k: &usize| two && told(k) == Some(&*answers.scale.classes()[class]);
            probability.iter().copied().filter(is_it).collect()
        };
        let of_first = of_class(0);
        let stated = match probability[..] {
            [only] => Some(only),
            _ => of_class(1).first().or(of_first.first()).copied(),
        };
        // Of another table than that of the belief, single rows are at fault.
        let is_whole = |of: &Vec<usize>| (0..cells.len()).all(|row| shares::wrong_sum(cells, of, row).is_none());
        let of_classes =
            shares::columns(cells, &probability, &answers.scale).filter(|of| known.is_some() || is_whole(of));
        if answers.scale.classes().len() > 2 && !probability.is_empty() && of_classes.is_none() {
            let names = list(&mapping.of(Role::Probability).into_iter().map(str::to_owned).collect::<Vec<_>>());
            notices
                .push(format!("Not used: {names}, as probabilities that add up to 1 are needed, one for each class."));
        }
        let mut reading =
            TableReader { cells, answers, judge, probability: stated, of_first, of_classes, notices: &mut notices };
        let id = columns(Role::Id).first().copied();
        let twice = twice(cells, id);
        let confidence = known.and_then(StudyConfig::stated_confidence);
        let measured = [(Role::Probability, None), (Role::Confidence, confidence)]
            .map(|(role, ends)| columns(role).into_iter().map(move |column| (column, ends)));
        let measured: Vec<(usize, Option<(f64, f64)>)> = measured.into_iter().flatten().collect();
        let bad = |row: usize| {
            let (column, problem) = reading.fault(row, &measured, scores).filter(|_| !twice[row])?;
            let item = id.and_then(|id| present(cells.cell(row, id))).map(str::to_owned);
            let (line, column) = (cells.line(row), Some(cells.names[column].clone()));
            let given = cells.names.iter().map(String::as_str).zip(cells.row(row)).collect();
            Some((row, Bad { line, item, column, problem, row: given }))
        };
        let rows = if known.is_some() { 0..cells.len() } else { 0..0 };
        let (faulty, faults): (Vec<usize>, Vec<Bad>) = rows.filter_map(bad).unzip();
        let mut faulty = faulty.into_iter().peekable();
        let mut is_kept =
            |row: &usize| faulty.next_if_eq(row).is_none() && !twice[*row] && reading.said(*row).next().is_some();
        let kept: Vec<usize> = (0..cells.len()).filter(&mut is_kept).collect();
        let twice = twice.into_iter().filter(|twice| *twice).count();
        if twice > 0 {
            reading.notices.push(format!("Left out: rows that stand there before, cell by cell ({twice})."));
        }
        let left_out = cells.len() - kept.len() - twice - faults.len();
        if left_out > 0 {
            reading.notices.push(format!("Left out: rows without an answer of the judge ({left_out})."));
        }
        if known.is_none() {
            reading.check_cells(&kept, mapping)?;
        }
        let ends = reading.ends(&kept, known.map(|_| scores))?;
        let mut repeats = Lists::with_capacity(kept.len());
        // Of scores that stand for one of two answers, those from the middle up are the good one.
        let counted = |x: f64| ends.map_or(x, |(low, high)| f64::from(u8::from(x >= 0.5 * (low + high))));
        kept.iter().for_each(|&row| repeats.push(reading.said(row).map(counted)));
        let mut shares = Lists::with_capacity(kept.len());
        let (mut overruled, has_verdicts) = (0, ends.is_none() && reading.answers.scale.nominal().is_some());
        for (i, &row) in kept.iter().enumerate() {
            let mut of_row = reading.shares_of(row, ends);
            if let [verdict] = repeats[i]
                && has_verdicts
                && !of_row.is_empty()
                && largest(of_row.iter().copied()) != verdict as usize
            {
                overruled += 1;
                of_row[verdict as usize] = of_row.iter().copied().fold(0.0, f64::max) + AHEAD;
                let sum: f64 = of_row.iter().sum();
                of_row.iter_mut().for_each(|share| *share /= sum);
            }
            shares.push(of_row);
        }
        if overruled > 0 {
            let names = mapping.of(Role::Probability).join(", ");
            reading.notices.push(format!(
                "In {overruled} rows the judge's answer is not the likeliest by {names}: its answer counts there, barely \
                 likelier than the next."
            ));
        }
        let humans = reading.humans(&kept, &human);
        let answers = reading.answers;
        let (ids, clusters, changed) = ids(cells, &kept, mapping);
        notices.splice(0..0, changed);
        let confidence = match columns(Role::Confidence).first() {
            Some(&column) => kept.iter().map(|&row| present(cells.cell(row, column)).and_then(number)).collect(),
            None => vec![None; kept.len()],
        };
        if let Some(name) = chances {
            let column = cells.column(name).ok_or_else(|| missing(name, &cells.names))?;
            for (i, &row) in kept.iter().enumerate() {
                let (id, given) = (&ids[i], present(cells.cell(row, column)));
                let is_one = given.and_then(number).map(|p| p > 0.0 && p <= 1.0);
                if !humans[i].is_empty() && is_one != Some(true) {
                    return Err(format!("row {id:?} is labelled and has no probability above 0 and up to 1"));
                }
                if let Some(given) = given.filter(|_| is_one != Some(true)) {
                    return Err(format!(
                        "row {}: {name} is {given:?}, and the probability of a row that could be chosen is above 0 and up to \
                         1; correct it, or leave the cell blank",
                        row + 1
                    ));
                }
            }
        }
        Ok(Self { ids, clusters, repeats, shares, confidence, humans, answers, kept, ends, notices, faults })
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The rows that people have labelled.
    pub fn labelled(&self) -> Vec<usize> {
        (0..self.len()).filter(|&row| !self.humans[row].is_empty()).collect()
    }
}

/// Refuses numbers whose squares are beyond what can be computed with, and infinities in a column that has numbers.
fn measurable(cells: &CellTable, columns: &[usize]) -> Result<(), String> {
    for &column in columns {
        let has_numbers = cells.distinct(column).any(|cell| number(cell).is_some());
        let is_beyond = |cell: &&str| {
            let is_infinite = || has_numbers && cell.parse::<f64>().is_ok_and(f64::is_infinite);
            let value = number(cell).unwrap_or_default().abs();
            is_infinite() || value > LARGEST || value > 0.0 && value < 1.0 / LARGEST
        };
        if let Some(cell) = cells.distinct(column).find(is_beyond) {
            let row = (0..cells.len()).find(|&row| cells.cell(row, column).trim() == cell).unwrap_or_default();
            return Err(format!(
                "row {}: {cell} is beyond what can be computed with: take another unit, so that numbers lie between \
                 -1e70 and 1e70 and those that are not 0 are 1e-70 or more from it",
                row + 1
            ));
        }
    }
    Ok(())
}

/// An answer that is given this often or more is none that slipped in.
const OFTEN: usize = 3;
/// One that slipped in is one in so many at most.
const RARE: usize = 100;

/// What is to be said of an answer of judge or people, in columns of each, that stands in hardly any row, and without which
/// answers would be on another scale: another class, or a number beyond all others.
fn odd_one_out(cells: &CellTable, answers: &AnswerCoding, [judge, human]: [&[usize]; 2]) -> Option<String> {
    let scale = &answers.scale;
    let of_steps = scale.has_order() && scale.classes().iter().any(|class| number(class).is_none());
    if answers.judge_scores || of_steps {
        return None;
    }
    let value = |cell: &str| present(cell).and_then(|cell| answers.of_human(cell));
    let columns = || judge.iter().chain(human).copied();
    let mut values: Vec<f64> = columns().flat_map(|column| cells.distinct(column)).filter_map(value).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let ([low, .., before, high], [_, after, ..]) = (&values[..], &values[..]) else { return None };
    // Of many numbers, one that is far from all others.
    let is_far = |gap: f64| values.len() <= MOST_CLASSES || 3.0 * gap > high - low;
    // A seldom highest answer that follows on the next is one of the scale.
    let ends_scale = high - before <= 1.0 && *high == scale.range().1;
    let ends = [(*low, is_far(after - low)), (*high, is_far(high - before) && !ends_scale)];
    let ends = ends.into_iter().filter_map(|(end, is_candidate)| is_candidate.then_some(end));
    let mut rare = if scale.nominal().is_some() { values.clone() } else { ends.collect() };
    let mut found: Vec<Vec<(usize, usize)>> = vec![vec![]; rare.len()];
    for row in 0..cells.len() {
        for column in columns() {
            let Some(given) = value(cells.cell(row, column)) else { continue };
            let Some(at) = rare.iter().position(|one| *one == given) else { continue };
            found[at].push((row, column));
            if found[at].len() == OFTEN {
                rare.remove(at);
                found.remove(at);
            }
        }
        if rare.is_empty() {
            return None;
        }
    }
    let ([odd], [places]) = (&rare[..], &found[..]) else { return None };
    let (row, column) = *places.first()?;
    let given: usize = columns().map(|column| cells.number_filled(column)).sum();
    let others = |of: &[usize]| -> Vec<&str> {
        let cells = of.iter().flat_map(|&column| cells.filled(column)).filter_map(present);
        cells.filter(|cell| value(cell) != Some(*odd)).collect()
    };
    let without = AnswerCoding::new(others(judge).into_iter(), others(human).into_iter()).ok()?.scale;
    let width = |scale: &Scale| scale.range().1 - scale.range().0;
    let is_other = match scale.has_order() {
        true => 3.0 * width(&without) <= 2.0 * width(scale) + 1e-9,
        false => without.is_numbers() == scale.is_numbers(),
    };
    (without != *scale && is_other && RARE * places.len() <= given).then(|| {
        let (row, name, times) = (row + 1, &cells.names[column], places.len());
        let what = if scale.nominal().is_some() { "makes a class of its own" } else { "widens the scale" };
        format!(
            "{:?} is {times} of {given} answers, first in row {row} of {name}, and {what}: correct it if it slipped in.",
            scale.text(*odd)
        )
    })
}

/// A table on its way to numbers.
struct TableReader<'c> {
    cells: &'c CellTable,
    answers: AnswerCoding,
    judge: &'c [usize],
    /// The column with the probability of one of two classes.
    probability: Option<usize>,
    /// Columns with the probability of the first of two classes.
    of_first: Vec<usize>,
    /// The columns with the probabilities of three classes or more.
    of_classes: Option<Vec<usize>>,
    notices: &'c mut Vec<String>,
}

impl TableReader<'_> {
    /// The judge's answer in a row, in numbers and unchanged.
    fn said(&self, row: usize) -> impl Iterator<Item = f64> {
        let answer = move |column: &usize| {
            let answer = self.answers.of_judge(present(self.cells.cell(row, *column))?)?;
            Some(if self.of_first.contains(column) { 1.0 - answer } else { answer })
        };
        self.judge.iter().filter_map(answer)
    }

    /// Refuses blank cells of columns that name what a row belongs to, and cells that should be numbers.
    fn check_cells(&self, kept: &[usize], mapping: &Mapping) -> Result<(), String> {
        let cells = self.cells;
        let columns = |role| mapping.of(role).into_iter().filter_map(move |name| Some((cells.column(name)?, role)));
        let names_rows = [Role::Group, Role::System, Role::Cluster];
        let measured = [Role::Probability, Role::Confidence, Role::Number];
        for (column, role) in names_rows.into_iter().chain(measured).flat_map(columns) {
            let is_bad = |cell: &str| match names_rows.contains(&role) {
                true => cell.trim().is_empty(),
                false => present(cell).is_some_and(|cell| number(cell).is_none()),
            };
            if let Some(&row) = kept.iter().find(|&&row| is_bad(cells.cell(row, column))) {
                let (row, name, cell) = (row + 1, &cells.names[column], cells.cell(row, column).trim());
                let found = match cell {
                    "" => format!("is blank, and it names the {role} of each row; fill"),
                    cell => format!("is {cell:?}, which is not a number, and it is the {role}; correct"),
                };
                return Err(format!(
                    "row {row}: {name} {found} the cell, or take no column for it with --columns {role}="
                ));
            }
        }
        Ok(())
    }

    /// What is wrong with a row, and in which column: no answer of the judge, one that the scale does not have, a cell of `measured` that is
    /// no number or lies beyond the ends there.
    fn fault(
        &self,
        row: usize,
        measured: &[(usize, Option<(f64, f64)>)],
        scores: Option<(f64, f64)>,
    ) -> Option<(usize, Problem)> {
        let cell = |column: usize| present(self.cells.cell(row, column));
        let given = |column: usize| self.answers.given(self.cells.cell(row, column));
        let unread = |&column: &usize| {
            let value = given(column)?;
            let ends = match (&self.answers.scale, self.answers.judge_scores) {
                (_, true) => scores,
                (Scale::Scores(low, high), _) => Some((*low, *high)),
                _ => None,
            };
            let of_number = number(value).zip(ends).filter(|(value, (low, high))| !(low..=high).contains(&value));
            let problem = match (of_number, self.answers.of_judge(value)) {
                (Some((value, (low, high))), _) => Problem::OutOfRange { value, low, high },
                (None, Some(_)) => return None,
                (None, None) => match self.answers.scale.classes() {
                    [] => Problem::NotANumber { value: value.to_owned() },
                    classes => Problem::NotOneOf { value: value.to_owned(), allowed: classes.to_vec() },
                },
            };
            Some((column, problem))
        };
        if self.judge.iter().all(|&column| given(column).is_none()) {
            return Some((self.judge[0], Problem::NoAnswer));
        }
        let of_number = |&(column, ends): &(usize, Option<(f64, f64)>)| {
            let given = cell(column)?;
            let Some(value) = number(given) else {
                return Some((column, Problem::NotANumber { value: given.to_owned() }));
            };
            let (low, high) = ends.filter(|(low, high)| !(low..=high).contains(&&value))?;
            Some((column, Problem::OutOfRange { value, low, high }))
        };
        let of_sum = || {
            let columns = self.of_classes.as_ref()?;
            let reason = format!("the probabilities add up to {}", three(shares::wrong_sum(self.cells, columns, row)?));
            Some((columns[0], Problem::unfit(reason, "correct them: those of all classes add up to 1")))
        };
        self.judge.iter().find_map(unread).or_else(|| measured.iter().find_map(of_number)).or_else(of_sum)
    }

    /// The ends of the judge's scores, where these stand for one of two answers: of a scale that is `known` those beside it,
    /// else those of the smallest scale in use that holds them.
    ///
    /// # Errors
    /// Scores beyond 0 and 1 of whose ends nothing is known.
    fn ends(&mut self, kept: &[usize], known: Option<Option<(f64, f64)>>) -> Result<Option<(f64, f64)>, String> {
        if !self.answers.judge_scores {
            return Ok(None);
        }
        let given = Given::new(kept.iter().flat_map(|&row| self.said(row)));
        let (low, high) = given.ends;
        let name = &self.cells.names[self.judge[0]];
        let name = if self.of_first.contains(&self.judge[0]) { format!("1 - {name}") } else { name.clone() };
        let ends = match known {
            Some(Some(ends)) => ends,
            Some(None) if low < 0.0 || high > 1.0 => {
                let classes = self.answers.scale.classes().join(" or ");
                return Err(format!("{name} has numbers from {low} to {high}, and the belief was fitted to {classes}"));
            }
            _ => given.usual_ends(),
        };
        self.notices.push(self.answers.of_scores(&name, ends));
        Ok(Some(ends))
    }

    /// The probability of each class, as the judge has it; none where it says none.
    fn shares_of(&self, row: usize, ends: Option<(f64, f64)>) -> Vec<f64> {
        if let Some(columns) = &self.of_classes {
            return shares::stated(self.cells, columns, row).unwrap_or_default();
        }
        let stated = |column: usize| {
            let p = present(self.cells.cell(row, column)).and_then(number)?;
            Some(if self.of_first.contains(&column) { 1.0 - p } else { p })
        };
        let second = match (self.answers.scale.nominal(), ends) {
            (Some(2), Some((low, high))) if high > low => {
                Some(share_of_score(mean(&self.said(row).collect::<Vec<_>>()), (low, high)))
            }
            (Some(2), _) => self.probability.and_then(stated),
            _ => None,
        };
        second.map_or_else(Vec::new, |p| vec![1.0 - p, p])
    }

    /// The answers of people to the rows that are kept, and those that can't be read.
    fn humans(&mut self, kept: &[usize], columns: &[usize]) -> Lists<(usize, f64)> {
        let (mut all, mut unread) = (Lists::with_capacity(kept.len()), vec![]);
        for &row in kept {
            all.push(columns.iter().enumerate().filter_map(|(who, &column)| {
                let cell = present(self.cells.cell(row, column))?;
                let answer = self.answers.of_human(cell);
                if answer.is_none() {
                    unread.push((row, cell));
                }
                Some((who, answer?))
            }));
        }
        if let [(row, cell), ..] = unread[..] {
            let (n, row) = (unread.len(), row + 1);
            self.notices.push(format!(
                "{n} answers of people are none of these and count as missing, first {cell:?} in row {row}."
            ));
        }
        all
    }
}

/// Which rows repeat an earlier one, cell by cell; none if rows of one id differ, because these are several answers about one
/// item, and some of them may be the same.
fn twice(cells: &CellTable, id: Option<usize>) -> Vec<bool> {
    if id.is_some_and(|id| cells.distinct(id).len() == cells.len()) {
        return vec![false; cells.len()];
    }
    let mut rows = PositionIndex::with_capacity(cells.len());
    let mut twice: Vec<bool> =
        (0..cells.len()).map(|row| rows.insert(row, |row| cells.row(row).collect::<Vec<_>>()).is_some()).collect();
    if twice.contains(&true) {
        let different: HashSet<&str> =
            id.iter().flat_map(|&id| (0..cells.len()).map(move |row| cells.cell(row, id))).collect();
        if different.len() != rows.len() {
            twice.fill(false);
        }
    }
    twice
}

/// A unique id for every row, the number of its cluster, and which ids are not those of the table.
fn ids(cells: &CellTable, kept: &[usize], mapping: &Mapping) -> (Texts, Vec<usize>, Vec<String>) {
    let column = mapping.one(Role::Id).and_then(|name| cells.column(name));
    let given = |row: usize| column.and_then(|column| present(cells.cell(row, column)));
    let name = |row: usize| given(row).map_or_else(|| Cow::Owned(format!("row {}", row + 1)), Cow::Borrowed);
    let named: Texts = kept.iter().map(|&row| name(row)).collect();
    if column.is_some_and(|column| cells.distinct(column).len() == cells.len()) {
        return (named, (0..kept.len()).collect(), vec![]);
    }
    let mut notes = vec![];
    let mut blank = kept.iter().filter(|&&row| column.is_some() && given(row).is_none());
    if let Some(row) = blank.next() {
        let (n, row) = (blank.count() + 1, row + 1);
        notes.push(format!("Rows without an id: {n}, called by their place, such as \"row {row}\"."));
    }
    let mut first = PositionIndex::with_capacity(named.len());
    let mut clusters: Vec<usize> = vec![];
    for i in 0..named.len() {
        let next = first.len();
        clusters.push(first.insert(i, |i| &named[i]).map_or(next, |before| clusters[before]));
    }
    if first.len() == named.len() {
        return (named, clusters, notes);
    }
    let are_apart = |names: &Texts| names.iter().collect::<HashSet<_>>().len() == names.len();
    let system = mapping.one(Role::System).and_then(|name| cells.column(name));
    let of_system = |(name, &row): (&str, &usize)| {
        system.map_or_else(|| name.to_owned(), |column| format!("{name}/{}", cells.cell(row, column).trim()))
    };
    let with_system: Texts = named.iter().zip(kept).map(of_system).collect();
    if are_apart(&with_system) {
        return (with_system, clusters, notes);
    }
    let mut rows = vec![0; first.len()];
    clusters.iter().for_each(|&cluster| rows[cluster] += 1);
    let with_row = |all: bool| -> Texts {
        let of = |((name, row), cluster): ((&str, &usize), &usize)| match all || rows[*cluster] > 1 {
            true => format!("{name}/row {}", row + 1),
            false => name.to_owned(),
        };
        named.iter().zip(kept).zip(&clusters).map(of).collect()
    };
    let again = (0..named.len()).find(|&i| rows[clusters[i]] > 1).unwrap_or_default();
    let (id, repeated) = (&named[again], rows.iter().filter(|rows| **rows > 1).count());
    let [one, other] = [0, 1].map(|nth| {
        let mut places = (0..named.len()).filter(|&i| clusters[i] == clusters[again]);
        places.nth(nth).map_or(0, |i| kept[i] + 1)
    });
    notes.push(format!(
        "Ids that come again: {repeated}, first {id:?} in rows {one} and {other}. Rows of one id count as rows about one \
         item, each with an id of its own ({:?}); several answers of the judge to one item belong in columns of one row.",
        format!("{id}/row {one}")
    ));
    let apart = Some(with_row(false)).filter(are_apart).unwrap_or_else(|| with_row(true));
    (apart, clusters, notes)
}
