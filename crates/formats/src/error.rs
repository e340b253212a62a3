//! What is wrong with an input, where, and what to do about it.
//!
//! Every reader reports through the same two parts: a [`Place`] (file, line, column, item) and a [`Problem`] (with the
//! value that was found). They are put into words here and nowhere else:
//!
//! ```text
//! labels.csv:3:4 (column "n", item "4718146904.jpg#2r1n"): "-94" is not a count; write a whole number of 0 or more
//! ```

use std::path::{Path, PathBuf};
use std::{fmt, io};

use judge_uncertainty_system::limits::Exceeded;
use judge_uncertainty_system::read;

/// Result of reading or checking an input.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an input was refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Error {
    /// The file could not be read at all; the operating system's reason is the source.
    #[error("cannot read {}; {}", file.display(), hint(file))]
    Unreadable { file: PathBuf, source: io::Error },
    /// The content is wrong.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// The content is wrong in several places; the message lists the first ones and counts the others.
    #[error("{}{}", first.join("\n"), if *more > 0 { format!("\nand {more} more like these") } else { String::new() })]
    Several { first: Vec<String>, more: usize },
}

/// How many faults of one file a message lists.
const MOST_TOLD: usize = 5;

/// Faults of one file: the first of them, and how many more.
#[derive(Debug, Default)]
pub struct Faults {
    first: Vec<Error>,
    more: usize,
}

impl Faults {
    /// Notes one more.
    pub fn add(&mut self, fault: Error) {
        match self.first.len() < MOST_TOLD {
            true => self.first.push(fault),
            false => self.more += 1,
        }
    }

    /// All faults as one error; `Ok` without any.
    ///
    /// # Errors
    /// These.
    pub fn told(mut self) -> Result<()> {
        match self.first.len() {
            0 => Ok(()),
            1 => Err(self.first.remove(0)),
            _ => Err(Error::Several { first: self.first.iter().map(Error::to_string).collect(), more: self.more }),
        }
    }
}

/// What to do about a file that can't be read: the similar name in its folder that was perhaps meant.
fn hint(file: &Path) -> String {
    let check = "check that the file exists and may be read".to_owned();
    let Some(name) = file.file_name().filter(|_| !file.exists()) else { return check };
    let parent = file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let beside = read::names(parent).unwrap_or_default();
    match similar(&name.to_string_lossy(), beside.iter().map(String::as_str)) {
        Some(meant) => format!("there is no such file; did you mean {}?", file.with_file_name(meant).display()),
        None => check,
    }
}

impl Error {
    /// Refuses the content of `place` because of `problem`.
    pub fn refused(place: Place, problem: Problem) -> Self {
        Error::Refused(Box::new(Refusal { place, problem }))
    }

    /// Refuses the content of `place` with this reason and this remedy.
    pub fn unfit(place: Place, reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::refused(place, Problem::unfit(reason, remedy))
    }

    /// That a file or folder can't be read.
    pub fn unreadable(file: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::Unreadable { file: file.to_owned(), source }
    }

    /// Refuses what needs more of something than its limit allows.
    pub(crate) fn too_much(place: Place) -> impl FnOnce(Exceeded) -> Self {
        |exceeded| Self::unfit(place, exceeded.reason(), exceeded.remedy())
    }

    /// This error about something in `file`, where no file is named yet.
    pub fn in_file(mut self, file: &Path) -> Self {
        if let Error::Refused(refusal) = &mut self {
            refusal.place.file.get_or_insert_with(|| file.to_path_buf());
        }
        self
    }
}

/// A problem and its place.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}; {}", problem.remedy())]
pub struct Refusal {
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub problem: Problem,
}

/// A place in an input, as exactly as it is known.
///
/// Shown as `file:line:column (column "name", item "id")`, without the parts that are not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file; `None` for data that did not come from a file.
    pub file: Option<PathBuf>,
    /// Line in the file, from 1.
    pub line: Option<u64>,
    /// Number of the column, from 1: fields of a table are counted, characters of other text.
    pub number: Option<usize>,
    /// Name of the column, or of the field of a JSON object.
    pub column: Option<String>,
    /// Id of the item.
    pub item: Option<String>,
}

