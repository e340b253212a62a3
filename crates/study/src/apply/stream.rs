//! A belief applied to a stream of items, part by part.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ndarray::Array2;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::apply::applier::{AppliedRows, Applier, TIE_BREAK, priority_column};
use crate::apply::audited::{Answered, AuditedItems};
use crate::audit::{Audited, is_log};
use crate::belief_file::drift::{Drift, Tally};
use crate::error::Error;
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_familiarity::embedding::{Embedder, EmbeddingCache, Template, embed_texts, texts};
use judge_uncertainty_formats::batches::{Bad, Batch, Header, source};
use judge_uncertainty_formats::checksum::{hex, sha256_hex};
use judge_uncertainty_formats::error::Error as DataError;
use judge_uncertainty_formats::output::{Codec, ColumnValues, OutputColumn, dictionary, part_to_parquet};
use judge_uncertainty_system::faults::step;
use judge_uncertainty_system::progress::Progress;
use judge_uncertainty_system::{FileError, OutputFile, csv_text, ensure_folder, read, to_json, write_file};

/// Version of the layout of the record.
pub const SCHEMA: u32 = 1;

/// What is asked of a stream.
#[derive(Debug, Clone)]
pub struct ApplyRequest {
    /// Rows of a part.
    pub batch: usize,
    /// Parts that are computed at the same time, and so held in memory.
    pub at_once: usize,
    /// The queue, if one is wanted.
    pub queue: Option<Wanted>,
    /// Where rows go that can't be used; `None` to refuse them.
    pub set_aside: Option<PathBuf>,
    /// How the parts are compressed.
    pub codec: Codec,
}

/// Further items, as they are read.
#[derive(Debug)]
pub enum ItemsFile {
    /// A file with columns as the belief names them, read part by part; its header.
    Columns(PathBuf, Header),
    /// A table or a log that was read as `audit` reads it.
    Audited(Box<AuditedItems>),
}

impl ItemsFile {
    /// How files, or the files of folders, are read: as the belief names its columns where they have them, and otherwise as
    /// `audit` reads them, logs together and each table by itself. Each must have what the belief needs.
    ///
    /// # Errors
    /// A file that can't be read, or lacks what the belief needs.
    pub fn all(belief: &Applier, items: &[PathBuf]) -> Result<Vec<Self>, Error> {
        let mut files = vec![];
        for path in items {
            files.extend(if path.is_dir() { source::files(path)? } else { vec![path.clone()] });
        }
        let (mut found, mut logs) = (vec![], vec![]);
        for file in files {
            match source::open(&file, &belief.file.columns.id) {
                Ok(rows) if belief.reads_answers_of(rows.header()) => {
                    belief.check(rows.header())?;
                    let header = rows.header().clone();
                    found.push(Self::Columns(file, header));
                }
                Err(error @ DataError::Unreadable { .. }) => return Err(error.into()),
                _ if is_log(&file)? => logs.push(file),
                _ => found.push(Self::audited(belief, &[file])?),
            }
        }
        if !logs.is_empty() {
            found.push(Self::audited(belief, &logs)?);
        }
        Ok(found)
    }

    fn audited(belief: &Applier, files: &[PathBuf]) -> Result<Self, Error> {
        let items = belief.audited(files)?;
        belief.check_items(items.header())?;
        Ok(Self::Audited(Box::new(items)))
    }

    /// Bytes of the file; none of rows that are read already.
    fn bytes(&self) -> u64 {
        match self {
            Self::Columns(file, _) => file.metadata().map_or(0, |found| found.len()),
            Self::Audited(_) => 0,
        }
    }

    /// Whether it lacks a column with embeddings that is called `name`.
    pub fn lacks(&self, name: &str) -> bool {
        match self {
            Self::Columns(_, header) => !header.has(name),
            Self::Audited(items) => !items.header().has(name),
        }
    }
}

