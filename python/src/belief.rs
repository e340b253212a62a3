//! A fitted belief, and what it says of a table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use judge_uncertainty_familiarity::embedding::{EmbedderOptions, EmbeddingCache, Model};
use judge_uncertainty_formats::batches::{Bad, Batch, Header};
use judge_uncertainty_onnx::OnnxEmbedder;
use judge_uncertainty_study::apply::applier::Applier;
use judge_uncertainty_study::apply::audited::Answered;
use judge_uncertainty_study::apply::stream::{Texts, embedded};
use judge_uncertainty_study::apply::{AppliedRows as OfRows, check_judge, check_model};
use judge_uncertainty_study::audit::table::CellTable;
use judge_uncertainty_study::belief_file::Tally;
use judge_uncertainty_study::input::judge::JudgeFiles;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use rayon::prelude::*;

use crate::error::{refused, wrong};
use crate::tables::{ArrowTable, TABLE, batch_of, rows_of, taken};

/// Rows that are computed at once by a thread; what is said of a row does not depend on it.
const BATCH: usize = 16_384;

/// Some rows, with what judge and people say where it does not stand in their columns.
type AnsweredRows = (Batch, Option<Answered>);

/// The belief that ``judge-uncertainty study run`` fitted and wrote to ``results/belief.json``.
#[pyclass(frozen, module = "judge_uncertainty")]
pub(crate) struct Belief {
    belief: Applier,
    model: Option<String>,
    cache: Option<PathBuf>,
    embedder: Mutex<Option<OnnxEmbedder>>,
}

/// What a belief says of a table: itself a table by the Arrow C interface, for ``pyarrow.table(applied)`` or
/// ``polars.DataFrame(applied)``.
///
/// Its columns are those of the parts that ``judge-uncertainty apply`` writes; its ``columns.csv`` states
/// their units.
#[pyclass(frozen, module = "judge_uncertainty")]
pub(crate) struct Applied {
    table: ArrowTable,
    bad: Vec<Bad>,
    drift: serde_json::Value,
}

#[pymethods]
impl Belief {
    /// Reads a ``belief.json``, or the one in a run folder.
    ///
    /// Args:
    ///     path: The file, or its run folder.
    ///     columns: Names of columns of further items where they differ from those of the belief, such as
    ///         ``{"answers": "share_{class}"}``; the keys are id, answers, deviations, confidence, labels, group,
    ///         embedding.
    ///     judge: The ``summary.json`` of ``judge run`` for the predictions; a judge other than the belief's is refused.
    ///     model: Folder of the sentence model that embeds texts; by default that of the study.
    ///     cache: Folder for embeddings of texts.
    ///
    /// Raises:
    ///     JudgeUncertaintyError: The file is not a belief, was changed or contradicts itself; another judge made the predictions.
    #[staticmethod]
    #[pyo3(signature = (path, *, columns = None, judge = None, model = None, cache = None))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        columns: Option<BTreeMap<String, String>>,
        judge: Option<PathBuf>,
        model: Option<String>,
        cache: Option<PathBuf>,
    ) -> PyResult<Self> {
        let columns = columns.unwrap_or_default();
        let changes: Vec<String> = columns.iter().map(|(key, name)| format!("{key}={name}")).collect();
        let belief = py.detach(|| Applier::read(&path, &changes)).map_err(|e| refused(&e))?;
        if let Some(judge) = judge {
            let stated = JudgeFiles::from_summary(&judge).map_err(|e| refused(&e))?;
            check_judge(&belief, &judge, &stated).map_err(|e| refused(&e))?;
        }
        Ok(Self { belief, model, cache, embedder: Mutex::new(None) })
    }

    /// What its labels are: classes, ordinal or scores.
    #[getter]
    fn kind(&self) -> &'static str {
        self.belief.file.settings.scale.name()
    }

    /// SHA-256 of the belief.
    #[getter]
    fn sha256(&self) -> &str {
        &self.belief.file.sha256
    }

    /// The rules that rank further items; each has a column ``priority_RULE``.
    #[getter]
    fn rules(&self) -> Vec<&'static str> {
        self.belief.file.rules.iter().map(|rule| rule.name()).collect()
    }

    /// The columns that are read of a table, if it has them.
    #[getter]
    fn reads(&self) -> Vec<String> {
        self.belief.wanted()
    }

    /// Applies the belief to every row of a table: one item a row, with the judge's answers and, optionally, labels.
    ///
    /// The whole table is read, and the result stays in memory: pass a long stream batch by batch, because the result
    /// for a row does not depend on the other rows. All cores are used, or as many as the environment variable
    /// ``RAYON_NUM_THREADS`` says.
    ///
    /// Args:
    ///     table: A row per item, with the Arrow C interface: a pyarrow.Table, RecordBatch or RecordBatchReader, a
    ///         polars or pandas DataFrame, a DuckDB relation. Its columns are those of the audited table, those that
    ///         ``reads`` names, or others that ``audit`` recognises; rows without an answer of the judge are then left
    ///         out and listed.
    ///     set_aside: Whether rows that can't be used are left out and listed, instead of refused.
    ///
    /// Raises:
    ///     JudgeUncertaintyError: A column that is missing or of another class, or a row that can't be used.
    #[pyo3(signature = (table, *, set_aside = false))]
    fn apply(&self, py: Python<'_>, table: &Bound<'_, PyAny>, set_aside: bool) -> PyResult<Applied> {
        let table = taken(table)?;
        py.detach(|| self.applied(&table, set_aside))
    }

    fn __repr__(&self) -> String {
        format!("<judge_uncertainty.Belief of {}, {}>", self.kind(), &self.sha256()[..12])
    }
}