impl Place {
    /// A whole file.
    pub fn file(file: &Path) -> Self {
        Place { file: Some(file.to_path_buf()), ..Place::default() }
    }

    /// An item, wherever it came from.
    pub fn item(id: &str) -> Self {
        Place::default().of_item(id)
    }

    /// This place, at this line.
    pub fn at_line(self, line: u64) -> Self {
        Place { line: Some(line), ..self }
    }

    /// This place, in this column (`index` from 0).
    pub fn in_column(self, index: usize, name: &str) -> Self {
        self.at_character(index + 1).in_field(name)
    }

    /// This place, in this field of a JSON object.
    pub fn in_field(self, name: &str) -> Self {
        Place { column: Some(name.to_owned()), ..self }
    }

    /// This place, at this character of the line, from 1.
    pub fn at_character(self, number: usize) -> Self {
        Place { number: Some(number), ..self }
    }

    /// This place, belonging to this item.
    pub fn of_item(self, id: &str) -> Self {
        Place { item: Some(id.to_owned()), ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.as_ref().map(|file| file.display().to_string());
        let line = self.line.map(|line| line.to_string());
        let number = self.number.map(|number| number.to_string());
        let position = [file, line, number].into_iter().flatten().collect::<Vec<_>>().join(":");
        let column = self.column.as_ref().map(|name| format!("column {:?}", excerpt(name)));
        let item = self.item.as_ref().map(|id| format!("item {:?}", excerpt(id)));
        let names = [column, item].into_iter().flatten().collect::<Vec<_>>().join(", ");
        match (position.as_str(), names.as_str()) {
            ("", "") => f.write_str("input"),
            ("", only) | (only, "") => f.write_str(only),
            (position, names) => write!(f, "{position} ({names})"),
        }
    }
}

/// What is wrong; [`Problem::remedy`] says what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum Problem {
    #[error("the table has no rows")]
    NoRows,
    #[error("the text is not valid UTF-8")]
    NotUtf8,
    /// A row that is shorter or longer than the header; `row` is its text.
    #[error("{found} columns where the header has {expected}: {row:?}")]
    ColumnCount { found: usize, expected: usize, row: String },
    #[error("the header has no column {:?}", excerpt(name))]
    MissingColumn { name: String, expected: Vec<String>, found: Vec<String> },
    #[error("the column {:?} appears twice in the header", excerpt(name))]
    DuplicateColumn { name: String },

    #[error("the cell is blank (\"\")")]
    Blank,
    #[error("{value:?} is not a number")]
    NotANumber { value: String },
    #[error("{} is outside the range {}", short(*value), range(*low, *high))]
    OutOfRange { value: f64, low: f64, high: f64 },
    #[error("{:?} is not one of {}", excerpt(value), list(allowed))]
    NotOneOf { value: String, allowed: Vec<String> },

    /// An id that was there before; `first_line` is known for ids from a file.
    #[error("the id {:?} appears twice{}", excerpt(id),
        first_line.map_or_else(String::new, |line| format!(", first in line {line}")))]
    DuplicateId { id: String, first_line: Option<u64> },
    #[error("the id {:?} is unknown: {reference} does not have it", excerpt(id))]
    UnknownId { id: String, reference: String },
    #[error("no row for the id {:?} of {reference}", excerpt(id))]
    MissingId { id: String, reference: String },
    #[error("the id is {found:?} where {expected:?} is due")]
    IdOrder { found: String, expected: String },

    #[error("the answer {values:?} is not a distribution over the {classes} classes")]
    NotADistribution { values: Vec<f64>, classes: usize },
    #[error("the answer {cells:?} is blank for some of its classes")]
    PartialAnswer { cells: Vec<String> },
    #[error("no prompt variant has an answer")]
    NoAnswer,

    /// Text that is not JSON of the form needed.
    #[error("not {expected}: {}", brief(reason))]
    NotJson { reason: String, expected: &'static str },
    #[error("{} appears twice, first in line {first_line}", brief(what))]
    Repeated { what: String, first_line: u64 },

    /// A file that is not as it was written, or not as a command needs it; `remedy` says what to do.
    #[error("{}", brief(reason))]
    Unfit { reason: String, remedy: String },

    #[error("not a NumPy matrix: {}", brief(reason))]
    NotAMatrix { reason: String },
    #[error("its shape is {found}, not {expected}")]
    Shape { found: String, expected: String },
    /// A number of a matrix that is not finite; rows and columns count from 0, as NumPy's do.
    #[error("the value at [{row}, {column}] is {value}, not a finite 32-bit number")]
    NotFinite { value: f32, row: usize, column: usize },
}

