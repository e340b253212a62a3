//! Labels that are one of several classes, with or without places on a scale.
//!
//! | module | holds |
//! |---|---|
//! | [`config`] | its part of `study.toml` |
//! | [`judge`] | how judge and labels are read |
//! | [`kind`] | labels and answers as they are fitted, shown and applied |

pub mod config;
pub mod judge;
pub mod kind;