impl Belief {
    fn applied(&self, table: &ArrowTable, set_aside: bool) -> PyResult<Applied> {
        let names: Vec<String> = table.schema.fields().iter().map(|field| field.name().clone()).collect();
        let header = Header { file: TABLE.into(), names: names.clone(), complete: true };
        let (header, rows) = if self.belief.reads_answers_of(&header) {
            self.belief.check(&header).map_err(|e| refused(&e))?;
            let rows = rows_in(table, &self.belief.wanted())?;
            (header, rows.into_iter().map(|rows| (rows, None)).collect())
        } else {
            self.audited(&names, &rows_in(table, &names)?)?
        };
        let done: Vec<OfRows> = match self.needs_texts(&header) {
            false => rows
                .par_iter()
                .map(|(rows, answered)| self.belief.apply(&header, (rows, answered.as_ref()), None))
                .collect::<Result<Vec<_>, _>>(),
            true => return self.with_texts(&header, &rows, set_aside),
        }
        .map_err(|e| refused(&e))?;
        self.gathered(done, set_aside)
    }

    /// Rows of a table whose columns are recognised as those of an audit.
    fn audited(&self, names: &[String], rows: &[Batch]) -> PyResult<(Header, Vec<AnsweredRows>)> {
        let cells = rows.iter().flat_map(|rows| rows.table.rows().map(|row| row.cells().map(str::to_owned)));
        let mut items =
            self.belief.audited_rows(CellTable::new(names.to_vec(), cells, TABLE)).map_err(|e| refused(&e))?;
        let (header, wanted) = (items.header().clone(), self.belief.wanted());
        self.belief.check_items(&header).map_err(|e| refused(&e))?;
        let mut parts = vec![];
        while let Some((rows, answered)) = items.next(&wanted, BATCH).map_err(|e| refused(&e))? {
            parts.push((rows, Some(answered)));
        }
        Ok((header, parts))
    }

    fn needs_texts(&self, header: &Header) -> bool {
        self.belief.text().is_some() && !header.has(&self.belief.file.columns.embedding)
    }

