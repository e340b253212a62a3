//! What a fitted mixture says of any items.

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::objective::Rows;
use super::rows::{Item, Places, Row};
use crate::belief::dirichlet::{manhattan, row};
use crate::belief::dirichlet_multinomial::softmax;
use crate::belief::ladder::contrasts;
use crate::belief::ladder::fitted::{Before, Map, Prior};
use crate::belief::ladder::readings::Readings;
use crate::belief::mixture::{Mixture, renew};
use crate::belief::table::Beliefs;
use crate::belief::traits::Belief;

/// What is known of an item before its labels: the components with their weights.
pub(in crate::belief::ladder) struct Parts {
    weights: Vec<f64>,
    components: Vec<Before>,
}

impl Parts {
    /// A Dirichlet distribution of each component before labels, one after the other, with or without what is unknown of it.
    fn alpha(&self, evidence: impl Fn(&Before) -> f64) -> Vec<f64> {
        let of = |before: &Before| {
            let evidence = evidence(before);
            before.mean.iter().map(|m| evidence * m).collect::<Vec<_>>()
        };
        self.components.iter().flat_map(of).collect()
    }

    fn prior_alpha(&self) -> Vec<f64> {
        self.alpha(|before| before.evidence(&before.after(&[])))
    }

    pub(in crate::belief::ladder) fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.components[0].mean.len()];
        for (w, before) in self.weights.iter().zip(&self.components) {
            mean.iter_mut().zip(&before.mean).for_each(|(sum, m)| *sum += w * m);
        }
        mean
    }

    /// Expected squared error of the components' means that comes from the map.
    pub(in crate::belief::ladder) fn unknown(&self) -> f64 {
        self.weights.iter().zip(&self.components).map(|(w, before)| w * before.variance).sum()
    }

    pub(in crate::belief::ladder) fn prior(&self) -> Prior {
        let classes = self.components[0].mean.len();
        let evidence = |alpha: &[f64]| Mixture::new(&self.weights, alpha, classes).evidence();
        let known = self.alpha(|before| before.log_trust.exp());
        Prior { mean: self.mean(), trust: evidence(&self.prior_alpha()), trust_of_known_map: evidence(&known) }
    }

    /// ln of the labels' likelihood, without multinomial coefficients.
    pub(in crate::belief::ladder) fn log_likelihood(&self, counts: &[u32]) -> f64 {
        let alpha = self.prior_alpha();
        let of = |(w, alpha): (&f64, &[f64])| w.ln() + crate::belief::mixture::ln_likelihood(alpha, counts);
        let logs: Vec<f64> = self.weights.iter().zip(alpha.chunks_exact(counts.len())).map(of).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest + logs.iter().map(|l| (l - largest).exp()).sum::<f64>().ln()
    }

    /// Weights and evidence with labels.
    fn posterior(&self, counts: &[u32]) -> (Vec<f64>, Vec<f64>) {
        let mut weights = self.weights.clone();
        renew(&mut weights, &self.prior_alpha(), counts);
        let of = |before: &Before| {
            let after = before.after(counts);
            let evidence = before.evidence(&after);
            after.mean.into_iter().map(move |m| evidence * m).collect::<Vec<_>>()
        };
        (weights, self.components.iter().flat_map(of).collect())
    }
}

/// r^T S t.
fn product(r: &Row, covariance: &[Vec<f64>], t: &Row) -> f64 {
    r.iter().map(|(k, x)| x * t.iter().map(|(l, y)| covariance[*k][*l] * y).sum::<f64>()).sum()
}

/// A component of a mixture before labels, on average over some items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its weight, 0 to 1.
    pub weight: f64,
    /// What it counts for, in labels, were the map known: the geometric mean.
    pub trust: f64,
    /// Manhattan distance of its mean from the judge's prediction, 0 to 2.
    pub moved: f64,
}

