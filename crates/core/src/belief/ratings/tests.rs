//! Fits of ratings: derivatives, numerical integration, recovery, which map is taken, and what the ratings do not tell.

use nalgebra::DMatrix;
use serde_json::Value;

use super::*;
use crate::belief::design::FeatureColumn;
use crate::belief::newton::maximise;
use crate::random::Stream;
use crate::stats::gamma::ln_gamma_ratio;
use crate::stats::student::student_cdf;

/// The published fit.
fn fit_gaussian(design: &Design, judge: &JudgeScores, labels: &[Ratings]) -> Result<GaussianFit, FitError> {
    fit_ratings(&as_they_are(design, judge), labels, TrustPrior::None)
}

fn as_they_are<'a>(design: &'a Design, judge: &'a JudgeScores) -> JudgedRatings<'a> {
    JudgedRatings { design, judge, groups: &[], start: None }
}

fn model(reads: bool, by_group: bool, curve: Option<Curve>) -> Model {
    Model { reads, by_group, curve }
}

/// Items whose labels follow the model with trust exp(1 + 0.5 z), nu and a judge's variance that may be withheld.
struct Simulated {
    columns: Vec<FeatureColumn>,
    judge: JudgeScores,
    labels: Vec<Ratings>,
    /// True mean and variance of every pool.
    pools: Vec<(f64, f64)>,
    fresh: Vec<f64>,
}

fn simulated(items: usize, nu: f64, seed: u64) -> Simulated {
    let mut stream = Stream::new(seed);
    let mut s = Simulated {
        columns: vec![],
        judge: JudgeScores { mean: vec![], variance: vec![] },
        labels: vec![],
        pools: vec![],
        fresh: vec![],
    };
    let mut zs = vec![];
    for _ in 0..items {
        let z = stream.standard_normal();
        let (judge_mean, judge_variance) = (3.0 + stream.standard_normal(), 0.2 + stream.random());
        // s^2 = nu s0^2 / chi-squared(nu), and chi-squared(nu) is twice a gamma draw of shape nu/2.
        let variance = nu * judge_variance / (2.0 * stream.gamma(0.5 * nu));
        let mean = judge_mean + (variance / (1.0 + 0.5 * z).exp()).sqrt() * stream.standard_normal();
        let n = stream.choice(7) as usize;
        let draws: Vec<f64> = (0..=n).map(|_| mean + variance.sqrt() * stream.standard_normal()).collect();
        zs.push(z);
        s.judge.mean.push(judge_mean);
        s.judge.variance.push(Some(judge_variance));
        s.labels.push(Ratings::new(&draws[1..]));
        s.fresh.push(draws[0]);
        s.pools.push((mean, variance));
    }
    s.columns.push(FeatureColumn::complete("z", zs));
    s
}

/// Probability that the pool's mean is at most `m`: Student t, nu degrees, variance factor s0^2 / lambda.
fn mean_below(belief: &Gaussian, m: f64) -> f64 {
    student_cdf((m - belief.mean) / (belief.scale / belief.evidence).sqrt(), belief.freedom)
}

/// Largest distance between the distribution of values in 0..1 and the uniform one, times the root of their number.
fn kolmogorov(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let gap = |(i, u): (usize, &f64)| (u - i as f64 / n).abs().max(((i + 1) as f64 / n - u).abs());
    values.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
}

/// Gradient and Hessian at some parameters against central differences of the value and of the gradient.
fn check_derivatives(objective: &impl Objective, at: &[f64]) {
    let (point, step) = (objective.at(at), 1e-5);
    for a in 0..at.len() {
        let shifted = |sign: f64| {
            let mut there = at.to_vec();
            there[a] += sign * step;
            objective.at(&there)
        };
        let (up, down) = (shifted(1.0), shifted(-1.0));
        let slope = (up.value - down.value) / (2.0 * step);
        assert!((slope - point.gradient[a]).abs() < 1e-6 * (1.0 + slope.abs()), "gradient {a}: {slope}");
        for b in 0..at.len() {
            let bend = (up.gradient[b] - down.gradient[b]) / (2.0 * step);
            assert!((bend - point.hessian[[a, b]]).abs() < 1e-6 * (1.0 + bend.abs()), "Hessian {a} {b}");
        }
    }
}

#[test]
fn derivatives_match_differences() {
    let mut s = simulated(40, 6.0, 3);
    s.judge.variance.iter_mut().step_by(3).for_each(|v| *v = None);
    let design = Design::raw(&s.columns).unwrap();
    let groups: Vec<usize> = (0..40).map(|i| i % 2).collect();
    let items = JudgedRatings { design: &design, judge: &s.judge, groups: &groups, start: None };
    let stated = RatingSearch::new(model(false, false, None), &items, &s.labels, TrustPrior::None).unwrap();
    for at in [[0.7, -0.4, 1.1, -0.3], [3.0, 0.9, -2.0, 0.8]] {
        check_derivatives(&stated.search.posterior, &at);
    }
    let curve = Curve::new(&s.judge.mean);
    let mut whole = RatingSearch::new(model(true, true, curve), &items, &s.labels, TrustPrior::Weak).unwrap();
    whole.search.spread_variances();
    let mut at = vec![0.7, -0.4, 1.1, 0.6, 1.3, -0.4, -0.3, -0.2, 0.4, 0.5, 0.2, 0.1, -0.3, 0.2, 0.3];
    at.extend((0..16).map(|k| 0.3 * f64::from(k).cos()));
    assert_eq!(at.len(), whole.layout.len());
    check_derivatives(&whole.search.posterior, &at);
}

