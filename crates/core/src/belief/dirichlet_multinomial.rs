//! One item's labels under a Dirichlet-multinomial distribution, with the derivatives that every fit of it needs.

use super::newton::LogProduct;

/// Derivatives of an item's log-likelihood in eta = ln lambda, and sums of those in the logits of its mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct InTrust {
    /// First derivative in eta.
    pub(super) slope: f64,
    /// Second derivative in eta.
    pub(super) bend: f64,
    /// Sum of the w_j.
    pub(super) sum_w: f64,
    /// Sum of the v_j.
    pub(super) sum_v: f64,
}

/// Multiplies the likelihood of `counts` under Dir(lambda m) into `value`, without multinomial coefficients.
///
/// With a_j = lambda m_j and D, E the first two derivatives of lnG(a_j + c_j) - lnG(a_j), it fills in w_j = a_j D and
/// v_j = a_j D + a_j^2 E. All are sums of c_j terms, exact without gamma functions.
#[inline]
pub(super) fn multiply(
    trust: f64,
    mean: &[f64],
    counts: &[u32],
    w: &mut [f64],
    v: &mut [f64],
    value: &mut LogProduct,
) -> InTrust {
    let (mut n, mut sum_w, mut sum_v) = (0, 0.0, 0.0);
    for (j, &count) in counts.iter().enumerate() {
        let a = trust * mean[j];
        let (mut d, mut e) = (0.0, 0.0);
        for i in 0..count {
            let x = a + f64::from(i);
            let r = 1.0 / x;
            value.multiply([x]);
            d += r;
            e -= r * r;
        }
        n += count;
        w[j] = a * d;
        v[j] = a * d + a * a * e;
        sum_w += w[j];
        sum_v += v[j];
    }
    let (mut d, mut e) = (0.0, 0.0);
    for i in 0..n {
        let r = 1.0 / (trust + f64::from(i));
        value.multiply([r]);
        d -= r;
        e += r * r;
    }
    InTrust { slope: sum_w + trust * d, bend: sum_v + trust * d + trust * trust * e, sum_w, sum_v }
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
            value.multiply([(a + f64::from(k)) / total]);
            total += 1.0;
        }
    }
    value.ln()[0]
}
