//! Recalibrated fits against an independent program, differences, gamma functions, and in worlds where the truth is
//! known.

use ndarray::{Array2, array};
use statrs::function::gamma::ln_gamma;

use super::*;
use crate::belief::design::{Design, FeatureColumn};
use crate::belief::fit_trust;
use crate::belief::newton::{self, Expansion};
use crate::random::Stream;

/// Items whose true prior is the recalibration by (tau, b) of their stated prediction, with a trust of
/// exp(1.5 + 0.4 z).
struct World {
    columns: Vec<FeatureColumn>,
    q: Array2<f64>,
    counts: Array2<u32>,
    groups: Vec<usize>,
}

impl World {
    fn draw(items: usize, seed: u64, recalibration: &[(f64, [f64; 3])]) -> Self {
        let mut stream = Stream::new(seed);
        let (mut q, mut counts) = (Array2::zeros((items, 3)), Array2::zeros((items, 3)));
        let groups: Vec<usize> = (0..items).map(|i| i % recalibration.len()).collect();
        let z: Vec<f64> = (0..items).map(|_| stream.standard_normal()).collect();
        for i in 0..items {
            let draw = |stream: &mut Stream, alpha: &[f64]| -> Vec<f64> {
                let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-6).collect();
                let sum: f64 = g.iter().sum();
                g.into_iter().map(|g| g / sum).collect()
            };
            let stated = draw(&mut stream, &[1.5, 1.5, 1.5]);
            let (tau, bias) = recalibration[groups[i]];
            let mut prior: Vec<f64> = stated.iter().zip(bias).map(|(q, b)| tau * q.ln() + b).collect();
            softmax(&mut prior);
            let trust = (1.5 + 0.4 * z[i]).exp();
            let p = draw(&mut stream, &prior.iter().map(|q| trust * q).collect::<Vec<_>>());
            let mut c = [0; 3];
            let n = stream.choice(11);
            stream.multinomial(n, &p, &mut c);
            for j in 0..3 {
                q[[i, j]] = stated[j];
                counts[[i, j]] = c[j];
            }
        }
        Self { columns: vec![FeatureColumn::complete("z", z)], q, counts, groups }
    }

    fn fit(&self, recalibration: Recalibration, ridge: f64) -> (RecalibratedFit, Design) {
        let design = Design::raw(&self.columns).unwrap();
        let options = RecalibrationOptions { recalibration, ridge, ..RecalibrationOptions::default() };
        (fit(&self.items(&design), self.counts.view(), &options).unwrap(), design)
    }

    fn items<'a>(&'a self, design: &'a Design) -> JudgedItems<'a> {
        JudgedItems::new(design, self.q.view(), &self.groups)
    }
}

/// Parameters with biases of the second to the last class, as the objective has them.
fn inner(at: &[f64], features: usize, classes: usize) -> Vec<f64> {
    let mut at = at.to_vec();
    for own in at[1 + features..].chunks_exact_mut(classes) {
        let bias: Vec<f64> = std::iter::once(0.0).chain(own[1..].iter().copied()).collect();
        contrasts::project(&bias, &mut own[1..]);
    }
    at
}

/// Derivatives in those biases from derivatives in contrasts: b = C v less the first, so d/db is the later rows of C
/// d/dv.
fn derivatives_in_biases(point: Expansion, features: usize, classes: usize) -> Expansion {
    let turn = |x: &mut [f64]| {
        for own in x[1 + features..].chunks_exact_mut(classes) {
            let mut all = vec![0.0; classes];
            contrasts::add(&own[1..], &mut all);
            own[1..].copy_from_slice(&all[1..]);
        }
    };
    let Expansion { value, mut gradient, mut hessian, at_limit } = point;
    turn(&mut gradient);
    for _ in 0..2 {
        hessian.rows_mut().into_iter().for_each(|mut row| turn(row.as_slice_mut().unwrap()));
        hessian = hessian.t().as_standard_layout().into_owned();
    }
    Expansion { value, gradient, hessian, at_limit }
}

