//! The items that an engine finds.

/// Some of the items, or all: those that an engine finds as neighbours. Neighbours *of* any item can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedItems {
    items: Vec<usize>,
    is: Vec<bool>,
}

impl IndexedItems {
    /// All of so many items.
    pub fn all(items: usize) -> Self {
        Self { items: (0..items).collect(), is: vec![true; items] }
    }

    /// Those for which `is` says so.
    pub fn those(is: &[bool]) -> Self {
        Self { items: (0..is.len()).filter(|&item| is[item]).collect(), is: is.to_vec() }
    }

    /// How many are held.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether every item is held.
    pub fn is_all(&self) -> bool {
        self.items.len() == self.is.len()
    }

    /// Those that are held, in ascending order.
    pub fn items(&self) -> &[usize] {
        &self.items
    }

    /// Those that are held, but `item`.
    pub(super) fn others(&self, item: usize) -> impl Iterator<Item = usize> + Clone {
        self.items.iter().copied().filter(move |&other| other != item)
    }

    /// How many are held besides `item`.
    pub(super) fn others_of(&self, item: usize) -> usize {
        self.len() - usize::from(self.is[item])
    }
}
