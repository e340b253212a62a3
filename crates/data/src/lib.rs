//! What the program reads, and how: checked data sets, logs of judges, locked files, times as text, and how long work reports on itself.

pub mod clock;
pub mod dataset;
pub mod locked;
pub mod logs;
pub mod progress;
