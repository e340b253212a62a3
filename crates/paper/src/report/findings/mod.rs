//! What goes beyond the paper, in sentences that can be quoted.
//!
//! The sentences are data: `data/paper/findings.toml` has them as templates, whose placeholders name figures of the
//! results and how they are printed. No figure is typed in this program.
//!
//! | module | holds |
//! |---|---|
//! | `finding` | a finding, and all of them from results |
//! | `file` | the file, read and checked |
//! | `template` | sentences with placeholders, and parts of sentences |
//! | `expression`, `style` | what a placeholder asks for, and how it is printed |
//! | `place` | where in the results a figure stands |

mod error;
mod expression;
mod file;
mod finding;
mod place;
mod style;
mod template;

pub use error::FindingsError;
pub use file::Findings;
pub use finding::{Finding, FindingStatus};

/// File of the findings within an artifact folder.
pub const FILE: &str = "results/findings.json";
