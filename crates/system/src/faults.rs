//! Faults of the disk on request, so that tests see what a command does that is killed, finds the disk full, or can't
//! read on.
//!
//! Every operation that changes the disk asks [`step`] first, or writes by [`append`]; every one that reads a file asks
//! [`read_step`]. In builds with debug assertions, and in no other, the environment variable `JUDGE_UNCERTAINTY_FAULT`
//! names the operation of the process that goes wrong, counted from 0: `full:7` fails the eighth that changes the disk
//! as a full disk does, `kill:7` ends the process there with status 137, and `read:7` fails the eighth that reads.

use std::io::{self, Write};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    not(any(test, debug_assertions)),
    allow(dead_code, reason = "nothing goes wrong on request in a release build")
)]
pub(crate) enum Fault {
    /// The disk is full.
    Full,
    /// The process ends. (In a test of this crate: all that follows fails, too.)
    Kill,
}

/// Counts an operation that is about to change the disk.
///
/// # Errors
/// It is the one that a test has chosen to fail.
pub fn step() -> io::Result<()> {
    next().map_or(Ok(()), happen)
}

/// Writes bytes behind others, in one piece; half of them where a test has chosen it to fail.
///
/// # Errors
/// The file system refuses, or a test has chosen it to.
pub fn append(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    match next() {
        None => file.write_all(bytes),
        Some(fault) => {
            file.write_all(&bytes[..bytes.len() / 2])?;
            happen(fault)
        }
    }
}

fn happen(fault: Fault) -> io::Result<()> {
    #[cfg(not(test))]
    if fault == Fault::Kill {
        std::process::exit(137);
    }
    let _ = fault;
    Err(io::ErrorKind::StorageFull.into())
}

#[cfg(not(any(test, debug_assertions)))]
fn next() -> Option<Fault> {
    None
}

#[cfg(all(debug_assertions, not(test)))]
fn next() -> Option<Fault> {
    use std::sync::atomic::AtomicU64;
    static STEPS: AtomicU64 = AtomicU64::new(0);
    let fault = if planned()?.0 == "kill" { Fault::Kill } else { Fault::Full };
    (planned()?.0 != "read" && is_next(&STEPS)).then_some(fault)
}

/// Counts an operation that is about to read a file.
///
/// # Errors
/// It is the one that a test has chosen to fail, as a damaged disk does.
pub fn read_step() -> io::Result<()> {
    #[cfg(all(debug_assertions, not(test)))]
    {
        use std::sync::atomic::AtomicU64;
        static READS: AtomicU64 = AtomicU64::new(0);
        if planned().is_some_and(|(kind, _)| kind == "read") && is_next(&READS) {
            // Said beside the error, so that a test sees where a command drops it.
            eprintln!("a read fails on request");
            return Err(io::Error::other("Input/output error (a fault on request)"));
        }
    }
    Ok(())
}

/// What a test has asked for: a kind of fault, and the number of the operation.
#[cfg(all(debug_assertions, not(test)))]
fn planned() -> Option<&'static (String, u64)> {
    use std::sync::OnceLock;
    static PLANNED: OnceLock<Option<(String, u64)>> = OnceLock::new();
    let read = || {
        let value = std::env::var("JUDGE_UNCERTAINTY_FAULT").ok()?;
        let (kind, number) = value.split_once(':')?;
        Some((kind.to_owned(), number.parse().ok()?))
    };
    PLANNED.get_or_init(read).as_ref()
}

#[cfg(all(debug_assertions, not(test)))]
fn is_next(steps: &std::sync::atomic::AtomicU64) -> bool {
    planned().is_some_and(|(_, number)| steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == *number)
}

#[cfg(test)]
use crate::faults_in_tests::next;
