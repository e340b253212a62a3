//! The engine of every fit: what is maximised, the variances of its priors, and what it would be without some labels.
//!
//! | part | is |
//! |---|---|
//! | a design | which numbers of each item, its *coordinates*, its parameters move, and how far ([`Terms`]) |
//! | a likelihood | of an item's labels as a function of its coordinates ([`Likelihood`]) |
//! | priors | normal ones on the parameters, flat where their precision is 0; the variance of a block of parameters is fixed or fitted ([`VarianceBlock`]) |
//!
//! Coordinates are linear in the parameters, so derivatives in the parameters follow from those in the coordinates.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use nalgebra::{DMatrix, DVector};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};

use super::leave_out::{self, Local};
use super::newton::{
    Curvature, Expansion, LogProduct, Maximum, Objective, add_times, dot, maximise_with_curvature, mirror,
};
use super::profile::TrustProfile;
use super::regression::{Regression, undetermined};
use super::trust::TrustPrior;

/// How near to a limit an item's log trust counts as on it.
const NEAR_LIMIT: f64 = 1e-3;
/// Products of numbers are taken over so many items at once,
const BLOCK: usize = 256;
/// and in bands of so many columns.
const BAND: usize = 32;

/// Position of ln lambda, the log trust, among the coordinates.
pub(super) const LOG_TRUST: usize = 0;

/// How the labels of an item depend on its coordinates; the first coordinate is the log trust.
pub(super) trait Likelihood {
    /// What of an item it reads: the labels, and where the coordinates are when all parameters are 0.
    type Item;
    /// Room for what is worked out of one item.
    type Room;

    /// After so many steps that gain nothing a search ends.
    const MOST_IDLE: usize = usize::MAX;
    /// A search ends where the gradient is at most this share of the number of labels.
    const TOLERANCE: f64 = 1e-11;
    /// Beyond these values of the log trust the likelihood is flat, if it has such limits.
    const LIMITS: Option<[f64; 2]> = None;

    /// Number of coordinates of an item.
    fn size(&self) -> usize;

    /// Number of an item's labels.
    fn labels(item: &Self::Item) -> f64;

    /// Room for any item.
    fn room(&self) -> Self::Room;

    /// Multiplies the likelihood of an item's labels into `value`, and fills in its first and second derivatives in the
    /// coordinates, the second row by row.
    fn differentiate(
        &self,
        item: &Self::Item,
        at: &[f64],
        room: &mut Self::Room,
        out: &mut Slopes,
        value: &mut LogProduct,
    );

    /// The longest move of a coordinate that a search makes at once.
    fn longest(&self, coordinate: usize) -> f64;

    /// How far a step moves an item's coordinates, in the longest moves.
    fn reach(&self, step: &[f64]) -> f64 {
        step.iter().enumerate().fold(0.0, |most, (at, by)| most.max(by.abs() / self.longest(at)))
    }
}

/// Derivatives of an item's log-likelihood in its coordinates.
pub(super) struct Slopes {
    pub(super) slope: Vec<f64>,
    /// Row by row.
    pub(super) bend: Vec<f64>,
}

impl Slopes {
    pub(super) fn new(size: usize) -> Self {
        Self { slope: vec![0.0; size], bend: vec![0.0; size * size] }
    }
}

/// Which coordinates items have, and where the parameters of their numbers stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Features of the trust; their coefficients are the first parameters, behind the intercept.
    pub(super) features: usize,
    /// Coordinates of an item.
    pub(super) size: usize,
    /// The first coordinate that numbers move; they move all behind it, too.
    pub(super) first_moved: usize,
    /// Parameters of the numbers in that coordinate; those of the others follow, coordinate by coordinate.
    pub(super) first_number: usize,
    /// Numbers phi of an item, in which each coordinate that they move has a linear form of its own.
    pub(super) numbers: usize,
}

impl Shape {
    /// How many coordinates numbers move.
    fn width(&self) -> usize {
        if self.numbers > 0 { self.size - self.first_moved } else { 0 }
    }

