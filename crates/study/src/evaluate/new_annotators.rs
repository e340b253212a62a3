//! The judge against labels, for new items that new annotators label.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evaluate::held_out::possible;
use crate::input::labels::Label;
use crate::model::kind::{Kind, Study};
use judge_uncertainty_core::stats::Estimable;
use judge_uncertainty_core::stats::estimator::LabelScore;
use judge_uncertainty_core::stats::estimator::{Ask, Design};
use judge_uncertainty_evaluation::held_out::{Score, Scored};

/// Items with labels of more annotators than this are not told label by label.
const MOST_LABELS: usize = 100;
/// Of more than this not pair by pair.
const MOST_PAIRED: usize = 20;

/// What is said of the judge for new items labelled by new annotators: annotators vary as items do, crossed with them
/// ([`Design::crossed`]). All other intervals are for labels by the annotators at hand.
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
    /// Squared error of the judge against all annotators, from every two labels of an item; `None` in results of
    /// versions that did not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squared_error: Option<Estimable>,
}

/// A layer of labels, one an item, with who gave them; `None` for items without that many.
type Layer = (Vec<Label>, Vec<Option<usize>>);

impl ForNewAnnotators {
    /// From the items of a study at positions `kept`, chosen by a design; `None` where labels do not say who gave them.
    pub fn new<K: Kind>(study: &Study<K>, kept: &[usize], design: &Design) -> Option<Self> {
        if !study.labels.are_listed() {
            return None;
        }
        let (layers, annotators) = layers(study, kept);
        let ordered = K::Pool::SQUARED != Score::Brier;
        if let Some(not) = too_many(layers.len(), MOST_LABELS) {
            let agreement = (!ordered).then(|| not.clone());
            let squared_error = Some(not.clone());
            return Some(Self { annotators, log_score: not.clone(), agreement, labels_above: not, squared_error });
        }
        let [mut log, mut agreement, mut above, mut squared] = [vec![], vec![], vec![], vec![]];
        for (rows, who) in &layers {
            let pool = K::pool(study, &study.labels.only(rows.clone()), kept);
            for (i, annotator) in labelled(who) {
                let of = |value: f64| LabelScore::single(i, annotator, value);
                let Some(judged) = pool.judged_item(i) else { continue };
                log.extend(judged.scores[0].map(of));
                agreement.push(of(judged.agreement[0]));
                above.extend(pool.calibration(i).map(|(predicted, observed)| of(observed - predicted)));
            }
        }
        let place = K::Pool::SCORES.iter().position(|score| *score == K::Pool::SQUARED).expect("a score of every kind");
        let pairs = |k: usize| (0..k).map(move |j| (j, k));
        for (j, k) in (0..layers.len().min(MOST_PAIRED)).flat_map(pairs) {
            let [(first, one), (second, other)] = [&layers[j], &layers[k]];
            let pool = K::pool(study, &study.labels.only([&first[..], second].concat()), kept);
            for (i, annotator) in labelled(other) {
                let both = pool.judged_item(i).and_then(|judged| judged.scores[place].zip(judged.disagreement));
                let annotators = [one[i].expect("items fill the first layers"), annotator];
                squared.extend(both.map(|(score, apart)| LabelScore { item: i, annotators, value: score - apart }));
            }
        }
        let squared = match too_many(layers.len(), MOST_PAIRED) {
            Some(not) => not,
            None => possible(design.crossed(&squared, Ask::mean(&[]))),
        };
        Some(Self {
            annotators,
            log_score: design.crossed(&log, Ask::mean(&[])),
            agreement: (!ordered).then(|| design.crossed(&agreement, Ask::share(&[]))),
            labels_above: design.crossed(&above, Ask::mean(&[])),
            squared_error: Some(squared),
        })
    }
}

fn too_many(labels: usize, most: usize) -> Option<Estimable> {
    (labels > most).then(|| Estimable::not(format!("an item has labels of more than {most} annotators")))
}

/// Items of a layer with who labelled them.
fn labelled(who: &[Option<usize>]) -> impl Iterator<Item = (usize, usize)> {
    who.iter().enumerate().filter_map(|(i, who)| Some((i, (*who)?)))
}

/// By how much the log score of the second study's judge is above that of the first, for new items labelled by new
/// annotators; items at positions `kept` in the first study are at `same` in the second. `None` where labels do not say
/// who gave them.
pub(crate) fn judge_advantage<K: Kind>(
    [first, second]: [&Study<K>; 2],
    [kept, same]: [&[usize]; 2],
    design: &Design,
) -> Option<Estimable> {
    if !first.labels.are_listed() || !second.labels.are_listed() {
        return None;
    }
    let (layers, _) = layers(first, kept);
    if let Some(not) = too_many(layers.len(), MOST_LABELS) {
        return Some(not);
    }
    let there: BTreeMap<usize, usize> = kept.iter().copied().zip(same.iter().copied()).collect();
    let mut values = vec![];
    for (rows, who) in layers {
        let moved = rows.iter().map(|label| Label { item: there[&label.item], ..*label }).collect();
        let pools = [K::pool(first, &first.labels.only(rows), kept), K::pool(second, &second.labels.only(moved), same)];
        for (i, annotator) in labelled(&who) {
            let [one, other] = pools.each_ref().map(|pool| pool.judged_item(i).and_then(|judged| judged.scores[0]));
            values.extend(one.zip(other).map(|(one, other)| LabelScore::single(i, annotator, other - one)));
        }
    }
    Some(design.crossed(&values, Ask::difference(&[], false)))
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
    let mut layers = vec![(vec![], vec![None; kept.len()]); most.min(MOST_LABELS + 1)];
    for (i, of) in by_annotator.into_iter().enumerate() {
        for ((rows, who), (annotator, labels)) in layers.iter_mut().zip(of) {
            rows.extend(labels);
            who[i] = Some(annotator);
        }
    }
    (layers, everybody.len())
}
