//! Progress bars on standard error, if that is a terminal.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

use crate::system::progress::Progress;

/// One bar for the task at hand.
#[derive(Debug, Default)]
pub(super) struct Bars(Mutex<Option<ProgressBar>>);

impl Bars {
    fn with(&self, f: impl FnOnce(&mut Option<ProgressBar>)) {
        // A panic elsewhere does not make a progress bar unsafe to use.
        f(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }
}

impl Progress for Bars {
    fn start(&self, task: &str, total: u64) {
        let style = ProgressStyle::with_template("{msg:<24} {wide_bar} {pos}/{len} {eta:>4}");
        // Draws to standard error, and hides itself when that is no terminal.
        let bar = ProgressBar::new(total).with_message(task.to_owned());
        if let Ok(style) = style {
            bar.set_style(style);
        }
        self.with(|slot| *slot = Some(bar));
    }

    fn advance(&self, steps: u64) {
        self.with(|slot| {
            if let Some(bar) = slot {
                bar.inc(steps);
            }
        });
    }

    fn finish(&self) {
        self.with(|slot| {
            if let Some(bar) = slot.take() {
                bar.finish_and_clear();
            }
        });
    }
}
