//! The rows of a table as numbers: what the judge says, what people say, and what each row is.

use std::collections::{BTreeSet, HashMap};

use super::answers::AnswerCoding;
use super::columns::{Mapping, Role, missing, number};
use super::table::{CellTable, present};
use judge_uncertainty_core::stats::mean;
use judge_uncertainty_system::limits::check_items;
use judge_uncertainty_system::numbers::LARGEST;

/// Groups, or systems: their names and the one of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// The column.
    pub column: String,
    /// Names, in the order of the alphabet.
    pub names: Vec<String>,
    /// The position of each row's.
    pub of: Vec<usize>,
}

/// Numbers take as much memory as so many classes.
const NUMBERS: usize = 6;

/// What an audit knows of every row that has an answer of the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRows {
    /// What answers can be.
    pub answers: AnswerCoding,
    /// Position of each row in the table.
    pub kept: Vec<usize>,
    /// Id of each row, each once.
    pub ids: Vec<String>,
    /// The thing that each row is about, by number.
    pub things: Vec<usize>,
    /// The judge's answer: of several the most frequent, of numbers their mean.
    pub verdict: Vec<f64>,
    /// All answers of the judge.
    pub repeats: Vec<Vec<f64>>,
    /// What the judge predicts of each quantity (see [`AuditRows::quantities`]), within the range of its values.
    pub predicted: Vec<Vec<f64>>,
    /// How sure the judge says it is.
    pub confidence: Vec<Option<f64>>,
    /// Answers of people, with who gave them.
    pub humans: Vec<Vec<(usize, f64)>>,
    /// Columns of the people.
    pub annotators: Vec<String>,
    /// Groups, where a column names them.
    pub group: Option<Grouping>,
    /// Systems, where a column names them.
    pub system: Option<Grouping>,
    /// What the judge's error may depend on: lengths of texts and columns of numbers, by name.
    pub covariates: Vec<(String, Vec<Option<f64>>)>,
    /// The probability with which each row was chosen to be labelled, where a column has it.
    pub chances: Option<Vec<Option<f64>>>,
}

/// A quantity whose mean over all rows is estimated: a class's share, or the mean itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The share of a class, by its position.
    Share(usize),
    /// The mean.
    Mean,
}

impl Statistic {
    /// Its value where this is the answer.
    pub fn of(self, answer: f64) -> f64 {
        match self {
            Self::Share(class) => f64::from(u8::from(answer == class as f64)),
            Self::Mean => answer,
        }
    }
}

