//! What a kind of label says in the file of a belief, and how that belief reads further items.

use super::row::InputColumns;
use super::row::{RowAnswer, Wrong};
use crate::input::config::{Setting, StudyConfig};
use crate::input::read::StudyJudge;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::belief::Unfit;
use judge_uncertainty_evaluation::Pool;

/// The fit of a kind of label.
pub type FitOf<K> = <<K as Kind>::Pool as Pool>::Fit;

/// A kind of label whose fitted belief is written to a file and applied to further items.
pub trait Saved: Kind {
    /// What else of the fit's items the beliefs depend on.
    type Kept: Setting;

    /// What else the beliefs depend on.
    fn kept(study: &Study<Self>, pool: &Self::Pool, fit: &FitOf<Self>) -> Self::Kept;

    /// Whether settings and a fit with these features and so many groups belong together; `Ok(true)` for a fit with
    /// parameters for every group of its own.
    ///
    /// # Errors
    /// What does not.
    fn check_fit(
        config: &StudyConfig<Self>,
        fit: &FitOf<Self>,
        kept: &Self::Kept,
        shape: (&[&str], usize),
    ) -> Result<bool, Unfit>;

    /// How the columns of further items are called, where the judge has these `variants`.
    fn names(config: &StudyConfig<Self>, variants: &[String]) -> InputColumns;

    /// What the judge says of every item, by name, as drift is told of it.
    fn said(judge: &StudyJudge<Self>) -> Vec<(String, Vec<Option<f64>>)>;

    /// The judge's answer in a row of further items.
    ///
    /// # Errors
    /// What is wrong with it.
    fn answer(config: &StudyConfig<Self>, fit: &FitOf<Self>, row: &RowAnswer<'_>) -> Result<Self::Answer, Wrong>;

    /// The report of a judge's file with so many rows, of which nothing is counted.
    fn report_of_rows(config: &StudyConfig<Self>, rows: usize) -> Self::JudgeReport;

    /// Further items as the fit sees them; `groups` is the group of each, for fits by group.
    fn applied_pool(study: &Study<Self>, kept: &Self::Kept, groups: Vec<usize>) -> Self::Pool;
}
