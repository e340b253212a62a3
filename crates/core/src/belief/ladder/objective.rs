//! What is maximised: the log-likelihood of the labels plus the log density of the blocks' normal priors.

use ndarray::ArrayView2;

use super::contrasts;
use super::layout::Layout;
use super::readings::Readings;
use super::terms::Terms;
use crate::belief::newton::{LogProduct, Objective, Point};
use crate::belief::prior::TrustPrior;
use crate::belief::regression::{LARGEST_MOVE, linear};

/// Newton steps are shortened so that no logit moves by more than this at once.
const LARGEST_LOGIT_MOVE: f64 = 3.0;
/// Items whose curvature is added at once.
const AT_ONCE: usize = 4;
/// The search ends where the gradient is no larger than this share of the number of labels.
const TOLERANCE: f64 = 1e-11;

/// The labelled items, packed row by row, and the priors.
///
/// Parameters: beta with the intercept first, then the weights theta of the vectors, then V row by row.
pub(super) struct Posterior {
    pub(super) items: usize,
    labels: f64,
    classes: usize,
    features: usize,
    vectors: usize,
    numbers: usize,
    z: Vec<f64>,
    base: Vec<f64>,
    a: Vec<f64>,
    phi: Vec<f64>,
    counts: Vec<u32>,
    /// Centre of the prior on every parameter.
    pub(super) centre: Vec<f64>,
    /// Its precision.
    pub(super) precision: Vec<f64>,
    /// How much looser than at the end the search may stop.
    pub(super) loose: f64,
}

/// Packs the labelled items with the terms of a layout.
pub(super) type Pack<'a> = &'a dyn Fn(&Layout) -> Posterior;

impl Posterior {
    /// The items with labels that are kept; all variances are 1 at first.
    pub(super) fn new(
        layout: &Layout,
        readings: &Readings,
        counts: ArrayView2<u32>,
        keep: impl Fn(usize) -> bool,
    ) -> Self {
        let features = readings.items.design.features();
        let mut centre = readings.items.design.centre();
        centre.resize(1 + features + layout.parameters(), 0.0);
        let mut precision = vec![1.0; centre.len()];
        // The trust keeps the weak prior of studies, whatever the map.
        precision[0] = TrustPrior::LOG_TRUST_SD.powi(-2);
        precision[1..=features].fill(TrustPrior::SLOPE_SD.powi(-2));
        let mut this = Self {
            items: 0,
            labels: 0.0,
            classes: layout.classes,
            features,
            vectors: layout.vectors(),
            numbers: layout.numbers(),
            z: vec![],
            base: vec![],
            a: vec![],
            phi: vec![],
            counts: vec![],
            centre,
            precision,
            loose: 1.0,
        };
        for (i, c) in counts.rows().into_iter().enumerate() {
            let n: u32 = c.sum();
            if n > 0 && keep(i) {
                let terms = layout.terms(readings, i);
                this.items += 1;
                this.labels += f64::from(n);
                this.z.extend_from_slice(readings.items.features(i));
                this.base.extend(layout.base(readings, i));
                this.a.extend(terms.vectors);
                this.phi.extend(terms.numbers);
                this.counts.extend(c);
            }
        }
        this
    }

    /// Position of the first weight of a vector.
    pub(super) fn theta(&self) -> usize {
        1 + self.features
    }

    /// Position of V's entry of contrast `m` and the first number.
    pub(super) fn v(&self, m: usize) -> usize {
        1 + self.features + self.vectors + m * self.numbers
    }

    fn z(&self, i: usize) -> &[f64] {
        &self.z[i * self.features..(i + 1) * self.features]
    }

    fn phi(&self, i: usize) -> &[f64] {
        &self.phi[i * self.numbers..(i + 1) * self.numbers]
    }

    fn vector(&self, i: usize, s: usize) -> &[f64] {
        let at = (i * self.vectors + s) * self.classes;
        &self.a[at..at + self.classes]
    }

    /// What parameters (or a step in them) add to the logits of item `i`.
    fn add_logits(&self, i: usize, parameters: &[f64], contrast: &mut [f64], logits: &mut [f64]) {
        for s in 0..self.vectors {
            let weight = parameters[self.theta() + s];
            if weight != 0.0 {
                logits.iter_mut().zip(self.vector(i, s)).for_each(|(u, a)| *u += weight * a);
            }
        }
        if self.numbers > 0 {
            for (m, v) in contrast.iter_mut().enumerate() {
                *v = dot(&parameters[self.v(m)..self.v(m) + self.numbers], self.phi(i));
            }
            contrasts::add(contrast, logits);
        }
    }

