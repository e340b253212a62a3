//! The paper's Figure 1: the decomposition as labels arrive.

use crate::experiments::dice::DiceResults;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Series, Shape, Width};
use judge_uncertainty_page::figures::over_replicates;
use judge_uncertainty_page::look;

pub(super) fn figure(dice: &DiceResults) -> Figure {
    let curve =
        |line: &[Summary]| Shape::Curve(line.iter().enumerate().map(|(n, s)| over_replicates(n as f64, s)).collect());
    let lines = &dice.convergence;
    let series = vec![
        Series::new("total", look::TOTAL, curve(&lines.total)),
        Series::new("aleatoric", look::ALEATORIC, curve(&lines.aleatoric)),
        Series::new("epistemic", look::EPISTEMIC, curve(&lines.epistemic)),
        Series::new("true disagreement", look::TRUTH, Shape::Level(dice.mean_true_disagreement)),
    ];
    Figure {
        name: "convergence".to_owned(),
        width: Width::Full,
        height: 170.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("rolls revealed per die", &[0.0, 10.0]),
            y: Axis::numbers("uncertainty (nats)", &[0.0]),
            series,
        }],
        ..Figure::default()
    }
}