    fn with_texts(&self, header: &Header, rows: &[AnsweredRows], set_aside: bool) -> PyResult<Applied> {
        let Some((of_belief, template)) = self.belief.text() else { return Err(wrong("the belief embeds no texts")) };
        let mut held = self.embedder.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            let model = Model::find(self.model.as_deref().unwrap_or(&of_belief.name)).map_err(|e| refused(&e))?;
            check_model(of_belief, &model.path, &model.hash).map_err(|e| refused(&e))?;
            *held = Some(OnnxEmbedder::new(model, EmbedderOptions::default()).map_err(|e| refused(&e))?);
        }
        let Some(embedder) = held.as_mut() else { return Err(wrong("the model is gone")) };
        let cache = self.cache.as_ref().map(|folder| EmbeddingCache::open(folder, &*embedder)).transpose();
        let mut texts = Texts { cache: cache.map_err(|e| refused(&e))?, embedder };
        let mut done = vec![];
        for (rows, answered) in rows {
            let embeddings = embedded(rows, template, &mut texts).map_err(|e| refused(&e))?;
            let rows = (rows, answered.as_ref());
            done.push(self.belief.apply(header, rows, Some(&embeddings)).map_err(|e| refused(&e))?);
        }
        self.gathered(done, set_aside)
    }

    fn gathered(&self, done: Vec<OfRows>, set_aside: bool) -> PyResult<Applied> {
        let baselines = &self.belief.file.drift;
        let mut tallies: Vec<Tally> = baselines.iter().map(|baseline| baseline.tally()).collect();
        let (mut batches, mut bad) = (vec![], vec![]);
        for done in done {
            if let (false, Some(first)) = (set_aside, done.refused()) {
                return Err(refused(&first.refusal(Path::new(TABLE))));
            }
            bad.extend(done.bad);
            tallies.iter_mut().zip(&done.tallies).for_each(|(sum, tally)| sum.merge(tally));
            batches.push(batch_of(done.columns)?);
        }
        let drift: Vec<_> = baselines.iter().zip(&tallies).map(|(baseline, tally)| baseline.drift(tally)).collect();
        let drift = serde_json::to_value(drift).map_err(|e| refused(&e))?;
        let schema = batches[0].schema();
        Ok(Applied { table: ArrowTable { schema, batches }, bad, drift })
    }
}

/// Some columns of a table, in parts.
fn rows_in(table: &ArrowTable, wanted: &[String]) -> PyResult<Vec<Batch>> {
    let (mut rows, mut first) = (vec![], 1);
    for batch in &table.batches {
        for start in (0..batch.num_rows()).step_by(BATCH) {
            let part = batch.slice(start, BATCH.min(batch.num_rows() - start));
            rows.push(rows_of(&part, wanted, first)?);
            first += part.num_rows() as u64;
        }
    }
    // A table without rows says which columns there would be.
    if rows.is_empty() {
        rows.push(Batch::new(Path::new(TABLE), wanted.to_vec()));
    }
    Ok(rows)
}

#[pymethods]
impl Applied {
    /// The table, as the Arrow C interface hands it over; it is not cast to a requested schema.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Casting is left to who asks, as the interface allows.
        let _ = requested_schema;
        self.table.stream(py)
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.table.batches.iter().map(|batch| batch.num_rows()).sum()
    }

    /// Rows that could not be used: ``row`` (from 1), ``item``, ``column``, ``problem``.
    #[getter]
    fn set_aside<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for bad in &self.bad {
            let row = PyDict::new(py);
            row.set_item("row", bad.line)?;
            row.set_item("item", bad.item.as_deref())?;
            row.set_item("column", bad.column.as_deref())?;
            row.set_item("problem", format!("{}; {}", bad.problem, bad.problem.remedy()))?;
            rows.append(row)?;
        }
        Ok(rows)
    }

    /// Per quantity ``name``: ``psi`` (nats), ``psi_by_chance``, ``outside`` and ``missing`` (shares of the items).
    #[getter]
    fn drift<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.drift.to_string(),))
    }
}
