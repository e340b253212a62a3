//! The queue as files: for annotators, for programs, and the private record of how it was chosen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::input::label_store::{LabelBatch, QUEUE_RECORD, sum_in};
use crate::input::question::{Asked, Criterion};
use crate::queue::fill::SentItem;
use crate::queue::tools::workbook;
use crate::queue::{Amount, Order, tools};
use judge_uncertainty_core::escalation::{Rule, Selection};
use judge_uncertainty_formats::checksum::{read_file, sha256_hex};
use judge_uncertainty_formats::error::{Error as DataError, Place, Problem, Result};

use judge_uncertainty_formats::items::ItemIds;
use judge_uncertainty_formats::output::{ColumnValues, OutputColumn, to_parquet};
use judge_uncertainty_formats::table::{DataTable, Row};
use judge_uncertainty_system::{Record, Staged, csv_text, json_lines};

/// Writes all files of a queue, whose items are in `tasks`, in the order of their ranks; its `record` names them.
///
/// # Errors
/// A file that can't be encoded.
pub(super) fn write_files(
    mut record: QueueRecord,
    tasks: &[QueueTask],
    asked: Asked<'_>,
) -> Result<(Staged, QueueRecord), crate::Error> {
    let mut staged = Staged::default();
    let columns = columns(&record, tasks);
    staged.put("queue.csv", csv_rows(&columns));
    staged.put("queue.jsonl", entries(&columns, &record, tasks));
    staged.put("queue.parquet", to_parquet(&columns)?);
    staged.put("selection.csv", selection(tasks, record.batches_before));
    let sheet = tools::Sheet { record: &record, tasks, asked };
    staged.put("label-studio.json", sheet.label_studio());
    staged.put("label-studio.xml", sheet.label_studio_interface());
    staged.put("argilla.jsonl", sheet.argilla());
    staged.put("argilla-settings.json", sheet.argilla_settings());
    staged.put("prodigy.jsonl", sheet.prodigy());
    if let Some([settings, instruction]) = sheet.prodigy_instruction() {
        staged.put("prodigy.json", settings);
        staged.put(tools::PRODIGY_INSTRUCTION, instruction);
    }
    staged.put("doccano.jsonl", sheet.doccano());
    if let Some(labels) = sheet.doccano_labels() {
        staged.put("doccano-labels.json", labels);
    }
    staged.put("spreadsheet.csv", csv_text(sheet.spreadsheet()));
    staged.put("spreadsheet.xlsx", workbook(&sheet.spreadsheet(), &sheet.asked)?);
    let filled_in = staged.iter().filter(|(name, _)| name.starts_with("spreadsheet."));
    record.written = filled_in.map(|(name, bytes)| (name.clone(), sha256_hex(bytes))).collect();
    staged.seal(&mut record);
    Ok((staged, record))
}

/// The queue as CSV.
fn csv_rows(columns: &[OutputColumn]) -> Vec<u8> {
    let row = |k: usize| {
        let text = |column: &OutputColumn| match &column.values {
            ColumnValues::Text(texts) => texts[k].to_owned(),
            ColumnValues::Count(counts) => counts[k].to_string(),
            ColumnValues::Number(numbers) if numbers[k].is_nan() => String::new(),
            ColumnValues::Number(numbers) => numbers[k].to_string(),
        };
        columns.iter().map(text).collect()
    };
    let header = columns.iter().map(|column| column.name.clone()).collect();
    csv_text(std::iter::once(header).chain((0..columns[0].values.len()).map(row)))
}

/// The queue as JSON Lines, in which an item without a text has none, and the seed is a number.
fn entries(columns: &[OutputColumn], record: &QueueRecord, tasks: &[QueueTask]) -> String {
    json_lines(tasks.iter().enumerate().map(|(k, task)| {
        let value = |column: &OutputColumn| match &column.values {
            ColumnValues::Text(texts) => json!(&texts[k]),
            ColumnValues::Count(counts) => json!(counts[k]),
            ColumnValues::Number(numbers) => json!(numbers[k]),
        };
        let mut row: Value = columns.iter().map(|column| (column.name.clone(), value(column))).collect();
        row["text"] = json!(task.text);
        row["seed"] = json!(record.seed);
        row
    }))
}

