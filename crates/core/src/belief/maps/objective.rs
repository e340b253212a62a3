//! What every fit of a belief about classes maximises: the log-likelihood of the labels plus the log density of normal
//! priors.
//!
//! Parameters move a few numbers of each item, its *coordinates*, and the labels' likelihood is a function of these.
//! For each component of the belief (one, but for a mixture) they are
//!
//! | coordinate | holds |
//! |---|---|
//! | 0 | eta = ln lambda, the log trust |
//! | 1, of a recalibration | ln tau: the log prediction counts tau times |
//! | the next K - 1, of a map | the contrasts x of what is added to the logits: u = tau ln q + C x |
//! | the last, of a mixture | the logit of the component's weight |
//!
//! Each is linear in the parameters, so derivatives in the parameters follow from those in the coordinates.

use std::cell::RefCell;
use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, s};

use super::contrasts;
use super::item::{LogitDerivatives, Room, long_dot};
use crate::belief::dirichlet_multinomial::softmax;
use crate::belief::newton::{Expansion, HessianFree, LogProduct, Maximum, Objective, add_times, dot, mirror};
use crate::belief::regression::{LARGEST_MOVE, Regression, undetermined};

/// Newton steps are shortened so that no logit moves by more than this at once.
pub(super) const LARGEST_LOGIT_MOVE: f64 = 3.0;
/// Log trust is kept within this distance of 0.
pub(super) const LARGEST_LOG_TRUST: f64 = 50.0;
/// The search ends where the gradient is no larger than this share of the number of labels.
const TOLERANCE: f64 = 1e-11;
/// Products of numbers are taken over so many items at once,
const BLOCK: usize = 256;
/// and in bands of so many columns.
const BAND: usize = 32;

/// Position of eta among the coordinates of a component.
pub(super) const LOG_TRUST: usize = 0;
/// Position of ln tau, where there is one.
pub(super) const LOG_TEMPERATURE: usize = 1;

/// Which coordinates items have, and where the parameters of their numbers stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coordinates {
    /// Features of the trust; their coefficients are the first parameters, behind the intercept.
    pub(super) features: usize,
    /// Number of classes K.
    pub(super) classes: usize,
    /// Components of the belief about an item.
    pub(super) components: usize,
    /// Whether there is a temperature tau in logarithms.
    pub(super) tempered: bool,
    /// Whether something is added to the logits.
    pub(super) bent: bool,
    /// Parameters of the first contrast's numbers; those of the others follow, contrast by contrast.
    pub(super) first_number: usize,
    /// Numbers phi of an item, in which each contrast has a linear form of its own.
    pub(super) numbers: usize,
}

impl Coordinates {
    /// Contrasts of the logits that parameters move.
    pub(super) fn width(&self) -> usize {
        if self.bent { self.classes - 1 } else { 0 }
    }

    /// Position of the first contrast among the coordinates of a component.
    pub(super) fn first_contrast(&self) -> usize {
        1 + usize::from(self.tempered)
    }

    /// Position of the logit of a component's weight.
    pub(super) fn weight(&self) -> usize {
        self.first_contrast() + self.width()
    }

    /// Coordinates of a component.
    pub(super) fn size(&self) -> usize {
        self.weight() + usize::from(self.components > 1)
    }

    /// Coordinates of an item.
    pub(super) fn coordinates(&self) -> usize {
        self.components * self.size()
    }

    /// Parameters of the numbers in contrast `m`.
    pub(super) fn of_numbers(&self, m: usize) -> Range<usize> {
        let first = self.first_number + m * self.numbers;
        first..first + self.numbers
    }
}

/// A parameter that moves a coordinate of an item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) parameter: usize,
    /// Position among the coordinates of a component.
    pub(super) coordinate: usize,
    /// The component whose coordinate it moves; `None` for that of every component.
    pub(super) component: Option<usize>,
    /// How far a unit of the parameter moves it.
    pub(super) weight: f64,
}

impl Move {
    /// The positions among an item's coordinates that it moves.
    fn places(&self, shape: &Coordinates) -> impl Iterator<Item = usize> + use<> {
        let components = self.component.map_or(0..shape.components, |c| c..c + 1);
        let (size, coordinate) = (shape.size(), self.coordinate);
        components.map(move |c| c * size + coordinate)
    }
}

