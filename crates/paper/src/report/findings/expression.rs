//! What a placeholder asks for: a place, or a little arithmetic with figures at places.

use serde_json::Value;

use super::place::{FigurePlace, Found, Lost, Scope};
use judge_uncertainty_core::stats::mean;

/// A figure by where it stands, or made of others.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    At(FigurePlace),
    /// The mean over a place with a `*`.
    Mean(FigurePlace),
    Difference(Box<Self>, Box<Self>),
    Product(Box<Self>, Box<Self>),
}

/// What is to be printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Figure<'a> {
    Number(f64),
    At(&'a Value),
}

impl Expression {
    /// Reads `a`, `mean a/*/b`, `a - b`, `a * b`, `a * (b - c)`; signs have a blank on each side.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        for (sign, make) in [(" - ", Self::Difference as fn(_, _) -> _), (" * ", Self::Product)] {
            if let Some(at) = last_outside(text, sign) {
                let (left, right) = (Self::read(&text[..at])?, Self::read(&text[at + sign.len()..])?);
                return Ok(make(Box::new(left), Box::new(right)));
            }
        }
        let text = text.trim();
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return Self::read(inner);
        }
        match text.strip_prefix("mean ") {
            Some(place) => Ok(Self::Mean(FigurePlace::read(place)?)),
            None => Ok(Self::At(FigurePlace::read(text)?)),
        }
    }

    /// The places that it looks at.
    pub(super) fn places(&self) -> Vec<&FigurePlace> {
        match self {
            Self::At(place) | Self::Mean(place) => vec![place],
            Self::Difference(a, b) | Self::Product(a, b) => [a.places(), b.places()].concat(),
        }
    }

    /// The figure.
    pub(super) fn figure<'a>(&self, scope: &Scope<'a>) -> Result<Figure<'a>, Lost> {
        match self {
            Self::At(place) => Ok(Figure::At(place.find(scope)?.value)),
            _ => Ok(Figure::Number(self.number(scope)?)),
        }
    }

    fn number(&self, scope: &Scope) -> Result<f64, Lost> {
        let number = |found: Found, wanted: &FigurePlace| {
            found.value.as_f64().ok_or_else(|| wanted.lost(&found.path, "have no number"))
        };
        match self {
            Self::At(place) => number(place.find(scope)?, place),
            Self::Mean(place) => {
                let all = place.find_all(scope)?.into_iter().map(|found| number(found, place));
                Ok(mean(&all.collect::<Result<Vec<f64>, _>>()?))
            }
            Self::Difference(a, b) => Ok(a.number(scope)? - b.number(scope)?),
            Self::Product(a, b) => Ok(a.number(scope)? * b.number(scope)?),
        }
    }
}

/// Where a sign stands last outside brackets of both kinds.
fn last_outside(text: &str, sign: &str) -> Option<usize> {
    let mut depth = 0;
    let outside = text.char_indices().filter(|(_, c)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    outside.map(|(i, _)| i).filter(|&i| text[i..].starts_with(sign)).last()
}
