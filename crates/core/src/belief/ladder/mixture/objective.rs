//! What is maximised: the log-likelihood of the labels under the mixture plus the log density of the parameters' normal priors.

use ndarray::{Array2, ArrayView2};

use super::rows::{Item, Places, Row, value};
use crate::belief::dirichlet_multinomial::softmax;
use crate::belief::ladder::contrasts;
use crate::belief::ladder::layout::Layout;
use crate::belief::ladder::readings::Readings;
use crate::belief::ladder::terms::Terms;
use crate::belief::newton::{LogProduct, Objective, Point};
use crate::belief::prior::TrustPrior;
use crate::belief::regression::LARGEST_MOVE;

/// Newton steps are shortened so that no logit moves by more than this at once.
const LARGEST_LOGIT_MOVE: f64 = 3.0;
/// The search ends where the gradient is no larger than this share of the number of labels.
const TOLERANCE: f64 = 1e-11;

/// The labelled items and the priors.
pub(super) struct Mixed {
    pub(super) places: Places,
    pub(super) items: Vec<(Item, Vec<u32>)>,
    labels: f64,
    /// Centre of the prior on every parameter.
    pub(super) centre: Vec<f64>,
    /// Its precision.
    pub(super) precision: Vec<f64>,
    /// How much looser than at the end the search may stop.
    pub(super) loose: f64,
}