impl Problem {
    /// A problem and its remedy in words of their own.
    pub fn unfit(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Problem::Unfit { reason: reason.into(), remedy: remedy.into() }
    }

    /// What the reader of the message can do.
    pub fn remedy(&self) -> String {
        let remedy = match self {
            Problem::NoRows => "give it a header line and at least one row",
            Problem::NotUtf8 => "save it in the encoding UTF-8",
            Problem::ColumnCount { .. } => "give the row one cell per column and put quotes around cells with commas",
            Problem::MissingColumn { name, expected, found } => return missing_column(name, expected, found),
            Problem::DuplicateColumn { .. } => "rename or remove one of the two",
            Problem::Blank => "fill the cell in",
            Problem::NotANumber { .. } => {
                "write a decimal number such as 0.25, or leave the cell blank if it may be missing"
            }
            Problem::OutOfRange { .. } => "write a number within the range",
            Problem::NotOneOf { value, allowed } => match near(value, allowed.iter().map(String::as_str)) {
                Some(near) => return format!("write {near:?}"),
                None => "write one of these",
            },
            Problem::DuplicateId { .. } => "keep one row per item",
            Problem::UnknownId { .. } => "correct the id or remove its row",
            Problem::MissingId { .. } => "add the row, or remove the item from the other file",
            Problem::IdOrder { .. } => "number the rows 0, 1, 2, ... in order, without gaps",
            Problem::NotADistribution { .. } => "give one finite number of 0 or more per class, not all of them 0",
            Problem::PartialAnswer { .. } => "fill in all classes (0 for none), or leave all of them blank",
            Problem::NoAnswer => "add an answer of the judge, or remove the item",
            Problem::NotJson { .. } => "write one JSON object per line, or check how the file was made",
            Problem::Repeated { .. } => "keep one of the two rows",
            Problem::Unfit { remedy, .. } => remedy,
            Problem::NotAMatrix { .. } => {
                "write it with numpy.save as a two-dimensional array of 16, 32 or 64-bit floats"
            }
            Problem::Shape { .. } => "give it one row per item and the columns named",
            Problem::NotFinite { .. } => "compute the row of this item again",
        };
        remedy.to_owned()
    }
}

/// What to do about a column that is not there: the one that is meant, if case or blanks alone are different.
fn missing_column(name: &str, expected: &[String], found: &[String]) -> String {
    let plain = |text: &str| text.trim().trim_start_matches('\u{feff}').to_lowercase();
    // A header that is not divided is seen whole.
    let meant = |found: &String| found.split([';', '\t']).find(|part| plain(part) == plain(name)).map(str::to_owned);
    if let Some(other) = found.iter().find_map(meant) {
        return format!("write {} instead of {:?}", excerpt(name), excerpt(&other));
    }
    let columns = if expected.len() == 1 { "column" } else { "columns" };
    format!("the table needs the {columns} {}, and has {}", list(expected), some(found, 12))
}

/// The name that is most likely meant: another one only by case, by blanks around it, or as a number (`1.0` for `1`).
pub fn near<'n>(value: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // An apostrophe in front is how spreadsheets keep a text from being taken for a formula.
    let plain = |text: &str| text.trim().trim_start_matches('\'').to_lowercase();
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let (wanted, wanted_number) = (plain(value), number(value));
    let mut names = names.filter(|name| *name != value);
    names.find(|name| plain(name) == wanted || wanted_number.is_some() && number(name) == wanted_number)
}