/// What embeds texts on the way.
pub struct Texts<'e> {
    /// The model.
    pub embedder: &'e mut dyn Embedder,
    /// Keeps embeddings, if they are to be kept.
    pub cache: Option<EmbeddingCache>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ApplySummary {
    /// Version of the layout.
    pub schema: u32,
    /// What wrote it.
    pub command: String,
    /// Version of the program.
    pub program: String,
    /// SHA-256 of the belief.
    pub belief: String,
    /// The kind of its labels.
    pub kind: &'static str,
    /// The files that were read, in order, with their rows.
    pub inputs: Vec<Input>,
    /// How the tables and logs were read that do not have the belief's own columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<Audited>,
    /// Rows that were read: those below and those set aside.
    pub rows: usize,
    /// Items in the parts.
    pub items: usize,
    /// Rows that were set aside.
    pub set_aside: usize,
    /// Parts.
    pub parts: usize,
    /// The queue that was asked for.
    pub queue: Option<OfQueue>,
    /// How far judge and features have moved from the fit.
    pub drift: Vec<Drift>,
    /// Every file of the folder.
    pub files: Vec<String>,
    /// Parts that were found, of an interrupted application; not part of the record.
    #[serde(skip)]
    pub found: usize,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Input {
    /// Its name.
    pub file: String,
    /// Rows, used or set aside.
    pub rows: usize,
}

/// A queue that was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfQueue {
    /// What was asked.
    #[serde(flatten)]
    pub wanted: Wanted,
    /// Items in it.
    pub items: usize,
}

/// Rows that wait for their turn.
struct Waiting {
    part: usize,
    header: Header,
    batch: Batch,
    /// What judge and people say, if it does not stand in the columns of the batch.
    answered: Option<Answered>,
    embeddings: Option<Array2<f32>>,
    made_from: String,
}

/// Applies a belief to a stream and writes it to a folder.
///
/// # Errors
/// A table that lacks what the belief needs, a row that can't be used unless such are set aside, a file that can't be
/// read or written. What is written by then is gone on with by the next call with the same arguments.
pub fn apply(
    belief: &Applier,
    (request, items): (&ApplyRequest, Vec<ItemsFile>),
    parts: PartsFolder,
    mut texts: Option<Texts<'_>>,
    progress: &dyn Progress,
) -> Result<ApplySummary, Error> {
    // The place of the rows set aside is held from the start.
    let aside = request.set_aside.as_deref().map(OutputFile::hold).transpose()?;
    let total: u64 = items.iter().map(ItemsFile::bytes).sum();
    progress.start("applying", total);
    let mut stream = StreamWriter { belief, request, parts, columns: None, found: 0, next: 0, read: vec![] };
    let (mut waiting, wanted) = (VecDeque::new(), belief.wanted());
    for file in items {
        match file {
            ItemsFile::Columns(file, _) => {
                let mut rows = source::open(&file, &belief.file.columns.id)?;
                belief.check(rows.header())?;
                let mut consumed = 0;
                while let Some(batch) = rows.next(&wanted, request.batch)? {
                    stream.take((rows.header(), None), (batch, String::new()), texts.as_mut(), &mut waiting)?;
                    progress.advance(rows.consumed() - consumed);
                    consumed = rows.consumed();
                }
            }
            ItemsFile::Audited(mut items) => {
                let header = items.header().clone();
                while let Some((batch, answered)) = items.next(&wanted, request.batch)? {
                    let sum = items.sum().to_owned();
                    stream.take((&header, Some(answered)), (batch, sum), texts.as_mut(), &mut waiting)?;
                }
                stream.read.push(items.audited);
            }
        }
    }
    stream.work(&mut waiting)?;
    progress.finish();
    stream.conclude(aside)
}

struct StreamWriter<'a> {
    belief: &'a Applier,
    request: &'a ApplyRequest,
    parts: PartsFolder,
    /// The columns of the parts, without their values.
    columns: Option<Vec<OutputColumn>>,
    found: usize,
    next: usize,
    /// How tables were read as `audit` reads them.
    read: Vec<Audited>,
}