impl Mixed {
    /// The items with labels that are kept; all variances of the map are 1 at first.
    pub(super) fn new(
        layout: &Layout,
        components: usize,
        readings: &Readings,
        counts: ArrayView2<u32>,
        keep: impl Fn(usize) -> bool,
    ) -> Self {
        let features = readings.items.design.features();
        let places = Places::of(layout, features, components);
        let mut centre = readings.items.design.centre();
        centre.resize(places.all(), 0.0);
        let mut precision = vec![1.0; centre.len()];
        // The trust keeps the weak prior of studies, whatever the map.
        precision[0] = TrustPrior::LOG_TRUST_SD.powi(-2);
        precision[1..=features].fill(TrustPrior::SLOPE_SD.powi(-2));
        let labelled = |i: &usize| counts.row(*i).sum() > 0 && keep(*i);
        let items: Vec<_> = (0..readings.len())
            .filter(labelled)
            .map(|i| (Item::of(layout, readings, i), counts.row(i).to_vec()))
            .collect();
        let labels = items.iter().flat_map(|(_, c)| c).map(|&c| f64::from(c)).sum();
        Self { places, items, labels, centre, precision, loose: 1.0 }
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

/// One item's log-likelihood in coordinates of its own: of every component ln lambda_c, the K - 1 contrasts of its logits, and the logit a_c of its
/// weight.
///
/// With l_c the log-likelihood under component c, g_c its slope with a 1 put last for the weight, and r_c ~ pi_c exp(l_c) the share of the
/// component in the labels' likelihood,
///
/// ```text
/// L = ln sum_c pi_c exp(l_c),    dL/d(eta, x)_c = r_c dl_c,    dL/da_c = r_c - pi_c
/// d2L (c, d) = [c = d] r_c (d2l_c + g_c g_c^T) - r_c r_d g_c g_d^T - [in a, a: ([c = d] pi_c - pi_c pi_d)]
/// ```
pub(super) struct Local {
    pub(super) value: f64,
    /// Components x (K + 1).
    gradient: Vec<f64>,
    hessian: Array2<f64>,
}

impl Local {
    fn of(places: &Places, item: &Item, counts: &[u32], parameters: &[f64], rows: &Rows, terms: &mut Terms) -> Self {
        let (components, classes, width) = (places.components, places.classes, places.width());
        let size = classes + 1;
        let mut log_likelihoods = vec![0.0; components];
        let mut slopes = vec![0.0; components * size];
        let mut bends: Vec<Array2<f64>> = vec![];
        let mut logits = vec![0.0; classes];
        let mut room = vec![0.0; width];
        let mut around = vec![0.0; width * width];
        for c in 0..components {
            let log_trust = rows.log_trust(places, c, parameters);
            logits.copy_from_slice(&item.base);
            (0..width).for_each(|m| room[m] = rows.contrast(c, m, parameters));
            contrasts::add(&room, &mut logits);
            let mut product = LogProduct::default();
            terms.compute(log_trust, &logits, counts, &mut product);
            log_likelihoods[c] = product.ln();
            let slope = &mut slopes[c * size..(c + 1) * size];
            slope[0] = terms.slope;
            contrasts::of(&terms.in_u, &mut slope[1..classes]);
            slope[classes] = 1.0;
            let mut bend = Array2::zeros((classes, classes));
            bend[[0, 0]] = terms.bend;
            contrasts::of(&terms.cross, &mut room);
            for m in 0..width {
                (bend[[0, m + 1]], bend[[m + 1, 0]]) = (room[m], room[m]);
            }
            let [mut q, mut v] = [vec![0.0; width], vec![0.0; width]];
            contrasts::of(&terms.mean, &mut q);
            contrasts::of(&terms.v, &mut v);
            contrasts::of(&terms.diagonal, &mut room);
            contrasts::around(&terms.diagonal, &room, &mut around);
            for (m, n) in (0..width).flat_map(|m| (0..width).map(move |n| (m, n))) {
                bend[[m + 1, n + 1]] = around[m * width + n] - q[m] * v[n] - v[m] * q[n] + terms.square * q[m] * q[n];
            }
            bends.push(bend);
        }
        let weights: Vec<f64> = rows.weights(parameters);
        let joint: Vec<f64> = weights.iter().zip(&log_likelihoods).map(|(w, l)| w.ln() + l).collect();
        let largest = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut shares = joint;
        let value = largest + shares.iter().map(|x| (x - largest).exp()).sum::<f64>().ln();
        softmax(&mut shares);
        let mut gradient = slopes.clone();
        let mut hessian = Array2::zeros((components * size, components * size));
        for c in 0..components {
            for a in 0..size {
                let at = c * size + a;
                gradient[at] = shares[c] * slopes[at] - if a == classes { weights[c] } else { 0.0 };
                for d in 0..components {
                    let both = shares[c] * (f64::from(u8::from(c == d)) - shares[d]);
                    for b in 0..size {
                        hessian[[at, d * size + b]] = both * slopes[at] * slopes[d * size + b];
                    }
                    if a == classes {
                        hessian[[at, d * size + classes]] -= weights[c] * (f64::from(u8::from(c == d)) - weights[d]);
                    }
                }
                for b in (0..classes).filter(|_| a < classes) {
                    hessian[[at, c * size + b]] += shares[c] * bends[c][[a, b]];
                }
            }
        }
        Self { value, gradient, hessian }
    }
}

/// A row, the component whose coordinate it moves (that of all of them where there is none), and which coordinate.
type Moves<'a> = (&'a [(usize, f64)], Option<usize>, usize);

/// The coefficients of an item's coordinates: a shared part of trust and logits, and what is a component's own.
pub(super) struct Rows {
    pub(super) shared_trust: Row,
    pub(super) shared_contrasts: Vec<Row>,
    /// By component: of the contrasts.
    pub(super) own_contrasts: Vec<Vec<Row>>,
    pub(super) weights: Vec<Row>,
}

impl Rows {
    pub(super) fn of(places: &Places, item: &Item) -> Self {
        let width = places.width();
        let components = 0..places.components;
        Self {
            shared_trust: item.shared_trust(),
            shared_contrasts: (0..width).map(|m| item.shared_contrast(places, m)).collect(),
            own_contrasts: components
                .clone()
                .map(|c| (0..width).map(|m| item.own_contrast(places, c, m)).collect())
                .collect(),
            weights: components.map(|c| item.weight(places, c)).collect(),
        }
    }

    pub(super) fn log_trust(&self, places: &Places, component: usize, parameters: &[f64]) -> f64 {
        (value(&self.shared_trust, parameters) + parameters[places.trust(component)]).clamp(-50.0, 50.0)
    }

    pub(super) fn contrast(&self, component: usize, m: usize, parameters: &[f64]) -> f64 {
        value(&self.shared_contrasts[m], parameters) + value(&self.own_contrasts[component][m], parameters)
    }

