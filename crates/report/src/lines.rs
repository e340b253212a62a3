//! What is said about a study, line by line.

/// A line of a description. A terminal shows all of them; a page, which has tables of its own, the sentences.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A sentence that stands for itself.
    Sentence(String),
    /// What introduces the rows that follow.
    Lead(String),
    /// A row of figures.
    Row(String),
}

impl Line {
    /// A sentence.
    pub fn sentence(text: impl Into<String>) -> Self {
        Self::Sentence(text.into())
    }

    /// The line as a terminal shows it.
    pub fn text(&self) -> &str {
        match self {
            Self::Sentence(text) | Self::Lead(text) | Self::Row(text) => text,
        }
    }
}

/// A row of what was read; several in a row may be about the same.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRow {
    /// What it is about.
    pub name: &'static str,
    /// What was found.
    pub text: String,
}

impl InputRow {
    /// A row.
    pub fn new(name: &'static str, text: String) -> Self {
        Self { name, text }
    }
}
