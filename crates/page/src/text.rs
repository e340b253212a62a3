//! Running text with code and links in it.

use serde::Serialize;

use crate::marks::as_given;

/// Running text. What comes from a user goes through [`Text::plain`], which reads no marks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text(Vec<Span>);

/// A stretch of text of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Span {
    text: String,
    code: bool,
    href: Option<String>,
}

impl Text {
    /// Text as it is.
    pub fn plain(text: impl Into<String>) -> Self {
        Self(vec![Span { text: text.into(), code: false, href: None }])
    }

    /// A file name, command or key.
    pub fn code(text: impl Into<String>) -> Self {
        Self(vec![Span { text: text.into(), code: true, href: None }])
    }

    /// A link; `href` is relative to the page, or goes to another site, which is asked only when a reader follows it.
    pub fn link(text: impl Into<String>, href: impl Into<String>) -> Self {
        Self(vec![Span { text: text.into(), code: false, href: Some(href.into()) }])
    }

    /// Text in which backticks mark code and `[LABEL](TARGET)` is a link: ``"see `results/claims.json`"``. For texts of the
    /// program, and of its templates with their values.
    pub fn marked(text: &str) -> Self {
        let link = text.split_once("](").and_then(|(before, after)| {
            let ((before, label), (target, after)) = (before.rsplit_once('[')?, after.split_once(')')?);
            let link = Self::link(as_given(label), as_given(target));
            Some(Self::marked(before).then(link).then(Self::marked(after)))
        });
        let parts = || text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
        let span = |(i, part): (usize, &str)| Span { text: as_given(part), code: i % 2 == 1, href: None };
        link.unwrap_or_else(|| Self(parts().map(span).collect()))
    }

    /// Its letters.
    pub fn len(&self) -> usize {
        self.0.iter().map(|span| span.text.chars().count()).sum()
    }

    /// This text and then another.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// The letters, without code and links.
impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|span| f.write_str(&span.text))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_mark_code_in_texts_of_the_program_only() {
        let marked = Text::marked("run `render`, then look");
        let kinds: Vec<_> = marked.0.iter().map(|s| (s.text.as_str(), s.code)).collect();
        assert_eq!(kinds, [("run ", false), ("render", true), (", then look", false)]);
        assert_eq!(Text::plain("a `b` c").0, [Span { text: "a `b` c".into(), code: false, href: None }]);
    }
}
