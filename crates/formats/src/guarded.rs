//! Readers of other packages, which may panic on a file that contradicts itself.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use crate::error::{Error, Place, Result};

thread_local! {
    /// Whether a panic of this thread is caught and reported as a refusal of the file.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader of a package; where it panics, the file is refused as damaged, and nothing else is said of the panic.
///
/// What the reader was about to change must not be used afterwards.
///
/// # Errors
/// As the reader; a panic.
pub fn guarded<T>(file: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !CAUGHT.get() {
                others(panic);
            }
        }));
    });
    let before = CAUGHT.replace(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    CAUGHT.set(before);
    read.unwrap_or_else(|_| {
        let remedy = "it is damaged or was edited: copy or write it again";
        Err(Error::unfit(Place::file(file), "contradicts itself: its reader can't go on", remedy))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_refusal_with_the_file() {
        let file = Path::new("t.parquet");
        let told = guarded(file, || -> Result<()> { panic!("start should not be negative") }).unwrap_err().to_string();
        assert!(told.starts_with("t.parquet: contradicts itself") && !told.contains("negative"), "{told}");
        assert_eq!(guarded(file, || Ok(7)).unwrap(), 7);
        assert!(!CAUGHT.get());
    }
}