impl StreamWriter<'_> {
    /// Takes some rows, unless they are done already, and computes what waits if it is much; `sum` is that of what the rows
    /// do not hold themselves.
    fn take(
        &mut self,
        (header, answered): (&Header, Option<Answered>),
        (batch, sum): (Batch, String),
        texts: Option<&mut Texts<'_>>,
        waiting: &mut VecDeque<Waiting>,
    ) -> Result<(), Error> {
        let part = self.next;
        self.next += 1;
        let made_from = self.made_from(&batch, &sum);
        // The first part is always computed, for its columns are those of all.
        if part > 0 && self.parts.done(part)?.is_some_and(|done| done.made_from == made_from) {
            self.found += 1;
            return Ok(());
        }
        let embeddings = match (texts, self.belief.text()) {
            (Some(texts), Some((_, template))) if !header.has(&self.belief.file.columns.embedding) => {
                Some(embedded(&batch, template, texts)?)
            }
            _ => None,
        };
        waiting.push_back(Waiting { part, header: header.clone(), batch, answered, embeddings, made_from });
        if waiting.len() >= self.request.at_once { self.work(waiting) } else { Ok(()) }
    }

    fn made_from(&self, batch: &Batch, beside: &str) -> String {
        let mut sum = Sha256::new();
        sum.update(beside);
        let request = (
            &self.belief.file.sha256,
            &self.belief.file.columns,
            &self.request.queue,
            self.request.set_aside.is_some(),
            self.request.codec,
        );
        sum.update(serde_json::to_vec(&request).expect("a request is plain data"));
        sum.update(env!("CARGO_PKG_VERSION"));
        batch.digest(&mut sum);
        hex(&sum.finalize())
    }

    /// Computes what waits, all at the same time, and writes it in order.
    fn work(&mut self, waiting: &mut VecDeque<Waiting>) -> Result<(), Error> {
        let waiting: Vec<Waiting> = waiting.drain(..).collect();
        let one = |waiting: &Waiting| -> Result<(Vec<u8>, AppliedRows), Error> {
            let (batch, embeddings) = (&waiting.batch, waiting.embeddings.as_ref());
            let rows = (batch, waiting.answered.as_ref());
            let applied = self.belief.apply(&waiting.header, rows, embeddings)?;
            Ok((part_to_parquet(&applied.columns, self.request.codec)?, applied))
        };
        let done: Vec<Result<(Vec<u8>, AppliedRows), Error>> = waiting.par_iter().map(one).collect();
        for (waiting, done) in waiting.into_iter().zip(done) {
            let (bytes, applied) = done?;
            let file = waiting.batch.table.file().to_owned();
            if let (None, Some(bad)) = (&self.request.set_aside, applied.refused()) {
                return Err(bad.refusal(&file).into());
            }
            let queue = self.request.queue.as_ref().map(|wanted| of_part(&applied.columns, waiting.part, wanted));
            let done = Done {
                made_from: waiting.made_from,
                sha256: sha256_hex(&bytes),
                rows: applied.columns.first().map_or(0, |column| column.values.len()),
                set_aside: applied.bad.iter().map(|bad| SetAside::new(bad, &file)).collect(),
                tallies: applied.tallies,
                queue: queue.unwrap_or_default(),
                file,
            };
            self.parts.write(waiting.part, &bytes, &done)?;
            self.columns.get_or_insert(applied.columns);
        }
        Ok(())
    }

    fn conclude(self, aside: Option<OutputFile>) -> Result<ApplySummary, Error> {
        let Self { belief, request, parts, columns, found, next, read } = self;
        let mut summary = ApplySummary {
            schema: SCHEMA,
            command: COMMAND.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            belief: belief.file.sha256.clone(),
            kind: belief.file.settings.scale.name(),
            inputs: vec![],
            read,
            rows: 0,
            items: 0,
            set_aside: 0,
            parts: next,
            queue: None,
            drift: vec![],
            files: (0..next).map(part_name).collect(),
            found,
        };
        let mut tallies: Vec<Tally> = belief.file.drift.iter().map(|baseline| baseline.tally()).collect();
        for part in 0..next {
            summary.add(&parts.known(part)?, &mut tallies);
        }
        let baselines = belief.file.drift.iter().zip(&tallies);
        summary.drift = baselines.map(|(baseline, tally)| baseline.drift(tally)).collect();
        parts.put(DICTIONARY, |file| file.write_all(&dictionary(&columns.unwrap_or_default())))?;
        summary.files.push(DICTIONARY.to_owned());
        if let Some(wanted) = &request.queue {
            let items = write_queue(&parts, next, wanted)?;
            summary.queue = Some(OfQueue { wanted: *wanted, items });
            summary.files.push(QUEUE.to_owned());
        }
        if let Some(aside) = aside {
            aside.write(|file| {
                for part in 0..next {
                    let done = parts.known(part).map_err(std::io::Error::other)?;
                    for row in done.set_aside {
                        serde_json::to_writer(&mut *file, &row)?;
                        file.write_all(b"\n")?;
                    }
                }
                Ok(())
            })?;
        }
        summary.files.push(RECORD.to_owned());
        summary.files.sort();
        let files = summary.files.clone();
        parts.close(next, &files, &summary)?;
        Ok(summary)
    }
}