    /// Parameters of the numbers in the `m`th coordinate that they move.
    pub(super) fn of_numbers(&self, m: usize) -> Range<usize> {
        let first = self.first_number + m * self.numbers;
        first..first + self.numbers
    }
}

/// A parameter that moves a coordinate of an item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) parameter: usize,
    /// Position among the item's coordinates.
    pub(super) coordinate: usize,
    /// How far a unit of the parameter moves it.
    pub(super) weight: f64,
}

/// How the intercept and the features `z` of an item move its log trust.
pub(super) fn trust_moves(z: &[f64]) -> impl Iterator<Item = Move> {
    let weights = std::iter::once(&1.0).chain(z).enumerate();
    weights.map(|(parameter, weight)| Move { parameter, coordinate: LOG_TRUST, weight: *weight })
}

/// An item's row of the design, with what its likelihood reads.
#[derive(Debug, Clone)]
pub(super) struct Terms<I> {
    /// What moves its coordinates, by ascending parameters; intercept and features of the trust come first.
    pub(super) moves: Vec<Move>,
    /// phi.
    pub(super) numbers: Vec<f64>,
    /// How many items are like this one, in what moves their coordinates and in their labels: they are one row.
    pub(super) times: usize,
    pub(super) item: I,
}

impl<I> Terms<I> {
    /// Its coordinates at some parameters, or how far a step moves them.
    pub(super) fn coordinates(&self, shape: &Shape, parameters: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; shape.size];
        self.set_coordinates(shape, parameters, &mut all);
        all
    }

    /// [`Self::coordinates`] when they have fallen by so much.
    pub(super) fn fallen(&self, shape: &Shape, parameters: &[f64], fall: &[f64]) -> Vec<f64> {
        self.coordinates(shape, parameters).iter().zip(fall).map(|(x, fall)| x - fall).collect()
    }

    /// [`Self::coordinates`], into room for them.
    fn set_coordinates(&self, shape: &Shape, parameters: &[f64], all: &mut [f64]) {
        all.fill(0.0);
        all[LOG_TRUST] = self.log_trust(shape, parameters);
        self.moves[1 + shape.features..]
            .iter()
            .for_each(|of| all[of.coordinate] += of.weight * parameters[of.parameter]);
        for m in 0..shape.width() {
            all[shape.first_moved + m] += long_dot(&parameters[shape.of_numbers(m)], &self.numbers);
        }
    }

    /// Its log trust at some parameters.
    fn log_trust(&self, shape: &Shape, parameters: &[f64]) -> f64 {
        let features = self.moves[1..=shape.features].iter().zip(&parameters[1..]);
        parameters[0] + features.map(|(of, beta)| beta * of.weight).sum::<f64>()
    }

    /// How a coordinate moves with the parameters, by their positions.
    pub(super) fn row(&self, shape: &Shape, coordinate: usize) -> Vec<(usize, f64)> {
        let moves = self.moves.iter().filter(|of| of.coordinate == coordinate).map(|of| (of.parameter, of.weight));
        let moved = coordinate.checked_sub(shape.first_moved).filter(|m| *m < shape.width());
        let numbers = moved.into_iter().flat_map(|m| shape.of_numbers(m).zip(self.numbers.iter().copied()));
        moves.chain(numbers.filter(|(_, x)| *x != 0.0)).collect()
    }

    /// This item about a place in the parameters, for a step that leaves it out of a fit.
    fn local<L: Likelihood<Item = I>>(&self, likelihood: &L, shape: &Shape, parameters: &[f64]) -> Local {
        let mut own = Slopes::new(shape.size);
        let at = self.coordinates(shape, parameters);
        likelihood.differentiate(&self.item, &at, &mut likelihood.room(), &mut own, &mut LogProduct::default());
        let rows = (0..shape.size).map(|at| self.row(shape, at)).collect();
        Local { rows, slope: own.slope, bend: own.bend }
    }
}