/// An item as the objective reads it.
#[derive(Debug, Clone)]
pub(super) struct ItemTerms {
    /// The log prediction that all parameters at 0 leave.
    pub(super) base: Vec<f64>,
    /// What moves its coordinates, by ascending parameters; intercept and features of the trust come first.
    pub(super) moves: Vec<Move>,
    /// phi.
    pub(super) numbers: Vec<f64>,
    /// Its labels by class.
    pub(super) counts: Vec<u32>,
}

impl ItemTerms {
    /// Its coordinates at some parameters, or how far a step moves them.
    pub(super) fn coordinates(&self, shape: &Coordinates, parameters: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; shape.coordinates()];
        self.set_coordinates(shape, parameters, &mut all);
        all
    }

    /// [`Self::coordinates`], into room for them.
    fn set_coordinates(&self, shape: &Coordinates, parameters: &[f64], all: &mut [f64]) {
        all.fill(0.0);
        let (trust, others) = self.moves.split_at(1 + shape.features);
        let features = trust[1..].iter().zip(&parameters[1..]).map(|(of, beta)| beta * of.weight).sum::<f64>();
        trust[0].places(shape).for_each(|at| all[at] = parameters[0] + features);
        for of in others {
            let by = of.weight * parameters[of.parameter];
            of.places(shape).for_each(|at| all[at] += by);
        }
        for m in (0..shape.width()).take_while(|_| shape.numbers > 0) {
            let by = long_dot(&parameters[shape.of_numbers(m)], &self.numbers);
            (0..shape.components).for_each(|c| all[c * shape.size() + shape.first_contrast() + m] += by);
        }
    }

    /// The log trust and the mean of the belief before labels in component `c` with these coordinates of the item.
    pub(super) fn log_trust_and_mean(&self, shape: &Coordinates, coordinates: &[f64], c: usize) -> (f64, Vec<f64>) {
        let own = &coordinates[c * shape.size()..(c + 1) * shape.size()];
        let mut mean = self.base.clone();
        if shape.bent {
            contrasts::add(&own[shape.first_contrast()..][..shape.width()], &mut mean);
        }
        softmax(&mut mean);
        (own[LOG_TRUST].clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST), mean)
    }

    /// How a coordinate of component `c` moves with the parameters, by their positions.
    pub(super) fn row(&self, shape: &Coordinates, coordinate: usize, c: usize) -> Vec<(usize, f64)> {
        let moves = |of: &&Move| of.coordinate == coordinate && of.component.is_none_or(|own| own == c);
        let moves = self.moves.iter().filter(moves).map(|of| (of.parameter, of.weight));
        let contrast = coordinate.checked_sub(shape.first_contrast()).filter(|m| *m < shape.width());
        let numbers = contrast.into_iter().flat_map(|m| shape.of_numbers(m).zip(self.numbers.iter().copied()));
        moves.chain(numbers.filter(|(_, x)| *x != 0.0)).collect()
    }
}

/// Weights of the components of a mixture at some coordinates of an item.
pub(super) fn weights(shape: &Coordinates, coordinates: &[f64]) -> Vec<f64> {
    let mut weights: Vec<f64> = (0..shape.components).map(|c| coordinates[c * shape.size() + shape.weight()]).collect();
    softmax(&mut weights);
    // A weight of 0 would have no logarithm.
    weights.iter_mut().for_each(|w| *w = w.max(f64::MIN_POSITIVE));
    weights
}

/// The labelled items with the priors on the parameters.
pub(super) struct Posterior {
    pub(super) shape: Coordinates,
    items: Vec<ItemTerms>,
    labels: f64,
    /// The log-likelihood where it was last worked out: searches start where the one before them ended, under another
    /// prior.
    last: RefCell<Option<(Vec<f64>, Expansion)>>,
    /// Centre of the normal prior on every parameter.
    pub(super) centre: Vec<f64>,
    /// Its precision.
    pub(super) precision: Vec<f64>,
    /// How much looser than at the end the search may stop.
    pub(super) loose: f64,
    /// Newton steps are shortened so that no parameter behind those of the trust moves by more than this at once.
    pub(super) largest_move: f64,
}

impl Posterior {
    pub(super) fn new(shape: Coordinates, items: Vec<ItemTerms>, centre: Vec<f64>, precision: Vec<f64>) -> Self {
        let labels = items.iter().flat_map(|item| &item.counts).map(|&count| f64::from(count)).sum();
        let last = RefCell::new(None);
        Self { shape, items, labels, last, centre, precision, loose: 1.0, largest_move: f64::INFINITY }
    }