    /// The log prior's density without its constant, and its slope.
    pub(super) fn add_prior(&self, parameters: &[f64], value: &mut f64, gradient: &mut [f64]) {
        for (k, (&x, &centre)) in parameters.iter().zip(&self.centre).enumerate() {
            let off = x - centre;
            *value -= 0.5 * self.precision[k] * off * off;
            gradient[k] -= self.precision[k] * off;
        }
    }
}

impl Objective for Posterior {
    fn at(&self, parameters: &[f64]) -> Point {
        let p = parameters.len();
        let classes = self.classes;
        let mut value = LogProduct::default();
        let mut gradient = vec![0.0; p];
        // The upper triangle, row by row.
        let mut hessian = vec![0.0; p * p];
        let mut terms = Terms::new(classes);
        let mut room = Room::new(classes);
        for i in 0..self.items {
            let own = i * classes..(i + 1) * classes;
            room.logits.copy_from_slice(&self.base[own.clone()]);
            self.add_logits(i, parameters, &mut room.contrast, &mut room.logits);
            let log_trust = linear(&parameters[..self.theta()], self.z(i)).clamp(-50.0, 50.0);
            terms.compute(log_trust, &room.logits, &self.counts[own], &mut value);
            self.add_trust(i, &terms, &mut room, &mut gradient, &mut hessian);
            self.add_vectors(i, &terms, &mut room, &mut gradient, &mut hessian);
            if self.numbers > 0 {
                self.add_numbers(i, &terms, &mut room, &mut gradient);
                if room.waiting.len() == AT_ONCE {
                    self.bend_numbers(&mut room.waiting, p, &mut hessian);
                }
            }
        }
        self.bend_numbers(&mut room.waiting, p, &mut hessian);
        let mut point = Point::of_triangle(value.ln(), gradient, &hessian);
        self.add_prior(parameters, &mut point.value, &mut point.gradient);
        (0..p).for_each(|k| point.hessian[[k, k]] -= self.precision[k]);
        point
    }

    fn tolerance(&self) -> f64 {
        TOLERANCE * self.loose * self.labels.max(100.0)
    }

    /// Neither a log trust nor a logit moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let mut room = Room::new(self.classes);
        let mut excess = 0.0_f64;
        for i in 0..self.items {
            excess = excess.max(linear(&step[..self.theta()], self.z(i)).abs() / LARGEST_MOVE);
            room.logits.fill(0.0);
            self.add_logits(i, step, &mut room.contrast, &mut room.logits);
            excess = room.logits.iter().fold(excess, |m, u| m.max(u.abs() / LARGEST_LOGIT_MOVE));
        }
        if excess > 1.0 {
            step.iter_mut().for_each(|s| *s /= excess);
        }
    }
}

/// Room for one item's numbers.
struct Room {
    logits: Vec<f64>,
    contrast: Vec<f64>,
    turned: Vec<f64>,
    turned_contrast: Vec<f64>,
    /// (K - 1) x (K - 1).
    bend: Vec<f64>,
    q_contrast: Vec<f64>,
    v_contrast: Vec<f64>,
    /// Items whose curvature in V is still to be added, with the bends of each between two contrasts.
    waiting: Vec<(usize, Vec<f64>)>,
}

impl Room {
    fn new(classes: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        let width = classes - 1;
        Self {
            logits: zeros(classes),
            contrast: zeros(width),
            turned: zeros(classes),
            turned_contrast: zeros(width),
            bend: zeros(width * width),
            q_contrast: zeros(width),
            v_contrast: zeros(width),
            waiting: vec![],
        }
    }
}

impl Posterior {
    /// Slope and curvature in beta, and between beta and the map.
    fn add_trust(&self, i: usize, terms: &Terms, room: &mut Room, gradient: &mut [f64], hessian: &mut [f64]) {
        let p = gradient.len();
        let weights = |a: usize| if a == 0 { 1.0 } else { self.z(i)[a - 1] };
        contrasts::of(&terms.cross, &mut room.contrast);
        for a in 0..=self.features {
            let za = weights(a);
            gradient[a] += terms.slope * za;
            for b in a..=self.features {
                hessian[a * p + b] += terms.bend * za * weights(b);
            }
            for s in 0..self.vectors {
                hessian[a * p + self.theta() + s] += za * dot(&terms.cross, self.vector(i, s));
            }
            for (m, c) in room.contrast.iter().enumerate() {
                let at = a * p + self.v(m);
                axpy(za * c, self.phi(i), &mut hessian[at..at + self.numbers]);
            }
        }
    }

