//! The decomposition, the fit of the trust and the rules, for arrays.

use judge_uncertainty_core::belief::{
    Belief as _, BeliefModel, Beliefs, Design, FeatureColumn, FittedBelief, ItemBeliefs, JudgedItems, Regression,
    Standardizer, TrustPrior,
};
use judge_uncertainty_core::escalation::{Rule, RuleInputs};
use judge_uncertainty_formats::output::OutputColumn;
use ndarray::Array2;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyMapping};

use crate::error::{refused, wrong};
use crate::tables::{ArrowTable, batch_of};

/// A table of results, by the Arrow C interface, for ``pyarrow.table(columns)`` or ``polars.DataFrame(columns)``.
#[pyclass(frozen, module = "judge_uncertainty")]
pub(crate) struct Columns(ArrowTable);

#[pymethods]
impl Columns {
    /// The table, as the Arrow C interface hands it over; it is not cast to a requested schema.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        self.0.stream(py)
    }
}

/// Rows of equal length as a matrix.
fn matrix<T: Clone>(name: &str, rows: Vec<Vec<T>>) -> PyResult<Array2<T>> {
    let width = rows.first().map_or(0, Vec::len);
    if let Some(row) = rows.iter().position(|row| row.len() != width) {
        let found = rows[row].len();
        return Err(wrong(format!(
            "{name}: row {row} (from 0) has {found} entries and the first {width}: give items x classes"
        )));
    }
    let shape = (rows.len(), width);
    Array2::from_shape_vec(shape, rows.into_iter().flatten().collect()).map_err(|e| refused(&e))
}

fn same(what: &str, found: (usize, usize), q: (usize, usize)) -> PyResult<()> {
    if found == q {
        return Ok(());
    }
    let ((items, classes), (of_q, classes_of_q)) = (found, q);
    Err(wrong(format!(
        "{what} are {items} x {classes} and q is {of_q} x {classes_of_q}: give items x classes of the same items"
    )))
}

/// The posterior belief Dir(trust q + counts) about every item.
fn posterior(q: Vec<Vec<f64>>, counts: Vec<Vec<u32>>, trust: &[f64]) -> PyResult<(Array2<f64>, Array2<u32>, Beliefs)> {
    let (q, counts) = (matrix("q", q)?, matrix("counts", counts)?);
    same("counts", counts.dim(), q.dim())?;
    if trust.len() != q.nrows() {
        return Err(wrong(format!(
            "trust has {} entries and q {} rows: give a trust per item",
            trust.len(),
            q.nrows()
        )));
    }
    if let Some(item) = trust.iter().position(|trust| !(*trust > 0.0 && trust.is_finite())) {
        return Err(wrong(format!(
            "the trust of item {item} (from 0) is {}: give a finite number above 0, in labels",
            trust[item]
        )));
    }
    for (item, row) in q.rows().into_iter().enumerate() {
        if !row.iter().all(|p| *p > 0.0 && *p <= 1.0) || (row.sum() - 1.0).abs() > 1e-6 {
            return Err(wrong(format!("q of item {item} (from 0) is {row}: give shares above 0 that sum to 1")));
        }
    }
    let beliefs = Beliefs::posterior(trust, q.view(), counts.view());
    Ok((q, counts, beliefs))
}

