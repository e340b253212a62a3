//! One item's labels under a Dirichlet-multinomial distribution, with the derivatives that every fit of it needs.
//!
//! | coordinate | is |
//! |---|---|
//! | 0 | eta = ln lambda, the log trust |
//! | the next K - 1, of a map | the contrasts x of what is added to the logits: u = ln q + C x |

use super::contrasts;
use super::engine::{LOG_TRUST, Likelihood, Slopes};
use super::newton::{LogProduct, dot};
use super::regression::LARGEST_MOVE;

/// Newton steps are shortened so that no logit moves by more than this at once.
const LARGEST_LOGIT_MOVE: f64 = 3.0;
/// Log trust is kept within this distance of 0.
pub(super) const LARGEST_LOG_TRUST: f64 = 50.0;
/// Position of the first contrast among the coordinates.
pub(super) const FIRST_CONTRAST: usize = 1;

/// An item's labels by class, and the log prediction that all parameters at 0 leave.
#[derive(Debug, Clone)]
pub(super) struct LabelledItem {
    pub(super) base: Vec<f64>,
    pub(super) counts: Vec<u32>,
}

/// Labels of classes as draws from a distribution over the classes that is itself drawn from Dir(lambda softmax(u)).
#[derive(Debug, Clone, Copy)]
pub(super) struct DirichletMultinomial {
    /// Number of classes K.
    pub(super) classes: usize,
    /// Whether something is added to the logits.
    pub(super) bent: bool,
}

impl DirichletMultinomial {
    /// Contrasts of the logits that parameters move.
    pub(super) fn width(&self) -> usize {
        if self.bent { self.classes - 1 } else { 0 }
    }

    /// The log trust and the mean of the belief before labels with these coordinates of an item.
    pub(super) fn log_trust_and_mean(&self, item: &LabelledItem, at: &[f64]) -> (f64, Vec<f64>) {
        let mut mean = item.base.clone();
        if self.bent {
            contrasts::add(&at[FIRST_CONTRAST..][..self.width()], &mut mean);
        }
        softmax(&mut mean);
        (at[LOG_TRUST].clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST), mean)
    }
}

impl Likelihood for DirichletMultinomial {
    type Item = LabelledItem;
    type Room = LogitDerivatives;

    fn size(&self) -> usize {
        FIRST_CONTRAST + self.width()
    }

    fn labels(item: &LabelledItem) -> f64 {
        item.counts.iter().map(|&count| f64::from(count)).sum()
    }

    fn room(&self) -> LogitDerivatives {
        LogitDerivatives::new(self.classes)
    }

    fn differentiate(
        &self,
        item: &LabelledItem,
        at: &[f64],
        terms: &mut LogitDerivatives,
        out: &mut Slopes,
        value: &mut LogProduct,
    ) {
        let (first, width, size) = (FIRST_CONTRAST, self.width(), self.size());
        terms.mean.copy_from_slice(&item.base);
        if self.bent {
            contrasts::add(&at[first..][..width], &mut terms.mean);
        }
        terms.compute(at[LOG_TRUST].clamp(-LARGEST_LOG_TRUST, LARGEST_LOG_TRUST), &item.counts, value);
        let Slopes { slope, bend } = out;
        slope[LOG_TRUST] = terms.slope;
        bend[LOG_TRUST] = terms.bend;
        if self.bent {
            contrasts::project(&terms.in_u, &mut slope[first..first + width]);
            contrasts::project(&terms.cross, &mut bend[first..size]);
            terms.bend_contrasts(|m, n, value| bend[(first + m) * size + first + n] = value);
        }
        for a in 0..size {
            for b in 0..a {
                bend[a * size + b] = bend[b * size + a];
            }
        }
    }

    fn longest(&self, coordinate: usize) -> f64 {
        if coordinate == LOG_TRUST { LARGEST_MOVE } else { LARGEST_LOGIT_MOVE }
    }

    /// Of contrasts those of the logits that they make count.
    fn reach(&self, step: &[f64]) -> f64 {
        let mut logits = vec![0.0; self.classes];
        if self.bent {
            contrasts::add(&step[FIRST_CONTRAST..], &mut logits);
        }
        logits.iter().fold(step[LOG_TRUST].abs() / LARGEST_MOVE, |most, x| most.max(x.abs() / LARGEST_LOGIT_MOVE))
    }
}

/// Turns logits into probabilities, in place.
#[inline]
pub(super) fn softmax(logits: &mut [f64]) {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logits.iter_mut().for_each(|x| *x = (*x - largest).exp());
    let sum: f64 = logits.iter().sum();
    logits.iter_mut().for_each(|x| *x /= sum);
}

/// ln of the Dirichlet-multinomial probability of labels in some order, of each class so many.
pub(super) fn ln_likelihood(alpha: &[f64], labels: &[u32]) -> f64 {
    let mut value = LogProduct::default();
    let mut total: f64 = alpha.iter().sum();
    for (&a, &n) in alpha.iter().zip(labels) {
        for k in 0..n {
            value.multiply((a + f64::from(k)) / total);
            total += 1.0;
        }
    }
    value.ln()
}

