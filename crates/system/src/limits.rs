//! Limits of memory and time, and the one way of raising them.
//!
//! A file or an option can ask for far more work than its size lets expect: 20,000 lines of JSON with a name of their
//! own each are a table of 400 million cells. What asks for more than a limit is refused, with what it asks for and the
//! limit. Whoever means it sets the environment variable [`VARIABLE`] to a whole number, by which every limit is
//! multiplied.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that raises all limits: `JUDGE_UNCERTAINTY_LIMITS=10` makes each ten times as high.
pub const VARIABLE: &str = "JUDGE_UNCERTAINTY_LIMITS";

/// How much of something is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is counted.
    pub unit: &'static str,
    /// How many are taken without further ado.
    pub most: u64,
    /// How many more for every byte of the file that they come from.
    pub per_byte: u64,
}

/// Bytes that a compressed file unpacks to, all its members or pages together.
pub const UNPACKED: Limit = Limit { unit: "bytes to unpack the file", most: 64 << 20, per_byte: 20 };
/// Bytes of memory that rows, cells and values of a compressed file take: one that is repeated takes next to nothing in
/// the file.
pub const HELD: Limit = Limit { unit: "bytes of memory to hold the file's content", most: 32 << 20, per_byte: 100 };
/// Bytes of the records of a log: each criterion of an item is a record, and a table of its own with all fields of the item,
/// so that a sample with many scores multiplies its texts.
pub const RECORDS: Limit = Limit { unit: "bytes of memory to hold the log's records", most: 24 << 20, per_byte: 40 };
/// Cells that a table of JSON objects has only because other objects have such a field: 8 bytes each.
pub const ABSENT_FIELDS: Limit = Limit::new("fields that single objects lack", 8_000_000, 2);
/// Bytes of the names of a table's columns, where objects within objects are flattened: the name of an object stands
/// before that of each of its fields, so that 1 MB could become 22 GB. For one object, further ones for each of its
/// bytes.
pub const NAMES: Limit = Limit { unit: "bytes of names of fields", most: 2 << 20, per_byte: 1 };
/// Bytes of the texts of items, which a template may make longer than the cells that it names.
pub const TEXTS: Limit = Limit { unit: "bytes of texts that a template makes", most: 16 << 20, per_byte: 8 };
/// Bytes of memory in which items are held, fitted and ranked, for the first megabyte of a file; further ones for each
/// byte beyond it. The program itself takes 20 MB.
pub const ITEMS: Limit =
    Limit { unit: "bytes of memory to hold, fit and rank its items", most: 140_000_000, per_byte: 1000 };
/// Criteria of a log; a study is made for each.
pub const CRITERIA: Limit = Limit::new("criteria with a study each", 500, 0);
/// Rows of one cluster that a queue keeps together, for one person to label.
pub const ROWS_TOGETHER: Limit = Limit::new("rows of one cluster in a queue", 1000, 0);
/// Batches of texts that a sentence model embeds at the same time; with ONNX Runtime each takes a copy of the model in
/// memory.
pub const MODEL_SESSIONS: Limit = Limit::new("batches that a sentence model embeds at the same time", 16, 0);
/// Bytes of memory in which a sentence model is loaded and tried on a few words.
pub const MODEL: Limit = Limit { unit: "bytes of memory to load a sentence model", most: 112 << 20, per_byte: 40 };
/// Bytes that a tokenizer may make of one text.
pub const TOKENIZED: Limit = Limit::new("bytes that the tokenizer may make of it", 32 << 20, 0);
/// Bytes of an answer that are read in vain in search of a JSON object.
pub const BYTES_IN_VAIN: Limit = Limit::new("bytes of an answer read in vain", 4_000_000, 0);

/// More than a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit as it stands, raised or not.
    limit: Limit,
    /// By what it is multiplied.
    factor: u64,
    found: u64,
}

impl Limit {
    const fn new(unit: &'static str, most: u64, per_byte: u64) -> Self {
        Self { unit, most, per_byte }
    }

    /// The limit for what comes from a file of so many bytes.
    pub const fn for_file(self, bytes: u64) -> Self {
        Self { most: self.most.saturating_add(self.per_byte.saturating_mul(bytes)), per_byte: 0, ..self }
    }

    /// How many are taken: [`Self::most`], multiplied as [`VARIABLE`] says.
    pub fn now(&self) -> u64 {
        self.most.saturating_mul(factor())
    }

    /// Holds a number against the limit.
    ///
    /// # Errors
    /// It is higher.
    pub fn check(&self, found: u64) -> Result<(), Exceeded> {
        self.check_raised(found, factor())
    }

    fn check_raised(&self, found: u64, factor: u64) -> Result<(), Exceeded> {
        let within = found <= self.most.saturating_mul(factor);
        if within { Ok(()) } else { Err(Exceeded { limit: *self, factor, found }) }
    }
}

/// As many classes take the memory of a number, for [`check_items`].
pub const OF_NUMBERS: usize = 15;