/// The objective in those biases.
fn at_biases(objective: &Posterior, at: &[f64]) -> Expansion {
    let Coordinates { features, classes, .. } = objective.shape;
    derivatives_in_biases(objective.at(&inner(at, features, classes)), features, classes)
}

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
    let prior = RecalibrationPrior { log_trust_sd: 1e4, ..RecalibrationPrior::default() };
    let options = RecalibrationOptions { recalibration: Recalibration::Off, ridge: 1e-8, prior };
    let items = JudgedItems::new(&design, world.q.view(), &[]);
    let ours = fit(&items, world.counts.view(), &options).unwrap();
    for k in 0..2 {
        assert!((ours.regression.coefficients[k] - paper.regression.coefficients[k]).abs() < 1e-6);
    }
    assert!((ours.regression.log_likelihood - paper.regression.log_likelihood).abs() < 1e-8);
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
        let options = RecalibrationOptions { ridge, ..RecalibrationOptions::default() };
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
    let items = JudgedItems::new(&design, q.view(), &[]);
    for counts in [Array2::from_elem((40, 2), 5), Array2::from_shape_fn((40, 2), |(_, j)| 1 - j as u32)] {
        let fit = fit(&items, counts.view(), &RecalibrationOptions::default()).unwrap();
        assert!(fit.regression.converged, "{fit:?}");
        assert!(fit.regression.coefficients.iter().chain(&fit.tau).chain(&fit.bias[0]).all(|x| x.is_finite()));
    }
}

#[test]
fn unusable_input_is_refused() {
    let design = Design::raw(&[FeatureColumn::complete("x", [1.0, 2.0])]).unwrap();
    let q = array![[0.5, 0.5], [0.2, 0.8]];
    let items = JudgedItems::new(&design, q.view(), &[]);
    let counts = array![[1, 0], [0, 2]];
    let refused = |items: &JudgedItems, counts: &Array2<u32>, options: &RecalibrationOptions| {
        fit(items, counts.view(), options).unwrap_err()
    };
    assert_eq!(refused(&items, &Array2::zeros((2, 2)), &RecalibrationOptions::default()), TrustError::NoLabels);
    for ridge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error =
            refused(&items, &counts, &RecalibrationOptions { ridge, ..RecalibrationOptions::default() }).to_string();
        assert!(error.contains("the ridge penalty is"), "{error}");
    }
    let short = JudgedItems { groups: &[0], ..items };
    assert!(matches!(refused(&short, &counts, &RecalibrationOptions::default()), TrustError::Shape { .. }));
    let zero = array![[0.5, 0.5], [0.0, 1.0]];
    let zero = JudgedItems { q: zero.view(), ..items };
    assert!(matches!(
        refused(&zero, &counts, &RecalibrationOptions::default()),
        TrustError::Prediction { item: 1, .. }
    ));
}

#[test]
fn value_matches_gamma_functions_and_derivatives_match_differences() {
    let world = World::draw(60, 3, &[(0.5, [0.0, 0.4, -0.3]), (1.4, [0.0, -0.2, 0.1])]);
    let design = Design::raw(&world.columns).unwrap();
    let items = world.items(&design);
    let options = RecalibrationOptions {
        recalibration: Recalibration::ByGroup,
        ridge: 0.3,
        prior: RecalibrationPrior { log_tau_sd: 0.7, bias_sd: 0.9, log_trust_sd: 2.0 },
    };
    let objective = posterior(&items, world.counts.view(), &options, |_| true).unwrap();
    let at: [f64; 8] = [1.2, -0.5, -0.4, 0.3, 0.2, 0.25, -0.6, 0.1];
    let by_gamma: f64 = (0..60)
        .filter(|&i| world.counts.row(i).sum() > 0)
        .map(|i| {
            let w = &at[2 + 3 * world.groups[i]..];
            let bias: [f64; 3] = [0.0, w[1], w[2]];
            let weights: Vec<f64> = (0..3).map(|j| world.q[[i, j]].powf(w[0].exp()) * bias[j].exp()).collect();
            let sum: f64 = weights.iter().sum();
            let trust = (at[0] + at[1] * design.row(i)[0]).exp();
            let n = f64::from(world.counts.row(i).sum());
            let class = |j: usize| {
                let a = trust * weights[j] / sum;
                ln_gamma(a + f64::from(world.counts[[i, j]])) - ln_gamma(a)
            };
            ln_gamma(trust) - ln_gamma(trust + n) + (0..3).map(class).sum::<f64>()
        })
        .sum();
    // Biases of the first class are 0: means (0.3 + 0.2)/3 and (-0.6 + 0.1)/3.
    let centred = |b: [f64; 3]| -> f64 {
        let mean = (b[0] + b[1] + b[2]) / 3.0;
        b.iter().map(|b| (b - mean).powi(2)).sum()
    };
    let prior = -0.3 * 0.25 / 2.0
        - (1.2 - 8.0_f64.ln()).powi(2) / 8.0
        - (0.16 + 0.0625) / (2.0 * 0.49)
        - (centred([0.0, 0.3, 0.2]) + centred([0.0, -0.6, 0.1])) / (2.0 * 0.81);
    let point = at_biases(&objective, &at);
    assert!((point.value - by_gamma - prior).abs() < 1e-9, "{} against {}", point.value, by_gamma + prior);
    let h = 1e-5;
    for a in 0..at.len() {
        let shifted = |sign: f64| {
            let mut there = at;
            there[a] += sign * h;
            at_biases(&objective, &there)
        };
        let (up, down) = (shifted(1.0), shifted(-1.0));
        let slope = (up.value - down.value) / (2.0 * h);
        assert!((slope - point.gradient[a]).abs() < 1e-6 * (1.0 + slope.abs()), "gradient {a}");
        for b in 0..at.len() {
            let bend = (up.gradient[b] - down.gradient[b]) / (2.0 * h);
            assert!((bend - point.hessian[[a, b]]).abs() < 1e-6 * (1.0 + bend.abs()), "Hessian {a} {b}");
        }
    }
}