/// Maxima, values and derivatives of `tests/golden/ratings/make.py`.
#[test]
fn fits_and_their_derivatives_are_those_of_an_independent_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/ratings/expected.json");
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let numbers = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).unwrap() };
    let data = &golden["data"];
    let design = Design::standardized(&[FeatureColumn::complete("x", numbers(&data["x"]))]).unwrap();
    let labels: Vec<Ratings> = data["labels"].as_array().unwrap().iter().map(|y| Ratings::new(&numbers(y))).collect();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 5);
    for case in cases {
        let stated = case["stated"].as_str().unwrap();
        let states = |i: usize| stated == "all" || stated == "some" && !i.is_multiple_of(3);
        let variance = numbers(&data["sd"]).iter().enumerate().map(|(i, sd)| states(i).then_some(sd * sd)).collect();
        let judge = JudgeScores { mean: numbers(&data["mean"]), variance };
        let items = JudgedRatings { design: &design, judge: &judge, groups: &[], start: None };
        let prior: TrustPrior = serde_json::from_value(case["prior"].clone()).unwrap();
        let reads = case["recalibration"] == "shared";
        let search = || RatingSearch::new(model(reads, false, None), &items, &labels, prior).unwrap();
        let fit = search().fit(None, &design).regression;
        let name = format!("{} {prior:?} {stated}", case["recalibration"]);
        let close = |found: &[f64], expected: &[f64], enough: f64| {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= enough * (1.0 + b.abs());
            assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{name}: {found:?}");
        };
        let names: Vec<String> = serde_json::from_value(case["names"].clone()).unwrap();
        assert!(fit.converged && fit.names == names, "{name}: {fit:?}");
        close(&fit.coefficients, &numbers(&case["maximum"]), 1e-7);
        close(&fit.standard_errors(), &numbers(&case["standard_errors"]), 1e-7);
        close(&[fit.log_likelihood], &[case["log_likelihood"].as_f64().unwrap()], 1e-10);
        let search = search();
        let units = search.layout.units(search.unit());
        for point in case["points"].as_array().unwrap() {
            let at: Vec<f64> = numbers(&point["at"]).iter().zip(&units).map(|(x, unit)| x / unit).collect();
            let found = search.search.posterior.at(&at);
            let gradient: Vec<f64> = found.gradient.iter().zip(&units).map(|(slope, unit)| slope / unit).collect();
            let bend = |((a, b), bend): ((usize, usize), &f64)| bend / (units[a] * units[b]);
            let hessian: Vec<f64> = found.hessian.indexed_iter().map(bend).collect();
            close(&[found.value], &[point["value"].as_f64().unwrap()], 1e-11);
            close(&gradient, &numbers(&point["gradient"]), 1e-10);
            close(&hessian, &point["hessian"].as_array().unwrap().iter().flat_map(numbers).collect::<Vec<_>>(), 1e-10);
        }
    }
}

/// The prior of the mean and variance integrated out on a grid: the trapezoid rule is exact to many digits for
/// integrands that vanish with all derivatives at both ends.
#[test]
fn likelihood_and_moments_match_numerical_integration() {
    let (prior, labels) = (Gaussian { mean: 3.0, evidence: 1.7, freedom: 5.0, scale: 0.8 }, [3.9, 2.2, 4.4]);
    let ln_gamma_half_nu = ln_gamma_ratio(0.5, 2.0) + 0.5 * std::f64::consts::PI.ln();
    let normal = |x: f64, m: f64, v: f64| -0.5 * (std::f64::consts::TAU * v).ln() - 0.5 * (x - m) * (x - m) / v;
    let (mut mass, mut mean, mut square, mut variance) = (0.0, 0.0, 0.0, 0.0);
    for i in -1200..=1200 {
        let ln_s2 = 0.01 * f64::from(i);
        let s2 = ln_s2.exp();
        let (shape, rate) = (0.5 * prior.freedom, 0.5 * prior.freedom * prior.scale);
        // Density of ln s^2: that of s^2 times s^2.
        let ln_prior = shape * rate.ln() - ln_gamma_half_nu - shape * ln_s2 - rate / s2;
        let width = (s2 / prior.evidence).sqrt();
        for j in -400..=400 {
            let m = prior.mean + 0.025 * f64::from(j) * width;
            let ln_density = ln_prior
                + normal(m, prior.mean, s2 / prior.evidence)
                + labels.iter().map(|y| normal(*y, m, s2)).sum::<f64>();
            let cell = ln_density.exp() * 0.01 * 0.025 * width;
            mass += cell;
            mean += cell * m;
            square += cell * m * m;
            variance += cell * s2;
        }
    }
    let scores = Ratings::new(&labels);
    let value = {
        let item = RatedItem { labels: scores, mean: 0.0, log_scale: 0.0 };
        let at = [prior.evidence.ln(), (prior.freedom - 2.0).ln(), prior.scale.ln(), prior.mean];
        StudentT::log_likelihood(&item, &at)
    };
    assert!((value - mass.ln()).abs() < 1e-9, "{value} against {}", mass.ln());
    let posterior = prior.updated(&scores);
    let (mean, square, variance) = (mean / mass, square / mass, variance / mass);
    assert!((posterior.mean - mean).abs() < 1e-9);
    assert!((posterior.aleatoric() - variance).abs() < 1e-6, "{} against {variance}", posterior.aleatoric());
    assert!((posterior.epistemic() - (square - mean * mean)).abs() < 1e-6);
}

