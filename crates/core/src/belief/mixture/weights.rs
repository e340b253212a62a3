//! The weights of components, and what labels make of them.

use crate::belief::newton::LogProduct;

/// Adds one label to the components and to the weights of them, if there are any.
pub(in crate::belief) fn add_one(weights: &mut [f64], alpha: &mut [f64], classes: usize, label: usize) {
    if !weights.is_empty() {
        let likelihood = |alpha: &[f64]| alpha[label] / alpha.iter().sum::<f64>();
        weights.iter_mut().zip(alpha.chunks_exact(classes)).for_each(|(w, alpha)| *w *= likelihood(alpha));
        scale(weights);
    }
    alpha.chunks_exact_mut(classes).for_each(|alpha| alpha[label] += 1.0);
}

/// Adds labels, so many of each class, to the components and to the weights of them, if there are several.
pub(in crate::belief) fn add(weights: &mut [f64], alpha: &mut [f64], labels: &[u32]) {
    if weights.len() > 1 {
        renew(weights, alpha, labels);
    }
    for alpha in alpha.chunks_exact_mut(labels.len()) {
        alpha.iter_mut().zip(labels).for_each(|(a, &n)| *a += f64::from(n));
    }
}

/// The weights after labels, from those before them and the evidence before them.
fn renew(weights: &mut [f64], alpha: &[f64], labels: &[u32]) {
    let mut logs: Vec<f64> = weights.iter().map(|w| w.ln()).collect();
    for (log, alpha) in logs.iter_mut().zip(alpha.chunks_exact(labels.len())) {
        *log += ln_likelihood(alpha, labels);
    }
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest > f64::NEG_INFINITY {
        weights.iter_mut().zip(&logs).for_each(|(w, log)| *w = (log - largest).exp());
        scale(weights);
    }
}

fn scale(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|w| *w /= sum);
    } else {
        // A label that no component holds possible tells nothing of them.
        let equal = 1.0 / weights.len() as f64;
        weights.fill(equal);
    }
}

/// ln of the Dirichlet-multinomial probability of labels in some order.
pub(in crate::belief) fn ln_likelihood(alpha: &[f64], labels: &[u32]) -> f64 {
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
