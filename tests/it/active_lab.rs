//! ActiveLab against the package that users know.

use judge_uncertainty::escalation::active_lab::{AnnotatorLabels, Form, active_lab_scores};
use ndarray::Array2;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    cleanlab: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    q: Vec<Vec<f64>>,
    labels: Vec<Vec<Option<usize>>>,
    as_shipped: Vec<f64>,
    repaired: Vec<f64>,
}

/// Figures of the package itself: `tests/golden/active_lab/make.py`.
#[test]
fn scores_are_those_of_the_package() {
    let golden: Golden = serde_json::from_str(include_str!("../golden/active_lab/scores.json")).unwrap();
    assert_eq!(golden.cleanlab, "2.9.0");
    let mut slips = 0;
    for case in &golden.cases {
        let q = Array2::from_shape_fn((case.q.len(), case.q[0].len()), |(i, j)| case.q[i][j]);
        let labels = AnnotatorLabels::new(&case.labels);
        for (form, expected) in [(Form::AsShipped, &case.as_shipped), (Form::Repaired, &case.repaired)] {
            let scores = active_lab_scores(q.view(), &labels, form);
            assert_eq!(scores.len(), expected.len());
            for (i, (score, expected)) in scores.iter().zip(expected).enumerate() {
                assert!((score - expected).abs() < 1e-9, "{} {form:?} {i}: {score}, {expected}", case.name);
            }
        }
        slips += usize::from(case.as_shipped.iter().zip(&case.repaired).any(|(a, b)| (a - b).abs() > 1e-6));
    }
    assert!(golden.cases.len() == 13 && slips == 11, "the slip shows in {slips} of {} cases", golden.cases.len());
}
