//! Sentences with placeholders, and parts of sentences that are told for each element of a list.

use std::collections::BTreeMap;

use serde_json::Value;

use super::expression::Expression;
use super::place::{Conditions, Element, FigurePlace, Lost, Scope};
use super::style::Style;

/// Text with placeholders: `{what|style}` is a figure, `{name}` a part of the sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SentenceTemplate(Vec<Piece>);

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Figure { text: String, expression: Expression, style: Style },
    SentencePart(String),
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SentencePart {
    /// The list whose elements it goes through; without one it is told once. `null` and `false` are an empty list, any
    /// other value that is neither list nor object is a list of one.
    pub(super) of: Option<FigurePlace>,
    /// Elements that are taken.
    pub(super) only: Option<Conditions>,
    /// Elements that are not.
    pub(super) except: Option<Conditions>,
    /// Only the element with the highest number there is taken.
    pub(super) highest: Option<FigurePlace>,
    /// What stands before the elements.
    pub(super) before: String,
    /// An element.
    pub(super) each: SentenceTemplate,
    /// What stands between elements.
    pub(super) join: String,
    /// What is told instead of an empty list.
    pub(super) none: SentenceTemplate,
}

/// Parts by name.
pub(super) type SentenceParts = BTreeMap<String, SentencePart>;

impl SentenceTemplate {
    /// Reads a text.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (mut pieces, mut rest) = (vec![], text);
        let not_opened = |text: &str| text.contains('}').then(|| format!("a placeholder is not opened: `{text}`"));
        while let Some((before, after)) = rest.split_once('{') {
            if let Some(problem) = not_opened(before) {
                return Err(problem);
            }
            let (inside, after) =
                after.split_once('}').ok_or_else(|| format!("a placeholder is not closed: `{{{after}`"))?;
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(match inside.rsplit_once('|') {
                Some((expression, style)) => Piece::Figure {
                    text: inside.to_owned(),
                    expression: Expression::read(expression)?,
                    style: Style::read(style)?,
                },
                None => Piece::SentencePart(inside.to_owned()),
            });
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        not_opened(rest).map_or(Ok(Self(pieces)), Err)
    }

    /// Names of the parts that it tells.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::SentencePart(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The places that it looks at itself.
    pub(super) fn places(&self) -> Vec<&FigurePlace> {
        let of_pieces = self.0.iter().flat_map(|piece| match piece {
            Piece::Figure { expression, .. } => expression.places(),
            _ => vec![],
        });
        of_pieces.collect()
    }

    /// The text with all figures.
    pub(super) fn tell(&self, scope: &Scope, parts: &SentenceParts) -> Result<String, Lost> {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => Ok(text.clone()),
            Piece::Figure { text, expression, style } => {
                let found = expression.figure(scope)?;
                style.print(found).map_err(|found| Lost { wanted: text.clone(), at: text.clone(), found })
            }
            Piece::SentencePart(name) => match parts.get(name) {
                Some(part) => part.tell(scope, parts),
                None => Err(Lost { wanted: name.clone(), at: name.clone(), found: "have no part of the name" }),
            },
        };
        self.0.iter().map(piece).collect()
    }
}

impl SentencePart {
    /// Its templates.
    pub(super) fn templates(&self) -> [&SentenceTemplate; 2] {
        [&self.each, &self.none]
    }

    /// The places that it looks at itself.
    pub(super) fn places(&self) -> Vec<&FigurePlace> {
        let own = self.of.iter().chain(&self.highest);
        own.chain(self.each.places()).chain(self.none.places()).collect()
    }

    /// The names that its conditions use.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.only.iter().chain(&self.except).flat_map(Conditions::names)
    }

    fn tell(&self, scope: &Scope, parts: &SentenceParts) -> Result<String, Lost> {
        let Some(of) = &self.of else { return self.each.tell(scope, parts) };
        let mut taken = vec![];
        for element in elements(of.find(scope)?.value) {
            let holds = |conditions: &Option<Conditions>, without: bool| match conditions {
                Some(conditions) => conditions.hold(&element, scope),
                None => Ok(without),
            };
            if holds(&self.only, true)? && !holds(&self.except, false)? {
                taken.push(element);
            }
        }
        if let Some(highest) = &self.highest {
            let mut best: Option<(f64, Element)> = None;
            for element in taken {
                let found = highest.find(&Scope { element: Some(&element), ..*scope })?;
                let number = found.value.as_f64().ok_or_else(|| highest.lost(&found.path, "have no number"))?;
                // Of equal ones the last.
                if best.as_ref().is_none_or(|(most, _)| number.total_cmp(most).is_ge()) {
                    best = Some((number, element));
                }
            }
            taken = best.into_iter().map(|(_, element)| element).collect();
        }
        if taken.is_empty() {
            return self.none.tell(scope, parts);
        }
        let each = |element: &Element| self.each.tell(&Scope { element: Some(element), ..*scope }, parts);
        let told = taken.iter().map(each).collect::<Result<Vec<String>, _>>()?;
        Ok(format!("{}{}", self.before, told.join(&self.join)))
    }
}

fn elements(value: &Value) -> Vec<Element<'_>> {
    match value {
        Value::Null | Value::Bool(false) => vec![],
        Value::Array(items) => {
            (0..).zip(items).map(|(k, value): (usize, _)| Element { key: k.into(), value }).collect()
        }
        Value::Object(members) => {
            members.iter().map(|(key, value)| Element { key: key.as_str().into(), value }).collect()
        }
        one => vec![Element { key: Value::Null, value: one }],
    }
}