impl ApplySummary {
    fn add(&mut self, done: &Done, tallies: &mut [Tally]) {
        let rows = done.rows + done.set_aside.len();
        let file = done.file.display().to_string();
        match self.inputs.last_mut() {
            Some(input) if input.file == file => input.rows += rows,
            _ => self.inputs.push(Input { file, rows }),
        }
        self.rows += rows;
        self.items += done.rows;
        self.set_aside += done.set_aside.len();
        tallies.iter_mut().zip(&done.tallies).for_each(|(sum, tally)| sum.merge(tally));
    }
}

/// Writes the queue and says how long it is: ranked where only so many are wanted, else in the order of the stream, so
/// that it need not be held in memory.
fn write_queue(parts: &PartsFolder, count: usize, wanted: &Wanted) -> Result<usize, Error> {
    let header = "place,id,priority,tie_break,part\n";
    let line = |place: usize, item: &QueuedItem| {
        let (priority, tie_break) = (format!("{:?}", item.priority), format!("{:?}", item.tie_break));
        let cells = vec![place.to_string(), item.id.clone(), priority, tie_break, item.part.to_string()];
        String::from_utf8(csv_text([cells])).expect("these cells are text")
    };
    let mut ranked = vec![];
    for part in (0..count).filter(|_| wanted.top.is_some()) {
        ranked.extend(parts.known(part)?.queue);
        ranked = first(ranked, wanted);
    }
    let mut place = 0;
    parts.put(QUEUE, |file| {
        write!(file, "{header}")?;
        for part in 0..count {
            let queue = match wanted.top {
                Some(_) => std::mem::take(&mut ranked),
                None => parts.known(part).map_err(std::io::Error::other)?.queue,
            };
            for item in queue {
                place += 1;
                write!(file, "{}", line(place, &item))?;
            }
        }
        Ok(())
    })?;
    Ok(place)
}

/// The embeddings of the texts of some rows.
///
/// # Errors
/// A model that fails, a cache that can't be written.
pub fn embedded(batch: &Batch, template: &Template, of: &mut Texts<'_>) -> Result<Array2<f32>, Error> {
    let texts = texts(&batch.table, template)?;
    if texts.is_empty() {
        return Ok(Array2::zeros((0, of.embedder.dimension())));
    }
    let silent = judge_uncertainty_system::progress::Silent;
    Ok(embed_texts(of.embedder, &texts, of.cache.as_mut(), &silent)?.matrix)
}

/// Whether a path lies within a folder; files that are written must not be among those that are read.
pub fn is_within(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

// The items of a stream that a rule escalates first.

/// Which items of a stream are kept: the first so many, those above a threshold, or the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// The rule.
    pub rule: Rule,
    /// How many; `None` for all above the threshold.
    pub top: Option<usize>,
    /// Least priority; `None` for any.
    pub threshold: Option<f64>,
}

/// An item of a queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueuedItem {
    /// Its priority; higher comes first.
    pub priority: f64,
    /// What breaks ties; higher comes first.
    pub tie_break: f64,
    /// Its id.
    pub id: String,
    /// The part of the output that holds it.
    pub part: usize,
}

impl QueuedItem {
    /// The more urgent comes first.
    fn place(&self, other: &Self) -> Ordering {
        let priorities = other.priority.total_cmp(&self.priority);
        priorities
            .then(other.tie_break.total_cmp(&self.tie_break))
            .then_with(|| self.id.cmp(&other.id))
            .then(self.part.cmp(&other.part))
    }
}

/// Those of some items that are wanted: most urgent first where only so many are, else in their order.
pub fn first(mut items: Vec<QueuedItem>, wanted: &Wanted) -> Vec<QueuedItem> {
    items.retain(|item| wanted.threshold.is_none_or(|threshold| item.priority >= threshold));
    if let Some(top) = wanted.top {
        items.sort_by(QueuedItem::place);
        items.truncate(top);
    }
    items
}

/// The items of a part that may be in the queue, as [`first`] has them.
pub fn of_part(columns: &[OutputColumn], part: usize, wanted: &Wanted) -> Vec<QueuedItem> {
    let numbers = |name: &str| match columns.iter().find(|column| column.name == name).map(|column| &column.values) {
        Some(ColumnValues::Number(values)) => values.as_slice(),
        _ => &[],
    };
    let (priorities, ties) = (numbers(&priority_column(wanted.rule)), numbers(TIE_BREAK));
    let Some(ColumnValues::Text(ids)) = columns.first().map(|column| &column.values) else { return vec![] };
    let items = ids.iter().zip(priorities).zip(ties).filter_map(|((id, priority), tie_break)| {
        let known = !priority.is_nan() && !tie_break.is_nan();
        known.then(|| QueuedItem { priority: *priority, tie_break: *tie_break, id: id.to_owned(), part })
    });
    first(items.collect(), wanted)
}

