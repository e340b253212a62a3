//! A study in memory: what it has read, what its trust may depend on, and the fitted belief about every item.
//!
//! | module | holds |
//! |---|---|
//! | [`study`] | the study; items with what judge and people say of them; the fit, and the beliefs that held-out labels are scored under |
//! | [`load`] | reading a study, which refuses everything that can't be used |
//! | [`carried`] | what starts from another study |
//! | [`chosen`] | how the labelled items were chosen, and which form a cluster |

pub mod carried;
pub mod chosen;
pub mod load;
pub mod study;
