//! A study's results for readers: what was read, sentences, the page, tables, figures and the LaTeX document, the same
//! values in each.
//!
//! | module | holds |
//! |---|---|
//! | `shown` | words and figures by what labels are |
//! | [`lines`], `prose` | what is said line by line, on a terminal and on the page, from templates |
//! | `answer`, `judge` | what a run answers in few lines; how a judge is read |
//! | [`cards`], `items` | a card for each item that is shown, and their part of the page |
//! | [`input`], [`sentences`] | what was read, what was found |
//! | `ratings`, `reading` | the parts of the variance of ratings, how a judge's scores are read |
//! | [`mod@page`], [`blocks`] | the page and its pieces |
//! | [`held_out`] | judge and beliefs on labels that they have not seen |
//! | [`plan`], [`queue`] | a plan of further labels; the items that are next |
//! | [`compare`], [`apply`] | two studies compared; a belief applied to further items |
//! | [`movement`], [`registered`] | what labels moved, how hypotheses fared |
//! | [`mod@figures`] | the figures |
//! | [`bundle`] | page, tables, figures and document as files |
//! | [`label`] | the page on which experts label a queue |

mod answer;
pub mod apply;
pub mod blocks;
pub mod bundle;
pub mod cards;
pub mod compare;
pub mod figures;
pub mod held_out;
pub mod input;
mod items;
mod judge;
pub mod label;
pub mod lines;
pub mod movement;
pub mod page;
pub mod plan;
mod prose;
pub mod queue;
mod ratings;
mod reading;
pub mod registered;
pub mod sentences;
pub mod shown;

pub use answer::answer;
pub use apply::{apply_answer, describe_application};
pub use compare::{comparison_answer, describe_comparison};
pub use figures::figures;
pub use input::input_lines;
pub use lines::Line;
pub use page::page;
pub use plan::plan_answer;
pub use queue::{QueueAnswer, queue_answer};
pub use sentences::describe;
pub use shown::Vocabulary;
