//! The closed forms of many Dirichlet beliefs at once, some side by side in the lanes of the processor.

use multiversion::multiversion;

use super::dirichlet::{Dirichlet, NEARLY_NONE};
use super::traits::Quantity;
use crate::stats::gamma::{LANES, Lanes, digamma_excesses};

/// A quantity of every belief, from their evidence by class, item by item: bit by bit what [`Dirichlet`] has of each.
pub(super) fn of_dirichlets(quantity: Quantity, alpha: &[f64], classes: usize) -> Vec<f64> {
    let mut found = vec![0.0; alpha.len() / classes];
    fill(quantity, alpha, classes, &mut found);
    found
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn fill(quantity: Quantity, alpha: &[f64], classes: usize, found: &mut [f64]) {
    // Closures would be compiled for any processor, so loops over lanes stand as they are.
    let mut by_class = vec![[1.0; LANES]; classes];
    for (items, found) in alpha.chunks(LANES * classes).zip(found.chunks_mut(LANES)) {
        for (lane, item) in items.chunks_exact(classes).enumerate() {
            for (class, &a) in by_class.iter_mut().zip(item) {
                class[lane] = a;
            }
        }
        let mut evidence = [0.0; LANES];
        for class in &by_class {
            for k in 0..LANES {
                evidence[k] += class[k];
            }
        }
        let of_items = match quantity {
            Quantity::Total => totals(&by_class, &evidence),
            Quantity::Aleatoric => aleatorics(&by_class, &evidence),
            Quantity::Epistemic => epistemics(&by_class, &evidence),
            Quantity::Spread => spreads(&by_class, &evidence),
            Quantity::LabelValue => label_values(&by_class, &evidence),
        };
        found.copy_from_slice(&of_items[..found.len()]);
    }
}

#[inline(always)]
fn totals(by_class: &[Lanes], evidence: &Lanes) -> Lanes {
    let mut sum = [0.0; LANES];
    for class in by_class {
        let mut m = *class;
        for k in 0..LANES {
            m[k] /= evidence[k];
        }
        for k in 0..LANES {
            sum[k] += if m[k] > 0.0 { -m[k] * m[k].ln() } else { 0.0 };
        }
    }
    sum
}

#[inline(always)]
fn aleatorics(by_class: &[Lanes], evidence: &Lanes) -> Lanes {
    let mut sum = [0.0; LANES];
    for class in by_class {
        let psi = digammas(class);
        for k in 0..LANES {
            sum[k] += class[k] / evidence[k] * psi[k];
        }
    }
    let mut found = digammas(evidence);
    for k in 0..LANES {
        found[k] -= sum[k];
    }
    found
}

/// psi(x + 1).
#[inline(always)]
fn digammas(x: &Lanes) -> Lanes {
    let mut above = *x;
    for above in &mut above {
        *above += 1.0;
    }
    let mut psi = digamma_excesses(&above);
    for k in 0..LANES {
        psi[k] = above[k].ln() + psi[k] - 1.0 / above[k];
    }
    psi
}

#[inline(always)]
fn epistemics(by_class: &[Lanes], evidence: &Lanes) -> Lanes {
    let mut found = [0.0; LANES];
    for class in by_class {
        let mut positive = *class;
        for k in 0..LANES {
            positive[k] = if class[k] > 0.0 { class[k] } else { 1.0 };
        }
        let excess = digamma_excesses(&positive);
        for k in 0..LANES {
            found[k] += if class[k] > 0.0 { class[k] / evidence[k] * excess[k] } else { 0.0 };
        }
    }
    let excess = digamma_excesses(evidence);
    for k in 0..LANES {
        found[k] = (found[k] - excess[k]).max(0.0);
    }
    found
}

#[inline(always)]
fn spreads(by_class: &[Lanes], evidence: &Lanes) -> Lanes {
    let mut found = ginis(by_class, evidence);
    for k in 0..LANES {
        found[k] /= evidence[k] + 1.0;
    }
    found
}

#[inline(always)]
fn label_values(by_class: &[Lanes], evidence: &Lanes) -> Lanes {
    let mut found = ginis(by_class, evidence);
    for k in 0..LANES {
        let n = evidence[k] + 1.0;
        found[k] /= n * n;
    }
    found
}

#[inline(always)]
fn ginis(by_class: &[Lanes], evidence: &Lanes) -> Lanes {
    let mut squares = [0.0; LANES];
    for class in by_class {
        for k in 0..LANES {
            let m = class[k] / evidence[k];
            squares[k] += m * m;
        }
    }
    let (mut gini, mut lost) = (squares, false);
    for k in 0..LANES {
        gini[k] = 1.0 - squares[k];
        lost |= gini[k] < NEARLY_NONE;
    }
    if lost {
        for k in 0..LANES {
            let own: Vec<f64> = by_class.iter().map(|class| class[k]).collect();
            gini[k] = Dirichlet::new(&own).gini();
        }
    }
    gini
}

/// The Manhattan distance of every mean to its truth, items x classes like the evidence.
pub(super) fn distances(alpha: &[f64], truth: &[f64], classes: usize) -> Vec<f64> {
    let items = alpha.chunks_exact(classes).zip(truth.chunks_exact(classes));
    items.map(|(alpha, p)| Dirichlet::new(alpha).manhattan(p)).collect()
}

/// The sum over classes of the squared distance of every mean to its truth, items x classes like the evidence.
pub(super) fn squared_distances(alpha: &[f64], truth: &[f64], classes: usize) -> Vec<f64> {
    let mut found = vec![0.0; alpha.len() / classes];
    fill_squared_distances(alpha, truth, classes, &mut found);
    found
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn fill_squared_distances(alpha: &[f64], truth: &[f64], classes: usize, found: &mut [f64]) {
    let (mut a, mut p) = (vec![[1.0; LANES]; classes], vec![[0.0; LANES]; classes]);
    let size = LANES * classes;
    for ((alpha, truth), found) in alpha.chunks(size).zip(truth.chunks(size)).zip(found.chunks_mut(LANES)) {
        let (mut evidence, mut sum) = ([0.0; LANES], [0.0; LANES]);
        for (lane, (alpha, truth)) in alpha.chunks_exact(classes).zip(truth.chunks_exact(classes)).enumerate() {
            for j in 0..classes {
                (a[j][lane], p[j][lane]) = (alpha[j], truth[j]);
            }
        }
        for a in &a {
            for k in 0..LANES {
                evidence[k] += a[k];
            }
        }
        for (a, p) in a.iter().zip(&p) {
            for k in 0..LANES {
                let apart = a[k] / evidence[k] - p[k];
                sum[k] += apart * apart;
            }
        }
        found.copy_from_slice(&sum[..found.len()]);
    }
}

/// The distances after a further label of each class, items x classes.
pub(super) fn distances_after(alpha: &[f64], truth: &[f64], classes: usize) -> Vec<f64> {
    let mut found = vec![0.0; alpha.len()];
    fill_distances_after(alpha, truth, classes, &mut found);
    found
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn fill_distances_after(alpha: &[f64], truth: &[f64], classes: usize, found: &mut [f64]) {
    let (mut kept, mut got) = (vec![[0.0; LANES]; classes], vec![[0.0; LANES]; classes]);
    let size = LANES * classes;
    for ((alpha, truth), found) in alpha.chunks(size).zip(truth.chunks(size)).zip(found.chunks_mut(size)) {
        let mut evidence = [1.0; LANES];
        let mut p = vec![[0.0; LANES]; classes];
        for (lane, (alpha, truth)) in alpha.chunks_exact(classes).zip(truth.chunks_exact(classes)).enumerate() {
            let mut sum = 0.0;
            for j in 0..classes {
                kept[j][lane] = alpha[j];
                p[j][lane] = truth[j];
                sum += alpha[j];
            }
            evidence[lane] = sum + 1.0;
        }
        for j in 0..classes {
            for k in 0..LANES {
                got[j][k] = ((kept[j][k] + 1.0) / evidence[k] - p[j][k]).abs();
            }
            for k in 0..LANES {
                kept[j][k] = (kept[j][k] / evidence[k] - p[j][k]).abs();
            }
        }
        for label in 0..classes {
            let mut sum = [0.0; LANES];
            for j in 0..classes {
                let terms = if j == label { &got[j] } else { &kept[j] };
                for k in 0..LANES {
                    sum[k] += terms[k];
                }
            }
            for (lane, found) in found.chunks_exact_mut(classes).enumerate() {
                found[label] = sum[lane];
            }
        }
    }
}
