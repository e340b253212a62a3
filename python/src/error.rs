//! Errors with the text of the command line.

use std::error::Error;

use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};

create_exception!(
    judge_uncertainty,
    JudgeUncertaintyError,
    PyValueError,
    "What was refused, with the text of the command line: what is wrong, where, with which value, and what to do."
);

/// An error with its causes, as the command line says it.
pub(crate) fn refused(error: &dyn Error) -> PyErr {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let of_inner = inner.to_string();
        if !text.contains(&of_inner) {
            text.push_str(&format!("\n  because: {of_inner}"));
        }
        cause = inner.source();
    }
    JudgeUncertaintyError::new_err(text)
}

/// A refusal in words.
pub(crate) fn wrong(text: impl Into<String>) -> PyErr {
    JudgeUncertaintyError::new_err(text.into())
}