/// Var(m) averaged over the fresh label's own distribution, on a grid of its quantiles.
#[test]
fn label_value_is_the_expected_fall_of_the_epistemic_part() {
    let belief = Gaussian { mean: -1.0, evidence: 2.5, freedom: 9.0, scale: 1.3 };
    let (mut after, mut before, mut cells) = (0.0, 0.0, 0);
    let width = 0.002;
    for i in -40_000..40_000 {
        let y = belief.mean + width * (f64::from(i) + 0.5);
        let mass = belief.label_cdf(y + 0.5 * width) - belief.label_cdf(y - 0.5 * width);
        after += mass * belief.updated(&Ratings::new(&[y])).epistemic();
        before += mass * (y - belief.mean).powi(2);
        cells += 1;
    }
    assert_eq!(cells, 80_000);
    assert!((before / belief.total() - 1.0).abs() < 1e-4, "{before} against {}", belief.total());
    assert!((belief.epistemic() - after - belief.label_value()).abs() < 1e-5, "{after}");
}

#[test]
fn recovers_trust_freedom_and_variance_with_calibrated_beliefs() {
    let s = simulated(12_000, 6.0, 11);
    let design = Design::raw(&s.columns).unwrap();
    let fit = fit_gaussian(&design, &s.judge, &s.labels).unwrap();
    assert!(
        fit.regression.converged && fit.regression.unidentified.is_empty() && fit.regression.iterations < 20,
        "{fit:?}"
    );
    assert_eq!((fit.regression.rank, fit.regression.names.len()), (3, 3));
    for (k, truth) in [1.0, 0.5, 4.0_f64.ln()].into_iter().enumerate() {
        let (error, se) = (fit.regression.coefficients[k] - truth, fit.regression.standard_errors()[k]);
        assert!(error.abs() < 4.0 * se && se < 0.1, "{}: {error} with standard error {se}", fit.regression.names[k]);
    }
    let beliefs: Vec<Gaussian> = fit
        .priors_of(&as_they_are(&design, &s.judge))
        .iter()
        .zip(&s.labels)
        .map(|(prior, l)| prior.updated(l))
        .collect();
    // 1.63 is exceeded by one in a hundred samples of uniform draws.
    let fresh = kolmogorov(beliefs.iter().zip(&s.fresh).map(|(b, y)| b.label_cdf(*y)).collect());
    let means = kolmogorov(beliefs.iter().zip(&s.pools).map(|(b, p)| mean_below(b, p.0)).collect());
    assert!(fresh < 1.63 && means < 1.63, "{fresh} {means}");
    let average = |f: &dyn Fn(usize) -> f64| (0..beliefs.len()).map(f).sum::<f64>() / beliefs.len() as f64;
    let aleatoric = average(&|i| beliefs[i].aleatoric()) / average(&|i| s.pools[i].1);
    let error = average(&|i| (beliefs[i].mean - s.pools[i].0).powi(2));
    assert!((aleatoric - 1.0).abs() < 0.03, "{aleatoric}");
    assert!((average(&|i| beliefs[i].epistemic()) / error - 1.0).abs() < 0.05, "{error}");
}

/// Items with several labels separate the trust from a common variance.
#[test]
fn a_variance_that_the_judge_does_not_state_is_fitted() {
    let mut stream = Stream::new(29);
    let (mut mean, mut labels) = (vec![], vec![]);
    for _ in 0..6000 {
        let judge = 10.0 * stream.random();
        let variance = 8.0 * 0.5 / (2.0 * stream.gamma(4.0));
        let m = judge + (variance / 3.0).sqrt() * stream.standard_normal();
        mean.push(judge);
        labels.push(Ratings::new(&[0; 4].map(|_| m + variance.sqrt() * stream.standard_normal())));
    }
    let judge = JudgeScores { variance: vec![None; mean.len()], mean };
    let fit = fit_gaussian(&Design::raw(&[]).unwrap(), &judge, &labels).unwrap();
    assert!(fit.regression.converged && fit.regression.names == ["intercept", "ln(nu - 2)", "ln s0^2"], "{fit:?}");
    for (k, truth) in [3.0_f64.ln(), 6.0_f64.ln(), 0.5_f64.ln()].into_iter().enumerate() {
        let (error, se) = (fit.regression.coefficients[k] - truth, fit.regression.standard_errors()[k]);
        assert!(error.abs() < 4.0 * se && se < 0.15, "{}: {error} with standard error {se}", fit.regression.names[k]);
    }
    assert!((fit.common_variance.unwrap() / 0.5 - 1.0).abs() < 0.05);
}

/// Repeated ratings by annotators with opinions of their own: the fit separates variance within annotators from that
/// between them, and counts no label twice.
#[test]
fn repeats_split_the_aleatoric_part() {
    use crate::belief::gaussian::Repeats;
    let mut stream = Stream::new(5);
    let (sigma2, tau2) = (0.4_f64, 0.9_f64);
    let mut ratings: Vec<Vec<Vec<f64>>> = vec![];
    for _ in 0..4000 {
        let m = stream.standard_normal();
        let rated = (0..3).map(|a| {
            let opinion = m + tau2.sqrt() * stream.standard_normal();
            (0..=a % 2).map(|_| opinion + sigma2.sqrt() * stream.standard_normal()).collect()
        });
        ratings.push(rated.collect());
    }
    let repeats = Repeats::pooled(ratings.iter().flatten().map(Vec::as_slice)).unwrap();
    assert_eq!(repeats.degrees, 4000);
    assert!((repeats.variance - sigma2).abs() < 4.0 * sigma2 * (2.0 / 4000.0_f64).sqrt(), "{repeats:?}");
    let scores = |r: &Vec<Vec<f64>>| Ratings::by_annotator(r.iter().map(Vec::as_slice), Some(repeats.variance));
    let labels: Vec<Ratings> = ratings.iter().map(scores).collect();
    assert!(labels.iter().all(|l| l.n == 3));
    let single: f64 = labels.iter().map(|l| l.squares / 2.0).sum::<f64>() / 4000.0;
    assert!((single - (sigma2 + tau2)).abs() < 0.06, "{single}");
    let (within, between) = repeats.split(single);
    assert!((within - sigma2).abs() < 0.05 && (between - tau2).abs() < 0.08, "{within} {between}");
}

