//! The share of a judge's predictions that counts as a guess among all classes.

use std::collections::BTreeMap;

use super::layout::Layout;
use super::objective::Pack;
use super::readings::Readings;
use super::rung::Rung;
use crate::belief::newton::maximise;

/// B of the prior on the share, of density B (1 - g)^(B - 1): one guess in B + 1 on average. Weak beside the labels of a judge that
/// lapses; without it a few labels of an overconfident judge would be taken for guesses.
const AGAINST: f64 = 10.0;
/// The largest share that is looked for.
const MOST: f64 = 0.99;
/// The search ends where the square root of the share is known to this.
const ENOUGH: f64 = 1e-3;

/// The shares that were found for some labels: all maps from a temperature on have the same.
#[derive(Clone, Default)]
pub(super) struct Shares(BTreeMap<Rung, f64>);

impl Shares {
    /// The share for a map of these labels.
    pub(super) fn of(&mut self, rung: Rung, readings: &Readings, pack: Pack) -> f64 {
        match rung.min(Rung::Temperature) {
            Rung::Identity => 0.0,
            rung => *self.0.entry(rung).or_insert_with(|| share(rung, readings, pack)),
        }
    }
}

/// The share g of (1 - g) q + g / K at which labels and priors are likeliest together, all else fitted along with it.
///
/// A judge that states next to nothing for a class which people do name is not overconfident throughout: it lapses. A temperature
/// would have to flatten every prediction to make room for those labels. At a given trust the log-likelihood of
/// [`Rung::Smoothing`] is concave in g, as every factor of it is linear in g. The maps after it take the share that
/// goes with a temperature and biases of prior variance 1. Without labels it is 0.
///
/// Golden section over the square root of the share, in which small shares are as far apart as large ones.
fn share(rung: Rung, readings: &Readings, pack: Pack) -> f64 {
    let mut start = None;
    let mut height = |root: f64| {
        let layout = Layout::of(rung, readings, root * root).expect("a temperature is always fitted");
        let mut posterior = pack(&layout);
        if posterior.items == 0 {
            return 0.0;
        }
        posterior.loose = 1e6;
        let from = start.take().unwrap_or_else(|| posterior.centre.clone());
        let maximum = maximise(&mut posterior, from);
        let value = maximum.at.value + (AGAINST - 1.0) * (-root * root).ln_1p();
        start = Some(maximum.parameters);
        value
    };
    let none = height(0.0);
    let (root, value) = golden_section(&mut height, MOST.sqrt());
    if value > none { root * root } else { 0.0 }
}

/// The highest point of a function of one rise and fall between 0 and `most`, and its height.
fn golden_section(height: &mut impl FnMut(f64) -> f64, most: f64) -> (f64, f64) {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (0.0, most);
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (height(left), height(right));
    while high - low > ENOUGH {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = height(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = height(right);
        }
    }
    if at_left >= at_right { (left, at_left) } else { (right, at_right) }
}