/// Items that differ in what a fit reads of them (their key): the position of the first of each with how many are like
/// it, and by item which of these it is.
pub(super) fn rows(
    items: usize,
    keys: impl IntoIterator<Item = (usize, Vec<u64>)>,
) -> (Vec<(usize, usize)>, Vec<Option<usize>>) {
    let (mut rows, mut row_of) = (vec![], vec![None; items]);
    let mut alike: HashMap<Vec<u64>, usize> = HashMap::new();
    for (i, key) in keys {
        let row = *alike.entry(key).or_insert_with(|| {
            rows.push((i, 0));
            rows.len() - 1
        });
        rows[row].1 += 1;
        row_of[i] = Some(row);
    }
    (rows, row_of)
}

/// By item, its score when the labels of its cluster are left out of a fit with its maximum at `parameters`
/// ([`leave_out::fall`]); 0 for an item of no cluster. `clusters` has the labelled items of each, `row_of` the row that
/// each of them is ([`rows`]), which is scored once if it is alone in its cluster. `score` is given the number of the
/// cluster, the item, and by how much its coordinates fall: no farther than in one step of a search.
pub(super) fn held_out<L: Likelihood>(
    (likelihood, shape): (&L, &Shape),
    (parameters, covariance): (&[f64], &[Vec<f64>]),
    (clusters, row_of): (&[Vec<usize>], &[Option<usize>]),
    mut read: impl FnMut(usize) -> Terms<L::Item>,
    mut score: impl FnMut((usize, usize), Terms<L::Item>, &[f64]) -> f64,
) -> Vec<f64> {
    let mut scores = vec![0.0; row_of.len()];
    let mut of_row: HashMap<usize, f64> = HashMap::new();
    for (number, cluster) in clusters.iter().enumerate() {
        let alone = if let [i] = cluster[..] { row_of[i].map(|row| (i, row)) } else { None };
        if let Some((i, known)) = alone.and_then(|(i, row)| Some((i, of_row.get(&row)?))) {
            scores[i] = *known;
            continue;
        }
        let own: Vec<Terms<L::Item>> = cluster.iter().map(|&i| read(i)).collect();
        let locals: Vec<Local> = own.iter().map(|item| item.local(likelihood, shape, parameters)).collect();
        let falls = leave_out::fall(covariance, &locals);
        for ((&i, terms), fall) in cluster.iter().zip(own).zip(falls.chunks_exact(shape.size)) {
            let longest = fall.iter().enumerate().map(|(at, by)| by.abs() / likelihood.longest(at));
            let excess = longest.fold(1.0, f64::max);
            let fall: Vec<f64> = fall.iter().map(|by| by / excess).collect();
            scores[i] = score((number, i), terms, &fall);
        }
        of_row.extend(alone.map(|(i, row)| (row, scores[i])));
    }
    scores
}

/// The labelled items with the priors on the parameters.
pub(super) struct Posterior<L: Likelihood> {
    pub(super) likelihood: L,
    pub(super) shape: Shape,
    items: Vec<Terms<L::Item>>,
    labels: f64,
    /// The log-likelihood where it was last worked out: searches start where the one before them ended, under another
    /// prior.
    last: RefCell<Option<(Vec<f64>, Expansion)>>,
    /// Centre of the normal prior on every parameter.
    pub(super) centre: Vec<f64>,
    /// Its precision; 0 for a flat one.
    pub(super) precision: Vec<f64>,
    /// How much looser than at the end the search may stop.
    pub(super) loose: f64,
    /// Directions in which items would leave a limit of the trust: an orthonormal basis of their rows (1, z).
    ///
    /// At a limit the likelihood has a bend, so its maximum may lie there with a slope that does not vanish. Such a
    /// maximum is searched for along the bend.
    corner: Vec<DVector<f64>>,
}

impl<L: Likelihood> Posterior<L> {
    pub(super) fn new(
        likelihood: L,
        shape: Shape,
        items: Vec<Terms<L::Item>>,
        (centre, precision): (Vec<f64>, Vec<f64>),
    ) -> Self {
        let labels = items.iter().map(|terms| terms.times as f64 * L::labels(&terms.item)).sum();
        let last = RefCell::new(None);
        Self { likelihood, shape, items, labels, last, centre, precision, loose: 1.0, corner: vec![] }
    }

