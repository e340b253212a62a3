//! Fits of ratings and readings of a judge's scale against an independent program (`tests/golden/ratings/make.py`).

use judge_uncertainty::belief::{
    Design, FeatureColumn, JudgeScores, JudgedRatings, RatingOptions, ReadingPrior, Recalibration, Scores, TrustPrior,
    fit_ratings, log_posterior_of_ratings,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::support::{assert_close, golden, number, numbers};

struct Items {
    design: Design,
    judge: JudgeScores,
    groups: Vec<usize>,
    labels: Vec<Scores>,
}

impl Items {
    fn of(data: &Value, stated: &str) -> Self {
        let sd = numbers(&data["sd"]);
        let states = |i: usize| stated == "all" || stated == "some" && i % 3 != 0;
        let variance = sd.iter().enumerate().map(|(i, sd)| states(i).then_some(sd * sd)).collect();
        Self {
            design: Design::standardized(&[FeatureColumn::complete("x", numbers(&data["x"]))]).unwrap(),
            judge: JudgeScores { mean: numbers(&data["mean"]), variance },
            groups: numbers(&data["group"]).into_iter().map(|group| group as usize).collect(),
            labels: data["labels"].as_array().unwrap().iter().map(|y| Scores::of(&numbers(y))).collect(),
        }
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn fits_of_ratings_and_their_derivatives_are_those_of_an_independent_program() {
    let golden = golden("ratings/expected.json");
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let recalibration: Recalibration = read(&case["recalibration"]);
        let prior: TrustPrior = read(&case["prior"]);
        let (stated, names): (String, Vec<String>) = (read(&case["stated"]), read(&case["names"]));
        let options = RatingOptions { prior, recalibration, reading: ReadingPrior::default() };
        let Items { design, judge, groups, labels } = Items::of(&golden["data"], &stated);
        let items = JudgedRatings { design: &design, judge: &judge, groups: &groups };
        let name = format!("{recalibration:?} {prior:?} {stated}");
        let fit = fit_ratings(&items, &labels, &options).unwrap();
        assert!(fit.regression.converged && fit.regression.names == names, "{name}: {:?}", fit.regression);
        assert_close(&name, &fit.regression.coefficients, &numbers(&case["maximum"]), 1e-7);
        assert_close(&name, &fit.regression.standard_errors(), &numbers(&case["standard_errors"]), 1e-7);
        assert_close(&name, &[fit.regression.log_likelihood], &[number(&case["log_likelihood"])], 1e-10);
        for point in case["points"].as_array().unwrap() {
            let found = log_posterior_of_ratings(&items, &labels, &options, &numbers(&point["at"])).unwrap();
            assert_close(&name, &[found.value], &[number(&point["value"])], 1e-11);
            assert_close(&name, &found.gradient, &numbers(&point["gradient"]), 1e-10);
            let hessian: Vec<f64> = point["hessian"].as_array().unwrap().iter().flat_map(numbers).collect();
            assert_close(&name, found.hessian.as_slice().unwrap(), &hessian, 1e-10);
        }
    }
}