/// Labels that equal the judge's means: the likelihood rises with the trust for ever and becomes flat.
#[test]
fn agreement_beyond_chance_ends_on_the_plateau() {
    let judge = JudgeScores { mean: vec![1.0, 2.0, 3.0], variance: vec![Some(1.0); 3] };
    let labels = [[0.0, 2.0], [1.0, 3.0], [2.0, 4.0]].map(|y| Ratings::new(&y));
    let fit = fit_gaussian(&Design::raw(&[]).unwrap(), &judge, &labels).unwrap();
    assert!(
        fit.regression.coefficients.iter().all(|b| b.is_finite()) && fit.regression.coefficients[0] > 1e4_f64.ln(),
        "{fit:?}"
    );
    assert!(
        fit.regression.converged
            && fit.regression.unidentified == ["ln(nu - 2)"]
            && fit.regression.standard_errors()[0] > 1e3,
        "{fit:?}"
    );
}

#[test]
fn unusable_input_is_refused() {
    let design = Design::raw(&[]).unwrap();
    let judge = JudgeScores { mean: vec![1.0, 2.0], variance: vec![Some(1.0), None] };
    let fit = |judge: &JudgeScores, labels: &[Ratings]| fit_gaussian(&design, judge, labels).unwrap_err();
    assert_eq!(fit(&judge, &[Ratings::default(); 2]), FitError::NoLabels);
    assert!(matches!(fit(&judge, &[Ratings::new(&[1.0])]), FitError::Shape { .. }));
    let flat = JudgeScores { variance: vec![Some(0.0), None], ..judge.clone() };
    assert!(fit(&flat, &[Ratings::new(&[1.0]); 2]).to_string().contains("judge's variance of item 0"));
    let nan = JudgeScores { mean: vec![1.0, f64::NAN], ..judge };
    assert!(matches!(fit(&nan, &[Ratings::new(&[1.0]); 2]), FitError::Value { item: 1, .. }));
}

/// Items of `simulated` whose judge has a scale and a confidence of its own in each group; every other item is of the
/// second.
struct Misread {
    simulated: Simulated,
    groups: Vec<usize>,
    /// What the judge should have said.
    right: JudgeScores,
}

/// (bias at the score 3, slope, factor) of each group.
fn misread(items: usize, seed: u64, readings: &[(f64, f64, f64)]) -> Misread {
    let mut simulated = simulated(items, 6.0, seed);
    let right = simulated.judge.clone();
    let groups: Vec<usize> = (0..items).map(|i| i % readings.len()).collect();
    for (i, &group) in groups.iter().enumerate() {
        let (bias, slope, factor) = readings[group];
        simulated.judge.mean[i] = 3.0 + (right.mean[i] - 3.0 + bias) / slope;
        simulated.judge.variance[i] = right.variance[i].map(|v| v / (factor * factor));
    }
    Misread { simulated, groups, right }
}

impl Misread {
    fn fit(&self, name: MapName) -> GaussianFit {
        let design = Design::raw(&self.simulated.columns).unwrap();
        let items = JudgedRatings { design: &design, judge: &self.simulated.judge, groups: &self.groups, start: None };
        fit_rating_map(name, &items, &self.simulated.labels).unwrap().unwrap()
    }
}

#[test]
fn recovers_the_reading_that_the_judge_needs() {
    let truth = [(1.5, 0.6, 2.0), (-0.8, 1.4, 0.5)];
    let world = misread(20_000, 8, &truth);
    let fit = world.fit(MapName::Groups);
    assert!(fit.regression.converged && fit.regression.unidentified.is_empty(), "{fit:?}");
    for (k, truth) in [1.0, 0.5, 4.0_f64.ln()].into_iter().enumerate() {
        let (error, se) = (fit.regression.coefficients[k] - truth, fit.regression.standard_errors()[k]);
        assert!(error.abs() < 4.0 * se && se < 0.1, "{}: {error}, se {se}", fit.regression.names[k]);
    }
    for (read, (bias, slope, factor)) in fit.estimated_readings().iter().zip(truth) {
        // The judge turns about its own mean score, the truth about 3.
        let bias = read.reading.centre - 3.0 + bias - slope * (read.reading.centre - 3.0);
        for (estimate, truth) in [(read.bias, bias), (read.slope, slope), (read.factor, factor)] {
            let estimate = estimate.unwrap();
            let off = (estimate.value - truth) / estimate.standard_error;
            assert!(off.abs() < 4.0 && estimate.standard_error < 0.05, "{estimate:?} for {truth}");
        }
    }
    let read = fit.read(&world.simulated.judge, &world.groups);
    let off = read.mean.iter().zip(&world.right.mean).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 0.2, "{off}");
    let published = world.fit(MapName::Identity);
    assert!(published.regression.coefficients[0] < 0.0, "unread the judge seems worth little: {published:?}");
}

