//! What depends on what labels are: classes, with or without places on a scale, and numbers.
//!
//! | module | holds |
//! |---|---|
//! | [`classes`] | how a judge of classes is read, and what is said of such labels |
//! | [`scores`] | the same for numbers |

pub mod classes;
pub mod scores;
