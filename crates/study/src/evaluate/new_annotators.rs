//! The judge against labels, for new items that new annotators label.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::input::labels::Label;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_core::stats::crossed::{LabelValue, crossed_mean};
use judge_uncertainty_core::stats::sampling::SamplingDesign;
use judge_uncertainty_evaluation::held_out::{Score, Scored};

/// Items with labels of more annotators than this are not told label by label.
const MOST_LABELS: usize = 100;

/// What is said of the judge for new items labelled by new annotators: annotators vary as items do, crossed with them
/// ([`crossed_mean`]). All other intervals are for labels by the annotators at hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForNewAnnotators {
    /// Annotators behind the labels.
    pub annotators: usize,
    /// Mean log score of the judge.
    pub log_score: Estimable,
    /// Share of labels that are the judge's likeliest class; `None` on a scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Estimable>,
    /// Mean of labels less predictions, see [`calibration_in_the_large`](super::held_out::HeldOutReport).
    pub labels_above: Estimable,
}

/// A layer of labels, one an item, with who gave them; `None` for items without that many.
type Layer = (Vec<Label>, Vec<Option<usize>>);

impl ForNewAnnotators {
    /// From the items of a study at positions `kept`, chosen by a design; `None` where labels do not say who gave them.
    pub fn new<K: Kind>(study: &Study<K>, kept: &[usize], design: &SamplingDesign) -> Option<Self> {
        if !study.labels.are_listed() {
            return None;
        }
        let (layers, annotators) = layers(study, kept);
        let not = match () {
            () if layers.len() > MOST_LABELS => {
                Some(format!("an item has labels of more than {MOST_LABELS} annotators"))
            }
            () if !design.is_even() => Some("the items had different chances of being chosen".to_owned()),
            () => None,
        };
        let ordered = K::Pool::SQUARED != Score::Brier;
        if let Some(not) = not {
            let not = Estimable::not(not);
            let agreement = (!ordered).then(|| not.clone());
            return Some(Self { annotators, log_score: not.clone(), agreement, labels_above: not });
        }
        let mut number = vec![0.0; kept.len()];
        layers.iter().flat_map(|(_, who)| who.iter().enumerate()).for_each(|(i, who)| {
            number[i] += f64::from(u8::from(who.is_some()));
        });
        let [mut log, mut agreement, mut above] = [vec![], vec![], vec![]];
        for (rows, who) in layers {
            let pool = K::pool(study, &study.labels.only(rows), kept);
            for (i, annotator) in who.into_iter().enumerate() {
                let Some(annotator) = annotator else { continue };
                let of =
                    |value: f64| LabelValue { item: design.things()[i], annotator, weight: 1.0 / number[i], value };
                log.extend(pool.judge_scores(i).and_then(|scores| scores[0]).map(of));
                agreement.extend(pool.agreement_row(i).map(|row| of(row[0])));
                above.extend(pool.calibration(i).map(|(predicted, observed)| of(observed - predicted)));
            }
        }
        let mean = |labels: Vec<LabelValue>| crossed_mean(&labels);
        Some(Self {
            annotators,
            log_score: mean(log),
            agreement: (!ordered).then(|| mean(agreement)),
            labels_above: mean(above),
        })
    }
}

/// The labels of the items at positions `kept` in layers of one annotator an item, and how many annotators there are.
fn layers<K: Kind>(study: &Study<K>, kept: &[usize]) -> (Vec<Layer>, usize) {
    let place: BTreeMap<usize, usize> = kept.iter().copied().zip(0..).collect();
    let mut by_annotator: Vec<BTreeMap<usize, Vec<Label>>> = vec![BTreeMap::new(); kept.len()];
    for label in &study.labels.rows {
        if let Some(&i) = place.get(&label.item) {
            by_annotator[i].entry(label.annotator).or_default().push(*label);
        }
    }
    let everybody: std::collections::BTreeSet<usize> = by_annotator.iter().flat_map(|of| of.keys().copied()).collect();
    let most = by_annotator.iter().map(BTreeMap::len).max().unwrap_or(0);
    let mut layers: Vec<Layer> = vec![(vec![], vec![None; kept.len()]); most.min(MOST_LABELS + 1)];
    for (i, of) in by_annotator.into_iter().enumerate() {
        for ((rows, who), (annotator, labels)) in layers.iter_mut().zip(of) {
            rows.extend(labels);
            who[i] = Some(annotator);
        }
    }
    (layers, everybody.len())
}
