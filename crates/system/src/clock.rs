//! The time of a record as text, in UTC. Results never depend on it.

use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The present moment in UTC, such as `2026-11-21T03:30:05Z`.
pub fn now() -> String {
    format!("{:.0}", Timestamp::now())
}

/// The present moment in UTC to the microsecond, such as `2026-11-21T03:30:05.120393Z`.
pub fn now_exact() -> String {
    format!("{:.6}", Timestamp::now())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Files compare times as texts, so all have one form.
    #[test]
    fn times_have_one_form() {
        let digits = |text: String| text.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(digits(now()), "0000-00-00T00:00:00Z");
        assert_eq!(digits(now_exact()), "0000-00-00T00:00:00.000000Z");
    }
}
