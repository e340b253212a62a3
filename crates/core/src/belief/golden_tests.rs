//! Fits as the program made them before its beliefs shared one engine: `tests/golden/fits.json`. Those
//! of ratings whose variances are fitted were written anew when the search for these went on to their fixed point: readings
//! moved by 0.012 at most.

use std::collections::BTreeMap;

use ndarray::Array2;

use super::maps::{self, Map, MapName};
use super::*;
use crate::random::Stream;

type Values = BTreeMap<String, Vec<f64>>;

struct GoldenWorld {
    design: Design,
    q: Array2<f64>,
    variants: Vec<Array2<f64>>,
    groups: Vec<usize>,
    counts: Array2<u32>,
}

fn share(stream: &mut Stream, alpha: &[f64]) -> Vec<f64> {
    let g: Vec<f64> = alpha.iter().map(|a| stream.gamma(*a) + 1e-6).collect();
    let sum: f64 = g.iter().sum();
    g.into_iter().map(|g| g / sum).collect()
}

fn world(items: usize, classes: usize, seed: u64) -> GoldenWorld {
    let mut stream = Stream::new(seed);
    let table = || Array2::zeros((items, classes));
    let (mut q, mut a, mut counts) = (table(), table(), Array2::zeros((items, classes)));
    let mut columns = vec![vec![], vec![]];
    let groups: Vec<usize> = (0..items).map(|i| i % 3).collect();
    for i in 0..items {
        let x = [stream.standard_normal(), stream.standard_normal()];
        columns.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
        let stated = share(&mut stream, &vec![1.2; classes]);
        let noise = share(&mut stream, &vec![1.0; classes]);
        let mut mean: Vec<f64> = (0..classes)
            .map(|j| (stated[j].powf([0.4, 0.9, 1.3][groups[i]]) * (0.8 * (x[0] + j as f64).sin()).exp()).max(1e-9))
            .collect();
        let sum: f64 = mean.iter().sum();
        mean.iter_mut().for_each(|m| *m *= (1.5 + 0.4 * x[0]).exp() / sum);
        let p = share(&mut stream, &mean);
        let mut drawn = vec![0; classes];
        let n = stream.choice(9);
        stream.multinomial(n, &p, &mut drawn);
        for j in 0..classes {
            (q[[i, j]], counts[[i, j]]) = (stated[j], drawn[j]);
            a[[i, j]] = 0.6 * stated[j] + 0.4 * noise[j];
        }
    }
    let [x, y] = columns.try_into().unwrap();
    let columns = [FeatureColumn::complete("x", x), FeatureColumn::complete("y", y)];
    let design = Design::standardized(&columns).unwrap();
    GoldenWorld { design, variants: vec![a, q.clone()], q, groups, counts }
}

impl GoldenWorld {
    fn judged(&self) -> JudgedItems<'_> {
        let items = JudgedItems::new(&self.design, self.q.view(), &self.groups);
        JudgedItems { variants: &self.variants, ..items }
    }
}

fn add_regression(to: &mut Values, key: &str, fit: &Regression) {
    to.insert(format!("{key} coefficients"), fit.coefficients.clone());
    to.insert(format!("{key} errors"), fit.standard_errors());
    to.insert(format!("{key} log likelihood"), vec![fit.log_likelihood, fit.labelled_items as f64, fit.rank as f64]);
}

fn add_map(to: &mut Values, key: &str, map: &Map, readings: &JudgedItems, counts: &Array2<u32>) {
    add_regression(to, key, &map.regression);
    let variances = map.variances.iter().flat_map(|v| [v.parameters as f64, v.variance, v.determined]);
    to.insert(format!("{key} variances"), [map.guesses()].into_iter().chain(variances).collect());
    to.insert(format!("{key} predictions"), map.predictions(readings).into_iter().take(60).collect());
    to.insert(format!("{key} log trust"), map.log_trust(readings)[..20].to_vec());
    let (beliefs, _) = map.posterior(readings, counts.view());
    to.insert(format!("{key} epistemic"), beliefs.map(|belief| belief.epistemic())[..20].to_vec());
    to.insert(format!("{key} spread after"), beliefs.map(|belief| belief.spread_after(2))[..5].to_vec());
}

