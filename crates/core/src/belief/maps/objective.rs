//! What every fit of a belief about classes maximises: the log-likelihood of the labels plus the log density of normal
//! priors.
//!
//! Parameters move a few numbers of each item, its *coordinates*, and the labels' likelihood is a function of these.
//! They are
//!
//! | coordinate | holds |
//! |---|---|
//! | 0 | eta = ln lambda, the log trust |
//! | the next K - 1, of a map | the contrasts x of what is added to the logits: u = ln q + C x |
//!
//! Each is linear in the parameters, so derivatives in the parameters follow from those in the coordinates.

use std::cell::RefCell;
use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, s};

use super::contrasts;
use super::item::{LogitDerivatives, Room, long_dot};
use crate::belief::dirichlet_multinomial::softmax;
use crate::belief::newton::{Expansion, LogProduct, Maximum, Objective, add_times, mirror};
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

/// Position of eta among the coordinates.
pub(super) const LOG_TRUST: usize = 0;

/// Position of the first contrast among them.
pub(super) const FIRST_CONTRAST: usize = 1;

/// Which coordinates items have, and where the parameters of their numbers stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coordinates {
    /// Features of the trust; their coefficients are the first parameters, behind the intercept.
    pub(super) features: usize,
    /// Number of classes K.
    pub(super) classes: usize,
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

    /// Coordinates of an item.
    pub(super) fn size(&self) -> usize {
        FIRST_CONTRAST + self.width()
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
    /// Position among the item's coordinates.
    pub(super) coordinate: usize,
    /// How far a unit of the parameter moves it.
    pub(super) weight: f64,
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
        let mut all = vec![0.0; shape.size()];
        self.set_coordinates(shape, parameters, &mut all);
        all
    }

    /// [`Self::coordinates`], into room for them.
    fn set_coordinates(&self, shape: &Coordinates, parameters: &[f64], all: &mut [f64]) {
        all.fill(0.0);
        let (trust, others) = self.moves.split_at(1 + shape.features);
        let features = trust[1..].iter().zip(&parameters[1..]).map(|(of, beta)| beta * of.weight).sum::<f64>();
        all[LOG_TRUST] = parameters[0] + features;
        others.iter().for_each(|of| all[of.coordinate] += of.weight * parameters[of.parameter]);
        for m in (0..shape.width()).take_while(|_| shape.numbers > 0) {
            all[FIRST_CONTRAST + m] += long_dot(&parameters[shape.of_numbers(m)], &self.numbers);
        }
    }

    /// The log trust and the mean of the belief before labels with these coordinates of the item.
    pub(super) fn log_trust_and_mean(&self, shape: &Coordinates, own: &[f64]) -> (f64, Vec<f64>) {
        let mut mean = self.base.clone();
        if shape.bent {
            contrasts::add(&own[FIRST_CONTRAST..][..shape.width()], &mut mean);
        }
        softmax(&mut mean);
        (own[LOG_TRUST].clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST), mean)
    }

    /// How a coordinate moves with the parameters, by their positions.
    pub(super) fn row(&self, shape: &Coordinates, coordinate: usize) -> Vec<(usize, f64)> {
        let moves = self.moves.iter().filter(|of| of.coordinate == coordinate).map(|of| (of.parameter, of.weight));
        let contrast = coordinate.checked_sub(FIRST_CONTRAST).filter(|m| *m < shape.width());
        let numbers = contrast.into_iter().flat_map(|m| shape.of_numbers(m).zip(self.numbers.iter().copied()));
        moves.chain(numbers.filter(|(_, x)| *x != 0.0)).collect()
    }
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
}

impl Posterior {
    pub(super) fn new(shape: Coordinates, items: Vec<ItemTerms>, centre: Vec<f64>, precision: Vec<f64>) -> Self {
        let labels = items.iter().flat_map(|item| &item.counts).map(|&count| f64::from(count)).sum();
        let last = RefCell::new(None);
        Self { shape, items, labels, last, centre, precision, loose: 1.0 }
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
        let mut coordinates = vec![0.0; self.shape.size()];
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
    /// Takes logits and log trust from an item's coordinates and differentiates in them.
    fn differentiate(&self, item: &ItemTerms, own: &[f64], work: &mut Work, value: &mut LogProduct) {
        let shape = self;
        work.room.logits.copy_from_slice(&item.base);
        if shape.bent {
            contrasts::add(&own[FIRST_CONTRAST..][..shape.width()], &mut work.room.logits);
        }
        let log_trust = own[LOG_TRUST].clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST);
        work.terms.compute(log_trust, &work.room.logits, &item.counts, value);
    }