impl AuditRows {
    /// Reads a table; `chances` names the column with the probabilities of being labelled.
    ///
    /// # Errors
    /// No column with the judge's answers, answers that can't be read, a column that is not there.
    pub fn new(cells: &CellTable, mapping: &Mapping, chances: Option<&str>) -> Result<(Self, Vec<String>), String> {
        let columns =
            |role: Role| -> Vec<usize> { mapping.of(role).iter().filter_map(|name| cells.column(name)).collect() };
        let (verdict, score, probability) = (columns(Role::Verdict), columns(Role::Score), columns(Role::Probability));
        if verdict.is_empty() && score.is_empty() && probability.is_empty() {
            let names = cells.names.join(", ");
            return Err(format!(
                "no column holds the judge's answers; name it with --map verdict=COLUMN or --map score=COLUMN. The \
                 file has {names}"
            ));
        }
        let human = columns(Role::Human);
        let others = [Role::Confidence, Role::Number].map(columns).concat();
        measurable(cells, &[&verdict[..], &score, &probability, &human, &others].concat())?;
        let judge = if verdict.is_empty() { &score } else { &verdict };
        let judge = if judge.is_empty() { &probability[..1] } else { judge };
        let filled = |of: &[usize]| -> Vec<&str> {
            of.iter().flat_map(|&column| cells.filled(column)).filter_map(present).collect()
        };
        let answers = match &cells.study {
            Some(study) => AnswerCoding::from_scale(&study.scale),
            None => AnswerCoding::new(filled(judge).into_iter(), filled(&human).into_iter(), verdict.is_empty())?,
        };
        if let Some(bytes) = cells.bytes {
            check_items(cells.rows.len(), answers.classes().unwrap_or(NUMBERS), bytes).map_err(|exceeded| {
                format!("its {} rows are too many: {exceeded}; or audit a part of them", cells.rows.len())
            })?;
        }
        let mut notices = answers.notices.clone();
        let mut reading = TableReader { cells, answers, judge, probability: &probability, notices: &mut notices };
        let kept: Vec<usize> = (0..cells.rows.len()).filter(|&row| !reading.said(row).is_empty()).collect();
        let left_out = cells.rows.len() - kept.len();
        if left_out > 0 {
            reading.notices.push(format!("Left out: rows without an answer of the judge ({left_out})."));
        }
        let ends = reading.ends(&kept);
        let repeats: Vec<Vec<f64>> = kept.iter().map(|&row| reading.answers_of(row, ends)).collect();
        let verdict: Vec<f64> = repeats.iter().map(|said| reading.usual(said)).collect();
        let predicted = kept.iter().zip(&verdict).map(|(&row, said)| reading.predicted(row, *said, ends)).collect();
        let (humans, unread) = reading.humans(&kept, &human);
        if unread > 0 {
            reading.notices.push(format!("{unread} answers of people can't be read and count as missing."));
        }
        let answers = reading.answers;
        let (ids, things) = ids(cells, &kept, mapping);
        let confidence = match columns(Role::Confidence).first() {
            Some(&column) => kept.iter().map(|&row| present(&cells.rows[row][column]).and_then(number)).collect(),
            None => vec![None; kept.len()],
        };
        let grouping = |role: Role| mapping.one(role).map(|name| Grouping::new(cells, &kept, name));
        let chances = match chances {
            None => None,
            Some(name) => {
                let column = cells.column(name).ok_or_else(|| missing(name, &cells.names))?;
                Some(kept.iter().map(|&row| present(&cells.rows[row][column]).and_then(number)).collect())
            }
        };
        let rows = Self {
            ids,
            things,
            verdict,
            repeats,
            predicted,
            confidence,
            annotators: mapping.of(Role::Human).into_iter().map(str::to_owned).collect(),
            humans,
            group: grouping(Role::Group),
            system: grouping(Role::System),
            covariates: covariates(cells, &kept, mapping),
            chances,
            answers,
            kept,
        };
        Ok((rows, notices))
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The rows that people have labelled.
    pub fn labelled(&self) -> Vec<usize> {
        (0..self.len()).filter(|&row| !self.humans[row].is_empty()).collect()
    }

    /// What is estimated about all rows.
    pub fn quantities(&self) -> Vec<Statistic> {
        match self.answers.classes() {
            Some(2) => vec![Statistic::Share(1)],
            Some(classes) => (0..classes).map(Statistic::Share).collect(),
            None => vec![Statistic::Mean],
        }
    }

    /// How far two answers are apart: 0 or 1 for classes, the distance of numbers.
    pub fn apart(&self, one: f64, other: f64) -> f64 {
        match self.answers.classes() {
            Some(_) => f64::from(u8::from(one != other)),
            None => (one - other).abs(),
        }
    }

    /// How far an answer lies from those of the people of a row, on average.
    pub fn miss(&self, row: usize, answer: f64) -> f64 {
        mean(&self.humans[row].iter().map(|(_, human)| self.apart(answer, *human)).collect::<Vec<_>>())
    }

    /// How far the people of a row are apart, over their pairs; `None` where there is one person.
    pub fn between(&self, row: usize) -> Option<f64> {
        pairs(&self.humans[row].iter().map(|(_, human)| *human).collect::<Vec<_>>(), |a, b| self.apart(a, b))
    }

    /// How far the judge's answers about a row are apart; `None` where it gave one.
    pub fn within(&self, row: usize) -> Option<f64> {
        pairs(&self.repeats[row], |a, b| self.apart(a, b))
    }

    /// What the people of a row say of a quantity, on average; `None` where nobody labelled it.
    pub fn observed(&self, row: usize, quantity: Statistic) -> Option<f64> {
        let values: Vec<f64> = self.humans[row].iter().map(|(_, human)| quantity.of(*human)).collect();
        (!values.is_empty()).then(|| mean(&values))
    }
}

/// Refuses numbers whose squares are beyond what can be computed with.
fn measurable(cells: &CellTable, columns: &[usize]) -> Result<(), String> {
    for &column in columns {
        for (row, cells) in cells.rows.iter().enumerate() {
            let value = present(&cells[column]).and_then(number).unwrap_or_default().abs();
            if value > LARGEST || value > 0.0 && value < 1.0 / LARGEST {
                return Err(format!(
                    "row {}: {} is beyond what can be computed with: take another unit, so that numbers lie between \
                     -1e70 and 1e70 and those that are not 0 are 1e-70 or more from it",
                    row + 1,
                    cells[column].trim()
                ));
            }
        }
    }
    Ok(())
}

/// The mean over pairs.
fn pairs(values: &[f64], apart: impl Fn(f64, f64) -> f64) -> Option<f64> {
    let all: Vec<f64> =
        (0..values.len()).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| apart(values[i], values[j])).collect();
    (!all.is_empty()).then(|| mean(&all))
}

