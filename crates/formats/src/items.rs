//! Ids in order.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash};
use std::ops::Index;
use std::sync::Arc;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use unicode_normalization_alignments::UnicodeNormalization;

use super::error::{Error, Place, Problem, Result, excerpt};

/// Texts one after the other in one allocation: 8 bytes for each text in addition to its letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    all: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Texts {
    /// Room for so many texts of so many `bytes` together.
    pub(crate) fn with_capacity(texts: usize, bytes: usize) -> Self {
        Self { all: String::with_capacity(bytes), ends: Vec::with_capacity(texts) }
    }

    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len());
    }

    /// Bytes of their letters.
    pub(crate) fn bytes(&self) -> u64 {
        self.all.len() as u64
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| &self[i])
    }
}

impl Index<usize> for Texts {
    type Output = str;

    #[inline]
    fn index(&self, i: usize) -> &str {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[i]]
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let texts = texts.into_iter();
        let mut all = Self::with_capacity(texts.size_hint().0, 0);
        texts.for_each(|text| all.push(text.as_ref()));
        all.all.shrink_to_fit();
        all.ends.shrink_to_fit();
        all
    }
}

/// Positions of texts that are stored elsewhere, found by the texts' hashes, so that no text is copied.
#[derive(Debug, Clone, Default)]
pub struct PositionIndex {
    found: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl PositionIndex {
    /// Room for so many.
    pub fn with_capacity(positions: usize) -> Self {
        Self { found: HashTable::with_capacity(positions), hasher: DefaultHashBuilder::default() }
    }

    /// The position of what has this `key`, by `key_of` each position.
    pub fn get<K: Hash + PartialEq>(&self, key: K, key_of: impl Fn(usize) -> K) -> Option<usize> {
        let hash = self.hasher.hash_one(&key);
        self.found.find(hash, |&position| key_of(position as usize) == key).map(|&position| position as usize)
    }

    /// Adds a position under its key; where another one has the key already, that one is returned and stays.
    ///
    /// # Panics
    /// Beyond 4,294,967,295 positions.
    pub fn insert<K: Hash + PartialEq>(&mut self, position: usize, key_of: impl Fn(usize) -> K) -> Option<usize> {
        let key = key_of(position);
        let (hasher, hash) = (&self.hasher, self.hasher.hash_one(&key));
        let is_same = |&other: &u32| key_of(other as usize) == key;
        match self.found.entry(hash, is_same, |&other| hasher.hash_one(key_of(other as usize))) {
            Entry::Occupied(first) => Some(*first.get() as usize),
            Entry::Vacant(vacant) => {
                vacant.insert(u32::try_from(position).expect("a table has fewer rows"));
                None
            }
        }
    }

    /// Number of different keys.
    pub fn len(&self) -> usize {
        self.found.len()
    }
}

/// The ids of all items, each once, in the order in which every other type holds its items.
///
/// Ids are kept letter by letter as they were read, and are found in every spelling that Unicode considers equal
/// ([`nfc`]). A clone shares the ids.
#[derive(Debug, Clone, Default)]
pub struct ItemIds {
    ordered: Arc<Texts>,
    /// Position by composed id; empty for the ids of rows.
    index: Arc<PositionIndex>,
}

impl PartialEq for ItemIds {
    fn eq(&self, other: &Self) -> bool {
        self.ordered == other.ordered
    }
}

impl Eq for ItemIds {}

impl ItemIds {
    /// The ids of items, in this order.
    ///
    /// # Errors
    /// An id that occurs twice, or in two spellings that look the same.
    pub fn new<T: AsRef<str>>(ordered: impl IntoIterator<Item = T>) -> Result<Self> {
        let ordered: Texts = ordered.into_iter().collect();
        Self::of_texts(ordered).map_err(|(ordered, first, i)| {
            Error::refused(Place::item(&ordered[i]), again(&ordered[i], &ordered[first], None))
        })
    }

    /// Takes ids in order, or returns them with the positions of two that are the same.
    pub(crate) fn of_texts(ordered: Texts) -> std::result::Result<Self, (Texts, usize, usize)> {
        let mut index = PositionIndex::with_capacity(ordered.len());
        let repeated = (0..ordered.len()).find_map(|i| Some((index.insert(i, |i| nfc(&ordered[i]))?, i)));
        match repeated {
            Some((first, i)) => Err((ordered, first, i)),
            None => Ok(ItemIds { ordered: Arc::new(ordered), index: Arc::new(index) }),
        }
    }

    /// The ids of the rows of a stream, which may repeat; none is found by its [position](Self::position).
    pub fn from_rows<T: AsRef<str>>(ordered: impl IntoIterator<Item = T>) -> Self {
        ItemIds { ordered: Arc::new(ordered.into_iter().collect()), index: Arc::default() }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.ordered.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ordered.is_empty()
    }

    /// The ids in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.ordered.iter()
    }

    /// The ids, shared.
    pub fn texts(&self) -> Arc<Texts> {
        self.ordered.clone()
    }

    /// Position of an id, from 0; `None` for an unknown one.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.index.get(nfc(id), |i| nfc(&self.ordered[i]))
    }
}

impl Index<usize> for ItemIds {
    type Output = str;

    /// The id of item `i`.
    fn index(&self, i: usize) -> &str {
        &self.ordered[i]
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

/// The problem of an id that names the same item as another id.
pub(crate) fn again(id: &str, first: &str, first_line: Option<u64>) -> Problem {
    if id == first {
        return Problem::DuplicateId { id: id.to_owned(), first_line };
    }
    let [one, other] = [first, id].map(|id| excerpt(&id.escape_unicode().to_string()));
    let reason = format!("two ids look the same and differ only in how their accents are written: {one} and {other}");
    Problem::unfit(reason, "write both in one way, composed (NFC), or give the items other ids")
}

/// Owned names, for tables and classes that are named in the source.
pub(super) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_by_what_stands_there() {
        let texts: Texts = ["ab", "", "a", "ab", "b"].into_iter().collect();
        let mut index = PositionIndex::default();
        let firsts: Vec<Option<usize>> = (0..texts.len()).map(|i| index.insert(i, |i| &texts[i])).collect();
        assert_eq!((firsts, index.len()), (vec![None, None, None, Some(0), None], 4));
        assert_eq!((index.get("b", |i| &texts[i]), index.get("c", |i| &texts[i])), (Some(4), None));
    }

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
