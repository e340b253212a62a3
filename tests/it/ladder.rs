//! Maps of the ladder against an independent program (`tests/golden/ladder/make.py`).

use judge_uncertainty::belief::ladder::{Readings, Rung, fit};
use judge_uncertainty::belief::{Design, FeatureColumn, JudgedItems};
use ndarray::Array2;
use serde_json::Value;

use crate::support::{assert_close, golden, numbers};

fn table(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    let width = rows[0].len();
    Array2::from_shape_vec((rows.len(), width), rows.concat()).unwrap()
}

/// Variances end within half a percent of their fixed point, and what follows from them is as near as that leaves it.
#[test]
fn maps_are_fitted_as_by_an_independent_program() {
    let golden = golden("ladder/expected.json");
    let (q, counts) = (table(&golden["q"]), table(&golden["counts"]).mapv(|c| c as u32));
    let variants: Vec<Array2<f64>> = golden["variants"].as_array().unwrap().iter().map(table).collect();
    let groups: Vec<usize> = numbers(&golden["groups"]).into_iter().map(|g| g as usize).collect();
    let design = Design::raw(&[FeatureColumn::complete("x", numbers(&golden["x"]))]).unwrap();
    let items = JudgedItems { design: &design, q: q.view(), groups: &groups };
    let readings = Readings { items, variants: &variants, twins: &[] };
    let fits = golden["fits"].as_array().unwrap();
    assert_eq!(fits.len(), 5);
    for expected in fits {
        let name = expected["rung"].as_str().unwrap();
        let map = fit(Rung::named(name).unwrap(), readings, counts.view()).unwrap().unwrap();
        assert!(map.regression.converged, "{name}");
        let variances: Vec<f64> = map.variances.iter().map(|block| block.variance).collect();
        assert_close(name, &variances, &numbers(&expected["variances"]), 2e-2);
        assert_close(name, &map.regression.coefficients, &numbers(&expected["coefficients"]), 2e-3);
        let priors: Vec<_> = (0..q.nrows()).map(|i| map.prior(readings, i)).collect();
        let means: Vec<f64> = priors.iter().flat_map(|prior| prior.mean.clone()).collect();
        assert_close(name, &means, table(&expected["mean"]).as_slice().unwrap(), 2e-3);
        let logs = |values: Vec<f64>| values.into_iter().map(f64::ln).collect::<Vec<_>>();
        let known = priors.iter().map(|prior| prior.trust_of_known_map).collect();
        assert_close(name, &logs(known), &logs(numbers(&expected["known"])), 5e-3);
        let trust = priors.iter().map(|prior| prior.trust).collect();
        assert_close(name, &logs(trust), &logs(numbers(&expected["trust"])), 5e-3);
    }
}
