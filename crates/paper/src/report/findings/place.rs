//! Where in the results a figure stands.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The first key of figures that are typed in the file of findings.
const PLANNING: &str = "planning";
/// The first key of what a part of a sentence goes through: the element, and its key.
const ELEMENT: &str = ".";
const ELEMENT_KEY: &str = "@";

/// A path into the results: keys, positions, `last`, `*` for all, and `[key.key=value,...]` for the first element that
/// has these values. It may begin with a name that the finding gives to another place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FigurePlace {
    text: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Key(String),
    Last,
    All,
    With(Conditions),
}

/// Values that an element has.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conditions(Vec<(Vec<String>, Wanted)>);

#[derive(Debug, Clone, PartialEq)]
enum Wanted {
    Text(String),
    /// The value at the place of that name.
    Named(String),
}

/// What places are seen from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) results: &'a Value,
    pub(super) planning: &'a Value,
    pub(super) names: &'a BTreeMap<String, FigurePlace>,
    pub(super) element: Option<&'a Element<'a>>,
}

/// What a part of a sentence goes through.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element<'a> {
    pub(super) key: Value,
    pub(super) value: &'a Value,
}

/// What was found at a place, and the place with all positions written out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found<'a> {
    pub(super) value: &'a Value,
    pub(super) path: String,
}

/// Nothing that could be told.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lost {
    pub(super) wanted: String,
    pub(super) at: String,
    pub(super) found: &'static str,
}

/// Splits at a sign outside square brackets.
pub(super) fn split_outside(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (vec![], 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ if c == sign && depth == 0 => {
                parts.push(&text[from..i]);
                from = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

impl Conditions {
    /// Reads `key.key=value,...`; a value that begins with `$` is the name of a place.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let one = |condition: &str| {
            let (path, wanted) = condition
                .split_once('=')
                .ok_or_else(|| format!("`{condition}` is not a condition such as key=value"))?;
            let wanted = match wanted.strip_prefix('$') {
                Some(name) => Wanted::Named(name.to_owned()),
                None => Wanted::Text(wanted.to_owned()),
            };
            Ok((path.split('.').map(str::to_owned).collect(), wanted))
        };
        Ok(Self(text.split(',').map(one).collect::<Result<_, String>>()?))
    }

    /// Whether an element has these values; the key `@` is the element's own.
    pub(super) fn hold(&self, element: &Element, scope: &Scope) -> Result<bool, Lost> {
        for (path, wanted) in &self.0 {
            let wanted = match wanted {
                Wanted::Text(text) => text.clone(),
                Wanted::Named(name) => plain(named(name, scope)?.value),
            };
            let value = match path.as_slice() {
                [own] if own == ELEMENT_KEY => Some(&element.key),
                keys => keys.iter().try_fold(element.value, |value, key| value.get(key)),
            };
            if value.map(plain).as_ref() != Some(&wanted) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(_, wanted)| match wanted {
            Wanted::Named(name) => Some(name.as_str()),
            Wanted::Text(_) => None,
        })
    }
}

/// A text without quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn named<'a>(name: &str, scope: &Scope<'a>) -> Result<Found<'a>, Lost> {
    let lost = || Lost { wanted: format!("${name}"), at: name.to_owned(), found: "have no place of the name" };
    scope.names.get(name).ok_or_else(lost)?.find(scope)
}