    /// The labelled items.
    pub(super) fn items(&self) -> &[ItemTerms] {
        &self.items
    }

    /// Takes other items in their place; gives back those.
    pub(super) fn replace_items(&mut self, items: Vec<ItemTerms>) -> Vec<ItemTerms> {
        self.last.take();
        std::mem::replace(&mut self.items, items)
    }

    /// The log-likelihood with its derivatives.
    fn likelihood(&self, parameters: &[f64]) -> Expansion {
        let mut value = LogProduct::default();
        let mut sums = Derivatives::new(&self.shape, parameters.len());
        let mut work = Work::new(&self.shape, true);
        let mut coordinates = vec![0.0; self.shape.coordinates()];
        for item in &self.items {
            item.set_coordinates(&self.shape, parameters, &mut coordinates);
            self.shape.differentiate_item(item, &coordinates, &mut work, &mut value);
            sums.add(item, &work);
        }
        sums.finish();
        let triangle = sums.hessian.as_slice().expect("the matrix is stored row by row");
        Expansion::of_triangle(value.ln()[0], sums.gradient, triangle)
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
    pub(super) fn log_prior(&self, parameters: &[f64]) -> f64 {
        let mut value = 0.0;
        self.add_prior(parameters, &mut value, &mut vec![0.0; parameters.len()]);
        value
    }

    /// The regression of the trust at the maximum, and the parameters behind its coefficients.
    pub(super) fn conclude(
        &self,
        names: Vec<String>,
        maximum: Maximum,
        covariance: Vec<Vec<f64>>,
    ) -> (Regression, Vec<f64>) {
        let log_likelihood = maximum.at.value - self.log_prior(&maximum.parameters);
        let mut coefficients = maximum.parameters;
        let others = coefficients.split_off(names.len());
        let regression = Regression {
            rank: names.len(),
            unidentified: undetermined(&names, &covariance, &self.precision),
            coefficients,
            names,
            covariance,
            log_likelihood,
            iterations: maximum.iterations,
            gradient_norm: maximum.gradient_norm,
            converged: maximum.converged,
            labelled_items: self.items().len(),
            at_limit: 0,
        };
        (regression, others)
    }
}

impl Coordinates {
    /// Takes the logits and the log trust of a component from its coordinates and differentiates in them.
    fn differentiate(&self, item: &ItemTerms, own: &[f64], work: &mut Work, value: &mut LogProduct) {
        let shape = self;
        let tau = if shape.tempered { own[LOG_TEMPERATURE].exp() } else { 1.0 };
        work.scaled.iter_mut().zip(&item.base).for_each(|(scaled, log)| *scaled = tau * log);
        work.room.logits.copy_from_slice(&work.scaled);
        if shape.bent {
            contrasts::add(&own[shape.first_contrast()..][..shape.width()], &mut work.room.logits);
        }
        let log_trust = own[LOG_TRUST].clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST);
        work.terms.compute(log_trust, &work.room.logits, &item.counts, value);
    }

    /// Slope, and where they are wanted second derivatives, in the coordinates of component `c`, in place.
    fn differentiate_in_coordinates(&self, c: usize, work: &mut Work) {
        let (shape, size) = (self, self.size());
        let (terms, room) = (&work.terms, &mut work.room);
        let (first, width) = (shape.first_contrast(), shape.width());
        let slope = &mut work.slope[c * size..(c + 1) * size];
        let bend = &mut work.bend[c];
        slope[LOG_TRUST] = terms.slope;
        bend[[LOG_TRUST, LOG_TRUST]] = terms.bend;
        if shape.tempered {
            slope[LOG_TEMPERATURE] = dot(&terms.in_u, &work.scaled);
            terms.turn(&work.scaled, &mut room.turned);
            bend[[LOG_TRUST, LOG_TEMPERATURE]] = dot(&terms.cross, &work.scaled);
            // The derivative of tau ln q in ln tau is tau ln q again.
            bend[[LOG_TEMPERATURE, LOG_TEMPERATURE]] = dot(&room.turned, &work.scaled) + slope[LOG_TEMPERATURE];
            contrasts::project(&room.turned, &mut room.contrast);
            (0..width).for_each(|m| bend[[LOG_TEMPERATURE, first + m]] = room.contrast[m]);
        }
        if shape.bent {
            contrasts::project(&terms.in_u, &mut slope[first..first + width]);
            contrasts::project(&terms.cross, &mut room.contrast);
            (0..width).for_each(|m| bend[[LOG_TRUST, first + m]] = room.contrast[m]);
            terms.bend_contrasts(room, |m, n, value| bend[[first + m, first + n]] = value);
        }
        let own = shape.weight();
        for a in 0..own {
            for b in 0..a {
                bend[[a, b]] = bend[[b, a]];
            }
        }
    }

