//! The progress of a run of the judge: a line that changes on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::say;
use crate::judge::run::RunTally;

/// How often a line is written if standard error is not a terminal.
const EVERY: Duration = Duration::from_secs(10);

/// Rate, failures, spending and time left on standard error.
pub(super) struct ProgressLine {
    start: Instant,
    bar: Option<ProgressBar>,
    written: Mutex<Instant>,
}

impl ProgressLine {
    /// A line for so many questions.
    pub(super) fn new(questions: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(questions as u64);
            if let Ok(style) = ProgressStyle::with_template("{wide_bar} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        ProgressLine { start: Instant::now(), bar, written: Mutex::new(Instant::now()) }
    }

    /// Shows what has happened so far.
    pub(super) fn see(&self, tally: &RunTally) {
        let text = words(tally, self.start.elapsed());
        match &self.bar {
            Some(bar) => {
                bar.set_position(done(tally) as u64);
                bar.set_message(text);
            }
            None => {
                let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
                if written.elapsed() >= EVERY {
                    *written = Instant::now();
                    say(format_args!("{text}"));
                }
            }
        }
    }

    /// Removes the line.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn done(tally: &RunTally) -> usize {
    tally.arrived + tally.unreached.values().sum::<usize>()
}

/// `120/3000 asked, 60 a minute, 2 failed, 0.0132 spent, 48 min left`.
fn words(tally: &RunTally, elapsed: Duration) -> String {
    let done = done(tally);
    let per_minute = 60.0 * done as f64 / elapsed.as_secs_f64().max(1e-3);
    let failed = tally.failures.values().sum::<usize>() + done - tally.arrived;
    let mut text = format!("{done}/{} asked, {per_minute:.0} a minute, {failed} failed", tally.questions);
    if let Some(spent) = tally.spent {
        text.push_str(&format!(", {spent:.4} spent"));
    }
    let minutes = (tally.questions - done.min(tally.questions)) as f64 / per_minute.max(1e-9);
    let left = if minutes < 1.0 { format!("{:.0} s", 60.0 * minutes) } else { format!("{minutes:.0} min") };
    text.push_str(&format!(", {left} left"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::parse::Failure;

    #[test]
    fn a_line_tells_rate_failures_spending_and_time_left() {
        let tally = RunTally {
            questions: 3000,
            arrived: 120,
            failures: [(Failure::Empty, 2)].into(),
            spent: Some(0.0132),
            ..RunTally::default()
        };
        assert_eq!(
            words(&tally, Duration::from_secs(120)),
            "120/3000 asked, 60 a minute, 2 failed, 0.0132 spent, 48 min left"
        );
    }
}