    /// The labelled items.
    pub(super) fn items(&self) -> &[Terms<L::Item>] {
        &self.items
    }

    /// Takes other items in their place; gives back those.
    pub(super) fn replace_items(&mut self, items: Vec<Terms<L::Item>>) -> Vec<Terms<L::Item>> {
        self.last.take();
        std::mem::replace(&mut self.items, items)
    }

    /// The log-likelihood with its derivatives.
    fn log_likelihood(&self, parameters: &[f64]) -> Expansion {
        let mut value = LogProduct::default();
        let mut sums = Derivatives::new(&self.shape, parameters.len());
        let (mut room, mut own) = (self.likelihood.room(), Slopes::new(self.shape.size));
        let mut coordinates = vec![0.0; self.shape.size];
        for terms in &self.items {
            terms.set_coordinates(&self.shape, parameters, &mut coordinates);
            if terms.times == 1 {
                self.likelihood.differentiate(&terms.item, &coordinates, &mut room, &mut own, &mut value);
            } else {
                let (mut one, times) = (LogProduct::default(), terms.times as f64);
                self.likelihood.differentiate(&terms.item, &coordinates, &mut room, &mut own, &mut one);
                value.add(times * one.ln());
                own.slope.iter_mut().chain(&mut own.bend).for_each(|x| *x *= times);
            }
            sums.add(terms, &own);
        }
        sums.finish();
        let triangle = sums.hessian.as_slice().expect("the matrix is stored row by row");
        Expansion::of_triangle(value.ln(), sums.gradient, triangle)
    }

    /// Adds the log density of the prior without its constant, and its slope.
    pub(super) fn add_prior(&self, parameters: &[f64], value: &mut f64, gradient: &mut [f64]) {
        for (k, (&x, &centre)) in parameters.iter().zip(&self.centre).enumerate() {
            let off = x - centre;
            *value -= 0.5 * self.precision[k] * off * off;
            gradient[k] -= self.precision[k] * off;
        }
    }

    /// Log density of the prior without its constant.
    fn log_prior(&self, parameters: &[f64]) -> f64 {
        let mut value = 0.0;
        self.add_prior(parameters, &mut value, &mut vec![0.0; parameters.len()]);
        value
    }

    /// The labelled items with their log trust at some parameters.
    fn log_trusts(&self, parameters: &[f64]) -> impl Iterator<Item = (&Terms<L::Item>, f64)> {
        self.items.iter().map(|terms| (terms, terms.log_trust(&self.shape, parameters)))
    }

    /// Whether some parameter has a flat prior.
    fn is_flat(&self) -> bool {
        self.precision.contains(&0.0)
    }

    /// The profile along ln lambda of an item with average features, whose weak prior is left out; `mode` is the maximum,
    /// `sd` the standard error there.
    pub(super) fn profile(&self, mode: &[f64], sd: f64) -> TrustProfile {
        TrustProfile::of_first(self, mode, sd, (self.centre[0], TrustPrior::LOG_TRUST_SD))
    }

    /// The regression of the trust at a maximum, whose parameters of these names are its coefficients, and the
    /// parameters behind them.
    pub(super) fn conclude(
        &self,
        names: Vec<String>,
        maximum: Maximum,
        curvature: &Curvature,
    ) -> (Regression, Vec<f64>) {
        let log_likelihood = maximum.at.value - self.log_prior(&maximum.parameters);
        let beyond = |log_trust: f64| L::LIMITS.is_some_and(|[least, most]| !(least..=most).contains(&log_trust));
        let at_limit = self.log_trusts(&maximum.parameters).filter(|(_, log_trust)| beyond(*log_trust)).count();
        let covariance = curvature.covariance();
        let mut coefficients = maximum.parameters;
        let others = coefficients.split_off(names.len());
        let unidentified = match self.is_flat() {
            true => curvature.unidentified().into_iter().map(|k| names[k].clone()).collect(),
            false => undetermined(&names, &covariance, &self.precision),
        };
        let regression = Regression {
            rank: curvature.rank().min(names.len()),
            unidentified,
            coefficients,
            names,
            covariance,
            log_likelihood,
            iterations: maximum.iterations,
            gradient_norm: maximum.gradient_norm,
            converged: maximum.converged,
            labelled_items: self.items.iter().map(|terms| terms.times).sum(),
            at_limit,
        };
        (regression, others)
    }
}

