//! What of a fit that was read from a file contradicts itself.

/// What of a fit contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct Unfit {
    /// The field, such as `covariance`.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

/// Returns an error that names `field` and describes the problem, unless `holds`.
pub(super) fn that(holds: bool, field: &'static str, problem: impl FnOnce() -> String) -> Result<(), Unfit> {
    if holds { Ok(()) } else { Err(Unfit { field, problem: problem() }) }
}
