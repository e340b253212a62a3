//! Which items to send to experts: ranking rules, what a label is worth, regret and budgets.
//!
//! | here | what it does |
//! |---|---|
//! | [`Rule`] | priorities of items, whose labels are classes (on a scale or not) or numbers |
//! | [`top`], [`Budget`] | the items at the top of a ranking |
//! | [`Selection`] | a share of the budget at random, so that [`crate::stats::estimator`] can say something of all items |
//! | [`value`] | what escalating was worth against a known truth |

mod budget;
mod exploration;
mod rule;
pub mod value;

pub use budget::{Budget, places, top};
pub use exploration::Selection;
pub use rule::RuleInputs;
pub use rule::{Rule, RuleRow};
pub use value::regret;
