//! Faults within a test of this crate.

use std::cell::Cell;

use crate::faults::Fault;

thread_local! {
    static PLANNED: Cell<Option<(usize, Fault)>> = const { Cell::new(None) };
    /// Whether the system knows no exchange.
    pub(crate) static WITHOUT_EXCHANGE: Cell<bool> = const { Cell::new(false) };
}

/// Does some work with a fault at its `n`-th operation, from 0; whether the operation was reached.
pub(crate) fn at<T>(n: usize, fault: Fault, work: impl FnOnce() -> T) -> (T, bool) {
    PLANNED.set(Some((n, fault)));
    let result = work();
    let reached = PLANNED.replace(None).is_none_or(|(left, _)| left == 0);
    (result, reached)
}

pub(crate) fn next() -> Option<Fault> {
    match PLANNED.get()? {
        (0, Fault::Full) => {
            PLANNED.set(None);
            Some(Fault::Full)
        }
        (0, Fault::Kill) => Some(Fault::Kill),
        (n, fault) => {
            PLANNED.set(Some((n - 1, fault)));
            None
        }
    }
}