impl<L: Likelihood> Objective for Posterior<L> {
    fn at(&self, parameters: &[f64]) -> Expansion {
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(there, _)| there != parameters) {
            *last = Some((parameters.to_vec(), self.log_likelihood(parameters)));
        }
        let mut point = last.as_ref().expect("it was worked out").1.clone();
        self.add_prior(parameters, &mut point.value, &mut point.gradient);
        self.precision.iter().enumerate().for_each(|(k, precision)| point.hessian[[k, k]] -= precision);
        point
    }

    fn tolerance(&self) -> f64 {
        L::TOLERANCE * self.loose * self.labels.max(100.0)
    }

    fn most_idle(&self) -> usize {
        L::MOST_IDLE
    }

    /// No coordinate moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let mut own = vec![0.0; self.shape.size];
        let mut reach = 0.0_f64;
        for terms in &self.items {
            terms.set_coordinates(&self.shape, step, &mut own);
            reach = reach.max(self.likelihood.reach(&own));
        }
        if reach > 1.0 {
            let share = 1.0 / reach;
            step.iter_mut().for_each(|s| *s *= share);
        }
    }

    /// Without a prior or limits, directions without curvature don't count: a parameter that rises without bound keeps
    /// a slope for ever.
    fn size(&self, point: &Expansion, curvature: &Curvature) -> f64 {
        if L::LIMITS.is_none() && self.is_flat() {
            curvature.identified_norm(&point.gradient)
        } else {
            point.gradient_norm()
        }
    }

    /// The point with slope and curvature along the corner only.
    fn smooth<'a>(&self, at: &'a Expansion) -> Cow<'a, Expansion> {
        if self.corner.is_empty() {
            return Cow::Borrowed(at);
        }
        let p = at.gradient.len();
        let mut keep = DMatrix::<f64>::identity(p, p);
        for held in &self.corner {
            keep -= held * held.transpose();
        }
        let hessian = &keep * DMatrix::from_fn(p, p, |a, b| at.hessian[[a, b]]) * &keep;
        let gradient = &keep * DVector::from_column_slice(&at.gradient);
        Cow::Owned(Expansion {
            value: at.value,
            gradient: gradient.iter().copied().collect(),
            hessian: Array2::from_shape_fn((p, p), |(a, b)| hessian[(a, b)]),
        })
    }

    /// Holds the items that sit where the likelihood bends at a limit of the trust.
    fn bends(&mut self, parameters: &[f64]) -> bool {
        let Some(limits) = L::LIMITS else { return false };
        let near = |log_trust: f64| limits.iter().any(|limit| (log_trust - limit).abs() < NEAR_LIMIT);
        let mut corner = self.corner.clone();
        for (terms, _) in self.log_trusts(parameters).filter(|(_, log_trust)| near(*log_trust)) {
            let mut row = DVector::from_iterator(parameters.len(), terms.moves.iter().map(|of| of.weight));
            let length = row.norm();
            for held in &corner {
                row -= held * held.dot(&row);
            }
            if row.norm() > 1e-6 * length {
                corner.push(row.normalize());
            }
        }
        let found = corner.len() > self.corner.len();
        self.corner = corner;
        found
    }
}

/// The variance of a block of parameters, as the labels' marginal likelihood has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variance {
    /// What the parameters are for.
    pub block: String,
    /// How many there are.
    pub parameters: usize,
    /// The variance; 0 where the labels want none of them.
    pub variance: f64,
    /// How many of them the labels determine, 0 to all.
    pub determined: f64,
}

