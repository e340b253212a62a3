#![doc = include_str!("../README.md")]

pub mod belief;
pub mod escalation;
pub mod random;
pub mod stats;
