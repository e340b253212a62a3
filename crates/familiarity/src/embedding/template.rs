//! Texts made from the columns of an item.

use std::fmt;
use std::str::FromStr;

use judge_uncertainty_system::limits::{Allowance, Exceeded};

/// A text with places for an item's columns, such as `Premise: {premise}\nHypothesis: {hypothesis}`.
///
/// `{name}` stands for the value of the column `name`, `{{` and `}}` for the braces themselves. So that a template
/// can be written on a command line, `\n` stands for a line break, `\t` for a tab and `\\` for a backslash.
///
/// ```
/// use judge_uncertainty_familiarity::embedding::Template;
/// use judge_uncertainty_system::limits::{self, Allowance};
/// let template: Template = r"Q: {question}\nA: {answer}".parse()?;
/// let value = |column: &str| if column == "question" { "Why?" } else { "Because." };
/// let text = template.render(value, &Allowance::new(limits::TEXTS))?;
/// assert_eq!(text, "Q: Why?\nA: Because.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Column(String),
}

/// A template that cannot be read. `at` counts characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is what its message says, each field the value of that name in it")]
pub enum TemplateError {
    /// A `{` without its `}`.
    #[error("the brace opened at character {at} is never closed; write {{{{ for a brace that is part of the text")]
    Unclosed { at: usize },
    /// A `}` without its `{`.
    #[error("the brace at character {at} closes nothing; write }}}} for a brace that is part of the text")]
    Unopened { at: usize },
    /// `{}`.
    #[error("the braces at character {at} name no column; write for instance {{premise}}")]
    Nameless { at: usize },
    /// A backslash before anything but `n`, `t` or a backslash.
    #[error("unknown escape \\{escaped} at character {at}; known are \\n, \\t and \\\\")]
    Escape { at: usize, escaped: String },
    #[error("the template names no column, so every item would have the same text; write for instance \"{{text}}\"")]
    NoColumn,
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(template: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut rest = template.chars().zip(1..).peekable();
        while let Some((c, at)) = rest.next() {
            match c {
                '\\' => text.push(match rest.next().map(|(c, _)| c) {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('\\') => '\\',
                    other => {
                        let escaped = other.map(String::from).unwrap_or_default();
                        return Err(TemplateError::Escape { at, escaped });
                    }
                }),
                '{' | '}' if rest.next_if(|&(next, _)| next == c).is_some() => text.push(c),
                '}' => return Err(TemplateError::Unopened { at }),
                '{' => {
                    let mut name = String::new();
                    loop {
                        match rest.next() {
                            Some(('}', _)) => break,
                            Some(('{', _)) | None => return Err(TemplateError::Unclosed { at }),
                            Some((c, _)) => name.push(c),
                        }
                    }
                    if name.is_empty() {
                        return Err(TemplateError::Nameless { at });
                    }
                    if !text.is_empty() {
                        parts.push(TemplatePart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(TemplatePart::Column(name));
                }
                _ => text.push(c),
            }
        }
        if !text.is_empty() {
            parts.push(TemplatePart::Text(text));
        }
        if !parts.iter().any(|part| matches!(part, TemplatePart::Column(_))) {
            return Err(TemplateError::NoColumn);
        }
        Ok(Self { parts })
    }
}

impl Template {
    /// The columns named, in the order of the template; a column used twice comes twice.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Column(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
    }

    /// The text of one item; `value` gives the value of each column in [`Template::columns`], and `allowance` is how
    /// many bytes the texts of all items may have.
    ///
    /// # Errors
    /// The text would be longer than what is left.
    pub fn render<'a>(&'a self, value: impl Fn(&str) -> &'a str, allowance: &Allowance) -> Result<String, Exceeded> {
        let part = |part: &'a TemplatePart| match part {
            TemplatePart::Text(text) => text.as_str(),
            TemplatePart::Column(name) => value(name),
        };
        allowance.take(self.parts.iter().map(|text| part(text).len() as u64).sum())?;
        Ok(self.parts.iter().map(part).collect())
    }
}

/// Writes the template so that it reads back as the same one.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                TemplatePart::Column(name) => write!(f, "{{{name}}}")?,
                TemplatePart::Text(text) => f.write_str(
                    &text
                        .replace('\\', r"\\")
                        .replace('\n', r"\n")
                        .replace('\t', r"\t")
                        .replace('{', "{{")
                        .replace('}', "}}"),
                )?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_uncertainty_system::limits;

    fn render(template: &str) -> String {
        let value = |column: &str| match column {
            "a" => "A{}",
            "b c" => r"\n",
            other => panic!("asked for {other}"),
        };
        template.parse::<Template>().unwrap().render(value, &Allowance::new(limits::TEXTS)).unwrap()
    }

    fn error(template: &str) -> TemplateError {
        template.parse::<Template>().unwrap_err()
    }

    #[test]
    fn columns_and_escapes_are_replaced() {
        assert_eq!(render("{a}"), "A{}");
        assert_eq!(render("x {a}{b c} y"), r"x A{}\n y", "values are not read as templates");
        assert_eq!(render(r"{{a}} \t{a}\\n\n"), "{a} \tA{}\\n\n");
        assert_eq!(render("a real\nline break: {a}"), "a real\nline break: A{}");
        assert_eq!(render("{{{a}}}"), "{A{}}");
    }

    #[test]
    fn columns_are_listed_in_order() {
        let template: Template = "{a} {b c} {a}".parse().unwrap();
        assert_eq!(template.columns().collect::<Vec<_>>(), ["a", "b c", "a"]);
    }

    #[test]
    fn mistakes_name_their_place() {
        assert_eq!(error("é {a"), TemplateError::Unclosed { at: 3 });
        assert_eq!(error("{a {b}"), TemplateError::Unclosed { at: 1 });
        assert_eq!(error("{a} }"), TemplateError::Unopened { at: 5 });
        assert_eq!(error("{a}{}"), TemplateError::Nameless { at: 4 });
        assert_eq!(error(r"{a}\x"), TemplateError::Escape { at: 4, escaped: "x".into() });
        assert_eq!(error(r"{a}\"), TemplateError::Escape { at: 4, escaped: String::new() });
        assert_eq!(error("no column"), TemplateError::NoColumn);
        assert_eq!(error(""), TemplateError::NoColumn);
        assert_eq!(error("{{a}}"), TemplateError::NoColumn);
    }

    #[test]
    fn display_reads_back() {
        for written in ["{a}", r"Premise: {premise}\nHypothesis: {hypothesis}", r"{{}}{x}\\\t"] {
            let template: Template = written.parse().unwrap();
            assert_eq!(template.to_string(), written);
        }
    }
}