/// The name that is most likely meant where one is misspelt.
pub fn similar<'n>(value: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    /// Below, two names are not alike (Winkler 1990): `verdct` and `verdict` have 0.97, `text` and `topic` 0.68.
    const ALIKE: f64 = 0.85;
    let likeness = |name: &str| strsim::jaro_winkler(&value.to_lowercase(), &name.to_lowercase());
    let alike = names.clone().map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness >= ALIKE);
    near(value, names).or_else(|| alike.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name))
}

/// A range in words; an end at the largest finite number is left out.
fn range(low: f64, high: f64) -> String {
    let (from, to) = (short(low), short(high));
    if high == f64::MAX { format!("of {from} and more") } else { format!("from {from} to {to}") }
}

/// A number in few characters, so that 1e308 does not fill 309 digits.
pub fn short(value: f64) -> String {
    let plain = value == 0.0 || (1e-7..1e16).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// The start of a cell, row or name for a message: an unclosed quote can make a cell of half a file.
pub fn excerpt(text: &str) -> String {
    start(text, 80)
}

/// The start of a reason: what a parser says may repeat the text that it could not read.
pub fn brief(reason: &str) -> String {
    start(reason, 600)
}

fn start(text: &str, most: usize) -> String {
    let mut start: String = text.chars().take(most).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

/// Names as a person lists them.
pub fn list(names: &[String]) -> String {
    some(names, 20)
}

/// At most so many names as a person lists them.
fn some(names: &[String], most: usize) -> String {
    let shown = names.iter().take(most).map(|name| excerpt(name)).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(most);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_shows_the_parts_that_are_known() {
        let file = Place::file(Path::new("data/labels.csv"));
        assert_eq!(Place::default().to_string(), "input");
        assert_eq!(Place::item("a").to_string(), "item \"a\"");
        assert_eq!(file.to_string(), "data/labels.csv");
        assert_eq!(file.clone().at_line(3).to_string(), "data/labels.csv:3");
        assert_eq!(
            file.at_line(3).in_column(3, "n").of_item("47#2").to_string(),
            "data/labels.csv:3:4 (column \"n\", item \"47#2\")"
        );
    }

    #[test]
    fn near_names_are_those_that_are_likely_meant() {
        let names = ["Yes", "no", "7", "1"];
        let cases =
            [("yes ", Some("Yes")), ("007", Some("7")), ("1.0", Some("1")), ("no", None), ("y", None), ("NaN", None)];
        for (value, expected) in cases {
            assert_eq!(near(value, names.into_iter()), expected, "{value}");
        }
        let allowed = names.map(str::to_owned).to_vec();
        let problem = Problem::NotOneOf { value: "1.0".to_owned(), allowed };
        assert_eq!(problem.remedy(), "write \"1\"");
    }

    #[test]
    fn long_cells_are_shortened() {
        let long = "x".repeat(200_000);
        let problems = [
            Problem::UnknownId { id: long.clone(), reference: "items.csv".to_owned() },
            Problem::NotOneOf { value: long.clone(), allowed: vec![long.clone()] },
            Problem::NotJson { reason: long.clone(), expected: "a JSON object" },
            Problem::unfit(long.clone(), "shorten it"),
        ];
        for problem in problems {
            let error = Error::refused(Place::file(Path::new("t.csv")).of_item(&long), problem).to_string();
            assert!(error.len() < 1000 && error.contains("xx…"), "{error}");
        }
    }

    #[test]
    fn a_refusal_says_place_value_and_remedy() {
        let problem = Problem::unfit("\"-94\" is not a count", "write a whole number of 0 or more");
        let error = Error::refused(Place::file(Path::new("labels.csv")).at_line(3).in_column(3, "n"), problem);
        assert_eq!(
            error.to_string(),
            "labels.csv:3:4 (column \"n\"): \"-94\" is not a count; write a whole number of 0 or more"
        );
    }
}