    /// Value, slope and second derivatives of an item's log-likelihood in its coordinates.
    ///
    /// With l_c the log-likelihood under component c of weight pi_c, g_c its slope with a 1 put last for the logit a_c
    /// of the weight, and r_c ~ pi_c exp(l_c) the share of the component in the labels' likelihood,
    ///
    /// ```text
    /// L = ln sum_c pi_c exp(l_c),    dL/d(eta, x)_c = r_c dl_c,    dL/da_c = r_c - pi_c
    /// d2L (c, d) = [c = d] r_c (d2l_c + g_c g_c^T) - r_c r_d g_c g_d^T - [in a, a: ([c = d] pi_c - pi_c pi_d)]
    /// ```
    pub(super) fn differentiate_item(
        &self,
        item: &ItemTerms,
        coordinates: &[f64],
        work: &mut Work,
        value: &mut LogProduct,
    ) {
        let (shape, size) = (self, self.size());
        if shape.components == 1 {
            self.differentiate(item, coordinates, work, value);
            self.differentiate_in_coordinates(0, work);
            std::mem::swap(&mut work.hessian, &mut work.bend[0]);
            return;
        }
        let (components, own) = (shape.components, shape.weight());
        let weights = weights(shape, coordinates);
        let mut shares: Vec<f64> = vec![];
        for c in 0..components {
            let mut product = LogProduct::default();
            self.differentiate(item, &coordinates[c * size..(c + 1) * size], work, &mut product);
            self.differentiate_in_coordinates(c, work);
            work.slope[c * size + own] = 1.0;
            shares.push(weights[c].ln() + product.ln()[0]);
        }
        let largest = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        value.add_ln([largest + shares.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()]);
        softmax(&mut shares);
        for c in 0..components {
            for d in 0..components {
                let same = f64::from(u8::from(c == d));
                let both = shares[c] * (same - shares[d]);
                let mut block = work.hessian.slice_mut(s![c * size..(c + 1) * size, d * size..(d + 1) * size]);
                for ((a, b), entry) in block.indexed_iter_mut() {
                    *entry = both * work.slope[c * size + a] * work.slope[d * size + b];
                    if c == d && a < own && b < own {
                        *entry += shares[c] * work.bend[c][[a, b]];
                    }
                }
                block[[own, own]] -= weights[c] * (same - weights[d]);
            }
        }
        for (c, slope) in work.slope.chunks_exact_mut(size).enumerate() {
            slope.iter_mut().for_each(|slope| *slope *= shares[c]);
            slope[own] -= weights[c];
        }
    }
}

/// Room for what is worked out of one item.
pub(super) struct Work {
    pub(super) terms: LogitDerivatives,
    room: Room,
    /// tau ln q.
    scaled: Vec<f64>,
    pub(super) slope: Vec<f64>,
    /// Second derivatives of each component by itself.
    bend: Vec<Array2<f64>>,
    pub(super) hessian: Array2<f64>,
}

impl Work {
    /// With or without room for matrices of second derivatives.
    pub(super) fn new(shape: &Coordinates, matrices: bool) -> Self {
        let square = |size: usize| if matrices { Array2::zeros((size, size)) } else { Array2::zeros((0, 0)) };
        Self {
            terms: LogitDerivatives::new(shape.classes),
            room: Room::new(shape.classes, matrices),
            scaled: vec![0.0; shape.classes],
            slope: vec![0.0; shape.coordinates()],
            bend: vec![square(shape.size()); shape.components],
            hessian: square(shape.coordinates()),
        }
    }
}

