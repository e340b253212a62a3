//! The figures of the paper (`paper`) and of studies of other data (`study`); what both draw is in `shared`.
//!
//! How a description becomes a drawing is the matter of the crate `judge-uncertainty-figures`.

pub(crate) mod paper;

pub(crate) use judge_uncertainty_page::figures as shared;
pub use judge_uncertainty_page::look;

pub use judge_uncertainty_figures::{
    Axis, Error, Figure, Look, Panel, Point, Scale, Series, Shape, Width, axis, description, font, layout, scene,
};
pub use paper::{all, beyond, reproduced};