/// Parameters that share a variance, which is fitted.
pub(super) struct VarianceBlock {
    pub(super) name: &'static str,
    /// Their positions.
    pub(super) positions: Vec<usize>,
    /// On its way to MacKay's fixed point, |w|^2 / g with g the number of well-determined ones among the parameters w.
    /// Source: MacKay (1992), "Bayesian interpolation".
    pub(super) variance: f64,
    /// What the variance is believed to be before any label, and for how many parameters that counts.
    pub(super) prior: Option<(f64, f64)>,
    pub(super) pace: Pace,
}

/// How a variance goes to its fixed point: a slow way, as to a variance of none, is gone in longer and longer steps while
/// they keep their direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// The last step of the logarithm.
    last: f64,
    /// By how much steps are longer than those of the fixed point's own equation.
    stretch: f64,
}

impl Pace {
    /// The step to take where the equation's own is `step`.
    fn stretched(&mut self, step: f64) -> f64 {
        const GROWS: f64 = 1.5;
        const MOST: f64 = 8.0;
        self.stretch = if step * self.last > 0.0 { (GROWS * self.stretch).min(MOST) } else { 1.0 };
        self.last = step;
        self.stretch * step
    }
}

impl VarianceBlock {
    pub(super) fn new(name: &'static str, positions: Vec<usize>) -> Self {
        Self { name, positions, variance: START, prior: None, pace: Pace { last: 0.0, stretch: 1.0 } }
    }

    /// How many of its parameters the labels determine rather than its variance.
    fn determined(&self, variances: &[f64]) -> f64 {
        let trace: f64 = self.positions.iter().map(|&k| variances[k].max(0.0)).sum();
        let size = self.positions.len() as f64;
        (size - trace / self.variance).clamp(0.0, size)
    }

    /// One step of the fixed point; whether the variance is still some way off.
    fn renew(&mut self, off: impl Fn(usize) -> f64, variances: &[f64]) -> bool {
        let square: f64 = self.positions.iter().map(|&k| off(k) * off(k)).sum();
        let determined = self.determined(variances);
        let wanted = match self.prior {
            Some((variance, weight)) => (square + weight * variance) / (determined + weight),
            None if determined > 1e-9 => square / determined,
            None => 0.0,
        };
        let (before, largest) = (self.variance, LARGEST_FACTOR.ln());
        let step = (wanted.clamp(LEAST, MOST) / before).ln();
        let taken = self.pace.stretched(step).clamp(-largest, largest);
        self.variance = (before * taken.exp()).clamp(LEAST, MOST);
        before.max(self.variance) > 10.0 * LEAST && step.abs() > ENOUGH
    }

    /// Its variance as results have it: 0 where the labels want none of its parameters.
    pub(super) fn found(&self, variances: &[f64]) -> Variance {
        let gone = self.variance <= LEAST;
        Variance {
            block: self.name.to_owned(),
            parameters: self.positions.len(),
            variance: if gone { 0.0 } else { self.variance },
            determined: if gone { 0.0 } else { self.determined(variances) },
        }
    }
}

/// A search with its blocks of parameters.
pub(super) struct Search<L: Likelihood> {
    pub(super) posterior: Posterior<L>,
    pub(super) blocks: Vec<VarianceBlock>,
    /// How loosely the search for the parameters may end while the variances still move.
    pub(super) loose: f64,
}

impl<L: Likelihood> Search<L> {
    /// Takes variances that were fitted before.
    pub(super) fn take(&mut self, variances: &[Variance]) {
        for block in &mut self.blocks {
            let found = variances.iter().find(|variance| variance.block == block.name).expect("it was fitted");
            block.variance = found.variance.max(LEAST);
        }
        self.spread_variances();
    }

    /// Gives every parameter of a block the block's variance.
    pub(super) fn spread_variances(&mut self) {
        for block in &self.blocks {
            block.positions.iter().for_each(|&k| self.posterior.precision[k] = 1.0 / block.variance);
        }
    }

