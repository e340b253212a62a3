//! Fits of the recalibrated belief, by themselves and held out.

use ndarray::ArrayView2;

use super::fitted::RecalibratedFit;
use super::items::{JudgedItems, check};
use super::options::Options;
use super::posterior::Posterior;
use crate::belief::newton::LogProduct;
use crate::belief::profile::Profile;
use crate::belief::trust::TrustError;

/// Fits recalibration and trust together, by Dirichlet-multinomial likelihood with weak priors.
///
/// ```text
/// q'_j  proportional to  q_j^tau exp(b_j),   b of the first class 0
/// log lambda = beta_0 + beta^T z
/// L(tau, b, beta) = sum over items with n >= 1 of
///                   lnG(lambda) - lnG(lambda + n) + sum_j [lnG(lambda q'_j + c_j) - lnG(lambda q'_j)]
/// maximised: L - ridge/2 |beta|^2 - (beta_0 - ln 8)^2 / (2 s_0^2)
///              - sum over groups of [(ln tau)^2 / (2 s_tau^2) + sum_j (b_j - mean b)^2 / (2 s_b^2)]
/// ```
///
/// with q the judge's prediction, z its features, c the label counts, n their sum, and s the standard deviations of
/// [`super::Prior`]. With tau = 1 and b = 0 the likelihood is the paper's ([`crate::belief::fit_trust`]). Gradient and Hessian are
/// exact; the search is Newton's with backtracking. The priors make the maximum finite, so trust needs no limits here.
/// Temperature and per-class bias of a predicted distribution: Guo et al. (2017, "On calibration of modern neural
/// networks", matrix and vector scaling); here they are fitted to the pool of labels and not to one true class.
///
/// # Errors
/// No labels at all, tables of different shapes, a prediction that is not strictly positive, or a penalty or prior that
/// is not a positive number.
///
/// ```
/// use judge_uncertainty_core::belief::recalibration::{JudgedItems, Options, fit};
/// use judge_uncertainty_core::belief::{BeliefTable, Design};
/// use ndarray::array;
///
/// // A judge that is too sure of itself.
/// let q = array![[0.98, 0.02], [0.97, 0.03], [0.02, 0.98], [0.05, 0.95], [0.99, 0.01]];
/// let counts = array![[7, 3], [6, 4], [3, 7], [4, 6], [0, 0]];
/// let design = Design::constant(5);
/// let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
///
/// let fit = fit(&items, counts.view(), &Options::default())?;
/// assert!(fit.regression.converged && fit.tau[0] < 0.5);
/// // Read through the fit, the prediction of the item without labels is no longer near certain.
/// assert!(fit.predictions(&items)[[4, 0]] < 0.9);
/// let beliefs = fit.posterior(&items, counts.view());
/// assert_eq!(beliefs.len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(items: &JudgedItems, counts: ArrayView2<u32>, options: &Options) -> Result<RecalibratedFit, TrustError> {
    fit_where(items, counts, options, |_| true)
}

fn fit_where(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
    keep: impl Fn(usize) -> bool,
) -> Result<RecalibratedFit, TrustError> {
    let posterior = Posterior::new(items, counts, options, keep)?;
    if posterior.is_empty() { Err(TrustError::NoLabels) } else { Ok(posterior.maximum(items)) }
}

/// [`fit`], and the priors alone where there is no label.
///
/// # Errors
/// As [`fit`], but for labels.
pub(crate) fn fit_or_prior(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
) -> Result<RecalibratedFit, TrustError> {
    Ok(Posterior::new(items, counts, options, |_| true)?.maximum(items))
}

/// Log-likelihood of each item's labels under a fit, in nats without multinomial coefficients; `None` without labels.
///
/// # Errors
/// As [`fit`], except for options.
fn item_log_likelihoods(
    fit: &RecalibratedFit,
    items: &JudgedItems,
    counts: ArrayView2<u32>,
) -> Result<Vec<Option<f64>>, TrustError> {
    check(items, counts)?;
    let q = fit.predictions(items);
    let trust = fit.trust(items);
    let of = |i: usize| {
        let (q, counts) = (q.row(i), counts.row(i));
        let mut value = LogProduct::default();
        let mut n = 0;
        for (q, &c) in q.iter().zip(counts) {
            (0..c).for_each(|k| value.multiply(trust[i] * q + f64::from(k)));
            n += c;
        }
        (0..n).for_each(|k| value.multiply(1.0 / (trust[i] + f64::from(k))));
        (n > 0).then(|| value.ln())
    };
    Ok((0..q.nrows()).map(of).collect())
}