/// Slope and second derivatives in the parameters, as items add to them.
struct Derivatives<'a> {
    shape: &'a Coordinates,
    gradient: Vec<f64>,
    /// Above and on the diagonal.
    hessian: Array2<f64>,
    /// How the coordinates of an item bend along one of its parameters.
    row: Vec<f64>,
    /// Numbers of items that wait for a product of blocks, item by item,
    numbers: Vec<f64>,
    /// and the second derivatives of each in pairs of its contrasts.
    bends: Vec<f64>,
}

impl<'a> Derivatives<'a> {
    fn new(shape: &'a Coordinates, parameters: usize) -> Self {
        let (gradient, hessian) = (vec![0.0; parameters], Array2::zeros((parameters, parameters)));
        Self { shape, gradient, hessian, row: vec![0.0; shape.coordinates()], numbers: vec![], bends: vec![] }
    }

    fn add(&mut self, item: &ItemTerms, work: &Work) {
        let (shape, size, coordinates) = (self.shape, self.shape.size(), self.shape.coordinates());
        let parameters = self.gradient.len();
        let (first, width) = (shape.first_contrast(), shape.width());
        let of_contrast = |m: usize| (0..shape.components).map(move |c| c * size + first + m);
        let bends = work.hessian.as_slice().expect("the matrix is stored row by row");
        let hessian = self.hessian.as_slice_mut().expect("the matrix is stored row by row");
        let row = &mut self.row;
        let mut rest = item.moves.as_slice();
        while let Some(&Move { parameter: k, .. }) = rest.first() {
            let own = rest.iter().take_while(|of| of.parameter == k).count();
            row.fill(0.0);
            for of in &rest[..own] {
                for at in of.places(shape) {
                    self.gradient[k] += work.slope[at] * of.weight;
                    let bends = &bends[at * coordinates..(at + 1) * coordinates];
                    row.iter_mut().zip(bends).for_each(|(row, bend)| *row += bend * of.weight);
                }
            }
            for other in rest {
                let by: f64 = other.places(shape).map(|at| row[at]).sum();
                hessian[k * parameters + other.parameter] += by * other.weight;
            }
            for m in (0..width).take_while(|_| shape.numbers > 0) {
                let by: f64 = of_contrast(m).map(|at| row[at]).sum();
                let numbers = shape.of_numbers(m);
                if k < shape.first_number {
                    add_times(&mut hessian[k * parameters..][numbers], by, &item.numbers);
                } else {
                    numbers.zip(&item.numbers).for_each(|(l, phi)| hessian[l * parameters + k] += by * phi);
                }
            }
            rest = &rest[own..];
        }
        if shape.numbers == 0 {
            return;
        }
        for m in 0..width {
            let by: f64 = of_contrast(m).map(|at| work.slope[at]).sum();
            add_times(&mut self.gradient[shape.of_numbers(m)], by, &item.numbers);
        }
        let bend = |(m, n): (usize, usize)| -> f64 {
            of_contrast(m).flat_map(|a| of_contrast(n).map(move |b| (a, b))).map(|at| work.hessian[at]).sum()
        };
        self.bends.extend(pairs(width).map(bend));
        self.numbers.extend(&item.numbers);
        if self.numbers.len() >= BLOCK * shape.numbers {
            self.bend();
        }
    }

    /// Adds the curvature of the items that wait: for each pair of contrasts a product of matrices, which is symmetric.
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
        for (m, n) in pairs(self.shape.width()).filter(|(m, n)| m < n && self.shape.numbers > 0) {
            let (rows, columns) = (self.shape.of_numbers(m), self.shape.of_numbers(n));
            mirror(self.hessian.slice_mut(s![rows, columns]));
        }
    }
}

/// Pairs of contrasts, the first no later than the second.
fn pairs(width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..width).flat_map(move |m| (m..width).map(move |n| (m, n)))
}