impl Grouping {
    fn new(cells: &CellTable, kept: &[usize], name: &str) -> Self {
        let column = cells.column(name).unwrap_or_default();
        let cell = |row: &usize| present(&cells.rows[*row][column]).unwrap_or("(none)").to_owned();
        let names: Vec<String> = kept.iter().map(cell).collect::<BTreeSet<_>>().into_iter().collect();
        let place: HashMap<&String, usize> = names.iter().enumerate().map(|(k, name)| (name, k)).collect();
        let of = kept.iter().map(|row| place[&cell(row)]).collect();
        Self { column: name.to_owned(), names, of }
    }

    /// The rows of a group.
    pub fn rows(&self, group: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|&row| self.of[row] == group).collect()
    }
}

/// A table on its way to numbers.
struct TableReader<'c> {
    cells: &'c CellTable,
    answers: AnswerCoding,
    judge: &'c [usize],
    probability: &'c [usize],
    notices: &'c mut Vec<String>,
}

impl TableReader<'_> {
    /// What the judge says of a row, as it stands there in numbers.
    fn said(&self, row: usize) -> Vec<f64> {
        let cell = |column: &usize| present(&self.cells.rows[row][*column]);
        self.judge.iter().filter_map(cell).filter_map(|cell| self.answers.of_judge(cell)).collect()
    }

    /// The ends of the judge's scores, where these stand for one of two answers.
    fn ends(&mut self, kept: &[usize]) -> Option<(f64, f64)> {
        if !self.answers.judge_scores {
            return None;
        }
        let all = kept.iter().flat_map(|&row| self.said(row));
        let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        let ends = if low >= 0.0 && high <= 1.0 { (0.0, 1.0) } else { (low, high) };
        let (name, good) = (&self.cells.names[self.judge[0]], self.answers.text(1.0));
        let middle = judge_uncertainty_system::numbers::three(0.5 * (ends.0 + ends.1));
        self.notices.push(format!(
            "{name} counts as {good} from {middle} up, the middle of its range; rates use the score itself."
        ));
        Some(ends)
    }

    fn answers_of(&self, row: usize, ends: Option<(f64, f64)>) -> Vec<f64> {
        let said = self.said(row);
        match ends {
            Some((low, high)) => said.into_iter().map(|x| f64::from(u8::from(x >= 0.5 * (low + high)))).collect(),
            None => said,
        }
    }

    /// The most frequent class, the first of several; the mean of numbers.
    fn usual(&self, said: &[f64]) -> f64 {
        match self.answers.classes() {
            None => mean(said),
            Some(classes) => {
                let count = |k: usize| said.iter().filter(|answer| **answer == k as f64).count();
                (0..classes).rev().max_by_key(|k| count(*k)).unwrap_or(0) as f64
            }
        }
    }

    /// What the judge predicts of each quantity.
    fn predicted(&self, row: usize, verdict: f64, ends: Option<(f64, f64)>) -> Vec<f64> {
        let stated = |column: usize| present(&self.cells.rows[row][column]).and_then(number);
        match (self.answers.classes(), ends) {
            (None, _) => vec![verdict],
            (Some(2), Some((low, high))) if high > low => vec![(mean(&self.said(row)) - low) / (high - low)],
            (Some(2), _) => {
                let share = self.said(row).iter().filter(|answer| **answer == 1.0).count() as f64;
                let stated = (self.probability.len() == 1).then(|| stated(self.probability[0])).flatten();
                vec![stated.unwrap_or(share / self.said(row).len() as f64)]
            }
            (Some(classes), _) => (0..classes).map(|k| Statistic::Share(k).of(verdict)).collect(),
        }
    }

    /// The answers of people to the rows that are kept, and how many of them can't be read.
    fn humans(&self, kept: &[usize], columns: &[usize]) -> (Vec<Vec<(usize, f64)>>, usize) {
        let mut unread = 0;
        let of = |row: &usize| {
            let given = columns.iter().enumerate().filter_map(|(who, &column)| {
                let cell = present(&self.cells.rows[*row][column])?;
                let answer = self.answers.of_human(cell);
                unread += usize::from(answer.is_none());
                Some((who, answer?))
            });
            given.collect()
        };
        (kept.iter().map(of).collect(), unread)
    }
}