/// Log-likelihood of each item's labels under a fit to the items of the other folds; item i is in fold i mod `folds`.
///
/// # Errors
/// As [`fit`]; also where the items outside some fold have no label.
///
/// # Panics
/// If there are fewer than two folds.
pub fn held_out_log_likelihoods(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
    folds: usize,
) -> Result<Vec<Option<f64>>, TrustError> {
    assert!(folds >= 2, "cross-validation needs at least two folds");
    let mut held_out = vec![None; items.q.nrows()];
    for fold in 0..folds {
        let fit = fit_where(items, counts, options, |i| i % folds != fold)?;
        let values = item_log_likelihoods(&fit, items, counts)?;
        for i in (fold..held_out.len()).step_by(folds) {
            held_out[i] = values[i];
        }
    }
    Ok(held_out)
}

/// What the labels say about ln lambda of an item with average features, under the fit that [`fit`] found with the same arguments.
///
/// # Errors
/// As [`fit`].
pub fn typical_log_trust(
    items: &JudgedItems,
    counts: ArrayView2<u32>,
    options: &Options,
    fit: &RecalibratedFit,
) -> Result<Profile, TrustError> {
    let posterior = Posterior::new(items, counts, options, |_| true)?;
    let mut mode = fit.regression.coefficients.clone();
    for (tau, bias) in fit.tau.iter().zip(&fit.bias) {
        mode.push(tau.ln());
        mode.extend(&bias[1..]);
    }
    let sd = fit.regression.standard_errors()[0];
    Ok(Profile::of_first(&posterior, &mode, sd, (items.design.centre()[0], options.prior.log_trust_sd)))
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::super::options::{Prior, Recalibration};
    use super::super::world::World;
    use super::*;
    use crate::belief::design::{Design, FeatureColumn};
    use crate::belief::fit_trust;
    use crate::random::Stream;

    #[test]
    fn recovers_the_recalibration_that_made_the_labels() {
        let truth = [(0.5, [0.0, 0.4, -0.3]), (1.5, [0.0, -0.5, 0.2])];
        let world = World::draw(20_000, 8, &truth);
        let (fit, _) = world.fit(Recalibration::ByGroup, 1e-3);
        assert!(fit.regression.converged && fit.regression.iterations < 20, "{fit:?}");
        let se = fit.regression.standard_errors();
        let mut expected = vec![1.5, 0.4];
        let mut got = fit.regression.coefficients.clone();
        for (group, (tau, bias)) in truth.into_iter().enumerate() {
            expected.extend([f64::ln(tau), bias[1], bias[2]]);
            got.extend([fit.tau[group].ln(), fit.bias[group][1], fit.bias[group][2]]);
        }
        for (k, (got, expected)) in got.iter().zip(expected).enumerate() {
            assert!((got - expected).abs() < 4.0 * se[k] && se[k] < 0.05, "{k}: {got} for {expected}, se {}", se[k]);
        }
    }

    /// With nothing miscalibrated the likelihood can rise by chance only: twice the rise is chi-squared with 3 degrees
    /// of freedom, above 21.1 once in 10,000.
    #[test]
    fn finds_nothing_where_nothing_is_miscalibrated() {
        let world = World::draw(5_000, 21, &[(1.0, [0.0; 3])]);
        let (on, design) = world.fit(Recalibration::Shared, 1e-3);
        let (off, _) = world.fit(Recalibration::Off, 1e-3);
        let rise = 2.0 * (on.regression.log_likelihood - off.regression.log_likelihood);
        assert!((-0.01..21.1).contains(&rise), "{rise}");
        assert!((on.tau[0] - 1.0).abs() < 0.1, "{}", on.tau[0]);
        let items = world.items(&design);
        assert_eq!(off.predictions(&items), world.q);
        assert!(off.tau.is_empty() && off.bias.is_empty());
    }

    /// Without recalibration and with vanishing priors the fit is the paper's.
    #[test]
    fn off_agrees_with_the_trust_regression() {
        let world = World::draw(500, 5, &[(1.0, [0.0; 3])]);
        let design = Design::standardized(&world.columns).unwrap();
        let paper = fit_trust(&design, world.q.view(), world.counts.view()).unwrap();
        let prior = Prior { log_trust_sd: 1e4, ..Prior::default() };
        let options = Options { recalibration: Recalibration::Off, ridge: 1e-8, prior };
        let items = JudgedItems { design: &design, q: world.q.view(), groups: &[] };
        let ours = fit(&items, world.counts.view(), &options).unwrap();
        for k in 0..2 {
            assert!((ours.regression.coefficients[k] - paper.regression.coefficients[k]).abs() < 1e-6);
        }
        assert!((ours.regression.log_likelihood - paper.regression.log_likelihood).abs() < 1e-8);
        let sum: f64 = item_log_likelihoods(&ours, &items, world.counts.view()).unwrap().into_iter().flatten().sum();
        assert!((sum - ours.regression.log_likelihood).abs() < 1e-8);
    }

    #[test]
    fn the_order_of_classes_does_not_matter() {
        let world = World::draw(300, 6, &[(0.6, [0.0, 0.5, -0.5])]);
        let swapped = World {
            q: world.q.select(ndarray::Axis(1), &[2, 0, 1]),
            counts: world.counts.select(ndarray::Axis(1), &[2, 0, 1]),
            columns: world.columns.clone(),
            groups: world.groups.clone(),
        };
        let ((a, design), (b, _)) = (world.fit(Recalibration::Shared, 1.0), swapped.fit(Recalibration::Shared, 1.0));
        assert!((a.tau[0] - b.tau[0]).abs() < 1e-8);
        let back = b.predictions(&swapped.items(&design)).select(ndarray::Axis(1), &[1, 2, 0]);
        assert!(a.predictions(&world.items(&design)).iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-8));
    }

    #[test]
    fn penalties_shrink_and_cross_validation_likes_them_for_noise() {
        let mut world = World::draw(150, 12, &[(0.7, [0.0, 0.2, 0.0])]);
        let mut stream = Stream::new(99);
        for k in 0..6 {
            let noise: Vec<f64> = (0..150).map(|_| stream.standard_normal()).collect();
            world.columns.push(FeatureColumn::complete(format!("noise {k}"), noise));
        }
        let size = |fit: &RecalibratedFit| fit.regression.coefficients[1..].iter().map(|b| b * b).sum::<f64>();
        let fits: Vec<f64> = [1e-3, 1.0, 100.0].map(|ridge| size(&world.fit(Recalibration::Shared, ridge).0)).to_vec();
        assert!(fits[0] > fits[1] && fits[1] > fits[2]);
        let design = Design::raw(&world.columns).unwrap();
        let held_out = |ridge: f64| {
            let options = Options { ridge, ..Options::default() };
            let values = held_out_log_likelihoods(&world.items(&design), world.counts.view(), &options, 5).unwrap();
            values.into_iter().flatten().sum::<f64>()
        };
        assert!(held_out(10.0) > held_out(1e-3));
    }

    /// Labels that no finite trust explains better than a larger one, and single labels, which say nothing about it.
    #[test]
    fn extreme_labels_have_finite_fits() {
        let design = Design::raw(&[FeatureColumn::complete("x", (0..40).map(f64::from))]).unwrap();
        let q = Array2::from_elem((40, 2), 0.5);
        let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
        for counts in [Array2::from_elem((40, 2), 5), Array2::from_shape_fn((40, 2), |(_, j)| 1 - j as u32)] {
            let fit = fit(&items, counts.view(), &Options::default()).unwrap();
            assert!(fit.regression.converged, "{fit:?}");
            assert!(fit.regression.coefficients.iter().chain(&fit.tau).chain(&fit.bias[0]).all(|x| x.is_finite()));
        }
    }

    #[test]
    fn unusable_input_is_refused() {
        let design = Design::raw(&[FeatureColumn::complete("x", [1.0, 2.0])]).unwrap();
        let q = array![[0.5, 0.5], [0.2, 0.8]];
        let items = JudgedItems { design: &design, q: q.view(), groups: &[] };
        let counts = array![[1, 0], [0, 2]];
        let refused = |items: &JudgedItems, counts: &Array2<u32>, options: &Options| {
            fit(items, counts.view(), options).unwrap_err()
        };
        assert_eq!(refused(&items, &Array2::zeros((2, 2)), &Options::default()), TrustError::NoLabels);
        for ridge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = refused(&items, &counts, &Options { ridge, ..Options::default() }).to_string();
            assert!(error.contains("the ridge penalty is"), "{error}");
        }
        let short = JudgedItems { groups: &[0], ..items };
        assert!(matches!(refused(&short, &counts, &Options::default()), TrustError::Shape { .. }));
        let zero = array![[0.5, 0.5], [0.0, 1.0]];
        let zero = JudgedItems { q: zero.view(), ..items };
        assert!(matches!(refused(&zero, &counts, &Options::default()), TrustError::Prediction { item: 1, .. }));
    }
}