/// The lines of a golden file: names and numbers.
fn golden() -> Vec<(String, Vec<f64>)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/recalibration/derivatives.txt");
    let line = |line: &str| {
        let mut words = line.split(' ').map(str::to_owned);
        (words.next().unwrap(), words.map(|word| word.parse().unwrap()).collect())
    };
    std::fs::read_to_string(path).unwrap().lines().map(line).collect()
}

/// Value, gradient, Hessian and maximum against mpmath (`tests/golden/recalibration/derivatives.py`).
#[test]
fn derivatives_and_maximum_are_those_of_an_independent_program() {
    let lines = golden();
    let of = |name: &str| -> Vec<&[f64]> {
        lines.iter().filter(|(line, _)| line == name).map(|(_, values)| &values[..]).collect()
    };
    let items = of("item");
    let table = |from: usize| Array2::from_shape_fn((items.len(), 3), |(i, j)| items[i][from + j]);
    let design = Design::raw(&[FeatureColumn::complete("z", items.iter().map(|item| item[6]))]).unwrap();
    let (q, counts) = (table(0), table(3).mapv(|c| c as u32));
    let groups: Vec<usize> = items.iter().map(|item| item[7] as usize).collect();
    let judged = JudgedItems::new(&design, q.view(), &groups);
    let [ridge, log_tau_sd, bias_sd, log_trust_sd] = of("options")[0].try_into().unwrap();
    let prior = RecalibrationPrior { log_tau_sd, bias_sd, log_trust_sd };
    let options = RecalibrationOptions { recalibration: Recalibration::ByGroup, ridge, prior };
    let mut objective = posterior(&judged, counts.view(), &options, |_| true).unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + b.abs());
    for (k, name) in ["point", "maximum"].into_iter().enumerate() {
        let at = of(name)[0];
        let Expansion { value, gradient, hessian, .. } = at_biases(&objective, at);
        assert!(near(value, of("value")[k][0]), "value at the {name}: {value}");
        for (a, (got, expected)) in gradient.iter().zip(of("gradient")[k]).enumerate() {
            assert!(near(*got, *expected), "gradient {a} at the {name}: {got} for {expected}");
        }
        for (a, (got, expected)) in hessian.iter().zip(of("hessian")[k]).enumerate() {
            assert!(near(*got, *expected), "Hessian {a} at the {name}: {got} for {expected}");
        }
    }
    let start = objective.centre.clone();
    let found = maximise(&mut objective, start);
    assert!(found.converged);
    for (got, expected) in found.parameters.iter().zip(inner(of("maximum")[0], 1, 3)) {
        assert!((got - expected).abs() < 1e-9, "{got} for {expected}");
    }
}

/// With many classes the search goes without the matrix and ends where Newton's own does.
#[test]
fn many_classes_are_searched_without_the_matrix() {
    let (items, classes) = (150, 80);
    let mut stream = Stream::new(7);
    let (mut q, mut counts) = (Array2::zeros((items, classes)), Array2::<u32>::zeros((items, classes)));
    let mut drawn = vec![0; classes];
    for i in 0..items {
        let mut weights: Vec<f64> = (0..classes).map(|_| stream.gamma(0.3) + 1e-3).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
        stream.multinomial(6, &weights, &mut drawn);
        (0..classes).for_each(|j| (q[[i, j]], counts[[i, j]]) = (weights[j], drawn[j]));
    }
    let design = Design::over(items, &[]).unwrap();
    let judged = JudgedItems::new(&design, q.view(), &[]);
    let mut objective = posterior(&judged, counts.view(), &RecalibrationOptions::default(), |_| true).unwrap();
    let start = objective.centre.clone();
    let (without, with) = (maximise(&mut objective, start.clone()), newton::maximise(&mut objective, start));
    assert!(without.at.hessian.is_empty() && without.converged && with.converged, "{}", without.iterations);
    for (a, b) in without.parameters.iter().zip(&with.parameters) {
        assert!((a - b).abs() < 1e-6, "{a} for {b}");
    }
    let fit = fit(&judged, counts.view(), &RecalibrationOptions::default()).unwrap();
    let profile = typical_log_trust(&judged, counts.view(), &RecalibrationOptions::default(), &fit).unwrap();
    assert!(profile.at_least.is_some_and(|least| least < with.parameters[0]), "{profile:?}");
}

