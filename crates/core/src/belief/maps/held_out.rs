//! Labels as a map predicts them that had no part in its fit.

use ndarray::{ArrayView2, Axis};

use super::fitted::{Map, MapReader};
use super::fitting::FitItems;
use super::guesses::{self, Guesses};
use super::layout::ItemReader;
use crate::belief::dirichlet::row;
use crate::belief::dirichlet_multinomial::LabelledItem;
use crate::belief::engine::{Likelihood, Slopes, Terms, held_out};
use crate::belief::judged::JudgedItems;
use crate::belief::newton::LogProduct;

/// The log score of each item's labels: the mean over the item's labels of ln m_y, y the label's class and m the map's
/// mean for the item when the fit leaves out the labels of its cluster; 0 without labels. In nats, at most 0.
///
/// One Newton step leaves a cluster out ([`held_out`]); `shares` has the share of guesses without each cluster
/// ([`shares_without`]).
pub(super) fn log_scores(
    map: &Map,
    labelled: &FitItems,
    counts: ArrayView2<u32>,
    clusters: &[Vec<usize>],
    shares: &[f64],
) -> Vec<f64> {
    let MapReader { mut reader, shape, likelihood, parameters, .. } = map.reader(&labelled.items);
    let mut again = ItemReader::new(&map.layout, &labelled.items);
    let score = |(cluster, i): (usize, usize), mut item: Terms<LabelledItem>, fall: &[f64]| {
        if map.guesses() > 0.0 {
            // The item itself is read without its own labels.
            let clusters = clusters[cluster].iter().filter(|other| **other != i);
            let labels = clusters.map(|&other| row(counts.index_axis(Axis(0), other)));
            again.guesses = labels.fold(map.layout.guesses.at(shares[cluster]), Guesses::without);
            again.read_again(i, &mut item);
        }
        let without = item.fallen(&shape, &parameters, fall);
        log_score(&likelihood.log_trust_and_mean(&item.item, &without).1, row(counts.index_axis(Axis(0), i)))
    };
    let fit = (parameters.as_slice(), map.regression.covariance.as_slice());
    let read = |i: usize| reader.read(i, counts.row(i).to_vec());
    held_out((&likelihood, &shape), fit, (clusters, &labelled.row_of), read, score)
}

/// The share of guesses without the labels of each cluster, by a Newton step in the share alone.
pub(super) fn shares_without(
    map: &Map,
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    clusters: &[Vec<usize>],
) -> Vec<f64> {
    let share = map.guesses();
    if share == 0.0 {
        return vec![0.0; clusters.len()];
    }
    let mut reader = map.reader(items);
    let in_share = |cluster: &Vec<usize>| {
        cluster
            .iter()
            .map(|&i| reader.in_share(i, row(counts.index_axis(Axis(0), i))))
            .fold([0.0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]])
    };
    let own: Vec<[f64; 2]> = clusters.iter().map(in_share).collect();
    let bend: f64 = own.iter().map(|own| own[1]).sum();
    own.iter().map(|own| guesses::share_without(map.name(), share, bend, *own)).collect()
}

/// Mean of ln m over the labels of an item.
fn log_score(mean: &[f64], counts: &[u32]) -> f64 {
    let n = f64::from(counts.iter().sum::<u32>());
    let labelled = counts.iter().zip(mean).filter(|(c, _)| **c > 0);
    labelled.map(|(&c, m)| f64::from(c) * m.max(f64::MIN_POSITIVE).ln()).sum::<f64>() / n
}

impl MapReader<'_, '_> {
    /// First and second derivative of the log-likelihood of an item's labels in the share of guesses g: du_j/dg = (pi_j - q_j) / r_j, r_j = (1 - g) q_j + g pi_j, and d2u_j/dg2 = -(du_j/dg)^2.
    fn in_share(&mut self, i: usize, counts: &[u32]) -> [f64; 2] {
        let (item, mut terms) = (self.reader.read(i, counts.to_vec()), self.likelihood.room());
        let (at, mut own) = (item.coordinates(&self.shape, &self.parameters), Slopes::new(self.shape.size));
        self.likelihood.differentiate(&item.item, &at, &mut terms, &mut own, &mut LogProduct::default());
        let (q, guesses) = (self.items.q.row(i), self.map.layout.guesses.clone().without(counts));
        let read = guesses.smoothed(q);
        let by: Vec<f64> =
            q.iter().zip(read).zip(guesses.distribution()).map(|((q, r), guess)| (guess - q) / r).collect();
        let mut turned = vec![0.0; by.len()];
        terms.turn(&by, &mut turned);
        let slope = terms.in_u.iter().zip(&by).map(|(s, d)| s * d).sum();
        let bend = turned.iter().zip(&by).zip(&terms.in_u).map(|((t, d), s)| t * d - s * d * d).sum();
        [slope, bend]
    }
}
