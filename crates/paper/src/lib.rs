//! The paper: its experiments, its claims, and what readers are shown of both. It is finished, and nothing that studies
//! gain moves it.
//!
//! | module | holds |
//! |---|---|
//! | [`experiments`] | the simulations, the dice, ChaosNLI |
//! | [`artifact`] | the results folder: provenance, loading, checking |
//! | [`claims`], [`verdicts`] | the published numbers, and how the computed ones compare with them |
//! | [`rules`] | the frozen list of the rules that are compared |
//! | [`figures`] | the figures |
//! | [`report`] | tables, the LaTeX bundle and the page |

pub mod artifact;
pub mod claims;
pub mod experiments;
pub mod figures;
pub mod report;
pub mod rules;
pub mod verdicts;
