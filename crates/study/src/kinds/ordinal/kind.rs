//! Ordinal ratings as a kind of label.

use super::scale::{OnPlaces, Places};
use crate::input::check::Check;
use crate::input::read::KindFacts;
use crate::kinds::classes::config::ClassKind;
use crate::model::kind::Decomposition;
use judge_uncertainty_core::belief::{self, Belief};
use judge_uncertainty_core::escalation::Rule;
use judge_uncertainty_formats::error::Result;
use judge_uncertainty_formats::output::OutputColumn;

/// Labels that are places on a scale: `places = [1, 2, 3, 4, 5]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ordinal;

impl ClassKind for Ordinal {
    const OWN_FACTS: KindFacts = KindFacts {
        key: "places",
        on_scale: true,
        name: "ordinal",
        labels: "ordinal ratings",
        ranked_by: |row| row.ordinal,
        limits_trust: true,
        reference: Rule::JudgeEntropy,
    };

    type Scale = Places;
    type OnScale = OnPlaces;

    fn classes(scale: &Places) -> &[String] {
        &scale.names
    }

    fn places(scale: &Places) -> Option<&[f64]> {
        Some(&scale.places)
    }

    fn on_scale(scale: &Places) -> OnPlaces {
        OnPlaces(scale.places.clone())
    }

    fn check_scale(scale: &Places, check: &Check<'_>) -> Result<()> {
        scale.check(Self::OWN_FACTS.key, check)
    }

    fn parts(decomposition: &Decomposition<Self>) -> Vec<OutputColumn> {
        const PLACE: &str = "units of the scale";
        const SQUARE: &str = "squared units of the scale";
        let part = |name: &str, unit: &'static str, meaning: &str, of: fn(belief::OrdinalBelief<'_>) -> f64| {
            OutputColumn::numbers(name, unit, meaning, decomposition.map(of))
        };
        vec![
            part("mean_place", PLACE, "Posterior mean of the place of a label", |b| b.mean_place()),
            part(
                "total",
                SQUARE,
                "Total uncertainty about the place of a fresh label: its variance = aleatoric + epistemic",
                |b| b.total(),
            ),
            part("aleatoric", SQUARE, "Aleatoric part: disagreement that labels cannot reduce", |b| b.aleatoric()),
            part("epistemic", SQUARE, "Epistemic part: expected squared error of the mean place; also v", |b| {
                b.epistemic()
            }),
            part("delta", SQUARE, "One-label value: how much one label is expected to lower it", |b| b.label_value()),
            part("wasserstein", PLACE, "How much one label is expected to lower the Wasserstein error", |b| {
                b.wasserstein_label_value()
            }),
            part("total_entropy", "nats, 0 to ln K", "Entropy of the posterior mean, places left aside", |b| {
                b.classes().total()
            }),
            part("aleatoric_entropy", "nats", "Its aleatoric part", |b| b.classes().aleatoric()),
            part("epistemic_entropy", "nats", "Its epistemic part: what one further label tells", |b| {
                b.classes().epistemic()
            }),
        ]
    }
}