// The folder that a stream is written to, part by part.

/// The record of a folder that is whole.
pub const RECORD: &str = "apply.json";
/// The queue.
pub const QUEUE: &str = "queue.csv";
/// What each column means.
pub const DICTIONARY: &str = "columns.csv";
const PROGRESS: &str = ".progress";
/// The command that a record names.
pub(super) const COMMAND: &str = "judge-uncertainty apply";

/// What is known of a part that is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// SHA-256 of what the part depends on: the belief, the request, the rows that it was made from.
    pub made_from: String,
    /// SHA-256 of the part.
    pub sha256: String,
    /// The file that its rows stand in.
    pub file: PathBuf,
    /// Rows that could be used.
    pub rows: usize,
    /// Rows that could not.
    pub set_aside: Vec<SetAside>,
    /// Judge and features in the bins of the fit.
    pub tallies: Vec<Tally>,
    /// What of it may be in the queue.
    pub queue: Vec<QueuedItem>,
}

/// A row that could not be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetAside {
    /// The file that it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// Id of the item, if it has one.
    pub item: Option<String>,
    /// The column.
    pub column: Option<String>,
    /// What is wrong, and what to do about it.
    pub problem: String,
    /// The row as it stands in its file.
    pub row: Value,
}

impl SetAside {
    /// A row of a file.
    pub fn new(bad: &Bad, file: &Path) -> Self {
        Self {
            file: file.display().to_string(),
            line: bad.line,
            item: bad.item.clone(),
            column: bad.column.clone(),
            problem: format!("{}; {}", bad.problem, bad.problem.remedy()),
            row: bad.row.clone(),
        }
    }
}

/// A folder that is being written; no other process may write to it meanwhile.
#[derive(Debug)]
pub struct PartsFolder {
    folder: PathBuf,
    record: OutputFile,
}

/// Name of a part.
pub fn part_name(part: usize) -> String {
    format!("part-{part:05}.parquet")
}

fn is_part(name: &str, extension: &str) -> bool {
    let digits = name.strip_prefix("part-").and_then(|rest| rest.strip_suffix(extension));
    digits.is_some_and(|digits| digits.len() >= 5 && digits.bytes().all(|c| c.is_ascii_digit()))
}

/// Whether a file of the folder is one that an application writes; what a kill leaves beside a file included.
fn is_ours(name: &str) -> bool {
    let plain =
        name.strip_prefix('.').and_then(|name| name.split_once(".judge-uncertainty")).map_or(name, |(name, _)| name);
    [RECORD, QUEUE, DICTIONARY].contains(&plain)
        || is_part(plain, ".parquet")
        || is_part(plain, ".json")
        || plain == "made-by"
}

fn remove(path: &Path) -> Result<(), Error> {
    Ok(step().and_then(|()| fs::remove_file(path)).map_err(FileError::at(path, "removing"))?)
}

fn names(folder: &Path) -> Result<Vec<String>, Error> {
    Ok(read::names(folder).map_err(FileError::at(folder, "reading"))?)
}

impl PartsFolder {
    /// A folder that is absent or empty, or holds an application that was interrupted; one that is whole only if it is
    /// to be replaced.
    ///
    /// # Errors
    /// It holds something else, or a whole application; another process writes to it; it can't be written.
    pub fn open(folder: &Path, force: bool) -> Result<Self, Error> {
        let progress = folder.join(PROGRESS);
        let found = names(folder)?;
        // Nothing is ours without a sign of it.
        let marked = progress.join("made-by").is_file() || is_record(&folder.join(RECORD))?;
        let foreign = |name: &&String| {
            **name != PROGRESS && !(marked && is_ours(name)) && !name.ends_with(".judge-uncertainty.lock")
        };
        let within =
            names(&progress)?.into_iter().filter(|name| !is_ours(name)).map(|name| format!("{PROGRESS}/{name}"));
        if let Some(file) = found.iter().filter(foreign).cloned().chain(within).next() {
            return Err(judge_uncertainty_system::Error::Foreign { folder: folder.to_owned(), file }.into());
        }
        ensure_folder(folder)?;
        let record = OutputFile::hold(&folder.join(RECORD))?;
        let parts = Self { folder: folder.to_owned(), record };
        if folder.join(RECORD).exists() {
            parts.clear_progress()?;
            if !force {
                return Err(Error::Exists { folder: folder.to_owned() });
            }
            ensure_folder(&progress)?;
            write_file(&progress.join("made-by"), COMMAND.as_bytes())?;
            for name in names(folder)?.iter().filter(|name| is_ours(name) && !name.ends_with(".lock")) {
                remove(&folder.join(name))?;
            }
        }
        ensure_folder(&progress)?;
        if !progress.join("made-by").exists() {
            write_file(&progress.join("made-by"), COMMAND.as_bytes())?;
        }
        Ok(parts)
    }

