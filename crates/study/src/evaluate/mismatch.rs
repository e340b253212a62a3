//! What keeps two studies from being compared.

/// Why two studies can't be compared.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum CompareError {
    /// Their labels can be different things.
    #[error("the two studies don't have the same {key}: compare studies whose labels mean the same")]
    Scale {
        /// Key of the configuration.
        key: &'static str,
    },
    /// Their items are others.
    #[error(
        "item {id:?} is in the {in_which} study only ({others} such items in all): compare studies of the same items"
    )]
    Items {
        /// The first of them.
        id: String,
        /// `first` or `second`.
        in_which: &'static str,
        /// How many.
        others: usize,
    },
    /// An item has other labels.
    #[error("item {id:?} has other labels in the second study ({others} such items in all): give both the same labels")]
    Labels {
        /// The first of them.
        id: String,
        /// How many.
        others: usize,
    },
}
