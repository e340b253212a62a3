//! Progress of long work, seen from outside: the library reports, the command line draws.

/// Receives the progress of one or more tasks, one after the other. Methods may be called from several threads.
pub trait Progress: Sync {
    /// A task with `total` steps begins.
    fn start(&self, task: &str, total: u64);
    /// `steps` more steps are done.
    fn advance(&self, steps: u64);
    /// The task is over.
    fn finish(&self);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}