impl Objective for Posterior {
    fn at(&self, parameters: &[f64]) -> Expansion {
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(there, _)| there != parameters) {
            *last = Some((parameters.to_vec(), self.likelihood(parameters)));
        }
        let mut point = last.as_ref().expect("it was worked out").1.clone();
        self.add_prior(parameters, &mut point.value, &mut point.gradient);
        self.precision.iter().enumerate().for_each(|(k, precision)| point.hessian[[k, k]] -= precision);
        point
    }

    /// Of a recalibration, whose biases may be many: one pass over the items, of which K numbers each are kept.
    fn local(&self, parameters: &[f64]) -> Option<HessianFree<'_>> {
        let shape = &self.shape;
        if !shape.tempered {
            return None;
        }
        let mut value = LogProduct::default();
        let (mut gradient, mut diagonal) = (vec![0.0; parameters.len()], vec![0.0; parameters.len()]);
        let mut work = Work::new(shape, false);
        let mut kept = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let coordinates = item.coordinates(shape, parameters);
            shape.differentiate(item, &coordinates, &mut work, &mut value);
            let terms = &work.terms;
            let (mut slope, mut bend) = (vec![0.0; shape.size()], vec![0.0; shape.size()]);
            (slope[LOG_TRUST], bend[LOG_TRUST]) = (terms.slope, terms.bend);
            slope[LOG_TEMPERATURE] = dot(&terms.in_u, &work.scaled);
            terms.turn(&work.scaled, &mut work.room.turned);
            bend[LOG_TEMPERATURE] = dot(&work.room.turned, &work.scaled) + slope[LOG_TEMPERATURE];
            contrasts::project(&terms.in_u, &mut slope[shape.first_contrast()..]);
            bend[shape.first_contrast()..].copy_from_slice(&terms.diagonal_of_contrasts(&mut work.room));
            for of in &item.moves {
                gradient[of.parameter] += slope[of.coordinate] * of.weight;
                diagonal[of.parameter] += bend[of.coordinate] * of.weight * of.weight;
            }
            kept.push((terms.clone(), work.scaled.clone(), slope[LOG_TEMPERATURE]));
        }
        let mut value = value.ln()[0];
        self.add_prior(parameters, &mut value, &mut gradient);
        diagonal.iter_mut().zip(&self.precision).for_each(|(bend, precision)| *bend -= precision);
        let product = move |direction: &[f64]| {
            let mut product: Vec<f64> = direction.iter().zip(&self.precision).map(|(x, p)| -p * x).collect();
            let mut room = Room::new(shape.classes, false);
            for (item, (terms, scaled, slope)) in self.items.iter().zip(&kept) {
                let by = item.coordinates(shape, direction);
                let first = shape.first_contrast();
                room.logits.iter_mut().zip(scaled).for_each(|(u, scaled)| *u = by[LOG_TEMPERATURE] * scaled);
                contrasts::add(&by[first..], &mut room.logits);
                let mut turned = vec![0.0; shape.size()];
                turned[LOG_TRUST] = terms.bend * by[LOG_TRUST] + dot(&terms.cross, &room.logits);
                terms.turn(&room.logits, &mut room.turned);
                room.turned.iter_mut().zip(&terms.cross).for_each(|(u, cross)| *u += cross * by[LOG_TRUST]);
                turned[LOG_TEMPERATURE] = dot(scaled, &room.turned) + slope * by[LOG_TEMPERATURE];
                contrasts::project(&room.turned, &mut turned[first..]);
                item.moves.iter().for_each(|of| product[of.parameter] += turned[of.coordinate] * of.weight);
            }
            product
        };
        Some(HessianFree { value, gradient, diagonal, product: Box::new(product) })
    }

    fn tolerance(&self) -> f64 {
        TOLERANCE * self.loose * self.labels.max(100.0)
    }

    /// No log trust, no logit and no other parameter moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let shape = &self.shape;
        let mut excess =
            step[1 + shape.features..].iter().fold(0.0_f64, |most, x| most.max(x.abs() / self.largest_move));
        let (mut logits, mut by) = (vec![0.0; shape.classes], vec![0.0; shape.coordinates()]);
        for item in &self.items {
            item.set_coordinates(shape, step, &mut by);
            for own in by.chunks_exact(shape.size()) {
                excess = excess.max(own[LOG_TRUST].abs() / LARGEST_MOVE);
                let others = &own[shape.first_contrast()..];
                let moves = match (shape.tempered || !shape.bent, shape.components) {
                    (true, _) => &[],
                    (false, 1) => {
                        logits.fill(0.0);
                        contrasts::add(others, &mut logits);
                        &logits[..]
                    }
                    (false, _) => others,
                };
                excess = moves.iter().fold(excess, |most, x| most.max(x.abs() / LARGEST_LOGIT_MOVE));
            }
        }
        if excess > 1.0 {
            step.iter_mut().for_each(|s| *s /= excess);
        }
    }
}