/// With nothing misread the likelihood can rise by chance only: twice the rise is chi-squared with 3 degrees of
/// freedom, above 21.1 once in 10,000.
#[test]
fn finds_nothing_where_nothing_is_misread() {
    let world = misread(5_000, 21, &[(0.0, 1.0, 1.0)]);
    let on = world.fit(MapName::Line);
    let off = world.fit(MapName::Identity);
    let rise = 2.0 * (on.regression.log_likelihood - off.regression.log_likelihood);
    assert!((-0.01..21.1).contains(&rise), "{rise}");
    assert!(off.readings.is_empty() && off.estimated_readings().is_empty());
}

/// Ratings and scores in hundredths, counted from another zero: the same trust, nu, slope and factor, and the bias in
/// hundredths.
#[test]
fn units_do_not_matter() {
    let world = misread(60, 4, &[(0.7, 0.8, 1.6)]);
    let mut scaled = misread(60, 4, &[(0.7, 0.8, 1.6)]);
    let to = |x: &mut f64| *x = 100.0 * *x - 4000.0;
    scaled.simulated.judge.mean.iter_mut().for_each(to);
    scaled.simulated.judge.variance.iter_mut().flatten().for_each(|v| *v *= 1e4);
    for labels in &mut scaled.simulated.labels {
        labels.mean = if labels.n > 0 { 100.0 * labels.mean - 4000.0 } else { 0.0 };
        labels.squares *= 1e4;
    }
    let (a, b) = (world.fit(MapName::Line), scaled.fit(MapName::Line));
    for k in 0..a.regression.coefficients.len() {
        let unit = if a.regression.names[k] == "bias" { 100.0 } else { 1.0 };
        let (x, y) = (unit * a.regression.coefficients[k], b.regression.coefficients[k]);
        assert!((x - y).abs() < 1e-6 * (1.0 + y.abs()), "{}: {x} {y}", a.regression.names[k]);
        let (x, y) = (unit * a.regression.standard_errors()[k], b.regression.standard_errors()[k]);
        assert!((x / y - 1.0).abs() < 1e-5, "{}: {x} {y}", a.regression.names[k]);
    }
}

/// One label per item: how far ratings are from the judge is all there is to see, and it is disagreement or ignorance.
#[test]
fn single_labels_tell_no_factor_and_no_common_variance() {
    for withheld in [false, true] {
        let mut world = misread(200, 5, &[(1.0, 0.8, 2.0)]);
        for (labels, fresh) in world.simulated.labels.iter_mut().zip(&world.simulated.fresh) {
            *labels = Ratings::new(&[*fresh]);
        }
        if withheld {
            world.simulated.judge.variance.iter_mut().for_each(|v| *v = None);
        }
        let fit = world.fit(MapName::Line);
        let read = fit.estimated_readings()[0];
        assert_eq!((read.factor, read.common_variance), (None, None), "{fit:?}");
        // The line is seen all the same.
        assert!(read.bias.is_some() && read.slope.is_some(), "{fit:?}");
        let design = Design::raw(&world.simulated.columns).unwrap();
        let items = JudgedRatings { design: &design, judge: &world.simulated.judge, groups: &[], start: None };
        let profile = typical_log_trust(&items, &world.simulated.labels, TrustPrior::Weak, &fit).unwrap().unwrap();
        assert!(!profile.determined(), "{withheld}: {profile:?}");
    }
}

/// A judge that gives every item the same score has a bias and no slope.
#[test]
fn equal_scores_tell_no_slope() {
    let mut world = misread(80, 6, &[(1.0, 1.0, 1.0)]);
    world.simulated.judge.mean.fill(4.0);
    let fit = world.fit(MapName::Line);
    let read = fit.estimated_readings()[0];
    assert!(fit.regression.converged && read.slope.is_none() && read.bias.is_some(), "{fit:?}");
}

/// The surface may have several maxima: searches from elsewhere must not end higher.
#[test]
fn small_problems_end_at_the_highest_maximum() {
    let mut lower = vec![];
    for seed in 0..200 {
        let items = 15 + 10 * (seed as usize % 4);
        let mut world = misread(items, seed, &[(2.0, 0.5, 3.0)]);
        if seed % 3 == 0 {
            world.simulated.judge.variance.iter_mut().for_each(|v| *v = None);
        }
        let design = Design::raw(&world.simulated.columns).unwrap();
        let judged = JudgedRatings { design: &design, judge: &world.simulated.judge, groups: &[], start: None };
        let reads = seed % 2 == 0;
        let fit = world.fit(if reads { MapName::Line } else { MapName::Identity });
        let search = RatingSearch::new(model(reads, false, None), &judged, &world.simulated.labels, TrustPrior::Weak);
        let RatingSearch { mut search, layout, .. } = search.unwrap();
        let unit = search.posterior.likelihood.unit;
        let own: Vec<f64> = fit.regression.coefficients.iter().zip(layout.units(unit)).map(|(x, u)| x / u).collect();
        let found = search.posterior.at(&own).value;
        for (trust, freedom) in [(-3.0, 1.0), (0.0, -2.0), (5.0, 4.0), (9.0, 1.0)] {
            let mut start = search.posterior.centre.clone();
            (start[0], start[2]) = (trust, freedom);
            let other = maximise(&mut search.posterior, start);
            if other.at.value > found + 1e-8 || !fit.regression.converged {
                lower.push((seed, trust, other.at.value - found, fit.regression.converged));
            }
        }
    }
    assert!(lower.is_empty(), "{lower:?}");
}

