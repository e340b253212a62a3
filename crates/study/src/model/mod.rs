//! A study in memory: what it has read, what its trust may depend on, and the fitted belief about every item.
//!
//! | module | holds |
//! |---|---|
//! | [`study`] | the study and the decomposition, and what of them depends on what labels are |
//! | [`load`] | reading a study, which refuses everything that can't be used |
//! | [`relation`] | items with what judge and people say of them; the features of the trust regression |
//! | [`chosen`] | how the labelled items were chosen, and which form a cluster |
//! | [`carried`] | trust and recalibration that start from another study |
//! | [`decompose`], [`identification`] | the fit, and whether the labels determine it; the beliefs that held-out labels are scored under |

pub mod carried;
pub mod chosen;
pub mod decompose;
pub mod identification;
pub mod load;
pub mod relation;
pub mod study;
