//! Numbers and words as text: the only places that format a number for a reader and that escape text for LaTeX.

pub mod latex;
pub mod numbers;