/// A belief never has NaN for an item without a variance.
#[test]
#[should_panic(expected = "a common variance is fitted when a judge's variance is missing")]
fn an_item_without_a_variance_is_refused_by_a_fit_without_a_common_one() {
    let world = misread(60, 3, &[(0.0, 1.0, 1.0)]);
    let fit = world.fit(MapName::Identity);
    let mut judge = world.simulated.judge.clone();
    judge.variance[7] = None;
    fit.priors_of(&as_they_are(&Design::raw(&world.simulated.columns).unwrap(), &judge));
}

/// Laplace's approximation of the ratings' marginal likelihood, up to what depends on neither the variance of the
/// biases nor that of the curve, both in the engine's units.
fn evidence(items: &JudgedRatings, labels: &[Ratings], variances: [f64; 4], groups: f64) -> f64 {
    let of_map = model(true, true, Curve::new(&items.judge.mean));
    let mut fit = RatingSearch::new(of_map, items, labels, TrustPrior::Weak).unwrap();
    let start = fit.starts().swap_remove(0);
    fit.search.blocks.iter_mut().zip(variances).for_each(|(block, variance)| block.variance = variance);
    fit.search.spread_variances();
    let maximum = maximise(&mut fit.search.posterior, start);
    let p = maximum.parameters.len();
    let minus = DMatrix::from_fn(p, p, |a, b| -maximum.at.hessian[[a, b]]);
    let [bias, _, _, curve] = variances;
    maximum.at.value - 0.5 * (groups * bias.ln() + 16.0 * curve.ln()) - 0.5 * minus.determinant().ln()
}

/// The fixed points are within a tenth of a nat of the highest evidence, and by 8 times more variance or 30 times less
/// it falls by more. (They take the curvature of the likelihood as constant, which that of Student's t is not; with
/// normal errors they are exact, see `fixed_point`.)
#[test]
fn variances_are_where_the_evidence_is_highest() {
    let readings: Vec<(f64, f64, f64)> = [-0.9, 0.4, 1.1, -0.2, 0.7, -1.3].map(|bias| (bias, 1.0, 1.0)).to_vec();
    let mut world = misread(180, 12, &readings);
    world.simulated.judge.mean.iter_mut().for_each(|mu| *mu += 0.8 * (1.5 * *mu).sin());
    let design = Design::raw(&world.simulated.columns).unwrap();
    let items = JudgedRatings { design: &design, judge: &world.simulated.judge, groups: &world.groups, start: None };
    let labels = &world.simulated.labels;
    let of_map = model(true, true, Curve::new(&items.judge.mean));
    let unit = RatingSearch::new(of_map, &items, labels, TrustPrior::Weak).unwrap().unit();
    let fit = world.fit(MapName::Recalibrated);
    let found: Vec<f64> = fit.map.unwrap().variances.iter().map(|of| of.variance).collect();
    let [bias, slope, factor, curve] = found[..] else { panic!("{found:?}") };
    let at = |of_bias: f64, of_curve: f64| {
        let own = [of_bias * bias / (unit * unit), slope.max(1e-4), factor.max(1e-4), of_curve * curve / (unit * unit)];
        evidence(&items, labels, own, 6.0)
    };
    let here = at(1.0, 1.0);
    for factor in [0.25, 0.5, 0.75, 1.35, 2.0, 4.0] {
        let (of_bias, of_curve) = (at(factor, 1.0), at(1.0, factor));
        assert!(of_bias.max(of_curve) < here + 0.1, "{found:?} times {factor}: {here} {of_bias} {of_curve}");
    }
    for factor in [0.03, 8.0] {
        let (of_bias, of_curve) = (at(factor, 1.0), at(1.0, factor));
        assert!(of_bias.max(of_curve) < here - 0.5, "{found:?} times {factor}: {here} {of_bias} {of_curve}");
    }
    // Biases of standard deviation 0.9 were planted, and equal slopes.
    assert!((0.3..2.5).contains(&bias) && slope < 0.05, "{found:?}");
}

/// The waves are straight in no part over the items' scores, of mean square 1 together, and level beyond them.
#[test]
fn a_curve_has_no_straight_part() {
    let scores: Vec<f64> = (0..40).map(|i| f64::from(i * i % 23) / 4.0 - 1.0).collect();
    let curve = Curve::new(&scores).unwrap();
    let waves: Vec<Vec<f64>> = scores.iter().map(|&score| curve.at(score)).collect();
    for k in 0..curve.waves() {
        let sum: f64 = waves.iter().map(|phi| phi[k]).sum();
        let along: f64 = waves.iter().zip(&scores).map(|(phi, score)| phi[k] * score).sum();
        assert!(sum.abs() < 1e-12 && along.abs() < 1e-11, "wave {k}: {sum} {along}");
    }
    let squares: f64 = waves.iter().flatten().map(|phi| phi * phi).sum();
    assert!((squares / 40.0 - 1.0).abs() < 1e-12);
    assert_eq!((curve.at(-50.0), curve.at(50.0)), (curve.at(-1e3), curve.at(1e3)));
    assert!(
        Curve::new(&[1.0, 2.0, 1.0]).is_none() && Curve::new(&[1.0, 2.0, 1.5]).is_some() && Curve::new(&[]).is_none()
    );
}

impl Misread {
    fn auto(&self, labels: &[Ratings]) -> GaussianFit {
        let design = Design::raw(&self.simulated.columns).unwrap();
        let items = JudgedRatings { design: &design, judge: &self.simulated.judge, groups: &self.groups, start: None };
        choose_rating_map(&items, labels, &[]).unwrap()
    }

