//! The report: one page that people look at, a single file without any request to elsewhere.
//!
//! A [`Page`] is a description in finished strings: sections of prose, figures, tables, and a table of claims. The
//! paper's page is filled from its results by [`report::paper::page`](crate::report::paper::page); a study on other data
//! fills a page of its own. The templates in `templates/report/` turn any page into HTML.

pub(crate) mod claims;
mod description;
mod explorer;
mod html;
mod sources;
mod text;
mod tone;

pub use self::claims::ClaimsTable;
pub use self::description::{Block, Column, FigureBlock, ItemsBlock, KeyNumber, Note, Page, Section, Table};
pub use self::explorer::{Axis, Bar, CardView, Choice, Dot, Explorer, GroupItems, Scatter, Tick, Track};
pub use self::html::PageTemplates;
pub(crate) use self::html::base64;
pub use self::text::Text;
pub use self::tone::Tone;

/// The report within an artifact folder.
pub const FILE: &str = "report/index.html";
