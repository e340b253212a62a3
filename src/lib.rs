//! Decomposing LLM-judge uncertainty to target expert labels.
//!
//! A Dirichlet belief around a judge's predicted label distribution, with a trust fitted from labels already
//! collected, splits the uncertainty about a fresh label into an *aleatoric* part (experts disagree; labels cannot
//! help) and an *epistemic* part (the judge is ignorant; labels help).
//!
//! # Map
//!
//! Imports point only downward in this list.
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | arguments, one file per command, progress bars |
//! | [`report`] | claims and their verdicts, number formatting, tables, figures, the LaTeX bundle: views of results, no computation |
//! | [`artifact`] | the results folder: provenance, loading, replacing it in one step |
//! | [`study`] | the same engines on a user's data |
//! | [`judge`] | asking a judge for predictions: prompts, requests, the answer cache, parsing |
//! | [`experiments`] | the paper's simulations, dice and ChaosNLI, and the replication loop |
//! | [`escalation`] | ranking rules, value of a label, regret, budgets |
//! | [`belief`] | Dirichlet closed forms and the trust regression |
//! | [`familiarity`] | embeddings, neighbours and the features made from them |
//! | [`dataset`] | label counts, judge predictions, items: read, check, refuse |
//! | [`output`] | folders and files to write: staged, listed, replaced in one step |
//! | [`clock`] | times as text |
//! | [`locked`] | files that one process at a time may have open |
//! | [`progress`] | how long work reports on itself |
//! | [`stats`] | summaries, ranks, special functions |
//! | [`random`] | the random streams of the experiments |

pub mod artifact;
pub mod belief;
pub mod cli;
pub mod clock;
pub mod dataset;
pub mod escalation;
pub mod experiments;
pub mod familiarity;
pub mod judge;
pub mod locked;
pub mod output;
pub mod progress;
pub mod random;
pub mod report;
pub mod stats;
pub mod study;