    /// Mean absolute error of the belief's means before any label.
    fn error(&self, fit: &GaussianFit) -> f64 {
        let design = Design::raw(&self.simulated.columns).unwrap();
        let items = JudgedRatings { design: &design, judge: &self.simulated.judge, groups: &self.groups, start: None };
        let priors = fit.priors_of(&items);
        let off = priors.iter().zip(&self.simulated.pools).map(|(prior, pool)| (prior.mean - pool.0).abs());
        off.sum::<f64>() / priors.len() as f64
    }
}

/// A right judge is left as it is, one that is off throughout or by group is recalibrated; and a group without ratings is
/// read as the others are on average.
#[test]
fn ratings_choose_the_reading_that_their_judge_needs() {
    let chosen = |world: &Misread| {
        let fit = world.auto(&world.simulated.labels);
        (fit.map.as_ref().unwrap().name, world.error(&fit), fit)
    };
    let (right, ..) = chosen(&misread(150, 31, &[(0.0, 1.0, 1.0), (0.0, 1.0, 1.0)]));
    assert_eq!(right, MapName::Identity);
    let world = misread(150, 32, &[(1.0, 0.7, 2.0), (1.0, 0.7, 2.0)]);
    let (read, error, _) = chosen(&world);
    assert_eq!(read, MapName::Recalibrated);
    assert!(error < 0.7 * world.error(&world.fit(MapName::Identity)), "{error}");
    let world = misread(150, 33, &[(1.2, 1.0, 1.0), (-1.2, 1.0, 1.0), (0.9, 1.0, 1.0)]);
    let (groups, error, fit) = chosen(&world);
    let shared = world.fit(MapName::Line);
    assert_eq!(groups, MapName::Recalibrated);
    assert!(error < 0.8 * world.error(&shared), "{error} {}", world.error(&shared));
    let choice = fit.map.as_ref().unwrap().choice.as_ref().unwrap();
    assert_eq!(choice.candidates.iter().map(|c| c.map).collect::<Vec<_>>(), [MapName::Identity, MapName::Recalibrated]);
    fit.check(&["z"], 3).unwrap();

    let unseen = |i: usize| world.groups[i] == 2;
    let labels = world.simulated.labels.iter().enumerate();
    let labels: Vec<Ratings> = labels.map(|(i, l)| if unseen(i) { Ratings::default() } else { *l }).collect();
    let design = Design::raw(&world.simulated.columns).unwrap();
    let items = JudgedRatings { design: &design, judge: &world.simulated.judge, groups: &world.groups, start: None };
    let fit = fit_rating_map(MapName::Groups, &items, &labels).unwrap().unwrap();
    let [a, b, c] = [0, 1, 2].map(|g| fit.readings[g].bias);
    assert!(c > a.min(b) && c < a.max(b) && (c - 0.5 * (a + b)).abs() < 0.25 * (a - b).abs(), "{a} {b} {c}");
    // What is not known of its reading makes its scores worth less.
    let priors = fit.priors_of(&items);
    let evidence = |g: usize| {
        let own: Vec<f64> = (0..150).filter(|&i| world.groups[i] == g).map(|i| priors[i].evidence).collect();
        crate::stats::mean(&own)
    };
    assert!(evidence(2) < 0.7 * evidence(0).min(evidence(1)), "{} {} {}", evidence(0), evidence(1), evidence(2));
}

#[test]
fn rating_maps_that_add_nothing_are_said_to() {
    let world = misread(30, 5, &[(0.0, 1.0, 1.0)]);
    let design = Design::raw(&world.simulated.columns).unwrap();
    let items = JudgedRatings { design: &design, judge: &world.simulated.judge, groups: &world.groups, start: None };
    let fit = |rung| fit_rating_map(rung, &items, &world.simulated.labels).unwrap();
    assert_eq!(fit(MapName::Groups).unwrap_err(), Unavailable::OneGroup);
    assert_eq!(fit(MapName::Temperature).unwrap_err(), Unavailable::OfClasses);
    let line = fit(MapName::Line).unwrap();
    let shared = world.fit(MapName::Line);
    assert_eq!((line.map.unwrap().name, line.readings), (MapName::Line, shared.readings));
    // Nine labelled items are too few to compare maps.
    let few: Vec<Ratings> =
        world.simulated.labels.iter().enumerate().map(|(i, l)| if i < 5 { *l } else { Ratings::default() }).collect();
    let map = world.auto(&few).map.unwrap();
    assert!(map.name == MapName::Identity && map.choice.unwrap().candidates.is_empty());
}

