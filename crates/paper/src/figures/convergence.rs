//! The paper's Figure 1: the decomposition as labels arrive.

use crate::experiments::dice::DiceResults;
use judge_uncertainty_core::stats::Summary;
use judge_uncertainty_figures::description::{Axis, Figure, Panel, Series, Shape, Width};
use judge_uncertainty_page::figures::{OVER_REPLICATES, over_replicates, say};
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
    let ends = |line: &[Summary]| {
        let mean = |s: Option<&Summary>| say(s.map_or(0.0, |s| s.mean), 2);
        format!("from {} to {}", mean(line.first()), mean(line.last()))
    };
    Figure {
        name: "convergence".to_owned(),
        title: "The decomposition as rolls are revealed".to_owned(),
        alt: format!(
            "Line chart over 0 to {} rolls revealed per die. The epistemic part falls {} nats and the total {}; the \
             aleatoric part goes {}; the true disagreement is {}.",
            lines.total.len().saturating_sub(1),
            ends(&lines.epistemic),
            ends(&lines.total),
            ends(&lines.aleatoric),
            say(dice.mean_true_disagreement, 2),
        ),
        note: format!(
            "Each line is a mean over {} dice in nats (1 nat = 1.44 bits); total = aleatoric + epistemic at every \
             point. Every die begins without a roll, so the total begins at the entropy of the judge's prediction, \
             which has no band. The trust is the one fitted to the labels of the experiment. Bands \
             {OVER_REPLICATES}. A decomposition that works spends its epistemic part and leaves the aleatoric part at \
             the dotted line.",
            dice.items
        ),
        width: Width::Full,
        height: 170.0,
        panels: vec![Panel {
            title: None,
            x: Axis::numbers("rolls revealed per die", &[0.0, 10.0]),
            y: Axis::numbers("uncertainty (nats)", &[0.0]),
            series,
        }],
    }
}
