//! What escalation achieves, by half splits: the protocol of Experiment 2 (the paper, Sec. 4 and 5.3) over any pool of
//! labels.
//!
//! One half of each item's labels is what fitting and buying may use, the other is the truth. Of the first half some
//! labels are revealed; the trust is fitted to them, every rule ranks the items, and one further label of the half is
//! bought for each item that a rule escalates.
//!
//! | module | holds |
//! |---|---|
//! | [`pool`] | what the protocol needs to know of labels, be they classes or numbers |
//! | [`half_split`] | the protocol, one replicate at a time; comparisons of two rules item by item; distances to labelled items |
//! | [`escalation`] | what a replicate measures, where held-out labels lie in their predictive distributions, and summaries over replicates |
//! | [`counts`] | the pool of labels that are classes, with or without places on a scale |
//! | [`ratings`], [`label_pool`] | the pool of labels that are numbers; either of them |
//! | [`held_out`] | predictions scored on labels that they have not seen, from one label an item |
//! | [`components`] | both parts of the uncertainty, item by item |
//! | [`journal`] | finished replicates on disk |
//! | [`protocol`] | the constants of the protocol, replicates in parallel |

pub mod components;
pub mod counts;
pub mod escalation;
pub mod half_split;
pub mod held_out;
pub mod journal;
pub mod label_pool;
pub mod pool;
pub mod protocol;
pub mod ratings;

pub use components::ItemComponents;
pub use counts::CountPool;
pub use escalation::{
    BeliefErrors, ByRule, ByRuleAndBudget, Coverage, ErrorReduction, Escalation, Measured, Picks, PitHistogram,
    Removed, by_rule,
};
pub use half_split::{
    Contrast, FamiliaritySearch, Features, HalfSplit, Measure, Settings, SplitOutcome, Ties, list_width,
};
pub use held_out::Scored;
pub use journal::{Journal, JournalError};
pub use label_pool::LabelPool;
pub use pool::{ByLabels, Fit, Fitted, Held, InHand, LabelGains, Pool, RuleDraws, Split};
pub use protocol::replicate;
pub use ratings::RatingPool;
