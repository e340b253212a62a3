//! A study's results for readers: what was read, sentences, the page, tables, figures and the LaTeX document, the same
//! values in each.
//!
//! | module | holds |
//! |---|---|
//! | [`shown`] | the words and figures of a kind of label; [`kinds`] has those of each |
//! | [`lines`] | what is said line by line, on a terminal and on the page |
//! | [`input`], [`sentences`] | what was read, what was found |
//! | [`mod@page`], [`blocks`] | the page and its pieces |
//! | [`held_out`] | judge and beliefs on labels that they have not seen |
//! | `annotators` | labels by the traits of those who gave them |
//! | [`plan`] | a plan of further labels |
//! | [`compare`] | two studies held against each other |
//! | [`movement`], [`registered`], [`estimates`] | what labels moved, how hypotheses fared, means over all items |
//! | [`mod@figures`] | the figures |
//! | [`bundle`] | page, tables, figures and document as files |
//! | [`label`] | the page on which experts label a queue |

mod annotators;
pub mod blocks;
pub mod bundle;
pub mod compare;
pub mod estimates;
pub mod figures;
pub mod held_out;
pub mod input;
mod items;
pub mod kinds;
pub mod label;
pub mod lines;
pub mod movement;
pub mod page;
pub mod plan;
pub mod registered;
pub mod sentences;
pub mod shown;

pub use compare::describe_comparison;
pub use figures::figures;
pub use input::InputTable;
pub use lines::Line;
pub use page::page;
pub use plan::describe_plan;
pub use sentences::describe;
pub use shown::Shown;
