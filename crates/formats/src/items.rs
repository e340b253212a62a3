//! Ids in order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Index;
use std::sync::Arc;

use unicode_normalization_alignments::UnicodeNormalization;

use super::error::{Error, Place, Problem, Result, excerpt};

/// The ids of all items, each once, in the order in which every other type holds its items.
///
/// Ids are kept letter by letter as they were read, and found in any spelling that Unicode takes for the same
/// ([`nfc`]). A clone shares the ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemIds(Arc<Ids>);

#[derive(Debug, PartialEq, Eq)]
struct Ids {
    ordered: Vec<String>,
    /// Position by composed id; empty for the ids of rows.
    index: HashMap<String, usize>,
}

impl ItemIds {
    /// Takes ids in order.
    ///
    /// # Errors
    /// An id that stands there twice, or in two spellings that look the same.
    pub fn new(ordered: Vec<String>) -> Result<Self> {
        let mut index = HashMap::with_capacity(ordered.len());
        for (i, id) in ordered.iter().enumerate() {
            if let Some(first) = index.insert(nfc(id).into_owned(), i) {
                return Err(Error::refused(Place::item(id), again(id, &ordered[first], None)));
            }
        }
        Ok(ItemIds(Arc::new(Ids { ordered, index })))
    }

    /// Takes the ids of rows of a stream, which may stand there twice: none is found by its [position](Self::position).
    pub fn from_rows(ordered: Vec<String>) -> Self {
        ItemIds(Arc::new(Ids { ordered, index: HashMap::new() }))
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.0.ordered.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.ordered.is_empty()
    }

    /// The ids in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.ordered.iter().map(String::as_str)
    }

    /// Position of an id, from 0; `None` for an unknown one.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.0.index.get(nfc(id).as_ref()).copied()
    }
}

impl Index<usize> for ItemIds {
    type Output = str;

    /// The id of item `i`.
    fn index(&self, i: usize) -> &str {
        &self.0.ordered[i]
    }
}

/// A text with letters and their accents composed, as Unicode's form NFC has them: `e` and an acute accent become `é`.
/// Two ids that differ only so look the same, and some tools turn the one into the other.
pub fn nfc(text: &str) -> Cow<'_, str> {
    match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().map(|(letter, _)| letter).collect()),
    }
}

/// What is wrong with an id that stands for the same item as another one.
pub(crate) fn again(id: &str, first: &str, first_line: Option<u64>) -> Problem {
    if id == first {
        return Problem::DuplicateId { id: id.to_owned(), first_line };
    }
    let [one, other] = [first, id].map(|id| excerpt(&id.escape_unicode().to_string()));
    let reason = format!("two ids look the same and differ only in how their accents are written: {one} and {other}");
    Problem::unfit(reason, "write both in one way, composed (NFC), or give the items other ids")
}

/// Two or more classes, each named once.
pub(super) fn check_classes(classes: &[String]) -> Result<()> {
    let repeated = (1..classes.len()).any(|i| classes[..i].contains(&classes[i]));
    if classes.len() < 2 || repeated {
        return Err(Error::refused(Place::default(), Problem::Classes { classes: classes.to_vec() }));
    }
    Ok(())
}

/// Owned names, for tables and classes that are named in the source.
pub(super) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_their_order_and_are_found() {
        let ids = ItemIds::new(names(&["b", "a", " a"])).unwrap();
        assert_eq!((ids.len(), &ids[1], ids.position(" a"), ids.position("c")), (3, "a", Some(2), None));
        assert_eq!(ids.iter().collect::<Vec<_>>(), ["b", "a", " a"]);
        let twice = ItemIds::new(names(&["b", "a", "b"])).unwrap_err();
        assert!(twice.to_string().contains("\"b\" appears twice"), "{twice}");
    }

    #[test]
    fn ids_that_look_the_same_are_one() {
        let ids = ItemIds::new(names(&["caf\u{e9}", "cafe"])).unwrap();
        assert_eq!(
            [ids.position("cafe\u{301}"), ids.position("cafe"), ids.position("cafe\u{300}")],
            [Some(0), Some(1), None]
        );
        let told = ItemIds::new(names(&["cafe\u{301}", "caf\u{e9}"])).unwrap_err().to_string();
        assert!(told.contains("differ only in how their accents are written") && told.contains("\\u{301}"), "{told}");
    }
}