impl FigurePlace {
    /// Reads a place.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let step = |step: &str| match step {
            "" => Err(format!("`{text}` is not a place: a key is empty")),
            "last" => Ok(Step::Last),
            "*" => Ok(Step::All),
            key => match key.strip_prefix('[').map(|rest| rest.strip_suffix(']')) {
                Some(Some(conditions)) => Ok(Step::With(Conditions::read(conditions)?)),
                Some(None) => Err(format!("`{text}` is not a place: a bracket is not closed")),
                None if key.contains(['{', '}', '|', ']', '(', ')']) => Err(format!("`{text}` is not a place")),
                None => Ok(Step::Key(key.to_owned())),
            },
        };
        let steps = split_outside(text, '/').into_iter().map(step).collect::<Result<Vec<_>, _>>()?;
        match steps.first() {
            Some(Step::Key(_)) => Ok(Self { text: text.to_owned(), steps }),
            _ => Err(format!("`{text}` is not a place: it must begin with a key")),
        }
    }

    /// The names that it may use: its own first key, and those in conditions.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        let first = self.steps.first().and_then(|first| match first {
            Step::Key(key) => Some(key.as_str()),
            _ => None,
        });
        let in_steps = self.steps.iter().flat_map(|step| match step {
            Step::With(conditions) => conditions.names().collect(),
            _ => vec![],
        });
        in_steps.chain(first).collect()
    }

    /// The rest of a place among the planning figures.
    pub(super) fn planning(&self) -> Option<&str> {
        self.text.strip_prefix(PLANNING)?.strip_prefix('/')
    }

    pub(super) fn lost(&self, at: &str, found: &'static str) -> Lost {
        Lost { wanted: self.text.clone(), at: at.to_owned(), found }
    }

    /// Where the place begins, and the steps from there.
    fn start<'a>(&self, scope: &Scope<'a>) -> Result<(Found<'a>, &[Step]), Lost> {
        let (first, rest) = self.steps.split_first().ok_or_else(|| self.lost("", "have nothing"))?;
        let key = match first {
            Step::Key(key) => key.as_str(),
            _ => "",
        };
        let element = || scope.element.ok_or_else(|| self.lost(key, "have no element"));
        let at = |value, path: &str| Found { value, path: path.to_owned() };
        Ok(match key {
            ELEMENT => (at(element()?.value, ELEMENT), rest),
            ELEMENT_KEY => (at(&element()?.key, ELEMENT_KEY), rest),
            PLANNING => (at(scope.planning, PLANNING), rest),
            name if scope.names.contains_key(name) => (named(name, scope)?, rest),
            _ => (at(scope.results, ""), &self.steps),
        })
    }

    /// What stands there; `null` is something.
    pub(super) fn find<'a>(&self, scope: &Scope<'a>) -> Result<Found<'a>, Lost> {
        let (start, steps) = self.start(scope)?;
        steps.iter().try_fold(start, |here, step| self.step(&here, step, scope))
    }

    /// All that stands there, with one `*` among its steps.
    pub(super) fn find_all<'a>(&self, scope: &Scope<'a>) -> Result<Vec<Found<'a>>, Lost> {
        let (start, steps) = self.start(scope)?;
        let mut found = vec![start];
        for step in steps {
            found = match step {
                Step::All => found.iter().flat_map(children).collect(),
                step => found.iter().map(|here| self.step(here, step, scope)).collect::<Result<_, _>>()?,
            };
        }
        Ok(found)
    }

    fn step<'a>(&self, here: &Found<'a>, step: &Step, scope: &Scope<'a>) -> Result<Found<'a>, Lost> {
        let at = |key: &str| if here.path.is_empty() { key.to_owned() } else { format!("{}/{key}", here.path) };
        let to = |key: &str, value: Option<&'a Value>| match value {
            Some(value) => Ok(Found { value, path: at(key) }),
            None => Err(self.lost(&at(key), "have nothing")),
        };
        match (step, here.value) {
            (Step::Key(key), Value::Array(items)) => {
                to(key, key.parse().ok().and_then(|position: usize| items.get(position)))
            }
            (Step::Key(key), value) => to(key, value.get(key)),
            (Step::Last, Value::Array(items)) => to(&items.len().saturating_sub(1).to_string(), items.last()),
            (Step::With(conditions), Value::Array(_)) => {
                for child in children(here) {
                    if conditions.hold(&Element { key: Value::Null, value: child.value }, scope)? {
                        return Ok(child);
                    }
                }
                Err(self.lost(&here.path, "have no such element"))
            }
            (Step::Last | Step::With(_), _) => Err(self.lost(&here.path, "have no list")),
            (Step::All, _) => Err(self.lost(&here.path, "have several figures where one is told")),
        }
    }
}

/// The elements of a list or of an object, in order.
fn children<'a>(here: &Found<'a>) -> Vec<Found<'a>> {
    let at = |key: String| format!("{}/{key}", here.path);
    match here.value {
        Value::Array(items) => {
            (0..).zip(items).map(|(k, value): (usize, _)| Found { value, path: at(k.to_string()) }).collect()
        }
        Value::Object(members) => members.iter().map(|(key, value)| Found { value, path: at(key.clone()) }).collect(),
        _ => vec![],
    }
}
