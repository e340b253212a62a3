//! What readers are shown of each kind of label: its words, sentences, tables and figures.

mod classes;
mod ordinal;
mod reading;
mod scores;
mod tables;
