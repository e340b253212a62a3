//! The Python module of judge-uncertainty: fitted beliefs applied to Arrow tables, and the closed forms beneath them.
//!
//! | module | holds |
//! |---|---|
//! | `tables` | tables that come and go through the Arrow C data interface |
//! | `belief` | a fitted belief, and what it says of a table |
//! | `forms` | the decomposition, the fit of the trust and the rules, for arrays |
//! | `error` | errors with the text of the command line |

mod belief;
mod error;
mod forms;
mod tables;

use pyo3::prelude::*;

/// Decomposing the uncertainty of judged items; see the stubs for shapes and units.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<belief::Belief>()?;
    module.add_class::<belief::Applied>()?;
    module.add_class::<forms::Fit>()?;
    module.add_class::<forms::Columns>()?;
    module.add_function(wrap_pyfunction!(forms::decompose, module)?)?;
    module.add_function(wrap_pyfunction!(forms::fit, module)?)?;
    module.add_function(wrap_pyfunction!(forms::priority, module)?)?;
    module.add_function(wrap_pyfunction!(forms::rules, module)?)?;
    module.add("JudgeUncertaintyError", module.py().get_type::<error::JudgeUncertaintyError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