    /// pi.
    pub(super) fn weights(&self, parameters: &[f64]) -> Vec<f64> {
        let mut weights: Vec<f64> = self.weights.iter().map(|row| value(row, parameters)).collect();
        softmax(&mut weights);
        // A weight of 0 would have no logarithm.
        weights.iter_mut().for_each(|w| *w = w.max(f64::MIN_POSITIVE));
        weights
    }

    /// Adds slope and curvature in the parameters, the latter above and on the diagonal and where pairs of rows come in the other order.
    fn add(&self, places: &Places, local: &Local, gradient: &mut [f64], hessian: &mut [f64]) {
        let (components, size, p) = (places.components, places.classes + 1, gradient.len());
        // Rows with the local coordinates that they move: one each, or that of all components.
        let mut rows: Vec<Moves> = vec![(&self.shared_trust, None, 0)];
        rows.extend(self.shared_contrasts.iter().enumerate().map(|(m, row)| (row.as_slice(), None, m + 1)));
        let trusts: Vec<Row> = (0..components).map(|c| vec![(places.trust(c), 1.0)]).collect();
        for (c, trust) in trusts.iter().enumerate() {
            rows.push((trust, Some(c), 0));
            rows.extend(self.own_contrasts[c].iter().enumerate().map(|(m, row)| (row.as_slice(), Some(c), m + 1)));
            rows.push((&self.weights[c], Some(c), places.classes));
        }
        let of = |c: Option<usize>| c.map_or(0..components, |c| c..c + 1);
        for (s, (row, c, a)) in rows.iter().enumerate() {
            let slope: f64 = of(*c).map(|c| local.gradient[c * size + a]).sum();
            row.iter().for_each(|(k, x)| gradient[*k] += slope * x);
            for (other, d, b) in &rows[s..] {
                let pairs = of(*c).flat_map(|c| of(*d).map(move |d| (c, d)));
                let bend: f64 = pairs.map(|(c, d)| local.hessian[[c * size + a, d * size + b]]).sum();
                if bend == 0.0 {
                    continue;
                }
                // Rows differ: both orders of their parameters are met at once.
                let same = std::ptr::eq(*row, *other);
                for (k, x) in *row {
                    for (l, y) in other.iter().filter(|(l, _)| !same || l >= k) {
                        let (low, high) = (k.min(l), k.max(l));
                        hessian[low * p + high] += if k == l && !same { 2.0 } else { 1.0 } * bend * x * y;
                    }
                }
            }
        }
    }
}

impl Objective for Mixed {
    fn at(&self, parameters: &[f64]) -> Point {
        let p = parameters.len();
        let mut gradient = vec![0.0; p];
        // The upper triangle, row by row.
        let mut hessian = vec![0.0; p * p];
        let mut value = 0.0;
        let mut terms = Terms::new(self.places.classes);
        for (item, counts) in &self.items {
            let rows = Rows::of(&self.places, item);
            let local = Local::of(&self.places, item, counts, parameters, &rows, &mut terms);
            value += local.value;
            rows.add(&self.places, &local, &mut gradient, &mut hessian);
        }
        let mut point = Point::of_triangle(value, gradient, &hessian);
        self.add_prior(parameters, &mut point.value, &mut point.gradient);
        (0..p).for_each(|k| point.hessian[[k, k]] -= self.precision[k]);
        point
    }

    fn tolerance(&self) -> f64 {
        TOLERANCE * self.loose * self.labels.max(100.0)
    }

    /// Neither a log trust nor a logit moves too far.
    fn shorten(&self, step: &mut [f64]) {
        let mut excess = 0.0_f64;
        for (item, _) in &self.items {
            let rows = Rows::of(&self.places, item);
            for c in 0..self.places.components {
                let trust = value(&rows.shared_trust, step) + step[self.places.trust(c)];
                excess = excess.max(trust.abs() / LARGEST_MOVE);
                let contrasts = (0..self.places.width()).map(|m| rows.contrast(c, m, step));
                let logits = contrasts.chain([value(&rows.weights[c], step)]);
                excess = logits.fold(excess, |most, x| most.max(x.abs() / LARGEST_LOGIT_MOVE));
            }
        }
        if excess > 1.0 {
            step.iter_mut().for_each(|s| *s /= excess);
        }
    }
}