/// The prediction as it is: maps with a share of guesses are in `tests/golden/ladder`.
fn add_maps(to: &mut Values) {
    let names = world(120, 3, 7);
    let map = maps::fit(MapName::Identity, &names.judged(), names.counts.view()).unwrap().unwrap();
    add_map(to, "identity", &map, &names.judged(), &names.counts);
}

fn add_ratings(to: &mut Values) {
    let mut stream = Stream::new(11);
    let (mut mean, mut variance, mut labels, mut x, mut groups) = (vec![], vec![], vec![], vec![], vec![]);
    for i in 0..160 {
        let group = i % 4;
        let truth = 2.0 * stream.standard_normal();
        x.push(stream.standard_normal());
        mean.push(1.4 * truth + [0.5, -0.6, 1.1, 0.0][group] + 0.4 * stream.standard_normal() + 0.3 * truth * truth);
        variance.push((i % 5 > 0).then(|| 0.3 + 0.1 * f64::from(i as u32 % 3)));
        let n = stream.choice(5);
        let values: Vec<f64> = (0..n).map(|_| truth + 0.8 * stream.standard_normal()).collect();
        labels.push(if n == 0 { Ratings::default() } else { Ratings::new(&values) });
        groups.push(group);
    }
    let design = Design::standardized(&[FeatureColumn::complete("x", x)]).unwrap();
    let judge = JudgeScores { mean, variance };
    let items = JudgedRatings { design: &design, judge: &judge, groups: &groups, start: None };
    let mut add = |key: &str, fit: &GaussianFit, prior: TrustPrior| {
        match fit.is_by_group() {
            false => add_regression(to, key, &fit.regression),
            true => {
                let of = |r: &Reading| {
                    let logs = [r.factor, r.common_variance].map(|x| x.unwrap().ln());
                    [r.bias, r.slope, logs[0], logs[1]]
                };
                to.insert(format!("{key} readings"), fit.readings.iter().flat_map(of).collect());
            }
        }
        let priors = fit.priors_of(&items);
        let of = |prior: &Gaussian| [prior.mean, prior.evidence, prior.freedom, prior.scale];
        to.insert(format!("{key} priors"), priors[..20].iter().flat_map(of).collect());
        let variances = fit.map.iter().flat_map(|map| &map.variances);
        to.insert(format!("{key} variances"), variances.flat_map(|v| [v.variance, v.determined]).collect());
        if let Some(profile) = typical_log_trust_of_ratings(&items, &labels, prior, fit).unwrap() {
            let ends = [profile.at_least.unwrap_or(-9.0), profile.at_most.unwrap_or(99.0)];
            to.insert(format!("{key} profile"), ends.to_vec());
        }
    };
    for prior in [TrustPrior::Weak, TrustPrior::None] {
        let fit = fit_ratings(&items, &labels, prior).unwrap();
        add(&format!("ratings Off {prior:?}"), &fit, prior);
    }
    for (name, key) in
        [(MapName::Line, "Shared Weak"), (MapName::Groups, "groups"), (MapName::Recalibrated, "recalibrated")]
    {
        let fit = fit_rating_map(name, &items, &labels).unwrap().unwrap();
        add(&format!("ratings {key}"), &fit, TrustPrior::Weak);
    }
}

fn values() -> Values {
    let mut values = Values::new();
    add_maps(&mut values);
    add_ratings(&mut values);
    values
}

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/fits.json");

#[test]
#[ignore = "writes the file"]
fn write_fits() {
    std::fs::write(PATH, serde_json::to_string(&values()).unwrap() + "\n").unwrap();
}

/// All numbers to 1e-9 of their size or of 1; profiles to the precision that their ends are searched to.
#[test]
fn fits_are_those_of_the_engines_before() {
    let expected: Values = serde_json::from_str(&std::fs::read_to_string(PATH).unwrap()).unwrap();
    let found = values();
    let mut off = vec![];
    for (key, expected) in &expected {
        let found = &found[key];
        assert_eq!(found.len(), expected.len(), "{key}: {found:?} for {expected:?}");
        let enough = if key.ends_with("profile") { 1e-5 } else { 1e-9 };
        let share = |(a, b): (&f64, &f64)| (a - b).abs() / a.abs().max(b.abs()).max(1.0);
        let worst = found.iter().zip(expected).map(share).fold(0.0, f64::max);
        if worst.is_nan() || worst > enough {
            off.push(format!("{key}: {worst:e}"));
        }
    }
    assert!(off.is_empty(), "{off:#?}");
}
