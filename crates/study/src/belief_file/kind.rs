//! What a kind of label says in a belief's file, and how it reads further items.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::names::InputColumns;
use crate::input::config::StudyConfig;
use crate::kind::{Decomposition, Kind, Study};
use judge_uncertainty_core::belief::Unfit;
use judge_uncertainty_evaluation::Pool;
use judge_uncertainty_formats::batches::{Batch, Header};
use judge_uncertainty_formats::error::{Problem, Result};
use judge_uncertainty_formats::items::ItemIds;

/// What of a file is written and read again.
pub trait Part: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static> Part for T {}

/// What is wrong with a row of further items, and in which column, if it is one.
pub type Wrong = (Option<String>, Box<Problem>);

/// A problem of a row, in a column if it is one.
pub fn wrong(column: Option<&str>, problem: Problem) -> Wrong {
    (column.map(str::to_owned), Box::new(problem))
}

/// How many features, groups and variants a fit has.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// Names of the features, in order.
    pub features: &'a [&'a str],
    /// Groups of the items.
    pub groups: usize,
}

/// A kind of label whose fitted belief is written to a file and applied to further items.
pub trait Saved: Kind {
    /// The fit as the file holds it.
    type Fit: Part;
    /// What else of the fit's items the beliefs depend on.
    type Kept: Part;
    /// Where the columns of this kind stand in a table of further items.
    type Layout: Debug + Send + Sync;
    /// What a row says of judge and labels.
    type Row: Send;

    /// The fit.
    fn fit(decomposition: &Decomposition<Self>) -> Self::Fit;

    /// What else the beliefs depend on.
    fn kept(study: &Study<Self>, decomposition: &Decomposition<Self>) -> Self::Kept;

    /// A fit that can be applied.
    fn of_file(fit: &Self::Fit) -> <Self::Pool as Pool>::Fit;

    /// Whether fit and settings belong together.
    ///
    /// # Errors
    /// What does not.
    fn check_fit(
        config: &StudyConfig<Self>,
        fit: &Self::Fit,
        kept: &Self::Kept,
        shape: Shape<'_>,
    ) -> std::result::Result<(), Unfit>;

    /// Whether the fit has parameters for every group of its own.
    fn by_group(fit: &Self::Fit) -> bool;

    /// How the columns of further items are called, where the judge has these `variants`.
    fn names(config: &StudyConfig<Self>, variants: &[String]) -> InputColumns;

    /// What the judge says of every item, as drift is told of it.
    fn said(judge: &Self::Judge) -> Vec<(String, Vec<Option<f64>>)>;

    /// The columns of judge and labels that a table may have.
    fn wanted(config: &StudyConfig<Self>, variants: &[String], names: &InputColumns) -> Vec<String>;

    /// Finds the columns of judge and labels.
    ///
    /// # Errors
    /// A column that is missing, or one of another class.
    fn layout(
        config: &StudyConfig<Self>,
        variants: &[String],
        names: &InputColumns,
        header: &Header,
    ) -> Result<Self::Layout>;

    /// Reads a row.
    ///
    /// # Errors
    /// What is wrong with it.
    fn row(
        config: &StudyConfig<Self>,
        fit: &Self::Fit,
        layout: &Self::Layout,
        batch: &Batch,
        row: usize,
    ) -> std::result::Result<Self::Row, Wrong>;

    /// Judge and labels of the items of some rows.
    ///
    /// # Errors
    /// Rows that can't be put together.
    fn gather(
        config: &StudyConfig<Self>,
        variants: &[String],
        ids: &ItemIds,
        rows: Vec<Self::Row>,
    ) -> Result<(Self::Judge, Self::Labels)>;

    /// The items as the fit sees them; `groups` is the group of each, for fits by group.
    fn applied_pool(study: &Study<Self>, kept: &Self::Kept, groups: Vec<usize>) -> Self::Pool;
}
