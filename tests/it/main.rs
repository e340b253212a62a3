//! Integration tests: one binary, a module for each part.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helper functions too")]

mod claims;
mod cli;
mod closed_forms;
mod cold_start;
mod dataset;
mod embedding;
mod estimable;
mod extended;
mod faults;
mod few_labels;
mod figures;
mod fixture;
mod followup;
mod headlines;
mod judge;
mod label_page;
mod layers;
mod logs;
mod metadata;
mod neighbours;
mod ordinal;
mod ordinal_study;
mod originals;
mod page;
mod places;
mod random;
mod ratings;
mod recalibration;
mod replicates;
mod results;
mod score_split;
mod snapshots;
mod study;
mod study_report;
mod study_run;
mod support;
mod trust_prior;
mod user_embeddings;