    fn note(&self, part: usize) -> PathBuf {
        self.folder.join(PROGRESS).join(format!("part-{part:05}.json"))
    }

    /// What is known of a part; `None` if it is not written, or not whole.
    ///
    /// # Errors
    /// It is there and can't be read.
    pub fn done(&self, part: usize) -> Result<Option<Done>, Error> {
        let Some(text) = if_there(&self.note(part))? else { return Ok(None) };
        let Ok(done) = serde_json::from_slice::<Done>(&text) else { return Ok(None) };
        let bytes = if_there(&self.folder.join(part_name(part)))?;
        Ok(bytes.is_some_and(|bytes| sha256_hex(&bytes) == done.sha256).then_some(done))
    }

    /// Writes a part, and then what is known of it.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn write(&self, part: usize, bytes: &[u8], done: &Done) -> Result<(), Error> {
        write_file(&self.folder.join(part_name(part)), bytes)?;
        Ok(write_file(&self.note(part), to_json(done).as_bytes())?)
    }

    /// What is known of a part that this application wrote or found.
    ///
    /// # Errors
    /// It is gone meanwhile.
    pub fn known(&self, part: usize) -> Result<Done, Error> {
        let path = self.note(part);
        let text = read::bytes(&path).map_err(FileError::at(&path, "reading"))?;
        Ok(serde_json::from_slice(&text).map_err(|e| FileError::at(&path, "reading")(e.into()))?)
    }

    /// Writes a file beside the parts.
    ///
    /// # Errors
    /// The file system refuses, also while `fill` writes.
    pub fn put(&self, name: &str, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
        Ok(OutputFile::hold(&self.folder.join(name))?.write(|file| fill(file))?)
    }

    /// Closes the folder: what no part of it is left of is removed, and the record is written last.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn close(self, parts: usize, files: &[String], record: &impl Serialize) -> Result<(), Error> {
        for name in names(&self.folder)? {
            let stale = is_part(&name, ".parquet") && !(0..parts).any(|part| part_name(part) == name);
            let unasked = [QUEUE, DICTIONARY].contains(&name.as_str()) && !files.contains(&name);
            if stale || unasked {
                remove(&self.folder.join(name))?;
            }
        }
        self.record.write(|file| file.write_all(to_json(record).as_bytes()))?;
        self.clear_progress()
    }

    fn clear_progress(&self) -> Result<(), Error> {
        let progress = self.folder.join(PROGRESS);
        if !progress.is_dir() {
            return Ok(());
        }
        // The sign goes last.
        let mut found = names(&progress)?;
        found.sort_by_key(|name| name == "made-by");
        for name in found.iter().filter(|name| is_ours(name)) {
            remove(&progress.join(name))?;
        }
        Ok(step().and_then(|()| fs::remove_dir(&progress)).map_err(FileError::at(&progress, "removing"))?)
    }
}

fn if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    Ok(read::bytes_if_there(path).map_err(FileError::at(path, "reading"))?)
}

fn is_record(path: &Path) -> Result<bool, Error> {
    let record: Option<Value> = if_there(path)?.and_then(|text| serde_json::from_slice(&text).ok());
    Ok(record.is_some_and(|record| record.get("command").and_then(Value::as_str) == Some(COMMAND)))
}

#[cfg(test)]
mod tests_of_queue {
    use super::*;

    #[test]
    fn the_first_are_kept_with_their_ties_broken() {
        let wanted = Wanted { rule: Rule::Info, top: Some(3), threshold: Some(0.1) };
        let items = [(0.5, 0.1), (0.2, 0.9), (0.05, 1.0), (0.5, 0.2), (0.3, 0.0)].into_iter().enumerate();
        let item =
            |(k, (priority, tie_break)): (usize, _)| QueuedItem { priority, tie_break, id: k.to_string(), part: 0 };
        let ids: Vec<String> = first(items.map(item).collect(), &wanted).into_iter().map(|item| item.id).collect();
        assert_eq!(ids, ["3", "0", "4"]);
    }
}