/// The queue as columns.
fn columns(record: &QueueRecord, tasks: &[QueueTask]) -> Vec<OutputColumn> {
    let text = |name: &str, of: &dyn Fn(&QueueTask) -> String| OutputColumn::texts(name, "", tasks.iter().map(of));
    let count = |name: &str, of: &dyn Fn(&QueueTask) -> u32| {
        OutputColumn::new(name, "", "", ColumnValues::Count(tasks.iter().map(of).collect()))
    };
    let number = |name: &str, of: &dyn Fn(&QueueTask) -> f64| OutputColumn::numbers(name, "", "", tasks.iter().map(of));
    let whole = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut columns = vec![
        count("rank", &|task| whole(task.rank)),
        text("id", &|task| task.task_id.clone()),
        text("text", &|task| task.text.clone().unwrap_or_default()),
        text("rule", &|_| record.rule.clone()),
        number("score", &|task| task.priority),
        text("direction", &|_| record.direction.clone()),
        count("labels_suggested", &|task| task.sent.labels),
        text("selected_by", &|task| task.selected_by().to_owned()),
        number("selection_probability", &|task| task.probability),
        text("seed", &|_| record.seed.to_string()),
        text("inputs_sha256", &|_| record.inputs_sha256.clone()),
    ];
    if tasks.iter().any(|task| task.task_id != task.id) {
        columns.push(text("item", &|task| task.id.clone()));
    }
    if let Some(criterion) = &record.criterion {
        columns.push(text("criterion", &|_| criterion.name.clone()));
    }
    if record.suggestions {
        columns.push(text("suggestion", &|task| task.suggestion.clone()));
    }
    columns
}

/// The selected items with their ranks, their chances and what was believed of them; not for annotators.
fn selection(tasks: &[QueueTask], batches_before: usize) -> Vec<u8> {
    let mut tasks: Vec<&QueueTask> = tasks.iter().collect();
    tasks.sort_by_key(|task| task.sent.item);
    let believed = tasks.first().into_iter().flat_map(|task| task.record.keys().cloned());
    let own = "id rank score selected_by selection_probability labels_suggested prediction".split(' ');
    let header = own.chain([BATCHES_BEFORE]).map(str::to_owned).chain(believed).collect();
    let row = |task: &&QueueTask| {
        let own = [
            task.id.clone(),
            task.rank.to_string(),
            task.priority.to_string(),
            task.selected_by().to_owned(),
            task.probability.to_string(),
            task.sent.labels.to_string(),
            task.prediction.clone(),
            batches_before.to_string(),
        ];
        own.into_iter().chain(task.record.values().map(f64::to_string)).collect()
    };
    csv_text(std::iter::once(header).chain(tasks.iter().map(row)))
}

/// Where a study's folder says which queues were written to folders elsewhere, one a line.
pub const QUEUES_ELSEWHERE: &str = "queues-elsewhere.txt";

/// What is known of one item of a queue; the queue's files show annotators `task_id` and `text` only.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueTask {
    /// The item as the queue was filled with it.
    pub sent: SentItem,
    /// Its rank under the rule, from 1.
    pub rank: usize,
    /// The probability with which it was selected.
    pub probability: f64,
    /// The item's id.
    pub id: String,
    /// The id that a labelling tool hands back with the label: the item's, which with two answers also states their order, see
    /// [`sides`](crate::input::question).
    pub task_id: String,
    /// What experts read, two answers in the order of the task; `None` if the study has no texts.
    pub text: Option<String>,
    /// What the rule ranks it by.
    pub priority: f64,
    /// What the judge predicts: a class, or a rating as text.
    pub prediction: String,
    /// The prediction as the task names it: of two answers in the other order, `B` for `A`.
    pub suggestion: String,
    /// Further numbers for the record: the three parts, trust, belief's means.
    pub record: BTreeMap<String, f64>,
}

impl QueueTask {
    fn selected_by(&self) -> &'static str {
        if self.sent.drawn { "random" } else { "rank" }
    }
}

/// The items that a queue left out, which all had the same chance. A queue that draws items without a label
/// ([`Order::draws_unlabelled`]) has only these here, as long as some remain. `selection.csv` has the selected ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotSelected {
    /// The probability of each of them to be selected.
    pub probability: f64,
}

/// How a queue was made, in full; its file is `queue.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueRecord {
    /// Program and version.
    pub program: String,
    /// The study's title.
    pub study: String,
    /// What items are judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<Criterion>,
    /// The rule's key.
    pub rule: String,
    /// What the trust behind parts and priorities rests on.
    #[serde(default)]
    pub trust: String,
    /// In which direction priorities are to be read.
    pub direction: String,
    /// The amount as it was asked for.
    pub amount: String,
    /// Labels per item as asked for.
    pub labels_per_item: String,
    /// Share spent at random.
    pub explore: Option<f64>,
    /// Whether annotators see the judge's prediction.
    pub suggestions: bool,
    /// Seed of tie breaks and random draws.
    pub seed: u64,
    /// Items of the study.
    pub items: usize,
    /// Items in the queue.
    pub queued: usize,
    /// Those that are not; `None` where all are, and of older queues, whose `selection.csv` has every item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_selected: Option<NotSelected>,
    /// Labels suggested in all.
    pub labels: u64,
    /// Batches of added labels from before the queue, which do not answer it.
    #[serde(default)]
    pub batches_before: usize,
    /// What estimates for all items may be made from the labels that come back.
    pub estimates: String,
    /// SHA-256 of every input of the study.
    pub inputs: BTreeMap<String, String>,
    /// SHA-256 over the lines `sum  name` of the inputs, as the rows of the queue repeat it.
    pub inputs_sha256: String,
    /// SHA-256 of the files that people fill in, as they were written: one that was changed since is not replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<String, String>,
    /// All files of the queue.
    pub files: Vec<String>,
}

