//! The targets, by what they read.

pub(crate) mod answers;
pub(crate) mod audited;
pub(crate) mod files;
pub(crate) mod models;
pub(crate) mod packed;
pub(crate) mod results;
pub(crate) mod studies;
pub(crate) mod tables;
