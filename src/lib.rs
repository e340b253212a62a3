//! Decomposing LLM-judge uncertainty to target expert labels.
//!
//! A Dirichlet belief around a judge's predicted label distribution, with a trust fitted from labels already
//! collected, splits the uncertainty about a fresh label into an *aleatoric* part (experts disagree; labels cannot
//! help) and an *epistemic* part (the judge is ignorant; labels help).
//!
//! # Map
//!
//! Imports point only downward in these lists. This crate is the program:
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | arguments, one file per command, progress bars |
//! | [`report`] | what readers are shown, by name, from the crates that make it |
//!
//! # Kinds of labels
//!
//! A study's labels are classes, scores or ordinal ratings. Everything about a study is written once, for any
//! [`study::Kind`]; what a kind adds stands in a folder of its own, `crates/study/src/kinds/NAME`, and what readers are
//! shown of it in `report/study/kinds`, because studies do not know reports ([`report::study::Shown`]). The kinds are
//! listed in [`with_kind`] alone. Below them, half splits ask a [`evaluation::Pool`] for all that they need to know of
//! labels, and a decomposition is that pool fitted to every label; the paper's Experiment 2 runs on the pool of
//! classes.
//!
//! # Crates
//!
//! The crates beneath it, in the folder `crates`, know nothing of it; their modules can be reached from here:
//!
//! | crate | holds |
//! |---|---|
//! | `study` | [`study`]: the same engines on a user's data |
//! | `paper` | [`experiments`]: the paper's simulations, dice and ChaosNLI; [`artifact`]: its results folder; claims, tables, figures and page |
//! | `evaluation` | [`evaluation`]: half splits: what escalation achieves where labels suffice |
//! | `onnx` | runs sentence models in the ONNX format; built with the feature of that name alone |
//! | `familiarity` | [`familiarity`]: embeddings, neighbours and the features made from them |
//! | `judge` | [`judge`]: asking a judge for predictions: prompts, requests, the answer cache, parsing |
//! | `report` | [`report::study`]: what readers are shown of a study |
//! | `page` | pages and LaTeX from descriptions, figures that all reports share |
//! | `figures` | the plotting engine: a description of a figure becomes SVG, PDF, CSV |
//! | `core` | [`belief`]: Dirichlet closed forms and the trust regression; [`escalation`]: ranking rules, value of a label, regret, budgets; [`stats`]: summaries, ranks, special functions; [`random`]: the random streams of the experiments |
//! | `formats` | [`formats`]: tables, data sets and logs of other programs, read, checked and written |
//! | `system` | [`system`]: folders and files written safely, locks, limits, times, progress, numbers as text |
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
pub use judge_uncertainty_paper::{artifact, experiments};
pub use judge_uncertainty_study::{self as study, with_kind};
pub use judge_uncertainty_system as system;
