//! Replicates in parallel with results that do not depend on the number of threads.

use rayon::prelude::*;

use judge_uncertainty_system::progress::Progress;

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
