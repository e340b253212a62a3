//! What readers are shown of labels that are classes and of labels that are numbers: sentences, tables and figures.

pub(crate) mod classes;
pub(crate) mod reading;
pub(crate) mod scores;
pub(crate) mod tables;