/// A few ratings recalibrate a misread judge in part, in every output of the fit. (Under the former rule, one standard
/// error or nothing, the scores of 36 of these 60 judges were not recalibrated.)
#[test]
fn few_ratings_take_a_map_in_part() {
    let mut taken = vec![];
    for seed in 0..60 {
        let world = misread(16, 300 + seed, &[(0.4, 0.7, 1.0)]);
        let design = Design::raw(&world.simulated.columns).unwrap();
        let judge = &world.simulated.judge;
        let items = JudgedRatings { design: &design, judge, groups: &world.groups, start: None };
        let labels = &world.simulated.labels;
        let fit = world.auto(labels);
        let choice = fit.map.as_ref().unwrap().choice.as_ref().unwrap();
        if choice.chosen == MapName::Identity {
            assert_eq!(choice.strength, 1.0);
            continue;
        }
        let s = choice.strength;
        taken.push(s);
        assert!(s > 0.0 && s < 1.0);
        let named = |name| fit_rating_map(name, &items, labels).unwrap().unwrap();
        let (stated, whole) = (named(MapName::Identity), named(choice.chosen));
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0));
        let [read, read_whole] = [&fit, &whole].map(|fit| fit.read(judge, &[]));
        let [trust, of_stated, of_whole] = [&fit, &stated, &whole].map(|fit| fit.trust(&design));
        let [priors, priors_whole] = [&fit, &whole].map(|fit| fit.priors_of(&items));
        let unknown = |prior: &Gaussian, lambda: f64| prior.aleatoric() * (1.0 / prior.evidence - 1.0 / lambda);
        for i in 0..16 {
            let moved = read_whole.mean[i] - judge.mean[i];
            near(read.mean[i], judge.mean[i] + s * moved);
            near(trust[i].ln(), (1.0 - s) * of_stated[i].ln() + s * of_whole[i].ln());
            let of_map = s * unknown(&priors_whole[i], of_whole[i]);
            near(unknown(&priors[i], trust[i]), of_map + s * (1.0 - s) * moved * moved);
        }
        near((fit.freedom - 2.0).ln(), (1.0 - s) * (stated.freedom - 2.0).ln() + s * (whole.freedom - 2.0).ln());

        let profile = |fit: &GaussianFit| typical_log_trust(&items, labels, TrustPrior::Weak, fit).unwrap().unwrap();
        let [part, of_stated, of_whole] = [&fit, &stated, &whole].map(profile);
        assert_eq!(part.at_least.is_some(), of_stated.at_least.is_some() && of_whole.at_least.is_some());
        assert_eq!(part.at_most.is_some(), of_stated.at_most.is_some() && of_whole.at_most.is_some());
        fit.check(&["z"], 1).unwrap();
    }
    let less = taken.iter().filter(|s| **s < 0.8).count();
    assert!(taken.len() > 40 && less > 15, "{taken:?}");
}

/// Without labels a fit that starts from another one reads the judge as that one does, a new group as all groups
/// together; some labels move it from there, and it errs less than one that starts from the scores as they are.
#[test]
fn a_fit_starts_from_another() {
    let readings = [(1.2, 0.8, 1.5), (-1.0, 1.1, 1.0), (0.4, 0.9, 2.0)];
    let there = misread(300, 81, &readings);
    for name in [MapName::Groups, MapName::Recalibrated] {
        let before = there.fit(name);
        let mut here = misread(90, 82, &readings);
        let design = Design::raw(&here.simulated.columns).unwrap();
        let groups = [Some(1), Some(0), Some(2), None];
        // The first two groups change their numbers.
        let numbers: Vec<usize> = here.groups.iter().map(|&g| [1, 0, 2][g]).collect();
        let start = Some(RatingStart { fit: &before, groups: &groups });
        let judge = here.simulated.judge.clone();
        let items = JudgedRatings { design: &design, judge: &judge, groups: &numbers, start };
        let none = vec![Ratings::default(); 90];
        let fit = choose_rating_map(&items, &none, &[]).unwrap();
        assert_eq!(fit.map.as_ref().unwrap().name, name);
        let (read, wanted) = (fit.read(&judge, &numbers), before.read(&judge, &here.groups));
        for i in 0..90 {
            assert!((read.mean[i] - wanted.mean[i]).abs() < 1e-6, "{name} {i}: {} {}", read.mean[i], wanted.mean[i]);
            assert!((read.variance[i] / wanted.variance[i] - 1.0).abs() < 1e-6, "{name} {i}");
        }

        (0..90).filter(|i| i / 3 % 3 > 0).for_each(|i| here.simulated.labels[i] = Ratings::default());
        let error = |start| {
            let items = JudgedRatings { start, ..items };
            let fit = choose_rating_map(&items, &here.simulated.labels, &[]).unwrap();
            let off = |(prior, pool): (Gaussian, &(f64, f64))| (prior.mean - pool.0).abs();
            fit.priors_of(&items).into_iter().zip(&here.simulated.pools).map(off).sum::<f64>()
        };
        assert!(error(start) < 0.9 * error(None), "{name}: {} {}", error(start), error(None));
    }
}

/// Ratings that a bias and a wrap-around explain without noise: ln(nu - 2) ends beyond its limits, where nothing is curved
/// along it and its slope stays. The search ends there rather than after its last step, and items that nothing tells apart
/// are one row, with one score.
#[test]
fn a_slope_that_stays_ends_the_search_and_alike_items_are_one() {
    let scores: Vec<f64> = (0..600).map(|k| f64::from(k * 79 % 100) / 10.0).collect();
    let judge = JudgeScores { mean: scores.clone(), variance: vec![None; 600] };
    let labels: Vec<Ratings> = scores.iter().map(|score| Ratings::new(&[(score + 9.2) % 10.0])).collect();
    let design = Design::constant(600);
    let items = JudgedRatings { design: &design, judge: &judge, groups: &[], start: None };
    let curve = Curve::new(&judge.mean);
    let search = RatingSearch::new(model(true, false, curve), &items, &labels, TrustPrior::Weak).unwrap();
    assert_eq!(search.search.posterior.items().len(), 100);
    assert!((0..600).all(|i| search.row_of[i] == Some(i % 100)));
    let fit = fit_rating_map(MapName::Recalibrated, &items, &labels).unwrap().unwrap();
    assert!(fit.regression.iterations < 80, "{}", fit.regression.iterations);
    assert_eq!(fit.regression.labelled_items, 600);
    let clusters = Clusters::new(&[], &[true; 600]);
    let held_out = fit.held_out_scores(&items, &labels, &clusters).unwrap();
    assert!((0..600).all(|i| held_out[i].is_finite() && held_out[i] == held_out[i % 100]));
}