    /// The highest end of searches from these starts, the variances as they are.
    fn highest(&mut self, starts: Vec<Vec<f64>>) -> (Maximum, Curvature) {
        let ends = starts.into_iter().map(|start| maximise_with_curvature(&mut self.posterior, start));
        let higher = |a: (Maximum, Curvature), b: (Maximum, Curvature)| if b.0.at.value > a.0.at.value { b } else { a };
        ends.reduce(higher).expect("there is a start")
    }

    /// Moves parameters and variances by turns until both rest, from the best of some starts; `after` may leave out
    /// blocks after each round.
    pub(super) fn settle(
        &mut self,
        mut starts: Vec<Vec<f64>>,
        mut after: impl FnMut(&mut Self, Vec<f64>) -> Vec<f64>,
    ) -> (Maximum, Curvature) {
        for _ in 0..ROUNDS {
            if self.blocks.is_empty() || self.posterior.items().is_empty() {
                break;
            }
            self.spread_variances();
            self.posterior.loose = self.loose;
            let (maximum, curvature) = self.highest(starts);
            let (variances, centre) = (curvature.variances(), &self.posterior.centre);
            let off = |k: usize| maximum.parameters[k] - centre[k];
            let moves = self.blocks.iter_mut().fold(false, |moves, b| b.renew(off, &variances) | moves);
            starts = vec![after(self, maximum.parameters)];
            if !moves {
                break;
            }
        }
        self.posterior.loose = 1.0;
        self.spread_variances();
        let (mut maximum, curvature) = self.highest(starts);
        maximum.converged &= curvature.is_maximum();
        (maximum, curvature)
    }
}

/// Slope and second derivatives in the parameters, as items add to them.
struct Derivatives<'a> {
    shape: &'a Shape,
    gradient: Vec<f64>,
    /// Above and on the diagonal.
    hessian: Array2<f64>,
    /// How the coordinates of an item bend along one of its parameters.
    row: Vec<f64>,
    /// Numbers of items that wait for a product of blocks, item by item,
    numbers: Vec<f64>,
    /// and the second derivatives of each in pairs of its coordinates.
    bends: Vec<f64>,
}

impl<'a> Derivatives<'a> {
    fn new(shape: &'a Shape, parameters: usize) -> Self {
        let (gradient, hessian) = (vec![0.0; parameters], Array2::zeros((parameters, parameters)));
        Self { shape, gradient, hessian, row: vec![0.0; shape.size], numbers: vec![], bends: vec![] }
    }

    fn add<I>(&mut self, item: &Terms<I>, own: &Slopes) {
        let (shape, size, width) = (self.shape, self.shape.size, self.shape.width());
        let first = shape.first_moved;
        let parameters = self.gradient.len();
        let hessian = self.hessian.as_slice_mut().expect("the matrix is stored row by row");
        if size == 1 {
            // The log trust alone, which every parameter moves.
            for (k, of) in item.moves.iter().enumerate() {
                self.gradient[k] += own.slope[0] * of.weight;
                let by = own.bend[0] * of.weight;
                let row = &mut hessian[k * parameters + k..(k + 1) * parameters];
                row.iter_mut().zip(&item.moves[k..]).for_each(|(sum, other)| *sum += by * other.weight);
            }
            return;
        }
        let row = &mut self.row;
        let mut rest = item.moves.as_slice();
        while let Some(&Move { parameter: k, .. }) = rest.first() {
            let same = rest.iter().take_while(|of| of.parameter == k).count();
            row.fill(0.0);
            for of in &rest[..same] {
                self.gradient[k] += own.slope[of.coordinate] * of.weight;
                let bends = &own.bend[of.coordinate * size..(of.coordinate + 1) * size];
                row.iter_mut().zip(bends).for_each(|(row, bend)| *row += bend * of.weight);
            }
            for other in rest {
                hessian[k * parameters + other.parameter] += row[other.coordinate] * other.weight;
            }
            for m in 0..width {
                let by = row[first + m];
                let numbers = shape.of_numbers(m);
                if k < shape.first_number {
                    add_times(&mut hessian[k * parameters..][numbers], by, &item.numbers);
                } else {
                    numbers.zip(&item.numbers).for_each(|(l, phi)| hessian[l * parameters + k] += by * phi);
                }
            }
            rest = &rest[same..];
        }
        if shape.numbers == 0 {
            return;
        }
        for m in 0..width {
            add_times(&mut self.gradient[shape.of_numbers(m)], own.slope[first + m], &item.numbers);
        }
        self.bends.extend(pairs(width).map(|(m, n)| own.bend[(first + m) * size + first + n]));
        self.numbers.extend(&item.numbers);
        if self.numbers.len() >= BLOCK * shape.numbers {
            self.bend();
        }
    }