impl Map {
    /// The components of a mixture on average over items, the heaviest first; none where the map is no mixture.
    ///
    /// # Panics
    /// As [`Self::prior`].
    pub fn components<'a>(&self, readings: impl Into<Readings<'a>>) -> Vec<Component> {
        let readings = readings.into();
        let mut all = vec![Component { weight: 0.0, trust: 0.0, moved: 0.0 }; self.components];
        let n = readings.len() as f64;
        for i in 0..readings.len() {
            let Some(parts) = self.parts(&readings, i) else { break };
            let q = readings.items.q.row(i);
            for ((component, w), before) in all.iter_mut().zip(&parts.weights).zip(&parts.components) {
                component.weight += w / n;
                component.trust += before.log_trust / n;
                component.moved += manhattan(&before.mean, row(q)) / n;
            }
        }
        all.iter_mut().for_each(|component| component.trust = component.trust.exp());
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        all
    }

    /// The components of item `i`; `None` where the map is no mixture.
    pub(in crate::belief::ladder) fn parts(&self, readings: &Readings, i: usize) -> Option<Parts> {
        if self.components == 0 {
            return None;
        }
        let features = self.regression.coefficients.len() - 1;
        assert_eq!(readings.items.features(i).len(), features, "the items must have the features of the fit");
        let places = Places::of(&self.layout, features, self.components);
        let item = Item::of(&self.layout, readings, i);
        assert_eq!(item.base.len(), places.classes, "the items must have the classes of the fit");
        let parameters: Vec<f64> = self.regression.coefficients.iter().chain(&self.parameters).copied().collect();
        let rows = Rows::of(&places, &item);
        let unknown = readings.carried.filter(|_| self.layout.carried).map_or(0.0, |carried| carried.unknown(i));
        let unknown = self.weight_of_carried().map_or(0.0, |(weight, _)| weight.powi(2) * unknown);
        let of = |c: usize| self.component(&places, &item, &rows, &parameters, c, unknown);
        Some(Parts { weights: rows.weights(&parameters), components: (0..self.components).map(of).collect() })
    }

    /// Mean and trust of a component, with what is unknown of them by Laplace's approximation and the delta method.
    fn component(
        &self,
        places: &Places,
        item: &Item,
        rows: &Rows,
        parameters: &[f64],
        c: usize,
        unknown: f64,
    ) -> Before {
        let covariance = &self.regression.covariance;
        let contrast: Vec<f64> = (0..places.width()).map(|m| rows.contrast(c, m, parameters)).collect();
        let mut mean = item.base.clone();
        contrasts::add(&contrast, &mut mean);
        softmax(&mut mean);
        let moves: Vec<(Row, Vec<f64>)> = (0..places.width())
            .map(|m| {
                let row = rows.shared_contrasts[m].iter().chain(&rows.own_contrasts[c][m]).copied().collect();
                (row, moved(&mean, m))
            })
            .collect();
        let mut variance = 0.0;
        for (row, by) in &moves {
            for (other, and) in &moves {
                let both: f64 = by.iter().zip(and).map(|(a, b)| a * b).sum();
                variance += both * product(row, covariance, other);
            }
        }
        let trust: Row = rows.shared_trust.iter().copied().chain([(places.trust(c), 1.0)]).collect();
        Before::new(
            mean,
            variance.max(0.0) + unknown,
            rows.log_trust(places, c, parameters),
            product(&trust, covariance, &trust).max(0.0),
        )
    }

    /// Posterior mixtures of any items given their label counts; `None` where the map is no mixture.
    pub(in crate::belief::ladder) fn posterior_mixtures(
        &self,
        readings: &Readings,
        counts: ArrayView2<u32>,
    ) -> Option<Beliefs> {
        if self.components == 0 {
            return None;
        }
        let (items, classes) = readings.items.q.dim();
        let mut weights = Array2::zeros((items, self.components));
        let mut alpha = Array2::zeros((items * self.components, classes));
        for i in 0..items {
            let parts = self.parts(readings, i)?;
            let (own, evidence) = parts.posterior(row(counts.index_axis(Axis(0), i)));
            weights.row_mut(i).iter_mut().zip(own).for_each(|(to, w)| *to = w);
            let rows = alpha.slice_mut(ndarray::s![i * self.components..(i + 1) * self.components, ..]);
            rows.into_iter().zip(evidence).for_each(|(to, a)| *to = a);
        }
        Some(Beliefs::mixtures(weights, alpha))
    }
}

/// What a step along contrast `m` of the logits does to the mean.
fn moved(mean: &[f64], m: usize) -> Vec<f64> {
    let mut unit = vec![0.0; mean.len() - 1];
    unit[m] = 1.0;
    let mut by = vec![0.0; mean.len()];
    contrasts::add(&unit, &mut by);
    let along: f64 = by.iter().zip(mean).map(|(a, m)| a * m).sum();
    by.iter_mut().zip(mean).for_each(|(a, m)| *a = m * (*a - along));
    by
}