impl QueueRecord {
    /// Sums of the files of added labels that the queue read.
    pub fn added(&self) -> BTreeSet<String> {
        self.inputs.iter().filter(|(name, _)| sum_in(name).is_some()).map(|(_, sum)| sum.clone()).collect()
    }

    /// Whether all items were in random order, so that rank selected none of them.
    pub fn is_by_chance(&self) -> bool {
        self.rule == Rule::Random.name() && self.explore.is_none()
    }

    /// Whether the items chosen of those that had no label are a random sample of them, see
    /// [`Order::draws_unlabelled`].
    pub fn draws_unlabelled(&self) -> bool {
        // Older programs also queued until a level was reached, where the items without a label are no equals.
        let is_budget = self.amount.parse::<Amount>().is_ok();
        is_budget && self.rule.parse::<Order>().is_ok_and(Order::draws_unlabelled)
    }
}

/// How many of a study's batches, in the order of time, were there before a queue that read those with the sums `read`:
/// those up to the first that it did not read. A record of an older version lists none, and `stated` is their number.
pub fn batches_before(read: &BTreeSet<String>, stated: usize, batches: &[LabelBatch]) -> usize {
    match read.is_empty() {
        true => stated,
        false => batches.iter().take_while(|batch| read.contains(&batch.sum)).count(),
    }
}

impl Record for QueueRecord {
    const FILE: &'static str = QUEUE_RECORD;
    const KEY: &'static str = "queued";

    fn set_files(&mut self, files: Vec<String>) {
        self.files = files;
    }
}

// How a queue selected its items, read back from its record.

/// Column of `selection.csv`: batches of added labels that were there before the queue.
pub const BATCHES_BEFORE: &str = "batches_before";

/// Randomly drawn items with labels that an estimate needs, if the study has that many.
pub const LEAST_DRAWN: usize = 10;

/// Reads the selection of the queue in a folder, by position of the items, from its `selection.csv` and its `record`; their
/// ids are those of the file `items`.
///
/// # Errors
/// A file that can't be read or does not belong to these items.
pub fn read_selection(folder: &Path, record: Option<&QueueRecord>, ids: &ItemIds, items: &Path) -> Result<Selection> {
    let rest = record.and_then(|record| record.not_selected.as_ref());
    let file = folder.join("selection.csv");
    let table = DataTable::parse(&file, &read_file(&file)?, "id")?;
    let rows: Vec<(usize, Row<'_>)> = match rest {
        None => table.rows_of(ids, items)?.into_iter().enumerate().collect(),
        Some(_) => table.rows_among(ids, items)?,
    };
    let [by, chance] = [table.column("selected_by")?, table.column("selection_probability")?];
    let words = ["rank", "random"].map(str::to_owned);
    let probability = vec![rest.map_or(0.0, |rest| rest.probability); ids.len()];
    let mut selection = Selection { ranked: vec![], drawn: vec![], probability };
    for (i, row) in &rows {
        match row.optional_word(by, &words)? {
            Some(0) => selection.ranked.push(*i),
            Some(_) => selection.drawn.push(*i),
            None => {}
        }
        let probability = row.optional_number(chance)?.ok_or_else(|| row.refuse(chance, Problem::Blank))?;
        if !(0.0..=1.0).contains(&probability) {
            return Err(row.refuse(chance, Problem::OutOfRange { value: probability, low: 0.0, high: 1.0 }));
        }
        selection.probability[*i] = probability;
    }
    if selection.ranked.is_empty() && selection.drawn.is_empty() {
        return Err(DataError::refused(Place::file(&file), Problem::NoRows));
    }
    if record.is_some_and(QueueRecord::is_by_chance) {
        let chance = selection.ranked.len() as f64 / ids.len() as f64;
        selection = Selection { ranked: vec![], drawn: selection.ranked, probability: vec![chance; ids.len()] };
    }
    Ok(selection)
}