    /// Adds the curvature of the items that wait: for each pair of coordinates a product of matrices, which is symmetric.
    /// It is taken in bands of columns, each down to the diagonal.
    fn bend(&mut self) {
        let (d, pairs_of_item) = (self.shape.numbers, pairs(self.shape.width()).count());
        let waiting = std::mem::take(&mut self.bends);
        let numbers = std::mem::take(&mut self.numbers);
        let items = numbers.len() / d.max(1);
        let numbers = Array2::from_shape_vec((items, d), numbers).expect("numbers of each item");
        let mut bent = Array2::zeros((items, d));
        for (pair, (m, n)) in pairs(self.shape.width()).enumerate().take_while(|_| items > 0) {
            bent.assign(&numbers);
            for (mut row, bends) in bent.rows_mut().into_iter().zip(waiting.chunks_exact(pairs_of_item)) {
                row *= bends[pair];
            }
            let (rows, columns) = (self.shape.of_numbers(m).start, self.shape.of_numbers(n).start);
            for from in (0..d).step_by(BAND) {
                let to = d.min(from + BAND);
                let mut block = self.hessian.slice_mut(s![rows..rows + to, columns + from..columns + to]);
                let (above, band) = (numbers.slice(s![.., ..to]), bent.slice(s![.., from..to]));
                general_mat_mul(1.0, &above.t(), &band, 1.0, &mut block);
            }
        }
    }

    /// Nothing waits any more, and the products are there below their diagonals, too.
    fn finish(&mut self) {
        self.bend();
        for (m, n) in pairs(self.shape.width()).filter(|(m, n)| m < n) {
            let (rows, columns) = (self.shape.of_numbers(m), self.shape.of_numbers(n));
            mirror(self.hessian.slice_mut(s![rows, columns]));
        }
    }
}

/// Pairs of coordinates, the first no later than the second.
fn pairs(width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..width).flat_map(move |m| (m..width).map(move |n| (m, n)))
}

/// [`dot`] of many numbers, in four sums at once: the same whatever the processor.
fn long_dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, rest), (b, others)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + dot(rest, others)
}

/// Every block starts from this variance.
const START: f64 = 0.1;
/// Variances stay between these. A block that comes down to the least moves what it is about by some hundredths; beyond
/// the most they would run off.
pub(super) const LEAST: f64 = 1e-4;
const MOST: f64 = 100.0;
/// A variance changes by at most this factor at once.
const LARGEST_FACTOR: f64 = 10.0;
/// Rounds of variances, at most.
const ROUNDS: usize = 400;
/// They end where no variance above ten times the least changes by more than this share.
const ENOUGH: f64 = 5e-4;

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten parameters whose estimates have errors of a known variance: the fixed point is in closed form.
    #[test]
    fn the_fixed_point_is_that_of_independent_estimates() {
        for (estimate, error) in [(0.5, 0.1), (0.8, 0.001), (3.0, 1.0)] {
            // Shrunk estimates x v/(v + e), determined v/(v + e) each; fixed where x^2 v/(v + e) = v, so v = x^2 - e.
            let want = estimate * estimate - error;
            let mut block = VarianceBlock::new("ten", (0..10).collect());
            for _ in 0..ROUNDS {
                let weight = block.variance / (block.variance + error);
                block.renew(|_| estimate * weight, &[(1.0 - weight) * block.variance; 10]);
            }
            assert!((block.variance / want).ln().abs() < 1e-4, "{} for {want}", block.variance);
        }
    }
}
