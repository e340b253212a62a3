//! Constants and draws of the protocol, and replicates in parallel, whose results do not depend on the number of threads.

use rayon::prelude::*;

use judge_uncertainty_core::random::Stream;
use judge_uncertainty_system::progress::Progress;

/// Numbers of labels that an item may hold before escalation, each as likely as the others.
pub const REVEALED: [u32; 5] = [0, 1, 2, 5, 10];
/// Half splits by default.
pub const REPLICATES: usize = 200;
/// Zero probabilities are raised to half a count of the judge's 100, and the rest is scaled down.
pub const FLOOR: f64 = 0.005;

/// A stream of its own for every seed and number; those of seed 0 are NumPy's of the number.
pub fn seeded(seed: u64, number: u64) -> Stream {
    Stream::from_entropy(&[number as u32, (number >> 32) as u32, seed as u32, (seed >> 32) as u32])
}

/// `n` uniform draws in [0, 1).
pub fn uniforms(stream: &mut Stream, n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    stream.fill_random(&mut out);
    out
}

/// ln(1 + n), the feature that the number of labels n enters as.
pub fn log_labels(numbers: &[u32]) -> impl Iterator<Item = f64> {
    numbers.iter().map(|&n| f64::from(n).ln_1p())
}

/// Runs `f` on every job, in parallel, and returns the results in the order of the jobs.
///
/// Each job draws from streams of its own and sums are taken afterwards in job order, so the results are the same for
/// any number of threads.
///
/// # Errors
/// The first error in job order.
pub fn replicate<J, T, E>(
    task: &str,
    jobs: &[J],
    progress: &dyn Progress,
    f: impl Fn(&J) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E>
where
    J: Sync,
    T: Send,
    E: Send,
{
    progress.start(task, jobs.len() as u64);
    let done: Vec<Result<T, E>> = jobs
        .par_iter()
        .map(|job| {
            let result = f(job);
            progress.advance(1);
            result
        })
        .collect();
    progress.finish();
    done.into_iter().collect()
}
