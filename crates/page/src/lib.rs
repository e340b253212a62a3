//! Pages and LaTeX from descriptions, and what the figures of all reports share.
//!
//! A [`Page`] is a description in finished strings: sections of prose, figures and tables. A report fills one from its
//! results; the templates in `templates/report/` turn any page into one HTML file that asks nothing of any network.
//! Nothing here knows the paper or a study.
//!
//! | module | holds |
//! |---|---|
//! | [`description`], [`text`], [`scatter`] | a page: sections, blocks, running text, axes of a drawing of items |
//! | [`prose`] | lines and blocks from templates of running text |
//! | [`html`] | a page as HTML |
//! | [`latex`], [`templates`] | LaTeX, and the template engine |
//! | [`bundle`] | a figure in all its forms within a folder |
//! | [`figures`] | figures that the paper and studies have in common |
//! | [`look`] | one look for a rule wherever it is shown |

pub mod bundle;
pub mod description;
pub mod figures;
pub mod html;
pub mod latex;
pub mod look;
mod marks;
pub mod prose;
pub mod scatter;
pub mod templates;
pub mod text;

pub use description::Tone;
pub use description::{Block, Column, FigureBlock, IntervalBar, ItemsBlock, KeyNumber, Note, Page, Section, Table};
pub use html::PageTemplates;
pub use scatter::{ScatterAxis, ScatterTick};
pub use text::Text;

/// The report within an artifact folder.
pub const FILE: &str = "report/index.html";