    /// Slope and curvature in theta, and between theta and V.
    fn add_vectors(&self, i: usize, terms: &Terms, room: &mut Room, gradient: &mut [f64], hessian: &mut [f64]) {
        let p = gradient.len();
        for s in 0..self.vectors {
            let vector = self.vector(i, s);
            if vector.iter().all(|a| *a == 0.0) {
                continue;
            }
            let at = self.theta() + s;
            gradient[at] += dot(&terms.in_u, vector);
            terms.turn(vector, &mut room.turned);
            for t in s..self.vectors {
                hessian[at * p + self.theta() + t] += dot(&room.turned, self.vector(i, t));
            }
            contrasts::of(&room.turned, &mut room.turned_contrast);
            for (m, c) in room.turned_contrast.iter().enumerate() {
                let to = at * p + self.v(m);
                axpy(*c, self.phi(i), &mut hessian[to..to + self.numbers]);
            }
        }
    }

    /// Slope in V; the curvature is left to [`Self::bend_numbers`].
    fn add_numbers(&self, i: usize, terms: &Terms, room: &mut Room, gradient: &mut [f64]) {
        let (d, width) = (self.numbers, self.classes - 1);
        contrasts::of(&terms.in_u, &mut room.contrast);
        for (m, c) in room.contrast.iter().enumerate() {
            axpy(*c, self.phi(i), &mut gradient[self.v(m)..self.v(m) + d]);
        }
        contrasts::of(&terms.mean, &mut room.q_contrast);
        contrasts::of(&terms.v, &mut room.v_contrast);
        contrasts::of(&terms.diagonal, &mut room.contrast);
        contrasts::around(&terms.diagonal, &room.contrast, &mut room.bend);
        let mut bends = vec![0.0; width * width];
        for m in 0..width {
            for n in m..width {
                let (qm, qn, vm, vn) = (room.q_contrast[m], room.q_contrast[n], room.v_contrast[m], room.v_contrast[n]);
                bends[m * width + n] = room.bend[m * width + n] - qm * vn - vm * qn + terms.square * qm * qn;
            }
        }
        room.waiting.push((i, bends));
    }

    /// Curvature in V of some items together, so that the matrix is gone through once for all of them.
    fn bend_numbers(&self, waiting: &mut Vec<(usize, Vec<f64>)>, p: usize, hessian: &mut [f64]) {
        let (d, width) = (self.numbers, self.classes - 1);
        for (m, n) in (0..width).flat_map(|m| (m..width).map(move |n| (m, n))).take_while(|_| !waiting.is_empty()) {
            for f in 0..d {
                let first = if m == n { f } else { 0 };
                let at = (self.v(m) + f) * p + self.v(n);
                let row = &mut hessian[at + first..at + d];
                let factor = |(i, bends): &(usize, Vec<f64>)| bends[m * width + n] * self.phi(*i)[f];
                match waiting.as_slice() {
                    [a, b, c, e] => {
                        let factors = [a, b, c, e].map(factor);
                        if factors.iter().any(|x| *x != 0.0) {
                            add_four(factors, [a, b, c, e].map(|(i, _)| &self.phi(*i)[first..]), row);
                        }
                    }
                    fewer => fewer.iter().for_each(|one| axpy(factor(one), &self.phi(one.0)[first..], row)),
                }
            }
        }
        waiting.clear();
    }
}

/// Adds four vectors, each times its factor.
fn add_four(factors: [f64; AT_ONCE], vectors: [&[f64]; AT_ONCE], to: &mut [f64]) {
    let [a, b, c, d] = vectors.map(|vector| &vector[..to.len()]);
    let [fa, fb, fc, fd] = factors;
    for (i, x) in to.iter_mut().enumerate() {
        *x += fa * a[i] + fb * b[i] + fc * c[i] + fd * d[i];
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `factor` times `x` to `y`.
#[inline]
fn axpy(factor: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}