/// Whether so many items with so many labels, with answers of so many classes ([`OF_NUMBERS`] for numbers) and so many
/// features, about so many systems that are compared in pairs, read from files of so many bytes together, take no more memory
/// than [`ITEMS`]: 470 bytes for each item, 70 for each of its classes, 48 for each of its features, 500 for each label, and for
/// each system 24 for each label and 500 for each other system.
///
/// # Errors
/// They do.
pub fn check_items(
    (items, labels, systems): (usize, usize, usize),
    (classes, features): (usize, usize),
    bytes: u64,
) -> Result<(), Exceeded> {
    let of_items = (items as u64).saturating_mul((470 + 70 * classes + 48 * features) as u64);
    let [labels, systems] = [labels, systems].map(|many| many as u64);
    let of_systems = systems.saturating_mul(24 * labels + 500 * systems);
    let taken = of_items.saturating_add(labels.saturating_mul(500)).saturating_add(of_systems);
    ITEMS.for_file(bytes.saturating_sub(1_000_000)).check(taken)
}

/// Whether so many new labels, from a file of so many bytes, take no more memory than [`ITEMS`] while they are checked: 1000
/// bytes each.
///
/// # Errors
/// They do.
pub fn check_labels(labels: usize, bytes: u64) -> Result<(), Exceeded> {
    ITEMS.for_file(bytes.saturating_sub(1_000_000)).check((labels as u64).saturating_mul(1000))
}

impl Exceeded {
    /// What is too much.
    pub fn reason(&self) -> String {
        let most = self.limit.most.saturating_mul(self.factor);
        format!("it takes {} {}, and the limit is {most}", self.found, self.limit.unit)
    }

    /// How the limit is raised.
    pub fn remedy(&self) -> String {
        let needed = self.found.div_ceil(self.limit.most.max(1));
        format!("if that is meant, set {VARIABLE}={needed} in the environment, by which every limit is multiplied")
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason(), self.remedy())
    }
}

impl std::error::Error for Exceeded {}

/// What one file may take of something, counted as it is read; readers of its parts share it.
#[derive(Debug)]
pub struct Allowance {
    limit: Limit,
    taken: AtomicU64,
}

impl Allowance {
    /// Nothing taken yet.
    pub const fn new(limit: Limit) -> Self {
        Self { limit, taken: AtomicU64::new(0) }
    }

    /// Takes some.
    ///
    /// # Errors
    /// It is more than is left.
    pub fn take(&self, amount: u64) -> Result<(), Exceeded> {
        let before = self.taken.fetch_add(amount, Ordering::Relaxed);
        self.limit.check(before.saturating_add(amount))
    }

    /// How much is left.
    pub fn left(&self) -> u64 {
        self.limit.now().saturating_sub(self.taken.load(Ordering::Relaxed))
    }
}

/// Lets this process take so many bytes of memory and no more: a request beyond them aborts it. Does nothing where the
/// system knows no such limit.
pub fn hold_memory(most: u64) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Data).maximum;
        let most = maximum.map_or(most, |maximum| maximum.min(most));
        // A limit that is lower than what is in use already, or that may not be set, leaves the process as it was.
        let _ = setrlimit(Resource::Data, Rlimit { current: Some(most), maximum });
    }
    #[cfg(not(unix))]
    let _ = most;
}

/// By what limits are multiplied.
fn factor() -> u64 {
    static FACTOR: OnceLock<u64> = OnceLock::new();
    // What is no number is refused where the program starts.
    *FACTOR.get_or_init(|| read(std::env::var_os(VARIABLE)).unwrap_or(1))
}

/// Checks that [`VARIABLE`] is a whole number of 1 or more, if it is set.
///
/// # Errors
/// What is wrong with it.
pub fn check_variable() -> Result<(), String> {
    read(std::env::var_os(VARIABLE)).map(drop)
}

fn read(value: Option<std::ffi::OsString>) -> Result<u64, String> {
    let Some(value) = value else { return Ok(1) };
    let text = value.to_string_lossy();
    text.parse().ok().filter(|factor| *factor > 0).ok_or_else(|| {
        format!(
            "the environment variable {VARIABLE} is {text:?}, not a whole number of 1 or more; every limit is \
                 multiplied by it"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_what_is_too_much_and_how_it_is_raised() {
        let limit = Limit::new("things", 80, 2).for_file(10);
        assert_eq!(limit.check_raised(100, 1), Ok(()));
        let exceeded = limit.check_raised(2001, 2).unwrap_err();
        assert_eq!(
            exceeded.to_string(),
            "it takes 2001 things, and the limit is 200; if that is meant, set JUDGE_UNCERTAINTY_LIMITS=21 in the \
             environment, by which every limit is multiplied"
        );
        assert_eq!(limit.check_raised(2001, 21), Ok(()));
        assert_eq!(limit.check_raised(u64::MAX, u64::MAX), Ok(()));
    }

    #[test]
    fn what_a_file_may_take_is_counted_together() {
        let budget = Allowance::new(Limit::new("bytes", 5, 1).for_file(5));
        assert_eq!((budget.take(4), budget.left()), (Ok(()), 6));
        assert!(budget.take(7).is_err());
        assert_eq!(budget.left(), 0);
    }

    #[test]
    fn the_variable_is_a_whole_number() {
        assert_eq!(read(None), Ok(1));
        assert_eq!(read(Some("10".into())), Ok(10));
        for bad in ["", "0", "-1", "2.5", "many"] {
            assert!(read(Some(bad.into())).unwrap_err().contains("JUDGE_UNCERTAINTY_LIMITS is"), "{bad}");
        }
    }
}