/// An id for every row, each once, and the number of the thing that it is about.
fn ids(cells: &CellTable, kept: &[usize], mapping: &Mapping) -> (Vec<String>, Vec<usize>) {
    let column = mapping.one(Role::Id).and_then(|name| cells.column(name));
    let named: Vec<String> = kept
        .iter()
        .map(|&row| {
            let cell = column.and_then(|column| present(&cells.rows[row][column]));
            cell.map_or_else(|| format!("row {}", row + 1), str::to_owned)
        })
        .collect();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let things: Vec<usize> = named
        .iter()
        .map(|name| {
            let next = numbers.len();
            *numbers.entry(name.clone()).or_insert(next)
        })
        .collect();
    if numbers.len() == named.len() {
        return (named, things);
    }
    let system = mapping.one(Role::System).and_then(|name| cells.column(name));
    let with_system: Vec<String> = named
        .iter()
        .zip(kept)
        .map(|(name, &row)| system.map_or(name.clone(), |column| format!("{name}/{}", cells.rows[row][column].trim())))
        .collect();
    match with_system.iter().collect::<BTreeSet<_>>().len() == with_system.len() {
        true => (with_system, things),
        false => (named.iter().zip(kept).map(|(name, row)| format!("{name}/row {}", row + 1)).collect(), things),
    }
}

fn covariates(cells: &CellTable, kept: &[usize], mapping: &Mapping) -> Vec<(String, Vec<Option<f64>>)> {
    let of = |name: &str, value: &dyn Fn(&str) -> Option<f64>| {
        let column = cells.column(name).unwrap_or_default();
        kept.iter().map(|&row| present(&cells.rows[row][column]).and_then(value)).collect()
    };
    let lengths = mapping
        .of(Role::Text)
        .into_iter()
        .map(|name| (format!("length of {name}"), of(name, &|cell| Some(cell.chars().count() as f64))));
    let numbers = mapping.of(Role::Number).into_iter().map(|name| (name.to_owned(), of(name, &number)));
    lengths.chain(numbers).collect()
}