    /// Slope and second derivatives in the coordinates, in place.
    fn differentiate_in_coordinates(&self, work: &mut Work) {
        let shape = self;
        let (terms, room) = (&work.terms, &mut work.room);
        let (first, width) = (FIRST_CONTRAST, shape.width());
        let (slope, bend) = (&mut work.slope, &mut work.hessian);
        slope[LOG_TRUST] = terms.slope;
        bend[[LOG_TRUST, LOG_TRUST]] = terms.bend;
        if shape.bent {
            contrasts::project(&terms.in_u, &mut slope[first..first + width]);
            contrasts::project(&terms.cross, &mut room.contrast);
            (0..width).for_each(|m| bend[[LOG_TRUST, first + m]] = room.contrast[m]);
            terms.bend_contrasts(room, |m, n, value| bend[[first + m, first + n]] = value);
        }
        for a in 0..shape.size() {
            for b in 0..a {
                bend[[a, b]] = bend[[b, a]];
            }
        }
    }

    /// Value, slope and second derivatives of an item's log-likelihood in its coordinates.
    pub(super) fn differentiate_item(
        &self,
        item: &ItemTerms,
        coordinates: &[f64],
        work: &mut Work,
        value: &mut LogProduct,
    ) {
        self.differentiate(item, coordinates, work, value);
        self.differentiate_in_coordinates(work);
    }
}

/// Room for what is worked out of one item.
pub(super) struct Work {
    pub(super) terms: LogitDerivatives,
    room: Room,
    pub(super) slope: Vec<f64>,
    pub(super) hessian: Array2<f64>,
}

impl Work {
    /// With or without room for matrices of second derivatives.
    pub(super) fn new(shape: &Coordinates, matrices: bool) -> Self {
        let square = |size: usize| if matrices { Array2::zeros((size, size)) } else { Array2::zeros((0, 0)) };
        Self {
            terms: LogitDerivatives::new(shape.classes),
            room: Room::new(shape.classes, matrices),
            slope: vec![0.0; shape.size()],
            hessian: square(shape.size()),
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
        Self { shape, gradient, hessian, row: vec![0.0; shape.size()], numbers: vec![], bends: vec![] }
    }

    fn add(&mut self, item: &ItemTerms, work: &Work) {
        let (shape, size) = (self.shape, self.shape.size());
        let parameters = self.gradient.len();
        let (first, width) = (FIRST_CONTRAST, shape.width());
        let bends = work.hessian.as_slice().expect("the matrix is stored row by row");
        let hessian = self.hessian.as_slice_mut().expect("the matrix is stored row by row");
        let row = &mut self.row;
        let mut rest = item.moves.as_slice();
        while let Some(&Move { parameter: k, .. }) = rest.first() {
            let own = rest.iter().take_while(|of| of.parameter == k).count();
            row.fill(0.0);
            for of in &rest[..own] {
                self.gradient[k] += work.slope[of.coordinate] * of.weight;
                let bends = &bends[of.coordinate * size..(of.coordinate + 1) * size];
                row.iter_mut().zip(bends).for_each(|(row, bend)| *row += bend * of.weight);
            }
            for other in rest {
                hessian[k * parameters + other.parameter] += row[other.coordinate] * other.weight;
            }
            for m in (0..width).take_while(|_| shape.numbers > 0) {
                let by = row[first + m];
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
            add_times(&mut self.gradient[shape.of_numbers(m)], work.slope[first + m], &item.numbers);
        }
        self.bends.extend(pairs(width).map(|(m, n)| work.hessian[[first + m, first + n]]));
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

    fn tolerance(&self) -> f64 {
        TOLERANCE * self.loose * self.labels.max(100.0)
    }

    /// No log trust, no logit and no other parameter moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let shape = &self.shape;
        let mut excess = 0.0_f64;
        let (mut logits, mut own) = (vec![0.0; shape.classes], vec![0.0; shape.size()]);
        for item in &self.items {
            item.set_coordinates(shape, step, &mut own);
            excess = excess.max(own[LOG_TRUST].abs() / LARGEST_MOVE);
            if shape.bent {
                logits.fill(0.0);
                contrasts::add(&own[FIRST_CONTRAST..], &mut logits);
                excess = logits.iter().fold(excess, |most, x| most.max(x.abs() / LARGEST_LOGIT_MOVE));
            }
        }
        if excess > 1.0 {
            step.iter_mut().for_each(|s| *s /= excess);
        }
    }
}
