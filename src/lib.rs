//! Decomposing LLM-judge uncertainty to target expert labels.
//!
//! A Dirichlet belief around a judge's predicted label distribution, with a trust fitted from labels already
//! collected, splits the uncertainty about a fresh label into an *aleatoric* part (experts disagree; labels cannot
//! help) and an *epistemic* part (the judge is ignorant; labels help).
//!
//! # Map
//!
//! This crate is the program. The crates of the folder `crates` do the work of its commands; each depends only on
//! crates below it in this table.
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | arguments, one file per command, progress bars |
//! | [`report`] | what readers are shown, by name, from the crates that make it |
//!
//! | crate | holds |
//! |---|---|
//! | `judge` | [`judge`]: asking a judge for predictions: prompts, requests, the answer cache, parsing |
//! | `paper` | [`experiments`], [`artifact`]: the paper's experiments, results, claims and report; finished |
//! | `report` | [`report::study`]: what readers are shown of a study |
//! | `study` | [`study`]: decomposing, ranking and evaluating a user's data |
//! | `page` | pages and LaTeX from descriptions, figures that all reports share |
//! | `figures` | the plotting engine: a description of a figure becomes SVG, PDF and CSV |
//! | `evaluation` | [`evaluation`]: half splits, which show what escalation achieves where labels suffice |
//! | `onnx` | runs sentence models in the ONNX format; built with the feature of that name alone |
//! | `familiarity` | [`familiarity`]: embeddings, neighbours and the features made from them |
//! | `core` | [`belief`], [`escalation`], [`stats`], [`random`]: the method itself, its statistics and random streams |
//! | `formats` | [`formats`]: tables, data sets and logs of other programs, read, checked and written |
//! | `system` | [`system`]: folders and files written safely, locks, limits, times, progress, numbers as text |
//!
//! For the paper's numbers begin with `crates/paper`, for a study with `crates/study`. Never edit `artifact/`, nor
//! `data/paper/claims.toml` to make a check pass.
//!
//! # Kinds of labels
//!
//! A study's labels are classes, classes at places of a scale, or numbers: its [`study::Scale`] says which, and nearly
//! all code about a study is shared by every scale. Half splits use an
//! [`evaluation::Pool`] for everything that they need to know of labels; a decomposition is that pool fitted to every
//! label. The paper's Experiment 2 runs on the pool of classes.
//!
//! `python/`, a workspace of its own that the program's build does not know, makes a Python module of `study` and
//! `core` (docs/python.md).

pub mod cli;
pub mod familiarity;
pub mod report;

pub use judge_uncertainty_core::{belief, escalation, random, stats};
pub use judge_uncertainty_evaluation as evaluation;
pub use judge_uncertainty_formats as formats;
pub use judge_uncertainty_judge as judge;
pub use judge_uncertainty_paper::{self as paper, artifact, experiments};
pub use judge_uncertainty_study::{self as study};
pub use judge_uncertainty_system as system;
