//! The recalibrated belief against an independent fit (`tests/golden/recalibration/make.py`), by itself and in a study.

use std::fs;
use std::path::Path;

use judge_uncertainty::belief::recalibration::{Options, fit};
use judge_uncertainty::belief::{Design, JudgedItems};
use judge_uncertainty::progress::Silent;
use judge_uncertainty::study::results::FitReport;
use judge_uncertainty::study::{Classes, Decomposition, Study};
use serde_json::Value;

use crate::support::{assert_close, number, repository};

const FOLDER: &str = "tests/golden/recalibration";

fn cases() -> Vec<(Options, Value)> {
    let text = fs::read_to_string(repository(FOLDER).join("expected.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let case = |case: &Value| (serde_json::from_value(case["options"].clone()).unwrap(), case["fit"].clone());
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

/// Numbers of a list, or of a list of lists.
fn flat(value: &Value) -> Vec<f64> {
    value.as_array().map_or_else(|| vec![number(value)], |values| values.iter().flat_map(flat).collect())
}

/// The items of the fixture as a study with a belief, as `study.toml` names it.
fn study(folder: &Path, belief: &str) -> Study<Classes> {
    let file = |name: &str| repository(FOLDER).join(name).display().to_string();
    let config = format!(
        "title = \"Recalibration\"\nclasses = [\"a\", \"b\", \"c\"]\n\n[items]\nfile = {:?}\nnumbers = [\"x\"]\n\
         group = \"group\"\n\n[judge]\nfile = {:?}\nkind = \"probabilities\"\n\n[labels]\nfile = {:?}\nform = \"counts\"\n\n\
         [trust]\nfeatures = [\"log_labels\", \"x\"]\nbelief = {belief}\nprior = \"none\"\n",
        file("items.csv"),
        file("judge.csv"),
        file("labels.csv"),
    );
    fs::write(folder.join("study.toml"), config).unwrap();
    Study::load(folder).unwrap()
}

#[test]
fn the_optimum_is_that_of_an_independent_fit() {
    let folder = tempfile::tempdir().unwrap();
    let study = study(folder.path(), "\"published\"");
    let numbers = study.numbers();
    let columns = study.feature_columns(&(0..study.len()).collect::<Vec<_>>(), &numbers, None);
    let design = Design::standardized(&columns).unwrap();
    let groups = study.items.group_numbers();
    let items = JudgedItems { design: &design, q: study.judge.predictions.q.view(), groups: &groups };
    let cases = cases();
    assert_eq!(cases.len(), 6);
    for (options, expected) in cases {
        let found = fit(&items, study.labels.counts.counts().view(), &options).unwrap();
        let name = format!("{options:?}");
        assert!(found.regression.converged, "{name}");
        assert_close(&name, &found.regression.coefficients, &flat(&expected["coefficients"]), 1e-8);
        assert_close(&name, &found.tau, &flat(&expected["tau"]), 1e-8);
        assert_close(&name, &found.bias.concat(), &flat(&expected["bias"]), 1e-8);
        // The expected ones come from differences.
        assert_close(&name, &found.regression.standard_errors(), &flat(&expected["standard_errors"]), 1e-6);
        let log_likelihood = number(&expected["log_likelihood"]);
        assert!(
            (found.regression.log_likelihood / log_likelihood - 1.0).abs() < 1e-10,
            "{name}: {}",
            found.regression.log_likelihood
        );
    }
}

/// One line of the configuration, and the posterior of every item is that of the independent fit.
#[test]
fn the_switch_of_a_study_gives_the_posterior_of_an_independent_fit() {
    let folder = tempfile::tempdir().unwrap();
    let mut switched = 0;
    for (options, expected) in cases() {
        if options != (Options { recalibration: options.recalibration, ..Options::default() }) {
            continue;
        }
        let name = serde_json::to_string(&options.recalibration).unwrap();
        let study = study(folder.path(), &format!("{{ recalibrated = {{ recalibration = {name} }} }}"));
        let decomposition = Decomposition::of(&study, &Silent).unwrap();
        let alpha: Vec<f64> = decomposition.fitted.beliefs.iter().flat_map(|b| b.alpha().to_vec()).collect();
        assert_close(&name, &alpha, &flat(&expected["alpha"]), 1e-7);
        let report = FitReport::of(&study, &decomposition).unwrap();
        assert_close(&name, &[report.log_likelihood], &[number(&expected["log_likelihood"])], 1e-8);
        let reported = report.own.recalibration.unwrap();
        let tau: Vec<f64> = reported.iter().map(|group| group.tau.value).collect();
        assert_close(&name, &tau, &flat(&expected["tau"]), 1e-8);
        switched += 1;
    }
    assert_eq!(switched, 3);
}