/// An item's log-likelihood under one Dirichlet distribution of trust lambda and mean m = softmax(u), differentiated in
/// eta = ln lambda and in the logits u.
///
/// With a_j = lambda m_j, f_j = lnG(a_j + c_j) - lnG(a_j), and W_j, V_j the first two derivatives of f_j in ln a_j:
///
/// ```text
/// d/deta     sum W + lambda d,                d2/deta2   sum V + lambda d + lambda^2 e
/// d/du       W - (sum W) m,                   d2/deta du V - (sum V) m
/// d2/du du   diag(V - (sum W) m) - m V^T - V m^T + (sum V + sum W) m m^T
/// ```
///
/// with d = -sum_{i<n} 1/(lambda + i) and e = sum 1/(lambda + i)^2, c the label counts and n their sum.
pub(super) struct LogitDerivatives {
    /// First derivative in eta.
    slope: f64,
    /// Second derivative in eta.
    bend: f64,
    /// m.
    mean: Vec<f64>,
    /// First derivatives in u.
    pub(super) in_u: Vec<f64>,
    /// Mixed second derivatives.
    cross: Vec<f64>,
    /// V.
    v: Vec<f64>,
    /// V - (sum W) m.
    diagonal: Vec<f64>,
    /// sum V + sum W.
    square: f64,
    /// Room for contrasts: of m, of V, of the diagonal, and of what is around it.
    contrasts: [Vec<f64>; 4],
}

impl LogitDerivatives {
    fn new(classes: usize) -> Self {
        let (zeros, width) = (|n: usize| vec![0.0; n], classes - 1);
        Self {
            slope: 0.0,
            bend: 0.0,
            mean: zeros(classes),
            in_u: zeros(classes),
            cross: zeros(classes),
            v: zeros(classes),
            diagonal: zeros(classes),
            square: 0.0,
            contrasts: [width, width, width, width * width].map(zeros),
        }
    }

    /// Multiplies the item's likelihood into `value`, without multinomial coefficients; `mean` holds the logits.
    ///
    /// With D, E the first two derivatives of lnG(a_j + c_j) - lnG(a_j) in a_j, W_j = a_j D and V_j = a_j D + a_j^2 E. All
    /// are sums of c_j terms, exact without gamma functions.
    fn compute(&mut self, log_trust: f64, counts: &[u32], value: &mut LogProduct) {
        softmax(&mut self.mean);
        let trust = log_trust.exp();
        let (mut labels, mut sum_w, mut sum_v) = (0, 0.0, 0.0);
        for (j, &count) in counts.iter().enumerate() {
            let a = trust * self.mean[j];
            let (mut d, mut e) = (0.0, 0.0);
            for i in 0..count {
                let x = a + f64::from(i);
                let r = 1.0 / x;
                value.multiply(x);
                d += r;
                e -= r * r;
            }
            labels += count;
            self.in_u[j] = a * d;
            self.v[j] = a * d + a * a * e;
            sum_w += self.in_u[j];
            sum_v += self.v[j];
        }
        let (mut d, mut e) = (0.0, 0.0);
        for i in 0..labels {
            let r = 1.0 / (trust + f64::from(i));
            value.multiply(r);
            d -= r;
            e += r * r;
        }
        self.slope = sum_w + trust * d;
        self.bend = sum_v + trust * d + trust * trust * e;
        self.square = sum_v + sum_w;
        for (j, &mean) in self.mean.iter().enumerate() {
            self.in_u[j] -= sum_w * mean;
            self.cross[j] = self.v[j] - sum_v * mean;
            self.diagonal[j] = self.v[j] - sum_w * mean;
        }
    }

    /// The second derivatives in u times a direction.
    pub(super) fn turn(&self, direction: &[f64], out: &mut [f64]) {
        let (mean, v) = (dot(&self.mean, direction), dot(&self.v, direction));
        for (j, out) in out.iter_mut().enumerate() {
            let q = self.mean[j];
            *out = self.diagonal[j] * direction[j] - q * v - self.v[j] * mean + self.square * q * mean;
        }
    }

    /// The second derivatives in the contrasts of u, into `out` at (row, column) for rows up to columns.
    fn bend_contrasts(&mut self, mut out: impl FnMut(usize, usize, f64)) {
        let width = self.mean.len() - 1;
        let [mean, v, diagonal, around] = &mut self.contrasts;
        contrasts::project(&self.mean, mean);
        contrasts::project(&self.v, v);
        contrasts::project(&self.diagonal, diagonal);
        contrasts::around(&self.diagonal, diagonal, around);
        for m in 0..width {
            for n in m..width {
                let (qm, qn, vm, vn) = (mean[m], mean[n], v[m], v[n]);
                out(m, n, around[m * width + n] - qm * vn - vm * qn + self.square * qm * qn);
            }
        }
    }
}
