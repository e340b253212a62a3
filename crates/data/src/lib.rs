//! What the program reads, and how: checked data sets, logs of judges, its own files wherever it is installed, locked files, links, limits, times as text,
//! and how long work reports on itself.

pub mod clock;
pub mod dataset;
pub mod guarded;
pub mod installed;
pub mod limits;
pub mod links;
pub mod locked;
pub mod logs;
pub mod progress;
