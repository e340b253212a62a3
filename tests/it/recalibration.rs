//! A study whose belief recalibrates the prediction: what it prints is computed here again.

use std::fs;
use std::path::Path;

use crate::support::{assert_close, repository};
use judge_uncertainty::belief::{Belief, Dirichlet, OrdinalBelief};
use judge_uncertainty::formats::output;
use judge_uncertainty::study::queue::Amount;
use judge_uncertainty::study::results::columns::columns;
use judge_uncertainty::study::{Decomposition, EvaluationOutcome, Study, StudyResults};
use judge_uncertainty::system::progress::Silent;

const FOLDER: &str = "tests/golden/recalibration";

fn write(folder: &Path, scale: &str, belief: &str) {
    let file = |name: &str| repository(FOLDER).join(name).display().to_string();
    let config = format!(
        "title = \"Recalibration\"\n{scale}\n\n[items]\nfile = {:?}\nnumbers = [\"x\"]\n\
         group = \"group\"\n\n[judge]\nfile = {:?}\nkind = \"probabilities\"\n\n[labels]\nfile = {:?}\nform = \
         \"counts\"\n\n[trust]\nfeatures = [\"log_labels\", \"x\"]\nbelief = {belief}\nprior = \"none\"\n",
        file("items.csv"),
        file("judge.csv"),
        file("labels.csv"),
    );
    fs::write(folder.join("study.toml"), config).unwrap();
}

const BELIEF: &str = "\"temperature\"";

/// Three labels of every tenth item, as they come back: one of each of these classes.
fn come_back(folder: &Path) -> (Vec<usize>, [usize; 3]) {
    let (items, labels) = ((0..80).step_by(10).collect::<Vec<usize>>(), [1, 1, 2]);
    let mut rows = "id,annotator,label\n".to_owned();
    for i in &items {
        for (a, label) in labels.iter().enumerate() {
            rows += &format!("i{i:02},new{a},{}\n", ["a", "b", "c"][*label]);
        }
    }
    let file = folder.join("back.csv");
    fs::write(&file, rows).unwrap();
    let mut command = assert_cmd::Command::cargo_bin("judge-uncertainty").unwrap();
    command.args(["study", "labels", "add", file.to_str().unwrap(), folder.to_str().unwrap()]).assert().success();
    (items, labels)
}

/// Movement, foresight and columns rest on the recalibrated prediction, for any kind of classes: all of it is computed
/// here again from the recalibrated belief before the labels.
macro_rules! all_agree_with_the_belief_in_use {
    ($scale:expr, $belief:expr, $foreseen:expr, $error:expr) => {{
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), $scale, BELIEF);
        // The fixture counts labels among the features, and those that come back would move it.
        let config = fs::read_to_string(folder.path().join("study.toml")).unwrap();
        fs::write(folder.path().join("study.toml"), config.replace("\"log_labels\", ", "")).unwrap();
        let before = Study::load(folder.path()).unwrap();
        let before_labels = Decomposition::new(&before, &Silent).unwrap();
        let (touched, labels) = come_back(folder.path());
        let study = Study::load(folder.path()).unwrap();
        let after = Decomposition::new(&study, &Silent).unwrap();
        let not_evaluated = EvaluationOutcome::NotEvaluated("not of interest".to_owned());
        let results = StudyResults::new(&study, &after, not_evaluated, None, (Amount::DEFAULT, None), &Silent).unwrap();
        let variances = &results.fit.own.of_classes().map.as_ref().unwrap().variances;
        assert!(variances.iter().any(|block| block.variance > 0.0), "the recalibration must matter: {variances:?}");

        let mean = |of: &dyn Fn(usize) -> f64| touched.iter().map(|i| of(*i)).sum::<f64>() / touched.len() as f64;
        let alpha_of =
            |decomposition: &Decomposition, i: usize| decomposition.fitted.beliefs.of_classes().get(i).alpha().to_vec();
        let with_labels = |i: usize| {
            let mut alpha = alpha_of(&before_labels, i);
            labels.iter().for_each(|label| alpha[*label] += 1.0);
            alpha
        };
        let epistemic = |alpha: &[f64]| -> f64 { $belief(alpha).epistemic() };
        let movement = results.movement.as_ref().expect("labels came back");
        let stages = &movement.touched.epistemic;
        let expected = [
            mean(&|i| epistemic(&alpha_of(&before_labels, i))),
            mean(&|i| epistemic(&with_labels(i))),
            mean(&|i| epistemic(&alpha_of(&after, i))),
        ];
        assert_close("movement", &[stages.before, stages.by_labels, stages.after], &expected, 1e-12);
        let foreseen = mean(&|i| $foreseen(&$belief(&alpha_of(&before_labels, i))));
        let realised = mean(&|i| {
            labels.iter().map(|label| $error(&alpha_of(&before_labels, i), *label)).sum::<f64>() / labels.len() as f64
        });
        assert_close("foresight", &[movement.first.predicted, movement.first.realised], &[foreseen, realised], 1e-12);

        let columns = columns(&study, &after);
        let csv = output::to_csv(&columns);
        let mut reader = csv::Reader::from_reader(csv.as_slice());
        let header = reader.headers().unwrap().clone();
        let at = |name: &str| {
            header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}: {header:?}"))
        };
        for (i, row) in reader.records().map(Result::unwrap).enumerate() {
            let cell = |name: &str| -> f64 { row[at(name)].parse().unwrap() };
            let alpha = alpha_of(&after, i);
            let evidence: f64 = alpha.iter().sum();
            let belief = $belief(&alpha);
            let expected = [evidence, belief.total(), belief.epistemic(), alpha[0] / evidence, alpha[2] / evidence];
            let got = ["total_evidence", "total", "epistemic", "mean_a", "mean_c"].map(cell);
            assert_close(&row[0], &got, &expected, 1e-12);
            // The prior's evidence is lambda times the recalibrated prediction, of which the labels are no part.
            let labels: f64 = evidence - cell("trust");
            assert!((labels - labels.round()).abs() < 1e-9 && labels >= -1e-9, "{labels} labels");
        }
        let dictionary = String::from_utf8(output::dictionary(&columns)).unwrap();
        assert_eq!(dictionary.lines().count(), header.len() + 1);
    }};
}

#[test]
fn movement_foresight_and_columns_of_classes_are_those_of_the_belief_in_use() {
    all_agree_with_the_belief_in_use!(
        "classes = [\"a\", \"b\", \"c\"]",
        Dirichlet::new,
        |belief: &Dirichlet| belief.gini(),
        |alpha: &[f64], y: usize| {
            let sum: f64 = alpha.iter().sum();
            (0..3).map(|j| (alpha[j] / sum - f64::from(u8::from(j == y))).powi(2)).sum::<f64>()
        }
    );
}

#[test]
fn movement_foresight_and_columns_of_places_are_those_of_the_belief_in_use() {
    const PLACES: [f64; 3] = [1.0, 2.0, 4.0];
    all_agree_with_the_belief_in_use!(
        "places = [[\"a\", 1], [\"b\", 2], [\"c\", 4]]",
        |alpha| OrdinalBelief::new(Dirichlet::new(alpha), &PLACES),
        |belief: &OrdinalBelief| belief.total(),
        |alpha: &[f64], y: usize| (OrdinalBelief::new(Dirichlet::new(alpha), &PLACES).mean_place() - PLACES[y]).powi(2)
    );
}
