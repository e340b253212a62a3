//! What readers are shown, from the crates that make it.

pub use judge_uncertainty_page::{self as page, bundle, latex};
pub use judge_uncertainty_paper::{claims, report as paper, verdicts};
pub use judge_uncertainty_report::{self as study, label};
pub use judge_uncertainty_system::numbers;

/// The paper's figures, and the engine that draws them.
pub mod figures {
    pub use judge_uncertainty_figures::{
        Axis, AxisScale, Error, Figure, Look, Panel, Point, Series, Shape, Width, axis, description, font, layout,
        scene,
    };
    pub use judge_uncertainty_page::look;
    pub use judge_uncertainty_paper::figures::all;
}