/// Total = aleatoric + epistemic uncertainty about a fresh label under the belief Dir(trust q + counts).
///
/// Args:
///     q: Items x classes, the judge's predicted shares: above 0, each row sums to 1.
///     counts: Items x classes, labels in hand.
///     trust: Per item, in labels, above 0.
///
/// Returns:
///     A row per item: ``total``, ``aleatoric``, ``epistemic`` (nats), ``v`` (posterior spread, 0 to 1), ``delta``
///   (fall of v by one label) and ``total_evidence`` (labels).
///
/// Raises:
///     JudgeUncertaintyError: Shapes that differ, or a value out of its range, with its item.
#[pyfunction]
pub(crate) fn decompose(py: Python<'_>, q: Vec<Vec<f64>>, counts: Vec<Vec<u32>>, trust: Vec<f64>) -> PyResult<Columns> {
    py.detach(|| {
        let (_, _, beliefs) = posterior(q, counts, &trust)?;
        let column = |name: &str, values: Vec<f64>| OutputColumn::numbers(name, "", "", values);
        let batch = batch_of(vec![
            column("total", beliefs.map(|b| b.total())),
            column("aleatoric", beliefs.map(|b| b.aleatoric())),
            column("epistemic", beliefs.map(|b| b.epistemic())),
            column("v", beliefs.map(|b| b.spread())),
            column("delta", beliefs.map(|b| b.label_value())),
            column("total_evidence", beliefs.map(|b| b.evidence())),
        ])?;
        Ok(Columns(ArrowTable { schema: batch.schema(), batches: vec![batch] }))
    })
}

/// The rules that rank items whose labels are classes, except the random one.
#[pyfunction]
pub(crate) fn rules() -> Vec<&'static str> {
    Rule::those(|row| row.rule != Rule::Random).into_iter().map(Rule::name).collect()
}

/// The priority of every item under one of ``rules()``, higher first, without the draws that break ties.
///
/// Args:
///     rule: One of ``rules()``.
///     q: Items x classes, the judge's predicted shares: above 0, each row sums to 1.
///     counts: Items x classes, labels in hand.
///     trust: Per item, in labels, above 0.
///     confidence: Per item, 0 to 100 or None, for the rule ``low_confidence``.
///
/// Raises:
///     JudgeUncertaintyError: As ``decompose``; an unknown rule, or one that needs the missing confidence.
#[pyfunction]
#[pyo3(signature = (rule, q, counts, trust, confidence = None))]
pub(crate) fn priority(
    py: Python<'_>,
    rule: &str,
    q: Vec<Vec<f64>>,
    counts: Vec<Vec<u32>>,
    trust: Vec<f64>,
    confidence: Option<Vec<Option<f64>>>,
) -> PyResult<Vec<f64>> {
    let rule: Rule = rule.parse().map_err(|text: String| wrong(text))?;
    if !rules().contains(&rule.name()) {
        return Err(wrong(format!(
            "the rule {} does not rank classes here: choose among {}",
            rule.name(),
            rules().join(", ")
        )));
    }
    py.detach(|| {
        let (q, counts, beliefs) = posterior(q, counts, &trust)?;
        let beliefs = ItemBeliefs::Classes(beliefs);
        let labels: Vec<u32> = counts.rows().into_iter().map(|row| row.sum()).collect();
        if let Some(confidence) = confidence.as_ref().filter(|confidence| confidence.len() != q.nrows()) {
            return Err(wrong(format!("confidence has {} entries and q {} rows", confidence.len(), q.nrows())));
        }
        let inputs = RuleInputs {
            q: Some(&q),
            confidence: confidence.as_deref(),
            labels: Some(&labels),
            ..RuleInputs::new(&beliefs)
        };
        rule.priority(&inputs).ok_or_else(|| {
            wrong("the rule low_confidence ranks by stated confidence: give confidence, with None for items without it")
        })
    })
}

/// A fitted trust: ln lambda = intercept + sum of coefficient x feature, features in standard deviations from their
/// mean.
#[pyclass(frozen, module = "judge_uncertainty")]
pub(crate) struct Fit {
    fitted: Regression,
    standardizer: Option<Standardizer>,
}

