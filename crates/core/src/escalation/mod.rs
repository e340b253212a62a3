//! Which items to send to experts: ranking rules, what a label is worth, regret and budgets.
//!
//! | module | holds |
//! |---|---|
//! | [`rule`], [`rating_rule`], [`budget`] | priorities of items, whose labels are classes or numbers, and the items at the top |
//! | [`allocation`] | several labels per item: who gets the next one |
//! | [`exploration`] | a share of the budget at random, and what may be estimated from it |
//! | [`value`], [`mod@regret`] | what escalating was worth against a known truth |

pub mod active_lab;
pub mod allocation;
pub mod budget;
pub mod exploration;
pub mod regret;
pub mod rule;
pub mod rating_rule;
pub mod value;

pub use allocation::allocate;
pub use budget::{Budget, top};
pub use exploration::{NoEstimate, Selection, WeightedMean, weighted_mean};
pub use regret::regret;
pub use rule::{Rule, RuleInputs};
pub use rating_rule::RatingRuleInputs;