/// Products with the curvature, its diagonal, value and slope are those of the whole matrix.
#[test]
fn products_are_those_of_the_matrix() {
    let world = World::draw(60, 3, &[(0.5, [0.0, 0.4, -0.3]), (1.4, [0.0, -0.2, 0.1])]);
    let design = Design::raw(&world.columns).unwrap();
    let options =
        RecalibrationOptions { recalibration: Recalibration::ByGroup, ridge: 0.3, ..RecalibrationOptions::default() };
    let objective = posterior(&world.items(&design), world.counts.view(), &options, |_| true).unwrap();
    let at: [f64; 8] = [1.2, -0.5, -0.4, 0.3, 0.2, 0.25, -0.6, 0.1];
    let at = inner(&at, 1, 3);
    let (point, local) = (objective.at(&at), objective.local(&at).unwrap());
    let near = |a: f64, b: f64| (a - b).abs() < 1e-10 * (1.0 + b.abs());
    assert!(near(local.value, point.value));
    for a in 0..at.len() {
        assert!(near(local.gradient[a], point.gradient[a]), "gradient {a}");
        assert!(near(local.diagonal[a], point.hessian[[a, a]]), "diagonal {a}");
        let direction: Vec<f64> = (0..at.len()).map(|b| f64::from(u8::from(a == b))).collect();
        for (b, got) in (local.product)(&direction).into_iter().enumerate() {
            assert!(near(got, point.hessian[[a, b]]), "Hessian {a} {b}: {got} for {}", point.hessian[[a, b]]);
        }
    }
}

/// The surface may have several maxima: a search from little trust and from much must not end higher.
#[test]
fn small_problems_end_at_the_highest_maximum() {
    let mut lower = vec![];
    for seed in 0..400 {
        let mut stream = Stream::new(seed);
        let (n, d, k) = (20 + 10 * (seed as usize % 4), seed as usize % 5, 2 + seed as usize % 3);
        let columns: Vec<FeatureColumn> = (0..d)
            .map(|j| FeatureColumn::complete(format!("x{j}"), (0..n).map(|_| stream.standard_normal())))
            .collect();
        let design = Design::over(n, &columns).unwrap();
        let dirichlet = |alpha: &[f64], stream: &mut Stream| -> Vec<f64> {
            let x: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-9).collect();
            x.iter().map(|v| v / x.iter().sum::<f64>()).collect()
        };
        let mut q = Array2::zeros((n, k));
        let mut counts = Array2::<u32>::zeros((n, k));
        let mut drawn = vec![0; k];
        for i in 0..n {
            let prediction = dirichlet(&vec![1.0; k], &mut stream);
            let pool = dirichlet(&prediction.iter().map(|p| 6.0 * p).collect::<Vec<_>>(), &mut stream);
            let labels = stream.choice(6);
            stream.multinomial(labels, &pool, &mut drawn);
            (0..k).for_each(|j| (q[[i, j]], counts[[i, j]]) = (prediction[j], drawn[j]));
        }
        let items = JudgedItems::new(&design, q.view(), &[]);
        let options = RecalibrationOptions {
            recalibration: Recalibration::Off,
            ridge: 1.0,
            prior: RecalibrationPrior { log_trust_sd: 1.5, ..RecalibrationPrior::default() },
        };
        let mut objective = posterior(&items, counts.view(), &options, |_| true).unwrap();
        let start = objective.centre.clone();
        let usual = maximise(&mut objective, start.clone());
        for first in [-3.0, 0.0, 5.0, 9.0] {
            let mut other = start.clone();
            other[0] = first;
            let other = maximise(&mut objective, other);
            if other.at.value > usual.at.value + 1e-8 || !usual.converged {
                lower.push((seed, first, other.at.value - usual.at.value));
            }
        }
    }
    assert!(lower.is_empty(), "{lower:?}");
}