/// Fits the trust in the judge to labels, as a study of classes with ``belief = "published"`` does, but
/// features of items without labels are not kept within those of items with labels.
///
/// Args:
///     q: Items x classes, the judge's predicted shares: above 0, each row sums to 1.
///     counts: Items x classes, labels in hand; items without any do not enter.
///     features: What trust may depend on, by name: a value or None per item, which counts as the average.
///     prior: ``weak``, or ``none`` for the paper's maximum likelihood.
///
/// Raises:
///     JudgeUncertaintyError: Shapes that differ, a value out of its range, or with prior ``none`` no labels at all.
#[pyfunction]
#[pyo3(signature = (q, counts, features = None, *, prior = "weak"))]
pub(crate) fn fit(
    py: Python<'_>,
    q: Vec<Vec<f64>>,
    counts: Vec<Vec<u32>>,
    features: Option<&Bound<'_, PyMapping>>,
    prior: &str,
) -> PyResult<Fit> {
    let prior = match prior {
        "weak" => TrustPrior::Weak,
        "none" => TrustPrior::None,
        other => return Err(wrong(format!("{other:?} is not a prior: give \"weak\" or \"none\""))),
    };
    let columns = columns_of(features)?;
    py.detach(|| {
        let (q, counts) = (matrix("q", q)?, matrix("counts", counts)?);
        same("counts", counts.dim(), q.dim())?;
        let standardizer = match columns.is_empty() {
            true => None,
            false => Some(Standardizer::fit(&columns).map_err(|e| refused(&e))?),
        };
        let design = design(standardizer.as_ref(), &columns, q.nrows())?;
        let items = JudgedItems::new(&design, q.view(), &[]);
        match BeliefModel::Published.fit(&items, counts.view(), prior).map_err(|e| refused(&e))? {
            FittedBelief::Published(fitted) => Ok(Fit { fitted, standardizer }),
            other => Err(wrong(format!("this is not the published belief: {other:?}"))),
        }
    })
}

/// Features by name, in the order in which they are given.
fn columns_of(features: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<FeatureColumn>> {
    let Some(features) = features else { return Ok(vec![]) };
    let column = |item: Bound<'_, PyAny>| {
        let (name, values) = item.extract::<(String, Vec<Option<f64>>)>()?;
        Ok(FeatureColumn::partial(name, values))
    };
    features.items()?.iter().map(column).collect()
}

fn design(standardizer: Option<&Standardizer>, columns: &[FeatureColumn], items: usize) -> PyResult<Design> {
    match standardizer {
        None if !columns.is_empty() => Err(wrong("the fit has no features: give items, their number, instead")),
        None => Ok(Design::constant(items)),
        Some(standardizer) => standardizer.apply(columns).map_err(|e| refused(&e)),
    }
}

#[pymethods]
impl Fit {
    /// ``intercept``, then the features in the order in which the fit was given them.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.fitted.names.clone()
    }

    /// In the order of ``names``; of ln labels, per standard deviation of the feature.
    #[getter]
    fn coefficients(&self) -> Vec<f64> {
        self.fitted.coefficients.clone()
    }

    /// Covariance of the coefficients, row by row.
    #[getter]
    fn covariance(&self) -> Vec<Vec<f64>> {
        self.fitted.covariance.clone()
    }

    /// Whether the search ended at a maximum.
    #[getter]
    fn converged(&self) -> bool {
        self.fitted.converged
    }

    /// Coefficients that the labels do not determine.
    #[getter]
    fn unidentified(&self) -> Vec<String> {
        self.fitted.unidentified.clone()
    }

    /// Trust lambda of items, in labels: what a prediction of the judge is worth.
    ///
    /// Args:
    ///     features: Those of the fit, a value or None per item.
    ///     items: How many, for a fit without features.
    #[pyo3(signature = (features = None, *, items = None))]
    fn trust(
        &self,
        py: Python<'_>,
        features: Option<&Bound<'_, PyMapping>>,
        items: Option<usize>,
    ) -> PyResult<Vec<f64>> {
        let mut columns = columns_of(features)?;
        // Given by name, in whatever order.
        columns.sort_by_key(|column| self.fitted.names.iter().position(|name| name == column.name()));
        py.detach(|| {
            let rows = columns.first().map_or(items.unwrap_or(1), |column| column.values.len());
            Ok(self.fitted.trust(&design(self.standardizer.as_ref(), &columns, rows)?))
        })
    }
}
