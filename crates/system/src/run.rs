//! Facts about a run that do not influence its results.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Facts about one run that do not influence the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Threads used.
    pub threads: usize,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Operating system and architecture.
    pub platform: String,
}

impl Run {
    /// The facts about a run that began at `start` and ends now.
    pub fn since(start: Instant) -> Self {
        Self {
            threads: rayon::current_num_threads(),
            seconds: start.elapsed().as_secs_f64(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}
